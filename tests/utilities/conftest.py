"""Run one utility in a fresh sandbox, and the same command on the host with --oracle."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sandhook.command.context import Context, Ended, NotStarted
from sandhook.command.run import run_utility
from sandhook.command.utility import Utility
from sandhook.kernel.descriptor import Capture, Input, OutputCap
from sandhook.kernel.process import Kernel
from sandhook.limits import Limits
from sandhook.utilities import load
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath

Ran = tuple[int, str, str]
TEST_LIMITS = Limits(output_bytes=32 << 20, wall_seconds=20)


class Sandbox:
    """A kernel with one file system; the files stay between runs of one test."""

    def __init__(self, limits: Limits = TEST_LIMITS) -> None:
        self.fs = MemoryFileSystem()
        self.limits = limits

    def run(
        self,
        *argv: str,
        stdin: bytes = b"",
        files: Mapping[str, str | bytes] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes, bytes]:
        """Run argv (a built-in utility) in /workspace; raise what ended the run, if a limit did."""
        if files:
            self.fs.populate(files, VirtualPath("/workspace"))
        kernel = Kernel(self.fs, self.limits)
        cap = OutputCap(self.limits.output_bytes)
        out, err = Capture(kernel.budget, cap), Capture(kernel.budget, cap)
        shell = process = kernel.new_process(1, {0: Input(stdin), 1: out, 2: err}, VirtualPath("/workspace"))
        variables = dict(env or {})

        def run(command, *, environment=None, stdin=None, process=None, in_place=False):  # type: ignore[no-untyped-def]
            """What env and xargs call: another utility, in the same process or in one that was made for it."""
            process = process or shell
            held = process.descriptors[0]
            if stdin is not None:
                process.descriptors[0] = stdin
            try:
                return Ended(
                    run_utility(
                        Utility(load(command[0])),
                        command[1:],
                        Context(command[0], process, variables if environment is None else environment, run),
                    )
                )
            except KeyError:
                return Ended(127, 0, NotStarted("No such file or directory"))
            finally:
                process.descriptors[0] = held

        utility = Utility(load(argv[0]))
        context = Context(utility.fixed_names.get(argv[0]) or argv[0], process, variables, run, argv[0])
        process.start(lambda: run_utility(utility, argv[1:], context))
        try:
            kernel.scheduler.run(lambda: process.done)
        finally:
            kernel.scheduler.close()
        return process.status, out.getvalue(), err.getvalue()


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.fixture
def utility(oracle: bool, request: pytest.FixtureRequest) -> Callable[..., Ran]:
    """Return ``utility(name, *args, stdin="", files={})`` -> (status, stdout, stderr).

    With --oracle the host's program runs too, in an empty directory with the same files and
    LC_ALL=C.UTF-8, and must give the same status and standard output (``same=False`` says
    that a difference is declared in docs/divergences.md).
    """

    def run(
        *argv: str,
        stdin: str | bytes = b"",
        files: Mapping[str, str | bytes] | None = None,
        env: Mapping[str, str] | None = None,
        same: bool = True,
    ) -> Ran:
        data = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
        status, out, err = Sandbox().run(*argv, stdin=data, files=files, env=env)
        if oracle and same:
            real = ask_host(request.getfixturevalue("tmp_path"), argv, data, files or {}, env or {})
            assert (status, out) == real[:2], f"{argv}: the host's program differs; its stderr: {real[2]!r}"
        return status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape")

    return run


#: Their oracle is bash's built-in, not the program of the same name.
BUILTINS = ("[", "echo", "false", "test", "true")


@pytest.fixture
def line(oracle: bool, request: pytest.FixtureRequest) -> Callable[..., Ran]:
    """Return ``line("cut -f1 - < FILE", files)`` -> (status, stdout, stderr).

    The words are split as a shell would; ``< FILE`` at the end names standard input. With
    --oracle the host must also give the same standard error, but for the shape of quotes;
    ``unordered=True`` compares the lines of standard output as a set.
    """

    def run(command: str, files: Mapping[str, str | bytes], *, unordered: bool = False) -> Ran:
        argv = shlex.split(command)
        stdin: bytes = b""
        if argv[-2:-1] == ["<"]:
            given = files[argv.pop()]
            stdin = given.encode("utf-8", "surrogateescape") if isinstance(given, str) else given
            argv.pop()
        status, out, err = Sandbox().run(*argv, stdin=stdin, files=files)
        if oracle:
            where = request.getfixturevalue("tmp_path")
            real, real_out, real_err = ask_host(where, tuple(argv), stdin, files, {"TZ": "UTC0"})
            sort = sorted if unordered else list
            assert (status, sort(out.splitlines()), plain_quotes(err)) == (
                real,
                sort(real_out.splitlines()),
                plain_quotes(real_err),
            ), f"{command}: the host's program differs"
            assert unordered or out == real_out
        return status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape")

    return run


def plain_quotes(data: bytes) -> bytes:
    """Write GNU's quotes as in the C locale, and drop bash's "bash: line 1: "."""
    text = data.decode("utf-8", "surrogateescape").replace("\u2018", "'").replace("\u2019", "'")
    return re.sub(r"^\S+: line \d+: ", "", text, flags=re.MULTILINE).encode("utf-8", "surrogateescape")


def ask_host(
    where: Path, argv: tuple[str, ...], stdin: bytes, files: Mapping[str, str | bytes], env: Mapping[str, str]
) -> tuple[int, bytes, bytes]:
    """Run the real program; fail when it is missing."""
    program = shutil.which(argv[0])
    assert program, f"--oracle: {argv[0]} is not installed"
    for name, content in files.items():
        path = where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
    if argv[0] in BUILTINS:
        program = shutil.which("bash") or ""
        argv = ("bash", "-c", '"$0" "$@"', *argv)
    done = subprocess.run(
        argv,
        executable=program,
        input=stdin,
        capture_output=True,
        cwd=where,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **env},
        timeout=20,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


class Steps:
    """Commands one after the other over the same files, in the sandbox and with --oracle on the host.

    ``steps(*argv)`` gives (status, stdout, stderr). After every command the two trees must be the
    same: names, types, permission bits, contents and link targets. ``same=False`` leaves the
    host's output out of the comparison (owners, dates), not the tree.
    """

    def __init__(self, where: Path | None) -> None:
        self.sandbox = Sandbox()
        self.where = where

    def __call__(
        self,
        *argv: str,
        stdin: str | bytes = b"",
        env: Mapping[str, str] | None = None,
        files: Mapping[str, str | bytes] | None = None,
        same: bool = True,
    ) -> Ran:
        data = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
        status, out, err = self.sandbox.run(*argv, stdin=data, files=files, env=env)
        if self.where is not None:
            real = ask_host(self.where, argv, data, files or {}, env or {})
            assert status == real[0], f"{argv}: the host's program differs; its stderr: {real[2]!r}"
            assert not same or out == real[1], f"{argv}: the host's program differs; its stderr: {real[2]!r}"
            assert self.tree() == host_tree(self.where), f"{argv}: the host's files differ afterwards"
        return status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape")

    def sorted(self, *argv: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Ran:
        """Run a command whose lines come in no certain order; they are ordered before they are compared."""
        status, out, err = self.sandbox.run(*argv, stdin=stdin.encode(), env=env)
        lines = sorted(out.splitlines())
        if self.where is not None:
            real = ask_host(self.where, argv, stdin.encode(), {}, env or {})
            assert (status, lines) == (real[0], sorted(real[1].splitlines())), real[2]
        return status, " ".join(line.decode("utf-8", "surrogateescape") for line in lines), err.decode()

    def tree(self) -> dict[str, str]:
        """Return each path below the working directory with type, permission bits and contents."""
        found: dict[str, str] = {}
        pending = [VirtualPath("/workspace")]
        fs = self.sandbox.fs
        while pending:
            directory = pending.pop()
            for entry in fs.listdir(directory):
                path = VirtualPath(f"{directory}/{entry.name}")
                name = path.removeprefix("/workspace/")
                if stat.S_ISDIR(entry.mode):
                    pending.append(path)
                    found[name] = f"d{entry.mode & 0o7777:o}"
                elif stat.S_ISLNK(entry.mode):
                    found[name] = f"-> {fs.readlink(path)}"
                elif stat.S_ISREG(entry.mode):
                    found[name] = f"f{entry.mode & 0o7777:o} {self._contents(path, entry.mode)!r}"
                else:
                    found[name] = f"{stat.S_IFMT(entry.mode):o}"
        return dict(sorted(found.items()))

    def _contents(self, path: VirtualPath, mode: int) -> bytes:
        """Read a file whatever its bits say, and leave no trace."""
        fs = self.sandbox.fs
        info = fs.stat(path)
        fs.chmod(path, mode | 0o400)
        data = fs.read_bytes(path)
        fs.chmod(path, mode)
        fs.utime(path, info.atime_ns, info.mtime_ns)
        return data


def host_tree(where: Path) -> dict[str, str]:
    """Return what ``Steps.tree`` does, of a real directory."""
    found: dict[str, str] = {}
    for path in where.rglob("*"):
        name = str(path.relative_to(where))
        info = path.lstat()
        if stat.S_ISDIR(info.st_mode):
            found[name] = f"d{info.st_mode & 0o7777:o}"
        elif stat.S_ISLNK(info.st_mode):
            found[name] = f"-> {path.readlink()}"
        elif stat.S_ISREG(info.st_mode):
            found[name] = f"f{info.st_mode & 0o7777:o} {path.read_bytes()!r}"
            os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
        else:
            found[name] = f"{stat.S_IFMT(info.st_mode):o}"
    return dict(sorted(found.items()))


@pytest.fixture
def steps(oracle: bool, request: pytest.FixtureRequest) -> Steps:
    return Steps(request.getfixturevalue("tmp_path") if oracle else None)

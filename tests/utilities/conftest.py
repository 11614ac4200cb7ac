"""Run one utility in a fresh sandbox, and the same command on the host with --oracle."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sandhook.kernel.descriptor import Capture, Input, OutputCap
from sandhook.kernel.process import Kernel
from sandhook.limits import Limits
from sandhook.utilities import load
from sandhook.utilities._base import Context, run_utility
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
        process = kernel.new_process(1, {0: Input(stdin), 1: out, 2: err}, VirtualPath("/workspace"))
        environment = dict(env or {})

        def run(command, *, environment=environment, stdin=None):  # type: ignore[no-untyped-def]
            """What env and xargs call: another utility, in the same process."""
            held = process.descriptors[0]
            if stdin is not None:
                process.descriptors[0] = stdin
            try:
                return run_utility(load(command[0]), command[1:], Context(command[0], process, environment, run))
            except KeyError:
                err.write(f"{command[0]}: command not found\n".encode())
                return 127
            finally:
                process.descriptors[0] = held

        context = Context(argv[0], process, environment, run)
        process.start(lambda: run_utility(load(argv[0]), argv[1:], context))
        try:
            kernel.scheduler.run(lambda: process.done)
        finally:
            kernel.scheduler.close()
        return process.status, out.getvalue(), err.getvalue()


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox()


@pytest.fixture
def utility(oracle: bool, tmp_path: Path) -> Callable[..., Ran]:
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
            real = ask_host(tmp_path, argv, data, files or {}, env or {})
            assert (status, out) == real[:2], f"{argv}: the host's program differs; its stderr: {real[2]!r}"
        return status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape")

    return run


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
    done = subprocess.run(
        [program, *argv[1:]],
        input=stdin,
        capture_output=True,
        cwd=where,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **env},
        timeout=20,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr

"""HostCommand: one program of the machine that a sandboxed script may call, with named arguments only.

HookEngine.load("bundle.json", utilities=[HostCommand("rustfmt", args=[...], cwd="/workspace", write_back=True)])

The program never sees the sandbox, and the script never sees the machine. The files below ``cwd`` are
copied to a new directory, and the program runs there; with ``write_back`` its changes are copied back. The
program has the host's rights and reads files that the script wrote. So it must not execute what it reads:
a formatter is suitable, a build tool is not. Files that make programs execute something are not copied:
directories whose name begins with a dot (``.git``, ``.cargo``), start-up files, and files of build tools
(``package.json``, ``Makefile``).
"""

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH101, PTH102, PTH113, PTH116, PTH118, PTH123
from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from tempfile import TemporaryDirectory
from types import EllipsisType
from typing import TYPE_CHECKING, TypeAlias

from sandhook.command.own import OwnUtility, UtilityContext
from sandhook.host.environment import absolute_entries, build
from sandhook.host.files import WINDOWS
from sandhook.vfs.control_files import (
    folded,
    is_build_file,
    is_dot_directory,
    is_start_up_file,
    repository_files,
)
from sandhook.vfs.errors import error_text
from sandhook.vfs.hostnames import check_windows_name
from sandhook.vfs.path import VirtualPath, normalize

if TYPE_CHECKING:
    from hashlib import blake2b as _Digest
    from typing import BinaryIO

    from sandhook.host.children import Child
    from sandhook.host.poller import Poller

#: One position of an argument list: a fixed text, a function that allows a text, or (``...``, at the end)
#: any number of names of files below the working directory.
Argument: TypeAlias = "str | Callable[[str], bool] | EllipsisType"

#: The most files and bytes that one call copies out.
MAX_FILES, MAX_BYTES = 20_000, 256 << 20

#: Bytes that are read at a time for a digest.
_PIECE = 1 << 18

NOT_ALLOWED, NOT_FOUND, TIMED_OUT = 126, 127, 124

#: Seconds between two polls of a program that neither reads nor writes.
_POLL_SECONDS = 0.05


class HostCommand(OwnUtility):
    """A program of the machine as a command of a sandbox.

    Args:
        name: The command's name in scripts.
        args: The list of allowed arguments, or several such lists. A text allows itself, a function returns
            True for an allowed argument, ``...`` at the end allows any number of relative file names:
            no options, no absolute paths, no "..".
        cwd: The directory of the sandbox that is copied for the program. It runs in the script's working
            directory when that is below ``cwd``, else in ``cwd``.
        write_back: Copy the program's changes below ``cwd`` back to the sandbox.
        executable: Native path of the program; None looks it up in this process's PATH.
        env: The program's environment in addition to PATH and HOME, which is a new directory.
        control_files: Paths below ``cwd`` that are copied although programs may execute or obey them: a file
            alone, a directory with all that is in it. The script writes them, so it decides what they do.

    Raises:
        TypeError: ``args`` mixes arguments and lists of arguments, or is a text.
        ValueError: "..." is not the last argument, or ``cwd`` is not absolute.
    """

    def __init__(
        self,
        name: str,
        args: Sequence[Argument] | Sequence[Sequence[Argument]] = (),
        *,
        cwd: str = "/workspace",
        write_back: bool = False,
        executable: str | None = None,
        env: Mapping[str, str] | None = None,
        control_files: Sequence[str] = (),
    ) -> None:
        super().__init__(self._run, name, None)
        if isinstance(control_files, str):
            raise TypeError(f"HostCommand: {name}: control_files: wanted a list of paths, got a text")
        if isinstance(args, str):  # each of its letters would be an argument
            raise TypeError(f"HostCommand: {name}: args: wanted a list of arguments, got a text")
        self._copied = _Copied(control_files)
        self._forms = _forms(args)
        for form in self._forms:
            if ... in form[:-1]:
                raise ValueError(f"HostCommand: {name}: '...' can only be the last argument")
        if cwd[:1] != "/":
            raise ValueError(f"HostCommand: {name}: cwd: wanted an absolute path of the sandbox, got {cwd!r}")
        self._cwd = normalize(cwd)
        self._write_back = write_back
        self._executable = executable
        self._env = dict(env or {})

    def _run(self, ctx: UtilityContext) -> int:
        """Run the program for a script."""
        if not any(_fits(form, ctx.args) for form in self._forms):
            usage = " | ".join(" ".join((self.name, *map(_argument_text, form))) for form in self._forms)
            return ctx.error(f"not allowed with these arguments; allowed: {usage}", NOT_ALLOWED)
        executable = self._executable or find_program(self.name)
        if executable is None:
            return ctx.error("this machine has no such program", NOT_FOUND)
        with TemporaryDirectory(prefix="sandhook-", ignore_cleanup_errors=True) as top:
            root, home = os.path.join(top, "files"), os.path.join(top, "home")
            os.mkdir(root)
            os.mkdir(home)
            try:
                before = _copy_out(ctx, self._cwd, root, self._copied)
            except OSError as error:
                return ctx.error(f"cannot copy {self._cwd}: {error_text(error)}", NOT_ALLOWED)
            status = self._start(ctx, executable, root, home)
            if self._write_back:
                try:
                    _copy_back(ctx, self._cwd, root, before, self._copied)
                except OSError as error:
                    return ctx.error(f"cannot write back: {error.filename}: {error_text(error)}")
            return status

    def _start(self, ctx: UtilityContext, executable: str, root: str, home: str) -> int:
        from sandhook.host.children import Spawn, Supervisor
        from sandhook.host.poller import Poller, inbound, outbound

        below = _below(self._cwd, ctx.cwd)
        env = build("fresh", os.environ, extra={"HOME": home, **self._env}, windows=WINDOWS)
        child_in, stdin = outbound()
        stdout, child_out = inbound()
        stderr, child_err = inbound()
        child_ends = [child_in, child_out, child_err]
        own_ends = {stdin, stdout, stderr}
        poller = Poller()
        try:
            with Supervisor() as supervisor:
                try:
                    child = supervisor.start(
                        Spawn(
                            executable,
                            (self.name, *ctx.args),
                            env,
                            os.path.join(root, *below.split("/")) if below else root,
                            {0: child_in, 1: child_out, 2: child_err},
                        )
                    )
                except OSError as error:
                    return ctx.error(error_text(error), NOT_ALLOWED)
                while child_ends:
                    os.close(child_ends.pop())
                return _copy_streams(ctx, poller, child, stdin, {stdout: 1, stderr: 2}, own_ends)
        finally:
            poller.close()
            for fd in (*child_ends, *own_ends):
                os.close(fd)


def _copy_streams(
    ctx: UtilityContext, poller: Poller, child: Child, stdin: int, outputs: dict[int, int], own_ends: set[int]
) -> int:
    """Copy input and output until the program has ended; return its status.

    A closed descriptor is removed from ``own_ends``: another thread may already use its number.
    """
    from sandhook.host.poller import read_some, write_some

    pending = memoryview(ctx.stdin.read())
    streams = {1: ctx.stdout, 2: ctx.stderr}
    while True:
        has_ended = child.poll()
        progress = False
        while pending and stdin >= 0:
            try:
                count = write_some(stdin, pending)
            except BrokenPipeError:
                count, pending = 0, pending[:0]
            if not count:
                break
            pending, progress = pending[count:], True
        if not pending and stdin >= 0:
            own_ends.discard(stdin)
            os.close(stdin)
            stdin = -1
        for fd, number in list(outputs.items()):
            data = read_some(fd, 65_536)
            if data:
                streams[number].write(data)
                progress = True
            elif data is not None:
                del outputs[fd]
        if has_ended and not progress:
            return child.status or 0
        if not progress:
            _wait(ctx, poller, child, stdin if pending else -1, outputs)


def _wait(ctx: UtilityContext, poller: Poller, child: Child, stdin: int, outputs: Mapping[int, int]) -> None:
    """Wait until a stream is ready or the child has ended. Raises LimitExceeded when the time of the run is up."""
    if not ctx.budget.remaining() or ctx.budget.exhausted is not None:
        ctx.budget.yield_slice()
        ctx.budget.charge(1)
    for fd in outputs:
        poller.readable(fd, _wake_up)
    if stdin >= 0:
        poller.writable(stdin, _wake_up)
    poller.ended(child, _wake_up)
    poller.wait(min(_POLL_SECONDS, ctx.budget.remaining()))
    for fd in (*outputs, *([stdin] if stdin >= 0 else ())):
        poller.forget(fd)


def _wake_up() -> None:
    """Do nothing: the call itself ends the wait of the poller."""


# --------------------------------------------------------------------------- arguments


def _forms(args: Sequence[Argument] | Sequence[Sequence[Argument]]) -> list[tuple[Argument, ...]]:
    """Return the argument lists of a declaration, which may be one or several. Raises TypeError for a mixture."""
    forms: list[tuple[Argument, ...]] = []
    single: list[Argument] = []
    for item in args:
        if isinstance(item, (list, tuple)):
            forms.append(tuple(item))
        elif isinstance(item, (str, EllipsisType)) or callable(item):
            single.append(item)
    if len(single) + len(forms) < len(args) or (single and forms):
        raise TypeError("HostCommand: args: wanted texts, functions and '...', or lists of these")
    return forms or [tuple(single)]


def _fits(form: Sequence[Argument], arguments: Sequence[str]) -> bool:
    """Return True if a list allows the arguments of a call."""
    file_names: Sequence[str] = ()
    if form and form[-1] is ...:
        form, file_names, arguments = form[:-1], arguments[len(form) - 1 :], arguments[: len(form) - 1]
    if len(form) != len(arguments):
        return False
    return all(map(_allows, form, arguments)) and all(map(_is_relative, file_names))


def _allows(rule: Argument, argument: str) -> bool:
    if isinstance(rule, str):
        return rule == argument
    return not isinstance(rule, EllipsisType) and bool(rule(argument))


def _is_relative(name: str) -> bool:
    """Return True if, on every system, an argument can only name a file below the working directory."""
    parts = name.replace("\\", "/").split("/")
    return name[:1] not in ("", "-", "/", "\\", "~", "@") and ".." not in parts and ":" not in name


def _argument_text(rule: Argument) -> str:
    if isinstance(rule, str):
        return rule
    return "FILE..." if isinstance(rule, EllipsisType) else "ARG"


# --------------------------------------------------------------------------- files


def _below(root: str, path: str) -> str:
    """Return the part of ``path`` below ``root``; "" if the path is not below it."""
    is_below = path == root or path.startswith(root.rstrip("/") + "/")
    return path[len(root) :].strip("/") if is_below else ""


def native_below(root: str, name: str, *, windows: bool) -> str:
    """Return the native path of a file of the sandbox below a directory.

    Raises:
        OSError: EINVAL for a name that leads elsewhere on Windows ("C:\\x", "..\\x") or means a device.
    """
    parts = name.split("/")
    if windows:
        for part in parts:
            check_windows_name(part)
    return os.path.join(root, *parts)


def find_program(name: str) -> str | None:
    """Look a program up in the absolute entries of this process's PATH.

    ``shutil.which`` is not used: on Windows it searches the current directory first, which is a project's.
    """
    suffixes = [""]
    if WINDOWS:
        extensions = (os.environ.get("PATHEXT") or ".COM;.EXE;.BAT;.CMD").split(";")
        if not any(suffix and name.upper().endswith(suffix.upper()) for suffix in extensions):
            suffixes = [suffix for suffix in extensions if suffix]
    for directory in absolute_entries(os.environ.get("PATH", os.defpath), windows=WINDOWS).split(os.pathsep):
        for suffix in suffixes if directory else ():
            path = os.path.join(directory.strip('"'), name + suffix)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


class _Copied:
    """Decides which files are copied: all but those that programs execute or obey, unless they are named."""

    def __init__(self, named: Sequence[str]) -> None:
        self._named = tuple(
            "/".join(part for part in name.split("/") if part not in ("", ".")) for name in named
        )

    def allows(self, path: str, *, directory: bool) -> bool:
        """Return True for a path below the working directory that is copied."""
        *above, name = path.split("/")
        control = any(map(is_dot_directory, (*above, name) if directory else above))
        if not directory:
            control = control or is_start_up_file(name) or is_build_file(name) or folded(name) == ".git"
        return not control or self.names(path, directory=directory)

    def names(self, path: str, *, directory: bool = False) -> bool:
        """Return True for a path that is named, or is below one; for a directory above one, too."""
        return any(
            path == each or path.startswith(f"{each}/") or (directory and each.startswith(f"{path}/"))
            for each in self._named
        )


def _copy_out(
    ctx: UtilityContext, top: VirtualPath, root: str, copied_files: _Copied
) -> dict[str, bytes | None]:
    """Copy a tree of the sandbox; return every name with a file's digest, None for a directory.

    Links are not copied, because on the machine they would lead to other files.
    """
    digests: dict[str, bytes | None] = {}
    size = 0
    pending = [""]
    while pending:
        parent = pending.pop()
        entries = ctx.fs.listdir(VirtualPath(f"{top.rstrip('/')}/{parent}" if parent else top))
        git_files = repository_files(entry.name for entry in entries)
        for entry in entries:
            ctx.budget.charge(1)
            name = f"{parent}/{entry.name}" if parent else entry.name
            if entry.name in git_files and not copied_files.names(name):
                continue
            if not copied_files.allows(name, directory=stat.S_ISDIR(entry.mode)):
                continue
            native = native_below(root, name, windows=WINDOWS)
            if stat.S_ISDIR(entry.mode):
                os.mkdir(native)
                digests[name] = None
                pending.append(name)
            elif stat.S_ISREG(entry.mode):
                path = VirtualPath(f"{top.rstrip('/')}/{name}")
                file_size = ctx.fs.stat(path).size
                size += file_size
                if size > MAX_BYTES or len(digests) > MAX_FILES:
                    raise OSError(27, f"more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB")
                ctx.budget.charge(file_size >> 10)
                data = ctx.fs.read_bytes(path)
                with open(native, "wb") as file:
                    file.write(data)
                os.chmod(native, entry.mode & 0o777 | 0o600)
                digests[name] = _digest(data).digest()
    return digests


def _copy_back(
    ctx: UtilityContext,
    top: VirtualPath,
    root: str,
    before: Mapping[str, bytes | None],
    copied_files: _Copied,
) -> None:
    """Copy changed files and directories to the sandbox; what is not copied out is not copied back."""
    after: dict[str, tuple[str, bool]] = {}
    for name, native, is_directory in _walk(root, copied_files):
        ctx.budget.charge(1)
        after[name] = native, is_directory
    for name in sorted(before, reverse=True):  # removed first, because a file may have become a directory
        if name not in after or after[name][1] != (before[name] is None):
            path = VirtualPath(f"{top.rstrip('/')}/{name}")
            if ctx.fs.exists(path):
                (ctx.fs.rmdir if before[name] is None else ctx.fs.unlink)(path)
    for name, (native, is_directory) in after.items():
        path = VirtualPath(f"{top.rstrip('/')}/{name}")
        old_digest = before.get(name, b"")
        if is_directory:
            if old_digest is not None:
                ctx.fs.mkdir(path, 0o755)
            continue
        with open(native, "rb") as file:
            # digests, not times: a fast program can write within one tick of the system's clock
            if old_digest == _digest_of(ctx, file):
                continue
            file.seek(0)
            ctx.budget.check_fits(os.fstat(file.fileno()).st_size)
            data = file.read()
        mode = 0o755 if os.stat(native).st_mode & 0o100 and os.name != "nt" else 0o644
        ctx.fs.write_bytes(path, data, mode=mode)


def _digest_of(ctx: UtilityContext, file: BinaryIO) -> bytes:
    """Return the digest of a file of any size."""
    digest = _digest()
    while piece := file.read(_PIECE):
        ctx.budget.charge(len(piece) >> 10)
        digest.update(piece)
    return digest.digest()


def _digest(data: bytes = b"") -> _Digest:
    from hashlib import blake2b

    return blake2b(data, digest_size=16)


def _walk(root: str, copied_files: _Copied) -> Iterator[tuple[str, str, bool]]:
    """Yield name, native path and True for a directory, for the regular files and directories that are copied."""
    pending = [""]
    while pending:
        parent = pending.pop()
        with os.scandir(os.path.join(root, *parent.split("/")) if parent else root) as entries:
            for entry in sorted(entries, key=lambda item: item.name):
                name = f"{parent}/{entry.name}" if parent else entry.name
                if not copied_files.allows(name, directory=entry.is_dir(follow_symlinks=False)):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(name)
                    yield name, entry.path, True
                elif entry.is_file(follow_symlinks=False):
                    yield name, entry.path, False

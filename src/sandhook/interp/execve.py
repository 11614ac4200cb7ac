"""execve(2) for the virtual file system: utilities, and scripts by their "#!" lines.

Source: execve(2) of Linux 6.1; the tests compare with the kernel that runs them.
Divergence: L-SHEBANG-001, a shell is recognised by its name in any directory.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.interp import lookup
from sandhook.interp.lookup import ExecError, Located
from sandhook.record import Record
from sandhook.state.state import State
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import join

if TYPE_CHECKING:
    from sandhook.dispatch.shebang import Shebang

#: The longest chain of scripts that name each other as interpreter (a count), as on Linux.
MAX_INTERPRETERS = 5


class Image(Record):
    """The program that execve runs for a file of the virtual file system.

    Fields:
        name: The utility, or the shell.
        argv: Its arguments; the first is its own name.
    """

    name: str
    argv: Sequence[str]


def find_image(state: State, path: str, argv: Sequence[str], located: Located | None) -> Image:
    """Return the program that Linux runs for a file: follow "#!" lines to a utility or a shell.

    Args:
        path: The file, which is not a utility.
        argv: The command; the script's first argument is ``argv[1]``.
        located: The result of ``lookup.at`` for the file.

    Raises:
        ExecError: The file, or an interpreter on the way, cannot be run.
    """
    first: str | None = None
    file, words = path, [path, *argv[1:]]
    for _ in range(MAX_INTERPRETERS + 1):
        if first is not None:
            located = lookup.at(state, file)
            if located is not None and located[1] is not None:
                return Image(located[1], words)
        try:
            shebang = _shebang(
                _content(state, file, checked=located is not None), first, file, crlf=state.shell.crlf
            )
        except OSError as error:
            shell = file.rpartition("/")[2]
            if (
                first is not None
                and error.errno == errno.ENOENT
                and file[0] == "/"
                and shell in lookup.SHELLS
            ):
                return Image(shell, words)
            raise ExecError(error.errno or errno.EACCES, first, file) from None
        if shebang is None:
            raise ExecError(errno.ENOEXEC, first, file)
        first = shebang.interpreter if first is None else first
        argument = [] if shebang.argument is None else [shebang.argument]
        words = [shebang.interpreter, *argument, file, *words[1:]]
        file = shebang.interpreter
    raise ExecError(errno.ELOOP, first, file)


def _content(state: State, path: str, *, checked: bool) -> bytes:
    """Return the content of a regular file that may be executed, which may be known. Raises OSError."""
    if not path:
        raise fs_error(errno.ENOENT)
    fs = state.process.kernel.fs
    absolute = join(state.process.cwd, path)
    if checked:
        return fs.read_bytes(absolute)
    if not stat.S_ISREG(fs.stat(absolute).mode) or not fs.access(absolute, 1):
        raise fs_error(errno.EACCES)
    return fs.read_bytes(absolute)


def _shebang(data: bytes, first: str | None, file: str, *, crlf: bool) -> Shebang | None:
    """Return the "#!" line of a file, None when there is no such line. Raises ExecError.

    The dispatcher skips a byte order mark before the line. Linux does not, so neither does the sandbox.

    Args:
        crlf: The line may end in CRLF; for Linux the carriage return belongs to the last word.
    """
    if data[:2] != b"#!":
        return None
    from sandhook.dispatch.shebang import READ, ShebangError, read_shebang

    line = data.find(b"\n", 0, READ) + 1
    try:
        return read_shebang(data[: line or READ], crlf=crlf)
    except ShebangError as error:
        raise ExecError(error.errno, first or "", file) from None

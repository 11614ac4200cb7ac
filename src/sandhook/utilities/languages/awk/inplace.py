"""``-i inplace``: the output of the rules replaces the input file.

Source: gawk 5.2 manual, "Enabling In-Place File Editing".
"""

from __future__ import annotations

from stat import S_ISREG
from typing import TYPE_CHECKING

from sandhook.kernel.descriptor import Description
from sandhook.text.locale import as_characters
from sandhook.utilities.languages.awk.values import Fatal
from sandhook.vfs.errors import error_text

if TYPE_CHECKING:
    from sandhook.command.context import Context

#: The program that ``-i inplace`` includes.
INPLACE = """\
@namespace "inplace"
BEGIN { enable = 1 }
BEGINFILE {
    if (current != "") inplace::end(current, suffix == "" ? awk::INPLACE_SUFFIX : suffix)
    current = enable ? FILENAME : ""
    if (current != "") inplace::begin(current, ERRNO)
}
END { if (current != "") inplace::end(current, suffix == "" ? awk::INPLACE_SUFFIX : suffix) }
"""


class Replacement:
    """Redirects standard output, from ``begin`` to ``end``, to a new file that then replaces the input file."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._stdout: Description | None = None
        self._temporary = ""

    def begin(self, name: str, failure: str) -> None:
        """Redirect standard output. Raises Fatal when the input is not a regular file."""
        ctx, name = self._ctx, as_characters(name)
        if failure:
            raise Fatal(f"cannot open file `{name}' for reading: {failure}")
        try:
            info = ctx.fs.stat(ctx.path(name))
            if not S_ISREG(info.mode):
                raise Fatal(f"inplace::begin: `{name}' is not a regular file")
            temporary = f"{name}.{ctx.process.pid}"
            output = ctx.create(temporary)
            ctx.fs.chmod(ctx.path(temporary), info.mode & 0o7777)
        except OSError as error:
            raise Fatal(f"inplace::begin: cannot replace `{name}' ({error_text(error)})") from None
        ctx.flush()
        self._temporary = temporary
        self._stdout = ctx.process.descriptors.pop(1, None)
        ctx.process.descriptors[1] = output

    def end(self, name: str, suffix: str) -> None:
        """Restore standard output, and replace the file. A suffix renames the old file. Raises Fatal."""
        ctx, name, suffix = self._ctx, as_characters(name), as_characters(suffix)
        if not self._temporary:
            return
        ctx.flush()
        temporary = ctx.path(self._temporary)
        self.abandon()
        try:
            if suffix:
                ctx.fs.rename(ctx.path(name), ctx.path(name + suffix))
            ctx.fs.rename(temporary, ctx.path(name))
        except OSError as error:
            raise Fatal(f"inplace::end: cannot replace `{name}' ({error_text(error)})") from None

    def abandon(self) -> None:
        """Restore standard output."""
        if not self._temporary:
            return
        self._temporary = ""
        descriptors = self._ctx.process.descriptors
        descriptors.pop(1).release()
        if self._stdout is not None:
            descriptors[1] = self._stdout

"""The output of ls -D for Emacs: the offsets of names in the output, in bytes. Oracle: GNU coreutils 9.1."""

from __future__ import annotations

from sandhook.command.context import Context

#: The names in --quoting-style of styles that quoted_name has other names for.
_STYLES = {"escape-shell": "shell-escape", "escape-shell-always": "shell-escape-always"}

INDENT = b"  "  #: before every nonempty line


class Dired:
    """Records offsets while a listing is printed; colours do not count."""

    __slots__ = ("_ctx", "_headings", "_names", "_offset")

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._offset = 0
        self._names: list[int] = []
        self._headings: list[int] = []

    def advance(self, size: int) -> None:
        """Count ``size`` bytes of output, including indentation."""
        self._offset += size

    def add_name(self, before: int, length: int) -> None:
        """Record a name of ``length`` bytes after the first ``before`` bytes of the next line."""
        self._add(self._names, self._offset + len(INDENT) + before, length)

    def add_heading(self, length: int) -> None:
        """Record the title of a directory at the beginning of the next line."""
        self._add(self._headings, self._offset + len(INDENT), length)

    def _add(self, places: list[int], at: int, length: int) -> None:
        self._ctx.budget.check_fits(16 * len(places))
        places += (at, at + length)

    def finish(self, quoting: str) -> None:
        """Write the recorded offsets."""
        for word, places in (("DIRED", self._names), ("SUBDIRED", self._headings)):
            if places:
                self._ctx.write_line(f"//{word}// {' '.join(map(str, places))}")
        self._ctx.write_line(f"//DIRED-OPTIONS// --quoting-style={_STYLES.get(quoting, quoting)}")

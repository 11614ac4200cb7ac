"""What ls -D prints for Emacs: where names stand in the output, as offsets in bytes. Oracle: GNU coreutils 9.1."""

from __future__ import annotations

from sandhook.command.context import Context

#: What --quoting-style calls the styles that quoted_name knows by other names.
_STYLES = {"escape-shell": "shell-escape", "escape-shell-always": "shell-escape-always"}

INDENT = b"  "  #: stands before every line but empty ones


class Dired:
    """Gathers places while a listing is printed; colours do not count."""

    __slots__ = ("_ctx", "_headings", "_names", "_written")

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._written = 0
        self._names: list[int] = []
        self._headings: list[int] = []

    def passed(self, size: int) -> None:
        """Count so many bytes of output, indentation included."""
        self._written += size

    def name(self, before: int, length: int) -> None:
        """Note a name of ``length`` bytes that stands after ``before`` bytes of the next line."""
        self._note(self._names, self._written + len(INDENT) + before, length)

    def heading(self, length: int) -> None:
        """Note the title of a directory that the next line begins with."""
        self._note(self._headings, self._written + len(INDENT), length)

    def _note(self, places: list[int], at: int, length: int) -> None:
        self._ctx.budget.check_fits(16 * len(places))
        places += (at, at + length)

    def finish(self, quoting: str) -> None:
        """Write what was gathered."""
        for word, places in (("DIRED", self._names), ("SUBDIRED", self._headings)):
            if places:
                self._ctx.write_line(f"//{word}// {' '.join(map(str, places))}")
        self._ctx.write_line(f"//DIRED-OPTIONS// --quoting-style={_STYLES.get(quoting, quoting)}")

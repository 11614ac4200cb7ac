"""diff's output style, a record that its formats share."""

from __future__ import annotations

from sandhook.pattern.posix import Regex
from sandhook.record import Record
from sandhook.utilities.compare.diff.formats import Formats


class Style(Record):
    """How differences are written.

    Attributes:
        kind: "normal", "unified", "context", "ed", "forward", "rcs", "sides" or "groups".
        context: Lines shown around a change.
        functions: Show the nearest line above that matches ``function``, or that looks like a C function.
        expand: Expand tabs to blanks.
        tab: Characters between tab stops.
        indent: Put a tab before each line, so that tabs line up.
        bare: Put no blank before empty lines.
        width: Columns of the side-by-side output.
        left_only: Side by side, show common lines only on the left.
        changed_only: Side by side, omit common lines.
        formats: For "groups".
        colours: SGR parameters of headings (hd), removed (de) and added lines (ad), line numbers (ln), and the
            reset after each of them (rs); None without colours.
    """

    kind: str = "normal"
    context: int = 3
    functions: bool = False
    function: Regex | None = None
    expand: bool = False
    tab: int = 8
    indent: bool = False
    bare: bool = False
    width: int = 130
    left_only: bool = False
    changed_only: bool = False
    formats: Formats | None = None
    colours: dict[str, str] | None = None

    @property
    def whole_lines(self) -> bool:
        """Whether the format cannot express a last line without newline."""
        return self.kind in ("ed", "forward")

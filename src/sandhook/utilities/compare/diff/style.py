"""How diff writes differences: the record that its formats share."""

from __future__ import annotations

from sandhook.pattern.posix import Regex
from sandhook.record import Record
from sandhook.utilities.compare.diff.formats import Formats


class Style(Record):
    """How differences are written.

    Attributes:
        kind: "normal", "unified", "context", "ed", "forward", "rcs", "sides" or "groups".
        context: Lines shown around a change.
        functions: Show the nearest line above that matches ``function``, or begins like a function of C.
        expand: Tabs become blanks.
        tab: Characters between tab stops.
        indent: A tab stands before each line, so that tabs line up.
        bare: Empty lines get no blank in front.
        width: Columns, side by side.
        left_only: Side by side, lines that both have are shown on the left alone.
        changed_only: Side by side, they are not shown at all.
        formats: For "groups".
        colours: The numbers of heads (hd), lines that were removed (de) and added (ad), their numbers (ln), and of
            the end of each of them (rs); None without colours.
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
        """Whether the format has no way to say that the last line lacks its newline."""
        return self.kind in ("ed", "forward")

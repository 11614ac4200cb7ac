"""What a caller chooses before parsing."""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.syntax.nodes import Node


class ParseOptions(Node):
    """How a text is read; immutable and hashable, so that parsed scripts can be cached by it.

    Fields:
        extglob: Read ``@(a|b)`` and its kin as patterns outside ``[[ ]]`` (``shopt -s extglob``).
            bash refuses them as syntax errors when it is off.
        posix: POSIX mode (``set -o posix``).
        aliases: Alias names and values, sorted by name; ``()`` when none are to be expanded.
            ``with_aliases`` takes a mapping.
        nesting: How many levels of brackets, quotes and compound commands may stand in each
            other (a count); more raise LimitExceeded.
        max_bytes: Longest text, in bytes of UTF-8, alias values included; more raise LimitExceeded.
        tolerate_cr: Read a carriage return before a newline, outside quotes, as part of the
            newline, as in a script that Windows saved.
    """

    extglob: bool = False
    posix: bool = False
    aliases: tuple[tuple[str, str], ...] = ()
    nesting: int = 100
    max_bytes: int = 1 << 20
    tolerate_cr: bool = True

    __hash__ = tuple.__hash__  # in C: a cached parse looks it up each time

    def with_aliases(self, aliases: Mapping[str, str]) -> ParseOptions:
        """Return these options with the aliases replaced by a mapping's."""
        values = list(self)
        values[self.fields.index("aliases")] = tuple(sorted(aliases.items()))
        return ParseOptions(*values)

    def with_extglob(self, extglob: bool) -> ParseOptions:
        """Return these options with ``extglob`` replaced."""
        return self if extglob == self.extglob else ParseOptions(extglob, *tuple(self)[1:])


DEFAULT_OPTIONS = ParseOptions()

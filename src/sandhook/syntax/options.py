"""How a text is parsed: the caller's choices."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sandhook.syntax.nodes import Node
from sandhook.typed import Self


class ParseOptions(Node):
    """How a text is read; immutable and hashable, so that parsed scripts can be cached by it.

    Fields:
        extglob: Read ``@(a|b)`` and its kin as patterns outside ``[[ ]]`` (``shopt -s extglob``).
            they are syntax errors when it is off.
        posix: POSIX mode (``set -o posix``).
        aliases: Alias names and values, passed as a mapping and kept as pairs sorted by name;
            empty for no expansion.
        nesting: How many levels of brackets, quotes and compound commands may nest
            (a count); more raise LimitExceeded.
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

    def __new__(
        cls,
        extglob: bool = False,
        posix: bool = False,
        aliases: Mapping[str, str] | tuple[tuple[str, str], ...] | None = None,
        nesting: int = 100,
        max_bytes: int = 1 << 20,
        tolerate_cr: bool = True,
    ) -> Self:
        if aliases is None:
            aliases = ()
        elif not isinstance(aliases, tuple):
            aliases = tuple(sorted(aliases.items()))
        return tuple.__new__(cls, (extglob, posix, aliases, nesting, max_bytes, tolerate_cr))

    __hash__ = tuple.__hash__  # in C: a cached parse looks it up each time

    def with_aliases(self, aliases: Mapping[str, str] | None) -> ParseOptions:
        """Return these options with the aliases replaced."""
        extglob, posix, _, *rest = self
        return ParseOptions(extglob, posix, tuple(sorted((aliases or {}).items())), *rest)


DEFAULT_OPTIONS = ParseOptions()


@lru_cache(maxsize=64)
def parse_options(extglob: bool, posix: bool, nesting: float, max_bytes: float, crlf: bool) -> ParseOptions:
    """Return the options of a shell without aliases: the same object each time, which a cache finds faster."""
    return ParseOptions(extglob, posix, (), int(nesting), int(max_bytes), crlf)

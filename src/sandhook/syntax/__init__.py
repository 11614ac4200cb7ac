"""Shell text to syntax tree, and back.

Importing this package loads the nodes alone; the lexer, the grammar and bashlex come with the
first text that has to be parsed, so that a tree that was stored can run without them.

``unparse.unparse`` prints a tree, ``store.encode`` and ``store.decode`` turn trees into bytes.
"""

from __future__ import annotations

from sandhook.syntax.cache import SCRIPTS
from sandhook.syntax.nodes import Arith, CommandList, Word
from sandhook.syntax.options import DEFAULT_OPTIONS, ParseOptions
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.syntax.parser import Parser

__all__ = [
    "DEFAULT_OPTIONS",
    "ParseOptions",
    "Parser",
    "parse",
    "parse_arithmetic",
    "parse_cached",
    "parse_heredoc",
    "parse_word",
]


def parse(text: str, name: str = "", options: ParseOptions = DEFAULT_OPTIONS) -> tuple[CommandList, ...]:
    """Parse a whole script.

    Args:
        text: The script.
        name: Its name, for error messages.
        options: How to read it.

    Returns:
        Its input units in order: one for each complete command up to its newline.

    Raises:
        ShellSyntaxError: bash would not parse it either.
        LimitExceeded: ``options.max_bytes`` or ``options.nesting`` is passed.
    """
    from sandhook.syntax.parser import parse_units

    return parse_units(text, name, options)


def parse_cached(
    text: str, name: str = "", options: ParseOptions = DEFAULT_OPTIONS
) -> tuple[CommandList, ...]:
    """Do as ``parse``, but remember the result; the name is only used when parsing fails."""
    units = SCRIPTS.get(text, options)
    if units is None:
        units = parse(text, name, options)
        SCRIPTS.put(text, options, units)
    return units


def parse_arithmetic(text: str, parameters: bool = False) -> Arith:
    """Parse an arithmetic expression after its expansions; see ``arith.parse_arithmetic``."""
    from sandhook.syntax import arith

    return arith.parse_arithmetic(text, parameters)


def __getattr__(name: str) -> object:
    if name == "Parser":
        from sandhook.syntax.parser import Parser

        return Parser
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def parse_word(text: str, options: ParseOptions = DEFAULT_OPTIONS) -> Word:
    """Parse ``text`` as one unquoted word."""
    from sandhook.syntax import parser

    return parser.parse_word(text, options)


def parse_heredoc(text: str, options: ParseOptions = DEFAULT_OPTIONS) -> Word:
    """Parse a here-document's body, or a prompt."""
    from sandhook.syntax import parser

    return parser.parse_heredoc(text, options)

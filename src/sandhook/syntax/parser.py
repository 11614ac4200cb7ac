"""A script, one input unit at a time.

An input unit is a complete command up to its newline. The shell runs each before it reads the
next, so that an earlier line can define an alias, or turn on ``extglob``, for a later one, and
runs even when a later one is no valid syntax.
"""

from __future__ import annotations

from sandhook.errors import LimitExceeded
from sandhook.syntax.aliases import AliasExpander, spans_in_source
from sandhook.syntax.grammar import DRIVER
from sandhook.syntax.lexer import Lexer
from sandhook.syntax.nodes import CommandList, Word
from sandhook.syntax.options import DEFAULT_OPTIONS, ParseOptions
from sandhook.syntax.tokens import END


class Parser:
    """Yields the input units of a text.

    Attributes:
        warnings: What bash would print without failing, in order.
    """

    def __init__(self, text: str, name: str = "", options: ParseOptions = DEFAULT_OPTIONS) -> None:
        self._lexer = Lexer(text, DRIVER.run, name, options)
        self.warnings = self._lexer.warnings
        self._pieces = 0

    @property
    def options(self) -> ParseOptions:
        """How the next unit is read; may be replaced between two units."""
        return self._lexer.options

    @options.setter
    def options(self, options: ParseOptions) -> None:
        lexer = self._lexer
        if options.aliases != lexer.options.aliases:
            aliases = dict(options.aliases)
            if lexer.aliases is not None:
                lexer.aliases.aliases = aliases
            elif aliases:
                lexer.aliases = AliasExpander(lexer, aliases)
        lexer.options = options

    @property
    def offset(self) -> int:
        """0-based offset in the text after the last unit."""
        lexer = self._lexer
        return min(lexer.in_source(lexer.position, True), len(lexer.source))

    @property
    def line(self) -> int:
        """1-based line of ``offset``."""
        return self._lexer.line_at(self._lexer.position)

    @property
    def pieces(self) -> int:
        """Tokens and pieces of words in all units, which the memory of their trees grows with."""
        return self._pieces + self._lexer.piece_count

    def skip_line(self) -> None:
        """Continue after the line that a ShellSyntaxError of ``next_unit`` came from."""
        lexer = self._lexer
        newline = lexer.text.find("\n", min(lexer.position, lexer.length - 1))
        lexer.position = newline + 1 if newline >= 0 else lexer.length
        lexer.forget()

    def continue_at(self, offset: int) -> None:
        """Read the next unit from an offset of the text (0-based), which is a beginning of a line or of a unit."""
        self._lexer.position = offset
        self._lexer.forget()

    def next_unit(self) -> CommandList | None:
        """Return the next unit, or None at the end.

        Raises:
            ShellSyntaxError: bash would not parse it either.
            LimitExceeded: More nesting than ``options.nesting``.
        """
        lexer = self._lexer
        lexer.depth = lexer.deepest = 0
        self._pieces += lexer.piece_count
        lexer.piece_count = 0
        lexer.extglob = lexer.options.extglob
        lexer.reset()
        if lexer.aliases is not None:
            lexer.aliases.leave_unit()
        else:
            lexer.leave_splices()
        try:
            token = lexer.token()
            while token.kind == "NEWLINE":
                lexer.forget_piece()  # an empty line leaves nothing
                lexer.reset()
                token = lexer.token()
            if token.kind == END:
                return None
            lexer.push_back(token)
            unit: CommandList = DRIVER.run(lexer)
        except RecursionError:
            # the caller's own stack was nearly used up before the nesting limit was
            raise LimitExceeded("nesting", lexer.options.nesting, lexer.name) from None
        if lexer.splices:
            unit = spans_in_source(unit, lexer)
        return unit


def parse_units(text: str, name: str, options: ParseOptions) -> tuple[CommandList, ...]:
    """Return all units of a text."""
    parser = Parser(text, name, options)
    units: list[CommandList] = []
    while (unit := parser.next_unit()) is not None:
        units.append(unit)
    return tuple(units)


def parse_word(text: str, options: ParseOptions = DEFAULT_OPTIONS) -> Word:
    """Parse all of ``text`` as one unquoted word; blanks and operators are ordinary characters."""
    lexer = Lexer(text, DRIVER.run, "", options)
    try:
        return Word(lexer.read_text(), (0, len(text)))
    except RecursionError:
        raise LimitExceeded("nesting", options.nesting) from None


def parse_heredoc(text: str, options: ParseOptions = DEFAULT_OPTIONS) -> Word:
    """Parse text in which only ``$``, backquotes and backslashes are special.

    The bodies of here-documents, PS4 and other prompts are such text.
    """
    lexer = Lexer(text, DRIVER.run, "", options)
    try:
        return Word(lexer.read_here_document(), (0, len(text)))
    except RecursionError:
        raise LimitExceeded("nesting", options.nesting) from None

"""Words to parts that keep their quoting.

Every ``read_...`` method starts at ``position``, after the bracket or quote that its name
mentions, and leaves ``position`` after the closing one.

Source: POSIX.1-2024 XCU 2.2 Quoting, 2.6 Word Expansions; bash 5.2 reference manual 3.1.2, 3.5.
"""

from __future__ import annotations

import re

from sandhook.record import new_record
from sandhook.syntax.nodes import (
    AnsiQuoted,
    ArithmeticExpansion,
    Backquoted,
    CommandList,
    CommandSubstitution,
    DoubleQuoted,
    Escaped,
    ExtendedPattern,
    Literal,
    ParameterExpansion,
    ProcessSubstitution,
    SingleQuoted,
    Word,
    WordPart,
)
from sandhook.syntax.options import ParseOptions
from sandhook.syntax.quoting import decode_ansi
from sandhook.syntax.reader import Reader
from sandhook.syntax.surroundings import standing_in

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL_PARAMETERS = frozenset("@*#?-$!0123456789")
_PATTERN_OPERATORS = frozenset("?*+@!")

# Runs of ordinary characters, by context. \r only matters before \n, see Reader.
_WORD_RUN = re.compile(r"[^ \t\n\r()<>;&|\\'\"`$]+")
_EXTGLOB_RUN = re.compile(r"(?>[^ \t\n\r()<>;&|\\'\"`$?*+@!]|[?*+@!](?!\())++")
_DOUBLE_QUOTED_RUN = re.compile(r'[^\\"`$]+')
_HERE_DOCUMENT_RUN = re.compile(r"[^\\`$]+")
_ALTERNATIVE_RUN = re.compile(r"(?>[^()|\\'\"`$<>?*+@!]|[?*+@!<>](?!\())++")
_TEXT_RUN = re.compile(r"[^\\\"'`$()\[\]{}]+")

_GOES_ON = re.compile(r"(?>\\\n)++[A-Za-z0-9_]")  # a name continues after line continuations
_SUBSCRIPT_RUN = re.compile(r"[^\\\"'`$()\[\]{}<>]+")


def merged(parts: list[WordPart]) -> tuple[WordPart, ...]:
    """Return the parts with adjacent literals joined."""
    if len(parts) < 2:
        return tuple(parts)
    out: list[WordPart] = []
    literal: list[str] = []
    for part in parts:
        if part.__class__ is Literal:
            literal.append(part[0])
            continue
        if literal:
            out.append(new_record(Literal, ("".join(literal),)))
            literal = []
        out.append(part)
    if literal:
        out.append(new_record(Literal, ("".join(literal),)))
    return tuple(out)


class WordReader(Reader):
    """Reads words; ``Lexer`` adds tokens, and commands for ``$( )``."""

    def __init__(self, text: str, name: str, options: ParseOptions) -> None:
        super().__init__(text, name, options)
        self.not_arithmetic: set[int] = set()  # offsets of "((" that were tried once, which is enough
        self.attempts = 0  # how many "((" are open that may turn out not to be arithmetic
        self.extglob = options.extglob
        self.stopped = False
        self.substitutions = 0  # how many $( ) are open
        self.in_document = False  # its continued lines were joined before
        self.bad_subscripts: set[int] = set()  # offsets of "${" whose subscript has no end
        self.refused = False  # a BadSubstitution was read, which needs the text around it

    def read_substituted_commands(self) -> CommandList | None:
        """Read the commands of ``$( )``, closing parenthesis included."""
        raise NotImplementedError

    def read_command_substitution(self, start: int) -> CommandSubstitution:
        """Read ``$(`` ... ``)``, whose "$" is at ``start``."""
        raise NotImplementedError

    def end_line(self, at: int) -> None:
        """Pass the newline at ``at``, and the here-documents after it."""
        raise NotImplementedError

    # ------------------------------------------------------------------ unquoted words

    def read_word_parts(self, extglob: bool, regex: bool = False) -> tuple[WordPart, ...]:
        """Read one word's parts up to an unquoted blank, newline or operator character.

        Args:
            extglob: Read ``@(a|b)`` and its kin as patterns.
            regex: The right side of ``=~``, where parentheses and bars are ordinary.
        """
        text = self.text
        at = begin = self.position
        parts: list[WordPart] = []
        run = (_EXTGLOB_RUN if extglob and not regex else _WORD_RUN).match
        while True:
            match = run(text, at)
            if match:
                parts.append(new_record(Literal, (match[0],)))
                at = match.end()
            if at >= self.length:
                break
            if len(parts) > 1:  # most words have one
                self.count_piece()
            char = text[at]
            if char in " \t\n;&":
                break
            if char in "\\'\"`$":
                self.position = at
                part = self.read_dollar(False) if char == "$" else self.read_quoting(False)
                text, at = self.text, self.position  # an alias in $( ) makes another text
                if part is not None:
                    parts.append(part)
            elif char == "\r":
                if self.carriage_returns and text[at + 1] == "\n":
                    break
                parts.append(Literal(char))
                at += 1
            elif char in "<>":
                if not text.startswith("(", at + 1):
                    break
                self.position = at
                parts.append(self.read_process_substitution(char))
                text, at = self.text, self.position
            elif regex and char in "(|":
                self.position = at + 1
                parts.append(Literal(char))
                if char == "(":
                    parts.extend(self._read_regex_group())
                text, at = self.text, self.position
            elif char in _PATTERN_OPERATORS:  # only with extglob does the run stop here
                self.position = at + 2
                parts.append(self._read_extended_pattern(char))
                text, at = self.text, self.position
            else:
                break
        if self.refused:
            parts = standing_in(text[begin:at], parts)
        self.position = at
        return merged(parts)

    def read_quoting(self, double_quoted: bool) -> WordPart | None:
        """Read what one of ``\\ ' " ` $`` at ``position`` begins; None for a line continuation."""
        text, at = self.text, self.position
        char = text[at]
        if char == "$":
            return self.read_dollar(double_quoted)
        if char == '"':
            self.position = at + 1
            return new_record(DoubleQuoted, (self.read_double_quoted(at), False))
        if char == "'":
            end = text.find("'", at + 1)
            if end < 0:
                self.unmatched("'", at)
            self.position = end + 1
            return new_record(SingleQuoted, (text[at + 1 : end],))
        if char == "\\":
            following = text[at + 1]
            self.position = at + 2
            if following == "\n":
                if at + 2 == self.length and self.newline_added:  # the text ends in a backslash
                    self.position = at + 1
                    return Escaped("\\")
                return None
            if following == "\r" and self.carriage_returns and text.startswith("\n", at + 2):
                self.position = at + 3
                return None
            return new_record(Escaped, (following,))
        self.position = at + 1
        return self.read_backquoted(double_quoted)

    def read_process_substitution(self, direction: str) -> ProcessSubstitution:
        """Read ``<( )`` or ``>( )`` at ``position``."""
        at = self.position
        self.position = at + 2
        body = self.read_substituted_commands()
        return ProcessSubstitution(direction, body, (at, self.position))

    def _read_regex_group(self) -> list[WordPart]:
        parts = self.read_balanced("(", ")", self.position - 1)
        parts.append(Literal(")"))
        return parts

    def _read_extended_pattern(self, operator: str) -> ExtendedPattern:
        """Read the alternatives of ``@(`` ... ``)``; a bare parenthesis in them is ordinary."""
        text, at = self.text, self.position
        start = at - 1
        self.enter()
        alternatives: list[Word] = []
        parts: list[WordPart] = []
        begin, open_ = at, 0
        while True:
            self.count_piece()
            match = _ALTERNATIVE_RUN.match(text, at)
            if match:
                parts.append(new_record(Literal, (match[0],)))
                at = match.end()
            if at >= self.length:
                self.unmatched(")", start)
            char = text[at]
            self.position = at
            if char in "\\'\"`$":
                part = self.read_quoting(False)
                if part is not None:
                    parts.append(part)
            elif char in "<>":
                parts.append(self.read_process_substitution(char))
            elif char in _PATTERN_OPERATORS:
                self.position = at + 2
                parts.append(self._read_extended_pattern(char))
            elif open_ == 0 and char in "|)":
                alternatives.append(Word(merged(parts), (begin, at)))
                self.position = begin = at + 1
                parts = []
                if char == ")":
                    self.depth -= 1
                    return ExtendedPattern(operator, tuple(alternatives))
            else:
                open_ += (char == "(") - (char == ")")
                parts.append(Literal(char))
                self.position = at + 1
            text, at = self.text, self.position

    # ------------------------------------------------------------------ quotes

    def read_double_quoted(self, start: int) -> tuple[WordPart, ...]:
        """Read up to the closing quote of the one opened at ``start``."""
        self.enter()
        text, at = self.text, self.position
        begin = at
        parts: list[WordPart] = []
        while True:
            self.count_piece()
            match = _DOUBLE_QUOTED_RUN.match(text, at)
            if match:
                parts.append(new_record(Literal, (match[0],)))
                at = match.end()
                if at >= self.length:
                    self.unmatched('"', start)
            elif at >= self.length:
                self.unmatched('"', start)
            if text[at] == '"':
                self.position = at + 1
                self.depth -= 1
                return merged(standing_in(text[begin:at], parts, quoted=True) if self.refused else parts)
            self.position = at
            part = self.read_dollar(True) if text[at] == "$" else self._read_double_quoted_special('$`"\\')
            if part is not None:
                parts.append(part)
            text, at = self.text, self.position

    def _read_double_quoted_special(self, escapable: str) -> WordPart | None:
        """Read what one of ``\\ ` $`` begins within double quotes."""
        text, at = self.text, self.position
        char = text[at]
        if char == "$":
            return self.read_dollar(True)
        if char == "`":
            self.position = at + 1
            return self.read_backquoted(True)
        following = text[at + 1 : at + 2]
        self.position = at + 1 + len(following)
        if following == "\n":
            return None
        if following and following in escapable:
            return new_record(Escaped, (following,))
        return Literal("\\" + following)

    def read_here_document(self) -> tuple[WordPart, ...]:
        """Read all of the text as a here-document's body: only ``$ ` \\`` are special."""
        at = begin = self.position
        added = self.length - len(self.source)  # a newline at the end that is not part of the body
        self.in_document = True
        parts: list[WordPart] = []
        while True:
            self.count_piece()
            end = self.length - added  # an alias in $( ) makes another text
            match = _HERE_DOCUMENT_RUN.match(self.text, at, end)
            if match:
                parts.append(new_record(Literal, (match[0],)))
                at = match.end()
            if at >= end:
                return merged(standing_in(self.text[begin:end], parts) if self.refused else parts)
            self.position = at
            part = self._read_double_quoted_special("$`\\")
            if part is not None:
                parts.append(part)
            at = self.position

    def read_text(self) -> tuple[WordPart, ...]:
        """Read all of the text as one unquoted word, blanks and operators included."""
        parts: list[WordPart] = []
        while self.position < self.length - self.newline_added:
            self.count_piece()
            begin = self.position
            parts.extend(self.read_word_parts(False))
            if self.position == begin:
                parts.append(Literal(self.text[begin]))
                self.position += 1
        return merged(parts)

    def read_backquoted(self, double_quoted: bool) -> Backquoted:
        """Read up to the closing backquote; its commands are parsed when it is expanded."""
        text, at = self.text, self.position
        start = at - 1
        escapable = '$`\\"' if double_quoted else "$`\\"
        out: list[str] = []
        while True:
            self.count_piece()
            end = text.find("`", at)
            if end < 0:
                self.unmatched("`", start)
            escape = text.find("\\", at, end)
            if escape < 0:
                out.append(text[at:end])
                self.position = end + 1
                return Backquoted(
                    "".join(out), (start, end + 1), text[start + 1 : end] if len(out) > 1 else ""
                )
            following = text[escape + 1 : escape + 2]
            out.append(text[at:escape])
            out.append(following if following in escapable else "\\" + following)
            at = escape + 2

    # ------------------------------------------------------------------ $

    def read_dollar(self, double_quoted: bool) -> WordPart:
        """Read the expansion that "$" at ``position`` begins; a lone "$" is a Literal."""
        text, start = self.text, self.position
        char = text[start + 1 : start + 2]
        if char == "\\" and text.startswith("\n", start + 2) and not self.in_document:
            self.unfold(start + 1)
            return self.read_dollar(double_quoted)
        if char == "{":
            return self.read_braces(start, double_quoted)
        if char == "(":
            if text.startswith("\\\n", start + 2) and not self.in_document:
                self.unfold(start + 2)
                text = self.text
            if text.startswith("(", start + 2) and start not in self.not_arithmetic:
                expression = self.read_arithmetic(start, start + 3)
                if expression is not None:
                    return ArithmeticExpansion(expression, False, (start, self.position))
            return self.read_command_substitution(start)
        match = NAME.match(text, start + 1)
        if match:
            end = self.position = match.end()
            if text[end] == "\\" and not self.in_document and _GOES_ON.match(text, end):
                self.unfold(end)
                self.position = start
                return self.read_dollar(double_quoted)
            return ParameterExpansion.plain(match[0], start, end)
        if char in _SPECIAL_PARAMETERS:
            self.position = start + 2
            return ParameterExpansion.plain(char, start, start + 2)
        if char == "[":
            self.position = start + 2
            parts = self.read_balanced("[", "]", start, arithmetic=True)
            word = Word(merged(parts), (start + 2, self.position - 1))
            return ArithmeticExpansion(word, True, (start, self.position))
        if not double_quoted:
            if char == "'":
                return self._read_ansi_quoted(start)
            if char == '"':
                self.position = start + 2
                return DoubleQuoted(self.read_double_quoted(start + 1), True)
        self.position = start + 1
        return Literal("$")

    def read_braces(self, start: int, double_quoted: bool) -> WordPart:
        """Read ``${`` ... ``}``, whose "$" is at ``start``; see ``braces.read_parameter``."""
        raise NotImplementedError

    def _read_ansi_quoted(self, start: int) -> AnsiQuoted:
        text, at = self.text, start + 2
        while True:
            end = text.find("'", at)
            if end < 0:
                self.unmatched("'", start)
            escape = text.find("\\", at, end)
            self.count_piece()
            if escape < 0:
                raw = text[start + 2 : end]
                self.position = end + 1
                return AnsiQuoted(raw, decode_ansi(raw))
            at = escape + 2

    # ------------------------------------------------------------------ balanced text

    def read_arithmetic(self, start: int, at: int) -> Word | None:
        """Read the expression of ``((`` ... ``))`` from ``at``.

        Returns:
            None, and the offset ``start`` remembered, when it does not end in "))": then the
            parentheses are a subshell's or a command substitution's.
        """
        self.position = at
        self.attempts += 1
        parts = self.read_balanced("(", ")", start, arithmetic=True)
        self.attempts -= 1
        if self.text.startswith("\\\n", self.position) and not self.in_document:
            self.unfold(self.position)
        if not self.text.startswith(")", self.position):
            self.not_arithmetic.add(start)
            return None
        end = self.position - 1
        self.position += 1
        return Word(merged(parts), (at, end))

    def read_balanced(
        self,
        opening: str,
        closing: str,
        start: int,
        *,
        arithmetic: bool = False,
        stop: str = "",
        shifting: bool = False,
    ) -> list[WordPart]:
        """Read text with expansions up to the bracket that closes the one at ``start``.

        Args:
            opening, closing: The brackets, which nest.
            start: 0-based offset of the opening bracket.
            arithmetic: Single quotes mean themselves and backslashes act as in double quotes.
            stop: A bracket that ends the text as well; then ``position`` is left at it and
                ``stopped`` is true.
            shifting: ``<(`` and ``>(`` are operators with an operand, not process substitutions.
        """
        self.enter()
        text, at = self.text, self.position
        begin = at
        parts: list[WordPart] = []
        run = (_SUBSCRIPT_RUN if closing == "]" and not (arithmetic or shifting) else _TEXT_RUN).match
        open_ = 1
        apostrophe_end = -1  # end of a '...' whose brackets do not count
        while True:
            self.count_piece()
            if match := run(text, at):
                parts.append(new_record(Literal, (match[0],)))
                at = match.end()
            if at >= self.length:
                self.unmatched(stop or closing, start)
            char = text[at]
            self.position = at
            if char == stop:
                self.stopped = True
                self.depth -= 1
                return parts
            if char == "'" and arithmetic:
                if at > apostrophe_end:
                    apostrophe_end = text.find("'", at + 1)
                    if apostrophe_end < 0:
                        self.unmatched("'", at)
            elif char in "\\'\"`$" or (char in "<>" and text.startswith("(", at + 1)):
                part = self._read_in_brackets(char, arithmetic)
                text, at = self.text, self.position
                if part is not None:
                    parts.append(part)
                continue
            elif at > apostrophe_end:
                open_ += (char == opening) - (char == closing)
                if open_ == 0:
                    self.position = at + 1
                    self.stopped = False
                    self.depth -= 1
                    return standing_in(text[begin:at], parts) if self.refused else parts
            parts.append(Literal(char))
            at += 1

    def _read_in_brackets(self, char: str, arithmetic: bool) -> WordPart | None:
        """Read the quoting, expansion or process substitution that ``char`` at ``position`` begins."""
        if char in "<>":
            return self.read_process_substitution(char)
        if arithmetic and char in "\\$`":
            return self._read_double_quoted_special('$`"\\')
        return self.read_quoting(arithmetic)

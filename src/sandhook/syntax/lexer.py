"""Tokens in the vocabulary of bashlex, whose grammar is used.

What bashlex's own tokenizer lacks are ``case`` patterns, ``[[ ]]``, ``(( ))``, ``for ((``,
compound assignment, extended patterns, ``{name}>``, here-documents, and words, which are read
once, in place, into parts.

Source: POSIX.1-2024 XCU 2.3 Token Recognition, 2.4 Reserved Words; bash 5.2 parse.y.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from sandhook.errors import ShellSyntaxError
from sandhook.record import new_record
from sandhook.syntax._bashlex import OPERATORS, RESERVED_WORDS
from sandhook.syntax.aliases import AliasExpander
from sandhook.syntax.braces import read_parameter
from sandhook.syntax.compound import read_arithmetic_for, read_assignment
from sandhook.syntax.cond import read_condition
from sandhook.syntax.context import (
    ASSIGNMENT_OK,
    CASE_CLAUSE_END,
    CLOSING,
    DECLARING,
    EXPECTING,
    NOTABLE,
    OPENING,
    REDIRECTIONS,
    SPECIAL_WORDS,
    START,
    TIME_PREFIX,
    Context,
)
from sandhook.syntax.heredoc import read_documents
from sandhook.syntax.nodes import (
    Assignment,
    CommandList,
    CommandSubstitution,
    DoubleQuoted,
    Literal,
    ParameterExpansion,
    SingleQuoted,
    Word,
    WordPart,
)
from sandhook.syntax.options import DEFAULT_OPTIONS, ParseOptions
from sandhook.syntax.reader import PIECES, ReadWarning
from sandhook.syntax.tokens import END, Token
from sandhook.syntax.words import NAME, WordReader
from sandhook.text.numbers import decimal

_PLAIN_WORD = re.compile(r"[^ \t\n\r()<>;&|\\'\"`$=?*+@!\[{}]+(?=[ \t\n;&|)])")
_QUOTED_WORD = re.compile(r"""(?:'([^']*+)'|"(?:([^"\\$`]++)|\$([A-Za-z_][A-Za-z0-9_]*+))")(?=[ \t\n;&|)])""")
_CONTINUED_OPERATOR = re.compile(r"([&|;<>]{1,2}|\((?=(?>\\\n)++\())(?>\\\n)++[&|;<>(-]")
_CONTINUED_NAME = re.compile(r"(?>\\\n)++(?>[A-Za-z0-9_]*+(?>\\\n)++)*+[A-Za-z0-9_]*+\+?(?>\\\n)*+[=\[]")
_REDIRECTION_VARIABLE = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?\}\Z", re.DOTALL)


class _Known:
    """A command substitution that was read in ``text``: where it ends, and how many levels nest in it."""

    __slots__ = ("end", "levels", "part", "text")

    def __init__(self, text: str, end: int, levels: int, part: CommandSubstitution) -> None:
        self.text = text
        self.end = end
        self.levels = levels
        self.part = part


class Lexer(WordReader):
    """Tokens of a text, one at a time; commands within ``$( )`` run the grammar on it again.

    Attributes:
        context: What the tokens before decide about the next one.
        aliases: Replaces alias names in the text; None without aliases.
        skips: Offset of a newline to the end of the here-documents after it.
        last_function, last_brace, last_arithmetic_for: Offset and line, as bash has it, of the last function definition,
            of the last one with a brace, and of the last ``for ((``.
    """

    def __init__(
        self,
        text: str,
        run_grammar: Callable[[Lexer], CommandList | None],
        name: str = "",
        options: ParseOptions = DEFAULT_OPTIONS,
    ) -> None:
        WordReader.__init__(self, text, name, options)
        self._run_grammar = run_grammar
        self.aliases = AliasExpander(self, dict(options.aliases)) if options.aliases else None
        self.skips: dict[int, int] = {}
        self._known: dict[int, _Known] = {}  # substitutions in attempts to read arithmetic, by offset
        self.context = Context(deque())
        self.last_function = self.last_brace = self.last_arithmetic_for = (-1, 0)

    def forget(self) -> None:
        """Forget what was read of an unfinished command, to go on after an error."""
        self.context.queue.clear()
        self.skips.clear()
        self.substitutions = 0
        self.reset()

    def reset(self) -> None:
        """Forget the tokens before, as at the start of a command."""
        self.context = Context(self.context.queue)
        self.attempts = 0
        self.last_function = self.last_brace = self.last_arithmetic_for = (-1, 0)
        self._known.clear()

    # ------------------------------------------------------------------ the stream

    def token(self) -> Token:
        """Return the next token.

        After a here-document's delimiter the rest of the line is read ahead, so that the body
        is known when the redirection's node is made.
        """
        queue = self.context.queue
        if queue:
            ahead = queue.popleft()
            if isinstance(ahead, ShellSyntaxError):
                raise ahead
            return ahead
        token = self._readtoken()  # not next_token: each frame counts in nested substitutions
        while token is None:
            token = self._readtoken()
        self._remember(token.kind)
        if self.context.pending:
            self._read_ahead()
        return token

    def push_back(self, token: Token) -> None:
        """Return ``token`` again before all others."""
        self.context.queue.appendleft(token)

    def _read_ahead(self) -> None:
        depth = self.depth
        context = self.context
        try:
            while context.pending:
                token = self.next_token()
                context.queue.append(token)
                if token.kind == END or (
                    token.kind == "RIGHT_PAREN" and self.substitutions and self.depth < depth
                ):
                    break
        except ShellSyntaxError as error:
            self.context.queue.append(error)
        if self.context.pending:
            self._read_documents_after_substitution()

    def _read_documents_after_substitution(self) -> None:
        """Read the here-documents of ``$(cat <<E)``, which follow the line of its last character."""
        newline = self.text.find("\n", self.position)
        if newline < 0:
            newline = self.length
        at = self.position
        self.position = self.skips.get(newline, newline + 1)
        if self.substitutions and at < self.length:
            count = len(self.context.pending)
            plural = "s" if count > 1 else ""
            self.warnings.append(
                ReadWarning(
                    self.line_at(at), f"command substitution: {count} unterminated here-document{plural}"
                )
            )
        read_documents(self, self.context)
        self.skips[newline] = self.position
        self.position = at

    def next_token(self) -> Token:
        """Return the next token of the text, whatever was read ahead or pushed back."""
        token = self._readtoken()
        while token is None:  # an alias' value replaced its name
            token = self._readtoken()
        self._remember(token.kind)
        return token

    def _remember(self, kind: str) -> None:
        """Keep what decides how the next token is read."""
        context = self.context
        last = context.last
        if kind not in NOTABLE:
            context.redirected = context.redirecting and last in REDIRECTIONS
            context.redirecting = False
        elif kind in REDIRECTIONS:
            if last != "NUMBER" and last != "REDIR_WORD":
                context.redirecting = context.at_command_word()
        elif kind == "REDIR_WORD" or (kind == "NUMBER" and last not in REDIRECTIONS):
            context.redirecting = context.at_command_word()
        else:
            context.redirected = context.redirecting and last in REDIRECTIONS
            context.redirecting = False
            if kind in OPENING:
                self.enter()
            elif kind in CLOSING:
                self.depth -= 1
        context.before_last = last
        context.last = kind

    def _readtoken(self) -> Token | None:
        self.piece_count += 1
        if not self.piece_count % PIECES:
            self.check_pieces()
        context = self.context
        held = context.held
        if held is not None:
            context.held = None
            return held
        text = self.text
        match = self._blank(text, self.position)
        at = match.end() if match else self.position
        if at >= self.length and match and text.endswith("\\\n") and self.newline_added:
            at = self.length - 2  # the text ends in a backslash, which is a word
        if at >= self.length:
            self.position = self.length
            if context.pending:
                read_documents(self, context)
            return Token(END, "", self.length, self.length)
        if context.last == "COND_START":
            self.position = at
            condition, end = read_condition(self, context, self.next_token)
            context.held = end
            return Token("COND_CMD", self.text[at : end.start], at, end.start, condition)
        char = text[at]
        if char == "#" and not context.in_regex:
            at = text.find("\n", at)
            char = "\n"
        if char == "\n":
            self.end_line(at)
            context.assignment_ok = context.declaring = False
            return Token("NEWLINE", "newline", at, self.position)  # here-documents included
        self.position = at
        if char in "&|;<>()" and not context.in_regex:
            if text[at + 1] == "\\" or text[at + 2 : at + 3] == "\\":
                match = _CONTINUED_OPERATOR.match(text, at)
                if match:
                    self.unfold(match.end(1))
                    return None
            token = self._read_operator(char, at)
            if token is not None:
                return token
        elif char == "-" and (context.last == "LESS_AND" or context.last == "GREATER_AND"):
            self.position = at + 1
            return Token("DASH", "-", at, at + 1)
        return self._readtokenword(at)

    def _read_operator(self, char: str, at: int) -> Token | None:
        """Read an operator; None when ``<(`` or ``>(`` begins a word."""
        text = self.text
        context = self.context
        context.assignment_ok = False
        for size in (3, 2):
            spelling = text[at : at + size]
            kind = OPERATORS.get(spelling)
            if kind is not None and len(spelling) == size:
                self.position = at + size
                if kind in CASE_CLAUSE_END:
                    context.in_case_pattern = True
                if char not in "<>" and char + spelling[1] != "&>":
                    context.declaring = False
                return Token(kind, spelling, at, at + size)
        if char == "(":
            context.declaring = False
            if text.startswith("(", at + 1) and not context.in_case_pattern and not context.in_condition:
                token = self._read_double_parenthesis(at)
                if token is not None:
                    return token
            if not context.in_case_pattern:
                self.enter()
        elif char == ")":
            context.declaring = False
            if context.only_time and context.last in TIME_PREFIX:
                context.only_time = False
                return Token("SEMICOLON", ";", at, at)
            if context.last == "LEFT_PAREN" and context.before_last == "WORD":
                context.brace_ok = True
            if not context.in_case_pattern:
                self.depth -= 1
            context.in_case_pattern = False
        elif char in "<>":
            if text.startswith("(", at + 1):
                return None
        else:
            context.declaring = context.only_time = False
        self.position = at + 1
        return Token(OPERATORS[char], char, at, at + 1)

    def _read_double_parenthesis(self, at: int) -> Token | None:
        """Read ``(( ))`` or ``for (( ))``; None when it is two subshells."""
        context = self.context
        is_for = context.last == "FOR"
        if (not is_for and not context.reserved_word_ok()) or at in self.not_arithmetic:
            return None
        pending = list(context.pending)
        expression = self.read_arithmetic(at, at + 2)
        if expression is None:
            context.pending = pending
            self.position = at
            if is_for:
                self.fail("syntax error near unexpected token `('", (at, at + 1), token="(", repeats="line")
            return None
        text = self.text[at + 2 : self.position - 2]
        if is_for:
            return Token(
                "ARITH_FOR_EXPRS", text, at, self.position, read_arithmetic_for(self, at, expression)
            )
        return Token("ARITH_CMD", text, at, self.position, expression)

    def read_substituted_commands(self) -> CommandList | None:
        context = self.context
        depth = self.depth
        self.context = Context(deque([Token("DOLPAREN", "$(", self.position, self.position)]))
        self.enter()
        self.substitutions += 1
        body = self._run_grammar(self)
        self.substitutions -= 1
        self.depth = depth
        self.context = context
        return body

    def read_command_substitution(self, start: int) -> CommandSubstitution:
        """Read ``$(`` ... ``)``; one that an attempt to read arithmetic has read is not read again."""
        known = self._known.get(start)
        if known is not None and known.text is self.text:  # else a continuation or an alias moved it
            self.check_nesting(self.depth + known.levels)
            self.position = known.end
            return known.part
        depth, deepest = self.depth, self.deepest
        self.deepest = depth
        self.position = start + 2
        try:
            body = self.read_substituted_commands()
        except ShellSyntaxError as error:
            if error.incomplete and start in self.not_arithmetic:  # bash still waits for the "))"
                self.unmatched(")", start)
            raise
        part = CommandSubstitution(body, (start, self.position))
        if self.attempts:
            self._known[start] = _Known(self.text, self.position, self.deepest - depth, part)
        self.deepest = max(deepest, self.deepest)
        return part

    def read_braces(self, start: int, double_quoted: bool) -> WordPart:
        return read_parameter(self, start, double_quoted)

    def end_line(self, at: int) -> None:
        """Pass the newline at ``at``, and the here-documents after it."""
        self.position = self.skips.pop(at, at + 1) if self.skips else at + 1
        if self.context.pending:
            read_documents(self, self.context)

    # ------------------------------------------------------------------ words

    def _readtokenword(self, at: int) -> Token | None:
        text = self.text
        context = self.context
        if not context.in_regex:
            match = _PLAIN_WORD.match(text, at)
            if match:
                self.position = end = match.end()
                spelling = match[0]
                word = new_record(Word, ((new_record(Literal, (spelling,)),), (at, end)))
                return self._classify(word, spelling, True)
            match = _QUOTED_WORD.match(text, at)
            if match:
                return self._classify(self._quoted_word(match), match[0], False)
        if not context.in_condition:
            match = NAME.match(text, at)
            if match and text[match.end()] == "\\" and _CONTINUED_NAME.match(text, match.end()):
                self.unfold(match.end())
                self.position = at
                return None
            if match and text.startswith("+\\\n", match.end()):
                self.unfold(match.end() + 1)
                self.position = at
                return None
            if match and text[match.end()] in "[+=":
                token = self._read_assignment(at, match[0], match.end())
                if token is not None:
                    return token
        self.position = at
        parts = self.read_word_parts(self.extglob, context.in_regex)
        text, end = self.text, self.position
        if end == at:  # an operator where a regular expression should stand
            context.in_regex = False
            return self._readtoken()
        plain = len(parts) == 1 and parts[0].__class__ is Literal
        spelling = parts[0][0] if plain else text[at:end]  # the same but for line continuations
        return self._classify(new_record(Word, (parts, (at, end))), spelling, plain)

    def _quoted_word(self, match: re.Match[str]) -> Word:
        """Return the word of ``_QUOTED_WORD``: one pair of quotes with one part in it."""
        self.position = end = match.end()
        at = match.start()
        single, double, name = match.groups()
        if single is not None:
            return new_record(Word, ((new_record(SingleQuoted, (single,)),), (at, end)))
        self.count_piece()
        self.enter()
        self.depth -= 1
        inner: WordPart = (
            new_record(Literal, (double,))
            if name is None
            else ParameterExpansion.plain(name, at + 1, end - 1)
        )
        return new_record(Word, ((new_record(DoubleQuoted, ((inner,), False)),), (at, end)))

    def _classify(self, word: Word, text: str, plain: bool) -> Token | None:
        """Return the token of a word: number, {name}, reserved or plain; None after expanding an alias."""
        start, end = word.span
        context = self.context
        last = context.last
        following = self.text[end : end + 1] or "\n"  # nothing follows a line continued at the very end
        if plain:
            if (
                (following in "<>" or last == "LESS_AND" or last == "GREATER_AND")
                and (number := decimal(text)) is not None
                and number < 1 << 31
            ):
                return Token("NUMBER", text, start, end, word)
            if self.aliases is not None and not (self.options.posix and text in RESERVED_WORDS):
                aliases = self.aliases
                eligible = not context.in_case_pattern and not context.in_condition
                if eligible and aliases.expands(text, start, context.at_command_word()):
                    aliases.expand(text, start, end)
                    return None
            kind = context.special_word(text) if text in SPECIAL_WORDS or context.brace_ok else None
            if kind is None and text in RESERVED_WORDS and context.reserved_word_ok():
                kind = context.reserved_word(text)
            if kind is not None:
                if last == START:
                    context.only_time = kind == "TIME" and self.substitutions > 0
                return Token(kind, text, start, end)
            if text in ASSIGNMENT_OK and context.at_command_word():
                context.assignment_ok = True
                context.declaring = text in DECLARING
        if following in "<>" and text[0] == "{" and _REDIRECTION_VARIABLE.match(text):
            return Token("REDIR_WORD", text[1:-1], start, end, word)
        token = Token("WORD", text, start, end, word)
        if last in EXPECTING:
            context.expect(token)
        elif self.aliases is None and context.at_plain_command():
            self._read_arguments(token)
        return token

    def _read_arguments(self, name: Token) -> None:
        """Read the plain and the quoted words after a command's name with it: they need no tokens of their own."""
        text = self.text
        words: list[Word] = []
        while blank := self._blank(text, self.position):
            at = blank.end()
            match = _PLAIN_WORD.match(text, at)
            if match is not None and match[0][0] != "#":
                self.position = end = match.end()
                words.append(new_record(Word, ((new_record(Literal, (match[0],)),), (at, end))))
            elif (match := _QUOTED_WORD.match(text, at)) is not None and "\n" not in match[0]:
                words.append(self._quoted_word(match))
            else:
                if text.startswith("(", at):  # no function has two names
                    self.position = name.end
                    return
                break
            self.count_piece()
        if words:
            name.arguments = words
            self.context.last = "WORD"

    # ------------------------------------------------------------------ assignments

    def _read_assignment(self, at: int, name: str, end: int) -> Token | None:
        """Read ``name=``, ``name+=`` or ``name[subscript]=`` with its value; None for other words."""
        text = self.text
        context = self.context
        if context.last in REDIRECTIONS:  # a file may be called so
            return None
        before_command = context.at_command_word() and not context.in_case_pattern
        if not (before_command or context.assignment_ok or context.declaring):
            return None
        assignment = read_assignment(self, name, end, before_command, before_command or context.assignment_ok)
        text = self.text
        if assignment is None:
            return None
        if assignment.__class__ is not Assignment:  # name[subscript] without "=": a word
            word = Word(assignment, (at, self.position))
            return self._classify(word, text[at : self.position], False)
        if before_command:
            return Token("ASSIGNMENT_WORD", text[at : self.position], at, self.position, assignment)
        if not context.declaring and assignment.value.__class__ is Word:  # let x=1: a word
            return None
        return Token("WORD", text[at : self.position], at, self.position, assignment)

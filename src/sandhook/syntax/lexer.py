"""bashlex's tokenizer with the states it lacks.

Kept from bashlex are the vocabulary (its token names and reserved words, which its grammar
speaks) and the memory of the last two tokens. New are ``case`` patterns, ``[[ ]]``, ``(( ))``,
``for ((``, compound assignment, extended patterns, ``{name}>``, here-documents, and words that
are read once, into parts, where they stand.

Source: POSIX.1-2024 XCU 2.3 Token Recognition, 2.4 Reserved Words; bash 5.2 parse.y.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn

from sandhook.errors import ShellSyntaxError
from sandhook.syntax._bashlex import OPERATORS, RESERVED_WORDS, Tokenizer
from sandhook.syntax.aliases import AliasExpander
from sandhook.syntax.braces import read_parameter
from sandhook.syntax.compound import read_arithmetic_for, read_assignment
from sandhook.syntax.cond import read_condition
from sandhook.syntax.context import (
    ASSIGNMENT_OK,
    CASE_CLAUSE_END,
    CLOSING,
    DECLARING,
    OPENING,
    REDIRECTIONS,
    RESERVED_WORD_OK,
    START,
    TIME_OK,
)
from sandhook.syntax.heredoc import PendingDocument, read_documents
from sandhook.syntax.nodes import Assignment, CommandList, Literal, Word
from sandhook.syntax.options import DEFAULT_OPTIONS, ParseOptions
from sandhook.syntax.quoting import ansi_quoted
from sandhook.syntax.tokens import END, Token
from sandhook.syntax.words import NAME, WordReader

_BLANK = re.compile(r"(?:[ \t]|\\\n)+")
_BLANK_CR = re.compile(r"(?:[ \t]|\\\r?\n|\r(?=\n))+")
_PLAIN_WORD = re.compile(r"[^ \t\n\r()<>;&|\\'\"`$=?*+@!\[{}]+(?=[ \t\n;&|)])")
_CONTINUED_OPERATOR = re.compile(r"([&|;<>]{1,2})(?:\\\n)+[&|;<>(-]")
_CONTINUED_NAME = re.compile(r"(?:\\\n)+(?:[A-Za-z0-9_]*(?:\\\n)+)*[A-Za-z0-9_]*\+?(?:\\\n)*[=\[]")
_REDIRECTION_VARIABLE = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?\}\Z", re.DOTALL)


class Lexer(WordReader, Tokenizer):  # type: ignore[misc]
    """Tokens of a text, one at a time; commands within ``$( )`` run the grammar on it again."""

    read_braces = read_parameter
    source = ""  # an attribute here; bashlex computes it

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
        self._blank = (_BLANK_CR if self.carriage_returns else _BLANK).match
        self.warnings: list[tuple[int, str]] = []
        self.extglob = options.extglob
        self.skips: dict[int, int] = {}  # offset of a newline to where its here-documents end
        self._queue: deque[Token | ShellSyntaxError] = deque()
        self.reset()

    def forget(self) -> None:
        """Forget what is half read, to go on after an error."""
        self._queue.clear()
        self.skips.clear()
        self.substitutions = 0
        self.reset()

    def reset(self) -> None:
        """Forget the tokens before, as at the start of a command."""
        self.last = self.before_last = START
        self.pending: list[PendingDocument] = []
        self.in_case_pattern = False  # reading pattern), where reserved words are words
        self.in_condition = False  # between [[ and ]]
        self.in_regex = False  # the word after =~
        self.brace_ok = False  # a function's name was read: "{" is reserved
        self.assignment_ok = False  # arguments may be name=( ... )
        self.declaring = False  # arguments are assignments
        self._awaiting_in = 0  # for, case and select whose "in" may come
        self._awaited_by_case = False
        self._open_cases = 0
        self._open_braces = 0
        self._redirecting = False  # redirections stand before the command's name
        self._redirected = False
        self._held: Token | None = None  # the "]]" that ended a condition

    def _state(self) -> tuple[Any, ...]:
        return (
            self.last,
            self.before_last,
            self.pending,
            self.in_case_pattern,
            self.in_condition,
            self.in_regex,
            self.brace_ok,
            self.assignment_ok,
            self.declaring,
            self._awaiting_in,
            self._awaited_by_case,
            self._open_cases,
            self._open_braces,
            self._redirecting,
            self._redirected,
            self._held,
            self._queue,
        )

    def _restore(self, state: tuple[Any, ...]) -> None:
        (
            self.last,
            self.before_last,
            self.pending,
            self.in_case_pattern,
            self.in_condition,
            self.in_regex,
            self.brace_ok,
            self.assignment_ok,
            self.declaring,
            self._awaiting_in,
            self._awaited_by_case,
            self._open_cases,
            self._open_braces,
            self._redirecting,
            self._redirected,
            self._held,
            self._queue,
        ) = state

    # ------------------------------------------------------------------ the stream

    def token(self) -> Token:
        """Return the next token.

        After a here-document's delimiter the rest of the line is read ahead, so that the body
        is known when the redirection's node is made.
        """
        queue = self._queue
        if queue:
            ahead = queue.popleft()
            if ahead.__class__ is Token:
                return ahead
            raise ahead  # type: ignore[misc]
        token = self._readtoken()  # not _next: each frame counts in nested substitutions
        while token is None:
            token = self._readtoken()
        self._remember(token.kind)
        if self.pending:
            self._read_ahead()
        return token

    def push_back(self, token: Token) -> None:
        """Give ``token`` again before all others."""
        self._queue.appendleft(token)

    def _read_ahead(self) -> None:
        depth = self.depth
        try:
            while self.pending:
                token = self._next()
                self._queue.append(token)
                if token.kind == END or (
                    token.kind == "RIGHT_PAREN" and self.substitutions and self.depth < depth
                ):
                    break
        except ShellSyntaxError as error:
            self._queue.append(error)
        if self.pending:
            self._read_documents_behind_substitution()

    def _read_documents_behind_substitution(self) -> None:
        """Read the here-documents of ``$(cat <<E)``, which stand behind the line that it ends in."""
        newline = self.text.find("\n", self.position)
        if newline < 0:
            newline = self.length
        at = self.position
        self.position = self.skips.get(newline, newline + 1)
        if self.substitutions and at < self.length:
            count = len(self.pending)
            plural = "s" if count > 1 else ""
            self.warnings.append(
                (self.line_at(at), f"command substitution: {count} unterminated here-document{plural}")
            )
        read_documents(self)
        self.skips[newline] = self.position
        self.position = at

    def _next(self) -> Token:
        token = self._readtoken()
        while token is None:  # an alias' value took the place of its name
            token = self._readtoken()
        self._remember(token.kind)
        return token

    def _remember(self, kind: str) -> None:
        """Keep what decides how the next token is read."""
        last = self.last
        if kind in REDIRECTIONS:
            if last != "NUMBER" and last != "REDIR_WORD":
                self._redirecting = self.at_command_word()
        elif kind == "NUMBER" or kind == "REDIR_WORD":
            self._redirecting = self.at_command_word()
        else:
            self._redirected = self._redirecting and last in REDIRECTIONS
            self._redirecting = False
            if kind in OPENING:
                self.enter()
            elif kind in CLOSING:
                self.depth -= 1
        self.before_last = last
        self.last = kind

    def reserved_word_ok(self) -> bool:
        last = self.last
        if last in RESERVED_WORD_OK:
            return True
        return last == "WORD" and (self.before_last == "COPROC" or self.before_last == "FUNCTION")

    def at_command_word(self) -> bool:
        """Tell whether the next word is a command's name or an assignment before it."""
        last = self.last
        return (
            last == "ASSIGNMENT_WORD"
            or (self._redirected and last == "WORD")
            or (last not in CASE_CLAUSE_END and self.reserved_word_ok())
        )

    def skip_blanks(self) -> int:
        """Move behind blanks and line continuations; return the position."""
        found = self._blank(self.text, self.position)
        if found:
            self.position = found.end()
        return self.position

    def _readtoken(self) -> Token | None:
        held = self._held
        if held is not None:
            self._held = None
            return held
        text = self.text
        found = self._blank(text, self.position)
        at = found.end() if found else self.position
        if at >= self.length and found and text.endswith("\\\n") and text is not self.source:
            at = self.length - 2  # the text ends in a backslash, which is a word
        if at >= self.length:
            self.position = self.length
            if self.pending:
                read_documents(self)
            return Token(END, "", self.length, self.length)
        if self.last == "COND_START":
            self.position = at
            condition, end = read_condition(self)
            self._held = end
            return Token("COND_CMD", self.text[at : end.start], at, end.start, condition)
        char = text[at]
        if char == "#" and not self.in_regex:
            at = text.find("\n", at)
            char = "\n"
        if char == "\n":
            self.end_line(at)
            self.assignment_ok = self.declaring = False
            return Token("NEWLINE", "newline", at, self.position)  # here-documents included
        self.position = at
        if char in "&|;<>()" and not self.in_regex:
            if text[at + 1] == "\\" or text[at + 2 : at + 3] == "\\":
                found = _CONTINUED_OPERATOR.match(text, at)
                if found:
                    self.unfold(found.end(1))
                    return None
            token = self._read_operator(char, at)
            if token is not None:
                return token
        elif (
            char == "-"
            and (self.last == "LESS_AND" or self.last == "GREATER_AND")
            and text[at + 1] in " \t\n\r;&|()<>"
        ):
            self.position = at + 1
            return Token("DASH", "-", at, at + 1)
        return self._readtokenword(at)

    def _read_operator(self, char: str, at: int) -> Token | None:
        """Read an operator; None when ``<(`` or ``>(`` begins a word."""
        text = self.text
        self.assignment_ok = False
        for size in (3, 2):
            spelling = text[at : at + size]
            kind = OPERATORS.get(spelling)
            if kind is not None and len(spelling) == size:
                self.position = at + size
                if kind in CASE_CLAUSE_END:
                    self.in_case_pattern = True
                if char not in "<>" and char + spelling[1] != "&>":
                    self.declaring = False
                return Token(kind, spelling, at, at + size)
        if char == "(":
            self.declaring = False
            if text.startswith("(", at + 1) and not self.in_case_pattern and not self.in_condition:
                token = self._read_double_parenthesis(at)
                if token is not None:
                    return token
            if not self.in_case_pattern:
                self.enter()
        elif char == ")":
            self.declaring = False
            if self.last == "LEFT_PAREN" and self.before_last == "WORD":
                self.brace_ok = True
            if not self.in_case_pattern:
                self.depth -= 1
            self.in_case_pattern = False
        elif char in "<>":
            if text.startswith("(", at + 1):
                return None
        else:
            self.declaring = False
        self.position = at + 1
        return Token(OPERATORS[char], char, at, at + 1)

    def _read_double_parenthesis(self, at: int) -> Token | None:
        """Read ``(( ))`` or ``for (( ))``; None when it is two subshells."""
        is_for = self.last == "FOR"
        if (not is_for and not self.reserved_word_ok()) or at in self._not_arithmetic:
            return None
        pending = list(self.pending)
        expression = self.read_arithmetic(at, at + 2)
        if expression is None:
            self.pending = pending
            self.position = at
            if is_for:
                self.fail("syntax error near unexpected token `('", (at, at + 1), token="(")
            return None
        text = self.text[at + 2 : self.position - 2]
        if is_for:
            return Token(
                "ARITH_FOR_EXPRS", text, at, self.position, read_arithmetic_for(self, at, expression)
            )
        return Token("ARITH_CMD", text, at, self.position, expression)

    def read_substituted_commands(self) -> CommandList | None:
        state = self._state()
        depth = self.depth
        self._queue = deque([Token("DOLPAREN", "$(", self.position, self.position)])
        self.reset()
        self.enter()
        self.substitutions += 1
        body = self._run_grammar(self)
        self.substitutions -= 1
        self.depth = depth
        self._restore(state)
        return body

    def next_in_condition(self) -> Token:
        """Return the next token between ``[[`` and ``]]``."""
        return self._next()

    def end_line(self, at: int) -> None:
        """Pass the newline at ``at``, and the here-documents behind it."""
        self.position = self.skips.pop(at, at + 1) if self.skips else at + 1
        if self.pending:
            read_documents(self)

    def unexpected_operator(self, at: int, where: str) -> NoReturn:
        """Raise for an operator where only words may stand."""
        text = self.text
        size = next(size for size in (3, 2, 1) if text[at : at + size] in OPERATORS)
        self.unexpected(Token("", text[at : at + size], at, at + size), where)

    def unexpected(self, token: Token, where: str = "") -> NoReturn:
        """Raise for a token that the grammar has no place for."""
        where = where or ("substitution" if self.substitutions else "")
        span = (token.start, token.end)
        if token.kind == END:
            if self.substitutions:
                self.fail("unexpected EOF while looking for matching `)'", span, incomplete=True)
            self.fail("syntax error: unexpected end of file", span, incomplete=True)
        line = self.line_at(max(token.start, token.end - 1))
        if token.kind == "REDIR_WORD":
            text = self.text[token.start : token.end + 1]
            self.fail(f"syntax error near `{text}'", span, token=text, line=line, where=where)
        text = token.text
        if token.kind in ("WORD", "ASSIGNMENT_WORD"):
            from sandhook.syntax.unparse import unparse  # only to report: bash shows the word as it prints it

            text = unparse(token.value)
        if not text.isprintable():
            text = ansi_quoted(text)
        self.fail(f"syntax error near unexpected token `{text}'", span, token=text, line=line, where=where)

    # ------------------------------------------------------------------ words

    def _readtokenword(self, at: int) -> Token | None:
        text = self.text
        if not self.in_regex:
            found = _PLAIN_WORD.match(text, at)
            if found:
                self.position = end = found.end()
                word = Word((Literal(found[0]),), (at, end))
                return self._classify(word, found[0], True)
        if not self.in_condition:
            found = NAME.match(text, at)
            if found and text[found.end()] == "\\" and _CONTINUED_NAME.match(text, found.end()):
                self.unfold(found.end())
                self.position = at
                return None
            if found and text[found.end()] in "[+=":
                token = self._read_assignment(at, found[0], found.end())
                if token is not None:
                    return token
        self.position = at
        parts = self.read_word_parts(self.extglob, self.in_regex)
        text, end = self.text, self.position
        if end == at:  # an operator where a regular expression should stand
            self.in_regex = False
            return self._readtoken()
        plain = len(parts) == 1 and parts[0].__class__ is Literal
        spelling = parts[0][0] if plain else text[at:end]  # the same but for line continuations
        return self._classify(Word(parts, (at, end)), spelling, plain)

    def _classify(self, word: Word, text: str, plain: bool) -> Token | None:
        """Tell numbers, {name} and reserved words from words; None after expanding an alias."""
        start, end = word.span
        last = self.last
        following = (
            self.text[end : end + 1] or "\n"
        )  # nothing follows a line that is continued at the very end
        if plain:
            if (
                (following in "<>" or last == "LESS_AND" or last == "GREATER_AND")
                and text.isdigit()
                and text.isascii()
                and len(text.lstrip("0")) <= 10
                and int(text) < 1 << 31
            ):
                return Token("NUMBER", text, start, end, word)
            if self.aliases is not None and not (self.options.posix and text in RESERVED_WORDS):
                aliases = self.aliases
                eligible = not self.in_case_pattern and not self.in_condition
                if eligible and aliases.expands(text, start, self.at_command_word()):
                    aliases.expand(text, start, end)
                    return None
            kind = self._special_word(text)
            if kind is None and text in RESERVED_WORDS and self.reserved_word_ok():
                kind = self._reserved_word(text)
            if kind is not None:
                return Token(kind, text, start, end)
            if text in ASSIGNMENT_OK and self.at_command_word():
                self.assignment_ok = True
                self.declaring = text in DECLARING
        if following in "<>" and text[0] == "{" and _REDIRECTION_VARIABLE.match(text):
            return Token("REDIR_WORD", text[1:-1], start, end, word)
        token = Token("WORD", text, start, end, word)
        if last == "LESS_LESS" or last == "LESS_LESS_MINUS":
            self.pending.append(PendingDocument(token, last == "LESS_LESS_MINUS"))
        elif last == "FUNCTION":
            self.brace_ok = True
        elif last == "CASE" or last == "SELECT" or last == "FOR":
            self._awaiting_in += 1
            self._awaited_by_case = last == "CASE"
        return token

    def _special_word(self, text: str) -> str | None:
        """Recognise words that are reserved only where they stand (bash's special_case_tokens)."""
        last = self.last
        if self._awaiting_in:
            if text == "in" and (last == "WORD" or last == "NEWLINE"):
                self._awaiting_in -= 1
                if self._awaited_by_case:
                    self.in_case_pattern = True
                    self._open_cases += 1
                return "IN"
            if text == "do" and (
                last == "NEWLINE"
                or last == "SEMICOLON"
                or (last == "WORD" and self.before_last in ("FOR", "SELECT"))
            ):
                self._awaiting_in -= 1
                return "DO"
        if self._open_cases and last == "IN" and text == "esac":
            self._open_cases -= 1
            self.in_case_pattern = False
            return "ESAC"
        if self.brace_ok:
            self.brace_ok = False
            if text == "{":
                self._open_braces += 1
                return "LEFT_CURLY"
        if last == "ARITH_FOR_EXPRS":
            if text == "do":
                return "DO"
            if text == "{":
                self._open_braces += 1
                return "LEFT_CURLY"
        if text == "}" and self._open_braces and self.reserved_word_ok():
            self._open_braces -= 1
            return "RIGHT_CURLY"
        if last == "TIME" and text == "-p":
            return "TIMEOPT"
        if (last == "TIME" or last == "TIMEOPT") and text == "--":
            return "TIMEIGN"
        if text == "]]" and self.in_condition:
            return "COND_END"
        return None

    def _reserved_word(self, text: str) -> str | None:
        if self.in_condition:
            return "BANG" if text == "!" else None
        kind = RESERVED_WORDS[text]
        if self.in_case_pattern and (kind != "ESAC" or self.last == "LEFT_PAREN"):
            return None
        if kind == "TIME" and self.last not in TIME_OK:
            return None
        if kind == "ESAC":
            self.in_case_pattern = False
        elif kind == "LEFT_CURLY":
            self._open_braces += 1
        elif kind == "RIGHT_CURLY" and self._open_braces:
            self._open_braces -= 1
        return kind

    # ------------------------------------------------------------------ assignments

    def _read_assignment(self, at: int, name: str, end: int) -> Token | None:
        """Read ``name=``, ``name+=`` or ``name[subscript]=`` with its value; None for other words."""
        text = self.text
        if self.last in REDIRECTIONS:  # a file may be called so
            return None
        before_command = self.at_command_word() and not self.in_case_pattern
        if not (before_command or self.assignment_ok or self.declaring):
            return None
        assignment = read_assignment(self, name, end, before_command, before_command or self.assignment_ok)
        text = self.text
        if assignment is None:
            return None
        if assignment.__class__ is not Assignment:  # name[subscript] without "=": a word
            word = Word(assignment, (at, self.position))
            return self._classify(word, text[at : self.position], False)
        if before_command:
            return Token("ASSIGNMENT_WORD", text[at : self.position], at, self.position, assignment)
        if not self.declaring and assignment.value.__class__ is Word:  # let x=1: a word
            return None
        return Token("WORD", text[at : self.position], at, self.position, assignment)

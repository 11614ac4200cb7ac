"""What the tokens before a word decide about it: reserved words, commands, assignments, redirections.

The members of the sets are token names of the grammar, except the names of built-ins.

Source: POSIX.1-2024 XCU 2.4 Reserved Words; bash 5.2 parse.y, special_case_tokens.
"""

from __future__ import annotations

from collections import deque

from sandhook.errors import ShellSyntaxError
from sandhook.syntax._bashlex import RESERVED_WORDS
from sandhook.syntax.tokens import Token

#: Built-ins whose arguments may be compound assignments.
ASSIGNMENT_OK = frozenset(["alias", "declare", "eval", "export", "let", "local", "readonly", "typeset"])
#: Built-ins whose arguments are assignments.
DECLARING = frozenset(["alias", "declare", "export", "local", "readonly", "typeset"])

#: After these a reserved word, or the first word of a command, may stand.
RESERVED_WORD_OK = frozenset(
    [
        "AND_AND",
        "BANG",
        "BAR_AND",
        "DO",
        "DONE",
        "ELIF",
        "ELSE",
        "ESAC",
        "FI",
        "IF",
        "OR_OR",
        "SEMI_SEMI",
        "SEMI_AND",
        "SEMI_SEMI_AND",
        "THEN",
        "TIME",
        "TIMEOPT",
        "TIMEIGN",
        "COPROC",
        "UNTIL",
        "WHILE",
        "NEWLINE",
        "SEMICOLON",
        "LEFT_PAREN",
        "RIGHT_PAREN",
        "BAR",
        "AMPERSAND",
        "LEFT_CURLY",
        "RIGHT_CURLY",
        "ARITH_CMD",
        "ARITH_FOR_EXPRS",
        "COND_END",
        "START",
    ]
)
TIME_OK = frozenset(
    [
        "SEMICOLON",
        "NEWLINE",
        "AND_AND",
        "OR_OR",
        "AMPERSAND",
        "WHILE",
        "DO",
        "UNTIL",
        "IF",
        "THEN",
        "ELIF",
        "ELSE",
        "LEFT_CURLY",
        "LEFT_PAREN",
        "RIGHT_PAREN",
        "BANG",
        "TIME",
        "TIMEOPT",
        "TIMEIGN",
        "START",
    ]
)
REDIRECTIONS = frozenset(
    [
        "LESS",
        "GREATER",
        "GREATER_GREATER",
        "LESS_LESS",
        "LESS_AND",
        "LESS_LESS_LESS",
        "GREATER_AND",
        "LESS_LESS_MINUS",
        "AND_GREATER",
        "AND_GREATER_GREATER",
        "LESS_GREATER",
        "GREATER_BAR",
    ]
)
CASE_CLAUSE_END = frozenset(["SEMI_SEMI", "SEMI_AND", "SEMI_SEMI_AND"])
OPENING = frozenset(["IF", "CASE", "FOR", "SELECT", "WHILE", "UNTIL", "LEFT_CURLY"])
CLOSING = frozenset(["FI", "ESAC", "DONE", "RIGHT_CURLY"])
#: What changes more than the kinds before the next token.
NOTABLE = REDIRECTIONS | OPENING | CLOSING | {"NUMBER", "REDIR_WORD"}
#: What may follow the operator of a redirection.
REDIRECTION_TARGETS = frozenset(["WORD", "NUMBER", "DASH"])
#: Before the ")" of a substitution whose only command is a "time" that times nothing.
TIME_PREFIX = frozenset(["TIME", "TIMEOPT", "TIMEIGN", "BANG"])
#: Words that ``special_word`` may find reserved.
SPECIAL_WORDS = frozenset(["in", "do", "esac", "{", "}", "-p", "--", "]]"])
#: After these the name of a command may stand, but no name of a coprocess.
BEFORE_COMMAND = RESERVED_WORD_OK - CASE_CLAUSE_END - {"COPROC"} | {"ASSIGNMENT_WORD"}
#: After these, a word decides how later ones are read.
EXPECTING = frozenset(["LESS_LESS", "LESS_LESS_MINUS", "FUNCTION", "CASE", "SELECT", "FOR"])
START = "START"  #: kind before the first token


class PendingDocument:
    """A here-document whose body has not been read; ``token`` is its delimiter's."""

    __slots__ = ("strip_tabs", "token")

    def __init__(self, token: Token, strip_tabs: bool) -> None:
        self.token = token
        self.strip_tabs = strip_tabs


class Context:
    """What the lexer remembers between two tokens; a command substitution begins with a new one.

    Attributes:
        queue: Tokens that were read ahead, or an error to raise in their place.
        last: Kind of the token before, START at the beginning.
        before_last: Kind of the token before ``last``.
        pending: Here-documents whose delimiter was read, and whose body was not.
        in_case_pattern: A ``case`` pattern comes next, where reserved words are ordinary words.
        in_condition: The position is between ``[[`` and ``]]``.
        in_regex: The word after ``=~`` comes next.
        brace_ok: A function's name was read, so that "{" is reserved.
        assignment_ok: Arguments of this command may be ``name=( ... )``.
        declaring: Arguments of this command are assignments.
        redirecting: A redirection is being read where a command's name may stand.
        redirected: That redirection's operator was the token before ``last``.
        held: The "]]" that ended a condition, which is returned after the condition.
        only_time: A command substitution has only "time" with its options so far; ")" may then follow at once.
    """

    __slots__ = (
        "_awaited_by_case",
        "_awaiting_in",
        "_open_braces",
        "_open_cases",
        "assignment_ok",
        "before_last",
        "brace_ok",
        "declaring",
        "held",
        "in_case_pattern",
        "in_condition",
        "in_regex",
        "last",
        "only_time",
        "pending",
        "queue",
        "redirected",
        "redirecting",
    )

    def __init__(self, queue: deque[Token | ShellSyntaxError]) -> None:
        self.queue = queue
        self.last = self.before_last = START
        self.pending: list[PendingDocument] = []
        self.in_case_pattern = False
        self.in_condition = False
        self.in_regex = False
        self.brace_ok = False
        self.assignment_ok = False
        self.declaring = False
        self.redirecting = False
        self.redirected = False
        self.held: Token | None = None
        self.only_time = False
        self._awaiting_in = 0  # for, case and select commands whose "in" may come
        self._awaited_by_case = False
        self._open_cases = 0
        self._open_braces = 0

    def reserved_word_ok(self) -> bool:
        """Return True where a reserved word may stand."""
        last = self.last
        if last in RESERVED_WORD_OK:
            return True
        return last == "WORD" and (self.before_last == "COPROC" or self.before_last == "FUNCTION")

    def at_command_word(self) -> bool:
        """Return True where a command's name, or an assignment before it, may stand."""
        last = self.last
        return (
            last == "ASSIGNMENT_WORD"
            or (self.redirected and last in REDIRECTION_TARGETS)
            or (last not in CASE_CLAUSE_END and self.reserved_word_ok())
        )

    def at_plain_command(self) -> bool:
        """Return True where a word that is not reserved can only be a command's name, or a function's."""
        return (
            self.last in BEFORE_COMMAND
            and not self.in_case_pattern
            and not self.in_condition
            and not self.brace_ok
            and not self._awaiting_in
        )

    def expect(self, token: Token) -> None:
        """Prepare for what follows the WORD ``token`` after one of ``EXPECTING``."""
        last = self.last
        if last == "LESS_LESS" or last == "LESS_LESS_MINUS":
            self.pending.append(PendingDocument(token, last == "LESS_LESS_MINUS"))
        elif last == "FUNCTION":
            self.brace_ok = True
        else:
            self._awaiting_in += 1
            self._awaited_by_case = last == "CASE"

    def special_word(self, text: str) -> str | None:
        """Return the kind of a word that is reserved only where it stands, None for other words."""
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

    def reserved_word(self, text: str) -> str | None:
        """Return the kind of a reserved word, None where it is an ordinary word all the same."""
        if self.in_condition:
            return "BANG" if text == "!" else None
        kind = RESERVED_WORDS[text]
        if self.in_case_pattern and (kind != "ESAC" or self.last == "LEFT_PAREN" or self.last == "BAR"):
            return None
        if kind == "TIME" and (
            self.last not in TIME_OK or (self.last == "NEWLINE" and self.before_last == "BAR")
        ):
            return None
        if kind == "ESAC":
            self.in_case_pattern = False
        elif kind == "LEFT_CURLY":
            self._open_braces += 1
        elif kind == "RIGHT_CURLY" and self._open_braces:
            self._open_braces -= 1
        return kind

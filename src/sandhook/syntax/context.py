"""Where words are reserved, and where commands, assignments and redirections may stand.

The members are token names of the grammar, but for the names of built-ins.
"""

from __future__ import annotations

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
        "BAR",
        "BAR_AND",
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
START = "START"  # stands for "no token yet"

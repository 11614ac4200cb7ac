"""Where the grammar's productions differ from bashlex 0.18's.

Every other production is taken from bashlex as it stands, by ``tablegen``.
"""

from __future__ import annotations

#: bashlex's productions that are left out, and why.
DROPPED: dict[str, str] = {
    "inputunit : error NEWLINE": "errors are raised, not recovered from",
    "function_def : FUNCTION WORD newline_list function_body": "a subshell may be the body",
    "select_command : SELECT WORD newline_list DO list DONE": "a body may end without a newline",
    "select_command : SELECT WORD newline_list LEFT_CURLY list RIGHT_CURLY": "likewise",
    "select_command : SELECT WORD SEMICOLON newline_list DO list DONE": "likewise",
    "select_command : SELECT WORD SEMICOLON newline_list LEFT_CURLY list RIGHT_CURLY": "likewise",
    "select_command : SELECT WORD newline_list IN word_list list_terminator newline_list DO list DONE": "likewise",
    "select_command : SELECT WORD newline_list IN word_list list_terminator newline_list"
    " LEFT_CURLY list RIGHT_CURLY": "likewise",
}

#: Productions of bash 5.2 that bashlex lacks.
ADDED: tuple[str, ...] = (
    "inputunit : DOLPAREN compound_list RIGHT_PAREN",
    "inputunit : DOLPAREN newline_list RIGHT_PAREN",
    "function_def : FUNCTION WORD function_body",
    "function_def : FUNCTION WORD NEWLINE newline_list function_body",
    "select_command : SELECT WORD newline_list DO compound_list DONE",
    "select_command : SELECT WORD newline_list LEFT_CURLY compound_list RIGHT_CURLY",
    "select_command : SELECT WORD SEMICOLON newline_list DO compound_list DONE",
    "select_command : SELECT WORD SEMICOLON newline_list LEFT_CURLY compound_list RIGHT_CURLY",
    "select_command : SELECT WORD newline_list IN word_list list_terminator newline_list DO compound_list DONE",
    (
        "select_command : SELECT WORD newline_list IN word_list list_terminator newline_list"
        " LEFT_CURLY compound_list RIGHT_CURLY"
    ),
    "select_command : SELECT WORD newline_list IN list_terminator newline_list DO compound_list DONE",
    (
        "select_command : SELECT WORD newline_list IN list_terminator newline_list"
        " LEFT_CURLY compound_list RIGHT_CURLY"
    ),
    "timespec : TIME TIMEIGN",
)

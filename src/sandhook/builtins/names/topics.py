"""The texts of ``help``, which ``--help`` of a built-in prints as well.

They are our own. Divergence: L-HELP-001, a topic has one line, where bash has several paragraphs.
"""

from __future__ import annotations

from sandhook.builtins import load

#: Topics that are no built-ins of their own, with their line.
_OTHERS = {
    "%": "Resume a job in the foreground.",
    "(( ... ))": "Evaluate an arithmetic expression.",
    "[[ ... ]]": "Evaluate a conditional expression.",
    "case": "Run commands by the pattern that a word matches.",
    "coproc": "Run a command in the background, with pipes to it.",
    "false": "Do nothing, unsuccessfully.",
    "for": "Run commands for each word of a list.",
    "for ((": "Run commands while an expression is true.",
    "function": "Define a function.",
    "if": "Run commands if others succeed.",
    "select": "Let the user choose words from a menu.",
    "time": "Report how long a pipeline takes.",
    "true": "Do nothing, successfully.",
    "until": "Run commands as long as others fail.",
    "variables": "Some variables of the shell.",
    "while": "Run commands as long as others succeed.",
    "{ ... }": "Run commands as one.",
}


def description(topic: str) -> str:
    """Return the line about a topic; for a built-in, the first line of its module's docstring."""
    if topic in _OTHERS:
        return _OTHERS[topic]
    text: str = load(topic).__doc__ or ""
    line = text.partition("\n")[0].partition(": ")[2]
    return line[:1].upper() + line[1:]

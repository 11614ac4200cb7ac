"""The words of ``compgen -W``: split at IFS outside quotes, then expanded.

Divergence: L-COMPLETE-001, a word with a command or process substitution, or with ``${x@P}``, which may
contain one, is not expanded, because the list often comes from data.
"""

from __future__ import annotations

from sandhook.builtins.base import runtime
from sandhook.errors import ShellSyntaxError
from sandhook.limits import PIECE, check_clock
from sandhook.state.state import State

_CLOSING = {"{": "}", "(": ")"}


def word_list(state: State, text: str) -> list[str]:
    """Return the expanded words of a list."""
    ifs = state.get("IFS")
    if ifs is None:
        ifs = " \t\n"
    expanded: list[str] = []
    for word in split_unquoted(text, ifs):
        state.budget.charge(1)
        if _runs_commands(word):
            expanded.append(word)
            continue
        try:
            expanded += runtime(state).expand_words(state, word)
        except ShellSyntaxError:
            expanded.append(word)
    return expanded


def _runs_commands(word: str) -> bool:
    return any(opening in word.replace("$((", "") for opening in ("$(", "`", "<(", ">(", "@P}"))


def split_unquoted(text: str, ifs: str) -> list[str]:
    """Split text at characters of ``ifs`` outside quotes, ``${ }`` and ``$(( ))``."""
    words: list[str] = []
    delimiters = frozenset(ifs)
    start = at = 0
    looked = 0
    while at < len(text):
        if at - looked > PIECE:
            looked = at
            check_clock()
        if text[at] in delimiters:
            if at > start:
                words.append(text[start:at])
            at += 1
            start = at
        else:
            at = _skip(text, at)
    if start < len(text):
        words.append(text[start:])
    return words


def _skip(text: str, at: int) -> int:
    """Return the offset after one character, or after the quoted or bracketed text that it begins."""
    letter = text[at]
    if letter == "\\":
        return at + 2
    if letter == "'":
        end = text.find("'", at + 1)
        return len(text) if end < 0 else end + 1
    if letter == '"':
        return _until(text, at + 1, '"', "")
    if letter == "$" and text[at + 1 : at + 2] in ("{", "("):
        opening = text[at + 1]
        return _until(text, at + 2, _CLOSING[opening], opening)
    return at + 1


def _until(text: str, at: int, closing: str, opening: str) -> int:
    """Return the offset after ``closing``; escapes, quotes and inner brackets are skipped."""
    depth = 1
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 1
        elif letter == closing:
            depth -= 1
            if not depth:
                return at + 1
        elif letter == opening:
            depth += 1
        elif letter == "'" and opening:
            end = text.find("'", at + 1)
            at = len(text) if end < 0 else end
        at += 1
    return len(text)

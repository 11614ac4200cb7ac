"""Names that are like a word which is not a command: "The most similar command is".

Source: git 2.39, help.c and levenshtein.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

_USUAL = frozenset(
    [
        "add",
        "bisect",
        "branch",
        "clone",
        "commit",
        "diff",
        "fetch",
        "grep",
        "init",
        "log",
        "merge",
        "mv",
        "pull",
        "push",
        "rebase",
        "reset",
        "restore",
        "rm",
        "show",
        "status",
        "switch",
        "tag",
    ]
)
_UNLIKE = 7  #: the distance from which on a name is not shown
_LONGEST = 100
_SUBSTITUTE, _INSERT, _DELETE = 2, 1, 3  #: the costs of edits; to swap two letters costs nothing


def _distance(word: str, name: str) -> int:
    """Return the cost of the edits that make a name of a word."""
    before = [0] * (len(name) + 1)
    row = [at * _INSERT for at in range(len(name) + 1)]
    for at, letter in enumerate(word):
        following = [(at + 1) * _DELETE]
        for other, wanted in enumerate(name):
            cost = row[other] + _SUBSTITUTE * (letter != wanted)
            if at and other and word[at - 1] == wanted and letter == name[other - 1]:
                cost = min(cost, before[other - 1])
            following.append(min(cost, row[other + 1] + _DELETE, following[other] + _INSERT))
        before, row = row, following
    return row[-1]


def similar_names(word: str, names: Iterable[str], charge: Callable[[int], None]) -> list[str]:
    """Return the names that are most like a word, and the usual ones that begin with it; none if no name is like it."""
    if len(word) > _LONGEST:
        return []
    scored: list[tuple[int, str]] = []
    for name in set(names):
        charge(1 + (len(word) * len(name) >> 3))
        begins = name in _USUAL and name.startswith(word)
        scored.append((0 if begins else _distance(word, name) + 1, name))
    scored.sort()
    best = next((score for score, _ in scored if score), _UNLIKE)
    return [name for score, name in scored if score <= best] if best < _UNLIKE else []

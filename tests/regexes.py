"""Which regular expressions of the source go back over the same text again and again, and so freeze the process.

Nothing can interrupt Python's own engine. Two neighbouring repeats that match the same letters try every way to share
them: with n letters that is n * n steps, or more. A possessive repeat (``*+``) has one way.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

#: Letters that stand for all others, which no expression names.
OTHERS = ("\u0100", "\u0660", "\u2028")
LETTERS = frozenset([*map(chr, range(256)), *OTHERS])

#: Repeats up to this number are no danger.
FEW = 99

_CALLS = frozenset(
    {"compile", "lazily", "match", "search", "fullmatch", "sub", "split", "findall", "finditer"}
)


def expressions(root: Path) -> Iterator[tuple[Path, int, str | bytes, int]]:
    """Yield file, line, text and flags of every expression that is written as a literal."""
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "re." not in text and "lazily" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            owner = getattr(called.value, "id", "") if isinstance(called, ast.Attribute) else ""
            first = node.args[0]
            if (
                name not in _CALLS
                or (name != "lazily" and owner != "re")
                or not isinstance(first, ast.Constant)
            ):
                continue
            if isinstance(first.value, (str, bytes)):
                words = {
                    each.attr
                    for argument in node.args[1:]
                    for each in ast.walk(argument)
                    if isinstance(each, ast.Attribute)
                }
                words |= {
                    each.attr
                    for more in node.keywords
                    for each in ast.walk(more.value)
                    if isinstance(each, ast.Attribute)
                }
                flags = 0
                for word in words & {
                    "DOTALL",
                    "S",
                    "IGNORECASE",
                    "I",
                    "MULTILINE",
                    "M",
                    "ASCII",
                    "A",
                    "VERBOSE",
                    "X",
                }:
                    flags |= getattr(re, word)
                yield path, node.lineno, first.value, flags


def ambiguous(text: str | bytes, flags: int = 0) -> bool:
    """Return whether two neighbouring repeats of an expression match the same letters."""
    tree = parser.parse(text, flags)
    return _Search(tree.state.flags).sequence(list(tree), frozenset())[1]


class _Search:
    def __init__(self, flags: int) -> None:
        self.flags = flags

    def sequence(self, items: list[Any], before: frozenset[str]) -> tuple[frozenset[str], bool]:
        """Return the letters that a repeat at the end may give back, and whether two repeats share some.

        Args:
            before: Letters that a repeat before these items may give back.
        """
        for item in items:
            before, found = self.item(item, before)
            if found:
                return before, True
        return before, False

    def item(self, item: Any, before: frozenset[str]) -> tuple[frozenset[str], bool]:
        code, argument = item
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            low, high, body = argument
            letters = self.letters(list(body))
            if high > FEW and letters is not None:
                if before & letters:
                    return before, True
                return (before if low == 0 else frozenset()) | letters, False
            after, found = self.sequence(list(body), before)
            if high > FEW and not found:  # a group that is repeated: its end meets its beginning
                after, found = self.sequence(list(body), after)
            return (after | before if low == 0 else after), found
        if code == codes.POSSESSIVE_REPEAT:
            low, high, body = argument
            letters = self.letters(list(body))
            if letters is None:
                return frozenset(), self.sequence(list(body), frozenset())[1]
            if high > FEW and before & letters:
                return before, True
            return (before if low == 0 else before & letters), False
        if code == codes.SUBPATTERN:
            return self.sequence(list(argument[3]), before)
        if code == codes.ATOMIC_GROUP:
            return frozenset(), self.sequence(list(argument), before)[1]
        if code == codes.BRANCH:
            ends = [self.sequence(list(branch), before) for branch in argument[1]]
            return frozenset().union(*(end for end, _ in ends)), any(found for _, found in ends)
        if code in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):
            return before, False
        letters = self.letters([item])
        return (before & letters if letters is not None else frozenset()), False

    def letters(self, items: list[Any]) -> frozenset[str] | None:
        """Return the letters that one item matches; None for anything but one letter."""
        if len(items) != 1:
            return None
        code, argument = items[0]
        if code == codes.SUBPATTERN:
            return self.letters(list(argument[3]))
        if code == codes.ANY:
            return LETTERS if self.flags & re.DOTALL else LETTERS - {"\n"}
        if code == codes.LITERAL:
            return frozenset({chr(argument)})
        if code == codes.NOT_LITERAL:
            return LETTERS - {chr(argument)}
        if code == codes.BRANCH:
            sets = [self.letters(list(branch)) for branch in argument[1]]
            return None if None in sets else frozenset().union(*(each for each in sets if each is not None))
        if code == codes.CATEGORY:
            return self.category(argument)
        if code != codes.IN:
            return None
        found: set[str] = set()
        negated = argument[0][0] == codes.NEGATE
        for kind, value in argument[1:] if negated else argument:
            if kind == codes.LITERAL:
                found.add(chr(value))
            elif kind == codes.RANGE:
                found.update(chr(each) for each in range(value[0], min(value[1], 255) + 1))
                found.update(each for each in OTHERS if value[0] <= ord(each) <= value[1])
            else:
                found |= self.category(value)
        return LETTERS - found if negated else frozenset(found)

    def category(self, value: Any) -> frozenset[str]:
        word = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
        name = str(value).removeprefix("CATEGORY_").removeprefix("UNI_")
        text = word[name.removeprefix("NOT_")]
        text = text.upper() if name.startswith("NOT_") else text
        test = re.compile(text, self.flags & re.ASCII)
        return frozenset(letter for letter in LETTERS if test.match(letter))


def unsafe_possessive(text: str | bytes, flags: int = 0) -> bool:
    """Return whether a possessive repeat of more than one letter is not one of an atomic group.

    Python 3.11.0 to 3.11.4, of which Debian 12 has one, match too much with ``(?:ab)*+`` if a turn fails after its first
    letter: what that turn had read stays read. ``(?>ab)*+`` is the same expression without the fault.
    """
    return _has_unsafe_possessive(list(parser.parse(text, flags)))


_LETTER = frozenset({codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY})


def _has_unsafe_possessive(items: list[Any]) -> bool:
    for code, argument in items:
        inner: list[Any] = []
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            body = list(argument[2])
            safe = len(body) == 1 and (body[0][0] in _LETTER or body[0][0] == codes.ATOMIC_GROUP)
            if code == codes.POSSESSIVE_REPEAT and not safe:
                return True
            inner = [body]
        elif code == codes.SUBPATTERN:
            inner = [list(argument[3])]
        elif code == codes.ATOMIC_GROUP:
            inner = [list(argument)]
        elif code == codes.BRANCH:
            inner = [list(each) for each in argument[1]]
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            inner = [list(argument[1])]
        if any(map(_has_unsafe_possessive, inner)):
            return True
    return False

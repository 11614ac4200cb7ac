"""The grammar of the fuzzer's scripts, and what it derives: trees, so that they can be made smaller."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

#: How deep a derivation goes before it takes the shortest ways out.
DEPTH = 12

#: How many flat derivations are looked at for the shortest text of a symbol.
_SAMPLES = 300

_PART = re.compile("«([a-z]+)»|(№)")
_SIGNS = str.maketrans({"⏎": "\n", "␣": " ", "ε": ""})


class Production(NamedTuple):
    """One way to write a symbol: texts and, at the odd places, names of symbols; "№" is a number."""

    weight: int
    parts: tuple[str, ...]


class Tree:
    """A symbol that was written out.

    Attributes:
        children: Texts and trees, in order.
    """

    __slots__ = ("children", "symbol")

    def __init__(self, symbol: str, children: tuple[str | Tree, ...]) -> None:
        self.symbol = symbol
        self.children = children

    def __str__(self) -> str:
        return "".join(map(str, self.children))

    def below(self) -> Iterator[Tree]:
        """Yield all trees below this one, the larger ones first."""
        level = [self]
        while level:
            level = [child for tree in level for child in tree.children if isinstance(child, Tree)]
            yield from level


class Grammar:
    """Productions by symbol, read from a text."""

    def __init__(self, text: str) -> None:
        self._productions = _read(text)
        self._heights = self._measure()
        self._smallest: dict[str, Tree] = {}

    def derive(self, seed: int) -> Tree:
        """Return a script; the same seed gives the same one."""
        return _Derivation(self, Random(seed)).write("script", DEPTH)

    def productions(self, symbol: str, depth: int) -> list[Production]:
        """Return what may stand for a symbol, at most ``depth`` symbols deep when that is possible."""
        every = self._productions[symbol]
        limit = max(depth, min(map(self._height, every)))
        return [production for production in every if self._height(production) <= limit]

    def smallest(self, symbol: str) -> Tree:
        """Return the shortest text that a symbol can have."""
        if symbol not in self._smallest:
            flattest = (_Derivation(self, Random(seed)).write(symbol, 0) for seed in range(_SAMPLES))
            self._smallest[symbol] = min(flattest, key=lambda tree: len(str(tree)))
        return self._smallest[symbol]

    def _height(self, production: Production) -> int:
        return max((self._heights[name] + 1 for name in production.parts[1::2] if name != "№"), default=0)

    def _measure(self) -> dict[str, int]:
        """Return how deep the flattest derivation of each symbol is."""
        endless = len(self._productions) + 1
        self._heights = dict.fromkeys(self._productions, endless)
        for _ in self._productions:
            for symbol, every in self._productions.items():
                self._heights[symbol] = min(map(self._height, every))
        unending = [symbol for symbol, height in self._heights.items() if height >= endless]
        assert not unending, f"no end for {unending}"
        return self._heights


class _Derivation:
    """Writes symbols out, counting the numbers that it gives away."""

    def __init__(self, grammar: Grammar, random: Random) -> None:
        self._grammar = grammar
        self._random = random
        self._number = 0

    def write(self, symbol: str, depth: int) -> Tree:
        choices = self._grammar.productions(symbol, depth)
        [chosen] = self._random.choices(choices, [choice.weight for choice in choices])
        number = ""
        if "№" in chosen.parts[1::2]:
            self._number += 1
            number = str(self._number)
        children: list[str | Tree] = []
        for place, part in enumerate(chosen.parts):
            if place % 2 == 0:
                children.append(part)
            else:
                children.append(number if part == "№" else self.write(part, depth - 1))
        return Tree(symbol, tuple(child for child in children if child != ""))


@cache
def bash_grammar() -> Grammar:
    """Return the grammar of scripts."""
    return Grammar(Path(__file__).with_name("grammar.txt").read_text("utf-8"))


@cache
def utilities_grammar() -> Grammar:
    """Return the grammar of calls of utilities."""
    return Grammar(Path(__file__).with_name("utilities.txt").read_text("utf-8"))


def _read(text: str) -> dict[str, list[Production]]:
    found: dict[str, list[Production]] = {}
    current: list[Production] = []
    for line in text.split("\n"):
        if line.startswith("== ") and line[3:].isalpha():
            current = found.setdefault(line[3:], [])
        elif line and not line.startswith("# "):
            weight = re.match("([0-9]+): ", line)
            source = line[weight.end() :] if weight else line
            current.append(Production(int(weight[1]) if weight else 1, _parts(source)))
    used = {part for each in found.values() for one in each for part in one.parts[1::2]} - {"№"}
    assert used <= found.keys(), f"not in the grammar: {sorted(used - found.keys())}"
    assert found.keys() <= used | {"script"}, f"used nowhere: {sorted(found.keys() - used)}"
    return found


def _parts(source: str) -> tuple[str, ...]:
    """Return texts and symbols in turn."""
    parts: list[str] = []
    at = 0
    for match in _PART.finditer(source):
        parts += [source[at : match.start()].translate(_SIGNS), match[1] or match[2]]
        at = match.end()
    return (*parts, source[at:].translate(_SIGNS))

"""Makes a script that fails smaller, as long as it goes on failing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.interp.fuzz.grammar import Grammar, Tree


def shrink(tree: Tree, grammar: Grammar, fails: Callable[[str], bool], tries: int = 400) -> str:
    """Return the text of the smallest tree found in so many tries.

    Every tree in it is replaced in turn by the shortest text for its symbol, and by each tree of
    the same symbol below it; both are scripts of the grammar again, and end like every other.
    """
    left = tries
    smaller = True
    while smaller and left:
        smaller = False
        for candidate in _candidates(tree, grammar):
            if not left:
                break
            if len(str(candidate)) >= len(str(tree)):
                continue
            left -= 1
            if fails(str(candidate)):
                tree, smaller = candidate, True
                break
    return str(tree)


def _candidates(tree: Tree, grammar: Grammar) -> Iterator[Tree]:
    for old in (tree, *tree.below()):
        yield _replaced(tree, old, grammar.smallest(old.symbol))
        for new in old.below():
            if new.symbol == old.symbol:
                yield _replaced(tree, old, new)


def _replaced(tree: Tree, old: Tree, new: Tree) -> Tree:
    if tree is old:
        return new
    return Tree(
        tree.symbol,
        tuple(_replaced(child, old, new) if isinstance(child, Tree) else child for child in tree.children),
    )

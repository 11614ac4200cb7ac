"""tsort: order items so that every pair is in order.

Source: POSIX.1-2024 XCU 3, tsort. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, option_set
from sandhook.command.pieces import split_words
from sandhook.text.quoting import quote_odd

CLOSED_INPUT = "standard input"


@option_set
class Options:
    """tsort [OPTION] [FILE]

    Read pairs of words, and write all words so that the first of each pair comes before the second.
    """


class _Item:
    """A word.

    Attributes:
        count: The number of unprinted items that must come before it.
        successors: The items that must come after it, in the order of the input.
        printed: It has been printed.
    """

    __slots__ = ("count", "name", "printed", "successors")

    def __init__(self, name: bytes) -> None:
        self.name = name
        self.count = 0
        self.successors: list[_Item] = []
        self.printed = False


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when there is a loop."""
    if len(operands) > 1:
        raise UsageError(f"extra operand '{operands[1]}'")
    name = operands[0] if operands else "-"
    try:
        with ctx.open(name) as reader:
            words = [word for part in split_words(reader.read_all(), ctx.charge) for word in part]
    except OSError as error:
        if ctx.read_closed:
            return 1
        raise Failure(f"{quote_odd(name)}: {reason(error)}") from None
    ctx.budget.check_fits(150 * len(words))
    ctx.charge(len(words))
    if len(words) % 2:
        raise Failure(f"{name}: input contains an odd number of tokens")
    items: dict[bytes, _Item] = {}
    for before, after in zip(words[::2], words[1::2]):
        first = items.setdefault(before, _Item(before))
        second = items.setdefault(after, _Item(after))
        if first is not second:
            first.successors.append(second)
            second.count += 1
    _write([items[key] for key in sorted(items)], name, ctx)
    return ctx.failed


def _write(items: list[_Item], name: str, ctx: Context) -> None:
    """Print the items in order; report each loop, and break it."""
    remaining = len(items)
    while remaining:
        ready = [item for item in items if not item.count and not item.printed]
        index = 0
        while index < len(ready):
            ctx.charge(1 + len(ready[index].successors))
            item = ready[index]
            index += 1
            item.printed = True
            remaining -= 1
            ctx.write(item.name + b"\n")
            for after in reversed(item.successors):
                after.count -= 1
                if not after.count:
                    ready.append(after)
            item.successors = []
        if remaining:
            ctx.fail(f"{name}: input contains a loop:")
            _break_loop([item for item in items if not item.printed], ctx)


def _break_loop(items: list[_Item], ctx: Context) -> None:
    """Follow the pairs backwards until an item recurs; report the loop, and remove one of its pairs.

    Each pass over the items moves from the current item to a predecessor, in the order in which GNU's reports them.
    """
    blocked = [item for item in items if item.count]
    chain: dict[_Item, _Item] = {}  # each item with its successor in the search
    current: _Item | None = None
    while True:
        for item in blocked:
            ctx.charge(1 + len(item.successors))
            if current is None:
                current = item
            elif current in item.successors:
                if item in chain:
                    _report(item, current, chain, ctx)
                    return
                chain[item] = current
                current = item


def _report(last: _Item, first: _Item, chain: dict[_Item, _Item], ctx: Context) -> None:
    """Print the items of a loop, and remove the pair that closes it."""
    item = first
    while item is not last:
        ctx.error(item.name.decode("utf-8", "surrogateescape"))
        item = chain[item]
    ctx.error(last.name.decode("utf-8", "surrogateescape"))
    # Of equal pairs, the one that was read last is removed.
    del last.successors[len(last.successors) - 1 - last.successors[::-1].index(first)]
    first.count -= 1

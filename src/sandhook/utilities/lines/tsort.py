"""tsort: order items so that every pair is in order.

Source: POSIX.1-2024 XCU 3, tsort. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, option_set
from sandhook.text.quoting import quote_odd


@option_set
class Options:
    """tsort [FILE]

    Read pairs of words, and write all words so that the first of each pair comes before the second.
    """


class _Item:
    """A word.

    Attributes:
        count: Items that must come before it and have not been written.
        after: Items that must come after it; the last that was read comes first.
    """

    __slots__ = ("after", "count", "name", "printed")

    def __init__(self, name: bytes) -> None:
        self.name = name
        self.count = 0
        self.after: list[_Item] = []
        self.printed = False


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when there is a loop."""
    if len(operands) > 1:
        raise UsageError(f"extra operand '{operands[1]}'")
    name = operands[0] if operands else "-"
    try:
        with ctx.open(name) as reader:
            words = reader.read_all().split()
    except OSError as error:
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
            first.after.append(second)
            second.count += 1
    _write([items[key] for key in sorted(items)], name, ctx)
    return ctx.failed


def _write(items: list[_Item], name: str, ctx: Context) -> None:
    """Write the items; a loop is reported, and broken at its last pair."""
    left = len(items)
    while left:
        ready = [item for item in items if not item.count and not item.printed]
        at = 0
        while at < len(ready):
            ctx.charge(1 + len(ready[at].after))
            item = ready[at]
            at += 1
            item.printed = True
            left -= 1
            ctx.write(item.name + b"\n")
            for after in reversed(item.after):
                after.count -= 1
                if not after.count:
                    ready.append(after)
            item.after = []
        if left:
            ctx.fail(f"{name}: input contains a loop:")
            _break_loop([item for item in items if not item.printed], ctx)


def _break_loop(items: list[_Item], ctx: Context) -> None:
    """Go through the items, in their order and again, from each one that is found to one that it comes before, until
    one comes twice; report the loop and take one pair out."""
    waiting = [item for item in items if item.count]
    chain: dict[_Item, _Item] = {}  # an item, and the one of its followers from which it was found
    at: _Item | None = None
    while True:
        for item in waiting:
            ctx.charge(1 + len(item.after))
            if at is None:
                at = item
            elif at in item.after:
                if item in chain:
                    _report(item, at, chain, ctx)
                    return
                chain[item] = at
                at = item


def _report(last: _Item, first: _Item, chain: dict[_Item, _Item], ctx: Context) -> None:
    """Name the items of a loop, and take out the pair that closes it."""
    item = first
    while item is not last:
        ctx.error(item.name.decode("utf-8", "surrogateescape"))
        item = chain[item]
    ctx.error(last.name.decode("utf-8", "surrogateescape"))
    # The pair that was read last goes.
    del last.after[len(last.after) - 1 - last.after[::-1].index(first)]
    first.count -= 1

"""tsort: order items so that every pair is in order.

Source: POSIX.1-2024 XCU 3, tsort. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, Failure, UsageError, option_set
from sandhook.utilities._files import reason


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
        raise Failure(f"{name}: {reason(error)}") from None
    ctx.budget.afford(150 * len(words))
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
    """Go back from item to item until one comes twice; report the loop and take one pair out."""
    before: dict[_Item, _Item] = {}
    for item in items:
        ctx.charge(1 + len(item.after))
        for after in reversed(item.after):
            if not after.printed:
                before.setdefault(after, item)
    seen: list[_Item] = []
    item = next(each for each in items if each.count)
    while item not in seen:
        ctx.charge(1 + (len(seen) >> 2))
        seen.append(item)
        item = before[item]
    loop = [item]
    follow = before[item]
    while follow is not item:
        loop.append(follow)
        follow = before[follow]
    ordered = [loop[0], *reversed(loop[1:])]
    for each in ordered:
        ctx.error(each.name.decode("utf-8", "surrogateescape"))
    last = ordered[-1]
    last.after.remove(item)
    item.count -= 1

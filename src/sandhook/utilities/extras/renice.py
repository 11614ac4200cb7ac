"""renice: change the niceness of processes, which is not stored.

Source: POSIX.1-2024 XCU 3, renice. Oracle: util-linux 2.38. Divergence: L-NICE-001, as for nice.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import Inform, UsageError, also, opt, option_set, options_by_flag

RAW = True  # -p, -g and -u apply to the operands after them


@option_set
class Options:
    """renice [-n] NICENESS [-p] PID... | renice [-n] NICENESS -g PID... | renice [-n] NICENESS -u USER...

    Print the new niceness of processes, without changing it.
    """

    number: bool = opt("-n", "--priority", "--relative", help="before NICENESS")
    kind: str = also(
        opt("-p", "--pid", help="processes follow", const="process ID"),
        opt("-g", "--pgrp", help="process groups follow", const="process group ID"),
        opt("-u", "--user", help="users follow", const="user ID"),
    )
    inform: str = also(
        opt("-h", "--help", help="print this help", const="help"),
        opt("-V", "--version", help="print the version", const="version"),
    )


_OPTIONS = options_by_flag(Options)
_KINDS = {flag: option.const for flag, option in _OPTIONS.items() if option.field == "kind"}


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for a process that does not exist."""
    words = list(arguments)
    option = _OPTIONS.get(words[0]) if words else None
    if option is not None and option.field == "inform":
        raise Inform(option.const)
    if option is not None and option.field == "number":
        words.pop(0)
    unknown = next(
        (word for word in words[:1] if word[:1] == "-" and not word[1:2].isdigit() and word not in _KINDS),
        None,
    )
    if unknown is not None:
        raise UsageError(f"unrecognized option '{unknown}'")
    if len(words) < 2:
        raise UsageError("not enough arguments")
    text = words.pop(0)
    digits = text.removeprefix("+").removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        raise UsageError(f"invalid priority '{text}'")
    niceness = max(-20, min(19, int(text)))
    kind = "process ID"
    for word in words:
        if word in _KINDS:
            kind = _KINDS[word]
        elif word[:1] == "-":
            raise UsageError(f"unrecognized option '{word}'")
        elif kind == "user ID":
            ctx.write_line(f"{word} ({kind}) old priority 0, new priority {niceness}")
        elif not (word.isascii() and word.isdigit()) or len(word) > 9:
            ctx.fail(f"bad {kind} value: {word}")
        elif int(word) not in ctx.kernel.processes:
            ctx.fail(f"failed to get priority for {word} ({kind}): No such process")
        else:
            ctx.write_line(f"{word} ({kind}) old priority 0, new priority {niceness}")
    return ctx.failed

"""taskset: run a command on selected processors; there is only one.

Oracle: util-linux 2.38. Divergence: L-NICE-001, as for nice.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import VERSION, UsageError, opt, option_set
from sandhook.lazy import lazily

PERMUTE = False
_LIST = lazily(r"(?a)[0-9]{1,6}(-[0-9]{1,6}(:[0-9]{1,6})?)?(,[0-9]{1,6}(-[0-9]{1,6}(:[0-9]{1,6})?)?)*")
_MASK = lazily(r"(?a)(0x)?[0-9a-fA-F,]{1,1000}")


@option_set
class Options:
    """taskset [-c] MASK COMMAND [ARGUMENT]... | taskset -p [-c] [MASK] PID

    Run COMMAND; or print the processors of a process.
    """

    all_: bool = opt("-a", "--all-tasks", ignored="processes have no threads")
    list_: bool = opt("-c", "--cpu-list", help="MASK is a list of numbers")
    pid: bool = opt("-p", "--pid", help="operate on a running process")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status, or 1 after an error."""
    words = list(operands)
    if len(words) < (1 if options.pid else 2):
        raise UsageError("bad usage")
    if not options.pid or len(words) > 1:
        mask = words.pop(0)
        if (_LIST if options.list_ else _MASK).fullmatch(mask) is None:
            raise Failure(f"failed to parse CPU {'list' if options.list_ else 'mask'}: {mask}")
    if not options.pid:
        return ctx.run_command(words, "failed to execute {}", in_place=True)
    text = words[0]
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise Failure(f"invalid PID argument: '{text}'")
    if int(text) not in ctx.kernel.processes:
        raise Failure(f"failed to get pid {text}'s affinity: No such process")
    affinity = "list: 0" if options.list_ else "mask: 1"
    for label in ("current", "new") if len(operands) > 1 else ("current",):
        ctx.write_line(f"pid {text}'s {label} affinity {affinity}")
    return 0

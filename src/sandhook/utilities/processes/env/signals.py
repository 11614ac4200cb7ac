"""The signal options of env: signals that the command ignores, resets to the default action, or blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, also, opt
from sandhook.kernel.signals import NAMES, parse_signal
from sandhook.text.quoting import quote_always

_FIXED = (9, 19)  #: KILL and STOP cannot be changed


def signal_options() -> Any:
    """Declare the options. A value is an action and the names of signals, None for all of them."""
    return also(*(_signal_option(what, help_) for what, help_ in (
        ("default", "reset these signals (all) to their default actions"),
        ("ignore", "ignore these signals (all)"),
        ("block", "block these signals (all)"),
    )))  # fmt: skip


def _signal_option(action: str, help_: str) -> Any:
    return opt(
        f"--{action}-signal",
        "SIGNAL,...",
        help_,
        optional=True,
        const=(action, None),
        convert=lambda text: (action, text),
        append=True,
    )


class Handling:
    """The handling of signals.

    Attributes:
        actions: For the number of each signal in an option, True to ignore it, False for its default action.
        blocked: The numbers of blocked signals.
    """

    def __init__(self, options: Iterable[tuple[str, str | None]]) -> None:
        """Parse the options in order. Raises UsageError."""
        self.actions: dict[int, bool] = {}
        self.blocked: set[int] = set()
        self._unblocked: set[int] = set()
        self._lenient: set[int] = set()
        for action, names in options:
            numbers = list(NAMES) if names is None else list(_numbers(names))
            for number in numbers:
                if action == "block":
                    self.blocked.add(number)
                    self._unblocked.discard(number)
                    continue
                if action == "default":
                    self.blocked.discard(number)
                    self._unblocked.add(number)
                self.actions[number] = action == "ignore"
                (self._lenient.add if names is None else self._lenient.discard)(number)

    def apply(self, ctx: Context, debug: bool, listing: bool) -> None:
        """Change the signals that the process ignores, and print them if requested. Raises Failure."""
        process = ctx.process
        ignored = set(process.ignored)
        for number, ignore in sorted(self.actions.items()):
            fixed = number in _FIXED
            if fixed and number not in self._lenient:
                raise Failure(f"failed to set signal action for signal {number}: Invalid argument")
            if not fixed:
                (ignored.add if ignore else ignored.discard)(number)
            if debug:
                setting = "IGNORE" if ignore else "DEFAULT"
                note = " (failure ignored)" if fixed else ""
                print_line(ctx, f"Reset signal {_name(number)} ({number}) to {setting}{note}")
        if debug:
            for number in sorted(self.blocked | self._unblocked):
                setting = "BLOCK" if number in self.blocked else "UNBLOCK"
                print_line(ctx, f"signal {_name(number)} ({number}) mask set to {setting}")
        blocked = self.blocked - set(_FIXED)
        if listing:
            for number in sorted(ignored | blocked):
                states = ["BLOCK"] * (number in blocked) + ["IGNORE"] * (number in ignored)
                print_line(ctx, f"{_name(number):<10} ({number:2}): {','.join(states)}")
        process.ignored = ignored | blocked  # ignoring a signal has the same effect as never delivering it


def _name(number: int) -> str:
    return "POLL" if number == 29 else NAMES[number]  # GNU's name for what bash calls IO


def _numbers(names: str) -> Iterator[int]:
    for name in filter(None, names.split(",")):
        number = parse_signal(name)
        if number is None:
            raise UsageError(f"{quote_always(name)}: invalid signal")
        yield number


def print_line(ctx: Context, line: str) -> None:
    """Write a line to standard error."""
    ctx.process.write_error(f"{line}\n".encode("utf-8", "surrogateescape"))

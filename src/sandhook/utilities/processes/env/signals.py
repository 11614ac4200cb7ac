"""The signal options of env: what the command ignores, has as its default, or never gets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, also, opt
from sandhook.kernel.signals import NAMES, parse_signal
from sandhook.text.quoting import quote_always

_FIXED = (9, 19)  #: KILL and STOP cannot be changed


def signal_options() -> Any:
    """Declare the options; each gives what is asked for, and the names of signals ("" is all of them)."""
    return also(*(_declared(what, help_) for what, help_ in (
        ("default", "the command has the default of these signals (of all)"),
        ("ignore", "the command ignores these signals (all)"),
        ("block", "the command never gets these signals (all)"),
    )))  # fmt: skip


def _declared(what: str, help_: str) -> Any:
    return opt(
        f"--{what}-signal",
        "SIGNAL,...",
        help_,
        optional=True,
        const=(what, None),
        convert=lambda text: (what, text),
        append=True,
    )


class Handling:
    """What becomes of signals.

    Attributes:
        actions: True is ignored and False the default, by number, where an option says so.
        blocked: What is kept back.
    """

    def __init__(self, asked: Iterable[tuple[str, str | None]]) -> None:
        """Read options in their order. Raises UsageError, and Failure for what cannot be changed."""
        self.actions: dict[int, bool] = {}
        self.blocked: set[int] = set()
        self._freed: set[int] = set()
        self._lenient: set[int] = set()
        for what, names in asked:
            numbers = list(NAMES) if names is None else list(_numbers(names))
            for number in numbers:
                if what == "block":
                    self.blocked.add(number)
                    self._freed.discard(number)
                    continue
                if what == "default":
                    self.blocked.discard(number)
                    self._freed.add(number)
                self.actions[number] = what == "ignore"
                (self._lenient.add if names is None else self._lenient.discard)(number)

    def apply(self, ctx: Context, debug: bool, listing: bool) -> None:
        """Change what the process ignores, and say what is so. Raises Failure."""
        process = ctx.process
        ignored = set(process.ignored)
        for number, ignore in sorted(self.actions.items()):
            fixed = number in _FIXED
            if fixed and number not in self._lenient:
                raise Failure(f"failed to set signal action for signal {number}: Invalid argument")
            if not fixed:
                (ignored.add if ignore else ignored.discard)(number)
            if debug:
                to = "IGNORE" if ignore else "DEFAULT"
                note = " (failure ignored)" if fixed else ""
                print_line(ctx, f"Reset signal {_name(number)} ({number}) to {to}{note}")
        if debug:
            for number in sorted(self.blocked | self._freed):
                to = "BLOCK" if number in self.blocked else "UNBLOCK"
                print_line(ctx, f"signal {_name(number)} ({number}) mask set to {to}")
        kept = self.blocked - set(_FIXED)
        if listing:
            for number in sorted(ignored | kept):
                states = ["BLOCK"] * (number in kept) + ["IGNORE"] * (number in ignored)
                print_line(ctx, f"{_name(number):<10} ({number:2}): {','.join(states)}")
        process.ignored = ignored | kept  # what is never delivered might as well be ignored


def _name(number: int) -> str:
    return "POLL" if number == 29 else NAMES[number]  # GNU's name for what bash calls IO


def _numbers(names: str) -> Iterator[int]:
    for name in filter(None, names.split(",")):
        number = parse_signal(name)
        if number is None:
            raise UsageError(f"{quote_always(name)}: invalid signal")
        yield number


def print_line(ctx: Context, line: str) -> None:
    """Write a line to standard error as it is."""
    ctx.process.write_error(f"{line}\n".encode("utf-8", "surrogateescape"))

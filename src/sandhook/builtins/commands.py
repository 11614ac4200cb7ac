"""Builds the commands of a shell: built-ins, utilities, and the utilities of the caller."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache

from sandhook import builtins
from sandhook.interp.lookup import Builtin, Commands
from sandhook.state.state import State
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities import UTILITIES, installed, load

if TYPE_CHECKING:
    from sandhook.command.own import Utilities
    from sandhook.command.utility import Utility


class _LazyUtilities(Mapping[str, "Utility"]):
    """The utilities of a shell: each module is imported when it is first called."""

    def __init__(self, own: Mapping[str, Utility], without: Collection[str]) -> None:
        self._own = dict(own)
        self._names = {**UTILITIES, **self._own}  # those of installed packages are looked up last
        self._without = frozenset(without)
        for name in self._without:
            self._names.pop(name, None)

    def __getitem__(self, name: str) -> Utility:
        utility = self._own.get(name)
        if utility is None:
            from sandhook.command.utility import Utility

            utility = self._own[name] = Utility(load(name))
        return utility

    def __contains__(self, name: object) -> bool:
        return name in self._names or (name in installed() and name not in self._without)

    def __iter__(self) -> Iterator[str]:
        return (name for name in {**self._names, **installed()} if name not in self._without)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _load_builtin(name: str) -> Builtin | None:
    if name not in builtins.BUILTINS:
        return None
    run: Builtin = builtins.load(name).run
    return run


def _evaluate_test(state: State, arguments: list[str]) -> bool:
    from sandhook.builtins.output.test import ShellProbe
    from sandhook.utilities.system.test import evaluate

    return evaluate(arguments, ShellProbe(state))


def make_commands(utilities: Utilities | None, without: Collection[str] = ()) -> Commands:
    """Return all commands of a shell: built-ins, utilities, and the utilities of the caller.

    Args:
        without: Names of utilities that it lacks.
    """
    own: Mapping[str, Utility] = {}
    if utilities:
        from sandhook.command.own import by_name

        own = by_name(utilities)
    return Commands(
        _load_builtin,
        _LazyUtilities(own, without),
        prepare=builtins.prepare,
        test=_evaluate_test,
        names=builtins.NAMES,
        special=builtins.SPECIAL,
        declarations=builtins.DECLARATIONS,
        keywords=builtins.KEYWORDS,
    )


@cache
def standard_commands() -> Commands:
    """Return the commands of a shell without utilities of the caller; cached and never changed."""
    return make_commands(None)

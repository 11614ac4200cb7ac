"""test, [: evaluate a conditional expression.

Source: POSIX.1-2024 XCU 3 test; bash 5.2 reference manual 6.4. The expression is
evaluated by ``utilities.system.test``; this adds the variables (-v, -R) and options (-o) of the shell.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, builtin, runtime, split_reference
from sandhook.interp.lookup import utility_at
from sandhook.kernel.status import descriptor_status
from sandhook.state.references import refers_to_element
from sandhook.state.state import State
from sandhook.state.values import ASSOC, AssociativeArray, hash_of
from sandhook.utilities.system.test import evaluate
from sandhook.utilities.system.test_operators import TestError
from sandhook.vfs.base import Stat
from sandhook.vfs.path import VirtualPath, join

USAGE = "test [expr]"
OTHER_USAGES = {"[": "[ arg... ]"}


@builtin(USAGE, OTHER_USAGES)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 0 for true, 1 for false, 2 for an invalid expression."""
    bracket = argv[0] == "["
    arguments = argv[1:]
    if bracket:
        if not arguments or arguments[-1] != "]":
            raise BuiltinError("missing `]'", 2)
        arguments = arguments[:-1]
    try:
        return 0 if evaluate(arguments, ShellProbe(state), bracket=bracket) else 1
    except TestError as error:
        raise BuiltinError(str(error), 2) from None


class ShellProbe:
    """The facts about a shell and its process that an expression can test."""

    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = state

    def stat(self, name: str, follow: bool = True) -> Stat | None:
        if not name:
            return None
        process = self._state.process
        path = join(process.cwd, name)
        try:
            is_device = path.startswith(("/dev/", "/proc/"))
            status = descriptor_status(process, path, follow=follow) if is_device else None
            return status or process.kernel.fs.stat(path, follow=follow)
        except OSError:
            return self._standard(name)

    def access(self, name: str, mask: int) -> bool:
        if not name:
            return False
        process = self._state.process
        path = join(process.cwd, name)
        if process.kernel.fs.access(path, mask):
            return True
        return not mask & 2 and self._standard(name) is not None and not process.kernel.fs.exists(path)

    def _standard(self, name: str) -> Stat | None:
        """Return the status of a standard path, such as /usr/bin/jq, that ``command -v`` prints for a utility."""
        utility = utility_at(self._state, name)
        return None if utility is None else Stat(0o100755, 1, hash_of(utility), 1)

    def terminal(self, number: int) -> bool:
        description = self._state.process.descriptors.get(number)
        return description is not None and description.terminal

    def owner(self) -> tuple[int, int]:
        info = self.stat(VirtualPath("/proc/self"))
        return (info.uid, info.gid) if info is not None else (0, 0)

    def is_set(self, name: str) -> bool:
        return variable_is_set(self._state, name)

    def option(self, name: str) -> bool:
        return name in self._state.options.enabled

    def is_nameref(self, name: str) -> bool:
        return bool(self._state.namerefs.get(name))


def variable_is_set(state: State, text: str) -> bool:
    """Return the result of ``-v text``: a name, or an element of an array; "@" stands for any element."""
    reference = split_reference(text)
    if reference is None:
        return text.isascii() and text.isdigit() and int(text[:10]) <= len(state.positional)
    name, subscript = reference
    if name in state.namerefs and refers_to_element(state.namerefs, name):
        return False
    if subscript is None:
        return state.get(name) is not None
    value = state.value(name)
    if value is None:
        is_index = subscript not in ("@", "*") and not state.attributes.get(name, 0) & ASSOC
        if is_index and state.shell.subscript(state, subscript) < 0:
            state.report_bad_subscript(name)
        return False
    if subscript in ("@", "*"):
        if isinstance(value, AssociativeArray):
            return subscript in value.items
        return isinstance(value, str) or len(value) > 0
    return state.element(name, runtime(state).subscript_text(state, name, subscript)) is not None

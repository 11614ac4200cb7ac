"""Calls of functions and sourced scripts, and what their locals hide."""

from __future__ import annotations

from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import SupportsIndex

    from sandhook.limits import Budget
    from sandhook.state.options import Options
    from sandhook.state.values import Charge, Value

#: The value of most sets of a frame; never changed.
_NO_NAMES: set[str] = set()


class Saved(Record):
    """What a local variable hides; ``value`` is None when the name was unset."""

    value: Value | None
    attributes: int
    target: str | None


#: What a local hides if the name was unset, as most names were.
UNSET_BEFORE = Saved(None, 0, None)


class TemporaryScope:
    """The assignments before a built-in that runs commands (``x=1 eval ...``).

    Attributes:
        depth: The number of calls around the built-in.
        saved: Variables that the assignments hide.
        declared: Names among them that ``local`` has declared since.
        lasts: The assignments outlast the built-in, as in POSIX mode.
        values: The assigned values, if what the built-in itself assigns to the variables outlasts it; else None.
    """

    __slots__ = ("declared", "depth", "lasts", "saved", "values")

    def __init__(self, depth: int, saved: dict[str, Saved], *, lasts: bool = False) -> None:
        self.depth = depth
        self.lasts = lasts
        self.values: dict[str, Value | None] | None = None
        self.saved = saved
        self.declared: set[str] = set()

    def copy(self) -> TemporaryScope:
        """Return the scope for a subshell, which may unset names there alone."""
        new = TemporaryScope(self.depth, self.saved.copy(), lasts=self.lasts)
        new.declared = self.declared.copy()
        new.values = self.values
        return new


class Frame:
    """One call of a function or sourced script.

    Attributes:
        saved: Variables that locals of this call hide.
        arguments: Of the call, for BASH_ARGV: a list under extdebug only, a tuple in any case; None for none.
        temporary: Names among ``saved`` that were assigned before the call (``x=1 f``) and are not local yet.
        assigned_before: All names that were assigned before the call.
        exported: Names of those that the call exported: their value stays.
        options: The options that ``local -`` restores, else None.
        charge: Memory that is refunded when the call ends; most calls have none.
        line: Line of the call; ``source`` and ``function`` name the place.
    """

    # ``new_frame`` fills it: every call has a frame, and ``__init__`` would cost as much again as the rest.
    __slots__ = (
        "arguments", "assigned_before", "charge", "exported", "function", "line", "options", "saved", "source",
        "sourced", "temporary",
    )  # fmt: skip
    function: str
    line: int
    source: str
    saved: dict[str, Saved]
    sourced: bool
    arguments: Sequence[str] | None
    temporary: set[str]
    assigned_before: set[str]
    exported: set[str]
    options: Options | None
    charge: Charge | None

    @staticmethod
    def of_script(line: int, source: str) -> Frame:
        """Return the frame of a sourced script."""
        frame = new_frame("source", line, source)
        frame.sourced = True
        return frame

    def without_locals(self) -> Frame:
        """Return the call with its place alone."""
        frame = new_frame(self.function, self.line, self.source)
        frame.sourced = self.sourced
        return frame

    def copy(self, budget: Budget) -> Frame:
        """Return the call for a subshell, whose locals may change there alone."""
        new = self.without_locals()
        new.saved = {
            name: saved
            if saved.value is None or isinstance(saved.value, str)
            else saved._replace(value=saved.value.copy(budget))
            for name, saved in self.saved.items()
        }
        new.arguments = self.arguments
        new.temporary = self.temporary.copy()
        new.assigned_before = self.assigned_before
        new.exported = self.exported
        new.options = self.options
        return new


def new_frame(function: str, line: int, source: str, arguments: Sequence[str] | None = None) -> Frame:
    """Return the frame of a call that hides nothing yet."""
    frame = Frame()
    frame.function = function
    frame.line = line
    frame.source = source
    frame.saved = {}
    frame.sourced = False
    frame.temporary = frame.assigned_before = frame.exported = _NO_NAMES
    frame.arguments = arguments
    frame.options = frame.charge = None
    return frame


class AbandonedCalls(list[Frame]):
    """Calls that errexit has left, with their places alone.

    They are no calls any more: once another function has been called and has returned, FUNCNAME is unset.

    Attributes:
        hidden: True after that.
    """

    def __init__(self, frames: Iterable[Frame]) -> None:
        super().__init__(frame.without_locals() for frame in frames)
        self._count = len(self)
        self.hidden = False

    def pop(self, index: SupportsIndex = -1) -> Frame:
        """Remove and return a call, which has ended."""
        frame = super().pop(index)
        self.hidden = self.hidden or not frame.sourced
        return frame

    def copy(self) -> AbandonedCalls:
        """Return the calls for a subshell."""
        new = AbandonedCalls(())
        new += self
        new._count, new.hidden = self._count, self.hidden
        return new

    def are_hidden(self) -> bool:
        """Return True if FUNCNAME is unset: no function is being called now."""
        return self.hidden and len(self) == self._count

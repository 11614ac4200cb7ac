"""Continuation: decide whether an agent that wants to stop continues, because of todos, a goal, or Stop hooks.

One budget of laps per turn bounds all three, so that hooks that always block cannot run an agent forever.
Source: jcode's runner (28 laps in all, at most 3 of them for todos); other agents use a part of that.

    turn = Continuation(lambda active: engine.fire(Stop(stop_active=active)))
    while (lap := turn.next(todos=unfinished(), goal=goal())) is not None:
        run_agent_again(lap.message)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from sandhook.hooks.model import Decision
from sandhook.limits import Cancellation
from sandhook.record import Record

#: Laps of one turn, and the most of them for todos.
LAPS, TODO_LAPS = 28, 3

_KEEP_WORKING = "A Stop hook requested that you keep working before finishing."


#: Why an agent continues.
LapSource: TypeAlias = Literal["todo", "goal", "hook"]

#: Why a turn has no further lap; "" before that.
TurnEnd: TypeAlias = Literal["", "cancelled", "exhausted", "done"]


class Lap(Record):
    """Why the agent continues: the source, and the message for the agent."""

    source: LapSource
    message: str


class Continuation:
    """The continuations of one turn; make a new one for every turn.

    Args:
        fire_stop: Fires the Stop event. Receives whether a Stop hook already made the agent continue
            in this turn.
        cancel: When it is cancelled, the agent stops and no Stop hook is fired.
        laps: The most continuations of the turn; None for any number.
        todo_laps: The most continuations for unfinished todos.
        fires_in_vain: After the last continuation the Stop hooks run once more, and decide nothing.

    Attributes:
        stop_active: A Stop hook made the agent continue in this turn; it stays true.
        used: Laps so far.
        ended: Why ``next`` returned None; "" before.
        decision: What the Stop hooks decided last, or None.
    """

    def __init__(
        self,
        fire_stop: Callable[[bool], Decision],
        *,
        cancel: Cancellation | None = None,
        laps: int | None = LAPS,
        todo_laps: int = TODO_LAPS,
        fires_in_vain: bool = False,
    ) -> None:
        self._fire_stop = fire_stop
        self._cancel = cancel
        self._laps = laps
        self._todo_laps = todo_laps
        self._fires_in_vain = fires_in_vain
        self.stop_active = False
        self.used = 0
        self.ended: TurnEnd = ""
        self.decision: Decision | None = None

    def next(self, *, todos: str | None = None, goal: str | None = None) -> Lap | None:
        """Return why the agent continues, or None when it stops.

        The order is: todos, the goal, the Stop hooks. Stop hooks are fired only when there is neither
        an unfinished todo nor an open goal.

        Args:
            todos: The message about unfinished todos; None when all are done.
            goal: The message about a goal that is not reached; None without one.
        """
        if self._cancel is not None and self._cancel.cancelled:
            self.ended = "cancelled"
            return None
        if self._laps is not None and self.used >= self._laps:
            if self._fires_in_vain:
                self.decision = self._fire_stop(self.stop_active)
            self.ended = "exhausted"
            return None
        if todos is not None and self._todo_laps > 0:
            self._todo_laps -= 1
            return self._lap("todo", todos)
        if goal is not None:
            return self._lap("goal", goal)
        self.decision = self._fire_stop(self.stop_active)
        if self._cancel is not None and self._cancel.cancelled:
            self.ended = "cancelled"
            return None
        if not self.decision.force_continue or self.decision.halt:
            self.ended = "done"
            return None
        self.stop_active = True
        return self._lap("hook", self.decision.reason or _KEEP_WORKING)

    def _lap(self, source: LapSource, message: str) -> Lap:
        self.used += 1
        return Lap(source, message)

"""The result of ``portability``: for every hook, agent and system whether the hook runs, and why not."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from sandhook.hooks.contracts._launch import System
from sandhook.record import Record

#: "differs" is a hook that starts and does something else; "unknown" is a fact that nobody has established.
State: TypeAlias = Literal["runs", "differs", "unknown", "fails"]

#: States, best first.
STATES: tuple[State, ...] = get_args(State)

#: What a reason is about: "agent" is what the agent cannot express, "answer" payload and verdict, "launcher" what reads
#: the command line, "command line" its text, "file" bytes, mode or first line of a script, "shell" the version of the
#: shell, "program" a program that is missing, "option" an option of a program.
Aspect: TypeAlias = Literal[
    "agent", "answer", "launcher", "command line", "file", "shell", "program", "option"
]


class Reason(Record):
    """One reason of a state.

    Attributes:
        state: What this reason alone makes of the hook.
        aspect: One of Aspect.
        message: The reason, for people.
        file: The script; "" for the hook's own command.
        line: Line in it, from 1; 0 when unknown.
    """

    state: State
    aspect: Aspect
    message: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: " if self.file and self.line else ""
        return f"{where}{self.message}"


class Portability(Record):
    """One hook under one agent on one system.

    Attributes:
        hook: Id of the hook.
        agent: Name of the contract.
        system: The system.
        reasons: Worst first; a reason of the state "runs" is a condition, such as a program to install.
    """

    hook: str
    agent: str
    system: System
    reasons: tuple[Reason, ...] = ()

    @property
    def state(self) -> State:
        """The worst state of the reasons."""
        return max((each.state for each in self.reasons), key=STATES.index, default="runs")


def ordered(reasons: list[Reason]) -> tuple[Reason, ...]:
    """Return reasons without repetitions, worst first."""
    return tuple(sorted(dict.fromkeys(reasons), key=lambda each: -STATES.index(each.state)))

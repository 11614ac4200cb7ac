"""What a program is given of a shell: variables, functions, descriptors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.state.environment import exported_variables
from sandhook.state.values import EXPORT

if TYPE_CHECKING:
    from sandhook.kernel.descriptor import Description
    from sandhook.state.state import State


def exported(state: State) -> dict[str, str]:
    """Return the exported variables, and functions in the form in which bash hands them on."""
    made: dict[str, str] = exported_variables(state)
    for name, function in state.functions.items():
        if function.attributes & EXPORT:
            text = function.definition()
            made[f"BASH_FUNC_{name}%%"] = "() {" + text.partition("{")[2]
    return made


def inherited(state: State) -> dict[int, Description]:
    """Return the descriptors that a program gets: all but those of coprocesses."""
    descriptors = state.process.descriptors
    closed = state.coprocesses
    if not closed:
        return descriptors
    return {number: each for number, each in descriptors.items() if number not in closed}

"""The variables, functions and descriptors that a program inherits from a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.state.environment import exported_functions, exported_variables

if TYPE_CHECKING:
    from sandhook.kernel.descriptor import Description
    from sandhook.state.state import State


def inherited_environment(state: State) -> dict[str, str]:
    """Return the exported variables, and the exported functions as variables in bash's form."""
    environment: dict[str, str] = exported_variables(state)
    environment.update(
        (f"BASH_FUNC_{name}%%", definition) for name, definition in exported_functions(state).items()
    )
    return environment


def inherited_descriptors(state: State) -> dict[int, Description]:
    """Return the descriptors that a program inherits: all except those of coprocesses."""
    descriptors = state.process.descriptors
    coprocess_numbers = state.coprocesses
    if not coprocess_numbers:
        return descriptors
    return {
        number: description for number, description in descriptors.items() if number not in coprocess_numbers
    }

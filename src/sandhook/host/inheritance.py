"""What a program inherits of a shell: variables, functions, descriptors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.state.values import EXPORT

if TYPE_CHECKING:
    from sandhook.kernel.descriptor import Description
    from sandhook.state.state import State


def inherited_environment(state: State) -> dict[str, str]:
    """Return the exported variables, and the exported functions as variables in bash's form."""
    environment: dict[str, str] = state.environment()
    for name, function in state.functions.items():
        if function.attributes & EXPORT:
            text = state.shell.unparse_function(function)
            environment[f"BASH_FUNC_{name}%%"] = "() {" + text.partition("{")[2]
    return environment


def inherited_descriptors(state: State) -> dict[int, Description]:
    """Return the descriptors that a program gets: all except those of coprocesses."""
    descriptors = state.process.descriptors
    closed = state.extra.get("coprocesses")
    if not closed:
        return descriptors
    return {number: description for number, description in descriptors.items() if number not in closed}

"""One of the functions of ``fuzz.real`` in bash and in the sandbox."""

from __future__ import annotations

from fuzz.pieces import promise
from fuzz.real import ENVIRONMENT, FUNCTIONS, NoAnswer, bash
from fuzz.targets.scripts import LIMITS, check
from sandhook.shell import Shell

_SHELL = Shell(env=ENVIRONMENT, limits=LIMITS)


def compare(name: str, *arguments: str) -> None:
    """Raise Broken when bash and the sandbox print different things."""
    result = _SHELL.run("shopt -s extglob\n" + FUNCTIONS[name], args=arguments)
    check(result, *arguments)
    if result.limit is not None:
        return
    try:
        expected = bash().call(name, *arguments)
    except NoAnswer:
        return
    promise(result.stdout == expected, f"{name} as in bash", arguments, expected, result.stdout)

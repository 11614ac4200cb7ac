"""Which scripts have their tools: a script that calls a utility which is not built in proves nothing.

Such a case comes to life on the day when the utility does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeVar

import pytest

from sandhook import builtins
from sandhook.utilities import names

T = TypeVar("T")

#: Utilities that the scripts here call and that may be absent. What must be absent for good
#: (python3, curl, sudo) is not listed: that it is not found is what those cases test.
TOOLS = frozenset(
    """
    awk base64 bash chmod cmp comm compgen cp cut date dd diff dirname env expr find fold grep head jq join ln ls
    md5sum mkdir mkfifo mktemp mv nice nl nohup od paste printenv readlink realpath rm rmdir sed seq sh sha256sum
    shuf sleep sort split stat sum tac tail tar tee timeout touch tr truncate uniq wc xargs xxd yes
    """.split()
)

KNOWN = names() | builtins.NAMES | {"bash", "sh"}


def every(step: int, values: Iterable[Any]) -> list[Any]:
    """Return the values of a parameter; the first of each ``step`` runs by default, the others are marked slow."""
    return [
        value
        if number % step == 0
        else pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]


def lacking(script: str) -> frozenset[str]:
    """Return the utilities that a script calls and that are not built in."""
    missing = TOOLS - KNOWN
    return missing and missing & set(re.findall(r"(?<![-\w./$@'\"=:])[a-z0-9]+(?![-\w/=:'\"])", script))


def present(cases: Iterable[T]) -> list[T]:
    """Return the cases (scripts, or tuples that begin with one) whose utilities are all built in."""
    return [case for case in cases if not lacking(_script(case))]


def _script(case: Any) -> str:
    return case if isinstance(case, str) else str(case[0])

"""Checks of installed packages: entry points of the group ``sandhook.checks``.

The value of an entry point names a function: it receives a ``CheckedHook`` and returns ``Remark`` records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from sandhook.hooks.checks.rules import SEVERITIES, RuleId, Severity
from sandhook.hooks.model import HookSpec
from sandhook.record import Record

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The group of the entry points.
GROUP = "sandhook.checks"


class CheckedHook(Record):
    """A hook, for checks of packages.

    Attributes:
        contract: The name of its agent.
        spec: The hook: its event, matcher and ``executor``, whose ``text`` is the shell text.
        project: The directory that it runs in, an absolute path with slashes.
        read: Returns the bytes of a file; None when it is missing or cannot be read.
    """

    contract: str
    spec: HookSpec
    project: str
    read: Callable[[str], bytes | None]


class Remark(Record):
    """What a check of a package found.

    Attributes:
        rule: Its identifier, of the package's own choice.
        message: What is wrong here.
        severity: One of ``checks.SEVERITIES``.
        file: The file; "" for the configuration of the hook.
        line: Line in it, from 1; 0 when unknown.
    """

    rule: str
    message: str
    severity: Severity = "warning"
    file: str = ""
    line: int = 0


#: A check of a package.
Check = Callable[[CheckedHook], Iterable[Remark]]

_RULES: dict[Severity, RuleId] = {"error": "E-PACKAGE", "warning": "W-PACKAGE", "note": "N-PACKAGE"}


@cache
def _points() -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)))


def remarks(hook: CheckedHook) -> Iterator[tuple[RuleId, str, str, int]]:
    """Yield rule, message, file and line of what the checks of all packages find; a check that fails is a finding."""
    for point in _points():
        try:
            check: Check = point.load()
            for each in list(check(hook)):
                if not isinstance(each, Remark) or each.severity not in SEVERITIES:
                    what = "returned something other than Remarks with a severity of error, warning or note"
                    yield "E-CHECK", f"{point.name} ({point.value}) {what}: {each!r:.80}", "", 0
                    break
                yield _RULES[each.severity], f"{each.rule}: {each.message}", each.file, each.line
        except Exception as error:  # the package's code, which may raise anything
            yield "E-CHECK", f"{point.name} ({point.value}) failed: {type(error).__name__}: {error}", "", 0

"""What the hooks did, in the report of a test that failed: ``assert decision.refused`` explains itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sandhook.hooks.model import Decision
from sandhook.hooks.report import to_text

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Decisions of the fixture ``fire`` in a test, in their order.
FIRED = pytest.StashKey[list[Decision]]()

#: Decisions that one report explains.
MOST = 5


def explain(
    item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException], report: pytest.TestReport
) -> None:
    """Add a section for each decision that the failed test had."""
    if not isinstance(excinfo.value, AssertionError | pytest.fail.Exception):
        return
    for name, decision in _decisions(item, excinfo):
        heading = f"sandhook: {name}, decided by the hooks" if name else "sandhook: decided by the hooks"
        text = "\n".join(to_text(decision, output=True))
        add = getattr(report.longrepr, "addsection", None)
        if add is not None:  # below the traceback, where the assertion is
            add(heading, text, "-")
        else:
            report.sections.append((heading, text))


def _decisions(
    item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException]
) -> Iterator[tuple[str, Decision]]:
    """Yield the decisions in the variables of the frames of the test; without any, the last one that was fired."""
    seen: list[Decision] = []
    for entry in reversed(excinfo.traceback):
        for name, value in entry.locals.items():
            if isinstance(value, Decision) and not any(value is each for each in seen):
                seen.append(value)
                yield name if name.isidentifier() else "", value
                if len(seen) == MOST:
                    return
    fired = item.stash.get(FIRED, [])
    if not seen and fired:
        yield "", fired[-1]

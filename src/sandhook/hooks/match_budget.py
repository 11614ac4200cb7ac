"""The time and the memory in which the matchers of one event decide.

An expression is a configuration's, and the text that it searches is often the model's: a command, the input of a tool.
A matcher that exceeds a bound has decided nothing, so its hook could not run.
"""

from __future__ import annotations

from time import monotonic

from sandhook.errors import LimitExceeded
from sandhook.hooks.event import Event
from sandhook.hooks.matcher import Match, Matcher
from sandhook.limits import Budget, Limits, use_budget

#: Seconds in which all matchers of one event must decide.
MATCH_SECONDS = 5.0

_LIMITS = Limits(wall_seconds=MATCH_SECONDS)


class MatchBudget:
    """What is left for the matchers of one event; the clock runs only while one of them decides."""

    def __init__(self) -> None:
        self._budget = Budget(_LIMITS)
        self._paused_at = self._budget.started

    def check(self, matcher: Matcher, event: Event) -> Match:
        """Return what a matcher decides; ``undecided`` if it exceeds a bound, or raises an exception."""
        budget = self._budget
        budget.started += monotonic() - self._paused_at
        outer = use_budget(budget)
        try:
            return matcher.check(event)
        except LimitExceeded as error:
            bound = f"within {MATCH_SECONDS:g} seconds" if error.limit == "wall_seconds" else f"({error})"
            return Match(False, f"the matcher could not decide {bound}", undecided=True)
        except Exception as error:  # a contract of another package may have any matcher
            why = f"the matcher could not decide: {error.__class__.__name__}: {error}"
            return Match(False, why, undecided=True)
        finally:
            use_budget(outer)
            self._paused_at = monotonic()

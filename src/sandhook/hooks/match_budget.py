"""The time and the memory in which the matchers of one event decide.

An expression is a configuration's, and the text that it searches is often the model's: a command, the input of a tool.
A matcher that exceeds a bound has decided nothing, so its hook could not run. A hook that matches may still repeat an
earlier one.
"""

from __future__ import annotations

from time import monotonic

from sandhook.errors import LimitExceeded
from sandhook.hooks.contracts import may_override, needs_trust
from sandhook.hooks.event import Event
from sandhook.hooks.matcher import Match, Matcher, ToolName
from sandhook.limits import Budget, Limits, use_budget
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.hooks.fold import Dedupe
    from sandhook.hooks.model import Compat, HookSpec

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
        if type(matcher) is ToolName and (known := matcher.known(event)) is not None:
            return known
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


class RepeatedHooks:
    """The hooks of one event with equal text and arguments, of which ``FoldPolicy.dedupe`` runs only the first.

    A hook of a weaker layer does not run in place of a stronger layer's: it may have another timeout or other
    variables. In strict mode it does, as upstream.
    """

    def __init__(self, compat: Compat) -> None:
        self._strict = compat == "strict"
        self._running: dict[tuple[str, str, str, str, tuple[str, ...], bool], list[HookSpec]] = {}

    def is_repeated(self, spec: HookSpec, dedupe: Dedupe, *, renamed: bool = False) -> bool:
        """Return whether an earlier hook runs in place of this one; otherwise remember this one.

        Args:
            renamed: The hook sees another name of the tool than most.
        """
        executor = spec.executor
        source = spec.source if dedupe == "source" else ""
        running = self._running.setdefault(
            (source, spec.variant, executor.type, executor.text, executor.argv, renamed), []
        )
        if any(self._strict or _runs_for(other, spec) for other in running):
            return True
        running.append(spec)
        return False


def _runs_for(other: HookSpec, spec: HookSpec) -> bool:
    """Return whether an earlier hook of the same text may run in place of a hook."""
    if may_override(other.layer, spec.layer):
        return True
    if needs_trust(other.layer):
        return False
    return (other.executor, other.timeout, other.on_error, other.background) == (
        spec.executor,
        spec.timeout,
        spec.on_error,
        spec.background,
    )

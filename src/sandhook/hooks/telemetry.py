"""OpenTelemetry spans of hooks: one per fired event, with one child per hook that ran.

Needs the extra ``sandhook[otel]`` (opentelemetry-api). Without it, or without a provider of the host,
nothing is recorded and nothing fails::

    engine = traced(HookEngine.load("hooks.json"))
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from sandhook.hooks.secrets import redact
from sandhook.version import __version__

if TYPE_CHECKING:
    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision, Outcome
    from sandhook.limits import Cancellation

#: Characters of a reason in an attribute.
MAX_TEXT = 512


#: Attributes of a span.
Attributes = dict[str, str | bool | int | list[str]]


class Span(Protocol):
    """The methods of ``opentelemetry.trace.Span`` that are called here."""

    def set_attributes(self, attributes: Attributes, /) -> None: ...

    def record_exception(self, exception: BaseException, /) -> None: ...

    def end(self, end_time: int | None = None) -> None: ...


class Tracer(Protocol):
    """The method of ``opentelemetry.trace.Tracer`` that is called here.

    Args:
        context: The context of the parent span; the current one when None.
        start_time: Nanoseconds since the epoch; now when None.
    """

    def start_span(
        self,
        name: str,
        context: object = None,
        *,
        attributes: Attributes | None = None,
        start_time: int | None = None,
    ) -> Span: ...


def default_tracer() -> Tracer | None:
    """Return the tracer of the host's provider, or None when opentelemetry-api is not installed."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    tracer: Tracer = trace.get_tracer("sandhook", __version__)
    return tracer


class TracedEngine:
    """Fires events at an engine and records a span for each; delegates everything else to the engine."""

    def __init__(self, engine: HookEngine, tracer: Tracer) -> None:
        self.engine = engine
        self._tracer = tracer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def fire(
        self, event: Event, *, cancel: Cancellation | None = None, caller: Contract | None = None
    ) -> Decision:
        """Fire an event; see ``HookEngine.fire``."""
        with self._span(event) as record:
            return record(self.engine.fire(event, cancel=cancel, caller=caller))

    async def afire(self, event: Event) -> Decision:
        """Fire an event in a thread; see ``HookEngine.afire``."""
        with self._span(event) as record:
            return record(await self.engine.afire(event))

    @contextmanager
    def _span(self, event: Event) -> Iterator[Callable[[Decision], Decision]]:
        """Begin a span and end it; yield a function that adds a decision to it, and returns the decision."""
        began = time.time_ns()
        span = self._tracer.start_span("sandhook.fire", start_time=began, attributes=_of_event(event))

        def record(decision: Decision) -> Decision:
            self._record(span, decision, began)
            return decision

        try:
            yield record
        except BaseException as error:
            span.record_exception(error)
            raise
        finally:
            span.end()

    def _record(self, span: Span, decision: Decision, began: int) -> None:
        span.set_attributes(_of_decision(decision))
        context = child_context(span)
        at = began
        for outcome in decision.outcomes:
            if outcome.run is None:
                continue
            end = at + round(outcome.run.duration * 1e9)
            inner = self._tracer.start_span(
                "sandhook.hook", context=context, start_time=at, attributes=_of_outcome(outcome)
            )
            inner.end(end_time=end)
            at = end


def traced(engine: HookEngine, tracer: Tracer | None = None) -> HookEngine | TracedEngine:
    """Return an engine that records spans; the engine itself when there is no tracer.

    Args:
        tracer: Where spans go; the host's own provider when None.
    """
    tracer = tracer if tracer is not None else default_tracer()
    return engine if tracer is None else TracedEngine(engine, tracer)


def child_context(span: Span) -> object:
    """Return a context with a span as the parent; None when opentelemetry-api is not installed."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    context: object = trace.set_span_in_context(span)
    return context


def _of_event(event: Event) -> Attributes:
    attributes: Attributes = {"sandhook.event": event.kind}
    if event.session_id is not None:
        attributes["sandhook.session_id"] = event.session_id
    if event.tool is not None:
        attributes["sandhook.tool"] = event.tool.name
        if event.tool.call_id is not None:
            attributes["sandhook.tool_call_id"] = event.tool.call_id
    return attributes


def _of_decision(decision: Decision) -> Attributes:
    count = sum(outcome.run is not None for outcome in decision.outcomes)
    attributes: Attributes = {
        "sandhook.contract": decision.contract,
        "sandhook.native_event": decision.event,
        "sandhook.refused": decision.refused,
        "sandhook.permission": decision.permission,
        "sandhook.hooks": len(decision.outcomes),
        "sandhook.hooks_run": count,
    }
    if decision.reason is not None:
        attributes["sandhook.reason"] = short_text(decision.reason)
    if decision.could_not_run:
        attributes["sandhook.could_not_run"] = list(decision.could_not_run)
    return attributes


def _of_outcome(outcome: Outcome) -> Attributes:
    run, verdict = outcome.run, outcome.verdict
    attributes: Attributes = {
        "sandhook.hook_id": outcome.spec.id,
        "sandhook.native_event": outcome.spec.native_event,
        "sandhook.decision": verdict.label,
        "sandhook.refuses": verdict.refuses,
    }
    if outcome.spec.layer:
        attributes["sandhook.layer"] = outcome.spec.layer
    if run is not None:
        attributes["sandhook.stdout_bytes"] = len(run.stdout)
        if run.exit_status is not None:
            attributes["process.exit.code"] = run.exit_status
        if run.limit is not None:
            attributes["sandhook.limit"] = run.limit
    if verdict.reason is not None:
        attributes["sandhook.reason"] = short_text(verdict.reason)
    if verdict.could_not_run is not None:
        attributes["sandhook.could_not_run"] = short_text(verdict.could_not_run)
    return attributes


def short_text(text: str) -> str:
    """Return the beginning of a text of a hook, without secrets."""
    return redact(text[: 4 * MAX_TEXT])[:MAX_TEXT]

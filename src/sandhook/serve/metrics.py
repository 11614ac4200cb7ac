"""Counters and histograms of a service, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from sandhook.hooks.event import JsonObject

__all__ = ["CONTENT_TYPE_LATEST", "Metrics"]

#: Seconds; a guard of one jq takes 0.3 ms, and a hook that asks a program seconds.
_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)


class Metrics:
    """What a service counts. The labels come from configurations and contracts, so their number is bounded.

    Attributes:
        running, waiting: Events that are fired now, and that wait for it.
        overflows: Events that were refused because too many waited.
        restarts: Worker processes that ended and were replaced.
        stale: Engines whose newer configuration is not in use.
    """

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._fires = Counter(
            "sandhook_fires", "Events that were fired.", ("agent", "event", "ending"), registry=registry
        )
        self._seconds = Histogram(
            "sandhook_fire_seconds",
            "Time of an event in the service, without the queue.",
            ("agent",),
            buckets=_BUCKETS,
            registry=registry,
        )
        self._decisions = Counter(
            "sandhook_decisions", "Decisions of hooks.", ("agent", "hook", "decision"), registry=registry
        )
        self._failures = Counter(
            "sandhook_could_not_run", "Hooks that could not run.", ("agent", "hook"), registry=registry
        )
        self._hook_seconds = Histogram(
            "sandhook_hook_seconds", "Time of a hook.", ("agent", "hook"), buckets=_BUCKETS, registry=registry
        )
        self._commands = Counter(
            "sandhook_commands", "Commands of clients.", ("command", "status"), registry=registry
        )
        self.running = Gauge("sandhook_running", "Events that are fired now.", registry=registry)
        self.waiting = Gauge("sandhook_waiting", "Events that wait to be fired.", registry=registry)
        self.overflows = Counter(
            "sandhook_overflows", "Events refused because too many waited.", registry=registry
        )
        self.restarts = Counter(
            "sandhook_worker_restarts", "Worker processes that were replaced.", registry=registry
        )
        self.stale = Gauge(
            "sandhook_stale_engines", "Engines whose newer configuration is not in use.", registry=registry
        )

    def command(self, name: str, status: int) -> None:
        """Count a command of a client."""
        self._commands.labels(name, str(status)).inc()

    def fire(self, ending: str, record: JsonObject) -> None:
        """Count a fire and its hooks."""
        agent = _text(record.get("agent")) or "neutral"
        self._fires.labels(agent, _text(record.get("event")), ending).inc()
        duration = record.get("duration_ms")
        if isinstance(duration, int | float):
            self._seconds.labels(agent).observe(duration / 1000)
        decision = record.get("decision")
        outcomes = decision.get("outcomes") if isinstance(decision, dict) else None
        for outcome in outcomes if isinstance(outcomes, list) else ():
            if isinstance(outcome, dict) and outcome.get("ran"):
                self._hook(agent, outcome)

    def _hook(self, agent: str, outcome: JsonObject) -> None:
        hook = _text(outcome.get("hook_id"))
        self._decisions.labels(agent, hook, _text(outcome.get("decision"))).inc()
        if outcome.get("could_not_run") is not None:
            self._failures.labels(agent, hook).inc()
        duration = outcome.get("duration_ms")
        if isinstance(duration, int | float):
            self._hook_seconds.labels(agent, hook).observe(duration / 1000)

    def text(self) -> bytes:
        """Return the metrics in Prometheus's text format."""
        return generate_latest(self._registry)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

"""Wrong arguments raise at once, with their name: no mistake gives an engine that allows everything."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import HookEngine, NopEngine, RunResult
from sandhook.hooks.contracts import Document
from sandhook.hooks.event import Event
from sandhook.hooks.events import PromptSubmit, ToolPre
from tests.hooks.test_silencing import GUARDS

GUARD = GUARDS["claude_code"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"runner": 3}, "runner must be a runner such as SandboxRunner"),
        ({"executors": {"http": "x"}}, r"executors\['http'\] must be a runner, not 'x'"),
        ({"executors": ["http"]}, "executors must map names of types to runners"),
        ({"trust": "yes"}, "trust must be a function of a HookSpec, not 'yes'"),
        ({"max_timeout": "3"}, "max_timeout must be a number of seconds, not '3'"),
        ({"max_timeout": True}, "max_timeout must be a number of seconds, not True"),
        ({"max_timeout": 0}, "max_timeout must be more than 0 seconds, not 0"),
        ({"max_timeout": float("nan")}, "max_timeout must be more than 0 seconds, not nan"),
        ({"fail_closed": "yes"}, "fail_closed must be False, True or 'strict', not 'yes'"),
        ({"compat": "best"}, "compat must be one of better, strict, not 'best'"),
        ({"on_long_timeout": "cut"}, "on_long_timeout must be 'clamp' or 'reject', not 'cut'"),
        ({"isolation": "proces"}, "isolation must be 'thread' or 'process', not 'proces'"),
        ({"contract": "claude"}, "unknown contract 'claude'"),
    ],
)
def test_arguments_of_load(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=message) as raised:
        HookEngine.load(GUARD, **{"contract": "claude_code", **arguments})
    assert isinstance(raised.value, (TypeError, ValueError)) or "unknown contract" in message


@pytest.mark.parametrize("source", [3, b"hooks.json", 1.5, object(), [GUARD, 3], {"a"}])
def test_what_is_no_configuration(source: Any) -> None:
    with pytest.raises(TypeError, match="sources must be paths, objects or Documents, not "):
        HookEngine.load(source, "claude_code")


@pytest.mark.parametrize("layer", ["projct", "USER", "trusted"])
def test_a_layer_that_is_not_known(layer: Any) -> None:
    with pytest.raises(
        ValueError, match=r"Document\.layer must be one of managed, user, project, local, bundle"
    ):
        HookEngine.load([Document(GUARD, layer=layer)], "claude_code")


@pytest.mark.parametrize("sources", [None, [None], (None, None)])
def test_no_configuration_where_the_engine_fails_closed(sources: Any) -> None:
    assert isinstance(HookEngine.load(sources), NopEngine)
    for fail_closed in (True, "strict"):
        for contract in (None, "claude_code"):
            with pytest.raises(TypeError, match="sources is None: with fail_closed"):
                HookEngine.load(sources, contract, fail_closed=fail_closed)  # type: ignore[arg-type]


def test_no_hooks_is_a_configuration() -> None:
    assert HookEngine.load({}, fail_closed=True).fire(ToolPre("Bash", {})).proceed
    assert HookEngine.load([], fail_closed=True).fire(ToolPre("Bash", {})).proceed


@pytest.mark.parametrize("engine", [HookEngine.load(GUARD, "claude_code", prestart=False), NopEngine()])
@pytest.mark.parametrize("event", ["PreToolUse", None, {"kind": "tool.pre"}, ToolPre])
def test_what_is_no_event(engine: HookEngine, event: Any) -> None:
    with pytest.raises(TypeError, match="event must be an Event, such as ToolPre"):
        engine.fire(event)


@pytest.mark.parametrize("engine", [HookEngine.load(GUARD, "claude_code", prestart=False), NopEngine()])
@pytest.mark.parametrize("kind", ["tool.prex", "PreToolUse", "", "pre_tool_use"])
def test_a_kind_that_is_not_known(engine: HookEngine, kind: str) -> None:
    with pytest.raises(
        ValueError, match=r"event\.kind must be one of session\.start, .*, or begin with 'x\.'"
    ):
        engine.fire(Event(kind))


def test_an_event_that_no_contract_has_is_named() -> None:
    engine = HookEngine.load(GUARDS["ub"], "ub", runner=lambda request: RunResult(2), prestart=False)
    decision = engine.fire(PromptSubmit("x"))
    assert decision.diagnostics == ("ub has no event of the kind prompt.submit",)
    assert engine.fire(ToolPre("Bash", {})).diagnostics == ()

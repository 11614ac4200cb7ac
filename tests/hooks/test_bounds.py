"""A bound of sandhook that a hook exceeds never makes a refusal into an allow, whatever its contract is.

The agent has no such bound, so that the hook would have decided there. Where it could have refused, it refuses.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, RunResult
from sandhook.hooks.contracts import names
from sandhook.hooks.decode import DATA_DEPTH
from sandhook.hooks.model import Compat
from sandhook.limits import Limits
from tests.hooks.hooktools import Scripted
from tests.hooks.test_tables import Block, blocks
from tests.sandbox.tools import every

BLOCKS = {
    f"{name}:{block.head['event']}:{index}": block
    for name in names()
    for index, block in enumerate(blocks(name))
}

#: The events that a hook can refuse.
REFUSABLE = {
    label: block for label, block in BLOCKS.items() if block.event().kind in block.contract.refusable
}

#: Blocks that read no JSON from hooks: the exit status decides, or a path.
NO_JSON = {label for label in BLOCKS if label.startswith(("kiro:", "ub:", "claude_code:WorktreeCreate"))}


def test_every_contract_has_an_event_here() -> None:
    assert {block.contract.name for block in REFUSABLE.values()} == set(names())


def decide(block: Block, ran: RunResult, **options: Any) -> Decision:
    """Return the decision of a hook that ended this way."""
    name = block.contract.name
    engine = HookEngine.load(block.head["config"], name, runner=Scripted(ran), **options)
    return engine.fire(block.event())


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def with_field(text: str, value: str) -> bytes:
    """Return an object with a further field, first."""
    return f'{{"odd": {value}, {text.lstrip()[1:]}'.encode()


@pytest.mark.parametrize("depth", [1, 50, 60, 61, 62, 63, 64, 65, 100, 400, DATA_DEPTH - 1])
@pytest.mark.parametrize("label", [label for label in REFUSABLE if label not in NO_JSON])
def test_deep_values_that_nobody_reads_leave_a_refusal_alone(label: str, depth: int) -> None:
    block = REFUSABLE[label]
    text = block.head["deny"]
    expected = decide(block, RunResult(0, text.encode()))
    assert expected.refused
    decision = decide(block, RunResult(0, with_field(text, nested(depth))))
    assert decision.refused
    assert not decision.could_not_run


UNREADABLE = {
    "depth": nested(DATA_DEPTH),
    "great depth": nested(100_000),
    "objects": '{"a":' * DATA_DEPTH + "1" + "}" * DATA_DEPTH,
    "surrogate": '"\\ud800"',
    "surrogate in a key": '{"\\uDC00": 1}',
    "number": "1e999",
    "long number": "9" * 5000,
}


@pytest.mark.parametrize("fail_closed", [False, True, "strict"])
@pytest.mark.parametrize("fault", UNREADABLE)
@pytest.mark.parametrize("label", every(3, [label for label in REFUSABLE if label not in NO_JSON]))
def test_an_object_beyond_a_bound_is_a_refusal(label: str, fault: str, fail_closed: Any) -> None:
    """It may hold a refusal, and the agent may be able to read it."""
    block = REFUSABLE[label]
    ran = RunResult(0, with_field('{"z": 1}', UNREADABLE[fault]))
    decision = decide(block, ran, fail_closed=fail_closed)
    assert decision.refused
    assert decision.could_not_run == (decision.outcomes[0].hook_id,)
    assert decision.outcomes[0].could_not_run
    assert decision.reason


@pytest.mark.parametrize("label", REFUSABLE)
def test_other_text_is_as_each_contract_reads_it(label: str) -> None:
    """Text that does not begin like an object is no matter of bounds."""
    block = REFUSABLE[label]
    for text in (nested(DATA_DEPTH + 1), "text " + nested(DATA_DEPTH + 1)):
        plain = decide(block, RunResult(0, b"[1] text"))
        assert decide(block, RunResult(0, text.encode())).refused == plain.refused


def allowing(value: Any) -> Any:
    """Return a value whose words of refusal are those of approval."""
    words = {"deny": "allow", "block": "allow", False: True}
    if isinstance(value, dict):
        return {key: allowing(item) for key, item in value.items()}
    return words.get(value, value) if isinstance(value, (str, bool)) else value


@pytest.mark.parametrize("order", ["deny first", "deny last", "deny in the middle"])
@pytest.mark.parametrize("label", [label for label in REFUSABLE if label not in NO_JSON])
def test_a_key_with_two_values_refuses_if_one_of_them_does(label: str, order: str) -> None:
    """Readers of JSON differ in which one counts, so that a text in a value could take the refusal away."""
    block = REFUSABLE[label]
    deny = block.head["deny"].strip()[1:-1]
    allow = json.dumps(allowing(json.loads("{" + deny + "}")))[1:-1]
    parts = {
        "deny first": (deny, allow),
        "deny last": (allow, deny),
        "deny in the middle": (allow, deny, allow),
    }[order]
    assert decide(block, RunResult(0, ("{" + ",".join(parts) + "}").encode())).refused


@pytest.mark.parametrize("label", [label for label in REFUSABLE if label not in NO_JSON])
def test_a_key_with_two_values_that_refuse_nothing_is_fine(label: str) -> None:
    block = REFUSABLE[label]
    plain = decide(block, RunResult(0, b'{"odd": 1}')).refused
    serde = label.startswith("everruns:")
    assert decide(block, RunResult(0, b'{"odd": 1, "odd": {"a": 1, "a": 2}}')).refused is plain or serde


@pytest.mark.parametrize("label", REFUSABLE)
def test_in_strict_mode_the_agents_own_reading_counts(label: str) -> None:
    block = REFUSABLE[label]
    ran = RunResult(0, b'{"decision": "deny", "decision": null}')
    verdict = block.contract.decode(block.spec(), block.event(), ran, "strict")
    assert decide(block, ran, compat="strict").refused is verdict.refuses


LIMITS = [name for name in Limits._fields if name != "wall_seconds"]

EXCEEDED: dict[str, RunResult] = {
    **{name: RunResult(137, limit=name) for name in LIMITS},
    "internal error": RunResult(failure="internal error: ValueError: x", failure_is_ours=True),
}


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize("fault", EXCEEDED)
@pytest.mark.parametrize("label", REFUSABLE)
def test_a_limit_of_the_sandbox_is_a_refusal(label: str, fault: str, compat: Compat) -> None:
    block = REFUSABLE[label]
    if compat == "strict" and label.startswith("crush:UserPromptSubmit"):
        return  # upstream has no such event yet
    decision = decide(block, EXCEEDED[fault], compat=compat)
    if compat == "strict" and fault in block.contract.own_limits:
        verdict = block.contract.decode(block.spec(), block.event(), EXCEEDED[fault], compat)
        assert decision.refused is verdict.refuses
        return
    assert decision.refused
    assert fault in (decision.reason or "") or fault in str(decision.outcomes[0].could_not_run)


@pytest.mark.parametrize("label", REFUSABLE)
def test_an_output_that_was_cut_is_a_refusal_where_it_could_decide(label: str) -> None:
    decision = decide(REFUSABLE[label], RunResult(0, b'{"decision":"allow"}', truncated=True))
    assert decision.refused is not label.startswith(("kiro:", "ub:"))


@pytest.mark.parametrize("label", REFUSABLE)
def test_timeouts_and_cancellations_are_as_each_contract_defines_them(label: str) -> None:
    """The timeout is the agent's own, and the host cancels."""
    block = REFUSABLE[label]
    for limit in ("wall_seconds", "cancelled"):
        ran = RunResult(124, limit=limit)
        verdict = block.contract.decode(block.spec(), block.event(), ran, "better")
        assert decide(block, ran).refused is verdict.refuses


@pytest.mark.parametrize("label", [label for label in BLOCKS if label not in REFUSABLE])
def test_events_that_nobody_can_refuse_go_on(label: str) -> None:
    block = BLOCKS[label]
    for ran in EXCEEDED.values():
        verdict = block.contract.decode(block.spec(), block.event(), ran, "better")
        assert decide(block, ran).refused is verdict.refuses


# The whole way: a guard that prints a part of its payload.

ECHO = (
    'jq -c \'{hookSpecificOutput:{hookEventName:"PreToolUse",permissionDecision:"deny",'
    'permissionDecisionReason:"no",updatedInput:.tool_input}}\''
)


def fire(command: str, arguments: Any, **options: Any) -> Decision:
    from sandhook.hooks.events import ToolPre

    config = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    return HookEngine.load(config, "claude_code", **options).fire(ToolPre("Bash", arguments))


def list_of(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [61, 62, 200, 505])
def test_a_deep_payload_does_not_hide_a_refusal(depth: int) -> None:
    decision = fire(ECHO, {"command": "rm -rf /", "n": list_of(depth)})
    assert (decision.permission, decision.reason, decision.could_not_run) == ("deny", "no", ())


@pytest.mark.parametrize("depth", [515, 800, 1000, 5000])
def test_a_payload_that_is_too_deep_is_refused(depth: int) -> None:
    decision = fire(ECHO, {"command": "rm -rf /", "n": list_of(depth)})
    assert decision.permission == "deny"
    # the hook's own reason where the agent reads such an output, and sandhook's where the payload is too deep
    assert decision.reason == "no" or "could not run" in (decision.reason or "")


@pytest.mark.parametrize(
    ("command", "arguments", "why"),
    [
        ("exit 0", {"command": "x" * (9 << 20)}, "input_bytes"),
        ("cat; exit 0", {"command": "x" * (5 << 20)}, "output was cut"),
        ("while :; do :; done", {"command": "x"}, "steps"),
    ],
)
def test_a_large_payload_does_not_hide_a_refusal(command: str, arguments: Any, why: str) -> None:
    from sandhook.hooks.runner import SandboxRunner

    runner = SandboxRunner(limits=Limits(steps=100_000))
    decision = fire(command, arguments, runner=runner)
    assert decision.permission == "deny"
    assert why in (decision.reason or "")
    assert decision.fail_closed == decision.could_not_run != ()


def test_an_error_of_the_runner_is_not_an_error_of_sandhook() -> None:
    """A host's own executor that fails is as each contract has it."""

    def runner(request: object) -> RunResult:
        raise ValueError("down")

    assert fire("x", {}, runner=runner).permission == "none"

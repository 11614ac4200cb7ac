"""A refusal that an agent does not read, because of its form or of other text, is its own state.

The agent lets the action pass. The run is one that could not run, so that ``fail_closed`` closes it, and no other text
or value makes an approval of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, RunResult
from sandhook.hooks.decode import objects_in
from sandhook.hooks.events import ToolPre
from tests.hooks.hooktools import Scripted
from tests.hooks.test_bounds import NO_JSON, REFUSABLE, decide
from tests.hooks.test_silencing import GUARDS

#: Blocks whose refusal is an object.
OBJECTS = [label for label in REFUSABLE if label not in NO_JSON]


def printed(label: str, text: str, **options: Any) -> Decision:
    return decide(REFUSABLE[label], RunResult(0, text.encode()), **options)


#: Texts around a refusal, or in place of parts of it; each is what a guard prints by mistake, or what its payload adds.
FORMS = {
    "log before": "checking\n{}",
    "log after": "{}\ndone",
    "label": "data: {}",
    "fence": "```json\n{}\n```",
    "array": "[{}]",
    "twice": "{}{}",
    "after an empty object": "<>\n{}",
    "before an empty object": "{}\n<>",
    "colour": "\x1b[0m{}\x1b[0m",
    "NUL": "{}\0",
    "end of file": "{}\x1a",
    "braces before": "if (x) < y; > else < z; >\n{}",
    "many braces before": "< " * 2000 + "{}",
    "nested objects before": '<"a":' * 400 + "\n{}",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("label", OBJECTS)
def test_other_text_does_not_hide_a_refusal(label: str, form: str) -> None:
    deny = REFUSABLE[label].head["deny"].strip()
    text = FORMS[form].replace("<", "\1").replace(">", "\2").replace("{}", deny)
    text = text.replace("\1", "{").replace("\2", "}")
    decision = printed(label, text)
    assert decision.refused or decision.could_not_run
    assert decision.permission != "allow"
    assert printed(label, text, fail_closed=True).refused


#: Outputs whose bytes are those of another encoding, as some shells write it, and JSON within a string of JSON.
ENCODED: dict[str, Callable[[str], bytes]] = {
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "UTF-16 in the other order": lambda text: text.encode("utf-16-be"),
    "UTF-32": lambda text: text.encode("utf-32"),
    "a string": lambda text: json.dumps(text).encode(),
    "a string in a string": lambda text: json.dumps(json.dumps(text)).encode(),
}


@pytest.mark.parametrize("form", ENCODED)
@pytest.mark.parametrize("label", OBJECTS)
def test_another_encoding_does_not_hide_a_refusal(label: str, form: str) -> None:
    block = REFUSABLE[label]
    ran = RunResult(0, ENCODED[form](block.head["deny"].strip()))
    decision = decide(block, ran)
    assert decision.refused or decision.could_not_run
    assert decision.permission != "allow"
    assert decide(block, ran, fail_closed=True).refused


@pytest.mark.parametrize("form", ENCODED)
def test_another_encoding_of_an_approval_is_none(form: str) -> None:
    block = REFUSABLE["claude_code:PreToolUse:0"]
    text = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'
    decision = decide(block, RunResult(0, ENCODED[form](text)))
    assert not decision.refused
    assert not decision.could_not_run
    assert decision.permission == "none"


#: Faults that a payload causes when a guard writes it into its JSON.
BROKEN = {
    "quote": ('"no"', '"no "rm" no"'),
    "newline": ('"no"', '"n\no"'),
    "backslash": ('"no"', '"n\\o"'),
    "NUL": ('"no"', '"n\0o"'),
    "comma": ("}", ",}"),
    "single quotes": ('"', "'"),
    "NaN": ("{", '{"odd": NaN, '),
}


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("name", ["claude_code", "codex", "copilot", "cursor", "docker_agent", "gemini"])
def test_a_refusal_that_the_payload_breaks_is_its_own_state(name: str, fault: str) -> None:
    refusals = {
        "claude_code": '{"decision": "block", "reason": "no"}',
        "codex": '{"decision": "block", "reason": "no"}',
        "copilot": '{"permissionDecision": "deny", "permissionDecisionReason": "no"}',
        "cursor": '{"permission": "deny", "agent_message": "no"}',
        "docker_agent": '{"decision": "block", "reason": "no"}',
        "gemini": '{"decision": "deny", "reason": "no"}',
    }
    text = refusals[name]
    assert fire(name, text).refused
    text = text.replace(*BROKEN[fault])
    decision = fire(name, text)
    assert decision.refused or decision.could_not_run
    assert fire(name, text, fail_closed=True).refused


def fire(name: str, text: str, **options: Any) -> Decision:
    engine = HookEngine.load(GUARDS[name], name, runner=Scripted(RunResult(0, text.encode())), **options)
    return engine.fire(ToolPre("Bash", {"command": "ls"}))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "claude_code",
            '{"hookSpecificOutput": {"hookEventName": "preToolUse", "permissionDecision": "deny"}}',
        ),
        ("claude_code", '{"hookSpecificOutput": {"permissionDecision": "deny"}}'),
        ("claude_code", '{"permissionDecision": "deny"}'),
        ("claude_code", '{"continue": "false"}'),
        ("claude_code", '{"DECISION": "block"}'),
        ("codex", '{"decision": "BLOCK", "reason": "no"}'),
        ("copilot", '{"permissionDecision": false}'),
        ("copilot", '{"permissionDecision": ["deny"]}'),
        ("cursor", '{"permission": false}'),
        ("cursor", '{"permission": "deny\\n"}'),
        ("crush", '{"decision": "block"}'),
        ("crush", '{"permissionDecision": "deny"}'),
        ("docker_agent", '{"hookSpecificOutput": {"permissionDecision": "deny"}}'),
        ("gemini", '{"hookSpecificOutput": {"permissionDecision": "deny"}}'),
        ("jcode", '{"hookSpecificOutput": {"permissionDecision": "Deny"}}'),
        ("jcode", '{"decision": "block"}'),
        ("mistral_vibe", '{"hook_specific_output": {"decision": "deny"}}'),
    ],
)
def test_a_decision_of_another_form_is_its_own_state(name: str, text: str) -> None:
    decision = fire(name, text)
    assert decision.refused or decision.could_not_run
    assert decision.permission != "allow"
    assert fire(name, text, fail_closed=True).refused


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "all right",
        "{ all right }",
        "if (x) { y; }",
        '{"decision": null}',
        '{"decision": ""}',
        '{"hookSpecificOutput": {"updatedInput": {"decision": "deny", "continue": false}}}',
        '{"reason": "deny", "permission": null}',
        'read {"a": 1} and {"b": {"decision": "x"}}',
        'I read [{"decisions": "deny"}]',
    ],
)
@pytest.mark.parametrize(
    "name", ["claude_code", "codex", "copilot", "cursor", "docker_agent", "gemini", "kiro"]
)
def test_what_refuses_nothing_is_no_such_state(name: str, text: str) -> None:
    assert not fire(name, text).could_not_run


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("copilot", {"permissionDecision": "allow", "hookSpecificOutput": {"permissionDecision": "deny"}}),
        ("cursor", {"permission": "allow", "hookSpecificOutput": {"permissionDecision": "deny"}}),
        (
            "codex",
            {
                "decision": "block",
                "reason": "no",
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "allow",
                    "updatedInput": {"command": "ls"},
                },
            },
        ),
    ],
)
def test_a_refusal_next_to_an_approval_counts_in_better_mode(
    name: str, text: dict[str, Any], compat: str
) -> None:
    assert fire(name, json.dumps(text), compat=compat).refused is (compat == "better")


def test_objects_in_a_text() -> None:
    assert list(objects_in('x {"a": {"b": 1}} {y {"c": 2}')) == ['{"a": {"b": 1}}', '{"c": 2}']
    assert list(objects_in("no { braces } here {")) == []
    assert list(objects_in('{"a":' * 5000)) == []
    assert list(objects_in('{"n": ' + "9" * 6000 + "}")) == ['{"n": ' + "9" * 6000 + "}"]


# Refusals of hooks that are ended later.

ENDED = {
    "time limit": RunResult(124, limit="wall_seconds", stderr=b"late"),
    "time limit without a status": RunResult(None, limit="wall_seconds"),
    "TERM": RunResult(143, signal="TERM"),
    "KILL": RunResult(137, signal="KILL"),
}

LATER = {
    "alone": "{}",
    "with lines around it": "\n\n{}\n \n",
    "before a text that is cut": '{}\n{{"progr',
    "before another object": '{}\n{{"progress": 1}}\n',
    "after a line": "starting\n{}\n",
}


@pytest.mark.parametrize("form", LATER)
@pytest.mark.parametrize("end", ENDED)
@pytest.mark.parametrize("label", [label for label in REFUSABLE if label not in NO_JSON])
def test_a_refusal_stands_if_the_hook_is_ended_later(label: str, end: str, form: str) -> None:
    block = REFUSABLE[label]
    ran = ENDED[end]._replace(stdout=LATER[form].format(block.head["deny"].strip()).encode())
    decision = decide(block, ran)
    assert decision.refused
    verdict = block.contract.decode(block.spec(), block.event(), ran, "better")
    if not verdict.refuses:
        assert not decision.could_not_run and not decision.fail_closed
        assert any("L-HOOKS-006" in note for note in decision.diagnostics)


@pytest.mark.parametrize("end", ENDED)
@pytest.mark.parametrize("label", [label for label in REFUSABLE if label not in NO_JSON])
def test_in_strict_mode_such_an_output_is_read_as_the_agent_reads_it(label: str, end: str) -> None:
    block = REFUSABLE[label]
    ran = ENDED[end]._replace(stdout=block.head["deny"].encode())
    verdict = block.contract.decode(block.spec(), block.event(), ran, "strict")
    assert decide(block, ran, compat="strict").refused is verdict.refuses


@pytest.mark.parametrize("end", ENDED)
@pytest.mark.parametrize("label", REFUSABLE)
def test_an_approval_or_a_text_of_such_a_hook_is_nothing(label: str, end: str) -> None:
    block = REFUSABLE[label]
    for text in (
        b"",
        b"text",
        b'{"odd": 1}',
        b'{"decision": "allow"}',
        b'{"permission": "allow"}',
        b"{",
        b"[1]",
    ):
        plain = block.contract.decode(block.spec(), block.event(), ENDED[end], "better")
        assert decide(block, ENDED[end]._replace(stdout=text)).refused is plain.refuses
        assert decide(block, ENDED[end]._replace(stdout=text)).permission != "allow"


@pytest.mark.parametrize("label", REFUSABLE)
def test_a_hook_that_the_host_cancels_decides_nothing(label: str) -> None:
    block = REFUSABLE[label]
    ran = RunResult(None, block.head["deny"].encode(), limit="cancelled")
    verdict = block.contract.decode(block.spec(), block.event(), ran, "better")
    assert decide(block, ran).refused is verdict.refuses


@pytest.mark.parametrize("end", ["sleep 60", "while :; do :; done", "kill -TERM $$", "kill -9 $$"])
def test_a_refusal_of_a_script_stands(end: str) -> None:
    refusal = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'
    hook = {"type": "command", "command": f"echo '{refusal}'; {end}", "timeout": 1}
    config = {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}
    decision = HookEngine.load(config, "claude_code").fire(ToolPre("Bash", {"command": "ls"}))
    assert (decision.permission, decision.reason) == ("deny", "no")

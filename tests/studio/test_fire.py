"""Events that the page fires: the decision, what each hook did, and steps that lead to the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sandhook.hooks import contracts
from sandhook.interp.steps import MOST_STEPS
from tests.studio.studiotools import GUARD, Studio, payload, settings

Make = Callable[..., Studio]

SCRIPTS: dict[str, str | bytes] = {".claude/hooks/guard.sh": GUARD}


def user(*commands: str, **more: Any) -> dict[str, str]:
    """Return a home whose hooks need no approval."""
    return {".claude/settings.json": settings(*commands, **more)}


def outcomes(fired: Any) -> list[Any]:
    listed: list[Any] = fired["decision"]["outcomes"]
    return listed


def test_a_refusal_as_the_agent_acts_on_it(studio: Make) -> None:
    made = studio(SCRIPTS, home=user("bash .claude/hooks/guard.sh"))
    refused, allowed = made.fire("rm -rf /"), made.fire("ls")
    assert (refused["word"], allowed["word"]) == ("deny", "proceed")
    assert "refused: no rm -rf" in refused["message"]
    assert refused["answer"]["exit_status"] == 2 or "deny" in refused["answer"]["stdout"]
    (outcome,) = outcomes(refused)
    assert outcome["refuses"] and outcome["stderr"] == "refused: no rm -rf\n" and outcome["duration_ms"] > 0


def test_why_a_hook_matched_or_did_not(studio: Make) -> None:
    made = studio({}, home=user("true", matcher="Write"))
    (outcome,) = outcomes(made.fire())
    assert (outcome["state"], outcome["ran"]) == ("not_matched", False)
    assert outcome["wanted"] == 'tool name "Bash" is not "Write"'


def test_files_that_each_hook_changed(studio: Make) -> None:
    made = studio(
        {"notes.txt": "one\ntwo\n", "gone": "x\n"},
        home=user(
            "echo three >> notes.txt",
            "rm gone; mkdir d; printf 'a\\0b' > d/data; echo t > /tmp/t",
            "cat notes.txt",
        ),
    )
    first, second, third = outcomes(made.fire())
    (change,) = first["changes"]
    assert (change["path"], change["change"]) == ("notes.txt", "modified")
    assert [(row["kind"], row["text"]) for row in change["rows"]] == [
        ("same", "one"),
        ("same", "two"),
        ("add", "three"),
    ]
    changes = {each["path"]: (each["change"], each["why"]) for each in second["changes"]}
    assert changes == {
        "gone": ("deleted", ""),
        "d": ("created", "directory"),
        "d/data": ("created", "binary"),
        "/tmp/t": ("created", ""),
    }
    assert third["changes"] == [] and third["stdout"] == "one\ntwo\nthree\n"
    assert (made.project / "notes.txt").read_text() == "one\ntwo\n"
    assert (made.project / "gone").exists() and not (made.project / "d").exists()


def test_each_fire_begins_with_the_project_as_it_is(studio: Make) -> None:
    made = studio({}, home=user("echo x >> log; wc -l < log"))
    assert [outcomes(made.fire())[0]["stdout"].strip() for _ in range(2)] == ["1", "1"]


def test_what_a_hook_changed_for_the_agent(studio: Make) -> None:
    answer = {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": {"command": "ls -1"},
        }
    }
    fired = studio({}, home=user(f"echo '{json.dumps(answer)}'")).fire("ls")
    (effect,) = fired["effects"]
    assert (effect["name"], effect["value"]) == ("input", {"command": "ls -1"})
    assert [row["text"].strip() for row in effect["rows"] if row["kind"] in ("add", "remove")] == [
        '"command": "ls"',
        '"command": "ls -1"',
    ]


def test_a_refusal_is_a_refusal_though_another_hook_could_not_run(studio: Make) -> None:
    """The agent does not act; the page must not say that nothing refuses."""
    made = studio({**SCRIPTS, ".claude/settings.json": settings("./gone.sh", "bash .claude/hooks/guard.sh")})
    fired = made.fire("rm -rf /", unapproved=True)
    assert (fired["word"], fired["incomplete"]) == ("deny", True)
    assert '"deny"' in fired["answer"]["stdout"]
    fired = made.fire("ls", unapproved=True)
    assert (fired["word"], fired["incomplete"]) == ("proceed", True)
    made = studio({**SCRIPTS, ".claude/settings.json": settings("bash .claude/hooks/guard.sh")})
    assert made.fire("rm -rf /", unapproved=True)["incomplete"] is False


def test_hooks_that_nobody_approved(studio: Make) -> None:
    """They run in a worker process, and their changes are known nevertheless."""
    hooks = settings("bash .claude/hooks/guard.sh", "echo x > changed")
    made = studio({**SCRIPTS, ".claude/settings.json": hooks}, isolation="")
    fired = made.fire("rm -rf /")
    assert (fired["word"], fired["incomplete"]) == ("proceed", True) and not fired["decision"]["refused"]
    assert [each["hook_id"] for each in fired["decision"]["withheld"]] == ["PreToolUse[0]", "PreToolUse[1]"]
    assert outcomes(fired)[0]["state"] == "withheld"
    fired = made.fire("rm -rf /", unapproved=True)
    assert fired["word"] == "deny"
    assert [each["path"] for each in outcomes(fired)[1]["changes"]] == ["changed"]


def test_a_fire_is_kept_in_the_history(studio: Make) -> None:
    made = studio({}, home=user("true"))
    made.fire("ls -la")
    (kept,) = made.get("/v1/decisions")["decisions"]
    assert (kept["source"], kept["agent"], kept["tool"]) == ("studio", "claude_code", "Bash")
    assert json.loads(made.get(f"/v1/decisions/{kept['id']}")["payload"])["tool_input"] == {
        "command": "ls -la"
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [("{", "column 2"), ("[]", "event"), ('{"hook_event_name": "Never"}', "Never"), ("", "it is empty")],
)
def test_a_payload_that_is_none(studio: Make, text: str, why: str) -> None:
    reply = studio({}).try_post("/v1/studio/fire", agent="claude_code", payload=text)
    assert reply.status == 400 and why in reply.json["error"]


@pytest.mark.parametrize("size", [8 << 20])
def test_a_long_output_is_cut_and_its_size_is_known(studio: Make, size: int) -> None:
    made = studio({}, home=user(f"head -c {size} /dev/zero | tr '\\0' '\\377'; exit 0"))
    reply = made.try_post("/v1/studio/fire", agent="claude_code", payload=payload())
    (outcome,) = outcomes(reply.json)
    assert outcome["stdout_bytes"] >= 1 << 20
    assert len(outcome["stdout"]) == 1 << 20 and set(outcome["stdout"]) == {"\ufffd"}
    assert len(reply.body) < 32 << 20


# --------------------------------------------------------------------------- steps


def steps_of(made: Studio, command: str) -> Any:
    return outcomes(made.fire(command, steps=True))[0]


def test_the_line_that_refused(studio: Make) -> None:
    made = studio(SCRIPTS, home=user("bash .claude/hooks/guard.sh"))
    outcome = steps_of(made, "rm -rf /")
    decided = outcome["decided_by"]
    step = outcome["steps"][decided["step"]]
    assert (step["source"], step["line"], step["function"]) == (".claude/hooks/guard.sh", 5, "refuse")
    assert outcome["sources"][step["source"]].splitlines()[step["line"] - 1].strip() == "exit 2"
    calls = [outcome["steps"][number]["text"] for number in decided["calls"]]
    assert calls == ["bash .claude/hooks/guard.sh", 'refuse "no rm -rf"']
    assert outcome["sources"]["main"] == "bash .claude/hooks/guard.sh"


def test_what_decided_by_its_output(studio: Make) -> None:
    made = studio(
        {}, home=user('x=1\nif true; then\n  echo \'{"decision": "block", "reason": "no"}\'\nfi\n:')
    )
    outcome = steps_of(made, "ls")
    assert outcome["refuses"] and outcome["decided_by"]["why"] == "output"
    assert outcome["steps"][outcome["decided_by"]["step"]]["line"] == 3


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("false\nexit 2", 2),
        ("set -e\n(exit 2)\necho never", 2),
        ("f() {\n  return 2\n}\nf\nexit $?", 5),
        ("trap 'exit 2' EXIT\ntrue", None),
        ("true\nexec bash -c 'exit 2'", 1),
    ],
)
def test_refusals_of_other_forms(studio: Make, script: str, line: int | None) -> None:
    outcome = steps_of(studio({}, home=user(script)), "ls")
    assert outcome["exit_status"] == 2
    decided = outcome["decided_by"]
    found = decided and outcome["steps"][decided["step"]]["line"]
    assert found == line


def test_data_of_a_pipeline_and_variables(studio: Make) -> None:
    made = studio({}, home=user("printf 'b\\na\\n' | sort > sorted; first=$(head -1 sorted)"))
    steps = steps_of(made, "ls")["steps"]
    assert next(each for each in steps if each["text"].startswith("printf"))["piped"] == "b\na\n"
    assert next(each for each in steps if each["variables"])["variables"] == {"first": "a"}


def test_steps_in_a_worker_process_are_those_of_the_thread(studio: Make) -> None:
    made = studio(SCRIPTS, home=user("bash .claude/hooks/guard.sh"), isolation="process")
    fired = made.fire("rm -rf /", steps=True)
    outcome = outcomes(fired)[0]
    step = outcome["steps"][outcome["decided_by"]["step"]]
    assert (step["text"], step["line"]) == ("exit 2", 5)
    assert outcome["sources"][step["source"]] == GUARD


def test_of_many_steps_the_first_and_the_last(studio: Make) -> None:
    outcome = steps_of(studio({}, home=user("for i in {1..4000}; do :; done; exit 2")), "ls")
    assert outcome["steps_total"] > 4000 and len(outcome["steps"]) == 3000
    assert outcome["steps"][-1]["text"] == "exit 2"
    assert outcome["steps"][-1]["number"] == outcome["decided_by"]["step"]


def test_of_too_many_steps_none_decided(studio: Make) -> None:
    outcome = steps_of(studio({}, home=user("for i in {1..6000}; do x=$i; done; exit 2")), "ls")
    assert outcome["steps_total"] == MOST_STEPS and not outcome["steps_end"]
    assert outcome["refuses"] and outcome["decided_by"] is None


# --------------------------------------------------------------------------- payloads


@pytest.mark.parametrize("name", contracts.names())
def test_the_payload_of_every_event_can_be_fired(studio: Make, name: str) -> None:
    made = studio({})
    contract = contracts.get(name)
    for event, kind in contract.events.items():
        sample = made.get("/v1/studio/payload", agent=name, event=event)
        assert (sample["event"], sample["kind"]) == (event, kind)
        fired = made.post("/v1/studio/fire", agent=name, event=event, payload=json.dumps(sample["payload"]))
        assert (fired["word"], fired["kind"]) == ("proceed", kind)


@pytest.mark.parametrize("name", contracts.names())
def test_the_form_changes_tool_and_input(studio: Make, name: str) -> None:
    contract = contracts.get(name)
    event = next((event for event, kind in contract.events.items() if kind == "tool.pre"), None)
    if event is None:
        pytest.skip(f"{name} has no event before a tool")
    sample = studio({}).get("/v1/studio/payload", agent=name, event=event)
    value = sample["payload"]
    for key in sample["fields"]["input"]:
        value = value[key]
    assert value == {"command": "ls -la"}
    for tool in contract.vocabulary().write[:1]:
        other = studio({}).get("/v1/studio/payload", agent=name, event=event, tool=tool)
        assert tool in json.dumps(other["payload"]) and "content" in json.dumps(other["payload"])


def test_events_that_do_not_exist(studio: Make) -> None:
    made = studio({})
    for agent, event in (("claude_code", "Never"), ("nobody", "PreToolUse"), ("", "")):
        reply = made.ask("GET", f"/v1/studio/payload?agent={agent}&event={event}")
        assert reply.status == 400 and reply.json["error"]

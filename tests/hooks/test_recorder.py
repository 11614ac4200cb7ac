"""tools.agents turns the recorder's lists into cases."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import cast

import pytest

from tests.hooks.recordedtools import ROOT
from tools.agents import changes, record
from tools.agents.cases.__main__ import TOPICS
from tools.agents.changes import scene_of
from tools.agents.convert import main
from tools.agents.grid import GRIDS, OTHERS, cases_of
from tools.agents.recorder.world import World
from tools.agents.records import AGENTS, Agent

COMMAND = 'echo a >>"$PROBE/ran"; echo no >&2; exit 2'
RECORD = {
    "id": "PreToolUse.exit2",
    "event": "PreToolUse",
    "layers": {"project": {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": COMMAND}]}]}}},
    "observed": {
        "requests": 2,
        "ran": ["a"],
        "tool_results": [{"text": f"PreToolUse:Bash hook error: [{COMMAND}]: no", "error": True}],
    },
}


def converted(tmp_path: Path, record: dict[str, object]) -> Path:
    source = tmp_path / "records.json"
    source.write_text(json.dumps([record]), encoding="utf-8")
    assert main(["claude_code", "9.9.9", str(source), str(tmp_path)]) == 0
    return tmp_path / "claude_code" / "recorded" / "PreToolUse.json"


def test_a_record_becomes_a_case(tmp_path: Path) -> None:
    document = json.loads(converted(tmp_path, RECORD).read_text(encoding="utf-8"))
    assert (document["contract"], document["version"]) == ("claude_code", "9.9.9")
    (case,) = document["cases"]
    assert case["layers"] == {"project/.claude/settings.json": RECORD["layers"]["project"]}  # type: ignore[index]
    assert case["fire"][0]["tool_input"] == {"command": "touch marker", "description": "t"}
    assert case["did"] == {
        "ran": ["a"],
        "halt": False,
        "context": "",
        "touched": [],
        "refused": True,
        "reason": "no",
    }


def test_a_record_replaces_the_case_of_its_identifier_and_others_stay(tmp_path: Path) -> None:
    converted(tmp_path, {**RECORD, "id": "PreToolUse.other"})
    file = converted(tmp_path, RECORD)
    converted(tmp_path, {**RECORD, "prompt": "again"})
    cases = json.loads(file.read_text(encoding="utf-8"))["cases"]
    assert [(case["id"], case.get("scene")) for case in cases] == [
        ("PreToolUse.other", None),
        ("PreToolUse.exit2", {"prompt": "again"}),
    ]


def test_cases_of_two_versions_are_an_error(tmp_path: Path) -> None:
    converted(tmp_path, {**RECORD, "id": "PreToolUse.other"})
    source = tmp_path / "records.json"
    source.write_text(json.dumps([RECORD]), encoding="utf-8")
    with pytest.raises(
        SystemExit, match=r"recorded with 9\.9\.9, and 10\.0\.0 has no record of PreToolUse\.other"
    ):
        main(["claude_code", "10.0.0", str(source), str(tmp_path)])


@pytest.mark.parametrize(
    ("text", "globs", "why"),
    [
        ('[{"id": "a", "layers": {"nosuch": {}}}]', [], "a: there is no layer 'nosuch'; expected one of"),
        ('[{"id": "a", "layers": {}}, {}]', [], "case 2 has no id"),
        ('[{"id": "a", "layers": {}}]', ["b*"], r"no case has an id that matches 'b\*'"),
        ("{}", [], "expected a list of cases"),
        ("[", [], "cases.json: Expecting value"),
    ],
)
def test_wrong_cases_are_named_and_no_agent_starts(
    tmp_path: Path, text: str, globs: list[str], why: str
) -> None:
    source = tmp_path / "cases.json"
    source.write_text(text, encoding="utf-8")
    ids = [word for glob in globs for word in ("--id", glob)]
    with pytest.raises(SystemExit, match=why):
        record.main(["claude_code", "/nosuch", str(source), str(tmp_path / "out.json"), *ids])
    if not globs:
        with pytest.raises(SystemExit, match=why):
            main(["claude_code", "9.9.9", str(source), str(tmp_path)])


def test_an_id_that_no_recorded_case_has_is_named() -> None:
    with pytest.raises(SystemExit, match="no case has an id that matches 'nosuch'"):
        changes.main(["codex", "/nosuch", "--id", "nosuch"])


def test_a_path_of_this_machine_is_an_error(tmp_path: Path) -> None:
    record = {**RECORD, "files": {"project/x": f"{Path.home()}/secret"}}
    with pytest.raises(ValueError, match="a path of this machine"):
        converted(tmp_path, record)


def test_what_is_no_agent_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nobody", "1", "x"]) == 2
    assert "python -m tools.agents.convert" in capsys.readouterr().err


@pytest.mark.parametrize("agent", AGENTS)
def test_records_name_no_machine(agent: str) -> None:
    for path in (ROOT / agent / "recorded").glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert not [word for word in ("/home/runner", "/root/", "127.0.0.1", "agents-") if word in text], path


@pytest.mark.parametrize("agent", (*GRIDS, *OTHERS))
def test_cases_have_identifiers_of_their_own(agent: str) -> None:
    made = cases_of(agent)
    identifiers = [case["id"] for case in made]
    assert len(set(identifiers)) == len(identifiers) > 30
    layers = import_module(f"tools.agents.{agent}").LAYERS
    assert all(set(case["layers"]) <= set(layers) for case in made)


def test_no_arguments_are_not_the_usual_arguments(tmp_path: Path) -> None:
    file = converted(tmp_path, {**RECORD, "args": []})
    (case,) = json.loads(file.read_text(encoding="utf-8"))["cases"]
    assert case["args"] == []
    assert scene_of(cast(Agent, import_module("tools.agents.claude_code")), case)["args"] == []
    (case,) = json.loads(converted(tmp_path, RECORD).read_text(encoding="utf-8"))["cases"]
    assert "args" not in case


def test_a_run_before_the_recorded_one_is_a_part_of_its_scene(tmp_path: Path) -> None:
    file = converted(tmp_path, {**RECORD, "earlier": [["--x"]]})
    (case,) = json.loads(file.read_text(encoding="utf-8"))["cases"]
    assert case["scene"] == {"earlier": [["--x"]]}


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("agent", AGENTS)
def test_the_cases_of_a_topic_have_identifiers_of_their_own(topic: str, agent: str) -> None:
    made = import_module(f"tools.agents.cases.{topic}").cases(agent)
    identifiers = [case["id"] for case in made]
    assert len(set(identifiers)) == len(identifiers)
    layers = cast(Agent, import_module(f"tools.agents.{agent}")).LAYERS
    assert all(set(case["layers"]) <= set(layers) for case in made)


def test_an_array_as_a_file_is_written_as_json_and_one_with_a_mode_is_not() -> None:
    world = World()
    try:
        world.put("a.json", [{"x": 1}])
        world.put("b.sh", ["exit 0", 0o600])
        assert json.loads((world.root / "a.json").read_text(encoding="utf-8")) == [{"x": 1}]
        assert (world.root / "b.sh").read_text(encoding="utf-8") == "exit 0"
    finally:
        world.close()

"""The commands about records, as a user calls them."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import jsonschema
import pytest

from sandhook.cli import main
from sandhook.cli.outputs import output_schema
from sandhook.journal.schema import Decided
from tests.replay.replaytools import GUARD, bundle, entries, entry, write

FILES = Path(__file__).parent / "transcripts"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hooks.json").write_text(bundle(GUARD).documents[0].text)
    (tmp_path / "none.json").write_text(bundle("exit 0").documents[0].text)
    refused = Decided(True, "deny", reason="no rm")
    write(tmp_path / "r", [entry(1, "rm -rf a"), entry(2, "rm -rf b", decided=refused), entry(3)])
    return tmp_path


def replay(*arguments: str) -> int:
    return main(["replay", "r", "--engine", "local", "--hooks", *arguments])


def test_text(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay("hooks.json") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 of 3 events fired, 3 compared; refused: 1 before, 2 now"
    assert lines[1].split() == ["newly", "refused", "1"]
    assert "         1  PreToolUse[0]  Bash `rm -rf`" in [f"  {line}" for line in lines] or any(
        "1  PreToolUse[0]  Bash `rm -rf`" in line for line in lines
    )


@pytest.mark.parametrize(
    ("hooks", "rule", "status"),
    [
        ("hooks.json", "newly_allowed>0", 0),
        ("none.json", "newly_allowed>0", 1),
        ("none.json", "newly_allowed>50%", 0),
        ("none.json", "newly_allowed>=33%", 1),
        ("hooks.json", "newly_refused!=1", 0),
        ("hooks.json", "skipped=0", 1),
    ],
)
def test_a_broken_rule_is_the_exit_status(place: Path, hooks: str, rule: str, status: int) -> None:
    assert replay(hooks, "--fail-on", rule) == status


def test_json_has_its_schema(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (place / "r").open("a") as file:
        file.write("damaged\n")
    assert replay("none.json", "--format", "json", "--fail-on", "newly_allowed>0") == 1
    value = json.loads(capsys.readouterr().out)
    jsonschema.validate(value, output_schema("replay"))
    assert value["broken"] == ["newly_allowed>0"] and value["skipped"][0]["line"] == 4
    assert main(["stats", "r", "--format", "json"]) == 0
    value = json.loads(capsys.readouterr().out)
    jsonschema.validate(value, output_schema("stats"))
    assert value["events"] == 3 and value["hooks"][0]["hook"] == "old"
    assert main(["record", "import", str(FILES), "-o", "new", "--format", "json"]) == 0
    value = json.loads(capsys.readouterr().out)
    jsonschema.validate(value, output_schema("record"))
    assert value["events"] == 20


def test_junit(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = ["--fail-on", "newly_allowed>0", "--fail-on", "failed>0"]
    assert replay("none.json", "--format", "junit", "--output", "out.xml", *rules) == 1
    suite = xml.parse(place / "out.xml").getroot()
    assert suite.attrib == {"name": "replay", "tests": "2", "failures": "1", "errors": "0"}
    assert [case.find("failure") is not None for case in suite] == [True, False]


def test_parquet(place: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert replay("none.json", "--format", "parquet", "--output", "out.parquet") == 0
    rows = parquet.read_table(place / "out.parquet").to_pylist()
    assert [(row["id"], row["changes"]) for row in rows] == [("00000002", ["newly_allowed"])]


def test_where_sample_and_against(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay("hooks.json", "--where", 'command ~ "^rm"') == 0
    assert capsys.readouterr().out.startswith("2 of 3 events fired")
    assert replay("hooks.json", "--sample", "1") == 0
    assert capsys.readouterr().out.startswith("1 of 3 events fired")
    assert replay("none.json", "--against", "hooks.json") == 0
    assert "refused: 2 before, 0 now" in capsys.readouterr().out


def test_stats(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = [entry(1), entry(2)._replace(unmatched=("idle",))]
    write(place / "r", events)
    assert main(["stats", "r"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 events, 2026-02-02T01:00:00.000+00:00 to 2026-03-03T02:00:00.000+00:00"
    assert lines[-1] == "never matched: idle"
    assert main(["stats", "r", "--where", 'id = "00000001"']) == 0
    assert capsys.readouterr().out.startswith("1 events")


def test_import_masks_and_appends(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["record", "import", str(FILES), "-o", "new", "--mask", "text:mark[a-z]+"]) == 0
    text = (place / "new").read_text()
    assert len(text.splitlines()) == 40 and "touch [redacted]" in text and "touch marker" not in text
    assert main(["record", "import", str(FILES / "codex.jsonl"), "-o", "raw", "--raw"]) == 0
    assert "touch marker" in (place / "raw").read_text()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["replay", "r"], "the following arguments are required: --hooks"),
        (["replay", "none", "--hooks", "hooks.json"], "replay: none: No such file"),
        (["replay", "r", "--hooks", "none"], "none: "),
        (["replay", "r", "--hooks", "hooks.json", "--fail-on", "x"], "replay: --fail-on 'x': wanted"),
        (
            ["replay", "r", "--hooks", "hooks.json", "--where", "x"],
            "replay: --where: character 1: wanted a field, got x",
        ),
        (
            ["replay", "r", "--hooks", "hooks.json", "--format", "parquet"],
            "replay: --format parquet needs --output",
        ),
        (
            ["replay", "r", "--hooks", "hooks.json", "--scheduler", "x"],
            "replay: --scheduler goes with --engine dask",
        ),
        (["replay", "r", "--hooks", "hooks.json", "--sample", "0"], "replay: --sample 0: wanted at least 1"),
        (["replay", "r", "--hooks", "hooks.json", "--workers", "0"], "replay: --workers 0: wanted 1 to 1024"),
        (
            ["replay", "r", "--hooks", "hooks.json", "--files", "no"],
            "replay: --files no: there is no such directory",
        ),
        (
            ["replay", "r", "--hooks", "hooks.json", "--report", "no/x"],
            "replay: no/x: there is no such directory",
        ),
        (["replay", "r", "--hooks", "hooks.json", "--resume", "r"], "replay: --resume r: "),
        (["replay", "r", "--hooks", "hooks.json", "--mask", "x"], "replay: rule 'x': wanted key:NAME"),
        (["stats", "none"], "stats: none: No such file"),
        (["stats", "r", "--where", "("], "stats: --where: "),
        (["record", "import", "none", "-o", "x"], "record: none: there is no such file or directory"),
        (["record", "import", "r", "-o", "x"], "record: r: is no transcript of"),
        (["record", "export", "r", "-o", "x"], "invalid choice: 'export'"),
        (["record", "import", "r", "-o", "no/x"], "record: no/x: No such file"),
        (["record", "import", "r", "-o", "x", "--mask", "a"], "record: rule 'a': wanted"),
    ],
)
def test_usage_errors(
    place: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert why in error and error.count("\n") == 1 and "Traceback" not in error


def test_a_fault_of_the_new_hooks_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "bad.json").write_text('{"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}')
    assert replay("bad.json") == 0
    assert capsys.readouterr().err.startswith("not in force: bad.json")


def test_texts_of_hooks_cannot_control_a_terminal(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "evil.json").write_text(bundle("printf '\\033[2J' >&2; exit 2").documents[0].text)
    write(place / "r", [entry(1, "\x1b[31m rm")])
    assert replay("evil.json") == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dask_has_the_same_result(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    import subprocess

    write(place / "r", entries(300))
    outputs = []
    for engine in ("local", "dask"):
        arguments = ["--engine", engine, "--workers", "2", "--partition-bytes", "20000", "--format", "json"]
        ended = subprocess.run(
            [sys.executable, "-m", "sandhook", "replay", "r", "--hooks", "hooks.json", *arguments],
            capture_output=True,
            check=True,
            timeout=300,
        )
        value = json.loads(ended.stdout)
        del value["measured"]
        outputs.append(value)
    assert outputs[0] == outputs[1]

"""The commands about records, as a user calls them."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as xml
from collections.abc import Iterator, Sequence
from pathlib import Path

import jsonschema
import pytest

from sandhook.cli import main
from sandhook.cli.outputs import output_schema
from sandhook.journal.reading import Partition
from sandhook.journal.schema import Decided, Entry, HookRun
from sandhook.replay.engines import Done, Failed
from sandhook.replay.engines.local import LocalEngine
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
    changed = [(row["id"], row["changes"]) for row in rows if row["changes"] or not row["slower"]]
    assert changed == [("00000002", ["newly_allowed"])]


def test_where_sample_and_against(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay("hooks.json", "--where", 'command ~ "^rm"') == 0
    assert capsys.readouterr().out.startswith("2 of 3 events fired")
    assert replay("hooks.json", "--sample", "1") == 0
    assert capsys.readouterr().out.startswith("1 of 3 events fired")
    assert replay("none.json", "--against", "hooks.json") == 0
    assert "refused: 2 before, 0 now" in capsys.readouterr().out


def test_what_is_wrong_is_known_before_the_replay(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for option, name, why in (
        ("--output", ".", "--output .: is a directory; wanted a file"),
        ("--report", "no/r.html", "--report no/r.html: there is no such directory"),
    ):
        assert replay("hooks.json", option, name) == 2
        captured = capsys.readouterr()
        assert captured.err == f"sandhook: replay: {why}\n" and captured.out == ""
    monkeypatch.setattr("sandhook.cli.replaying.replay._run", lambda options: 77)  # no replay may begin
    for module, options, extra in (
        ("vl_convert", ["--report", "r.html"], "--report needs the extra sandhook[replay]"),
        ("pyarrow", ["--format", "parquet", "--output", "r"], "needs the extra sandhook[replay]"),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        monkeypatch.delitem(sys.modules, "pyarrow.parquet", raising=False)
        assert replay("hooks.json", *options) == 2
        assert extra in capsys.readouterr().err


def test_nothing_compared_is_no_silent_success(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "r").write_text("")
    assert replay("hooks.json", "--fail-on", "newly_allowed>0") == 0
    note = "nothing was compared: 0 of 0 events were selected, and none has a decision to compare with"
    assert note in capsys.readouterr().err
    assert replay("hooks.json", "--fail-on", "compared<1") == 1
    capsys.readouterr()
    write(place / "r", [entry(1), entry(2, decided=None)])
    assert replay("hooks.json", "--fail-on", "compared<1", "--fail-on", "events!=2") == 0
    assert "nothing was" not in capsys.readouterr().err
    assert replay("hooks.json", "--fail-on", "selected<1", "--where", 'tool = "x"') == 1


def test_a_file_that_cannot_be_read_is_the_exit_status(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "wide").write_bytes((place / "r").read_text().encode("utf-16"))
    assert main(["replay", "r", "wide", "--engine", "local", "--hooks", "hooks.json"]) == 3
    line = "skipped: wide: is not UTF-8, but seems to be UTF-16: convert it"
    assert line in capsys.readouterr().out
    assert main(["stats", "r", "wide"]) == 0
    assert line in capsys.readouterr().out
    assert main(["stats", "wide"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["0 events, none to none", "decisions: none", "agents: none", "tools: none"]


def test_stats_has_the_lines_of_damaged_places(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (place / "r").open("a") as file:
        file.write("damaged\n")
    assert main(["stats", "r"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("skipped: r:4: byte ")


def test_an_output_in_a_file_leaves_broken_rules_on_the_terminal(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay("none.json", "--output", "out", "--fail-on", "newly_allowed>0") == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "broken: newly_allowed>0" in captured.err
    assert (place / "out").read_text().endswith("broken: newly_allowed>0\n")


@pytest.mark.parametrize(
    ("options", "note"),
    [
        (["--resume", "st"], "what is finished is in st, and the same command goes on from it"),
        ([], "nothing was kept; with --resume STATE the next replay goes on"),
    ],
)
def test_an_interrupted_replay_explains_how_it_goes_on(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    note: str,
) -> None:
    fire = LocalEngine.replay

    def interrupted(
        self: LocalEngine, partitions: Sequence[tuple[int, Partition]]
    ) -> Iterator[Done | Failed]:
        yield next(iter(fire(self, partitions)))
        raise KeyboardInterrupt

    small = ["--partition-bytes", "300", *options]
    with monkeypatch.context() as patch:
        patch.setattr(LocalEngine, "replay", interrupted)
        assert replay("hooks.json", *small) == 130
        assert note in capsys.readouterr().err
    if options:
        assert replay("hooks.json", *small) == 0
        assert capsys.readouterr().out.startswith("3 of 3 events fired, 3 compared; refused: 1 before, 2 now")


def test_junit_without_rules_has_a_case(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay("hooks.json", "--format", "junit") == 0
    (case,) = xml.fromstring(capsys.readouterr().out.encode())
    assert case.get("name") == "3 events were fired" and len(case) == 0


def test_stats(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = [entry(1), entry(2)._replace(unmatched=("idle",))]
    write(place / "r", events)
    assert main(["stats", "r"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 events, 2026-02-02T01:00:00.000+00:00 to 2026-03-03T02:00:00.000+00:00"
    assert lines[-1] == "never matched: idle"
    assert main(["stats", "r", "--where", 'id = "00000001"']) == 0
    assert capsys.readouterr().out.startswith("1 events")


def _version(number: int, digest: str, *, refused: bool = False, could_not_run: str | None = None) -> Entry:
    run = HookRun("guard", digest, reason="no" if refused else None, could_not_run=could_not_run)
    decided = Decided(refused, reason="no" if refused else None)
    return entry(number, decided=decided)._replace(time=f"2026-01-0{number}T00:00:00+00:00", hooks=(run,))


def test_stats_tells_versions_of_a_hook_apart(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A guard that was changed during a month is not one guard; events need not be in order."""
    events = [
        _version(3, "b" * 32),
        _version(1, "a" * 32, refused=True),
        _version(4, "b" * 32, could_not_run="gone"),
    ]
    write(place / "r", events)
    assert main(["stats", "r"]) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "guard changed:",
        "  aaaaaaaaaaaa  2026-01-01T00:00:00+00:00 to 2026-01-01T00:00:00+00:00: 1 matched, 1 refused, 0 could not run",
        "  bbbbbbbbbbbb  2026-01-03T00:00:00+00:00 to 2026-01-04T00:00:00+00:00: 2 matched, 0 refused, 1 could not run",
    ]
    assert main(["stats", "r", "--format", "json"]) == 0
    value = json.loads(capsys.readouterr().out)
    jsonschema.validate(value, output_schema("stats"))
    (hook,) = value["hooks"]
    assert [(each["hash"], each["matched"]) for each in hook["versions"]] == [("a" * 32, 1), ("b" * 32, 2)]


def test_stats_bounds_the_versions_of_a_hook(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place / "r", [_version(1, f"{number:032x}") for number in range(150)])
    assert main(["stats", "r", "--format", "json"]) == 0
    (hook,) = json.loads(capsys.readouterr().out)["hooks"]
    assert len(hook["versions"]) == 101
    assert {each["hash"]: each["matched"] for each in hook["versions"]}[None] == 50
    assert main(["stats", "r"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "  and 91 more; --format json has them"


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
            "replay: --report no/x: there is no such directory",
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

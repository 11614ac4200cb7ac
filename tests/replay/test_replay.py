"""Replays: what changed, whatever the partitions, the engine and the order; kills cost retries."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from sandhook.hooks.contracts import Document
from sandhook.hooks.event import JsonObject
from sandhook.journal.reading import Partition, plan
from sandhook.journal.schema import Decided, HookRun
from sandhook.replay import run
from sandhook.replay.engines import Done, Failed, processes
from sandhook.replay.engines.local import LocalEngine
from sandhook.replay.engines.processes import ProcessEngine
from sandhook.replay.errors import ReplayError
from sandhook.replay.firing import Bundle
from sandhook.replay.job import Job, rank
from sandhook.replay.parquet import write_rows
from sandhook.replay.report.page import write_report
from sandhook.replay.rules import is_broken, parse_rule
from sandhook.replay.run import files_below, replayed, result_json, with_sample
from sandhook.replay.shape import command_shape
from sandhook.replay.tally import BY_TEXT
from sandhook.replay.travel import job_from_bytes, job_to_bytes
from sandhook.replay.where import parse
from tests.replay.replaytools import GUARD, bundle, canonical, entries, entry, killing, outcome, write

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def test_each_kind_of_change_is_counted(tmp_path: Path) -> None:
    refused = Decided(True, "deny", reason="old reason")
    record = write(
        tmp_path / "r",
        [
            entry(1, "rm -rf a"),
            entry(2, "rm -rf b", decided=refused),
            entry(3, "ls", decided=refused),
            entry(4, "ls"),
            entry(5, "ls", decided=None),
            entry(6, "rm -rf c", decided=Decided(True, "deny", reason="no rm")),
        ],
    )
    value = outcome(Job(bundle()), record)
    assert value["changes"] == {"newly_refused": 1, "newly_allowed": 1, "changed": 1, "could_not_run": 0}
    assert (value["events"], value["selected"], value["compared"]) == (6, 6, 5)
    assert value["refused"] == {"old": 3, "new": 3}
    rows = {row["id"]: (row["changes"], row["parts"]) for row in value["rows"]}  # type: ignore
    assert rows == {
        "00000001": (["newly_refused"], []),
        "00000002": (["changed"], ["reason"]),
        "00000003": (["newly_allowed"], []),
    }
    group = value["groups"][0]  # type: ignore
    assert (group["hook"], group["tool"], group["shape"], group["events"]) == (
        "PreToolUse[0]",
        "Bash",
        "rm -rf",
        1,
    )


def test_a_hook_that_cannot_run_is_counted(tmp_path: Path) -> None:
    record = write(tmp_path / "r", [entry(1)])
    value = outcome(Job(bundle("f() { f; }; f")), record)
    assert value["changes"]["could_not_run"] == 1  # type: ignore
    closed = outcome(Job(bundle("f() { f; }; f"), fail_closed=True), record)
    assert closed["changes"] == {"newly_refused": 1, "newly_allowed": 0, "changed": 0, "could_not_run": 1}


def test_hooks_are_compared_with_other_hooks(tmp_path: Path) -> None:
    record = write(tmp_path / "r", [entry(1, "rm -rf a", decided=None), entry(2, "ls", decided=None)])
    assert outcome(Job(bundle(), old=bundle()), record)["rows"] == []
    value = outcome(Job(bundle("exit 0"), old=bundle()), record)
    assert value["changes"]["newly_allowed"] == 1 and value["compared"] == 2  # type: ignore


def test_an_event_does_not_see_the_files_of_another(tmp_path: Path) -> None:
    record = write(tmp_path / "r", [entry(number) for number in range(5)])
    once = "[ -e seen ] && { echo seen >&2; exit 2; }; echo x > seen; echo y > /tmp/seen; [ -e /tmp/seen ] || exit 2"
    assert outcome(Job(bundle(once)), record)["refused"] == {"old": 0, "new": 0}
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "rule").write_text("ok")
    files = files_below(str(tmp_path / "files"))
    only = '[ "$(ls | tr "\n" " ")" = "rule " ] || exit 2'
    assert outcome(Job(bundle(only), files=files), record)["refused"] == {"old": 0, "new": 0}
    with_files = (
        '[ "$(cat rule)$(cat /workspace/rule)$(cat /home/ann/project/rule)" = okokok ] || exit 2; echo > rule'
    )
    assert outcome(Job(bundle(with_files), files=files), record)["refused"] == {"old": 0, "new": 0}


@pytest.mark.parametrize("cwd", ["/nowhere/x", "/Users/ann/p", "/root/p", "C:\\work\\p", "/", "relative"])
@pytest.mark.parametrize("with_files", [False, True])
def test_hooks_run_wherever_the_agent_ran(tmp_path: Path, cwd: str, with_files: bool) -> None:
    event = entry(1, "rm -rf x")
    assert isinstance(event.payload, dict)
    record = write(tmp_path / "r", [event._replace(payload={**event.payload, "cwd": cwd}, cwd=cwd)])
    files = (("a", b"", 0o644),) if with_files else ()
    script = "ls >/dev/null && echo x > made || exit 1; " + GUARD
    assert outcome(Job(bundle(script if cwd != "/" else GUARD), files=files), record)["refused"] == {
        "old": 0,
        "new": 1,
    }


def test_an_event_that_cannot_be_fired_is_counted(tmp_path: Path) -> None:
    strange = entry(1)._replace(event="NoSuchEvent")
    value = outcome(Job(bundle()), write(tmp_path / "r", [strange, entry(2)]))
    assert sum(value["unfired"].values()) == 1 and value["compared"] == 1  # type: ignore


def test_a_hook_that_changes_nothing_leaves_its_engine(tmp_path: Path) -> None:
    """What an engine keeps must not reach the next event: files of any hook, and which hooks ran once."""
    record = write(tmp_path / "r", [entry(number) for number in range(4)])

    def refused(*hooks: JsonObject) -> JsonObject:
        text = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": list(hooks)}]}})
        documents = (Document(json.loads(text), "hooks.json", contract="claude_code", text=text),)
        refused = outcome(Job(Bundle(documents, "claude_code")), record)["refused"]
        assert isinstance(refused, dict)
        return refused

    no = {"type": "command", "command": "exit 2"}
    assert refused({**no, "once": True}) == {"old": 0, "new": 4}
    for write_and_look in (
        "[ -e a ] && exit 2; touch a",
        "[ -d /tmp/a ] && exit 2; mkdir /tmp/a",
        "[ -e /tmp/b ] && exit 2; ln -s /etc/passwd /tmp/b",
        "[ -x ~/c ] && exit 2; echo > ~/c; chmod +x ~/c",
        "[ -e /tmp/d ] || { >/tmp/d; exit 0; }; exit 2",
        "[ -e /tmp ] || exit 2; cd /; rm -rf tmp workspace home/ann/project",
    ):
        assert refused({"type": "command", "command": write_and_look}) == {"old": 0, "new": 0}, write_and_look
    two = [
        bundle(script).documents[0]._replace(name=f"{n}.json")
        for n, script in enumerate(("touch /tmp/a", "[ ! -e /tmp/b ] || exit 2; touch /tmp/b"))
    ]
    assert outcome(Job(Bundle(tuple(two), "claude_code")), record)["refused"] == {"old": 0, "new": 0}


def test_a_hostile_record_needs_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hours, hooks, reasons and shapes are texts of the record: each event may have others."""
    for name in ("unfired", "timeline", "latency"):
        monkeypatch.setitem(BY_TEXT, name, 20)
    monkeypatch.setattr(run, "MOST_GROUPS", 10)
    events = []
    for number in range(300):
        one = entry(number, f"rm{number} -rf x", decided=Decided(False, reason=f"r{number}"))
        events.append(
            one._replace(
                time=f"{1000 + number}-01-01T00:00:00.000+00:00" if number % 3 else f"\ud800\t{number}\t",
                hooks=(HookRun(f"\udfff{number}\t", "00", duration_ms=float(number)),),
                event="PreToolUse" if number % 2 else f"Strange{number}",
            )
        )
    record = write(tmp_path / "r", events)
    job = Job(bundle("exit 2"))
    results = []
    for size in (1 << 20, 3_000):
        with replayed(job, plan([str(record)], size), lambda: LocalEngine(job)) as result:
            tally = result.tally
            assert (len(tally.unfired), len(tally.timeline), len(tally.latency)) == (20, 20, 20)
            assert tally.unfired_count == 150 and tally.left_out["timeline"][0] > 100
            assert is_broken(parse_rule("unfired>=150"), result) and not is_broken(
                parse_rule("unfired>150"), result
            )
            value = result_json(result)
            assert sum(value["unfired"].values()) == 150  # type: ignore
            assert len(value["groups"]) == 10 and value["groups_left_out"] == {"newly_refused": 140}  # type: ignore
            monkeypatch.setattr("sandhook.replay.report.page.plot_library", lambda: "")
            write_report(str(tmp_path / "report.html"), value, result, [], hooks=["h.json"])
            write_rows(str(tmp_path / "rows.parquet"), result.rows)
            del value["measured"]
            results.append(canonical(value))
    assert results[0] == results[1]


def test_the_ids_of_all_failed_partitions_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        def replay(self, partitions: Sequence[tuple[int, Partition]]) -> Iterator[Done | Failed]:
            yield from (Failed(number, "broken") for number, _ in partitions)

        def close(self) -> None: ...

    monkeypatch.setattr(run, "MOST_IDS", 10)
    value = outcome(Job(bundle()), write(tmp_path / "r", entries(30)), engine=Failing(), size=4_000)
    assert len(value["failed"]) > 2  # type: ignore
    assert sum(len(each["events"]) for each in value["failed"]) == 10  # type: ignore


def test_the_result_does_not_depend_on_partitions_engine_and_order(tmp_path: Path) -> None:
    events = entries(150)
    record = write(tmp_path / "r", events)
    job = Job(bundle())
    wanted = canonical(outcome(job, record))
    assert len(plan([str(record)], len(record.read_bytes()) // 99).partitions) == 100
    assert canonical(outcome(job, record, size=len(record.read_bytes()) // 99)) == wanted
    processes = ProcessEngine(job, 2)
    assert canonical(outcome(job, record, engine=processes, size=9_000)) == wanted
    for seed in range(3):
        shuffled = list(events)
        random.Random(seed).shuffle(shuffled)
        half = len(shuffled) // 2
        one, two = write(tmp_path / "a", shuffled[:half]), write(tmp_path / "b", shuffled[half:])
        assert canonical(outcome(job, two, one, size=5_000)) == wanted


COMMANDS = ["ls", "rm -rf x", "git push", "rm -rf 'ä\ud800'", ""]
DECISIONS = [None, Decided(False), Decided(True, "deny", reason="old"), Decided(False, "ask")]


@given(st.data())
@hypothesis_settings(max_examples=25, deadline=None)
def test_no_division_and_no_order_changes_the_result(data: st.DataObject) -> None:
    """Any events, also equal ones, in any order, in any files and partitions."""
    fields = st.tuples(
        st.integers(0, 9),
        st.sampled_from(COMMANDS),
        st.sampled_from(["Bash", "Edit"]),
        st.sampled_from(DECISIONS),
    )
    events = [
        entry(number, command, tool=tool, decided=decided)
        for number, command, tool, decided in data.draw(st.lists(fields, min_size=1, max_size=20))
    ]
    job = Job(bundle(), bundle("exit 2", "Edit") if data.draw(st.booleans()) else None)
    with TemporaryDirectory() as directory:
        wanted = outcome(job, write(Path(directory, "whole"), events))
        shuffled = data.draw(st.permutations(events))
        cut = data.draw(st.integers(0, len(events)))
        parts = [write(Path(directory, "a"), shuffled[:cut]), write(Path(directory, "b"), shuffled[cut:])]
        size = data.draw(st.sampled_from([50, 700, 1 << 20]))
        assert canonical(outcome(job, *parts, size=size)) == canonical(wanted)


def test_a_sample_is_the_same_whatever_the_partitions(tmp_path: Path) -> None:
    events = entries(100)
    random.Random(5).shuffle(events)
    record = write(tmp_path / "r", events)
    wanted = {each.id for each in sorted(events, key=rank)[:10]}
    for size in (1_000, 1 << 20):
        whole = plan([str(record)], size)
        job = with_sample(Job(bundle("exit 2", "*")), whole, 10)
        value = outcome(job, record, size=size)
        assert value["selected"] == 10
        assert {row["id"] for row in value["rows"]} <= wanted  # type: ignore


def test_damage_is_reported_with_its_line(tmp_path: Path) -> None:
    record = write(tmp_path / "r", entries(20))
    lines = record.read_bytes().splitlines(keepends=True)
    lines[13] = lines[13].replace(b"claude", b"clavde", 1)
    record.write_bytes(b"".join(lines))
    value = outcome(Job(bundle()), record, size=2_000)
    assert value["events"] == 19
    assert [(each["line"], each["place"]) for each in value["skipped"]] == [(14, sum(map(len, lines[:13])))]  # type: ignore


class FailingEngine:
    """An engine that loses a partition."""

    def __init__(self, job: Job) -> None:
        self._local = LocalEngine(job)

    def replay(self, partitions: Sequence[tuple[int, Partition]]) -> Iterator[Done | Failed]:
        for number, partition in partitions:
            if number == 1:
                yield Failed(number, "its worker ended")
            else:
                yield from self._local.replay([(number, partition)])

    def close(self) -> None: ...


def test_a_partition_that_fails_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    record = write(tmp_path / "r", entries(30))
    job = Job(bundle())
    value = outcome(job, record, engine=FailingEngine(job), size=4_000)
    failed = value["failed"][0]  # type: ignore
    assert failed["reason"] == "its worker ended" and failed["events"]
    assert value["events"] == 30 - len(failed["events"])
    state = tmp_path / "state"
    outcome(job, record, engine=FailingEngine(job), size=4_000, state=state)
    assert outcome(job, record, size=4_000, state=state)["events"] == 30, "resuming tries it again"


def test_a_worker_that_is_killed_costs_a_retry(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("SIGKILL")
    record = write(tmp_path / "r", entries(60))
    job = Job(bundle())
    wanted = canonical(outcome(job, record))
    engine = ProcessEngine(job, 2)
    killed: list[int] = []

    class Killing:
        def replay(self, partitions: Sequence[tuple[int, Partition]]) -> Iterator[Done | Failed]:
            for result in engine.replay(partitions):
                if len(killed) < 2:
                    killed.append(engine.pids[0])
                    os.kill(engine.pids[0], signal.SIGKILL)
                yield result

        def close(self) -> None:
            engine.close()

    assert canonical(outcome(job, record, engine=Killing(), size=3_000)) == wanted
    assert len(killed) == 2


@pytest.mark.slow
def test_workers_that_are_killed_at_any_time_cost_a_retry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform == "win32":
        pytest.skip("SIGKILL")
    monkeypatch.setattr(processes, "TRIES", 21)  # on a busy machine one partition may have all kills
    record = write(tmp_path / "r", entries(1_500))
    job = Job(bundle())
    wanted = canonical(outcome(job, record))
    chance, killed = random.Random(3), list[int]()
    while len(killed) < 20:
        engine = ProcessEngine(job, 2)
        with killing(lambda: engine.pids, killed, chance, 20):
            assert canonical(outcome(job, record, engine=engine, size=3_000)) == wanted


def test_workers_that_cannot_start_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_MOST_FAILED_STARTS", 2)
    monkeypatch.setattr(processes, "_work", _end)
    record = write(tmp_path / "r", entries(4))
    job = Job(bundle())
    with pytest.raises(
        ReplayError, match="2 worker processes ended as they started, at last with exit status 7"
    ):
        outcome(job, record, engine=ProcessEngine(job, 1))


def _end(connection: object) -> None:
    os._exit(7)


def test_the_loss_of_a_worker_that_did_not_read_a_large_job_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform == "win32":
        pytest.skip("there is no program false")
    monkeypatch.setattr(processes, "_MOST_FAILED_STARTS", 2)
    monkeypatch.setattr("multiprocessing.spawn._python_exe", os.fsencode(shutil.which("false") or "false"))
    record = write(tmp_path / "r", entries(4))
    job = Job(bundle(), files=(("large", bytes(1 << 20), 0o644),))
    with pytest.raises(ReplayError, match="2 worker processes ended as they started"):
        outcome(job, record, engine=ProcessEngine(job, 1))


def test_a_worker_that_always_ends_fails_its_partition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(bundle(), where="tool = ")  # no worker can begin with this expression
    record = write(tmp_path / "r", entries(4))
    value = outcome(job, record, engine=ProcessEngine(job, 1))
    failed = value["failed"][0]  # type: ignore
    assert "--where" in failed["reason"] and len(failed["events"]) == 4


def test_the_state_of_another_replay_is_an_error(tmp_path: Path) -> None:
    record = write(tmp_path / "r", entries(3))
    outcome(Job(bundle()), record, state=tmp_path / "s")
    with pytest.raises(ReplayError, match="is the state of another replay"):
        outcome(Job(bundle("exit 0")), record, state=tmp_path / "s")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(ReplayError, match="is not empty"):
        outcome(Job(bundle()), record, state=tmp_path / "full")
    part = next(path for path in (tmp_path / "s").iterdir() if path.suffix == ".zlib")
    part.write_bytes(b"x")
    with pytest.raises(ReplayError, match="is damaged; remove it"):
        outcome(Job(bundle()), record, state=tmp_path / "s")


def test_a_job_travels() -> None:
    job = Job(
        bundle(), bundle("exit 0"), (("a", b"\xff", 0o755),), 'tool = "x"', 5, ("key:a",), "strict", True
    )
    assert job_from_bytes(job_to_bytes(job)) == job


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('tool = "Bash"', True),
        ('tool != "Bash"', False),
        ('not tool = "Edit" and command ~ "^git"', True),
        ('tool = "Edit" or (command ~ "push" and refused = false)', True),
        ('tool in ("Edit", "Bash")', True),
        ('time >= "2026-01-01" and time < "2027"', True),
        ("duration_ms > 0.5", True),
        ("duration_ms > 100", False),
        ("reason = null", True),
        ('reason > "a"', False),
        ('reason ~ ""', False),
    ],
)
def test_where(text: str, wanted: bool) -> None:
    assert parse(text)(entry(1, "git push")) is wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "character 1: wanted a field, got the end; known are time, id"),
        ("tol = 1", "character 1: wanted a field, got tol; did you mean tool"),
        ("tool", "character 5: wanted =, !=, <, <=, >, >=, ~ or in after tool, got the end"),
        ('tool == "a"', "character 7: wanted a text in double quotes or null for tool, got ="),
        ("tool = ", "character 8: wanted a text in double quotes or null for tool, got the end"),
        ("tool = Bash", "character 8: wanted a text in double quotes or null for tool, got Bash"),
        ('tool = "Bash', 'character 8: a text without its closing quote: "Bash'),
        ("tool = 'Bash'", r"character 8: .*: 'Bash' \(a text has double quotes\)"),
        ('tool = "a" and', "character 15: wanted a field, got the end"),
        ('(tool = "a"', r"character 12: wanted \), got the end"),
        ('tool = "a" x', "character 12: unexpected x"),
        ("tool = $", "character 8: a sign that nothing begins with: \\$"),
        ('tool ~ "("', r"character 8: '\(' is no regular expression of RE2: missing"),
        ("tool ~ git", "character 8: wanted a regular expression in double quotes, got git"),
        ('refused ~ "x"', "character 11: wanted no ~ after refused, which is no text"),
        ('tool in ("a" "b")', r'character 14: wanted a comma or \), got "b"'),
        ("tool = 5", "character 8: wanted a text in double quotes or null for tool, got 5"),
        ('duration_ms > "5"', 'character 15: wanted a number or null for duration_ms, got "5"'),
        ('refused = "true"', 'character 11: wanted true or false or null for refused, got "true"'),
        ("not " * 200 + "tool = 1", "character 401: more than 100 levels"),
    ],
)
def test_an_expression_with_a_fault_is_an_error(text: str, why: str) -> None:
    with pytest.raises(ReplayError, match=why):
        parse(text)


@pytest.mark.parametrize(
    ("command", "shape"),
    [
        ("rm -rf /tmp/x", "rm -rf"),
        ("A=1 B=2 /usr/bin/git push --force origin main", "git push --force"),
        ("cat a | grep -i 'b; c' && ls", "cat | grep -i | ls"),
        ("a; b; c; d", "a | b | c ..."),
        ("", ""),
        ("'", ""),
        ("git -C dir status", "git -C"),
    ],
)
def test_shapes(command: str, shape: str) -> None:
    assert command_shape(command) == shape


@pytest.mark.parametrize("text", ["x", "newly_allowed", "nope>0", "newly_allowed>x", "newly_allowed>0%%"])
def test_a_wrong_rule_is_an_error(text: str) -> None:
    with pytest.raises(ReplayError, match="--fail-on"):
        parse_rule(text)


def _arguments(tmp_path: Path, *options: str) -> list[str]:
    hooks = tmp_path / "hooks.json"
    hooks.write_text(bundle(GUARD).documents[0].text)
    return [sys.executable, "-m", "sandhook", "replay", str(tmp_path / "r"), "--hooks", str(hooks), *options]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "processes", "dask"])
def test_a_replay_that_is_killed_goes_on_with_the_same_result(tmp_path: Path, engine: str) -> None:
    if sys.platform == "win32":
        pytest.skip("SIGKILL")
    if engine == "dask":
        pytest.importorskip("distributed")
    write(tmp_path / "r", entries(3_000))
    options = ("--engine", engine, "--workers", "2", "--partition-bytes", "20000", "--format", "json")
    wanted = _without_measures(
        subprocess.run(_arguments(tmp_path, *options), capture_output=True, check=True).stdout
    )
    chance = random.Random(11)
    longest = 12 if engine == "dask" else 4  # a cluster needs seconds to start
    for trial in range(5):
        state = str(tmp_path / f"state{trial}")
        for _ in range(4):
            process = subprocess.Popen(
                _arguments(tmp_path, *options, "--resume", state),
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            time.sleep(chance.uniform(0.2, longest))
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        ended = subprocess.run(
            _arguments(tmp_path, *options, "--resume", state), capture_output=True, check=True
        )
        assert _without_measures(ended.stdout) == wanted


def _without_measures(output: bytes) -> str:
    value = json.loads(output)
    del value["measured"]
    return json.dumps(value)


def test_a_result_can_be_read_while_the_block_lasts(tmp_path: Path) -> None:
    record = write(tmp_path / "r", entries(20))
    job = Job(bundle(), runs=True)
    with replayed(job, plan([str(record)]), lambda: LocalEngine(job)) as result:
        rows = list(result.rows.all())
        assert rows == sorted(rows, key=lambda row: (row["time"], row["id"]))
        assert rows[0]["run"]["hooks"][0]["steps"]  # type: ignore

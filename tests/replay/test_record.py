"""The record: its schema, its three forms, masking, and what is read of a damaged one."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from sandhook.hooks.engine import HookEngine
from sandhook.hooks.events import ToolPre
from sandhook.journal import parquet, reading
from sandhook.journal.errors import DamagedLine, JournalError
from sandhook.journal.journal import Journal
from sandhook.journal.masking import Masker
from sandhook.journal.neutral import event_json, event_of
from sandhook.journal.reading import Contents, Skipped, plan
from sandhook.journal.schema import Decided, Entry, decode, encode
from sandhook.journal.targets import open_target
from tests.replay.replaytools import GUARD, entries, entry, payload, settings, write


def read(*records: str | Path, size: int = 4 << 20) -> tuple[list[Entry], list[Skipped]]:
    """Return all events of records, and what was skipped."""
    whole = plan([str(each) for each in records], size)
    found, skipped = [], list(whole.skipped)
    for partition in whole.partitions:
        contents = Contents(partition)
        found += list(contents.entries())
        skipped += contents.skipped
    return found, skipped


def target(tmp_path: Path, form: str) -> str:
    return {"lines": f"{tmp_path}/r", "sqlite": f"sqlite:{tmp_path}/r", "parquet": f"parquet:{tmp_path}/r"}[
        form
    ]


@pytest.mark.parametrize("form", ["lines", "sqlite", "parquet"])
def test_an_engine_records_events(tmp_path: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    where = target(tmp_path, form)
    for _ in range(2):  # the second one appends
        with Journal(where) as journal:
            engine = HookEngine.load(settings(GUARD), "claude_code", audit=journal)
            engine.fire_native(payload("rm -rf /"))
            engine.fire(ToolPre("Edit", {"file_path": "a"}))
    found, skipped = read(where)
    assert skipped == [] and len(found) == 4
    refused, other = found[:2]
    assert (refused.agent, refused.event, refused.payload) == (
        "claude_code",
        "PreToolUse",
        payload("rm -rf /"),
    )
    assert refused.decision is not None and refused.decision.refused and refused.decision.reason == "no rm"
    run = refused.hooks[0]
    assert (run.id, run.state, run.exit_status, run.limit, len(run.hash)) == (
        "PreToolUse[0]",
        "selected",
        2,
        None,
        32,
    )
    assert run.timeout_s == 600 and run.duration_ms is not None and refused.duration_ms is not None
    assert (other.agent, other.hooks, other.unmatched) == ("", (), ("PreToolUse[0]",))
    assert other.decision is not None and not other.decision.refused


def test_the_hash_of_a_hook_is_that_of_its_text(tmp_path: Path) -> None:
    hashes = []
    for script in ("exit 0", "exit 0", "exit 1"):
        with Journal(f"{tmp_path}/r") as journal:
            HookEngine.load(settings(script), "claude_code", audit=journal).fire_native(payload("ls"))
        hashes.append(read(tmp_path / "r")[0][-1].hooks[0].hash)
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_line_is_read_back() -> None:
    for each in entries(50):
        assert decode(encode(each).encode()) == each
    strange = entry(1, "\x7f\x00\ud800 é \u2028")
    assert encode(strange).isascii() and "\x7f" not in encode(strange)
    assert decode(encode(strange).encode()) == strange


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"\xff", "is not UTF-8 at its byte 1"),
        (b"{", "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b'{"type":"x"}', "has the type 'x'; wanted 'event.decided'"),
        (b'{"type":"event.decided","record":2}', "has version 2 of the record; this sandhook reads 1"),
        (encode(entry(1)).replace('"ls"', '"sl"').encode(), "does not have the checksum of its text"),
    ],
)
def test_a_damaged_line_has_a_reason(line: bytes, why: str) -> None:
    with pytest.raises(DamagedLine, match=why):
        decode(line)


def test_other_audit_lines_are_no_events() -> None:
    assert decode(b'{"time":"x","type":"hook.invoked","hook_id":"h"}') is None


@given(st.data())
@hypothesis_settings(max_examples=60, deadline=None)
def test_a_flipped_bit_costs_one_event(data: st.DataObject) -> None:
    events = entries(6)
    text = bytearray("".join(f"{encode(each)}\n" for each in events).encode())
    at = data.draw(st.integers(0, len(text) - 1))
    text[at] ^= 1 << data.draw(st.integers(0, 7))
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "r")
        path.write_bytes(text)
        found, skipped = read(path, size=data.draw(st.sampled_from([700, 4 << 20])))
    assert {each.id for each in found} <= {each.id for each in events}
    assert all(each in events for each in found) and len(found) >= 5
    assert len(found) == 6 or skipped


@given(st.data())
@hypothesis_settings(max_examples=40, deadline=None)
def test_a_record_that_was_cut_anywhere_goes_on(data: st.DataObject) -> None:
    import tempfile

    events = entries(4)
    text = "".join(f"{encode(each)}\n" for each in events).encode()
    cut = data.draw(st.integers(0, len(text)))
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "r")
        path.write_bytes(text[:cut])
        with Journal(str(path)) as journal:
            HookEngine.load(settings("exit 0"), "claude_code", audit=journal).fire_native(payload("last"))
        found, skipped = read(path)
    whole = text[:cut].count(b"\n")
    whole += any(text[:cut].endswith(encode(each).encode()) for each in events)
    assert found[:whole] == events[:whole] and len(found) == whole + 1
    assert len(skipped) == (
        cut > 0 and text[cut - 1 : cut] != b"\n" and found[:-1][-1:] != events[whole - 1 : whole]
    ) or (len(skipped) <= 1)


def test_lines_that_run_together_are_both_read(tmp_path: Path) -> None:
    one, two = encode(entry(1)), encode(entry(2))
    (tmp_path / "r").write_bytes(f"{one[:40]}{two}\n{one}\0\0{two}\n".encode())
    found, skipped = read(tmp_path / "r")
    assert [each.id for each in found] == ["00000002", "00000001", "00000002"]
    assert [(each.line, each.place, each.recovered) for each in skipped] == [(1, 0, 1), (2, 41 + len(two), 2)]


def test_another_encoding_is_named(tmp_path: Path) -> None:
    line = encode(entry(1)) + "\n"
    (tmp_path / "utf16").write_text(line, encoding="utf-16")
    (tmp_path / "bom").write_text(line, encoding="utf-8-sig")
    (tmp_path / "latin1").write_bytes(b'{"time":"\xe9"}\n' + line.encode())
    assert read(tmp_path / "utf16") == (
        [],
        [Skipped(str(tmp_path / "utf16"), "file", 0, 0, "is not UTF-8, but seems to be UTF-16: convert it")],
    )
    assert read(tmp_path / "bom") == ([entry(1)], [])
    found, skipped = read(tmp_path / "latin1")
    assert found == [entry(1)] and skipped[0].reason == "is not UTF-8 at its byte 10"


def test_partitions_have_each_line_once(tmp_path: Path) -> None:
    events = entries(40)
    path = write(tmp_path / "r", events)
    for size in (1, 7, 300, 1000, 1 << 20):
        assert read(path, size=size) == (events, [])


def test_a_damaged_row_of_a_database_is_skipped(tmp_path: Path) -> None:
    with Journal(f"sqlite:{tmp_path}/r") as journal:
        engine = HookEngine.load(settings("exit 0"), "claude_code", audit=journal)
        for number in range(5):
            engine.fire_native(payload(f"c{number}"))
    connection = sqlite3.connect(tmp_path / "r")
    connection.execute("UPDATE audit SET line = replace(line, 'c2', 'c9') WHERE id = 3")
    connection.execute("UPDATE audit SET line = CAST(X'FF' AS TEXT) WHERE id = 4")
    connection.commit()
    connection.close()
    found, skipped = read(tmp_path / "r")
    assert [each.payload["tool_input"]["command"] for each in found] == ["c0", "c1", "c4"]  # type: ignore
    assert sorted((each.unit, each.place) for each in skipped) == [("row", 3), ("row", 4)]


def test_a_file_that_is_no_record_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="No such file"):
        read(tmp_path / "none")
    with pytest.raises(JournalError, match="has no part of a record"):
        read(tmp_path)


def test_parts_of_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(parquet, "PART_LINES", 4)
    monkeypatch.setattr(parquet, "GROUP_LINES", 2)
    journal = Journal(f"parquet:{tmp_path}/r")
    engine = HookEngine.load(settings(GUARD), "claude_code", audit=journal)
    for number in range(10):
        engine.fire_native(payload(f"c{number}"))
    names = sorted(path.suffix for path in (tmp_path / "r").iterdir())
    assert names == [".jsonl", ".parquet", ".parquet"], "the process could be killed now"
    assert len(read(tmp_path / "r")[0]) == 10
    journal.close()
    parts = sorted((tmp_path / "r").iterdir())
    assert [part.suffix for part in parts] == [".parquet"] * 3
    table = pyarrow.read_table(parts[0]).to_pylist()
    assert table[0]["tool"] == "Bash" and table[0]["refused"] is False and table[0]["agent"] == "claude_code"
    data = bytearray(parts[0].read_bytes())
    chance = random.Random(3)
    for _ in range(40):
        data[chance.randrange(20, len(data) // 3)] ^= 255
    parts[0].write_bytes(data)
    found, skipped = read(tmp_path / "r")
    assert 6 <= len(found) < 10 and skipped and skipped[0].unit in ("group", "file")


def test_secrets_are_masked() -> None:
    masker = Masker(["key:ssn", "text:CUST-[0-9]+"])
    value, count = masker.masked(
        {
            "a": "see CUST-123 and CUST-4",
            "ssn": 5,
            "deep": [{"SSN": "x", "password": "hunter2"}],
            "b": "plain",
        }
    )
    assert value == {
        "a": "see [redacted] and [redacted]",
        "ssn": "[redacted]",
        "deep": [{"SSN": "[redacted]", "password": "[redacted]"}],
        "b": "plain",
    }
    assert count == 4
    assert Masker(raw=True).masked({"password": "hunter2"}) == ({"password": "hunter2"}, 0)


@pytest.mark.parametrize("rule", ["x", "key:", "text:(", "other:x"])
def test_a_wrong_rule_is_an_error(rule: str) -> None:
    with pytest.raises(JournalError, match="rule '"):
        Masker([rule])


def test_an_expression_of_no_letters_ends() -> None:
    assert Masker(["text:x*"]).text("axxb") == "a[redacted]b"


def test_a_neutral_event_is_read_back() -> None:
    event = ToolPre("Bash", {"command": "ls"}, session_id="s", cwd="/x")
    assert event_of(json.loads(json.dumps(event_json(event)))) == event


@pytest.mark.slow
@pytest.mark.parametrize("form", ["lines", "sqlite", "parquet"])
def test_a_process_that_is_killed_loses_nothing_that_was_written(tmp_path: Path, form: str) -> None:
    if sys.platform == "win32":
        pytest.skip("SIGKILL")
    if form == "parquet":
        pytest.importorskip("pyarrow")
    program = (
        "import sys\n"
        "from tests.replay.replaytools import entries\n"
        "from sandhook.journal import parquet\n"
        "from sandhook.journal.schema import encode\n"
        "from sandhook.journal.targets import open_target\n"
        "parquet.PART_LINES = 7\n"
        "target = open_target(sys.argv[1])\n"
        "lines = [encode(each) for each in entries(50)]\n"
        "while True:\n"
        "    for line in lines:\n"
        "        target.write([line]); print(flush=True)\n"
    )
    written = 0
    chance = random.Random(7)
    for _ in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", program, target(tmp_path, form)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.random())
        os.kill(process.pid, signal.SIGKILL)
        written += 1 + len(process.stdout.read())
        process.wait()
        process.stdout.close()
    found, skipped = read(target(tmp_path, form))
    assert len(found) >= written and all(each in entries(50) for each in found[:50])
    assert len(skipped) <= 6


@pytest.mark.parametrize("form", ["lines", "sqlite", "parquet"])
def test_half_of_a_surrogate_pair_can_be_recorded(tmp_path: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    half = "\ud800"
    strange = entry(1)._replace(id=half, tool=half, session_id=half, decision=Decided(True, reason=half))
    open_ = open_target(target(tmp_path, form))
    open_.write([encode(strange)])
    open_.close()
    assert read(target(tmp_path, form)) == ([strange], [])


@pytest.mark.parametrize("form", ["lines", "sqlite", "parquet"])
@pytest.mark.parametrize("damage", ["version", "cut", "bit", "latin1", "other"])
def test_damage_costs_one_event_in_each_form(tmp_path: Path, form: str, damage: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    events = entries(6)
    lines = [encode(each) for each in events]
    broken, why = {
        "version": (
            lines[2].replace('"record":1', '"record":9'),
            "has version 9 of the record; this sandhook reads 1",
        ),
        "cut": (lines[2][:-60], "is not JSON: "),
        "bit": (lines[2].replace('"id":"0', '"id":"1'), "does not have the checksum of its text"),
        "latin1": (lines[2].replace("Bash", "B\xe4sh").replace("Edit", "\xc4dit"), ""),
        "other": (
            lines[2].replace("event.decided", "event.other"),
            "has the type 'event.other'; wanted 'event.decided'",
        ),
    }[damage]
    lines[2] = broken
    where = target(tmp_path, form)
    if form == "lines":
        Path(where).write_bytes(b"".join(line.encode("latin-1") + b"\n" for line in lines))
        why = why or "is not UTF-8 at its byte "
    elif form == "sqlite":
        with closing(sqlite3.connect(where.removeprefix("sqlite:"))) as database:
            database.execute("CREATE TABLE audit (id INTEGER PRIMARY KEY, line TEXT)")
            database.executemany(
                "INSERT INTO audit (line) VALUES (CAST(? AS TEXT))",
                [[line.encode("latin-1")] for line in lines],
            )
            database.commit()
    else:
        import pyarrow
        import pyarrow.parquet

        Path(where.removeprefix("parquet:")).mkdir()
        table = (
            pyarrow.table(
                {
                    "line": pyarrow.array([line.encode("latin-1") for line in lines]).cast(
                        pyarrow.string(), safe=False
                    )
                }
            )
            if damage != "latin1"
            else pyarrow.table({"line": lines})
        )
        pyarrow.parquet.write_table(table, f"{where.removeprefix('parquet:')}/part.parquet")
        why = why or "does not have the checksum of its text"
    found, skipped = read(where)
    assert found == [*events[:2], *events[3:]]
    assert len(skipped) == 1 and why in skipped[0].reason
    assert (skipped[0].unit, skipped[0].place) == {
        "lines": ("byte", len(lines[0]) + len(lines[1]) + 2),
        "sqlite": ("row", 3),
        "parquet": ("group", 1),
    }[form]


def test_many_damaged_places_need_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_bytes(b"x\n" * 20_000 + encode(entry(1)).encode() + b"\n")
    contents = Contents(plan([str(path)]).partitions[0])
    assert [each.id for each in contents.entries()] == ["00000001"]
    assert (len(contents.skipped), contents.skipped_count) == (1_000, 20_000)


def test_not_every_beginning_is_tried_with_every_end(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def counted(data: bytes) -> Entry | None:
        tried.append(len(data))
        return decode(data)

    monkeypatch.setattr(reading, "decode", counted)
    monkeypatch.setattr(reading, "_MOST_TRIED", 1 << 20)
    line = b'{"time":"' * 64 + b'"crc":"00000000"}' * 2_000
    assert list(reading.recovered(line)) == []
    assert tried and sum(tried) <= 1 << 20

"""The worker's side: what it was started with, what it cannot reach, and its layouts."""

from __future__ import annotations

import os
import sys
from typing import get_args

import pytest

from sandhook.worker import client, frames, launch
from sandhook.worker.jq.layout import layout
from sandhook.worker.requests import Request
from tests.worker.asking import output, request


def test_the_environment_is_empty(ask, monkeypatch):
    monkeypatch.setenv("SANDHOOK_SECRET", "s3cret")
    known = {b"LC_CTYPE", b"SYSTEMROOT", b"SYSTEMDRIVE"}
    names = {name.strip(b'"').upper() for name in ask(b"$ENV | keys[]").split()}
    assert names <= known, "Python's own and what Windows cannot do without"
    assert ask(b"env.SANDHOOK_SECRET") == b"null\n"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("module", get_args(launch.Module))
def test_is_confined(module):
    pool = client.Pool(lambda: client.Worker(module=module))
    worker = pool.acquire(10.0)
    assert not worker._ready
    worker.extend(10.0)
    worker._await_ready()
    confined(worker.pid)
    assert worker.confinement is not None
    assert worker.confinement.complete, worker.confinement.lines()
    pool.release(worker)
    pool.close()


def confined(pid: int) -> None:
    """Check what the process cannot do any more."""
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert sorted(os.listdir(f"/proc/{pid}/fd")) == ["0", "1", "2", "3"]
    assert os.readlink(f"/proc/{pid}/fd/2") == os.devnull
    limits = {}
    with open(f"/proc/{pid}/limits", encoding="ascii") as lines:
        for line in lines:
            limits[line[:26].strip()] = line[26:].split()[:2]
    assert limits["Max address space"] == [str(512 << 20)] * 2
    assert limits["Max open files"] == ["4", "4"]
    assert limits["Max file size"] == ["0", "0"]
    assert limits["Max core file size"] == ["0", "0"]
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        status = dict(line.split(":", 1) for line in lines)
    assert status["NoNewPrivs"].strip() == "1"
    assert status["Seccomp"].strip() == "2"
    assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0
    assert os.getsid(pid) == pid


@pytest.mark.parametrize(
    "program",
    [b'import "passwd" as $p {search: "/etc"}; 1', b'include "a" {search: "/tmp"}; 1'],
)
def test_wrapped_programs_cannot_name_modules(pool, program):
    said: list[bytes] = []
    pool.call(request(program), lambda: 10.0, lambda kind, payload: said.append(payload))
    assert b"syntax error" in said[0]


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are limited on POSIX")
def test_no_file_can_be_opened(pool, tmp_path):
    (tmp_path / "m.json").write_text('{"secret": 1}')
    program = b'import "m" as $m {search: "%s"}; $m|[tojson]' % os.fsencode(tmp_path)
    said: list[bytes] = []
    pool.call(Request(program, b"null"), lambda: 10.0, lambda kind, payload: said.append(payload))
    assert b"secret" not in b"".join(said)
    assert b"error" in said[0]


def test_a_home_directory_s_jq_file_is_not_loaded(pool, tmp_path, monkeypatch):
    (tmp_path / ".jq").write_text("def leaked: 42;")
    monkeypatch.setenv("HOME", str(tmp_path))
    said: list[bytes] = []
    pool.call(request(b"leaked"), lambda: 10.0, lambda kind, payload: said.append(payload))
    assert b"leaked/0 is not defined" in said[0]


def test_debug_and_stderr_write_nowhere(ask, capfd):
    assert ask(b'"x" | debug, stderr') == b'"x"\n"x"\n'
    assert capfd.readouterr() == ("", "")


def test_programs_are_kept_compiled(pool, monkeypatch):
    for number in range(300):
        assert output(pool, request(b"%d" % (number % 200))) == b"%d\n" % (number % 200)


def test_state_does_not_pass_from_one_call_to_the_next(pool):
    first = Request(b".[1] as [$a]|.[2:][]|[$a|tojson]", b"1", flags=frames.GATHER, variables=b'["one"]')
    second = Request(b".[1] as [$a]|.[2:][]|[$a|tojson]", b"1", flags=frames.GATHER, variables=b"[2]")
    assert output(pool, first) == b'"one"\n'
    assert output(pool, second) == b"2\n"
    assert output(pool, request(b"$__prog_args")) == b""


def test_a_call_after_an_error_starts_afresh(ask):
    assert ask(b'1, error("x"), 2') == b"1\n"
    assert ask(b'1, error("x"), 2') == b"1\n"
    assert ask(b".", b"1 2 {") == b"1\n2\n"
    assert ask(b".", b"3") == b"3\n"


@pytest.mark.parametrize(
    ("text", "unit", "laid_out"),
    [
        ("1.000", "  ", "1.000"),
        ("[]", "  ", "[]"),
        ("{}", "  ", "{}"),
        ("[[],{}]", "  ", "[\n  [],\n  {}\n]"),
        (
            '{"a":[1,{"b":"}],:\\""}]}',
            "  ",
            '{\n  "a": [\n    1,\n    {\n      "b": "}],:\\""\n    }\n  ]\n}',
        ),
        ("[1]", "\t", "[\n\t1\n]"),
        ("[1,[2]]", "", "[\n1,\n[\n2\n]\n]"),
        ('"[]"', "  ", '"[]"'),
    ],
)
def test_lays_out(text, unit, laid_out):
    lay_out = layout(unit=unit, colour=False, ascii_=False)
    assert lay_out is not None
    assert lay_out(text) == laid_out


def test_compact_text_stays_as_it_is():
    assert layout(unit=None, colour=False, ascii_=False) is None


@pytest.mark.parametrize(
    ("text", "escaped"),
    [('"é"', '"\\u00e9"'), ('"😀"', '"\\ud83d\\ude00"'), ('"a\\n"', '"a\\n"')],
)
def test_escapes_what_is_not_ascii(text, escaped):
    lay_out = layout(unit=None, colour=False, ascii_=True)
    assert lay_out is not None
    assert lay_out(text) == escaped


def test_the_pool_of_the_process_is_one():
    assert isinstance(client.POOL, client.Pool)

"""``sandhook test`` with the case files of bats and of bashkit, in all formats of the results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty current directory."""
    directory = tmp_path / "here"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def test_bats_in_all_formats(sandhook: Run, here: Path) -> None:
    write(here / "x.bats", '@test "a" { true; }\n@test "b" { skip why; }\n@test "c" { echo out; false; }\n')
    code, out, _ = sandhook("test", "x.bats")
    assert code == 1
    assert "x.bats  1 pass, 1 skip, 1 fail" in out
    assert "where it failed:\n      x.bats:3: @test" in out
    assert "output:\n      out\n" in out
    code, out, _ = sandhook("test", "--format", "json", "x.bats")
    cases = json.loads(out)["reports"][0]["cases"]
    assert [case["result"] for case in cases] == ["pass", "skip", "fail"]
    assert cases[1]["reason"] == "why"
    code, out, _ = sandhook("test", "--format", "junit", "x.bats")
    assert '<skipped message="why"/>' in out
    assert 'failures="1"' in out
    assert sandhook("test", "--list", "x.bats")[1] == "x.bats:1: a\nx.bats:2: b\nx.bats:3: c\n"
    code, _, error = sandhook("test", "--record", "bash", "x.bats")
    assert code == 2
    assert "--record does not write x.bats" in error


BASHKIT = """\
# words about the file

### greets
echo hello
### expect
hello
### end

### no_newline
printf x
### expect
x
### end

### fails
### exit_code: 3
exit 3
### expect
### end

### not_here
### skip: needs bashkit
exit 1
### expect
### end

### other
### bash_diff: bashkit prints b
echo a
### expect
b
### end

### wrong
echo a
### expect
b
### end
"""


def test_bashkit_in_all_formats(sandhook: Run, here: Path) -> None:
    write(here / "x.test.sh", BASHKIT)
    code, out, _ = sandhook("test", "x.test.sh")
    assert code == 1
    assert "x.test.sh  3 pass, 1 skip, 1 differs, 1 fail" in out
    assert "x.test.sh:34: wrong [sandhook: fail]" in out
    out = sandhook("test", "--format", "junit", "x.test.sh")[1]
    assert '<skipped message="needs bashkit"/>' in out
    assert '<skipped message="differs: bashkit prints b"/>' in out
    cases = json.loads(sandhook("test", "--format", "json", "x.test.sh")[1])["reports"][0]["cases"]
    assert [case["result"] for case in cases] == ["pass", "pass", "pass", "skip", "differs", "fail"]

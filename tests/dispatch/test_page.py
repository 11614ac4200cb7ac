"""docs/dispatch.md says what we do: its tables are read, and every row is tried."""

from __future__ import annotations

import errno
import re
from typing import Any

import pytest

from sandhook.dispatch.model import Interpreter, Program, Refused, Source
from sandhook.dispatch.plan import is_path, plan
from sandhook.host.environment import loads_code
from sandhook.host.names import to_native, to_virtual
from tests.dispatch.machine import NamedFiles
from tests.source import ROOT, code

PAGE = (ROOT / "docs" / "dispatch.md").read_text(encoding="utf-8")
PATH = {name: f"/usr/bin/{name}" for name in ("python3", "node", "bash", "a b")}
MISSING = {"missing": errno.ENOENT, "directory": errno.EISDIR, "unreadable": errno.EACCES, "nothing": b""}


def rows(heading: str, columns: int) -> list[list[str]]:
    """Return the rows of the tables below a heading that have so many columns, without their heads."""
    text = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]
        if len(lines[0]) == columns:
            found += lines[2:]
    assert found
    return found


def contents(cell: str) -> bytes | int:
    """Return what a file holds, from a cell with its escapes; only the carriage return's row has its newline."""
    if cell in MISSING:
        return MISSING[cell]
    text = code(cell)[0]
    for escape in (r"\t", r"\r", r"\n", r"\0"):
        text = text.replace(escape, {"t": "\t", "r": "\r", "n": "\n", "0": "\0"}[escape[1]])
    data = re.sub(rb"\\x(..)", lambda match: bytes.fromhex(match[1].decode()), text.encode())
    return data if data.endswith(b"\n") else data + b"\n"


def planned(cell: str, **how: Any) -> Any:
    programs: dict[str, bytes | int] = dict.fromkeys(PATH.values(), b"\x7fELF")
    files = NamedFiles({**programs, "./x": contents(cell)}, PATH)
    return plan("./x", ["./x", "one"], files, environment={"HOME": "/home/u"}, **how)


@pytest.mark.parametrize("row", rows("Which words are files", 3), ids=lambda row: row[1])
def test_words(row: list[str]) -> None:
    for word in code(row[1]):
        assert is_path(word, windows=True)
        assert is_path(word, windows=False) == ("/" in word)
        assert ("\\" in word or ":" in word) == (row[2] == "Windows")


@pytest.mark.parametrize("row", rows("What happens to a file", 2), ids=lambda row: row[0])
def test_files(row: list[str]) -> None:
    found = planned(row[0])
    if row[1] == "the own shell":
        assert found == Source("./x", ("./x", "one"))
        return
    assert isinstance(found, Program | Interpreter)
    words = code(row[1])
    executable = words.pop(0) if "`:" in row[1] else words[0]
    assert (found.executable, found.argv) == (executable, tuple(words))
    reported = isinstance(found, Interpreter) and bool(found.notes)
    assert reported == (r"\r" in row[0] or r"\xef" in row[0])


@pytest.mark.parametrize("row", rows("What is refused", 3), ids=lambda row: row[0])
def test_refusals(row: list[str]) -> None:
    of_file = row[0] in ("missing", "directory", "unreadable")
    assert planned(row[0]) == Refused(int(row[1]), code(row[2])[0], of_file)


@pytest.mark.parametrize("row", rows("Scripts without a first line", 2), ids=lambda row: row[0])
def test_extensions(row: list[str]) -> None:
    for ending in code(row[0]):
        name = f"./x{ending}"
        found = plan(name, [name], NamedFiles({name: b"text\n"}))
        assert isinstance(found, Refused) and found.status == 126
        assert f"write '{code(row[1])[0]}' as its first line" in found.message


@pytest.mark.parametrize("row", rows("Scripts for bash and sh", 3), ids=lambda row: row[0])
def test_own_shell(row: list[str]) -> None:
    when = code(row[0])[0]
    for path, said in ((PATH, row[1]), ({}, row[2])):
        programs: dict[str, bytes | int] = dict.fromkeys(path.values(), b"\x7fELF")
        found = plan("./x", ["./x"], NamedFiles({**programs, "./x": b"#!/bin/bash\n"}, path), own_shell=when)
        if said.startswith("bash"):
            assert isinstance(found, Interpreter) and found.executable == "/usr/bin/bash"
        elif said.startswith("status 127"):
            assert isinstance(found, Refused) and found.status == 127 and "own_shell" in found.message
        else:
            assert isinstance(found, Source)
            assert bool(found.notes) == ("diagnostic" in said)


@pytest.mark.parametrize("row", rows("Windows", 2), ids=lambda row: row[0])
def test_names(row: list[str]) -> None:
    (shell,), (system,) = code(row[0]), code(row[1])
    assert to_native(shell) == system
    assert to_virtual(system) == shell


def test_environment() -> None:
    dropped = PAGE.split("## The environment\n")[1].split("- PATH is always there")[0]
    assert len(code(dropped)) > 20
    for name in code(dropped):
        assert loads_code(name.replace("*", "X")), name
    assert not any(map(loads_code, ["PATH", "HOME", "GIT_AUTHOR_NAME", "SystemRoot"]))

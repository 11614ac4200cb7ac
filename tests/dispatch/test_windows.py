"""Windows: plans there, and command lines that come out as the arguments that went in.

The plans are of named files and the quoting is text, so both are tested everywhere; what Windows makes
of a command line is asked there.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest

from sandhook.dispatch.batch import UnsafeArgument, batch_arguments, is_batch, windows_command_line
from sandhook.dispatch.model import Interpreter, Program, Refused, Source
from sandhook.dispatch.plan import plan
from tests.dispatch.machine import NamedFiles

CMD = r"C:\Windows\system32\cmd.exe"
PATH = {
    "cmd.exe": CMD,
    "python": r"C:\Py\python.exe",
    "node": r"C:\Node\node.exe",
    "npx": r"C:\Node\npx.cmd",
    "pwsh": r"C:\P\pwsh.exe",
}
PROGRAMS: dict[str, bytes | int] = dict.fromkeys(PATH.values(), b"MZ\x90\0")

windows_only = pytest.mark.skipif(sys.platform != "win32", reason="asks Windows")


def made(name: str, text: bytes | int, *operands: str, path: dict[str, str] = PATH, **how: Any) -> Any:
    files = NamedFiles({**PROGRAMS, name: text}, path, windows=True)
    return plan(name, [name, *operands], files, **how)


def native(name: str) -> str:
    """Return a name of a "#!" line as host mode would: "/c/x" is a drive's."""
    if name[:1] == "/" and name[2:3] == "/":
        return f"{name[1].upper()}:{name[2:]}".replace("/", "\\")
    return str(PureWindowsPath(name))


def test_programs() -> None:
    assert made(r"C:\x\tool.exe", b"MZ", "a b") == Program(r"C:\x\tool.exe", (r"C:\x\tool.exe", "a b"))
    assert made(r".\tool.EXE", b"") == Program(r".\tool.EXE", (r".\tool.EXE",)), (
        "an alias of the system is empty"
    )
    assert made(r".\tool.com", b"text").executable == r".\tool.com"
    assert made(r".\tool", b"MZ\x90").executable == r".\tool"


def test_an_extension_that_is_left_out() -> None:
    assert plan(r".\tool", ["./tool"], NamedFiles({r".\tool.exe": b"MZ"}, windows=True)) == Program(
        r".\tool.exe", ("./tool",)
    )
    files = NamedFiles({r".\t.cmd": b"", r".\t.exe": b"MZ"}, PATH, windows=True)
    assert plan(r".\t", ["./t"], files).executable == r".\t.exe"  # type: ignore[union-attr]
    assert made(r".\x", b"echo\n") == Source(r".\x", (r".\x",))
    assert plan(r".\no", ["./no"], files) == Refused(127, "./no: No such file or directory", of_file=True)
    assert files.looked[-5:] == [r".\no", r".\no.com", r".\no.exe", r".\no.bat", r".\no.cmd"]


def test_scripts() -> None:
    assert made("C:/x/s", b"#!/usr/bin/env python\r\n", "a").argv == ("python", "C:/x/s", "a")
    assert made(r".\s", b"#!/usr/bin/env -S node --a\n").argv == ("node", "--a", r".\s")
    assert made(r".\s.py", b"#!C:\\Py\\python.exe -u\n").argv == (r"C:\Py\python.exe", "-u", r".\s.py")
    assert made(r".\s", b"#!/c/Py/python.exe\n", native=native).executable == r"C:\Py\python.exe"
    assert made(r".\s", b"#!C:/Py/python\n").executable == "C:/Py/python.exe"
    assert made(r".\s", b"#!/usr/local/bin/node\n").executable == r"C:\Node\node.exe"
    assert made(r".\s", b"echo hello\r\n") == Source(r".\s", (r".\s",))


def test_a_word_is_not_looked_up_in_the_working_directory() -> None:
    files = NamedFiles(
        {".\\s": b"#!node\n", "node": b"MZ", "node.exe": b"MZ", **PROGRAMS}, PATH, windows=True
    )
    assert plan(".\\s", [".\\s"], files).executable == r"C:\Node\node.exe"  # type: ignore[union-attr]


def test_python_has_another_name() -> None:
    found = made(r".\s", b"#!/usr/bin/env python3\n", "a")
    assert found.executable == r"C:\Py\python.exe"
    assert found.notes == (r".\s: python3 is not on this machine; python ran the script",)
    assert made(r".\s", b"#!/usr/bin/env python3\n", path={}).status == 127


def test_a_shell_that_is_not_there() -> None:
    found = made(r".\s", b"#!/bin/bash\n")
    assert isinstance(found, Refused) and found.status == 127
    assert found.message.startswith(
        r".\s: /bin/bash: bad interpreter: No such file or directory, nor is bash in PATH"
    )
    assert made(r".\s", b"#!/bin/bash -e\r\n", own_shell="missing").options == ("-e",)
    with_bash = {**PATH, "bash": r"C:\Git\bin\bash.exe"}
    assert made(r".\s", b"#!/bin/bash\n", path=with_bash).executable == r"C:\Git\bin\bash.exe"
    assert isinstance(made(r".\s", b"#!C:\\no\\BASH.EXE\n", own_shell="missing"), Source)


def test_batch_files_are_run_by_cmd() -> None:
    found = made(r"C:\my dir\x.bat", b"@echo off\r\n", "one", "two words")
    assert found == Program(
        CMD,
        (CMD, r"C:\my dir\x.bat", "one", "two words"),
        f'"{CMD}" /d /e:on /v:off /s /c ""C:\\my dir\\x.bat" one "two words""',
    )
    assert made(r".\x.CMD", b"", "a").command_line.endswith(r'/c "".\x.CMD" a"')
    assert made(r".\x.bat", b"", "50%") == Refused(
        126, r".\x.bat: cannot execute: '%' in the argument '50%' of a batch file cannot be quoted safely"
    )
    assert made(r".\x.bat", b"", path={}).status == 127


def test_an_interpreter_that_is_a_batch_file() -> None:
    found = made(r".\s.ts", b"#!/usr/bin/env -S npx tsx\n", "a")
    assert isinstance(found, Interpreter)
    assert found.executable == CMD
    assert found.command_line.endswith(r'/c ""C:\Node\npx.cmd" tsx .\s.ts a"')
    assert made(r".\s.ts", b"#!/usr/bin/env -S npx tsx\n", "a&b").status == 126


def test_names_that_are_batch_files() -> None:
    for name in (r"C:\x.bat", "x.CMD", "x.bat.", "x.cmd ", "x.Bat . ."):
        assert is_batch(name), name
    for name in ("x.exe", "bat", "x.bat.exe", "xbat", "x.batch"):
        assert not is_batch(name), name
    files = NamedFiles({".\\x.bat. ": b"@echo"}, PATH, windows=True)
    found = plan(".\\x.bat. ", ["x", "a"], files)
    assert isinstance(found, Program) and found.executable == CMD, "dots and spaces at the end hide nothing"
    assert isinstance(plan(".\\x.bat. ", ["x", "&calc"], files), Refused)


def test_advice_without_a_first_line() -> None:
    found = made(r".\x.ps1", b"Write-Output 1\r\n")
    assert isinstance(found, Refused) and "'#!/usr/bin/env -S pwsh -NoProfile -File'" in found.message
    table = {".ps1": ("pwsh", "-NoProfile", "-File")}
    assert made(r"C:\a.b\x.PS1", b"", "a", extensions=table).argv == (
        "pwsh", "-NoProfile", "-File", r"C:\a.b\x.PS1", "a",
    )  # fmt: skip
    assert isinstance(made(r"C:\a.py\x", b""), Source), "a directory's extension is none of the file's"


# --------------------------------------------------------------------------- quoting

HARD = [
    "", " ", "a", "a b", "\t", 'a"b', '"', '""', 'a\\"b', "\\", "\\\\", "a\\", "a b\\", "a b\\\\", '\\"', '\\\\"', "a\nb",
    "%PATH%", "a^b", "&calc", "a|b", "<x", ">y", "!x!", "(a)", "'q'", "*", "?", "ä→", "-x", "/c", "a,b;c=d", "`", "~", "@x",
    "\\\\server\\share\\", "C:\\Program Files\\x\\",
]  # fmt: skip


#: What makes quoting hard.
PIECES = ["a", "b", " ", "\\", "\\", "\\", '"', '"', "\t", "%"]


def test_command_lines_as_text() -> None:
    assert windows_command_line(["x", "a b", "", 'q"r', "s t\\", "u\\", 'v\\"']) == (
        r'x "a b" "" "q\"r" "s t\\" u\ "v\\\""'
    )
    assert windows_command_line([r"C:\a b\x.exe", r"C:\c"]) == r'"C:\a b\x.exe" C:\c'
    assert windows_command_line([]) == ""
    for words in (["x", "a\0b"], ['a"b']):
        with pytest.raises(UnsafeArgument):
            windows_command_line(words)


def cut(line: str) -> list[str]:
    """Cut a command line by the rules that Microsoft publishes."""
    words: list[str] = []
    word: str | None = None
    quoted = False
    slashes = 0
    for letter in line + " ":
        if letter == "\\":
            slashes += 1
            continue
        if slashes:
            half = slashes // 2 if letter == '"' else slashes
            word = (word or "") + "\\" * half
        if letter == '"' and slashes % 2 == 0:
            quoted = not quoted
            word = word or ""
        elif letter in " \t" and not quoted:
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + letter
        slashes = 0
    return words


def test_command_lines_by_the_published_rules() -> None:
    assert cut(windows_command_line(["x", *HARD])) == ["x", *HARD]
    chance = random.Random(12)
    for _ in range(2000):
        words = ["x", *("".join(chance.choice('ab \\\\\\"" \t%\n') for _ in range(6)) for _ in range(4))]
        assert cut(windows_command_line(words)) == words


def test_arguments_of_batch_files_as_text() -> None:
    assert batch_arguments("x.bat", []) == '/d /e:on /v:off /s /c ""x.bat""'
    assert batch_arguments("x.bat", ["a", "", "b c", "d,e", "f=g", "h\\", "i j\\", "(k)"]) == (
        '/d /e:on /v:off /s /c ""x.bat" a "" "b c" "d,e" "f=g" h\\ "i j\\\\" "(k)""'
    )


@pytest.mark.parametrize("letter", list('"%!^&|<>\n\r\t\0\x1a\x7f'))
def test_arguments_of_batch_files_that_are_refused(letter: str) -> None:
    with pytest.raises(UnsafeArgument, match="cannot be quoted safely"):
        batch_arguments("x.bat", ["fine", f"a{letter}b"])
    if letter in '"%\n':
        with pytest.raises(UnsafeArgument, match="in the name of a batch file"):
            batch_arguments(f"x{letter}.bat", [])


def test_names_of_batch_files_may_have_what_quotes_protect() -> None:
    assert '"R&D (new)^!\\x.bat"' in batch_arguments("R&D (new)^!\\x.bat", [])


@pytest.fixture
def seen(tmp_path: Path) -> Callable[[str], list[str]]:
    """Return a function that starts a command line and gives the arguments that Python sees at its end."""
    (tmp_path / "show.py").write_text("import json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    (tmp_path / "run me.bat").write_text(f'@echo off\n"{sys.executable}" "{tmp_path}\\show.py" %*\n')
    (tmp_path / "delayed.cmd").write_text(
        f'@echo off\nsetlocal enabledelayedexpansion\n"{sys.executable}" "{tmp_path}\\show.py" %*\n'
    )

    def run(line: str) -> list[str]:
        done = subprocess.run(line, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        found: list[str] = json.loads(done.stdout)
        return found

    return run


@windows_only
def test_windows_cuts_a_command_line_as_it_was_made(seen: Callable[[str], list[str]], tmp_path: Path) -> None:
    assert seen(windows_command_line([sys.executable, str(tmp_path / "show.py"), *HARD])) == HARD
    chance = random.Random(11)
    for _ in range(2):
        words = ["".join(chance.choice(PIECES) for _ in range(chance.randrange(9))) for _ in range(400)]
        assert seen(windows_command_line([sys.executable, str(tmp_path / "show.py"), *words])) == words


@windows_only
@pytest.mark.parametrize("name", ["run me.bat", "delayed.cmd"])
def test_a_batch_file_passes_its_arguments_on(
    seen: Callable[[str], list[str]], tmp_path: Path, name: str
) -> None:
    words = []
    for word in HARD:
        try:
            batch_arguments("x.bat", [word])
        except UnsafeArgument:
            continue
        words.append(word)
    assert {"", "a b", "-x", "/c", "a,b;c=d", "(a)", "C:\\Program Files\\x\\"} <= set(words)
    assert seen(f"cmd.exe {batch_arguments(str(tmp_path / name), words)}") == words


@windows_only
def test_a_batch_file_below_a_directory_with_hard_names(
    seen: Callable[[str], list[str]], tmp_path: Path
) -> None:
    hard = tmp_path / "R&D (new) ^x"
    hard.mkdir()
    batch = hard / "x.bat"
    batch.write_bytes((tmp_path / "run me.bat").read_bytes())
    assert seen(f"cmd.exe {batch_arguments(str(batch), ['a b', 'c'])}") == ["a b", "c"]

"""Plans of files that are named, not run: every kind of file, every refusal and its message."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from sandhook.dispatch.model import Interpreter, Program, Refused, Source
from sandhook.dispatch.plan import is_path, plan
from tests.dispatch.machine import NamedFiles

PATH = {"python3": "/usr/bin/python3", "bash": "/usr/bin/bash", "node": "/opt/node", "pwsh": "/opt/pwsh"}
PROGRAMS: dict[str, bytes | int] = dict.fromkeys(PATH.values(), b"\x7fELF\x02\x01\x01\x00")


def made(
    text: bytes | int, *operands: str, name: str = "./x", path: dict[str, str] = PATH, **how: Any
) -> Any:
    files = NamedFiles({**PROGRAMS, name: text}, path)
    return plan(name, [name, *operands], files, **how)


@pytest.mark.parametrize(
    "name", ["./x", "../x", "/x", "~/x", "./a/b", "/", "./", "dir/x", "ä:/x"]
)  # fmt: skip
def test_names_of_files(name: str) -> None:
    assert is_path(name, windows=False)
    assert is_path(name, windows=True)


@pytest.mark.parametrize("name", [r".\x", r"..\x", r"\x", r"~\x", r"C:\x", r"\\server\share\x", r"dir\x"])
def test_names_of_files_on_windows(name: str) -> None:
    assert is_path(name, windows=True)
    assert not is_path(name, windows=False)


@pytest.mark.parametrize("name", ["x", "x.sh", ".x", "..x", "~x", "~", "C:", "C:x", ""])
def test_other_names(name: str) -> None:
    assert not is_path(name, windows=False)
    assert not is_path(name, windows=True)


@pytest.mark.parametrize(
    "text",
    [b"", b"\n", b"echo hello\n", b"# no shebang\n#!/bin/sh\n", b" #!/bin/sh\n", b"#\n!", b"x" * 128 + b"\0"],
)
def test_text_is_source(text: bytes) -> None:
    assert made(text, "a", "") == Source("./x", ("./x", "a", ""))


@pytest.mark.parametrize(
    "text",
    [
        b"\x7fELF\2\1\1", b"MZ\x90", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe", b"text\0", b"\0", b"x" * 127 + b"\0",
    ],
)  # fmt: skip
def test_programs_are_started_themselves(text: bytes) -> None:
    assert made(text, "a", "") == Program("./x", ("./x", "a", ""))


def test_an_interpreter_that_is_elsewhere_is_looked_up_by_its_base_name() -> None:
    assert made(b"#!/nix/store/bin/bash -eu\n", "a") == Interpreter(
        "/usr/bin/bash", ("/usr/bin/bash", "-eu", "./x", "a")
    )
    assert made(b"#!python3\n") == Interpreter("/usr/bin/python3", ("python3", "./x"))


def test_env_without_split_keeps_the_rest_as_one_argument() -> None:
    assert made(b"#!/usr/bin/env bash -x -y\n", "a").argv == ("bash", "-x -y", "./x", "a")
    assert made(b"#!/usr/bin/env -S node --a b\n", "a").argv == ("node", "--a", "b", "./x", "a")
    assert made(b"#!env bash\n").argv == ("bash", "./x")
    assert made(b"#!/opt/own/env bash\n").argv == ("bash", "./x")


def test_a_program_whose_name_has_a_blank_comes_first() -> None:
    path = {**PATH, "bash -x": "/usr/bin/bash"}
    assert made(b"#!/usr/bin/env bash -x\n", path=path).argv == ("bash -x", "./x")


def test_carriage_returns_and_byte_order_marks_are_dropped_and_reported() -> None:
    plain = made(b"#!/usr/bin/env python3\nprint()\n")
    for text, said in (
        (b"#!/usr/bin/env python3\r\nprint()\r\n", ("carriage return",)),
        (b"#!/usr/bin/env python3\r", ("carriage return",)),
        (b"\xef\xbb\xbf#!/usr/bin/env python3\n", ("byte order mark",)),
        (b"\xef\xbb\xbf#!/usr/bin/env python3 \r\n", ("byte order mark", "carriage return")),
    ):
        found = made(text)
        assert found._replace(notes=()) == plain
        assert [words in note for words, note in zip(said, found.notes, strict=True)] == [True] * len(said)
        assert all(note.startswith("./x: ") for note in found.notes)
    assert made(b"#!/usr/bin/python3 -u\r\n").argv == ("/usr/bin/python3", "-u", "./x")


def test_a_byte_order_mark_before_shell_text_is_reported() -> None:
    found = made(b"\xef\xbb\xbfecho hello\n")
    assert isinstance(found, Source) and "byte order mark" in found.notes[0]


def test_env_changes_the_environment() -> None:
    given = {"A": "1", "B": "2"}
    assert made(b"#!/usr/bin/env -S python3\n", environment=given).environment is None
    assert made(b"#!/usr/bin/env -S A=1 python3\n", environment=given).environment is None
    assert made(b"#!/usr/bin/env -S C=${B} python3 -u\n", environment=given).environment == {
        **given,
        "C": "2",
    }
    assert made(b"#!/usr/bin/env -S -u A /usr/bin/python3\n", environment=given).environment == {"B": "2"}
    assert given == {"A": "1", "B": "2"}


REFUSALS: list[tuple[bytes | int, int, str]] = [
    (errno.ENOENT, 127, "./x: No such file or directory"),
    (errno.EISDIR, 126, "./x: Is a directory"),
    (errno.EACCES, 126, "./x: Permission denied"),
    (errno.ENOTDIR, 126, "./x: Not a directory"),
    (errno.ELOOP, 126, "./x: Too many levels of symbolic links"),
    (b"#!", 126, "./x: empty shebang"),
    (b"#!\n", 126, "./x: empty shebang"),
    (b"#! \t \r\n/bin/sh", 126, "./x: empty shebang"),
    (b"#!\0/bin/sh\n", 126, "./x: empty shebang"),
    (b"#!" + b" " * 300, 126, "./x: empty shebang"),
    (b"#!/" + b"b" * 300 + b"\n", 126, "./x: the '#!' line is too long: the interpreter does not end within 256 bytes"),
    (b"#!/usr/bin/env\n", 126, "./x: env: missing program name"),
    (b"#!/usr/bin/env ", 126, "./x: env: missing program name"),
    (b"#!/usr/bin/env -S\n", 126, "./x: env -S requires a program"),
    (b"#!/usr/bin/env -S \n", 126, "./x: env -S requires a program"),
    (b"#!/usr/bin/env -S A=1\n", 126, "./x: env -S requires a program"),
    (b"#!/usr/bin/env -S -S\n", 126, "./x: env -S requires a program"),
    (b"#!/usr/bin/env --split-string\n", 126, "./x: env -S requires a program"),
    (b"#!/usr/bin/env -x bash\n", 126, "./x: unsupported env flag: -x"),
    (b"#!/usr/bin/env -i bash\n", 126, "./x: unsupported env flag: -i"),
    (b"#!/usr/bin/env -u A bash\n", 126, "./x: unsupported env flag: -u"),
    (b"#!/usr/bin/env -C /tmp bash\n", 126, "./x: unsupported env flag: -C"),
    (b"#!/usr/bin/env -S -C /tmp bash\n", 126, "./x: unsupported env flag: -C"),
    (b"#!/usr/bin/env -S -0 bash\n", 126, "./x: unsupported env flag: -0"),
    (b"#!/usr/bin/env -S --chdir=/ bash\n", 126, "./x: unsupported env flag: --chdir=/"),
    (b"#!/usr/bin/env -S --i bash\n", 126, "./x: unsupported env flag: --i"),
    (b"#!/usr/bin/env --help\n", 126, "./x: unsupported env flag: --help"),
    (b"#!/usr/bin/env -S -u\n", 126, "./x: env: option requires an argument -- 'u'"),
    (b"#!/usr/bin/env -S -u A=1 bash\n", 126, "./x: env: cannot unset 'A=1': Invalid argument"),
    (b"#!/usr/bin/env -S =1 bash\n", 126, "./x: env: cannot set '': Invalid argument"),
    (b"#!/usr/bin/env -S bash 'a\n", 126, "./x: env: no terminating quote in -S string"),
    (b"#!/usr/bin/env A=1 bash\n", 126, "./x: env: A=1: variables need -S: write '#!/usr/bin/env -S A=1 bash'"),
    (b"#!/usr/bin/env nosuch\n", 127, "./x: nosuch: bad interpreter: no such program in PATH"),
    (b"#!/opt/nosuch -x\n", 127, "./x: /opt/nosuch: bad interpreter: No such file or directory, nor is nosuch in PATH"),
    (b"\xff\xfee\0c\0h\0o\0", 126, "./x: cannot execute UTF-16 text: save it as UTF-8"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "status", "message"), REFUSALS)
def test_refusals(text: bytes | int, status: int, message: str) -> None:
    assert made(text) == Refused(status, message, of_file=isinstance(text, int))


def test_what_cannot_be_told_of_an_interpreter_is_said() -> None:
    files = NamedFiles(
        {"./x": b"#!/root/tool\n", "/root/tool": errno.EACCES, "./y": b"#!/opt\n", "/opt": errno.EISDIR}
    )
    assert plan("./x", ["./x"], files) == Refused(126, "./x: /root/tool: bad interpreter: Permission denied")
    assert plan("./y", ["./y"], files) == Refused(126, "./y: /opt: bad interpreter: Permission denied")


def test_interpreters_that_are_each_other() -> None:
    files = NamedFiles({"./x": b"#!./y\n", "./y": b"#!./x\n"})
    found = plan("./x", ["./x"], files)
    assert isinstance(found, Refused) and found.status == 126
    assert found.message.startswith("./x: Too many levels of symbolic links")
    files = NamedFiles({"./x": b"#!/usr/bin/env y\n", "/bin/y": b"#!/usr/bin/env y\n"}, {"y": "/bin/y"})
    found = plan("./x", ["./x"], files)
    assert isinstance(found, Refused) and found.status == 126
    assert len(files.looked) < 50


def test_an_interpreter_that_is_plain_text_is_run_by_our_own_shell() -> None:
    files = NamedFiles({"./x": b"#!/opt/text -a\n", "/opt/text": b"echo\n"})
    assert plan("./x", ["./x", "b"], files) == Source("/opt/text", ("/opt/text", "-a", "./x", "b"))


def test_the_executable_bit_is_asked_for_on_demand() -> None:
    class Files(NamedFiles):
        def executable(self, path: str) -> bool:
            return path != "./x"

    files = Files({**PROGRAMS, "./x": b"echo\n"}, PATH)
    found = plan("./x", ["./x"], files)
    assert isinstance(found, Source)
    assert found.notes == ("./x: is not executable: the system refuses to start it",)
    assert plan("./x", ["./x"], files, executable_bit=True) == Refused(126, "./x: Permission denied")


def test_a_program_that_may_be_executed_but_not_read() -> None:
    class Files(NamedFiles):
        def executable(self, path: str) -> bool:
            return True

    assert plan("./x", ["./x"], Files({"./x": errno.EACCES})) == Program("./x", ("./x",))


OWN = [
    b"#!/bin/sh\n",
    b"#!/bin/bash -eu\n",
    b"#!/usr/bin/env bash\n",
    b"#!/usr/bin/env -S bash -e -u\n",
    b"#!bash\r\n",
]


@pytest.mark.parametrize("line", OWN)
def test_our_own_shell_instead_of_one_that_is_missing(line: bytes) -> None:
    refused = made(line, path={})
    assert isinstance(refused, Refused) and refused.status == 127
    assert 'own_shell="missing"' in refused.message
    options = tuple(
        line.decode().split()[1:] if b"env" not in line else line.decode().split("bash")[1].split()
    )
    for when in ("missing", "always"):
        found = made(line, "a", path={}, own_shell=when)
        assert found._replace(notes=()) == Source(
            "./x", ("./x", "a"), (), options, "bash" if b"bash" in line else "sh"
        )
    assert any("own shell" in note for note in made(line, path={}, own_shell="missing").notes)


def test_our_own_shell_where_the_machine_has_one() -> None:
    for when in ("never", "missing"):
        assert isinstance(made(b"#!/usr/bin/env bash\n", own_shell=when), Interpreter)
    assert isinstance(made(b"#!/usr/bin/env bash\n", own_shell="always"), Source)
    assert isinstance(made(b"#!/usr/bin/env python3\n", own_shell="always"), Interpreter)
    with pytest.raises(ValueError, match="own_shell is 'yes'"):
        made(b"", own_shell="yes")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("./x.py", "#!/usr/bin/env python3"), ("./X.PY", "#!/usr/bin/env python3"), ("./x.js", "#!/usr/bin/env node"),
        ("./x.ts", "#!/usr/bin/env -S npx tsx"), ("./x.rb", "#!/usr/bin/env ruby"), ("./x.pl", "#!/usr/bin/env perl"),
        ("./x.ps1", "#!/usr/bin/env -S pwsh -NoProfile -File"),
    ],
)  # fmt: skip
def test_other_languages_without_a_first_line_are_advised(name: str, line: str) -> None:
    found = made(b"print('hello')\n", name=name)
    assert isinstance(found, Refused) and found.status == 126
    assert found.message.startswith(f"{name}: cannot execute: no '#!' line: write '{line}' as its first line")
    files = NamedFiles(
        {**PROGRAMS, name: line.encode() + b"\n"},
        {**PATH, "npx": "/opt/node", "ruby": "/opt/node", "perl": "/opt/node"},
    )
    assert isinstance(plan(name, [name], files), Interpreter), "the advice is good"


def test_files_of_script_host_need_the_table() -> None:
    found = made(b"WScript.Echo 1\r\n", name="./x.vbs")
    assert found == Refused(126, "./x.vbs: cannot execute: add '.vbs' to the table of extensions")
    table = {".vbs": ("/opt/python3", "//nologo")}
    assert made(b"x", name="./x.vbs", extensions=table).argv[1:] == ("//nologo", "./x.vbs")


def test_batch_files_need_windows() -> None:
    for name in ("./x.bat", "./x.CMD"):
        found = made(b"@echo off\r\n", name=name)
        assert isinstance(found, Refused) and found.status == 126 and "needs Windows" in found.message


@pytest.mark.parametrize(
    "name", ["./x.sh", "./x", "./x.bash", "./.py", "./py", "./x.py.d/x", "./x.", "./a.b.c"]
)
def test_other_extensions_say_nothing(name: str) -> None:
    assert isinstance(made(b"echo\n", name=name), Source)


def test_the_table_of_extensions() -> None:
    table = {
        ".py": ("python3", "-u"),
        ".ps1": ("pwsh", "-NoProfile", "-File"),
        ".zig": ("/nix/bin/node",),
        ".no": ("nosuch",),
    }
    assert made(b"x\n", "a", name="./x.py", extensions=table) == Interpreter(
        "/usr/bin/python3", ("python3", "-u", "./x.py", "a")
    )
    assert made(b"x\n", name="./x.PS1", extensions=table).argv == ("pwsh", "-NoProfile", "-File", "./x.PS1")
    assert made(b"x\n", name="./x.zig", extensions=table).executable == "/opt/node"
    assert made(b"#!/usr/bin/env node\n", name="./x.py", extensions=table).argv == ("node", "./x.py")
    assert made(b"\x7fELF\0", name="./x.py", extensions=table) == Program("./x.py", ("./x.py",))
    assert made(b"x\n", name="./x.no", extensions=table) == Refused(
        127, "./x.no: nosuch: bad interpreter: no such program in PATH"
    )

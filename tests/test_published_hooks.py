"""Hooks that others published, run as plain scripts: the status and output that their agents read.

The commands are test data. Crush gives the payload on standard input and in CRUSH_*, jcode on
standard input; Everruns' own cases, with its contract, are in conformance/hooks/everruns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sandhook import Result, Shell
from sandhook.vfs.path import VirtualPath

#: C08: rewrites a command through a tool of its author's, when that is installed.
RTK_REWRITE = """#!/usr/bin/env bash
set -euo pipefail
if ! command -v jq >/dev/null 2>&1; then echo "[rtk] jq is missing" >&2; exit 0; fi
if ! command -v rtk >/dev/null 2>&1; then echo "[rtk] rtk is missing" >&2; exit 0; fi
INPUT=$(cat)
CMD=$(printf '%s' "$INPUT" | jq -r '.tool_input.command // empty')
[ -n "$CMD" ] || exit 0
REWRITTEN=$(rtk rewrite "$CMD" 2>/dev/null) && RC=0 || RC=$?
case $RC in 0 | 3) ;; *) exit 0 ;; esac
[ "$CMD" != "$REWRITTEN" ] || exit 0
jq -n --arg cmd "$REWRITTEN" '{decision: "allow", updated_input: ({command: $cmd} | tostring)}'
"""

#: C11, and C12 with `set -euo pipefail` in front.
READ_AND_REWRITE = """read -r input
cmd=$(echo "$input" | jq -r '.tool_input.command')
cat <<EOF
{"decision":"allow","updated_input":{"command":"rtk $cmd"}}
EOF
"""

CRUSH_FILES = {
    "no-haskell.sh": """#!/usr/bin/env bash
if echo "$CRUSH_TOOL_INPUT_COMMAND" | grep -qE '(^| )((ghc|cabal|stack)(\\.exe)?)( |$)'; then
  echo "No Haskell allowed, kiddo." >&2
  exit 2
fi
""",
    "hooks/no-rm-rf.sh": """#!/usr/bin/env bash
if echo "$CRUSH_TOOL_INPUT_COMMAND" | grep -qE 'rm\\s+-(rf|fr)\\s+/'; then
  echo "Refusing to run rm -rf against root" >&2
  exit 2
fi
exit 0
""",
    "hooks/safe-bash.sh": """#!/usr/bin/env bash
case "$CRUSH_TOOL_INPUT_COMMAND" in
  ls*|cat*|grep*|rg*|echo*|pwd*)
    echo '{"decision":"allow"}'
    ;;
  *)
    exit 0
    ;;
esac
""",
    "hooks/go-context.sh": """#!/usr/bin/env bash
if [[ "$CRUSH_TOOL_INPUT_FILE_PATH" == *.go ]]; then
  echo '{"context": "Remember: run gofumpt after editing Go files."}'
else
  echo '{}'
fi
""",
    "hooks/rtk-rewrite.sh": RTK_REWRITE,
}
RTK_STUB = {"bin/rtk": "#!/bin/sh\n[ \"$1\" = rewrite ] && echo 'rtk git status'\nexit 3\n"}
ALLOW = '{"decision":"allow"}\n'


def crush(
    command: str,
    tool: str,
    tool_input: Mapping[str, str],
    files: Mapping[str, str] | None = None,
    newline: bool = True,
) -> tuple[Result, Shell]:
    payload = json.dumps(
        {"event": "PreToolUse", "tool_name": tool, "tool_input": tool_input}, separators=(",", ":")
    )
    variables = {f"CRUSH_TOOL_INPUT_{name.upper()}": value for name, value in tool_input.items()}
    shell = Shell(
        files={**CRUSH_FILES, **(files or {})},
        env={
            "PATH": "/workspace/bin:/usr/bin:/bin",
            "HOME": "/home/agent",
            "CRUSH_TOOL_NAME": tool,
            **variables,
        },
    )
    return shell.run(command, stdin=payload + ("\n" if newline else "")), shell


@pytest.mark.parametrize(
    ("command", "tool", "tool_input", "status", "stdout", "stderr"),
    [
        ("./no-haskell.sh", "bash", {"command": "cabal build"}, 2, "", "No Haskell allowed, kiddo.\n"),
        ("./no-haskell.sh", "bash", {"command": "ghc.exe x"}, 2, "", "No Haskell allowed, kiddo.\n"),
        ("./no-haskell.sh", "bash", {"command": "echo hi"}, 0, "", ""),
        ("./hooks/no-rm-rf.sh", "bash", {"command": "rm  -fr /x"}, 2, "", "Refusing to run rm -rf against root\n"),
        ("./hooks/no-rm-rf.sh", "bash", {"command": "rm -rf build"}, 0, "", ""),
        ("echo '{\"decision\":\"allow\"}'", "view", {"file_path": "a"}, 0, ALLOW, ""),
        ("./hooks/safe-bash.sh", "bash", {"command": "ls -l"}, 0, ALLOW, ""),
        ("./hooks/safe-bash.sh", "bash", {"command": "make"}, 0, "", ""),
        (
            "./hooks/go-context.sh", "edit", {"file_path": "a.go"}, 0,
            '{"context": "Remember: run gofumpt after editing Go files."}\n', "",
        ),
        ("./hooks/go-context.sh", "edit", {"file_path": "a.md"}, 0, "{}\n", ""),
        ("echo 'MCP tools are disabled' >&2; exit 2", "mcp_github_get_me", {}, 2, "", "MCP tools are disabled\n"),
        ("./hooks/rtk-rewrite.sh", "bash", {"command": "git status"}, 0, "", "[rtk] rtk is missing\n"),
        (
            READ_AND_REWRITE, "bash", {"command": "git status"}, 0,
            '{"decision":"allow","updated_input":{"command":"rtk git status"}}\n', "",
        ),
        ('printf \'{"decision":"allow","context":"%s"}\' "$CRUSH_TOOL_NAME"', "bash", {}, 0,
         '{"decision":"allow","context":"bash"}', ""),
    ],
)  # fmt: skip
def test_crush(
    command: str, tool: str, tool_input: dict[str, str], status: int, stdout: str, stderr: str
) -> None:
    result, _ = crush(command, tool, tool_input)
    assert (result.exit_status, result.stdout, result.stderr) == (status, stdout, stderr)


def test_crush_logs_every_tool() -> None:
    result, shell = crush(
        'echo "$(date -Iseconds) $CRUSH_TOOL_NAME" >> ./tools.log', "bash", {"command": "ls"}
    )
    assert (result.exit_status, result.stdout) == (0, "")
    stamp, _, tool = shell.fs.read_bytes(VirtualPath("/workspace/tools.log")).decode().partition(" ")
    assert (tool, stamp[10], stamp[-6:]) == ("bash\n", "T", "+00:00")


def test_crush_rewrites_with_a_stub_of_the_missing_tool() -> None:
    result, _ = crush("./hooks/rtk-rewrite.sh", "bash", {"command": "git status", "timeout": "60"}, RTK_STUB)
    assert result.exit_status == 0, result.stderr
    assert json.loads(json.loads(result.stdout)["updated_input"]) == {"command": "rtk git status"}


@pytest.mark.parametrize(("newline", "status"), [(True, 0), (False, 1)])
def test_crush_read_under_errexit_needs_the_payloads_newline(newline: bool, status: int) -> None:
    """C12: `read` fails at the end of input, so upstream's bytes without a newline end the hook."""
    result, _ = crush("set -euo pipefail\n" + READ_AND_REWRITE, "bash", {"command": "ls"}, newline=newline)
    assert (result.exit_status, bool(result.stdout)) == (status, status == 0)


@pytest.mark.parametrize(
    ("script", "status", "stdout"),
    [
        ('#!/bin/sh\necho "$1 $2"\n', 0, "alpha beta\n"),
        ('echo "$1 $2"\n', 0, "alpha beta\n"),  # no shebang
        ("", 0, ""),
        ("jq -r .tool_name\n", 0, "bash\n"),
        ("#!/usr/bin/env bash\nexit 5\n", 5, ""),
        ("#!/usr/bin/env -S bash -e\nfalse\necho no\n", 1, ""),
        ("#!/bin/bash\r\necho crlf\r\n", 0, "crlf\n"),
        ("#!/nowhere/else/bash\necho path\n", 0, "path\n"),
        ("#!/usr/bin/env nonesuch\n", 127, ""),
    ],
)
def test_scripts_run_by_their_first_line(script: str, status: int, stdout: str) -> None:
    shell = Shell(files={"s": script})
    result = shell.run("chmod +x s; ./s alpha beta", stdin='{"tool_name":"bash"}')
    assert (result.exit_status, result.stdout) == (status, stdout), result.stderr


@pytest.mark.parametrize(
    ("command", "status", "stderr"),
    [
        ("./missing", 127, "bash: line 1: ./missing: No such file or directory\n"),
        ("./d", 126, "bash: line 1: ./d: Is a directory\n"),
        ("./plain", 126, "bash: line 1: ./plain: Permission denied\n"),
        ("./binary", 126, "bash: line 1: ./binary: cannot execute binary file: Exec format error\n"),
    ],
)
def test_what_cannot_run_says_why(command: str, status: int, stderr: str) -> None:
    shell = Shell(files={"d/x": "", "plain": "echo hi\n", "binary": b"\x7fELF\0\0\0\n"})
    shell.run("chmod +x binary")
    result = shell.run(command)
    assert (result.exit_status, result.stderr) == (status, stderr)


# --------------------------------------------------------------------------- jcode

POLICY = (
    "jq -r .tool_input.command | grep -Eq 'rm -rf|git push .*--force|DROP TABLE' "
    "&& { echo 'blocked by policy' >&2; exit 2; } || exit 0"
)
REDACT = (
    "jq -r .tool_response | sed -E 's/(sk-[A-Za-z0-9]{16,}|ghp_[A-Za-z0-9]{20,})/[REDACTED]/g' "
    "| jq -Rs '{hookSpecificOutput:{modifiedResult:.}}'"
)
TEST_GATE = """input=$(cat)
[ "$(echo "$input" | jq -r .stop_hook_active)" = "true" ] && exit 0
if ! ./run-tests; then echo "tests failing" >&2; exit 2; fi
"""
NO_GOFMT = (
    "sandhook: the sandbox has no gofmt, a program of the host: host mode, or a HostCommand that the caller "
    "allows, runs it\n"
)
FORMAT = 'f=$(jq -r .tool_input.file_path); case "$f" in *.go) gofmt -w "$f";; esac'
AUDIT = "jq -c '{t: now, tool: .tool_name, input: .tool_input}' >> \"$JCODE_CWD/.jcode-audit.log\""


def jcode(
    command: str, payload: dict[str, Any], files: Mapping[str, str] | None = None
) -> tuple[Result, Shell]:
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/home/agent", "JCODE_CWD": "/workspace"}
    shell = Shell(files=files, env=environment)
    return shell.run(command, stdin=json.dumps(payload)), shell


@pytest.mark.parametrize(
    ("command", "payload", "status", "stdout", "stderr"),
    [
        (POLICY, {"tool_input": {"command": "rm -rf build"}}, 2, "", "blocked by policy\n"),
        (POLICY, {"tool_input": {"command": "git push origin --force"}}, 2, "", "blocked by policy\n"),
        (POLICY, {"tool_input": {"command": "ls"}}, 0, "", ""),
        ("echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}'", {}, 0,
         '{"hookSpecificOutput":{"permissionDecision":"allow"}}\n', ""),
        (FORMAT, {"tool_input": {"file_path": "a.md"}}, 0, "", ""),
        (FORMAT, {"tool_input": {"file_path": "a.go"}}, 127, "", "bash: line 1: gofmt: command not found\n" + NO_GOFMT),
        ("osascript -e 'display notification'", {}, 127, "", "bash: line 1: osascript: command not found\n"),
        ("exit 2", {}, 2, "", ""),
        ("echo '{\"continue\":false,\"reason\":\"finish tests\"}'", {}, 0,
         '{"continue":false,"reason":"finish tests"}\n', ""),
    ],
)  # fmt: skip
def test_jcode(command: str, payload: dict[str, Any], status: int, stdout: str, stderr: str) -> None:
    result, _ = jcode(command, payload)
    assert (result.exit_status, result.stdout, result.stderr) == (status, stdout, stderr)


def test_jcode_redacts_a_result() -> None:
    result, _ = jcode(REDACT, {"tool_name": "read", "tool_response": "key sk-ABCDEFGHIJKLMNOPQRST end"})
    assert json.loads(result.stdout) == {"hookSpecificOutput": {"modifiedResult": "key [REDACTED] end\n"}}


@pytest.mark.parametrize(
    ("active", "tests", "status"),
    [({"stop_hook_active": True}, "exit 1", 0), ({"stop_hook_active": False}, "exit 1", 2), ({}, "exit 1", 2), ({}, "exit 0", 0)],
)  # fmt: skip
def test_jcode_gates_a_stop_on_tests(active: dict[str, bool], tests: str, status: int) -> None:
    result, _ = jcode(TEST_GATE, active, {"run-tests": f"#!/bin/sh\n{tests}\n"})
    assert result.exit_status == status, result.stderr


def test_jcode_audits_with_the_time() -> None:
    result, shell = jcode(AUDIT, {"tool_name": "read", "tool_input": {"p": 1}})
    assert (result.exit_status, result.stdout, result.stderr) == (0, "", "")
    entry = json.loads(shell.fs.read_bytes(VirtualPath("/workspace/.jcode-audit.log")))
    assert (entry["tool"], entry["input"], entry["t"] > 1.7e9) == ("read", {"p": 1}, True)


# --------------------------------------------------------------------------- ub


@pytest.mark.parametrize(
    ("argv", "status", "stdout"),
    [
        (["/bin/sh", "-c", "echo refused: secret tools blocked 1>&2 && exit 7"], 7, ""),
        (["/bin/sh", "-c", "exit 3"], 3, ""),
        (
            ["/bin/sh", "-c", "echo secret=${MY_SECRET:-unset} && echo allowed=${ALLOWED_VAR:-unset}"],
            0, "secret=unset\nallowed=ok\n",
        ),
    ],
)  # fmt: skip
def test_ub_runs_an_argument_vector(argv: list[str], status: int, stdout: str) -> None:
    result = Shell(env={"PATH": "/usr/bin:/bin", "ALLOWED_VAR": "ok"}).run('"$@"', args=argv)
    assert (result.exit_status, result.stdout) == (status, stdout)

"""Every rule of `sandhook check`: what it finds, and the harmless neighbour that it leaves alone."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import HookEngine, contracts
from sandhook.hooks.checks import RULES, Finding, Surroundings, check
from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import decode, encode
from tests.hooks.hooktools import config, hook

FILES = {
    "/project/ok.sh": b"#!/bin/bash\nexit 2\n",
    "/project/broken.sh": b"#!/bin/bash\n\nif true; then\n",
    "/project/tool.py": b"#!/usr/bin/env python3\n",
    "/project/exits.sh": b"#!/bin/sh\n\nexit 1\n",
    "/project/plain.sh": b"#!/bin/sh\nexit 2\n",
    "/project/dos.sh": b"#!/bin/sh\r\nexit 2\r\n",
    "/project/program": b"\x7fELF\0\r\n",
    "/project/late.sh": b"#!/bin/sh\n\nexit 2\r\n",
    "/project/marked.sh": b"\xef\xbb\xbf#!/bin/sh\nexit 2\n",
    "/home/me/own.sh": b"exit 2\n",
}

#: Files without the permission to be executed.
PLAIN = {"/project/plain.sh"}

AROUND = Surroundings("/project", "/home/me", FILES.get, lambda path: path not in PLAIN)


def findings(name: str, value: Any) -> list[Finding]:
    """Return what is found in a configuration of a contract."""
    text = encode(value)
    document = Document(value, "/project/hooks.json", text=text, contract=name)
    contract = contracts.get(name)
    engine = HookEngine.load([document], contract, prestart=False)
    return check(engine, contract, [document], AROUND)


def crush(command: str, event: str = "PreToolUse", **fields: Any) -> dict[str, Any]:
    return {"hooks": {event: [{"command": command, **fields}]}}


def claude(
    command: str = "exit 2", event: str = "PreToolUse", matcher: str = "", **fields: Any
) -> dict[str, Any]:
    handler = {"type": "command", "command": command, **fields}
    return {"hooks": {event: [{"matcher": matcher, "hooks": [handler]}]}}


def everruns(command: str, event: str = "pre_tool_use", **fields: Any) -> dict[str, Any]:
    return config(hook(event, command, id="h", **fields))


def jcode(command: str, event: str = "PreToolUse") -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}


SPECIFIC = '{"hookSpecificOutput":{%s"permissionDecision":"deny"}}'
NAMED = '"hookEventName":"PreToolUse",'
ALLOWS = '{"hookSpecificOutput":{"permissionDecision":"allow"}}'

#: Rule, contract, a configuration in which it is found, and the neighbour in which nothing is.
CASES = [
    ("E-CONFIG", "crush", crush("exit 2", timeout="9"), crush("exit 2", timeout=9)),
    ("W-CONFIG", "crush", crush("exit 2", tiemout=9), crush("exit 2", timeout=9)),
    ("W-CONFIG", "crush", crush("exit 2", "Nosuch"), crush("exit 2")),
    ("E-PARSE", "crush", crush("if"), crush("if :; then exit 2; fi")),
    ("E-PARSE", "crush", crush("bash broken.sh"), crush("bash ok.sh")),
    ("E-FILE", "crush", crush("./gone.sh"), crush("./ok.sh")),
    ("E-FILE", "crush", crush("source hooks/gone.sh"), crush(". ./ok.sh")),
    ("E-FILE", "crush", crush('"$CRUSH_PROJECT_DIR"/gone.sh'), crush('"$CRUSH_PROJECT_DIR"/ok.sh')),
    ("E-FILE", "crush", crush("~/gone.sh"), crush("bash ~/own.sh")),
    ("E-FILE", "crush", crush("./gone.sh"), crush('"$where"/gone.sh')),  # not known
    ("E-FILE", "crush", crush("./gone.sh"), crush("cd sub; ./gone.sh")),  # nor here
    ("W-COMMAND", "crush", crush("frobnicate"), crush("jq .; exit 2")),
    (
        "W-COMMAND",
        "crush",
        crush("xargs frobnicate"),
        crush("frobnicate() { :; }; frobnicate; exit 2"),
    ),
    ("W-COMMAND", "crush", crush("frobnicate"), crush("command -v frobnicate && frobnicate")),
    ("W-COMMAND", "crush", crush("/usr/bin/frobnicate"), crush("/usr/bin/jq .")),
    ("W-INTERPRETER", "crush", crush("./tool.py"), crush("./ok.sh")),
    ("W-EXIT", "crush", crush("grep -q rm && exit 1"), crush("grep -q rm && exit 2")),
    ("W-EXIT", "crush", crush("./exits.sh"), crush("./ok.sh")),
    ("W-EXIT", "crush", crush("bash exits.sh"), crush("bash ok.sh")),
    ("W-EXIT", "crush", crush("sh ./exits.sh x"), crush("python exits.py")),
    ("W-EXIT", "crush", crush(". ./exits.sh"), crush(". ./ok.sh")),
    ("W-EXIT", "crush", crush("exit 1"), crush("command -v jq || exit 1; exit 2")),
    ("W-EXIT", "crush", crush("exit 1"), crush("exit 49")),
    ("W-EXIT", "crush", crush("exit 1"), crush('exit "$status"')),
    (
        "W-EXIT",
        "crush",
        crush("exit 1"),
        crush('jq . | grep -q rm && { echo \'{"decision":"deny"}\'; exit 1; }'),
    ),
    (
        "W-EXIT",
        "crush",
        crush("x=$(cat) || exit 2; case $x in *rm*) echo 'Blocked: rm' >&2; exit 1 ;; esac"),
        crush("x=$(cat) || exit 2; case $x in *rm*) echo 'Blocked: rm' >&2; exit 2 ;; esac"),
    ),
    (
        "W-EXIT",
        "crush",
        crush("x=$(cat) || exit 2; case $x in *rm*) echo 'Not allowed' >&2; exit 1 ;; esac"),
        crush("x=$(cat) || exit 2; case $x in *rm*) echo 'no input' >&2; exit 1 ;; esac"),
    ),
    ("W-EXIT", "jcode", jcode("exit 1"), jcode("exit 1", "PostToolUse")),
    ("W-EXIT", "jcode", jcode("exit 1"), everruns("exit 1")),  # where every failure refuses
    ("W-DENY", "crush", crush("echo 'Blocked: no' >&2"), crush("echo 'Blocked: no' >&2; exit 2")),
    ("W-DENY", "crush", crush("echo 'Blocked: no' >&2"), crush("echo 'checking' >&2")),
    (
        "W-READ",
        "crush",
        crush("set -euo pipefail; read -r input; exit 2"),
        crush("set -e; read -r input || true; exit 2"),
    ),
    ("W-READ", "crush", crush("set -e; read -r x; exit 2"), crush("read -r x; exit 2")),
    ("W-READ", "crush", crush("set -e; read -r x"), crush("set -e; while read -r x; do :; done")),
    ("W-READ", "crush", crush("set -e; read -r x"), everruns("set -e; read -r x")),
    ("W-OUTPUT", "crush", crush('echo \'{"decision":"perhaps"}\''), crush('echo \'{"decision":"deny"}\'')),
    ("W-OUTPUT", "everruns", everruns("echo hello"), everruns("echo hello >&2")),
    ("W-OVERRIDE", "qwen", jcode(f"echo '{ALLOWS}'"), jcode("exit 0")),
    (
        "W-OVERRIDE",
        "copilot",
        {"version": 1, "hooks": {"preToolUse": [{"bash": 'echo \'{"permissionDecision":"allow"}\''}]}},
        {"version": 1, "hooks": {"preToolUse": [{"bash": 'echo \'{"permissionDecision":"deny"}\''}]}},
    ),
    (
        "W-CONTINUE",
        "qwen",
        jcode('echo \'{"continue":false,"stopReason":"x"}\'', "Stop"),
        jcode('echo \'{"decision":"block","reason":"x"}\'', "Stop"),
    ),
    (
        "W-CONTINUE",
        "openhands",
        jcode("echo '{\"continue\":false}'", "Stop"),
        jcode('echo \'{"decision":"deny","reason":"x"}\'', "Stop"),
    ),
    ("W-OVERRIDE", "droid", jcode(f"echo '{ALLOWS}'"), jcode("exit 2")),
    ("W-OUTPUT", "everruns", everruns("echo hello"), everruns("x=$(echo hello)")),
    (
        "W-WORDS",
        "crush",
        crush('printf \'{"decision":"block","reason":"%s"}\\n\' "$why"'),
        everruns('printf \'{"decision":"block","reason":"%s"}\\n\' "$why"'),
    ),
    (
        "W-WORDS",
        "crush",
        crush('jq -n --arg r "$x" \'{decision: "block", reason: $r}\''),
        everruns('jq -n --arg r "$x" \'{decision: "block", reason: $r}\''),
    ),
    (
        "W-WORDS",
        "crush",
        crush('cat <<E\n{"decision":"block","reason":"$x"}\nE\n'),
        everruns('cat <<E\n{"decision":"block","reason":"$x"}\nE\n'),
    ),
    (
        "W-NAME",
        "claude_code",
        jcode(f"echo '{SPECIFIC % ''}'"),
        jcode(f"echo '{SPECIFIC % NAMED}'"),
    ),
    (
        "W-FIELD",
        "everruns",
        everruns("x=$(jq -r .tool_input.command)"),
        everruns("x=$(jq -r .data.arguments.command)"),
    ),
    ("W-FIELD", "everruns", everruns("jq -r .tool_name >x"), crush("jq -r .tool_name >x")),
    ("W-FIELD", "crush", crush("jq -r .data.x >x"), crush("jq -r .nobody.has.it >x")),
    (
        "W-NULL",
        "crush",
        crush('x=$(jq -r .tool_input.path); [ -z "$x" ] && exit 0; exit 2'),
        crush('x=$(jq -r ".tool_input.path // empty"); [ -z "$x" ] && exit 0; exit 2'),
    ),
    (
        "W-QUOTE",
        "crush",
        crush("input=$(cat); echo $input | jq ."),
        crush('input=$(cat); echo "$input" | jq .'),
    ),
    ("W-QUOTE", "crush", crush("read -r line; echo $line | jq ."), crush("word=x; echo $word >&2")),
    (
        "W-NEVER",
        "everruns",
        everruns("exit 1", matcher={"match_regex": "x"}),
        everruns("exit 1", matcher={"match_regex": "x", "args_jsonpath": "$.command"}),
    ),
    (
        "W-NEVER",
        "everruns",
        everruns("exit 1", matcher={"tool_name": "bash|edit"}),
        everruns("exit 1", matcher={"tool_name": "bash"}),
    ),
    (
        "W-DUPLICATE",
        "everruns",
        config(hook(id="a"), hook(id="a")),
        config(hook(id="a"), hook(id="b")),
    ),
    (
        "E-CONFIG",
        "claude_code",
        {"hooks": {"PreToolUse": [{"matcher": "Bash", "command": "exit 2"}]}},
        claude(matcher="Bash"),
    ),
    (
        "E-CONFIG",
        "jcode",
        {"hooks": {"PreToolUse": [{"matcher": "write", "type": "command", "command": "exit 2"}]}},
        jcode("exit 2"),
    ),
    ("E-CONFIG", "claude_code", {**claude(), "PreToolUse": []}, {**claude(), "permissions": {}}),
    ("E-CONFIG", "crush", {**crush("exit 2"), "PreToolUse": []}, {**crush("exit 2"), "options": []}),
    ("E-MODE", "claude_code", claude("./plain.sh"), claude("sh ./plain.sh")),
    ("E-MODE", "claude_code", claude("./plain.sh"), claude("./ok.sh")),
    ("E-MODE", "claude_code", claude('"$CLAUDE_PROJECT_DIR"/plain.sh'), claude(". ./plain.sh")),
    ("E-MODE", "claude_code", claude("./plain.sh"), crush("./plain.sh")),  # Crush reads the file itself
    (
        "E-DASHES",
        "crush",
        crush("sandhook hook --contract crush -c 'exit 2'"),
        crush("sandhook hook --contract crush -- -c 'exit 2'"),
    ),
    ("E-DASHES", "crush", crush("/usr/bin/sandhook hook --contract crush ./ok.sh"), crush("sandhook fire x")),
    ("E-BYTES", "crush", crush("./dos.sh"), crush("./ok.sh")),
    ("E-BYTES", "crush", crush("./dos.sh"), crush("./program x")),
    ("E-BYTES", "crush", crush("sh late.sh"), crush("sh ok.sh")),
    ("E-BYTES", "crush", crush(". ./marked.sh"), crush(". ./ok.sh")),
    (
        "W-STDIN",
        "crush",
        crush("a=$(jq .a); b=$(jq .b); exit 2"),
        crush("i=$(cat); a=$(jq .a <<<$i); exit 2"),
    ),
    ("W-STDIN", "crush", crush("cat >x; grep -q rm"), crush("cat >x; grep -q rm x")),
    (
        "W-STDIN",
        "crush",
        crush("i=$(cat); read -r x"),
        crush("i=$(cat); echo $i | while read -r x; do :; done"),
    ),
    ("W-STDIN", "crush", crush("jq -r .a; if jq .b; then :; fi"), crush("if x; then jq .a; else jq .b; fi")),
    ("W-STDIN", "crush", crush("jq .a; jq .b"), crush("jq .a; jq -n --arg x y '{x: $x}'; jq . file")),
    ("W-STDIN", "crush", crush("jq .a; jq .b"), crush("i=$(cat); f() { jq .; }; echo $i | f; cat </dev/tty")),
    ("W-STDIN", "crush", crush("jq .a; cat - | jq .b"), crush("case $x in a) jq .a;; b) jq .b;; esac")),
    (
        "W-JQ",
        "crush",
        crush("set -e; x=$(jq -er .a); exit 2"),
        crush("set -e; x=$(jq -er .a) || exit 2; exit 2"),
    ),
    ("W-JQ", "crush", crush("set -e; jq .a >x; exit 2"), crush("jq .a >x; exit 2")),
    (
        "W-JQ",
        "crush",
        crush("x=$(jq -r .a); [[ $x == *rm* ]] && exit 2"),
        crush("x=$(jq -r .a) || exit 2; [[ $x == *rm* ]] && exit 2"),
    ),
    (
        "W-JQ",
        "crush",
        crush("x=$(jq -r .a); case $x in *rm*) exit 2;; esac"),
        crush("x=$(jq -r .a); [ -z $x ] && exit 2; case $x in *rm*) exit 2;; esac"),
    ),
    ("W-JQ", "crush", crush("jq -e .a && exit 2"), crush("jq -e .a || exit 2")),
    ("W-JQ", "crush", crush("if jq -e .a >x; then exit 2; fi"), crush("if ! jq -e .a >x; then exit 2; fi")),
    (
        "W-JQ",
        "crush",
        crush("if jq -e .a >x; then exit 2; fi"),
        crush("if jq -e .a >x; then exit 0; else exit 2; fi"),
    ),
    ("W-JQ", "crush", crush("jq -r .a | grep -q rm && exit 2"), crush("jq -r .a | grep -q ok || exit 2")),
    (
        "W-JQ",
        "crush",
        crush("[[ $(jq -r .a) == *rm* ]] && exit 2"),
        crush("grep -q rm && { echo no: $(jq -r .a) >&2; exit 2; }"),
    ),
    (
        "W-JQ",
        "claude_code",
        claude("jq -c 'if .x then {decision: \"block\"} else empty end'"),
        claude("jq -n '{decision: \"block\"}'"),
    ),
    (
        "W-JQ",
        "crush",
        crush("x=$(jq -r .a); [[ $x == *rm* ]] && exit 2"),
        crush("x=$(jq -r .a); [[ $x == ok ]] && exit 0; exit 2"),
    ),
    (
        "W-JQ",
        "crush",
        crush("set -e; jq .a | jq .b >x; exit 2"),
        crush("set -e; if jq -e .a; then exit 2; fi"),
    ),
    ("W-JQ", "crush", crush("set -e; jq .a >x; exit 2"), crush("set -e; trap 'exit 2' ERR; jq .a >x")),
    (
        "W-JQ",
        "crush",
        crush("set -e; x=$(jq .a); exit 2"),
        crush("set -e; local x=$(jq .a); [[ $(jq .) ]]; exit 2"),
    ),
    ("W-JQ", "crush", crush("set -e; x=$(jq .a); exit 2"), everruns("set -e; x=$(jq .a); exit 2")),
    ("W-LOST", "crush", crush("( exit 2 ); :"), crush("( exit 2 ) || exit; :")),
    ("W-FIELD", "claude_code", claude("jq -r .command; exit 2"), claude("jq -r .tool_input.command; exit 2")),
    (
        "W-FIELD",
        "crush",
        crush("x=$(jq -r .file_path); exit 2"),
        crush("x=$(jq -r .tool_input.file_path); exit 2"),
    ),
    (
        "W-VARIABLE",
        "claude_code",
        claude("[[ $CLAUDE_TOOL_INPUT == *rm* ]] && exit 2"),
        claude("[[ ${CLAUDE_TOOL_INPUT:-} == *rm* || -f $CLAUDE_PROJECT_DIR/x ]] && exit 2"),
    ),
    (
        "W-VARIABLE",
        "claude_code",
        claude('echo "$CLAUDE_FILE_PATHS" | grep x && exit 2'),
        claude(
            'CLAUDE_FILE_PATHS=$(jq -r .tool_input.file_path) || exit 2; echo "$CLAUDE_FILE_PATHS" | grep x && exit 2'
        ),
    ),
    (
        "W-VARIABLE",
        "claude_code",
        claude("[[ $CRUSH_TOOL_INPUT_COMMAND == rm ]] && exit 2"),
        claude("read -r CRUSH_TOOL_INPUT_COMMAND; [[ $CRUSH_TOOL_INPUT_COMMAND == rm ]] && exit 2"),
    ),
    (
        "W-VARIABLE",
        "crush",
        crush("[[ $CRUSH_TOOL_INPUTS == x ]] && exit 2"),
        crush("[[ $CRUSH_TOOL_INPUT_URL == x ]] && exit 2"),
    ),
    (
        "W-REGEX",
        "crush",
        crush('[[ $x =~ "rm\\s+-rf" ]] && exit 2'),
        crush("[[ $x =~ rm\\s+-rf ]] && exit 2"),
    ),
    (
        "W-REGEX",
        "crush",
        crush("[[ $x =~ '^(rm|dd) ' ]] && exit 2"),
        crush("[[ $x =~ 'rm -rf /' || $x =~ ^'rm ' ]] && exit 2"),
    ),
    (
        "W-EXIT",
        "crush",
        crush("x=$(cat) || exit 2; if [[ $x == rm ]]; then echo BLOCKED: no >&2; exit 0; fi"),
        crush(
            "x=$(cat) || exit 2; if [[ $x == rm ]]; then echo BLOCKED: no >&2; exit 2; fi; echo skipped >&2; exit 0"
        ),
    ),
    ("W-TOOL", "claude_code", claude(matcher="bash"), claude(matcher="Bash")),
    ("W-TOOL", "claude_code", claude(matcher="Bash(rm *)"), claude(matcher="Bash.*")),
    ("W-TOOL", "claude_code", claude(matcher="Edit|Writ"), claude(matcher="Edit|Write")),
    ("W-TOOL", "claude_code", claude(matcher="Frobnicate"), claude(matcher="mcp__memory__.*")),
    ("W-TOOL", "claude_code", claude(matcher="^(bash|Edit)$"), claude(matcher="^(Bash|Edit)$")),
    ("W-TOOL", "crush", crush("exit 2", matcher="^Bash$"), crush("exit 2", matcher="^bash$")),
    ("W-TOOL", "crush", crush("exit 2", matcher="Bash"), crush("exit 2", matcher="mcp_github_.*")),
    ("W-TOOL", "crush", crush("exit 2", matcher="^multiedti$"), crush("exit 2", matcher="edit")),
    ("W-TOOL", "gemini", claude(event="BeforeTool", matcher="Bash"), crush("exit 2", matcher="my_own_tool")),
    ("W-TIMEOUT", "claude_code", claude(timeout=60000), claude(timeout=1800)),
    ("W-TIMEOUT", "crush", crush("exit 2", timeout=5000), crush("exit 2", timeout=120)),
    ("W-TIMEOUT", "gemini", claude(event="BeforeTool", timeout=30), crush("exit 2", timeout=30)),
    ("N-TEXT", "crush", crush("echo hello; exit 2"), crush("echo hello >&2; exit 2")),
    ("N-TEXT", "crush", crush("echo hello; exit 2"), crush("echo hello | cat >x; exit 2")),
    (
        "N-STATE",
        "everruns",
        config(hook(id="a"), disabled_contributions=["user:a"]),
        config(hook(id="a")),
    ),
]


@pytest.mark.parametrize(
    ("rule", "name", "faulty", "harmless"), CASES, ids=[f"{each[0]}-{at}" for at, each in enumerate(CASES)]
)
def test_finds_it_and_leaves_its_neighbour_alone(rule: str, name: str, faulty: Any, harmless: Any) -> None:
    found = findings(name, faulty)
    assert rule in {each.rule for each in found}, [str(each) for each in found]
    assert all(each.line == 1 or each.file != "/project/hooks.json" for each in found if each.rule == rule)
    other = contract_of(harmless, name)
    assert rule not in {each.rule for each in findings(other, harmless)}


def contract_of(value: dict[str, Any], otherwise: str) -> str:
    """Return whose configuration a neighbour is: some are another agent's, for which the same is right."""
    if isinstance(value["hooks"], list):
        return "everruns"
    groups = next(iter(value["hooks"].values()))
    nested = otherwise if otherwise == "claude_code" else "jcode"
    return nested if "hooks" in groups[0] else "crush" if otherwise == "everruns" else otherwise


def test_every_rule_has_a_case() -> None:
    elsewhere = {
        "E-CONTRACT",
        "N-UNBOUND",
        "E-SPLIT",
    }  # found by the command; depends on the path of the project
    elsewhere |= {"E-CHECK", "E-PACKAGE", "W-PACKAGE", "N-PACKAGE"}  # of packages, in tests/test_plug_ins.py
    assert {case[0] for case in CASES} | elsewhere == set(RULES)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("$CRUSH_PROJECT_DIR/ok.sh", True),
        ("bash ${CRUSH_PROJECT_DIR}/ok.sh", True),
        (". $HOME/own.sh", True),
        ('"$CRUSH_PROJECT_DIR"/ok.sh', False),
        ('bash "${CRUSH_PROJECT_DIR}/ok.sh"', False),
        ("x=$CRUSH_PROJECT_DIR/ok.sh", False),
        ("echo $CRUSH_PROJECT_DIR", False),
    ],
)
@pytest.mark.parametrize("blank", [" ", "*", ""])
def test_an_unquoted_path_matters_where_it_has_a_blank(command: str, found: bool, blank: str) -> None:
    around = AROUND._replace(
        project=f"/pro{blank}ject", home=f"/home{blank}/me", read=lambda path: b"exit 2\n"
    )
    contract = contracts.get("crush")
    document = Document(crush(command))
    rules = [each.rule for each in check(HookEngine.load([document], contract), contract, [document], around)]
    assert ("E-SPLIT" in rules) == (found and blank != "")


def test_on_this_machine_its_own_programs_count() -> None:
    around = AROUND._replace(has_program=lambda name: name in ("python3", "git"))
    contract = contracts.get("crush")

    def messages(command: str) -> list[str]:
        document = Document(crush(command))
        engine = HookEngine.load([document], contract)
        return [
            each.message for each in check(engine, contract, [document], around) if "lacks" in each.message
        ]

    assert messages("git status; jq . x; ./tool.py; exit 2") == ["this machine lacks jq"]
    assert messages("git status; exit 2") == []


@pytest.mark.parametrize(
    ("name", "matcher", "message"),
    [
        (
            "claude_code",
            "bash",
            '"bash" is not a tool of claude_code: names are case-sensitive; did you mean Bash?',
        ),
        ("claude_code", "Edit|Writ", '"Writ" is not a tool of claude_code; did you mean Write?'),
        (
            "claude_code",
            "Bash(rm *)",
            "/Bash(rm *)/ matches no known tool of claude_code; a rule is not a matcher: write Bash",
        ),
        (
            "claude_code",
            "run_shell_command",
            '"run_shell_command" is not a tool of claude_code, but of gemini; did you mean Bash?',
        ),
        ("codex", "^view$", '"view" is not a tool of codex, but of crush'),
    ],
)
def test_what_is_wrong_with_a_tool(name: str, matcher: str, message: str) -> None:
    (found,) = [each for each in findings(name, claude(matcher=matcher)) if each.rule == "W-TOOL"]
    assert found.message == message


@pytest.mark.parametrize("name", contracts.names())
def test_every_agent_has_a_vocabulary(name: str) -> None:
    vocabulary = contracts.get(name).vocabulary()
    assert vocabulary.shell and vocabulary.write and vocabulary.edit
    assert all(vocabulary.classes_of(tool) == ("shell",) for tool in vocabulary.shell)
    assert len(set(vocabulary.tools)) == len(vocabulary.tools)


def test_every_name_of_a_tool_is_known_to_its_matchers() -> None:
    """No check warns of a name that the vocabulary has."""
    for name in contracts.names():
        contract = contracts.get(name)
        for tool in contract.vocabulary().tools:
            specs = HookEngine.load(crush("exit 2", matcher=f"^{tool}$"), "crush", prestart=False).hooks
            value, _ = contract.render(specs)
            found = [str(each) for each in findings(name, value) if each.rule == "W-TOOL"]
            assert found == [], (name, tool)


@pytest.mark.parametrize("name", contracts.names())
def test_a_plain_guard_is_clean(name: str) -> None:
    """What most pages recommend: no contract finds anything in it, but one whose agent reads no exit status."""
    contract = contracts.get(name)
    specs = HookEngine.load(
        crush('input=$(cat)\nprintf "%s" "$input" | grep -q rm && exit 2\nexit 0'), "crush"
    )
    value, _ = contract.render(specs.hooks)
    found = findings(name, value)
    wanted = ["W-EXIT"] if name == "mistral_vibe" else []
    assert [each.rule for each in found if each.rule not in ("W-CONFIG",)] == wanted


def test_a_status_without_effect_is_found_unless_failures_refuse() -> None:
    entry = {"name": "g", "type": "pre_tool", "command": "exit 2"}
    (found,) = findings("mistral_vibe", {"hooks": [entry]})
    wanted = 'exit 2 does not refuse pre_tool: mistral_vibe refuses by no exit status; to refuse, print {"decision":"deny"'
    assert (found.rule, found.message.startswith(wanted)) == ("W-EXIT", True)
    assert findings("mistral_vibe", {"hooks": [{**entry, "strict": True}]}) == []
    prints = {**entry, "command": """echo '{"decision": "deny", "reason": "no"}'"""}
    assert findings("mistral_vibe", {"hooks": [prints]}) == []


@pytest.mark.parametrize("command", ["bash -c './{}'", "sh -ec './{}'", "bash -o pipefail -c './{}'"])
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("gone.sh", "E-FILE"),
        ("dos.sh", "E-BYTES"),
        ("plain.sh", "E-MODE"),
        ("exits.sh", "W-EXIT"),
        ("ok.sh", ""),
    ],
)
def test_the_text_of_an_inner_shell_is_checked(command: str, name: str, rule: str) -> None:
    found = {each.rule for each in findings("claude_code", claude(command.format(name)))}
    assert found == ({rule} if rule else set())


def test_the_shell_of_an_argument_list_is_checked() -> None:
    value = {"hooks": {"pre_tool_call": [{"command": ["bash", "-c", "./gone.sh"], "on_failure": "block"}]}}
    assert [each.rule for each in findings("ub", value)] == ["E-FILE"]
    value["hooks"]["pre_tool_call"][0]["command"][2] = "if true; then"
    assert [each.rule for each in findings("ub", value)] == ["E-PARSE"]


def test_a_jq_that_fails_before_the_end_lets_pass_whatever_its_status_means() -> None:
    text = "c=$(jq -r .tool_input.command)\nif [[ $c == *rm* ]]; then echo no >&2; exit 2; fi"
    group = {"hooks": [{"type": "command", "command": text}]}
    assert "W-JQ" in {each.rule for each in findings("gemini", {"hooks": {"BeforeTool": [group]}})}
    group["hooks"][0]["command"] = "set -e\n" + text
    assert "W-JQ" not in {each.rule for each in findings("gemini", {"hooks": {"BeforeTool": [group]}})}


@pytest.mark.parametrize(("name", "event"), [("gemini", "BeforeTool"), ("claude_code", "PreToolUse")])
def test_a_name_that_is_almost_one_of_another_agent(name: str, event: str) -> None:
    value = {"hooks": {event: [{"matcher": "Writ", "hooks": [{"type": "command", "command": "exit 2"}]}]}}
    (found,) = findings(name, value)
    assert found.rule == "W-TOOL"
    assert "did you mean write_file?" in found.message or "did you mean Write?" in found.message


def entry_of(name: str, matcher: str) -> Any:
    """Return a configuration of one guard with a matcher."""
    group = {"matcher": matcher, "hooks": [{"type": "command", "command": "exit 2"}]}
    flat = {"matcher": matcher, "command": "exit 2"}
    return {
        "qwen": {"hooks": {"PreToolUse": [group]}},
        "cursor": {"version": 1, "hooks": {"preToolUse": [flat]}},
        "docker_agent": {"agents": {"root": {"hooks": {"pre_tool_use": [group]}}}},
        "kiro": {"hooks": {"preToolUse": [flat]}},
        "mistral_vibe": {
            "hooks": [
                {"name": "a", "type": "pre_tool", "strict": True, "match": matcher, "command": "exit 2"}
            ]
        },
    }[name]


@pytest.mark.parametrize(
    ("name", "matcher", "part"),
    [
        ("qwen", "RUN_SHELL_COMMAND", "names are case-sensitive; did you mean run_shell_command?"),
        ("qwen", "run_shell_command(rm *)", "a rule is not a matcher: write run_shell_command"),
        ("qwen", "Writ", "did you mean write_file?"),
        ("cursor", "Shell(rm *)", "a rule is not a matcher: write Shell"),
        ("docker_agent", "SHELL", "names are case-sensitive; did you mean shell?"),
        ("kiro", "execute_bash(rm *)", "a rule is not a matcher: write execute_bash"),
        ("mistral_vibe", "Writ", "matches no known tool of mistral_vibe"),
        *(
            ("qwen", matcher, "")
            for matcher in ("", "*", ".*", "Bash", "edit|write_file", "mcp__x__y", "^edit$")
        ),
        *(("kiro", matcher, "") for matcher in ("*", "fs_*", "@git/*", "@builtin")),
        *(("mistral_vibe", matcher, "") for matcher in ("BASH", "github_*", "*")),
        *(("docker_agent", matcher, "") for matcher in ("shell|write_file", "*")),
    ],
)
def test_the_matchers_of_every_form_are_compared_with_the_tools(name: str, matcher: str, part: str) -> None:
    found = [each for each in findings(name, entry_of(name, matcher)) if each.rule in ("W-TOOL", "W-NEVER")]
    assert [part in each.message for each in found] == ([True] if part else []), found


def test_a_few_milliseconds_are_seconds() -> None:
    value = {"hooks": {"preToolUse": [{"command": "exit 2", "timeout_ms": 10}]}}
    assert [each.rule for each in findings("kiro", value)] == ["W-TIMEOUT"]
    value["hooks"]["preToolUse"][0]["timeout_ms"] = 100
    assert findings("kiro", value) == []


def test_a_finding_in_a_script_has_the_scripts_line() -> None:
    (found,) = [each for each in findings("crush", crush("./exits.sh")) if each.rule == "W-EXIT"]
    assert (found.file, found.line) == ("/project/exits.sh", 3)
    (found,) = [each for each in findings("crush", crush("true\nexit 1")) if each.rule == "W-EXIT"]
    assert found.message.endswith("(line 2 of the command)")


def test_ten_faults_are_ten_findings_with_lines_and_paths() -> None:
    entries = ",\n".join('{"command": "exit 2", "timeout": "x"}' for _ in range(10))
    text = f'{{"hooks": {{"PreToolUse": [\n{entries}\n]}}}}'
    from sandhook.hooks.decode import decode

    document = Document(decode(text).value, "f.json", text=text)
    contract = contracts.get("crush")
    engine = HookEngine.load([document], contract)
    found = check(engine, contract, [document], AROUND)
    assert [(each.line, each.path) for each in found] == [
        (at + 2, f"hooks.PreToolUse[{at}].timeout") for at in range(10)
    ]


def test_scripts_that_run_each_other_end() -> None:
    around = AROUND._replace(read=lambda path: b"./" + path.rpartition("/")[2].encode() + b"x\n./a\n./b\n")
    contract = contracts.get("crush")
    value = crush("./a")
    engine = HookEngine.load([Document(value)], contract)
    assert isinstance(check(engine, contract, [Document(value)], around), list)


@pytest.mark.parametrize("text", ["(" * 5000, "$(" * 3000, "{ " * 4000 + "}; " * 4000, "[[ " + "( " * 4000])
def test_scripts_that_are_nested_too_deeply_are_refused(text: str) -> None:
    assert "E-PARSE" in {each.rule for each in findings("crush", crush(text))}


def test_a_fault_of_a_script_is_at_its_line() -> None:
    around = AROUND._replace(read=lambda path: b"exit 0\nif :; then\n  exit 2 )\nfi\n")
    contract = contracts.get("crush")
    document = Document(crush("bash x.sh"))
    found = check(HookEngine.load([document], contract), contract, [document], around)
    assert [(each.rule, each.line, each.file) for each in found if each.rule == "E-PARSE"] == [
        ("E-PARSE", 3, "/project/x.sh")
    ]


def test_a_note_is_at_its_place_whatever_its_words_are() -> None:
    """The name of the file and the path have the characters that separate the parts of a note."""
    text = '{\n "hooks": {\n  "PreToolUse": [{"command": "exit 2",\n   "odd: key": 1}]}}'
    document = Document(decode(text).value, "/project/a: b.json", contract="crush", text=text)
    engine = HookEngine.load([document], prestart=False)
    (found,) = check(engine, contracts.get("crush"), [document], AROUND)
    assert (found.rule, found.file, found.line) == ("W-CONFIG", "/project/a: b.json", 4)
    assert found.path == "hooks.PreToolUse[0].odd: key" and "odd" not in found.message


@pytest.mark.parametrize(
    ("first", "wanted"),
    [
        ("#!/bin/bash -e", True),
        ("#! /bin/sh -eu", True),
        ("#!/usr/bin/env -S bash -e", True),
        ("\ufeff#!/bin/bash -e\r", True),
        ("#!/bin/bash", False),
        ("#!/opt/x -else/bash", False),
        ("#!/usr/bin/env bash", False),
        ("# !/bin/bash -e", False),
    ],
)
def test_the_first_line_sets_errexit(first: str, wanted: bool) -> None:
    from sandhook.hooks.checks.reading import read

    assert read(f"{first}\ntrue\n", {}).errexit is wanted


@pytest.mark.parametrize(("command", "rules"), [("echo '{}'", ["W-OUTPUT"]), ("exit 0", [])])
def test_an_object_without_a_decision_refuses_in_antigravity(command: str, rules: list[str]) -> None:
    value = {"g": {"PreToolUse": [{"hooks": [{"command": command}]}]}}
    assert [each.rule for each in findings("antigravity", value)] == rules


def test_what_a_script_computes_has_no_type() -> None:
    """jq may compute a boolean: only a fault that every type has is one."""
    computed = 'jq -c \'{continue: .ok, decision: "block", reason: "no"}\''
    assert "W-OUTPUT" not in [each.rule for each in findings("jcode", jcode(computed))]
    literal = 'echo \'{"continue": "no"}\''
    assert "W-OUTPUT" in [each.rule for each in findings("jcode", jcode(literal))]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "claude_code",
            claude('echo \'{"decision":"deny"}\''),
            (
                '{"decision":"deny"} is of another agent, and means nothing to claude_code on PreToolUse; to refuse, write '
                '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"REASON"}}'
            ),
        ),
        (
            "gemini",
            claude(f"echo '{SPECIFIC % ''}'", "BeforeTool"),
            (
                '{"hookSpecificOutput":{"permissionDecision":"deny"}} is of another agent, and means nothing to gemini on '
                'BeforeTool; to refuse, write {"decision":"deny","reason":"REASON"}'
            ),
        ),
    ],
)
def test_words_of_another_agent_come_with_what_to_write(name: str, value: Any, message: str) -> None:
    (found,) = [each for each in findings(name, value) if each.rule == "W-WORDS"]
    assert found.message == message


@pytest.mark.parametrize(
    ("script", "notes"),
    [
        ("f() { echo text; }\nx=$(f)\n", 0),
        ("f() { echo text; }\nf\n", 1),
        ("f() { echo text; }\nx=$(f); f\n", 1),
        ("f() { echo text; }\ng() { f; }\nx=$(g)\n", 0),
        ("f() { echo text; }\ng() { f; }\ng\n", 1),
        ("f() { echo text; f; }\nread x < <(f)\n", 0),
        ("f() { echo text; }\ntrap f EXIT\n", 1),
        ("f() { echo text; }\nwhile read x; do :; done < <(f)\n", 0),
        ("f() { echo text; }\nif read x; then :; fi < <(f)\n", 0),
    ],
)
def test_functions_that_are_called_for_their_output(script: str, notes: int) -> None:
    rules = [each.rule for each in findings("claude_code", claude(script))]
    assert rules.count("N-TEXT") == notes

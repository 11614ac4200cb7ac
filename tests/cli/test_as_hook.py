"""sandhook hook and fire --as-hook: an agent's command hook; fire with the agent's own files."""

from __future__ import annotations

import json
import os
import re
import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import HookEngine, contracts
from sandhook.hooks.checks.probe import sample
from sandhook.hooks.model import Executor, HookSpec, RunResult
from sandhook.hooks.toml import decode_toml
from sandhook.hooks.yaml import decode_yaml

PAYLOAD = {
    "event": "PreToolUse",
    "session_id": "s",
    "cwd": "/elsewhere",
    "tool_name": "bash",
    "tool_input": {"command": "rm -rf /"},
}
CALL = json.dumps(PAYLOAD).encode()
BLOCKS = {
    "id": "guard",
    "event": "pre_tool_use",
    "executor": {"type": "bash", "command": 'echo \'{"decision":"block","reason":"no"}\''},
}


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project that is the current directory, of a user with an empty home."""
    made = tmp_path / "project"
    made.mkdir()
    if sys.platform == "darwin":
        monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.chdir(made)
    return made


def test_a_script_is_a_hook(sandhook: Callable[..., Any], project: Path) -> None:
    (project / "guard.sh").write_text(
        "#!/bin/bash\ncommand=$(jq -r .tool_input.command)\n"
        'echo "out $1 $CRUSH_TOOL_NAME"; echo "no: $command" >&2; exit 2\n'
    )
    ran = sandhook("hook", "--contract", "crush", "--", "guard.sh", "word", stdin=CALL)
    assert ran == (2, "out word bash\n", "no: rm -rf /\n")


@pytest.mark.skipif(sys.platform == "win32", reason="FIFOs and devices of POSIX")
@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_a_script_that_is_no_regular_file_could_not_run_and_does_not_wait(
    sandhook: Callable[..., Any], project: Path, kind: str
) -> None:
    script = project / "guard.sh"
    if kind == "fifo":
        os.mkfifo(script)
    else:
        script.symlink_to("/dev/zero")
    ran = sandhook("hook", "--contract", "crush", "--", "guard.sh", stdin=CALL)
    assert (ran.status, "guard.sh: not a regular file" in ran.stderr) == (126, True)
    assert sandhook("hook", "--contract", "crush", "--fail-closed", "--", "guard.sh", stdin=CALL).status == 2


def test_a_text_is_a_hook_and_sees_the_payload_as_it_came(sandhook: Callable[..., Any]) -> None:
    ran = sandhook("hook", "--contract", "crush", "--", "-c", "cat; echo $0 $1", "x", "y", stdin=CALL)
    assert ran == (0, CALL.decode() + "x y\n", "")


def test_it_sees_nothing_of_the_machine_but_what_it_is_given(
    sandhook: Callable[..., Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "secret").write_text("x")
    monkeypatch.setenv("TOKEN", "t")
    script = 'cat secret 2>/dev/null || echo none; echo "${TOKEN-unset} ${OTHER-unset} $HOME"'
    ran = sandhook("hook", "--contract", "crush", "--", "-c", script, stdin=CALL)
    assert ran.stdout == "none\nunset unset /home/agent\n"
    more = ("--workspace", ".", "--env", "TOKEN", "--env", "OTHER=o")
    ran = sandhook("hook", "--contract", "crush", *more, "--", "-c", script, stdin=CALL)
    assert ran.stdout == "xt o /home/agent\n"


@pytest.mark.parametrize("write_back", [False, True])
def test_a_hook_changes_a_copy(sandhook: Callable[..., Any], project: Path, write_back: bool) -> None:
    event = json.dumps(PAYLOAD | {"cwd": project.as_posix()}).encode()
    more = ("--write-back",) if write_back else ()
    ran = sandhook(
        "hook", "--contract", "crush", "--workspace", ".", *more, "--", "-c", "echo x > new", stdin=event
    )
    assert ran.status == 0 and "created: /workspace/new" in ran.stderr
    assert (project / "new").exists() is write_back


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("nosuch.sh",), 126),
        (("tool.py",), 126),
        (("-c", "if"), 2),
        (("-c", "nosuchcommand"), 127),
        (("-c", "while :; do :; done"), 124),
    ],
)
def test_what_could_not_run_refuses_when_asked_to(
    sandhook: Callable[..., Any], project: Path, words: tuple[str, ...], status: int
) -> None:
    (project / "tool.py").write_text("#!/usr/bin/env python3\nexit(0)\n")
    base = ("hook", "--contract", "crush", "--timeout", "0.2")
    assert sandhook(*base, "--", *words, stdin=CALL).status == status
    closed = sandhook(*base, "--fail-closed", "--", *words, stdin=CALL)
    assert (closed.status, closed.stdout) == (2, "")
    assert closed.stderr.startswith("sandhook: could not run: ")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"event":"Nosuch"}', b"\xff"])
def test_a_payload_that_cannot_be_read(sandhook: Callable[..., Any], data: bytes) -> None:
    base = ("hook", "--contract", "crush")
    ran = sandhook(*base, "--", "-c", "exit 0", stdin=data)
    assert ran.status == 0 and ran.stderr.startswith("sandhook: ")
    assert sandhook(*base, "--fail-closed", "--", "-c", "exit 0", stdin=data).status == 2


def test_what_ran_is_passed_through_when_failing_closed(sandhook: Callable[..., Any]) -> None:
    ran = sandhook("hook", "--contract", "crush", "--fail-closed", "--", "-c", "exit 1", stdin=CALL)
    assert ran == (1, "", "")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--", "x"), "hook: the following arguments are required: --contract"),
        (("--contract", "crush"), "hook: needs -- SCRIPT or -- -c TEXT"),
        (("--contract", "crush", "--", "-c"), "hook: -c needs TEXT"),
        (("--contract", "nosuch", "--", "x"), "unknown contract 'nosuch'"),
        (("--contract", "crush", "--timeout", "0", "--", "x"), "--timeout must be more than 0"),
        (("--contract", "crush", "--write-back", "--", "x"), "--write-back needs --workspace"),
        (("--contract", "crush", "--env", "a-b", "--", "-c", ":"), "--env a-b: wanted NAME or NAME=VALUE"),
    ],
)
def test_usage(sandhook: Callable[..., Any], argv: tuple[str, ...], message: str) -> None:
    ran = sandhook("hook", *argv, stdin=CALL)
    assert ran.status == 2 and ran.stderr.startswith(f"sandhook: {message}")


@pytest.mark.parametrize(
    "argv",
    [
        ("hook", "--", "x"),
        ("hook", "--contract", "nosuch", "--", "x"),
        ("hook", "--contract", "crush", "--nosuch", "--", "x"),
        ("hook", "--contract", "crush", "--fail-closd", "--", "x"),
        ("hook", "--contract", "crush", "--workspace", "/nosuch", "--", "-c", ":"),
        ("hook", "--contract", "crush", "--isolation", "fork", "--", "-c", ":"),
        ("fire", "--as-hook", "crush"),
        ("fire", "--as-hook=crush"),
        ("fire", "--as-hook", "nosuch", "--hooks", "x"),
        ("fire", "--as-hook", "crush", "--hooks", "x", "--nosuch"),
        ("fire", "--color", "never", "--hooks", "x", "--nosuch", "--as-hook=crush"),
    ],
)
def test_a_wrong_command_line_refuses(sandhook: Callable[..., Any], argv: tuple[str, ...]) -> None:
    """--fail-closed itself may be what is misspelt, so that it cannot be asked for."""
    ran = sandhook(*argv, stdin=CALL)
    assert (ran.status, ran.stdout) == (2, "") and ran.stderr.startswith("sandhook: ")
    assert sandhook(argv[0], "--fail-closed", *argv[1:], stdin=CALL) == ran


def fails(*arguments: Any) -> None:
    raise ZeroDivisionError("oh")


def call_of(name: str) -> tuple[str, HookSpec, bytes]:
    """Return an agent's name of a tool call, a hook that waits for it, and its payload."""
    contract = contracts.get(name)
    native = next(own for own, kind in contract.events.items() if kind == "tool.pre")
    spec = HookSpec("h", "tool.pre", native, Executor("bash", "x", ("x",)), on_error="block")
    payload = contract.request(spec, sample("tool.pre"), "better")
    return native, spec, payload.payload.encode() or payload.stdin


def refuses(name: str, spec: HookSpec, ran: Any) -> bool:
    """Return whether an agent takes what a command printed, and its status, for a refusal."""
    answer = RunResult(ran.status, ran.stdout.encode(), ran.stderr.encode())
    return contracts.get(name).decode(spec, sample("tool.pre"), answer, "better").refuses


@pytest.mark.parametrize("place", ["gather", "engine_of", "event_of", "stdin"])
@pytest.mark.parametrize("name", contracts.names())
def test_a_defect_is_a_refusal_in_the_words_of_the_agent(
    sandhook: Callable[..., Any],
    hooks: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    place: str,
) -> None:
    native, spec, data = call_of(name)
    path = hooks(BLOCKS)
    monkeypatch.setattr(f"sandhook.cli.as_hook.{place}", fails)
    ran = sandhook("fire", native, "--as-hook", name, "--hooks", path, stdin=data)
    assert refuses(name, spec, ran), ran
    assert "internal error: ZeroDivisionError: oh" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("name", contracts.names())
def test_a_defect_of_hook_is_one_too(
    sandhook: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    native, spec, data = call_of(name)
    monkeypatch.setattr("sandhook.cli.hook._run", fails)
    ran = sandhook("hook", "--contract", name, "--event", native, "--", "-c", ":", stdin=data)
    assert refuses(name, spec, ran), ran
    assert "internal error: ZeroDivisionError: oh" in ran.stdout + ran.stderr


@pytest.mark.parametrize("name", contracts.names())
def test_a_payload_beyond_a_bound_is_a_refusal(
    sandhook: Callable[..., Any], hooks: Callable[..., Path], name: str
) -> None:
    native, spec, _ = call_of(name)
    path = hooks(BLOCKS)
    for data in (b'{"a":' * 600 + b"1" + b"}" * 600, b'{"tool_input": "\\ud800"}', b'{"a": 1e999}'):
        ran = sandhook("fire", native, "--as-hook", name, "--hooks", path, stdin=data)
        assert refuses(name, spec, ran), ran
        assert "the payload: " in ran.stdout + ran.stderr


@pytest.mark.parametrize("script", ["yes | head -c 2000000", "while :; do f() { :; }; x=x$x$x; done"])
def test_a_script_beyond_a_limit_is_a_refusal(sandhook: Callable[..., Any], script: str) -> None:
    ran = sandhook("hook", "--contract", "crush", "--", "-c", script, stdin=CALL)
    assert (ran.status, ran.stdout) == (2, "")
    assert ran.stderr.startswith("sandhook: could not run: ")


# fire --as-hook


def test_another_agents_hooks_decide(sandhook: Callable[..., Any], hooks: Callable[..., Path]) -> None:
    path = hooks(BLOCKS)
    assert sandhook("fire", "--as-hook", "crush", "--hooks", path, stdin=CALL) == (2, "", "no\n")
    quiet = hooks({**BLOCKS, "matcher": {"tool_name": "edit"}})
    assert sandhook("fire", "--as-hook", "crush", "--hooks", quiet, stdin=CALL) == (0, "", "")


def test_a_rewrite_is_said_in_the_callers_words(
    sandhook: Callable[..., Any], hooks: Callable[..., Path]
) -> None:
    said = '{"decision":"mutate","patch":{"arguments":{"command":"ls"}}}'
    path = hooks({**BLOCKS, "executor": {"type": "bash", "command": f"echo '{said}'"}})
    ran = sandhook("fire", "--as-hook", "crush", "--hooks", path, stdin=CALL)
    assert (ran.status, json.loads(ran.stdout)) == (0, {"updated_input": {"command": "ls"}})


@pytest.mark.parametrize("data", [b"", b"{", b'{"event":"Nosuch"}'])
def test_a_bad_payload_is_no_decision(
    sandhook: Callable[..., Any], hooks: Callable[..., Path], data: bytes
) -> None:
    base = ("fire", "--as-hook", "crush", "--hooks", hooks(BLOCKS))
    assert sandhook(*base, stdin=data).status == 1
    assert sandhook(*base, "--fail-closed", stdin=data).status == 2


def test_a_faulty_hook_leaves_the_others_in_force(
    sandhook: Callable[..., Any], hooks: Callable[..., Path]
) -> None:
    faulty = {**BLOCKS, "id": "bad", "timeout_ms": 1}
    path = hooks({**BLOCKS, "matcher": {"tool_name": "edit"}}, faulty)
    ran = sandhook("fire", "--as-hook", "crush", "--hooks", path, stdin=CALL)
    assert ran.status == 0 and "timeout_ms 1 is out of range" in ran.stderr
    ran = sandhook("fire", "--as-hook", "crush", "--fail-closed", "--hooks", path, stdin=CALL)
    assert ran.status == 2 and "timeout_ms 1 is out of range" in ran.stderr
    assert sandhook("fire", "--as-hook", "crush", "--hooks", hooks(BLOCKS, faulty), stdin=CALL).status == 2


def test_a_missing_configuration_refuses(sandhook: Callable[..., Any], project: Path) -> None:
    base = ("fire", "--as-hook", "crush", "--hooks", "nosuch.json")
    ran = sandhook(*base, stdin=CALL)
    assert ran.status == 2 and "No such file" in ran.stderr
    assert sandhook(*base, "--fail-closed", stdin=CALL) == ran


def test_a_payload_that_is_no_event_refuses_only_when_asked_to(
    sandhook: Callable[..., Any], project: Path
) -> None:
    (project / "crush.json").write_text('{"hooks": {"PreToolUse": [{"command": "true"}]}}')
    base = ("fire", "--as-hook", "crush", "--hooks", "crush.json")
    assert sandhook(*base, stdin=b"[]").status == 1
    assert sandhook(*base, "--fail-closed", stdin=b"[]").status == 2


def test_as_hook_takes_the_event_from_standard_input(sandhook: Callable[..., Any]) -> None:
    ran = sandhook("fire", "--as-hook", "crush", "--hooks", "x", "--tool", "y")
    assert ran.stderr == "sandhook: --as-hook takes the event from standard input, not from --tool\n"


# fire --contract: the agent's own files


def test_a_projects_hooks_run_when_they_are_approved(sandhook: Callable[..., Any], project: Path) -> None:
    (project / ".agents").mkdir()
    file = project / ".agents" / "hooks.json"
    file.write_text(json.dumps({"hooks": [BLOCKS]}))
    store = ("--store", project / "store")
    fire = ("fire", "pre_tool_use", "--contract", "everruns", "--tool", "bash", *store)
    ran = sandhook(*fire)
    assert ran.status == 3
    assert ran.stdout.startswith(f"not in force: user:guard: not trusted: {file.as_posix()} ")
    assert ran.stderr == ""  # once is enough
    assert sandhook(*fire, "--sandbox").status == 2
    assert sandhook("trust", file, "--yes", *store).status == 0
    ran = sandhook(*fire)
    assert (ran.status, ran.stderr) == (2, "")


def test_the_users_hooks_run_with_the_scripts_that_they_name(
    sandhook: Callable[..., Any], project: Path
) -> None:
    home = project.parent / "home"
    (home / ".config" / "crush").mkdir(parents=True)
    (home / "guard.sh").write_text("#!/bin/sh\necho not this >&2\nexit 2\n")
    for command in ("~/guard.sh", "$HOME/guard.sh", (home / "guard.sh").as_posix(), "bash ~/guard.sh"):
        value = {"hooks": {"PreToolUse": [{"command": command}]}}
        (home / ".config" / "crush" / "crush.json").write_text(json.dumps(value))
        ran = sandhook("fire", "PreToolUse", "--contract", "crush", "--tool", "bash")
        assert ran.status == 2 and "not this" in ran.stdout, (command, ran)
    assert not list(project.iterdir())


def test_variables_are_handed_over_when_asked_to(
    sandhook: Callable[..., Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = {"hooks": {"PreToolUse": [{"command": 'echo "<$ONE$TWO>" >&2; exit 2'}]}}
    (project / "crush.json").write_text(json.dumps(value))
    fire = ("fire", "PreToolUse", "--hooks", "crush.json", "--tool", "bash")
    monkeypatch.setenv("ONE", "1")
    assert "<>" in sandhook(*fire).stdout
    assert "<12>" in sandhook(*fire, "--env", "ONE", "--env", "TWO=2").stdout
    assert "<1>" in sandhook(*fire, "--inherit-env").stdout
    ran = sandhook(*fire, "--env", "NOSUCH_VARIABLE")
    assert ran.stderr == "sandhook: --env NOSUCH_VARIABLE: there is no such variable\n"


def test_fire_needs_hooks_from_somewhere(sandhook: Callable[..., Any], project: Path) -> None:
    wanted = "sandhook: fire: needs --hooks FILE, or --contract NAME for the agent's own files"
    assert sandhook("fire", "PreToolUse").stderr == f"{wanted}\n"
    (project / "crush.json").write_text('{"hooks": {"PreToolUse": [{"command": ":"}]}}')
    ran = sandhook("fire", "PreToolUse", "--tool", "bash", "--sandbox")
    assert (ran.status, ran.stderr) == (0, "note: for crush, the agent that has hooks here\n")
    assert "PreToolUse: 1 hook(s)" in ran.stdout
    ran = sandhook("fire", "--as-hook", "crush")
    assert (ran.status, ran.stderr) == (2, f"{wanted}\n"), "a hook of an agent says what it runs"
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text('{"hooks": {}}')
    assert sandhook("fire", "PreToolUse").stderr.startswith(
        f"{wanted}; here: --contract crush, --contract claude_code"
    )


def test_arguments_of_a_tool_are_json(sandhook: Callable[..., Any]) -> None:
    ran = sandhook("fire", "PreToolUse", "--contract", "crush", "--tool", "bash", "--input", "rm -rf ~/")
    assert ran.stderr == "sandhook: --input: wanted a JSON object: Expecting value at line 1 column 1\n"


# The lines for the agents' settings that the documentation shows.

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "use-as-a-hook.md"
ROW = re.compile(r"^\| [^|]+ \| `(\w+)` \| [^|]+ \| (.*) \|$", re.M)


def settings() -> dict[str, Any]:
    """Return the configuration of each row of the page's table."""
    found: dict[str, Any] = {}
    for name, cell in ROW.findall(PAGE.read_text(encoding="utf-8")):
        codes = re.findall(r"`([^`]+)`", cell)
        if name in ("mistral_vibe", "kimi"):
            found[name] = decode_toml("\n".join(codes)).value
        elif name in ("ub", "docker_agent", "hermes"):
            found[name] = decode_yaml(codes[0]).value
        elif name == "cline":  # the text of a file that is a hook
            found[name] = {"hooks": {"PreToolUse": [{"command": codes[0]}]}}
        else:
            found[name] = json.loads(codes[0].replace("\\|", "|"))
    return found


def test_the_page_has_a_line_for_every_agent() -> None:
    known = "claude_code codex copilot crush cursor docker_agent everruns gemini jcode mistral_vibe ub"
    assert set(known.split()) <= set(settings()) <= set(contracts.names())


@pytest.mark.parametrize("name", sorted(settings()))
def test_the_line_for_an_agent_is_a_hook_of_its(name: str) -> None:
    engine = HookEngine.load(settings()[name], name, prestart=False)
    assert engine.problems == () and engine.diagnostics == ()
    (spec,) = engine.hooks
    assert "CALL" in (spec.executor.text or " ".join(spec.executor.argv))
    assert spec.event in ("tool.pre", "x.beforeShellExecution", engine.contracts[0].events[spec.native_event])
    assert spec.event in engine.contracts[0].refusable


@pytest.mark.parametrize("name", contracts.names())
def test_every_agent_can_be_refused_by_hooks_of_another(
    sandhook: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    """The payload that an agent's own contract makes, answered; its own decoder sees the refusal."""
    contract = contracts.get(name)
    native = next(own for own, kind in contract.events.items() if kind == "tool.pre")
    spec = HookSpec("h", "tool.pre", native, Executor("bash", "x"), on_error="block")
    payload = contract.request(spec, sample("tool.pre"), "better")
    path = tmp_path / "hooks.json"
    path.write_text(json.dumps({"hooks": [BLOCKS]}))
    data = payload.payload.encode() or payload.stdin
    ran = sandhook("fire", native, "--as-hook", name, "--hooks", path, stdin=data)
    said = RunResult(ran.status, ran.stdout.encode(), ran.stderr.encode())
    verdict = contract.decode(spec, sample("tool.pre"), said, "better")
    assert verdict.intervenes or (name == "ub" and ran.status == 1), ran
    assert "no" in ran.stdout + ran.stderr


def payload_of(command: str) -> bytes:
    value = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    return json.dumps(value).encode()


def test_a_script_on_this_machine(sandhook: Callable[..., Any], tmp_path: Path) -> None:
    """With --host a hook sees the files and the variables of the machine; the payload is its input."""
    (tmp_path / "note").write_bytes(b"from a file\n")
    text = f"cat '{(tmp_path / 'note').as_posix()}' >&2; jq -r .tool_input.command >&2; exit 2"
    ran = sandhook("hook", "--contract", "claude_code", "--host", "--", "-c", text, stdin=payload_of("ls -l"))
    assert (ran.status, ran.stderr) == (2, "from a file\nls -l\n")


@pytest.mark.parametrize("text", ["no-such-program x", "./missing.sh", "if"])
def test_a_script_that_cannot_run_on_this_machine_refuses(sandhook: Callable[..., Any], text: str) -> None:
    command = ("hook", "--contract", "claude_code", "--host")
    ran = sandhook(*command, "--fail-closed", "--", "-c", text, stdin=payload_of("ls"))
    assert json.loads(ran.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert sandhook(*command, "--", "-c", text, stdin=payload_of("ls")).stdout == ""


@pytest.mark.parametrize(
    "option", [("--workspace", "."), ("--git-writes",), ("--isolation", "process"), ("--inherit-env",)]
)
def test_options_of_the_sandbox_and_host(sandhook: Callable[..., Any], option: tuple[str, ...]) -> None:
    ran = sandhook("hook", "--contract", "claude_code", "--host", *option, "--", "-c", "true", stdin=b"{}")
    assert ran.status == 2 and f"{option[0]} is for the sandbox" in ran.stderr


def test_a_script_in_base64(sandhook: Callable[..., Any]) -> None:
    text = b64encode(b'echo "it\'s $1 %PATH%" >&2; exit 2').decode()
    ran = sandhook(
        "hook", "--contract", "claude_code", "--", "-b", text, "name", "arg", stdin=payload_of("ls")
    )
    assert (ran.status, ran.stderr) == (2, "it's arg %PATH%\n")
    ran = sandhook("hook", "--contract", "claude_code", "--", "-b", "*", stdin=payload_of("ls"))
    assert ran.status == 2 and "-b: not base64" in ran.stderr


@pytest.mark.parametrize(
    ("agent", "payload"),
    [
        ("gemini", {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}),
        ("crush", {"event": "PreToolUse", "tool_name": "bash"}),
        ("cursor", {"hook_event_name": "preToolUse", "tool_name": "Shell"}),
        ("claude_code", {"hook_event_name": "PreToolUse", "tool_name": "Bash"}),
    ],
)
def test_a_guard_of_another_agent_sees_its_own_name_of_the_tool(
    sandhook: Callable[..., Any], tmp_path: Path, agent: str, payload: dict[str, Any]
) -> None:
    """The guard is for Bash; without its name it would never run, and its silence would let everything pass."""
    script = 'jq -e \'.tool_name == "Bash" and (.tool_input.command | test("rm -rf"))\' >/dev/null || exit 0; exit 2'
    value = {
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": script}]}]}
    }
    (tmp_path / "guard.json").write_text(json.dumps(value))
    fire = ("fire", "--as-hook", agent, "--contract", "claude_code", "--hooks", str(tmp_path / "guard.json"))

    def refuses(command: str, **changes: str) -> bool:
        text = json.dumps({**payload, "tool_input": {"command": command}, "session_id": "s", **changes})
        ran = sandhook(*fire, stdin=text.encode())
        return ran.status == 2 or "deny" in ran.stdout

    assert refuses("rm -rf /")
    assert not refuses("ls")


def test_a_tool_that_the_hooks_agent_lacks_keeps_its_name(
    sandhook: Callable[..., Any], tmp_path: Path
) -> None:
    value = {
        "hooks": {
            "PreToolUse": [{"matcher": "save_memory", "hooks": [{"type": "command", "command": "exit 2"}]}]
        }
    }
    (tmp_path / "guard.json").write_text(json.dumps(value))
    fire = (
        "fire",
        "--as-hook",
        "gemini",
        "--contract",
        "claude_code",
        "--hooks",
        str(tmp_path / "guard.json"),
    )
    payload = {
        "hook_event_name": "BeforeTool",
        "tool_name": "no_such_tool",
        "tool_input": {},
        "session_id": "s",
    }
    ran = sandhook(*fire, stdin=json.dumps(payload).encode())
    assert ran.status == 0
    assert "claude_code has no tool like no_such_tool" in ran.stderr
    payload["tool_name"] = "save_memory"
    assert "deny" in sandhook(*fire, stdin=json.dumps(payload).encode()).stdout


@pytest.mark.parametrize("matcher", ["run_shell_command", "", "Bash|run_shell_command"])
def test_a_guard_for_the_callers_name_sees_that_name(
    sandhook: Callable[..., Any], tmp_path: Path, matcher: str
) -> None:
    """It was written for the caller, or asks for the name itself: it refuses as it did."""
    script = '[ "$(jq -r .tool_name)" = run_shell_command ] && exit 2; exit 0'
    value = {
        "hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": script}]}]}
    }
    (tmp_path / "guard.json").write_text(json.dumps(value))
    fire = (
        "fire",
        "--as-hook",
        "gemini",
        "--contract",
        "claude_code",
        "--hooks",
        str(tmp_path / "guard.json"),
    )
    payload = {
        "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command",
        "tool_input": {},
        "session_id": "s",
    }
    assert "deny" in sandhook(*fire, stdin=json.dumps(payload).encode()).stdout

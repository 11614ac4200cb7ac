"""``sandhook doctor`` with the configurations of several agents in a temporary home and project."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.proving.doctor import percentile
from tests.cli.conftest import RunResult

Run = Callable[..., RunResult]

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("bash"), reason="needs sh and bash of the machine"
)

GUARD = '#!/bin/bash\ngrep -q "rm -rf" && { echo "not allowed" >&2; exit 2; }\nexit 0\n'

#: Each agent's file of the project, with a guard for its shell, and the tool's name and argument.
AGENTS: dict[str, tuple[str, str]] = {
    "claude_code": (
        ".claude/settings.json",
        '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "COMMAND", "timeout": 5}]}]}}',
    ),
    "crush": ("crush.json", '{"hooks": {"PreToolUse": [{"matcher": "^bash$", "command": "COMMAND", "timeout": 5}]}}'),
    "cursor": (
        ".cursor/hooks.json",
        '{"version": 1, "hooks": {"beforeShellExecution": [{"command": "COMMAND", "timeout": 5}]}}',
    ),
    "gemini": (
        ".gemini/settings.json",
        '{"hooks": {"BeforeTool": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "COMMAND", "timeout": 5000}]}]}}',
    ),
    "codex": (
        ".codex/hooks.json",
        '{"hooks": {"PreToolUse": [{"matcher": "^Bash$", "hooks": [{"type": "command", "command": "COMMAND", "timeout": 5}]}]}}',
    ),
    "antigravity": (
        ".agents/hooks.json",
        '{"sandhook": {"PreToolUse": [{"matcher": "run_command", "hooks": [{"command": "COMMAND", "timeout": 5}]}]}}',
    ),
}  # fmt: skip

CASES = """version: 1
hooks: HOOKS
contract: AGENT
project: PROJECT
event: tool.pre
tool: shell
cases:
  - {name: rm -rf is refused, input: {command: rm -rf /}, expect: deny}
  - {name: ls is allowed, input: {command: ls}, expect: proceed}
"""


class Machine:
    """A project with one guard of one agent."""

    def __init__(self, root: Path, home: Path, run: Run) -> None:
        self.root = root
        self.home = home
        self.run = run
        self.config = root

    def guard(
        self, agent: str, command: str = "./guard.sh", script: str = GUARD, *, user: bool = False
    ) -> None:
        """Write the guard with its expectations; ``user`` writes it to the user's own file."""
        name, text = AGENTS[agent]
        self.config = (self.home if user else self.root) / name
        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text(text.replace("COMMAND", command))
        # some agents run a hook in the directory of its file
        for directory in {self.root, self.config.parent}:
            path = directory / "guard.sh"
            path.write_text(script)
            path.chmod(0o755)
        up = "/".join(".." for _ in Path(name).parent.parts) or "."
        cases = CASES.replace("HOOKS", self.config.name).replace("AGENT", agent)
        (self.config.parent / "guard.expect.yaml").write_text(
            cases.replace("PROJECT", self.root.as_posix() if user else up)
        )

    def approve(self) -> None:
        result = self.run("trust", "--yes", "--unknown", self.config)
        assert result.status == 0, result.stderr

    def doctor(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        """Return the exit status and the JSON of the only hook."""
        result = self.run("doctor", "--tries", "2", "--format", "json", *arguments)
        value = json.loads(result.stdout)
        assert value["version"] == 1
        assert value["status"] == result.status
        (hook,) = value["hooks"]
        return result.status, hook


@pytest.fixture
def machine(tmp_path: Path, home: Path, sandhook: Run, monkeypatch: pytest.MonkeyPatch) -> Machine:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    return Machine(root, home, sandhook)


def failures(hook: dict[str, Any], state: str = "failed") -> list[str]:
    return list(dict.fromkeys(each["check"] for each in hook["checks"] if each["state"] == state))


def what(hook: dict[str, Any], name: str) -> str:
    return next(each["what"] for each in hook["checks"] if each["check"] == name)


@pytest.mark.parametrize("agent", AGENTS)
def test_an_approved_guard_is_proven_on(machine: Machine, agent: str) -> None:
    machine.guard(agent)
    machine.approve()
    status, hook = machine.doctor("--agent", agent)
    assert (status, hook["verdict"]) == (0, "proven on"), hook
    assert hook["started_as"][1:] == ["-c", "./guard.sh"]
    assert hook["starts"] == 2
    assert 0 < hook["p95_ms"] < 5000
    assert "1 of 1 cases refused, 1 of 1 others as expected" in what(hook, "refuses")


def test_doctor_names_what_an_approval_binds(machine: Machine) -> None:
    program = machine.home / "tools" / "guard"
    program.parent.mkdir()
    text = f"#!{sys.executable}\nimport sys\nsys.exit(2 * ('rm -rf' in sys.stdin.read()))\n#" + "x" * (
        5 << 20
    )
    program.write_bytes(text.encode())
    program.chmod(0o755)
    machine.guard("claude_code", command=f". ./guard.sh; exec {program}", script=":\n")
    machine.approve()
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (0, "proven on"), hook
    text = what(hook, "approved")
    assert text.startswith("approved as it is, with guard.sh, ") and f"{program} (by its SHA-256)" in text
    program.write_bytes(program.read_bytes() + b"y")
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (3, "not proven"), hook
    assert f"{program} changed since it was approved on" in what(hook, "approved")


@pytest.mark.parametrize(("agent", "named"), [("claude_code", ""), ("grok", " --contract grok")])
def test_the_advice_approves_for_the_agent_that_reads_the_file(
    machine: Machine, agent: str, named: str
) -> None:
    """Grok Build reads Claude Code's file, for which `trust` takes Claude Code."""
    machine.guard("claude_code")
    _, hook = machine.doctor("--agent", agent)
    advice = next(each["advice"] for each in hook["checks"] if each["check"] == "approved")
    assert advice == f"read it, then: sandhook trust {machine.config}{named}"
    result = machine.run("trust", "--yes", *advice.split()[5:])
    assert result.status == 0, result.stderr
    assert failures(machine.doctor("--agent", agent)[1], "unproven") == []


def test_what_the_sandbox_cannot_run_is_not_proven_instead_of_off(machine: Machine) -> None:
    """A guard in Python that nobody approved is the most common of all."""
    machine.guard("claude_code", command="python3 guard.py", script=":\n")
    (machine.root / "guard.py").write_bytes(b"import sys; sys.exit(2 * ('rm -rf' in sys.stdin.read()))\n")
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (3, "not proven"), hook
    assert what(hook, "refuses") == "not tried: the sandbox lacks python3"
    machine.approve()
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (0, "proven on"), hook


def test_a_program_that_no_machine_has_is_no_excuse(machine: Machine) -> None:
    machine.guard("claude_code", script="#!/bin/bash\npythonn3 guard.py\n")
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (1, "not on"), hook
    assert "expected deny" in what(hook, "refuses")


@pytest.mark.parametrize("agent", ["claude_code", "crush", "gemini"])
def test_a_guard_of_the_user_needs_no_approval(machine: Machine, agent: str) -> None:
    machine.guard(agent, user=True)
    if agent == "crush":
        machine.config = machine.config.rename(machine.home / "moved.json")
        target = machine.home / ".config" / "crush" / "crush.json"
        target.parent.mkdir(parents=True)
        machine.config = machine.config.rename(target)
        (machine.home / "guard.expect.yaml").rename(target.parent / "guard.expect.yaml")
    status, hook = machine.doctor("--agent", agent)
    assert (status, hook["verdict"], hook["layer"]) == (0, "proven on", "user"), hook


def test_what_nobody_approved_is_tried_in_the_sandbox_alone(machine: Machine) -> None:
    marker = machine.home / "ran"
    machine.guard("claude_code", script=GUARD.replace("grep", f"touch '{marker}'\ngrep", 1))
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (3, "not proven")
    assert failures(hook, "unproven") == ["approved", "starts", "refuses"]
    assert hook["started_as"] == []
    assert "in the sandbox alone" in what(hook, "refuses")
    assert not marker.exists()
    machine.approve()
    assert machine.doctor()[0] == 0
    assert marker.exists()


def test_an_approval_that_no_longer_fits_starts_nothing(machine: Machine) -> None:
    machine.guard("claude_code")
    machine.approve()
    marker = machine.home / "ran"
    (machine.root / "guard.sh").write_text(f"#!/bin/bash\ntouch '{marker}'\nexit 2\n")
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (3 if hook["verdict"] == "not proven" else 1, hook["verdict"])
    assert "guard.sh changed" in what(hook, "approved")
    assert not marker.exists()


def test_sandbox_starts_nothing(machine: Machine) -> None:
    marker = machine.home / "ran"
    machine.guard("claude_code", script=GUARD.replace("grep", f"touch '{marker}'\ngrep", 1))
    machine.approve()
    status, hook = machine.doctor("--sandbox")
    assert (status, hook["verdict"]) == (3, "not proven")
    assert not marker.exists()


def _gone(machine: Machine) -> None:
    (machine.root / "guard.sh").unlink()


def _not_executable(machine: Machine) -> None:
    (machine.root / "guard.sh").chmod(0o644)


def _crlf(machine: Machine) -> None:
    (machine.root / "guard.sh").write_bytes(GUARD.replace("\n", "\r\n").encode())


def _needs_missing_program(machine: Machine) -> None:
    (machine.root / "guard.sh").write_text(GUARD.replace("grep", "nosuch-program"))


def _slow(machine: Machine) -> None:
    machine.config.write_text(machine.config.read_text().replace('"timeout": 5', '"timeout": 1'))
    (machine.root / "guard.sh").write_text("#!/bin/bash\nsleep 5\nexit 2\n")


def _never_refuses(machine: Machine) -> None:
    (machine.root / "guard.sh").write_text(GUARD.replace("exit 2", "exit 1"))


def _always_refuses(machine: Machine) -> None:
    (machine.root / "guard.sh").write_text("#!/bin/bash\nexit 2\n")


def _wrong_tool(machine: Machine) -> None:
    machine.config.write_text(machine.config.read_text().replace('"Bash"', '"bash"'))


def _wrong_interpreter(machine: Machine) -> None:
    (machine.root / "guard.sh").write_text(GUARD.replace("/bin/bash", "/nonexistent/interpreter"))


def _broken_launcher(machine: Machine) -> None:
    text = machine.config.read_text()
    line = "nosuch/sandhook hook --contract claude_code --fail-closed --host -- -c ./guard.sh"
    machine.config.write_text(text.replace("./guard.sh", line))


#: What is broken, and the checks that fail.
BROKEN: dict[str, tuple[Callable[[Machine], None], list[str]]] = {
    "script gone": (_gone, ["script", "starts", "refuses"]),
    "not executable": (_not_executable, ["script", "starts", "refuses"]),
    "CRLF": (_crlf, ["script", "starts", "refuses"]),
    "a program is missing": (_needs_missing_program, ["programs", "refuses"]),
    "too slow": (_slow, ["in time", "refuses"]),
    "exit status 1": (_never_refuses, ["refuses"]),
    "refuses all": (_always_refuses, ["refuses"]),
    "a matcher in other case": (_wrong_tool, ["refuses"]),
    "a wrong interpreter": (_wrong_interpreter, ["programs", "starts", "refuses"]),
    "a broken launcher": (_broken_launcher, ["programs", "starts", "refuses"]),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "too slow" else []) for name in BROKEN]
)
def test_a_broken_guard_is_not_on(machine: Machine, name: str) -> None:
    damage, failing = BROKEN[name]
    machine.guard("claude_code")
    damage(machine)
    machine.approve()
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (1, "not on")
    assert set(failing) <= set(failures(hook)), hook["checks"]
    assert all(each["advice"] for each in hook["checks"] if each["state"] == "failed")


def test_jq_that_the_path_of_the_agent_lacks(machine: Machine) -> None:
    machine.guard(
        "claude_code",
        script="#!/bin/bash\n[[ $(jq -r .tool_input.command) == *'rm -rf'* ]] && exit 2\nexit 0\n",
    )
    machine.approve()
    path = machine.home / "bin"
    path.mkdir()
    (path / "bash").symlink_to(shutil.which("bash") or "")
    status, hook = machine.doctor("--env", f"PATH={path}")
    assert status == 1
    assert what(hook, "programs") == "this machine lacks jq"


@pytest.mark.parametrize(
    ("agent", "layer_file", "text"),
    [
        ("claude_code", ".claude/settings.local.json", '{"disableAllHooks": true}'),
        ("claude_code", ".claude/settings.json", '{"disableAllHooks": true}'),
        ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
    ],
)
def test_a_guard_that_another_layer_switches_off(
    machine: Machine, agent: str, layer_file: str, text: str
) -> None:
    machine.guard(agent, user=True)
    assert machine.doctor("--agent", agent)[0] == 0
    other = machine.root / layer_file
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_text(text)
    status, hook = machine.doctor("--agent", agent)
    assert (status, hook["verdict"]) == (1, "not on")
    assert failures(hook) == ["in force"]


def test_a_hook_that_is_switched_off_is_not_called_approved(machine: Machine) -> None:
    machine.guard("claude_code")
    (machine.config.parent / "settings.local.json").write_text('{"disableAllHooks": true}')
    _, hook = machine.doctor("--agent", "claude_code")
    assert [each["check"] for each in hook["checks"] if each["state"] == "ok"] == ["found"], (
        "nobody approved it"
    )


def test_a_guard_without_expectations_is_not_proven(machine: Machine) -> None:
    machine.guard("claude_code")
    (machine.config.parent / "guard.expect.yaml").unlink()
    machine.approve()
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (3, "not proven")
    assert what(hook, "refuses") == "not proven: no expectations"
    assert failures(hook, "unproven") == ["refuses"]


def test_expectations_that_are_named(machine: Machine) -> None:
    machine.guard("claude_code")
    machine.approve()
    found = machine.config.parent / "guard.expect.yaml"
    moved = machine.root / "shared" / "elsewhere.expect.yaml"
    moved.parent.mkdir()
    text = found.read_text().replace("settings.json", "../.claude/settings.json")
    moved.write_text(text)
    found.unlink()
    assert machine.doctor()[0] == 3
    assert machine.doctor("--expect", str(moved))[0] == 0


def test_a_hook_that_cannot_refuse_works(machine: Machine) -> None:
    path = machine.home / ".claude" / "settings.json"
    path.parent.mkdir()
    hook = {"type": "command", "command": "echo hello"}
    path.write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": [hook]}]}}))
    status, report = machine.doctor()
    assert (status, report["verdict"], report["starts"]) == (0, "works", 1)


def test_a_fault_of_the_configuration(machine: Machine) -> None:
    path = machine.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"hooks": {"PreToolUse": [{"matcher": "Bash", "command": "./guard.sh"}]}}')
    result = machine.run("doctor", "--agent", "claude_code", "--format", "json")
    hooks = json.loads(result.stdout)["hooks"]
    assert result.status == 1
    assert {(hook["verdict"], *failures(hook)) for hook in hooks} == {("not on", "found")}


def test_a_wrapped_guard_is_started_through_sandhook(machine: Machine) -> None:
    machine.guard("claude_code")
    assert machine.run("wrap", "--agent", "claude_code", "--program", _program(machine)).status == 0
    machine.approve()
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (0, "proven on"), hook
    assert "hook --contract claude_code" in hook["started_as"][2]


def _program(machine: Machine) -> str:
    """Return a program that starts this sandhook, as an installed one would be started."""
    path = machine.home / "sandhook"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sandhook "$@"\n')
    path.chmod(0o755)
    return path.as_posix()


def test_an_installed_guard_has_the_expectations_of_its_source(machine: Machine) -> None:
    machine.guard("claude_code")
    source = machine.root / "guards"
    source.mkdir()
    shutil.move(machine.config, source / "settings.json")
    text = (machine.root / ".claude" / "guard.expect.yaml").read_text()
    (source / "guard.expect.yaml").write_text(text)
    (machine.root / ".claude" / "guard.expect.yaml").unlink()
    assert machine.run("install", source / "settings.json", "--agent", "claude_code").status == 0
    machine.approve()
    status, hook = machine.doctor("--agent", "claude_code")
    assert (status, hook["verdict"]) == (0, "proven on"), hook
    for options in ([], ["--host"], ["--expect", source / "guard.expect.yaml"]):
        config = machine.root / ".claude" / "settings.json"
        result = machine.run("chaos", config, "--fault", "no-home", "--format", "json", *options)
        (guard,) = json.loads(result.stdout)["guards"]
        assert (result.status, guard["file"], guard["refusing_cases"]) == (0, config.as_posix(), 1)


def test_an_installed_guard_takes_no_expectations_from_its_source(machine: Machine) -> None:
    machine.guard("claude_code")
    machine.approve()
    installed = machine.run("install", machine.config, "--agent", "claude_code", "--scope", "user")
    assert installed.status == 0
    result = machine.run("doctor", "--tries", "1", "--format", "json", "--agent", "claude_code")
    verdicts = [(hook["layer"], hook["verdict"]) for hook in json.loads(result.stdout)["hooks"]]
    assert (result.status, verdicts) == (0, [("user", "proven on"), ("project", "proven on")])


def test_text_and_no_hooks(machine: Machine) -> None:
    result = machine.run("doctor")
    assert result.status == 3
    assert result.stdout.startswith("no hooks: none of the ")
    machine.guard("claude_code")
    machine.approve()
    lines = machine.run("doctor", "--tries", "1").stdout.splitlines()
    assert lines[0].startswith("proven on  claude_code  project  ")
    assert lines[-1] == "1 hook, 1 proven on"


def test_usage_errors(machine: Machine) -> None:
    assert machine.run("doctor", "--tries", "0").status == 2
    result = machine.run("doctor", "--agent", "claud")
    assert (result.status, result.stdout) == (2, "")
    assert "claud" in result.stderr
    machine.guard("claude_code")
    path = machine.config.parent / "guard.expect.yaml"
    path.write_text(path.read_text().replace("expect: deny", "expect: denied"))
    result = machine.run("doctor")
    assert result.status == 2
    assert "guard.expect.yaml:8: cases[0].expect" in result.stderr


def test_the_project_is_not_changed(machine: Machine) -> None:
    machine.guard("claude_code", script="#!/bin/bash\ntouch made\n" + GUARD)
    machine.approve()
    assert machine.doctor()[0] == 0
    assert not (machine.root / "made").exists()


@pytest.mark.parametrize(
    ("values", "wanted"), [([1.0], 1.0), ([float(n) for n in range(1, 21)], 19.0), ([3.0, 1.0], 3.0)]
)
def test_percentile(values: list[float], wanted: float) -> None:
    assert percentile(values) == wanted


def test_a_guard_for_another_interpreter_is_proven_on_this_machine(machine: Machine) -> None:
    script = "import sys\nsys.exit(2 if 'rm -rf' in sys.stdin.read() else 0)\n"
    machine.guard("claude_code", command=f"{sys.executable} ./guard.sh", script=script)
    machine.approve()
    status, hook = machine.doctor()
    assert (status, hook["verdict"]) == (0, "proven on"), hook


def with_case(machine: Machine, case: str) -> None:
    """Add a case to the expectations of the guard."""
    path = machine.config.parent / "guard.expect.yaml"
    path.write_text(path.read_text() + case)


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("  - {name: other, input: {command: rm -rf x}, expect: {decision: deny, reason: other}}\n", "other: reason: expected"),
        ("  - {name: other, input: {command: ls}, expect: {decision: proceed, context: note}}\n", "other: context: expected"),
        ("  - {name: other, input: {command: ls}, expect: {decision: proceed, files: {x: y}}}\n", "other: files: x: expected"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["--sandbox", "--tries=2"])
def test_all_that_a_case_expects_is_compared(machine: Machine, case: str, said: str, place: str) -> None:
    machine.guard("claude_code")
    machine.approve()
    with_case(machine, case)
    status, hook = machine.doctor(place)
    assert (status, hook["verdict"]) == (1, "not on")
    assert said in what(hook, "refuses")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("PreToolUse", "PostToolUse"), "no hook waits for tool.pre"),
        (("guard.sh", "gaurd.sh"), "no hook has a command with a match of /guard.sh/"),
        (('"PreToolUse": [', '"PreToolUse": [], "PostToolUse": ['), "no hook waits for tool.pre"),
    ],
)
def test_expectations_that_reach_no_hook_are_a_failure(
    machine: Machine, change: tuple[str, str], said: str
) -> None:
    machine.guard("claude_code")
    path = machine.config.parent / "guard.expect.yaml"
    if "guard.sh" in change:
        path.write_text(path.read_text().replace("event:", "only: guard.sh\nevent:"))
    machine.config.write_text(machine.config.read_text().replace(*change))
    result = machine.run("doctor", "--sandbox", "--format", "json")
    (missing,) = json.loads(result.stdout)["unreached"]
    assert (result.status, missing["why"], missing["cases"]) == (1, said, ["rm -rf is refused"])
    text = machine.run("doctor", "--sandbox")
    assert f"{said} (case: rm -rf is refused)" in text.stdout
    assert "1 case without a hook" in text.stdout

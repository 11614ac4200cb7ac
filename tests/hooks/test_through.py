"""Hooks that run through ``sandhook hook``: sandhook runs, reads and binds the script itself."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import HookEngine, ToolPre, contracts
from sandhook.hooks.conversion import convert
from sandhook.hooks.model import Executor, HookSpec
from sandhook.hooks.through import begun_with
from tests.hooks.evidencetools import looked, paths

#: One script at /p/d/x.sh, and one that runs it through sandhook.
TREE = {
    "/p/d/x.sh": "echo x\n",
    "/p/d/outer.sh": "sandhook hook --contract crush -- d/x.sh\n",
}


@pytest.mark.parametrize(
    "text",
    [
        "sandhook hook --contract crush --host -- -c ./d/x.sh",
        "sandhook hook --contract crush --host -- -b Li9kL3guc2g=",
        'sandhook hook --contract crush --host -- "$CLAUDE_PROJECT_DIR"/d/x.sh --strict',
        "sandhook hook --contract crush --host -- d/x.sh",
        "python3 -m sandhook hook --contract crush --host -- d/x.sh",
        "/opt/venv/bin/sandhook hook --host --contract crush -- -c 'cd d; ./x.sh'",
    ],
)
def test_the_script_is_executed(text: str) -> None:
    found = looked(text, TREE)
    assert paths(found) == ["/p/d/x.sh"]
    assert not found.unknown, "our own runners run the approved bytes"


def test_the_program_itself_is_bound() -> None:
    """A project may bring a program of that name, which the agent starts."""
    for program in ("/p/sandhook", "./sandhook"):
        found = looked(
            f"{program} hook --contract crush --host -- d/x.sh", {**TREE, "/p/sandhook": "echo own\n"}
        )
        assert paths(found)[:1] == ["/p/sandhook"]


@pytest.mark.parametrize(
    "text",
    [
        "sandhook hook --contract crush -- -c ./d/x.sh",
        "sandhook hook --contract crush --host -- -c ./d/x.sh || exit 2",
        "timeout 5 sandhook hook --contract crush --host -- -c ./d/x.sh",
        "sandhook exec --mount .:/workspace:ro -c ./d/x.sh",
    ],
)
def test_another_process_opens_the_script_by_its_name(text: str) -> None:
    found = looked(text, TREE)
    assert "/p/d/x.sh" in paths(found)
    assert any("by its name" in each for each in found.unknown)


@pytest.mark.parametrize("text", ["sandhook hook --contract crush -- d/x.sh", "./d/outer.sh"])
def test_another_process_gets_the_path_of_the_copy(text: str) -> None:
    found = looked(text, TREE)
    assert paths(found)[-1] == "/p/d/x.sh" and not found.unknown


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("sandhook fire --as-hook crush --hooks other.json", "sandhook fire: the hooks and scripts that it runs"),
        ('sandhook hook --contract crush -- "$(cat name)"', "sandhook hook: a script that is computed"),
        ('sandhook "$(cat name)"', "sandhook a command that is computed"),
        ("python -m sandhook test spec", "sandhook test: the hooks and scripts that it runs"),
        ("sandhook check hooks.json", ""),
        ("sandhook hook --contract crush d/x.sh", ""),
    ],
)  # fmt: skip
def test_other_commands(text: str, unknown: str) -> None:
    found = looked(text, TREE)
    assert [each.partition(": ")[2] for each in found.unknown] == ([f"{unknown}"] if unknown else [])


def guarded(command: str, **options: Any) -> HookEngine:
    hooks = [{"matcher": "Bash", "hooks": [{"type": "command", "command": command, "timeout": 10}]}]
    return HookEngine.load({"hooks": {"PreToolUse": hooks}}, "claude_code", **options)


REFUSES = "echo no >&2; exit 2"


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        (f"sandhook hook --contract claude_code -- -c '{REFUSES}'", True),
        (f"sandhook hook --contract claude_code --host -- -c '{REFUSES}'", True),
        ("sandhook hook --contract claude_code -- -c 'exit 0'", False),
        (
            'sandhook hook --contract claude_code --env A=2 --env "B=x y" -- -c \'[ "$B" = "x y" ] && exit $A\'',
            True,
        ),
        ("sandhook hook --contract claude_code --fail-closed -- -c 'exit 0'", False),
        ("sandhook hook --contract claude_code --fail-closed -- -c 'exit 1'", False),
    ],
)
def test_the_sandbox_runs_the_script(command: str, refused: bool) -> None:
    decision = guarded(command).fire(ToolPre("Bash", {"command": "x"}))
    assert decision.refused is refused
    assert not decision.could_not_run


def test_fail_closed_refuses_in_the_sandbox_and_is_seen() -> None:
    decision = guarded("sandhook hook --contract claude_code --fail-closed -- -c nosuch").fire(
        ToolPre("Bash", {})
    )
    assert decision.refused and decision.could_not_run and decision.fail_closed == ("PreToolUse[0]",)
    open_ = guarded("sandhook hook --contract claude_code -- -c nosuch").fire(ToolPre("Bash", {}))
    assert not open_.refused and open_.could_not_run


def test_the_inner_timeout_counts() -> None:
    decision = guarded("sandhook hook --contract claude_code --fail-closed --timeout 1 -- -c 'sleep 3'").fire(
        ToolPre("Bash", {})
    )
    assert decision.refused
    assert decision.outcomes[0].could_not_run == "timed out"


def test_a_hook_that_does_more_is_run_as_it_is() -> None:
    decision = guarded("sandhook hook --contract claude_code -- -c 'exit 0' || exit 2").fire(
        ToolPre("Bash", {})
    )
    assert decision.refused, "the sandbox has no program sandhook"


def test_host_mode_starts_no_second_sandhook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    command = f"sandhook hook --contract claude_code --host -- -c '{REFUSES}'"
    decision = guarded(command, host=True, trust=lambda spec: True).fire(ToolPre("Bash", {}))
    assert decision.refused and decision.reason == "no"


@pytest.mark.parametrize(
    ("hook", "wanted"),
    [
        (
            {"command": "sandhook hook --contract claude_code --event PreToolUse --host -- -c './a --event PreToolUse'"},
            "sandhook hook --contract gemini --event BeforeTool --host -- -c './a --event PreToolUse'",
        ),
        (
            {"command": "sandhook hook --contract=claude_code -- a.sh"},
            "sandhook hook --contract=gemini -- a.sh",
        ),
        (
            {"command": "sandhook", "args": ["hook", "--contract", "claude_code", "--event=PreToolUse", "--", "-c", "x"]},
            "sandhook hook --contract gemini --event=BeforeTool -- -c x",
        ),
        ({"command": "./own hook --contract claude_code -- x"}, "./own hook --contract claude_code -- x"),
    ],
)  # fmt: skip
def test_another_agent_calls_sandhook_with_its_own_name(hook: dict[str, object], wanted: str) -> None:
    """With the name of the first agent, a refusal would be in words that the other one does not read."""
    hooks = [{"matcher": "Bash", "hooks": [{"type": "command", **hook}]}]
    engine = HookEngine.load({"hooks": {"PreToolUse": hooks}}, "claude_code")
    value: Any = convert(engine.hooks, contracts.get("claude_code"), contracts.get("gemini")).value
    (group,) = value["hooks"]["BeforeTool"]
    assert group["hooks"][0]["command"] == wanted


@pytest.mark.parametrize(
    ("text", "argv", "wanted"),
    [
        (
            "sandhook hook --contract crush --timeout 9 --host -- -c ./x",
            (),
            "sandhook hook --contract crush --timeout 2 --host -- -c 'sleep 9\n./x'",
        ),
        (
            'sandhook hook --timeout=9 -- "$D"/x.sh a',
            (),
            "sandhook hook --timeout=2 -- -c 'sleep 9\nbash \"$D\"/x.sh a'",
        ),
        (
            "",
            ("sandhook", "hook", "--", "-c", "./x"),
            "sandhook hook -- -c sleep 9\n./x",
        ),
        ("./own.sh", (), "./own.sh"),
    ],
)
def test_text_before_the_script(text: str, argv: tuple[str, ...], wanted: str) -> None:
    executor = Executor("argv" if argv else "bash", text, argv)
    changed = begun_with(HookSpec("a", "tool.pre", "PreToolUse", executor), "sleep 9", 2.0).executor
    assert (changed.text or " ".join(changed.argv)) == wanted

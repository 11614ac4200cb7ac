"""A pipeline without a command, such as a bare ``!`` or ``time``: whoever reads scripts reads it."""

from __future__ import annotations

import pytest

from sandhook.hooks import HookEngine, ToolPre, contracts
from sandhook.hooks.checks import Surroundings, check
from sandhook.hooks.contracts import Document, LoadOptions
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.contracts.claude_code.rule import rule
from sandhook.hooks.decode import encode
from sandhook.vetting import vet
from tests.hooks.evidencetools import looked, paths

BARE = [
    *("!", "time", "time -p", "! !", "time !", "! time", "time; true", "x || time"),
    *("if !; then :; fi", "if ! time; then :; fi", "while time; do break; done", "f() { !; }; f"),
    *("{ time; } | x", "echo $(time)"),
]


@pytest.mark.parametrize("script", BARE)
def test_every_reader_goes_on_after_it(script: str) -> None:
    text = f"{script}\n./after.sh\n"
    assert paths(looked(text, {"/p/after.sh": ":"}))[-1:] == ["/p/after.sh"]
    report = vet({"hook.sh": text.encode()}, observe=False)
    assert "executes ./after.sh" in [each.detail for each in report.findings if each.rule == "V-UNREAD"]
    hook = {"event": "pre_tool_use", "executor": {"type": "bash", "command": f"{script}\nexit 3\n"}}
    value = {"hooks": [hook]}
    document = Document(value, "/p/hooks.json", text=encode(value), contract="everruns")
    engine = HookEngine.load([document], "everruns", prestart=False)
    around = Surroundings("/p", "/home/me", lambda path: None)
    assert check(engine, contracts.get("everruns"), [document], around) is not None


@pytest.mark.parametrize("script", BARE)
def test_a_rule_is_compared_with_the_commands_after_it(script: str) -> None:
    made = rule("Bash(rm *)", Profile(), LoadOptions("better"))
    assert made.check(ToolPre("Bash", {"command": f"{script}\nrm x"}, cwd="/w")).matched


@pytest.mark.parametrize("command", ["time", "!", "time -p; ls", "! ; time\nls"])
def test_a_rule_does_not_match_a_bare_word(command: str) -> None:
    made = rule("Bash(rm *)", Profile(), LoadOptions("better"))
    assert not made.check(ToolPre("Bash", {"command": command}, cwd="/w")).matched

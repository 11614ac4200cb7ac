"""The registry: contracts by name, by content, and from elsewhere."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from sandhook.hooks import ContractError, HookEngine, HookSpec, ToolPre
from sandhook.hooks.contracts import LAYERS, BaseContract, Document, get, kind_of, names, recognise
from sandhook.hooks.contracts.everruns import Everruns
from sandhook.hooks.event import KINDS
from sandhook.hooks.model import Executor, LayerName
from sandhook.hooks.trust import PROJECT_VARIABLES
from sandhook.vetting.state import PROJECT
from tests.hooks.hooktools import Scripted, said


def test_what_comes_with_sandhook() -> None:
    assert names()[:2] == ["everruns", "crush"]
    for name in names():
        contract = get(name)
        assert contract.name == name
        assert all(kind in KINDS or kind.startswith("x.") for kind in contract.events.values())
        assert contract.refusable <= set(contract.events.values())


def test_approvals_and_vettings_know_the_variables_of_every_project() -> None:
    """An approval covers a file that such a variable leads to, and a vetting follows it."""
    variables = {each for name in names() for each in get(name).vocabulary().project}
    assert variables
    assert variables - set(PROJECT_VARIABLES) == set()
    assert variables - PROJECT == set()


@pytest.mark.parametrize("name", ["pre_tool_use", "tool.pre"])
def test_an_event_by_either_name(name: str) -> None:
    assert kind_of(get("everruns"), name) == ("pre_tool_use", "tool.pre")


def test_all_documents_must_fit() -> None:
    assert recognise([Document({"hooks": []}), Document({"capabilities": []})]).name == "everruns"
    with pytest.raises(ContractError, match=r"b\.json: fits none"):
        recognise([Document({"hooks": []}, "a.json"), Document({"hooks": {}}, "b.json")])


class Elsewhere(Everruns):
    """A contract of somebody else's: one hook, whatever the file says."""

    name = "elsewhere"

    def load(self, documents: Any, options: Any) -> Any:
        spec = HookSpec("own", "tool.pre", "pre_tool_use", Executor("bash", "true"))
        return super().load([Document(None)], options)._replace(specs=(spec,))


def test_an_entry_point_adds_a_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name, value = "elsewhere", "stranger:CONTRACT"

        @staticmethod
        def load() -> Elsewhere:
            return Elsewhere()

    def entry_points(*, group: str) -> list[type[Point]]:
        assert group == "sandhook.contracts"
        return [Point]

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    made = HookEngine.load({"any": "thing"}, "elsewhere", runner=Scripted(said("", 1, "no")))
    assert made.fire(ToolPre("bash")).reason == "no"
    with pytest.raises(ContractError, match=r"known are everruns, .*, elsewhere"):
        get("nosuch")


def test_a_contract_may_be_handed_over() -> None:
    assert HookEngine.load({}, Elsewhere(), runner=Scripted(said())).hooks[0].id == "own"


@pytest.mark.parametrize("name", names())
def test_a_contract_with_a_parser_of_its_own_declares_it(name: str) -> None:
    contract = get(name)
    assert contract.has_own_format is (type(contract).parse is not BaseContract.parse)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_every_layer_is_known(name: str, platform: str) -> None:
    env = {"HOME": "/h", "USERPROFILE": "C:/h", "CLAUDE_PLUGIN_ROOT": "/p"}
    assert {layer.name for layer in get(name).layers("/w", env, platform)} <= set(get_args(LayerName))
    assert set(LAYERS) == set(get_args(LayerName))


@pytest.mark.parametrize(
    ("contract", "event", "tool"),
    [
        ("everruns", "pre_tool_use", "bash"),
        ("gemini", "BeforeTool", "run_shell_command"),
        ("copilot", "preToolUse", "bash"),
        ("grok", "PreToolUse", "run_terminal_command"),
    ],
)
def test_a_hook_has_its_own_variables(contract: str, event: str, tool: str) -> None:
    command = 'echo "$TEAM" >&2'
    hook = {"type": "command", "command": command, "env": {"TEAM": "blue"}}
    value: dict[str, object] = {"hooks": {event: [{"hooks": [hook]}]}}
    if contract == "everruns":
        hook = {"type": "bash", "command": command, "env": {"TEAM": "blue"}}
        value = {"hooks": [{"event": event, "executor": hook}]}
    if contract == "copilot":
        value = {"version": 1, "hooks": {event: [hook]}}
    engine = HookEngine.load(value, contract)
    assert engine.problems == ()
    assert engine.fire(ToolPre(tool, {"command": "ls"})).outcomes[0].stderr == "blue\n"


def test_a_hook_of_a_plugin_of_goose_has_its_root() -> None:
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": 'echo "$PLUGIN_ROOT" >&2'}]}]}
    document = Document({"hooks": hooks}, "/h/.agents/plugins/p/hooks/hooks.json")
    decision = HookEngine.load(document, "goose").fire(ToolPre("developer__shell", {"command": "ls"}))
    assert decision.outcomes[0].stderr == "/h/.agents/plugins/p\n"

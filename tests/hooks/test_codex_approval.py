"""Codex's approvals: the keys and hashes are those that ``codex app-server`` 0.169.0 printed for these hooks."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import HookEngine
from sandhook.hooks.contracts import Document
from sandhook.hooks.contracts.codex.approval import hash_of, key_of

FILE = "/home/me/.codex/hooks.json"


def command(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": text, **more}


HOOKS = {
    "PreToolUse": [
        {"hooks": [command("echo a")]},
        {"matcher": "Bash", "hooks": [command("echo b", timeout=5), command("echo c", statusMessage="m")]},
    ],
    "Stop": [{"matcher": "x", "hooks": [command("echo d")]}],
}
PRINTED = {
    "pre_tool_use:0:0": "4940b41523e276db410f0fa9647a53d6f1701ab02d89a325290b200003683362",
    "pre_tool_use:1:0": "cb0d3f90e063f8f1741e396132e1961684d7cd69240410b1e49e317e675c0243",
    "pre_tool_use:1:1": "f07c06f2d46094c714b6baf3569da367abefff1d3d989cfad4180b5531135426",
    "stop:0:0": "1db7c147e02173b59e6e47aa53dc2a6ded5251180958092e87383dcfe2bb767a",
}


def state(**of: dict[str, Any]) -> Document:
    """Return a config.toml of the user with these approvals."""
    value = {"hooks": {"state": {f"{FILE}:{key}": entry for key, entry in of.items()}}}
    return Document(value, "/home/me/.codex/config.toml", layer="user")


def load(*documents: Document, compat: str = "strict", **options: Any) -> HookEngine:
    return HookEngine.load(
        [*documents, Document({"hooks": HOOKS}, FILE, layer="user")], "codex", compat=compat, **options
    )


def test_keys_and_hashes_are_those_of_codex() -> None:
    hooks = load(compat="better").hooks
    assert {key_of(spec): hash_of(spec) for spec in hooks} == {
        f"{FILE}:{key}": f"sha256:{digest}" for key, digest in PRINTED.items()
    }


def test_strict_runs_what_codex_approved() -> None:
    assert load().hooks == ()
    assert {one.state for one in load().withheld} == {"untrusted"}
    made = load(state(**{key: {"trusted_hash": f"sha256:{digest}"} for key, digest in PRINTED.items()}))
    assert len(made.hooks) == 4 and made.withheld == ()


def test_an_approval_of_another_text_does_not_count() -> None:
    made = load(state(**{"stop:0:0": {"trusted_hash": "sha256:" + "0" * 64}}))
    assert made.hooks == ()


def test_the_caller_can_approve_instead() -> None:
    assert len(load(trust=lambda spec: True).hooks) == 4
    assert len(load(compat="better").hooks) == 4  # a guard of the user waits for no dialog


@pytest.mark.parametrize("compat", ["better", "strict"])
def test_the_user_can_switch_a_hook_off(compat: str) -> None:
    made = load(state(**{"stop:0:0": {"enabled": False}}), compat=compat, trust=lambda spec: True)
    assert [spec.native_event for spec in made.hooks] == ["PreToolUse"] * 3
    assert [one.why for one in made.withheld] == ["the user switched it off in Codex (hooks.state)"]


@pytest.mark.parametrize("compat", ["better", "strict"])
def test_only_the_organisation_can_allow_its_own_hooks_alone(compat: str) -> None:
    only = {"allow_managed_hooks_only": True}
    options: Any = {"compat": compat, "trust": lambda spec: True}
    managed = Document({**only, "hooks": HOOKS}, "/etc/codex/requirements.toml", layer="managed")
    made = load(managed, **options)
    assert {spec.layer for spec in made.hooks} == {"managed"} and len(made.hooks) == 4
    assert {one.spec.layer for one in made.withheld} == {"user"}
    for name, layer in (("/p/.codex/config.toml", "project"), ("/etc/codex/config.toml", "managed")):
        made = load(Document(only, name, layer=layer), **options)
        assert len(made.hooks) == 4
        assert any("has no effect outside" in note for note in made.diagnostics)
    odd = Document({"allow_managed_hooks_only": "true"}, "/etc/codex/requirements.toml", layer="managed")
    assert any("wanted a boolean, got a string" in note for note in load(odd, **options).diagnostics)


def test_a_project_approves_and_disables_nothing() -> None:
    entries = {f"{FILE}:{key}": {"trusted_hash": f"sha256:{digest}"} for key, digest in PRINTED.items()}
    project = Document({"hooks": {"state": entries}}, "/p/.codex/config.toml", layer="project")
    assert load(project).hooks == ()
    off = {f"{FILE}:{key}": {"enabled": False} for key in PRINTED}
    project = Document({"hooks": {"state": off}}, "/p/.codex/config.toml", layer="project")
    assert len(load(project, compat="better").hooks) == 4

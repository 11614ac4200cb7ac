"""The classes of an agent's tools, and which of them counts for a tool of several."""

from __future__ import annotations

from typing import get_args

import pytest

from sandhook.hooks import contracts
from sandhook.hooks.contracts._vocabulary import TOOL_CLASSES, ToolClass
from sandhook.hooks.conversion import tool_of


def test_all_classes_have_their_place_in_the_order() -> None:
    assert sorted(TOOL_CLASSES) == sorted(get_args(ToolClass))


def test_an_editor_that_shows_files_too_is_an_editor_first() -> None:
    vocabulary = contracts.get("openhands").vocabulary()
    assert vocabulary.classes_of("file_editor") == ("write", "edit", "read")
    assert vocabulary.classes_of("nosuch") == ()


@pytest.mark.parametrize(
    ("agent", "tool", "other", "wanted"),
    [
        ("openhands", "file_editor", "claude_code", "Write"),
        ("codex", "apply_patch", "claude_code", "Write"),
        ("kiro", "fs_write", "gemini", "write_file"),
        ("gemini", "read_file", "claude_code", "Read"),
    ],
)
def test_a_guard_of_writes_sees_the_tool_of_another_agent(
    agent: str, tool: str, other: str, wanted: str
) -> None:
    """A guard that looks at writes must not miss a tool because it can also show files."""
    assert tool_of(tool, contracts.get(agent).vocabulary(), contracts.get(other).vocabulary()) == wanted

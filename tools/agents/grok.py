"""What a record of Grok Build says."""

from __future__ import annotations

from tools.agents.records import Facts, Object, Record, joined

CONTRACT = "grok"
TITLE = "Grok Build"
TOUCH: Object = {"tool": "run_terminal_command", "input": {"command": "touch marker", "description": "t"}}
LAYERS = {
    "user": "home/.grok/hooks/own.json",
    "project": "project/.grok/hooks/guards.json",
    "claude": "home/.claude/settings.json",
    "claude-project": "project/.claude/settings.json",
    "cursor": "home/.cursor/hooks.json",
}
EVENTS: dict[str, str] = {}
INCOMPARABLE: dict[str, str] = {}


def payloads(record: Record) -> list[Object]:
    return []


def facts(record: Record) -> Facts:
    return {}

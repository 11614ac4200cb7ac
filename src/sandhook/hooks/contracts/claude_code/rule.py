"""`if`: one permission rule, ``Tool`` or ``Tool(what)``, as a second matcher on the tool's input.

A rule that cannot decide (a command that does not parse, or a tool without rules for its arguments)
matches, because a guard that runs in vain is better than one that does not run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sandhook.hooks.contracts import LoadOptions
from sandhook.hooks.contracts._claude_shape import wild
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.matcher import Match, quote
from sandhook.record import Record

#: Tools that a rule's name covers.
COVERS: Mapping[str, tuple[str, ...]] = {
    "Edit": ("Edit", "Write", "MultiEdit", "NotebookEdit"),
    "Read": ("Read", "Grep", "Glob", "LS"),
}
_FILES = ("Edit", "Write", "MultiEdit", "NotebookEdit", "Read", "Grep", "Glob", "LS")
_AGENTS = {"Agent": "subagent_type", "Task": "subagent_type", "Skill": "skill"}

_RULE = re.compile(r"([A-Za-z_*][A-Za-z0-9_*:.-]*)(?:\((.*)\))?\Z", re.DOTALL)
_SEVERAL = re.compile(r"\)\s*(?:&&|\|\||[,;|])\s*[A-Za-z_]|^[A-Za-z_]\w*\s*(?:&&|\|\||[,;|])")


_NEWEST = Profile()


class RuleError(Exception):
    """A text that is not a permission rule."""


class Rule(Record):
    """One permission rule.

    Attributes:
        tool: The tool's name, ``*`` in it for any characters.
        what: The text in brackets, or None.
        home: The user's directory, for paths that begin with ``~``.
        inside: Tests commands in command substitutions.
        rooted: A directory in a path pattern is the one below the working directory.
        profile: The version and the mode.
    """

    tool: str
    what: str | None = None
    home: str = ""
    inside: bool = True
    rooted: bool = True
    profile: Profile = _NEWEST

    def check(self, event: Event) -> Match:
        label = f"`if` {self.tool}" + (f"({self.what})" if self.what is not None else "")
        if event.tool is None:
            return Match(False, f"{label}: the event has no tool")
        name, arguments = event.tool.name, event.tool.input
        if not self._covers(name):
            return Match(False, f"{label}: the tool is {quote(name)}")
        if self.what is None or self.what in ("", "*"):
            return Match(True, f"{label}: every call of the tool")
        matched, why = self._what(name, arguments if isinstance(arguments, dict) else {}, event)
        return Match(matched, f"{label}: {why}")

    def _covers(self, name: str) -> bool:
        covered = COVERS.get(self.tool, (self.tool,))
        if self.tool == "Edit" and self.profile.reproduces("own_tool"):
            covered = ("Edit",)
        if name in covered:
            return True
        if self.tool.startswith("mcp__") and self.tool.count("__") == 1:
            return name.startswith(self.tool + "__")
        return "*" in self.tool and wild(self.tool, name)

    def _what(self, name: str, arguments: JsonObject, event: Event) -> tuple[bool, str]:
        what = self.what or ""
        if name in ("Bash", "PowerShell"):
            from sandhook.hooks.contracts.claude_code.command_rule import judge

            command = _text(arguments, "command")
            return judge(what, command, inside=self.inside, shell=name == "Bash", profile=self.profile)
        if name in _FILES:
            from sandhook.hooks.contracts.claude_code.file_rule import matches

            path = (
                _text(arguments, "file_path") or _text(arguments, "notebook_path") or _text(arguments, "path")
            )
            cwd = event.cwd or "/workspace"
            project = event.project_dir or cwd
            matched = matches(what, path or cwd, cwd=cwd, project=project, home=self.home, rooted=self.rooted)
            return matched, f"path {quote(path or cwd)}"
        if name in ("WebFetch", "WebSearch") and what.startswith("domain:"):
            host = _host(_text(arguments, "url"))
            return wild(what[7:].lower(), host), f"host {quote(host)}"
        if name in _AGENTS:
            kind = _text(arguments, _AGENTS[name])
            return wild(what, kind), f"{_AGENTS[name]} {quote(kind)}"
        return True, f"arguments of {name} are not looked at, so the hook runs"


def rule(text: str, profile: Profile, options: LoadOptions) -> Rule:
    """Parse a rule. Raises RuleError when it is not one."""
    profile = profile.under(options.compat)
    text = text.strip()
    match = _RULE.match(text)
    nameless = text == "*" and profile.reproduces("no_rule")
    if match is None or nameless or _SEVERAL.search(text):
        raise RuleError(f"wanted one permission rule, such as Bash(git *), got {quote(text)}")
    return Rule(
        match.group(1),
        match.group(2),
        home=options.env.get("HOME") or options.env.get("USERPROFILE", ""),
        inside=profile.has("if_substitutions"),
        rooted=profile.has("rooted_paths"),
        profile=profile,
    )


def _text(arguments: JsonObject, key: str) -> str:
    value = arguments.get(key)
    return value if isinstance(value, str) else ""


def _host(url: str) -> str:
    rest = url.partition("://")[2] or url
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0].rpartition("@")[2]
    return authority.partition(":")[0].lower().rstrip(".")

"""Where a project's hooks stand for each agent, and how its tools name their arguments."""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.hooks import contracts
from sandhook.record import Record


class Place(Record):
    """Where init writes for an agent. All paths are relative to the project.

    Attributes:
        config: The hook file that the agent reads; "" for an agent without a project's file.
        scripts: The directory of the scripts.
        signs: Files and directories that show that a project is used with the agent.
        command: The command of a hook, with SCRIPT for the script's path and NAME for its name.
        root: The project's directory as a script sees it, for agents without a variable for it.
        syntax: The format of the hook file.
    """

    config: str
    scripts: str
    signs: tuple[str, ...]
    command: str = "./SCRIPT"
    root: str = "."
    syntax: str = "json"


class Arguments(Record):
    """The names of the arguments of an agent's usual tools, for the events of expectations."""

    command: str = "command"
    path: str = "file_path"
    content: str = "content"
    url: str = "url"


_PLACES: Mapping[str, Place] = {
    "everruns": Place(".agents/hooks.json", ".agents/hooks", (".everruns",)),
    "crush": Place("crush.json", ".crush/hooks", ("crush.json", ".crush.json", ".crush")),
    "jcode": Place(".jcode/hooks.json", ".jcode/hooks", (".jcode",)),
    "ub": Place(".ub/config.yaml", ".ub/hooks", (".ub",), syntax="yaml"),
    "claude_code": Place(".claude/settings.json", ".claude/hooks", (".claude", "CLAUDE.md")),
    "codex": Place(".codex/hooks.json", ".codex/hooks", (".codex",)),
    "gemini": Place(".gemini/settings.json", ".gemini/hooks", (".gemini", "GEMINI.md")),
    "mistral_vibe": Place(".vibe/hooks.toml", ".vibe/hooks", (".vibe",), syntax="toml"),
    "cursor": Place(".cursor/hooks.json", ".cursor/hooks", (".cursor", ".cursorrules")),
    "copilot": Place(
        ".github/hooks/hooks.json", ".github/hooks", (".github/hooks", ".github/copilot-instructions.md")
    ),
    "docker_agent": Place("", "hooks/docker_agent", ("cagent.yaml", "docker-agent.yaml"), syntax="yaml"),
    "kiro": Place(".kiro/agents/default.json", ".kiro/hooks", (".kiro",)),
    "qwen": Place(".qwen/settings.json", ".qwen/hooks", (".qwen", "QWEN.md")),
    "kimi": Place("", "hooks/kimi", (".kimi-code",), syntax="toml"),
    "goose": Place(
        ".agents/plugins/guards/hooks/hooks.json",
        ".agents/plugins/guards/hooks",
        (".goose", ".goosehints"),
        command='"$PLUGIN_ROOT"/hooks/NAME',
    ),
    "antigravity": Place(
        ".agents/hooks.json", ".agents/hooks", (".antigravity",), command="./hooks/NAME", root=".."
    ),
    "grok": Place(".grok/hooks/hooks.json", ".grok/hooks", (".grok",)),
    "hermes": Place("", "hooks/hermes", (".hermes",), syntax="yaml"),
    "openhands": Place(".openhands/hooks.json", ".openhands/hooks", (".openhands",)),
    "droid": Place(".factory/settings.json", ".factory/hooks", (".factory",)),
}

_ARGUMENTS: Mapping[str, Arguments] = {
    "everruns": Arguments(path="path"),
    "mistral_vibe": Arguments(path="path"),
    "copilot": Arguments(path="path", content="file_text"),
    "docker_agent": Arguments(command="cmd", path="path"),
    "kiro": Arguments(path="path", content="file_text"),
    "kimi": Arguments(path="path"),
    "goose": Arguments(path="path"),
    "antigravity": Arguments("CommandLine", "TargetFile", "CodeContent", "Url"),
    "hermes": Arguments(path="path"),
    "openhands": Arguments(path="path", content="file_text"),
}


def place_of(agent: str) -> Place:
    """Return where init writes for an agent; a contract of another package has the directory hooks/NAME."""
    return _PLACES.get(agent, Place("", f"hooks/{agent}", ()))


def arguments_of(agent: str) -> Arguments:
    """Return the names of the arguments of an agent's tools."""
    return _ARGUMENTS.get(agent, Arguments())


def signs() -> Mapping[str, tuple[str, ...]]:
    """Return the files and directories that show each agent."""
    return {name: place_of(name).signs for name in contracts.names()}

"""Recognise the agent of a configuration by its content and, where several agents fit, by what only one has.

Several agents share most of Claude Code's nested form, so tools, variables, keys and the file's
directory decide between them. An agent's names are imported only when a file could be its own, so
that firing a hook of one agent loads no other agent's contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.hooks.decode import object_of
from sandhook.hooks.event import Json, JsonObject
from sandhook.record import Record


class Row(Record):
    """How a contract's configurations are recognised.

    Attributes:
        looks_like: Returns whether a decoded configuration can be the contract's.
        signs: Returns whether something in a configuration, or its file's name, belongs to this agent
            alone; called only when several contracts fit.
        places: Parts of a file's path that belong to this agent alone; tested before ``signs``.
        there: A weaker form of ``looks_like`` for files in such places.
    """

    looks_like: Callable[[JsonObject], bool]
    signs: Callable[[JsonObject, str], bool] = lambda value, name: False
    places: tuple[str, ...] = ()
    there: Callable[[JsonObject], bool] | None = None


def _everruns(value: JsonObject) -> bool:
    return (
        isinstance(value.get("hooks"), list)
        or isinstance(value.get("capabilities"), list)
        or "user_hooks" in value
        or isinstance(value.get("definition"), dict)
        or ("disabled_contributions" in value and "hooks" not in value)
    )


def _crush(value: JsonObject) -> bool:
    """Recognise a flat list of hooks per event, each with a command, as in crush.json."""
    hooks = value.get("hooks")
    if not isinstance(hooks, dict) or not hooks:
        return False
    lists = [each for each in hooks.values() if isinstance(each, list)]
    entries = [entry for each in lists for entry in each if isinstance(entry, dict)]
    return (
        bool(entries)
        and all(
            isinstance(entry.get("command"), str)
            and not {"hooks", "tools", "on_failure", "bash"} & set(entry)
            for entry in entries
        )
        and "version" not in value
    )


def _ub(value: JsonObject) -> bool:
    hooks = value.get("hooks")
    events = {"pre_tool_call", "post_tool_call", "pre_user_turn", "post_user_turn"}
    return isinstance(hooks, dict) and bool(hooks) and set(hooks) <= events


def _nested(value: JsonObject) -> bool:
    """Recognise the nested form: events, groups, handlers."""
    hooks = value.get("hooks")
    if not isinstance(hooks, dict):
        return False
    entries = [entry for each in hooks.values() if isinstance(each, list) for entry in each]
    return bool(entries) and all(isinstance(entry, dict) and "hooks" in entry for entry in entries)


def _jcode(value: JsonObject) -> bool:
    events = {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"}
    keys = {"type", "command", "timeout", "async"}
    return (
        _nested(value)
        and set(value) == {"hooks"}
        and set(_hooks(value)) <= events
        and all(set(each) <= keys for each in _handlers(value))
    )


def _jcode_signs(value: JsonObject, name: str) -> bool:
    """Recognise jcode's directory, variables or tools, and handlers that leave their type out."""
    return (
        "/.jcode/" in _slashes(name)
        or any("JCODE_" in str(each.get("command")) or "type" not in each for each in _handlers(value))
        or bool(_matched_names(value) & {"execute", "write", "edit", "read", "glob", "grep", "run_shell"})
    )


def _claude_code(value: JsonObject) -> bool:
    """Recognise a settings file: its switches, or nested hooks, some with a type, at one of Claude Code's events."""
    if not value.get("hooks"):
        permissions = value.get("permissions")
        return bool(
            {"disableAllHooks", "allowManagedHooksOnly", "enabledPlugins", "statusLine"} & set(value)
            or (isinstance(permissions, dict) and {"allow", "deny", "ask", "defaultMode"} & set(permissions))
        )
    if not _nested(value) or not any("type" in each for each in _handlers(value)):
        return False
    from sandhook.hooks.contracts.claude_code.names import EVENTS

    return bool(set(_hooks(value)) & set(EVENTS))


def _claude_code_signs(value: JsonObject, name: str) -> bool:
    """Recognise Claude Code's variables and tools, other settings, and what handlers have there alone."""
    own = {"if", "args", "asyncRewake", "shell", "url", "prompt", "once", "onFailure"}
    settings = {"permissions", "disableAllHooks", "enabledPlugins", "statusLine", "outputStyle"}
    if settings & set(value):
        return True
    from sandhook.hooks.contracts.claude_code.names import TOOLS

    hooks = list(_handlers(value))
    return (
        any("CLAUDE_" in str(each.get("command")) or own & set(each) for each in hooks)
        or any(part.startswith("mcp__") for part in _matched_names(value))
        or bool(_matched_names(value) & set(TOOLS))
    )


def _codex(value: JsonObject) -> bool:
    """Recognise nested hooks, each with a type, at events of which all are Codex's."""
    if not _nested(value):
        return False
    from sandhook.hooks.contracts.codex.names import EVENTS

    keys = {"type", "command", "commandWindows", "command_windows", "timeout", "statusMessage", "async"}
    return set(_hooks(value)) <= {*EVENTS, "state"} and all(
        "type" in each and set(each) <= keys for each in _handlers(value)
    )


def _codex_signs(value: JsonObject, name: str) -> bool:
    """Recognise Windows commands, Codex's patch tool, events and TOML files."""
    return (
        any({"commandWindows", "command_windows"} & set(each) for each in _handlers(value))
        or "apply_patch" in _matched_names(value)
        or bool({"Interrupt", "state"} & set(_hooks(value)))
        or name.lower().endswith(".toml")
    )


def _gemini(value: JsonObject) -> bool:
    """Recognise nested hooks with a type at Gemini CLI's events, or its own switches."""
    hooks = value.get("hooks")
    if not isinstance(hooks, dict) or not hooks:
        return False
    from sandhook.hooks.contracts.gemini.names import EVENTS, SETTINGS

    if not set(hooks) <= {*EVENTS, *SETTINGS}:
        return False
    events = {name: each for name, each in hooks.items() if name in EVENTS}
    return _nested({"hooks": events}) and all("type" in each for each in _handlers(value))


def _gemini_signs(value: JsonObject, name: str) -> bool:
    """Recognise events, switches, variables and chains that Gemini CLI alone has."""
    from sandhook.hooks.contracts.gemini.names import SETTINGS

    own = {"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "PreCompress"}
    return (
        bool({*own, *SETTINGS, "BeforeToolSelection"} & set(_hooks(value)))
        or "hooksConfig" in value
        or any("sequential" in group for group in _groups(value))
        or any("GEMINI_" in str(each.get("command")) for each in _handlers(value))
    )


def _mistral_vibe(value: JsonObject) -> bool:
    """Recognise a list of hooks, each with one of Mistral Vibe's events as its type."""
    hooks = value.get("hooks")
    if not isinstance(hooks, list) or not hooks:
        return False
    if not all(isinstance(each, dict) and isinstance(each.get("type"), str) for each in hooks):
        return False
    from sandhook.hooks.contracts.mistral_vibe.names import EVENTS

    return all(isinstance(each, dict) and each["type"] in EVENTS for each in hooks)


def _cursor(value: JsonObject) -> bool:
    """Recognise a version and flat lists at Cursor's events, whose hooks have none of Copilot's fields."""
    hooks = value.get("hooks") if "version" in value else None
    if not isinstance(hooks, dict):
        return False
    from sandhook.hooks.contracts.cursor.names import EVENTS

    own = {"bash", "powershell", "exec", "timeoutSec"}
    return bool(set(hooks) & set(EVENTS)) and not any(own & set(each) for each in _entries(hooks))


def _cursor_signs(value: JsonObject, name: str) -> bool:
    """Recognise events and fields that Cursor alone has, or commands without a type."""
    entries = _entries(_hooks(value))
    return "CURSOR_" in str(entries) or any("type" not in each or "failClosed" in each for each in entries)


def _copilot(value: JsonObject) -> bool:
    """Recognise a version and lists at Copilot's events, whose hooks all have a type."""
    hooks = value.get("hooks") if value.get("version") == 1 else None
    if not isinstance(hooks, dict):
        return False
    from sandhook.hooks.contracts.copilot.names import ALIASES, EVENTS

    if not set(hooks) & {*EVENTS, *ALIASES}:
        return False
    return all("type" in each or "hooks" in each for each in _entries(hooks))


def _copilot_signs(value: JsonObject, name: str) -> bool:
    """Recognise events and fields that Copilot alone has."""
    own = {"userPromptSubmitted", "userPromptTransformed", "agentStop", "errorOccurred", "permissionRequest"}
    fields = {"bash", "powershell", "exec", "timeoutSec"}
    return bool(own & set(_hooks(value))) or any(fields & set(each) for each in _entries(_hooks(value)))


def _docker_agent(value: JsonObject) -> bool:
    """Recognise agents by name, one of them with hooks."""
    agents = value.get("agents")
    several = list(agents.values()) if isinstance(agents, dict) else []
    return any(isinstance(each, dict) and isinstance(each.get("hooks"), dict) for each in several)


def _kiro(value: JsonObject) -> bool:
    """Recognise a list of hooks of the version "v1", or flat lists at events that are spelled as Kiro does."""
    hooks = value.get("hooks")
    if isinstance(hooks, list):
        return bool(value.get("version") == "v1")
    if not isinstance(hooks, dict) or not hooks or "version" in value:
        return False
    from sandhook.hooks.contracts.kiro.names import EVENTS, FIELDS

    entries = _entries(hooks)
    return bool(entries) and set(hooks) <= set(EVENTS) and all(set(each) <= set(FIELDS) for each in entries)


def _qwen(value: JsonObject) -> bool:
    """Recognise nested hooks, each with a type, at Qwen Code's events, one of which is its own, or its variable."""
    if not _nested(value) or not all("type" in each for each in _handlers(value)):
        return False
    from sandhook.hooks.contracts.qwen.names import EVENTS

    return set(_hooks(value)) <= set(EVENTS)


def _qwen_signs(value: JsonObject, name: str) -> bool:
    """Recognise events, tools, variables and chains that Qwen Code alone has in Claude Code's form."""
    own = {"SessionDelete", "TodoCreated", "TodoCompleted"}
    tools = {"run_shell_command", "write_file", "read_file", "grep_search", "list_directory"}
    return (
        bool(own & set(_hooks(value)) or tools & _matched_names(value))
        or any("sequential" in group for group in _groups(value))
        or any("QWEN_" in str(each.get("command")) for each in _handlers(value))
    )


def _kimi(value: JsonObject) -> bool:
    """Recognise a list of hooks, each with one of Kimi Code's events and a command."""
    hooks = value.get("hooks")
    if not isinstance(hooks, list) or not hooks:
        return False
    if not all(isinstance(each, dict) and {"event", "command"} <= set(each) for each in hooks):
        return False
    from sandhook.hooks.contracts.kimi.names import EVENTS

    return all(isinstance(each, dict) and str(each["event"]) in EVENTS for each in hooks)


def _goose(value: JsonObject) -> bool:
    """Recognise nested hooks at events of goose, or the list of disabled plugins."""
    if not value.get("hooks"):
        return "disabledPlugins" in value
    if not _nested(value):
        return False
    from sandhook.hooks.contracts.goose.names import EVENTS

    return bool(set(_hooks(value)) & set(EVENTS))


def _goose_signs(value: JsonObject, name: str) -> bool:
    """Recognise goose's events and tools, the policy for failures, and the variable of a plugin."""
    own = {
        "PreToolUseResult",
        "BeforeReadFile",
        "AfterFileEdit",
        "BeforeShellExecution",
        "AfterShellExecution",
    }
    return (
        bool(own & set(_hooks(value)))
        or any(part.startswith("developer__") for part in _matched_names(value))
        or any("on_failure" in each or _has_plugin_root(each) for each in _handlers(value))
    )


def _antigravity(value: JsonObject) -> bool:
    """Recognise bundles by name, one of them with a list at an event of Antigravity."""
    bundles = [each for each in value.values() if isinstance(each, dict)]
    if not bundles or not any(isinstance(each, list) for bundle in bundles for each in bundle.values()):
        return False
    from sandhook.hooks.contracts.antigravity.names import FOLDED

    names = [name.lower() for bundle in bundles for name, each in bundle.items() if isinstance(each, list)]
    return bool(set(names) & set(FOLDED))


def _grok(value: JsonObject) -> bool:
    """Recognise nested hooks with a type at events of which one is Grok Build's."""
    if not _nested(value) or not all("type" in each for each in _handlers(value)):
        return False
    from sandhook.hooks.contracts.grok.names import EVENTS

    return bool(set(_hooks(value)) & set(EVENTS))


def _openhands(value: JsonObject) -> bool:
    """Recognise nested hooks, with or without the key "hooks", at events that are OpenHands' alone."""
    hooks = value if "hooks" not in value else _hooks(value)
    if not _nested({"hooks": hooks}):
        return False
    from sandhook.hooks.contracts.openhands.names import NAMES

    return set(hooks) <= set(NAMES)


def _openhands_signs(value: JsonObject, name: str) -> bool:
    """Recognise OpenHands' variables and its tool."""
    hooks: JsonObject = {"hooks": value if "hooks" not in value else _hooks(value)}
    return "terminal" in _matched_names(hooks) or any(
        "OPENHANDS_" in str(each.get("command")) for each in _handlers(hooks)
    )


def _droid(value: JsonObject) -> bool:
    """Recognise nested hooks, with or without the key "hooks", at events of which one is Droid's."""
    hooks = _hooks(value) or value
    if not _nested({"hooks": hooks}):
        return False
    from sandhook.hooks.contracts.droid.names import EVENTS

    return bool(set(hooks) & set(EVENTS))


def _droid_signs(value: JsonObject, name: str) -> bool:
    """Recognise Droid's variables, its tool, and what its groups and handlers alone have."""
    hooks: JsonObject = {"hooks": value if "hooks" not in value else _hooks(value)}
    own = ("FACTORY_PROJECT_DIR", "DROID_", "preserveRiskLevel", "commandRegex")
    return "Execute" in _matched_names(hooks) or any(word in str(hooks) for word in own)


def _grok_signs(value: JsonObject, name: str) -> bool:
    """Recognise Grok Build's variables and tools."""
    tools = {"run_terminal_command", "search_replace"}
    return bool(tools & _matched_names(value)) or any(
        "GROK_" in str(each.get("command")) for each in _handlers(value)
    )


def _hermes(value: JsonObject) -> bool:
    """Recognise flat lists of hooks at Hermes Agent's events, each with a command in one text."""
    hooks = _hooks(value)
    entries = _entries(hooks)
    if not entries or not all(isinstance(each.get("command"), str) for each in entries):
        return False
    if any({"tools", "on_failure", "hooks", "type"} & set(each) for each in entries):
        return False
    from sandhook.hooks.contracts.hermes.names import EVENTS, PYTHON_ONLY, SETTINGS

    return set(hooks) <= {*EVENTS, *PYTHON_ONLY, *SETTINGS}


def _has_plugin_root(handler: JsonObject) -> bool:
    return any(f"{before}PLUGIN_ROOT" in str(handler.get("command")) for before in "${")


def _hooks(value: JsonObject) -> JsonObject:
    return object_of(value, "hooks")


def _entries(hooks: JsonObject) -> list[JsonObject]:
    """Return the objects of the flat lists."""
    lists = [each for each in hooks.values() if isinstance(each, list)]
    return [entry for each in lists for entry in each if isinstance(entry, dict)]


def _handlers(value: JsonObject) -> Iterator[JsonObject]:
    """Yield the handlers of a nested configuration that are objects."""
    for group in _groups(value):
        entries = group.get("hooks")
        for each in entries if isinstance(entries, list) else ():
            if isinstance(each, dict):
                yield each


def _groups(value: JsonObject) -> Iterator[JsonObject]:
    hooks = value.get("hooks")
    for groups in hooks.values() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            if isinstance(group, dict):
                yield group


def _matched_names(value: JsonObject) -> set[str]:
    """Return the names in the groups' matchers."""
    texts = [str(group.get("matcher") or "") for group in _groups(value)]
    return {part.strip(" ^$()") for text in texts for part in text.replace(",", "|").split("|")}


def _slashes(name: str) -> str:
    return "/" + name.replace("\\", "/")


#: In the order of `contracts.names()`.
ROWS = {
    "everruns": Row(_everruns),
    "crush": Row(_crush),
    "jcode": Row(_jcode, _jcode_signs, ("/.jcode/",)),
    "ub": Row(_ub),
    "claude_code": Row(_claude_code, _claude_code_signs, ("/.claude/", "managed-settings.json")),
    "codex": Row(_codex, _codex_signs, ("/.codex/",)),
    "gemini": Row(
        lambda value: _gemini(value) and _gemini_signs(value, ""),
        _gemini_signs,
        ("/.gemini/", "/gemini-cli/"),
        _gemini,
    ),
    "mistral_vibe": Row(_mistral_vibe, lambda value, name: True, ("/.vibe/",)),
    "cursor": Row(_cursor, _cursor_signs, ("/.cursor/",)),
    "copilot": Row(_copilot, _copilot_signs, ("/.github/hooks/", "/.copilot/", "/github-copilot/")),
    "docker_agent": Row(_docker_agent),
    "kiro": Row(_kiro, lambda value, name: True, ("/.kiro/", "/.amazonq/")),
    "qwen": Row(
        lambda value: _qwen(value) and _qwen_signs(value, ""),
        _qwen_signs,
        ("/.qwen/", "/qwen-code/", "/QwenCode/"),
        _qwen,
    ),
    "kimi": Row(_kimi, lambda value, name: True, ("/.kimi-code/",)),
    "goose": Row(
        lambda value: _goose(value) and ("disabledPlugins" in value or _goose_signs(value, "")),
        _goose_signs,
        ("/.agents/plugins/", "/goose/"),
        _goose,
    ),
    "antigravity": Row(
        lambda value: "hooks" not in value and _antigravity(value),
        lambda value, name: True,
        (
            *("/.gemini/config/", "/.agents/hooks.json", "/.agent/hooks.json"),
            *("/_agents/hooks.json", "/_agent/hooks.json"),
        ),
        _antigravity,
    ),
    "grok": Row(lambda value: _grok(value) and _grok_signs(value, ""), _grok_signs, ("/.grok/",), _grok),
    "hermes": Row(_hermes, lambda value, name: True, ("/.hermes/", "/hermes/config.yaml")),
    "openhands": Row(
        lambda value: _openhands(value) and _openhands_signs(value, ""),
        _openhands_signs,
        ("/.openhands/",),
        _openhands,
    ),
    "droid": Row(
        lambda value: _droid(value) and _droid_signs(value, ""), _droid_signs, ("/.factory/",), _droid
    ),
    "cline": Row(lambda value: any("starter" in each for each in _groups(value))),
}


def fitting(documents: Sequence[tuple[Json, str]]) -> list[str]:
    """Return the contracts that all documents, each with its file's name, can be written for.

    When several fit and only one of them recognises a sign of its own, that one alone is returned.
    """
    objects = [(value, file) for value, file in documents if isinstance(value, dict)]
    if len(objects) < len(documents):
        return []
    placed = [name for name, row in ROWS.items() if _placed(row, objects)]
    if len(placed) == 1:
        return placed
    fits = [name for name, row in ROWS.items() if all(row.looks_like(value) for value, _ in objects)]
    if len(fits) < 2:
        return fits
    sure = [name for name in fits if any(ROWS[name].signs(value, file) for value, file in objects)]
    return sure if len(sure) == 1 else fits


def _placed(row: Row, documents: Sequence[tuple[JsonObject, str]]) -> bool:
    """Return whether all documents can be an agent's, and one of them is where only its files are."""
    fits = row.there or row.looks_like
    here = any(place in _slashes(file) for _, file in documents for place in row.places)
    return here and all(fits(value) for value, _ in documents)

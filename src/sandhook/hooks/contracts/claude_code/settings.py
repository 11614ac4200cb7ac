"""Claude Code's settings: the files and their order, and what they say of hooks as a whole.

Hooks of all files add up. Switches are a matter of precedence: managed settings before those of the
caller, local, project and user; what a managed file brings cannot be switched off from below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sandhook.hooks.contracts import Document, Layer
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.decode import DecodeError
from sandhook.record import Record

#: Layers of settings, strongest first; "" is what the caller names itself.
_PRECEDENCE = ("managed", "", "local", "project", "user")

_MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json",
    "win32": "C:/Program Files/ClaudeCode/managed-settings.json",
}


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return Claude Code's files, weakest first; a plugin's when ``CLAUDE_PLUGIN_ROOT`` names one.

    Upstream takes local settings from the root of the git worktree; without looking at the disk, they
    are taken from ``cwd``.
    """
    home = env.get("USERPROFILE" if platform == "win32" else "HOME", "")
    own = env.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"
    found = [
        Layer("user", f"{own}/settings.json"),
        Layer("project", f"{cwd}/.claude/settings.json"),
        Layer("local", f"{cwd}/.claude/settings.local.json"),
        Layer("managed", _MANAGED.get(platform, "/etc/claude-code/managed-settings.json")),
    ]
    plugin = env.get("CLAUDE_PLUGIN_ROOT")
    return [Layer("bundle", f"{plugin}/hooks/hooks.json"), *found] if plugin else found


def frontmatter(text: str, name: str) -> Document:
    """Return the hooks at the head of a skill's or an agent's file; an empty document without any.

    Raises DecodeError for a head without an end, or one that is no YAML.
    """
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return Document(None, name, text=text)
    try:
        end = next(number for number, line in enumerate(lines[1:], 1) if line.strip() == "---")
    except StopIteration:
        raise DecodeError("the head that begins with --- does not end") from None
    from sandhook.hooks.yaml import decode_yaml

    head = decode_yaml("\n".join(["", *lines[1:end], ""]), name)
    value = head.value if isinstance(head.value, dict) else {}
    return head._replace(value={"hooks": value["hooks"]} if "hooks" in value else None, text=text)


def origin(document: Document) -> str:
    """Return where hooks come from: "settings", or one plugin's, skill's or agent's file."""
    if document.name.endswith(".md"):
        skill = document.name.replace("\\", "/").rpartition("/")[2] == "SKILL.md"
        return f"{'skill' if skill else 'agent'}:{document.name}"
    return f"plugin:{document.name}" if document.layer == "bundle" else "settings"


class Switches(Record):
    """What settings say of all hooks.

    Attributes:
        disabled: "" or why hooks are off that no managed file brings.
        all_disabled: The managed settings switch off their own too.
        managed_only, plugin_only: Managed settings allow no others.
        urls: Patterns of the URLs that http hooks may call, None for all.
        variables: Names that http hooks may put into headers, None for all.
    """

    disabled: str = ""
    all_disabled: bool = False
    managed_only: bool = False
    plugin_only: bool = False
    urls: tuple[str, ...] | None = None
    variables: tuple[str, ...] | None = None

    def withholds(self, layer: str, source: str) -> str | None:
        """Return why hooks of a file do not run, or None."""
        if self.all_disabled:
            return self.disabled
        if layer == "managed":
            return None
        if self.managed_only:
            return "managed settings allow managed hooks alone (allowManagedHooksOnly)"
        if self.plugin_only and not source.startswith("plugin:"):
            return "managed settings allow plugins' hooks alone (strictPluginOnlyCustomization)"
        return self.disabled or None

    def refuses_url(self, url: str) -> bool:
        """Tell whether an http hook's URL is none of those that the settings allow."""
        from sandhook.pattern.glob import compile_pattern

        if self.urls is None:
            return False
        return not any(compile_pattern(_only_stars(each)).matches(url) for each in self.urls)


def _only_stars(pattern: str) -> str:
    return "".join(c if c == "*" or c.isalnum() else f"\\{c}" for c in pattern)


def switches(all_fields: Sequence[Fields]) -> Switches:
    """Read the switches of all settings files; faults go to each one's fields."""
    ranked = sorted(
        (
            each
            for each in all_fields
            if isinstance(each.document.value, dict) and origin(each.document) == "settings"
        ),
        key=lambda each: _PRECEDENCE.index(each.document.layer) if each.document.layer in _PRECEDENCE else 9,
    )
    made: dict[str, Any] = {}
    urls: list[str] | None = None
    variables: list[str] | None = None
    for fields in ranked:
        value, layer = fields.document.value, fields.document.layer
        off = fields.get(value, "disableAllHooks", bool, "")
        if off is not None and "disabled" not in made:
            made["disabled"] = f"disableAllHooks in {fields.document.name or 'the settings'}" if off else ""
            made["all_disabled"] = off and layer == "managed"
        if layer == "managed":
            made["managed_only"] = bool(fields.get(value, "allowManagedHooksOnly", bool, ""))
            made["plugin_only"] = _plugins_only(
                fields.get(value, "strictPluginOnlyCustomization", (bool, list, dict), "")
            )
        elif fields.get(value, "allowManagedHooksOnly", bool, ""):
            fields.note("allowManagedHooksOnly", "has no effect outside of managed settings")
        found = fields.strings(value, "allowedHttpHookUrls", "")
        urls = urls if found is None else [*(urls or ()), *found]
        found = fields.strings(value, "httpHookAllowedEnvVars", "")
        variables = variables if found is None else [*(variables or ()), *found]
    return Switches(
        **made,
        urls=None if urls is None else tuple(urls),
        variables=None if variables is None else tuple(variables),
    )


def _plugins_only(value: Any) -> bool:
    if isinstance(value, dict):
        return value.get("hooks") is True
    return "hooks" in value if isinstance(value, list) else bool(value)

"""Claude Code's settings: the files and their order, and their switches for all hooks.

Hooks of all files add up. Switches have a precedence: managed settings, then those of the caller, local,
project and user. Hooks of a managed file cannot be switched off from below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.hooks.contracts import Document, Layer, needs_trust
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import LayerName
from sandhook.record import Record
from sandhook.typed import Literal

#: Layers of settings, strongest first; "" is a file that the caller names.
_PRECEDENCE = ("managed", "", "local", "project", "user")

_MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json",
    "win32": "C:/Program Files/ClaudeCode/managed-settings.json",
}


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return Claude Code's files, weakest first; a plugin's when ``CLAUDE_PLUGIN_ROOT`` names one.

    Upstream reads local settings at the root of the git worktree. Here the disk is not read, and they are
    those of ``cwd``.
    """
    home = env.get("USERPROFILE" if platform == "win32" else "HOME", "")
    own = env.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"
    managed = _MANAGED.get(platform, "/etc/claude-code/managed-settings.json")
    files = [
        Layer("user", f"{own}/settings.json"),
        Layer("project", f"{cwd}/.claude/settings.json"),
        Layer("local", f"{cwd}/.claude/settings.local.json"),
        Layer("managed", managed),
        Layer("managed", f"{managed.removesuffix('.json')}.d/*.json"),
    ]
    plugin = env.get("CLAUDE_PLUGIN_ROOT")
    return [Layer("bundle", f"{plugin}/hooks/hooks.json"), *files] if plugin else files


def frontmatter(text: str, name: str) -> Document:
    """Return the hooks at the head of a skill's or an agent's file; an empty document without any.

    Raises DecodeError for a head that does not end or is not YAML.
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


#: What kind of file hooks come from.
Origin = Literal["settings", "plugin", "skill", "agent"]


def origin(file: str, layer: LayerName) -> Origin:
    """Return the kind of a file."""
    if file.endswith(".md"):
        return "skill" if file.replace("\\", "/").rpartition("/")[2] == "SKILL.md" else "agent"
    return "plugin" if layer == "bundle" else "settings"


def source(document: Document) -> str:
    """Return what hooks of a file have in common with others: all settings, or one plugin, skill or agent."""
    kind = origin(document.name, document.layer)
    return kind if kind == "settings" else f"{kind}:{document.name}"


class AllowList(Record):
    """What http hooks may use, by the layer of the hook; None for everything.

    A weaker layer can extend the list of a stronger one. It cannot restrict hooks that had no list.
    """

    managed: tuple[str, ...] | None = None
    own: tuple[str, ...] | None = None
    others: tuple[str, ...] | None = None

    def of(self, layer: LayerName) -> tuple[str, ...] | None:
        """Return the list for hooks of a layer."""
        if layer == "managed":
            return self.managed
        return self.others if needs_trust(layer) else self.own


class Switches(Record):
    """The settings for all hooks.

    Attributes:
        disabled: Why hooks outside managed files are switched off, or "".
        own_disabled: Why hooks of the user and the caller are switched off, or "". A repository's files
            must not switch off the user's guards.
        all_disabled: The managed settings switch off managed hooks too.
        managed_only, plugin_only: Managed settings allow only such hooks.
        urls: Patterns of the URLs that http hooks may call.
        variables: Names that http hooks may put into headers.
    """

    disabled: str = ""
    own_disabled: str = ""
    all_disabled: bool = False
    managed_only: bool = False
    plugin_only: bool = False
    urls: AllowList = AllowList()
    variables: AllowList = AllowList()

    def withholds(self, layer: LayerName, kind: Origin) -> str | None:
        """Return why hooks of a file do not run, or None."""
        if self.all_disabled:
            return self.disabled
        if layer == "managed":
            return None
        if self.managed_only:
            return "managed settings allow managed hooks alone (allowManagedHooksOnly)"
        if self.plugin_only and kind != "plugin":
            return "managed settings allow plugins' hooks alone (strictPluginOnlyCustomization)"
        return (self.disabled if needs_trust(layer) else self.own_disabled) or None

    def refuses_url(self, layer: LayerName, url: str) -> bool:
        """Return whether the settings forbid the URL of an http hook of a layer."""
        from sandhook.pattern.glob import compile_pattern

        urls = self.urls.of(layer)
        return urls is not None and not any(compile_pattern(_only_stars(each)).matches(url) for each in urls)


def _only_stars(pattern: str) -> str:
    return "".join(c if c == "*" or c.isalnum() else f"\\{c}" for c in pattern)


def switches(all_fields: Sequence[Fields], *, strict: bool) -> Switches:
    """Return the switches of all settings files; reports faults to their Fields.

    Args:
        strict: Files of any layer can switch off the user's hooks and extend lists, as upstream.
    """
    ranked = [
        _Settings(fields, fields.document.value)
        for fields in all_fields
        if isinstance(fields.document.value, dict) and source(fields.document) == "settings"
    ]
    ranked.sort(key=lambda each: _PRECEDENCE.index(each.layer) if each.layer in _PRECEDENCE else 9)
    off = {each.fields: each.switch("disableAllHooks") for each in ranked}
    own = [each for each in ranked if strict or not needs_trust(each.layer)]
    managed = [each for each in ranked if each.layer == "managed"]
    for each in ranked:
        if each.layer != "managed" and each.switch("allowManagedHooksOnly"):
            each.fields.note("allowManagedHooksOnly", "has no effect outside of managed settings")
    alone = [each.switch("allowManagedHooksOnly") for each in managed]
    key = "strictPluginOnlyCustomization"
    plugins = [each.fields.get(each.value, key, (bool, list, dict), "") for each in managed]
    disabled = _first(ranked, off)
    return Switches(
        disabled=disabled,
        own_disabled=_first(own, off) if disabled else "",  # any file can switch guards on
        all_disabled=bool(_first(managed, off)),
        managed_only=any(alone),
        plugin_only=any(map(_plugins_only, plugins)),
        urls=_allow_list(ranked if strict else managed, own, ranked, "allowedHttpHookUrls"),
        variables=_allow_list(ranked if strict else managed, own, ranked, "httpHookAllowedEnvVars"),
    )


class _Settings(Record):
    """One settings file that is an object."""

    fields: Fields
    value: JsonObject

    @property
    def layer(self) -> LayerName:
        return self.fields.document.layer

    def switch(self, key: str) -> bool | None:
        return self.fields.get(self.value, key, bool, "")


def _first(ranked: Sequence[_Settings], off: Mapping[Fields, bool | None]) -> str:
    """Return where the strongest file with ``disableAllHooks`` disables hooks; "" when it enables them."""
    for each in ranked:
        if off[each.fields] is not None:
            name = each.fields.document.name or "the settings"
            return f"disableAllHooks in {name}" if off[each.fields] else ""
    return ""


def _allow_list(
    managed: Sequence[_Settings], own: Sequence[_Settings], ranked: Sequence[_Settings], key: str
) -> AllowList:
    """Return a list of all files together; files that need trust count only when no other has the list."""
    texts = {each.fields: each.fields.strings(each.value, key, "") for each in ranked}

    def joined(several: Sequence[_Settings]) -> tuple[str, ...] | None:
        lists = [listed for each in several if (listed := texts[each.fields]) is not None]
        return tuple(text for listed in lists for text in listed) if lists else None

    of_own = joined(own)
    others = joined(ranked) if of_own is None else of_own
    return AllowList(None if joined(managed) is None else of_own, of_own, others)


def _plugins_only(value: Json) -> bool:
    if isinstance(value, dict):
        return value.get("hooks") is True
    return "hooks" in value if isinstance(value, list) else bool(value)

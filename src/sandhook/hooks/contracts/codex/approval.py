"""Which hooks Codex itself would run: its switches, the organisation's, and its approvals of single hooks.

Codex approves a hook by a hash of its definition, in ``hooks.state`` of the user's config.toml. The form of the key
and of the hash is that of version 0.169.0, which ``codex app-server`` prints for hooks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from sandhook.hooks.contracts import Document, Loaded, may_override, needs_trust
from sandhook.hooks.contracts._loader import no_effect
from sandhook.hooks.contracts.codex.names import ROWS
from sandhook.hooks.decode import encode, object_of, text_of, type_name
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import HookSpec

#: The switch of the organisation's requirements.toml; it has no meaning in other files.
MANAGED_ONLY = "allow_managed_hooks_only"

_PLACE = re.compile(r"\[(\d+)\]\.hooks\[(\d+)\]$")


def without_disabled(loaded: Loaded, documents: Sequence[Document], *, strict: bool) -> Loaded:
    """Return what is loaded without the hooks that Codex would not run.

    Args:
        strict: Hooks of the user want an approval of Codex, and any file can switch off all hooks, as upstream.
    """
    alone = any(_managed_only(each) for each in documents)
    switches = sorted((each for each in documents if _switch(each) is not None), key=_precedence)
    is_off = bool(switches) and not _switch(switches[0])
    state = _state(documents)
    kept: list[HookSpec] = []
    withheld: list[tuple[HookSpec, str]] = []
    notes: dict[str, None] = {}
    for spec in loaded.specs:
        effective = [each for each in switches if strict or may_override(each.layer, spec.layer)]
        for each in switches if is_off else ():
            if each not in effective and not _switch(each):
                notes[Diagnostic(no_effect(each, spec), "features.hooks", each.name)] = None
        if is_off and effective and not _switch(effective[0]):
            withheld.append((spec, f"hooks are switched off (features.hooks in {effective[0].name})"))
        elif alone and spec.layer != "managed":
            withheld.append((spec, f"the organisation allows its own hooks alone ({MANAGED_ONLY})"))
        elif spec.layer == "managed" or spec.layer == "":
            kept.append(spec)
        elif object_of(state, key_of(spec)).get("enabled") is False and not needs_trust(spec.layer):
            withheld.append((spec, "the user switched it off in Codex (hooks.state)"))
        elif strict and object_of(state, key_of(spec)).get("trusted_hash") != hash_of(spec):
            kept.append(spec._replace(wants_approval="Codex has not approved it (/hooks)"))
        else:
            kept.append(spec)
    return loaded._replace(
        specs=tuple(kept),
        withheld=(*loaded.withheld, *withheld),
        diagnostics=(*loaded.diagnostics, *_misplaced(documents), *notes),
    )


def _managed_only(document: Document) -> bool:
    value = document.value
    return _is_requirements(document) and isinstance(value, dict) and value.get(MANAGED_ONLY) is True


def _is_requirements(document: Document) -> bool:
    return document.layer == "managed" and document.name.endswith("requirements.toml")


def _switch(document: Document) -> bool | None:
    value = document.value
    switch = object_of(value, "features").get("hooks") if isinstance(value, dict) else None
    return switch if isinstance(switch, bool) else None


def _precedence(document: Document) -> int:
    """Return the rank of a file's switch, strongest first."""
    if document.layer == "managed":
        return 0 if _is_requirements(document) else 4
    if document.layer == "":
        return 1
    return 2 if needs_trust(document.layer) else 3


def _misplaced(documents: Iterable[Document]) -> list[Diagnostic]:
    """Return the notes on the switch where it has no effect, in any other file and with a value of another type."""
    notes: list[Diagnostic] = []
    for each in documents:
        if not isinstance(each.value, dict) or MANAGED_ONLY not in each.value:
            continue
        value = each.value[MANAGED_ONLY]
        if not _is_requirements(each):
            text = "has no effect outside of the organisation's requirements.toml"
        elif not isinstance(value, bool):
            text = f"wanted a boolean, got {type_name(value)}: Codex does not start"
        else:
            continue
        notes.append(Diagnostic(text, MANAGED_ONLY, each.name))
    return notes


def _state(documents: Iterable[Document]) -> JsonObject:
    """Return the user's ``hooks.state``; a file of a project approves and disables nothing."""
    state: JsonObject = {}
    for each in documents:
        if isinstance(each.value, dict) and each.layer in ("user", ""):
            state.update(object_of(object_of(each.value, "hooks"), "state"))
    return state


def key_of(spec: HookSpec) -> str:
    """Return the key of a hook in ``hooks.state``: file, event, positions of its group and in it."""
    place = _PLACE.search(spec.path)
    group, number = place.groups() if place is not None else ("0", "0")
    return f"{spec.file}:{_label(spec.native_event)}:{group}:{number}"


def hash_of(spec: HookSpec) -> str:
    """Return the hash by which Codex knows the definition of a hook."""
    entry: Mapping[str, Json] = spec.entry if isinstance(spec.entry, dict) else {}
    handler: JsonObject = {
        "async": entry.get("async") is True,
        "command": text_of(dict(entry), "command") or "",
        "timeout": int(spec.timeout),
        "type": "command",
    }
    if spec.description is not None:
        handler["statusMessage"] = spec.description
    identity: JsonObject = {"event_name": _label(spec.native_event), "hooks": [handler]}
    matcher = (spec.extras or {}).get("matcher")
    if ROWS[spec.native_event].matched and isinstance(matcher, str):
        identity["matcher"] = matcher
    return f"sha256:{sha256(encode(_sorted(identity)).encode()).hexdigest()}"


def _label(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _sorted(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value

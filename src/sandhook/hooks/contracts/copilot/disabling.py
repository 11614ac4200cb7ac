"""``disableAllHooks``: in settings of the repository for all files but the organisation's, elsewhere for the file itself.

Source: recorded runs of 1.0.102 (conformance/hooks/copilot/recorded/layers.json).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.hooks.contracts import Document, Loaded, may_override
from sandhook.hooks.contracts._loader import no_effect
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.model import HookSpec

_SWITCH = "disableAllHooks"

#: The settings of a repository, below its directory.
_SETTINGS = (
    *("/.claude/settings.json", "/.claude/settings.local.json"),
    *("/.github/copilot/settings.json", "/.github/copilot/settings.local.json"),
)


def without_disabled(loaded: Loaded, documents: Sequence[Document], *, strict: bool) -> Loaded:
    """Return what is loaded without the hooks that are switched off.

    Args:
        documents: The files, in the order of ``layers``: the last setting of the repository decides.
        strict: A repository can switch off the user's hooks, as upstream.
    """
    own = [each for each in documents if not _is_settings(each) and _switch(each)]
    settings = [each for each in documents if _is_settings(each) and _switch(each) is not None]
    last = settings[-1] if settings else None
    off = last is not None and bool(_switch(last))
    kept: list[HookSpec] = []
    withheld: list[tuple[HookSpec, str]] = []
    notes: dict[str, None] = {}
    for spec in loaded.specs:
        if any((each.name, each.layer) == (spec.file, spec.layer) for each in own):
            withheld.append((spec, f"hooks are switched off ({_SWITCH} in the same file)"))
        elif last is None or not off or spec.layer == "managed":
            kept.append(spec)
        elif strict or may_override(last.layer, spec.layer):
            withheld.append((spec, f"hooks are switched off ({_SWITCH} in {last.name})"))
        else:
            kept.append(spec)
            notes[Diagnostic(no_effect(last, spec), _SWITCH, last.name)] = None
    return loaded._replace(
        specs=tuple(kept),
        withheld=(*loaded.withheld, *withheld),
        diagnostics=(*loaded.diagnostics, *notes),
    )


def _is_settings(document: Document) -> bool:
    return document.name.replace("\\", "/").endswith(_SETTINGS)


def _switch(document: Document) -> bool | None:
    value = document.value
    switch = value.get(_SWITCH) if isinstance(value, dict) else None
    return switch if isinstance(switch, bool) else None

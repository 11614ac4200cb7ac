"""Whether the text of hooks calls jq with programs for which a worker must be started."""

from __future__ import annotations

from sandhook.lazy import lazily

#: A call, unlike ``command -v jq >/dev/null``.
_CALL = lazily(r"jq[ \t]+(?![>&|;0-9])")
#: A call whose program is a plain path, which needs no worker (see ``utilities/data/jq/paths.py``); also in a JSON string.
_PLAIN_CALL = lazily(r"""jq (?:-[rec]+ )*(\\?["']|)\.[\w.\[\]]+(?: // empty)?\1""")


def needs_worker(text: str) -> bool:
    """Return a guess from the text: a false positive costs an idle process, a false negative 25 ms of waiting."""
    if "jq" not in text:
        return False
    return len(_CALL.findall(text)) > len(_PLAIN_CALL.findall(text))

"""Refusals in a hook's output that its agent does not read, because of their form or of other text.

The agent lets the action pass, and so does its contract. The guard meant to refuse, so that a run of this kind
is reported as one that could not run, and a caller can close it. A refusal of a hook that was ended later counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum

from sandhook.hooks.decode import DecodeError, decode, decode_object, objects_in
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import RunResult, Verdict
from sandhook.lazy import lazily

#: Keys of a decision in the outputs of all agents, without the signs that separate their words.
_DECISIONS = frozenset({"action", "decision", "permission", "permissiondecision", "behavior"})

#: Their values that refuse.
_REFUSALS = frozenset({"deny", "denied", "block", "blocked", "reject", "refuse"})

#: A text that may hold such a value; escapes may spell any word.
_MENTION = lazily(r"(?i)den[yi]|block|reject|refuse|false|\\u00")

#: Strings of JSON within each other.
_LEVELS = 3

#: The object in an output that is about one event.
_SPECIFIC = "hookspecificoutput"


class UnreadRefusal(StrEnum):
    """Why a refusal has no effect."""

    OTHER_TEXT = "its output has a refusal and other text, which its agent reads as text alone"
    BROKEN = "its output begins like JSON, mentions a refusal, and cannot be read"
    OTHER_FORM = "its output refuses in a form that its agent does not read"


def unread_refusal(
    ran: RunResult, verdict: Verdict, meaning: Callable[[RunResult], Verdict]
) -> UnreadRefusal | None:
    """Return why a refusal in an output has no effect, or None without such a refusal.

    Args:
        ran: A run that printed an object, or the beginning of one.
        verdict: What the run means to the agent. An approval is the agent's choice between two decisions.
        meaning: Returns the meaning of another run of this hook.
    """
    if verdict.intervenes or verdict.permission == "allow":
        return None
    whole = ran.stdout.decode("utf-8", "replace").strip(" \t\r\n\v\f")
    printed = whole.strip("\0\ufeff")
    for text in _wrapped(ran.stdout, printed):
        if meaning(ran._replace(stdout=text.encode("utf-8", "replace"))).refuses:
            return UnreadRefusal.OTHER_FORM
    for text in objects_in(printed):
        try:
            value = decode_object(text).value
        except DecodeError:
            continue
        if text != whole:
            alone = ran._replace(stdout=text.encode("utf-8", "surrogatepass"))
            if meaning(alone).refuses:
                return UnreadRefusal.OTHER_TEXT
            if text != printed:
                continue
        return UnreadRefusal.OTHER_FORM if _refuses(value) else None
    return UnreadRefusal.BROKEN if printed.startswith("{") and _MENTION.search(printed) else None


def late_refusal(ran: RunResult, decode: Callable[[RunResult], Verdict]) -> Verdict | None:
    """Return the refusal that a hook printed before its time limit or a signal ended it, or None.

    Agents drop the output of such a hook.

    Args:
        decode: Returns the meaning of another run of this hook.
    """
    if not (ran.timed_out or ran.signal is not None) or b"{" not in ran.stdout:
        return None
    printed = ran.stdout.decode("utf-8", "replace").strip(" \t\r\n\v\f\0\ufeff")
    end = "its time limit" if ran.timed_out else f"signal {ran.signal}"
    for text in (printed, *objects_in(printed)):
        stdout = text.encode("utf-8", "surrogatepass")
        verdict = decode(RunResult(0, stdout, ran.stderr, ran.duration))
        is_read = verdict.could_not_run is None and verdict.undecodable is None
        refuses = verdict.intervenes or verdict.label in ("block", "feedback")
        if refuses and verdict.decided and is_read:
            note = f"it refused before {end} ended it, which its agent ignores (L-HOOKS-006)"
            return verdict._replace(diagnostics=(*verdict.diagnostics, note))
    return None


def _wrapped(data: bytes, printed: str) -> Iterator[str]:
    """Yield the texts in an output that is UTF-16 or UTF-32, or JSON within a string of JSON."""
    if b"\0" in data:
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"):
            text = data.decode(encoding, "ignore").strip("\ufeff \t\r\n\0")
            if text.startswith("{"):
                yield text
    for _ in range(_LEVELS):
        if not printed.startswith('"'):
            return
        try:
            value = decode(printed).value
        except DecodeError:
            return
        if not isinstance(value, str):
            return
        printed = value.strip()
        yield printed


def _refuses(value: JsonObject) -> bool:
    """Return whether a decision in an object refuses, whatever the letters of its keys and of its value."""
    for key, item in value.items():
        name = key.strip().lower().replace("_", "").replace("-", "")
        if name in _DECISIONS and any(map(_is_refusal, item if isinstance(item, list) else [item])):
            return True
        if name == "continue" and (item is False or _is_word(item, "false")):
            return True
        if (name == _SPECIFIC or name == "decision") and isinstance(item, dict) and _refuses(item):
            return True
    return False


def _is_refusal(item: Json) -> bool:
    return item is False or (isinstance(item, str) and item.strip().lower() in _REFUSALS)


def _is_word(item: Json, word: str) -> bool:
    return isinstance(item, str) and item.strip().lower() == word

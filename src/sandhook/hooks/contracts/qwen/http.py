"""Qwen Code's hooks of the type http: their fields, the URLs that settings allow, and what an answer means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.hooks.contracts import Document, needs_trust
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts._outcome import broken, unreadable
from sandhook.hooks.contracts.qwen.names import SECRETS
from sandhook.hooks.contracts.qwen.reply import verdict_of
from sandhook.hooks.decode import DATA_DEPTH, BoundExceeded, DecodeError, decode, object_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Executor, HookSpec, RunResult, Verdict
from sandhook.pattern.glob import compile_pattern
from sandhook.text.variables import filled

#: Seconds.
DEFAULT_TIMEOUT = 600.0

#: Characters of a text of an answer.
MAX_TEXT = 10_000

_LIST = "allowedHttpHookUrls"


def executor(fields: Fields, raw: JsonObject, path: str) -> Executor:
    """Return what a hook posts to; reports faults to ``fields``."""
    url = fields.get(raw, "url", str, path) or ""
    if not url and (raw.get("url") is None or raw["url"] == ""):
        fields.problem(f"{path}.url", "is required")
    headers = fields.get(raw, "headers", dict, path) or {}
    for name, text in headers.items():
        if not isinstance(text, str):
            fields.problem(f"{path}.headers.{name}", "wanted a string")
    return Executor("http", url, config={"url": url, "headers": dict(headers), "fills_url": True})


def variables(fields: Fields, raw: JsonObject, path: str) -> tuple[str, ...]:
    """Return the variables that the URL and the headers may name."""
    names = fields.strings(raw, "allowedEnvVars", path) or ()
    for name in names:
        if name in SECRETS:
            fields.note(f"{path}.allowedEnvVars", f"{name} is the agent's own: it is empty")
    return tuple(name for name in names if name not in SECRETS)


def obstacle(
    spec: HookSpec, documents: Sequence[Document], env: Mapping[str, str], *, strict: bool
) -> str | None:
    """Return why the settings forbid a hook's URL, or None.

    Args:
        documents: The settings, the strongest first.
        env: The agent's variables.
        strict: A project's list counts for all hooks if no other file has one, as upstream.
    """
    patterns = _allowed(documents, spec, strict=strict)
    url = filled(spec.executor.text, {name: env[name] for name in spec.env_names if name in env}).lower()
    if not patterns or any(compile_pattern(_only_stars(each)).matches(url) for each in patterns):
        return None
    return f"security.{_LIST} does not allow its URL: {spec.executor.text}"


def _allowed(documents: Sequence[Document], spec: HookSpec, *, strict: bool) -> list[str]:
    """Return the patterns that count for a hook; an empty list allows everything."""
    weak: list[str] = []
    for document in documents:
        security = object_of(document.value, "security") if isinstance(document.value, dict) else {}
        patterns = security.get(_LIST)
        if not isinstance(patterns, list):
            continue
        texts = [each for each in patterns if isinstance(each, str)]
        if not needs_trust(document.layer):
            return texts
        # a repository's list must not silence the hooks of the user
        if strict or needs_trust(spec.layer):
            weak = weak or texts
    return weak


def _only_stars(pattern: str) -> str:
    """Return a pattern of the settings, in which dots may be escaped, as one of which only the stars are special."""
    plain = pattern.replace("\\.", ".").lower()
    return "".join(c if c == "*" or c.isalnum() else f"\\{c}" for c in plain)


def decoded(name: str, event: Event, ran: RunResult, notes: list[str], *, better: bool) -> Verdict:
    """Return what the answer to a hook means: an object is that of a command, other text is a note."""
    why = broken(ran)
    if why is not None:
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    text = ran.stdout.decode("utf-8", "replace").strip()
    if not text:
        return Verdict("none", diagnostics=tuple(notes))
    try:
        whole = decode(text, max_depth=DATA_DEPTH)
    except BoundExceeded as error:
        return unreadable(str(error), notes, exceeded_bound=True)
    except DecodeError:
        return _no_object(text, notes)
    notes.extend(whole.diagnostics)
    if not isinstance(whole.value, dict):
        return _no_object(text, notes)
    verdict = verdict_of(name, event, _cut(whole.value), notes, better=better)
    return verdict._replace(diagnostics=tuple(notes))


def _no_object(text: str, notes: list[str]) -> Verdict:
    odd = "the answer is not a JSON object"
    return Verdict("none", system_message=_short(text), undecodable=odd, diagnostics=(*notes, odd))


def _cut(value: JsonObject) -> JsonObject:
    """Return an answer with its texts cut."""
    cut: dict[str, Json] = {**value}
    for key in ("stopReason", "systemMessage", "reason"):
        text = value.get(key)
        if isinstance(text, str):
            cut[key] = _short(text)
    specific = value.get("hookSpecificOutput")
    context = specific.get("additionalContext") if isinstance(specific, dict) else None
    if isinstance(specific, dict) and isinstance(context, str):
        cut["hookSpecificOutput"] = {**specific, "additionalContext": _short(context)}
    return cut


def _short(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[:MAX_TEXT]}\n... [truncated, {len(text) - MAX_TEXT} more characters]"

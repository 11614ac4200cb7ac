"""jcode's matchers: parts joined by "|", each an exact name or, with a special character, RE2.

Upstream splits at every "|", which breaks `^(read|grep)$` into two parts that do not compile and never
match. Better mode splits only outside brackets. A part that does not compile is noted in both modes.
"""

from __future__ import annotations

from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts.jcode.names import ALIASES, TOOL_EVENTS
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, AnyOf, Exact, Matcher, Never, Regex, ToolName
from sandhook.pattern.errors import PatternError

_SPECIAL = frozenset(".^$*+?()[]{}\\")


def matcher(fields: Fields, handler: Handler, *, strict: bool) -> Matcher:
    """Return the matcher of a group; notes what is unusual."""
    text = handler.matcher.strip()
    if text in ("", "*"):
        return ALWAYS
    on_tools = handler.event in TOOL_EVENTS
    where = f"{handler.group_path}.matcher"
    if not on_tools:
        fields.note(where, "the name is empty on this event, so the hook runs only if the matcher takes that")
    parts: list[Matcher] = []
    for part in text.split("|") if strict else _split(text):
        part = part.strip()
        if not part:
            continue
        if not _SPECIAL & set(part):
            parts.append(ToolName(Exact(part), ALIASES, ""))
            continue
        try:
            parts.append(ToolName(Regex(part, "go", compile_search(part, "go")), ALIASES, ""))
        except PatternError as error:
            fields.note(where, f"the part {part!r} does not compile ({error}): it matches nothing")
    if not parts:
        return Never(f"matcher {text!r} has no part that can match")
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def _split(text: str) -> list[str]:
    """Split at every "|" that is outside brackets and not quoted by a backslash."""
    parts = [""]
    depth, at = 0, 0
    in_class = False
    while at < len(text):
        c = text[at]
        if c == "\\":
            parts[-1] += text[at : at + 2]
            at += 2
            continue
        if in_class:
            in_class = c != "]"
        elif c == "[" and "]" in text[at:]:
            in_class = True
        elif c == "(":
            depth += 1
        elif c == ")":
            depth = max(0, depth - 1)
        elif c == "|" and not depth:
            parts.append("")
            at += 1
            continue
        parts[-1] += c
        at += 1
    return parts

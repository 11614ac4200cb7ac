"""Tilde expansion (POSIX.1-2024 XCU 2.6.1); ``~user`` knows the sandbox's users alone."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.lazy import lazily
from sandhook.state.state import State
from sandhook.syntax.nodes import Literal, WordPart
from sandhook.vfs.path import VirtualPath

#: What an assignment begins with.
_ASSIGNED = lazily(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^]]*\])?\+?=")


def tilde_prefix(parts: Sequence[WordPart]) -> str | None:
    """Return the unquoted tilde-prefix ("~", "~name") that the parts begin with, or None."""
    if not parts or not isinstance(parts[0], Literal) or parts[0].text[:1] != "~":
        return None
    end = _end_of(parts[0].text, 0)
    if end == len(parts[0].text) and len(parts) > 1:
        return None  # the prefix would go on in a quoted or expanded part
    return parts[0].text[:end]


def _end_of(text: str, at: int) -> int:
    """Return where the tilde-prefix at an offset ends."""
    return min((end for end in (text.find("/", at), text.find(":", at)) if end >= 0), default=len(text))


def split_tildes(parts: Sequence[WordPart], *, assignment: bool = False) -> list[WordPart | str]:
    """Return the parts of a word with its tilde-prefixes as plain strings.

    Args:
        assignment: A tilde counts after each unquoted ":" too.
    """
    found: list[WordPart | str] = []
    at_start = True
    for index, part in enumerate(parts):
        if not isinstance(part, Literal):
            found.append(part)
            at_start = False
            continue
        text, begin = part.text, 0
        while True:
            if at_start and text.startswith("~", begin):
                end = _end_of(text, begin)
                if end < len(text) or index == len(parts) - 1:
                    found.append(text[begin:end])
                    begin = end
            at = text.find(":~", begin) if assignment else -1
            if at < 0:
                break
            found.append(Literal(text[begin : at + 1]))
            begin = at + 1
            at_start = True
        if begin < len(text):
            found.append(Literal(text[begin:]) if begin else part)
        at_start = assignment and text.endswith(":")
    return found


def expand_tilde(state: State, prefix: str) -> str:
    """Return what a tilde-prefix stands for; an unknown name stays as it is."""
    name = prefix[1:]
    if not name:
        home = state.get("HOME")
        return home if home is not None else home_of(state, None) or "/"
    if name == "+":
        found = state.get("PWD")
        return prefix if found is None else found
    if name == "-":
        found = state.get("OLDPWD")
        return prefix if found is None else found
    if name.lstrip("+-").isdigit() and name.count("+") + name.count("-") <= 1:
        stack = [state.get("PWD") or "/", *state.directory_stack]
        index = int(name.lstrip("+-")[:6])
        if name[0] == "-":
            index = len(stack) - 1 - index
        return stack[index] if 0 <= index < len(stack) else prefix
    return home_of(state, name) or prefix


def home_of(state: State, name: str | None) -> str | None:
    """Return a home directory from the virtual /etc/passwd; None for the script's own user."""
    try:
        text = state.process.kernel.fs.read_bytes(VirtualPath("/etc/passwd")).decode(
            "utf-8", "surrogateescape"
        )
    except OSError:
        return None
    user = str(state.process.kernel.user_id)
    for line in text.splitlines():
        fields = line.split(":")
        if len(fields) >= 6 and (fields[0] == name if name is not None else fields[2] == user):
            return fields[5]
    return None


def tilde_behind_name(parts: Sequence[WordPart]) -> list[WordPart | str] | None:
    """Split ``name=~...``: outside POSIX mode, bash expands such tildes in an argument too."""
    if not parts or not isinstance(parts[0], Literal):
        return None
    name = _ASSIGNED.match(parts[0].text) if "=" in parts[0].text else None
    if name is None:
        return None
    behind = split_tildes([Literal(parts[0].text[name.end() :]), *parts[1:]], assignment=True)
    return [Literal(name[0]), *behind] if any(isinstance(piece, str) for piece in behind) else None


def has_tilde(parts: Sequence[WordPart], *, assignment: bool = False) -> bool:
    """Return True when a word has a tilde-prefix, or an assignment's value has one after a ":"."""
    return tilde_prefix(parts) is not None or (
        assignment and any(isinstance(part, Literal) and ":~" in part.text for part in parts)
    )

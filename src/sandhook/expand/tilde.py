"""Tilde expansion (POSIX.1-2024 XCU 2.6.1); ``~user`` finds only users of the virtual /etc/passwd."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.lazy import lazily
from sandhook.state.state import State
from sandhook.syntax.nodes import Literal, WordPart
from sandhook.text.numbers import decimal
from sandhook.vfs.path import VirtualPath

#: The beginning of an assignment.
_ASSIGNED = lazily(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^]]*\])?\+?=")


def tilde_prefix(parts: Sequence[WordPart]) -> str | None:
    """Return the unquoted tilde-prefix ("~", "~name") that the parts begin with, or None."""
    if not parts or not isinstance(parts[0], Literal) or parts[0].text[:1] != "~":
        return None
    end = _end_of(parts[0].text, 0)
    if end == len(parts[0].text) and len(parts) > 1:
        return None  # the prefix would continue in a quoted or expanded part
    return parts[0].text[:end]


def _end_of(text: str, at: int) -> int:
    """Return the end of the tilde-prefix at an offset."""
    return min((end for end in (text.find("/", at), text.find(":", at)) if end >= 0), default=len(text))


def split_tildes(parts: Sequence[WordPart], *, assignment: bool = False) -> list[WordPart | str]:
    """Return the parts of a word with its tilde-prefixes as plain strings.

    Args:
        assignment: A tilde counts after each unquoted ":" too.
    """
    pieces: list[WordPart | str] = []
    at_start = True
    for index, part in enumerate(parts):
        if not isinstance(part, Literal):
            pieces.append(part)
            at_start = False
            continue
        text, begin = part.text, 0
        while True:
            if at_start and text.startswith("~", begin):
                end = _end_of(text, begin)
                if end < len(text) or index == len(parts) - 1:
                    pieces.append(text[begin:end])
                    begin = end
            colon = text.find(":~", begin) if assignment else -1
            if colon < 0:
                break
            pieces.append(Literal(text[begin : colon + 1]))
            begin = colon + 1
            at_start = True
        if begin < len(text):
            pieces.append(Literal(text[begin:]) if begin else part)
        at_start = assignment and text.endswith(":")
    return pieces


def expand_tilde(state: State, prefix: str) -> str:
    """Return the directory of a tilde-prefix; a prefix with an unknown name is returned unchanged."""
    name = prefix[1:]
    if not name:
        home = state.get("HOME")
        return home if home is not None else home_of(state, None) or "/"
    if name == "+":
        directory = state.get("PWD")
        return prefix if directory is None else directory
    if name == "-":
        directory = state.get("OLDPWD")
        return prefix if directory is None else directory
    index = decimal(name.lstrip("+-"))
    if index is not None and name.count("+") + name.count("-") <= 1:
        stack = [state.get("PWD") or "/", *state.directory_stack]
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


def split_assignment_tildes(parts: Sequence[WordPart]) -> list[WordPart | str] | None:
    """Split ``name=~...``: outside POSIX mode, bash expands such tildes in an argument too."""
    if not parts or not isinstance(parts[0], Literal):
        return None
    name = _ASSIGNED.match(parts[0].text) if "=" in parts[0].text else None
    if name is None:
        return None
    value = split_tildes([Literal(parts[0].text[name.end() :]), *parts[1:]], assignment=True)
    return [Literal(name[0]), *value] if any(isinstance(piece, str) for piece in value) else None


def has_tilde(parts: Sequence[WordPart], *, assignment: bool = False) -> bool:
    """Return True when a word has a tilde-prefix, or an assignment's value has one after a ":"."""
    return tilde_prefix(parts) is not None or (
        assignment and any(isinstance(part, Literal) and ":~" in part.text for part in parts)
    )

"""Tilde expansion (POSIX.1-2024 XCU 2.6.1); ``~user`` knows the sandbox's users alone."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.state.state import State
from sandhook.syntax.nodes import Literal, WordPart
from sandhook.vfs.path import VirtualPath


def tilde_prefix(parts: Sequence[WordPart], *, assignment: bool = False) -> str | None:
    """Return the unquoted tilde-prefix ("~", "~name") that the parts begin with, or None."""
    if not parts or not isinstance(parts[0], Literal) or parts[0].text[:1] != "~":
        return None
    text = parts[0].text
    end = len(text)
    for stop in "/:" if assignment else "/":
        at = text.find(stop)
        if 0 <= at < end:
            end = at
    if end == len(text) and len(parts) > 1:
        return None  # the prefix would go on in a quoted or expanded part
    return text[:end]


def expand_tilde(state: State, prefix: str) -> str:
    """Return what a tilde-prefix stands for; an unknown name stays as it is."""
    name = prefix[1:]
    if not name:
        home = state.get("HOME")
        return home if home is not None else home_of(state, None) or "/"
    if name == "+":
        return state.get("PWD") or prefix
    if name == "-":
        return state.get("OLDPWD") or prefix
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
    for line in text.splitlines():
        fields = line.split(":")
        if len(fields) >= 6 and (fields[0] == name if name is not None else fields[2] == "1000"):
            return fields[5]
    return None


def tilde_behind_name(parts: Sequence[WordPart]) -> tuple[str, str] | None:
    """Split ``name=~...``: bash expands that tilde in an argument too."""
    if not parts or not isinstance(parts[0], Literal):
        return None
    name, equals, rest = parts[0].text.partition("=~")
    return (name + "=", "~" + rest) if equals and name.isidentifier() and name.isascii() else None


def has_later_tilde(parts: Sequence[WordPart]) -> bool:
    """Tell whether a tilde follows a ":" in the unquoted text of an assignment."""
    return any(isinstance(part, Literal) and ":~" in part.text for part in parts)

"""The built-ins that touch shell state: one visible dict of names to modules, loaded when first used.

bash has a few more, which need no state and are utilities here (``true``, ``false``):
``NAMES`` lists all that ``type`` calls a shell builtin.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

BUILTINS: dict[str, str] = {
    ".": "source",
    ":": "colon",
    "[": "test",
    "alias": "alias",
    "bg": "fg",
    "bind": "bind",
    "break": "break_",
    "builtin": "builtin",
    "caller": "caller",
    "cd": "cd",
    "command": "command",
    "compgen": "compgen",
    "complete": "complete",
    "compopt": "compopt",
    "continue": "continue_",
    "declare": "declare",
    "dirs": "dirs",
    "disown": "disown",
    "echo": "echo",
    "enable": "enable",
    "eval": "eval",
    "exec": "exec",
    "exit": "exit",
    "export": "export",
    "fc": "fc",
    "fg": "fg",
    "getopts": "getopts",
    "hash": "hash",
    "help": "help",
    "history": "history",
    "jobs": "jobs",
    "kill": "kill",
    "let": "let",
    "local": "local",
    "logout": "logout",
    "mapfile": "mapfile",
    "popd": "popd",
    "printf": "printf",
    "pushd": "pushd",
    "pwd": "pwd",
    "read": "read",
    "readarray": "mapfile",
    "readonly": "readonly",
    "return": "return_",
    "set": "set",
    "shift": "shift",
    "shopt": "shopt",
    "source": "source",
    "suspend": "suspend",
    "test": "test",
    "times": "times",
    "trap": "trap",
    "type": "type",
    "typeset": "declare",
    "ulimit": "ulimit",
    "umask": "umask",
    "unalias": "unalias",
    "unset": "unset",
    "wait": "wait",
}

#: Special built-ins of POSIX XCU 2.15; ``source`` is bash's other name of one.
SPECIAL = frozenset({
    ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
    "shift", "source", "times", "trap", "unset",
})  # fmt: skip

#: Built-ins whose arguments may be assignments, compound ones too.
DECLARATIONS = frozenset({"alias", "declare", "export", "local", "readonly", "typeset"})

#: bash's built-ins that are utilities here.
AS_UTILITIES = frozenset({"false", "true"})

#: Every name that ``type`` calls a shell builtin.
NAMES = frozenset(BUILTINS) | AS_UTILITIES

#: Reserved words, in the order of ``compgen -k``.
KEYWORDS: tuple[str, ...] = (
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done",
    "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc",
)  # fmt: skip


def load(name: str) -> Any:
    """Return the module of a built-in in BUILTINS. Raises KeyError for any other name."""
    return import_module(f"sandhook.builtins.{BUILTINS[name]}")


def prepare(name: str, prefix: tuple[str, ...], whole: bool) -> Any:
    """Return a form of a built-in for commands that begin with the words ``prefix``, None when it has none.

    Such a form does what ``run`` does and is called as it is, with all the words; what depends on the
    prefix alone was done beforehand. ``whole``: there are no other words.
    """
    made = getattr(load(name), "prepare", None)
    return None if made is None else made(prefix, whole)


__all__ = ["AS_UTILITIES", "BUILTINS", "DECLARATIONS", "KEYWORDS", "NAMES", "SPECIAL", "load", "prepare"]

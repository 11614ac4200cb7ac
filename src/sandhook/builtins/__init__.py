"""The built-ins that touch shell state: one visible dict of names to modules, loaded when first used.

bash has a few more, which need no state and are utilities here (``true``, ``false``):
``NAMES`` lists all that ``type`` calls a shell builtin.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

BUILTINS: dict[str, str] = {
    ".": "flow.source",
    ":": "flow.colon",
    "[": "output.test",
    "alias": "names.alias",
    "bg": "jobs.fg",
    "bind": "names.bind",
    "break": "flow.break_",
    "builtin": "names.builtin",
    "caller": "flow.caller",
    "cd": "directories.cd",
    "command": "names.command",
    "compgen": "names.compgen",
    "complete": "names.complete",
    "compopt": "names.compopt",
    "continue": "flow.continue_",
    "declare": "variables.declare",
    "dirs": "directories.dirs",
    "disown": "jobs.disown",
    "echo": "output.echo",
    "enable": "names.enable",
    "eval": "flow.eval",
    "exec": "flow.exec",
    "exit": "flow.exit",
    "export": "variables.export",
    "fc": "names.fc",
    "fg": "jobs.fg",
    "getopts": "variables.getopts",
    "hash": "names.hash",
    "help": "names.help",
    "history": "names.history",
    "jobs": "jobs.jobs",
    "kill": "jobs.kill",
    "let": "variables.let",
    "local": "variables.local",
    "logout": "flow.logout",
    "mapfile": "variables.mapfile",
    "popd": "directories.popd",
    "printf": "output.printf",
    "pushd": "directories.pushd",
    "pwd": "directories.pwd",
    "read": "variables.read",
    "readarray": "variables.mapfile",
    "readonly": "variables.readonly",
    "return": "flow.return_",
    "set": "variables.set",
    "shift": "variables.shift",
    "shopt": "names.shopt",
    "source": "flow.source",
    "suspend": "jobs.suspend",
    "test": "output.test",
    "times": "jobs.times",
    "trap": "flow.trap",
    "type": "names.type",
    "typeset": "variables.declare",
    "ulimit": "jobs.ulimit",
    "umask": "jobs.umask",
    "unalias": "names.unalias",
    "unset": "variables.unset",
    "wait": "jobs.wait",
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

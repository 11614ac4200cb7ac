"""The built-ins that use shell state: one dict of names to modules, which are loaded on first use.

A few built-ins of bash need no state and are utilities here (``true``, ``false``):
``NAMES`` lists every name that ``type`` calls a shell builtin.
"""

from __future__ import annotations

from importlib import import_module

from sandhook.typed import Any

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
    "false": "flow.false",
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
    "true": "flow.true",
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

#: Every name that ``type`` calls a shell builtin.
NAMES = frozenset(BUILTINS)

#: Reserved words, in the order of ``compgen -k``.
KEYWORDS: tuple[str, ...] = (
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done",
    "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc",
)  # fmt: skip


def load(name: str) -> Any:
    """Return the module of a built-in in BUILTINS. Raises KeyError for any other name."""
    return import_module(f"sandhook.builtins.{BUILTINS[name]}")


def prepare(name: str, prefix: tuple[str, ...], whole: bool) -> Any:
    """Return a built-in that is specialised for commands that begin with ``prefix``, or None.

    The result is called like ``run``, with all words, and does the same; the work that depends on the
    prefix alone is done here. ``whole``: there are no other words.
    """
    specialise = getattr(load(name), "prepare", None)
    return None if specialise is None else specialise(prefix, whole)


__all__ = ["BUILTINS", "DECLARATIONS", "KEYWORDS", "NAMES", "SPECIAL", "load", "prepare"]

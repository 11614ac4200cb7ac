"""The built-in utilities: one visible dict of names to modules, loaded when first used.

``UTILITIES`` maps what a script may call to the module below this package that implements
it. A name that stands for another one with other defaults (``[``, ``egrep``) has a module
of its own or is told apart there by ``ctx.name``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sandhook.utilities._base import Context, Failure, Option, Reader, UsageError, Utility, opt, run_utility

UTILITIES: dict[str, str] = {
    "[": "test",
    "basename": "basename",
    "cat": "cat",
    "chmod": "chmod",
    "cp": "cp",
    "cut": "cut",
    "date": "date",
    "dirname": "dirname",
    "echo": "echo",
    "egrep": "grep",
    "env": "env",
    "false": "false",
    "fgrep": "grep",
    "find": "find",
    "grep": "grep",
    "head": "head",
    "jq": "jq",
    "ln": "ln",
    "ls": "ls",
    "mkdir": "mkdir",
    "mktemp": "mktemp",
    "mv": "mv",
    "printenv": "printenv",
    "printf": "printf",
    "readlink": "readlink",
    "realpath": "realpath",
    "rm": "rm",
    "rmdir": "rmdir",
    "sed": "sed",
    "seq": "seq",
    "sleep": "sleep",
    "sort": "sort",
    "stat": "stat",
    "tail": "tail",
    "tee": "tee",
    "test": "test",
    "touch": "touch",
    "tr": "tr",
    "true": "true",
    "uniq": "uniq",
    "wc": "wc",
    "xargs": "xargs",
}


def load(name: str) -> Any:
    """Return the module of a utility in UTILITIES. Raises KeyError for any other name."""
    return import_module(f"sandhook.utilities.{UTILITIES[name]}")


__all__ = [
    "UTILITIES",
    "Context",
    "Failure",
    "Option",
    "Reader",
    "UsageError",
    "Utility",
    "load",
    "opt",
    "run_utility",
]

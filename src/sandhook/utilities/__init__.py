"""The built-in utilities: one visible dict of names to modules, loaded when first used.

``UTILITIES`` maps what a script may call to the module below this package that implements
it. A name that stands for another one with other defaults (``[``, ``egrep``) has a module
of its own or is told apart there by ``ctx.name``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sandhook.utilities._base import (
    Context,
    Failure,
    Option,
    Reader,
    UsageError,
    Utility,
    opt,
    option_set,
    run_utility,
)

UTILITIES: dict[str, str] = {
    "[": "test",
    "awk": "awk",
    "base64": "base64",
    "basename": "basename",
    "cat": "cat",
    "chmod": "chmod",
    "cmp": "cmp",
    "comm": "comm",
    "cp": "cp",
    "cut": "cut",
    "date": "date",
    "dd": "dd",
    "diff": "diff",
    "dirname": "dirname",
    "echo": "echo",
    "egrep": "grep",
    "env": "env",
    "expr": "expr",
    "false": "false",
    "fgrep": "grep",
    "find": "find",
    "fold": "fold",
    "gawk": "awk",
    "grep": "grep",
    "hd": "hexdump",
    "head": "head",
    "hexdump": "hexdump",
    "hostname": "hostname",
    "id": "id",
    "join": "join",
    "jq": "jq",
    "ln": "ln",
    "ls": "ls",
    "mawk": "awk",
    "md5sum": "checksum",
    "mkdir": "mkdir",
    "mkfifo": "mkfifo",
    "mktemp": "mktemp",
    "mv": "mv",
    "nl": "nl",
    "nproc": "nproc",
    "od": "od",
    "paste": "paste",
    "patch": "patch",
    "printenv": "printenv",
    "printf": "printf",
    "pwd": "pwd",
    "readlink": "readlink",
    "realpath": "realpath",
    "rev": "rev",
    "rm": "rm",
    "rmdir": "rmdir",
    "sed": "sed",
    "seq": "seq",
    "sha1sum": "checksum",
    "sha224sum": "checksum",
    "sha256sum": "checksum",
    "sha384sum": "checksum",
    "sha512sum": "checksum",
    "sleep": "sleep",
    "sort": "sort",
    "split": "split",
    "stat": "stat",
    "tac": "tac",
    "tail": "tail",
    "tee": "tee",
    "test": "test",
    "timeout": "timeout",
    "touch": "touch",
    "tr": "tr",
    "true": "true",
    "tty": "tty",
    "uname": "uname",
    "uniq": "uniq",
    "wc": "wc",
    "which": "which",
    "whoami": "whoami",
    "xargs": "xargs",
    "xxd": "xxd",
    "yes": "yes",
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
    "option_set",
    "run_utility",
]

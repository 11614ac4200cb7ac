"""Converts environments and paths in arguments between a shell and programs of Windows."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache

from sandhook.host.files import WINDOWS
from sandhook.host.names import list_to_native, list_to_virtual, to_argument, to_native

#: Variables whose value is one path in the shell's form.
_PLACES = ("PWD", "OLDPWD")

_NO_CONVERSION = "MSYS_NO_PATHCONV"


def shell_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in the shell's form: on Windows, PATH with colons, and a HOME."""
    if not WINDOWS:
        return dict(env)
    result: dict[str, str] = {}
    for name, value in env.items():
        if name.upper() == "PATH":
            result["PATH"] = list_to_virtual(value)
        else:
            result[name] = value
    if "HOME" not in result and "USERPROFILE" in result:
        result["HOME"] = result["USERPROFILE"]
    return result


def native_environment(env: Mapping[str, str]) -> Mapping[str, str]:
    """Return a shell's exported variables in the form that programs of the machine expect."""
    if not WINDOWS:
        return env
    result = dict(env)
    if "PATH" in result:
        result["PATH"] = list_to_native(result["PATH"])
    for name in _PLACES:
        if result.get(name, "")[:1] == "/":
            result[name] = to_native(result[name])
    if not result.get(_NO_CONVERSION):
        for name, value in result.items():
            result[name] = _argument(value)
    return result


def native_arguments(argv: Sequence[str], env: Mapping[str, str]) -> Sequence[str]:
    """Return a command in the form that programs of the machine expect: on Windows, with native absolute paths.

    Git Bash converts paths, too. Its variable MSYS_NO_PATHCONV turns the conversion off.
    """
    if not WINDOWS or env.get(_NO_CONVERSION):
        return argv
    return [*argv[:1], *map(_argument, argv[1:])]


def _argument(word: str) -> str:
    return to_argument(word, _has_drive, os.environ.get("TEMP", ""))


def _has_drive(drive: str) -> bool:
    return os.path.exists(drive + "\\")  # noqa: PTH110


@cache
def machine_facts() -> Mapping[str, str]:
    """Return the shell's variables that describe the machine."""
    if sys.platform == "win32":
        machine, system = os.environ.get("PROCESSOR_ARCHITECTURE", "x86_64").lower(), "msys"
        machine = "x86_64" if machine == "amd64" else machine
        name = os.environ.get("COMPUTERNAME", "")
    else:
        uname = os.uname()
        machine, name = uname.machine, uname.nodename
        system = "linux-gnu" if uname.sysname == "Linux" else uname.sysname.lower()
        if system == "darwin":  # as in bash there, with the number of the version
            system += uname.release.partition(".")[0]
    vendor = "apple" if system.startswith("darwin") else "pc"
    return {
        "HOSTNAME": name,
        "HOSTTYPE": machine,
        "MACHTYPE": f"{machine}-{vendor}-{system}",
        "OSTYPE": system,
    }

"""An environment as a shell has it, and as a program of the machine does: they differ on Windows."""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.host.files import WINDOWS
from sandhook.host.names import list_to_native, list_to_virtual, to_native

#: Variables that hold one path of the shell's own making.
_PLACES = ("PWD", "OLDPWD")


def shell_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return an environment as a shell has it: on Windows, PATH with colons, and a HOME."""
    if not WINDOWS:
        return dict(env)
    made: dict[str, str] = {}
    for name, value in env.items():
        if name.upper() == "PATH":
            made["PATH"] = list_to_virtual(value)
        else:
            made[name] = value
    if "HOME" not in made and "USERPROFILE" in made:
        made["HOME"] = made["USERPROFILE"]
    return made


def native_environment(env: Mapping[str, str]) -> Mapping[str, str]:
    """Return a shell's exported variables as a program of the machine expects them."""
    if not WINDOWS:
        return env
    made = dict(env)
    if "PATH" in made:
        made["PATH"] = list_to_native(made["PATH"])
    for name in _PLACES:
        if made.get(name, "")[:1] == "/":
            made[name] = to_native(made[name])
    return made

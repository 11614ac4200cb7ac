"""Files of an agent that reads hooks and starts none of them: they look like guards, and nothing runs them.

The agent is Continue's cn; docs/contracts/without-a-contract.md has what was seen of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.errors import ConfigError
from sandhook.hooks.contracts._installed import CONTINUE
from sandhook.hooks.decode import object_of
from sandhook.hooks.sources import documents

#: What is wrong with such a file.
UNSTARTED = f"{CONTINUE}: nothing here is in force"

UNSTARTED_ADVICE = "exclude what cn may not do by its own rules, which hold without --auto alone"

_SETTINGS, _LOCAL = "settings.json", "settings.local.json"


def is_unstarted(file: str) -> bool:
    """Return whether a file has hooks and is where cn alone looks for them.

    Args:
        file: An absolute path.
    """
    directory, _, last = file.replace("\\", "/").rpartition("/")
    return directory.endswith("/.continue") and last in (_SETTINGS, _LOCAL) and _has_hooks(file)


def unstarted_places(cwd: str, env: Mapping[str, str], platform: str) -> list[str]:
    """Return where cn looks for hooks, apart from Claude Code's files."""
    home = env.get("USERPROFILE" if platform == "win32" else "HOME", "")
    own = env.get("CONTINUE_GLOBAL_DIR") or (f"{home}/.continue" if home else "")
    places = [f"{own}/{_SETTINGS}"] if own else []
    places += [f"{cwd}/.continue/{name}" for name in (_SETTINGS, _LOCAL)]
    return list(dict.fromkeys(each.replace("\\", "/") for each in places))


def unstarted_files(cwd: str, env: Mapping[str, str], platform: str) -> list[str]:
    """Return those of these files that have hooks."""
    return list(filter(_has_hooks, unstarted_places(cwd, env, platform)))


def _has_hooks(file: str) -> bool:
    try:
        (document,) = documents(file)
    except ConfigError:
        return False  # cn does not read it either
    return isinstance(document.value, dict) and bool(object_of(document.value, "hooks"))

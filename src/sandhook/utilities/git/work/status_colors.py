"""The colours of "git status", which the settings color.status and color.status.SLOT choose.

Source: git-config(1). The slots "header" and "branch" have no effect (L-GIT-003).
"""

from __future__ import annotations

from sandhook.utilities.git.names.colors import are_wanted, painted, setting_color
from sandhook.utilities.git.store.config import Config

#: The names of each slot, of which the one that is set last counts, and its colour without a setting.
_SLOTS = {
    "added": (("added", "updated"), "green"),
    "changed": (("changed",), "red"),
    "untracked": (("untracked",), "red"),
    "unmerged": (("unmerged",), "red"),
    "nobranch": (("nobranch",), "red"),
    "local": (("localbranch",), "green"),
    "remote": (("remotebranch",), "red"),
}


class StatusColors:
    """The colours of one run, none unless the settings want them."""

    def __init__(self, config: Config) -> None:
        self._colors: dict[str, str] = {}
        if are_wanted(config.get, "status"):
            for slot, (names, default) in _SLOTS.items():
                keys = [f"color.status.{name}" for name in names]
                key = next((each.key for each in reversed(config.settings) if each.key in keys), keys[0])
                self._colors[slot] = setting_color(config.get, key, default)

    def paint(self, slot: str, text: str) -> str:
        """Return a text in the colour of a slot."""
        return painted(text, self._colors.get(slot, ""))

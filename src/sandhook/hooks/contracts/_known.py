"""What is known of agents apart from their contracts: where they keep hooks that are files, and which have no contract."""

from __future__ import annotations

from sandhook.hooks.contracts import get

#: Where the agents whose hooks are files look for them.
_DIRECTORIES = {"/.clinerules/hooks/": "cline", "/.cline/hooks/": "cline", "/Cline/Hooks/": "cline"}

CONTINUE = "Continue's cn reads hooks and starts none of them (1.5.47)"
_AUGGIE = "no run of Auggie could be recorded"

#: By the names under which people look for them, without signs.
_WHY = {
    "continue": CONTINUE,
    "continuecli": CONTINUE,
    "continuedev": CONTINUE,
    "cn": CONTINUE,
    "auggie": _AUGGIE,
    "augment": _AUGGIE,
}


def owner_of(file: str) -> str | None:
    """Return the contract whose agent starts a file by its place and name, None for any other file."""
    directory = f"/{file}".replace("\\", "/").rpartition("/")[0] + "/"
    owner = next((name for place, name in _DIRECTORIES.items() if directory.endswith(place)), None)
    return owner if owner is not None and get(owner).reads(file) else None


def why_without(name: str) -> str | None:
    """Return why an agent has no contract; None for one of which nothing is known."""
    return _WHY.get("".join(filter(str.isalnum, name.casefold())))

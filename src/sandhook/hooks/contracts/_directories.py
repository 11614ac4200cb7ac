"""The directories of agents whose hooks are files, which have no form by which they could be recognised."""

from __future__ import annotations

from sandhook.hooks.contracts import get

_DIRECTORIES = {"/.clinerules/hooks/": "cline", "/.cline/hooks/": "cline", "/Cline/Hooks/": "cline"}


def owner_of(file: str) -> str | None:
    """Return the contract whose agent starts a file by its place and name, None for any other file."""
    directory = f"/{file}".replace("\\", "/").rpartition("/")[0] + "/"
    owner = next((name for place, name in _DIRECTORIES.items() if directory.endswith(place)), None)
    return owner if owner is not None and get(owner).reads(file) else None

"""Where installed hooks come from: the expectations of these files are about the hooks in the agents' files."""

from __future__ import annotations

from sandhook.cli.installing import store
from sandhook.cli.notes import print_note
from sandhook.installation.errors import InstallationError
from sandhook.installation.status import installed_hooks


def installed_sources() -> dict[str, tuple[str, ...]]:
    """Return the files that installed hooks come from, by the agent's file; a damaged record is a note."""
    found: dict[str, tuple[str, ...]] = {}
    try:
        for hook in installed_hooks(store()):
            if hook.source and hook.source not in found.get(hook.file, ()):
                found[hook.file] = (*found.get(hook.file, ()), hook.source)
    except InstallationError as error:
        print_note(f"note: {error}")
    return found

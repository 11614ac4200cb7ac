"""Files for agents whose hooks are files: one for each hook, with the name of its event and one of the endings of a shell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sandhook.hooks.contracts import Contract
from sandhook.hooks.event import Json
from sandhook.installation.errors import InstallationError
from sandhook.installation.operations import Entry, Install
from sandhook.installation.places import Place, Scope, Surroundings, directory_of, is_present, scope_of
from sandhook.installation.records import FileRecord
from sandhook.record import Record

#: Endings of files that a shell starts; none comes first.
ENDINGS = ("", ".sh", ".bash", ".zsh")


class Scripts(Record):
    """What is to be done with the files of one agent.

    Attributes:
        installs: The hooks, each with its file.
        left: Files of an earlier version of the source that have no hook any more.
    """

    installs: tuple[tuple[Place, Install], ...]
    left: tuple[Place, ...]


def scripts(
    contract: Contract,
    scope: Scope | None,
    around: Surroundings,
    operation: Install,
    records: Iterable[FileRecord],
) -> Scripts:
    """Return the files in which the hooks of one operation are installed.

    Args:
        operation: All hooks, as they are for agents with a configuration.
        records: What is recorded of the files of this agent.

    Raises:
        ScopeError: The agent has no files of that scope.
        InstallationError: Other files have all the names that a hook can have.
    """
    own = scope_of(contract, scope, around)
    directory = directory_of(contract, own, around)
    known = [
        each.file
        for each in records
        if each.scope == own
        and each.file.rpartition("/")[0] == directory
        and any(isinstance(done, Install) and done.source == operation.source for done in each.operations)
    ]
    installs: list[tuple[Place, Install]] = []
    for entry in operation.entries:
        event = entry.path[-1]
        taken = [place.file for place, _ in installs]
        file = _file(directory, event, known, taken)
        value: Json = {**entry.value, "script": True} if isinstance(entry.value, dict) else entry.value
        one = Entry(entry.path, value)
        installs.append((Place(contract.name, own, file), operation._replace(entries=(one,), settings=())))
    used = {place.file for place, _ in installs}
    left = tuple(Place(contract.name, own, file) for file in known if file not in used)
    return Scripts(tuple(installs), left)


def _file(directory: str, event: str, known: Sequence[str], taken: Collection[str]) -> str:
    names = [f"{directory}/{event}{ending}" for ending in ENDINGS]
    for name in names:
        if name in known and name not in taken:
            return name
    for name in names:
        if name not in taken and not is_present(name):
            return name
    raise InstallationError(
        names[0], f"and the files with the endings {', '.join(ENDINGS[1:])} have other hooks of {event}"
    )

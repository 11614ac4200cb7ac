"""The state of installed hooks: are they still in the files as they were installed?"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.hooks.event import Json
from sandhook.installation import disk
from sandhook.installation.changes import settled
from sandhook.installation.errors import InstallationError
from sandhook.installation.operations import Entry, HookState, Install, Wrap, command_in, first_text, state_of
from sandhook.installation.records import FileRecord, Pending, RecordStore, digest_of
from sandhook.installation.texts import read_value
from sandhook.record import Record


class InstalledHook(Record):
    """One hook that sandhook installed or wrapped.

    Attributes:
        agent: Name of the contract.
        scope: One of ``places.SCOPES``.
        file: The agent's file.
        source: The file that the hook comes from; "" for a hook that was wrapped.
        place: The keys above the hook, joined by dots.
        matcher: The text of its matcher, "" without one.
        command: What it runs.
        state: One of HookState.
        why: Why the file cannot be read; "" otherwise.
        file_edited: Somebody else wrote the file since.
    """

    agent: str
    scope: str
    file: str
    source: str
    place: str
    matcher: str
    command: str
    state: HookState
    why: str = ""
    file_edited: bool = False


def installed_hooks(store: RecordStore) -> list[InstalledHook]:
    """Return all hooks that are recorded, in the order of agents, scopes and files.

    Raises:
        InstallationError: A record is damaged.
    """
    hooks: list[InstalledHook] = []
    for each in store.all():
        hooks += _hooks_of(each)
    return sorted(hooks, key=lambda hook: (hook.agent, hook.scope, hook.file))


def _hooks_of(known: FileRecord | Pending) -> Iterator[InstalledHook]:
    current: bytes | None = None
    why = ""
    try:
        current = disk.read(known.target)
    except InstallationError as error:
        why = error.reason
    record = settled(known, current) if isinstance(known, Pending) else known
    if record is None:
        return
    value: Json = None
    if not why:
        try:
            value = read_value(current, record.file)
        except InstallationError as error:
            why = error.reason
    edited = digest_of(current) != record.after
    for position, operation in enumerate(record.operations, 1):
        items = operation.rewrites if isinstance(operation, Wrap) else operation.entries
        source = operation.source if isinstance(operation, Install) else ""
        for item in items:
            hook = item.value if isinstance(item, Entry) else item.new
            yield InstalledHook(
                agent=record.agent,
                scope=record.scope,
                file=record.file,
                source=source,
                place=".".join(key for key in item.path if key is not None),
                matcher=first_text(hook, ("matcher", "match", "tools", "tool_name", "tool_name_glob")),
                command=command_in(hook),
                state="unreadable" if why else state_of(value, item, record.operations[position:]),
                why=why,
                file_edited=edited,
            )

"""Changes files of agents, so that each change can be undone, and that a kill loses nothing.

Before a file is written, its record says what will be written. The next run compares the file with that, and knows
whether the change happened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, TypeAlias

from sandhook.formats.tree_edit import same
from sandhook.hooks.event import Json
from sandhook.installation import disk
from sandhook.installation.errors import EditedError, InstallationError
from sandhook.installation.operations import (
    Entry,
    HookState,
    Install,
    Operation,
    Rewrite,
    Wrap,
    apply,
    is_in_force,
    state_of,
    without,
)
from sandhook.installation.places import Place, target_of
from sandhook.installation.records import FileRecord, Pending, RecordStore, digest_of
from sandhook.installation.texts import changed, read_value, reverted
from sandhook.record import Record

#: What a change did, or would do, with a file. "absent": there was nothing to undo.
Done: TypeAlias = Literal[
    "installed", "replaced", "unchanged", "uninstalled", "absent", "restored", "wrapped", "unwrapped"
]


class Outcome(Record):
    """What a change did with one file.

    Attributes:
        place: The file.
        target: The file that a link leads to, or the same file.
        done: One of Done.
        before: The bytes before; None without a file.
        after: The bytes after; None without a file.
        hooks: How many hooks were added or removed.
        left: How many hooks could not be removed, because somebody had changed or removed them.
        unwrapped: How many hooks were wrapped before, and are not any more: others replaced them.
        exact: The file has the bytes that it had before the first change.
    """

    place: Place
    target: str
    done: Done
    before: bytes | None
    after: bytes | None
    hooks: int = 0
    left: int = 0
    unwrapped: int = 0
    exact: bool = False


class _Known(Record):
    """A file and what is recorded of it.

    Attributes:
        current: Its bytes.
        record: The record, settled; None without one.
        base: The bytes without our operations.
        operations: The operations that are in force.
        edited: Somebody else wrote the file since.
    """

    place: Place
    target: str
    current: bytes | None
    record: FileRecord | None
    base: bytes | None
    operations: tuple[Operation, ...] = ()
    edited: bool = False


class Changer:
    """Changes files and keeps their records.

    Args:
        store: The records.
        dry_run: Write nothing; outcomes have the bytes that would be written.
    """

    def __init__(self, store: RecordStore, *, dry_run: bool = False) -> None:
        self._store = store
        self._dry_run = dry_run

    def install(self, place: Place, operation: Install) -> Outcome:
        """Add the hooks of a file; those that an earlier version of the file added are replaced.

        Raises:
            InstallationError: The file cannot be read, changed or written; it is as it was.
        """
        with self._lock():
            known = self._known(place)
            value = value_before = read_value(known.current, place.file)
            earlier = _position(known.operations, operation.source)
            is_known = earlier is not None and known.operations[earlier] == operation
            later = known.operations[earlier + 1 :] if earlier is not None else ()
            if is_known and all(is_in_force(value, entry, later) for entry in operation.entries):
                return self._outcome(known, "unchanged", known.current)
            new: bytes | None
            operations = [*known.operations]
            if earlier is None:
                operations.append(operation)
            else:
                operations[earlier] = operation
                base = self._others(known, earlier)
                value = without(value, [known.operations[earlier]], base, place.file, later)
            applied = apply(value, [operation], place.file)
            if earlier is None and not applied.added:
                return self._outcome(known, "unchanged", known.current)
            if earlier is None or known.edited:
                new = changed(known.current, applied.value, place.file)
            else:
                new = _replayed(known.base, operations, place.file)
            outcome = self._outcome(known, "installed" if earlier is None else "replaced", new)
            self._commit(known, new, operations)
            before = sum(map(len, _wraps_in_force(value_before, known.operations)))
            after = sum(map(len, _wraps_in_force(read_value(new, place.file), operations)))
            return outcome._replace(hooks=len(operation.entries), unwrapped=max(0, before - after))

    def wrap(self, place: Place, operation_of: Callable[[bytes], Wrap]) -> Outcome:
        """Rewrite hooks; ``operation_of`` returns the rewrites for the bytes of the file."""
        with self._lock():
            known = self._known(place)
            if known.current is None:
                return self._outcome(known, "unchanged", None)
            operation = operation_of(known.current)
            if not operation.rewrites:
                return self._outcome(known, "unchanged", known.current)
            value = apply(read_value(known.current, place.file), [operation], place.file).value
            new = changed(known.current, value, place.file)
            outcome = self._outcome(known, "wrapped", new)._replace(hooks=len(operation.rewrites))
            self._commit(known, new, [*known.operations, operation])
            return outcome

    def uninstall(self, place: Place, source: str | None) -> Outcome:
        """Remove the hooks of one installed file, or of all for None."""

        def selects(operation: Operation) -> bool:
            return isinstance(operation, Install) and source in (None, operation.source)

        return self._undo(place, selects, "uninstalled")

    def unwrap(self, place: Place) -> Outcome:
        """Give hooks their own commands back."""
        return self._undo(place, lambda operation: isinstance(operation, Wrap), "unwrapped")

    def restore(self, place: Place, *, force: bool = False) -> Outcome:
        """Write the bytes from before the first change, and forget the file.

        Args:
            force: Also when somebody else edited the file since; the edits are lost.

        Raises:
            EditedError: Without ``force``, the file was edited since.
        """
        with self._lock():
            known = self._known(place)
            if known.record is None:
                return self._outcome(known, "absent", known.current)
            is_edited = known.edited or not known.record.operations
            if is_edited and known.current != known.record.before and not force:
                raise EditedError(
                    place.file,
                    "was edited since sandhook wrote it: restore would lose the edits;"
                    " --force does it, and uninstall keeps them",
                )
            before = known.record.before
            outcome = self._outcome(known, "restored", before)._replace(exact=True)
            self._commit(known, before, None)
            return outcome

    def _undo(self, place: Place, selects: Callable[[Operation], bool], done: Done) -> Outcome:
        with self._lock():
            known = self._known(place, keep_lost=True)
            removed = [operation for operation in known.operations if selects(operation)]
            if not removed or known.record is None:
                return self._outcome(known, "absent", known.current)
            rest = [operation for operation in known.operations if not selects(operation)]
            states: list[HookState] = []
            if not known.edited:
                new = known.base if not rest else _replayed(known.base, rest, place.file)
            else:
                value = read_value(known.current, place.file)
                states = [
                    state
                    for at, each in enumerate(known.operations, 1)
                    if selects(each)
                    for state in _states(value, each, known.operations[at:])
                ]
                base = apply(read_value(known.base, place.file), rest, place.file).value
                value = without(value, removed, base, place.file, rest)
                new = None
                if known.current is not None and (value or known.record.before is not None):
                    new = _taken_back(known, rest, value) or changed(known.current, value, place.file)
            rest = _left_in(read_value(new, place.file), rest)
            count = (
                states.count("unchanged")
                if known.edited
                else sum(len(_states(None, each, ())) for each in removed)
            )
            outcome = self._outcome(known, done, new)._replace(
                hooks=count, left=states.count("edited"), exact=not rest and new == known.record.before
            )
            if known.edited and not rest and not outcome.exact and new is not None:
                known = known._replace(
                    base=known.record.before
                )  # what was before the edits can still be restored
                self._commit(known, new, ())
            else:
                self._commit(known, new, rest or None)
            return outcome

    # ------------------------------------------------------------------ state

    def _lock(self) -> AbstractContextManager[None]:
        return nullcontext() if self._dry_run else disk.lock(self._store.lock_file)

    def _known(self, place: Place, *, keep_lost: bool = False) -> _Known:
        """Return what is known of a file, after a change that was interrupted is settled.

        Args:
            keep_lost: Keep operations whose hooks somebody else removed.
        """
        target = target_of(place.file)
        current = disk.read(target)
        record = self._settled(target, current)
        if record is not None and record.operations and record.agent != place.agent:
            raise InstallationError(
                place.file,
                f"has hooks that sandhook installed for {record.agent}, which reads the same file; uninstall those"
                f" with --agent {record.agent}, and install both with --agent {place.agent} {record.agent}",
            )
        known = _Known(place, target, current, record, current)
        if record is None or not record.operations:
            return known
        if digest_of(current) == record.after:
            return known._replace(base=record.before, operations=record.operations)
        value = read_value(current, place.file)
        base_value = read_value(record.before, place.file)
        base_value = without(value, record.operations, base_value, place.file)
        base = current
        if current is not None:
            empty = not base_value and record.before is None
            base = None if empty else changed(current, base_value, place.file)
        operations = record.operations
        if not keep_lost:
            operations = tuple(_left_in(value, operations))
        return known._replace(base=base, operations=operations, edited=True)

    def _settled(self, target: str, current: bytes | None) -> FileRecord | None:
        known = self._store.load(target)
        if not isinstance(known, Pending):
            return known
        record = settled(known, current)
        if not self._dry_run:
            disk.remove_leftover(target)
            if record is None:
                self._store.forget(target)
            else:
                self._store.save(record)
            if current is None:
                created = set(known.new.directories if known.new else ()) | set(
                    known.old.directories if known.old else ()
                )
                disk.remove_empty(sorted(created, key=len))
        return record

    def _others(self, known: _Known, position: int) -> Json:
        """Return the value that a file has with all operations but one."""
        others = [each for index, each in enumerate(known.operations) if index != position]
        return apply(read_value(known.base, known.place.file), others, known.place.file).value

    def _outcome(self, known: _Known, done: Done, after: bytes | None) -> Outcome:
        return Outcome(known.place, known.target, done, known.current, after)

    # ------------------------------------------------------------------ writing

    def _commit(self, known: _Known, new: bytes | None, operations: Sequence[Operation] | None) -> None:
        """Write a file and its record. ``operations`` is None when nothing is left to undo."""
        if self._dry_run:
            return
        target, old = known.target, known.record
        created: list[str] = list(old.directories) if old is not None else []
        fresh = disk.missing_directories(target) if new is not None else []
        record = None
        if operations is not None:
            record = FileRecord(
                target=target,
                file=known.place.file,
                agent=known.place.agent,
                scope=known.place.scope,
                before=known.base,
                operations=tuple(operations),
                after=digest_of(new),
                directories=(*created, *fresh),
            )
        if new != known.current:
            disk.check_writable(target)
        self._store.save(Pending(target, old, record, digest_of(new)))
        try:
            if disk.read(target) != known.current:
                raise InstallationError(
                    known.place.file, "was written by another program meanwhile; try again"
                )
            if new is None:
                disk.remove(target, created)
                self._pass_on(target, created)
            elif new != known.current:
                disk.replace(target, new)
        except InstallationError:
            disk.remove_empty(fresh)
            self._finish(target, old)
            raise
        self._finish(target, record)

    def _pass_on(self, target: str, directories: Sequence[str]) -> None:
        """Let other records remove the directories that still have files of them."""
        left = [name for name in directories if disk.is_directory(name)]
        for each in self._store.all() if left else ():
            if isinstance(each, FileRecord) and each.target != target:
                more = tuple(name for name in left if disk.is_below(each.target, name))
                if more:
                    self._store.save(each._replace(directories=(*more, *each.directories)))

    def _finish(self, target: str, record: FileRecord | None) -> None:
        if record is None:
            self._store.forget(target)
        else:
            self._store.save(record)


def settled(pending: Pending, current: bytes | None) -> FileRecord | None:
    """Return the record that fits a file after a change that was interrupted."""
    old, new = pending.old, pending.new
    digest = digest_of(current)
    if digest == pending.digest:
        return new
    before = old.after if old is not None else digest_of(new.before) if new is not None else ""
    if digest == before:
        return old
    try:  # somebody else wrote the file since
        value = read_value(current, pending.target)
    except InstallationError:
        return new or old
    return new if _fit(value, new) > _fit(value, old) else old


def _fit(value: Json, record: FileRecord | None) -> int:
    """Return how well a record describes a value: hooks that are there, less those that are not."""
    if record is None:
        return 0
    return sum(
        1 if there else -1
        for at, each in enumerate(record.operations, 1)
        for there in _presence(value, each, record.operations[at:])
    )


def _states(value: Json, operation: Operation, later: Sequence[Operation]) -> list[HookState]:
    """Return the state of each hook of an operation in a value."""
    items: Sequence[Entry | Rewrite] = (
        operation.rewrites if isinstance(operation, Wrap) else operation.entries
    )
    return [state_of(value, item, later) for item in items]


def _presence(value: Json, operation: Operation, later: Sequence[Operation]) -> list[bool]:
    """Return for each hook of an operation whether a value has it as it was written."""
    return [state == "unchanged" for state in _states(value, operation, later)]


def _wraps_in_force(value: Json, operations: Sequence[Operation]) -> list[tuple[Rewrite, ...]]:
    """Return the rewrites of each wrap that a value still has."""
    return [each.rewrites for each in _left_in(value, operations) if isinstance(each, Wrap)]


def _left_in(value: Json, operations: Sequence[Operation]) -> list[Operation]:
    """Return operations with the hooks that a value still has; those that have no hook there are left out."""
    kept = (_remaining(value, each, operations[at:]) for at, each in enumerate(operations, 1))
    return [each for each in kept if each is not None]


def _remaining(value: Json, operation: Operation, later: Sequence[Operation]) -> Operation | None:
    """Return an operation with the hooks that a value still has; None if it has none of them."""
    there = _presence(value, operation, later)
    if not any(there):
        return None
    if isinstance(operation, Wrap):
        rewrites = tuple(each for each, kept in zip(operation.rewrites, there) if kept)
        return operation._replace(rewrites=rewrites)
    entries = tuple(each for each, kept in zip(operation.entries, there) if kept)
    return operation._replace(entries=entries)


def _position(operations: Sequence[Operation], source: str) -> int | None:
    for index, each in enumerate(operations):
        if isinstance(each, Install) and each.source == source:
            return index
    return None


def _taken_back(known: _Known, rest: Sequence[Operation], value: Json) -> bytes | None:
    """Return an edited file without the bytes of some operations, if they are as they were written; None otherwise.

    Args:
        rest: The operations that stay.
        value: The value that the file must have then.
    """
    record, file = known.record, known.place.file
    if record is None or known.current is None:
        return None
    after = _replayed(record.before, record.operations, file)
    before = _replayed(record.before, rest, file)
    if after is None or before is None or digest_of(after) != record.after:
        return None
    result = reverted(known.current, after, before)
    try:
        return result if result is not None and same(read_value(result, file), value) else None
    except InstallationError:
        return None


def _replayed(data: bytes | None, operations: Sequence[Operation], file: str) -> bytes | None:
    """Return the bytes of a file after operations."""
    for operation in operations:
        value = read_value(data, file)
        after = apply(value, [operation], file).value
        if not same(value, after):
            data = changed(data, after, file)
    return data

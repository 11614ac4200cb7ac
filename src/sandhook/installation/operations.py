"""What was done to a file, as operations on its value: they can be applied again, and taken out of an edited file."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from sandhook.formats.tree_edit import same
from sandhook.hooks.event import Json, JsonObject
from sandhook.installation.errors import InstallationError
from sandhook.record import Record

#: unchanged: as it was installed. edited: its command is there, and something else differs. gone: it is not in the
#: file. unreadable: the file cannot be read.
HookState: TypeAlias = Literal["unchanged", "edited", "gone", "unreadable"]


class Entry(Record):
    """A value and where it belongs.

    Attributes:
        path: The keys that lead to the list that has the value as an item, or to the value itself.
        value: A hook or a group of hooks, or a setting such as the version of the format.
    """

    path: tuple[str, ...]
    value: Json


class Install(Record):
    """The hooks of one file, added to the lists of an agent's configuration.

    Attributes:
        source: The file with the hooks, an absolute path.
        contract: The contract of that file.
        entries: Items of lists.
        settings: Values that a configuration needs; one that the file has already stays.
    """

    source: str
    contract: str
    entries: tuple[Entry, ...]
    settings: tuple[Entry, ...] = ()


class Rewrite(Record):
    """The fields of one hook that ``wrap`` replaced.

    Attributes:
        path: Keys that lead to the hook; None stands for any index of a list.
        old: The fields before.
        new: The fields after.
    """

    path: tuple[str | None, ...]
    old: JsonObject
    new: JsonObject


class Wrap(Record):
    """The commands of a configuration's hooks, replaced by commands that run them through sandhook."""

    rewrites: tuple[Rewrite, ...]


Operation = Install | Wrap


def install_of(value: Json, source: str, contract: str) -> Install:
    """Return the operation that adds the hooks of a rendered configuration."""
    entries: list[Entry] = []
    settings: list[Entry] = []
    for entry in _leaves(value, ()):
        (entries if isinstance(entry.value, list) else settings).append(entry)
    items = [
        Entry(entry.path, item)
        for entry in entries
        for item in (entry.value if isinstance(entry.value, list) else ())
    ]
    return Install(source, contract, tuple(items), tuple(settings))


def _leaves(value: Json, path: tuple[str, ...]) -> Iterator[Entry]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    else:
        yield Entry(path, value)


class Applied(Record):
    """A value after operations.

    Attributes:
        value: The result.
        added: The items that the operations added to lists; equal items that were there before are not in it.
    """

    value: Json
    added: tuple[Entry, ...]


def apply(value: Json, operations: Sequence[Operation], file: str) -> Applied:
    """Return a value after operations, in their order.

    Raises:
        InstallationError: The file has another kind of value where the hooks belong.
    """
    result = copy.deepcopy(value)
    added: list[Entry] = []
    for operation in operations:
        if isinstance(operation, Wrap):
            for rewrite in operation.rewrites:
                _rewrite(result, rewrite.path, rewrite.old, rewrite.new)
            continue
        for setting in operation.settings:
            parent = _container(result, setting.path[:-1], dict, file)
            if isinstance(parent, dict):
                parent.setdefault(setting.path[-1], setting.value)
        for entry in operation.entries:
            items = _container(result, entry.path, list, file)
            if isinstance(items, list) and not any(same(entry.value, item) for item in items):
                items.append(copy.deepcopy(entry.value))
                added.append(entry)
    return Applied(result, tuple(added))


def without(
    value: Json, operations: Sequence[Operation], base: Json, file: str, wraps: Sequence[Operation] = ()
) -> Json:
    """Return an edited value without what operations added; everything else stays.

    Args:
        base: The value before the operations: what is in it stays.
        wraps: Operations that stay, and that may have wrapped the hooks.
    """
    result = copy.deepcopy(value)
    added = apply(base, operations, file).added
    for entry in added:
        items = find(result, entry.path)
        forms = [entry.value, _wrapped(entry, (*operations, *wraps)).value]
        if isinstance(items, list):
            at = next(
                (index for index, item in enumerate(items) if any(same(item, form) for form in forms)), None
            )
            if at is not None:
                del items[at]
    for operation in operations:
        if isinstance(operation, Wrap):
            for rewrite in operation.rewrites:
                _rewrite(result, rewrite.path, rewrite.new, rewrite.old)
        else:
            for entry in operation.entries:
                _remove_empty(result, entry.path, base)
    settings = [entry for each in operations if isinstance(each, Install) for entry in each.settings]
    rest = copy.deepcopy(result)
    for setting in settings:
        parent = find(rest, setting.path[:-1])
        if isinstance(parent, dict) and find(base, setting.path) is None:
            parent.pop(setting.path[-1], None)
    return rest if not rest else result  # a version stays with the hooks that others added


def find(value: Json, path: Sequence[str]) -> Json:
    """Return the value at a path of keys, None without one."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def is_present(value: Json, entry: Entry) -> bool:
    """Return whether a list has an entry as it was installed."""
    items = find(value, entry.path)
    return isinstance(items, list) and any(same(item, entry.value) for item in items)


def _container(
    value: Json, path: Sequence[str], kind: type[list[Json]] | type[dict[str, Json]], file: str
) -> Json:
    """Return the object or the list at a path; what is absent or null is created."""
    here = value
    for index, key in enumerate(path):
        if not isinstance(here, dict):
            break
        is_list = kind is list and index == len(path) - 1
        if here.get(key) is None:
            here[key] = [] if is_list else {}
        inner: Json = here[key]
        if not isinstance(inner, list if is_list else dict):
            where, noun = ".".join(path[: index + 1]), "a list" if is_list else "an object"
            raise InstallationError(file, f"{where}: wanted {noun}; hooks cannot be added to it")
        here = inner
    if not isinstance(value, dict):
        raise InstallationError(file, "wanted an object; hooks cannot be added to it")
    return here


def _remove_empty(value: Json, path: Sequence[str], base: Json) -> None:
    """Remove the empty containers of a path that were not there before."""
    for count in range(len(path), 0, -1):
        parent = find(value, path[: count - 1])
        if not isinstance(parent, dict) or parent.get(path[count - 1]) not in ([], {}):
            return
        if find(base, path[:count]) is not None:
            return
        above = find(base, path[: count - 1])
        if isinstance(above, dict) and path[count - 1] in above:
            parent[path[count - 1]] = None  # it was null before
        else:
            del parent[path[count - 1]]


def _rewrite(value: Json, path: Sequence[str | None], old: JsonObject, new: JsonObject) -> None:
    """Replace the fields of every object at a path that has the old ones."""
    if path:
        if path[0] is None and isinstance(value, list):
            for item in value:
                _rewrite(item, path[1:], old, new)
        elif path[0] is not None and isinstance(value, dict) and path[0] in value:
            _rewrite(value[path[0]], path[1:], old, new)
    elif isinstance(value, dict) and all(
        key in value and same(value[key], item) for key, item in old.items()
    ):
        value.update(copy.deepcopy(new))


def occurs(value: Json, path: Sequence[str | None], fields: JsonObject) -> bool:
    """Return whether an object at a path has these fields; None in a path is any index of a list."""
    return any(
        all(key in each and same(each[key], item) for key, item in fields.items())
        for each in _objects(value, path)
    )


def _objects(value: Json, path: Sequence[str | None]) -> Iterator[JsonObject]:
    """Yield the objects at a path; None in it is any index of a list."""
    if not path:
        if isinstance(value, dict):
            yield value
    elif path[0] is not None:
        yield from _objects(value.get(path[0]) if isinstance(value, dict) else None, path[1:])
    elif isinstance(value, list):
        for item in value:
            yield from _objects(item, path[1:])


def _wrapped(entry: Entry, wraps: Sequence[Operation]) -> Entry:
    """Return a hook as it is after operations that came later: ``wrap`` may have replaced its command."""
    value: Json = [entry.value]
    for key in reversed(entry.path):
        value = {key: value}
    items = find(apply(value, [each for each in wraps if isinstance(each, Wrap)], "").value, entry.path)
    return entry._replace(value=items[0]) if isinstance(items, list) else entry


def is_in_force(value: Json, entry: Entry, later: Sequence[Operation]) -> bool:
    """Return whether a list has a hook as it was installed, or as later operations wrapped it."""
    return is_present(value, entry) or is_present(value, _wrapped(entry, later))


def state_of(value: Json, item: Entry | Rewrite, later: Sequence[Operation] = ()) -> HookState:
    """Return whether a value has a hook as it was installed or wrapped.

    Args:
        later: The operations that came after.
    """
    if isinstance(item, Rewrite):
        if occurs(value, item.path, item.new):
            return "unchanged"
        wanted = command_in(item.new)
        there = any(command_in(each) == wanted for each in _objects(value, item.path))
        return "edited" if there else "gone"
    if is_in_force(value, item, later):
        return "unchanged"
    wanted = command_in(item.value)
    items = find(value, item.path)
    several = items if isinstance(items, list) else []
    own_file = isinstance(item.value, dict) and item.value.get("script") is True
    is_there = any(command_in(each) == wanted or own_file for each in several)
    return "edited" if is_there else "gone"


def command_in(value: Json) -> str:
    """Return the command of a hook or of a group of hooks; "" without one."""
    return first_text(value, ("command", "bash", "exec"))


def first_text(value: Json, keys: tuple[str, ...]) -> str:
    """Return the first text under one of these keys, at any depth; the words of a list are joined."""
    pending: list[Json] = [value]
    while pending:
        item = pending.pop(0)
        if isinstance(item, dict):
            for key in keys:
                found = item.get(key)
                if isinstance(found, str):
                    return found
                if isinstance(found, list):
                    return " ".join(str(word) for word in found)
            pending += item.values()
        elif isinstance(item, list):
            pending += item
    return ""

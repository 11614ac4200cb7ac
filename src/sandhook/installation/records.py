"""What sandhook remembers of each file that it changed: one JSON file for each, in the user's data directory.

Nothing of a project is read here, so no project can direct a write: the files to change are computed from the
agent, the scope and the working directory, and a record is found by the name of its file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
from collections.abc import Mapping, Sequence

from sandhook.hooks.decode import DecodeError, decode_object
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.trust import TrustStore
from sandhook.installation import disk
from sandhook.installation.errors import InstallationError
from sandhook.installation.operations import Entry, Install, Operation, Rewrite, Wrap
from sandhook.record import Record

_VERSION = 1


class FileRecord(Record):
    """What was done to one file.

    Attributes:
        target: The file, without links.
        file: The path that the agent reads.
        agent: Name of the contract.
        scope: One of ``places.SCOPES``.
        before: The bytes before the first operation; None if there was no file.
        operations: What was done since, in order.
        after: Digest of the bytes that were written last.
        directories: The directories that were created for the file, the topmost first.
    """

    target: str
    file: str
    agent: str
    scope: str
    before: bytes | None
    operations: tuple[Operation, ...]
    after: str
    directories: tuple[str, ...] = ()


class Pending(Record):
    """A change that was begun.

    Attributes:
        target: The file, without links.
        old: The record before the change, None without one.
        new: The record after it; None if it ends with the last operation.
        digest: Digest of the bytes that the change writes.
    """

    target: str
    old: FileRecord | None
    new: FileRecord | None
    digest: str


def digest_of(data: bytes | None) -> str:
    """Return the digest of a file's bytes, "" for a file that does not exist."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


class RecordStore:
    """The records of one user.

    Args:
        directory: Where they are; it is created with the first one.
    """

    def __init__(self, directory: str) -> None:
        self.directory = directory

    @classmethod
    def default(cls, env: Mapping[str, str], platform: str) -> RecordStore:
        """Return the user's own records, next to the approvals."""
        approvals = TrustStore.default(env, platform).path
        return cls(posixpath.join(posixpath.dirname(approvals.replace("\\", "/")), "installed"))

    @property
    def lock_file(self) -> str:
        return f"{self.directory}/lock"

    def load(self, target: str) -> FileRecord | Pending | None:
        """Return what is known of a file."""
        return self._read(self._name(target))

    def all(self) -> list[FileRecord | Pending]:
        """Return what is known of all files."""
        names = [name for name in disk.names_in(self.directory) if name.endswith(".json") and name[:1] != "."]
        loaded = [self._read(f"{self.directory}/{name}") for name in names]
        return [each for each in loaded if each is not None]

    def save(self, record: FileRecord | Pending) -> None:
        """Write a record, or that a change begins."""
        text = json.dumps({"version": _VERSION, **_encode(record)}, indent=1)
        disk.replace(self._name(record.target), text.encode() + b"\n", mode=0o600)

    def forget(self, target: str) -> None:
        """Remove the record of a file."""
        disk.remove(self._name(target), [])

    def _name(self, target: str) -> str:
        return f"{self.directory}/{digest_of(target.encode('utf-8', 'surrogateescape'))[:32]}.json"

    def _read(self, name: str) -> FileRecord | Pending | None:
        data = disk.read(name)
        if data is None:
            return None
        try:
            value = decode_object(data.decode()).value
            if value.get("version") != _VERSION:
                raise ValueError(f"wanted version {_VERSION}")
            return _decode(value)
        except (DecodeError, UnicodeDecodeError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InstallationError(
                name, f"the record is damaged ({error}); remove it to forget what was installed"
            ) from None


def _encode(record: FileRecord | Pending) -> JsonObject:
    if isinstance(record, Pending):
        return {
            "pending": True,
            "target": record.target,
            "old": None if record.old is None else _encode(record.old),
            "new": None if record.new is None else _encode(record.new),
            "digest": record.digest,
        }
    return {
        "target": record.target,
        "file": record.file,
        "agent": record.agent,
        "scope": record.scope,
        "before": None if record.before is None else base64.b64encode(record.before).decode(),
        "operations": [_encode_operation(each) for each in record.operations],
        "after": record.after,
        "directories": list(record.directories),
    }


def _encode_operation(operation: Operation) -> JsonObject:
    if isinstance(operation, Wrap):
        return {"wrap": [_encode_rewrite(each) for each in operation.rewrites]}
    return {
        "source": operation.source,
        "contract": operation.contract,
        "entries": [_encode_entry(entry) for entry in operation.entries],
        "settings": [_encode_entry(entry) for entry in operation.settings],
    }


def _encode_rewrite(rewrite: Rewrite) -> JsonObject:
    return {"path": list(rewrite.path), "old": rewrite.old, "new": rewrite.new}


def _encode_entry(entry: Entry) -> JsonObject:
    return {"path": list(entry.path), "value": entry.value}


def _decode(value: JsonObject) -> FileRecord | Pending:
    if value.get("pending"):
        old, new = value["old"], value["new"]
        return Pending(
            _text(value["target"]),
            _record(_object(old)) if old is not None else None,
            _record(_object(new)) if new is not None else None,
            _text(value["digest"]),
        )
    return _record(value)


def _record(value: JsonObject) -> FileRecord:
    before = value["before"]
    return FileRecord(
        target=_text(value["target"]),
        file=_text(value["file"]),
        agent=_text(value["agent"]),
        scope=_text(value["scope"]),
        before=None if before is None else base64.b64decode(_text(before), validate=True),
        operations=tuple(_operation(_object(each)) for each in _list(value["operations"])),
        after=_text(value["after"]),
        directories=tuple(_text(each) for each in _list(value["directories"])),
    )


def _operation(value: JsonObject) -> Operation:
    if "wrap" in value:
        return Wrap(tuple(_rewrite(_object(each)) for each in _list(value["wrap"])))
    return Install(
        _text(value["source"]),
        _text(value["contract"]),
        tuple(_entry(_object(each)) for each in _list(value["entries"])),
        tuple(_entry(_object(each)) for each in _list(value["settings"])),
    )


def _rewrite(value: JsonObject) -> Rewrite:
    path = tuple(None if each is None else _text(each) for each in _list(value["path"]))
    return Rewrite(path, _object(value["old"]), _object(value["new"]))


def _entry(value: JsonObject) -> Entry:
    return Entry(tuple(_text(each) for each in _list(value["path"])), value["value"])


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError("wanted a string")
    return value


def _list(value: Json) -> Sequence[Json]:
    if not isinstance(value, list):
        raise TypeError("wanted a list")
    return value


def _object(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        raise TypeError("wanted an object")
    return dict(value)

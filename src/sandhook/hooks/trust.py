"""Trust: approvals of a repository's hooks, bound to the bytes that would run.

``hooks.evidence`` collects what a hook executes, and hashes it. This module stores the hashes that the user
approved. The approved bytes are kept with the hook (``HookSpec.snapshot``), and runners run them.
"""

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH103, PTH105, PTH111, PTH120, PTH123, PTH208

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

from sandhook.errors import NotApproved, TrustError
from sandhook.hooks.decode import DecodeError, decode_object
from sandhook.hooks.event import JsonObject
from sandhook.hooks.evidence import MAX_BYTES, PROJECT_VARIABLES, Evidence, NamedFile, digest_of_hook, examine
from sandhook.hooks.model import HookSpec
from sandhook.hooks.sources import open_regular, read_regular
from sandhook.pattern.glob import quote

__all__ = ["PROJECT_VARIABLES", "Evidence", "HostMachine", "TrustStore", "read_host"]

_WINDOWS = os.sep == "\\"


class HostMachine:
    """The files of this machine, see ``evidence.Machine``. On Windows the shell's names are in use: /c/work/x.

    Args:
        project: A directory on the drive of "/".
    """

    def __init__(self, project: str = "") -> None:
        self._drive = os.path.splitdrive(project)[0] or "C:"

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a regular file, None for anything else."""
        try:
            return read_host(self._native(path))
        except OSError:
            return None

    def hashed(self, path: str, most: int) -> tuple[str, int] | None:
        """Return the SHA-256 of a regular file, in hexadecimal, and its size; None if it has more than ``most`` bytes."""
        from sandhook.host.hashing import hash_of, pieces_of

        try:
            with open_regular(self._native(path)) as file:
                return hash_of(pieces_of(file), most)
        except (OSError, ValueError):
            return None

    def names(self, path: str) -> list[str] | None:
        """Return the names in a directory, None when it is not one or cannot be read."""
        try:
            return os.listdir(self._native(path))
        except (OSError, ValueError):
            return None

    def resolve(self, path: str) -> str:
        """Return a path without symbolic links."""
        try:
            return shell_name(os.path.realpath(self._native(path)))
        except OSError:
            return path

    def _native(self, path: str) -> str:
        """Return the system's name of a path. Raises OSError for a name that no file of Windows can have."""
        if not _WINDOWS:
            return path
        from sandhook.host.names import to_native

        return to_native(path, self._drive, os.environ.get("TEMP", ""))


def shell_name(path: str) -> str:
    r"""Return an absolute path of the machine as a shell names it: on Windows, ``C:\work`` is /c/work."""
    if not _WINDOWS or path[:1] == "/" != path[1:2]:
        return path
    from sandhook.host.names import to_virtual

    return to_virtual(path)


def machine_name(path: str) -> str:
    r"""Return a path of a shell as the machine names it, with slashes: on Windows, /c/work is ``C:/work``."""
    if not _WINDOWS:
        return path
    from sandhook.host.names import to_native

    try:
        return to_native(path, temporary=os.environ.get("TEMP", "")).replace("\\", "/")
    except OSError:
        return path


class TrustStore:
    """Approvals in a file of the user: ``{"version": 1, "approved": {HASH: {...}}}``.

    ``store.allows(contract, project)`` is an argument for ``HookEngine.load(trust=...)``.

    Args:
        path: The file; it and its directory are created with the first approval.
        home: What ``~`` stands for in hooks.
    """

    def __init__(self, path: str, *, home: str = "") -> None:
        self.path = path
        self.home = home or os.path.expanduser("~").replace("\\", "/")

    @classmethod
    def default(cls, env: Mapping[str, str], platform: str) -> TrustStore:
        """Return the user's own store: below the data directory of the platform."""
        home = env.get("USERPROFILE" if platform == "win32" else "HOME") or os.path.expanduser("~")
        if platform == "win32":
            base = env.get("LOCALAPPDATA") or f"{home}/AppData/Local"
        elif platform == "darwin":
            base = f"{home}/Library/Application Support"
        else:
            base = env.get("XDG_DATA_HOME") or ""
            if base[:1] != "/":  # a relative path is invalid, and would be that of the project
                base = f"{home}/.local/share"
        return cls(f"{base}/sandhook/trust.json", home=home.replace("\\", "/"))

    def approved(self) -> dict[str, JsonObject]:
        """Return all approvals by hash; TrustError when the file is damaged."""
        try:
            with open(self.path, encoding="utf-8") as file:
                value = decode_object(file.read()).value
        except FileNotFoundError:
            return {}
        except (OSError, DecodeError, UnicodeDecodeError) as error:
            raise TrustError(
                f"{self.path}: {error}; nothing is trusted until it is repaired or removed"
            ) from None
        entries = value.get("approved")
        if value.get("version") != 1 or not isinstance(entries, dict):
            raise TrustError(f"{self.path}: not a store of approvals, version 1")
        for digest, entry in entries.items():
            if not isinstance(entry, dict):
                raise TrustError(f"{self.path}: the approval {digest[:12]!r} is not an object")
        return entries

    def examine(self, spec: HookSpec, contract: str, project: str) -> Evidence:
        """Collect and hash what a hook executes on this machine."""
        return examine(spec, contract, shell_name(project), shell_name(self.home), HostMachine(project))

    def approve(self, evidence: Sequence[Evidence], *, now: float | None = None) -> None:
        """Store approvals of hooks as they are now."""
        entries = self.approved()
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        for each in evidence:
            entries[each.digest] = {
                "hook": each.spec.id,
                "contract": each.contract,
                "hook_digest": each.hook_digest,
                "file": each.spec.file,
                "event": each.spec.native_event,
                "files": [file.path for file in each.files],
                "sha256": {file.path: _sha256(file) for file in each.files},
                "unknown": list(each.unknown),
                "approved": when,
            }
        self._write(entries)

    def revoke(self, file: str) -> int:
        """Remove every approval of a configuration file; return how many there were."""
        entries = self.approved()
        kept = {digest: entry for digest, entry in entries.items() if entry.get("file") != file}
        if len(kept) != len(entries):
            self._write(kept)
        return len(entries) - len(kept)

    def allows(self, contract: str, project: str) -> Callable[[HookSpec], HookSpec | None]:
        """Return a function that returns an approved hook with its hash and bytes, or None.

        It raises NotApproved for a hook that was approved in another form.
        """
        entries = self.approved()
        # Files of others name any number of hooks, and to follow one takes seconds: only those are followed whose
        # own hash an approval has. Approvals of older versions do not have it.
        known = {entry.get("hook_digest") for entry in entries.values()}

        def allowed(spec: HookSpec) -> HookSpec | None:
            own = digest_of_hook(spec, contract, shell_name(project))
            if own not in known and None not in known:
                _raise_if_changed(spec, contract, entries)
                return None
            evidence = self.examine(spec, contract, project)
            if evidence.digest not in entries:
                _raise_if_files_changed(evidence, entries, shell_name(project))
                _raise_if_changed(spec, contract, entries)
                return None
            here = shell_name(project)
            names = [(_inside(file.path, here), file) for file in evidence.files]
            snapshot = tuple((name, file.data) for name, file in names if not file.sha256)
            hashed = tuple((name, file.sha256) for name, file in names if file.sha256)
            absent = tuple(_inside(pattern, quote(here)) for pattern in evidence.absent)
            links = tuple((_inside(path, here), _inside(target, here)) for path, target in evidence.links)
            return spec._replace(
                trust_hash=evidence.digest,
                snapshot=snapshot,
                hashed=hashed,
                absent=absent,
                links=links,
                unbound=evidence.computed,
            )

        return allowed

    def change(self, evidence: Evidence, project: str) -> str:
        """Return what changed since a hook was approved; "" if it never was, or is as it was approved."""
        entries = self.approved()
        if evidence.digest in entries:
            return ""
        try:
            _raise_if_files_changed(evidence, entries, shell_name(project))
            _raise_if_changed(evidence.spec, evidence.contract, entries)
        except NotApproved as error:
            return str(error)
        return ""

    def _write(self, entries: dict[str, JsonObject]) -> None:
        """Write the store to a new file and rename it, so that only the user can read it."""
        directory = os.path.dirname(self.path) or "."
        replacement = f"{self.path}.{os.getpid()}.new"
        text = json.dumps({"version": 1, "approved": entries}, indent=1)
        try:
            os.makedirs(directory, mode=0o700, exist_ok=True)
            handle = os.open(replacement, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text + "\n")
            os.replace(replacement, self.path)
        except OSError as error:
            raise TrustError(f"{self.path}: cannot be written: {error.strerror}") from None


def _sha256(file: NamedFile) -> str:
    return file.sha256 or sha256(file.data).hexdigest()


def _latest(entries: Iterable[JsonObject]) -> tuple[JsonObject, str] | None:
    """Return the newest of some approvals and its day, None without one."""
    newest = max(entries, key=lambda entry: str(entry.get("approved")), default=None)
    return None if newest is None else (newest, str(newest.get("approved"))[: len("2026-01-01")])


def _raise_if_files_changed(evidence: Evidence, entries: Mapping[str, JsonObject], project: str) -> None:
    """Raise NotApproved if the hook itself was approved, and what it executes is no longer the same."""
    latest = _latest(entry for entry in entries.values() if entry.get("hook_digest") == evidence.hook_digest)
    if latest is None:
        return
    entry, day = latest
    approved = entry.get("sha256")
    if not isinstance(approved, dict):  # an approval of an older version
        raise NotApproved(f"what it executes changed since it was approved on {day}")
    present = {file.path: _sha256(file) for file in evidence.files}
    parts = [
        f"{', '.join(_inside(path, project) for path in paths)} {verb}"
        for verb, paths in (
            ("changed", [path for path in present if approved.get(path, present[path]) != present[path]]),
            ("is new", [path for path in present if path not in approved]),
            ("is gone", [path for path in approved if path not in present]),
        )
        if paths
    ]
    raise NotApproved(f"{'; '.join(parts) or 'what it executes changed'} since it was approved on {day}")


def _raise_if_changed(spec: HookSpec, contract: str, entries: Mapping[str, JsonObject]) -> None:
    """Raise NotApproved if a hook of this name in this file was approved with another text, matcher or event.

    For another agent that reads the file it is another hook. Approvals of older versions have no agent.
    """
    file = shell_name(spec.file)
    latest = _latest(
        entry
        for entry in entries.values()
        if entry.get("hook") == spec.id
        and entry.get("contract", contract) == contract
        and shell_name(str(entry.get("file"))) == file
    )
    if latest is not None:
        raise NotApproved(f"the hook changed since it was approved on {latest[1]}")


def _inside(path: str, project: str) -> str:
    """Return a path relative to the project, or unchanged when it is outside."""
    return path.removeprefix(project.rstrip("/") + "/")


def read_host(path: str) -> bytes | None:
    """Return a regular file of the host, None for anything else; at most MAX_BYTES + 1 bytes are read."""
    try:
        return read_regular(path, MAX_BYTES + 1)
    except (OSError, ValueError):
        return None

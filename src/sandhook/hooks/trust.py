"""Trust: approvals of a repository's hooks, bound to the bytes that would run.

An approval is a hash over the raw hook and over every file that it names: scripts that it calls or
passes to an interpreter, and what those source. A changed byte changes the hash, so the hook needs a
new approval. The hashed bytes are kept with the hook (``HookSpec.snapshot``), and runners run them.
"""

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH103, PTH105, PTH111, PTH113, PTH120, PTH123

from __future__ import annotations

import json
import os
import posixpath
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

from sandhook.dispatch.shebang import BOM, READ, program_of
from sandhook.errors import SandhookError
from sandhook.hooks.decode import DecodeError, decode_object
from sandhook.hooks.event import JsonObject
from sandhook.hooks.model import HookSpec
from sandhook.hooks.scan import Scan, scan
from sandhook.record import Record

#: The most files and bytes that one approval covers.
MAX_FILES, MAX_BYTES = 64, 4 << 20

#: Variables in which agents pass the project's directory.
PROJECT_VARIABLES = (
    *("PWD", "CRUSH_PROJECT_DIR", "CRUSH_CWD", "JCODE_CWD", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"),
    *("GEMINI_CWD", "CURSOR_PROJECT_DIR", "WORKSPACE"),
)

_SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh", "mksh")

#: Returns a file's bytes, or None when it is not a regular file that may be read.
ReadFile = Callable[[str], bytes | None]


class TrustError(SandhookError):
    """The store of approvals cannot be read or written, or a hook names too many files."""


class NamedFile(Record):
    """A file that a hook names: its path, its bytes, and its use ("runs", "sources", "names")."""

    path: str
    data: bytes
    how: str


class Evidence(Record):
    """The files and commands that an approval of one hook covers.

    Attributes:
        spec: The hook.
        digest: The hash, in hexadecimal.
        files: The files that it names, in order of appearance.
        commands: Commands that it and its scripts call and do not define.
        unknown: Words that a script computes, which cannot be known before it runs.
    """

    spec: HookSpec
    digest: str
    files: tuple[NamedFile, ...]
    commands: tuple[str, ...]
    unknown: tuple[str, ...]


def examine(spec: HookSpec, contract: str, project: str, home: str, read: ReadFile) -> Evidence:
    """Collect what a hook names, and hash it.

    Args:
        contract: Name of the hook's contract.
        project: The directory that the hook runs in, an absolute path with slashes.
        home: What ``~`` stands for.
        read: Returns the bytes of a file.

    Raises:
        TrustError: It names more than MAX_FILES files or MAX_BYTES bytes.
    """
    seeker = _Seeker(project, home, read)
    seeker.text(spec.executor.text)
    for index, word in enumerate(spec.executor.argv):
        seeker.word(word, "runs" if index == 0 else "names")
    if spec.executor.type == "argv" and spec.executor.argv:
        seeker.commands.setdefault(spec.executor.argv[0])
    digest = sha256()
    for part in _parts(spec, contract, seeker.files.values()):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return Evidence(
        spec, digest.hexdigest(), tuple(seeker.files.values()), tuple(seeker.commands), tuple(seeker.unknown)
    )


def _parts(spec: HookSpec, contract: str, files: Iterable[NamedFile]) -> list[bytes]:
    entry = spec.entry if spec.entry is not None else [spec.executor.text, *spec.executor.argv]
    canonical = json.dumps(entry, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    parts = [b"sandhook trust 1", contract.encode(), spec.native_event.encode(), canonical.encode()]
    parts += [f"{name}={value}".encode("utf-8", "surrogatepass") for name, value in spec.executor.env]
    for file in files:
        parts += [file.path.encode("utf-8", "surrogatepass"), file.data]
    return parts


class _Seeker:
    """Follows the names in a hook's text through the scripts that it names."""

    def __init__(self, project: str, home: str, read: ReadFile) -> None:
        self.project = project.rstrip("/") or "/"
        self.home = home
        self.read = read
        self.files: dict[str, NamedFile] = {}
        self.commands: dict[str, None] = {}
        self.unknown: dict[str, None] = {}
        self._size = 0

    def text(self, text: str, own: str | None = None) -> None:
        """Follow the names in a shell text."""
        if not text:
            return
        variables = dict.fromkeys(PROJECT_VARIABLES, self.project) | {"HOME": self.home}
        scanned = scan(text, variables, own)
        if scanned.syntax_error is not None:
            self.unknown.setdefault(f"{own or 'the command'} does not parse: {scanned.syntax_error}")
        self._calls(scanned, own)

    def _calls(self, found: Scan, own: str | None) -> None:
        for name in found.commands:
            self.commands.setdefault(name)
        for call in found.calls:
            sources = call.words[0] in (".", "source")
            for index, word in enumerate(call.words):
                if word is None:
                    if index == 0 or sources:
                        what = "sources" if sources else "calls"
                        self.unknown.setdefault(
                            f"{own or 'the command'}:{call.line}: {what} what it computes"
                        )
                elif index == 0 and "/" not in word:
                    continue
                else:
                    self.word(word, "sources" if sources else "runs" if index == 0 else "names")

    def word(self, word: str, how: str) -> None:
        """Record the file that a word may name, and follow it if it is a shell script."""
        if not word or len(word) > 4096 or "\0" in word or "\n" in word:
            return
        path = self._path(word)
        if path in self.files:
            return
        data = self.read(path)
        if data is None:
            return
        self._size += len(data)
        if len(self.files) >= MAX_FILES or self._size > MAX_BYTES:
            raise TrustError(f"it names more than {MAX_FILES} files or {MAX_BYTES} bytes")
        self.files[path] = NamedFile(path, data, how)
        if how == "sources" or _is_shell(data, path):
            self.text(data.decode("utf-8", "replace"), path)

    def _path(self, word: str) -> str:
        if word == "~" or word.startswith("~/"):
            word = self.home + word[1:]
        word = word.replace("\\", "/") if word[1:3] in (":\\", ":/") else word
        absolute = word[:1] == "/" or word[1:3] == ":/"
        return posixpath.normpath(word if absolute else f"{self.project}/{word}")


def _is_shell(data: bytes, path: str) -> bool:
    if not data.removeprefix(BOM).startswith(b"#!"):
        return path.endswith((".sh", ".bash")) or (
            "." not in posixpath.basename(path) and b"\0" not in data[:128]
        )
    return program_of(data[:READ]) in _SHELLS


# The store.


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
            base = env.get("XDG_DATA_HOME") or f"{home}/.local/share"
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
        return entries

    def examine(self, spec: HookSpec, contract: str, project: str) -> Evidence:
        """Collect and hash what a hook names on this machine."""
        return examine(spec, contract, project, self.home, read_host)

    def approve(self, evidence: Sequence[Evidence], *, now: float | None = None) -> None:
        """Store approvals of hooks as they are now."""
        entries = self.approved()
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        for each in evidence:
            entries[each.digest] = {
                "hook": each.spec.id,
                "file": each.spec.file,
                "event": each.spec.native_event,
                "files": [file.path for file in each.files],
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
        """Return a function that returns an approved hook with its hash and bytes, or None."""
        entries = self.approved()

        def allowed(spec: HookSpec) -> HookSpec | None:
            try:
                evidence = self.examine(spec, contract, project)
            except TrustError:
                return None
            if evidence.digest not in entries:
                return None
            snapshot = tuple((_inside(file.path, project), file.data) for file in evidence.files)
            return spec._replace(trust_hash=evidence.digest, snapshot=snapshot)

        return allowed

    def _write(self, entries: dict[str, JsonObject]) -> None:
        """Write the store to a new file and rename it, so that only the user can read it."""
        directory = os.path.dirname(self.path) or "."
        beside = f"{self.path}.{os.getpid()}.new"
        text = json.dumps({"version": 1, "approved": entries}, indent=1)
        try:
            os.makedirs(directory, mode=0o700, exist_ok=True)
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text + "\n")
            os.replace(beside, self.path)
        except OSError as error:
            raise TrustError(f"{self.path}: cannot be written: {error.strerror}") from None


def _inside(path: str, project: str) -> str:
    """Return a path relative to the project, or unchanged when it is outside."""
    return path.removeprefix(project.rstrip("/") + "/")


def read_host(path: str) -> bytes | None:
    """Return a regular file of the host, None for anything else; at most MAX_BYTES + 1 bytes are read."""
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError):
        return None

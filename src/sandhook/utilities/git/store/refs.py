"""References: loose files, packed-refs (which dulwich reads), symbolic references, and reflogs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO

from dulwich.errors import PackedRefsException
from dulwich.refs import read_packed_refs, read_packed_refs_with_peeled

from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.access import Access, decode, encode
from sandhook.utilities.git.store.commits import Identity, identity

_OID = re.compile(r"[0-9a-f]{40}")
_DEPTH = 5  #: symbolic references that are followed
_LONGEST = 4_096  #: characters of a name; the path of a longer one does not exist
_BAD_NAME = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|(^|/)\.|\.lock(/|$)|\.$|^/|/$|^@$")


class LogEntry(Record):
    """A line of a reflog."""

    old: str
    new: str
    person: Identity
    message: str


class Refs:
    """The references of a repository.

    Args:
        directory: The directory of HEAD, which a linked working tree has of its own.
        common: The directory of all other references.
    """

    def __init__(self, access: Access, directory: str, common: str) -> None:
        self._access = access
        self.directory = directory
        self.common = common
        self._packed: dict[str, str] | None = None

    def path(self, name: str) -> str:
        """Return the path of the file of a reference."""
        first, _, rest = name.partition("/")
        if first == "main-worktree" and _is_own(rest):
            return f"{self.common}/{rest}"
        if first == "worktrees" and _is_own(rest.partition("/")[2]):
            return f"{self.common}/{name}"
        return f"{self.directory if _is_own(name) else self.common}/{name}"

    def _content(self, name: str) -> str | None:
        """Return what a reference holds, an object name or "ref: NAME"; None if it does not exist."""
        if not is_valid_name(name):
            return None
        text = self._access.text_or_none(self.path(name))
        if text is not None:
            return text.strip()
        return self.packed().get(name)

    def packed(self) -> dict[str, str]:
        """Return the references of packed-refs."""
        if self._packed is None:
            data = self._access.read_or_none(f"{self.common}/packed-refs") or b""
            self._access.charge(1 + (len(data) >> 6))
            self._access.ctx.budget.check_fits(len(data) * 8)
            try:
                with_peeled = data.startswith(b"# pack-refs") or b"\n^" in data
                lines = BytesIO(data)
                pairs = (
                    [(name, oid) for oid, name, _ in read_packed_refs_with_peeled(lines)]
                    if with_peeled
                    else [(name, oid) for oid, name in read_packed_refs(lines)]
                )
            except (PackedRefsException, ValueError, AssertionError):
                raise GitError(f"unexpected line in {self.common}/packed-refs") from None
            self._packed = {decode(name): oid.decode("ascii") for name, oid in pairs}
        return self._packed

    def forget_packed(self) -> None:
        """Read packed-refs anew when it is needed next."""
        self._packed = None

    def target(self, name: str) -> str | None:
        """Return the name that a symbolic reference points to, None for another reference."""
        if (link := self._link(name)) is not None:
            return link
        content = self._content(name)
        return content[4:].strip() if content is not None and content.startswith("ref:") else None

    def _link(self, name: str) -> str | None:
        """Return the target of a reference that is a symbolic link, as old versions of git made HEAD."""
        if name != "HEAD":
            return None
        found = self._access.stat(self.path(name))
        if found is None or found.mode & 0o170000 != 0o120000:
            return None
        target = self._access.readlink(self.path(name))
        return target if target.startswith("refs/") else None

    def resolve(self, name: str) -> str | None:
        """Return the object name of a reference, None if it does not exist."""
        for _ in range(_DEPTH + 1):
            if (link := self._link(name)) is not None:
                name = link
                continue
            content = self._content(name)
            if content is None:
                return None
            if not content.startswith("ref:"):
                return content[:40] if _OID.match(content) else None
            name = content[4:].strip()
        return None

    def final_name(self, name: str) -> str:
        """Return the name at the end of a chain of symbolic references."""
        for _ in range(_DEPTH):
            target = self.target(name)
            if target is None:
                break
            name = target
        return name

    def all(self, prefix: str = "refs/") -> dict[str, str]:
        """Return the references below a prefix with their object names, in order of their names."""
        names = {name for name in self.packed() if name.startswith(prefix)}
        base = prefix if prefix.endswith("/") else prefix.rpartition("/")[0] + "/"
        names.update(name for name in self._loose(base.rstrip("/")) if name.startswith(prefix))
        result = {}
        for name in sorted(names, key=encode):
            oid = self.resolve(name)
            if oid is not None:
                result[name] = oid
        return result

    def _loose(self, base: str) -> Iterator[str]:
        for entry in self._access.listdir(f"{self.common}/{base}"):
            name = f"{base}/{entry.name}"
            if entry.mode & 0o170000 == 0o040000:
                yield from self._loose(name)
            elif not entry.name.endswith(".lock"):
                yield name

    def log_path(self, name: str) -> str:
        """Return the path of the reflog of a reference."""
        return f"{self.common if name.startswith('refs/') else self.directory}/logs/{name}"

    def log(self, name: str) -> list[LogEntry]:
        """Return the reflog of a reference, the oldest entry first."""
        data = self._access.read_or_none(self.log_path(name))
        entries = []
        for line in decode(data or b"").split("\n"):
            self._access.charge(1)
            head, _, message = line.partition("\t")
            if _OID.match(head) and _OID.match(head[41:]):
                entries.append(LogEntry(head[:40], head[41:81], identity(head[82:]), message))
        return entries


def _is_own(name: str) -> bool:
    """Return True for a reference that each working tree has of its own."""
    return bool(name) and (
        not name.startswith("refs/") or name.startswith(("refs/bisect/", "refs/worktree/", "refs/rewritten/"))
    )


def is_valid_name(name: str) -> bool:
    """Return True if git accepts the name of a reference."""
    return 0 < len(name) < _LONGEST and _BAD_NAME.search(name) is None


def is_object_name(text: str) -> bool:
    """Return True for 40 hexadecimal digits, in upper or lower case."""
    return _OID.fullmatch(text.lower()) is not None


def is_head(content: str) -> bool:
    """Return True if git accepts the contents of the file HEAD: an object name, or a reference below "refs/"."""
    if content.startswith("ref:"):
        return content[4:260].lstrip().startswith("refs/")
    return _OID.match(content) is not None


def short_name(name: str) -> str:
    """Return a reference without "refs/heads/", "refs/tags/" or "refs/remotes/"."""
    for prefix in ("refs/heads/", "refs/tags/", "refs/remotes/"):
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name.removeprefix("refs/")

"""The object store: loose objects, packs, and the alternates of a repository.

dulwich parses commits, tags and trees. Its own stores open paths of the host, so they are not used.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Mapping

from dulwich.errors import ObjectFormatException
from dulwich.objects import parse_tree

from sandhook.record import Record
from sandhook.utilities.git.errors import MissingObject
from sandhook.utilities.git.store.access import Access, decode
from sandhook.utilities.git.store.commits import Commit, Tag, parse_commit, parse_tag
from sandhook.utilities.git.store.packs import LONGEST_CHAIN, Pack, apply_delta, feeds, inflate
from sandhook.vfs.path import normalize

_HEX = re.compile(r"[0-9a-f]{2}")
_CACHE_BYTES = 4 << 20  #: bytes of objects that are kept for a second use
_ALTERNATES = 5  #: levels of alternates that are followed, as git has it
_REPLACEMENTS = 5  #: replacements of replacements that are followed, as git has it

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
GITLINK = 0o160000
SYMLINK = 0o120000
TREE = 0o040000


class Object(Record):
    """An object: its type ("commit", "tree", "blob" or "tag"), and its data."""

    kind: str
    data: bytes


class TreeItem(Record):
    """An entry of a tree."""

    name: str
    mode: int
    oid: str


class ObjectStore:
    """All objects that a repository can read.

    Args:
        directory: The path of "objects".
        extra: More directories of objects, from GIT_ALTERNATE_OBJECT_DIRECTORIES.

    Attributes:
        replacements: Returns the objects that others replace, each with the other one. It is called at the first use.
    """

    def __init__(self, access: Access, directory: str, extra: tuple[str, ...] = ()) -> None:
        self.access = access
        self.directory = directory
        self.shallow: frozenset[str] = frozenset()
        self.replacements: Callable[[], Mapping[str, str]] = dict
        self._replaced: Mapping[str, str] | None = None
        found: dict[str, None] = {}  # each directory once: alternates may name each other
        for each in (directory, *extra):
            self._add_directory(each, found, 0)
        self._directories = list(found)
        self._packs: list[Pack] | None = None
        self._cache: dict[str, Object] = {}
        self._cached = 0
        self._commits: dict[str, Commit] = {}

    def _add_directory(self, directory: str, found: dict[str, None], depth: int) -> None:
        """Add a directory of objects, and those that it names as alternates."""
        self.access.charge(1)
        directory = normalize(directory)
        if directory in found:
            return
        found[directory] = None
        text = self.access.text_or_none(f"{directory}/info/alternates")
        if text is None or depth >= _ALTERNATES:
            return
        for line in text.split("\n"):
            if line and not line.startswith("#"):
                path = line if line.startswith("/") else f"{directory}/{line}"
                self._add_directory(path, found, depth + 1)

    @property
    def packs(self) -> list[Pack]:
        """All packs whose index can be read. One with a damaged index is reported once, and is skipped, as in git."""
        if self._packs is None:
            self._packs = []
            for directory in self._directories:
                for entry in self.access.listdir(f"{directory}/pack"):
                    if not entry.name.endswith(".idx"):
                        continue
                    pack = Pack(self.access, f"{directory}/pack/{entry.name[:-4]}")
                    try:
                        pack.check()
                    except MissingObject as error:
                        self.access.ctx.write_error(f"error: {error}\n")
                    else:
                        self._packs.append(pack)
        return self._packs

    # ------------------------------------------------------------------ objects

    def get(self, oid: str) -> Object:
        """Return an object. Raises MissingObject."""
        result = self.find(oid)
        if result is None:
            raise MissingObject(f"unable to read {oid}")
        return result

    def find(self, oid: str) -> Object | None:
        """Return an object, None if the repository lacks it. Raises MissingObject for a damaged one."""
        self.access.charge(1)
        if (known := self._cache.get(oid)) is not None:
            return known
        content = self._replacement(oid)
        if content in (EMPTY_TREE, EMPTY_BLOB):
            return Object("tree" if content == EMPTY_TREE else "blob", b"")
        result = self._packed(content, 0) or self._loose(content)
        if result is None and content != oid:
            raise MissingObject(f"replacement {content} not found for {oid}")
        if result is not None:
            self._keep(oid, result)
        return result

    def _replacement(self, oid: str) -> str:
        """Return the object whose contents an object has: itself, or the one that replaces it."""
        if self._replaced is None:
            self._replaced = self.replacements()
        if oid not in self._replaced:
            return oid
        content = oid
        for _ in range(_REPLACEMENTS + 1):
            if (following := self._replaced.get(content)) is None:
                return content
            content = following
        raise MissingObject(f"replace depth too high for object {oid}")

    def read_as_they_are(self) -> None:
        """Give all objects their own contents, whatever replaces them."""
        self._replaced = {}

    def _keep(self, oid: str, result: Object) -> None:
        size = len(result.data) + 200
        if size > _CACHE_BYTES >> 2:
            return
        if self._cached + size > _CACHE_BYTES:
            self.access.ctx.budget.charge_memory(-self._cached)
            self._cache.clear()
            self._cached = 0
        self.access.ctx.budget.charge_memory(size)
        self._cache[oid] = result
        self._cached += size

    def _loose(self, oid: str) -> Object | None:
        for directory in self._directories:
            data = self.access.read_or_none(f"{directory}/{oid[:2]}/{oid[2:]}")
            if data is not None:
                return self._parse_loose(oid, data)
        return None

    def loose_size(self, oid: str) -> int:
        """Return the bytes of the file of an object, 0 without one."""
        for directory in self._directories:
            found = self.access.stat(f"{directory}/{oid[:2]}/{oid[2:]}")
            if found is not None:
                return found.size
        return 0

    def _parse_loose(self, oid: str, data: bytes) -> Object:
        head = _loose_head(data)
        if head is None:
            self.access.ctx.flush()
            raise MissingObject(f"loose object {oid} (stored in {self._loose_path(oid)}) is corrupt")
        kind, size, offset = head
        return Object(kind, inflate(self.access, feeds(data), offset + size, oid)[offset:])

    def _loose_path(self, oid: str) -> str:
        return f"{self.directory}/{oid[:2]}/{oid[2:]}"

    def _packed(self, oid: str, depth: int) -> Object | None:
        for pack in self.packs:
            if (offset := pack.offset_of(oid)) is not None:
                return self._from_pack(pack, offset, depth)
        return None

    def _from_pack(self, pack: Pack, offset: int, depth: int) -> Object:
        """Return the object at an offset. The deltas of a chain are applied from its base on."""
        deltas = []
        entry = pack.entry(offset)
        while not entry.kind:
            deltas.append(entry)
            if depth + len(deltas) > LONGEST_CHAIN:
                raise MissingObject("failed to apply delta")
            self.access.charge(1)
            if isinstance(entry.base, str):
                inner = pack.offset_of(entry.base)
                if inner is None:
                    outside = self._packed(entry.base, depth + len(deltas)) or self._loose(entry.base)
                    if outside is None:
                        raise MissingObject(f"unable to read {entry.base}")
                    kind, data = outside
                    break
                entry = pack.entry(inner)
            else:
                entry = pack.entry(entry.base)
        else:
            kind, data = entry.kind, pack.inflate(entry)
        for delta in reversed(deltas):
            data = apply_delta(self.access, data, pack.inflate(delta))
        return Object(kind, data)

    def has(self, oid: str) -> bool:
        """Return True if the repository has an object."""
        if oid in self._cache or oid in (EMPTY_TREE, EMPTY_BLOB):
            return True
        return any(pack.offset_of(oid) is not None for pack in self.packs) or any(
            self.access.stat(f"{directory}/{oid[:2]}/{oid[2:]}") is not None
            for directory in self._directories
        )

    def kind_and_size(self, oid: str) -> tuple[str, int] | None:
        """Return the type of an object and the length of its data."""
        found = self.find(oid)
        return None if found is None else (found.kind, len(found.data))

    # ------------------------------------------------------------------ names

    def names_with(self, prefix: str) -> list[str]:
        """Return the names that begin with two or more hexadecimal digits, sorted."""
        names = {name for pack in self.packs for name in pack.names_with(prefix)}
        for directory in self._directories:
            for entry in self.access.listdir(f"{directory}/{prefix[:2]}"):
                name = prefix[:2] + entry.name
                if name.startswith(prefix) and len(name) == 40:
                    names.add(name)
        return sorted(names)

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all objects; a name may come twice."""
        for pack in self.packs:
            yield from pack
        for directory in self._directories:
            for entry in self.access.listdir(directory):
                if _HEX.fullmatch(entry.name):
                    for each in self.access.listdir(f"{directory}/{entry.name}"):
                        if len(each.name) == 38:
                            yield entry.name + each.name

    def packed_count(self) -> int:
        """Return the number of objects in packs."""
        return sum(len(pack) for pack in self.packs)

    # ------------------------------------------------------------------ parsed

    def commit(self, oid: str) -> Commit:
        """Return a commit. Raises MissingObject, also for another type."""
        known = self._commits.get(oid)
        if known is None:
            found = self.get(oid)
            if found.kind != "commit":
                raise MissingObject(f"object {oid} is a {found.kind}, not a commit")
            self.access.charge(4 + (len(found.data) >> 8))
            self.access.ctx.budget.charge_memory(len(found.data) + 600)
            known = parse_commit(oid, found.data, oid in self.shallow)
            self._commits[oid] = known
        return known

    def tag(self, oid: str) -> Tag:
        """Return an annotated tag."""
        found = self.get(oid)
        if found.kind != "tag":
            raise MissingObject(f"object {oid} is a {found.kind}, not a tag")
        return parse_tag(oid, found.data)

    def tree(self, oid: str) -> list[TreeItem]:
        """Return the entries of a tree, in its order."""
        found = self.get(oid)
        if found.kind != "tree":
            raise MissingObject(f"object {oid} is a {found.kind}, not a tree")
        self.access.charge(1 + (len(found.data) >> 5))
        self.access.ctx.budget.check_fits(len(found.data) * 12)
        try:
            return [
                TreeItem(decode(name), mode, oid.decode("ascii"))
                for name, mode, oid in parse_tree(found.data, 20)
            ]
        except (ObjectFormatException, ValueError, AssertionError):
            raise MissingObject(f"corrupt tree file {oid}") from None

    def peel(self, oid: str, wanted: str = "") -> str | None:
        """Return the object that a tag points to, and the tree of a commit if ``wanted`` is "tree"."""
        for _ in range(100):
            found = self.find(oid)
            if found is None:
                return None
            if found.kind == wanted:
                return oid
            if found.kind == "tag":
                oid = parse_tag(oid, found.data).target
            elif found.kind == "commit" and wanted == "tree":
                oid = self.commit(oid).tree
            else:
                return oid if not wanted else None
        return None

    def tree_of(self, oid: str) -> str:
        """Return the name of the tree of a commit, a tag or a tree. Raises MissingObject."""
        tree = self.peel(oid, "tree")
        if tree is None:
            raise MissingObject(f"unable to read tree {oid}")
        return tree


def _loose_head(data: bytes) -> tuple[str, int, int] | None:
    """Return type, length and the offset of the data of a loose object, None for a damaged one."""
    try:
        head = zlib.decompressobj().decompress(data[:256], 64)
    except zlib.error:
        return None
    kind, _, rest = head.partition(b" ")
    digits, nul, _ = rest.partition(b"\0")
    if not nul or not digits.isdigit() or kind not in (b"commit", b"tree", b"blob", b"tag"):
        return None
    return kind.decode("ascii"), int(digits), len(kind) + len(digits) + 2


def object_id(kind: str, data: bytes) -> str:
    """Return the name of an object; the caller charges for the data."""
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()

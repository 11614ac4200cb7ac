"""The initial files of every memory file system; all of them are synthetic.

They follow the Filesystem Hierarchy Standard 3.0 where scripts read it. Nothing here is
read from the host.
"""

from __future__ import annotations

from functools import lru_cache

from sandhook.lazy import cache_texts
from sandhook.record import Record
from sandhook.vfs.base import Device
from sandhook.vfs.inode import S_IFCHR, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG, DynamicChildren, Inode
from sandhook.vfs.names import is_plain

_HOSTNAME = b"sandhook\n"

#: Path, permission bits, and whether the user owns it rather than root.
_DIRECTORIES: tuple[tuple[str, int, bool], ...] = (
    ("bin", 0o755, False),
    ("dev", 0o755, False),
    ("etc", 0o755, False),
    ("home", 0o755, False),
    ("home/agent", 0o755, True),
    ("proc", 0o555, False),
    ("proc/self", 0o555, True),
    ("proc/sys", 0o555, False),
    ("proc/sys/kernel", 0o555, False),
    ("root", 0o700, False),
    ("tmp", 0o1777, False),
    ("usr", 0o755, False),
    ("usr/bin", 0o755, False),
    ("usr/local", 0o755, False),
    ("usr/local/bin", 0o755, False),
    ("var", 0o755, False),
    ("var/tmp", 0o1777, False),
    ("workspace", 0o755, True),
)

_FILES: tuple[tuple[str, str, bytes], ...] = (
    ("etc", "group", b"root:x:0:\nagent:x:{gid}:\nnogroup:x:65534:\n"),
    ("etc", "hostname", _HOSTNAME),
    ("etc", "hosts", b"127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost\n127.0.1.1\tsandhook\n"),
    (
        "etc",
        "os-release",
        b'PRETTY_NAME="sandhook"\nNAME="sandhook"\nID=sandhook\nID_LIKE=debian\nVERSION_ID="1"\n',
    ),
    (
        "etc",
        "passwd",
        (
            b"root:x:0:0:root:/root:/bin/bash\nagent:x:{uid}:{gid}:agent:/home/agent:/bin/bash\n"
            b"nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"
        ),
    ),
    ("proc/sys/kernel", "hostname", _HOSTNAME),
    ("proc/sys/kernel", "osrelease", b"6.1.0\n"),
    ("proc/sys/kernel", "ostype", b"Linux\n"),
    ("proc", "version", b"Linux version 6.1.0 (sandhook)\n"),
)

_DEVICES: tuple[tuple[str, Device], ...] = (
    ("full", Device("full", key=0x107)),
    ("null", Device("null", key=0x103)),
    ("random", Device("random", key=0x108)),
    ("stderr", Device("stderr")),
    ("stdin", Device("stdin")),
    ("stdout", Device("stdout")),
    ("tty", Device("tty", key=0x500)),
    ("urandom", Device("random", key=0x109)),
    ("zero", Device("zero", key=0x105)),
)

_FD_TARGET = "/proc/self/fd"
_FD_DIRECTORY = "proc/self/fd"

#: Inode numbers of /proc/self/fd/N start here, far above any quota.
_FD_BASE = 1 << 40


class _Descriptors(DynamicChildren):
    """Children of /proc/self/fd: every decimal name is a device; the kernel knows which ones are open."""

    __slots__ = ("_gid", "_now", "_uid")

    def __init__(self, uid: int, gid: int, now: int) -> None:
        super().__init__()
        self._uid = uid
        self._gid = gid
        self._now = now

    def __missing__(self, name: str) -> Inode:
        if not (name.isascii() and name.isdecimal() and len(name) < 10 and (name == "0" or name[0] != "0")):
            raise KeyError(name)
        node = Inode(S_IFCHR | 0o600, _FD_BASE + int(name), self._uid, self._gid, self._now)
        node.target = Device("fd", int(name))
        return node

    def fresh(self) -> _Descriptors:
        return _Descriptors(self._uid, self._gid, self._now)


class _Row(Record):
    """One file of the skeleton.

    Attributes:
        mode: Type and permission bits.
        is_own: The user owns it rather than root.
        links: The number of names, as ``Inode`` counts them.
    """

    parent: str
    name: str
    number: int
    mode: int
    is_own: bool
    links: int
    data: bytes
    target: str | Device


def _rows() -> dict[str, list[_Row]]:
    """Return the rows below each directory of the root, parents first; the row of "" has those directories."""
    files: list[tuple[str, int, bool, bytes, str | Device]] = [
        *((path, S_IFDIR | bits, is_own, b"", "") for path, bits, is_own in _DIRECTORIES),
        *((f"{parent}/{name}", S_IFREG | 0o644, False, data, "") for parent, name, data in _FILES),
        *((f"dev/{name}", S_IFCHR | 0o666, False, b"", device) for name, device in _DEVICES),
        ("dev/fd", S_IFLNK | 0o777, False, b"", _FD_TARGET),
        (_FD_DIRECTORY, S_IFDIR | 0o555, True, b"", ""),
    ]
    inner = [path.rpartition("/")[0] for path, mode, *_ in files if mode & S_IFMT == S_IFDIR]
    rows: dict[str, list[_Row]] = {"": []}
    for number, (path, mode, is_own, data, target) in enumerate(files, start=2):
        parent, _, name = path.rpartition("/")
        links = 2 + inner.count(path) if mode & S_IFMT == S_IFDIR else 1
        row = _Row(
            parent=parent, name=name, number=number, mode=mode,
            is_own=is_own, links=links, data=data, target=target,
        )  # fmt: skip
        rows.setdefault(path.partition("/")[0] if parent else "", []).append(row)
    return rows


_ROWS = _rows()
_new = object.__new__
_LAST = 1 + sum(map(len, _ROWS.values()))
_ROOT_LINKS = 2 + len(_ROWS[""])


#: Types and permission bits by path.
_MODES = {
    f"{row.parent}/{row.name}" if row.parent else row.name: row.mode
    for rows in _ROWS.values()
    for row in rows
}


@cache_texts(1024)
def lacks(path: str) -> bool:
    """Return True if a skeleton that nobody has changed cannot have an absolute path; False is no answer.

    True says that a directory, which no link leads to, lacks the next name.
    """
    place = ""
    for part in path[1:].split("/"):
        if not is_plain(part):
            return False
        place = f"{place}/{part}" if place else part
        mode = _MODES.get(place)
        if mode is None:
            return not place.startswith(_FD_DIRECTORY)
        if mode & (S_IFMT | 0o111) != S_IFDIR | 0o111:
            return False
    return False


@lru_cache(maxsize=8)
def _size(uid: int, gid: int) -> int:
    """Return the bytes of all contents."""
    return len(_FD_TARGET) + sum(len(_of_user(data, uid, gid)) for _, _, data in _FILES)


def _of_user(data: bytes, uid: int, gid: int) -> bytes:
    """Return the contents of a file of the skeleton, with the numbers of the user and the group."""
    return data.replace(b"{uid}", b"%d" % uid).replace(b"{gid}", b"%d" % gid) if b"{" in data else data


class _Unread(Inode):
    """A directory of the root that nobody has looked at: its fields are set when one is read, its entries when they are.

    Most runs look at two of the nine; to set all fields took a tenth of the time of a short run.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> object:
        row, uid, gid, now = self.unread
        if name == "children":
            _ = self.mode  # the fields are set before the class changes
            self.__class__ = Inode  # type: ignore[assignment]  # it has the same slots, and reads them as they are
            self.children = _children(row.name, uid, gid, now)
            return self.children
        fields = _inode(row, uid, gid, now)
        for field in _FIELDS:
            try:
                object.__getattribute__(self, field)
            except AttributeError:  # else somebody has set it without a look, as ``touch`` does
                setattr(self, field, getattr(fields, field))
        return object.__getattribute__(self, name)


#: What an inode has without its entries.
_FIELDS = tuple(field for field in Inode.__slots__ if field not in ("children", "unread"))


def _inode(row: _Row, uid: int, gid: int, now: int) -> Inode:
    """Return the file of a row, without entries and contents."""
    node = Inode(row.mode, row.number, uid, gid, now) if row.is_own else Inode(row.mode, row.number, 0, 0, now)
    node.links = row.links
    return node


def _children(top: str, uid: int, gid: int, now: int) -> dict[str, Inode]:
    """Return new entries of a directory of the root, with all that is below them."""
    children: dict[str, Inode] = {}
    nodes = {top: children}
    for row in _ROWS.get(top, ()):
        node = _inode(row, uid, gid, now)
        node.data = _of_user(row.data, uid, gid)
        node.target = row.target
        nodes[row.parent][row.name] = node
        if row.mode & S_IFMT == S_IFDIR:
            path = f"{row.parent}/{row.name}"
            node.children = nodes[path] = {} if path != _FD_DIRECTORY else _Descriptors(uid, gid, now)
    return children


def is_unread(node: Inode) -> bool:
    """Return True for a directory of the root whose entries nobody has read or changed."""
    return node.__class__ is _Unread


def directory(bits: int, number: int, uid: int, gid: int, now: int) -> Inode:
    """Return an empty directory."""
    node = Inode(S_IFDIR | bits, number, uid, gid, now)
    node.children = {}
    node.links = 2
    return node


def build(uid: int, gid: int, now: int) -> tuple[Inode, int, int]:
    """Return a new root directory, its last inode number and the bytes of all contents.

    Args:
        uid: Owner of /home/agent and /workspace; also named in /etc/passwd.
        gid: Its group.
        now: Time of every file, in nanoseconds since the epoch.
    """
    root = directory(0o755, 1, 0, 0, now)
    root.links = _ROOT_LINKS
    children = root.children
    for row in _ROWS[""]:
        if row.name == "workspace":  # the usual working directory, which each run looks at
            children[row.name] = node = _inode(row, uid, gid, now)
            node.children = _children(row.name, uid, gid, now)
        else:
            children[row.name] = node = _new(_Unread)
            node.unread = row, uid, gid, now
    return root, _LAST, _size(uid, gid)

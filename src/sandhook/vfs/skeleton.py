"""The initial files of every memory file system; all of them are synthetic.

They follow the Filesystem Hierarchy Standard 3.0 where scripts read it. Nothing here is
read from the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from sandhook.lazy import cache_texts
from sandhook.record import Record
from sandhook.vfs import git_scripts
from sandhook.vfs.base import Device
from sandhook.vfs.inode import S_IFCHR, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG, Inode, SkeletonRow
from sandhook.vfs.names import is_plain

_HOSTNAME = b"sandhook\n"
_FD_TARGET = "/proc/self/fd"
_FD_DIRECTORY = "proc/self/fd"

#: The directories of the root: permission bits, and whether the user owns it rather than root.
_TOPS: dict[str, tuple[int, bool]] = {
    "bin": (0o755, False),
    "boot": (0o755, False),
    "dev": (0o755, False),
    "etc": (0o755, False),
    "home": (0o755, False),
    "lib": (0o755, False),
    "media": (0o755, False),
    "mnt": (0o755, False),
    "opt": (0o755, False),
    "proc": (0o555, False),
    "root": (0o700, False),
    "run": (0o755, False),
    "sbin": (0o755, False),
    "srv": (0o755, False),
    "sys": (0o555, False),
    "tmp": (0o1777, False),
    "usr": (0o755, False),
    "var": (0o755, False),
    "workspace": (0o755, True),
}

#: Directories by directory of the root, parents first: path, permission bits, and whether the user owns it.
_DIRECTORIES: dict[str, tuple[tuple[str, int, bool], ...]] = {
    "dev": (
        ("dev/pts", 0o755, False),
        ("dev/shm", 0o1777, False),
    ),
    "etc": (
        ("etc/default", 0o755, False),
        ("etc/init.d", 0o755, False),
        ("etc/skel", 0o755, False),
    ),
    "home": (("home/agent", 0o755, True),),
    "proc": (
        ("proc/self", 0o555, True),
        (_FD_DIRECTORY, 0o555, True),
        ("proc/sys", 0o555, False),
        ("proc/sys/kernel", 0o555, False),
        ("proc/sys/kernel/random", 0o555, False),
    ),
    "run": (("run/lock", 0o1777, False),),
    "usr": (
        ("usr/bin", 0o755, False),
        ("usr/lib", 0o755, False),
        ("usr/lib/git-core", 0o755, False),
        ("usr/libexec", 0o755, False),
        ("usr/local", 0o755, False),
        ("usr/local/bin", 0o755, False),
        ("usr/local/lib", 0o755, False),
        ("usr/local/sbin", 0o755, False),
        ("usr/local/share", 0o755, False),
        ("usr/sbin", 0o755, False),
        ("usr/share", 0o755, False),
    ),
    "var": (
        ("var/backups", 0o755, False),
        ("var/cache", 0o755, False),
        ("var/lib", 0o755, False),
        ("var/local", 0o2775, False),
        ("var/log", 0o755, False),
        ("var/mail", 0o2775, False),
        ("var/opt", 0o755, False),
        ("var/spool", 0o755, False),
        ("var/tmp", 0o1777, False),
    ),
}

#: One processor, and the memory of a run with the default limits, as ``nproc`` and ``free`` show them.
_PROCESSOR = b"processor\t: 0\nvendor_id\t: sandhook\nmodel name\t: sandhook\ncpu cores\t: 1\nflags\t\t:\n\n"
_MEMORY = b"".join(
    b"%-16s%8d kB\n" % (name + b":", size)
    for name, size in (
        (b"MemTotal", 65_536), (b"MemFree", 65_536), (b"MemAvailable", 65_536), (b"Buffers", 0), (b"Cached", 0),
        (b"SwapCached", 0), (b"Shmem", 0), (b"SwapTotal", 0), (b"SwapFree", 0),
    )
)  # fmt: skip

_MOUNTS = (
    b"sandhook / sandhook rw,relatime 0 0\nproc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n"
    b"sysfs /sys sysfs ro,nosuid,nodev,noexec,relatime 0 0\nudev /dev devtmpfs rw,nosuid,relatime 0 0\n"
)

_FILES: dict[str, tuple[tuple[str, bytes], ...]] = {
    "etc": (
        ("etc/debian_version", b"12.0\n"),
        ("etc/environment", b""),
        ("etc/fstab", b"# UNCONFIGURED FSTAB FOR BASE SYSTEM\n"),
        ("etc/group", b"root:x:0:\nagent:x:{gid}:\nnogroup:x:65534:\n"),
        ("etc/host.conf", b"multi on\n"),
        ("etc/hostname", _HOSTNAME),
        ("etc/hosts", b"127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost\n127.0.1.1\tsandhook\n"),
        ("etc/issue", b"sandhook \\n \\l\n\n"),
        ("etc/issue.net", b"sandhook\n"),
        ("etc/machine-id", b"%032x\n" % 0x73616E64686F6F6B),
        ("etc/nsswitch.conf", b"passwd:         files\ngroup:          files\n\nhosts:          files\n"),
        (
            "etc/os-release",
            b'PRETTY_NAME="sandhook"\nNAME="sandhook"\nID=sandhook\nID_LIKE=debian\nVERSION_ID="1"\n',
        ),
        (
            "etc/passwd",
            (
                b"root:x:0:0:root:/root:/bin/bash\nagent:x:{uid}:{gid}:agent:/home/agent:/bin/bash\n"
                b"nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"
            ),
        ),
        ("etc/resolv.conf", b""),
        ("etc/shells", b"/bin/sh\n/usr/bin/sh\n/bin/bash\n/usr/bin/bash\n/bin/dash\n/usr/bin/dash\n"),
        ("etc/timezone", b"Etc/UTC\n"),
    ),
    "proc": (
        ("proc/cmdline", b"quiet\n"),
        ("proc/cpuinfo", _PROCESSOR),
        ("proc/filesystems", b"nodev\tsysfs\nnodev\tproc\nnodev\tdevtmpfs\nnodev\tsandhook\n"),
        ("proc/loadavg", b"0.00 0.00 0.00 1/1 1\n"),
        ("proc/meminfo", _MEMORY),
        ("proc/swaps", b"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"),
        ("proc/uptime", b"0.00 0.00\n"),
        ("proc/version", b"Linux version 6.1.0 (sandhook)\n"),
        ("proc/self/cgroup", b"0::/\n"),
        ("proc/self/mounts", _MOUNTS),
        ("proc/sys/kernel/hostname", _HOSTNAME),
        ("proc/sys/kernel/osrelease", b"6.1.0\n"),
        ("proc/sys/kernel/ostype", b"Linux\n"),
        ("proc/sys/kernel/pid_max", b"32768\n"),
    ),
    "usr": (
        ("usr/lib/git-core/git-sh-i18n", git_scripts.I18N),
        ("usr/lib/git-core/git-sh-setup", git_scripts.SETUP),
    ),
}

_LINKS: dict[str, tuple[tuple[str, str], ...]] = {
    "dev": (("dev/fd", _FD_TARGET),),
    "proc": (("proc/mounts", "self/mounts"),),
    "var": (("var/lock", "/run/lock"), ("var/run", "/run")),
}

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


#: Each directory of the root has as many inode numbers for what is below it.
_BLOCK = 64
_LAST = 1 + len(_TOPS) + _BLOCK * len(_TOPS)
_new = object.__new__


def _files(top: str) -> Iterator[tuple[str, int, bool, bytes, str | Device]]:
    """Yield path, mode, owner, contents and target of what is below a directory of the root, parents first."""
    for path, bits, is_own in _DIRECTORIES.get(top, ()):
        yield path, S_IFDIR | bits, is_own, b"", ""
    for path, data in _FILES.get(top, ()):
        yield path, S_IFREG | 0o644, False, data, ""
    for path, target in _LINKS.get(top, ()):
        yield path, S_IFLNK | 0o777, False, b"", target
    if top == "dev":
        for name, device in _DEVICES:
            yield f"dev/{name}", S_IFCHR | 0o666, False, b"", device
    if top == "proc":
        yield "proc/sys/kernel/random/uuid", S_IFCHR | 0o444, False, b"", Device("uuid")


@cache
def _root() -> tuple[_Row, ...]:
    """Return the rows of the directories of the root."""
    inner = {top: sum(path.count("/") == 1 for path, _, _ in rows) for top, rows in _DIRECTORIES.items()}
    return tuple(
        _Row(
            parent="", name=name, number=2 + number, mode=S_IFDIR | bits,
            is_own=is_own, links=2 + inner.get(name, 0), data=b"", target="",
        )
        for number, (name, (bits, is_own)) in enumerate(_TOPS.items())
    )  # fmt: skip


@cache
def _rows(top: str) -> tuple[_Row, ...]:
    """Return the rows below a directory of the root, parents first."""
    first = 2 + len(_TOPS) + _BLOCK * list(_TOPS).index(top)
    inner = [path.rpartition("/")[0] for path, _, _ in _DIRECTORIES.get(top, ())]
    rows = []
    for number, (path, mode, is_own, data, target) in enumerate(_files(top), start=first):
        parent, _, name = path.rpartition("/")
        links = 2 + inner.count(path) if mode & S_IFMT == S_IFDIR else 1
        row = _Row(
            parent=parent, name=name, number=number, mode=mode,
            is_own=is_own, links=links, data=data, target=target,
        )  # fmt: skip
        rows.append(row)
    return tuple(rows)


@cache
def _modes(top: str) -> dict[str, int]:
    """Return types and permission bits, by path, of a directory of the root and of what is below it."""
    if top not in _TOPS:
        return {}
    return {top: S_IFDIR | _TOPS[top][0], **{path: mode for path, mode, *_ in _files(top)}}


@cache_texts(1024)
def lacks(path: str) -> bool:
    """Return True if a skeleton that nobody has changed cannot have an absolute path; False is no answer.

    True says that a directory, which no link leads to, lacks the next name.
    """
    parts = path[1:].split("/")
    modes = _modes(parts[0])
    place = ""
    for part in parts:
        if not is_plain(part):
            return False
        place = f"{place}/{part}" if place else part
        mode = modes.get(place)
        if mode is None:
            return not place.startswith("proc/")  # there are entries for processes
        if mode & (S_IFMT | 0o111) != S_IFDIR | 0o111:
            return False
    return False


@lru_cache(maxsize=8)
def _size(uid: int, gid: int) -> int:
    """Return the bytes of all contents."""
    contents = sum(len(_of_user(data, uid, gid)) for rows in _FILES.values() for _, data in rows)
    return contents + sum(len(target) for rows in _LINKS.values() for _, target in rows)


def _of_user(data: bytes, uid: int, gid: int) -> bytes:
    """Return the contents of a file of the skeleton, with the numbers of the user and the group."""
    return data.replace(b"{uid}", b"%d" % uid).replace(b"{gid}", b"%d" % gid) if b"{" in data else data


class _Unread(Inode):
    """A directory of the root that nobody has looked at: its fields are set when one is read, its entries when they are.

    Most runs look at two of them; to set all fields took a tenth of the time of a short run.
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


def _inode(row: SkeletonRow, uid: int, gid: int, now: int) -> Inode:
    """Return the file of a row, without entries and contents."""
    owner = (uid, gid) if row.is_own else (0, 0)
    node = Inode(row.mode, row.number, *owner, now)
    node.links = row.links
    return node


def _children(top: str, uid: int, gid: int, now: int) -> dict[str, Inode]:
    """Return new entries of a directory of the root, with all that is below them."""
    children = _entries(top, uid, gid, now)
    nodes = {top: children}
    for row in _rows(top):
        node = _inode(row, uid, gid, now)
        node.data = _of_user(row.data, uid, gid)
        node.target = row.target
        nodes[row.parent][row.name] = node
        if row.mode & S_IFMT == S_IFDIR:
            path = f"{row.parent}/{row.name}"
            node.children = nodes[path] = _entries(path, uid, gid, now)
    return children


def _entries(path: str, uid: int, gid: int, now: int) -> dict[str, Inode]:
    """Return what holds the entries of a directory; those for processes are not stored."""
    if path[:4] != "proc" or path not in ("proc", "proc/self", _FD_DIRECTORY):
        return {}
    from sandhook.vfs.process_files import AllProcesses, Descriptors, OneProcess

    kind = {"proc": AllProcesses, "proc/self": OneProcess}.get(path, Descriptors)
    return kind((uid, gid), now)


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
    root.links = 2 + len(_root())
    children = root.children
    for row in _root():
        if row.name == "workspace":  # the usual working directory, which each run looks at
            children[row.name] = node = _inode(row, uid, gid, now)
            node.children = _children(row.name, uid, gid, now)
        else:
            children[row.name] = node = _new(_Unread)
            node.unread = row, uid, gid, now
    return root, _LAST, _size(uid, gid)

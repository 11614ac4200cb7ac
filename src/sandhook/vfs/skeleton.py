"""The initial files of every memory file system; all of them are synthetic.

They follow the Filesystem Hierarchy Standard 3.0 where scripts read it. Nothing here is
read from the host.
"""

from __future__ import annotations

from sandhook.vfs.base import Device
from sandhook.vfs.inode import S_IFCHR, S_IFDIR, S_IFLNK, S_IFREG, Inode

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
    ("full", Device("full")),
    ("null", Device("null")),
    ("random", Device("random")),
    ("stderr", Device("stderr")),
    ("stdin", Device("stdin")),
    ("stdout", Device("stdout")),
    ("tty", Device("tty")),
    ("urandom", Device("random")),
    ("zero", Device("zero")),
)

_FD_TARGET = "/proc/self/fd"

#: Inode numbers of /proc/self/fd/N start here, far above any quota.
_FD_BASE = 1 << 40


class _Descriptors(dict[str, Inode]):
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
    nodes = {"": root}
    number = 1
    for path, bits, is_own in _DIRECTORIES:
        number += 1
        node = directory(bits, number, uid, gid, now) if is_own else directory(bits, number, 0, 0, now)
        parent_path, _, name = path.rpartition("/")
        parent = nodes[parent_path]
        parent.children[name] = node
        parent.links += 1
        nodes[path] = node
    size = len(_FD_TARGET)
    for parent_path, name, data in _FILES:
        number += 1
        node = Inode(S_IFREG | 0o644, number, 0, 0, now)
        if b"{" in data:
            data = data.replace(b"{uid}", b"%d" % uid).replace(b"{gid}", b"%d" % gid)
        node.data = data
        size += len(data)
        nodes[parent_path].children[name] = node
    devices = nodes["dev"].children
    for name, device in _DEVICES:
        number += 1
        devices[name] = node = Inode(S_IFCHR | 0o666, number, 0, 0, now)
        node.target = device
    number += 1
    devices["fd"] = node = Inode(S_IFLNK | 0o777, number, 0, 0, now)
    node.target = _FD_TARGET
    number += 1
    node = Inode(S_IFDIR | 0o555, number, uid, gid, now)
    node.children = _Descriptors(uid, gid, now)
    node.links = 2
    nodes["proc/self"].children["fd"] = node
    nodes["proc/self"].links += 1
    return root, number, size

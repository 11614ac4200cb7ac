"""The inodes of a memory file system: path resolution, permissions and quota.

Source: POSIX.1-2024 XBD 4.16 Pathname Resolution, 4.7 File Access Permissions.
"""

from __future__ import annotations

import errno
from collections.abc import Callable

from sandhook.vfs import skeleton
from sandhook.vfs.errors import TEXTS, NameMissing, fs_error
from sandhook.vfs.inode import S_IFDIR, S_IFLNK, S_IFMT, S_IFREG, DynamicChildren, Inode
from sandhook.vfs.names import DOTS, MAX_DEPTH, MAX_LINKS, SHORT_PATH, check_name, check_path, is_plain
from sandhook.vfs.quota import Quota


class Tree:
    """Inodes below one root, as one unprivileged user sees them.

    Args:
        quota: The remaining quota of contents and names.
        now: Clock for the times of files, in nanoseconds since the epoch.
        uid: The user whose permission bits apply; 0 passes every check.
        gid: The user's group.
        bare: Create only the root, which the user owns, instead of the skeleton.

    Attributes:
        root: The root directory; None until the first walk needs it.
        owner: The user and the group of new files.
        last: The last inode number in use.
        bare: The argument.
    """

    __slots__ = ("bare", "gid", "last", "now", "owner", "quota", "root", "uid")

    def __init__(self, quota: Quota, now: Callable[[], int], uid: int, gid: int, bare: bool) -> None:
        self.quota = quota
        self.now = now
        self.uid = uid
        self.gid = gid
        self.owner = uid, gid
        self.bare = bare
        self.root: Inode | None = None
        self.last = 1

    def build(self) -> Inode:
        """Create the root, with the skeleton below it, and return it."""
        if self.bare:
            self.root = skeleton.directory(0o755, 1, self.uid, self.gid, self.now())
            return self.root
        self.root, self.last, size = skeleton.build(self.uid, self.gid, self.now())
        self.quota.limit += size
        return self.root

    def as_superuser(self) -> Tree:
        """Return a tree of the same inodes that passes every permission check; new files belong to this one's user.

        The number of the last inode is each tree's own.
        """
        tree = Tree(self.quota, self.now, 0, self.gid, self.bare)
        tree.root = self.root or self.build()
        tree.last = self.last
        tree.owner = self.owner
        return tree

    # The path walk.

    def quick_lookup(self, path: str, *, create: bool = False) -> Inode | None:
        """Return the inode of a path without links, "." and "..", or None for other paths.

        Without ``create``, raises NameMissing when a name is missing, the usual result of a search along PATH.
        """
        if not 0 < len(path) < SHORT_PATH:
            check_path(path)
        node = self.root or self.build()
        parts = path.split("/")
        del parts[0]
        try:
            for part in parts:
                if node.mode & 0o111 != 0o111:
                    return None
                node = node.children[part]
        except KeyError:
            is_certain = node.mode & S_IFMT == S_IFDIR and not isinstance(node.children, DynamicChildren)
            if not create and is_certain and is_plain(part):
                raise NameMissing(errno.ENOENT, TEXTS[errno.ENOENT], path) from None
            return None
        return node

    def lacks(self, path: str) -> bool:
        """Return True if ``quick_lookup`` raises NameMissing for an absolute path; False is no answer.

        It reads no directory of the skeleton for that, and a search along PATH asks for nothing else.
        """
        node = self.root
        if len(path) >= SHORT_PATH:
            return False
        if node is None:
            return not self.bare and skeleton.lacks(path)
        for part in path[1:].split("/"):
            if node.mode & (S_IFMT | 0o111) != S_IFDIR | 0o111:
                return False
            try:
                child = node.children[part]
            except KeyError:
                return is_plain(part)
            if skeleton.is_unread(child):
                return skeleton.lacks(path)
            node = child
        return False

    def lookup(self, path: str, follow: bool = True) -> Inode:
        """Return the inode of a path; fast for paths without links, "." and ".."."""
        node = self.quick_lookup(path)
        if node is not None and (not follow or node.mode & S_IFMT != S_IFLNK):
            return node
        resolved = self.walk(path, follow)[2]
        if resolved is None:
            raise fs_error(errno.ENOENT, path)
        return resolved

    def walk(self, path: str, follow: bool) -> tuple[Inode, str, Inode | None, list[str], list[Inode]]:
        """Resolve a path (POSIX XBD 4.16).

        Returns:
            Parent, name, inode (None when only the last component is missing), and the names
            and inodes on the path without links.
        """
        check_path(path)
        trail = [self.root or self.build()]
        names: list[str] = []
        pending = path.split("/")
        pending.reverse()
        links = 0
        while pending:
            part = pending.pop()
            directory = trail[-1]
            if directory.mode & S_IFMT != S_IFDIR:
                raise fs_error(errno.ENOTDIR, path)
            if part in DOTS:
                if part and not self.allowed(directory, 1):
                    raise fs_error(errno.EACCES, path)
                if part == ".." and names:
                    del trail[-1], names[-1]
                continue
            if not self.allowed(directory, 1):
                raise fs_error(errno.EACCES, path)
            try:
                child = directory.children[part]
            except KeyError:
                check_name(part, path)
                if any(pending):
                    raise fs_error(errno.ENOENT, path) from None
                return directory, part, None, names, trail
            if child.mode & S_IFMT == S_IFLNK and (follow or pending):
                links += 1
                if links > MAX_LINKS:
                    raise fs_error(errno.ELOOP, path)
                target = str(child.target)
                if target[:1] == "/":
                    del trail[1:], names[:]
                pending.extend(reversed(target.split("/")))
                continue
            trail.append(child)
            names.append(part)
        return trail[len(trail) > 1 and -2], names[-1] if names else "", trail[-1], names, trail

    def entry(self, path: str) -> tuple[Inode, str, Inode | None]:
        """Return parent directory, name and inode (or None) of a path whose last link is not followed.

        The name can be "", "." or ".."; the inode is then that directory.
        """
        head, _, name = path.rstrip("/").rpartition("/")
        parent = self.lookup(head or "/")
        if parent.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, path)
        if not self.allowed(parent, 1):
            raise fs_error(errno.EACCES, path)
        if name in DOTS:
            return parent, name, self.lookup(path)
        try:
            return parent, name, parent.children[name]
        except KeyError:
            check_path(path)
            check_name(name, path)
            return parent, name, None

    def allowed(self, node: Inode, mask: int) -> bool:
        mode = node.mode
        if mode & mask == mask and mode & (mask << 3) == mask << 3 and mode & (mask << 6) == mask << 6:
            return True
        if not self.uid:
            return not mask & 1 or mode & 0o111 != 0 or mode & S_IFMT == S_IFDIR
        if node.uid == self.uid:
            mode >>= 6
        elif node.gid == self.gid:
            mode >>= 3
        return mode & mask == mask

    def new_entry(self, path: str) -> tuple[Inode, str]:
        """Return parent and name for a new file. Raises EEXIST if the file exists."""
        parent, name, node = self.entry(path)
        if node is not None:
            raise fs_error(errno.EEXIST, path)
        if not parent.links:
            raise fs_error(errno.ENOENT, path)
        if not self.allowed(parent, 2):
            raise fs_error(errno.EACCES, path)
        return parent, name

    def add(self, parent: Inode, name: str, mode: int) -> Inode:
        self.last += 1
        now = self.now()
        node = Inode(mode, self.last, *self.owner, now)
        parent.children[name] = node
        parent.mtime = parent.ctime = now
        return node

    # Names.

    def drop(self, node: Inode) -> None:
        """Remove one name of an inode; its bytes are refunded when it has no names and no handles."""
        node.links -= 1
        node.ctime = self.now()
        self.quota.entries_left += 1
        if not node.links and not node.opens and node.mode & S_IFMT in (S_IFREG, S_IFLNK):
            self.quota.charge_bytes(-node.size())
            node.data = b""
            node.target = ""

    def remove_directory(self, parent: Inode, name: str, node: Inode) -> None:
        del parent.children[name]
        node.links = 0
        parent.links -= 1
        parent.mtime = parent.ctime = self.now()
        self.quota.entries_left += 1

    def descend(self, directory: Inode, name: str, key: str) -> Inode:
        child = directory.children.get(name)
        if child is None:
            self.quota.charge_entry()
            child = self.add(directory, name, S_IFDIR | 0o755)
            child.children = {}
            child.links = 2
            directory.links += 1
        elif child.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, key)
        return child

    def check_move(self, node: Inode, new: str) -> None:
        """Raise for a move of a directory below itself, or deeper than MAX_DEPTH."""
        trail = self.walk(new.rstrip("/").rpartition("/")[0] or "/", True)[4]
        if node in trail:
            raise fs_error(errno.EINVAL, new)
        depth = len(trail)
        level = [node]
        while level:
            depth += 1
            if depth > MAX_DEPTH:
                raise fs_error(errno.ENAMETOOLONG, new)
            level = [child for parent in level for child in parent.children.values() if child.children]

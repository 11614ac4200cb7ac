"""git archive: the files of a tree as a tar archive.

Source: git-archive(1); git 2.39, archive.c and archive-tar.c; POSIX.1-2024 XCU 3, pax.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.limits import check_fits
from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.pretty import Printer, parse_format
from sandhook.utilities.git.names.pathspec import Pathspec, parse_pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode
from sandhook.utilities.git.store.objects import GITLINK, SYMLINK, TREE, TreeItem
from sandhook.utilities.git.work.convert import working_form
from sandhook.vfs.path import VirtualPath, join

RECORD = 512
_BLOCK = 20 * RECORD
_DEEPEST = 1000
_MOST_FORMATS = 10_000  #: $Format:...$ of one file
_SUBSTITUTED = re.compile(rb"\$Format:([^$]*)\$")


@option_set
class Options:
    """Options of git archive."""

    form: str | None = opt("--format", "NAME", "")
    prefix: str = opt("--prefix", "TEXT", "", default="")
    output: str | None = also(opt("-o", "FILE", ""), opt("--output", "FILE", ""))
    list: bool = also(opt("-l"), opt("--list"))
    worktree_attributes: bool = opt("--worktree-attributes")
    verbose: bool = also(opt("-v"), opt("--verbose"))
    level: str | None = also(*(opt(f"-{digit}", const=digit, default=None) for digit in "0123456789"))
    added: tuple[str, ...] = opt("--add-file", "FILE", "", append=True)
    remote: str | None = opt("--remote", "PLACE", "")
    program: str | None = opt("--exec", "PROGRAM", "")


class Entry(Record):
    """A file of an archive."""

    path: bytes
    mode: int
    data: bytes


class Archive:
    """The archive of a tree."""

    def __init__(self, call: Invocation, options: Options, operands: Sequence[str]) -> None:
        self.call = call
        self.options = options
        self.repository = repository = call.repository
        self.names = Names(repository)
        oid = self.names.find(operands[0])
        if oid is None:
            raise GitError(f"not a valid object name: {operands[0]}")
        objects = repository.objects
        commit = objects.peel(oid, "commit")
        self.commit = None if commit is None else objects.commit(commit)
        tree = objects.peel(oid, "tree")
        if tree is None:
            raise GitError(f"not a tree object: {oid}")
        self.tree = self._below(tree, repository.prefix)
        self.time = int(call.ctx.now()) if self.commit is None else self.commit.committer.time
        self.pathspec: Pathspec = parse_pathspec(operands[1:], "", "/", call.access.charge)
        self._check_operands(operands[1:])
        if not options.worktree_attributes:
            repository.use_tree_attributes(self._text)
        self.umask = self._umask()
        self.added: list[tuple[str, str]] = []  #: files of --add-file, each with its prefix
        self.tops: list[str] = []  #: directories that are written before the first file in them

    def _below(self, tree: str, prefix: str) -> str:
        """Return the tree of the directory of the caller."""
        item = self.names.tree_item(tree, prefix.rstrip("/")) if prefix else (TREE, tree)
        if item is None or item[0] != TREE:
            raise GitError("current working directory is untracked")
        return item[1]

    def _check_operands(self, operands: Sequence[str]) -> None:
        for operand in operands:
            only = parse_pathspec([operand], "", "/", self.call.access.charge)
            excludes = any("exclude" in item.magic for item in only.items)
            if not excludes and not any(True for _ in self._selected(self.tree, "", only, 0)):
                raise GitError(f"pathspec '{operand}' did not match any files")

    def _selected(self, tree: str, base: str, pathspec: Pathspec, depth: int) -> Iterator[str]:
        """Yield the paths that a pathspec selects."""
        if depth > _DEEPEST:
            self.call.ctx.budget.fail("nesting")
        for item in self.repository.objects.tree(tree):
            path = base + item.name
            self.call.access.charge(1)
            if pathspec.matches(path):
                yield path
            elif item.mode == TREE and pathspec.may_match_below(path):
                yield from self._selected(item.oid, f"{path}/", pathspec, depth + 1)

    def _text(self, name: str) -> str | None:
        """Return the text of a file of the tree."""
        item = self.names.tree_item(self.tree, name)
        return None if item is None or item[0] == TREE else decode(self.repository.objects.get(item[1]).data)

    def _umask(self) -> int:
        text = self.repository.config.get("tar.umask")
        if text is None or text == "user":
            return 0o002 if text is None else self.call.ctx.process.umask
        return (
            int(text, 8)
            if re.fullmatch("[0-7]{1,6}", text)
            else self.repository.config.integer("tar.umask", 2)
        )

    # ------------------------------------------------------------------ entries

    def pieces(self) -> Iterator[bytes]:
        """Yield the archive in pieces."""
        size = 0
        for piece in self._members():
            size += len(piece)
            yield piece
        left = _BLOCK - size % _BLOCK
        yield b"\0" * (left if left >= 2 * RECORD else left + _BLOCK)

    def _members(self) -> Iterator[bytes]:
        if self.commit is not None:
            data = f"52 comment={self.commit.oid}\n".encode()
            yield self._header(b"pax_global_header", 0o666, len(data), b"g") + _padded(data)
        yield from self._entries()

    def _entries(self) -> Iterator[bytes]:
        prefix = self.options.prefix
        if prefix.endswith("/"):
            name = prefix.rstrip("/") + "/"
            yield from self._member(Entry(encode(name), self._mode(TREE), b""), self.tree, b"5")
        yield from self._tree(self.tree, "", 0)
        for name, prefix in self.added:
            yield from self._added(name, prefix)

    def _added(self, name: str, prefix: str) -> Iterator[bytes]:
        """Yield a file of the working tree that --add-file names."""
        path = join(VirtualPath(self.call.options.cwd), name)
        found = self.call.access.stat(path, follow=True)
        if found is None:
            raise GitError(f"File not found: {name}")
        if found.mode & 0o170000 != 0o100000:
            raise GitError(f"Not a regular file: {name}")
        data = self.call.access.read(path)
        mode = self._mode(0o100000 | (0o100 if found.mode & 0o100 else 0))
        shown = prefix + name.rpartition("/")[2]
        yield from self._member(Entry(encode(shown), mode, data), "0" * 40, b"0")

    def _tree(self, tree: str, base: str, depth: int) -> Iterator[bytes]:
        if depth > _DEEPEST:
            self.call.ctx.budget.fail("nesting")
        for item in self.repository.objects.tree(tree):
            path = base + item.name
            self.call.access.charge(2)
            attributes = self.repository.attributes.of(path)
            is_ignored = attributes.get("export-ignore") is True
            if item.mode == TREE:
                if not is_ignored and (self.pathspec.may_match_below(path) or self.pathspec.matches(path)):
                    self.tops.append(path)
                    yield from self._tree(item.oid, f"{path}/", depth + 1)
                    if self.tops and self.tops[-1] == path:
                        self.tops.pop()
            elif self.pathspec.matches(path):
                for each in self.tops:
                    yield from self._directory(each, tree)
                self.tops.clear()
                if not is_ignored:
                    yield from self._file(item, path, expands=attributes.get("export-subst") is True)

    def _directory(self, path: str, oid: str) -> Iterator[bytes]:
        name = encode(f"{self.options.prefix}{path}/")
        self._say(name)
        yield from self._member(Entry(name, self._mode(TREE), b""), oid, b"5")

    def _say(self, name: bytes) -> None:
        if self.options.verbose:
            self.call.error(decode(name))

    def _file(self, item: TreeItem, path: str, *, expands: bool) -> Iterator[bytes]:
        name = encode(self.options.prefix + path)
        if item.mode == GITLINK:
            yield from self._directory(path, item.oid)
            return
        self._say(name)
        data = self.repository.objects.get(item.oid).data
        if item.mode == SYMLINK:
            yield from self._link(Entry(name, 0o777, data), item.oid)
            return
        data = working_form(self.repository, path, data)
        if expands and self.commit is not None:
            data = self._substituted(data)
        yield from self._member(Entry(name, self._mode(item.mode), data), item.oid, b"0")

    def _substituted(self, data: bytes) -> bytes:
        """Return data with the fields of $Format:...$ (the attribute export-subst)."""
        count, made = 0, 0

        def value(match: re.Match[bytes]) -> bytes:
            nonlocal count, made
            count += 1
            if count > _MOST_FORMATS:
                self.call.ctx.budget.fail("nesting")
            assert self.commit is not None
            layout = parse_format(f"format:{decode(match[1])}", self.repository)
            result = encode(Printer(self.repository, layout).text(self.commit))
            made += len(result)
            check_fits(made)
            return result

        return _SUBSTITUTED.sub(value, data)

    # ------------------------------------------------------------------ headers

    def _mode(self, mode: int) -> int:
        if mode in (TREE, GITLINK):
            return 0o777 & ~self.umask
        return (0o777 if mode & 0o100 else 0o666) & ~self.umask

    def _member(self, entry: Entry, oid: str, kind: bytes) -> Iterator[bytes]:
        """Yield the header and the data of a file or a directory."""
        name, prefix = entry.path, b""
        if len(name) > 100:
            length = _prefix_length(name)
            if length and len(name) - length - 1 <= 100:
                prefix, name = name[:length], name[length + 1 :]
            else:
                yield from self._extended(oid, _record(b"path", name))
                name = f"{oid}.data".encode()
        yield self._header(name, entry.mode, len(entry.data), kind, prefix=prefix) + _padded(entry.data)

    def _link(self, entry: Entry, oid: str) -> Iterator[bytes]:
        """Yield the header of a symbolic link, whose target is its data."""
        name, target, prefix, more = entry.path, entry.data, b"", b""
        if len(name) > 100:
            length = _prefix_length(name)
            if length and len(name) - length - 1 <= 100:
                prefix, name = name[:length], name[length + 1 :]
            else:
                more, name = _record(b"path", name), f"{oid}.data".encode()
        if len(target) > 100:
            more, target = more + _record(b"linkpath", target), f"see {oid}.paxheader".encode()
        if more:
            yield from self._extended(oid, more)
        yield self._header(name, entry.mode, 0, b"2", prefix=prefix, link=target)

    def _extended(self, oid: str, data: bytes) -> Iterator[bytes]:
        yield self._header(f"{oid}.paxheader".encode(), 0o666, len(data), b"x") + _padded(data)

    def _header(
        self, name: bytes, mode: int, size: int, kind: bytes, *, prefix: bytes = b"", link: bytes = b""
    ) -> bytes:
        block = b"".join(
            (
                name.ljust(100, b"\0"), b"%07o\0" % mode, b"%07o\0" % 0, b"%07o\0" % 0, b"%011o\0" % size,
                b"%011o\0" % self.time, b" " * 8, kind, link.ljust(100, b"\0"), b"ustar\0", b"00",
                b"root".ljust(32, b"\0"), b"root".ljust(32, b"\0"), b"%07o\0" % 0, b"%07o\0" % 0,
                prefix.ljust(155, b"\0"), b"\0" * 12,
            )
        )  # fmt: skip
        return block[:148] + b"%07o\0" % sum(block) + block[156:]


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % RECORD)


def _record(key: bytes, value: bytes) -> bytes:
    """Return a record of an extended header, which begins with its own length."""
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest) + 1
    while len(str(length)) + len(rest) != length:
        length += 1
    return str(length).encode() + rest


def _prefix_length(path: bytes) -> int:
    """Return how much of a path the field "prefix" may have, up to a slash; 0 for nothing."""
    end = min(len(path) - 1 if path.endswith(b"/") else len(path), 155)
    at = end - 1
    while at > 0 and path[at : at + 1] != b"/":
        at -= 1
    return at

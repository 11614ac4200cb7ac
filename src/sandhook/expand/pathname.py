"""Pathname expansion: a pattern to the names of files that match it.

Source: POSIX.1-2024 XCU 2.6.6 and 2.14.3. Oracle: bash 5.2, shopt dotglob, globstar, nocaseglob,
extglob, globskipdots.
The caller handles a pattern without matches (nullglob, failglob).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.errors import LimitExceeded
from sandhook.limits import check_clock, check_fits
from sandhook.pattern.glob import Pattern, compile_pattern, has_magic
from sandhook.record import Record
from sandhook.text.locale import as_bytes
from sandhook.vfs.base import FileSystem
from sandhook.vfs.names import byte_order
from sandhook.vfs.path import VirtualPath, join

_TYPE = 0o170000
_DIRECTORY = 0o040000
_LINK = 0o120000

#: Turns of a loop between two looks at the clock, and the bytes that a component of a pattern takes.
_TURNS_PER_LOOK = 512
_PART_BYTES = 160

#: Bytes of a path for which one step is charged.
_BYTES_PER_STEP = 32


class PathnameOptions(Record):
    """The options of the shell that affect pathname expansion."""

    dotglob: bool = False  #: "*" matches a leading "." too
    globstar: bool = False  #: "**" matches directories of any depth
    nocase: bool = False  #: nocaseglob
    extglob: bool = False
    skipdots: bool = True  #: globskipdots: "." and ".." match only when the pattern names them
    bytewise: bool = False  #: each byte is a character, as in the C locale
    most: int = 200_000  #: paths that one expansion may hold (a count; Limits.fields)


DEFAULT = PathnameOptions()


def expand_pathname(
    fs: FileSystem,
    cwd: VirtualPath,
    pattern: str,
    options: PathnameOptions = DEFAULT,
    charge: Callable[[int], None] = lambda _: None,
) -> list[str]:
    """Return the paths that match, in byte order; as written, so relative ones stay relative.

    Args:
        fs: The file system; a directory that cannot be read has no matches.
        cwd: What relative patterns are relative to.
        pattern: A backslash makes the next character ordinary. Without any special character
            the result is empty.
        options: The shell's options.
        charge: Called with units of work, before it is done.

    Raises:
        LimitExceeded: More than ``options.most`` paths at once (limit "fields").
    """
    if not has_magic(pattern, extglob=options.extglob):
        return []
    search = _Search(fs, cwd, options, charge)
    paths = [""]
    parts = _split(pattern, options.extglob)
    magic = False
    for index, (component, slashes) in enumerate(parts):
        last = index == len(parts) - 1
        if options.globstar and component == "**":
            if not last and parts[index + 1][0] == "**":
                continue  # "**/**" matches the same paths as "**"
            paths = search.collect(search.match_any_depth(paths, slashes, last, magic))
            magic = True
        else:
            paths = search.collect(search.match_component(paths, component, slashes, last))
            magic = magic or has_magic(component, extglob=options.extglob)
        if not paths:
            return []
    return byte_order(set(paths) if options.globstar else paths)


def _split(pattern: str, extglob: bool) -> list[tuple[str, str]]:
    """Return components with the slashes after them; a slash inside ``@(...)`` does not separate."""
    parts: list[tuple[str, str]] = []
    begin = at = 0
    depth = 0
    size = len(pattern)
    turns = 0
    while at < size:
        turns += 1
        if not turns % _TURNS_PER_LOOK:
            check_clock()
            check_fits(len(parts) * _PART_BYTES)
        c = pattern[at]
        if c == "\\" and pattern[at + 1 : at + 2] not in ("/", ""):
            at += 2
            continue
        if extglob and c == "(" and at > begin and pattern[at - 1] in "?*+@!":
            depth += 1
        elif c == ")" and depth:
            depth -= 1
        elif c == "/" and not depth:
            end = at
            if (
                at > begin
                and pattern[at - 1] == "\\"
                and not has_magic(pattern[begin : at - 1], extglob=extglob)
            ):
                end -= 1  # d\/* is d/*
            while pattern[at : at + 1] == "/":
                at += 1
            parts.append((pattern[begin:end], pattern[end:at].lstrip("\\") if at < size else "/"))
            begin = at
            continue
        at += 1
    if begin < size:
        parts.append((pattern[begin:], ""))
    return parts


class _Search:
    """One pathname expansion, with the file system, options and budget that it uses."""

    __slots__ = ("charge", "cwd", "fs", "options")

    def __init__(
        self, fs: FileSystem, cwd: VirtualPath, options: PathnameOptions, charge: Callable[[int], None]
    ) -> None:
        self.fs = fs
        self.cwd = cwd
        self.options = options
        self.charge = charge

    def collect(self, paths: Iterator[str]) -> list[str]:
        """Collect paths and charge each. Raises LimitExceeded when there are too many."""
        collected: list[str] = []
        for path in paths:
            self.charge(1 + len(path) // _BYTES_PER_STEP)
            collected.append(path)
            if len(collected) > self.options.most:
                raise LimitExceeded("fields", self.options.most, "pathname expansion")
        return collected

    def match_component(self, bases: list[str], component: str, slashes: str, last: bool) -> Iterator[str]:
        """Yield every path of ``above`` with each name that matches one component."""
        options = self.options
        pattern = compile_pattern(
            as_bytes(component) if options.bytewise else component,
            extglob=options.extglob,
            nocase=options.nocase,
            dot_special=not options.dotglob,
        )
        if not component or not has_magic(component, extglob=options.extglob):
            text = compile_pattern(component, extglob=options.extglob).literal_text
            for base in bases:
                path = base + text
                # Directories above the last component are not checked: listing them fails if they do not exist.
                if (not last and not slashes) or not text or self._exists(path, slashes):
                    yield path + slashes
            return
        for base in bases:
            yield from self._matching(base, component, pattern, slashes)

    def _matching(self, base: str, component: str, pattern: Pattern, slashes: str) -> Iterator[str]:
        names = self._names(base)
        if not self.options.skipdots and component[0] == "." and names is not None:
            names = [(".", _DIRECTORY), ("..", _DIRECTORY), *names]
        bytewise = self.options.bytewise
        for name, mode in names or ():
            if pattern.matches(as_bytes(name) if bytewise else name, self.charge) and (
                not slashes or self._leads_to_directory(base + name, mode)
            ):
                yield base + name + slashes

    def match_any_depth(self, bases: list[str], slashes: str, last: bool, magic: bool) -> Iterator[str]:
        """Yield what ``**`` matches: directories before a slash, otherwise everything.

        Depth zero is the directory itself; bash omits its slash after another pattern.
        """
        for base in bases:
            if not base:
                if slashes and not last:
                    yield base
            elif self._exists(base, "/"):
                yield base.rstrip("/") if magic and not slashes else base
            pending = [base]
            while pending:
                directory = pending.pop()
                for name, mode in self._names(directory) or ():
                    if name[0] == "." and not self.options.dotglob:
                        continue
                    path = directory + name
                    is_directory = mode & _TYPE == _DIRECTORY
                    if not slashes:
                        yield path
                    elif is_directory or (last and self._leads_to_directory(path, mode)):
                        yield path + slashes
                    if is_directory:  # links are not walked through
                        self.charge(1)
                        pending.append(path + (slashes or "/"))

    def _names(self, base: str) -> list[tuple[str, int]] | None:
        """Return the names in a directory, None when it cannot be read."""
        try:
            entries = self.fs.listdir(join(self.cwd, base or "."))
        except OSError:
            return None
        self.charge(1 + len(entries))
        return [(entry.name, entry.mode) for entry in entries]

    def _exists(self, path: str, slashes: str) -> bool:
        self.charge(1)
        try:
            self.fs.stat(join(self.cwd, path + slashes[:1]), follow=bool(slashes))
        except OSError:
            return False
        return True

    def _leads_to_directory(self, path: str, mode: int) -> bool:
        if mode & _TYPE == _LINK:
            self.charge(1)
            return self.fs.is_dir(join(self.cwd, path))
        return mode & _TYPE == _DIRECTORY

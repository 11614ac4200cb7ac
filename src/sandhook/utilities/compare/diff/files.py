"""The files and directories that diff compares."""

from __future__ import annotations

import errno
import re
import stat as bits
from typing import TYPE_CHECKING

from sandhook.command.context import Context, Failure
from sandhook.command.operands import beneath, find, kind_name, last_component, reason, stat_of
from sandhook.dates.clock import format_moment, moment, zone_of
from sandhook.kernel.descriptor import Input
from sandhook.pattern.glob import compile_pattern
from sandhook.text.locale import characters_are_bytes
from sandhook.utilities.compare.diff.output import Output
from sandhook.utilities.compare.diff.style import Style
from sandhook.utilities.compare.sides import Lines, Rules, is_binary
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import fs_error

if TYPE_CHECKING:
    from sandhook.utilities.compare.diff.options import Options

_STAMP = "%Y-%m-%d %H:%M:%S.%N %z"
_STAMP_OF_CONTEXT = "%a %b %e %T %Y"  #: with -c, in the C locale
_SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./^-]+", re.ASCII)


class Side:
    """One of two files.

    Attributes:
        name: The name in the output.
        info: None when there is no such file.
        error: Why stat failed.
    """

    __slots__ = ("error", "info", "name")

    def __init__(self, name: str, ctx: Context, *, follow: bool = True) -> None:
        self.name = name
        self.info: Stat | None = None
        self.error: OSError | None = None
        if name == "-":
            self.info = Stat(bits.S_IFIFO, 0, 0, 1, mtime_ns=int(ctx.now() * 1e9))
            return
        try:
            self.info = stat_of(ctx, name, follow=follow)
        except OSError as error:
            self.error = error

    @property
    def is_directory(self) -> bool:
        return self.info is not None and bits.S_ISDIR(self.info.mode)

    @property
    def is_link(self) -> bool:
        return self.info is not None and bits.S_ISLNK(self.info.mode)


def _is_same(old: Side, new: Side) -> bool:
    """Return True for two names of one file or directory, or standard input twice."""
    if old.info is None or new.info is None:
        return False
    if "-" in (old.name, new.name):
        return old.name == new.name
    return (old.info.device, old.info.inode) == (new.info.device, new.info.inode)


class Pair:
    """Compares two operands, and directories recursively."""

    def __init__(self, options: Options, style: Style, rules: Rules, command: str, ctx: Context) -> None:
        self._options = options
        self._style = style
        self._rules = rules
        self._command = command
        self._ctx = ctx
        self._status = 0
        self._excluded = [compile_pattern(text, extglob=False) for text in self._exclusions()]

    def _exclusions(self) -> list[str]:
        patterns = list(self._options.exclude)
        for name in self._options.exclude_from:
            try:
                with self._ctx.open(name) as reader:
                    patterns += [
                        line.decode("utf-8", "surrogateescape").rstrip("\n") for line in reader.lines()
                    ]
            except OSError as error:
                raise Failure(f"{name}: {reason(error)}") from None
        return patterns

    def compare(self, old: str, new: str) -> int:
        """Compare two operands; return the exit status."""
        ctx = self._ctx
        follow = not self._options.links
        first = Side(old, ctx, follow=follow)
        second = Side(new, ctx, follow=follow)
        if self._report_missing(first, second):
            return 2
        if first.is_directory and not second.is_directory and second.info is not None:
            if new == "-":
                return self._error("cannot compare '-' to a directory")
            first = joined = Side(beneath(old, last_component(new)), ctx, follow=follow)
        elif second.is_directory and not first.is_directory and first.info is not None:
            if old == "-":
                return self._error("cannot compare '-' to a directory")
            second = joined = Side(beneath(new, last_component(old)), ctx, follow=follow)
        else:
            joined = None
        if joined is not None and joined.error is not None:  # -N is about the operands
            return self._error(f"{joined.name}: {reason(joined.error)}")
        if first.is_directory or second.is_directory:
            if any(scope == "ifdef" for scope, _, _ in self._options.formats):
                return self._error("-D option not supported with directories")
            if not _is_same(first, second) or self._style.kind in ("sides", "groups"):
                self._directories(first, second)
        elif first.is_link == second.is_link or not self._have_different_kinds(first, second):
            self._files(first, second, heading=False)
        return self._status

    def _error(self, message: str) -> int:
        self._ctx.error(message)
        self._status = 2
        return 2

    def _report_missing(self, first: Side, second: Side) -> bool:
        """Report operands that must exist and do not; return whether there are any."""
        missing = False
        options = self._options
        for side, other, may_be_absent in (
            (first, second, options.absent or options.absent_first),
            (second, first, options.absent),
        ):
            if side.error is None:
                continue
            if (
                other.info is None or other.is_link
            ):  # a link has no contents that would be compared with nothing
                may_be_absent = False
            if may_be_absent and side.error.errno == errno.ENOENT:
                continue
            self._error(f"{side.name}: {reason(side.error)}")
            missing = True
        return missing

    # ------------------------------------------------------------------ directories

    def _directories(self, first: Side, second: Side) -> None:
        """Compare two directories entry by entry, and with -r their subdirectories."""
        pending: list[tuple[Side, Side, list[str]]] = []
        self._enter(first, second, pending, starting=self._options.starting)
        while pending:
            old_directory, new_directory, names = pending[-1]
            if not names:
                pending.pop()
                continue
            name = names.pop()
            self._ctx.charge()
            follow = not self._options.links
            old = Side(beneath(old_directory.name, name), self._ctx, follow=follow)
            new = Side(beneath(new_directory.name, name), self._ctx, follow=follow)
            self._entry(old_directory, new_directory, name, old, new, pending)

    def _enter(
        self,
        first: Side,
        second: Side,
        pending: list[tuple[Side, Side, list[str]]],
        starting: str | None = None,
    ) -> None:
        names: set[str] = set()
        for side in (first, second):
            if side.info is None:
                continue
            try:
                names |= {entry.name for entry in self._ctx.fs.listdir(self._ctx.path(side.name))}
            except OSError as error:
                self._error(f"{side.name}: {reason(error)}")
        selected = [name for name in names if not any(each.matches(name) for each in self._excluded)]
        selected.sort(key=lambda name: name.encode("utf-8", "surrogateescape"), reverse=True)
        if starting is not None:
            selected = [name for name in selected if name >= starting]
        pending.append((first, second, selected))

    def _entry(
        self,
        old_directory: Side,
        new_directory: Side,
        name: str,
        old: Side,
        new: Side,
        pending: list[tuple[Side, Side, list[str]]],
    ) -> None:
        options = self._options
        missing = [side for side in (old, new) if side.info is None and not self._is_entry(side)]
        if missing and not (options.absent or (options.absent_first and old in missing)):
            directory = new_directory.name if old in missing else old_directory.name
            self._print(f"Only in {quoted(directory)}: {quoted(name)}")
            return
        unusable = [side for side in (old, new) if side.info is None and side not in missing]
        for side in unusable:
            self._error(f"{side.name}: {reason(side.error or fs_error(errno.ENOENT))}")
        if unusable:
            return
        if (old.is_directory and new.is_directory) or (
            (old.is_directory or new.is_directory) and (old.info is None or new.info is None)
        ):
            if options.recursive:
                self._enter(old, new, pending)
            else:
                self._ctx.write_line(f"Common subdirectories: {quoted(old.name)} and {quoted(new.name)}")
            return
        if not self._have_different_kinds(old, new):
            self._files(old, new, heading=True)

    def _is_entry(self, side: Side) -> bool:
        """Return True for a name that its directory has, such as a link without a target."""
        return find(self._ctx, side.name, follow=False) is not None

    def _have_different_kinds(self, old: Side, new: Side) -> bool:
        """Return True, after a message, for two files whose contents are not compared, such as two FIFOs."""
        if old.info is None or new.info is None or _is_same(old, new):
            return False
        kinds = {bits.S_IFMT(old.info.mode), bits.S_IFMT(new.info.mode)}
        if kinds in ({bits.S_IFREG}, {bits.S_IFLNK}):
            return False
        first, second = kind_name(old.info), kind_name(new.info)
        self._print(f"File {quoted(old.name)} is a {first} while file {quoted(new.name)} is a {second}")
        return True

    def _print(self, text: str) -> None:
        self._ctx.write_line(text)
        self._status = max(self._status, 1)

    # ------------------------------------------------------------------ files

    def _read(self, side: Side) -> bytes:
        if side.info is None:
            return b""
        with self._ctx.open(side.name) as reader:
            data = reader.read_all()
        return data.replace(b"\r\n", b"\n") if self._options.carriage else data

    def _report_unterminated(self, sides: list[tuple[Side, bytes]]) -> None:
        """Report a last line without newline, which an ed script cannot express."""
        for side, data in sides:
            if data and data[-1:] != b"\n":
                self._ctx.error(f"{side.name}: No newline at end of file\n")
                self._status = 2

    def _files(self, old: Side, new: Side, *, heading: bool) -> None:
        """Compare two files and write their differences."""
        options = self._options
        if old.is_link and new.is_link:
            self._symbolic_links(old, new)
            return
        if _is_same(old, new) and self._style.kind not in ("sides", "groups"):
            self._print_identical(old, new)
            return
        data = []
        for side in (old, new):
            try:
                data.append(self._read(side))
            except OSError as error:
                self._error(f"{side.name}: {reason(error)}")
        if len(data) < 2:
            return
        self._ctx.charge(1 + (len(data[0]) + len(data[1]) >> 10))
        if data[0] == data[1] and self._style.kind not in ("sides", "groups"):
            self._print_identical(old, new)
            return
        if not options.text and (is_binary(data[0]) or is_binary(data[1])):
            if options.brief:
                self._print_differ(old, new)
            else:
                self._print(f"Binary files {self._label(old, 0)} and {self._label(new, 1)} differ")
            return
        self._text_files(old, new, data[0], data[1], heading)

    def _text_files(self, old: Side, new: Side, first: bytes, second: bytes, heading: bool) -> None:
        style, options = self._style, self._options
        horizon = style.context if style.kind in ("unified", "context") else 0
        unterminated = (
            [(side, data) for side, data in ((old, first), (new, second))] if style.whole_lines else []
        )
        if unterminated:
            first, second = (
                data + b"\n" if data and data[-1:] != b"\n" else data for _, data in unterminated
            )
        lines = Lines(first, second, self._rules, horizon, self._ctx)
        if not lines.differs:
            if style.kind in ("sides", "groups") and not self._options.brief:
                Output(lines, style, ("", ""), self._ctx).write()
            self._print_identical(old, new)
            self._report_unterminated(unterminated)
            return
        if self._options.brief:
            self._print_differ(old, new)
            return
        self._status = max(self._status, 1)
        labels = [*options.labels[:2], *(old.name, new.name)[len(options.labels[:2]) :]]
        title = " ".join([self._command, *map(_argument, labels)])
        heads = (self._head(old, 0), self._head(new, 1))
        if options.pages:
            collector = _Collector(self._ctx)
            Output(lines, style, heads, collector).write()
            self._ctx.flush()
            self._ctx.run_command(["pr", "-h", title], stdin=Input(b"".join(collector.pieces)))
        else:
            if heading:
                self._ctx.write_line(title)
            Output(lines, style, heads, self._ctx).write()
        self._report_unterminated(unterminated)

    def _symbolic_links(self, old: Side, new: Side) -> None:
        ctx = self._ctx
        if ctx.fs.readlink(ctx.path(old.name)) == ctx.fs.readlink(ctx.path(new.name)):
            self._print_identical(old, new)
            return
        self._print(f"Symbolic links {quoted(old.name)} and {quoted(new.name)} differ")

    def _print_differ(self, old: Side, new: Side) -> None:
        self._print(f"Files {self._label(old, 0)} and {self._label(new, 1)} differ")

    def _print_identical(self, old: Side, new: Side) -> None:
        if self._options.identical:
            self._ctx.write_line(f"Files {self._label(old, 0)} and {self._label(new, 1)} are identical")

    def _label(self, side: Side, number: int) -> str:
        labels = self._options.labels
        return labels[number] if number < len(labels) else quoted(side.name)

    def _head(self, side: Side, number: int) -> str:
        """Return the text after --- or +++: a label, or the name and the time of a file."""
        if number < len(self._options.labels):
            return self._options.labels[number]
        stamp = side.info.mtime_ns if side.info is not None else 0
        zone = zone_of(self._ctx.environment.get("TZ"))
        is_old = self._style.kind == "context" and characters_are_bytes(self._ctx.environment.get)
        time = format_moment(
            _STAMP_OF_CONTEXT if is_old else _STAMP, moment(stamp // 10**9, zone), stamp % 10**9
        )
        return f"{_argument(side.name)}\t{time}"


class _Collector:
    """Collects output for pr."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._size = 0
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        self._size += len(data)
        self._ctx.budget.check_fits(self._size)
        self.pieces.append(data)

    def charge(self, steps: int = 1) -> None:
        self._ctx.charge(steps)


def quoted(name: str) -> str:
    """Return a name as diff prints it: quoted and escaped if it has control characters, quotes or backslashes."""
    if not any(letter in '"\\' or letter < " " or letter == "\x7f" for letter in name):
        return name
    escapes = {
        "\a": "\\a",
        "\b": "\\b",
        "\f": "\\f",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\v": "\\v",
        '"': '\\"',
        "\\": "\\\\",
    }
    characters = [
        escapes.get(letter) or (f"\\{ord(letter):03o}" if letter < " " or letter == "\x7f" else letter)
        for letter in name
    ]
    return '"' + "".join(characters) + '"'


def _argument(name: str) -> str:
    """Return a name for the heading of a comparison, where blanks need quotes."""
    text = quoted(name)
    return f'"{text}"' if text == name and not _SAFE.fullmatch(name) and " " in name else text

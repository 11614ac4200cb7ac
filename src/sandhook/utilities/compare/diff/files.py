"""The files and directories that diff compares."""

from __future__ import annotations

import errno
import re
import stat as bits
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.operands import beneath, kind_name, last_component, reason, stat_of
from sandhook.dates.clock import format_moment, moment, zone_of
from sandhook.kernel.descriptor import Input
from sandhook.pattern.glob import compile_pattern
from sandhook.utilities.compare.diff.output import Output
from sandhook.utilities.compare.diff.style import Style
from sandhook.utilities.compare.sides import Lines, Rules, is_binary
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import fs_error

if TYPE_CHECKING:
    from sandhook.utilities.compare.diff.options import Options

_STAMP = "%Y-%m-%d %H:%M:%S.%N %z"
_SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./^-]+", re.ASCII)


class Side:
    """One of two files.

    Attributes:
        name: As it is shown.
        info: None when there is no such file.
        error: Why it cannot be looked at.
    """

    __slots__ = ("error", "info", "name")

    def __init__(self, name: str, ctx: Context, *, follow: bool = True) -> None:
        self.name = name
        self.info: Stat | None = None
        self.error: OSError | None = None
        if name == "-":
            self.info = Stat(bits.S_IFIFO, 0, 0, 1, 0, 0, int(ctx.now() * 1e9), 0, 0)
            return
        try:
            self.info = stat_of(ctx, name, follow=follow)
        except OSError as error:
            self.error = error

    @property
    def is_directory(self) -> bool:
        return self.info is not None and bits.S_ISDIR(self.info.mode)


class Pair:
    """Compares two operands, and for directories everything below them."""

    def __init__(self, options: Options, style: Style, rules: Rules, command: str, ctx: Context) -> None:
        self._options = options
        self._style = style
        self._rules = rules
        self._command = command
        self._ctx = ctx
        self._status = 0
        self._excluded = [compile_pattern(text, extglob=False) for text in self._patterns()]

    def _patterns(self) -> list[str]:
        found = list(self._options.exclude)
        for name in self._options.exclude_from:
            with self._ctx.open(name) as reader:
                found += [line.decode("utf-8", "surrogateescape").rstrip("\n") for line in reader.lines()]
        return found

    def compare(self, old: str, new: str) -> int:
        """Compare two operands; return the exit status."""
        ctx = self._ctx
        first = Side(old, ctx, follow=not self._options.links)
        second = Side(new, ctx, follow=not self._options.links)
        if self._missing(first, second):
            return 2
        if first.is_directory and not second.is_directory and second.info is not None:
            if new == "-":
                return self._trouble("cannot compare '-' to a directory")
            first = Side(beneath(old, last_component(new)), ctx)
        elif second.is_directory and not first.is_directory and first.info is not None:
            if old == "-":
                return self._trouble("cannot compare '-' to a directory")
            second = Side(beneath(new, last_component(old)), ctx)
        if self._missing(first, second):
            return 2
        if first.is_directory or second.is_directory:
            self._directories(first, second)
        else:
            self._files(first, second, heading=False)
        return self._status

    def _trouble(self, message: str) -> int:
        self._ctx.error(message)
        self._status = 2
        return 2

    def _missing(self, first: Side, second: Side) -> bool:
        """Report what is not there and must be; return whether there was any."""
        wrong = False
        options = self._options
        for side, other, empty in (
            (first, second, options.absent or options.absent_first),
            (second, first, options.absent),
        ):
            if side.error is None:
                continue
            if empty and side.error.errno == errno.ENOENT and other.info is not None:
                continue
            self._trouble(f"{side.name}: {reason(side.error)}")
            wrong = True
        return wrong

    # ------------------------------------------------------------------ directories

    def _directories(self, first: Side, second: Side) -> None:
        """Go through two directories in step, and into those below with -r."""
        pending: list[tuple[Side, Side, list[str]]] = []
        self._enter(first, second, pending, starting=self._options.starting)
        while pending:
            one, two, names = pending[-1]
            if not names:
                pending.pop()
                continue
            name = names.pop()
            self._ctx.charge()
            follow = not self._options.links
            old = Side(beneath(one.name, name), self._ctx, follow=follow)
            new = Side(beneath(two.name, name), self._ctx, follow=follow)
            self._entry(one, two, name, old, new, pending)

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
                self._trouble(f"{side.name}: {reason(error)}")
        kept = [name for name in names if not any(each.matches(name) for each in self._excluded)]
        kept.sort(key=lambda name: name.encode("utf-8", "surrogateescape"), reverse=True)
        if starting is not None:
            kept = [name for name in kept if name >= starting]
        pending.append((first, second, kept))

    def _entry(
        self,
        one: Side,
        two: Side,
        name: str,
        old: Side,
        new: Side,
        pending: list[tuple[Side, Side, list[str]]],
    ) -> None:
        options = self._options
        if old.info is None or new.info is None:
            there = new if old.info is None else old
            taken = options.absent or (options.absent_first and old.info is None)
            if there.info is None:
                self._trouble(f"{there.name}: {reason(there.error or fs_error(errno.ENOENT))}")
                return
            if not taken:
                directory = two.name if old.info is None else one.name
                self._print(f"Only in {quoted(directory)}: {quoted(name)}")
                return
        if (old.is_directory and new.is_directory) or (
            (old.is_directory or new.is_directory) and (old.info is None or new.info is None)
        ):
            if options.recursive:
                self._enter(old, new, pending)
            else:
                self._ctx.write_line(f"Common subdirectories: {quoted(old.name)} and {quoted(new.name)}")
            return
        if (
            old.info is not None
            and new.info is not None
            and bits.S_IFMT(old.info.mode) != bits.S_IFMT(new.info.mode)
        ):
            kinds = (kind_name(old.info), kind_name(new.info))
            article = [f"a {kind}" for kind in kinds]
            self._print(
                f"File {quoted(old.name)} is {article[0]} while file {quoted(new.name)} is {article[1]}"
            )
            return
        self._files(old, new, heading=True)

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

    def _unended(self, sides: list[tuple[Side, bytes]]) -> None:
        """Report last lines without newline: ed could not make them so."""
        for side, data in sides:
            if data and data[-1:] != b"\n":
                self._ctx.error(f"{side.name}: No newline at end of file\n")
                self._status = 2

    def _files(self, old: Side, new: Side, *, heading: bool) -> None:
        """Compare two files and write how they differ."""
        options = self._options
        if old.info is not None and new.info is not None:
            if bits.S_ISLNK(old.info.mode) and bits.S_ISLNK(new.info.mode):
                self._links(old, new)
                return
            same = old.name == new.name == "-" or (
                old.name != "-" and new.name != "-" and old.info.inode == new.info.inode and old.info.device == new.info.device
            )  # fmt: skip
        else:
            same = False
        if same and self._style.kind not in ("sides", "groups"):
            self._identical(old, new)
            return
        data = []
        for side in (old, new):
            try:
                data.append(self._read(side))
            except OSError as error:
                self._trouble(f"{side.name}: {reason(error)}")
        if len(data) < 2:
            return
        self._ctx.charge(1 + (len(data[0]) + len(data[1]) >> 10))
        if data[0] == data[1] and self._style.kind not in ("sides", "groups"):
            self._identical(old, new)
            return
        if not options.text and (is_binary(data[0]) or is_binary(data[1])):
            if options.brief:
                self._differ(old, new)
            else:
                self._print(f"Binary files {quoted(old.name)} and {quoted(new.name)} differ")
            return
        self._texts(old, new, data[0], data[1], heading)

    def _texts(self, old: Side, new: Side, first: bytes, second: bytes, heading: bool) -> None:
        style, options = self._style, self._options
        horizon = style.context if style.kind in ("unified", "context") else 0
        whole = [(side, data) for side, data in ((old, first), (new, second))] if style.whole_lines else []
        if whole:
            first, second = (data + b"\n" if data and data[-1:] != b"\n" else data for _, data in whole)
        lines = Lines(first, second, self._rules, horizon, self._ctx)
        if not lines.differ:
            if style.kind in ("sides", "groups") and not self._options.brief:
                Output(lines, style, ("", ""), self._ctx).write()
            self._identical(old, new)
            self._unended(whole)
            return
        if self._options.brief:
            self._differ(old, new)
            return
        self._status = max(self._status, 1)
        labels = [*options.labels[:2], *(old.name, new.name)[len(options.labels[:2]) :]]
        title = " ".join([self._command, *map(_argument, labels)])
        heads = (self._head(old, 0), self._head(new, 1))
        if options.pages:
            gathered = _Gathered(self._ctx)
            Output(lines, style, heads, gathered).write()
            self._ctx.flush()
            self._ctx.run_command(["pr", "-h", title], stdin=Input(b"".join(gathered.pieces)))
        else:
            if heading:
                self._ctx.write_line(title)
            Output(lines, style, heads, self._ctx).write()
        self._unended(whole)

    def _links(self, old: Side, new: Side) -> None:
        ctx = self._ctx
        if ctx.fs.readlink(ctx.path(old.name)) == ctx.fs.readlink(ctx.path(new.name)):
            return
        self._print(f"Symbolic links {quoted(old.name)} and {quoted(new.name)} differ")

    def _differ(self, old: Side, new: Side) -> None:
        self._print(f"Files {quoted(old.name)} and {quoted(new.name)} differ")

    def _identical(self, old: Side, new: Side) -> None:
        if self._options.identical:
            self._ctx.write_line(f"Files {quoted(old.name)} and {quoted(new.name)} are identical")

    def _head(self, side: Side, number: int) -> str:
        """Return what follows --- and +++: a label, or the name and the time of a file."""
        if number < len(self._options.labels):
            return self._options.labels[number]
        stamp = side.info.mtime_ns if side.info is not None else 0
        zone = zone_of(self._ctx.environment.get("TZ"))
        when = format_moment(_STAMP, moment(stamp // 10**9, zone), stamp % 10**9)
        return f"{_argument(side.name)}\t{when}"


class _Gathered:
    """Output that goes to pr when it is complete."""

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
    """Return a name as diff shows it: in quotes with escapes when it holds control characters or quotes."""
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
    shown = [
        escapes.get(letter) or (f"\\{ord(letter):03o}" if letter < " " or letter == "\x7f" else letter)
        for letter in name
    ]
    return '"' + "".join(shown) + '"'


def _argument(name: str) -> str:
    """Return a name as the head of a comparison repeats it: blanks need quotes there."""
    shown = quoted(name)
    return f'"{shown}"' if shown == name and not _SAFE.fullmatch(name) and " " in name else shown

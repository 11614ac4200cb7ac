"""zip: create and update zip archives.

Oracle: Info-ZIP Zip 3.0; members of a directory go in the order of their names.
Divergence: L-ZIP-001, encryption, splitting, comments, ZIP64, -b, -F, -l, -ll, -n, -t and -tt are not offered.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import beneath, find, reason, stat_of
from sandhook.command.options import OptionError, Syntax, UsageError, also, opt, option_set
from sandhook.command.utility import Whole
from sandhook.pattern.glob import compile_pattern
from sandhook.utilities.archive.zip.format import (
    FormatError,
    Member,
    archive,
    contents,
    fill,
    packed_data,
    read_directory,
    set_date,
)

RAW = True  # -x and -i consume all words after them
USAGE_STATUS = 16
WRITE_ERROR = Whole("zip I/O error: {}\nzip error: Output file write failure (write error on zip file)")
WRITE_STATUS = 14

_NOTHING, _UNREADABLE, _BAD_ARCHIVE, _WARNING = 12, 18, 3, 18


@option_set
class Options:
    """zip [-rjqmuvdyDXT@] [-0..-9] ARCHIVE [FILE]... [-x PATTERN...] [-i PATTERN...]

    Add the FILEs to ARCHIVE, or replace them there; ARCHIVE is created if necessary. .zip is added to a name without
    a dot; - is standard output.
    """

    exclude: tuple[str, ...] = opt(
        "-x", "PATTERN...", "leave files out; all words after it are patterns", append=True
    )
    include: tuple[str, ...] = opt(
        "-i", "PATTERN...", "store only these files; all words after it are patterns", append=True
    )
    recursive: bool = opt("-r", "--recurse-paths", help="go into directories")
    junk: bool = opt("-j", "--junk-paths", help="store names without directories")
    quiet: bool = opt("-q", "--quiet", help="print nothing")
    move: bool = opt("-m", "--move", help="delete the files that were stored")
    mode: str = also(
        opt("-u", "--update", help="only files that are newer or not in the archive", const="u", default=""),
        opt("-f", "--freshen", help="only files that are in the archive and newer", const="f"),
        opt("-d", "--delete", help="delete members", const="d"),
        opt("-sf", "--show-files", help="list the files, and change nothing", const="s"),
    )
    links: bool = opt("-y", "--symlinks", help="store links as links")
    flat: bool = opt("-D", "--no-dir-entries", help="store no directory entries")
    plain: bool = opt("-X", "--no-extra", help="store times only with a precision of two seconds")
    test: bool = opt("-T", "--test", help="check the archive")
    verbose: bool = opt("-v", "--verbose", help="print sizes, too")
    names: bool = opt("-@", "--names-stdin", help="read FILEs from standard input")
    level: int = also(
        *(opt(f"-{digit}", help="stored 0 to smallest 9", const=digit, default=6) for digit in range(10))
    )
    without_effect: bool = opt("-g", "-o", "-S", "-FS", "--grow", "--latest-time", ignored="")


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 12 when there is nothing to do, 16 after a usage error, 18 when a file could not be read."""
    words, excluded, included = _split([word if word != "-sf" else "--show-files" for word in arguments])
    try:
        options, operands = _SYNTAX.parse(words)
    except UsageError as error:
        text = str(error)
        if isinstance(error, OptionError) and error.unknown:
            text = f"short option '{error.unknown}' not supported"
        elif isinstance(error, OptionError) and error.unknown_long:
            text = f"long option '{error.unknown_long}' not supported"
        return _error(f"Invalid command arguments ({text})", USAGE_STATUS, ctx)
    if not operands:
        ctx.write_line("zip (sandhook): zip [-rjqm0-9] ARCHIVE [FILE]... [-x PATTERN...] [-i PATTERN...]")
        return 0 if not arguments else USAGE_STATUS
    job = _Job(options, operands[0], [*excluded, *options.exclude], [*included, *options.include], ctx)
    try:
        return job.run(operands[1:])
    except Failure as error:
        return _error(str(error), error.status or _NOTHING, ctx, piped=operands[0] == "-")


def _split(words: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Remove -x and -i with all words after them, up to the next option or "@", from the command line."""
    rest: list[str] = []
    lists: dict[str, list[str]] = {"-x": [], "-i": []}
    current: list[str] | None = None
    for word in words:
        if word[:2] in lists and current is not lists.get(word):
            current = lists[word[:2]]
            if word[2:]:
                current.append(word[2:])
        elif current is not None and word == "@":
            current = None
        elif current is not None and word[:1] != "-":
            current.append(word)
        else:
            current = None
            rest.append(word)
    return rest, lists["-x"], lists["-i"]


def _error(text: str, status: int, ctx: Context, *, piped: bool = False) -> int:
    _print_text(f"\nzip error: {text}\n", ctx, piped)
    return status


def _print_text(text: str, ctx: Context, piped: bool) -> None:
    """Write a message to standard output, as zip does, or with ``piped``, the archive there, to standard error."""
    data = text.encode("utf-8", "surrogateescape")
    if piped:
        ctx.flush()
        ctx.process.write_error(data)
    else:
        ctx.write(data)


class _Job:
    """One call of zip: an archive and its changes."""

    def __init__(
        self, options: Options, name: str, excluded: Sequence[str], included: Sequence[str], ctx: Context
    ) -> None:
        self._options = options
        self._ctx = ctx
        base = name.rpartition("/")[2]
        self._operand = name
        self._name = name if name == "-" or "." in base else f"{name}.zip"
        self._excluded = [compile_pattern(text, extglob=False) for text in excluded]
        self._included = [compile_pattern(text, extglob=False) for text in included]
        self._members: dict[str, Member] = {}
        self._memory = 0
        self._status = 0
        self._stored_files: list[str] = []

    def run(self, operands: list[str]) -> int:
        """Apply the changes and write the archive; return the exit status."""
        options, ctx = self._options, self._ctx
        self._load()
        if options.mode == "d":
            return self._delete(operands)
        if options.mode == "s":
            return self._show(operands)
        if options.names:
            with ctx.stdin_reader() as reader:
                operands += [line.decode("utf-8", "surrogateescape").rstrip("\n") for line in reader.lines()]
        if options.mode == "f" and not operands:
            operands = list(self._members)
        if options.test and not operands and self._members:
            return self._test()
        files = [file for operand in operands for file in self._files(operand)]
        count = 0
        for file, mode in files:
            ctx.charge()
            count += self._add(file, mode)
        if not count:
            if options.mode in ("u", "f"):
                return self._status or _NOTHING
            hint = (
                f"try: zip -r {self._operand} . -i {operands[0]}"
                if options.recursive and operands
                else self._name
            )
            raise Failure(f"Nothing to do! ({hint})", _NOTHING)
        if options.verbose:
            self._print_total()
        self._write()
        if options.test:
            self._test()
        if options.move:
            for file in reversed(self._stored_files):
                if ctx.fs.is_dir(ctx.path(file)) and not bits.S_ISLNK(stat_of(ctx, file, follow=False).mode):
                    if not ctx.fs.listdir(ctx.path(file)):
                        ctx.fs.rmdir(ctx.path(file))
                else:
                    ctx.fs.unlink(ctx.path(file))
        return self._status

    def _print(self, text: str) -> None:
        if self._options.quiet:
            return
        if self._name == "-":
            self._ctx.process.write_error(f"{text}\n".encode("utf-8", "surrogateescape"))
        else:
            self._ctx.write_line(text)

    def _print_total(self) -> None:
        totals = Member("")
        totals.size = sum(member.size for member in self._members.values())
        totals.compressed_size = sum(member.compressed_size for member in self._members.values())
        self._print(
            f"total bytes={totals.size}, compressed={totals.compressed_size} -> {totals.percent}% savings"
        )

    def _warning(self, text: str) -> None:
        if self._options.quiet:
            return
        _print_text(f"\tzip warning: {text}\n", self._ctx, self._name == "-")

    # ------------------------------------------------------------------ the archive

    def _load(self) -> None:
        """Read the archive if there is one."""
        ctx = self._ctx
        if self._name == "-" or find(ctx, self._name) is None:
            return
        try:
            with ctx.open(self._name) as reader:
                data = reader.read_all()
            members = read_directory(data, ctx.environment.get("TZ")) if data else []
            for member in members:
                member.data = packed_data(data, member)
                self._charge_memory(len(member.data))
                self._members[member.name] = member
        except FormatError:
            self._warning(
                "missing end signature--probably not a zip file (did you\n\tzip warning: remember to use binary mode when you transferred it?)"
            )
            raise Failure(f"Zip file structure invalid ({self._name})", _BAD_ARCHIVE) from None
        except OSError as error:
            raise Failure(f"{self._name}: {reason(error)}", _UNREADABLE) from None

    def _charge_memory(self, size: int) -> None:
        self._memory += size + 256
        self._ctx.budget.check_fits(self._memory)

    def _write(self) -> None:
        ctx = self._ctx
        pieces = archive(list(self._members.values()))
        if self._name == "-":
            for piece in pieces:
                ctx.write(piece)
            return
        try:
            file = ctx.create(self._name)
        except OSError as error:
            raise Failure(f"Could not create output file ({self._name}): {reason(error)}", 15) from None
        try:
            for piece in pieces:
                ctx.charge(1 + (len(piece) >> 10))
                if piece:
                    file.write(piece)
        finally:
            file.release()

    # ------------------------------------------------------------------ files

    def _files(self, operand: str) -> Iterator[tuple[str, int | None]]:
        """Yield the files to store with their modes; None for standard input."""
        ctx, options = self._ctx, self._options
        if operand == "-":
            yield operand, None
            return
        pending = [operand]
        while pending:
            name = pending.pop()
            ctx.charge()
            try:
                info = stat_of(ctx, name, follow=not options.links)
            except OSError:
                if options.mode != "f":
                    self._warning(f"name not matched: {name}")
                continue
            directory = bits.S_ISDIR(info.mode)
            if (
                self._name != "-"
                and not directory
                and name.removeprefix("./") == self._name.removeprefix("./")
            ):
                continue
            if (bits.S_ISREG(info.mode) or bits.S_ISLNK(info.mode) or directory) and self._is_selected(
                name, directory
            ):
                yield name, info.mode
            if directory and options.recursive:
                entries = ctx.fs.listdir(ctx.path(name))
                pending += [beneath(name, entry.name) for entry in reversed(entries)]

    def _is_selected(self, name: str, directory: bool) -> bool:
        stored_name = _inside(name) + ("/" if directory else "")
        if any(pattern.matches(stored_name) for pattern in self._excluded):
            return False
        return not self._included or any(pattern.matches(stored_name) for pattern in self._included)

    def _add(self, file: str, mode: int | None) -> bool:
        """Store one file; return whether it was stored."""
        ctx, options = self._ctx, self._options
        directory = mode is not None and bits.S_ISDIR(mode)
        if directory and (options.flat or options.junk):
            return False
        name = _inside(file)
        if options.junk:
            name = name.rpartition("/")[2]
        name += "/" if directory else ""
        if name in ("", "/", "./", "../"):
            return False
        member = Member(name)
        old = self._members.get(name)
        try:
            if mode is None:
                member.mtime, member.mode = int(ctx.now()), 0o010600
                with ctx.stdin_reader() as reader:
                    data = reader.read_all()
            else:
                info = stat_of(ctx, file, follow=not options.links)
                member.mtime, member.mode = info.mtime_ns // 10**9, info.mode
                if old is not None and options.mode in ("u", "f") and old.mtime >= member.mtime:
                    return False
                if old is None and options.mode == "f":
                    return False
                data = self._read(file, info.mode)
        except OSError as error:
            self._warning(f"could not open for reading: {file}" if reason(error) else file)
            self._status = _WARNING
            return False
        set_date(member, ctx.environment.get("TZ"), stamp=not options.plain)
        fill(member, data, options.level, ctx.budget)
        self._charge_memory(len(member.data))
        verb = "  adding" if old is None else "freshening" if options.mode == "f" else "updating"
        self._members[name] = member
        sizes = (
            f"\t(in={member.size}) (out={member.compressed_size})"
            if options.verbose and not directory
            else ""
        )
        method = f"deflated {member.percent}%" if member.method else "stored 0%"
        self._print(f"{verb}: {name}{sizes} ({method})")
        if mode is not None:
            self._stored_files.append(file)
        return True

    def _read(self, file: str, mode: int) -> bytes:
        if bits.S_ISDIR(mode):
            return b""
        if bits.S_ISLNK(mode):
            return self._ctx.fs.readlink(self._ctx.path(file)).encode("utf-8", "surrogateescape")
        with self._ctx.open(file) as reader:
            return reader.read_all()

    # ------------------------------------------------------------------ members

    def _delete(self, patterns: Sequence[str]) -> int:
        if not self._members:
            self._warning(f"{self._name} not found or empty")
        compiled = [(text, compile_pattern(text, extglob=False)) for text in patterns]
        deleted = []
        for text, pattern in compiled:
            matches = [name for name in self._members if name not in deleted and pattern.matches(name)]
            if not matches:
                self._warning(f"name not matched: {text}")
            deleted += matches
        if not deleted:
            raise Failure(f"Nothing to do! ({self._name})", _NOTHING)
        for name in [name for name in self._members if name in set(deleted)]:
            self._print(f"deleting: {name}")
            del self._members[name]
        if not self._members:
            self._warning("zip file empty")
        self._write()
        return 0

    def _show(self, operands: Sequence[str]) -> int:
        entries = [(name, member.size) for name, member in self._members.items()]
        title = "Archive contains:"
        if operands:
            title = "Would Add/Update:"
            entries = []
            for operand in operands:
                for file, mode in self._files(operand):
                    directory = mode is not None and bits.S_ISDIR(mode)
                    size = 0 if directory or mode is None else stat_of(self._ctx, file).size
                    entries.append((_inside(file) + ("/" if directory else ""), size))
        self._ctx.write_line(title)
        for name, _ in entries:
            self._ctx.write_line(f"  {name}")
        self._ctx.write_line(f"Total {len(entries)} entries ({sum(size for _, size in entries)} bytes)")
        return 0

    def _test(self) -> int:
        for member in self._members.values():
            try:
                for _ in contents(member.data, member, self._ctx.budget):
                    pass
            except FormatError as error:
                raise Failure(f"Zip file invalid: {member.name}: {error}", 8) from None
        self._print(f"test of {self._name} OK")
        return 0


def _inside(name: str) -> str:
    """Return the name of a file in the archive: relative, and without leading "./"."""
    while name[:2] == "./":
        name = name[2:].lstrip("/")
    return "" if name == "." else name.strip("/")

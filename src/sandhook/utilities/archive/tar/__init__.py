"""tar: create, list, update and extract archives.

Oracle: GNU tar 1.34; members of a directory go in the order of their names.
Divergence: L-TAR-001, nothing is created outside the directory, not even through links. Not offered: -w, -g, -M,
sparse members, and programs of -I other than the usual compressors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from sandhook.command.accounts import accounts
from sandhook.command.backups import backup_of
from sandhook.command.context import Context, Failure
from sandhook.command.modes import Mode
from sandhook.command.operands import reason, stat_of
from sandhook.command.options import OptionError, UsageError
from sandhook.dates.parse import BadDate, parse_date
from sandhook.text.numbers import is_number
from sandhook.text.quoting import quote_escaped
from sandhook.utilities.archive.tar import format as format_
from sandhook.utilities.archive.tar.create import Creator
from sandhook.utilities.archive.tar.extract import Extractor
from sandhook.utilities.archive.tar.job import ConflictError, FatalError
from sandhook.utilities.archive.tar.listing import Listing, format_size
from sandhook.utilities.archive.tar.names import transformer
from sandhook.utilities.archive.tar.options import (
    SYNTAX,
    Options,
    directories_of,
    interleave_directories,
    listed_names,
    trailing_exclusions,
    with_dashes,
)
from sandhook.utilities.archive.tar.programs import CheckedStream, Checkpoints, checked
from sandhook.utilities.archive.tar.select import Selection

WRITE_ERROR = "-: Cannot write: {}\n{name}: Error is not recoverable: exiting now"
WRITE_STATUS = 2

if TYPE_CHECKING:
    from sandhook.formats.compressed import Compression

RAW = True  # the first word may be options without a dash: tar xzf FILE
USAGE_STATUS = 2

#: Exit status after a usage error.
_USAGE_ERROR_STATUS = 64

#: Bytes that a compiled pattern needs.
_PATTERN_COST = 1_000

#: Endings of archives, and how they are compressed.
_ENDINGS: dict[tuple[str, ...], Compression] = {
    (".gz", ".tgz"): "gzip",
    (".bz2", ".tbz2", ".tbz"): "bzip2",
    (".xz", ".txz"): "xz",
}

_WILDCARDS = frozenset("*?[\\")  #: characters that make a name look like a pattern


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 when files differ, 2 after an error, 64 after a usage error."""
    try:
        options, operands = SYNTAX.parse(with_dashes(list(arguments)))
    except UsageError as error:
        name = ctx.name.rpartition("/")[2] if isinstance(error, OptionError) else ctx.name
        ctx.error(f"{error}\n{_hint(name)}" if error.hint else str(error))
        return _USAGE_ERROR_STATUS if error.status is None else error.status
    modes = set(options.modes)
    if len(modes) != 1:
        text = "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options"
        if modes:
            text = "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option"
        ctx.error(f"{text}\n{_hint(ctx.name)}")
        return 2
    try:
        job = Job(options, modes.pop(), ctx)
        job.withdraw_exclusions(trailing_exclusions(arguments, operands))
    except (UsageError, Failure, FatalError) as error:
        end = "" if isinstance(error, UsageError) else "\ntar: Error is not recoverable: exiting now"
        ctx.error(f"{error}{end}")
        return 2
    return job.run(interleave_directories(arguments, operands, options))


class Job:
    """One call of tar: its options, and the state that its operations share."""

    def __init__(self, options: Options, mode: str, ctx: Context) -> None:
        self._options = options
        self._ctx = ctx
        self.mode = mode
        self.extract = mode == "x"
        self.to_stdout = options.to_stdout
        self.keep = options.keep
        self.permissions = options.permissions
        self.touch = options.touch
        self.follow = options.follow
        self.recursive = not options.flat
        self.strip = options.strip
        self.absolute = options.absolute
        self.links = not options.no_links
        self.tolerant = options.tolerant
        self.layout = options.layout
        self.remove = options.remove
        self.verbose = bool(options.verbose)
        self.tags = options.tags
        self.zeros = options.zeros
        self.label = options.label
        self.top = self._top_level()
        self.names: list[tuple[str, str]] = []
        self.rename = transformer(options.transform)
        self.member_times: dict[str, int] = {}
        self.archive_file: tuple[int, int] | None = None
        self._mtime = None if options.mtime is None else self._parse_time(options.mtime, "mtime") // 10**9
        self._bits = None
        if options.mode_text is not None:
            try:
                self._bits = Mode(options.mode_text)
            except ValueError:
                raise UsageError("Invalid mode given on option", hint=False) from None
        newer = options.newer if options.newer is not None else options.newer_mtime
        self.newer = None if newer is None else self._parse_time(newer, "date")
        excluded = [*options.exclude, *chain(*(self._lines(file, "") for file in options.exclude_from))]
        ctx.budget.check_fits(_PATTERN_COST * len(excluded))
        self.selection = Selection(options, excluded, ctx.charge)
        self.record = format_.BLOCK * (options.blocks or 20)
        self.listing = Listing(options, mode, ctx)
        self.archive = options.archive
        self.command = options.command
        self.ignores_commands = options.ignores_commands
        self.backup = backup_of(options.backup, options.suffix, ctx)
        self.checkpoints = Checkpoints(options, mode, self, ctx)
        self._failed = False
        self._ineffective_exclusions: list[str] = []
        self._size = 0

    def _top_level(self) -> str:
        """Return the directory of --one-top-level, "" for none."""
        top = self._options.top
        if top != "":
            return top or ""
        name = self._options.archive.rpartition("/")[2]
        for ending in (".gz", ".bz2", ".xz", ".lzma", ".Z", ".tgz", ".tbz2", ".tbz", ".txz"):
            if name.endswith(ending):
                name = name[: -len(ending)]
                break
        return name.removesuffix(".tar")

    def withdraw_exclusions(self, patterns: list[str]) -> None:
        """Drop the --exclude patterns after the last operand: they have no effect on -c, -r and -u."""
        if patterns and self.mode in ("c", "r", "u"):
            self._ineffective_exclusions = patterns
            exclusions = [text for text in self._options.exclude if text not in patterns]
            exclusions += [line for file in self._options.exclude_from for line in self._lines(file)]
            self.selection = Selection(self._options, exclusions, self._ctx.charge)

    def _warn_of_ineffective_exclusions(self) -> None:
        if self._ineffective_exclusions:
            self.error(
                "The following options were used after any non-optional arguments in archive create or update mode."
                "  These options are positional and affect only arguments that follow them.  Please, rearrange them"
                " properly."
            )
            for pattern in self._ineffective_exclusions:
                self.error(f"--exclude {quote_escaped(pattern)} has no effect")

    def run(self, names: list[tuple[str, str]]) -> int:
        ctx, options = self._ctx, self._options
        self.names = names
        try:
            for file in options.files_from:
                self.names += listed_names(self._lines(file), verbatim=options.null or options.verbatim)
            operands = [name for _, name in self.names if name]
            if self.mode == "c" and not operands and not options.files_from:
                ctx.error(f"Cowardly refusing to create an empty archive\n{_hint(ctx.name)}")
                return 2
            self._warn_of_ineffective_exclusions()
            self._work(operands)
        except ConflictError as error:
            ctx.error(f"{error}\n{_hint(ctx.name)}")
            return 2
        except FatalError as error:
            ctx.error(f"{error}\ntar: Error is not recoverable: exiting now")
            return 2
        except Failure as error:
            ctx.error(f"{error}\ntar: Error is not recoverable: exiting now")
            return 2
        if self._failed:
            ctx.error("Exiting with failure status due to previous errors")
        return 2 if self._failed else ctx.failed

    def _work(self, operands: list[str]) -> None:
        if self.mode == "c":
            self._create()
        elif self.mode in ("r", "u", "A"):
            self._update(operands)
        else:
            self.selection.add_operands(operands)
            if self.mode == "delete":
                self._update(operands)
            else:
                self._read()
            unseen = self.selection.unseen
            if self._options.wildcards is None and any(_WILDCARDS & set(name) for name in unseen):
                self._ctx.error("Pattern matching characters used in file names")
                self._ctx.error(
                    "Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning"
                )
            for name in unseen:
                self.error(f"{self.quote_name(name)}: Not found in archive")
        if self._options.totals and self.mode != "delete":
            self.print_totals(self._size)

    def print_totals(self, size: int) -> None:
        """Write the line of --totals for a number of bytes."""
        verb = "read" if self.mode in ("x", "t", "d") else "written"
        self._ctx.process.write_error(
            f"Total bytes {verb}: {size} ({format_size(size)}, 1.0MiB/s)\n".encode()
        )

    def error(self, message: str) -> None:
        """Write an error message and continue; the exit status will be 2."""
        self._ctx.error(message)
        self._failed = True

    def _lines(self, name: str, problem: str = "Cannot stat: ") -> list[str]:
        """Return the lines of a file of names or patterns. Raises Failure."""
        try:
            with self._ctx.open(name) as reader:
                end = b"\0" if self._options.null else b"\n"
                return [
                    line.removesuffix(end).decode("utf-8", "surrogateescape") for line in reader.lines(end)
                ]
        except OSError as error:
            raise Failure(f"{name}: {problem}{reason(error)}") from None

    def _parse_time(self, text: str, name: str) -> int:
        """Return the time of --mtime or -N in nanoseconds. Raises UsageError."""
        if text[:1] in ("/", "."):
            try:
                return stat_of(self._ctx, text).mtime_ns
            except OSError as error:
                why = f"{reason(error)}\n{self._ctx.name}: Date sample file not found"
                problem = f"{text}: Cannot stat: {why}\n{_hint(self._ctx.name)}"
                raise UsageError(problem, hint=False) from None
        try:
            return parse_date(text, int(self._ctx.now() * 1e9), self._ctx.environment.get("TZ"))
        except BadDate:
            raise UsageError(f"Invalid {name}: '{text}'", hint=False) from None

    def is_new(self, mtime_ns: int, ctime_ns: int) -> bool:
        """Return whether a file is newer than the date of -N; True without -N."""
        if self.newer is None:
            return True
        return mtime_ns >= self.newer or (self._options.newer_mtime is None and ctime_ns >= self.newer)

    # ------------------------------------------------------------------ archives

    def _compression(self) -> Compression | None:
        if self._options.packing != "auto":
            return self._options.packing
        name = self._options.archive
        return next((kind for endings, kind in _ENDINGS.items() if name.endswith(endings)), None)

    def _update(self, operands: list[str]) -> None:
        """Rewrite the archive with members added or removed."""
        from sandhook.formats.compressed import kind_of
        from sandhook.utilities.archive.tar.update import spans, without

        ctx, archive = self._ctx, self._options.archive
        if archive == "-":
            raise FatalError("Options '-Aru' are incompatible with '-f -'")
        data = b""
        if self.mode == "delete" or ctx.fs.exists(ctx.path(archive)):
            try:
                with ctx.open(archive) as reader:
                    data = reader.read_all()
            except OSError as error:
                raise FatalError(f"{archive}: Cannot open: {reason(error)}") from None
        if kind_of(data[:8]):
            raise FatalError("Cannot update compressed archives")
        try:
            members = spans(data, ctx.charge) if data else []
        except format_.FormatError as error:
            raise FatalError(str(error)) from None
        end = members[-1][1] if members else 0
        if self.mode == "delete":
            self._write(without(data, members, self.selection.selects))
            return
        if self.mode == "A":
            self._write(chain((data[:end],), self._concatenated_members(operands, end)))
            return
        if self.mode == "u":
            self.member_times = {member.name: member.mtime for _, _, member in members}
        self._write(chain((data[:end],), Creator(self, ctx, self.error).pieces(end)))

    def _concatenated_members(self, names: list[str], size: int) -> Iterator[bytes]:
        """Yield the members of other archives, then the end of the archive."""
        from sandhook.utilities.archive.tar.update import spans

        for name in names:
            try:
                with self._ctx.open(name) as reader:
                    data = reader.read_all()
                members = spans(data, self._ctx.charge) if data else []
            except OSError as error:
                self.error(f"{name}: Cannot open: {reason(error)}")
                continue
            except format_.FormatError as error:
                self.error(str(error))
                continue
            end = members[-1][1] if members else 0
            size += end
            yield data[:end]
        size += 2 * format_.BLOCK
        yield bytes(2 * format_.BLOCK + -size % self.record)

    def _create(self) -> None:
        ctx, archive = self._ctx, self._options.archive
        pieces: Iterator[bytes] = self._count_bytes(Creator(self, ctx, self.error).pieces())
        if self.checkpoints.enabled:
            pieces = checked(pieces, self.checkpoints)
        packing = self._compression()
        if packing is not None:
            from sandhook.formats.compressed import compressed

            pieces = compressed(pieces, packing, 6, ctx.charge, charge_memory=ctx.budget.charge_memory)
        if archive == "-":
            for piece in pieces:
                ctx.write(piece)
            return
        self._write(pieces)

    def _count_bytes(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._size += len(piece)
            yield piece

    def _write(self, pieces: Iterator[bytes]) -> None:
        """Write the archive file, and record its identity so that it is not stored in itself."""
        ctx, archive = self._ctx, self._options.archive
        try:
            if self.mode == "c" and self.backup is not None and ctx.fs.exists(ctx.path(archive)):
                self.move_away(archive)
            file = ctx.create(archive)
        except OSError as error:
            raise FatalError(f"{archive}: Cannot open: {reason(error)}") from None
        info = ctx.fs.stat(ctx.path(archive))
        self.archive_file = (info.device, info.inode)
        try:
            for piece in pieces:
                if piece:
                    file.write(piece)
        finally:
            file.release()

    def _read(self) -> None:
        from sandhook.formats.compressed import kind_of
        from sandhook.utilities.archive.tar.unpacking import Unpacker, check_kind, fail_to_read

        ctx, archive = self._ctx, self._options.archive
        unpacker = None
        try:
            reader = ctx.open(archive)
        except IsADirectoryError as error:
            fail_to_read(archive, self._options.packing not in (None, "auto"), error, ctx)
        except OSError as error:
            text = f"{archive}: Cannot open: {reason(error)}"
            if self._options.packing not in (None, "auto"):  # GNU tar's child process opens the archive here
                child = f"tar (child): {text}\ntar (child): Error is not recoverable: exiting now\n"
                ctx.process.write_error(child.encode("utf-8", "surrogateescape"))
                text = "Child returned status 2"
            raise FatalError(text) from None
        home = ctx.process.cwd
        with reader:
            chunks = reader.chunks()
            try:
                first = next(chunks, b"")
            except OSError as error:
                fail_to_read(archive, self._options.packing not in (None, "auto"), error, ctx)
            requested = self._options.packing if self._options.packing != "auto" else None
            packing = requested or kind_of(first)
            pieces: Iterator[bytes] = chain((first,) if first else (), chunks)
            if packing:
                if first or packing == "xz":
                    check_kind(packing, kind_of(first), ctx)
                unpacker = Unpacker(pieces, packing, ctx)
                pieces = unpacker.expanded()
            pieces = self._count_bytes(pieces)
            try:
                for directory in directories_of(self.names):
                    try:
                        ctx.process.cwd = ctx.fs.realpath(ctx.path(directory))
                    except OSError as error:
                        raise FatalError(f"{directory}: Cannot open: {reason(error)}") from None
                is_checked = self.checkpoints.enabled
                stream = CheckedStream(pieces, self.checkpoints) if is_checked else format_.Stream(pieces)
                if self.mode == "d":
                    self._compare(stream)
                else:
                    Extractor(self, ctx, self.error).run(stream)
            except format_.TruncatedError as error:
                if self.extract:
                    ctx.error(str(error))  # GNU tar reports it for the member, then for the archive
                raise FatalError(str(error)) from None
            except format_.FormatError as error:
                if unpacker is None or not unpacker.status:
                    self.error(str(error))
            finally:
                ctx.process.cwd = home
            if unpacker is not None and unpacker.status:
                raise FatalError(f"Child returned status {unpacker.status}")
            # The writer of a pipe must not die of SIGPIPE: tar reads whole records, and a decompressor all.
            while not reader.description.seekable and (unpacker is not None or self._size % self.record):
                if not next(chunks if unpacker is not None else pieces, b""):
                    break

    def _compare(self, stream: format_.Stream) -> None:
        from sandhook.utilities.archive.tar.compare import Comparer

        comparer = Comparer(self, self._ctx)
        comparer.run(stream)
        self._ctx.failed = max(self._ctx.failed, int(comparer.differs))

    # ------------------------------------------------------------------ members

    def apply_overrides(self, member: format_.Member) -> None:
        """Apply --owner, --group, --numeric-owner, --mtime and --mode to a new member."""
        options = self._options
        known_accounts = accounts(self._ctx.fs)
        for override, field, number, names_by_id in (
            (options.owner, "user", "uid", known_accounts.users),
            (options.group, "group", "gid", known_accounts.groups),
        ):
            if override is not None:
                text, _, digits = override.partition(":")
                code = digits or text
                if code.isascii() and code.isdigit() and len(code) < 8:
                    setattr(member, number, int(code))
                else:
                    setattr(
                        member, number, next((key for key, name in names_by_id.items() if name == text), 0)
                    )
                setattr(member, field, names_by_id.get(int(text), "") if is_number(text) else text)
        if options.numeric:
            member.user = member.group = ""
        if self._mtime is not None and (not options.clamp or member.mtime > self._mtime):
            member.mtime = self._mtime
        if self._bits is not None:
            member.mode = self._bits.apply(member.mode, 0, directory=member.kind == format_.DIRECTORY)

    def quote_name(self, name: str) -> str:
        """Return a name in the quoting style of messages, in which a colon ends the name."""
        quoted = self.listing.quote_name(name)
        return quoted.replace(":", "\\:") if self._options.quoting in ("escape", "c") else quoted

    def print(self, member: format_.Member, name: str = "") -> None:
        """Write the line of -t or -v for a member; ``name`` is its name after --transform."""
        self.listing.print(member, name)

    def move_away(self, name: str) -> None:
        """Rename a file to the name of its backup. Raises OSError."""
        if self.backup is not None:
            renamed = self.backup(name)
            if self.verbose:
                self.listing.write(f"Renaming {quote_escaped(name)} to {quote_escaped(renamed)}")


def _hint(name: str) -> str:
    return f"Try '{name} --help' or '{name} --usage' for more information."

"""tar: put files into an archive, list one, and take files out of it.

Oracle: GNU tar 1.34; members of a directory go in the order of their names.
Divergence: L-TAR-001, nothing is made outside of the directory, through links neither; -A, -d, -P, -I and
--to-command are not offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.pattern.glob import Pattern, compile_pattern
from sandhook.utilities import _tar_format as format_
from sandhook.utilities._base import Context, Failure, OptionError, Syntax, UsageError, also, opt, option_set
from sandhook.utilities._dateparse import BadDate, parse_date
from sandhook.utilities._files import accounts, reason, stat_of
from sandhook.utilities._mode import mode_string
from sandhook.utilities._tar_create import Creator
from sandhook.utilities._tar_extract import Extractor
from sandhook.utilities._tar_names import transformer
from sandhook.utilities._time import format_moment, moment, zone_of

RAW = True  # the first word may be options without a dash: tar xzf FILE
USAGE_STATUS = 2
_HINT = "Try 'tar --help' or 'tar --usage' for more information."


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise UsageError(f"{text}: Invalid number of elements", hint=False)
    return int(text)


def _format(text: str) -> str:
    if text not in ("gnu", "oldgnu"):
        raise UsageError(f"--format: '{text}' is not offered", hint=False)
    return text


@option_set
class Options:
    """tar -c|-x|-t [-f ARCHIVE] [-zjJvC DIRECTORY ...] [NAME]...

    Put the NAMEs into an archive, take them out of it, or list them; all of it without NAMEs. The archive is
    standard input or output unless -f says otherwise.
    """

    modes: tuple[str, ...] = also(
        opt("-c", "--create", help="put files into a new archive", const="c", append=True),
        opt("-x", "--extract", "--get", help="take files out", const="x", append=True),
        opt("-t", "--list", help="list what is in it", const="t", append=True),
        opt("-r", "--append", help="put files behind what is in it", const="r", append=True),
        opt("-u", "--update", help="likewise, those that are newer", const="u", append=True),
        opt("--delete", help="take members away", const="delete", append=True),
    )
    archive: str = opt("-f", "--file", "ARCHIVE", "the archive; - is a standard stream", default="-")
    packing: str | None = also(
        opt("-z", "--gzip", "--gunzip", help="gzip", const="gzip", default=None),
        opt("-j", "--bzip2", help="bzip2", const="bzip2"),
        opt("-J", "--xz", help="xz", const="xz"),
        opt("-a", "--auto-compress", help="as the archive's name says", const="auto"),
    )
    verbose: tuple[bool, ...] = opt(
        "-v", "--verbose", help="list names; twice, or with -t, in full", append=True
    )
    directory: tuple[str, ...] = opt("-C", "--directory", "DIRECTORY", "change to DIRECTORY", append=True)
    to_stdout: bool = opt("-O", "--to-stdout", help="extract to standard output")
    keep: bool = opt("-k", "--keep-old-files", help="do not replace files")
    permissions: bool = opt("-p", "--preserve-permissions", "--same-permissions", help="ignore the umask")
    touch: bool = opt("-m", "--touch", help="do not restore times")
    follow: bool = opt("-h", "--dereference", help="store what links lead to")
    flat: bool = opt("--no-recursion", help="do not go into directories")
    strip: int = opt(
        "--strip-components", "NUMBER", "drop leading components of names", convert=_count, default=0
    )
    exclude: tuple[str, ...] = opt("--exclude", "PATTERN", "leave out files that match", append=True)
    wildcards: bool = opt("--wildcards", help="NAMEs are patterns")
    files_from: tuple[str, ...] = opt(
        "-T", "--files-from", "FILE", "take NAMEs from the lines of FILE", append=True
    )
    owner: str | None = opt("--owner", "NAME", "store NAME as the owner")
    group: str | None = opt("--group", "NAME", "store NAME as the group")
    mtime: str | None = opt("--mtime", "DATE", "store this time, or that of a file (/NAME, ./NAME)")
    exclude_from: tuple[str, ...] = opt(
        "-X", "--exclude-from", "FILE", "leave out files that match a line of FILE", append=True
    )
    transform: tuple[str, ...] = opt(
        "--transform", "--xform", "EXPRESSION", "change names by s/OLD/NEW/FLAGS", append=True
    )
    full_time: bool = opt("--full-time", help="list times with seconds")
    numeric: bool = opt("--numeric-owner", help="numbers for owners and groups")
    sort: str | None = opt("--sort", "ORDER", "taken: the order is always that of names")
    no_owner: bool = opt("--no-same-owner", "--same-owner", help="taken: there is one user")
    layout: str | None = opt("--format", "FORMAT", "gnu: the only format that is written", convert=_format)


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 2 after an error."""
    try:
        options, operands = _SYNTAX.parse(_with_dashes(list(arguments)))
        modes = set(options.modes)
        if len(modes) != 1:
            if modes:
                raise UsageError(
                    "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option"
                )
            raise UsageError("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")
    except UsageError as error:
        ctx.error(f"{error}\n{_HINT}" if error.hint else str(error))
        return 64 if isinstance(error, OptionError) else 2
    try:
        job = Job(options, modes.pop(), ctx)
    except (UsageError, Failure) as error:
        ctx.error(str(error))
        return 2
    return job.run(_positions(arguments, operands, options))


def _with_dashes(arguments: list[str]) -> list[str]:
    """Write ``xzf FILE`` as ``-xz -f FILE``: letters with arguments take the following words in order."""
    if not arguments or arguments[0][:1] == "-" or not arguments[0]:
        return arguments
    rest = arguments[1:]
    found = []
    for letter in arguments[0]:
        option = _SYNTAX.short.get(letter)
        found.append(f"-{letter}")
        if option is not None and option.metavar is not None:
            if not rest:
                raise UsageError(f"Old option '{letter}' requires an argument.")
            found.append(rest.pop(0))
    return [*found, *rest]


def _positions(arguments: Sequence[str], operands: Sequence[str], options: Options) -> list[tuple[str, str]]:
    """Return operands, and directories where -C stands between them: a -C holds for what follows."""
    words = _with_dashes(list(arguments))
    directories = list(options.directory)
    names = list(operands)
    found: list[tuple[str, str]] = []
    previous = ""
    for word in words:
        if directories and (
            (previous in ("-C", "--directory") and word == directories[0])
            or word in (f"-C{directories[0]}", f"--directory={directories[0]}")
            or (
                previous[:1] == "-"
                and previous[:2] != "--"
                and previous[-1:] == "C"
                and word == directories[0]
            )
        ):
            found.append((directories.pop(0), ""))
            word = ""
        elif names and word == names[0]:
            found.append(("", names.pop(0)))
        previous = word
    return [*((directory, "") for directory in directories), *found, *(("", name) for name in names)]


class Job:
    """What is asked for, and how the work goes."""

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
        self.names: list[tuple[str, str]] = []
        self.rename = transformer(options.transform)
        self.present: dict[str, int] = {}
        self.archive_file: tuple[int, int] | None = None
        self._mtime = self._stored_time(options.mtime) if options.mtime is not None else None
        excluded = [*options.exclude, *(line for file in options.exclude_from for line in self._lines(file))]
        self._excluded = [compile_pattern(text, extglob=False) for text in excluded]
        self._wanted: dict[str, Pattern | None] = {}
        self._unseen: dict[str, None] = {}
        self._width = 19
        self._failed = False

    def run(self, names: list[tuple[str, str]]) -> int:
        ctx, options = self._ctx, self._options
        self.names = names
        for file in options.files_from:
            self.names += [("", line) for line in self._lines(file)]
        operands = [name for _, name in self.names if name]
        if self.mode == "c" and not operands and not options.files_from:
            ctx.error(f"Cowardly refusing to create an empty archive\n{_HINT}")
            return 2
        try:
            if self.mode == "c":
                self._create()
            elif self.mode in ("r", "u"):
                self._update()
            else:
                for name in operands:
                    key = name.rstrip("/")
                    self._wanted[key] = compile_pattern(key, extglob=False) if options.wildcards else None
                    self._unseen[key] = None
                if self.mode == "delete":
                    self._update()
                else:
                    self._read()
                for name in self._unseen:
                    self.report(f"{name}: Not found in archive")
        except _Fatal as error:
            ctx.error(f"{error}\ntar: Error is not recoverable: exiting now")
            return 2
        if self._failed:
            ctx.error("Exiting with failure status due to previous errors")
        return 2 if self._failed else 0

    def report(self, message: str) -> None:
        """Report an error; the work goes on."""
        self._ctx.error(message)
        self._failed = True

    def _lines(self, name: str) -> list[str]:
        """Return the lines of a file of names or patterns. Raises Failure."""
        try:
            with self._ctx.open(name) as reader:
                return [line.decode("utf-8", "surrogateescape").rstrip("\n") for line in reader.lines()]
        except OSError as error:
            raise Failure(f"{name}: Cannot open: {reason(error)}") from None

    def _stored_time(self, text: str) -> int:
        """Return --mtime in seconds. Raises UsageError."""
        if text[:1] in ("/", "."):
            try:
                return stat_of(self._ctx, text).mtime_ns // 10**9
            except OSError as error:
                raise UsageError(f"{text}: Cannot stat: {reason(error)}", hint=False) from None
        try:
            now = int(self._ctx.now() * 1e9)
            return parse_date(text, now, self._ctx.environment.get("TZ")) // 10**9
        except BadDate:
            raise UsageError(f"Invalid mtime: '{text}'", hint=False) from None

    # ------------------------------------------------------------------ archives

    def _packing(self) -> str | None:
        if self._options.packing != "auto":
            return self._options.packing
        name = self._options.archive
        for endings, kind in (
            ((".gz", ".tgz"), "gzip"),
            ((".bz2", ".tbz2", ".tbz"), "bzip2"),
            ((".xz", ".txz"), "xz"),
        ):
            if name.endswith(endings):
                return kind
        return None

    def _update(self) -> None:
        """Write the archive again with more members, or fewer."""
        from sandhook.utilities._codecs import kind_of
        from sandhook.utilities._tar_update import spans, without

        ctx, archive = self._ctx, self._options.archive
        if archive == "-":
            raise _Fatal("Options '-Aru' are incompatible with '-f -'")
        data = b""
        if self.mode == "delete" or ctx.fs.exists(ctx.path(archive)):
            try:
                with ctx.open(archive) as reader:
                    data = reader.read_all()
            except OSError as error:
                raise _Fatal(f"{archive}: Cannot open: {reason(error)}") from None
        if kind_of(data[:8]):
            raise _Fatal("Cannot update compressed archives")
        try:
            found = spans(data, ctx.charge) if data else []
        except format_.FormatError as error:
            raise _Fatal(str(error)) from None
        end = found[-1][1] if found else 0
        if self.mode == "delete":
            self._write(without(data, found, self.selects))
            return
        if self.mode == "u":
            self.present = {member.name: member.mtime for _, _, member in found}
        self._write(_with(data[:end], Creator(self, ctx, self.report).pieces(end)))

    def _create(self) -> None:
        ctx, archive = self._ctx, self._options.archive
        pieces: Iterator[bytes] = Creator(self, ctx, self.report).pieces()
        packing = self._packing()
        if packing is not None:
            from sandhook.utilities._codecs import compressed

            pieces = compressed(pieces, packing, 6, ctx.charge)
        if archive == "-":
            for piece in pieces:
                ctx.write(piece)
            return
        self._write(pieces)

    def _write(self, pieces: Iterator[bytes]) -> None:
        """Write the archive's file, which is never stored in itself."""
        ctx, archive = self._ctx, self._options.archive
        try:
            file = ctx.create(archive)
        except OSError as error:
            raise _Fatal(f"{archive}: Cannot open: {reason(error)}") from None
        info = ctx.fs.stat(ctx.path(archive))
        self.archive_file = (info.device, info.inode)
        try:
            for piece in pieces:
                if piece:
                    file.write(piece)
        finally:
            file.release()

    def _read(self) -> None:
        from sandhook.utilities._codecs import CorruptError, expanded, kind_of

        ctx, archive = self._ctx, self._options.archive
        try:
            reader = ctx.open(archive)
        except OSError as error:
            raise _Fatal(f"{archive}: Cannot open: {reason(error)}") from None
        home = ctx.process.cwd
        with reader:
            chunks = reader.chunks()
            first = next(chunks, b"")
            packing = kind_of(first) or (self._packing() if first else None)
            pieces = _with(first, chunks)
            if packing:
                pieces = expanded(pieces, packing, ctx.charge)
            try:
                for directory, _ in self.names:
                    if directory:
                        try:
                            ctx.process.cwd = ctx.fs.realpath(ctx.path(directory))
                        except OSError as error:
                            raise _Fatal(f"{directory}: Cannot open: {reason(error)}") from None
                Extractor(self, ctx, self.report).run(format_.Stream(pieces))
            except format_.FormatError as error:
                self.report(str(error))
            except CorruptError as error:
                raise _Fatal(f"{archive}: {error}") from None
            finally:
                ctx.process.cwd = home

    # ------------------------------------------------------------------ members

    def excludes(self, name: str) -> bool:
        """Tell whether --exclude leaves a name out: all of it, or what stands behind any slash."""
        if not self._excluded:
            return False
        bare = name.rstrip("/")
        tails = [bare, *(bare[at + 1 :] for at, letter in enumerate(bare) if letter == "/")]
        return any(each.matches(tail) for each in self._excluded for tail in tails)

    def selects(self, name: str) -> bool:
        """Tell whether the operands ask for a member, or for a directory above it."""
        if self._excluded:
            parts = name.split("/")
            if any(self.excludes("/".join(parts[: at + 1])) for at in range(len(parts))):
                return False
        if not self._wanted:
            return True
        chosen = False
        for key, pattern in self._wanted.items():
            if pattern is not None:
                parts = name.split("/")
                good = any(pattern.matches("/".join(parts[: at + 1])) for at in range(len(parts)))
            else:
                good = name == key or name.startswith(key + "/")
            if good:
                self._unseen.pop(key, None)
                chosen = True
        return chosen

    def change(self, member: format_.Member) -> None:
        """Give a new member the owner, the group and the time that options ask for."""
        options = self._options
        names = accounts(self._ctx.fs)
        for given, field, number, known in (
            (options.owner, "user", "uid", names.users),
            (options.group, "group", "gid", names.groups),
        ):
            if given is not None:
                text, _, digits = given.partition(":")
                code = digits or text
                if code.isascii() and code.isdigit() and len(code) < 8:
                    setattr(member, number, int(code))
                else:
                    setattr(member, number, next((key for key, name in known.items() if name == text), 0))
                setattr(member, field, known.get(int(text), "") if text.isdigit() else text)
        if options.numeric:
            member.user = member.group = ""
        if self._mtime is not None:
            member.mtime = self._mtime

    def say(self, member: format_.Member, name: str = "") -> None:
        """List a member: its name, or all of it."""
        full = len(self._options.verbose) > (0 if self.mode == "t" else 1)
        if self.mode != "t" and not self._options.verbose:
            return
        shown = member.name + ("/" if member.kind == format_.DIRECTORY else "")
        line = self._long(member, shown) if full else shown
        to_error = (self.mode == "c" and self._options.archive == "-") or self.to_stdout
        if not to_error:
            self._ctx.write_line(line)
            return
        self._ctx.process.complain(f"{line}\n".encode("utf-8", "surrogateescape"))

    _KINDS = {
        format_.DIRECTORY: 0o040000, format_.SYMBOLIC_LINK: 0o120000, format_.FIFO: 0o010000,
        format_.CHARACTER: 0o020000, format_.BLOCK_DEVICE: 0o060000,
    }  # fmt: skip

    def _long(self, member: format_.Member, shown: str) -> str:
        mode = mode_string(member.mode | self._KINDS.get(member.kind, 0o100000))
        if member.kind == format_.HARD_LINK:
            mode = "h" + mode[1:]
        owner = f"{member.user or member.uid}/{member.group or member.gid}"
        if self._options.numeric:
            owner = f"{member.uid}/{member.gid}"
        self._width = max(self._width, len(owner) + len(str(member.size)) + 1)
        size = str(member.size).rjust(self._width - len(owner))
        zone = zone_of(self._ctx.environment.get("TZ"))
        format_time = "%Y-%m-%d %H:%M:%S" if self._options.full_time else "%Y-%m-%d %H:%M"
        when = format_moment(format_time, moment(member.mtime, zone), 0)
        arrow = {format_.SYMBOLIC_LINK: " -> ", format_.HARD_LINK: " link to "}.get(member.kind)
        return f"{mode} {owner}{size} {when} {shown}{arrow + member.link if arrow else ''}"


class _Fatal(Exception):
    """The archive cannot be used."""


def _with(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest

"""gzip, gunzip, zcat, uncompress, bzip2, bunzip2, bzcat, xz, unxz, xzcat, lzma, unlzma, lzcat: compress or expand files.

Oracle: gzip 1.12, bzip2 1.0.8, XZ Utils 5.4. The program's name selects the format and the direction.
Divergence: L-GZIP-001, xz uses small dictionaries and one thread, and -lvv lists no more than -lv.
"""

from __future__ import annotations

import errno
import stat as bits
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Literal

from sandhook.command.context import Context, Failure, WriteError
from sandhook.command.operands import beneath, find, reason
from sandhook.command.options import Inform, Topic, UsageError, also, opt, option_set
from sandhook.dates.clock import strftime
from sandhook.formats.compressed import (
    LZMA_FIRST,
    XZ_CHECKS,
    Compression,
    CorruptError,
    compressed,
    expanded,
    gzip_header,
    kind_of,
)
from sandhook.utilities.archive.gzip.counting import CountingReader
from sandhook.utilities.archive.gzip.messages import BzipMessages, GzipMessages, Message, XzMessages
from sandhook.utilities.archive.gzip.xz_list import Lister, XzError, read_streams
from sandhook.version import __version__
from sandhook.vfs.base import Stat

HINT_QUOTE = "`"
FIXED_NAMES = {"gzip": "gzip", "gunzip": "gunzip", "zcat": "zcat"}
NAMED_HINT = frozenset(("xz", "unxz", "xzcat", "lzma", "unlzma", "lzcat"))
ANY_ORDER = frozenset(("bzip2", "bunzip2", "bzcat"))

_SUFFIXES = {"gzip": (".gz", "-gz", ".z", "-z", "_z", ".tgz", ".taz", ".Z"), "bzip2": (".bz2", ".bz", ".tbz2", ".tbz"), "xz": (".xz", ".txz"), "lzma": (".lzma", ".tlz")}  # fmt: skip
_FORMATS: dict[str, Compression] = {
    "gzip": "gzip",
    "gunzip": "gzip",
    "zcat": "gzip",
    "bzip2": "bzip2",
    "bunzip2": "bzip2",
    "bzcat": "bzip2",
    "uncompress": "gzip",
    "lzma": "lzma",
    "unlzma": "lzma",
    "lzcat": "lzma",
    "xz": "xz",
    "unxz": "xz",
    "xzcat": "xz",
}
_MESSAGES = {"gzip": GzipMessages, "bzip2": BzipMessages, "xz": XzMessages, "lzma": XzMessages}

#: Options that only some programs have: the flag, and the formats that accept it.
_OPTION_FORMATS = {
    "list_": ("-l", ("gzip", "xz", "lzma")), "long_help": ("-H", ("xz", "lzma")), "robot": ("--robot", ("xz", "lzma")), "recursive": ("-r", ("gzip",)), "suffix": ("-S", ("gzip", "xz", "lzma")),
    "synchronous": ("--rsyncable", ("gzip",)), "license_": ("-L", ("gzip", "bzip2")), "small": ("-s", ("bzip2",)), "extreme": ("-e", ("xz", "lzma")),
    "threads": ("-T", ("xz", "lzma")), "format_": ("-F", ("xz", "lzma")), "check": ("-C", ("xz", "lzma")),
    "memory": ("-M", ("xz", "lzma")), "no_warn": ("-Q", ("xz", "lzma")),
}  # fmt: skip


@option_set
class Options:
    """gzip [-cdfklnNqrtv] [-S SUFFIX] [-1..-9] [FILE]...

    Replace each FILE by FILE.gz, or FILE.gz by FILE with -d; without FILE, or for -, work on the standard streams.
    bzip2, xz and lzma use .bz2, .xz and .lzma. gunzip, bunzip2, unxz and unlzma expand; zcat, bzcat, xzcat
    and lzcat write to standard output. uncompress is gunzip, which also reads the output of compress.
    """

    stdout: bool = opt("-c", "--stdout", "--to-stdout", help="write to standard output, and keep the files")
    decompress: bool | None = also(
        opt("-d", "--decompress", "--uncompress", help="expand", default=None),
        opt("-z", "--compress", help="compress, whatever the program is called", const=False),
    )
    force: bool = opt("-f", "--force", help="overwrite files; with -dc, copy uncompressed files unchanged")
    keep: bool = opt("-k", "--keep", help="keep the files")
    list_: bool = opt("-l", "--list", help="list the contents of compressed files (gzip, xz)")
    robot: bool = opt("--robot", help="with -l, lines for programs (xz)")
    long_help: bool = opt("-H", "--long-help", help="print this help (xz)")
    inform: Topic | None = also(
        opt("-h", help="print this help", const="help", default=None),
        opt("-V", help="print the version", const="version"),
    )
    name: str = also(
        opt("-n", "--no-name", help="neither store nor restore name and time", const="no", default=""),
        opt("-N", "--name", help="store name and time, or restore them", const="yes"),
    )
    recursive: bool = opt("-r", "--recursive", help="work on the files in directories (gzip)")
    suffix: str | None = opt("-S", "--suffix", "SUFFIX", "the suffix of compressed files")
    quiet: tuple[bool, ...] = opt("-q", "--quiet", help="no warnings; twice, no errors (xz)", append=True)
    test: bool = opt("-t", "--test", help="check compressed files")
    verbose: bool = opt("-v", "--verbose", help="print each file and its compression ratio")
    synchronous: bool = opt("--rsyncable", "--synchronous", ignored="for gzip")
    small: bool = opt("-s", "--small", ignored="for bzip2")
    extreme: bool = opt("-e", "--extreme", ignored="for xz")
    threads: str | None = opt("-T", "--threads", "COUNT", ignored="for xz")
    format_: str | None = opt("-F", "--format", "FORMAT", "auto, xz or lzma (xz)")
    check: str | None = opt("-C", "--check", "CHECK", "none, crc32, crc64 (default) or sha256 (xz)")
    memory: str | None = opt("-M", "--memlimit", "BYTES", ignored="for xz")
    no_warn: bool = opt("-Q", "--no-warn", help="warnings do not count (xz)")
    license_: bool = opt("-L", "--license", help="print under which terms this may be used (gzip, bzip2)")
    level: int = also(
        *(opt(f"-{n}", help="speed 1 to compression 9 (0 for xz)", const=n, default=6) for n in range(10)),
        opt("--fast", help="like -1", const=1),
        opt("--best", help="like -9", const=9),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 after an error, 2 after a warning; bzip2 returns 2 only for damaged data."""
    worker = _Worker(options, ctx)
    if options.license_:
        program = ctx.called_as(_FORMATS)
        ctx.write_line(f"{program} (sandhook) {__version__}: free software, under the terms of its LICENSE.")
        return 0
    if options.long_help or options.inform is not None:
        raise Inform(options.inform or "help")
    if options.list_ and worker.kind != "gzip":
        return worker.list_streams(operands)
    name = "-"
    try:
        for name in operands or ("-",):
            ctx.charge()
            if name == "-":
                worker.stream()
            else:
                worker.file(name)
        ctx.flush()
    except WriteError as error:
        ctx.abandon()
        return worker.lost_output(error, name)
    if options.list_ and len(operands) > 1 and worker.listed_files:
        worker.print_row(worker.totals[0], worker.totals[1], worker.totals[2], "(totals)", "")
    return worker.status()


class _Worker:
    """Compresses or expands the operands, and keeps the exit status."""

    def __init__(self, options: Options, ctx: Context) -> None:
        program = ctx.called_as(_FORMATS)
        self.ctx = ctx
        self.options = options
        self.kind = _FORMATS[program]
        if options.format_ not in (None, "auto"):
            if options.format_ not in ("xz", "lzma", "alone"):
                raise Failure(f"{options.format_}: Unknown file format type")
            self.kind = "xz" if options.format_ == "xz" else "lzma"
        for field, (flag, kinds) in _OPTION_FORMATS.items():
            if self.kind not in kinds and getattr(options, field):
                raise UsageError(f"invalid option -- '{flag.lstrip('-')}'")
        if not options.level and self.kind in ("gzip", "bzip2"):
            raise UsageError("invalid option -- '0'")
        if options.check is not None and options.check not in XZ_CHECKS:
            raise Failure(f"{options.check}: Unsupported integrity check type")
        if options.suffix is not None and (not options.suffix or "/" in options.suffix):
            if self.kind in ("xz", "lzma"):
                raise Failure(f"{options.suffix}: Invalid filename suffix")
            raise Failure(f"invalid suffix '{options.suffix}'")
        self.suffixes: tuple[str, ...] = (
            *((options.suffix,) if options.suffix else ()),
            *_SUFFIXES[self.kind],
        )
        self.messages = _MESSAGES[self.kind]()
        self.cat = program in ("zcat", "bzcat", "xzcat", "lzcat")
        expands = self.cat or program in ("gunzip", "bunzip2", "unxz", "unlzma", "uncompress")
        only_reads = options.test or options.list_
        self.expands = only_reads or (expands if options.decompress is None else options.decompress)
        self.to_stdout = options.stdout or self.cat or only_reads
        self.has_errors = self.has_warnings = self.corrupt = False
        self.tool = self.kind if self.kind == "gzip" else program
        self.sizes: list[int] = []
        self.titles_printed = False
        self.listed_files = 0
        self.totals = [0, 0, 0]

    def status(self) -> int:
        """Return the most severe exit status so far."""
        messages = self.messages
        if self.corrupt and messages.corrupt > 1:
            return messages.corrupt
        if self.has_errors or self.corrupt:
            return 1
        return messages.warning if self.has_warnings and not self.options.no_warn else 0

    def print(self, message: Message, *, blank_line_before: bool = False) -> None:
        """Write a message, and record its severity.

        ``blank_line_before``: gzip writes an empty line before a message about damaged data.
        """
        text, severity = message
        self.has_warnings |= severity == "warning"
        self.has_errors |= severity == "error"
        self.corrupt |= severity == "corrupt"
        if len(self.options.quiet) > 1 and self.kind in ("xz", "lzma"):
            return
        if self.options.quiet and severity in ("warning", "note") and "already exists" not in text:
            return
        self.ctx.write_error(("\n" if blank_line_before else "") + f"{self.tool}: {text}\n")

    def lost_output(self, error: WriteError, name: str) -> int:
        """Report that standard output cannot be written; return the exit status."""
        text = self.messages.lost_output(self.tool, error, self.messages.stream if name == "-" else name)
        self.ctx.write_error(text)
        return int(bool(text))

    def stream(self) -> None:
        """Compress or expand standard input to standard output."""
        with self.ctx.stdin_reader() as reader:
            source = CountingReader(reader)
            try:
                size = self._write(self.convert(source), None)
            except CorruptError as error:
                self._corruption_error(self.messages.stream, error, "")
                return
            except OSError as error:
                self.ctx.abandon()
                message = self.messages.unreadable_input(error, expands=self.expands, test=self.options.test)
                blank = error.errno == errno.EISDIR if self.kind == "gzip" else "ossible" in message[0]
                self.print(message, blank_line_before=blank)
                return
            self._finish("", "", source, size, 0)

    def convert(self, source: CountingReader, name: bytes = b"", mtime: int = 0) -> Iterator[bytes]:
        """Yield a stream compressed, expanded or unchanged. Raises CorruptError."""
        chunks = source.chunks()
        if not self.expands:
            keep = self.options.name != "no"
            return compressed(
                chunks,
                self.kind,
                self.options.level,
                self.ctx.charge,
                name=name if keep else b"",
                mtime=mtime if keep else 0,
                xz_check=self.options.check or "",
                charge_memory=self.ctx.budget.charge_memory,
            )
        first = next(chunks, b"")
        rest = chain((first,) if first else (), chunks)
        is_lzma = self.kind in ("xz", "lzma") and first[:1] == LZMA_FIRST
        kind: Compression | Literal[""] = "lzma" if is_lzma else kind_of(first)
        if self.options.force and self.to_stdout and kind not in (self.kind, "lzma"):
            return rest
        if kind != self.kind and (self.kind, kind) != ("xz", "lzma"):
            if self.kind == "gzip" and first and len(first) > 1:
                raise CorruptError("not in gzip format")
            if self.kind != "gzip" and (first or self.kind != "bzip2"):
                raise CorruptError("File format not recognized", "unrecognized")
        self.sizes = []
        return expanded(
            rest,
            kind or "xz" if self.kind == "xz" else self.kind,
            self.ctx.charge,
            self.ctx.budget.charge_memory,
            self.sizes,
        )

    def _corruption_error(self, name: str, error: CorruptError, target: str) -> None:
        message = self.messages.corrupt_data(name, error, target, test=self.options.test)
        blank_line_before = self.kind == "gzip" or (self.kind == "bzip2" and "*Possible*" in message[0])
        self.print(message, blank_line_before=blank_line_before)

    def file(self, name: str) -> None:
        """Compress or expand one file, or with -r every file in a directory."""
        ctx, options, messages = self.ctx, self.options, self.messages
        try:
            info = find(ctx, name)
            dangles = info is None and self.kind == "gzip" and not (options.force or self.to_stdout)
            if dangles and find(ctx, name, follow=False) is not None:
                self.print(messages.link(name))
                return
            if info is None and self.expands and not name.endswith(self.suffixes[0]) and self.kind == "gzip":
                candidates = (name + each for each in self.suffixes if find(ctx, name + each) is not None)
                name = next(candidates, name + self.suffixes[0])
                info = find(ctx, name)
        except OSError as error:
            self.print((f"{name}: {reason(error)}", "error"))
            return
        if info is None:
            self.print(messages.missing(name))
            return
        if bits.S_ISDIR(info.mode):
            if options.recursive:
                for entry in ctx.fs.listdir(ctx.path(name)):
                    ctx.charge()
                    self.file(beneath(name, entry.name))
            else:
                self.print(messages.directory(name))
            return
        if not options.force and not self.to_stdout:
            unfollowed = ctx.fs.stat(ctx.path(name), follow=False)
            if bits.S_ISLNK(unfollowed.mode):
                self.print(messages.link(name))
                return
            if info.links > 1:
                self.print(messages.hard_links(name, info.links - 1))
                return
        self._replace(name, info)

    def _replace(self, name: str, info: Stat) -> None:
        """Compress or expand one file that may be replaced."""
        ctx, options, messages = self.ctx, self.options, self.messages
        target = self._target(name)
        if target is None:
            return
        try:
            reader = ctx.open(name)
        except OSError as error:
            self.print((f"{name}: {reason(error)}", "error"))
            return
        with reader:
            source = CountingReader(reader)
            base = name.rpartition("/")[2].encode("utf-8", "surrogateescape")
            target_created = False
            stored_name, mtime = b"", 0
            try:
                pieces = self.convert(source, base, info.mtime_ns // 10**9)
                if self.expands and options.name == "yes" and self.kind == "gzip" and target:
                    _, stored_name, mtime = gzip_header(source.head)
                    if stored_name:
                        directory, slash, _ = target.rpartition("/")
                        target = (
                            directory
                            + slash
                            + stored_name.decode("utf-8", "surrogateescape").rpartition("/")[2]
                        )
                if target and not options.force and find(ctx, target) is not None:
                    self.print(messages.exists(target))
                    return
                target_created = True
                size = self._write(pieces, target or None)
            except CorruptError as error:
                self._corruption_error(name, error, target)
                if target and target_created and error.reason != "trailing garbage":
                    ctx.fs.unlink(ctx.path(target))
                if error.reason != "trailing garbage":
                    return
                size = sum(self.sizes)
            except OSError as error:
                self.print((f"{target or name}: {reason(error)}", "error"))
                return
        self._finish(name, target, source, size, info.mtime_ns // 10**9)
        if target:
            times = info.mtime_ns if not mtime else mtime * 10**9
            ctx.fs.chmod(ctx.path(target), info.mode & 0o777)
            ctx.fs.utime(ctx.path(target), info.atime_ns, times)
            if not options.keep:
                ctx.fs.unlink(ctx.path(name))

    def _target(self, name: str) -> str | None:
        """Return the file to write; "" for standard output or no output, None when no name is suitable."""
        if self.to_stdout:
            return ""
        messages = self.messages
        known_suffix = next(
            (suffix for suffix in self.suffixes if name.endswith(suffix) and len(name) > len(suffix)), None
        )
        if not self.expands:
            if known_suffix is not None and not (self.options.force and self.kind == "gzip"):
                if not self.options.recursive:
                    self.print(messages.has_suffix(name, known_suffix))
                return None
            return name + self.suffixes[0]
        if known_suffix is not None:
            return name[: -len(known_suffix)] + (
                ".tar" if known_suffix[1:2] == "t" and known_suffix != self.options.suffix else ""
            )
        if self.kind in ("xz", "lzma") and not self._has_magic(name):
            return name + ".out"  # reading it reports what is wrong
        if not self.options.recursive:
            self.print(messages.unknown_suffix(name))
        return name + ".out" if self.kind == "bzip2" else None

    def _has_magic(self, name: str) -> bool:
        try:
            with self.ctx.open(name) as reader:
                head = reader.read(8)
        except OSError:
            return False
        return kind_of(head) == "xz" or head[:1] == LZMA_FIRST

    def _write(self, pieces: Iterator[bytes], target: str | None) -> int:
        """Write the pieces to a file or to standard output; -t and -l only count them. Return their size."""
        size = 0
        silent = self.options.test or self.options.list_
        if target is None:
            for data in pieces:
                size += len(data)
                if not silent:
                    self.ctx.write(data)
            return size
        file = self.ctx.create(target)
        try:
            for data in pieces:
                size += len(data)
                if data:
                    file.write(data)
        finally:
            file.release()
        return size

    def _finish(self, name: str, target: str, source: CountingReader, size: int, mtime: int) -> None:
        """Write the line of -l or -v for a file."""
        options = self.options
        if options.list_:
            self._list(name, source, mtime)
            return
        if not options.verbose:
            return
        uncompressed, compressed_size = (size, source.size) if self.expands else (source.size, size)
        overhead = 0
        if self.kind == "gzip":
            if not self.expands:
                base = name.rpartition("/")[2].encode("utf-8", "surrogateescape")
                overhead = 18 + (len(base) + 1 if base and options.name != "no" else 0)
            elif len(self.sizes) < 2:
                overhead = gzip_header(source.head)[0] + 8
            uncompressed = self.sizes[-1] if self.expands and self.sizes else uncompressed
        if options.test:
            text = self.messages.test_result(name, compressed_size, uncompressed) if name else " OK\n"
        else:
            ratio = _ratio(uncompressed, compressed_size - overhead)
            text = self.messages.summary(
                name, target, compressed_size, uncompressed, ratio, keep=options.keep, expands=self.expands
            )
        self.ctx.write_error(text)

    def list_streams(self, names: Sequence[str]) -> int:
        """List .xz files, for xz -l; return the exit status."""
        ctx, options = self.ctx, self.options
        if self.kind == "lzma":
            raise Failure("--list works only on .xz files (--format=xz or --format=auto)")
        lister = Lister(
            ctx.write_line,
            verbose=options.verbose and not options.quiet,
            robot=options.robot,
            count=max(1, len(names)),
        )
        for name in names or ("-",):
            lister.next("(stdin)" if name == "-" else name)
            if name == "-":
                self.print(("--list does not support reading from standard input", "error"))
                continue
            try:
                with ctx.open(name) as reader:
                    lister.show(name, read_streams(reader.read_all(), ctx.charge))
            except IsADirectoryError:
                self.print(self.messages.directory(name))
            except OSError as error:
                self.print((f"{name}: {reason(error)}", "error"))
            except XzError as error:
                self.print((f"{name}: {error}", "error"))
        lister.finish()
        return self.status()

    def _list(self, name: str, source: CountingReader, mtime: int) -> None:
        header, _, stored_time = gzip_header(source.head)
        overhead = header + 8 if len(self.sizes) < 2 else 0
        uncompressed = self.sizes[-1] if self.sizes else 0
        listed_name = name or "stdout"
        suffix = next((suffix for suffix in self.suffixes if listed_name.endswith(suffix)), "")
        listed_name = listed_name[: -len(suffix)] if suffix else listed_name
        self.listed_files += 1
        self.totals = [self.totals[0] + source.size, self.totals[1] + uncompressed, overhead]
        details = ""
        if self.options.verbose:
            zone = self.ctx.environment.get("TZ")
            check = int.from_bytes(source.tail[-8:-4], "little")
            details = f"defla {check:08x} " + strftime("%b %e %H:%M ", stored_time or mtime, zone)
        self.print_row(source.size, uncompressed, overhead, listed_name, details)

    def print_row(self, size: int, uncompressed: int, overhead: int, name: str, details: str) -> None:
        """Print a line of -l, and the line of titles before the first."""
        verbose = self.options.verbose
        if not self.titles_printed and not self.options.quiet:
            self.titles_printed = True
            titles = "         compressed        uncompressed  ratio uncompressed_name"
            self.ctx.write_line(("method  crc     date  time  " if verbose else "") + titles)
        if verbose and not details:
            details = " " * 28
        self.ctx.write_line(
            f"{details}{size:19} {uncompressed:19} {_ratio(uncompressed, size - overhead)} {name}"
        )


def _ratio(uncompressed: int, compressed_size: int) -> str:
    return f"{100 * (uncompressed - compressed_size) / uncompressed:5.1f}%" if uncompressed else "  0.0%"

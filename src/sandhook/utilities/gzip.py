"""gzip, gunzip, zcat, bzip2, bunzip2, bzcat, xz, unxz, xzcat, lzma, unlzma, lzcat: compress files, and expand them.

Oracle: gzip 1.12, bzip2 1.0.8, XZ Utils 5.4. The name says which format, and whether to expand.
Divergence: L-GZIP-001, -r, -l, -N and -S are not offered; xz uses small dictionaries, and bzip2 and xz word
their messages as gzip does.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Iterator, Sequence

from sandhook.utilities._base import Context, Reader, also, opt, option_set
from sandhook.utilities._codecs import LZMA_FIRST, CorruptError, compressed, expanded, kind_of
from sandhook.utilities._files import find, reason

_SUFFIXES = {"gzip": (".gz", "-gz", ".z", "-z", "_z", ".tgz", ".taz"), "bzip2": (".bz2", ".bz", ".tbz2", ".tbz"), "xz": (".xz", ".txz"), "lzma": (".lzma", ".tlz")}  # fmt: skip
_FORMATS = {
    "gzip": "gzip",
    "gunzip": "gzip",
    "zcat": "gzip",
    "bzip2": "bzip2",
    "bunzip2": "bzip2",
    "bzcat": "bzip2",
    "lzma": "lzma",
    "unlzma": "lzma",
    "lzcat": "lzma",
}


@option_set
class Options:
    """gzip [-cdfknqtv] [-1..-9] [FILE]...

    Replace each FILE by FILE.gz, or FILE.gz by FILE with -d; without FILE, or for -, work on the standard streams.
    bzip2, xz and lzma do likewise with .bz2, .xz and .lzma. gunzip, bunzip2, unxz and unlzma expand, zcat, bzcat, xzcat
    and lzcat also print.
    """

    stdout: bool = opt("-c", "--stdout", "--to-stdout", help="write to standard output, and keep the files")
    decompress: bool | None = also(
        opt("-d", "--decompress", "--uncompress", help="expand", default=None),
        opt("-z", "--compress", help="compress, whatever the name says", const=False),
    )
    force: bool = opt("-f", "--force", help="overwrite files, and copy what is not compressed with -dc")
    keep: bool = opt("-k", "--keep", help="keep the files")
    nameless: bool = opt("-n", "--no-name", help="store neither name nor time")
    quiet: bool = opt("-q", "--quiet", help="no warnings")
    test: bool = opt("-t", "--test", help="check compressed files")
    verbose: bool = opt("-v", "--verbose", help="say what is done")
    level: int = also(
        *(
            opt(f"-{digit}", help="speed 1 to compression 9", const=digit, default=6)
            for digit in range(1, 10)
        ),
        opt("--fast", help="like -1", const=1),
        opt("--best", help="like -9", const=9),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 after an error, 2 after a warning."""
    worker = _Worker(options, ctx)
    for name in operands or ("-",):
        ctx.charge()
        if name == "-":
            worker.stream()
        else:
            worker.file(name)
    return worker.status()


class _Worker:
    """Handles the operands."""

    def __init__(self, options: Options, ctx: Context) -> None:
        called = ctx.name.rpartition("/")[2]
        self.ctx = ctx
        self.options = options
        self.kind = _FORMATS.get(called, "xz")
        self.cat = called in ("zcat", "bzcat", "xzcat", "lzcat")
        expands = self.cat or called in ("gunzip", "bunzip2", "unxz", "unlzma")
        self.expands = options.test or (expands if options.decompress is None else options.decompress)
        self.to_stdout = options.stdout or self.cat
        self.wrong = self.warned = self.corrupt = False
        self.tool = self.kind

    def status(self) -> int:
        """Return 1 after an error and 2 after a warning; bzip2 has 2 for damaged data alone."""
        if self.kind == "bzip2":
            return 2 if self.corrupt else 1 if self.wrong or self.warned else 0
        return 1 if self.wrong else 2 if self.warned else 0

    def say(self, text: str, *, warning: bool = False, gap: bool = False, always: bool = False) -> None:
        """Report; messages about damaged data follow an empty line, as gzip's do."""
        if warning:
            self.warned = True
            if self.options.quiet and not always:
                return
        else:
            self.wrong = True
        self.ctx.flush()
        stderr = self.ctx.process.descriptors.get(2)
        if stderr is not None:
            head = "\n" if gap and self.kind == "gzip" else ""
            stderr.write(f"{head}{self.tool}: {text}\n".encode("utf-8", "surrogateescape"))

    def stream(self) -> None:
        """Work on the standard streams."""
        with self.ctx.stdin_reader() as reader:
            try:
                for data in self.converted(reader):
                    if not self.options.test:
                        self.ctx.write(data)
            except CorruptError as error:
                self._corrupt("stdin", error)

    def converted(self, reader: Reader, name: bytes = b"", mtime: int = 0) -> Iterator[bytes]:
        chunks = reader.chunks()
        if not self.expands:
            keep = not self.options.nameless
            return compressed(
                chunks,
                self.kind,
                self.options.level,
                self.ctx.charge,
                name if keep else b"",
                mtime if keep else 0,
            )
        first = next(chunks, b"")
        rest = _with(first, chunks)
        if self.options.force and self.to_stdout and not kind_of(first):
            return rest
        kind = kind_of(first)
        if self.kind in ("xz", "lzma") and first[:1] == LZMA_FIRST:
            kind = "lzma"
        if first and kind != self.kind and self.kind != "gzip" and (self.kind, kind) != ("xz", "lzma"):
            raise CorruptError("File format not recognized")
        return expanded(rest, kind if self.kind == "xz" else self.kind, self.ctx.charge)

    def _corrupt(self, name: str, error: CorruptError) -> None:
        text = str(error)
        ignored = "ignored" in text
        before = self.warned
        self.corrupt |= not ignored
        self.say(f"{name}: {text}", warning=ignored, gap=True)
        if ignored and self.kind == "bzip2":
            self.warned = before  # bytes behind the end do not count

    def file(self, name: str) -> None:
        """Work on one file."""
        ctx, options = self.ctx, self.options
        suffix = _SUFFIXES[self.kind][0]
        info = find(ctx, name)
        if info is None and self.expands and not name.endswith(suffix):
            name += suffix
            info = find(ctx, name)
        if info is None:
            self.say(f"{name}: No such file or directory")
            return
        if bits.S_ISDIR(info.mode):
            self.say(f"{name} is a directory -- ignored", warning=True)
            return
        target = self._target(name)
        if target is None:
            return
        if target and not options.force and find(ctx, target) is not None:
            self.say(
                f"{target} already exists;\tnot overwritten",
                warning=self.kind in ("gzip", "bzip2"),
                always=True,
            )
            return
        try:
            reader = ctx.open(name)
        except OSError as error:
            self.say(f"{name}: {reason(error)}")
            return
        with reader:
            base = name.rpartition("/")[2].encode("utf-8", "surrogateescape")
            try:
                size = self._copy(self.converted(reader, base, info.mtime_ns // 10**9), target)
            except CorruptError as error:
                self._corrupt(name, error)
                if target and "ignored" not in str(error):
                    ctx.fs.unlink(ctx.path(target))
                return
            except OSError as error:
                self.say(f"{target or name}: {reason(error)}")
                return
        self._done(name, target, info.size, size)
        if target:
            ctx.fs.chmod(ctx.path(target), info.mode & 0o777)
            ctx.fs.utime(ctx.path(target), info.atime_ns, info.mtime_ns)
            if not options.keep:
                ctx.fs.unlink(ctx.path(name))

    def _target(self, name: str) -> str | None:
        """Return the file to write, "" for standard output or none, None when there is no good name."""
        if self.to_stdout or self.options.test:
            return ""
        suffixes = _SUFFIXES[self.kind]
        found = next(
            (suffix for suffix in suffixes if name.endswith(suffix) and len(name) > len(suffix)), None
        )
        if not self.expands:
            if found is not None and not self.options.force:
                warned, self.warned = self.warned, False  # it counts as no warning
                self.say(f"{name} already has {found} suffix -- unchanged", warning=True)
                self.warned = warned
                return None
            return name + suffixes[0]
        if found is None:
            self.say(f"{name}: unknown suffix -- ignored", warning=True)
            return None
        return name[: -len(found)] + (".tar" if found[1:2] == "t" else "")

    def _copy(self, pieces: Iterator[bytes], target: str) -> int:
        size = 0
        if not target:
            for data in pieces:
                size += len(data)
                if not self.options.test:
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

    def _done(self, name: str, target: str, before: int, after: int) -> None:
        if not self.options.verbose:
            return
        self.ctx.flush()
        stderr = self.ctx.process.descriptors.get(2)
        if stderr is None:
            return
        if self.options.test:
            text = f"{name}:\t OK\n"
        else:
            whole, small = (after, before) if self.expands else (before, after)
            ratio = f"{100 * (whole - small) / whole:5.1f}%" if whole else "  0.0%"
            what = f" -- {'created' if self.options.keep else 'replaced with'} {target}" if target else ""
            text = f"{name}:\t{ratio}{what}\n"
        stderr.write(text.encode("utf-8", "surrogateescape"))


def _with(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest

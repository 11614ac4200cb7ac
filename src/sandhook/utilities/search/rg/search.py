"""How rg goes through one file after another, and prints what it finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sandhook.command.context import Context, Reader
from sandhook.pattern.engine import Spans
from sandhook.pattern.errors import PatternError
from sandhook.utilities.search.rg.files import Files
from sandhook.utilities.search.rg.pattern import Matches, Wanted, group_names, matches_of
from sandhook.utilities.search.rg.print import Block, Printer, Template

if TYPE_CHECKING:
    from sandhook.utilities.search.rg.options import Options

#: Bytes at the beginning of a file where a NUL says that it is binary before anything is printed.
_BINARY_WINDOW = 65_536


class Search:
    """One search, file by file."""

    def __init__(self, options: Options, wanted: Wanted, many: bool, ctx: Context) -> None:
        self._options = options
        self._ctx = ctx
        self._names: dict[str, int] | None = None  # of groups, from the engine of -P
        self._matches = self._engine(wanted)
        template = None
        if options.replacement is not None:
            names = group_names(wanted.patterns) if self._names is None and not wanted.fixed else self._names
            template = Template(options.replacement, names or {})
        named = options.names if options.names is not None else many or options.vimgrep
        self._printer = Printer(options, template, named, ctx)
        self._found = False
        self._json = None
        if options.mode == "json":
            from sandhook.utilities.search.rg.json import Messages

            self._json = Messages(options, ctx)

    def _engine(self, wanted: Wanted) -> Matches:
        """Return the search by the engine that was asked for."""
        if self._options.engine == "pcre2":
            return self._perl(wanted)
        try:
            return matches_of(wanted, self._ctx.budget)
        except PatternError:
            if self._options.engine != "auto":
                raise
            return self._perl(wanted)

    def _perl(self, wanted: Wanted) -> Matches:
        """Search with the engine of grep -P, line by line unless -U is given."""
        from sandhook.utilities.search.perl.search import perl_spans

        pattern = (
            "|".join(f"(?:{each})" for each in wanted.patterns)
            if len(wanted.patterns) > 1
            else "".join(wanted.patterns)
        )
        if wanted.fixed:
            from sandhook.utilities.search.rg.pattern import escape

            pattern = "|".join(map(escape, wanted.patterns))
        try:
            perl = perl_spans(
                pattern.encode("utf-8", "surrogateescape"),
                wanted.icase,
                wanted.words,
                wanted.lines,
                self._ctx.budget,
                wide=True,
                flags="m" + "s" * wanted.dotall if wanted.multiline else "",
            )
        except PatternError as error:
            raise PatternError(f"PCRE2: error compiling pattern: {error}") from None
        self._names = perl.group_names()

        def matches(data: bytes, at: int) -> Iterator[Spans]:
            while at < len(data):
                self._ctx.charge()
                end = -1 if wanted.multiline else data.find(b"\n", at)
                end = len(data) if end < 0 else end
                for spans in perl.matches(data[at:end]):
                    yield [(start + at, stop + at) if start >= 0 else (-1, -1) for start, stop in spans]
                at = end + 1

        return matches

    def run(self, names: Iterable[tuple[str, bool]], files: Files) -> int:
        """Return 0 when a file matched, else 1."""
        for name, explicit in names:
            try:
                with self._ctx.open(name) as reader:
                    data = self._read(reader)
            except OSError as error:
                files.report(name, error)
                continue
            matched = self._file("<stdin>" if name == "-" else name, data, explicit)
            self._found = self._found or matched
            if matched and self._options.quiet:
                break
        if self._json is not None:
            self._json.summary()
        return 0 if self._found else 1

    def _read(self, reader: Reader) -> bytes:
        data = reader.read_all()
        if self._options.encoding == "auto":
            if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
                self._ctx.budget.check_fits(4 * len(data))
                return data.decode("utf-16", "replace").encode("utf-8", "replace")
            return data.removeprefix(b"\xef\xbb\xbf")
        return data

    # ------------------------------------------------------------------ one file

    def _file(self, name: str, data: bytes, explicit: bool) -> bool:
        """Search one file; return whether it counts as one that matches."""
        options, printer = self._options, self._printer
        zero = -1 if options.text else data.find(b"\0")
        stopped = False
        if zero >= 0 and not explicit and not options.binary and options.unrestricted < 3:
            if zero < _BINARY_WINDOW:
                return False
            data = data[: data.rfind(b"\n", 0, zero) + 1]
            stopped = True
        blocks = self._inverted(data) if options.invert else self._blocks(data)
        mode = options.mode
        if options.quiet or mode in ("l", "L"):
            matched = options.most != 0 and next(blocks, None) is not None
            if not options.quiet and matched == (mode == "l"):
                printer.file_name(name)
            return matched != (mode == "L")
        if mode == "m" or (mode == "c" and options.only and not options.invert):
            count = 0
            for number, block in enumerate(blocks):
                if options.most is not None and number >= options.most:
                    break
                count += len(block.spans)
            return self._counted(name, 0 if stopped else count)
        if mode == "c":
            count = 0
            for _ in blocks:
                if options.most is not None and count >= options.most:
                    break
                count += 1
            return self._counted(name, 0 if stopped else count)
        if self._json is not None:
            return self._json.file(name, data, blocks, zero)
        if zero >= 0 and not stopped:
            if options.most == 0 or next(blocks, None) is None:
                return False
            printer.binary(name, zero)
            return True
        matched = printer.file(name, data, blocks)
        if matched and stopped:
            printer.stopped(name, zero)
        return matched

    def _counted(self, name: str, count: int) -> bool:
        if count or self._options.include_zero:
            self._printer.count(name, count)
        return count > 0

    def _blocks(self, data: bytes) -> Iterator[Block]:
        """Yield the lines that match, those together that a match joins."""
        begin = end = -1
        spans: list[Spans] = []
        for found in self._matches(data, 0):
            start, stop = found[0]
            if start >= end:
                if start == len(data) and (not data or data[-1:] == b"\n"):
                    break  # after the last newline there is no line
                if spans:
                    yield Block(begin, end, spans)
                begin = data.rfind(b"\n", max(end, 0), start) + 1 or max(end, 0)
                spans = []
                end = begin
            spans.append(found)
            if stop > end or end == begin:
                last = stop - 1 if stop > start and data[stop - 1] == 10 else stop
                end = data.find(b"\n", last) + 1 or len(data)
        if spans:
            yield Block(begin, end, spans)

    def _inverted(self, data: bytes) -> Iterator[Block]:
        """Yield the lines that do not match."""
        at = 0
        for block in self._blocks(data):
            yield from self._lines(data, at, block.begin)
            at = block.end
        yield from self._lines(data, at, len(data))

    def _lines(self, data: bytes, at: int, stop: int) -> Iterator[Block]:
        while at < stop:
            self._ctx.charge()
            end = data.find(b"\n", at) + 1 or len(data)
            yield Block(at, end, [])
            at = end

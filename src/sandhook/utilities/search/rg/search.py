"""Searches files for rg, one after another, and prints the results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sandhook.command.context import Context, Reader
from sandhook.pattern.engine import Spans
from sandhook.pattern.errors import PatternError
from sandhook.utilities.search.rg.files import Files
from sandhook.utilities.search.rg.pattern import Matches, PatternSpec, group_names, matches_of
from sandhook.utilities.search.rg.print import Block, Printer, Template

if TYPE_CHECKING:
    from sandhook.utilities.search.rg.options import Options

#: Bytes at the beginning of a file; with a NUL in them, the file is binary and is not searched.
_BINARY_WINDOW = 65_536


class Search:
    """One search of files."""

    def __init__(
        self, options: Options, spec: PatternSpec, with_names_by_default: bool, ctx: Context
    ) -> None:
        self._options = options
        self._ctx = ctx
        self._names: dict[str, int] | None = None  # of groups, from the engine of -P
        self._matches = self._engine(spec)
        template = None
        if options.replacement is not None:
            names = group_names(spec.patterns) if self._names is None and not spec.fixed else self._names
            template = Template(options.replacement, names or {})
        with_names = options.names if options.names is not None else with_names_by_default or options.vimgrep
        self._printer = Printer(options, template, with_names, ctx)
        self._any_match = False
        self._json = None
        if options.mode == "json":
            from sandhook.utilities.search.rg.json import Messages

            self._json = Messages(options, ctx)

    def _engine(self, spec: PatternSpec) -> Matches:
        """Return the search by the engine of the options. Raises PatternError."""
        if self._options.engine == "pcre2":
            return self._perl(spec)
        try:
            return matches_of(spec, self._ctx.budget, lambda: self._perl(spec))
        except PatternError:
            if self._options.engine != "auto":
                raise
            return self._perl(spec)

    def _perl(self, spec: PatternSpec) -> Matches:
        """Return a search with the engine of grep -P, line by line unless -U is set."""
        from sandhook.pattern.perl.search import perl_spans

        pattern = (
            "|".join(f"(?:{each})" for each in spec.patterns)
            if len(spec.patterns) > 1
            else "".join(spec.patterns)
        )
        if spec.fixed:
            from sandhook.utilities.search.rg.pattern import escape

            pattern = "|".join(map(escape, spec.patterns))
        try:
            perl = perl_spans(
                pattern.encode("utf-8", "surrogateescape"),
                spec.icase,
                spec.words,
                spec.lines,
                self._ctx.budget,
                unicode=True,
                flags="m" + "s" * spec.dotall if spec.multiline else "",
            )
        except PatternError as error:
            raise PatternError(f"PCRE2: error compiling pattern: {error}") from None
        self._names = perl.group_names()

        def matches(data: bytes, at: int) -> Iterator[Spans]:
            while at < len(data):
                self._ctx.charge()
                end = -1 if spec.multiline else data.find(b"\n", at)
                end = len(data) if end < 0 else end
                for spans in perl.matches(data[at:end]):
                    yield [(start + at, stop + at) if start >= 0 else (-1, -1) for start, stop in spans]
                at = end + 1

        return matches

    def run(self, names: Iterable[tuple[str, bool]], files: Files) -> int:
        """Search files; return 0 when one of them matches, else 1."""
        for name, explicit in names:
            try:
                with self._ctx.open(name) as reader:
                    data = self._read(reader)
            except OSError as error:
                files.file_error(name, error)
                continue
            is_match = self._file("<stdin>" if name == "-" else name, data, explicit)
            self._any_match = self._any_match or is_match
            if is_match and self._options.quiet:
                break
        if self._json is not None:
            self._json.summary()
        return 0 if self._any_match else 1

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
        """Search one file; return True when it counts as matching."""
        options, printer = self._options, self._printer
        zero = -1 if options.text else data.find(b"\0")
        is_truncated = False
        if zero >= 0 and not explicit and not options.binary and options.unrestricted < 3:
            if zero < _BINARY_WINDOW:
                return False
            data = data[: data.rfind(b"\n", 0, zero) + 1]
            is_truncated = True
        blocks = self._unmatched_blocks(data) if options.invert else self._blocks(data)
        mode = options.mode
        if options.quiet or mode in ("l", "L"):
            is_match = options.most != 0 and next(blocks, None) is not None
            if not options.quiet and is_match == (mode == "l"):
                printer.print_name(name)
            return is_match != (mode == "L")
        if mode == "m" or (mode == "c" and options.only and not options.invert):
            count = 0
            for number, block in enumerate(blocks):
                if options.most is not None and number >= options.most:
                    break
                count += len(block.spans)
            return self._print_count(name, 0 if is_truncated else count)
        if mode == "c":
            count = 0
            for _ in blocks:
                if options.most is not None and count >= options.most:
                    break
                count += 1
            return self._print_count(name, 0 if is_truncated else count)
        if self._json is not None:
            return self._json.file(name, data, blocks, zero)
        if zero >= 0 and not is_truncated:
            if options.most == 0 or next(blocks, None) is None:
                return False
            printer.print_binary_match(name, zero)
            return True
        is_match = printer.print_file(name, data, blocks)
        if is_match and is_truncated:
            printer.print_truncation_warning(name, zero)
        return is_match

    def _print_count(self, name: str, count: int) -> bool:
        if count or self._options.include_zero:
            self._printer.print_count(name, count)
        return count > 0

    def _blocks(self, data: bytes) -> Iterator[Block]:
        """Yield the lines that match; lines that one match spans are one block."""
        begin = end = -1
        spans: list[Spans] = []
        for match in self._matches(data, 0):
            start, stop = match[0]
            if start >= end:
                if start == len(data) and (not data or data[-1:] == b"\n"):
                    break  # after the last newline there is no line
                if spans:
                    yield Block(begin, end, spans)
                begin = data.rfind(b"\n", max(end, 0), start) + 1 or max(end, 0)
                spans = []
                end = begin
            spans.append(match)
            if stop > end or end == begin:
                last_byte = stop - 1 if stop > start and data[stop - 1] == 10 else stop
                end = data.find(b"\n", last_byte) + 1 or len(data)
        if spans:
            yield Block(begin, end, spans)

    def _unmatched_blocks(self, data: bytes) -> Iterator[Block]:
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

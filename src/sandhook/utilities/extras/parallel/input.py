"""The sources of the arguments for parallel's jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from sandhook.command.arguments import read_delimiter
from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import Regex, compile_ere

if TYPE_CHECKING:
    from sandhook.utilities.extras.parallel.options import Options

_MAX_COMBINATIONS = 10_000_000


class Source:
    """One ``:::`` or ``::::``; a ``linked`` source is paired with the previous source."""

    __slots__ = ("files", "linked", "words")

    def __init__(self, words: list[str], *, files: bool, linked: bool) -> None:
        self.words = words
        self.files = files
        self.linked = linked


def split_sources(arguments: Sequence[str]) -> tuple[list[str], list[Source]]:
    """Return the words before the first ``:::``, and the sources."""
    head: list[str] = []
    sources: list[Source] = []
    for word in arguments:
        if word in (":::", "::::", ":::+", "::::+"):
            sources.append(Source([], files=word.startswith("::::"), linked=word.endswith("+")))
        elif sources:
            sources[-1].words.append(word)
        else:
            head.append(word)
    return head, sources


class Arguments:
    """Reads the sources, and combines their values."""

    def __init__(self, options: Options, sources: Sequence[Source], ctx: Context) -> None:
        self._options = options
        self._ctx = ctx
        self._regex = _separator(options.colsep)
        self._sources = [Source([name], files=True, linked=False) for name in options.files] + list(sources)
        self.headers: list[str] = []
        self._lists: list[list[str]] | None = None
        if self._sources:
            self._lists = [self._values(source) for source in self._sources]
            if options.header is not None:
                self.headers = [values.pop(0) for values in self._lists if values]

    @property
    def streams(self) -> bool:
        """Whether the arguments are read from standard input, on demand."""
        return self._lists is None

    def _values(self, source: Source) -> list[str]:
        if not source.files:
            words = source.words
            if self._options.eof in words:
                words = words[: words.index(self._options.eof)]
            return [self._trim(word) for word in words]
        values: list[str] = []
        for name in source.words:
            for value in self._lines(name):
                self._ctx.budget.charge_memory(len(value) + 64)
                values.append(value)
        return values

    def _lines(self, name: str) -> Iterator[str]:
        options = self._options
        end = b"\0" if options.null else b"\n"
        if options.delimiter is not None:
            end = read_delimiter(options.delimiter)
        try:
            with self._ctx.open(name) as reader:
                for line in reader.lines(end[:1]):
                    text = line.removesuffix(end[:1]).decode("utf-8", "surrogateescape")
                    if options.delimiter is not None:
                        text = text.removesuffix("\n")
                    if options.eof is not None and text == options.eof:
                        return
                    yield self._trim(text)
        except OSError as error:
            raise Failure(f"Error: Cannot open input file `{name}': {reason(error)}.") from None

    def _trim(self, text: str) -> str:
        trim = self._options.trim
        if "l" in trim:
            text = text.lstrip()
        return text.rstrip() if "r" in trim else text

    def rows(self) -> Iterator[list[str]]:
        """Yield the values of each combination, one for each position."""
        if self._lists is None:
            lines = self._lines("-")
            if self._options.header is not None:
                first = next(lines, "")
                self.headers = self._columns(first)
            for line in lines:
                yield self._columns(line)
            return
        for values in self._combinations(self._lists):
            self._ctx.charge()
            yield [column for value in values for column in self._columns(value)]

    def _columns(self, value: str) -> list[str]:
        if self._regex is None:
            return [value]
        data = value.encode("utf-8", "surrogateescape")
        columns: list[str] = []
        at = 0
        for match in self._regex.finditer(data, remaining=self._ctx.budget.remaining):
            start, end = match.span()
            if end > start:
                columns.append(data[at:start].decode("utf-8", "surrogateescape"))
                at = end
        return [*columns, data[at:].decode("utf-8", "surrogateescape")]

    def _combinations(self, lists: list[list[str]]) -> Iterator[list[str]]:
        """Yield the combinations of all lists; linked lists are paired."""
        if self._options.link:
            yield from _side_by_side(lists, longest=True)
            return
        groups: list[list[list[str]]] = []
        for source, values in zip(self._sources, lists, strict=True):
            if source.linked and groups:
                groups[-1].append(values)
            else:
                groups.append([values])
        sides = [list(_side_by_side(group, longest=False)) for group in groups]
        total = 1
        for side in sides:
            total *= len(side)
        if total > _MAX_COMBINATIONS:
            raise Failure("Error: too many combinations of arguments")
        for parts in product(*sides):
            yield [value for part in parts for value in part]


def _side_by_side(lists: list[list[str]], *, longest: bool) -> Iterator[list[str]]:
    if not all(lists):
        return
    count = max(map(len, lists)) if longest else min(map(len, lists))
    for at in range(count):
        yield [values[at % len(values)] for values in lists]


def _separator(text: str | None) -> Regex | None:
    if text is None:
        return None
    try:
        return compile_ere(text.replace("\\t", "\t"))
    except PatternError as error:
        raise Failure(f"Error: --colsep: {error}") from None

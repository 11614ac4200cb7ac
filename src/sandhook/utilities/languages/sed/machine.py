"""The state of a running sed script: pattern and hold space, inputs and outputs.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9, where the last line may lack its newline.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.kernel.descriptor import CHUNK, Description
from sandhook.record import Record
from sandhook.utilities.languages.sed.in_place import check, real_name, replace
from sandhook.utilities.languages.sed.records import Expression
from sandhook.vfs.errors import error_text


class Output:
    """A destination. ``missing`` is true while its last line lacks a newline."""

    def __init__(self, description: Description | None, ctx: Context) -> None:
        self._description = description
        self._ctx = ctx
        self._collected: list[bytes] | None = None
        self.missing = False

    def collect(self) -> None:
        """Collect what is written, for a file that is edited in place."""
        self._collected = []
        self.missing = False

    def collected(self) -> bytes:
        """Return what was collected, and end collecting."""
        data = b"".join(self._collected or ())
        self._collected = None
        self.missing = False
        return data

    def raw(self, data: bytes) -> None:
        """Write bytes as they are."""
        if self._collected is not None:
            self._collected.append(data)
            self._ctx.budget.check_fits(len(data))
        elif self._description is None:
            self._ctx.write(data)
        else:
            self._description.write(data)

    def complete(self, delimiter: bytes) -> None:
        """End a line that lacks its newline."""
        if self.missing:
            self.missing = False
            self.raw(delimiter)

    def line(self, text: bytes, ended: bool, delimiter: bytes) -> None:
        """Write a line, without its newline if the input had none."""
        if self.missing:
            self.complete(delimiter)
        if ended:
            self.raw(text + delimiter)
        else:
            self.raw(text)
            self.missing = True

    def close(self) -> None:
        if self._description is not None:
            self._description.release()


class Settings(Record):
    """How inputs are read and written.

    Attributes:
        separate: Lines are counted in each file on its own.
        suffix: Files are edited in place; the old file keeps this suffix, "" for no copy. None for no editing.
        follow: With ``suffix``, the target of a symbolic link is edited.
        unbuffered: Lines are read one by one.
    """

    separate: bool
    suffix: str | None
    follow: bool
    unbuffered: bool


class Machine:
    """The state of one run.

    Attributes:
        space, ended: Pattern space, and whether its last line had a newline.
        hold, hold_ended: The hold space, and whether its last line had a newline.
        line: Number of the current line.
        replaced: An s command succeeded since the last new line or t command.
        last: The last regular expression used.
        ranges: The state of each range: None for closed, or its last line, -1 when a test decides.
        queue: Written at the end of the cycle: texts, and names of files.
        opened: Name of the input that was opened last.
        status: Exit status.
    """

    def __init__(
        self,
        ctx: Context,
        names: Sequence[str],
        settings: Settings,
        delimiter: bytes,
        ranges: Sequence[int | None],
    ) -> None:
        self.ctx = ctx
        self.budget = ctx.budget
        self.delimiter = delimiter
        self.space = b""
        self.ended = True
        self.hold = b""
        self.hold_ended = True
        self.line = 0
        self.replaced = False
        self.last: Expression | None = None
        self.ranges = list(ranges)
        self._ranges = ranges
        self.status = 0
        self.bad_input = 0
        self.out = Output(None, ctx)
        self.files: dict[str, Output] = {}
        self.queue: list[bytes | str] = []
        self.separate = settings.separate or settings.suffix is not None
        self._suffix = settings.suffix
        self._unbuffered = settings.unbuffered
        self._follow = settings.follow
        self.opened = "-"
        self._names = list(reversed(names))
        self._reader: Reader | None = None
        self._lines: Iterator[bytes] | None = None
        self._ahead: bytes | None = None
        self._sources: dict[str, Iterator[bytes] | None] = {}
        self._readers: dict[str, Reader] = {}

    # ------------------------------------------------------------------ input

    def _open_next(self) -> bool:
        """Open the next input that can be read; return False when there are no more."""
        while self._names:
            name = self._names.pop()
            try:
                if self._suffix is not None:
                    name = real_name(self.ctx, name) if self._follow else name
                    check(self.ctx, name)
                self._reader = self.ctx.open("./-" if name == "-" and self._suffix is not None else name)
            except IsADirectoryError as error:
                raise Failure(f"read error on {name}: {error_text(error)}", 4) from None
            except OSError as error:
                self.ctx.error(f"can't read {name}: {error_text(error)}")
                self.bad_input = max(self.bad_input, 2)
                continue
            lines = self._one_by_one if self._unbuffered else self._reader.lines
            self._lines = lines(self.delimiter)
            if self.separate:
                self.line = 0
                self.ranges[:] = self._ranges
                self.hold, self.hold_ended = b"", True
                self._rewind()
            self.opened = name
            if self._suffix is not None:
                self.out.complete(self.delimiter)
                self.out.collect()
            return True
        return False

    def _one_by_one(self, delimiter: bytes) -> Iterator[bytes]:
        """Yield the lines of an input without reading ahead (-u)."""
        assert self._reader is not None
        description = self._reader.description
        while True:
            pieces: list[bytes] = []
            size = 0
            while piece := description.read_until(delimiter, CHUNK):
                pieces.append(piece)
                size += len(piece)
                self.ctx.charge(1 + (len(piece) >> 10))
                if piece[-1:] == delimiter:
                    break
                self.budget.check_fits(2 * size)
            if not pieces:
                return
            yield b"".join(pieces)

    def _rewind(self) -> None:
        """Restart the files of R, for every input that is edited separately."""
        for name, reader in self._readers.items():
            description = reader.description
            if description.seekable:  # the file that was opened, even when another has its name by now
                description.retain()
                reader.close()
                description.seek(0)
                self._readers[name] = again = Reader(description, self.ctx)
                self._sources[name] = again.lines(self.delimiter)

    def _close_current(self) -> None:
        if self._reader is None:
            return
        self._reader.close()
        self._reader = None
        self._lines = None
        if self._suffix is not None:
            replace(self.ctx, self.opened, self._suffix, self.out.collected())

    def _fetch(self, across: bool) -> bytes | None:
        """Return the next line, None at the end. With ``across``, continue in the next file."""
        while True:
            if self._lines is not None:
                found = next(self._lines, None)
                if found is not None:
                    return found
                if not across:
                    return None
                self._close_current()
            if not across or not self._open_next():
                return None

    def blocks(self) -> Iterator[bytes]:
        """Yield all inputs in blocks of whole lines, for scripts that do not need single lines."""
        while self._reader is not None or self._open_next():
            assert self._reader is not None
            yield from self._reader.blocks(self.delimiter)
            self._close_current()

    def at_end(self) -> bool:
        """Return True at the last line ($), which is the last one of its file with -s or -i."""
        if self._ahead is None:
            if self.separate:
                self._ahead = self._fetch(False)
                return self._ahead is None
            self._ahead = self._fetch(True)
        return self._ahead is None

    def no_more(self) -> bool:
        """Return True when no line follows in any file."""
        return self.at_end() and (not self.separate or not self._has_more_files())

    def _has_more_files(self) -> bool:
        """Return True when a later file has a line; an unreadable one is reported when it is opened."""
        for name in self._names:
            try:
                if name == "-" or self.ctx.fs.stat(self.ctx.path(name)).size:
                    return True
            except OSError:
                continue
        return False

    def read(self) -> bool:
        """Read the next line into the pattern space; return False at the end."""
        self.flush_queue()
        found, self._ahead = self._ahead, None
        if found is None:
            found = self._fetch(True)
        if found is None:
            return False
        self.line += 1
        self.replaced = False
        self.ended = found[-1:] == self.delimiter
        self.space = found[:-1] if self.ended else found
        return True

    def stop(self) -> None:
        """Stop reading. A file that is edited in place loses the rest, as with GNU sed."""
        self.flush_queue()
        if self._reader is not None:
            if self._ahead is not None:
                self._reader.unread(self._ahead)
            self._ahead = None
        self._close_current()

    def close(self) -> None:
        """Close all files."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        for output in self.files.values():
            output.close()
        for reader in self._readers.values():
            reader.close()

    # ------------------------------------------------------------------ output

    def print(self, text: bytes, ended: bool = True) -> None:
        """Write a line to standard output or the file that is edited."""
        self.out.line(text, ended, self.delimiter)

    def open_files(self, names: Sequence[str]) -> None:
        """Create the files that w commands write to. Raises Failure."""
        for name in names:
            if name in ("/dev/stdout", "/dev/stderr"):
                number = 1 if name == "/dev/stdout" else 2
                shared = self.ctx.process.descriptor(number) if number == 2 else None
                if shared is not None:
                    shared.retain()
                self.files[name] = Output(shared, self.ctx)
                continue
            try:
                self.files[name] = Output(self.ctx.create(name), self.ctx)
            except OSError as error:
                raise Failure(f"couldn't open file {name}: {error_text(error)}", 4) from None

    def write_file(self, name: str, text: bytes, ended: bool) -> None:
        """Write a line for w, W or s///w."""
        self.files[name].line(text, ended, self.delimiter)

    def flush_queue(self) -> None:
        """Write what a, r and R queued for the end of the cycle."""
        if not self.queue:
            return
        queue, self.queue = self.queue, []
        for text_or_name in queue:
            self.out.complete(self.delimiter)
            if isinstance(text_or_name, bytes):
                self.out.raw(text_or_name)
            else:
                self._copy_file(text_or_name)

    def _copy_file(self, name: str) -> None:
        try:
            with self.ctx.open("-" if name == "/dev/stdin" else name) as reader:
                for data in reader.chunks():
                    self.out.raw(data)
        except OSError:
            return  # a file that cannot be read counts as empty

    def queue_line(self, name: str) -> None:
        """Queue the next line of a file (R)."""
        if name not in self._sources:
            try:
                reader = self.ctx.open("-" if name == "/dev/stdin" else name)
            except OSError:
                self._sources[name] = None
            else:
                self._readers[name] = reader
                self._sources[name] = reader.lines(self.delimiter)
        source = self._sources[name]
        found = None if source is None else next(source, None)
        if found is not None:
            self.queue.append(found)

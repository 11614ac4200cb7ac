"""The state of a running sed script: pattern and hold space, inputs and outputs.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9, which keeps a missing newline at the end of the input.
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
    """A destination of lines.

    Attributes:
        lacks_newline: The last line was written without its newline, which the next write adds.
    """

    def __init__(self, description: Description | None, ctx: Context) -> None:
        self._description = description
        self._ctx = ctx
        self._buffer: list[bytes] | None = None
        self.lacks_newline = False

    def begin_buffer(self) -> None:
        """Buffer all output until ``end_buffer``, for a file that is edited in place."""
        self._buffer = []
        self.lacks_newline = False

    def end_buffer(self) -> bytes:
        """Return the buffered output, and stop buffering."""
        data = b"".join(self._buffer or ())
        self._buffer = None
        self.lacks_newline = False
        return data

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        if self._buffer is not None:
            self._buffer.append(data)
            self._ctx.budget.check_fits(len(data))
        elif self._description is None:
            self._ctx.write(data)
        else:
            self._description.write(data)

    def end_line(self, delimiter: bytes) -> None:
        """Write the newline that the last line lacks."""
        if self.lacks_newline:
            self.lacks_newline = False
            self.write(delimiter)

    def write_line(self, text: bytes, has_newline: bool, delimiter: bytes) -> None:
        """Write a line, without its newline if the input had none."""
        if self.lacks_newline:
            self.end_line(delimiter)
        if has_newline:
            self.write(text + delimiter)
        else:
            self.write(text)
            self.lacks_newline = True

    def close(self) -> None:
        if self._description is not None:
            self._description.release()


class Settings(Record):
    """How inputs are read and written.

    Attributes:
        separate: The lines of each file are counted separately.
        suffix: Of the backups of files that are edited in place, "" for no backups; None for no editing.
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
        space, has_newline: The pattern space, and whether its last line had a newline.
        hold, hold_has_newline: The hold space, and whether its last line had a newline.
        line_number: Number of the current line, 1-based.
        has_replaced: An s command succeeded since the last new line or t command.
        last_regex: The regular expression that was used last.
        ranges: The state of each range: None for closed, its last line, -1 when a test decides, or ``CLOSED``.
        queue: Written at the end of the cycle: texts, and names of files.
        input_name: Name of the input that was opened last.
        status: Exit status of q.
        input_status: Exit status for inputs that cannot be read, 0 when all can.
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
        self.has_newline = True
        self.hold = b""
        self.hold_has_newline = True
        self.line_number = 0
        self.has_replaced = False
        self.last_regex: Expression | None = None
        self.ranges = list(ranges)
        self._ranges = ranges
        self.status = 0
        self.input_status = 0
        self.out = Output(None, ctx)
        self.files: dict[str, Output] = {}
        self.queue: list[bytes | str] = []
        self.separate = settings.separate or settings.suffix is not None
        self._suffix = settings.suffix
        self._unbuffered = settings.unbuffered
        self._follow = settings.follow
        self.input_name = "-"
        self._names = list(reversed(names))
        self._reader: Reader | None = None
        self._lines: Iterator[bytes] | None = None
        self._next_line: bytes | None = None
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
                elif self._follow and name != "-":
                    name = real_name(self.ctx, name)
                self._reader = self.ctx.open("./-" if name == "-" and self._suffix is not None else name)
            except IsADirectoryError as error:
                raise Failure(f"read error on {name}: {error_text(error)}", 4) from None
            except OSError as error:
                self.ctx.error(f"can't read {name}: {error_text(error)}")
                self.input_status = max(self.input_status, 2)
                continue
            lines = self._unbuffered_lines if self._unbuffered else self._reader.lines
            self._lines = lines(self.delimiter)
            if self.separate:
                self.line_number = 0
                self.ranges[:] = self._ranges
                self.hold, self.hold_has_newline = b"", True
                self._rewind()
            self.input_name = name
            if self._suffix is not None:
                self.out.end_line(self.delimiter)
                self.out.begin_buffer()
            return True
        return False

    def _unbuffered_lines(self, delimiter: bytes) -> Iterator[bytes]:
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
            if description.seekable:  # not opened again: another file may have the name by now
                description.retain()
                reader.close()
                description.seek(0)
                self._readers[name] = new_reader = Reader(description, self.ctx)
                self._sources[name] = new_reader.lines(self.delimiter)

    def _close_current(self) -> None:
        if self._reader is None:
            return
        self._reader.close()
        self._reader = None
        self._lines = None
        if self._suffix is not None:
            replace(self.ctx, self.input_name, self._suffix, self.out.end_buffer())

    def _fetch(self, cross_files: bool) -> bytes | None:
        """Return the next line, None at the end. With ``cross_files``, continue in the next file."""
        while True:
            if self._lines is not None:
                line = next(self._lines, None)
                if line is not None:
                    return line
                if not cross_files:
                    return None
                self._close_current()
            if not cross_files or not self._open_next():
                return None

    def blocks(self) -> Iterator[bytes]:
        """Yield all inputs in blocks of whole lines, for scripts that do not need single lines."""
        while self._reader is not None or self._open_next():
            assert self._reader is not None
            yield from self._reader.blocks(self.delimiter)
            self._close_current()

    def at_end(self) -> bool:
        """Return True at the last line ($), which is the last one of its file with -s or -i."""
        if self._next_line is None:
            if self.separate:
                self._next_line = self._fetch(False)
                return self._next_line is None
            self._next_line = self._fetch(True)
        return self._next_line is None

    def at_input_end(self) -> bool:
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
        line, self._next_line = self._next_line, None
        if line is None:
            line = self._fetch(True)
        if line is None:
            return False
        self.line_number += 1
        self.has_replaced = False
        self.has_newline = line[-1:] == self.delimiter
        self.space = line[:-1] if self.has_newline else line
        return True

    def stop(self) -> None:
        """Stop reading. A file that is edited in place loses its remaining lines, as with GNU sed."""
        self.flush_queue()
        if self._reader is not None:
            if self._next_line is not None:
                self._reader.unread(self._next_line)
            self._next_line = None
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

    def print(self, text: bytes, has_newline: bool = True) -> None:
        """Write a line to standard output or the file that is edited."""
        self.out.write_line(text, has_newline, self.delimiter)

    def store_substitution(self, space: bytes, prints: bool, file: str | None) -> None:
        """Store the result of an s command; print it, and write it to a file, when the flags require it."""
        self.space = space
        self.has_replaced = True
        if prints:
            self.out.write_line(space, self.has_newline, self.delimiter)
        if file is not None:
            self.write_file(file, space, self.has_newline)

    def open_files(self, names: Sequence[str]) -> None:
        """Create the files that w commands write to. Raises Failure."""
        for name in names:
            if name in ("/dev/stdout", "/dev/stderr"):
                number = 1 if name == "/dev/stdout" else 2
                description = self.ctx.process.descriptor(number) if number == 2 else None
                if description is not None:
                    description.retain()
                self.files[name] = Output(description, self.ctx)
                continue
            try:
                self.files[name] = Output(self.ctx.create(name), self.ctx)
            except OSError as error:
                raise Failure(f"couldn't open file {name}: {error_text(error)}", 4) from None

    def write_file(self, name: str, text: bytes, has_newline: bool) -> None:
        """Write a line for w, W or s///w."""
        self.files[name].write_line(text, has_newline, self.delimiter)

    def flush_queue(self) -> None:
        """Write what a, r and R queued for the end of the cycle."""
        if not self.queue:
            return
        queue, self.queue = self.queue, []
        for text_or_name in queue:
            self.out.end_line(self.delimiter)
            if isinstance(text_or_name, bytes):
                self.out.write(text_or_name)
            else:
                self.copy_file(text_or_name)

    def copy_file(self, name: str) -> None:
        """Write the contents of a file; 0r does it at once, and adds no newline that the last line lacks."""
        try:
            with self.ctx.open("-" if name == "/dev/stdin" else name) as reader:
                for data in reader.chunks():
                    self.out.write(data)
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
        line = None if source is None else next(source, None)
        if line is not None:
            self.queue.append(line)

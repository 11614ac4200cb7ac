"""The Context that a utility runs in, and the Reader of its inputs."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from sandhook.kernel.descriptor import CHUNK, Description, File
from sandhook.kernel.process import Kernel, Process
from sandhook.limits import Budget
from sandhook.record import Record
from sandhook.text.quoting import quoted_name
from sandhook.typed import Protocol
from sandhook.vfs.base import FileSystem
from sandhook.vfs.path import VirtualPath, join

FLUSH_AT = 16_384  #: bytes of output that are buffered before they are written


class Failure(Exception):
    """A utility fails: ``name: message`` on standard error, with this exit status."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class WriteError(Exception):
    """Standard output cannot be written.

    Not an OSError, because these are errors of an operand: a loop over files would continue with the next one.
    ``data`` is the output that was to be written.
    """

    def __init__(self, error: OSError, data: bytes) -> None:
        super().__init__(error.strerror)
        self.reason, self.code, self.data = str(error.strerror), error.errno or 0, data


# --------------------------------------------------------------------------- the context


class NotStarted(Record):
    """Why a command never ran.

    Fields:
        reason: The system's text: "No such file or directory".
        hint: A line to print after the utility's own message, with its newline, or "".
    """

    reason: str
    hint: str = ""


class Ended(Record):
    """The end of a command that a utility ran.

    Fields:
        status: Exit status, 0 to 255; 128 + n after signal n. When the command never ran, POSIX's status
            for that: 127 for a file that is missing, 126 for one that cannot be executed.
        signal: The signal that ended the command, 0 for none.
        not_started: Why the command never ran, None when it ran. Nothing has been reported then.
    """

    status: int
    signal: int = 0
    not_started: NotStarted | None = None


class RunCommand(Protocol):
    """Runs another command for a utility (env, xargs), as execvp would."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        stdin: Description | None = None,
        process: Process | None = None,
        in_place: bool = False,
    ) -> Ended:
        """Run a command to its end.

        Args:
            environment: All exported variables, None for those of the utility.
            stdin: Standard input, None for that of the utility.
            process: A child that was already forked for the command.
            in_place: The command replaces the utility, as its last action (env).
        """
        ...


class Context:
    """The interface of a utility to its run: streams, files, time, and the budget.

    Attributes:
        name: The name by which the utility was called (``argv[0]``), for messages.
        program: The name under which the utility is registered, regardless of the path, link or ``exec -a`` by
            which it was called. Modules with several names use it.
        process: Its virtual process; prefer the methods below.
        environment: The exported variables.
        run: Runs another command by name (functions excepted), as execvp would; ``run_command`` also
            reports a command that cannot be run.
    """

    __slots__ = (
        "_held", "_held_most", "_out", "_out_size", "budget", "environment", "failed", "fs", "kernel", "name", "process",
        "program", "read_closed", "run",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        process: Process,
        environment: Mapping[str, str],
        run: RunCommand,
        program: str | None = None,
    ) -> None:
        self.name = name
        self.program = name.rpartition("/")[2] if program is None else program
        self.process = process
        self.kernel: Kernel = process.kernel
        self.budget: Budget = process.kernel.budget
        self.fs: FileSystem = process.kernel.fs
        self.environment = environment
        self.run = run
        self.failed = 0
        self.read_closed = False
        self._held = self._held_most = 0
        self._out: list[bytes] = []
        self._out_size = 0

    def hold(self, count: int) -> None:
        """Charge for ``count`` more bytes of input that are held at once; a negative count for fewer.

        The most is charged until the utility ends: processes that wait for each other all have their lines at the
        same time.
        """
        self._held += count
        if self._held > self._held_most:
            self.budget.charge_memory(self._held - self._held_most)
            self._held_most = self._held

    def end(self) -> None:
        """Refund what is held: the utility has ended."""
        self.budget.charge_memory(-self._held_most)
        self._held = self._held_most = 0

    def called_as(self, names: Container[str]) -> str:
        """Return the name of ``argv[0]`` if it is one of ``names``, else ``program``.

        For programs that evaluate ``argv[0]``, such as xz, which may be linked as unxz.
        """
        called = self.name.rpartition("/")[2]
        return called if called in names else self.program

    def start(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        stdin: Description | None = None,
        stdout: Description | None = None,
    ) -> Process:
        """Start another command that runs at the same time, and return its process for ``wait``.

        It owns ``stdin`` and ``stdout``; where they are None, it uses those of this process.
        """
        child = self.process.fork()
        for number, description in ((0, stdin), (1, stdout)):
            if description is not None:
                child.install(number, description)
        child.start(lambda: self._report_start(argv, self.run(argv, environment=environment, process=child)))
        return child

    def run_command(
        self,
        argv: Sequence[str],
        words: str = "'{}'",
        *,
        environment: Mapping[str, str] | None = None,
        stdin: Description | None = None,
        in_place: bool = False,
        new_group: bool = False,
    ) -> int:
        """Run another command to its end and return its exit status; report it when it cannot be run.

        Args:
            words: The text between the utility's name and the reason in the message; "{}" is the command.
            new_group: Run it in a new process group.
        """
        child = None
        if new_group:
            child = self.process.fork()
            child.group = child.pid
        ended = self.run(argv, environment=environment, stdin=stdin, process=child, in_place=in_place)
        return self._report_start(argv, ended, words)

    def _report_start(self, argv: Sequence[str], ended: Ended, words: str = "'{}'") -> int:
        if ended.not_started is not None:
            self.report_not_started(argv[0], ended.not_started, words)
        return ended.status

    def report_not_started(self, command: str, failure: NotStarted, words: str = "'{}'") -> None:
        """Write "name: words: reason" to standard error for a command that cannot be run, and the hint."""
        named = words.replace("'{}'", quoted_name(command, "locale")).replace("{}", command)
        text = f"{self.name}: {named}: {failure.reason}\n{failure.hint}"
        self.process.write_error(text.encode("utf-8", "surrogateescape"))

    # ------------------------------------------------------------------ output

    def write(self, data: bytes) -> None:
        """Write to standard output; buffered, and flushed at the end or every 16 KiB."""
        self._out.append(data)
        self._out_size += len(data)
        if self._out_size > FLUSH_AT:
            self.flush()

    def write_line(self, text: str) -> None:
        """Write text and a newline to standard output."""
        self.write(text.encode("utf-8", "surrogateescape") + b"\n")

    def flush(self) -> None:
        """Write the buffered output to standard output. Raises WriteError, BrokenPipe."""
        if self._out:
            data = self._out[0] if len(self._out) == 1 else b"".join(self._out)
            self._out = []
            self._out_size = 0
            self.charge(1 + (len(data) >> 10))
            if not data:
                return
            try:
                self.process.descriptor(1).write(data)
            except OSError as error:
                raise WriteError(error, data) from None

    def error(self, message: str) -> None:
        """Write "name: message" to standard error; does nothing when that is closed."""
        self.write_error(f"{self.name}: {message}\n")

    def write_error(self, text: str) -> None:
        """Write text to standard error, after the output so far; does nothing when that is closed."""
        self.flush()
        self.process.write_error(text.encode("utf-8", "surrogateescape"))

    def fail(self, message: str, status: int = 1) -> None:
        """Print ``message`` and record ``status``: the utility continues with its next operand.

        ``run`` then returns ``ctx.failed``, the largest recorded status, or 0.
        """
        self.error(message)
        self.failed = max(self.failed, status)

    def error_hint(
        self,
        usage: str = "",
        *,
        named: bool = False,
        quote: str = "'",
        argp: bool = False,
        base: bool = False,
    ) -> None:
        """Point to --help, as GNU's tools do after a usage error, after a line of ``usage`` with NAME in it.

        With ``base`` the name is without its directory.
        """
        name = self.name.rpartition("/")[2] if base else self.name
        other = f" or {quote}{name} --usage'" if argp else ""
        text = f"{name + ': ' if named else ''}Try {quote}{name} --help'{other} for more information.\n"
        line = usage.replace("NAME", name, 1) + "\n" if usage else ""
        self.process.write_error(f"{line}{text}".encode("utf-8", "surrogateescape"))

    def abandon(self) -> None:
        """Drop output that could not be written."""
        self._out = []
        self._out_size = 0

    # ------------------------------------------------------------------ input

    def stdin_reader(self) -> Reader:
        """Return a reader of standard input, whose first read raises OSError(EBADF) if that is closed."""
        description = self.process.descriptors.get(0)
        if description is None:
            self.read_closed = True
            return Reader(Description(), self)
        description.retain()
        return Reader(description, self)

    def open(self, name: str) -> Reader:
        """Open an operand for reading; "-" is standard input. Raises OSError; EISDIR for a directory."""
        if name == "-":
            return self.stdin_reader()
        return Reader(self.process.open(name), self)

    def create(self, name: str, *, append: bool = False) -> Description:
        """Open a file for writing, which is created or truncated; the caller releases the description."""
        return self.process.open(
            name, read=False, write=True, create=True, truncate=not append, append=append
        )

    # ------------------------------------------------------------------ files and time

    def path(self, name: str) -> VirtualPath:
        """Return an operand as an absolute path, relative to the working directory."""
        return join(self.process.cwd, name)

    def charge(self, steps: int = 1) -> None:
        """Charge work to the run's budget: about one step per line, entry or KiB.

        When a slice of steps is used up, other processes run and signals are delivered: ``timeout 1 yes >/dev/null``.
        """
        budget = self.budget
        budget.slice_left -= steps
        if budget.slice_left < 0:
            budget.next_slice()
            if self.process.pending:
                self.process.deliver()
            self.kernel.scheduler.yield_to_others()

    def check_script(self, size: int) -> None:
        """Raise LimitExceeded for a program (of awk, sed, jq) or an argument of more than ``Limits.script_bytes``."""
        if size > self.budget.limits.script_bytes:
            self.budget.fail("script_bytes")

    def now(self) -> float:
        """Return the virtual time, in seconds since the epoch."""
        return self.kernel.now()

    def sleep(self, seconds: float) -> None:
        """Wait for ``seconds`` of virtual time."""
        self.flush()
        self.kernel.scheduler.sleep(seconds)


class Reader:
    """Reads one input in chunks or lines, and charges what it reads.

    Use it as a context manager: its end releases the description, and sets the offset of a seekable
    input after the bytes that were used, as GNU's tools do when they stop early.
    """

    __slots__ = ("_buffer", "_ctx", "_held", "_start", "description")

    def __init__(self, description: Description, ctx: Context) -> None:
        self.description = description
        self._ctx = ctx
        self._buffer = b""
        self._held = 0
        self._start = 0

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the description; unread bytes of a seekable input stay unread."""
        unused = len(self._buffer) - self._start
        if unused and self.description.seekable:
            self.description.seek(self.description.tell() - unused)
        self._buffer = b""
        self._start = 0
        self._ctx.hold(-self._held)
        self._held = 0
        self.description.release()

    def charge(self, steps: int) -> None:
        """Charge work on the input."""
        self._ctx.charge(steps)

    def check_fits(self, size: int) -> None:
        """Charge for ``size`` bytes of the input that are held at once. Raises LimitExceeded."""
        self._ctx.budget.check_fits(size)
        if size > self._held:
            self._ctx.hold(size - self._held)
            self._held = size

    def is_output(self, *, empty: bool = False) -> bool:
        """Return True if further reads would read what standard output writes: ``cat f >> f``; also if ``empty``."""
        source = self.description
        output = self._ctx.process.descriptors.get(1)
        if not (isinstance(source, File) and isinstance(output, File)):
            return False
        input_stat, output_stat = source.handle.stat(), output.handle.stat()
        return (input_stat.device, input_stat.inode) == (output_stat.device, output_stat.inode) and (
            empty or source.tell() < input_stat.size
        )

    def read(self, count: int = CHUNK) -> bytes:
        """Return 1 to ``count`` bytes, or b"" at the end; blocks until there is input."""
        if self._start < len(self._buffer):
            data = self._buffer[self._start : self._start + count]
            self._start += len(data)
            return data
        if not self.description.ready():
            self._ctx.flush()
        data = self.description.read(count)
        self._ctx.budget.charge(1 + (len(data) >> 10))
        return data

    def chunks(self) -> Iterator[bytes]:
        """Yield the rest in pieces of at most 64 KiB."""
        while data := self.read():
            yield data

    def read_all(self) -> bytes:
        """Return the rest. Raises LimitExceeded when it does not fit into the memory of the run (sort, tac)."""
        pieces = []
        size = 0
        for data in self.chunks():
            size += len(data)
            self.check_fits(size)
            pieces.append(data)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def unread(self, data: bytes) -> None:
        """Push back the last ``data`` that was read: it counts as unread again."""
        if data:
            self._buffer = data + self._buffer[self._start :]
            self._start = 0

    def blocks(self, delimiter: bytes = b"\n") -> Iterator[bytes]:
        """Yield the rest in blocks of whole lines, as they come; the last one may lack its delimiter.

        A caller that stops early returns the unused part of the last block with ``unread``.
        """
        while True:
            buffered = self._buffer[self._start :]
            end = buffered.rfind(delimiter) + 1
            if end:
                self._buffer = buffered
                self._start = end
                yield buffered[:end]
                continue
            self._buffer = b""
            self._start = 0
            pieces = [buffered] if buffered else []
            size = len(buffered)
            while not end:
                data = self.read()
                if not data:
                    break
                end = data.rfind(delimiter) + 1
                size += len(data)
                if not end:
                    self.check_fits(size)
                pieces.append(data)
            if not pieces:
                return
            if end and end < len(pieces[-1]):
                self._buffer = pieces[-1]
                self._start = end
                pieces[-1] = pieces[-1][:end]
            yield pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def pending(self) -> bytes:
        """Return what was read after the last block of ``blocks``."""
        return self._buffer[self._start :]

    def lines(self, delimiter: bytes = b"\n") -> Iterator[bytes]:
        """Yield lines with their delimiter; the last one may lack it.

        A line longer than memory allows ends the run. While a line is being used, everything
        after it counts as unread.
        """
        budget = self._ctx.budget
        while True:
            end = self._buffer.find(delimiter, self._start) + 1
            if end:
                line = self._buffer[self._start : end]
                self._start = end
                budget.slice_left -= 1
                if budget.slice_left < 0:
                    budget.next_slice()
                yield line
                continue
            pieces = [self._buffer[self._start :]]
            size = len(pieces[0])
            self._buffer = b""
            self._start = 0
            complete = False
            while not complete:
                data = self.read()
                if not data:
                    break
                size += len(data)
                self.check_fits(size)
                pieces.append(data)
                complete = delimiter in data
            self._buffer = b"".join(pieces)
            if not complete:
                if self._buffer:
                    line, self._buffer = self._buffer, b""
                    yield line
                return

"""xargs: run a command with arguments from standard input.

Source: POSIX.1-2024 XCU 3, xargs. Oracle: GNU findutils 4.9.
Divergence: L-XARGS-001, -P runs the commands one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.command.arguments import logical_lines, read_delimited, read_delimiter, whole_lines, words
from sandhook.command.context import Context, Failure, Reader
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.kernel.descriptor import Null

READ_ERROR = CLOSED_INPUT = "error closing file"

PERMUTE = False

#: Bytes of one command line; GNU's default.
SIZE = 131_072

#: Linux's limit of a command line and its environment in bytes, minus the reserve that POSIX requires.
_ARG_MAX = 2_097_152 - 2048

#: The largest number of an option.
_MAX_NUMBER = 2**31 - 1


def _as(letter: str) -> Callable[[str], tuple[str, str]]:
    """Return a function that pairs an argument with its option: of -I, -L and -n, the last one counts."""
    return lambda text: (letter, text)


@option_set
class Options:
    """xargs [OPTION]... COMMAND [INITIAL-ARGS]...

    Run COMMAND (echo) with ARGUMENTs and arguments read from standard input.
    """

    null: bool = opt("-0", "--null", "arguments end with NUL; all other characters are literal")
    file: str | None = opt("-a", "--arg-file", "FILE", "read FILE instead of standard input")
    delimiter: str | None = opt(
        "-d", "--delimiter", "C", "arguments end with C; all other characters are literal"
    )
    eof: str | None = also(
        opt("-E", "EOF", "stop at an argument that is EOF"),
        opt("-e", "--eof", "EOF", "like -E", optional=True, const=""),
    )
    grouping: tuple[tuple[str, str], ...] = also(
        opt(
            "-I",
            "TEXT",
            "run COMMAND for each line, with TEXT in ARGUMENTs replaced by the line",
            append=True,
            convert=_as("I"),
        ),
        opt(
            "-i",
            "--replace",
            "TEXT",
            "like -I; the default TEXT is {}",
            append=True,
            convert=_as("I"),
            optional=True,
            const=("I", "{}"),
        ),
        opt("-L", "MAX", "at most MAX lines a command", append=True, convert=_as("L")),
        opt(
            "-l",
            "--max-lines",
            "MAX",
            "like -L; the default MAX is one",
            append=True,
            convert=_as("l"),
            optional=True,
            const=("l", "1"),
        ),
        opt("-n", "--max-args", "MAX", "at most MAX arguments a command", append=True, convert=_as("n")),
    )
    parallel: str | None = opt("-P", "--max-procs", "MAX", "accepted; commands run one after the other")
    open_tty: bool = opt(
        "-o", "--open-tty", "let the command read the terminal: an error, as no terminal exists"
    )
    interactive: bool = opt(
        "-p", "--interactive", "ask on the terminal before each command: an error, as no terminal exists"
    )
    slot: str | None = opt("--process-slot-var", "NAME", "set NAME to 0 for each command")
    no_run_if_empty: bool = opt("-r", "--no-run-if-empty", "do not run COMMAND without arguments")
    size: str | None = opt("-s", "--max-chars", "BYTES", "at most BYTES a command line")
    limits: bool = opt("--show-limits", "print the limits of a command line on standard error")
    trace: bool = opt("-t", "--verbose", "print each command on standard error first")
    exit_: bool = opt("-x", "--exit", "stop when a command line would be too long")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0; 123 if a command failed, 124 if one ended with 255, 126 or 127 if one could not be run."""
    replace, lines, count = _grouping(options, ctx)
    size = _size(options.size, ctx)
    _number(options.parallel, "P", minimum=0, maximum=_MAX_NUMBER)
    if options.slot is not None and "=" in options.slot:
        raise Failure("option --process-slot-var may not be set to a value which includes `='")
    if options.eof and (options.null or options.delimiter is not None):
        ctx.error("warning: the -E option has no effect if -0 or -d is used.\n")
    if options.limits:
        _show_limits(size, ctx)
    runner = _Runner(options, list(operands) or ["echo"], count, size, ctx)

    def execute(reader: Reader) -> int:
        if replace is not None:
            return runner.replacing(_arguments(options, reader, ctx, True), replace)
        if lines:
            return runner.by_lines(_lines(options, reader, ctx), lines)
        return runner.filling(_arguments(options, reader, ctx, False))

    with _input(options, ctx) as reader:
        try:
            return execute(reader)
        except IsADirectoryError:  # it counts as the end of the input; if no command fails, it is reported
            status = execute(ctx.open("/dev/null"))
            if status == 123:
                return status
            raise


def _grouping(options: Options, ctx: Context) -> tuple[str | None, int, int]:
    """Return the text of -I, the lines of -L and the arguments of -n; of exclusive options, the last one counts."""
    replace: str | None = None
    lines = count = 0
    for letter, text in options.grouping:
        name = {"I": "--replace/-I/-i", "L": "-L", "l": "--max-lines/-l", "n": "--max-args/-n"}[letter]
        number = 0 if letter == "I" else _number(text, letter)
        if letter == "n" and number == 1 and replace is not None:
            continue  # one line is one argument
        conflicts = (
            (replace is not None and letter != "I", "--replace"),
            (lines and letter not in "Ll", "--max-lines"),
            (count and letter != "n", "--max-args"),
        )
        for applies, other in conflicts:
            if applies:
                ctx.error(
                    f"warning: options {other} and {name} are mutually exclusive, ignoring previous {other} value"
                )
        replace = text if letter == "I" else None
        lines = number if letter in "Ll" else 0
        count = number if letter == "n" else 0
    return replace, lines, count


def _number(text: str | None, letter: str, minimum: int = 1, maximum: int | None = None) -> int:
    if text is None:
        return 0
    value = _value(text, letter)
    if value < minimum:
        raise UsageError(f"value {text} for -{letter} option should be >= {minimum}")
    if maximum is not None and value > maximum:
        raise UsageError(f"value {text} for -{letter} option should be <= {maximum}")
    return min(value, _MAX_NUMBER)


def _value(text: str, letter: str) -> int:
    sign, digits = (text[:1], text[1:]) if text[:1] in ("+", "-") else ("", text.lstrip())
    if not (digits.isascii() and digits.isdigit()):
        raise UsageError(f'invalid number "{text}" for -{letter} option')
    return int(digits[:18]) * (-1 if sign == "-" else 1)


def _size(text: str | None, ctx: Context) -> int:
    """Return the bytes of -s; a value out of range is clamped, after an error message if it is too small."""
    if text is None:
        return SIZE
    value = _value(text, "s")
    if value < 1:
        ctx.error(f"value {text} for -s option should be >= 1")
        return 1
    return min(value, SIZE)


def _input(options: Options, ctx: Context) -> Reader:
    if options.file is None:
        reader = ctx.stdin_reader()
        return (
            ctx.open("/dev/null") if ctx.read_closed else reader
        )  # the error counts as the end of the input
    try:
        return ctx.open(options.file)
    except IsADirectoryError:  # it can be opened, and xargs takes the error of reading it for the end
        return ctx.open("/dev/null")
    except OSError as error:
        raise Failure(f"Cannot open input file '{options.file}': {error.strerror}") from None


def _separator(options: Options) -> bytes | None:
    if options.null:
        return b"\0"
    return None if options.delimiter is None else read_delimiter(options.delimiter)


def _arguments(options: Options, reader: Reader, ctx: Context, whole: bool) -> Iterator[str]:
    separator = _separator(options)
    if separator is not None:
        return read_delimited(reader, separator)
    if whole:
        return whole_lines(reader, options.eof or None, ctx.error)
    return words(reader, options.eof or None, ctx.error)


def _lines(options: Options, reader: Reader, ctx: Context) -> Iterator[list[str]]:
    separator = _separator(options)
    if separator is not None:
        return ([argument] for argument in read_delimited(reader, separator))
    return logical_lines(reader, options.eof or None, ctx.error)


def _show_limits(size: int, ctx: Context) -> None:
    environment_size = sum(_bytes(name) + _bytes(value) for name, value in ctx.environment.items())
    ctx.process.write_error(
        f"Your environment variables take up {environment_size} bytes\n"
        f"POSIX upper limit on argument length (this system): {_ARG_MAX - environment_size}\n"
        "POSIX smallest allowable upper limit on argument length (all systems): 4096\n"
        f"Maximum length of command we could actually use: {_ARG_MAX - 2 * environment_size}\n"
        f"Size of command buffer we are actually using: {size}\n"
        f"Maximum parallelism (--max-procs must be no greater): {_MAX_NUMBER}\n".encode()
    )


class _Stop(Exception):
    """No further command is run."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _UntilFailure:
    """Yields what an iterator yields, and ends where that raises Failure: without -x the last command still runs, as GNU's does."""

    def __init__(self, arguments: Iterator[str]) -> None:
        self._arguments = arguments
        self.failure: Failure | None = None

    def __iter__(self) -> Iterator[str]:
        try:
            yield from self._arguments
        except Failure as failure:
            self.failure = failure


class _Runner:
    """Combines arguments into commands and runs them."""

    def __init__(self, options: Options, command: list[str], count: int, size: int, ctx: Context) -> None:
        self.options = options
        self.command = command
        self.count = count
        self.size = size
        self.ctx = ctx
        self.status = 0
        self.initial = sum(map(_bytes, command))
        if self.initial > size:
            raise Failure("cannot fit single argument within argument list size limit")

    def filling(self, arguments: Iterator[str]) -> int:
        """Run commands with as many arguments as -n and -s allow."""
        batch: list[str] = []
        total = self.initial
        has_run = False
        source = _UntilFailure(arguments)
        try:
            for argument in source:
                size = _bytes(argument)
                if self.initial + size > self.size:
                    if batch:
                        self._run([*self.command, *batch])
                    raise Failure("argument line too long", 1)
                if total + size > self.size:
                    if self.options.exit_ and self.count:
                        raise Failure("argument list too long", 1)
                    self._run([*self.command, *batch])
                    batch, total, has_run = [], self.initial, True
                batch.append(argument)
                total += size
                if len(batch) == self.count:
                    self._run([*self.command, *batch])
                    batch, total, has_run = [], self.initial, True
            if source.failure is not None and self.options.exit_:
                raise source.failure
            if batch or not (source.failure or has_run or self.options.no_run_if_empty):
                self._run([*self.command, *batch])
        except _Stop as stop:
            return stop.status
        if source.failure is not None:
            raise source.failure
        return self.status

    def by_lines(self, lines: Iterator[list[str]], maximum: int) -> int:
        """Run a command for every ``maximum`` lines."""
        batch: list[str] = []
        count = 0
        has_run = False
        try:
            for line in lines:
                batch += line
                count += 1
                if self.initial + sum(map(_bytes, batch)) > self.size:
                    raise Failure("argument line too long", 1)
                if count == maximum:
                    self._run([*self.command, *batch])
                    batch, count, has_run = [], 0, True
            if batch or not (has_run or self.options.no_run_if_empty):
                self._run([*self.command, *batch])
        except _Stop as stop:
            return stop.status
        return self.status

    def replacing(self, lines: Iterator[str], placeholder: str) -> int:
        """Run a command for each line, which replaces every ``placeholder`` in the arguments."""
        try:
            for line in lines:
                ctx = self.ctx
                ctx.budget.check_fits(
                    sum(_bytes(word) + word.count(placeholder) * len(line) * 4 for word in self.command)
                )
                if not placeholder:
                    raise Failure("command too long")
                argv = [
                    self.command[0],
                    *(word.replace(placeholder, line).partition("\0")[0] for word in self.command[1:]),
                ]
                if sum(map(_bytes, argv)) > self.size:
                    raise Failure("argument list too long", 1)
                self._run(argv)
        except _Stop as stop:
            return stop.status
        return self.status

    def _run(self, argv: list[str]) -> None:
        ctx = self.ctx
        ctx.flush()
        ctx.charge()
        if self.options.interactive:
            ctx.process.write_error(" ".join(map(_quote, argv)).encode("utf-8", "surrogateescape"))
        if self.options.interactive or self.options.open_tty:
            raise Failure("failed to open /dev/tty for reading: No such device or address", 1)
        if self.options.trace:
            stderr = ctx.process.descriptors.get(2)
            if stderr is not None:
                line = " ".join(map(_quote, argv)) + "\n"
                stderr.write(line.encode("utf-8", "surrogateescape"))
        stdin = Null() if self.options.file is None else None
        if self.options.slot is None:
            result = ctx.run(argv, stdin=stdin)
        else:  # commands run one after the other, all in the first slot
            result = ctx.run(argv, environment={**ctx.environment, self.options.slot: "0"}, stdin=stdin)
        if result.not_started is not None:
            ctx.report_not_started(argv[0], result.not_started, "{}")
            raise _Stop(result.status)
        if result.status == 255:
            ctx.error(f"{argv[0]}: exited with status 255; aborting")
            raise _Stop(124)
        if result.signal:
            ctx.error(f"{argv[0]}: terminated by signal {result.signal}")
            raise _Stop(125)
        if result.status:
            self.status = 123


def _bytes(word: str) -> int:
    return len(word.encode("utf-8", "surrogateescape")) + 1


def _quote(word: str) -> str:
    """Return a word as -t prints it, quoted for the shell if necessary."""
    from sandhook.text.quoting import quoted_name

    return quoted_name(word, "escape-shell") if word else "''"

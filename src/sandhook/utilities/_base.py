"""What every utility is declared with: options, usage errors, and the Context it runs in.

A utility is a module with a docstring, an ``Options`` dataclass whose fields are made by
``opt``, and ``run(options, operands, ctx) -> int``. ``Options`` is said once and gives the
parser, the types, ``--help`` and the docs page. Optional module attributes:

    USAGE_STATUS: int = 1       exit status of a usage error and of a file that fails (GNU: 2 for grep, sort, ls)
    PERMUTE: bool = True        options may follow operands (GNU); False stops at the first operand
    NUMERIC: str | None         name of the field that a bare ``-5`` sets (head, tail)
    USAGE: str                  a line before "Try 'NAME --help' ..." after a usage error (grep, sed)
    NEGATIVE: bool = False      "-5" and "-.5" are operands (seq)
    RAW: bool = False           no option parsing at all: every argument is an operand (echo, test, true)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar, dataclass_transform

from sandhook.kernel.descriptor import CHUNK, Description, File
from sandhook.kernel.process import Kernel, Process
from sandhook.kernel.signals import SIGPIPE, BrokenPipe
from sandhook.limits import Budget
from sandhook.version import __version__
from sandhook.vfs.base import FileSystem
from sandhook.vfs.path import VirtualPath, join

FLUSH_AT = 16_384  #: bytes of output that are gathered before they are written

CACHED_LINES = 128  #: command lines whose parse is kept, for each utility
CACHED_ARGUMENTS = 16  #: the longest one, in arguments
CACHED_LENGTH = 512  #: and in characters


class UsageError(Exception):
    """Wrong options or operands: GNU's message, then "Try 'NAME --help' ...", status USAGE_STATUS."""

    def __init__(self, message: str, *, hint: bool = True, status: int | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        self.status = status


class Failure(Exception):
    """A utility gives up: ``name: message`` on standard error and this exit status."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Utility(Protocol):
    """What a utility's module offers."""

    @property
    def Options(self) -> Any: ...

    def run(self, options: Any, operands: Sequence[str], ctx: Context) -> int: ...


# --------------------------------------------------------------------------- options


class Option:
    """One declared option: its names, how its argument is read, and its help."""

    __slots__ = ("append", "const", "convert", "field", "flags", "help", "metavar", "optional")

    def __init__(
        self,
        flags: tuple[str, ...],
        metavar: str | None,
        help_: str,
        convert: Callable[[str], Any] | None,
        append: bool,
        const: Any,
        optional: bool,
    ) -> None:
        self.field = ""
        self.flags = flags
        self.metavar = metavar
        self.help = help_
        self.convert = convert
        self.append = append
        self.const = const
        self.optional = optional


class Declared:
    """What ``opt`` says of one field: its default, and the options that set it."""

    __slots__ = ("default", "options")

    def __init__(self, default: Any, options: tuple[Option, ...] = ()) -> None:
        self.default = default
        self.options = options


_UNSET: Any = object()


def opt(
    *declared: str,
    help: str | None = None,
    default: Any = _UNSET,
    convert: Callable[[str], Any] | None = None,
    append: bool = False,
    const: Any = True,
    optional: bool = False,
) -> Any:
    """Declare one option of an ``Options`` dataclass.

    Args:
        declared: Names ("-s", "--suffix"), then the name of the option-argument if it takes
            one, then the help text.
        help: The help text, if it is not among ``declared``.
        default: Value when the option is absent; by default False for a flag, None with an
            argument, () with ``append``.
        convert: Reads the option-argument; raises UsageError with GNU's message.
        append: Every occurrence adds to a tuple.
        const: What a flag stores; several options may share a field, see ``also``.
        optional: The argument may be missing (``-i[SUFFIX]``, ``--color[=WHEN]``); it must
            then be attached, and its absence stores ``const``.
    """
    flags = tuple(name for name in declared if name[:1] == "-")
    rest = [name for name in declared if name[:1] != "-"]
    metavar = rest.pop(0) if rest and (len(rest) > 1 or help is not None) else None
    text = help if help is not None else (rest[0] if rest else "")
    option = Option(flags, metavar, text, convert, append, const, optional)
    if default is _UNSET:
        default = () if append else None if metavar else False
    return Declared(default, (option,))


def also(first: Any, *more: Any) -> Any:
    """Let several options set one field, the last one given wins: ``also(opt("-E", const="ere"), opt("-F", ...))``."""
    return Declared(
        first.default, tuple(option for declared in (first, *more) for option in declared.options)
    )


T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def option_set(cls: type[T]) -> type[T]:
    """Make a class of annotated ``opt`` fields the options of a utility: immutable, made by keyword.

    It does what a frozen dataclass would, without generating code (0.5 ms of import each, and
    10 ms for dataclasses itself): an option that was not given is found in the class.
    """
    found: dict[str, Declared] = {}
    for name in cls.__annotations__:
        value = cls.__dict__[name]
        found[name] = value if isinstance(value, Declared) else Declared(value)
        setattr(cls, name, found[name].default)
    cls._declared = found  # type: ignore[attr-defined]
    type.__setattr__(cls, "__init__", _set_options)
    type.__setattr__(cls, "__setattr__", _refuse_change)
    type.__setattr__(cls, "__eq__", _options_equal)
    type.__setattr__(cls, "__hash__", _options_hash)
    return cls


def declared_fields(options: type) -> dict[str, Declared]:
    """Return the fields of an ``option_set``, by name, in order."""
    found: dict[str, Declared] = options._declared  # type: ignore[attr-defined]
    return found


def _set_options(self: Any, **values: Any) -> None:
    for name in values:
        if name not in self._declared:
            raise TypeError(f"{self.__class__.__name__} has no option {name!r}")
    self.__dict__.update(values)


def _options_equal(self: Any, other: Any) -> bool:
    if self.__class__ is not other.__class__:
        return False
    return all(bool(getattr(self, name) == getattr(other, name)) for name in self._declared)


def _options_hash(self: Any) -> int:
    return hash(tuple([getattr(self, name) for name in self._declared]))


def _refuse_change(self: Any, name: str, value: Any) -> None:
    raise AttributeError(f"{self.__class__.__name__} is immutable: {name!r} cannot be set")


class Syntax:
    """The parser made from one ``Options`` class."""

    __slots__ = ("_parsed", "long", "negative", "numeric", "options", "permute", "short")

    def __init__(
        self, options: type, *, permute: bool = True, numeric: str | None = None, negative: bool = False
    ) -> None:
        self._parsed: dict[tuple[str, ...], tuple[Any, tuple[str, ...]]] = {}
        self.options = options
        self.permute = permute
        self.numeric = numeric
        self.negative = negative
        self.short: dict[str, Option] = {}
        self.long: dict[str, Option] = {}
        for name, declared in declared_fields(options).items():
            for option in declared.options:
                option.field = name
                for flag in option.flags:
                    if flag.startswith("--"):
                        self.long[flag[2:]] = option
                    else:
                        self.short[flag[1:]] = option

    def parse(self, arguments: Sequence[str]) -> tuple[Any, list[str]]:
        """Return the options and the operands. Raises UsageError in GNU's words.

        Results are kept, for a hook runs the same few commands again and again.
        """
        key = tuple(arguments)
        found = self._parsed.get(key)
        if found is None:
            found = self._parse(key)
            if len(key) <= CACHED_ARGUMENTS and sum(map(len, key)) <= CACHED_LENGTH:
                if len(self._parsed) >= CACHED_LINES:
                    self._parsed.clear()
                self._parsed[key] = found
        return found[0], list(found[1])

    def _parse(self, arguments: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
        values: dict[str, Any] = {}
        operands: list[str] = []
        rest = list(reversed(arguments))
        while rest:
            argument = rest.pop()
            if argument == "--":
                operands += reversed(rest)
                break
            if (
                argument[:1] != "-"
                or argument == "-"
                or (self.negative and (argument[1] == "." or argument[1].isdigit()))
            ):
                operands.append(argument)
                if not self.permute:
                    operands += reversed(rest)
                    break
            elif argument[:2] == "--":
                self._long(argument[2:], rest, values)
            elif self.numeric is not None and argument[1:2].isdigit():
                values[self.numeric] = argument[1:]
            else:
                self._short(argument, rest, values)
        return self.options(**values), tuple(operands)

    def _short(self, argument: str, rest: list[str], values: dict[str, Any]) -> None:
        index = 1
        while index < len(argument):
            letter = argument[index]
            option = self.short.get(letter)
            if option is None:
                raise UsageError(f"invalid option -- '{letter}'")
            index += 1
            if option.metavar is None:
                self._store(option, option.const, values)
            elif index < len(argument) or option.optional:
                attached = argument[index:]
                self._store(option, option.const if not attached else self._read(option, attached), values)
                return
            elif rest:
                self._store(option, self._read(option, rest.pop()), values)
            else:
                raise UsageError(f"option requires an argument -- '{letter}'")

    def _long(self, text: str, rest: list[str], values: dict[str, Any]) -> None:
        name, equals, attached = text.partition("=")
        option = self.long.get(name)
        if option is None:
            matching = [known for known in (*self.long, "help", "version") if known.startswith(name)]
            targets = {id(self.long[known]) if known in self.long else known for known in matching}
            if not matching:
                raise UsageError(f"unrecognized option '--{text}'")
            if len(targets) > 1:
                listed = " ".join(f"'--{known}'" for known in matching)
                raise UsageError(f"option '--{text}' is ambiguous; possibilities: {listed}")
            name = matching[0]
            if name in ("help", "version") and name not in self.long:
                raise Inform(name)
            option = self.long[name]
        if option.metavar is None:
            if equals:
                raise UsageError(f"option '--{name}' doesn't allow an argument")
            self._store(option, option.const, values)
        elif equals:
            self._store(option, self._read(option, attached), values)
        elif option.optional:
            self._store(option, option.const, values)
        elif rest:
            self._store(option, self._read(option, rest.pop()), values)
        else:
            raise UsageError(f"option '--{name}' requires an argument")

    def _read(self, option: Option, text: str) -> Any:
        return text if option.convert is None else option.convert(text)

    def _store(self, option: Option, value: Any, values: dict[str, Any]) -> None:
        if option.append:
            values[option.field] = (*values.get(option.field, ()), value)
        else:
            values[option.field] = value


class Inform(Exception):
    """--help or --version was asked for."""


# --------------------------------------------------------------------------- the context


class RunCommand(Protocol):
    """Runs another command for a utility (env, xargs) and returns its exit status."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        stdin: Description | None = None,
    ) -> int: ...


class Context:
    """What a utility sees of the world: its process's streams, files, time, and the budget.

    Attributes:
        name: How the utility was called, for messages.
        process: Its virtual process; use the methods below where there is one.
        environment: The exported variables.
        run: Runs another command by name (functions excepted), as execvp would.
    """

    __slots__ = (
        "_out",
        "_out_size",
        "budget",
        "environment",
        "failed",
        "fs",
        "kernel",
        "name",
        "process",
        "run",
    )

    def __init__(self, name: str, process: Process, environment: Mapping[str, str], run: RunCommand) -> None:
        self.name = name
        self.process = process
        self.kernel: Kernel = process.kernel
        self.budget: Budget = process.kernel.budget
        self.fs: FileSystem = process.kernel.fs
        self.environment = environment
        self.run = run
        self.failed = 0
        self._out: list[bytes] = []
        self._out_size = 0

    # ------------------------------------------------------------------ output

    def write(self, data: bytes) -> None:
        """Write to standard output; gathered, and flushed at the end or every 16 KiB."""
        self._out.append(data)
        self._out_size += len(data)
        if self._out_size > FLUSH_AT:
            self.flush()

    def write_line(self, text: str) -> None:
        """Write text and a newline to standard output."""
        self.write(text.encode("utf-8", "surrogateescape") + b"\n")

    def flush(self) -> None:
        """Hand the gathered output to standard output's description."""
        if self._out:
            data = self._out[0] if len(self._out) == 1 else b"".join(self._out)
            self._out = []
            self._out_size = 0
            self.budget.charge(1 + (len(data) >> 10))
            self.process.descriptor(1).write(data)

    def error(self, message: str) -> None:
        """Write "name: message" to standard error; a closed standard error swallows it."""
        self.flush()
        stderr = self.process.descriptors.get(2)
        if stderr is not None:
            stderr.write(f"{self.name}: {message}\n".encode("utf-8", "surrogateescape"))

    def fail(self, message: str, status: int = 1) -> None:
        """Report ``message`` and remember ``status``: the utility goes on with its next operand.

        ``run`` then returns ``ctx.failed`` (the largest status so remembered, else 0).
        """
        self.error(message)
        self.failed = max(self.failed, status)

    def error_hint(self, usage: str = "") -> None:
        """Point to --help, as GNU's tools do after a usage error, after a line of ``usage``."""
        stderr = self.process.descriptors.get(2)
        if stderr is not None:
            text = f"Try '{self.name} --help' for more information.\n"
            stderr.write(f"{usage}{chr(10) if usage else ''}{text}".encode("utf-8", "surrogateescape"))

    def abandon(self) -> None:
        """Drop output that could not be written."""
        self._out = []
        self._out_size = 0

    # ------------------------------------------------------------------ input

    def stdin_reader(self) -> Reader:
        """Return a reader of standard input. Raises OSError(EBADF) when it is closed."""
        description = self.process.descriptor(0)
        description.retain()
        return Reader(description, self)

    def open(self, name: str) -> Reader:
        """Open an operand for reading; "-" is standard input. Raises OSError; EISDIR for a directory."""
        if name == "-":
            return self.stdin_reader()
        return Reader(self.process.open(name), self)

    def create(self, name: str, *, append: bool = False) -> Description:
        """Open a file for writing, made or emptied; the caller releases the description."""
        return self.process.open(
            name, read=False, write=True, create=True, truncate=not append, append=append
        )

    # ------------------------------------------------------------------ files and time

    def path(self, name: str) -> VirtualPath:
        """Return an operand as an absolute path, relative to the working directory."""
        return join(self.process.cwd, name)

    def charge(self, steps: int = 1) -> None:
        """Charge work to the run's budget: about one step per line, entry or KiB."""
        self.budget.charge(steps)

    def now(self) -> float:
        """Return the virtual time, in seconds since the epoch."""
        return self.kernel.now()

    def sleep(self, seconds: float) -> None:
        """Let virtual time pass."""
        self.flush()
        self.kernel.scheduler.sleep(seconds)


class Reader:
    """Reads one input in chunks or lines, and charges what it reads.

    Use as a context manager: leaving it gives the description back, and puts a seekable
    input's offset behind what was really used, as GNU's tools do when they stop early.
    """

    __slots__ = ("_buffer", "_ctx", "_start", "description")

    def __init__(self, description: Description, ctx: Context) -> None:
        self.description = description
        self._ctx = ctx
        self._buffer = b""
        self._start = 0

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the description back; unread bytes of a seekable input stay unread."""
        unused = len(self._buffer) - self._start
        if unused and self.description.seekable:
            self.description.seek(self.description.tell() - unused)
        self._buffer = b""
        self._start = 0
        self.description.release()

    def charge(self, steps: int) -> None:
        """Charge work on what was read."""
        self._ctx.budget.charge(steps)

    def is_output(self) -> bool:
        """Tell whether reading on would read what standard output writes: ``cat f >> f``."""
        source = self.description
        output = self._ctx.process.descriptors.get(1)
        if not (isinstance(source, File) and isinstance(output, File)):
            return False
        here, there = source.handle.stat(), output.handle.stat()
        return (here.device, here.inode) == (there.device, there.inode) and source.tell() < here.size

    def read(self, count: int = CHUNK) -> bytes:
        """Return up to ``count`` bytes, at least one unless at the end; blocks until then."""
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
        """Return the rest at once, refused when it could not fit into the run's memory (sort, tac)."""
        pieces = []
        size = 0
        for data in self.chunks():
            size += len(data)
            self._ctx.budget.afford(size)
            pieces.append(data)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def unread(self, data: bytes) -> None:
        """Push back the last ``data`` that was read: it counts as unread again."""
        if data:
            self._buffer = data + self._buffer[self._start :]
            self._start = 0

    def blocks(self, delimiter: bytes = b"\n") -> Iterator[bytes]:
        """Yield the rest in blocks of whole lines, as they come; the last one may lack its delimiter.

        Whoever stops early gives back with ``unread`` what it did not use of the last block.
        """
        while True:
            held = self._buffer[self._start :]
            end = held.rfind(delimiter) + 1
            if end:
                self._buffer = held
                self._start = end
                yield held[:end]
                continue
            self._buffer = b""
            self._start = 0
            kept = [held] if held else []
            size = len(held)
            while not end:
                data = self.read()
                if not data:
                    break
                end = data.rfind(delimiter) + 1
                size += len(data)
                if not end:
                    self._ctx.budget.afford(size)
                kept.append(data)
            if not kept:
                return
            if end and end < len(kept[-1]):
                self._buffer = kept[-1]
                self._start = end
                kept[-1] = kept[-1][:end]
            yield kept[0] if len(kept) == 1 else b"".join(kept)

    def lines(self, delimiter: bytes = b"\n") -> Iterator[bytes]:
        """Yield lines with their delimiter; the last one may lack it.

        A line longer than memory allows ends the run. While a line is being used, everything
        behind it counts as unread.
        """
        budget = self._ctx.budget
        while True:
            end = self._buffer.find(delimiter, self._start) + 1
            if end:
                line = self._buffer[self._start : end]
                self._start = end
                budget.fuel -= 1
                if budget.fuel < 0:
                    budget.refuel()
                yield line
                continue
            kept = [self._buffer[self._start :]]
            size = len(kept[0])
            self._buffer = b""
            self._start = 0
            found = False
            while not found:
                data = self.read()
                if not data:
                    break
                size += len(data)
                budget.afford(size)
                kept.append(data)
                found = delimiter in data
            self._buffer = b"".join(kept)
            if not found:
                if self._buffer:
                    line, self._buffer = self._buffer, b""
                    yield line
                return


# --------------------------------------------------------------------------- running one


def run_utility(module: Any, arguments: Sequence[str], ctx: Context) -> int:
    """Parse the arguments, run the utility, print what it raises; return its exit status.

    Limits and defects pass through: no script can catch them.
    """
    usage_status: int = getattr(module, "USAGE_STATUS", 1)
    try:
        try:
            if getattr(module, "RAW", False):
                status: int = module.run(None, arguments, ctx)
            else:
                options, operands = syntax_of(module).parse(arguments)
                status = module.run(options, operands, ctx)
            ctx.flush()
            return status
        except UsageError as error:
            ctx.error(str(error))
            if error.hint:
                ctx.error_hint(getattr(module, "USAGE", ""))
            return usage_status if error.status is None else error.status
        except Failure as error:
            ctx.error(str(error))
            return usage_status if error.status is None else error.status
        except Inform as error:
            ctx.write(inform(module, ctx.name, str(error)).encode())
            ctx.flush()
            return 0
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            ctx.error(f"{where}{error.strerror}")
            return usage_status
    except BrokenPipe:
        return 128 + SIGPIPE
    except OSError as error:  # standard output itself cannot be written
        ctx.abandon()
        ctx.error(f"write error: {error.strerror}")
        return usage_status


_SYNTAXES: dict[type, Syntax] = {}


def syntax_of(module: Any) -> Syntax:
    """Return the parser of a utility's module, made once per Options class."""
    options: type = module.Options
    found = _SYNTAXES.get(options)
    if found is None:
        found = _SYNTAXES[options] = Syntax(
            options,
            permute=getattr(module, "PERMUTE", True),
            numeric=getattr(module, "NUMERIC", None),
            negative=getattr(module, "NEGATIVE", False),
        )
    return found


def inform(module: Any, name: str, what: str) -> str:
    """Return the text of --help or --version."""
    if what == "version":
        return f"{name} (sandhook) {__version__}\n"
    lines = ["Usage: " + _plain(module.Options.__doc__ or name), ""]
    for declared in declared_fields(module.Options).values():
        for option in declared.options:
            names = ", ".join(option.flags)
            if option.metavar:
                names += f"[{option.metavar}]" if option.optional else f" {option.metavar}"
            lines.append(f"  {names:<28} {option.help}")
    lines.append(f"  {'--help':<28} show this help")
    lines.append(f"  {'--version':<28} show the version")
    return "\n".join(lines) + "\n"


def _plain(doc: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in doc.strip().splitlines())

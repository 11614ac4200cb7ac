"""Python functions of a caller as commands: the decorator ``utility`` and the context of such a function.

@utility
def greet(ctx: UtilityContext) -> str:
    return f"hello {ctx.args[0]}\\n"

Shell(utilities=[greet]).run("greet world | tr a-z A-Z")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from sandhook.command.context import Context, Reader
from sandhook.command.foreign import ForeignUtility, fault_of, is_foreign, status_of
from sandhook.command.options import Syntax, option_set
from sandhook.command.utility import Declaration, Utility
from sandhook.kernel.failure import CommandFailure
from sandhook.kernel.process import Process
from sandhook.limits import Budget
from sandhook.vfs.base import FileSystem
from sandhook.vfs.path import VirtualPath

if TYPE_CHECKING:
    Body: TypeAlias = Callable[["UtilityContext"], "int | str | bytes | None"]

    #: Additional commands: modules or objects by name, or functions that ``@utility`` declared.
    Utilities: TypeAlias = Mapping[str, Declaration | Utility] | Iterable["OwnUtility"]

#: Characters that the name of a command cannot have.
_NOT_IN_NAMES = frozenset("/ \t\n\r\0=\"'\\$`|&;<>(){}*?[]#~")


class InputStream:
    """A command's standard input."""

    __slots__ = ("_ctx", "_reader")

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._reader: Reader | None = None

    def _open(self) -> Reader:
        if self._reader is None:
            self._reader = self._ctx.stdin_reader()
        return self._reader

    def read(self, count: int | None = None) -> bytes:
        """Return the rest, or with ``count`` between 1 and ``count`` bytes of it; b"" at the end."""
        return self._open().read_all() if count is None else self._open().read(count)

    def text(self) -> str:
        """Return the rest as text; bytes that are not UTF-8 are kept as surrogate escapes."""
        return self.read().decode("utf-8", "surrogateescape")

    def lines(self) -> Iterator[str]:
        """Yield the lines of the rest as they arrive, as text without newlines."""
        for line in self._open().lines():
            yield line.removesuffix(b"\n").decode("utf-8", "surrogateescape")

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines of the rest as they arrive, with newlines."""
        return self._open().lines()

    def _close(self) -> None:
        if self._reader is not None:
            self._reader.close()


class OutputStream:
    """A command's standard output or standard error."""

    __slots__ = ("_write",)

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write

    def write(self, data: str | bytes) -> None:
        """Write bytes, or text in UTF-8."""
        self._write(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)

    def print(self, *values: object, sep: str = " ", end: str = "\n") -> None:
        """Write values as ``print`` would."""
        self.write(sep.join(map(str, values)) + end)


class UtilityContext:
    """The context of a function that is a command: arguments, streams, files, variables, and the budget.

    Attributes:
        name: The name by which it was called.
        args: Its arguments, without the options if it declares options.
        options: An instance of its ``Options``; None when it does not declare options.
        stdin, stdout, stderr: Its streams, which may be pipes.
        fs: The file system; its paths are absolute. ``path`` converts relative names.
        env: The exported variables.
        budget: The remaining limits of the run. Charge it for work that does not depend on the input.
    """

    __slots__ = ("_context", "args", "budget", "fs", "name", "options", "stderr", "stdin", "stdout")

    def __init__(self, context: Context, args: Sequence[str], options: Any = None) -> None:
        self._context = context
        self.name: str = context.name
        self.args: tuple[str, ...] = tuple(args)
        self.options = options
        self.stdin = InputStream(context)
        self.stdout = OutputStream(context.write)
        self.stderr = OutputStream(self._error)
        self.fs: FileSystem = context.fs
        self.budget: Budget = context.budget

    @property
    def env(self) -> Mapping[str, str]:
        """The exported variables, read-only."""
        return MappingProxyType(dict(self._context.environment))

    @property
    def cwd(self) -> str:
        """The working directory."""
        return str(self.process.cwd)

    @property
    def process(self) -> Process:
        """The virtual process: descriptors, umask, process number."""
        return self._context.process

    def path(self, name: str) -> VirtualPath:
        """Return a name as an absolute path, relative to the working directory."""
        return self._context.path(name)

    def read(self, name: str) -> bytes:
        """Return the bytes of a file; "-" is standard input. Raises OSError, which is printed for the script."""
        if name == "-":
            return self.stdin.read()
        try:
            with self._context.open(name) as reader:
                return reader.read_all()
        except OSError as error:
            error.filename = name  # as the script wrote it
            raise

    def write(self, name: str, data: str | bytes, *, append: bool = False) -> None:
        """Write a file, which is created or truncated. Raises OSError, which is printed for the script."""
        try:
            file = self._context.create(name, append=append)
        except OSError as error:
            error.filename = name
            raise
        try:
            file.write(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)
        finally:
            file.release()

    def run(self, *argv: str, env: Mapping[str, str] | None = None) -> int:
        """Run another command on the same streams and return its exit status."""
        self._context.flush()
        return self._context.run_command(argv, environment=env)

    def error(self, message: str, status: int = 1) -> int:
        """Write "name: message" to standard error and return ``status``: ``return ctx.error("no such user")``.

        The statuses 126 and 127 report that the command cannot do its work at all, as for a program that
        cannot be started: a hook that ends so could not run.
        """
        self._context.error(message)
        if status in (126, 127):
            self._context.kernel.failure = CommandFailure(status, f"{self.name}: {message}")
        return status

    def _error(self, data: bytes) -> None:
        self._context.flush()
        self.process.write_error(data)


class OwnUtility:
    """A function as a command, made by ``utility``, for ``Shell`` and ``SandboxRunner``.

    Attributes:
        name: The command's name.
        function: The function, which calling this object calls.
    """

    RAW = True  # ``run`` parses the options, if the function declares any

    def __init__(self, function: Body, name: str | None, options: type | None) -> None:
        self.function = function
        self.name = getattr(function, "__name__", "") if name is None else name
        self.__doc__ = function.__doc__
        if not self.name or not _NOT_IN_NAMES.isdisjoint(self.name) or self.name[0] == "-":
            raise ValueError(f"utility: {self.name!r} cannot be the name of a command")
        if options is not None and not hasattr(options, "_declared"):
            raise TypeError(f"utility: the options of {self.name} are not made by @option_set")
        self.Options: type = _NoOptions if options is None else options
        self._syntax = Syntax(self.Options)

    def __call__(self, ctx: UtilityContext) -> int | str | bytes | None:
        """Call the function."""
        return self.function(ctx)

    def __repr__(self) -> str:
        return f"<utility {self.name}>"

    def run(self, options: Any, arguments: Sequence[str], context: Context) -> int:
        """Call the function on a command line; an exception becomes one line and an exit status."""
        del options  # parsed here, because --help needs the docstring of the function
        if self.Options is not _NoOptions:
            options, arguments = self._syntax.parse(arguments)
        else:
            options = None
        ctx = UtilityContext(context, arguments, options)
        budget = context.budget
        budget.outside += 1
        try:
            return status_of(lambda: self.function(ctx), context)
        finally:
            budget.outside -= 1
            ctx.stdin._close()


@option_set
class _NoOptions:
    """No options: all arguments are passed to the function."""


@overload
def utility(function: Body, /) -> OwnUtility: ...


@overload
def utility(*, name: str | None = None, options: type | None = None) -> Callable[[Body], OwnUtility]: ...


def utility(
    function: Body | None = None, /, *, name: str | None = None, options: type | None = None
) -> OwnUtility | Callable[[Body], OwnUtility]:
    """Convert a function to a command: ``Shell(utilities=[greet])``.

    The function receives a ``UtilityContext`` and returns an exit status, None for 0, or text that is
    its output. An exception is printed as one line on standard error, with status 1: OSError as by
    other utilities, ``UsageError`` with the hint to --help, ``Failure`` with its own status.
    LimitExceeded ends the run.

    Args:
        name: The command's name, if it is not the function's.
        options: A class of options (``option_set``), parsed in GNU's manner into ``ctx.options``;
            without it ``ctx.args`` has all arguments, unchanged.

    Raises:
        ValueError: A name that no command can have.
        TypeError: Options that are not made by ``option_set``.
    """

    def decorate(function: Body) -> OwnUtility:
        return OwnUtility(function, name, options)

    return decorate if function is None else decorate(function)


def by_name(utilities: Utilities | None) -> dict[str, Utility]:
    """Return commands by name, from a mapping or a sequence of OwnUtility. Raises TypeError, ValueError."""
    if utilities is None:
        return {}
    if isinstance(utilities, Mapping):
        return {
            name: each if isinstance(each, Utility) else Utility(_declared(name, each))
            for name, each in utilities.items()
        }
    commands: dict[str, Utility] = {}
    for item in utilities:
        if not isinstance(item, OwnUtility):
            raise TypeError(f"utilities: {item!r} has no name; decorate it with @utility, or give a mapping")
        if item.name in commands:
            raise ValueError(f"utilities: two are called {item.name}")
        commands[item.name] = Utility(item)
    return commands


def _declared(name: str, declaration: Declaration) -> Declaration:
    """Return what declares a caller's command. Raises TypeError."""
    if not is_foreign(declaration):
        return declaration
    fault = fault_of(declaration)
    if fault is not None:
        raise TypeError(f"utilities: {declaration!r} cannot be the command {name}: {fault}")
    return ForeignUtility(declaration)

"""sqlite3: run SQL on database files.

Source: SQLite's manual, "Command Line Shell For SQLite". Oracle: SQLite 3.40.1. A database is copied into a worker
process, where SQLite has no files, and written back if it changes. Divergences: L-SQLITE-001 to L-SQLITE-003.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from json import dumps
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import Inform, also, declared_fields, opt, option_set
from sandhook.kernel.descriptor import Description
from sandhook.lazy import lazily
from sandhook.utilities.data.worker_call import call_worker
from sandhook.worker import client, frames
from sandhook.worker.requests import NativeRequest

if TYPE_CHECKING:
    from sandhook.worker.headers import SqliteHeader

RAW = True  # long options have one dash: see _Arguments

#: Dot-commands that read a file.
_FILE_COMMAND = lazily(r"^\.(?:read?|imp(?:o|or|ort)?)[ \t](.*)$", re.MULTILINE)

#: The maximal number of files that a script may read.
_MAX_FILES = 100


@option_set
class Options:
    """sqlite3 [OPTION]... [FILE [SQL]...]

    Run SQL statements and dot-commands on a database, from the arguments or from standard input. Without
    FILE the database is in memory. ``.help`` lists the dot-commands.
    """

    mode: bool = opt(
        "-ascii", "-box", "-column", "-csv", "-html", "-json", "-line", "-list", "-markdown", "-quote",
        "-table", "-tabs", help="output mode",
    )  # fmt: skip
    headers: bool | None = also(
        opt("-header", help="print the names of columns", default=None),
        opt("-noheader", help="do not", const=False),
    )
    column: str = opt("-separator", "TEXT", "the separator of columns (|)")
    row: str = opt("-newline", "TEXT", "the separator of rows")
    null: str = opt("-nullvalue", "TEXT", "the text for NULL")
    readonly: bool = opt("-readonly", help="do not allow changes")
    bail: bool = opt("-bail", help="stop at the first error")
    echo: bool = opt("-echo", help="print commands before they run")
    batch: bool = opt("-batch", "-interactive", ignored="there is no terminal")
    safe: bool = opt("-safe", ignored="no file of the host is reached")
    first: tuple[str, ...] = opt("-cmd", "COMMAND", "run COMMAND first", append=True)
    init: tuple[str, ...] = opt("-init", "FILE", "read FILE first", append=True)


_OPTIONS = {
    flag[1:]: option
    for declared in declared_fields(Options).values()
    for option in declared.options
    for flag in option.flags
}


class _Arguments:
    """A parsed command line."""

    def __init__(self) -> None:
        self.mode = ""
        self.headers: bool | None = None
        self.bail = self.echo = self.readonly = False
        self.column: str | None = None
        self.row: str | None = None
        self.null: str | None = None
        self.first: list[str] = []
        self.init: list[str] = []
        self.operands: list[str] = []
        self.error = ""
        self.inform = ""


def _parse(arguments: Sequence[str]) -> _Arguments:
    parsed = _Arguments()
    rest = list(reversed(arguments))
    while rest:
        argument = rest.pop()
        name = argument[2:] if argument.startswith("--") else argument[1:]
        if not argument.startswith("-") or argument == "-":
            parsed.operands.append(argument)
        elif name in ("help", "version"):
            parsed.inform = name
        elif (option := _OPTIONS.get(name)) is None:
            parsed.error = f"unknown option: {argument}"
            return parsed
        elif option.metavar is not None:
            if not rest:
                parsed.error = f"missing argument to -{name}"
                return parsed
            value = rest.pop()
            if option.append:
                getattr(parsed, option.field).append(value)
            else:
                setattr(parsed, option.field, _unescaped(value))
        elif option.field == "mode":
            parsed.mode = name
        elif not option.ignored:
            setattr(parsed, option.field, option.const)
    return parsed


def _unescaped(text: str) -> str:
    for mark, character in (("\\t", "\t"), ("\\n", "\n"), ("\\r", "\r"), ("\\\\", "\\")):
        text = text.replace(mark, character)
    return text


def run(options: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 for a usage error or failed statements, or SQLite's error code for an SQL argument."""
    parsed = _parse(arguments)
    if parsed.error:
        ctx.process.write_error(
            f"{ctx.name}: Error: {parsed.error}\nUse -help for a list of options.\n".encode()
        )
        return 1
    if parsed.inform:
        raise Inform(parsed.inform)
    return _Run(parsed, ctx).status()


class _Run:
    """One call of sqlite3."""

    def __init__(self, arguments: _Arguments, ctx: Context) -> None:
        self._arguments = arguments
        self._ctx = ctx
        self._name = arguments.operands[0] if arguments.operands else ""
        self._in_memory = self._name in ("", ":memory:")
        self._target: Description | None = None
        self._files: dict[str, str | None] = {}
        self._status = 0

    def status(self) -> int:
        """Run it and return the exit status."""
        try:
            image = b"" if self._in_memory else self._image()
        except OSError as error:
            self._print(f'Error: unable to open database "{self._name}": {_open_reason(error)}\n')
            return 1
        except _UnsupportedError as error:
            self._print(f"Error: {error}\n")
            return 1
        header = self._header()
        request = NativeRequest(dumps(header).encode(), image)
        try:
            self._request(request)
        finally:
            if self._target is not None:
                self._target.release()
        return self._status

    def _image(self) -> bytes:
        """Return the bytes of the database file, which is created if it does not exist."""
        ctx = self._ctx
        path = ctx.path(self._name)
        if not ctx.fs.exists(path):
            if self._arguments.readonly:
                raise FileNotFoundError(2, "unable to open database file")
            ctx.create(self._name).release()
            return b""
        for suffix, description in (("-wal", "a write-ahead log"), ("-journal", "a journal")):
            log = ctx.path(self._name + suffix)
            if ctx.fs.exists(log) and ctx.fs.stat(log).size:
                raise _UnsupportedError(
                    f"{self._name} has {description}, which is not supported (L-SQLITE-002)"
                )
        with ctx.open(self._name) as reader:
            data = reader.read_all()
        ctx.budget.check_fits(3 * len(data))
        if data[:16] == b"SQLite format 3\0" and data[18:20] == b"\2\2":
            data = data[:18] + b"\1\1" + data[20:]  # rollback journal: SQLite need not look for the empty log
        return data

    def _header(self) -> SqliteHeader:
        arguments = self._arguments
        commands = arguments.operands[1:]
        script = None
        if not commands:
            with self._ctx.stdin_reader() as reader:
                script = reader.read_all().decode("utf-8", "surrogateescape")
        first = [*(f".read {shlex.quote(name)}" for name in arguments.init), *arguments.first]
        for text in (*first, *commands, script or ""):
            self._collect_files(text, 0)
        clean = [_clean(text) for text in commands]
        return {
            "name": _clean(str(self._ctx.path(self._name))) if not self._in_memory else "",
            "first": [_clean(text) for text in first],
            "commands": clean,
            "script": None if script is None else _clean(script),
            "files": {
                _clean(name): None if text is None else _clean(text) for name, text in self._files.items()
            },
            "mode": arguments.mode,
            "headers": arguments.headers,
            "null": arguments.null,
            "column": arguments.column,
            "row": arguments.row,
            "bail": arguments.bail,
            "echo": arguments.echo,
            "readonly": arguments.readonly,
            "max_bytes": self._ctx.kernel.limits.fs_bytes,
        }

    def _collect_files(self, text: str, depth: int) -> None:
        """Read the files that a text names in ``.read`` and ``.import``, for the worker has no files."""
        for match in _FILE_COMMAND.finditer(text):
            try:
                words = shlex.split(match[1])
            except ValueError:
                words = match[1].split()
            for name in words:
                if name.startswith("-") or name in self._files or len(self._files) >= _MAX_FILES:
                    continue
                content = self._file(name)
                self._files[name] = content
                if content is not None and depth < 10:
                    self._collect_files(content, depth + 1)

    def _file(self, name: str) -> str | None:
        path = self._ctx.path(name)
        try:
            if not self._ctx.fs.exists(path) or self._ctx.fs.is_dir(path):
                return None
            with self._ctx.open(name) as reader:
                return reader.read_all().decode("utf-8", "surrogateescape")
        except OSError:
            return None

    # ------------------------------------------------------------------ output

    def _request(self, request: NativeRequest) -> None:
        size = len(request.data) + len(request.header)
        call_worker(client.sqlite_pool(), request, size, self._ctx.budget, self._on_frame)

    def _on_frame(self, kind: int, payload: bytes) -> None:
        """Handle one frame of the answer."""
        ctx = self._ctx
        if kind == frames.OUTPUT:
            if self._target is None:
                ctx.write(payload)
            else:
                ctx.charge(1 + (len(payload) >> 10))
                self._target.write(payload)
        elif kind == frames.FAILED:
            ctx.flush()
            ctx.process.write_error(payload)
        elif kind == frames.TARGET:
            self._redirect(payload.decode("utf-8", "surrogateescape"))
        elif kind == frames.FILE:
            name, _, data = payload.partition(b"\0")
            self._write(name.decode("utf-8", "surrogateescape"), data)
        elif kind == frames.DONE:
            self._status = frames.RUN_RESULT.unpack_from(payload)[0]
            image = payload[frames.RUN_RESULT.size :]
            if image and not self._in_memory:
                self._write(self._name, image)

    def _redirect(self, name: str) -> None:
        if self._target is not None:
            self._target.release()
            self._target = None
        if name:
            try:
                self._target = self._ctx.create(name)
            except OSError as error:
                self._print(f'Error: cannot open "{name}": {reason(error)}\n')

    def _write(self, name: str, data: bytes) -> None:
        try:
            file = self._ctx.create(name)
        except OSError as error:
            self._print(f'Error: cannot open "{name}": {reason(error)}\n')
            self._status = 1
            return
        try:
            file.write(data)
        except OSError as error:
            self._print(f"Error: {name}: {reason(error)}\n")
            self._status = 1
        finally:
            file.release()

    def _print(self, text: str) -> None:
        self._ctx.flush()
        self._ctx.process.write_error(text.encode("utf-8", "surrogateescape"))


class _UnsupportedError(Exception):
    """Something is not supported; the message names it."""


def _open_reason(error: OSError) -> str:
    return "unable to open database file" if error.errno in (2, 20, 21) else reason(error)


def _clean(text: str) -> str:
    """Return text with U+FFFD for bytes that are not UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

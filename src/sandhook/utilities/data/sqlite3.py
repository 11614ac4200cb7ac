"""sqlite3: run SQL on database files.

Source: SQLite's manual, "Command Line Shell For SQLite". Oracle: SQLite 3.40.1. A database is copied into a worker
process, where SQLite has no files, and written back if it changes. Divergences: L-SQLITE-001 to L-SQLITE-003.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from json import dumps
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import Inform, also, opt, option_set
from sandhook.command.word_options import WordOptionError, WordSyntax
from sandhook.kernel.descriptor import Description
from sandhook.lazy import lazily
from sandhook.text.locale import replace_invalid
from sandhook.utilities.data.worker_call import call_worker
from sandhook.worker import client, frames
from sandhook.worker.requests import NativeRequest

if TYPE_CHECKING:
    from sandhook.worker.headers import SqliteHeader

WRITE_ERROR = ""
RAW = True  # options are words with one dash: see word_options.py

#: Dot-commands that read a file.
_FILE_COMMAND = lazily(r"(?m)^\.(?:read?|imp(?:o|or|ort)?)[ \t](.*)$")

#: The maximal number of files that a script may read.
_MAX_FILES = 100


def _expand_escapes(text: str) -> str:
    for mark, character in (("\\t", "\t"), ("\\n", "\n"), ("\\r", "\r"), ("\\\\", "\\")):
        text = text.replace(mark, character)
    return text


@option_set
class Options:
    """sqlite3 [OPTION]... [FILE [SQL]...]

    Run SQL statements and dot-commands on a database, from the arguments or from standard input. Without
    FILE the database is in memory. ``.help`` lists the dot-commands.
    """

    mode: str = also(
        opt("-list", help="the output mode list (the default)", const="list", default=""),
        *(
            opt(f"-{mode}", help=f"the output mode {mode}", const=mode)
            for mode in (
                "ascii", "box", "column", "csv", "html", "json", "line", "markdown", "quote", "table", "tabs"
            )
        ),
    )  # fmt: skip
    headers: bool | None = also(
        opt("-header", help="print the names of columns", default=None),
        opt("-noheader", help="do not", const=False),
    )
    column: str | None = opt("-separator", "TEXT", "the separator of columns (|)", convert=_expand_escapes)
    row: str | None = opt("-newline", "TEXT", "the separator of rows", convert=_expand_escapes)
    null: str | None = opt("-nullvalue", "TEXT", "the text for NULL", convert=_expand_escapes)
    readonly: bool = opt("-readonly", help="do not allow changes")
    bail: bool = opt("-bail", help="stop at the first error")
    echo: bool = opt("-echo", help="print commands before they run")
    batch: bool = opt("-batch", "-interactive", ignored="there is no terminal")
    safe: bool = opt("-safe", ignored="no file of the host is reached")
    first: tuple[str, ...] = opt("-cmd", "COMMAND", "run COMMAND first", append=True)
    init: tuple[str, ...] = opt("-init", "FILE", "read FILE first", append=True)
    inform: str = also(
        opt("-help", "--help", help="show this help", const="help", default=""),
        opt("-version", "--version", help="show the version", const="version"),
    )


_SYNTAX = WordSyntax(Options, permute=True, equals=False)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 for a usage error or failed statements, or SQLite's error code for an SQL argument."""
    try:
        options, operands = _SYNTAX.parse(arguments)
    except WordOptionError as error:
        text = (
            f"missing argument to -{error.name}"
            if error.problem == "missing"
            else f"unknown option: {error.word}"
        )
        ctx.write_error(f"{ctx.name}: Error: {text}\nUse -help for a list of options.\n")
        return 1
    if options.inform:
        raise Inform(options.inform)
    return _Run(options, operands, ctx).status()


class _Run:
    """One call of sqlite3."""

    def __init__(self, options: Options, operands: Sequence[str], ctx: Context) -> None:
        self._options = options
        self._commands = list(operands[1:])
        self._ctx = ctx
        self._name = operands[0] if operands else ""
        self._in_memory = self._name in ("", ":memory:")
        self._target: Description | None = None
        self._files: dict[str, str | None] = {}
        self._status = 0

    def status(self) -> int:
        """Run it and return the exit status."""
        try:
            image = b"" if self._in_memory else self._image()
        except OSError as error:
            self._ctx.write_error(f'Error: unable to open database "{self._name}": {_open_reason(error)}\n')
            return 1
        except _UnsupportedError as error:
            self._ctx.write_error(f"Error: {error}\n")
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
            if self._options.readonly:
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
        options, commands = self._options, self._commands
        script = None
        if not commands:
            with self._ctx.stdin_reader() as reader:
                script = reader.read_all().decode("utf-8", "surrogateescape")
        first = [*(f".read {shlex.quote(name)}" for name in options.init), *options.first]
        for text in (*first, *commands, script or ""):
            self._collect_files(text, 0)
        clean = [replace_invalid(text) for text in commands]
        return {
            "name": replace_invalid(str(self._ctx.path(self._name))) if not self._in_memory else "",
            "first": [replace_invalid(text) for text in first],
            "commands": clean,
            "script": None if script is None else replace_invalid(script),
            "files": {
                replace_invalid(name): None if text is None else replace_invalid(text)
                for name, text in self._files.items()
            },
            "mode": options.mode,
            "headers": options.headers,
            "null": options.null,
            "column": options.column,
            "row": options.row,
            "bail": options.bail,
            "echo": options.echo,
            "readonly": options.readonly,
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
                self._ctx.write_error(f'Error: cannot open "{name}": {reason(error)}\n')

    def _write(self, name: str, data: bytes) -> None:
        try:
            file = self._ctx.create(name)
        except OSError as error:
            self._ctx.write_error(f'Error: cannot open "{name}": {reason(error)}\n')
            self._status = 1
            return
        try:
            file.write(data)
        except OSError as error:
            self._ctx.write_error(f"Error: {name}: {reason(error)}\n")
            self._status = 1
        finally:
            file.release()


class _UnsupportedError(Exception):
    """Something is not supported; the message names it."""


def _open_reason(error: OSError) -> str:
    return "unable to open database file" if error.errno in (2, 20, 21) else reason(error)

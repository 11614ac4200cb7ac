"""One call of jq on Linux and macOS, where the worker calls libjq's own functions, in one request.

The package jq hides those functions on Windows; ``call.py`` is the implementation for that. What
libjq would read from the system or from the command line is in the header (``JqHeader``); the
answer is output, text for standard error, and the status.
"""

from __future__ import annotations

import re
from json import dumps
from time import time
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.errors import WorkerError
from sandhook.lazy import lazily
from sandhook.utilities.data.jq import program as programs
from sandhook.utilities.data.jq.arguments import TRY_HELP, Command, Stop
from sandhook.utilities.data.jq.lexer import Unbalanced
from sandhook.utilities.data.jq.linked import Linked, is_linked
from sandhook.worker import client, frames
from sandhook.worker.requests import NativeRequest

if TYPE_CHECKING:
    from sandhook.worker.headers import JqHeader

# How libjq prints a value, and reads texts.
_PRETTY, _ASCII, _COLOUR, _SORTED, _TAB = 1, 2, 4, 8, 64
_SEQ, _STREAM, _STREAM_ERRORS = 1, 2, 4

_NAME = lazily(r"[A-Za-z_][A-Za-z0-9_]*\Z", re.ASCII)

_COMPILE_ERROR, _NO_OUTPUT = 3, -4

#: Functions that the worker asks this side's values for, when the program's text has their name.
_ASKED = ("now", "input_filename", "input_line_number")

#: What a time zone is written with; all else is UTC.
_ZONE = lazily(r"[A-Za-z<][A-Za-z0-9<>+\-,.:/_]{0,99}\Z", re.ASCII)


class Run:
    """One call of jq."""

    def __init__(self, command: Command, ctx: Context) -> None:
        self._command = command
        self._ctx = ctx
        self._files: list[
            tuple[str, int, str]
        ] = []  # name, size, what is said when it is reached and cannot be read
        self._data: bytes | None = None
        self._refused: str | None = None  # what libjq says of a program that it does not accept
        self._status = 0

    def status(self) -> int:
        """Run it and return its exit status."""
        try:
            linked = self._linked(self._program())
            whole = linked.before + linked.body
            header = self._header(linked, whole)
            if not self._command.null_input or header["reads"]:
                self._read()
            self._ask(NativeRequest(dumps(header).encode(), self._data or b""))
            if self._refused is not None:
                self._explain(linked, header)
        except Stop as stop:
            return stop.status
        return self._status

    # ------------------------------------------------------------------ what goes in

    def _program(self) -> str:
        command = self._command
        text = "." if command.program is None else command.program
        if command.from_file:
            try:
                text = self._file(text)
            except OSError as error:
                self._print(f"jq: Could not open {text}: {_reason(error)}\n")
                raise Stop(2) from None
        return _clean(text)

    def _linked(self, text: str) -> Linked:
        """Return the program with its modules. libjq itself speaks first of what is wrong with its words."""
        if not is_linked(text, self._ctx):
            return Linked(text)
        from sandhook.utilities.data.jq.directives import Malformed
        from sandhook.utilities.data.jq.modules import Linker, ModuleError

        command = self._command
        linker = Linker(self._ctx, command.search)
        linked: Linked | None = None
        error = "jq: error: syntax error in the head of the program"
        try:
            linked = linker.link(text, (command.program or "") * command.from_file, self._names)
        except ModuleError as failure:
            error = str(failure)
        except (Malformed, Unbalanced):
            pass
        self._ask(NativeRequest(dumps({"grammar": linker.texts}).encode(), b""))
        if linked is None or self._refused:
            self._print(f"{self._refused or error}\njq: 1 compile error\n")
            raise Stop(_COMPILE_ERROR)
        return linked

    def _names(self) -> bytes:
        """Return where names of modules may stand, for ``modulemeta``."""
        return b"" if self._command.null_input else self._read()

    def _explain(self, linked: Linked, header: JqHeader) -> None:
        """Report what is wrong with a program that libjq rejects."""
        first = self._refused
        self._status = _COMPILE_ERROR

        def compiled(text: str) -> str:
            self._ask(
                NativeRequest(dumps({**header, "program": text, "before": "", "check": True}).encode(), b"")
            )
            return self._refused or ""

        said = ""
        if linked.parts:
            from sandhook.utilities.data.jq.explain import explain

            said = explain(linked, compiled)
        self._print((said or first or "jq: error: the brackets of the program do not match") + "\n")

    def _header(self, linked: Linked, text: str) -> JqHeader:
        command = self._command
        unclear = False
        try:
            uses = programs.inspect(linked.body, native=True)
            if linked.before:
                uses = programs.inspect(text, native=True, linked=True)
            reads = bool(uses.sites)
        except programs.Refused as refused:
            self._print(f"jq: error: {refused}\n")
            raise Stop(_COMPILE_ERROR) from None
        except Unbalanced:
            unclear, reads = True, False
        environment = self._ctx.environment
        definitions = [self._definition(*each) for each in command.definitions]
        data = [(option, name, value, path) for name, option, path, value in linked.data]
        bind = [name for _, name, _, _ in definitions if _NAME.match(name) and name not in programs.OWN]
        bind += [name for _, name, _, _ in data]
        env = {}
        if "env" in text or "ENV" in text:
            bind.append("ENV")
            env = {_clean(name): _clean(value) for name, value in environment.items()}
        if "ARGS" in text:
            bind.append("ARGS")
        return {
            "program": linked.body,
            "before": linked.before,
            "check": unclear,
            "reads": reads,
            "bind": bind,
            "asked": [name for name in _ASKED if name in text],
            "env": env,
            "definitions": definitions + data,
            "files": self._files,
            "positional": [(is_json, _clean(value)) for is_json, value in command.positional],
            "zone": self._zone(text),
            "skew": self._ctx.now() - time() if "now" in text else 0,
            "null_input": command.null_input,
            "slurp": command.slurp,
            "raw_input": command.raw_input,
            "parse": _SEQ * command.seq + _STREAM * command.stream + _STREAM_ERRORS * command.stream_errors,
            "layout": self._layout(),
            "raw": command.raw,
            "ascii": command.ascii,
            "join": command.join,
            "nul": command.nul,
            "seq": command.seq,
            "colours": _clean(environment.get("JQ_COLORS", "")) if command.colour else None,
        }

    def _zone(self, text: str) -> str | None:
        """Return the time zone for a program that may ask for it."""
        if "time" not in text and "date" not in text:
            return None
        from sandhook.utilities.data.jq.zone import written

        return written(self._ctx.environment.get("TZ", ""))

    def _layout(self) -> int:
        command = self._command
        flags = _ASCII * command.ascii + _COLOUR * command.colour + _SORTED * command.sort_keys
        if command.indent == -1:
            flags |= _TAB | _PRETTY
        elif command.indent is not None:
            flags |= command.indent << 8 | _PRETTY
        return flags

    def _definition(self, option: str, name: str, text: str) -> tuple[str, str, str, str]:
        """Return option, name, text, and the file that the text was read from."""
        path = ""
        if option.endswith("file"):
            path = text
            try:
                text = self._file(path)
            except OSError as error:
                self._print(
                    f"jq: Bad JSON in --{option} {name} {path}: Could not open {path}: {_reason(error)}\n"
                )
                raise Stop(2) from None
        return option, _clean(name), _clean(text), _clean(path)

    def _file(self, name: str) -> str:
        with self._ctx.open(name) as reader:
            data = reader.read_all()
        self._ctx.budget.check_fits(2 * len(data))
        return data.decode("utf-8", "surrogateescape")

    def _read(self) -> bytes:
        """Return all input, read once: the operands one after the other, or standard input."""
        if self._data is None:
            self._data = self._read_all()
        return self._data

    def _read_all(self) -> bytes:
        ctx = self._ctx
        if not self._command.files:
            with ctx.stdin_reader() as reader:
                data = reader.read_all()
            self._files.append(("<stdin>", len(data), ""))
            return data
        pieces = []
        size = 0
        for name in self._command.files:
            try:
                with ctx.open(name) as reader:
                    data = reader.read_all()
            except IsADirectoryError as error:
                self._files.append((_clean(name), 0, f"jq: error: {error.strerror}\n"))
                continue
            except OSError as error:
                said = f"jq: error: Could not open file {name}: {error.strerror}\n"
                self._files.append((_clean(name), 0, _clean(said)))
                continue
            size += len(data)
            ctx.budget.check_fits(size)
            pieces.append(data)
            self._files.append((_clean("<stdin>" if name == "-" else name), len(data), ""))
        return b"".join(pieces)

    # ------------------------------------------------------------------ what comes out

    def _ask(self, request: NativeRequest) -> None:
        """Ask the worker; its death and its delay are the run's."""
        self._refused = None
        budget = self._ctx.budget
        budget.charge(1 + (len(request.data) + len(request.header) >> 10))
        try:
            client.POOL.call(request, budget.remaining, self._take)
        except client.OutOfTime:
            budget.fail("wall_seconds")
        except client.WorkerDied:
            budget.fail("memory_bytes")
        except WorkerError as error:
            self._print(f"jq: error: {error}\n")
            raise Stop(2) from None

    def _take(self, kind: int, payload: bytes) -> None:
        """Print one frame of the answer."""
        if kind == frames.OUTPUT or kind == frames.ALSO:
            self._ctx.write(payload)
        elif kind == frames.FAILED:
            self._ctx.flush()
            self._ctx.process.write_error(payload)
        elif kind == frames.DONE:
            self._ctx.write(payload[frames.ENDED.size :])
            self._end(*frames.ENDED.unpack_from(payload))
        else:
            self._refused = payload.decode("utf-8", "replace")

    def _end(self, result: int, last: int) -> None:
        """Make the exit status of the last turn's result, as jq's main program does."""
        if result == frames.MISUSED:
            self._print(TRY_HELP + "\n")
            result = 2
        if not self._command.exit_status:
            self._status = max(result, 0)
        elif result != _NO_OUTPUT:
            self._status = abs(result)
        else:
            self._status = {-1: 4, 0: 1}.get(last, 0)
        self._status &= 0xFF

    def _print(self, message: str) -> None:
        """Write to standard error, after the output so far."""
        self._ctx.flush()
        self._ctx.process.write_error(message.encode("utf-8", "surrogateescape"))


def _clean(text: str) -> str:
    """Return text in which bytes that are no UTF-8 are U+FFFD."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _reason(error: OSError) -> str:
    return "It's a directory" if isinstance(error, IsADirectoryError) else str(error.strerror)

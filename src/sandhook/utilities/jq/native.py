"""One call of jq where the worker calls libjq's own functions: everything goes there in one request.

What libjq would read from the system or from the command line is in the header; what comes back is
output, text for standard error, and the status.
"""

from __future__ import annotations

import re
from json import dumps
from time import time
from typing import Any

from sandhook.errors import WorkerError
from sandhook.lazy import lazily
from sandhook.utilities._base import Context
from sandhook.utilities.jq import program as programs
from sandhook.utilities.jq.arguments import TRY_HELP, Command, Stop
from sandhook.utilities.jq.lexer import Unbalanced
from sandhook.worker import client, frames
from sandhook.worker.requests import NativeRequest

# How libjq prints a value, and reads texts.
_PRETTY, _ASCII, _COLOUR, _SORTED, _TAB = 1, 2, 4, 8, 64
_SEQ, _STREAM, _STREAM_ERRORS = 1, 2, 4

_NAME = lazily(r"[A-Za-z_][A-Za-z0-9_]*\Z", re.ASCII)

_COMPILE_ERROR, _SYSTEM_ERROR, _NO_OUTPUT = 3, 2, -4

#: Functions that the worker asks this side's values for, when the program's text has their name.
_ASKED = ("now", "input_filename", "input_line_number")

#: Names of the time zone that libjq has without files.
_UTC = frozenset({"", "UTC", "UTC0", "Etc/UTC", "GMT"})


class Run:
    """One call of jq."""

    def __init__(self, command: Command, ctx: Context) -> None:
        self._command = command
        self._ctx = ctx
        self._missing = False
        self._files: list[tuple[str, int]] = []
        self._status = 0

    def status(self) -> int:
        """Run it and return its exit status."""
        try:
            text = self._program()
            header = self._header(text)
            data = b"" if self._command.null_input and "input" not in text else self._read()
            header["files"] = self._files
            self._ask(NativeRequest(dumps(header).encode(), data))
        except Stop as stop:
            return stop.status
        return self._status

    # ------------------------------------------------------------------ what goes in

    def _program(self) -> str:
        command = self._command
        text = "." if command.program is None else command.program
        if command.from_file:
            if command.program is None:
                self._say(f"jq: no filter file given with -f\n{TRY_HELP}\n")
                raise Stop(2)
            try:
                text = self._file(text)
            except OSError as error:
                self._say(f"jq: Could not open {text}: {error.strerror}\n")
                raise Stop(2) from None
        return _clean(text)

    def _header(self, text: str) -> dict[str, Any]:
        command = self._command
        unclear = False
        try:
            uses = programs.inspect(text, native=True)
            zoned = uses.zoned
        except programs.Refused as refused:
            self._say(f"jq: error: {refused}\n")
            raise Stop(_COMPILE_ERROR) from None
        except Unbalanced:
            unclear, zoned = True, False
        environment = self._ctx.environment
        if zoned and environment.get("TZ", "UTC") not in _UTC:
            self._say("jq: error: a time zone other than UTC is not supported (L-JQ-007)\n")
            raise Stop(_COMPILE_ERROR)
        definitions = [self._definition(*each) for each in command.definitions]
        bind = [name for _, name, _, _ in definitions if _NAME.match(name) and name not in programs.OWN]
        env = {}
        if "env" in text or "ENV" in text:
            bind.append("ENV")
            env = {_clean(name): _clean(value) for name, value in environment.items()}
        if "ARGS" in text:
            bind.append("ARGS")
        return {
            "program": text,
            "check": unclear,
            "bind": bind,
            "asked": [name for name in _ASKED if name in text],
            "env": env,
            "definitions": definitions,
            "positional": [(is_json, _clean(value)) for is_json, value in command.positional],
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
                self._say(
                    f"jq: Bad JSON in --{option} {name} {path}: Could not open {path}: {error.strerror}\n"
                )
                raise Stop(2) from None
        return option, _clean(name), _clean(text), _clean(path)

    def _file(self, name: str) -> str:
        with self._ctx.open(name) as reader:
            data = reader.read_all()
        self._ctx.budget.afford(2 * len(data))
        return data.decode("utf-8", "surrogateescape")

    def _read(self) -> bytes:
        """Return all input: the operands one after the other, or standard input."""
        ctx = self._ctx
        if not self._command.files:
            with ctx.stdin_reader() as reader:
                data = reader.read_all()
            self._files.append(("<stdin>", len(data)))
            return data
        pieces = []
        size = 0
        for name in self._command.files:
            try:
                with ctx.open(name) as reader:
                    data = reader.read_all()
            except OSError as error:
                self._missing = True
                self._say(f"jq: error: Could not open file {name}: {error.strerror}\n")
                continue
            size += len(data)
            ctx.budget.afford(size)
            pieces.append(data)
            self._files.append((_clean("<stdin>" if name == "-" else name), len(data)))
        return b"".join(pieces)

    # ------------------------------------------------------------------ what comes out

    def _ask(self, request: NativeRequest) -> None:
        """Ask the worker; its death and its delay are the run's."""
        budget = self._ctx.budget
        budget.charge(1 + (len(request.data) + len(request.header) >> 10))
        try:
            client.POOL.call(request, budget.remaining, self._take)
        except client.OutOfTime:
            budget.fail("wall_seconds")
        except client.WorkerDied:
            budget.fail("memory_bytes")
        except WorkerError as error:
            self._say(f"jq: error: {error}\n")
            raise Stop(2) from None

    def _take(self, kind: int, payload: bytes) -> None:
        """Print one frame of the answer."""
        if kind == frames.OUTPUT or kind == frames.ALSO:
            self._ctx.write(payload)
        elif kind == frames.FAILED:
            self._ctx.flush()
            self._ctx.process.complain(payload)
        elif kind == frames.DONE:
            self._ctx.write(payload[frames.ENDED.size :])
            self._end(*frames.ENDED.unpack_from(payload))
        else:
            said = payload.decode("utf-8", "replace") or "jq: error: the brackets of the program do not match"
            self._say(said + "\n")
            self._status = _COMPILE_ERROR

    def _end(self, result: int, last: int) -> None:
        """Make the exit status of the last turn's result, as jq's main program does."""
        if result == frames.MISUSED:
            self._say(TRY_HELP + "\n")
            result = 2
        elif self._missing:
            result = _SYSTEM_ERROR
        if not self._command.exit_status:
            self._status = max(result, 0)
        elif result != _NO_OUTPUT:
            self._status = abs(result)
        else:
            self._status = {-1: 4, 0: 1}.get(last, 0)
        self._status &= 0xFF

    def _say(self, message: str) -> None:
        """Write to standard error, after the output so far."""
        self._ctx.flush()
        self._ctx.process.complain(message.encode("utf-8", "surrogateescape"))


def _clean(text: str) -> str:
    """Return text in which bytes that are no UTF-8 are U+FFFD."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

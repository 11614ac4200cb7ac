"""The jq worker on Linux and macOS: it calls libjq's own functions, and does what jq's main program does.

There are two implementations of jq, because the package jq shows libjq's functions on these systems
only; ``server.py`` is the other, for Windows, which runs wrapped programs. Here inputs, ``debug``,
``halt``, layouts and messages are libjq's.

A request is a JSON header (``headers.JqHeader``) and the data. What libjq would read from the system
comes from the header: a program gets a first line that binds its variables and redefines ``env``,
``now`` and the like; answers travel through attributes, which libjq's builtins can read while they run.
"""

from __future__ import annotations

import os
import sys
import time
from collections import OrderedDict
from json import dumps, loads

from sandhook.worker import frames, process
from sandhook.worker.jq import libjq
from sandhook.worker.jq.libjq import Value
from sandhook.worker.jq.position import Position
from sandhook.worker.jq.resumption import Resumption
from sandhook.worker.jq.texts import strings, text_of
from sandhook.worker.jq.values import ValueRejected, Values

TYPE_CHECKING = False  # as a type checker reads it; the module typing costs time at each start

if TYPE_CHECKING:
    from typing import Any

    from sandhook.worker.headers import GrammarHeader, JqHeader

PROGRAMS = 128  #: compiled programs that are kept
LONGEST = 4_096  #: bytes of the longest of them; a megabyte would use up the worker's memory

#: Functions that are redefined to read on after a malformed input, and what they send with its error.
_READERS, _RESUME = ("input", "inputs"), "resume:"

#: What main.c calls these results of a turn.
_OK, _OK_NULL, _SYSTEM, _OK_NOTHING, _UNKNOWN = 0, -1, 2, -4, 5


class Native:
    """Answers requests, one after the other."""

    def __init__(self, lib: libjq.LibJq) -> None:
        self._lib = lib
        self._programs: OrderedDict[bytes, int] = OrderedDict()
        self._marker = f"\x01{os.urandom(12).hex()}:".encode()
        self._errors: list[bytes] = []
        self._listeners = (
            libjq.Message(self._hear_error),
            libjq.Message(self._hear_debug),
            libjq.Message(self._hear_stderr),
        )
        self._run: Run | None = None
        self._zone = ""

    def serve_one(self) -> None:
        """Read one request and answer it."""
        size = frames.NATIVE.size
        seconds, head, body = frames.NATIVE.unpack(process.read_exactly(size))
        request = process.read_exactly(head + body)
        process.arm(seconds)
        header: Any = {**frames.JQ_DEFAULTS, **loads(request[:head])}
        try:
            self._answer(header, request[head:])
        except ValueRejected as error:
            process.send(frames.FAILED, str(error).encode("utf-8", "replace"))
            process.send(frames.DONE, frames.RUN_RESULT.pack(error.status, 0))
        except process.OutputRefused:
            self._forget()
        self._run = None
        self._forget_long()
        process.arm(0)

    def _answer(self, header: JqHeader | GrammarHeader, data: bytes) -> None:
        if "grammar" in header:
            process.send(frames.BROKEN, self._grammar(header["grammar"]))
            return
        if sys.platform != "win32" and header["zone"] not in (None, self._zone):
            self._zone = os.environ["TZ"] = header["zone"]
            time.tzset()
        values = Values(self._lib, header)
        program = self._compiled(header, values)
        if program is None or header["check"]:
            process.send(frames.BROKEN, b"\n".join(self._errors))
            return
        self._run = Run(self._lib, program, header, data)
        self._lib.set_attr(program, self._lib.string(b"PROGRAM_ORIGIN"), values.bound())
        self._run.main()

    # ------------------------------------------------------------------ programs

    def _compiled(self, header: JqHeader, values: Values) -> int | None:
        """Return the program after its first line; None, and ``_errors`` filled, if libjq rejects it."""
        text = header["program"].encode("utf-8", "replace")
        before = header["before"].encode("utf-8", "replace")
        wrapped = self._first_line(header) + before + text
        program = self._programs.get(wrapped)
        if program is not None:
            self._programs.move_to_end(wrapped)
            return program
        program = self._compile(wrapped, self._lib.object()) if not header["check"] else None
        if program is None and not before and (header["check"] or wrapped != text):
            wrapped = b""
            program = self._compile(text, values.all())  # for messages that speak of the text as it is
        if program is not None:
            self._programs[wrapped] = program
            if len(self._programs) > PROGRAMS:
                self._lib.free_program(self._programs.popitem(last=False)[1])
        return program

    def _compile(self, text: bytes, arguments: Value) -> int | None:
        lib = self._lib
        self._errors = []
        program: int = lib.init()
        lib.listen(program, *self._listeners)
        if lib.compile_args(program, text, arguments):
            return program
        lib.free_program(program)
        return None

    def _grammar(self, texts: list[tuple[str, str]]) -> bytes:
        """Return libjq's messages on the first of some texts whose grammar is wrong; imports are not resolved.

        Each has the name of its file; the first is the program, others are modules.
        """
        lib = self._lib
        self._errors = []
        program: int = lib.init()
        lib.listen(program, *self._listeners)
        for number, (name, text) in enumerate(texts):
            if lib.read(program, name.encode(), text.encode("utf-8", "replace"), library=number > 0):
                break
        lib.free_program(program)
        return b"\n".join(self._errors)

    def _first_line(self, header: JqHeader) -> bytes:
        """Return the text before a program, on the same line; the program cannot close what it opens."""
        line = ""
        if header["bind"]:
            line = f"get_prog_origin as [{','.join('$' + name for name in header['bind'])}]|"
        if "ENV" in header["bind"]:
            line += "def env: $ENV;"
        marker = self._marker.decode()
        for name in header["host_functions"]:
            if name in _READERS:
                resume = f"({dumps(marker + _RESUME)}+$__sandhook_error|debug)"
                line += f"def __sandhook_{name}: {name};def {name}: (try __sandhook_{name} catch "
                line += f"(. as $__sandhook_error|{resume}|error($__sandhook_error)))"
                if header["parse"] & libjq.PARSE_STREAM_ERRORS:
                    line += '|if .[0]|type=="string" then . as $__sandhook_event'
                    line += f"|.[0] as $__sandhook_error|{resume}|$__sandhook_event else . end"
                line += ";"
            else:
                line += f"def {name}: {dumps(marker + name)}|debug|get_jq_origin;"
        return line.encode()

    def _forget_long(self) -> None:
        """Free programs with a long text, which no later call should pay for."""
        for text in [text for text in self._programs if len(text) > LONGEST]:
            self._lib.free_program(self._programs.pop(text))

    def _forget(self) -> None:
        """Free the program of a run that was stopped."""
        if self._run is not None:
            for text, program in self._programs.items():
                if program == self._run.program:
                    del self._programs[text]
                    break
            self._lib.free_program(self._run.program)

    # ------------------------------------------------------------------ messages of libjq

    def _hear_error(self, _: object, value: Value) -> None:
        self._errors.append(self._lib.text(self._lib.format_error(value)))

    def _hear_debug(self, _: object, value: Value) -> None:
        try:
            self._debug(value)
        except BaseException:  # nothing passes through C
            os._exit(1)

    def _debug(self, value: Value) -> None:
        lib, run = self._lib, self._run
        assert run is not None
        if value.kind & 15 == libjq.STRING:
            text = lib.text(lib.copy(value))
            if text.startswith(self._marker):
                lib.free(value)
                answer = lib.parse(dumps(run.call_host_function(text[len(self._marker) :].decode())).encode())
                lib.set_attr(run.program, lib.string(b"JQ_ORIGIN"), answer)
                return
        line = lib.append(lib.append(lib.array(), lib.string(b"DEBUG:")), value)
        run.error(lib.dump(line, run.layout & ~libjq.PRETTY) + b"\n")

    def _hear_stderr(self, _: object, value: Value) -> None:
        try:
            assert self._run is not None
            self._run.error(
                self._lib.text(value) if value.kind & 15 == libjq.STRING else self._lib.dump(value)
            )
        except BaseException:
            os._exit(1)


class Run:
    """One call of jq."""

    def __init__(self, lib: libjq.LibJq, program: int, header: JqHeader, data: bytes) -> None:
        self._lib = lib
        self._header = header
        self.program = program
        self.layout: int = header["layout"]
        self._pieces: list[bytes] = []
        self._size = 0
        self._begun = False
        lines = header["raw_input"]
        whole = lines and header["slurp"]
        self._read = data
        if lines:
            self._read = strings(text_of(data), whole=whole).encode()
            if whole and not header["files"]:
                self._read = b""
        files = header["files"]
        self._position = Position(
            [(name, size) for name, size, _ in files], data, self._read, lines=lines, whole=header["slurp"]
        )
        self._unread = self._unreadable(files)
        self._failed_to_open = False
        self._resumption = Resumption(self._read)
        parser = lib.parser_new(0 if lines else header["parse"])
        if self._read:
            lib.parser_set_buf(parser, self._read, len(self._read), 0)
        self._parser = parser
        self._inputs = lib.inputs(parser, slurp=header["slurp"] and not lines)

    def main(self) -> None:
        """Run the program on its inputs and send how it ended, as jq's main program does."""
        lib, header = self._lib, self._header
        if header["colour"]:
            lib.set_colors(libjq.COLOURS)
            if header["colours"] and not lib.set_colors(header["colours"].encode("utf-8", "replace")):
                self.error(b"Failed to set $JQ_COLORS\n")
        lib.set_inputs(self.program, self._inputs)
        try:
            status, last = self._turns()
            if self._failed_to_open:
                status = _SYSTEM
            data = b"".join(self._pieces)
            if self._size > frames.CHUNK:
                self._flush()
                data = b""
            process.send(frames.DONE, frames.RUN_RESULT.pack(status, last) + data)
        finally:
            lib.free_inputs(self._inputs)

    def _turns(self) -> tuple[int, int]:
        """Run every turn; return the last one's result, and of the last output whether it was truthy (-1: none)."""
        lib = self._lib
        status, last = _OK_NOTHING, -1
        if self._header["null_input"]:
            status = self._turn(lib.null())
            self._open_read_files()
            return status, last
        while not self._failed_to_open:
            self._begun = True
            value = lib.inputs_next(self._inputs)
            self._open(at_end=self._header["slurp"] or value.kind & 15 == libjq.INVALID)
            if value.kind & 15 == libjq.INVALID:
                if not lib.has_message(value):
                    return status, last
                message = lib.text(lib.message_of(value))
                if not self._header["parse"] & libjq.PARSE_SEQ:
                    self.error(b"jq: parse error: " + message + b"\n")
                    return _UNKNOWN, last
                self.error(b"jq: ignoring parse error: " + message + b"\n")
                continue
            if self._header["parse"] & libjq.PARSE_STREAM_ERRORS and not lib.parser_remaining(self._parser):
                self._resume_after(loads(lib.dump(lib.copy(value))))
            status = self._turn(value)
            if status <= 0 and status != _OK_NOTHING:
                last = int(status != _OK_NULL)
            if lib.halted(self.program):
                break
        return status, last

    def _resume_after(self, event: object) -> None:
        """Read on after an event of --stream-errors that has the message of an error."""
        if isinstance(event, list) and isinstance(event[0], str) and not self._header["slurp"]:
            self._resume(event[0])

    def _resume(self, message: str) -> None:
        """Continue on the line after a malformed input, as jq does: it reads lines, and drops the rest of one."""
        rest = self._resumption.after(message)
        if rest is not None:
            address, size = rest
            self._lib.parser_set_buf(self._parser, address, size, 0)

    @staticmethod
    def _unreadable(files: list[tuple[str, int, str]]) -> list[tuple[int, bytes]]:
        """Return the files that cannot be read, the last first: offset where they would begin, and message."""
        unreadable = []
        at = 0
        for _, size, message in files:
            if message:
                unreadable.append((at, message.encode("utf-8", "replace")))
            at += size
        return unreadable[::-1]

    def _open_read_files(self) -> None:
        """Call ``_open`` for a program that reads its inputs itself."""
        if self._header["reads"]:
            self._open(at_end=self._offset() == len(self._read))

    def _open(self, *, at_end: bool) -> None:
        """Report the files that could not be read, as far as the inputs were read."""
        end = self._position.end(self._offset()) if self._unread and not at_end else 0
        while self._unread and (at_end or self._unread[-1][0] < end):
            self.error(self._unread.pop()[1])
            self._failed_to_open = True
            self._position.whole = at_end

    def _turn(self, value: Value) -> int:
        """Run the program on one input."""
        lib, program, header = self._lib, self.program, self._header
        raw, as_is, nul = header["raw"], not header["ascii"], header["nul"]
        head = b"\x1e" if header["seq"] else b""
        tail = (b"" if header["join"] else b"\n") if not nul else b"\0"
        layout = self.layout
        status = _OK_NOTHING
        lib.start(program, value, 0)
        while True:
            result = lib.next(program)
            kind = result.kind & 15
            if kind == libjq.INVALID:
                break
            if kind == libjq.STRING and raw:
                status = _OK
                if as_is:
                    data = lib.text(result)
                    if nul and b"\0" in data:
                        return self._failed(
                            lib.string(b"Cannot dump a string containing NUL with --raw-output0 option")
                        )
                    self._put(data + tail)
                else:
                    self._put(lib.dump(result, libjq.ASCII) + tail)
                continue
            status = _OK_NULL if kind in (libjq.NULL, libjq.FALSE) else _OK
            self._put(head + lib.dump(result, layout) + tail)
        if lib.halted(program):
            return self._halted()
        if lib.has_message(result):
            return self._failed(lib.message_of(result))
        return status

    def _halted(self) -> int:
        lib = self._lib
        code = lib.exit_code(self.program)
        status = _OK if code.kind & 15 == libjq.INVALID else _UNKNOWN
        if code.kind & 15 == libjq.NUMBER:
            status = int(max(min(lib.number_value(code), 1 << 30), -(1 << 30)))
        lib.free(code)
        message = lib.error_message(self.program)
        kind = message.kind & 15
        if kind == libjq.STRING:
            self.error(lib.text(message))
        elif kind not in (libjq.NULL, libjq.INVALID):
            self.error(lib.dump(message) + b"\n")
        return status

    def _failed(self, message: Value) -> int:
        """Print an error that the program did not catch."""
        lib = self._lib
        self._open_read_files()
        where = self._where().encode("utf-8", "replace")
        if message.kind & 15 == libjq.STRING:
            text = lib.text(message).partition(b"\0")[0]
            self.error(b"jq: error (at " + where + b"): " + text + b"\n")
        else:
            self.error(b"jq: error (at " + where + b") (not a string): " + lib.dump(message) + b"\n")
        return _UNKNOWN

    # ------------------------------------------------------------------ redefined functions

    def call_host_function(self, name: str) -> float | str | None:
        """Return the value of the redefined function ``name``."""
        if name == "now":
            return time.time() + self._header["skew"]
        if name.startswith(_RESUME):
            self._resume(name.removeprefix(_RESUME))
            return None
        self._open_read_files()
        place = self._position.at(self._offset())
        if name == "input_filename":
            return place[0] if place else None
        return place[1] if place else 0

    def _offset(self) -> int:
        return len(self._read) - int(self._lib.parser_remaining(self._parser))

    def _where(self) -> str:
        place = self._position.at(self._offset())
        if (
            place is None
            and (self._begun or (self._header["reads"] and not self._read))
            and self._header["files"]
        ):
            place = self._header["files"][0][0], 0
        return f"{place[0]}:{place[1]}" if place else "<unknown>"

    # ------------------------------------------------------------------ output

    def _put(self, data: bytes) -> None:
        self._pieces.append(data)
        self._size += len(data)
        if self._size > frames.CHUNK:
            self._flush()

    def _flush(self) -> None:
        """Send the gathered output in pieces, each after the host's consent."""
        data = b"".join(self._pieces)
        self._pieces = []
        self._size = 0
        process.send_output(data)

    def error(self, data: bytes) -> None:
        """Send text for standard error, after the output before it."""
        if self._pieces:
            process.send(frames.ALSO, b"".join(self._pieces))
            self._pieces = []
            self._size = 0
        process.send(frames.FAILED, data)


def main(extension: str) -> None:
    """Load libjq from the file ``extension``, confine the process, and serve."""
    worker = Native(libjq.LibJq(extension))
    process.begin()
    try:
        while True:
            worker.serve_one()
    except MemoryError:
        process.send(frames.MEMORY, b"")
        os._exit(1)

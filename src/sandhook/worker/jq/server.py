"""The jq worker on Windows: it runs wrapped programs through the package's interface.

There are two implementations of jq. Where libjq's own functions are visible in the package's file
(Linux, macOS), ``native.py`` calls them and libjq does everything itself. Windows hides them, so
``call.py`` of the utility wraps every program into one whose results carry all that the interface
lacks (inputs, errors, halt), and this module prints those results. The tests run both on Linux.

Runs inside the worker process, and knows libjq and the frames alone. Each result of a wrapped
program is one of

    "text"       printed as it is
    ["json"]     compact JSON text, laid out and printed
    {"e": "m"}   a run-time error with a string message; {"e": ["json"]} with any other value;
                 with "l": true as well, inputs are left and it is unknown which
    {"h": [n, "m"]} or {"h": [n, ["json"]]}   halt_error with its status and its message
    null         the end of one input
    0            the end of all inputs (in programs that may halt)
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator
from json import dumps, loads

from sandhook.worker import frames, process
from sandhook.worker.jq.layout import layout
from sandhook.worker.jq.texts import strings, text_of

TYPE_CHECKING = False  # as a type checker reads it; the module typing costs time at each start

if TYPE_CHECKING:
    from typing import Any, Protocol

    class Run(Protocol):
        """A program with its inputs: an iterator that must not be asked again after an error."""

        def __iter__(self) -> Iterator[Any]: ...

    class Program(Protocol):
        """A compiled program of the package jq."""

        def input_text(self, text: str, *, slurp: bool = False) -> Run: ...

    class Binding(Protocol):
        """The extension module of the package jq."""

        def compile(self, program: str, args: Any = None) -> Program: ...


PROGRAMS = 128  #: compiled programs that are kept
LONGEST = 4_096  #: characters of the longest of them; a megabyte would use up the worker's memory


class Answer:
    """What one request has printed so far, and how it stands."""

    __slots__ = (
        "failed",
        "flags",
        "halted",
        "inputs",
        "lay_out",
        "outcome",
        "pieces",
        "size",
        "status",
        "tail",
    )

    def __init__(self, flags: int, indent: int) -> None:
        self.flags = flags
        self.pieces: list[bytes] = []
        self.size = 0
        self.inputs = 0
        self.outcome = frames.NOTHING
        self.failed = False
        self.halted = frames.FINISHED
        self.status = 0
        unit = None
        if flags & frames.PRETTY:
            unit = "\t" if flags & frames.TAB else " " * indent
        self.lay_out: Callable[[str], str] | None = None
        colour, ascii_ = bool(flags & frames.COLOUR), bool(flags & frames.ASCII)
        if unit is not None or colour or ascii_:
            self.lay_out = layout(unit=unit, colour=colour, ascii_=ascii_)
        self.tail = b"" if flags & frames.JOIN else b"\0" if flags & frames.NUL else b"\n"

    def string(self, text: str) -> bool:
        """Print a result as it is; return False if it cannot be printed."""
        self.outcome = frames.TRUTHY
        if self.flags & frames.NUL and "\0" in text:
            self.fail(frames.ERROR, "Cannot dump a string containing NUL with --raw-output0 option")
            return False
        self._print(text)
        return True

    def json(self, text: str) -> None:
        """Print a result that is compact JSON text."""
        self.outcome = frames.FALSY if text in ("null", "false") else frames.TRUTHY
        self._print(text if self.lay_out is None else self.lay_out(text))

    def _print(self, text: str) -> None:
        data = text.encode("utf-8", "replace") + self.tail
        if self.flags & frames.SEQ:
            data = b"\x1e" + data
        self.pieces.append(data)
        self.size += len(data)
        self.failed = False
        if self.size > frames.CHUNK:
            self.flush()

    def flush(self) -> None:
        """Send the gathered output in pieces, each after the host's consent."""
        data = b"".join(self.pieces)
        self.pieces = []
        self.size = 0
        process.send_output(data)

    def fail(self, kind: int, text: str) -> None:
        """Send a message, after the output that came before it."""
        self.flush()
        self.failed = kind <= frames.LOST
        head = frames.FAILED_HEAD.pack(self.inputs, kind)
        process.send(frames.FAILED, head + text.encode("utf-8", "replace"))

    def error(self, value: Any) -> None:
        if isinstance(value, str):
            self.fail(frames.ERROR, value)
        else:
            self.fail(frames.ERROR_VALUE, value[0])

    def halt(self, status: int, message: Any) -> None:
        self.halted = frames.HALTED
        self.status = int(max(min(status, 1 << 30), -(1 << 30)))
        if isinstance(message, str):
            self.fail(frames.HALT_STRING, message)
        elif message is not None and message[0] != "null":
            self.fail(frames.HALT_VALUE, message[0])

    def end(self) -> None:
        head = frames.DONE_HEAD.pack(self.inputs, self.outcome, self.failed, self.halted, self.status)
        if self.size > frames.CHUNK:
            self.flush()
        process.send(frames.DONE, head + b"".join(self.pieces))


class Call:
    """One request, decoded; the fields are those of ``requests.Request``."""

    __slots__ = ("data", "flags", "indent", "probe", "program", "step", "variables")

    def __init__(self, flags: int, indent: int, step: int, texts: list[str]) -> None:
        self.flags = flags
        self.indent = indent
        self.step = step
        self.program, self.variables, self.data, self.probe = texts


class Server:
    """Answers requests, one after the other."""

    def __init__(self, jq: Binding) -> None:
        self._jq = jq
        self._programs: OrderedDict[str, Program] = OrderedDict()

    def compiled(self, text: str) -> Program:
        """Return the compiled program. Raises ValueError with libjq's messages."""
        program = self._programs.get(text)
        if program is None:
            program = self._jq.compile(text)
            if len(text) > LONGEST:
                return program
            self._programs[text] = program
            if len(self._programs) > PROGRAMS:
                self._programs.popitem(last=False)
        else:
            self._programs.move_to_end(text)
        return program

    def serve_one(self) -> None:
        """Read one request and answer it."""
        head = process.read_exactly(frames.REQUEST.size)
        flags, indent, step, seconds, *lengths = frames.REQUEST.unpack(head)
        request = process.read_exactly(sum(lengths))
        process.arm(seconds)
        texts = []
        start = 0
        for length in lengths:
            texts.append(text_of(request[start : start + length]))
            start += length
        call = Call(flags, indent, step, texts)
        if flags & frames.COMPILE:
            self._check(call)
        else:
            self._run(call)
        process.arm(0)

    def _check(self, call: Call) -> None:
        """Compile a program as its author wrote it, for libjq's own messages."""
        try:
            self._jq.compile(call.program, args=loads(call.variables))
        except ValueError as error:
            process.send(frames.BROKEN, str(error).encode("utf-8", "replace"))
            return
        process.send(frames.BROKEN, b"")

    def _run(self, call: Call) -> None:
        try:
            program = self.compiled(call.program)
            probe = self.compiled(call.probe) if call.flags & frames.HALTS else None
        except ValueError as error:
            process.send(frames.BROKEN, str(error).encode("utf-8", "replace"))
            return
        answer = Answer(call.flags, call.indent)
        try:
            if call.flags & frames.LINES:
                call.data = strings(call.data, whole=bool(call.flags & frames.WHOLE))
            if not call.flags & frames.GATHER:
                self._play(program.input_text(call.data), answer, None)
            else:
                self._gathered(program, probe, call, answer)
            answer.end()
        except process.OutputRefused:
            return

    def _gathered(self, program: Program, probe: Program | None, call: Call, answer: Answer) -> None:
        """Run a program on one array of everything; a bad value ends the data where it stands."""
        data = call.data.removeprefix("\ufeff")
        text = f"null {call.variables}\n{data}"
        most = None
        try:
            if probe is not None:
                most = self._probe(probe.input_text(text, slurp=True))
            else:
                self._play(program.input_text(text, slurp=True), answer, None)
                return
        except NotJson:
            self._gathered_before_bad_value(program, probe, call, data, answer)
            return
        self._play(program.input_text(text, slurp=True), answer, most)

    def _gathered_before_bad_value(
        self, program: Program, probe: Program | None, call: Call, data: str, answer: Answer
    ) -> None:
        """Run a program on the values before the first bad one, and report that one if it does not."""
        good, broken = self._good(data)
        if call.flags & (frames.WHOLE | frames.NULL_INPUT) == frames.WHOLE:
            answer.fail(frames.NOT_JSON, broken)
            return
        if call.flags & frames.NULL_INPUT:
            reported = True
        elif call.step == 0:
            reported = bool(good)
        else:
            reported = len(good) % call.step != 0
        values = "\n".join(good)
        text = f"{dumps(broken)} {call.variables}\n{values}"
        most = None
        if probe is not None:
            most = self._probe(probe.input_text(text, slurp=True))
        self._play(program.input_text(text, slurp=True), answer, most)
        if not reported and not answer.halted:
            answer.fail(frames.NOT_JSON, broken)

    def _good(self, data: str) -> tuple[list[str], str]:
        """Return the values before the first bad one, and libjq's message on that one."""
        good: list[str] = []
        try:
            good.extend(results(self.compiled("tojson").input_text(data)))
        except NotJson as error:
            return good, str(error)
        return good, ""

    def _probe(self, run: Run) -> int | None:
        """Return how many results come before libjq's own halt, or None if it never halts."""
        count = 0
        for result in results(run):
            if result == 0:
                return None
            if result is not None:
                count += 1
        return count

    def _play(self, run: Run, answer: Answer, most: int | None) -> None:
        """Print results; after ``most`` of them the program has halted."""
        left = most
        try:
            for result in results(run):
                if result is None:
                    answer.inputs += 1
                    continue
                if type(result) is dict and "h" in result:
                    answer.halt(*result["h"])
                    return
                if left is not None:
                    if left == 0:
                        break
                    left -= 1
                if type(result) is str:
                    if not answer.string(result):
                        return
                elif type(result) is list:
                    answer.json(result[0])
                elif type(result) is dict:
                    answer.error(result["e"])
                    if result.get("l") and result["e"] != "break":
                        answer.fail(frames.LOST, "")
                        return
        except NotJson as error:
            if answer.flags & frames.GATHER:
                raise
            answer.fail(frames.NOT_JSON, str(error))
            return
        if most is not None:
            answer.halted = frames.HALT_CAUGHT


class NotJson(Exception):
    """The data is not JSON from here on."""


def results(run: Run) -> Iterator[Any]:
    """Yield a program's results. Raises NotJson for input that is not JSON."""
    try:
        yield from run
    except ValueError as error:
        raise NotJson(str(error).removeprefix("parse error: ")) from None


def main(extension: str) -> None:
    """Load libjq's binding from the file ``extension``, confine the process, and serve."""
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("jq", extension, loader=ExtensionFileLoader("jq", extension))
    if spec is None or spec.loader is None:
        os._exit(1)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    server = Server(module)
    server.compiled(".")
    process.begin()
    try:
        while True:
            server.serve_one()
    except MemoryError:
        process.send(frames.MEMORY, b"")
        os._exit(1)

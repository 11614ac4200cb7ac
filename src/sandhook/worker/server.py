"""The worker: runs libjq on requests from standard input until that ends.

Started by ``client.py`` in an isolated interpreter with an empty environment, and knows
nothing but libjq and the frames. A program that arrives here was wrapped by the host: each
of its results is one of

    "text"       printed as it stands
    ["json"]     compact JSON text, laid out and printed
    {"e": "m"}   a run-time error with a string message; {"e": ["json"]} with any other value;
                 with "l": true as well, inputs are left and nobody knows which
    {"h": [n, "m"]} or {"h": [n, ["json"]]}   halt_error with its status and its message
    null         the end of one input
    0            the end of all inputs (in programs that may halt)
"""

from __future__ import annotations

import os
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from json import dumps, loads

TYPE_CHECKING = False  # as a type checker reads it; the module typing costs time at each start

if TYPE_CHECKING:
    from typing import Any

    from sandhook.worker import frames
else:  # inside a worker the package sandhook is not there, only this directory
    import frames

if sys.platform != "win32":
    from signal import ITIMER_REAL, setitimer

MEMORY_BYTES = 512 << 20  #: address space of a worker
PROGRAMS = 128  #: compiled programs that are kept

# Source: Microsoft, "JOBOBJECT_BASIC_LIMIT_INFORMATION structure", "SetErrorMode function".
_EXTENDED_LIMITS = 9
_ACTIVE_PROCESS = 0x8
_PROCESS_MEMORY = 0x100
_DIE_ON_UNHANDLED_EXCEPTION = 0x400
_NO_DIALOGS = 0x8003


#: The module ``layout``, which only the worker over the package's interface loads.
_LAYOUT: list[Any] = []


class Stop(Exception):
    """The host wants no more of this answer."""


def confine() -> None:
    """Take from this process what libjq never needs; what a platform lacks is left out."""
    with suppress(OSError):
        os.chdir("/")
    if sys.platform == "win32":
        _confine_by_job()
        return
    import resource

    os.closerange(3, 1024)
    for name, most in (
        ("RLIMIT_AS", MEMORY_BYTES),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_NOFILE", 3),
        ("RLIMIT_NPROC", 0),
    ):
        try:
            resource.setrlimit(getattr(resource, name), (most, most))
        except (AttributeError, ValueError, OSError):
            continue  # macOS refuses an address space below what is mapped


def _confine_by_job() -> None:
    """Windows: put this process into a job that has a bound of memory, and room for no other process."""
    import ctypes
    from struct import pack

    if sys.platform != "win32":  # what ctypes has of Windows is there alone
        return
    kernel = ctypes.WinDLL("kernel32")
    kernel.SetErrorMode(_NO_DIALOGS)
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    job = kernel.CreateJobObjectW(None, None)
    flags = _PROCESS_MEMORY | _ACTIVE_PROCESS | _DIE_ON_UNHANDLED_EXCEPTION
    basic = pack("@qqINNINII", 0, 0, flags, 0, 0, 1, 0, 0, 0)
    limits = basic + pack("@6Q4N", 0, 0, 0, 0, 0, 0, MEMORY_BYTES, 0, 0, 0)
    if job and kernel.SetInformationJobObject(ctypes.c_void_p(job), _EXTENDED_LIMITS, limits, len(limits)):
        kernel.AssignProcessToJobObject(ctypes.c_void_p(job), ctypes.c_void_p(-1))


def arm(seconds: float) -> None:
    """Let this process end by itself after ``seconds``, in case its host cannot end it; 0 disarms."""
    if sys.platform == "win32":
        import faulthandler

        if seconds:
            faulthandler.dump_traceback_later(seconds, exit=True, file=2)
        else:
            faulthandler.cancel_dump_traceback_later()
    else:
        setitimer(ITIMER_REAL, seconds)


def read_exactly(count: int) -> bytes:
    """Return the next ``count`` bytes of standard input; end the process when it ends."""
    data = os.read(0, min(count, 1 << 20)) if count else b""
    if len(data) == count:
        return data
    pieces = [data]
    left = count - len(data)
    while left:
        if not pieces[-1]:
            os._exit(0)
        pieces.append(os.read(0, min(left, 1 << 20)))
        left -= len(pieces[-1])
    return b"".join(pieces)


def write_all(data: bytes) -> None:
    """Write to standard output; end the process when nobody reads."""
    try:
        sent = os.write(1, data)
        while sent < len(data):
            sent += os.write(1, data[sent : sent + (1 << 20)])
    except OSError:
        os._exit(0)


def send(kind: int, payload: bytes) -> None:
    write_all(frames.HEADER.pack(kind, len(payload)) + payload)


def hand_over(data: bytes) -> None:
    """Send output in pieces, each after the host's consent. Raises Stop when the host refuses."""
    for start in range(0, len(data), frames.CHUNK):
        send(frames.OUTPUT, data[start : start + frames.CHUNK])
        if read_exactly(1) != frames.GO:
            raise Stop


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
        if flags & frames.SPACED:
            unit = "\t" if flags & frames.TAB else " " * indent
        self.lay_out: Callable[[str], str] | None = None
        colour, ascii_ = bool(flags & frames.COLOUR), bool(flags & frames.ASCII)
        if unit is not None or colour or ascii_:
            self.lay_out = _LAYOUT[0].layout(unit=unit, colour=colour, ascii_=ascii_)
        self.tail = b"" if flags & frames.JOIN else b"\0" if flags & frames.NUL else b"\n"

    def string(self, text: str) -> bool:
        """Take a result that is printed as it stands; tell whether it could be."""
        self.outcome = frames.TRUTHY
        if self.flags & frames.NUL and "\0" in text:
            self.fail(frames.ERROR, "Cannot dump a string containing NUL with --raw-output0 option")
            return False
        self._print(text)
        return True

    def json(self, text: str) -> None:
        """Take a result as compact JSON text."""
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
        hand_over(data)

    def fail(self, kind: int, text: str) -> None:
        """Send a message, after the output that came before it."""
        self.flush()
        self.failed = kind <= frames.LOST
        head = frames.FAILED_HEAD.pack(self.inputs, kind)
        send(frames.FAILED, head + text.encode("utf-8", "replace"))

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
        send(frames.DONE, head + b"".join(self.pieces))


class Worker:
    """Answers requests, one after the other."""

    def __init__(self, jq: Any) -> None:
        self._jq = jq
        self._programs: OrderedDict[str, Any] = OrderedDict()

    def compiled(self, text: str) -> Any:
        """Return the compiled program. Raises ValueError with libjq's messages."""
        program = self._programs.get(text)
        if program is None:
            program = self._programs[text] = self._jq.compile(text)
            if len(self._programs) > PROGRAMS:
                self._programs.popitem(last=False)
        else:
            self._programs.move_to_end(text)
        return program

    def serve_one(self) -> None:
        flags, indent, step, seconds, *lengths = frames.REQUEST.unpack(read_exactly(frames.REQUEST.size))
        request = read_exactly(sum(lengths))
        arm(seconds)
        parts = []
        start = 0
        for length in lengths:
            parts.append(text_of(request[start : start + length]))
            start += length
        program, variables, data, probe = parts
        if flags & frames.COMPILE:
            self._check(program, variables)
        else:
            self._run(flags, indent, step, program, variables, data, probe)
        arm(0)

    def _check(self, program: str, names: str) -> None:
        """Compile a program as its author wrote it, for libjq's own messages."""
        try:
            self._jq.compile(program, args=loads(names))
        except ValueError as error:
            send(frames.BROKEN, str(error).encode("utf-8", "replace"))
            return
        send(frames.BROKEN, b"")

    def _run(
        self, flags: int, indent: int, step: int, program: str, variables: str, data: str, probe: str
    ) -> None:
        try:
            run = self.compiled(program)
            probing = self.compiled(probe) if flags & frames.HALTS else None
        except ValueError as error:
            send(frames.BROKEN, str(error).encode("utf-8", "replace"))
            return
        answer = Answer(flags, indent)
        try:
            if flags & frames.LINES:
                data = strings(data, whole=bool(flags & frames.WHOLE))
            if not flags & frames.GATHER:
                self._play(run.input_text(data), answer, None)
            else:
                self._gathered(run, probing, variables, data, step, answer)
            answer.end()
        except Stop:
            return

    def _gathered(self, run: Any, probing: Any, variables: str, data: str, step: int, answer: Answer) -> None:
        """Run a program on one array of everything; a bad value ends the data where it stands."""
        data = data.removeprefix("\ufeff")
        text = f"null {variables}\n{data}"
        most = None
        broken = ""
        try:
            if probing is not None:
                most = self._probe(probing.input_text(text, slurp=True))
            else:
                self._play(run.input_text(text, slurp=True), answer, None)
                return
        except NotJson:
            good, broken = self._good(data)
            if answer.flags & (frames.WHOLE | frames.NULL_INPUT) == frames.WHOLE:
                answer.fail(frames.NOT_JSON, broken)
                return
            if answer.flags & frames.NULL_INPUT:
                told = True
            elif step == 0:
                told = bool(good)
            else:
                told = len(good) % step != 0
            values = "\n".join(good)
            text = f"{dumps(broken)} {variables}\n{values}"
            if probing is not None:
                most = self._probe(probing.input_text(text, slurp=True))
            self._play(run.input_text(text, slurp=True), answer, most)
            if not told and not answer.halted:
                answer.fail(frames.NOT_JSON, broken)
            return
        self._play(run.input_text(text, slurp=True), answer, most)

    def _good(self, data: str) -> tuple[list[str], str]:
        """Return the values before the first bad one, and libjq's word on that one."""
        good: list[str] = []
        try:
            good.extend(results(self.compiled("tojson").input_text(data)))
        except NotJson as error:
            return good, str(error)
        return good, ""

    def _probe(self, program: Any) -> int | None:
        """Return how many results come before libjq's own halt, or None if it never halts."""
        count = 0
        for result in results(program):
            if result == 0:
                return None
            if result is not None:
                count += 1
        return count

    def _play(self, program: Any, answer: Answer, most: int | None) -> None:
        """Print results; after ``most`` of them the program has halted."""
        left = most
        try:
            for result in results(program):
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
            answer.halted = frames.SWALLOWED


_ILL_FORMED = re.compile(
    rb"\xe0[\x80-\x9f][\x80-\xbf]|\xed[\xa0-\xbf][\x80-\xbf]"
    rb"|\xf0[\x80-\x8f][\x80-\xbf]{2}|\xf4[\x90-\xbf][\x80-\xbf]{2}"
)


def text_of(data: bytes) -> str:
    """Decode UTF-8; U+FFFD stands for each ill-formed sequence, which libjq takes as long as it can."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _ILL_FORMED.sub(b"\xef\xbf\xbd", data).decode("utf-8", "replace")


class NotJson(Exception):
    """The data is no JSON from here on."""


def results(program: Any) -> Iterator[Any]:
    """Yield a program's results. libjq's iterator must not be asked again after an error."""
    try:
        yield from program
    except ValueError as error:
        raise NotJson(str(error).removeprefix("parse error: ")) from None


def strings(text: str, *, whole: bool) -> str:
    """Return text as JSON strings, one a line, or all as one."""
    if whole:
        return dumps(text)
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return "\n".join(map(dumps, lines))


def main(extension: str) -> None:
    """Load libjq's binding from the file ``extension``, confine the process, and serve."""
    from importlib import import_module
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("jq", extension, loader=ExtensionFileLoader("jq", extension))
    if spec is None or spec.loader is None:
        os._exit(1)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    _LAYOUT.append(import_module("layout"))  # now: a confined process opens no file
    worker = Worker(module)
    worker.compiled(".")
    confine()
    send(frames.READY, b"")
    try:
        while True:
            worker.serve_one()
    except MemoryError:
        send(frames.MEMORY, b"")
        os._exit(1)

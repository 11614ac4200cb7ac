"""A worker process of ``sandhook serve``: runs the command lines of clients, and fires events.

It runs one command at a time. So each has the whole process to itself: its variables, its directory and its standard
streams are those of the client, and the very code runs that the client would run.
"""

# ruff: noqa: PTH109 (pathlib costs memory in every worker)

from __future__ import annotations

import gc
import io
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sandhook.cli import main as run_command
from sandhook.cli.observer import OBSERVER
from sandhook.client.place import view
from sandhook.client.wire import Call, Printed, unpack
from sandhook.serve.firing import FireCall, Firing, event_record
from sandhook.serve.frames import HEADER, frame_of
from sandhook.serve.patience import report_of
from sandhook.serve.release import Release, first_message

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from sandhook.hooks.audit import FiredEvent
    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.event import JsonObject

#: Imports what commands need, and compiles their patterns.
_WARMING = (
    ["hook", "--contract", "claude_code", "--", "-c", "case $(echo x | cut -c1) in x) :;; esac"],
    ["fire", "--as-hook", "claude_code", "--contract", "claude_code"],
)
_WARMING_PAYLOAD = b'{"hook_event_name": "PreToolUse", "tool_name": "", "tool_input": {}}'


class Observations:
    """Receives what one command fires.

    Args:
        line_of: Returns the line of a record for an event; None without a record.
        begins: Receives how long its hooks may take.
    """

    def __init__(
        self, line_of: Callable[[FiredEvent], str] | None, begins: Callable[[float], object]
    ) -> None:
        self._begins = begins
        self.lines: list[str] = []
        self.record: JsonObject = {}
        self._line_of = line_of

    def audit(self, line: str, /) -> None:
        """Keep a line until the answer."""
        self.lines.append(line)

    def begins(self, seconds: float, /) -> None:
        """Report how long the hooks may take."""
        self._begins(seconds)

    def decided(self, agent: Contract, fired: FiredEvent, /) -> None:
        """Keep a decision, and its line of the record."""
        self.record = event_record(agent.name, agent, fired.event, fired.decision)
        if self._line_of is not None:
            self.lines.append(self._line_of(fired))


class Worker:
    """Answers the service's tasks, one at a time.

    Args:
        arguments: The options of ``sandhook serve``.
        begins: Receives how long the hooks of a task may take, before they run.
    """

    def __init__(self, arguments: list[str], begins: Callable[[float], object]) -> None:
        self._arguments = arguments
        self._begins = begins
        self._reported: float | None = None
        self._firing: Firing | None = None
        self._release = Release(_ignore)
        self._parsed: Namespace | None = None
        self._lines: list[str] = []
        self._home = dict(os.environ)
        self._directory = os.getcwd()
        self._at_home = True

    def answer(self, task: bytes, fields: list[bytes]) -> list[bytes]:
        """Do a task and return the fields of its answer."""
        if task == b"run":
            printed, seen = self._run(Call.unpack(fields[0]), self._begins)
            record = json.dumps(seen.record).encode("ascii") if seen.record else b""
            return ["\n".join(seen.lines).encode(), printed.pack() if printed else b"", record]
        agent, named, event, directory, body = fields
        call = FireCall(
            agent.decode(),
            event.decode("utf-8", "surrogatepass") if named else None,
            directory.decode("utf-8", "surrogateescape"),
            body,
        )
        self._go_home()
        fired = self._engines().fire(call)
        lines, self._lines[:] = list(self._lines), []
        return ["\n".join(lines).encode(), *fired.to_fields()]

    def _engines(self) -> Firing:
        if self._firing is None:
            from sandhook.cli.serve.engines import firing_of

            self._firing = firing_of(
                self._options(), self._lines.append, _ignore, self._report, release=self._release
            )
        return self._firing

    def _report(self, seconds: float) -> None:
        """Report how long the hooks of an event may take, where that is not what the service knows."""
        if seconds != self._reported:
            self._reported = seconds
            self._begins(seconds)

    def _line_of(self) -> Callable[[FiredEvent], str] | None:
        from sandhook.cli.serve.recording import line_of

        return line_of(self._options())

    def _options(self) -> Namespace:
        if self._parsed is None:
            from sandhook.cli.serve import parser

            self._parsed = parser().parse_args(self._arguments)
        return self._parsed

    def _run(self, call: Call, begins: Callable[[float], object]) -> tuple[Printed | None, Observations]:
        """Run a command line as its client would; None if the client's files are not those of this process."""
        self._at_home = False
        seen = Observations(self._line_of(), begins)
        environment = dict(_text(entry).partition("=")[::2] for entry in call.env)
        zone = os.environ.get("TZ")
        os.environ.clear()
        os.environ.update(environment)
        if os.environ.get("TZ") != zone and hasattr(time, "tzset"):
            time.tzset()
        try:
            os.chdir(_text(call.directory))
            if view().encode() != call.view:
                return None, seen
        except OSError:
            return None, seen
        streams = sys.stdin, sys.stdout, sys.stderr
        out, err = io.BytesIO(), io.BytesIO()
        token = OBSERVER.set(seen)
        try:
            sys.stdin = io.TextIOWrapper(io.BytesIO(call.stdin), encoding="utf-8")
            sys.stdout = io.TextIOWrapper(out, encoding="utf-8", newline="\n", write_through=True)
            sys.stderr = _stderr(err, call.encoding)
            status = run_command([_text(each) for each in call.arguments])
            sys.stdout.flush()
            sys.stderr.flush()
            return Printed(status, out.getvalue(), err.getvalue()), seen
        finally:
            OBSERVER.reset(token)
            sys.stdin, sys.stdout, sys.stderr = streams
            os.chdir("/")  # nobody should wait for this process before a directory can be unmounted

    def _go_home(self) -> None:
        """Restore the variables and the directory of the service, which a command replaced."""
        if not self._at_home:
            os.environ.clear()
            os.environ.update(self._home)
            os.chdir(self._directory)
            self._at_home = True

    def warm_up(self) -> None:
        """Run commands as clients do, so that the first of them does not wait for imports."""
        entries = [f"{name}={value}".encode("utf-8", "surrogateescape") for name, value in os.environ.items()]
        for arguments in _WARMING:
            call = Call(
                installation=b"",
                view=view().encode(),
                directory=os.fsencode(os.getcwd()),
                encoding=b"utf-8",
                stdin=_WARMING_PAYLOAD,
                arguments=[each.encode() for each in arguments],
                env=entries,
            )
            self._run(call, _ignore)
        gc.collect()
        gc.freeze()


def _stderr(data: io.BytesIO, encoding: bytes) -> io.TextIOWrapper:
    try:
        return io.TextIOWrapper(
            data,
            encoding=encoding.decode("ascii"),
            errors="backslashreplace",
            newline="\n",
            write_through=True,
        )
    except (LookupError, UnicodeDecodeError):
        return io.TextIOWrapper(
            data, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True
        )


def _text(data: bytes) -> str:
    if sys.platform == "win32":
        return data.decode("utf-8", "surrogatepass")
    return os.fsdecode(data)


def _ignore(_: object) -> None:
    """Drop what nobody waits for: a message about reloading, which the service reports itself."""


def main() -> None:
    """Answer tasks until the service closes standard input."""
    gc.set_threshold(50_000)
    source, target = os.dup(0), os.dup(1)
    void = os.open(os.devnull, os.O_RDWR)
    os.dup2(void, 0)
    os.dup2(void, 1)  # what a library prints must not look like an answer
    os.close(void)
    worker = Worker(sys.argv[1:], lambda seconds: _write(target, report_of(seconds)))
    worker.warm_up()
    _write(target, first_message())
    for data in _frames(source):
        task, number, *fields = unpack(data)
        _write(target, [number, *worker.answer(task, fields)])
    os._exit(0)


def _frames(descriptor: int) -> Iterator[bytes]:
    """Yield what the service asks, until it closes the pipe. One read often has several frames."""
    data = b""
    while piece := os.read(descriptor, 1 << 18):
        data += piece
        while len(data) >= HEADER.size:
            end = HEADER.size + HEADER.unpack_from(data)[0]
            if len(data) < end:
                data = _completed(descriptor, data, end)
            yield data[HEADER.size : end]
            data = data[end:]


def _completed(descriptor: int, data: bytes, size: int) -> bytes:
    """Return data with so many bytes, without a copy for each piece."""
    pieces, lacking = [data], size - len(data)
    while lacking > 0:
        piece = os.read(descriptor, min(lacking, 1 << 20))
        if not piece:
            os._exit(0)
        pieces.append(piece)
        lacking -= len(piece)
    return b"".join(pieces)


def _write(descriptor: int, fields: list[bytes]) -> None:
    left = memoryview(frame_of(fields))
    while left:
        left = left[os.write(descriptor, left) :]

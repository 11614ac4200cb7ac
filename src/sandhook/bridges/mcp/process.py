"""The server of a proxy: a process whose standard streams the relay stands between."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from shutil import which
from threading import Event, Lock
from typing import IO

from sandhook.bridges.core import Guard
from sandhook.bridges.mcp.pump import Pump, Work
from sandhook.bridges.mcp.relay import Ask, Relay

#: Seconds that a server has to end after its client, and after it was asked to.
GRACE, TERM_GRACE = 10.0, 2.0


class Streams:
    """The client of a proxy, on standard input and output.

    Args:
        guard: The hooks.
        name: The server's name for hooks.
        to_server: Writes whole lines to the server, from any thread.
        note: Receives a line for people.
        ask: The meaning of a hook that wants to ask.
    """

    def __init__(
        self,
        guard: Guard,
        name: str,
        to_server: Callable[[bytes], None],
        *,
        note: Callable[[str], None],
        ask: Ask,
    ) -> None:
        self._work = Work(note)
        self._ended = Event()
        self._signal = 0
        self._relay = Relay(
            guard,
            name,
            to_server,
            writer(sys.stdout.buffer, self._ended.set),
            self._work.submit,
            note=note,
            session_id=f"mcp-{os.getpid()}",
            ask=ask,
        )

    def _pass_messages(self) -> None:
        """Pass the messages of the client until a side ends, or a signal comes."""
        on_signals(("SIGTERM", "SIGHUP"), self._interrupt)
        Pump(sys.stdin.buffer.readline, self._relay.from_client, self._work, self._client_ended).start()
        try:
            self._ended.wait()
        except KeyboardInterrupt:
            self._signal = int(signal.SIGINT)

    def _interrupt(self, number: int) -> None:
        self._signal = number
        self._ended.set()

    def _client_ended(self) -> None:
        """Called after the last message of the client."""
        self._ended.set()


class Proxy(Streams):
    """One server and its client.

    Args:
        command: The server's program and arguments.
        guard: The hooks.
        name: The server's name for hooks.
        note: Receives a line for people.
        ask: The meaning of a hook that wants to ask.

    Raises:
        OSError: The server cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        guard: Guard,
        name: str,
        *,
        note: Callable[[str], None],
        ask: Ask = "refuse",
    ) -> None:
        program = which(command[0]) or command[0]  # on Windows also npx.cmd
        self._server = subprocess.Popen(
            [program, *command[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server_input, self._server_output = self._server.stdin, self._server.stdout
        # the end of the server's output says that it has ended
        super().__init__(guard, name, writer(self._server_input, lambda: None), note=note, ask=ask)

    def run(self) -> int:
        """Pass messages until a side ends; return the exit status of the server."""
        Pump(self._server_output.readline, self._relay.from_server, self._work, self._server_ended).start()
        self._pass_messages()
        status = self._terminate(TERM_GRACE if self._signal == 0 else 0.0)
        return 128 + self._signal if self._signal else status

    def _client_ended(self) -> None:
        self._work.settle()
        with suppress(OSError):  # it has ended
            self._server_input.close()
        self._terminate(GRACE)
        self._ended.wait(TERM_GRACE)  # for what it wrote last
        self._ended.set()

    def _server_ended(self) -> None:
        self._work.settle()
        self._ended.set()

    def _terminate(self, seconds: float) -> int:
        """Wait for the server, end it after some seconds, and return its exit status as a shell does."""
        for end, patience in ((self._server.terminate, seconds), (self._server.kill, TERM_GRACE)):
            try:
                status = self._server.wait(patience)
                return status if status >= 0 else 128 - status
            except subprocess.TimeoutExpired:
                end()
        status = self._server.wait()
        return status if status >= 0 else 128 - status


def on_signals(names: Sequence[str], end: Callable[[int], None]) -> None:
    """Call a function with the number of each of these signals that the system has."""
    for name in names:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, frame: end(number))


def writer(stream: IO[bytes], broken: Callable[[], None]) -> Callable[[bytes], None]:
    """Return a function that writes whole lines, from any thread."""
    lock = Lock()

    def write(line: bytes) -> None:
        try:
            with lock:
                stream.write(line)
                stream.flush()
        except (OSError, ValueError):  # ValueError: it is closed
            broken()

    return write

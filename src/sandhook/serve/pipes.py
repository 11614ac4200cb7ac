"""The pipes between a service and one of its worker processes.

A worker is believed only as long as it sends what it
was asked for: anything else ends it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence

from sandhook.client.ask import MAX_ANSWER
from sandhook.client.wire import Garbled, unpack
from sandhook.serve.frames import HEADER
from sandhook.serve.release import Release, WorkerEnded, WorkerOutdated

#: The longest frame of a worker: its answer may have the output of a hook twice, and audit lines.
MOST_FRAME = 2 * MAX_ANSWER

#: Seconds that a worker may take to start.
START_SECONDS = 60.0

#: Seconds that a worker may take to end when its input has ended; then it is killed.
_END_SECONDS = 2.0

_PROGRAM = "from sandhook.cli.serve.worker import main; main()"


def command_line(arguments: Sequence[str]) -> list[str]:
    """Return the command line of a worker.

    Args:
        arguments: The options of ``sandhook serve``; the worker makes its engines from them.
    """
    return [sys.executable, "-P", "-c", _PROGRAM, *arguments]  # -P: never import from the current directory


class WorkerPipes(asyncio.SubprocessProtocol):
    """A worker process and its pipes.

    Args:
        frame: Receives the fields of each frame after the first, which is the greeting. Raises ValueError for what
            the worker was not asked for.
        ended: Called once, with the reason, when the process ended or was killed after its start.

    Attributes:
        is_ended: The process ended, or counts as ended.
    """

    def __init__(self, frame: Callable[[list[bytes]], object], ended: Callable[[str], object]) -> None:
        self.is_ended = False
        self._frame = frame
        self._ended = ended
        self._release: Release | None = None
        self._ready: asyncio.Future[None] | None = None
        self._transport: asyncio.SubprocessTransport | None = None
        self._data = b""  # the beginning of a length
        self._pieces: list[bytes] = []  # of a frame, of which _missing bytes are not here
        self._missing = 0

    async def start(self, arguments: Sequence[str], release: Release) -> None:
        """Start the process, and wait until it is ready. Raises WorkerEnded.

        Args:
            arguments: See ``command_line``.
            release: Checks that the worker is of this version.
        """
        release.check_files()
        loop = asyncio.get_running_loop()
        self._release, self._ready = release, loop.create_future()
        try:
            await loop.subprocess_exec(
                lambda: self,
                *command_line(arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=None,
                start_new_session=sys.platform
                != "win32",  # an interrupt typed at the terminal is the service's
            )
            async with asyncio.timeout(START_SECONDS):
                await self._ready
        except TimeoutError:
            self.kill()
            raise WorkerEnded("a worker did not get ready") from None
        except OSError as error:
            raise WorkerEnded(f"a worker could not be started: {error.strerror}") from None
        except BaseException:
            self.kill()
            raise
        finally:
            self._ready = None
        if self.is_ended:
            raise WorkerEnded("a worker ended as soon as it was ready")

    @property
    def pid(self) -> int:
        """The id of the process."""
        assert self._transport is not None
        return self._transport.get_pid()

    def write(self, data: bytes) -> None:
        """Send a frame; nothing happens if the process ended."""
        if not self.is_ended:
            self._input().write(data)

    def kill(self, why: str = "a worker ended") -> None:
        """End the process at once."""
        if self.is_ended:
            return
        self.is_ended = True
        if self._transport is not None:
            self._transport.close()
        if self._ready is None:
            self._ended(why)
        elif not self._ready.done():
            self._ready.set_exception(WorkerEnded(why))

    async def close(self) -> None:
        """End the process: its input ends. ``ended`` is not called."""
        transport = self._transport
        if self.is_ended or transport is None:
            return
        self.is_ended = True
        self._input().close()
        loop = asyncio.get_running_loop()
        until = loop.time() + _END_SECONDS
        while transport.get_returncode() is None and loop.time() < until:
            await asyncio.sleep(0.02)
        transport.close()

    def _input(self) -> asyncio.WriteTransport:
        assert self._transport is not None
        stdin = self._transport.get_pipe_transport(0)
        assert isinstance(stdin, asyncio.WriteTransport)
        return stdin

    # ------------------------------------------------------------------ events of the process

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        assert not isinstance(data, str)
        if self.is_ended:  # its tasks are done again already
            return
        if self._missing:
            self._pieces.append(bytes(data))  # on Windows a bytearray
            self._missing -= len(data)
            if self._missing > 0:
                return
            data, self._pieces, self._missing = b"".join(self._pieces), [], 0
        else:
            data, self._data = self._data + bytes(data), b""
        try:
            self._read(data)
        except ValueError as error:
            self.kill(f"a worker sent something else than an answer: {error}")

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self.kill()

    def process_exited(self) -> None:
        self.kill()

    def _read(self, data: bytes) -> None:
        """Read the frames that are here. Raises ValueError."""
        at, size = 0, HEADER.size
        while len(data) - at >= size:
            length = HEADER.unpack_from(data, at)[0]
            if length > MOST_FRAME:
                raise Garbled(f"{length} bytes at once")
            end = at + size + length
            if end > len(data):
                self._pieces, self._missing = [data[at:]], end - len(data)
                return
            fields = unpack(data[at + size : end])
            at = end
            if self._ready is None:
                self._frame(fields)
            else:
                self._greet(self._ready, fields)
            if self.is_ended:
                return
        self._data = data[at:] if at < len(data) else b""

    def _greet(self, ready: asyncio.Future[None], fields: list[bytes]) -> None:
        """Read the first frame. Raises ValueError."""
        assert self._release is not None
        if ready.done():
            raise Garbled("an answer that nobody asked for")
        try:
            self._release.check(fields)
        except WorkerOutdated as error:
            ready.set_exception(error)
            raise Garbled(str(error)) from None
        ready.set_result(None)

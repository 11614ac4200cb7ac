"""The calls that one run makes to jq, SQLite and the network: each is a channel, served in a thread of its own.

Programs of a pipeline use several at the same time, and wait for each other. A single thread would have to finish
one call while its worker waits for another.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING

from sandhook.isolation import fetch, relay, wire
from sandhook.worker.client import OutOfTime, WorkerDied

if TYPE_CHECKING:
    from sandhook.isolation.pool import ShellWorker
    from sandhook.net.network import Network

#: Channels of one run that may be open at once.
_MOST = 64

#: Seconds for a thread to write the last frame of its channel.
_PATIENCE = 1.0


class ChannelClosed(Exception):
    """The run has ended, or its worker broke the protocol."""


class Channel:
    """One call of a run.

    Args:
        number: Its number in frames.
        channels: All of the run.
    """

    def __init__(self, number: int, channels: Channels) -> None:
        self._head = wire.CHANNEL.pack(number)
        self._channels = channels
        self.frames: SimpleQueue[tuple[int, bytes]] = SimpleQueue()

    def send(self, kind: int, payload: bytes) -> None:
        """Send a frame of this channel. Raises ChannelClosed."""
        try:
            self._channels.send(kind, self._head + payload)
        except (WorkerDied, OutOfTime):  # the thread of the run sees that, too
            raise ChannelClosed from None

    def receive(self) -> tuple[int, bytes]:
        """Wait for the worker's next frame of this channel. Raises ChannelClosed."""
        kind, payload = self.frames.get()  # ``close`` ends the wait
        if self._channels.closed:
            raise ChannelClosed
        return kind, payload

    def remaining(self) -> float:
        """Return the seconds that are left for the run; none once it has ended."""
        return self._channels.remaining()


class Channels:
    """The channels of one run.

    Args:
        worker: The worker of the run.
        remaining: Returns the seconds that are left for the run.
        network: What the run may reach.

    Attributes:
        closed: The run has ended.
        fault: How the worker broke the protocol, or an exception of the caller's network; None if all is well.
    """

    def __init__(self, worker: ShellWorker, remaining: Callable[[], float], network: Network | None) -> None:
        self._worker = worker
        self._remaining = remaining
        self._network = network
        self._sending = Lock()
        self._changing = Lock()
        self._open: dict[int, Channel] = {}
        self.closed = False
        self.fault: Exception | None = None

    def send(self, kind: int, payload: bytes) -> None:
        """Send a frame to the worker. Raises WorkerDied, and ChannelClosed after the run."""
        with self._sending:
            if self.closed:  # another run may have the worker
                raise ChannelClosed
            self._worker.send(kind, payload)

    def remaining(self) -> float:
        """Return the seconds that are left for the run; none once it has ended."""
        return 0.0 if self.closed else self._remaining()

    def receive(self, kind: int, payload: bytes) -> None:
        """Pass a frame of the worker to its channel. Raises ValueError."""
        if len(payload) < wire.CHANNEL.size:
            raise ValueError("a frame without its channel")
        (number,) = wire.CHANNEL.unpack_from(payload)
        payload = payload[wire.CHANNEL.size :]
        with self._changing:
            channel = self._open.get(number)
            if kind in wire.OPENING:
                if channel is not None or len(self._open) >= _MOST:
                    raise ValueError("too many channels, or one that is open")
                channel = self._open[number] = Channel(number, self)
            elif channel is None:
                if kind == wire.CLOSE:  # the host has ended it meanwhile
                    return
                raise ValueError("a frame of a channel that is not open")
        if kind in wire.OPENING:
            Thread(target=self._serve, args=(number, channel, kind, payload), daemon=True).start()
        else:
            channel.frames.put((kind, payload))

    def _serve(self, number: int, channel: Channel, kind: int, payload: bytes) -> None:
        try:
            ending = (
                relay.call(channel, payload)
                if kind == wire.CALL
                else fetch.fetch(channel, self._network, payload)
            )
        except ChannelClosed:
            return
        except Exception as error:
            self.fault = error
            self._worker.terminate()  # the thread of the run sees its end
            return
        with self._changing:
            del self._open[number]  # before the last frame: the worker may then open the next one
        try:
            channel.send(*ending)
        except ChannelClosed:
            return

    def close(self) -> bool:
        """End all channels, and the worker if one is still open; return False then."""
        with self._changing:
            left = list(self._open.values())
        if left:
            self._worker.terminate()  # ends a thread that writes to it, too
        if not self._sending.acquire(timeout=_PATIENCE):
            left.extend(self._open.values())
            self._worker.terminate()
            self._sending.acquire()
        self.closed = True
        self._sending.release()
        for channel in left:
            channel.frames.put((wire.CLOSE, b""))
        return not left

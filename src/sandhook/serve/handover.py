"""A service hands its sockets over to the one that takes its place, so that no event finds a closed door.

The program that restarts the service asks for the sockets and starts the next service with them. Both accept
connections, until the next one reports over a channel that it answers. Then the old one accepts no more, sends its
idle connections over the channel, and ends after its last event. If the next one does not start, the old one goes on.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from sandhook.errors import SandhookError

#: What carries the descriptors: a response before the one that answers. Source: RFC 9110, 15.2.1.
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"

#: The path of the request.
PATH = "/v1/hand-over"

#: What the next service sends when it answers, and what goes with each connection.
_READY, _CONNECTION = b"r", b"c"

#: Bytes of an answer, and descriptors that go with it.
_MOST_ANSWER, _MOST_DESCRIPTORS = 1 << 16, 16


class HandOverError(SandhookError):
    """Sockets that cannot be sent."""


class OldSide:
    """The side of the service that gives its sockets up.

    Args:
        lock: The descriptor that holds the lock of its Unix socket.
        sockets: They listen.
        leave: Called with the channel when another service has its place.
    """

    def __init__(
        self, lock: int, sockets: Sequence[socket.socket], leave: Callable[[socket.socket], object]
    ) -> None:
        self._lock = lock
        self._sockets = list(sockets)
        self._leave = leave
        self._left = False

    def send(self, transport: asyncio.BaseTransport) -> None:
        """Send the descriptors over the connection of a request. Raises HandOverError."""
        if sys.platform == "win32":
            raise NotImplementedError
        if self._left:
            raise HandOverError("another service has the sockets already")
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        descriptors = [theirs.fileno(), self._lock, *(each.fileno() for each in self._sockets)]
        try:
            with socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno())) as connection:
                socket.send_fds(connection, [INTERIM], descriptors)
        except OSError as error:
            ours.close()
            raise HandOverError(f"the sockets cannot be sent: {error.strerror}") from None
        finally:
            theirs.close()
        asyncio.get_running_loop().add_reader(ours.fileno(), self._answered, ours)

    def _answered(self, channel: socket.socket) -> None:
        """The next service is ready, or it ended."""
        try:
            word = channel.recv(1)
        except BlockingIOError:
            return
        except OSError:
            word = b""
        asyncio.get_running_loop().remove_reader(channel.fileno())
        if word == _READY and not self._left:
            self._left = True
            self._leave(channel)
        else:
            channel.close()


def pass_on(channel: socket.socket, transport: asyncio.Transport) -> bool:
    """Send an idle connection to the next service; False if that is not possible now.

    What its client sent and nobody read yet goes with it.
    """
    if sys.platform == "win32" or transport.get_write_buffer_size():
        return False
    try:
        socket.send_fds(channel, [_CONNECTION], [transport.get_extra_info("socket").fileno()])
    except OSError:
        return False
    transport.abort()  # this closes a descriptor and not the connection, which another process has now
    return True


class NewSide:
    """The channel of a service that takes the place of another one.

    Args:
        connected: Receives each connection that the old service sends.
    """

    def __init__(self, channel: socket.socket, connected: Callable[[socket.socket], object]) -> None:
        self._channel = channel
        self._connected = connected

    def report_ready(self) -> None:
        """Let the old service leave; call it in the event loop's thread."""
        with suppress(OSError):  # it ended by itself
            self._channel.send(_READY)
        asyncio.get_running_loop().add_reader(self._channel.fileno(), self._received)

    def _received(self) -> None:
        if sys.platform == "win32":
            raise NotImplementedError
        try:
            word, descriptors, _, _ = socket.recv_fds(self._channel, 1, 1)
        except BlockingIOError:
            return
        except OSError:
            word, descriptors = b"", []
        for each in descriptors:
            os.set_inheritable(each, False)
            self._connected(socket.socket(fileno=each))
        if not word:
            asyncio.get_running_loop().remove_reader(self._channel.fileno())
            self._channel.close()


def receive(connection: socket.socket) -> tuple[bytes, list[int]]:
    """Return the body of the answer to a request for the sockets, and the descriptors: channel, lock, sockets.

    Raises OSError. Without descriptors, the service keeps them.
    """
    if sys.platform == "win32":
        raise NotImplementedError
    data, descriptors, _, _ = socket.recv_fds(connection, _MOST_ANSWER, _MOST_DESCRIPTORS)
    try:
        while len(data) < _MOST_ANSWER and (piece := connection.recv(_MOST_ANSWER)):
            data += piece
    except OSError:
        for each in descriptors:
            os.close(each)
        raise
    return data.removeprefix(INTERIM).partition(b"\r\n\r\n")[2], descriptors

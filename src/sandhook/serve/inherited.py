"""Sockets that a service has from the beginning: of systemd, or of the service whose place it takes.

Such a socket listens all the time. What connects while one service ends and the next one starts waits for the next one.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING

from sandhook.serve.sockets import SocketError

if TYPE_CHECKING:
    from sandhook.hooks.event import JsonObject

#: The first descriptor of systemd. Source: sd_listen_fds(3).
_FIRST = 3

#: Descriptors that a service accepts; it asks for two sockets at most.
_MOST = 16

#: The variable with the descriptors of the service whose place this one takes.
VARIABLE = "SANDHOOK_INHERITED"


class Inherited:
    """Sockets and other descriptors of an earlier process.

    Attributes:
        activated: They are systemd's, which has them also when no service runs.
        lock: The descriptor that holds the lock of the Unix socket; -1 for none.
        channel: Connected to the service whose place this one takes; None without one.
    """

    def __init__(
        self,
        sockets: Sequence[socket.socket] = (),
        *,
        activated: bool = False,
        lock: int = -1,
        channel: socket.socket | None = None,
    ) -> None:
        self._sockets = list(sockets)
        self.activated = activated
        self.lock = lock
        self.channel = channel

    def unix(self, path: str) -> tuple[socket.socket | None, int]:
        """Return the socket that listens on a path, and the descriptor of its lock; None and -1 without them."""
        if sys.platform == "win32":
            return None, -1
        for each in self._sockets:
            if each.family == socket.AF_UNIX and each.getsockname() == path:
                self._sockets.remove(each)
                lock, self.lock = self.lock, -1
                return each, lock
        return None, -1

    def tcp(self, address: str, port: int) -> socket.socket | None:
        """Return the socket that listens on an address, None if there is no such one; the port 0 is any."""
        for each in self._sockets:
            if each.family in (socket.AF_INET, socket.AF_INET6):
                own = each.getsockname()
                if own[0] == address and port in (0, own[1]):
                    self._sockets.remove(each)
                    return each
        return None

    def close(self) -> None:
        """Close what nobody asked for. Its other owner keeps it."""
        for each in self._sockets:
            each.close()
        self._sockets.clear()
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1


def inherited(env: MutableMapping[str, str]) -> Inherited:
    """Return what this process inherited, and remove the variables that name it. Raises SocketError."""
    if sys.platform == "win32":
        return Inherited()
    text = env.pop(VARIABLE, "")
    if text:
        return _of_predecessor(text)
    if env.get("LISTEN_PID") != str(os.getpid()):  # of an ancestor, if at all
        return Inherited()
    count = env.get("LISTEN_FDS", "")
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        env.pop(name, None)
    if not count.isdecimal() or not 0 < int(count[:4]) <= _MOST:
        raise SocketError(f"LISTEN_FDS: wanted a number from 1 to {_MOST}, got {count!r}")
    sockets = [_socket_of(number, "LISTEN_FDS") for number in range(_FIRST, _FIRST + int(count))]
    return Inherited(sockets, activated=True)


def described(lock: int, channel: int, sockets: Sequence[int]) -> str:
    """Return the value of ``VARIABLE`` for descriptors."""
    value: JsonObject = {"lock": lock, "channel": channel, "sockets": list(sockets)}
    return json.dumps(value)


def _of_predecessor(text: str) -> Inherited:
    try:
        value = json.loads(text)
        lock, channel = int(value["lock"]), int(value["channel"])
        numbers = [int(each) for each in value["sockets"]]
        os.set_inheritable(lock, False)
    except (ValueError, TypeError, KeyError, OverflowError, OSError) as error:
        raise SocketError(f"{VARIABLE}: not the descriptors of a service: {error}") from None
    sockets = [_socket_of(each, VARIABLE) for each in numbers[:_MOST]]
    return Inherited(sockets, lock=lock, channel=_socket_of(channel, VARIABLE))


def _socket_of(number: int, name: str) -> socket.socket:
    """Return the socket of a descriptor. Raises SocketError."""
    try:
        found = socket.socket(fileno=number)
        found.set_inheritable(False)
    except OSError as error:
        raise SocketError(f"{name}: descriptor {number}: {error.strerror}") from None
    found.setblocking(False)
    return found

"""Opens the connections of redirections to /dev/tcp/HOST/PORT and /dev/udp/HOST/PORT while other tasks run."""

from __future__ import annotations

import errno
import os
import socket
from typing import TYPE_CHECKING, TypeAlias

from greenlet import getcurrent

from sandhook.host.blocking import call_in_thread
from sandhook.host.files import WINDOWS
from sandhook.host.poller import Poller
from sandhook.kernel.scheduler import Scheduler
from sandhook.state.control import ShellError

if TYPE_CHECKING:
    from sandhook.state.state import State

#: A socket address: host and port; for IPv6 also flow and scope. Unknown families have the last form.
_SocketAddress: TypeAlias = "tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]"

#: An entry of getaddrinfo's result: family, kind, protocol, canonical name, socket address.
_Address: TypeAlias = "tuple[int, int, int, str, _SocketAddress]"

_KINDS = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}


def open_connection(state: State, name: str, poller: Poller, scheduler: Scheduler) -> int:
    """Open the connection that a file name stands for; return its descriptor. Raises ShellError with bash's message."""
    if WINDOWS:
        raise ShellError(f"{name}: no network (L-NET-001)")  # a socket of Windows is not a file descriptor
    kind, _, address = name.removeprefix("/dev/").partition("/")
    host, slash, port = address.partition("/")
    if not slash:
        raise ShellError(f"{name}: {os.strerror(errno.ENOENT)}")
    try:
        return connect(kind, host, port, poller, scheduler)
    except socket.gaierror as error:
        unknown = port if error.errno == socket.EAI_SERVICE else host
        state.shell.error(state, f"{unknown}: {error.strerror}")
        raise ShellError(f"{name}: {os.strerror(errno.EINVAL)}") from None
    except OSError as error:
        state.shell.write_error(state, f"{state.name}: connect: {error.strerror}\n")
        raise ShellError(f"{name}: {error.strerror}") from None


def connect(kind: str, host: str, port: str, poller: Poller, scheduler: Scheduler) -> int:
    """Return the descriptor of a new connection.

    Args:
        kind: "tcp" or "udp".
        host: A name or an address.
        port: A number, or the name of a service; "" is 0.

    Raises:
        socket.gaierror: There is no such host or service.
        OSError: Every address of the host failed; the error is that of the last one.
    """
    error = OSError()
    for family, type_, protocol, _, address in _resolve(host, port or "0", _KINDS[kind], poller, scheduler):
        try:
            return _connect(socket.socket(family, type_, protocol), address, poller, scheduler)
        except OSError as failure:
            error = failure
    raise error


def _connect(connection: socket.socket, address: _SocketAddress, poller: Poller, scheduler: Scheduler) -> int:
    """Connect to one address and return the descriptor."""
    fd = connection.fileno()
    try:
        connection.setblocking(False)
        try:
            connection.connect(address)
        except BlockingIOError:
            task = getcurrent()
            ready: list[bool] = []

            def wake() -> None:
                ready.append(True)
                scheduler.wake(task)

            poller.writable(fd, wake)
            while not ready:
                scheduler.block()
            failure = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if failure:
                raise OSError(failure, os.strerror(failure)) from None
        connection.setblocking(True)
        return connection.detach()
    except BaseException:
        poller.forget(fd)
        connection.close()
        raise


def _resolve(
    host: str, port: str, kind: socket.SocketKind, poller: Poller, scheduler: Scheduler
) -> list[_Address]:
    """Return the addresses of a host; a name is resolved in a thread."""

    def query(flags: int = 0) -> list[_Address]:
        return [*socket.getaddrinfo(host, port, type=kind, flags=flags)]

    try:
        return query(socket.AI_NUMERICHOST)
    except socket.gaierror as error:
        if error.errno != socket.EAI_NONAME:
            raise
    return call_in_thread(query, poller, scheduler)

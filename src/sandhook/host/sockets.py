"""Opens the connections of redirections to /dev/tcp/HOST/PORT and /dev/udp/HOST/PORT, while other tasks go on."""

from __future__ import annotations

import errno
import os
import socket
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

from greenlet import getcurrent

from sandhook.host.files import WINDOWS
from sandhook.host.poller import Poller
from sandhook.kernel.scheduler import Scheduler
from sandhook.state.control import ShellError

if TYPE_CHECKING:
    from sandhook.state.state import State

#: Where to connect to: host and port; for IPv6 also flow and scope. The last form is that of unknown families.
_Place: TypeAlias = "tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]"

#: What getaddrinfo returns for one address: family, kind, protocol, canonical name, place.
_Address: TypeAlias = "tuple[int, int, int, str, _Place]"

_KINDS = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}


def open_connection(state: State, name: str, poller: Poller, scheduler: Scheduler) -> int:
    """Return the descriptor of the connection that a file name means. Raises ShellError in bash's words."""
    if WINDOWS:
        raise ShellError(f"{name}: no network (L-NET-001)")  # there a socket is no descriptor
    kind, _, rest = name.removeprefix("/dev/").partition("/")
    host, slash, port = rest.partition("/")
    if not slash:
        raise ShellError(f"{name}: {os.strerror(errno.ENOENT)}")
    try:
        return connect(kind, host, port, poller, scheduler)
    except socket.gaierror as error:
        what = port if error.errno == socket.EAI_SERVICE else host
        state.shell.error(state, f"{what}: {error.strerror}")
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
        except OSError as failed:
            error = failed
    raise error


def _connect(opened: socket.socket, address: _Place, poller: Poller, scheduler: Scheduler) -> int:
    """Connect to one address and return the descriptor."""
    fd = opened.fileno()
    try:
        opened.setblocking(False)
        try:
            opened.connect(address)
        except BlockingIOError:
            me = getcurrent()
            ready: list[bool] = []

            def wake() -> None:
                ready.append(True)
                scheduler.wake(me)

            poller.writable(fd, wake)
            while not ready:
                scheduler.block()
            failure = opened.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if failure:
                raise OSError(failure, os.strerror(failure)) from None
        opened.setblocking(True)
        return opened.detach()
    except BaseException:
        poller.forget(fd)
        opened.close()
        raise


def _resolve(
    host: str, port: str, kind: socket.SocketKind, poller: Poller, scheduler: Scheduler
) -> list[_Address]:
    """Return the addresses of a host.

    A name is resolved in a thread, because a poller cannot wait for that. When a signal or the end of the run
    ends the wait, the thread ends after the system's answer.
    """
    found: list[list[_Address] | OSError] = []

    def ask(flags: int = 0) -> None:
        try:
            found.append([*socket.getaddrinfo(host, port, type=kind, flags=flags)])
        except OSError as error:
            found.append(error)

    ask(socket.AI_NUMERICHOST)
    if isinstance(found[0], socket.gaierror) and found[0].errno == socket.EAI_NONAME:
        found.clear()
        ours, theirs = os.pipe()

        def wait() -> None:
            try:
                ask()
            finally:
                os.close(theirs)

        me = getcurrent()
        thread = Thread(target=wait, name="sandhook-resolve", daemon=True)
        thread.start()
        try:
            poller.readable(ours, lambda: scheduler.wake(me))
            while not found:
                scheduler.block()
            thread.join()
        finally:
            poller.forget(ours)
            os.close(ours)
    addresses = found[0]
    if isinstance(addresses, OSError):
        raise addresses
    return addresses

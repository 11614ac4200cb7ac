"""The sockets of a service, and its token: made so that no other user can use or replace them."""

# As in `client.place`: os reports each step of a check by itself, with its errno.
# ruff: noqa: PTH101, PTH103, PTH105, PTH108, PTH116, PTH120, PTH123

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
import stat
import sys

from sandhook.client.place import MAX_ENDPOINT, MAX_PATH, directory_fault, endpoint_path, fault
from sandhook.errors import SandhookError

_BACKLOG = 1024

#: Characters of a token that another program wrote.
_LEAST_TOKEN, _MOST_TOKEN = 20, 200


class SocketError(SandhookError):
    """A socket or a token that cannot be made, or that is not the user's own."""


_Socket = socket.socket  # the class below has an attribute of the module's name


class LocalSocket:
    """A listening Unix socket with mode 0600, in a directory of the user.

    A lock on a file next to it lasts as long as the service. So of two services that start at once, one fails, and
    a socket without a lock is of a service that died: it is replaced.

    Args:
        listening: The socket of this path, which an earlier process made; None makes one.
        lock: The descriptor that holds the lock already; -1 for none.

    Attributes:
        lock: The descriptor that holds the lock.
        removes_file: The file ends with this service. Another process may have it still, or have it from now on.
    """

    path: str
    socket: _Socket
    lock: int
    removes_file: bool
    _inode: int

    def __init__(self, path: str, listening: _Socket | None = None, lock: int = -1) -> None:
        if sys.platform == "win32":
            raise SocketError(f"{path}: there are no Unix sockets here; use --listen")
        if len(os.fsencode(path)) > MAX_PATH:
            raise SocketError(f"{path}: the path of a socket has at most {MAX_PATH} bytes; use --socket PATH")
        self.path = path
        make_private_directory(os.path.dirname(path) or ".")
        self.lock = lock if lock >= 0 else _locked(f"{path}.lock")
        self.removes_file = listening is None
        try:
            if listening is None:
                self._remove_stale()
                listening = _bound(path)
            self.socket = listening
            self._inode = os.lstat(path).st_ino
        except BaseException:
            os.close(self.lock)
            raise

    def _remove_stale(self) -> None:
        try:
            info = os.lstat(self.path)
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(info.st_mode):
            raise SocketError(f"{self.path}: it exists, and is not a socket")
        if sys.platform != "win32" and info.st_uid != os.geteuid():
            raise SocketError(f"{self.path}: the socket belongs to another user")
        os.unlink(self.path)

    def close(self) -> None:
        """Close the socket and remove its file, unless another service has replaced it."""
        self.socket.close()
        try:
            if self.removes_file and os.lstat(self.path).st_ino == self._inode:
                os.unlink(self.path)
        except OSError:
            pass
        os.close(self.lock)


def _bound(path: str) -> socket.socket:
    if sys.platform == "win32":
        raise NotImplementedError
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(path)
        os.chmod(path, 0o600)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise SocketError(f"{path}: {error.strerror}") from None
    finally:
        os.umask(before)
    return listening


def _locked(path: str) -> int:
    """Return a descriptor that holds the lock of a file. Raises SocketError if another process does."""
    if sys.platform == "win32":
        raise NotImplementedError
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise SocketError(f"{path}: {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise SocketError(f"{path.removesuffix('.lock')}: a service listens there already") from None
    return descriptor


def make_private_directory(path: str) -> None:
    """Make a directory of the user's own. Raises SocketError if others can change it."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        info = os.stat(path) if sys.platform == "win32" else os.lstat(path)
    except OSError as error:
        raise SocketError(f"{path}: {error.strerror}") from None
    if sys.platform != "win32" and (why := directory_fault(info)):
        raise SocketError(f"{path}: {why}")


def split_address(text: str, *, remote: bool) -> tuple[str, int]:
    """Return address and port of ``ADDRESS:PORT``.

    Args:
        remote: Addresses other than loopback are allowed.

    Raises:
        SocketError: It is not an address and a port, or not on loopback.
    """
    name, _, port = text.rpartition(":")
    name = "127.0.0.1" if name == "localhost" else name.removeprefix("[").removesuffix("]")
    try:
        address = ipaddress.ip_address(name)
        number = int(port)
    except ValueError:
        raise SocketError(f"--listen {text}: wanted ADDRESS:PORT, such as 127.0.0.1:8765") from None
    if not 0 <= number < 65536:
        raise SocketError(f"--listen {text}: wanted a port from 0 to 65535")
    if not (address.is_loopback or remote):
        raise SocketError(
            f"--listen {text}: other machines could connect, without encryption; --allow-remote permits that"
        )
    return str(address), number


def listen(address: str, port: int) -> socket.socket:
    """Return a socket that listens on an address. Raises SocketError."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise SocketError(f"--listen {address}:{port}: {error.strerror}") from None
    return listening


def token_of(path: str) -> str:
    """Return the token of a file, which is made with mode 0600 if it does not exist.

    Raises:
        SocketError: Others can read the file, or it has no token.
    """
    if not os.path.lexists(path):
        make_private_directory(os.path.dirname(path) or ".")
        write_private(path, secrets.token_urlsafe(32) + "\n")
    if why := fault(path, "file"):
        raise SocketError(f"{path}: {why}")
    try:
        with open(path, encoding="ascii") as file:
            token = file.read(MAX_ENDPOINT).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SocketError(f"{path}: {error}") from None
    if not _LEAST_TOKEN <= len(token) <= _MOST_TOKEN or not token.isprintable() or " " in token:
        raise SocketError(
            f"{path}: wanted a token of {_LEAST_TOKEN} to {_MOST_TOKEN} characters without blanks"
        )
    return token


def write_endpoint(socket_path: str, port: int, token: str) -> str:
    """Write where clients without a Unix socket find the service; return the file's path. Raises SocketError."""
    path = endpoint_path(socket_path)
    make_private_directory(os.path.dirname(path))
    write_private(path, f"{port}\n{token}\n{os.getpid()}\n")
    return path


def write_private(path: str, text: str) -> None:
    """Write a file that only its user can read, in one step. Raises SocketError."""
    fresh = f"{path}.{os.getpid()}.new"
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="ascii", newline="\n") as file:
            file.write(text)
        os.replace(fresh, path)
    except OSError as error:
        raise SocketError(f"{path}: {error.strerror}") from None

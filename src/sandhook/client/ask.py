"""Asks the user's service to run a command line; without a usable service, the command runs in this process.

The service is only asked for commands that change nothing on this machine. If it dies, is too slow or has another
version, the command runs here, from its beginning: nothing was printed and nothing happened yet. So no fault of
the service is a decision.
"""

# pathlib costs a hook 10 ms.
# ruff: noqa: PTH109, PTH123

from __future__ import annotations

import os
import sys

from sandhook.client.place import MAX_ENDPOINT, PACKAGE, endpoint_path, fault, installation, socket_path, view
from sandhook.client.wire import MEDIA_TYPE, PATH, PROOF_PATH, Call, Garbled, Printed
from sandhook.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket

#: Seconds without a byte of the service, which sends heartbeats, after which it hangs.
SILENCE = 2.0

#: Bytes that a command reads of its standard input; see ``sandhook.cli.as_hook.MAX_PAYLOAD``.
MAX_INPUT = (64 << 20) + 1

#: A longer answer of the service is not read.
MAX_ANSWER = 256 << 20

#: Options of commands that act on this machine, or that other machines notice: those run in this process.
ACTING = frozenset({"--host", "--write-back", "--allow-url", "--allow-private", "--keep-env", "-h", "--help"})

_READ = 1 << 16
_SO_PEERCRED = 17  # of Linux
_CREDENTIALS = 12  # bytes: process, user, group


def is_for_service(arguments: list[str]) -> bool:
    """Return whether the service may run a command line: an agent's hook that acts on nothing outside of it."""
    name = arguments[0] if arguments else ""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = {each.partition("=")[0] for each in arguments[1:at]}
    if name == "hook":
        return at < len(arguments) and not options & ACTING
    return name == "fire" and "--as-hook" in options and not options & ACTING


class Asked:
    """What became of a command line.

    Attributes:
        status: The exit status of the command, whose output is printed; None if it must run in this process.
        note: What the user should know of a service that did not run it.
    """

    __slots__ = ("note", "status")

    def __init__(self, status: int | None = None, note: str = "") -> None:
        self.status = status
        self.note = note


def ask(arguments: list[str]) -> Asked:
    """Let the service run a command line, and print its output.

    Standard input is read if there is a service. If it failed after that, ``sys.stdin`` has its bytes again.
    """
    if not is_for_service(arguments):
        return Asked()
    path = socket_path(os.environ, sys.platform)
    if not path or sys.stdin is None:
        return Asked()
    try:
        connected = connect(path)
        if connected is None:
            return Asked()
        call = _call(arguments)
    except (OSError, ValueError):
        return Asked()
    connection, headers = connected
    try:
        answer = _exchange(connection, headers, call.pack())
    except (OSError, ValueError):
        answer = ""
    if isinstance(answer, str):
        _put_back(call.stdin)
        return Asked(note=answer)
    return Asked(_print(answer))


def connect(path: str) -> tuple[Socket, str] | None:
    """Connect to the service; return the connection and the headers of a request, or None. Raises OSError, ValueError.

    A file that is not the user's own is never used.
    """
    import _socket

    if sys.platform != "win32" and not fault(path, "socket"):
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.settimeout(SILENCE)
        connection.connect(path)
        if sys.platform == "linux":
            credentials = connection.getsockopt(_socket.SOL_SOCKET, _SO_PEERCRED, _CREDENTIALS)
            if int.from_bytes(credentials[4:8], sys.byteorder) != os.geteuid():
                return None
        return connection, "Host: sandhook\r\n"
    endpoint = endpoint_path(path)
    if fault(endpoint, "file"):
        return None
    with open(endpoint, "rb") as file:
        lines = file.read(MAX_ENDPOINT).decode("ascii").split("\n")
    port, token = int(lines[0]), lines[1]
    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    connection.settimeout(SILENCE)
    connection.connect(("127.0.0.1", port))
    # Another program may have the port of a service that ended: it must not receive the token nor the payload.
    if not _proves(connection, port, token):
        return None
    return connection, f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"


def proof(token: str, challenge: str) -> str:
    """Return what only a holder of the token can know about a challenge."""
    try:
        from _blake2 import blake2b  # hashlib loads OpenSSL (3 ms)
    except ImportError:
        from hashlib import blake2b

    return str(blake2b(challenge.encode(), key=token.encode()[:64], digest_size=32).hexdigest())


def _proves(connection: Socket, port: int, token: str) -> bool:
    """Return whether the service knows the token, without sending it."""
    challenge = os.urandom(16).hex()
    request = f"GET {PROOF_PATH}/{challenge} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
    connection.sendall(request.encode())
    answer = b""
    wanted = proof(token, challenge).encode()
    while wanted not in answer and len(answer) < MAX_ENDPOINT:
        data = connection.recv(MAX_ENDPOINT)
        if not data:
            return False
        answer += data
    return wanted in answer and answer.endswith(wanted)


def _call(arguments: list[str]) -> Call:
    """Return the call of this process; reads standard input."""
    fsencode = os.fsencode
    directory = fsencode(os.getcwd())
    if sys.platform == "win32":
        env = [f"{name}={value}".encode("utf-8", "surrogatepass") for name, value in os.environ.items()]
    else:
        env = [b"%b=%b" % each for each in os.environb.items()]
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    seen = view()
    return Call(
        installation=installation().encode("utf-8", "surrogateescape"),
        view=seen.encode(),
        directory=directory,
        encoding=encoding.encode(),
        stdin=sys.stdin.buffer.read(MAX_INPUT),
        arguments=[fsencode(each) for each in arguments],
        env=env,
    )


def _exchange(connection: Socket, headers: str, body: bytes) -> Printed | str:
    """Send a request and return the answer, or a note about a service that declines. Raises OSError, ValueError."""
    head = (
        f"POST {PATH} HTTP/1.0\r\n{headers}Content-Type: {MEDIA_TYPE}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection.sendall(head.encode("ascii") + body)
    pieces = []
    size = 0
    while data := connection.recv(_READ):
        pieces.append(data)
        size += len(data)
        if size > MAX_ANSWER:
            raise Garbled("the answer is too long")
    header, _, answer = b"".join(pieces).partition(b"\r\n\r\n")
    if header.split(b" ", 2)[1:2] != [b"200"]:
        return _note(answer)
    chunked = b"\r\ntransfer-encoding: chunked" in header.lower()
    return Printed.unpack(_joined(answer) if chunked else answer)


def _note(answer: bytes) -> str:
    """Return what a user should know of a service that declines: these files were upgraded while it ran.

    A service of other files is as it should be; it is somebody's other installation.
    """
    import json  # an answer that few hooks ever get

    about = json.loads(answer)
    if not isinstance(about, dict) or about.get("package") != PACKAGE:
        return ""
    version = about.get("version")
    if not isinstance(version, str) or not version.isprintable() or version == __version__:
        return ""
    return version_note(version)


def version_note(version: str) -> str:
    """Return what to do about a service of another version."""
    return f"the service runs {version}, and this is {__version__}: sandhook serve --restart"


def _joined(body: bytes) -> bytes:
    """Return a body without the lengths of its chunks. Raises Garbled. Source: RFC 9112, 7.1."""
    pieces: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at)
        if end < 0:
            raise Garbled("the answer is cut")
        size = int(body[at:end], 16)
        if size == 0:
            return b"".join(pieces)
        at = end + 2 + size + 2
        if at > len(body):
            raise Garbled("the answer is cut")
        pieces.append(body[end + 2 : at - 2])


def _put_back(data: bytes) -> None:
    """Let the command of this process read standard input as if nobody had."""
    import io

    sys.stdin = io.TextIOWrapper(io.BytesIO(data))


def _print(printed: Printed) -> int:
    """Print what the command printed and return its exit status, as the command line itself does."""
    status = printed.status
    for descriptor, data in ((1, printed.stdout), (2, printed.stderr)):
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(descriptor, left) :]
        except BrokenPipeError:
            return 141  # the status of a program that SIGPIPE killed
        except OSError:
            status = status or 1
    return status

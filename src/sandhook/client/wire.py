"""What client and service send each other: fields, each with its length in front, as ``5:hello``."""

from __future__ import annotations

#: The service sends this while a hook runs, so that the client sees that it works.
HEARTBEAT = b"."

#: Begins the answer of the service; everything before it is heartbeats.
ANSWER = b"="

#: The path of a request to run a command, and the media type of its body.
PATH = "/v1/run"
MEDIA_TYPE = "application/x-sandhook-fields"

#: The path at which a service on loopback proves that it knows the token.
PROOF_PATH = "/v1/proof"


class Garbled(ValueError):
    """Data that is not a list of fields."""


def pack(fields: list[bytes]) -> bytes:
    """Return fields as one text."""
    return b"".join([b"%d:%b" % (len(field), field) for field in fields])


def unpack(data: bytes) -> list[bytes]:
    """Return the fields of a text. Raises Garbled, also when the last one is cut."""
    fields = []
    at, end = 0, len(data)
    while at < end:
        colon = data.find(b":", at, at + 12)
        number = data[at:colon]
        if colon < 0 or not number.isdigit():
            raise Garbled(f"no length at byte {at}")
        at = colon + 1 + int(number)
        if at > end:
            raise Garbled(f"a field of {int(number)} bytes is cut")
        fields.append(data[colon + 1 : at])
    return fields


class Call:
    """A command line, and what of its process decides about its result.

    Attributes:
        installation, view: See ``place``.
        directory: The current directory.
        encoding: Of standard error.
        stdin: All of standard input.
        arguments: Without the program's name.
        env: Entries ``NAME=VALUE``.
    """

    __slots__ = ("arguments", "directory", "encoding", "env", "installation", "stdin", "view")

    def __init__(
        self,
        *,
        installation: bytes,
        view: bytes,
        directory: bytes,
        encoding: bytes,
        stdin: bytes,
        arguments: list[bytes],
        env: list[bytes],
    ) -> None:
        self.installation = installation
        self.view = view
        self.directory = directory
        self.encoding = encoding
        self.stdin = stdin
        self.arguments = arguments
        self.env = env

    def pack(self) -> bytes:
        """Return the body of a request."""
        head = [self.installation, self.view, self.directory, self.encoding, self.stdin]
        return pack([*head, pack(self.arguments), pack(self.env)])

    @classmethod
    def unpack(cls, data: bytes) -> Call:
        """Return the call of a body. Raises Garbled."""
        fields = unpack(data)
        if len(fields) != 7:
            raise Garbled(f"{len(fields)} fields; wanted 7")
        installation, view, directory, encoding, stdin, arguments, env = fields
        return cls(
            installation=installation,
            view=view,
            directory=directory,
            encoding=encoding,
            stdin=stdin,
            arguments=unpack(arguments),
            env=unpack(env),
        )


class Printed:
    """What a command printed, and its exit status."""

    __slots__ = ("status", "stderr", "stdout")

    def __init__(self, status: int, stdout: bytes, stderr: bytes) -> None:
        self.status = status
        self.stdout = stdout
        self.stderr = stderr

    def pack(self) -> bytes:
        """Return an answer; its end is marked, so that a cut one is no answer."""
        return ANSWER + pack([b"%d" % self.status, self.stdout, self.stderr, b"end"])

    @classmethod
    def unpack(cls, data: bytes) -> Printed:
        """Return the answer in a body that may begin with heartbeats. Raises Garbled."""
        data = data.lstrip(HEARTBEAT)
        if data[:1] != ANSWER:
            raise Garbled("no answer")
        fields = unpack(data[1:])
        if len(fields) != 4 or fields[3] != b"end" or not fields[0].isdigit() or int(fields[0]) > 255:
            raise Garbled("not an answer")
        return cls(int(fields[0]), fields[1], fields[2])

"""The messages between the host and a worker that runs the shell: frames as in ``worker.frames``, JSON and bytes.

Both sides send frames of ``worker.frames.HEADER``. The host sends RUN; the worker sends OUTPUT, ERRORS, questions, and
one RESULT. Questions are INPUT, which the host answers with DATA or WAITED, and FILES, which it answers with VALUE or
ERROR.

Several programs of a run may use jq, SQLite or the network at the same time. Each such call is a channel: its frames
begin with its number, and the host serves each in a thread. CALL opens a channel to jq or SQLite: the host sends their frames as FRAME, the
worker answers each piece of output with ANSWER (GO or STOP), and CALLED ends the channel. FETCH opens a channel for a
request: the host sends RESPONSE, then a PIECE of the body for each NEXT, an empty one last, or FAILED. CLOSE of the
worker ends the channel.
"""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps, loads
from struct import Struct
from typing import TypedDict, final

from sandhook.errors import ErrorPlace, LimitName, Repeats
from sandhook.limits import Overflow

#: From the host.
RUN, DATA, WAITED, VALUE, ERROR = 64, 65, 66, 67, 68
#: From the host, of a channel.
FRAME, CALLED, RESPONSE, PIECE, FAILED = 69, 70, 71, 72, 73
#: From the worker.
RESULT, OUTPUT, ERRORS, INPUT, FILES = 80, 81, 82, 83, 84
#: From the worker, of a channel.
CALL, ANSWER, FETCH, NEXT, CLOSE = 85, 86, 87, 88, 89

OPENING = frozenset({CALL, FETCH})
CHANNEL_FROM_HOST = frozenset({FRAME, CALLED, RESPONSE, PIECE, FAILED})
CHANNEL_FROM_WORKER = frozenset({CALL, ANSWER, FETCH, NEXT, CLOSE})

#: Bytes of the steps of one run, after which they have neither words nor variables nor output.
MOST_STEP_BYTES = 16 << 20

#: Number of a channel.
CHANNEL = Struct("<I")

#: Which worker a CALL is for, length of its header in bytes; then the header and the data.
CALL_HEAD = Struct("<BI")
JQ, SQLITE, WRAPPED_JQ = 0, 1, 2

#: Which kind of frame of another worker a FRAME carries; then its payload.
FRAME_HEAD = Struct("<B")

#: How a CALL ended.
DONE, OUT_OF_TIME, OUT_OF_MEMORY, CRASHED, STOPPED = 0, 1, 2, 3, 4

#: Seconds, and at most how many bytes, an INPUT asks for.
INPUT_HEAD = Struct("<dI")

#: How a file is opened.
READ, WRITE, CREATE, EXCLUSIVE, TRUNCATE = 1, 2, 4, 8, 16

#: Length of a JSON text in bytes; then the text, and bytes.
_HEAD = Struct("<I")

#: Bytes of a file in one message.
CHUNK = 1 << 20


@final
class TreeHeader(TypedDict):
    """One memory file system, and how the worker's copy becomes the present one."""

    number: int
    fresh: bool  #: the delta is from a new file system on, not from the worker's copy
    user: tuple[int, int, bool]  #: see ``MemoryFileSystem.user``
    quota: tuple[int, int, int]


@final
class OverlayHeader(TypedDict):
    """An overlay of the two trees."""

    user: tuple[int, int]
    whiteouts: list[str]


@final
class NetworkHeader(TypedDict):
    """The bounds of the host's network."""

    max_bytes: int
    max_seconds: float
    max_redirects: int


@final
class FetchHeader(TypedDict):
    """A request to the network; its body follows."""

    method: str
    url: tuple[str, str, int, str]  #: scheme, host, port, path
    headers: list[tuple[str, str]]
    has_body: bool
    seconds: float
    connect_seconds: float | None


@final
class RestrictionsHeader(TypedDict):
    """See ``kernel.settings.Restrictions``."""

    missing: list[str]
    programs: list[str] | None
    variables: list[str]


@final
class RunHeader(TypedDict):
    """What a run executes, with what, and how the worker's copy of the files becomes the present one."""

    script: str
    args: list[str]
    name: str
    from_file: bool
    env: dict[str, str]
    run_env: dict[str, str] | None
    cwd: str
    limits: list[float]
    overflow: Overflow
    start_files: bool
    git_writes: bool
    dispatches_scripts: bool
    crlf: bool
    asks_input: bool  #: standard input comes by INPUT
    steps: bool  #: the result has what each command did
    streams: list[bool]  #: whether standard output and standard error are sent as they come
    trees: list[TreeHeader]  #: the files of which the worker has a copy; empty if it asks the host
    overlay: OverlayHeader | None
    forget: list[int]  #: trees that the worker needs no more
    temporary: list[str]  #: paths of files that exist during this run alone
    network: NetworkHeader | None
    restrictions: RestrictionsHeader | None
    blocks: list[int]  #: lengths of standard input, of the delta of each tree, of each temporary file


@final
class SyntaxErrorFields(TypedDict):
    """The arguments of a ShellSyntaxError."""

    message: str
    source: str
    span: list[int]
    line: int
    column: int
    token: str
    name: str
    incomplete: bool
    where: ErrorPlace
    repeats: Repeats


@final
class ResultHeader(TypedDict):
    """How a run ended."""

    status: int
    limit: LimitName | None
    failure: str | None
    truncated: bool
    stdout_truncated: bool
    duration: float
    syntax_error: SyntaxErrorFields | None
    defect: list[str] | None  #: class and text of an exception
    not_started: str | None
    outermost: bool
    signal: str | None
    script_status: int | None
    interrupted: bool
    asked: list[str]  #: what the run wanted of its restrictions
    read: list[str]
    notes: list[str]
    whiteouts: list[str]  #: new ones
    blocks: list[int]  #: lengths of standard output, standard error, the delta, and of the steps if asked for


def pack(header: Mapping[str, object], *blocks: bytes) -> bytes:
    """Return a payload."""
    head = dumps({**header, "blocks": [len(block) for block in blocks]}).encode()
    return b"".join((_HEAD.pack(len(head)), head, *blocks))


def unpack(payload: bytes, count: int | None = None) -> tuple[dict[str, object], list[bytes]]:
    """Return header and blocks of a payload. Raises ValueError if it has another form.

    Args:
        count: How many blocks there must be; None for any number.
    """
    header, rest = split(payload)
    sizes = header.get("blocks") if isinstance(header, dict) else None
    if (
        not isinstance(header, dict)
        or not isinstance(sizes, list)
        or (count is not None and len(sizes) != count)
        or any(size.__class__ is not int or size < 0 for size in sizes)
        or sum(sizes) != len(rest)
    ):
        raise ValueError("the lengths are wrong")
    blocks = []
    at = 0
    for size in sizes:
        blocks.append(rest[at : at + size])
        at += size
    return header, blocks


def join(value: object, data: bytes = b"") -> bytes:
    """Return a JSON value and bytes as one payload."""
    head = dumps(value).encode()
    return _HEAD.pack(len(head)) + head + data


def split(payload: bytes) -> tuple[object, bytes]:
    """Return the JSON value and the bytes of a payload. Raises ValueError if it has another form."""
    if len(payload) < _HEAD.size:
        raise ValueError("no header")
    at = _HEAD.size + _HEAD.unpack_from(payload)[0]
    if at > len(payload):
        raise ValueError("the header is cut")
    try:
        value: object = loads(payload[_HEAD.size : at])
    except RecursionError:
        raise ValueError("the header is too deep") from None
    return value, payload[at:]

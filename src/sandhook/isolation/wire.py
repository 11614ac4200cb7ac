"""The messages between the host and a worker that runs the shell: frames as in ``worker.frames``, JSON and bytes.

Both sides send frames of ``worker.frames.HEADER``. The host sends RUN; the worker sends any number of OUTPUT, ERRORS,
INPUT and CALL, and one RESULT. The host answers INPUT with DATA or WAITED, and CALL with the frames of a
worker for jq or SQLite; each piece of output of these is answered with GO or STOP by the worker, and CALLED ends them.
"""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps, loads
from struct import Struct
from typing import TypedDict, final

from sandhook.errors import LimitName

#: From the host.
RUN, DATA, WAITED, FRAME, CALLED = 64, 65, 66, 67, 68
#: From the worker.
RESULT, OUTPUT, ERRORS, INPUT, CALL, ANSWER = 80, 81, 82, 83, 84, 85

#: Which worker a CALL is for, length of its header in bytes; then the header and the data.
CALL_HEAD = Struct("<BI")
JQ, SQLITE, WRAPPED_JQ = 0, 1, 2

#: Which kind of frame of another worker a FRAME carries; then its payload.
FRAME_HEAD = Struct("<B")

#: How a CALL ended.
DONE, OUT_OF_TIME, OUT_OF_MEMORY, CRASHED, STOPPED = 0, 1, 2, 3, 4

#: Seconds, and at most how many bytes, an INPUT asks for.
INPUT_HEAD = Struct("<dI")

#: Length of the JSON header of a RUN or RESULT in bytes; then the header, and blocks of the lengths that it names.
_HEAD = Struct("<I")


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
    overflow: str
    start_files: bool
    asks_input: bool  #: standard input comes by INPUT
    streams: list[bool]  #: whether standard output and standard error are sent as they come
    files: int  #: which file system the copy is of
    fresh: bool  #: the delta is from a new file system on, not from the worker's copy
    quota: list[int]
    blocks: list[int]  #: lengths of standard input and of the delta


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
    where: str
    repeats: str


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
    signal: str | None
    interrupted: bool
    notes: list[str]
    blocks: list[int]  #: lengths of standard output, standard error and the delta


def pack(header: Mapping[str, object], *blocks: bytes) -> bytes:
    """Return a payload."""
    head = dumps({**header, "blocks": [len(block) for block in blocks]}).encode()
    return b"".join((_HEAD.pack(len(head)), head, *blocks))


def unpack(payload: bytes, count: int) -> tuple[dict[str, object], list[bytes]]:
    """Return header and blocks of a payload. Raises ValueError if it has another form."""
    if len(payload) < _HEAD.size:
        raise ValueError("no header")
    at = _HEAD.size + _HEAD.unpack_from(payload)[0]
    header = loads(payload[_HEAD.size : at])
    sizes = header.get("blocks") if isinstance(header, dict) else None
    if (
        not isinstance(sizes, list)
        or len(sizes) != count
        or at + sum(sizes) != len(payload)
        or min(sizes) < 0
    ):
        raise ValueError("the lengths are wrong")
    blocks = []
    for size in sizes:
        blocks.append(payload[at : at + size])
        at += size
    return header, blocks

"""Short ways to ask a worker."""

from __future__ import annotations

from sandhook.worker import frames
from sandhook.worker.client import Pool
from sandhook.worker.requests import Request

#: Prints every result as compact JSON.
COMPACT = b"try ((%s)|[tojson]) catch {e:.},null"


def request(program: bytes, data: bytes = b"null", flags: int = 0) -> Request:
    """Return a request for a program as a user writes it."""
    return Request(COMPACT % program, data, flags=flags)


def output(pool: Pool, asked: Request, seconds: float = 10.0) -> bytes:
    """Return all that a request prints."""
    pieces: list[bytes] = []

    def take(kind: int, payload: bytes) -> None:
        if kind == frames.DONE:
            pieces.append(payload[frames.DONE_HEAD.size :])
        elif kind == frames.OUTPUT:
            pieces.append(payload)

    pool.call(asked, lambda: seconds, take)
    return b"".join(pieces)

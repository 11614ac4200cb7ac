"""What the host does for a run in a worker: jq and SQLite, in the workers that they have."""

from __future__ import annotations

import sys
from typing import Protocol

from sandhook.errors import WorkerError
from sandhook.isolation import wire
from sandhook.worker import client, frames
from sandhook.worker.requests import NativeRequest, Request


class Line(Protocol):
    """The channel of one call, see ``channels.Channel``."""

    def send(self, kind: int, payload: bytes) -> None: ...

    def receive(self) -> tuple[int, bytes]: ...

    def remaining(self) -> float: ...


class Refused(Exception):
    """The run wants no more output of a call."""


def call(line: Line, payload: bytes) -> tuple[int, bytes]:
    """Ask the worker that a CALL names, and send on every frame of its answer; return the last frame of the channel.

    Args:
        line: Its channel.
        payload: Of the CALL. It comes from a process that nobody trusts: it is decoded and encoded anew.

    Raises ValueError for a payload of another form.
    """
    pool, request = _request(payload)

    def on_frame(kind: int, data: bytes) -> None:
        line.send(wire.FRAME, wire.FRAME_HEAD.pack(kind) + data)
        if kind == frames.OUTPUT and line.receive() != (wire.ANSWER, frames.GO):
            raise Refused

    try:
        pool.call(request, line.remaining, on_frame)
    except Refused:
        return wire.CALLED, bytes((wire.STOPPED,))
    except client.OutOfTime:
        return wire.CALLED, bytes((wire.OUT_OF_TIME,))
    except client.WorkerDied as death:
        kind = wire.OUT_OF_MEMORY if death.out_of_memory else wire.CRASHED
        return wire.CALLED, bytes((kind,)) + death.reason.encode()
    except WorkerError as error:
        return wire.CALLED, bytes((wire.CRASHED,)) + str(error).encode()
    return wire.CALLED, bytes((wire.DONE,))


def _request(payload: bytes) -> tuple[client.Pool[client.Worker], NativeRequest | Request]:
    if len(payload) < wire.CALL_HEAD.size:
        raise ValueError("a call without a header")
    which, length = wire.CALL_HEAD.unpack_from(payload)
    body = payload[wire.CALL_HEAD.size :]
    if which == wire.WRAPPED_JQ and not client.NATIVE:
        return client.POOL, _wrapped(body)
    if which not in (wire.JQ, wire.SQLITE) or length > len(body) or (which == wire.JQ and not client.NATIVE):
        raise ValueError("a call of an unknown form")
    pool = client.sqlite_pool() if which == wire.SQLITE else client.POOL
    return pool, NativeRequest(body[:length], body[length:])


def _wrapped(body: bytes) -> Request:
    """Return a request for the worker that Windows has."""
    if len(body) < frames.REQUEST.size:
        raise ValueError("a call without a header")
    flags, indent, step, _, *lengths = frames.REQUEST.unpack_from(body)
    at = frames.REQUEST.size
    if at + sum(lengths) != len(body):
        raise ValueError("the lengths of a call are wrong")
    texts = []
    for length in lengths:
        texts.append(body[at : at + length])
        at += length
    program, variables, data, probe = texts
    return Request(program, data, flags=flags, indent=indent, step=step, variables=variables, probe=probe)


#: Which kind of request jq's utility makes on this system.
JQ_CALL = wire.JQ if sys.platform != "win32" else wire.WRAPPED_JQ

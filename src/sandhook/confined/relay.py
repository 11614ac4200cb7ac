"""jq and SQLite for a confined shell: the host asks the workers that they have, and sends their answers on."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.confined.questions import Channel
from sandhook.isolation import wire
from sandhook.isolation.relay import JQ_CALL
from sandhook.worker import client, frames
from sandhook.worker.requests import NativeRequest, Request


class RelayPool(client.Pool[client.Worker]):
    """Stands for the workers of the host.

    Args:
        which: One of ``wire.JQ``, ``wire.SQLITE``, ``wire.WRAPPED_JQ``.
    """

    def __init__(self, which: int) -> None:
        super().__init__()
        self._which = which

    def call(
        self, request: Request | NativeRequest, remaining: Callable[[], float], on_frame: client.OnFrame
    ) -> None:
        """Ask the host; the arguments and exceptions are those of ``client.Pool.call``."""
        channel = Channel()
        try:
            if isinstance(request, NativeRequest):
                head = wire.CALL_HEAD.pack(self._which, len(request.header))
                channel.send(wire.CALL, head + request.header + request.data)
            else:
                channel.send(wire.CALL, wire.CALL_HEAD.pack(self._which, 0) + request.encode(remaining()))
            self._pass_frames(channel, on_frame)
        finally:
            channel.forget()

    @staticmethod
    def _pass_frames(channel: Channel, on_frame: client.OnFrame) -> None:
        refusal: BaseException | None = None
        kind, payload = channel.receive()
        while kind == wire.FRAME:
            (inner,) = wire.FRAME_HEAD.unpack_from(payload)
            data = payload[wire.FRAME_HEAD.size :]
            try:
                if refusal is None:
                    on_frame(inner, data)
            except BaseException as error:
                refusal = error
            if inner == frames.OUTPUT:
                channel.send(wire.ANSWER, frames.GO if refusal is None else frames.STOP)
            kind, payload = channel.receive()
        if refusal is not None:
            raise refusal
        how, reason = payload[0], payload[1:].decode()
        if how == wire.OUT_OF_TIME:
            raise client.OutOfTime
        if how in (wire.OUT_OF_MEMORY, wire.CRASHED):
            raise client.WorkerDied(reason, out_of_memory=how == wire.OUT_OF_MEMORY)


def install() -> None:
    """Make the utilities ask the host from now on."""
    jq, sqlite = RelayPool(JQ_CALL), RelayPool(wire.SQLITE)
    client.POOL = jq
    client.sqlite_pool = lambda: sqlite

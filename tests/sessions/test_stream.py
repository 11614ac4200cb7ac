"""Shell.stream: pieces while the run runs, its result, its end, and how far it is ahead."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

import pytest

from sandhook import Cancellation, Limits, Piece, Shell, Stream
from sandhook.sessions import stream as module

T = TypeVar("T")

#: Writes for ever.
ENDLESS = "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"
LARGE = Limits(wall_seconds=60.0, output_bytes=1 << 40, steps=1 << 40)


async def read(stream: Stream) -> list[Piece]:
    return [piece async for piece in stream]


def run(body: Callable[[], Awaitable[T]]) -> T:
    async def main() -> T:
        return await asyncio.wait_for(body(), 60)

    return asyncio.run(main())


def test_pieces_come_in_order_with_their_stream() -> None:
    async def body() -> None:
        stream = Shell().stream("echo a; echo b >&2; cat; exit 3", stdin=b"in\n", args=("x",), env={"A": "b"})
        pieces = await read(stream)
        assert pieces == [Piece("stdout", b"a\n"), Piece("stderr", b"b\n"), Piece("stdout", b"in\n")]
        assert (pieces[0].stream, pieces[0].data) == ("stdout", b"a\n")
        assert (stream.result.exit_status, stream.result.stdout_bytes) == (3, b"")

    run(body)


def test_a_piece_arrives_before_the_run_ends() -> None:
    async def body() -> None:
        answered = asyncio.Event()
        loop = asyncio.get_running_loop()

        def answer(count: int, seconds: float) -> bytes:
            """Return input only after the first piece was read."""
            asyncio.run_coroutine_threadsafe(answered.wait(), loop).result()
            return b""

        stream = Shell().stream("echo first; read x; echo second", stdin=answer)
        assert await anext(stream) == Piece("stdout", b"first\n")
        with pytest.raises(RuntimeError, match="has not ended"):
            _ = stream.result
        answered.set()
        assert await read(stream) == [Piece("stdout", b"second\n")]
        assert stream.result.exit_status == 0

    run(body)


def test_a_session_keeps_its_state() -> None:
    async def body() -> None:
        session = Shell().session()
        await read(session.stream("x=1; cd /tmp", args=["a"]))
        assert await read(session.stream("echo $x $PWD $1")) == [Piece("stdout", b"1 /tmp a\n")]

    run(body)


def test_no_output_is_no_piece() -> None:
    async def body() -> None:
        stream = Shell().stream(":")
        assert await read(stream) == []
        assert await read(stream) == []
        assert stream.result.exit_status == 0

    run(body)


def test_a_run_waits_for_its_reader() -> None:
    """A reader that sleeps finds no more than 64 KiB and one piece, however long it sleeps."""

    async def body() -> None:
        stream = Shell(limits=LARGE).stream(ENDLESS)
        await anext(stream)
        while stream._buffer.size < module._AHEAD:  # it runs ahead of its reader up to that
            await asyncio.sleep(0.01)
        for _ in range(5):
            await asyncio.sleep(0.1)
            assert stream._buffer.size <= module._AHEAD + 100
        await stream.aclose()
        assert stream.result.limit == "cancelled"

    run(body)


def test_all_output_arrives_however_slow_the_reader_is() -> None:
    async def body() -> None:
        stream = Shell(limits=LARGE).stream("for ((i = 0; i < 40000; i++)); do echo $i; done")
        data = b""
        async for piece in stream:
            data += piece.data
            if len(data) % 1000 < 6:
                await asyncio.sleep(0)
        assert data == b"".join(b"%d\n" % number for number in range(40_000))

    run(body)


def test_cancelling_the_task_ends_the_run() -> None:
    async def body() -> None:
        cancel = Cancellation()
        stream = Shell(limits=LARGE).stream("echo begun; while :; do :; done", cancel=cancel)
        begun = asyncio.Event()

        async def reader() -> None:
            async for _ in stream:
                begun.set()

        task = asyncio.create_task(reader())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert cancel.cancelled
        assert stream.result.limit == "cancelled"

    run(body)


def test_leaving_the_block_ends_the_run() -> None:
    async def body() -> None:
        async with Shell(limits=LARGE).stream(ENDLESS) as stream:
            async for piece in stream:
                assert piece.stream == "stdout"
                break
        assert stream.result.limit == "cancelled"
        again = Shell().stream("echo never")
        await again.aclose()
        assert await read(again) == []

    run(body)


@pytest.mark.usefixtures("few_objects")
def test_dropping_the_stream_ends_the_run() -> None:
    async def body() -> None:
        cancel = Cancellation()
        stream = Shell(limits=LARGE).stream(ENDLESS, cancel=cancel)
        await anext(stream)
        del stream
        gc.collect()
        assert cancel.cancelled

    run(body)


def test_a_limit_ends_a_run_whose_reader_is_too_slow() -> None:
    async def body() -> None:
        stream = Shell(limits=LARGE.with_(wall_seconds=0.3)).stream(ENDLESS)
        await anext(stream)
        began = monotonic()
        while monotonic() < began + 0.6:
            await asyncio.sleep(0.05)
        await read(stream)
        assert stream.result.limit == "wall_seconds"

    run(body)


def test_wrong_arguments_are_reported_where_they_are_read() -> None:
    async def body() -> None:
        stream = Shell().stream("echo", args="a")  # a text is no sequence of arguments
        with pytest.raises(TypeError, match="args"):
            await read(stream)

    run(body)


def test_the_outputs_are_the_stream() -> None:
    with pytest.raises(TypeError, match="stdout"):
        Shell().stream("echo", stdout=print)._run(print, print)  # type: ignore[call-arg,arg-type]

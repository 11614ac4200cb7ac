"""Programs of a run: how they are started, how they end, and that none of them is left."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import pytest

from sandhook.host.children import Child, Spawn, Supervisor
from sandhook.host.poller import Poller, inbound, read_some

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")


def spawn(
    text: str,
    *arguments: str,
    files: Mapping[int, int] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    **more: object,
) -> Spawn:
    """Return how to start Python with a text; its streams are the null device."""
    return Spawn(
        executable=sys.executable,
        argv=(sys.executable, "-S", "-c", text, *arguments),
        env=dict(os.environ) if env is None else env,
        cwd=os.getcwd() if cwd is None else cwd,
        files={0: NULL, 1: NULL, 2: NULL} | dict(files or {}),
        **more,
    )


NULL = os.open(os.devnull, os.O_RDWR)


def wait(child: Child) -> int:
    """Return the status of a child, when it has ended."""
    poller = Poller()
    ended: list[bool] = []
    poller.ended(child, lambda: ended.append(True))
    while not ended:
        assert poller.wait(30), "it did not end"
    poller.close()
    assert child.status is not None
    return child.status


def output(supervisor: Supervisor, text: str, *arguments: str, **more: object) -> bytes:
    """Return what a program writes to standard output."""
    ours, theirs = inbound()
    files = more.pop("files", {})
    assert isinstance(files, dict)
    child = supervisor.start(spawn(text, *arguments, files={**files, 1: theirs}, **more))  # type: ignore[arg-type]
    os.close(theirs)
    poller = Poller()
    data, over = b"", False

    def take() -> None:
        nonlocal data, over
        while (piece := read_some(ours, 65536)) is not None:
            data += piece
            if not piece:
                over = True
                return
        poller.readable(ours, take)

    poller.readable(ours, take)
    while not over:
        assert poller.wait(30)
    poller.close()
    os.close(ours)
    assert wait(child) == 0
    return data


@pytest.mark.parametrize("status", [0, 1, 77, 255])
def test_the_status_is_the_programs(status: int) -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(spawn(f"raise SystemExit({status})"))
        assert (wait(child), child.signal) == (status, 0)
        assert child.poll()


@posix
@pytest.mark.parametrize("number", [1, 2, 9, 15])
def test_a_signal_ends_a_program_with_128_more(number: int) -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(
            spawn(
                f"import os, signal; signal.signal({number}, signal.SIG_DFL) if {number} != 9 else 0; os.kill(os.getpid(), {number})"
            )
        )
        assert (wait(child), child.signal) == (128 + number, number)

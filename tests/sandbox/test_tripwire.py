"""The net itself: it lets harmless work pass, and refuses what it is there to refuse."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sandbox import tripwire
from tests.sandbox.host import differences, host_state


@pytest.mark.parametrize(
    ("act", "event"),
    [
        (lambda: Path(__file__).read_text(), "open"),
        (lambda: os.listdir("."), "os.listdir"),
        (lambda: os.remove("there-is-no-such-file"), "os.remove"),
        (lambda: os.putenv("A", "b"), "os.putenv"),
        (lambda: os.system("exit 3"), "os.system"),
        (lambda: os.kill(os.getpid(), 0), "os.kill"),
        (lambda: subprocess.run([sys.executable, "-c", ""]), "subprocess.Popen"),
        (lambda: socket.socket(), "socket.__new__"),
        (lambda: eval("1"), "compile"),
        (lambda: exec("x = 1"), "compile"),
        (lambda: __import__("jq"), "import"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refuses(act: Callable[[], object], event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tripwire.install()
    monkeypatch.delitem(sys.modules, "jq", raising=False)
    with tripwire.watch() as breaches, pytest.raises(tripwire.Breach):
        act()
    assert breaches[0].startswith(event)


def test_lets_memory_and_lazy_imports_pass() -> None:
    tripwire.install()
    for name in [name for name in sys.modules if name.split(".")[0] == "colorsys"]:
        del sys.modules[name]
    with tripwire.watch() as breaches:
        import colorsys

        assert colorsys.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
        assert sorted(range(3)) == [0, 1, 2]
    assert breaches == []


def test_watches_one_thread_only() -> None:
    tripwire.install()
    read: list[str] = []
    other = threading.Event()

    def reader() -> None:
        other.wait()
        read.append(Path(__file__).read_text())

    thread = threading.Thread(target=reader)
    thread.start()
    with tripwire.watch() as breaches:
        other.set()
        thread.join()
    assert read
    assert breaches == []


def test_host_state_sees_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    before = host_state()
    assert differences(before, host_state()) == []
    monkeypatch.setenv("SANDHOOK_TEST", "1")
    assert differences(before, host_state()) == ["environment"]

"""Runs hostile scripts under the tripwire, and compares the host before and after each."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import sandhook
from sandhook.interp.result import Result
from sandhook.limits import Limits
from sandhook.shell import Shell
from sandhook.vfs.base import FileSystem
from sandhook.worker.client import POOL
from tests.sandbox import tripwire
from tests.sandbox.host import CANARY, differences, host_state

#: Small enough that a bomb is over in milliseconds, large enough for every harmless twin.
SMALL = Limits(
    wall_seconds=300.0,  # of real time, which a busy machine uses up: processor time is bounded below
    steps=50_000,
    memory_bytes=4 << 20,
    fs_bytes=1 << 20,
    fs_inodes=500,
    call_depth=200,
    processes=32,
    fields=20_000,
    input_bytes=2 << 20,
)

#: For runs that start workers, which takes seconds on a busy machine.
PATIENT = Limits(wall_seconds=60.0)

#: Seconds of processor time that a run may take at most, and beyond a smaller limit of its own. A busy
#: machine gives a run fewer of them in a second, never more; the tripwire refuses a real sleep.
BUSY = 4.0
GRACE = 1.0

#: Traces of Python or of the host that no message may show.
FORBIDDEN = ("Traceback (most recent call last)", "site-packages", " object at 0x", "greenlet", '.py", line')

#: Modules that run the command line, live in the worker, or write the parser's table.
HOST_ONLY = (
    "__main__",
    "confined.relay",
    "confined.serve",
    "worker.confine.posix",
    "worker.jq.libjq",
    "worker.jq.native",
    "worker.jq.server",
    "worker.jq.values",
    "worker.process",
    "worker.sqlite.console",
    "worker.sqlite.defensive",
    "worker.sqlite.dots",
    "worker.sqlite.session",
    "syntax.tablegen",
)

#: What no run in the sandbox imports; some of it is for one system, or for packages that are not installed.
HOST_MODE = ("sandhook.bridges.", "sandhook.host.")

WARM_UP = """\
echo a | grep -E a | cat; echo aa | grep -P '(a)\\1'; printf '%d\\n' 1; [[ a =~ a ]]; x=$((1 + 1)); jq -n 1; sqlite3 :memory: 'select 1'; yq . <<<'a: 1'
"""


@pytest.fixture(scope="session", autouse=True)
def warm() -> None:
    """Import what runs need, start the jq worker, and install the audit hook."""
    tripwire.install()
    # A first import writes bytecode, which is the host's doing and no script's.
    for module in pkgutil.walk_packages(sandhook.__path__, "sandhook."):
        if not module.name.endswith(HOST_ONLY) and not module.name.startswith(HOST_MODE):
            importlib.import_module(module.name)
    for _ in range(2):
        Shell(limits=PATIENT).run(WARM_UP)


class Host:
    """Real things that scripts try to reach.

    Attributes:
        directory: A directory of the host; ``secret`` and ``script.sh`` in it exist.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.secret = directory / "secret"
        self.secret.write_text(CANARY + "\n")
        self.script = directory / "script.sh"
        self.script.write_text(f"#!/bin/sh\necho {CANARY}\n")
        self.script.chmod(0o755)
        (directory / "sub").mkdir()

    def listing(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.directory)): path.read_bytes() if path.is_file() else b""
            for path in sorted(self.directory.rglob("*"))
        }

    def fill(self, script: str) -> str:
        """Replace the names of real things in a script's text."""
        for name, value in {
            "@DIR@": self.directory.as_posix(),
            "@SECRET@": self.secret.as_posix(),
            "@SCRIPT@": self.script.as_posix(),
            "@PYTHON@": Path(sys.executable).as_posix(),
            "@PID@": str(os.getpid()),
            "@PPID@": str(psutil.Process().ppid()),  # os.getppid ends Python 3.13 under Wine
        }.items():
            script = script.replace(name, value)
        return script


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    made = Host(tmp_path_factory.mktemp("host"))
    before = made.listing()
    os.environ["SANDHOOK_CANARY"] = CANARY
    yield made
    del os.environ["SANDHOOK_CANARY"]
    assert made.listing() == before, "a script changed the host's files"


def have_one_worker() -> None:
    """Leave exactly one jq worker, whatever earlier runs and tests have started and killed."""
    if len(POOL._idle) != 1:
        POOL.close()
        Shell(limits=PATIENT).run("jq -n 1")


class Attack:
    """Runs one script and checks what holds for all of them.

    Attributes:
        fs: The files that the last run left.
    """

    fs: FileSystem

    def __init__(self, host: Host) -> None:
        self.host = host

    def __call__(
        self,
        script: str,
        *,
        limits: Limits = SMALL,
        env: dict[str, str] | None = None,
        stdin: bytes = b"",
        files: dict[str, Any] | None = None,
        args: tuple[str, ...] = (),
    ) -> Result:
        text = self.host.fill(script)
        have_one_worker()
        here = set(os.listdir("."))
        before = host_state()
        start = time.process_time()
        with tripwire.watch() as breaches:
            shell = Shell(files=files or {}, env=env or {}, limits=limits)
            result = shell.run(text, stdin=stdin, args=args)
        took = time.process_time() - start
        self.fs = shell.fs
        assert result.defect is None, result.defect
        assert not breaches, f"the run reached for the host: {breaches}"
        after = host_state()
        if after["children"] != before["children"]:  # a worker was started, or killed
            have_one_worker()
            until = time.monotonic() + 60  # killed ones may take a while to go, also one of an earlier run
            while len((after := host_state())["children"]) > len(before["children"]):
                assert time.monotonic() < until, (before["children"], after["children"])
                time.sleep(0.05)
            before["children"] = after["children"]
        assert differences(before, after) == []
        assert set(os.listdir(".")) == here
        assert took < min(limits.wall_seconds, BUSY) + GRACE, f"took {took:.2f} s"
        shown = result.stdout + result.stderr
        assert CANARY not in shown
        assert not [text for text in FORBIDDEN if text in shown], shown
        return result


@pytest.fixture
def attack(host: Host) -> Attack:
    return Attack(host)

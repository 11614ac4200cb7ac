"""One run of a shell, measured from outside: processor time, memory, and how long other threads stood still."""

from __future__ import annotations

import gc
import os
import pickle
import resource
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from sandhook import Limits, Shell
from sandhook.interp import one_run
from sandhook.limits import Budget


class Measured(NamedTuple):
    """What a run cost.

    Attributes:
        seconds: Processor time of the whole process.
        gap: The longest time that another thread waited for the interpreter, in seconds of processor time.
        memory: Peak of resident memory above that before the run, in bytes.
        own_error: What the process itself wrote to its standard error.
        reference: Processor time of a fixed piece of work after the run: caches are shared, so the processes of others
            make it slower.
    """

    seconds: float
    gap: float
    memory: int
    limit: str | None
    defect: str | None
    status: int
    error: str
    interrupted: bool
    own_error: str
    reference: float


#: Commands of a worker process. Its time is not that of the host, so these runs keep the real clock.
_WITH_WORKER = ("jq", "sqlite3")


def reference_seconds() -> float:
    """Return the processor time of a fixed piece of work, as utilities do it: loops, and copies of megabytes."""
    start = time.process_time()
    block = bytes(range(256)) * 16_384
    for _ in range(4):
        block = block.translate(block[:256])
        sum(block[:200_000])
    return time.process_time() - start


def _memory() -> tuple[int, int]:
    status = Path("/proc/self/status").read_text()
    values = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if line.startswith("Vm")}
    return int(values["VmRSS"]) << 10, int(values["VmHWM"]) << 10


def _measure(script: str, files: dict[str, bytes], stdin: bytes, limits: Limits) -> Measured:
    gap = 0.0
    going = True

    def beat() -> None:
        nonlocal gap
        last = time.process_time()
        while going:
            time.sleep(0.002)
            now = time.process_time()
            gap = max(gap, now - last)
            last = now

    heart = threading.Thread(target=beat, daemon=True)
    shell = Shell(files=files)
    Path("/proc/self/clear_refs").write_text("5")
    before, _ = _memory()
    heart.start()
    if not script.lstrip().startswith(_WITH_WORKER):  # a busy machine makes no difference
        names = vars(one_run)
        assert names["Budget"] is Budget, "the clock of a run is made elsewhere"
        names["Budget"] = lambda limits: Budget(limits, time.process_time)
    start = time.process_time()
    result = shell.run(script, stdin=stdin, limits=limits)
    seconds = time.process_time() - start
    going = False
    heart.join()
    _, peak = _memory()
    defect = None if result.defect is None else repr(result.defect)
    return Measured(
        seconds,
        gap,
        peak - before,
        result.limit,
        defect,
        result.exit_status,
        result.stderr[:200],
        result.interrupted,
        "",
        reference_seconds(),
    )


def measure(script: str, files: dict[str, bytes], stdin: bytes, limits: Limits) -> Measured:
    """Run a script in a child of this process and measure it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
            with tempfile.TemporaryFile() as errors, os.fdopen(writing, "wb") as stream:
                os.dup2(errors.fileno(), 2)
                gc.freeze()  # a collection in the child need not look at what the tests before have left
                measured = _measure(script, files, stdin, limits)
                errors.seek(0)
                own_error = errors.read(1_000).decode("latin-1")
                pickle.dump(measured._replace(own_error=own_error), stream)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        data = stream.read()
    os.waitpid(child, 0)
    if not data:
        return Measured(99.0, 99.0, 0, None, "the process ended", -1, "", False, "", 0.0)
    received: Measured = pickle.loads(data)
    return received

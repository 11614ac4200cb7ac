"""The worker processes that run the shell: one pool for each bound of memory."""

from __future__ import annotations

import atexit
import os
import sys
import sysconfig
from functools import cache
from importlib.util import find_spec
from json import dumps
from threading import Lock

from sandhook.isolation.wire import MOST_STEP_BYTES
from sandhook.limits import Limits
from sandhook.worker import frames
from sandhook.worker.client import Pool, Worker
from sandhook.worker.launch import Kind

#: The program of a worker: the arguments are the directories to import from, those that stay readable, and memory.
START = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from sandhook.confined.serve import main; main(*sys.argv[2:])"

#: Address space of a worker beyond that of its runs: Python, its libraries, the copy of the files.
_BASE = 512 << 20

#: Python objects take more than the bytes that a run is charged for.
_FACTOR = 4

#: Bytes that a run's worker may send at once beyond its output and its files.
_SLACK = 4 << 20

#: Bytes of the steps of a run, of which those beyond the bound are short.
_STEPS = 4 * MOST_STEP_BYTES

#: Packages that a run imports, as ``find_spec`` knows them.
_PACKAGES = ("sandhook", "bashlex", "greenlet", "re2", "regex", "ruamel.yaml", "tzdata")


class ShellWorker(Worker):
    """One worker process that runs the shell.

    Attributes:
        trees: Number and version of each memory file system that it has a copy of, the last used one last.
        stale: Numbers of copies that it has and that are wrong.
    """

    __slots__ = ("stale", "trees")

    def __init__(self, memory_bytes: int) -> None:
        self.trees: dict[int, int] = {}
        self.stale: list[int] = []
        super().__init__(command=command_line(memory_bytes))

    @property
    def kind(self) -> Kind:
        return "shell"

    def send(self, kind: int, payload: bytes) -> None:
        """Send one frame. Raises WorkerDied."""
        self.write(frames.HEADER.pack(kind, len(payload)) + payload)


def command_line(memory_bytes: int) -> list[str]:
    """Return the command line of a worker."""
    search, readable = places()
    options = ["-I", "-S", "-B"] if sys.dont_write_bytecode else ["-I", "-S"]
    return [sys.executable, *options, "-c", START, dumps(search), dumps(readable), str(memory_bytes)]


@cache
def places() -> tuple[list[str], list[str]]:
    """Return the directories that a worker imports from, and those whose files it may read."""
    library = dict.fromkeys(
        sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")
    )
    extension = find_spec("_ctypes")  # on Windows, modules in C have a directory of their own
    if extension is not None and extension.origin is not None:
        directory = extension.origin.rpartition(os.sep)[0]
        if directory and not directory.startswith(tuple(library)):
            library[directory] = None
    search = [path for path in sys.path if path.endswith(".zip") or path.startswith(tuple(library))]
    readable = list(library)
    for package in _PACKAGES:
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            continue
        directory = os.path.realpath(next(iter(spec.submodule_search_locations)))
        above = directory.rsplit(os.sep, package.count(".") + 1)[0]
        if not directory.startswith(tuple(library)):
            readable.append(directory)
        if above not in search:
            search.append(above)
    return search, readable


def memory_of(limits: Limits) -> int:
    """Return the address space for runs with these limits: a power of two, so that few pools exist."""
    needed = _BASE + _FACTOR * (int(limits.memory_bytes) + int(limits.fs_bytes))
    return 1 << (needed - 1).bit_length()


def most_bytes(limits: Limits, *, steps: bool) -> int:
    """Return the bytes that a worker may send in one frame.

    Args:
        steps: The result has what each command did.
    """
    own = 2 * limits.output_bytes + limits.fs_bytes + limits.input_bytes + limits.memory_bytes
    return int(own) + _SLACK + (_STEPS if steps else 0)


_POOLS: dict[int, Pool[ShellWorker]] = {}  # hold no state of any run
_LOCK = Lock()


def pool_for(limits: Limits) -> Pool[ShellWorker]:
    """Return the workers for runs with these limits."""
    memory = memory_of(limits)
    with _LOCK:
        pool = _POOLS.get(memory)
        if pool is None:
            pool = _POOLS[memory] = Pool(lambda: ShellWorker(memory))
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=pool.forget)
            atexit.register(pool.close)
        return pool


def prestart(limits: Limits | None = None, count: int = 1) -> None:
    """Start workers before they are needed; returns at once. Raises WorkerError."""
    pool_for(limits or Limits()).prestart(count)

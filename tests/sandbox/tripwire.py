"""An audit hook that refuses what a script must never cause, while a thread says that it is watched.

Python reports to audit hooks every open, process, socket, import, compilation and more, whoever
causes it. This is a net under the boundary, not the boundary: nothing in src relies on it.
"""

from __future__ import annotations

import importlib.metadata
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import tzdata

import sandhook

#: Beginnings of the names of events that are refused.
REFUSED = tuple(
    """
    open os. subprocess. socket. exec compile import marshal. pickle. ctypes. shutil. tempfile. glob. pty. signal.
    resource. winreg. _winapi. msvcrt. mmap. fcntl. sqlite3. syslog. webbrowser. urllib. http. ftplib. smtplib. telnetlib.
    _thread.start time.sleep pathlib. cpython.run builtins.input builtins.breakpoint code.__new__ function.__new__
    sys.set sys.unraisable ensurepip. gc.get
    """.split()
)

#: What an import that is under way may do.
OF_IMPORTS = frozenset(
    {"open", "os.listdir", "os.scandir", "compile", "exec", "import", "marshal.loads", "code.__new__"}
)

#: Packages whose modules may be imported in the middle of a run; jq and pyfakefs are not among them.
IMPORTABLE = frozenset(
    {"sandhook", "bashlex", "dulwich", "greenlet", "re2", "_re2", "regex", "absl", "tzdata"}
)

PACKAGE = str(Path(sandhook.__file__ or "").parent)
#: Directories whose Python files an import may open.
LIBRARIES = tuple(
    {PACKAGE, *(str(Path(path)) for path in sysconfig.get_paths().values()), sys.base_prefix, sys.prefix}
)
ZONES = str(Path(tzdata.__file__ or "").parent)
METADATA = str(importlib.metadata.__file__)
WORKER = str(Path(PACKAGE, "worker", "client.py"))

#: How subprocess starts, feeds and ends a program on Windows.
OF_SUBPROCESS = frozenset(
    """
    _winapi.CreatePipe _winapi.CreateProcess _winapi.TerminateProcess msvcrt.open_osfhandle
    """.split()
)

#: The functions that put a program of Windows into a job.
OF_JOBS = frozenset(
    """
    CreateJobObjectW OpenProcess SetInformationJobObject AssignProcessToJobObject CloseHandle
    """.split()
)


class Breach(BaseException):
    """The event that a watched thread caused; raising it keeps the event from happening."""


_watched: dict[int, list[str]] = {}
_installed = False


def install() -> None:
    """Install the hook, once for the process; an audit hook cannot be taken away again."""
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_hook)


@contextmanager
def watch() -> Iterator[list[str]]:
    """Refuse events of this thread; yields the list of breaches, which the caller checks."""
    me = threading.get_ident()
    breaches: list[str] = []
    _watched[me] = breaches
    try:
        yield breaches
    finally:
        del _watched[me]


def _hook(event: str, args: tuple[Any, ...]) -> None:
    breaches = _watched.get(threading.get_ident())
    if breaches is None or not event.startswith(REFUSED):
        return
    frames = _files(sys._getframe(1))
    if WORKER in frames:
        if _worker_may(event, args):
            return
    elif event == "open" and str(args[0]).startswith(ZONES) and args[1] in (None, "r", "rb"):
        return
    elif METADATA in frames and _metadata_may(event, args):
        return
    elif "<frozen importlib._bootstrap>" in frames and _import_may(event, args):
        return
    elif event == "import" and _root(args) in IMPORTABLE | sys.stdlib_module_names:
        return
    breach = f"{event} {args!r:.200}"
    breaches.append(breach)
    raise Breach(breach)


def _files(frame: FrameType | None) -> set[str]:
    found = set()
    while frame is not None:
        found.add(frame.f_code.co_filename)
        frame = frame.f_back
    return found


def _root(args: tuple[Any, ...]) -> str:
    return str(args[0]).split(".")[0]


def _import_may(event: str, args: tuple[Any, ...]) -> bool:
    """Whether an import that is under way may cause the event."""
    if event not in OF_IMPORTS:
        return False
    if event == "import":
        return _root(args) in IMPORTABLE | sys.stdlib_module_names
    if event == "open":
        path, mode = str(args[0]), args[1]
        return path.startswith(LIBRARIES) and (mode in (None, "r", "rb") or _writes_bytecode(path))
    return True


def _writes_bytecode(path: str) -> bool:
    return "__pycache__" in path


def _metadata_may(event: str, args: tuple[Any, ...]) -> bool:
    """Whether reading the entry points of installed packages may cause the event: their names, no script's."""
    if event == "open":
        return str(args[0]).endswith("entry_points.txt") and args[1] in (None, "r", "rb")
    return event in ("os.listdir", "os.scandir", "pathlib.Path.glob", "import")


def _worker_may(event: str, args: tuple[Any, ...]) -> bool:
    """Whether the client of the jq worker may cause the event: start its own server, end it, no more."""
    if event == "os.posix_spawn":
        program, argv, environment = args
        return program == sys.executable and "-I" in argv and not environment
    if event == "subprocess.Popen":
        return args[0] == sys.executable and "-I" in args[1]
    if event == "open":
        return str(args[0]) in ("/dev/null", "nul", "NUL")
    if event == "import":
        return _root(args) in sys.stdlib_module_names
    if event in ("ctypes.dlopen", "ctypes.dlsym"):  # the job that ends the server with the host
        return sys.platform == "win32" and (args[0] == "kernel32" or args[1] in OF_JOBS)
    if event in OF_SUBPROCESS:
        return sys.platform == "win32" and (event != "_winapi.CreateProcess" or " -I " in str(args[1]))
    # It sleeps until a server that it killed is dead, and on Windows while a pipe is empty.
    return event in ("os.kill", "os.killpg", "time.sleep", *OF_IMPORTS)

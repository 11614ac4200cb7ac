"""The program of a worker that runs the shell: loads what it needs, confines itself, serves runs one after the other."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from json import loads
from pkgutil import walk_packages
from typing import TYPE_CHECKING, cast

from sandhook.confined import relay
from sandhook.confined.copies import Copies
from sandhook.confined.questions import receive
from sandhook.interp.result import KILLED, Result
from sandhook.isolation import wire
from sandhook.kernel.settings import Restrictions
from sandhook.kernel.watchdog import WATCHDOG
from sandhook.limits import Limits
from sandhook.shell import Shell
from sandhook.worker import frames, process
from sandhook.worker.confine.system import can_read_library, confine

if TYPE_CHECKING:
    from sandhook.interp.steps import Steps
    from sandhook.net.network import Network

#: Modules in C that utilities import when they are first called; later no code can be loaded.
EXTENSIONS = [
    "_bisect",
    "_blake2",
    "_bz2",
    "_csv",
    "_ctypes",
    "_datetime",
    "_decimal",
    "_hashlib",
    "_heapq",
    "_json",
    "_lzma",
    "_md5",
    "_opcode",
    "_random",
    "_sha1",
    "_sha2",
    "_sha256",
    "_sha3",
    "_sha512",
    "_socket",
    "_ssl",
    "_struct",
    "_typing",
    "_zoneinfo",
    "array",
    "binascii",
    "fcntl",
    "greenlet._greenlet",
    "math",
    "mmap",
    "pyexpat",
    "re2",
    "regex",
    "regex._regex",
    "resource",
    "select",
    "unicodedata",
    "zlib",
]

#: Modules that are imported inside functions, and a package whose modules are imported by name.
LAZY = [
    "_strptime",
    "bisect",
    "copy",
    "decimal",
    "difflib",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "ipaddress",
    "json",
    "random",
    "re",
    "ruamel.yaml",
    "ruamel.yaml.error",
    "sandhook.confined.fetch",
    "threading",
    "tomllib",
    "weakref",
]

LAZY_PACKAGES = ("encodings",)

#: Exercises what nearly every script uses, so that it is imported once for all runs.
WARM_UP = """\
f() { local x=1; echo "$x" | cat; }; f >/dev/null; for i in 1 2; do [ $i -lt 2 ] && y=$((i + 1)); done
case a in a*) ;; esac; [[ ab =~ ^a ]]; z=${y%x}; a=(1 2); cat <<< "${a[@]}" | grep -E 1 | sed s/1/2/ | head -n 1
printf '%s' "$(echo x | tr a-z A-Z)" | awk '{print $1}'; test -f /etc/passwd; read -r w < /etc/hostname
"""

#: Parts that are the host's side, or that no sandboxed run imports.
_HOST_PARTS = (
    "__main__",
    "bridges",
    "cli",
    "client",
    "conformance",
    "hooks",
    "host",
    "installation",
    "journal",
    "proving",
    "pytest_plugin",
    "recipes",
    "replay",
    "serve",
    "studio",
    "vetting",
    "confined",
)
_HOST_MODULES = (
    "worker.jq",
    "worker.sqlite",
    "worker.winjob",
    "syntax.tablegen",
    "vfs.pyfakefs_adapter",
    "vfs.host",
)


class Server:
    """Serves runs. Keeps copies of the file systems of the last ones."""

    def __init__(self) -> None:
        self._files = Copies()
        self._values: list[float] = []
        self._last = Limits()

    def _limits(self, values: list[float]) -> Limits:
        if values != self._values:
            self._values = values
            self._last = Limits(**dict(zip(Limits._fields, values)))  # type: ignore[arg-type]
        return self._last

    def serve_one(self) -> None:
        """Receive one run, execute it, and send its result."""
        kind, payload = receive()
        if kind != wire.RUN:
            os._exit(1)
        fields, (data, *blocks) = wire.unpack(payload)
        header = cast(wire.RunHeader, fields)
        limits = self._limits(header["limits"])
        notes: list[str] = []
        fs = self._files.prepare(header, blocks, notes)
        streams_out, streams_err = header["streams"]
        asks, network = header["asks_input"], header["network"]
        if not asks and not streams_out and not streams_err:  # else it may wait for its host for long
            process.arm(limits.wall_seconds + 2.0)
        restrictions = None if header["restrictions"] is None else Restrictions(**header["restrictions"])
        shell = Shell(
            fs=fs,
            env=header["env"],
            cwd=header["cwd"],
            limits=limits,
            start_files=header["start_files"],
            git_writes=header["git_writes"],
            dispatches_scripts=header["dispatches_scripts"],
            crlf=header["crlf"],
            network=None if network is None else _network(network),
            restrictions=restrictions,
        )
        steps = _new_steps() if header["steps"] else None
        result = shell.run(
            header["script"],
            stdin=_ask if asks else data,
            args=header["args"],
            env=header["run_env"],
            name=header["name"],
            from_file=header["from_file"],
            stdout=_send_output if streams_out else None,
            stderr=_send_errors if streams_err else None,
            overflow=header["overflow"],
            steps=steps,
        )
        process.arm(0)
        result.notes = (*notes, *result.notes)
        process.send(wire.RESULT, self._encoded(result, restrictions or Restrictions(), steps))

    def _encoded(self, result: Result, restrictions: Restrictions, steps: Steps | None) -> bytes:
        changes, whiteouts = self._files.changes()
        error, defect = result.syntax_error, result.defect
        limit = "memory_bytes" if isinstance(defect, MemoryError) else result.limit
        fields = None
        if error is not None:
            fields = {
                "message": error.message,
                "source": error.source,
                "span": list(error.span),
                "line": error.line,
                "column": error.column,
                "token": error.token,
                "name": error.name,
                "incomplete": error.incomplete,
                "where": error.where,
                "repeats": error.repeats,
            }
        header = {
            "status": KILLED if limit == "memory_bytes" else result.exit_status,
            "limit": limit,
            "failure": result.failure,
            "truncated": result.truncated,
            "stdout_truncated": result.stdout_truncated,
            "duration": result.duration,
            "syntax_error": fields,
            "defect": None if defect is None or limit else [defect.__class__.__name__, str(defect)],
            "not_started": result.not_started,
            "outermost": result.outermost,
            "signal": result.signal,
            "script_status": result.script_status,
            "interrupted": result.interrupted,
            "notes": list(result.notes),
            "whiteouts": whiteouts,
            "asked": list(restrictions.asked),
            "read": list(restrictions.read),
        }
        return wire.pack(header, result.stdout_bytes, result.stderr_bytes, changes, *_encoded_steps(steps))


def _new_steps() -> Steps:
    from sandhook.interp.steps import Steps

    return Steps()


def _encoded_steps(steps: Steps | None) -> list[bytes]:
    if steps is None:
        return []
    from sandhook.isolation.steps import encode

    return [encode(steps)]


def _network(header: wire.NetworkHeader) -> Network:
    from sandhook.confined.fetch import RelayNetwork

    return RelayNetwork(header)


def _send_output(data: bytes) -> None:
    process.send(wire.OUTPUT, data)


def _send_errors(data: bytes) -> None:
    process.send(wire.ERRORS, data)


def _ask(count: int, seconds: float, /) -> bytes:
    """Read a piece of the host's stream."""
    process.send(wire.INPUT, wire.INPUT_HEAD.pack(seconds, min(count, 1 << 20)))
    kind, payload = receive()
    if kind == wire.WAITED:
        raise TimeoutError
    return payload


def preload() -> None:
    """Import what cannot be imported later: modules in C, and all modules if no file will be readable."""
    WATCHDOG.disable()  # Landlock confines one thread; the host kills a worker that is late
    for name in EXTENSIONS:
        try:
            import_module(name)
        except ImportError:
            continue  # of another version of Python, or another system
    from sandhook.utilities import installed

    installed()
    if not can_read_library():
        preload_everything()
    Shell().run(WARM_UP)


def preload_everything() -> None:
    """Import every module that a run can need, and read every time zone."""
    from sandhook.dates.zones import named_zone, zone_names

    for name in LAZY:
        import_module(name)
    for name in _modules_of("sandhook"):
        own = name.removeprefix("sandhook.")
        if not own.startswith(_HOST_MODULES) and own.split(".")[0] not in _HOST_PARTS:
            with suppress(ModuleNotFoundError):  # of an extra that is not installed
                import_module(name)
    for package in LAZY_PACKAGES:
        for name in _modules_of(package):
            with suppress(ImportError):  # of another system, or for a package that is not installed
                import_module(name)
    for zone in zone_names():
        named_zone(zone)


def _modules_of(package: str) -> list[str]:
    """Return the names of the modules of a package, of those below it too."""
    spec = find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        return []
    return [package, *(each.name for each in walk_packages(spec.submodule_search_locations, package + "."))]


def main(readable: str, memory_bytes: str) -> None:
    """Load, confine this process, and serve.

    Args:
        readable: JSON list of the directories that Python's library and packages are in.
        memory_bytes: Address space.
    """
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 (1 is the host's)
    preload()
    relay.install()
    report = confine(int(memory_bytes), loads(readable))
    process.send_ready(report)
    server = Server()
    try:
        while True:
            server.serve_one()
    except MemoryError:
        os._exit(frames.OUT_OF_MEMORY)

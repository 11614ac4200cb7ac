"""Holds a hook to its manifest while it runs in the sandbox.

What is not declared is refused: the script sees "Permission denied", and the run reports it as drift. A run with
drift could not run, and a hook that could have refused then refuses: a broken manifest is never an approval.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from sandhook.hooks.manifest import Capabilities, Manifest
from sandhook.hooks.model import Request
from sandhook.kernel.settings import Restrictions
from sandhook.pattern.glob import compile_pattern
from sandhook.vfs.errors import fs_error
from sandhook.vfs.held import Access, HeldFileSystem
from sandhook.vfs.initial import superuser
from sandhook.vfs.path import VirtualPath, normalize

if TYPE_CHECKING:
    from sandhook.net.network import Network
    from sandhook.net.url import Url
    from sandhook.vfs.base import FileSystem

#: What every run needs: devices, and the files that stand for the system.
_ALWAYS = ("/dev/", "/proc/self/fd/")

#: Variables of a contract that name the project's directory have this path.
_HOME = "/home/agent"

#: The most notes of one run.
_MOST_NOTES = 20


class Hold:
    """One run of one hook.

    Args:
        declared: What it may do; None to record everything and refuse nothing.
        request: The run.
        directory: Its working directory in the sandbox.

    Attributes:
        drift: What it did that is not declared, once each.
        reads, writes, programs, hosts: What it did, as manifests write it.
    """

    def __init__(
        self, declared: Capabilities | None, request: Request, directory: str, files: Iterable[str]
    ) -> None:
        self.drift: dict[str, None] = {}
        self.reads: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self.programs: dict[str, None] = {}
        self.hosts: dict[str, None] = {}
        self._declared = declared
        self._directory = directory.rstrip("/") or "/"
        self._home = (request.env.get("HOME") or _HOME).rstrip("/")
        self._own = {str(normalize(path)) for path, _ in request.files} | set(files)
        self._special = {
            value: f"${name}"
            for name, value in request.env.items()
            if value[:1] == "/" and name.endswith("_FILE")
        }
        self._tests: dict[str, Callable[[str], bool]] = {}
        if declared is not None:
            reads = (*declared.reads, *(f"./{name}" for name in declared.files))
            self._tests = {"read": covers(reads), "write": covers(declared.writes)}

    def files(self, fs: FileSystem) -> FileSystem:
        """Return the files as the hook may use them."""
        return HeldFileSystem(fs, self.check)

    def check(self, path: VirtualPath, access: Access) -> None:
        """Record an access to a path; raises EACCES for one that is not declared."""
        text = str(path)
        if text.startswith(_ALWAYS) or text in self._own:
            return
        name = self._name(text)
        (self.reads if access == "read" else self.writes).setdefault(name)
        if self._declared is not None and not self._tests[access](name):
            self._note(f"{access}s {name}")
            raise fs_error(errno.EACCES, text)

    def _name(self, path: str) -> str:
        """Return a path in the notation of manifests."""
        if path in self._special:
            return self._special[path]
        if path == self._directory:
            return "."
        if path.startswith(f"{self._directory}/"):
            return f"./{path[len(self._directory) + 1 :]}"
        if path == self._home or path.startswith(f"{self._home}/"):
            return f"~{path[len(self._home) :]}"
        return path

    def variables(self, inherited: Mapping[str, str]) -> Mapping[str, str]:
        """Return the variables of the agent that the hook may see."""
        declared = self._declared
        if declared is None or "*" in declared.variables:
            return inherited
        return {name: value for name, value in inherited.items() if name in declared.variables}

    def restrictions(self, missing: Collection[str], withheld: Collection[str]) -> Restrictions:
        """Return what the run lacks, which ``note`` reads after it.

        Args:
            missing: Names of utilities that scripts do not find.
            withheld: Variables of the agent that the hook does not see.
        """
        programs = None if self._declared is None else self._declared.programs
        if programs is not None and "*" in programs:
            programs = None
        return Restrictions(missing=missing, programs=programs, variables=withheld)

    def note(self, restrictions: Restrictions) -> None:
        """Record what a run wanted."""
        self.programs.update(restrictions.asked)
        for program in restrictions.asked:
            if restrictions.programs is not None and program not in restrictions.programs:
                self._note(f"runs {program}")
        for variable in restrictions.read:
            self._note(f"reads the variable {variable}")

    def network(self, network: Network | None) -> Network | None:
        """Return the network as the hook may use it; None without a network, and without a record."""
        if network is None:
            if self._declared is not None and not self._declared.hosts:
                return _closed(self._reach)
            return None if self._declared is not None else _closed(self._reach)
        return network.narrowed(self._reach)

    def _reach(self, url: Url) -> bool:
        host = f"{url.host}:{url.port}"
        self.hosts.setdefault(host)
        if self._declared is None:
            return True
        if any(_glob(entry)(host) for entry in self._declared.hosts):
            return True
        self._note(f"reaches {host}")
        return False

    def _note(self, text: str) -> None:
        if len(self.drift) < _MOST_NOTES:
            self.drift.setdefault(text)


def _closed(test: Callable[[Url], bool]) -> Network:
    """Return a network without any host, which asks a test first."""
    from sandhook.net.network import Network

    return Network().narrowed(test)


def _glob(entry: str) -> Callable[[str], bool]:
    """Return a test for an entry, in which ``*`` alone is special."""
    pattern = compile_pattern("".join(c if c == "*" or c.isalnum() else f"\\{c}" for c in entry))
    return pattern.matches


def covers(entries: Iterable[str]) -> Callable[[str], bool]:
    """Return a test for paths: one fits an entry, or is below it."""
    tests: list[Callable[[str], bool]] = []
    for entry in dict.fromkeys(entries):
        if entry == ".":
            tests.append(lambda path: path == "." or path.startswith("./"))
            continue
        tests += [_glob(entry), _glob(f"{entry.rstrip('/')}/*")]
    return lambda path: any(test(path) for test in tests)


class Begins(Protocol):
    """Begins the runs of hooks that are held, or recorded."""

    def begin(self, request: Request, fs: FileSystem, directory: str) -> Hold | str:
        """Return the hold for a run, or why the hook must not run."""
        ...


class Holder:
    """Begins the runs of hooks that a manifest holds.

    Args:
        manifest: What hooks may do.
    """

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest

    def begin(self, request: Request, fs: FileSystem, directory: str) -> Hold | str:
        """Return the hold for a run, or why the hook does not fit its manifest."""
        declared = self.manifest.of(request.spec.executor)
        if declared is None:
            return f"drift: hook {request.spec.id} is not in the manifest, or runs something else than it declares"
        with superuser(fs) as view:
            for name in declared.files:
                path = normalize(f"{directory}/{name}")
                try:
                    digest = f"sha256:{sha256(view.read_bytes(path)).hexdigest()}"
                except OSError:
                    return f"drift: {name} is missing or cannot be read; the manifest has its hash"
                if digest != self.manifest.files[name]:
                    return f"drift: {name} has changed since the manifest was written"
        return Hold(declared, request, directory, ())

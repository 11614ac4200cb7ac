"""The bytecode of the program's modules in one file: a process that fires one hook loads two hundred modules.

Python's own search takes 54 µs for a module, a third of the time in which such a process begins; an entry of this file takes 20. The
file stands next to the bytecode that Python keeps of the package, in ``__pycache__`` or below ``sys.pycache_prefix``; it is written by a
run that has loaded other modules, if Python may write bytecode, and nothing depends on it. As with Python's own files, an entry counts
while its source has the size and the time that it had.
"""

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH105, PTH108, PTH116, PTH118, PTH120

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from importlib.machinery import ModuleSpec, SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import TypeAlias

    #: The path of the source, that of Python's own bytecode, whether the module is a package, the time and the size of
    #: the source as Python notes them, and where the bytecode stands after the index.
    Entry: TypeAlias = tuple[str, str, bool, int, int, int, int]

_PACKAGE = "sandhook"
#: Fewer new modules are not worth a new file.
_WORTH = 8
#: Bytes before the index, which are its length.
_PREFIX = 8
#: Bytes of an index that is read, and of the bytecode of one module.
_MOST = 1 << 22
_HEADER = 16  #: the bytes before the code in a file of Python's


class _Loader(SourceFileLoader):
    """Takes the code of a module from the file; all else is as with Python's own loader."""

    code: bytes = b""

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            code = marshal.loads(self.code)
        except Exception:  # of damaged bytecode
            return super().get_code(fullname)
        self.code = b""
        return code if type(code).__name__ == "code" else super().get_code(fullname)


class Bytecode:
    """Finds modules in the file, and writes it. Errors of the file mean that Python's own search finds them.

    Args:
        path: The file.
        home: The directory of the package; a file that was copied with the package names another one.
    """

    def __init__(self, path: str, home: str) -> None:
        self._path = path
        self._valid_for = (sys.version, home)
        self._loaded = frozenset(sys.modules)
        self._file = -1
        self._start = 0
        self._entries: dict[str, Entry] = {}
        with suppress(Exception):  # a damaged file must not end the program
            self._open()

    def _open(self) -> None:
        self._file = file = os.open(self._path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        size = int.from_bytes(os.read(file, _PREFIX), "little")
        index = os.read(file, size) if size <= _MOST else b""
        self._start = _PREFIX + size
        valid_for, entries = marshal.loads(index)
        if valid_for == self._valid_for:
            self._entries = entries

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return what Python's search would find, or None. See ``importlib.abc.MetaPathFinder``."""
        entry = self._entries.get(name)
        code = entry and self._code(entry)
        if not code:
            return None
        source, cached, is_package = entry[:3]  # type: ignore[index]
        loader = _Loader(name, source)
        loader.code = code
        spec = ModuleSpec(name, loader, origin=source, is_package=is_package)
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(source)]
        spec.has_location = True
        spec.cached = cached
        return spec

    def _code(self, entry: Entry) -> bytes:
        """Return the bytecode of an entry, b"" if it is older than the source or lost."""
        source, _, _, changed, size, at, length = entry
        try:
            now = os.stat(source)
            if int(now.st_mtime) & 0xFFFF_FFFF != changed or now.st_size & 0xFFFF_FFFF != size:
                return b""
            if hasattr(os, "pread"):  # which processes that share the file may call at once
                return bytes(os.pread(self._file, length, self._start + at))
            os.lseek(self._file, self._start + at, os.SEEK_SET)
            return os.read(self._file, length)
        except OSError:
            return b""

    def keep(self) -> None:
        """Write the file if this run has loaded more than a few modules that are not in it."""
        if sys.dont_write_bytecode or len(new := self._new_modules()) < _WORTH:
            return
        fresh = f"{self._path}.{os.getpid()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            if not _own_bytecode(new[0]):
                return
            file = os.open(fresh, flags, 0o666)
        except OSError:
            return
        entries, code = self._gathered(new)
        index = marshal.dumps((self._valid_for, entries))
        data = b"".join((len(index).to_bytes(_PREFIX, "little"), index, *code))
        with suppress(OSError):
            try:
                written = os.write(file, data)
            finally:
                os.close(file)
            if written == len(data):
                self._close()
                os.replace(fresh, self._path)
                return
        with suppress(OSError):
            os.unlink(fresh)

    def _close(self) -> None:
        """Use the file no more: Windows replaces no file that is open."""
        self._entries = {}
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _new_modules(self) -> list[str]:
        """Return the modules of the package that Python's own search has found."""
        return [
            name
            for name, module in list(sys.modules.items())
            if name.startswith(f"{_PACKAGE}.")
            and name not in self._loaded
            and type(getattr(module, "__loader__", None)) is SourceFileLoader
        ]

    def _gathered(self, new: list[str]) -> tuple[dict[str, Entry], list[bytes]]:
        """Return the entries and the bytecode of the modules that the file has, and of others."""
        entries: dict[str, Entry] = {}
        code: list[bytes] = []
        at = 0
        for name, entry in self._entries.items():
            if name not in new and (data := self._code(entry)):
                entries[name] = (*entry[:5], at, len(data))
                code.append(data)
                at += len(data)
        for name in new:
            spec = sys.modules[name].__spec__
            data = _own_bytecode(name)
            if spec is None or spec.origin is None or spec.cached is None or not data:
                continue
            changed, size = int.from_bytes(data[8:12], "little"), int.from_bytes(data[12:16], "little")
            is_package = spec.submodule_search_locations is not None
            entries[name] = (spec.origin, spec.cached, is_package, changed, size, at, len(data) - _HEADER)
            code.append(data[_HEADER:])
            at += len(data) - _HEADER
        return entries, code


def _own_bytecode(name: str) -> bytes:
    """Return the file in which Python keeps the bytecode of a loaded module; b"" if time and size do not validate it."""
    from importlib.util import MAGIC_NUMBER

    spec = sys.modules[name].__spec__
    if spec is None or spec.cached is None:
        return b""
    try:
        file = os.open(spec.cached, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return b""
    try:
        data = os.read(file, _MOST + 1)
    except OSError:
        return b""
    finally:
        os.close(file)
    return data if data[:8] == MAGIC_NUMBER + bytes(4) and len(data) <= _MOST else b""


def find_modules() -> Bytecode | None:
    """Find the modules of the package in the file first; return None where Python keeps no bytecode of it."""
    spec = sys.modules[_PACKAGE].__spec__
    cached = None if spec is None else spec.cached
    if spec is None or spec.origin is None or cached is None or not isinstance(spec.loader, SourceFileLoader):
        return None
    directory, name = os.path.split(cached)
    name = name.replace("__init__", "all-modules", 1).removesuffix(".pyc")
    found = Bytecode(os.path.join(directory, name), os.path.dirname(spec.origin))
    sys.meta_path.insert(0, found)
    return found

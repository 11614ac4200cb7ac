"""What is made at its first use: regular expressions of our own, and modules.

A process that fires one hook defines some thirty expressions and uses a few; compiling all takes 3 ms. A module takes
0.2 ms.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, AnyStr, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")


class _Lazy:
    """Compiles the pattern at its first use, and then has the methods of the compiled pattern as attributes."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._source)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazily(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return an object with the methods of ``re.compile(pattern, flags)``."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))


class _LazyModule:
    """Imports the module at its first use, and then has the attributes that were used as its own."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


def lazy_module(name: str) -> Any:
    """Return an object with the functions of a module of ours, whose full name is ``name``."""
    return _LazyModule(name)

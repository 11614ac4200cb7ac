"""Regular expressions of our own that are compiled at their first use.

A process that fires one hook imports some thirty of them and uses a few; compiling all takes 3 ms.
"""

from __future__ import annotations

import re
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

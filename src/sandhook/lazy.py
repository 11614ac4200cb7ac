"""What is made at its first use: regular expressions of our own, modules, and results for short arguments.

A process that fires one hook defines some thirty expressions and uses a few; compiling all takes 3 ms. A module takes
0.2 ms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, wraps
from importlib import import_module
from typing import Any, AnyStr, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

#: Results for longer arguments are not kept: 256 texts of 8 MB would be 2 GB, which no run is charged for.
LONGEST_KEY = 4096

#: Of results for arguments longer than this, few are kept: one may need half a kilobyte for each character.
LONG = 256
LONG_RESULTS = 16

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


class _Texts(dict[str, R]):
    """Results of a function of one text. A dict that asks ``__missing__`` is the fastest cache in Python."""

    __slots__ = ("_function", "_long", "_maxsize")

    def __init__(self, function: Callable[[str], R], maxsize: int) -> None:
        self._function = function
        self._long: dict[str, R] = {}
        self._maxsize = maxsize

    def __missing__(self, text: str) -> R:
        long = self._long  # another thread may begin a new one
        if text in long:
            return long[text]
        result = self._function(text)
        if len(text) <= LONG:
            if len(self) >= self._maxsize:
                self.clear()  # no order need be kept, and no lock
            self[text] = result
        elif len(text) <= LONGEST_KEY:
            if len(long) >= LONG_RESULTS:
                self._long = long = {}
            long[text] = result
        return result


def cache_texts(maxsize: int) -> Callable[[Callable[[str], R]], Callable[[str], R]]:
    """Return a decorator like ``functools.lru_cache`` for functions of one text; a long text is not kept.

    All results are dropped when there are ``maxsize``.
    """

    def decorate(function: Callable[[str], R]) -> Callable[[str], R]:
        return _Texts(function, maxsize).__getitem__

    return decorate


def cache_short(maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator like ``functools.lru_cache`` that keeps no result of a call with a long argument.

    The argument is long if it, or a tuple, has more than LONGEST_KEY characters, bytes or items in all.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        cached = cast("Callable[P, R]", lru_cache(maxsize)(function))
        cached_long = cast("Callable[P, R]", lru_cache(min(maxsize, LONG_RESULTS))(function))

        @wraps(function)
        def call(*args: P.args, **named: P.kwargs) -> R:
            call_cached = cached
            for argument in args:
                if type(argument) is str or type(argument) is bytes:  # the exact class is the quicker test
                    size = len(argument)
                elif isinstance(argument, (str, bytes, tuple)):
                    size = text_size(argument)
                else:
                    continue
                if size > LONG:
                    if size > LONGEST_KEY:
                        return function(*args, **named)
                    call_cached = cached_long
            return call_cached(*args, **named)

        return call

    return decorate


def text_size(value: str | bytes | tuple[object, ...]) -> int:
    """Return the characters, bytes and items of an argument, and of what its items are."""
    size = len(value)
    if isinstance(value, tuple):
        for item in value:
            if type(item) is str or type(item) is bytes:
                size += len(item)
            elif type(item) is not bool and isinstance(item, (str, bytes, tuple)):
                size += text_size(item)
    return size

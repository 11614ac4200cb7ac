"""What is made at its first use: regular expressions of our own, modules, and results for short arguments.

A process that fires one hook defines some thirty expressions and uses a few; compiling all takes 3 ms. A module takes
0.2 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module

from sandhook.typed import TYPE_CHECKING, Any, AnyStr, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    import re

P = ParamSpec("P")
R = TypeVar("R")

#: Results for longer arguments are not kept: 256 texts of 8 MB would be 2 GB, which no run is charged for.
LONGEST_KEY = 4096

#: Of results for arguments longer than this, few are kept: one may need half a kilobyte for each character.
_LONG = 256
_LONG_RESULTS = 16

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")


class _Lazy:
    """Compiles the pattern at its first use, and then has the methods of the compiled pattern as attributes."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        import re  # a run of `:` needs none, and it takes 4 ms

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
    """Return an object with the functions of a module, whose full name is ``name``; its values must never change."""
    return _LazyModule(name)


class _Results(dict[Any, R]):
    """Results of a function by its arguments. A dict that asks ``__missing__`` is the fastest cache in Python.

    Args:
        function: Returns the result for a key.
        size: Returns the size of a key; the result for a long one is not kept.
        maxsize: The most results for short keys.
    """

    __slots__ = ("_function", "_long", "_maxsize", "_size")

    def __init__(self, function: Callable[[Any], R], size: Callable[[Any], int], maxsize: int) -> None:
        self._function = function
        self._size = size
        self._long: dict[Any, R] = {}
        self._maxsize = maxsize

    def __missing__(self, key: Any) -> R:
        long = self._long  # another thread may begin a new one
        if key in long:
            return long[key]
        result = self._function(key)
        size = self._size(key)
        if size <= _LONG:
            if len(self) >= self._maxsize:
                self.clear()  # no order need be kept, and no lock
            self[key] = result
        elif size <= LONGEST_KEY:
            if len(long) >= min(_LONG_RESULTS, self._maxsize):
                self._long = long = {}
            long[key] = result
        return result


def cache_texts(maxsize: int) -> Callable[[Callable[[str], R]], Callable[[str], R]]:
    """Return a decorator like ``functools.lru_cache`` for functions of one text; a long text is not kept.

    All results are dropped when there are ``maxsize``.
    """

    def decorate(function: Callable[[str], R]) -> Callable[[str], R]:
        return _Results(function, len, maxsize).__getitem__

    return decorate


def cache_short(maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator like ``functools.lru_cache`` that keeps no result of a call with a long argument.

    Arguments are long if they and the items of tuples have more than LONGEST_KEY characters, bytes or items in all.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        compute: Callable[..., R] = function
        results = _Results(lambda args: compute(*args), _arguments_size, maxsize)
        named_results = _Results(lambda key: compute(*key[0], **dict(key[1])), text_size, maxsize)

        @wraps(function)
        def call(*args: P.args, **named: P.kwargs) -> R:
            return named_results[args, tuple(named.items())] if named else results[args]

        return call

    return decorate


def _arguments_size(arguments: tuple[object, ...]) -> int:
    return text_size(arguments) - len(arguments)


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

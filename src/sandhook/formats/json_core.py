"""``json`` without its start: the module compiles six regular expressions, which take a process that fires one hook 4 ms.

CPython has the two functions that matter in C, in ``_json``. Where it has none, as in other implementations of Python,
and for every error, this is ``json``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from sandhook.typed import Any, NoReturn

_in_c: Any = None
with suppress(ImportError):
    import _json as _in_c

_SPACE = " \t\n\r"


class JsonReader:
    """Reads JSON texts as ``json.JSONDecoder`` does. The arguments are its; the attributes are what ``_json`` asks for.

    Args:
        object_pairs_hook: Makes a value of the pairs of an object; by default a dict.
        parse_int: Makes a value of the digits of an integer; by default an int.
        parse_float: The same for other numbers; by default a float.
        parse_constant: The same for ``NaN``, ``Infinity`` and ``-Infinity``; by default they are floats.
    """

    strict = True
    object_hook = None

    def __init__(
        self,
        *,
        object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
        parse_constant: Callable[[str], Any] | None = None,
    ) -> None:
        self.object_pairs_hook = object_pairs_hook
        self.parse_int = parse_int
        self.parse_float = parse_float
        self.parse_constant = parse_constant or float  # which knows the three words
        self._scan = _in_c and _in_c.make_scanner(self)

    def read(self, text: str) -> Any:
        """Return the value of a text with one value and white space.

        Raises:
            json.JSONDecodeError: Anything else.
            RecursionError: It nests too deeply for Python.
        """
        if self._scan is not None:
            try:
                value, end = self._scan(text, len(text) - len(text.lstrip(_SPACE)))
            except (StopIteration, SystemError):
                pass  # json has the words for it; until Python 3.12 the error itself needs that json is loaded
            else:
                if end == len(text) or not text[end:].strip(_SPACE):
                    return value
        return self._by_json(text)

    def _by_json(self, text: str) -> Any:
        from json import JSONDecoder

        return JSONDecoder(
            object_pairs_hook=self.object_pairs_hook,
            parse_int=self.parse_int,
            parse_float=self.parse_float,
            parse_constant=self.parse_constant,
        ).decode(text)


def compact_json(value: object, *, ensure_ascii: bool = True, allow_nan: bool = True) -> str:
    """Return a value as ``json.dumps`` writes it with these arguments, without blanks.

    Raises:
        TypeError: The value is not JSON.
        ValueError: It is, but for NaN or an infinity, and ``allow_nan`` is false; or it contains itself.
        RecursionError: It nests too deeply for Python.
    """
    if _in_c is None:
        from json import dumps

        return dumps(value, separators=(",", ":"), ensure_ascii=ensure_ascii, allow_nan=allow_nan)
    quoted = _in_c.encode_basestring_ascii if ensure_ascii else _in_c.encode_basestring
    if isinstance(value, str):
        return str(quoted(value))
    encode = _in_c.make_encoder(
        markers={}, default=_refuse, encoder=quoted, indent=None, key_separator=":", item_separator=",",
        sort_keys=False, skipkeys=False, allow_nan=allow_nan,
    )  # fmt: skip
    return "".join(encode(value, 0))


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")

"""JSON texts whose numbers keep their digits."""

from __future__ import annotations

from json import JSONDecodeError, dumps, loads
from typing import Any, NoReturn

from sandhook.formats import FormatError, Number


def read_json(text: str) -> Any:
    """Read one JSON text; numbers are ``Number``. Raises FormatError."""
    try:
        return loads(text, parse_int=Number, parse_float=Number, parse_constant=_refuse)
    except JSONDecodeError as error:
        raise FormatError(f"{error.msg} at line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise FormatError("the value nests too deeply") from None


def write_json(value: Any) -> str:
    """Return a value as compact JSON text; numbers may be ``Number``."""
    pieces: list[str] = []
    _write(value, pieces)
    return "".join(pieces)


def _write(value: Any, out: list[str]) -> None:
    if isinstance(value, Number):
        out.append(value)
    elif isinstance(value, dict):
        out.append("{")
        for index, (key, item) in enumerate(value.items()):
            out.append(f"{',' if index else ''}{dumps(key)}:")
            _write(item, out)
        out.append("}")
    elif isinstance(value, list):
        out.append("[")
        for index, item in enumerate(value):
            if index:
                out.append(",")
            _write(item, out)
        out.append("]")
    else:
        out.append(dumps(value))


def _refuse(word: str) -> NoReturn:
    raise FormatError(f"{word} is no JSON")

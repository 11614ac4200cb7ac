"""JSON texts whose numbers keep their digits."""

from __future__ import annotations

from math import isfinite, isnan

from sandhook.formats import FormatError, Number
from sandhook.formats.json_core import JsonReader, compact_json
from sandhook.limits import check_clock
from sandhook.typed import TYPE_CHECKING, Any, NoReturn, cast

if TYPE_CHECKING:
    from json import JSONDecodeError

_LOOK = 0xFF  #: a mask: items between two looks at the clock


def read_json(text: str) -> Any:
    """Parse one JSON text; numbers are ``Number``. Raises FormatError."""
    if text.startswith("\ufeff"):
        raise FormatError("a byte order mark at line 1 column 1")
    try:
        return _READER.read(text)
    except FormatError:
        raise
    except ValueError as error:
        fault = cast("JSONDecodeError", error)
        raise FormatError(f"{fault.msg} at line {fault.lineno} column {fault.colno}") from None
    except RecursionError:
        raise FormatError("the value nests too deeply") from None


def write_json(value: object, indent: str = "") -> str:
    """Return a value as JSON text: compact, or on several lines with ``indent`` for each level."""
    pieces: list[str] = []
    _write(value, pieces, "\n" if indent else "", indent)
    return "".join(pieces)


def _write(value: object, out: list[str], margin: str, indent: str) -> None:
    if isinstance(value, Number):
        out.append(value)
    elif isinstance(value, dict) and value:
        inner = margin + indent
        out.append("{" + inner)
        for index, (key, item) in enumerate(value.items()):
            if not index & _LOOK:
                check_clock()
            out.append(f"{',' + inner if index else ''}{_string(key)}:{' ' if indent else ''}")
            _write(item, out, inner, indent)
        out.append(margin + "}")
    elif isinstance(value, list) and value:
        inner = margin + indent
        out.append("[" + inner)
        for index, item in enumerate(value):
            if not index & _LOOK:
                check_clock()
            if index:
                out.append("," + inner)
            _write(item, out, inner, indent)
        out.append(margin + "]")
    elif isinstance(value, float) and not isfinite(value):
        out.append(
            "null" if isnan(value) else "1.7976931348623157e308" if value > 0 else "-1.7976931348623157e308"
        )
    else:
        out.append(_string(value) if isinstance(value, str) else compact_json(value))


def _string(text: str) -> str:
    """Return a string in quotes; surrogates, which UTF-8 cannot encode, become U+FFFD."""
    return compact_json(
        text if text.isascii() else text.encode("utf-8", "replace").decode(), ensure_ascii=False
    )


def _raise_for_constant(word: str) -> NoReturn:
    raise FormatError(f"{word} is not JSON")


_READER = JsonReader(parse_int=Number, parse_float=Number, parse_constant=_raise_for_constant)

"""TOML texts as plain JSON values, read by the standard library within bounds."""

from __future__ import annotations

import re
from typing import Any

from sandhook.formats import FormatError

#: The longest text, in characters: the parser is meant for texts that people write.
MAX_TEXT = 512 << 10

#: The deepest nesting of tables and arrays, and the most parts of a key.
MAX_DEPTH = 64

#: A key of too many parts, for which the parser takes quadratic time.
_LONG_KEY = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]+[ \t]*\.[ \t]*){{{MAX_DEPTH + 1}}}")


def read_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text; dates become strings, because JSON has no dates.

    Raises:
        FormatError: The text is not TOML 1.0, longer than MAX_TEXT, or nested too deeply.
    """
    if len(text) > MAX_TEXT:
        raise FormatError(f"longer than {MAX_TEXT} characters")
    for line in text.split("\n"):
        if line.count(".") > MAX_DEPTH and _LONG_KEY.search(line):
            raise FormatError(f"a key of more than {MAX_DEPTH} parts")
    import tomllib

    try:
        value = tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, and int() of more digits than Python reads
        raise FormatError(str(error)) from None
    except RecursionError:
        raise FormatError("the value nests too deeply") from None
    document: dict[str, Any] = _plain(value, 0)
    return document


def _plain(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise FormatError(f"nesting of {MAX_DEPTH} exceeded")
    if isinstance(value, dict):
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    return value if isinstance(value, (str, int, float, bool)) else value.isoformat()

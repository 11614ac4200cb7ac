"""Writes plain values as TOML."""

from __future__ import annotations

import json

from sandhook.formats import Number


def encode_toml(value: dict[str, object]) -> str:
    """Return an object as a TOML 1.0 document; null, which TOML does not have, is omitted.

    Lists of objects at the top become arrays of tables; deeper ones are written inline.
    """
    plain = [f"{_key(key)} = {inline_toml(item)}\n" for key, item in value.items() if not _is_table(item)]
    parts = ["".join(plain)] if plain else []
    for key, item in value.items():
        if isinstance(item, dict):
            parts.append(f"[{_key(key)}]\n{_body(item)}")
        elif isinstance(item, list) and _is_table(item):
            parts += [f"[[{_key(key)}]]\n{_body(table)}" for table in item]
    return "\n".join(parts)


def write_toml(value: dict[str, object]) -> str:
    """Return an object as a TOML 1.0 document in which every table has its own header, at any depth."""
    return "\n".join(_tables(value, "", ""))


def _tables(table: dict[str, object], path: str, head: str) -> list[str]:
    """Return the keys of a table under its header, and then its subtables; a header without keys is omitted."""
    plain = _body({key: item for key, item in table.items() if not _is_table(item)})
    inner = {key: item for key, item in table.items() if item is not None and _is_table(item)}
    has_header = head and (plain or not inner or head.startswith("[["))
    parts = [f"{head}\n{plain}" if has_header else plain] if has_header or plain else []
    for key, item in inner.items():
        name = f"{path}.{_key(key)}" if path else _key(key)
        if isinstance(item, dict):
            parts += _tables(item, name, f"[{name}]")
        elif isinstance(item, list):
            for element in item:
                parts += _tables(element, name, f"[[{name}]]")
    return parts


def _is_table(item: object) -> bool:
    if isinstance(item, list):
        return bool(item) and all(isinstance(element, dict) for element in item)
    return item is None or isinstance(item, dict)


def _body(table: dict[str, object]) -> str:
    return "".join(f"{_key(key)} = {inline_toml(item)}\n" for key, item in table.items() if item is not None)


def _key(key: str) -> str:
    return key if key and key.isascii() and key.replace("_", "").replace("-", "").isalnum() else _string(key)


def inline_toml(item: object) -> str:
    """Return a value in one line, as it stands after a key."""
    if isinstance(item, dict):
        inner = (
            f"{_key(key)} = {inline_toml(element)}" for key, element in item.items() if element is not None
        )
        return "{ " + ", ".join(inner) + " }"
    if isinstance(item, list):
        return "[" + ", ".join(inline_toml(element) for element in item if element is not None) + "]"
    if isinstance(item, Number):
        return str(item)
    return _string(item) if isinstance(item, str) else json.dumps(item)


def _string(text: str) -> str:
    """Return a basic string: TOML has JSON's escapes, except for DEL and surrogate pairs."""
    quoted = json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
    return quoted.replace("\x7f", "\\u007f")

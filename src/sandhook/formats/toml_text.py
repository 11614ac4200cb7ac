"""Writes plain values as TOML."""

from __future__ import annotations

import json

from sandhook.formats import Number


def encode_toml(value: dict[str, object]) -> str:
    """Return an object as a TOML 1.0 document; null, which TOML does not have, is left out.

    Lists of objects at the top become arrays of tables; deeper ones are written inline.
    """
    plain = [f"{_key(key)} = {_inline(item)}\n" for key, item in value.items() if not _is_table(item)]
    parts = ["".join(plain)] if plain else []
    for key, item in value.items():
        if isinstance(item, dict):
            parts.append(f"[{_key(key)}]\n{_body(item)}")
        elif isinstance(item, list) and _is_table(item):
            parts += [f"[[{_key(key)}]]\n{_body(each)}" for each in item]
    return "\n".join(parts)


def write_toml(value: dict[str, object]) -> str:
    """Return an object as a TOML 1.0 document in which every table has a head of its own, however deep it is."""
    return "\n".join(_tables(value, "", ""))


def _tables(table: dict[str, object], path: str, head: str) -> list[str]:
    """Return a table's own keys under its head, and then the tables in it; a head without keys is left out."""
    plain = _body({key: item for key, item in table.items() if not _is_table(item)})
    inner = {key: item for key, item in table.items() if item is not None and _is_table(item)}
    bare = head and (plain or not inner or head.startswith("[["))
    parts = [f"{head}\n{plain}" if bare else plain] if bare or plain else []
    for key, item in inner.items():
        name = f"{path}.{_key(key)}" if path else _key(key)
        if isinstance(item, dict):
            parts += _tables(item, name, f"[{name}]")
        elif isinstance(item, list):
            for each in item:
                parts += _tables(each, name, f"[[{name}]]")
    return parts


def _is_table(item: object) -> bool:
    if isinstance(item, list):
        return bool(item) and all(isinstance(each, dict) for each in item)
    return item is None or isinstance(item, dict)


def _body(table: dict[str, object]) -> str:
    return "".join(f"{_key(key)} = {_inline(item)}\n" for key, item in table.items() if item is not None)


def _key(key: str) -> str:
    return key if key and key.isascii() and key.replace("_", "").replace("-", "").isalnum() else _string(key)


def _inline(item: object) -> str:
    if isinstance(item, dict):
        inner = (f"{_key(key)} = {_inline(each)}" for key, each in item.items() if each is not None)
        return "{ " + ", ".join(inner) + " }"
    if isinstance(item, list):
        return "[" + ", ".join(_inline(each) for each in item if each is not None) + "]"
    if isinstance(item, Number):
        return str(item)
    return _string(item) if isinstance(item, str) else json.dumps(item)


def _string(text: str) -> str:
    """Return a basic string: JSON's escapes are TOML's, but for DEL and pairs of surrogates."""
    quoted = json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
    return quoted.replace("\x7f", "\\u007f")

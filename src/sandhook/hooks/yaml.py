"""YAML configurations, decoded as plain JSON values, with their lines."""

from __future__ import annotations

from sandhook.formats import FormatError
from sandhook.formats.yaml import MAX_TEXT, MAX_VALUES, read_yaml
from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import MAX_DEPTH, DecodeError

__all__ = ["MAX_TEXT", "MAX_VALUES", "decode_yaml"]


def decode_yaml(text: str, name: str = "") -> Document:
    """Decode a YAML text of one document at most.

    Raises:
        DecodeError: The text is not YAML, has several documents, a tag, a key that is not a string, or more
            than MAX_TEXT characters, MAX_VALUES values or MAX_DEPTH levels; the message names the line.
    """
    try:
        (document,) = read_yaml(text, max_depth=MAX_DEPTH)
    except FormatError as error:
        raise DecodeError(str(error)) from None
    return Document(document.value, name, document.duplicates, text=text, lines=document.lines)

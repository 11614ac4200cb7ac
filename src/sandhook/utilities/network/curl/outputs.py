"""Where curl writes a response, and the user in a URL."""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.utilities.network.curl.request import decode_percent

_USER = lazily(r"((?:[A-Za-z]+://)?)([^/?#@]*)@([^/?#@]*(?:[/?#]|\Z))")


def without_user(text: str) -> tuple[str, str]:
    """Return a URL without its user and password, and the user and password."""
    match = _USER.match(text)
    if match is None:
        return text, ""
    return match[1] + text[match.start(3) :], decode_percent(match[2])


def disposition_name(text: str) -> str:
    """Return the file name in a Content-Disposition header, without directories; "" without one."""
    for part in text.split(";")[1:]:
        key, _, value = part.strip().partition("=")
        if key.strip().lower() == "filename":
            name = value.strip().strip('"').replace("\\", "/").rpartition("/")[2]
            return "" if name in (".", "..") or not name.isprintable() else name
    return ""


class Output(Record):
    """The destination of a response: the file ``name``, with ``remote`` that of the URL, or standard output."""

    name: str
    remote: bool


def uploads_into(text: str) -> bool:
    """Return whether a URL has no file name, so that an upload keeps its own name."""
    path = text.partition("?")[0].partition("://")[2] or text
    return "?" not in text and ("/" not in path or path.endswith("/"))


class Nameless(Exception):
    """The output file has no name; the message is a warning."""


class Unwritable(Exception):
    """Output cannot be written; the message is a warning."""

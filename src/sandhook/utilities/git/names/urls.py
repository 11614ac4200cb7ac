"""URLs as the sections of settings match them: ``http.https://*.example.com/path.proxy``.

Source: git-config(1), "http.<url>.*"; git 2.39, urlmatch.c.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes

from sandhook.record import Record

_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*+)([^?#]*+)(.*)", re.DOTALL)
_PORTS = {"http": "80", "https": "443"}
#: Characters that a normalized URL does not escape.
_SAFE = "!$&'()*+,;=:@/-._~"
_LONGEST = 8_000


class Url(Record):
    """A URL whose parts are normalized."""

    scheme: str
    user: str | None
    host: str
    port: str
    path: str


class Score(Record):
    """How well a section matches: a later field counts where the ones before are equal."""

    host: int
    path: int
    user: bool


def parse_url(text: str) -> Url | None:
    """Return the parts of a URL; None for another text."""
    match = _PARTS.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    scheme, place, path, rest = match[1].lower(), match[2], match[3], match[4]
    user, at, address = place.rpartition("@")
    host, port = _host_and_port(address)
    if port and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 1 << 16):
        return None
    if (not host and scheme != "file") or any(c.isspace() or c == "%" for c in host):
        return None
    if port and port.lstrip("0") == _PORTS.get(scheme):
        port = ""
    segments = _segments(_normal(path or "/"))
    if segments is None:
        return None
    return Url(
        scheme, _normal(user) if at else None, host.lower(), port.lstrip("0"), segments + _normal(rest)
    )


def _host_and_port(address: str) -> tuple[str, str]:
    if address.startswith("["):
        end = address.find("]") + 1
        return address[:end], address[end:].removeprefix(":")
    host, _, port = address.partition(":")
    return host, port


def _normal(text: str) -> str:
    """Return a part in which the same characters are escaped, whatever the writer escaped."""
    return quote(unquote_to_bytes(text), safe=_SAFE + "?#")


def _segments(path: str) -> str | None:
    """Return a path without "." and ".."; None for one that leaves the root."""
    kept: list[str] = []
    words = path.split("/")[1:]
    for word in words:
        if word == "..":
            if not kept:
                return None
            kept.pop()
        elif word != ".":
            kept.append(word)
    ends = words[-1] in (".", "..")
    return "/" + "/".join(kept) + ("/" if ends and kept else "")


def match_url(section: Url, url: Url) -> Score | None:
    """Return how well the URL of a section matches; None if it does not."""
    if section.scheme != url.scheme or section.port != url.port:
        return None
    if section.user is not None and section.user.partition(":")[0] != (url.user or "").partition(":")[0]:
        return None
    host, path = _host_score(section.host, url.host), _path_score(section.path, url.path)
    if host is None or path is None:
        return None
    return Score(host, path, section.user is not None)


def _host_score(pattern: str, host: str) -> int | None:
    words, names = pattern.split("."), host.split(".")
    if len(words) != len(names) or any(word not in ("*", name) for word, name in zip(words, names)):
        return None
    return len(pattern) - words.count("*")  # an exact name counts more than one with wildcards


def _path_score(prefix: str, path: str) -> int | None:
    bare = prefix.removesuffix("/")
    if not path.startswith(bare) or path[len(bare) :][:1] not in ("", "/"):
        return None
    return len(bare) + 1

"""URLs of http and https, parsed in one unambiguous way, and patterns for them."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

from sandhook.pattern.glob import compile_pattern
from sandhook.record import Record

_PATH = re.compile(r"[!-\[\]-~]*\Z")  # visible ASCII without the backslash

#: How often the encoding of a path is undone.
_DECODINGS = 4

#: Overlong UTF-8, as some servers decode it.
_OVERLONG = (
    *(
        (b"\xc0\xae", b"."),
        (b"\xc0\xaf", b"/"),
        (b"\xc1\x9c", b"/"),
        (b"\xe0\x80\xae", b"."),
        (b"\xe0\x80\xaf", b"/"),
    ),
    *(
        (b"\xe0\x81\x9c", b"/"),
        (b"\xf0\x80\x80\xae", b"."),
        (b"\xf0\x80\x80\xaf", b"/"),
        (b"\xf0\x80\x81\x9c", b"/"),
    ),
)

#: Percent-encoding, and that of IIS.
_ENCODED = re.compile(rb"%u([0-9a-f]{4})|%([0-9a-f]{2})")

#: White space, control characters, "#" and "?" at the end of a segment, which some servers cut off.
_ENDING = re.compile(r"[\x00-\x20\x7f#?].*\Z", re.DOTALL)

#: Headers that the connection writes itself: they frame the message, or name the host that credentials are for.
OWN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})


class UrlRefused(Exception):
    """A URL that is invalid, or that the network does not allow."""


Scheme: TypeAlias = Literal["http", "https"]
SCHEMES: dict[str, Scheme] = {"http": "http", "https": "https"}


class Url(Record):
    """The parts of a URL without the fragment; ``path`` includes the query."""

    scheme: Scheme
    host: str
    port: int
    path: str

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port, to which credentials belong."""
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """The host as the Host header names it, with the port unless it is the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.scheme == "https" else 80) else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def parse(text: str, *, pattern: bool = False) -> Url:
    """Parse a URL. Raises UrlRefused for one that two parsers could read differently.

    Args:
        pattern: ``*`` may stand in the host and the path.
    """
    name, mark, rest = text.partition("://")
    scheme = SCHEMES.get(name.lower())
    if not mark or scheme is None:
        raise UrlRefused(f"{text!r} is not an http or https URL")
    if not _PATH.match(rest) or "@" in rest.partition("/")[0]:
        raise UrlRefused(f"{text!r} has characters that a URL does not have, or a user")
    rest = rest.partition("#")[0]
    authority, _, path = rest.partition("/")
    if "?" in authority:
        raise UrlRefused(f"{text!r} has no path before its query")
    host, port = _host_and_port(authority, scheme, text)
    plain = host.replace("*", "") if pattern else host
    if not plain or not re.fullmatch(r"[a-z0-9.:_-]+", plain):
        raise UrlRefused(f"{text!r} has no plain host")
    if pattern and "*" in host and (not host.startswith("*.") or "*" in host[1:]):
        raise UrlRefused(f"{text!r}: * stands for a host's first labels alone")
    if _goes_up(path.partition("?")[0]):
        raise UrlRefused(f"{text!r} goes up in its path")
    return Url(scheme, host, port, "/" + path)


def _goes_up(path: str) -> bool:
    """Return True if a server could read a dot segment in a path: encoded, also twice, with parameters, by "\\"."""
    data = path.lower().encode()
    for _ in range(_DECODINGS):
        if _has_dot_segment(data):
            return True
        data = _ENCODED.sub(_decoded, data)
    return _has_dot_segment(data)


def _decoded(match: re.Match[bytes]) -> bytes:
    if match[1] is not None:
        return chr(int(match[1], 16)).encode("utf-8", "replace")
    return bytes([int(match[2], 16)])


def _has_dot_segment(data: bytes) -> bool:
    for code, letter in _OVERLONG:
        data = data.replace(code, letter)
    text = unicodedata.normalize("NFKC", data.decode("utf-8", "ignore"))  # wide and small letters
    segments = (segment.partition(";")[0] for segment in text.replace("\\", "/").split("/"))
    return any(_ENDING.sub("", segment) in (".", "..") for segment in segments)


def join(base: Url, text: str) -> Url:
    """Return the URL of a reference (a Location header, say) at ``base``. Raises UrlRefused."""
    scheme, mark, _ = text.partition("://")
    if mark and scheme.replace("+", "").isalnum():
        return parse(_absolute(text))
    if text.startswith("//"):
        return parse(_absolute(f"{base.scheme}:{text}"))
    path = base.path.partition("?")[0]
    if text.startswith("?"):
        text = path + text
    elif not text.startswith("/"):
        text = path.rpartition("/")[0] + "/" + text
    return parse(f"{base.scheme}://{base.authority}{_plain_path(text)}")


def _absolute(text: str) -> str:
    scheme, _, rest = text.partition("://")
    authority, slash, path = rest.partition("/")
    if "?" in authority:
        authority, _, query = rest.partition("?")
        return f"{scheme}://{authority}/?{query}"
    return f"{scheme}://{authority}{_plain_path(slash + path) if slash else '/'}"


def _plain_path(path: str) -> str:
    """Remove the dot segments of a path (RFC 3986, 5.2.4) and a fragment."""
    path, mark, query = path.partition("#")[0].partition("?")
    result: list[str] = []
    segments = path.split("/")[1:]
    for number, segment in enumerate(segments):
        if segment in (".", ".."):
            if segment == ".." and result:
                result.pop()
            if number == len(segments) - 1:
                result.append("")
        else:
            result.append(segment)
    return "/" + "/".join(result) + mark + query


def _host_and_port(authority: str, scheme: Scheme, text: str) -> tuple[str, int]:
    if authority.startswith("["):
        host, bracket, rest = authority[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise UrlRefused(f"{text!r} has no plain host")
        port = rest[1:]
    else:
        host, _, port = authority.partition(":")
    if port and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536):
        raise UrlRefused(f"{text!r} has no plain port")
    return host.lower().rstrip("."), int(port) if port else (443 if scheme == "https" else 80)


def allows(pattern: Url, url: Url) -> bool:
    """Return True if a URL matches a pattern."""
    if (pattern.scheme, pattern.port) != (url.scheme, url.port):
        return False
    if pattern.host.startswith("*."):
        if not url.host.endswith(pattern.host[1:]) or url.host == pattern.host[2:]:
            return False
    elif pattern.host != url.host:
        return False
    literal = "".join(c if c == "*" or c.isalnum() else f"\\{c}" for c in pattern.path)
    return compile_pattern(literal).matches(url.path)

"""What curl -w prints, and unpacked bodies."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from json import dumps

from sandhook.lazy import lazily

_PART = lazily(r"%%|%\{([A-Za-z_]+)\}|%(header\{[^}]*\})|\\([nrt\\])|%", re.ASCII)

NUMBERS = frozenset(
    [
        "http_code",
        "response_code",
        "size_download",
        "size_upload",
        "size_header",
        "size_request",
        "num_redirects",
        "num_connects",
        "time_total",
        "time_connect",
        "time_namelookup",
        "time_appconnect",
        "time_pretransfer",
        "time_starttransfer",
        "time_redirect",
        "speed_download",
        "speed_upload",
        "exitcode",
        "http_connect",
        "ssl_verify_result",
        "urlnum",
        "remote_port",
        "local_port",
        "proxy_ssl_verify_result",
        "num_headers",
    ]
)


def written(text: str, facts: Mapping[str, str], headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield pieces of what -w prints, each with where it goes: "stdout", "stderr" or "unknown" (a message)."""
    place = "stdout"
    at = 0
    for found in _PART.finditer(text):
        yield place, text[at : found.start()]
        at = found.end()
        if found[3]:
            yield place, {"n": "\n", "r": "\r", "t": "\t"}.get(found[3], "\\")
        elif found[1] in ("stdout", "stderr"):
            place = found[1]
        elif found[1] == "onerror":
            if facts["exitcode"] == "0":
                return
        elif found[1] == "header_json":
            named = ",\n".join(f"{dumps(name)}:{dumps([value])}" for name, value in headers.items())
            yield place, f"{{{named}\n}}"
        elif found[1] == "json":
            yield place, _json(facts)
        elif found[2]:
            yield place, headers.get(found[2][7:-1].lower(), "")
        elif found[1] is not None and found[1] in facts:
            yield place, facts[found[1]]
        elif found[1] is not None:
            yield "unknown", found[1]
        else:
            yield place, "%"
    yield place, text[at:]


def _json(facts: Mapping[str, str]) -> str:
    items = (
        f"{dumps(name)}:{value if name in NUMBERS else dumps(value) if value else 'null'}"
        for name, value in sorted(facts.items())
    )
    return "{" + ",".join(items) + "}"


class Unpacker:
    """Unpacks a body as its Content-Encoding says. Raises zlib.error."""

    def __init__(self, encoding: str) -> None:
        self._decoder = zlib.decompressobj(47) if encoding in ("gzip", "x-gzip", "deflate") else None
        self._raw = encoding == "deflate"

    def feed(self, data: bytes, most: int) -> Iterator[bytes]:
        """Yield what a piece unpacks to, at most 64 KiB at once, and not much more than ``most`` in all."""
        if self._decoder is None:
            yield data
            return
        sent = 0
        while data and sent <= most:
            try:
                piece = self._decoder.decompress(data, 65_536)
            except zlib.error:
                if not self._raw or sent:
                    raise
                self._raw = False
                self._decoder = zlib.decompressobj(-15)  # some servers' deflate has no head
                continue
            self._raw = False
            data = self._decoder.unconsumed_tail
            sent += len(piece)
            yield piece

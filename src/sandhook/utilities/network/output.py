"""The output of curl -w, and the decompression of bodies."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from json import dumps

from sandhook.lazy import lazily

_PART = lazily(r"(?a)%%|%\{([A-Za-z_]+)\}|%(header\{[^}]{0,500}\})|\\([nrt\\])|%")

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


def write_out_pieces(
    text: str, facts: Mapping[str, str], headers: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the pieces of -w's output, each with its destination: "stdout", "stderr" or "unknown" (a variable)."""
    destination = "stdout"
    at = 0
    for match in _PART.finditer(text):
        yield destination, text[at : match.start()]
        at = match.end()
        if match[3]:
            yield destination, {"n": "\n", "r": "\r", "t": "\t"}.get(match[3], "\\")
        elif match[1] in ("stdout", "stderr"):
            destination = match[1]
        elif match[1] == "onerror":
            if facts["exitcode"] == "0":
                return
        elif match[1] == "header_json":
            fields = ",\n".join(f"{dumps(name)}:{dumps([value])}" for name, value in headers.items())
            yield destination, f"{{{fields}\n}}"
        elif match[1] == "json":
            yield destination, _json(facts)
        elif match[2]:
            yield destination, headers.get(match[2][7:-1].lower(), "")
        elif match[1] is not None and match[1] in facts:
            yield destination, facts[match[1]]
        elif match[1] is not None:
            yield "unknown", match[1]
        else:
            yield destination, "%"
    yield destination, text[at:]


def _json(facts: Mapping[str, str]) -> str:
    items = (
        f"{dumps(name)}:{value if name in NUMBERS else dumps(value) if value else 'null'}"
        for name, value in sorted(facts.items())
    )
    return "{" + ",".join(items) + "}"


class Unpacker:
    """Decompresses a body according to its Content-Encoding. Raises zlib.error."""

    def __init__(self, encoding: str) -> None:
        self._decoder = zlib.decompressobj(47) if encoding in ("gzip", "x-gzip", "deflate") else None
        self._raw = encoding == "deflate"

    def feed(self, data: bytes, limit: int) -> Iterator[bytes]:
        """Yield the decompressed data, at most 64 KiB at once, and not much more than ``limit`` bytes in total."""
        if self._decoder is None:
            yield data
            return
        size = 0
        while data and size <= limit:
            try:
                piece = self._decoder.decompress(data, 65_536)
            except zlib.error:
                if not self._raw or size:
                    raise
                self._raw = False
                self._decoder = zlib.decompressobj(-15)  # some servers' deflate has no head
                continue
            self._raw = False
            data = self._decoder.unconsumed_tail
            size += len(piece)
            yield piece

"""The requests of curl: method, headers and body, according to its options."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256

from sandhook.net.url import OWN_HEADERS
from sandhook.utilities.network.curl.arguments import Arguments, Misuse

#: The default header User-Agent.
AGENT = "curl/7.88.1"

#: Reads a file's bytes; "-" is standard input.
Read = Callable[[str], bytes]


class Request:
    """The request that the command line describes.

    Attributes:
        custom: The method is that of -X, which redirects do not change.
        headers: Names and values.
        overridden: The names of the headers that -H sets or removes, in lower case.
    """

    def __init__(
        self,
        method: str,
        custom: bool,
        headers: list[tuple[str, str]],
        body: bytes | None,
        overridden: frozenset[str],
    ) -> None:
        self.method = method
        self.custom = custom
        self.headers = headers
        self.body = body
        self.overridden = overridden

    def with_user(self, user: str) -> Request:
        """Return the request with the user and password of its URL."""
        headers = [("Authorization", _basic(user)), *self.headers]
        return Request(self.method, self.custom, headers, self.body, self.overridden)


def build(arguments: Arguments, read: Read, warn: Callable[[str], None]) -> tuple[Request, str]:
    """Return the request, and the text to append to the query of its URL. Raises Misuse and OSError."""

    def read_data(name: str) -> bytes:
        try:
            return read(name)
        except OSError:
            warn(f'Couldn\'t read data from file "{name}", this makes an empty POST.')
            return b""

    body, kind, query = _body(arguments, read, read_data)
    method = "HEAD" if arguments.head else "GET"
    if arguments.upload is not None:
        try:
            method, body = "PUT", read(arguments.upload)
        except OSError:
            raise Misuse(f"Can't open '{arguments.upload}'!", status=26) from None
    elif body is not None:
        method = "POST"
    headers: list[tuple[str, str]] = []
    custom_names, removed, custom_headers = _custom_headers(arguments, read)
    for name, value in (
        ("Authorization", _authorization(arguments)),
        ("Range", None if arguments.range is None else f"bytes={arguments.range}"),
        ("User-Agent", AGENT if arguments.agent is None else arguments.agent),
        ("Accept", "application/json" if kind == "application/json" else "*/*"),
        ("Accept-Encoding", "deflate, gzip" if arguments.compressed else None),
        ("Referer", arguments.referer),
        ("Content-Type", kind),
    ):
        if value and name.lower() not in custom_names | removed:
            headers.append((name, value))
    return Request(
        arguments.method or method,
        arguments.method is not None,
        [*headers, *custom_headers],
        body,
        custom_names | removed,
    ), query


def _custom_headers(
    arguments: Arguments, read: Read
) -> tuple[frozenset[str], frozenset[str], list[tuple[str, str]]]:
    """Return the names that -H sets, those that it removes, and the headers themselves."""
    headers: list[tuple[str, str]] = []
    removed: set[str] = set()
    lines: list[str] = []
    for _, text in arguments.headers:
        if text.startswith("@"):
            lines += read(text[1:]).decode("utf-8", "surrogateescape").splitlines()
        else:
            lines.append(text)
    for line in lines:
        name, colon, value = line.partition(":")
        if colon and value.strip():
            headers.append((name.strip(), value.strip()))
        elif colon:
            removed.add(name.strip().lower())
        elif line.rstrip().endswith(";"):
            headers.append((line.rstrip()[:-1].strip(), ""))
    for name, value in headers:
        if name.lower() in OWN_HEADERS:
            raise Misuse(f"the header {name} is made here and cannot be set (L-CURL-001)", hint=False)
        if (
            not name
            or any(not 32 < ord(c) < 127 for c in name)
            or any(ord(c) < 32 and c != "\t" for c in value)
        ):
            raise Misuse(f"the header {name!r} cannot be sent", hint=False)
    return frozenset(name.lower() for name, _ in headers), frozenset(removed), headers


def _authorization(arguments: Arguments) -> str | None:
    if arguments.bearer is not None:
        return f"Bearer {arguments.bearer}"
    if arguments.user is None:
        return None
    return _basic(arguments.user)


def _basic(user: str) -> str:
    user = user if ":" in user else user + ":"
    return "Basic " + b64encode(user.encode("utf-8", "surrogateescape")).decode()


def decode_percent(text: str) -> str:
    """Return text without percent-encoding."""
    head, *pieces = text.encode("utf-8", "surrogateescape").split(b"%")
    decoded = [head]
    for piece in pieces:
        digits = piece[:2]
        if len(digits) == 2 and all(each in b"0123456789abcdefABCDEF" for each in digits):
            decoded += [bytes([int(digits, 16)]), piece[2:]]
        else:
            decoded += [b"%", piece]
    return b"".join(decoded).decode("utf-8", "surrogateescape")


def _body(arguments: Arguments, read: Read, read_data: Read) -> tuple[bytes | None, str | None, str]:
    """Return the body, the content type, and the query of -G and --url-query."""
    query = "&".join(_encode_data(text.lstrip("+"), read).decode() for _, text in arguments.url_query)
    _one_method(arguments)
    if arguments.form:
        body, kind = _multipart(arguments, read)
        return body, kind, query
    if not arguments.data:
        return None, None, query
    pieces: list[bytes] = []
    json = False
    for option, text in arguments.data:
        piece = _piece(option, text, read_data)
        json |= option == "json"
        if pieces and option != "json":
            pieces.append(b"&")
        pieces.append(piece)
    data = b"".join(pieces)
    if arguments.get or arguments.head:
        text = data.decode("utf-8", "surrogateescape")
        return None, None, f"{query}&{text}" if query else text
    return data, "application/json" if json else "application/x-www-form-urlencoded", query


def _one_method(arguments: Arguments) -> None:
    """Raise Misuse for options that require different methods."""
    methods = [
        words
        for words, is_requested in (
            ("PUT (-T, --upload-file)", arguments.upload is not None),
            ("POST (-d, --data)", arguments.data and not arguments.get),
            ("multipart formpost (-F, --form)", arguments.form),
            ("HEAD (-I, --head)", arguments.head),
        )
        if is_requested
    ]
    if len(methods) > 1:
        first, options = methods[0].split("(", 1)  # where curl breaks the line
        message = f"Warning: You can only select one HTTP request method! You asked for both {first}\nWarning: ({options} and {methods[1]}."
        raise Misuse("" if arguments.silent else message, hint=False, named=False)


#: The content types of -F by the suffixes of file names.
_KINDS = {
    "gif": "image/gif", "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "svg": "image/svg+xml",
    "txt": "text/plain", "htm": "text/html", "html": "text/html", "pdf": "application/pdf", "xml": "application/xml",
}  # fmt: skip


def _piece(option: str, text: str, read: Read) -> bytes:
    if option == "data-urlencode":
        return _encode_data(text, read)
    if text.startswith("@") and option != "data-raw":
        data = read(text[1:])
        return data if option in ("data-binary", "json") else data.translate(None, b"\r\n\0")
    return text.encode("utf-8", "surrogateescape")


def _encode_data(text: str, read: Read) -> bytes:
    """Return the encoded argument of --data-urlencode: content, =content, name=content, @file, name@file."""
    name, mark, content = text, "", ""
    for at, c in enumerate(text):
        if c in "=@":
            name, mark, content = text[:at], c, text[at + 1 :]
            break
    if not mark:
        return percent(text.encode("utf-8", "surrogateescape"))
    data = read(content) if mark == "@" else content.encode("utf-8", "surrogateescape")
    encoded = percent(data)
    return name.encode("utf-8", "surrogateescape") + b"=" + encoded if name else encoded


def _multipart(arguments: Arguments, read: Read) -> tuple[bytes, str]:
    parts: list[bytes] = []
    for option, text in arguments.form:
        name, equals, value = text.partition("=")
        if not equals:
            raise Misuse(
                f"Warning: Illegally formatted input field!\ncurl: option -{option[0].upper()}: is badly used here",
                named=False,
            )
        head = f'Content-Disposition: form-data; name="{_escape_field(name)}"'
        kind = None
        if option == "form" and value[:1] in ("@", "<"):
            path, *settings = value[1:].split(";")
            data = read(path)
            filename = path.rpartition("/")[2]
            for setting in settings:
                key, _, setting_value = setting.strip().partition("=")
                if key == "type":
                    kind = setting_value
                elif key == "filename":
                    filename = setting_value.strip('"')
                else:
                    raise Misuse(f"-F: {key} is not supported (L-CURL-001)", hint=False)
            if value[0] == "@":
                head += f'; filename="{_escape_field(filename)}"'
                kind = kind or _KINDS.get(filename.rpartition(".")[2].lower(), "application/octet-stream")
        else:
            data = value.encode("utf-8", "surrogateescape")
            if option == "form" and ";type=" in value:
                plain, _, kind = value.partition(";type=")
                data = plain.encode("utf-8", "surrogateescape")
        if kind:
            head += f"\r\nContent-Type: {kind}"
        if "\n" in head.replace("\r\nContent-Type", "") or "\0" in head:
            raise Misuse(f"the part {name!r} cannot be sent", hint=False)
        parts.append(head.encode("utf-8", "surrogateescape") + b"\r\n\r\n" + data + b"\r\n")
    boundary = "-" * 24 + sha256(b"".join(parts)).hexdigest()[:16]
    mark = f"--{boundary}\r\n".encode()
    return b"".join(
        mark + part for part in parts
    ) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def _escape_field(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")


def percent(data: bytes) -> bytes:
    """Return bytes in the percent-encoding of forms, in which a space is "+"."""
    return "".join(chr(b) if b in _PLAIN else "+" if b == 32 else f"%{b:02X}" for b in data).encode()

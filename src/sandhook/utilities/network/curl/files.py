"""``file://`` URLs: files of the virtual file system.

Oracle: curl 7.88.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from sandhook.command.context import Context
from sandhook.dates.clock import strftime
from sandhook.lazy import lazily
from sandhook.utilities.network.transfer import Trouble

_SCHEME = lazily(r"(?i)file:")
_ODD = lazily(r"[\x00-\x20\x7f]")
_LOCAL = frozenset({"", "localhost", "127.0.0.1"})
_RANGE = lazily(r"([0-9]*)(?:-([0-9]*))?")
_MAX_DIGITS = 18

Headers = list[tuple[str, str]]


def is_file_url(text: str, default: str) -> bool:
    """Return whether an operand is the URL of a file; ``default`` is the scheme of URLs without one."""
    return bool(_SCHEME.match(text)) or (default == "file" and "://" not in text)


def path_of(text: str, *, as_is: bool) -> str:
    """Return the path of the URL of a file. Raises Trouble.

    Args:
        as_is: Keep "." and ".." in the path.
    """
    rest = text[5:] if _SCHEME.match(text) else text
    if rest[:2] == "//":
        host, slash, rest = rest[2:].partition("/")
        rest = slash + rest if host.lower() in _LOCAL else ""
    path = rest.partition("#")[0].partition("?")[0]
    if path[:1] != "/" or _ODD.search(rest):
        raise Trouble(3, "URL using bad/illegal format or missing URL")
    path = unquote(path if as_is else _without_dots(path), errors="surrogateescape")
    if "\0" in path:
        raise Trouble(3, "URL using bad/illegal format or missing URL")
    return path


def _without_dots(path: str) -> str:
    parts: list[str] = []
    words = path.split("/")[1:]
    for word in words:
        if word == "..":
            del parts[-1:]
        elif word != ".":
            parts.append(word)
    if words[-1] in (".", ".."):
        parts.append("")
    return "/" + "/".join(parts)


class LocalFile:
    """An open file.

    Attributes:
        headers: What -I, -i and -D show.
        has_body: There is something to read.

    Raises:
        Trouble: The file cannot be opened, or the range begins after its end.
    """

    def __init__(self, path: str, wanted: str | None, ctx: Context) -> None:
        self._reader = None
        try:
            info = ctx.fs.stat(ctx.path(path))
            self._reader = ctx.open(path)
        except IsADirectoryError:
            pass  # curl opens a directory, and reads nothing
        except OSError:
            raise Trouble(37, f"Couldn't open file {path}") from None
        modified = strftime("%a, %d %b %Y %H:%M:%S GMT", info.mtime_ns // 10**9, None)
        size = info.size if self._reader is not None else 0
        self.headers: Headers = [
            ("Content-Length", str(size)), ("Accept-ranges", "bytes"), ("Last-Modified", modified),
        ]  # fmt: skip
        self._start, self._end = (0, size) if wanted is None else _range(wanted, size)
        if self._start > size:
            self.close()
            raise Trouble(36, "failed to resume file:// transfer")

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes of the range."""
        at = 0
        for piece in self._reader.chunks() if self._reader is not None else ():
            part = piece[max(self._start - at, 0) : max(self._end - at, 0)]
            at += len(piece)
            if part:
                yield part
            if at >= self._end:
                return

    def close(self) -> None:
        """Release the file."""
        if self._reader is not None:
            self._reader.close()


def _range(text: str, size: int) -> tuple[int, int]:
    """Return the first byte of a range and the one after its last; of several ranges, curl reads the first."""
    match = _RANGE.match(text)
    assert match is not None
    first, last = (digits[:_MAX_DIGITS] for digits in match.groups(""))
    if not first and last:
        return max(size - int(last), 0), size
    if first and not last:
        return int(first), size
    return int(first or "0"), min(int(last or "0") + 1, size)


def upload(path: str, data: bytes, ctx: Context) -> None:
    """Write a file for -T. Raises Trouble."""
    try:
        file = ctx.create(path)
    except OSError:
        raise Trouble(23, f"Can't open {path} for writing") from None
    try:
        file.write(data)
    except OSError:
        raise Trouble(55, "Failed sending data to the peer") from None
    finally:
        file.release()

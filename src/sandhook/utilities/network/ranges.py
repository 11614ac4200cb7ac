"""Which part of a file a response has: curl -C, wget -c and --start-pos ask for the rest of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.lazy import lazily
from sandhook.text.numbers import is_number
from sandhook.utilities.network.transfer import Trouble

if TYPE_CHECKING:
    from sandhook.net.connection import Response

_FIRST = lazily(r"\*|[0-9]+")
_WHOLE = lazily(r"(?:bytes[ \t]*)?([0-9]+)-[0-9]+/(?:[0-9]+|\*)")


def is_failure_for_curl(response: Response, offset: int) -> bool:
    """Return whether the status of a response is an error for curl -f.

    To a request for the rest, 416 is not: the file is complete. With "*" as its range it is.
    Source: curl 7.88.1, observed.
    """
    if response.status == 416 and offset:
        return _begins_anywhere(response)
    return response.status >= 400


def is_complete_for_curl(response: Response, offset: int) -> bool:
    """Return whether nothing is left to receive after this many bytes; False if the body is what comes next.

    Raises:
        Trouble: The body begins elsewhere, so that it must not be appended.

    Source: curl 7.88.1, observed. A Content-Range without a number is accepted.
    """
    if response.status == 416:
        return True
    first = _FIRST.search(response.header("content-range") or "")
    if _begins_anywhere(response) or (first is not None and int(first[0][:18]) == offset):
        return False
    if length_of(response) == offset:
        return True
    raise Trouble(33, "HTTP server doesn't seem to support byte ranges. Cannot resume.")


def _begins_anywhere(response: Response) -> bool:
    """Return whether a Content-Range has no number, or "*" before it."""
    text = response.header("content-range")
    first = _FIRST.search(text or "")
    return text is not None and (first is None or first[0] == "*")


def bytes_to_skip_for_wget(response: Response, offset: int) -> int | None:
    """Return how many bytes of the body wget drops; None if the file is complete.

    Raises:
        Trouble: The body begins elsewhere, and a retry may get the right part.

    Source: GNU Wget 1.21.3, observed.
    """
    match = _WHOLE.match((response.header("content-range") or "").strip())
    start = int(match[1][:18]) if match is not None else 0
    if start == offset:
        return 0
    if start or response.status == 206:
        raise Trouble(33, "", transient=True)
    length = length_of(response)
    is_short = length is not None and length <= offset and 200 <= response.status < 300
    return None if response.status == 416 or is_short else offset


def length_of(response: Response) -> int | None:
    """Return the Content-Length of a response; None without a usable one."""
    text = (response.header("content-length") or "").strip()
    return int(text[:18]) if is_number(text) else None

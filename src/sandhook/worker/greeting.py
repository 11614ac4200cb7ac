"""The first words of a worker process: its protocol and its version, which must be those of its host.

Workers are started from the files of the installation. After an upgrade these have another version than a host that
loaded its modules before. What such a worker understands of a request, nobody knows; so it is never used.
"""

from __future__ import annotations

from sandhook.version import __version__

TYPE_CHECKING = False  # as a type checker reads it; the module typing costs time at each start

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What hosts and the workers for jq, SQLite and the shell send each other, counted up with each change of it.
PROTOCOL = 1


def greeting(protocol: int = PROTOCOL) -> list[bytes]:
    """Return the words of this process."""
    return [b"%d" % protocol, __version__.encode()]


def with_greeting(report: bytes) -> bytes:
    """Return the payload of a worker's first frame."""
    return b" ".join(greeting()) + b"\n" + report


def other_version(words: Sequence[bytes], protocol: int = PROTOCOL) -> str:
    """Return the version of a worker, for a message, if it is not that of this process; else ""."""
    if list(words) == greeting(protocol):
        return ""
    is_greeting = len(words) == 2 and words[0].isdigit()  # earlier versions began with something else
    other = words[1].decode("ascii", "replace") if is_greeting else ""
    if not other.isprintable() or not 0 < len(other) <= 40:
        return "of another version"
    return "of another version with this number" if other == __version__ else other

"""The frames between a service and its worker processes: four bytes with the length of what follows, then fields.

Apart from the pipes of the service, because a worker has no event loop, and each worker would keep asyncio in memory.
"""

from __future__ import annotations

from struct import Struct

from sandhook.client.wire import pack

#: Of a frame: the length of what follows.
HEADER = Struct(">I")


def frame_of(fields: list[bytes]) -> bytes:
    """Return a frame."""
    data = pack(fields)
    return HEADER.pack(len(data)) + data

"""The streams of devices that need nothing of the process that opens them."""

from __future__ import annotations

from sandhook.kernel.descriptor import Description, Full, Input, Null, NullInput, RandomBytes, Zero
from sandhook.limits import Budget


def device_stream(kind: str, budget: Budget, *, write: bool) -> Description | None:
    """Return the stream of /dev/null, /dev/zero and similar; None for another kind of device."""
    if kind == "null":
        return Null() if write else NullInput()
    if kind == "zero":
        return Zero(budget)
    if kind == "full":
        return Full(budget)
    if kind == "random":
        return RandomBytes(budget)
    if kind == "uuid":
        from sandhook.text.uuids import uuid_text

        return Input(uuid_text(RandomBytes(budget).read(16), 4).encode() + b"\n")
    return None

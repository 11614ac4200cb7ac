"""The operands of dd: ``bs=4k``, ``conv=notrunc,sync`` and so on.

Source: POSIX.1-2024 XCU 3, dd. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.command.context import Failure
from sandhook.command.options import UsageError

_UNITS = {"": 1, "c": 1, "w": 2, "b": 512, "B": 1, "k": 1024}
_NUMBER = re.compile(r"([0-9]{1,19})(c|w|b|B|k|[kKMGTPEZY](?:i?B)?)?", re.ASCII)
_PREFIXES = "KMGTPEZY"
_MAX = 2**63 - 1
MAX_BLOCK = 1 << 30  #: bytes

#: The names of the operands, with a name for the value.
OPERANDS = {
    "if": "FILE", "of": "FILE", "bs": "BYTES", "ibs": "BYTES", "obs": "BYTES", "cbs": "BYTES", "count": "N",
    "skip": "N", "iseek": "N", "seek": "N", "oseek": "N", "conv": "LIST", "iflag": "LIST", "oflag": "LIST",
    "status": "none|noxfer|progress",
}  # fmt: skip
CONVERSIONS = (
    "block", "excl", "fdatasync", "fsync", "lcase", "nocreat", "noerror", "notrunc", "sparse", "swab", "sync", "ucase",
    "unblock",
)  # fmt: skip
_FLAGS = (
    "binary", "cio", "direct", "directory", "dsync", "noatime", "nocache", "noctty", "nofollow", "nolinks", "nonblock",
    "sync", "text",
)  # fmt: skip
INPUT_FLAGS = tuple(sorted((*_FLAGS, "count_bytes", "fullblock", "skip_bytes")))
OUTPUT_FLAGS = tuple(sorted((*_FLAGS, "append", "seek_bytes")))


class Amount:
    """A count of blocks, or of bytes when it ends in B."""

    __slots__ = ("in_bytes", "number")

    def __init__(self, number: int, in_bytes: bool) -> None:
        self.number = number
        self.in_bytes = in_bytes

    def bytes(self, block: int, force: bool) -> int:
        """Return the amount in bytes."""
        return self.number if self.in_bytes or force else self.number * block


class Request:
    """The values of the operands.

    Attributes:
        source, target: Files, None for the standard streams.
        input_block, output_block, record: Sizes in bytes (ibs, obs, cbs).
        whole: Write each input block as one output block, because bs is set.
        count: None to copy all.
        status: "none", "noxfer", "progress" or "".
    """

    def __init__(self) -> None:
        self.source: str | None = None
        self.target: str | None = None
        self.input_block = self.output_block = 512
        self.record = 0
        self.whole = False
        self.count: Amount | None = None
        self.skip = Amount(0, False)
        self.seek = Amount(0, False)
        self.conversions: frozenset[str] = frozenset()
        self.input_flags: frozenset[str] = frozenset()
        self.output_flags: frozenset[str] = frozenset()
        self.status = ""


def parse(operands: Sequence[str]) -> Request:
    """Parse the operands. Raises UsageError and Failure with GNU's messages."""
    request = Request()
    block = 0
    for operand in operands:
        name, equals, value = operand.partition("=")
        if not equals or name not in OPERANDS:
            raise UsageError(f"unrecognized operand '{operand}'")
        if name == "if":
            request.source = value
        elif name == "of":
            request.target = value
        elif name == "bs":
            block = _size(value)
        elif name == "ibs":
            request.input_block = _size(value)
        elif name == "obs":
            request.output_block = _size(value)
        elif name == "cbs":
            request.record = _size(value)
        elif name == "count":
            request.count = _amount(value)
        elif name in ("skip", "iseek"):
            request.skip = _amount(value)
        elif name in ("seek", "oseek"):
            request.seek = _amount(value)
        elif name == "conv":
            request.conversions |= _symbols(value, CONVERSIONS, "conversion")
        elif name == "iflag":
            request.input_flags |= _symbols(value, INPUT_FLAGS, "input flag")
        elif name == "oflag":
            request.output_flags |= _symbols(value, OUTPUT_FLAGS, "output flag")
        elif value not in OPERANDS["status"].split("|"):
            raise UsageError(f"invalid status level: '{value}'")
        else:
            request.status = value
    if block:
        request.input_block = request.output_block = block
        request.whole = True
    _check(request.conversions)
    return request


def _check(conversions: frozenset[str]) -> None:
    for pair, text in (
        (("block", "unblock"), "cannot combine block and unblock"),
        (("lcase", "ucase"), "cannot combine lcase and ucase"),
        (("excl", "nocreat"), "cannot combine excl and nocreat"),
    ):
        if conversions.issuperset(pair):
            raise Failure(text)


def _symbols(text: str, allowed: Sequence[str], what: str) -> frozenset[str]:
    symbols = set()
    for word in text.split(","):
        if word not in allowed:
            raise UsageError(f"invalid {what}: '{word}'")
        symbols.add(word)
    return frozenset(symbols)


def _size(text: str) -> int:
    size = _amount(text).number
    if not size:
        raise Failure(f"invalid number: '{text}'")
    if size > MAX_BLOCK:
        raise Failure(f"invalid number: '{text}': Value too large for defined data type")
    return size


def _amount(text: str) -> Amount:
    """Parse a number: factors separated by x, each with an optional unit."""
    product = 1
    for factor in text.split("x"):
        match = _NUMBER.fullmatch(factor)
        if match is None:
            raise Failure(f"invalid number: '{text}'")
        product *= int(match[1]) * _unit(match[2] or "")
    if product > _MAX:
        raise Failure(f"invalid number: '{text}': Value too large for defined data type")
    return Amount(product, text[-1:] == "B" and text[-2:-1].isdigit())


def _unit(suffix: str) -> int:
    if suffix in _UNITS:
        return _UNITS[suffix]
    power = _PREFIXES.index(suffix[0].upper()) + 1
    return int((1000 if suffix[1:] == "B" else 1024) ** power)

"""LISTs of positions, for cut and numfmt: "1,3-5,7-"."""

from __future__ import annotations

from sandhook.command.options import UsageError

LAST = 2**63 - 1


Range = tuple[int, int]  #: first and last position, 1-based


def parse_list(text: str, by_field: bool) -> list[Range]:
    """Parse a LIST to sorted ranges; overlapping ranges are merged. Raises UsageError."""
    ranges = []
    for item in text.replace(" ", ",").replace("\t", ",").split(","):
        low, dash, high = item.partition("-")
        if not item:
            raise UsageError(_from_one(by_field))
        if "-" in high:
            raise UsageError("invalid field range" if by_field else "invalid byte or character range")
        if dash and not low and not high:
            raise UsageError("invalid range with no endpoint: -")
        first = _position(low, by_field) if low else 1
        last = (_position(high, by_field) if high else LAST) if dash else first
        if not first:
            raise UsageError(_from_one(by_field))
        if last < first:
            raise UsageError("invalid decreasing range")
        ranges.append((first, last))
    ranges.sort()
    merged = ranges[:1]
    for first, last in ranges[1:]:
        if first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def _from_one(by_field: bool) -> str:
    return f"{'fields' if by_field else 'byte/character positions'} are numbered from 1"


def _position(text: str, by_field: bool) -> int:
    if not (text.isascii() and text.isdecimal()):
        rest = text.lstrip("0123456789") if text[:1].isdigit() else text
        kind = "field value" if by_field else "byte/character position"
        raise UsageError(f"invalid {kind} '{rest or text}'")
    if len(text.lstrip("0")) > 18:
        kind = "field number" if by_field else "byte/character offset"
        raise UsageError(f"{kind} '{text}' is too large")
    return int(text)

"""UUIDs as text. Source: RFC 9562."""

from __future__ import annotations


def uuid_text(data: bytes, version: int) -> str:
    """Return 16 bytes as a UUID of a version, in the variant of RFC 9562."""
    bits = bytearray(data)
    bits[6] = bits[6] & 0x0F | version << 4
    bits[8] = bits[8] & 0x3F | 0x80
    text = bits.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))

"""Files of compress: written here by a small encoder, as no library has one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.utilities.conftest import Ran


def compressed(data: bytes, most: int = 16) -> bytes:
    """Return data in the format of compress, without codes that clear the table."""
    table = {bytes((byte,)): byte for byte in range(256)}
    free, width = 257, 9
    out = bytearray(b"\x1f\x9d" + bytes((0x80 | most,)))
    group: list[int] = []

    def flush(whole: bool) -> None:
        if group:
            bits = sum(code << (at * width) for at, code in enumerate(group))
            out.extend(bits.to_bytes(width if whole else (len(group) * width + 7) // 8, "little"))
            group.clear()

    word = b""
    written = 0
    for byte in data:
        longer = word + bytes((byte,))
        if longer in table:
            word = longer
            continue
        group.append(table[word])
        written += 1
        if len(group) == 8:
            flush(True)
        if free < 1 << most:
            table[longer] = free
            free += 1
        if 256 + written >= 1 << width and width < most:  # the reader has as many entries by now
            flush(True)
            width += 1
        word = longer[-1:]
    if word:
        group.append(table[word])
    flush(False)
    return bytes(out)


@pytest.mark.parametrize("most", [10, 12, 16])
@pytest.mark.parametrize(
    "data",
    [
        b"a",
        b"abcabcabcabc",
        bytes(5000),
        bytes(range(256)) * 40,
        b"".join(b"%d line\n" % number for number in range(20_000)),
    ],
    ids=["one", "repeats", "zeros", "bytes", "lines"],
)
def test_expands_what_compress_makes(utility: Callable[..., Ran], data: bytes, most: int) -> None:
    status, out, err = utility("zcat", stdin=compressed(data, most))
    assert (status, err) == (0, "")
    assert out.encode("utf-8", "surrogateescape") == data


def test_damaged_data_are_told_of(utility: Callable[..., Ran]) -> None:
    status, _, err = utility("zcat", stdin=b"\x1f\x9d\x90a\xff\xff\xff", same=False)
    assert status == 1
    assert "corrupt input" in err

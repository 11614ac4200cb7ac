"""hostname: nothing of the host shows, so what the real program prints is not expected."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["hostname"], "sandhook\n"),
        (["hostname", "-s"], "sandhook\n"),
        (["hostname", "-d"], "\n"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility(*argv, same=False) == (0, stdout, "")

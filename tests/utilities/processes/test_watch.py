"""watch: there is no screen."""

from __future__ import annotations


def test_is_refused_by_name(utility):  # type: ignore[no-untyped-def]
    assert utility("watch", "-n", "1", "date", same=False) == (
        1,
        "",
        "watch: not available: there is no terminal; use a loop with sleep\n",
    )

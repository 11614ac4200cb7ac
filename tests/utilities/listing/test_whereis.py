"""whereis: it knows the utilities."""

from __future__ import annotations


def test_knows_the_utilities(utility):  # type: ignore[no-untyped-def]
    assert utility("whereis", "cat", same=False) == (0, "cat: /usr/bin/cat\n", "")
    assert utility("whereis", "-b", "/x/sed", "nosuch", same=False) == (0, "sed: /usr/bin/sed\nnosuch:\n", "")
    assert utility("whereis", "-m", "cat", same=False) == (0, "cat:\n", "")
    assert utility("whereis", "-u", "cat", "nosuch", same=False) == (0, "", "")
    hint = "Try 'whereis --help' for more information.\n"
    assert utility("whereis", same=False) == (1, "", f"whereis: not enough arguments\n{hint}")
    assert utility("whereis", "-z", "x", same=False)[0] == 1

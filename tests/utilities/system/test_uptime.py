"""uptime: the time since the run began."""

from __future__ import annotations

import re


def test_counts_from_the_beginning_of_the_run(utility):  # type: ignore[no-untyped-def]
    status, out, err = utility("uptime", env={"TZ": "UTC0"}, same=False)
    assert (status, err) == (0, "")
    assert re.fullmatch(r" \d\d:\d\d:\d\d up 0 min,  0 users,  load average: 0\.00, 0\.00, 0\.00\n", out)
    assert utility("uptime", "-p", same=False) == (0, "up 0 minutes\n", "")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n", utility("uptime", "--since", same=False)[1])
    assert utility("uptime", "-x", same=False)[0] == 1

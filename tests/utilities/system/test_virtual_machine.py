"""uptime, whereis, watch: what they print about a machine that is the run alone."""

from __future__ import annotations

import re


def test_uptime_tells_the_run(utility):  # type: ignore[no-untyped-def]
    status, out, err = utility("uptime", env={"TZ": "UTC0"}, same=False)
    assert (status, err) == (0, "")
    assert re.fullmatch(r" \d\d:\d\d:\d\d up 0 min,  0 users,  load average: 0\.00, 0\.00, 0\.00\n", out)
    assert utility("uptime", "-p", same=False) == (0, "up 0 minutes\n", "")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n", utility("uptime", "--since", same=False)[1])
    assert utility("uptime", "-x", same=False)[0] == 1


def test_whereis_knows_the_utilities(utility):  # type: ignore[no-untyped-def]
    assert utility("whereis", "cat", same=False) == (0, "cat: /usr/bin/cat\n", "")
    assert utility("whereis", "-b", "/x/sed", "nosuch", same=False) == (0, "sed: /usr/bin/sed\nnosuch:\n", "")
    assert utility("whereis", "-m", "cat", same=False) == (0, "cat:\n", "")
    assert utility("whereis", "-u", "cat", "nosuch", same=False) == (0, "", "")
    hint = "Try 'whereis --help' for more information.\n"
    assert utility("whereis", same=False) == (1, "", f"whereis: not enough arguments\n{hint}")
    assert utility("whereis", "-z", "x", same=False)[0] == 1


def test_watch_is_refused_by_name(utility):  # type: ignore[no-untyped-def]
    assert utility("watch", "-n", "1", "date", same=False) == (
        1,
        "",
        "watch: not available: there is no terminal; use a loop with sleep\n",
    )

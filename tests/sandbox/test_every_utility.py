"""TM-ESC-1, TM-ESC-8: every utility there is, with names of the host in the places where files and commands stand.

The other attacks know what they attack; this one also meets the utility that was added yesterday.
"""

from __future__ import annotations

import pytest

from sandhook.utilities import names
from tests.sandbox.conftest import SMALL, Attack
from tests.sandbox.host import CANARY

#: Words after a utility's name: a host file read, written, listed, or taken for options, a script or a program.
WORDS = [
    "@SECRET@",
    "@DIR@",
    "-- @SECRET@ @DIR@/new",
    "-f @SECRET@",
    "-f @SECRET@ @DIR@/new",
    "-i @SECRET@",
    "-i s/c/x/ @SECRET@",
    "-d @DIR@",
    "-o @DIR@/new /workspace/f",
    "-c @SECRET@",
    "-c 'cat @SECRET@'",
    "-e 'cat @SECRET@'",
    "-e @SECRET@ /workspace/f",
    "-T @SECRET@",
    "-r @SECRET@",
    "-x @SECRET@ /workspace/f",
    "/workspace/f @DIR@/new",
    "/workspace/f @SECRET@",
    "cat @SECRET@",
    "@PYTHON@ -c 'print(1)'",
    "'BEGIN { print 1 > \"@DIR@/new\" }'",
    "../../../../../../../../..@SECRET@",
]

#: Not yes, which writes until a limit ends it, nor pkill, which finds this script by the names in it and ends it.
NAMES = sorted(names() - {"yes", "pkill"})
AT_ONCE = 20

ROOMY = SMALL.with_(steps=50_000_000, output_bytes=8 << 20, memory_bytes=64 << 20, fs_bytes=64 << 20)


@pytest.mark.parametrize(
    "names", [NAMES[at : at + AT_ONCE] for at in range(0, len(NAMES), AT_ONCE)], ids=lambda names: names[0]
)
def test_no_utility_reaches_a_host_file(attack: Attack, names: list[str]) -> None:
    lines = [f"timeout 2 {name} {words} < /workspace/f" for name in names for words in WORDS]
    result = attack("\n".join([*lines, "echo", "echo end"]), files={"f": "1\n2\n"}, limits=ROOMY)
    assert result.limit is None, result.stderr[-300:]
    assert CANARY not in result.stdout
    assert CANARY not in result.stderr
    assert result.stdout.endswith("\nend\n")  # nothing ended the script before

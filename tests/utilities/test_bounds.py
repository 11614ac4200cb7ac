"""Utilities whose input or numbers a script can make large: a limit ends them, in time and before the memory is taken.

Each has its twin: the harmless neighbour that must work.
"""

from __future__ import annotations

import time

import pytest

from sandhook.limits import Limits
from sandhook.shell import Shell

SMALL = Limits(wall_seconds=5.0, steps=80_000, memory_bytes=4 << 20, fs_bytes=1 << 20, output_bytes=65_536)

ENDLESS = [
    "od /dev/zero -v",
    "od /dev/zero",
    "xxd /dev/zero",
    "hexdump -v /dev/zero",
    "hexdump -e '1/1 \"%02x\"' /dev/zero",
    "cmp /dev/zero <(cat /dev/zero)",
    "diff /dev/zero /dev/urandom",
    "patch < /dev/zero",
    "dd if=/dev/zero",
    "dd if=/dev/zero of=/dev/null",
    "dd if=/dev/zero of=f bs=1M",
    "dd if=/dev/zero bs=1G count=1 of=/dev/null",
    "dd if=/dev/null of=f bs=1M seek=100",
    "split -b 1 /dev/zero",
    "split -l 1 <(yes)",
    "split -n 3 /dev/zero",
    "join <(yes) <(yes)",
    "mkfifo p; cat p",
    "echo 'while (1) 1' | bc",
    "echo 'while (1) x += 1' | bc",
    "echo 'define f(n) { return (f(n + 1)) } f(0)' | bc; echo 'for (;;) a[i++] = 1' | bc",
    "echo 'for (x = 2; 1; x *= x) y = x' | bc; yes 9 | tr -d '\\n' | bc",
    "expand -t 1000000 <(yes '\t')",
    "yes | expand",
    "yes ' ' | unexpand",
    "yes 'a b' | tsort",
    "shuf -r -e a",
    "yes | shuf",
    "yes | base32",
    "basenc --base2msbf /dev/zero",
    "factor $(seq 1000000000000000000 1000000000000009999)",
    "strings /dev/zero; tr '\\0' a < /dev/zero | strings",
    "yes '$A' | envsubst",
    "gzip < /dev/zero | wc -c",
    "head -c 3M /dev/zero | gzip | gzip -d > f",
    "head -c 900K /dev/zero | bzip2 > f; cat f f f f f f f f f f f f | bunzip2 > g",
    "head -c 3M /dev/zero | xz | xz -d > f",
    "tar -c /dev/zero | cat > f; yes > f",
    "head -c 900K /dev/zero > f; tar -czf a.tgz f; mkdir d e; tar -xzf a.tgz -C d; tar -xzf a.tgz -C e",
]


@pytest.mark.parametrize(
    ("script", "made"),
    [
        (
            "mkdir a; echo x > f; cd a; tar -cPf ../t.tar -C .. ../workspace/f; mkdir o; cd o; tar -xf ../../t.tar",
            "f",
        ),
        ("mkdir a o; ln -s /etc a/l; tar -cf t.tar -C a l; cd o; tar -xf ../t.tar", "l"),
        ("mkdir a o; ln -s ../../x a/l; tar -cf t.tar -C a l; cd o; tar -xf ../t.tar", "l"),
        (
            "mkdir -p a/l o; echo x > a/l/f; tar -cf t.tar -C a l/f; ln -s /tmp o/l; cd o; tar -xf ../t.tar",
            "/tmp/f",
        ),
    ],
)
def test_tar_makes_nothing_outside(script: str, made: str) -> None:
    result = Shell().run(f"{script} ; status=$?; [ -e {made} ] || [ -L {made} ] && echo made; exit $status")
    assert (result.exit_status, result.stdout) == (2, ""), result.stderr


@pytest.mark.parametrize("script", ENDLESS)
def test_a_limit_ends_it(script: str) -> None:
    start = time.monotonic()
    result = Shell(limits=SMALL).run(script)
    assert result.defect is None
    assert result.limit is not None or "No space left" in result.stderr or "too large" in result.stderr, (
        result
    )
    assert time.monotonic() - start < SMALL.wall_seconds + 60


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("head -c 100 /dev/zero | od -An -tx1 | tail -n 1", " 00 00 00 00\n"),
        ("head -c 3 /dev/zero | xxd -p", "000000\n"),
        ("cmp <(seq 100) <(seq 100) && echo same", "same\n"),
        ("diff <(seq 1000) <(seq 1001)", "1000a1001\n> 1001\n"),
        ("dd if=/dev/zero bs=1K count=5 status=none | wc -c", "5120\n"),
        ("echo '2^100 % 1000' | bc", "376\n"),
        ("factor 999999000001", "999999000001: 999999000001\n"),
        ("seq 3 | shuf | sort", "1\n2\n3\n"),
    ],
)
def test_its_neighbour_works(script: str, stdout: str) -> None:
    result = Shell(limits=SMALL).run(script)
    assert (result.exit_status, result.stdout, result.limit) == (
        0 if "diff" not in script else 1,
        stdout,
        None,
    )


def test_two_files_without_a_common_line_are_compared_in_time() -> None:
    result = Shell(limits=SMALL.with_(steps=2_000_000)).run("diff <(seq 1 3000) <(seq 5000 8000) | wc -l")
    assert (result.stdout, result.limit) == ("6003\n", None)


def test_alternating_lines_cost_what_they_are_worth() -> None:
    """The worst case of the search is charged to the budget."""
    script = "for i in {1..400}; do echo $((i * i % 7)); done > a; for i in {1..400}; do echo $((i * i * i % 5)); done > b; diff a b | wc -l"
    result = Shell(limits=SMALL.with_(steps=2_000_000)).run(script)
    assert result.limit is None and int(result.stdout) > 100

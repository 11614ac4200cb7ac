"""Endless and huge streams, widths and archives: the right output, or a named limit, in bounded memory."""

from __future__ import annotations

import tracemalloc

import pytest

from sandhook import Limits, Shell

LIMITS = Limits(wall_seconds=20, memory_bytes=8 << 20, output_bytes=1 << 20, fs_bytes=16 << 20)


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("yes | head -n 3", "y\ny\ny\n"),
        ("seq 1 1000000000 | head -n 1", "1\n"),
        ("yes | sed 3q", "y\ny\ny\n"),
        ("yes | awk 'NR == 3 {exit} 1'", "y\ny\n"),
        ("yes | awk '{print; exit}'", "y\n"),
        ("yes | grep -m 2 y", "y\ny\n"),
        ("yes abc | tr a b | head -n 1", "bbc\n"),
        ("yes | cut -c1 | head -n 1", "y\n"),
        ("yes | nl | head -n 1", "     1\ty\n"),
        ("yes | paste - - | head -n 1", "y\ty\n"),
        ("comm <(yes) <(yes) | head -n 1", "\t\ty\n"),
        ("base64 /dev/zero | head -c 5", "AAAAA"),
        ("gzip < /dev/zero | head -c 10 | wc -c", "10\n"),
        ("head -c 20M /dev/zero | wc -c", "20971520\n"),
        ("head -c 2M /dev/zero | tr '\\0' a | fold -w 20 | wc -l", "104857\n"),
        ("echo a | fold -w 999999999999", "a\n"),
        ("echo a | expand -t 999999999", "a\n"),
        ("shuf -i 1-1000000000 -n 1 | wc -l", "1\n"),
        ("seq -w 1 99999999999 | head -n 1", "00000000001\n"),
        ("find . -printf '%999999999f' | head -c 1", " "),
        ("date -d @0 '+%99999999Y' | wc -c", "4097\n"),
    ],
)
def test_streams_end_with_their_reader(script: str, stdout: str) -> None:
    result = Shell(limits=LIMITS).run(script)
    assert (result.stdout, result.limit, result.defect) == (stdout, None, None), result.stderr


@pytest.mark.parametrize(
    ("script", "limit"),
    [
        ("head -c 10G /dev/zero | wc -c", "steps|wall_seconds"),
        ("yes | sort | head -n 1", "memory_bytes"),
        ("yes | tac | head -n 1", "memory_bytes"),
        ("seq 3000000 | sort -rn | head -n 1", "memory_bytes"),
        ("head -c 50M /dev/zero | sort | wc -c", "memory_bytes"),
        ("tail -n 1 /dev/zero", "memory_bytes"),
        ("printf %999999999d 1", "memory_bytes"),
        ("printf %.999999999f 1", "memory_bytes"),
        ("printf '%*d' 999999999 1", "memory_bytes"),
        ("env printf %999999999d 1", "memory_bytes"),
        ("seq -f %999999999g 1", "memory_bytes"),
        ("awk 'BEGIN {printf \"%999999999d\", 1}'", "memory_bytes"),
        ("awk 'BEGIN {$100000000 = 1}'", "memory_bytes"),
        ("awk 'BEGIN {while (1) a[i++] = i}'", "memory_bytes"),
        ("awk 'BEGIN {while (1) s = s \"xxxxxxxxxxxxxxxx\" s}'", "memory_bytes"),
        ("awk 'function f(x) {return f(x + 1)} BEGIN {f(1)}'", "call_depth"),
        ("echo a | sed ':a;s/.*/&&/;ta'", "memory_bytes"),
        ("shuf -i 1-1000000000 | wc -l", "memory_bytes"),
        ("dd if=/dev/zero bs=1G count=1 | wc -c", "memory_bytes"),
        ("join <(yes) <(yes) | head -n 1", "memory_bytes"),
    ],
)
def test_a_limit_is_named(script: str, limit: str) -> None:
    result = Shell(limits=LIMITS).run(script)
    assert result.limit in limit.split("|"), (result, result.stderr)
    assert result.exit_status in (124, 137)


@pytest.mark.parametrize(
    "script",
    [
        "mkdir t; head -c 12M /dev/zero > t/z; tar czf t.tgz t; rm -r t; mkdir a b; tar xzf t.tgz -C a; tar xzf t.tgz -C b",
        "head -c 12M /dev/zero | gzip > z.gz; gzip -dc z.gz > a; gzip -dc z.gz > b",
        "truncate -s 10G f",
    ],
)
def test_unpacking_ends_at_the_size_of_the_file_system(script: str) -> None:
    result = Shell(limits=LIMITS).run(script)
    assert result.defect is None
    assert result.exit_status != 0
    assert "No space left on device" in result.stderr, result


@pytest.mark.parametrize(
    "script",
    [
        "echo a | sed '" + "s/[a]/&&&&&&&&&&/g;" * 7 + "'",
        'awk \'BEGIN {s = "a"; for (i = 0; i < 7; i++) gsub(/[a]/, "&&&&&&&&&&", s)}\'',
        'awk \'BEGIN {s = "a"; for (i = 0; i < 9; i++) gsub(/a/, "&&&&&&&&&&", s)}\'',
        "awk 'BEGIN {while (1) split(\"a b c d e f g h\", x[i++])}'",
    ],
)
def test_replacements_stay_within_the_memory_of_the_run(script: str) -> None:
    limits = Limits(wall_seconds=60, memory_bytes=1 << 19)
    shell = Shell(limits=limits)
    shell.run("echo a | sed s/a/b/; awk 'BEGIN {gsub(/x/, \"\")}'")  # what is imported does not count
    tracemalloc.start()
    try:
        result = shell.run(script)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.limit == "memory_bytes", result
    assert peak < 3 << 20

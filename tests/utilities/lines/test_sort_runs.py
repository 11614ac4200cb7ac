"""sort -n of many lines, whose keys one expression reads: the order is that of the keys one by one."""

from __future__ import annotations

import random

import pytest

from sandhook import Shell
from sandhook.utilities.lines import sort
from sandhook.utilities.lines.sort import runs
from sandhook.utilities.lines.sort.keys import keys_of, numeric

#: Lines that are no plain integer: every one of them must count as ``numeric`` says.
ODD = [b"", b"-", b"abc 3", b"+4", b"\n3", b"1.5", b"1.", b".5", b"- 5", b"7\nz", b"\t8", b"9" * 5000, b"1e3", b"0x9", b"--1"]  # fmt: skip


def lines_of(choice: random.Random) -> list[bytes]:
    odd = choice.choice([0.0, 0.0, 0.01, 0.5])
    tail = choice.choice([[b""], [b"", b" x", b"k", b"-3"], [b"", b".25", b"\tb"]])
    return [
        choice.choice(ODD)
        if choice.random() < odd
        else b" " * choice.choice([0, 0, 3]) + b"%d" % choice.randint(-50, 50) + choice.choice(tail)
        for _ in range(choice.choice([5, 50, 250, 900]))
    ]


@pytest.mark.parametrize("reverse", [False, True])
def test_many_lines(reverse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"_RUN": 300, "_KEYED_RUN": 64, "_FEW": 10, "_LONG_MERGE": 200, "_STEP": 32}.items():
        monkeypatch.setattr(runs, name, value)
    for seed in range(100):
        lines = lines_of(random.Random(seed))
        expected = sorted(lines, key=numeric, reverse=reverse)
        assert runs.sort_lines(list(lines), numeric, reverse, lambda units: None) == expected, seed


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_line_among_integers(odd: bytes) -> None:
    lines = [b"3", odd, b" -2 x"]
    assert keys_of(numeric, lines) == [numeric(line) for line in lines]


@pytest.mark.parametrize(
    "options",
    [
        "",
        "-r",
        "-n",
        "-rn",
        "-f",
        "-fr",
        "-k2",
        "-k2,2n -k1,1r",
        "-s",
        "-s -k2,2",
        "-s -f",
        "-u",
        "-fu",
        "-R",
        "-M",
    ],
)
def test_lines_that_occur_many_times(options: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are sorted once each, unless the order of lines with equal keys counts."""
    monkeypatch.setattr(runs, "_RUN", 300)
    choice = random.Random(options)
    text = "".join(
        f"{choice.choice('aAbB')}{choice.randrange(9)} {choice.randrange(5)}\n" for _ in range(3000)
    )
    shell = Shell(files={"/t": text, "/seed": "0123456789abcdef"})
    command = f"sort --random-source=/seed {options} /t"
    each_once = shell.run(command).stdout
    with monkeypatch.context() as patch:
        patch.setattr(sort, "has_many_equals", lambda lines: False)
        assert each_once == shell.run(command).stdout
    assert each_once.count("\n") == (3000 if "u" not in options else len(set(each_once.splitlines())))


def test_a_sample_shows_whether_lines_occur_many_times() -> None:
    assert runs.has_many_equals([b"%d" % (number * 7919 % 500) for number in range(20_000)])
    assert not runs.has_many_equals([b"%d" % number for number in range(20_000)])
    assert not runs.has_many_equals([b"same"] * 2_047)  # few lines are sorted as fast


def test_lines_of_which_only_a_sample_repeats_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script chooses its lines: the table of those that differ must not have all of them."""
    monkeypatch.setattr(runs, "_RUN", 500)
    lines = [b"same" if number % 8 == 0 else b"%d" % (number * 7919 % 10_007) for number in range(8_192)]
    assert runs.has_many_equals(lines)
    sorted_at_once = []

    def sort(given: list[bytes], _: object) -> list[bytes]:
        sorted_at_once.append(len(given))
        return sorted(given)

    assert runs.sorted_once(list(lines), sort, lambda units: None) == sorted(lines)
    assert sorted_at_once == [8_192]

"""Promises 4, 5 and 8: no utility runs past its budget, whatever it is fed.

Each run is measured in a child process. Time is processor time, also that of the deadline, so a busy machine makes
little difference. Its caches are shared: a fixed piece of work shows how much slower it is than at its best, and a run
may be slower by as much.

The slow test runs each use of each utility on two inputs of different shapes, one of them of the full size: some 1,700
runs, in 15 minutes of two processors. SANDHOOK_SEED selects other shapes and sizes, and SANDHOOK_ALL=1 runs all 11,000
combinations.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
import os
import pkgutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest

import sandhook
from sandhook import Limits, Shell
from sandhook.utilities.lines.sort.keys import numeric
from sandhook.utilities.lines.sort.runs import sort_lines
from tests.sandbox.tools import every
from tests.sandbox.uses import SHAPES, needs_another_input, uses

MEASURED = hasattr(os, "fork") and Path("/proc/self/clear_refs").exists()
pytestmark = pytest.mark.skipif(not MEASURED, reason="peaks of memory are read in /proc")

LIMITS = Limits(wall_seconds=1.0)
MARGIN = 0.25  #: seconds of processor time after the deadline
GAP = 0.1  #: seconds of processor time in which no other thread runs
ATTEMPTS = 3
MEMORY = 4 * LIMITS.memory_bytes + (64 << 20)
SIZE = 8_000_000
BEST = [float("inf")]  #: the least time of the reference work in this process: the machine at its best
SMALL = b"a b,c\n1\n2\n"


@pytest.fixture(scope="module")
def warm() -> None:
    """Import every utility, so that no child pays for imports, and find out how fast the machine is."""
    from tests.sandbox.measured import reference_seconds

    for module in pkgutil.walk_packages(sandhook.__path__, "sandhook."):
        if module.name.startswith(("sandhook.utilities", "sandhook.formats", "sandhook.pattern")):
            importlib.import_module(module.name)
    Shell().run("echo aa | grep -P '(a)\\1'; [[ a =~ a ]]")
    BEST[0] = min(BEST[0], *(reference_seconds() for _ in range(5)))


def files_for(script: str, data: bytes) -> dict[str, bytes]:
    """Return the files of a script: ``f`` is large, and so are ``g`` and ``h`` for one that compares."""
    if needs_another_input(script):
        half = data[: len(data) // 2]
        return {"f": half, "g": half, "h": half[:-3] + b"zz\n", "small": SMALL}
    return {"f": data, "g": b"", "h": b"", "small": SMALL}


SEED = os.environ.get("SANDHOOK_SEED", "1")
ALL = os.environ.get("SANDHOOK_ALL", "") not in ("", "0")


def combinations() -> list[tuple[str, str, int]]:
    """Return scripts with the shape and the size of their input: the full size for one of a script, any for others."""
    chosen = []
    for script in uses():
        random = Random(f"{SEED} {script}")
        shapes = random.sample(sorted(SHAPES), len(SHAPES) if ALL else 2)
        chosen += [(script, shape, random.randrange(SIZE) if at else SIZE) for at, shape in enumerate(shapes)]
    return chosen


def test_the_sample_has_each_utility_on_two_inputs_of_two_sizes() -> None:
    inputs: dict[str, set[tuple[str, int]]] = {}
    for script, shape, size in combinations():
        inputs.setdefault(script, set()).add((shape, size))
    assert set(inputs) == set(uses())
    assert all(len(each) >= 2 and len({size for _, size in each}) >= 2 for each in inputs.values())


def slowness(reference: float) -> float:
    """Return how much slower the machine is than at its best, at most three times."""
    BEST[0] = min(BEST[0], reference)
    return min(3.0, reference / BEST[0])


def check(script: str, shape: str, size: int) -> None:
    """Measure a run, and again if it is too slow."""
    from tests.sandbox.measured import measure

    text = f"{script} > /dev/null"
    if "$x" in script:
        text = f'x=$(tr -d "\\0" < f); {text}'
    files = files_for(script, SHAPES[shape](size))
    for attempt in range(1, ATTEMPTS + 1):
        measured = measure(text, files, b"", LIMITS)
        assert measured.defect is None, measured
        assert measured.memory < MEMORY, measured
        assert measured.own_error == "", measured
        slower = slowness(measured.reference)
        late = measured.seconds - LIMITS.wall_seconds
        if late < MARGIN * slower and measured.gap < GAP * slower and not measured.interrupted:
            return
        assert attempt < ATTEMPTS, measured


#: One of each cause that was found: a list of all bytes, a parser without charges, a stack of a regular
#: expression, a pattern of our own with a large stack, an unbounded number of fields, one sort of all lines.
SAMPLE = [
    ("cat -A f", "one line"),
    ("sed -n l f", "binary"),
    ("fold -w 1 f", "one line"),
    ("awk '{ n = split($0, a, \"\") } END { print n }' f", "one line"),
    ("awk -v FPAT=. '{ print NF }' f", "one line"),
    ("awk -f f small", "one line"),
    ("awk '{ for (i = 0; i < 1000; i++) y = toupper($0) }' f", "one line"),
    ("sed -f f small", "different lines"),
    ("sed s/b/n/400000 f", "one line"),
    ("bc f", "digits"),
    ("bc f", "one line"),
    ("column -t -s , f", "one line"),
    ("csvjson f", "one line"),
    ("find . -printf \"$x\"", "one line"),
    ("grep -P '(?R)' f", "lines"),
    ("grep -P '((?1)a|a)' f", "lines"),
    ("grep -P '(a+)+$' f", "one line"),
    ("sort -V f", "different lines"),
    ("sort -R f", "different lines"),
    ("basenc --z85 f", "one line"),
    # A loop over a name, a bracket expression or a line; many patterns; a split, substitution or list of everything.
    ("wc --files0-from=f", "binary"),
    ("tar -c -X f small", "brackets"),
    ("tar -c -X f small", "different lines"),
    ("xargs -L 1 echo < f", "zeros"),
    ("csvjson f", "different lines"),
    ("csvgrep -c 1 -m a f", "empty lines"),
    ("rg -o . f", "binary"),
    ("rg -f f small", "different lines"),
    ("unix2mac -n f new", "empty lines"),
    ("expand -t 1000 f", "one line"),
    ("diff -w f h", "one line"),
    ("openssl base64 -d -A -in f", "one line"),
    ("xxd -r -p f", "digits"),
    ("yq -p ini . f", "different lines"),
]  # fmt: skip


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize(("script", "shape"), every(15, SAMPLE))
def test_a_sample_of_utilities_is_back_in_time(script: str, shape: str) -> None:
    check(script, shape, SIZE)


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize(("script", "shape", "size"), combinations())
def test_every_utility_is_back_in_time(script: str, shape: str, size: int) -> None:
    check(script, shape, size)


# --------------------------------------------------------------------------- what is charged, on every system


@cache
def compressed() -> dict[str, bytes]:
    return {
        "zeros": lzma.compress(bytes(8_000_000)),
        "bits": lzma.compress(bytes(500_000)),
        "bits.bz2": bz2.compress(bytes(500_000)),
        "bits.gz": gzip.compress(bytes(500_000)),
    }


@pytest.mark.parametrize(
    ("script", "limit"),
    [
        ("awk -f large small", "script_bytes"),
        ("sed -f large small", "script_bytes"),
        ("jq -f large small", "script_bytes"),
        ('x=$(< large); find . -printf "$x"', "script_bytes"),
        ('x=$(< large); grep -e "$x" small', "script_bytes"),
        ("awk '{ split($0, a, \"\") }' fields", "memory_bytes"),
        ("awk '{ print NF }' fields", "memory_bytes"),
        ("awk -F, '{ print NF }' fields", None),
        ("awk -v FPAT=a '{ print NF }' fields", "memory_bytes"),
        ("column -t fields", "memory_bytes"),
        ("grep -P '(?R)' small", "memory_bytes"),
        ("xz -9c fields", "memory_bytes"),
        ("xz -0c small", "memory_bytes"),
        ("bzip2 -c fields", None),
        ("tar -cJ fields", "memory_bytes"),
        ("for i in 1 2 3 4 5; do (gzip -c; sleep 9) < small | (sleep 5; cat) & done; wait", None),
        ("grep -P '((?1)a|a)' small", "memory_bytes"),
        ("xz -dc zeros > /dev/null", "memory_bytes"),
        ("xzcat bits | head -c 9", None),
        ("for i in 1 2 3 4 5; do xz -dc bits; done > /dev/null", None),
        ("bzip2 -dc bits.bz2", "memory_bytes"),
        ("tar -xJf zeros", "memory_bytes"),
        ("for i in {1..200}; do gzip -dc bits.gz; done > /dev/null", None),
    ],
)
def test_what_does_not_fit_ends_the_run(script: str, limit: str | None) -> None:
    files = {
        "large": b"a " * 6_000,
        "fields": b"a " * 60_000,
        "small": SMALL,
        **compressed(),
    }
    limits = Limits(script_bytes=10_000, memory_bytes=1 << 20, wall_seconds=30.0)
    result = Shell(files=files).run(script, limits=limits)
    assert (result.limit, result.defect) == (limit, None), result.stderr[:300]


@pytest.mark.parametrize(
    ("script", "steps"),
    [
        ("sed -n l f", 3_000),
        ("sed -f commands small", 200_000),
        ("sed y/a/é/ f", 200),
        ("sed s/b/n/40000 f", 3_000),
        ("cat -v f", 700),
        ("fold -w 1 f", 20_000),
        ("bc f", 100_000),
        ("awk -f terms", 100_000),
        ("awk '{ for (i = 0; i < 100; i++) y = toupper($0) }' f", 10_000),
        ("awk '{ for (i = 0; i < 100; i++) y = index($0, \"z\") }' f", 10_000),
        ("basenc --z85 f", 10_000),
    ],
)
def test_work_is_charged_by_what_it_touches(script: str, steps: int) -> None:
    files = {
        "f": SHAPES["one line"](200_000),
        "commands": b"s/a/b/\n" * 5_000,
        "terms": b"BEGIN { x = " + b"a " * 20_000 + b"}",
        "small": SMALL,
    }
    shell = Shell(files=files)
    roomy = Limits(wall_seconds=60.0, output_bytes=8 << 20)
    assert shell.run(script, limits=roomy).limit is None
    assert shell.run(script, limits=roomy.with_(steps=steps)).limit == "steps"


@pytest.mark.parametrize(
    "script",
    [
        "awk '{ n += NF } END { print n }' f",
        "awk -F'[,;]+' '{ n += NF } END { print n }' f",
        "awk -v FPAT='[^,]+' '{ n += NF } END { print n }' f",
        "awk '{ n += split($0, a, /,+/) } END { print n }' f",
        "awk '{ n += patsplit($0, a, /[a-z]+/) } END { print n }' f",
        "sed -E 's/b+/x/2; l' f",
        "sort -V f",
        "cat -A f",
        "fold -w 20 f",
    ],
)
def test_ordinary_lines_cost_some_steps_each(script: str) -> None:
    """The harmless neighbours: 20,000 lines need 40 steps a line at most."""
    shell = Shell(files={"f": b"a,b;c d\n" * 20_000 + b"x " * 100 + b"\n"})
    result = shell.run(f"{script} > /dev/null", limits=Limits(steps=800_000, wall_seconds=60.0))
    assert (result.limit, result.exit_status) == (None, 0), result.stderr


def test_long_lines_read_as_short_ones() -> None:
    """What is cut into pieces has no seams."""
    data = b"ab \tc\r\x01\xc3\xa9," * 30_000
    files = {"long": data + b"\n", "short": data.replace(b",", b",\n")}
    blanks = data.replace(b"\r", b"")
    shell = Shell(files={**files, "blanks": blanks}, limits=Limits.generous())
    for command in (
        "cat -A",
        "sed -n 'l 0'",
        "sed y/aé/éa/",
        "fold -b -w 999999",
        "awk '{ print toupper($0) }'",
    ):
        whole, lines = (shell.run(f"{command} {name}").stdout_bytes for name in files)
        marks = b"$" if b"$" in lines[-3:] else b""
        assert whole.replace(b"\n", b"") == lines.replace(marks + b"\n", b"") + marks, command
    for width in (1, 3, 7, 65_535, 65_537):
        folded = shell.run(f"fold -b -w {width} long").stdout_bytes
        expected = b"\n".join(data[at : at + width] for at in range(0, len(data), width))
        assert folded == expected + b"\n", width
    assert shell.run("awk '{ print NF, $1, $NF }' blanks").stdout.split() == ["30001", "ab", "c\x01é,"]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("function", [None, lambda line: line[:1], len, numeric])
def test_runs_are_sorted_as_a_whole(function: Callable[[bytes], object] | None, reverse: bool) -> None:
    charges: list[int] = []
    lines = [b"%d" % (n * 7919 % 100_003) for n in range(100_003)]
    expected = sorted(lines, key=function, reverse=reverse)  # type: ignore[type-var, arg-type]
    assert sort_lines(list(lines), function, reverse, charges.append) == expected
    assert sum(charges) > len(lines) >> 3

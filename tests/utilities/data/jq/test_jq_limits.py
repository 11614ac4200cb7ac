"""Programs that never end, or want everything: each ends as a limit, and the next call works."""

from __future__ import annotations

import time

import pytest

from sandhook.errors import LimitExceeded
from sandhook.limits import Limits
from tests.sandbox.tools import every

pytestmark = pytest.mark.usefixtures("way")


def limit_of(sandbox, *argv: str, stdin: bytes = b"", **limits: float) -> str:
    """Run jq under small limits and return the name of the one that ended it."""
    return limit_and_seconds(sandbox, *argv, stdin=stdin, **limits)[0]


def limit_and_seconds(sandbox, *argv: str, stdin: bytes = b"", **limits: float) -> tuple[str, float]:
    """Return the time until then, too, without that of the next worker to start."""
    sandbox.limits = Limits().with_(**limits)
    began = time.monotonic()
    with pytest.raises(LimitExceeded) as caught:
        sandbox.run("jq", *argv, stdin=stdin)
    seconds = time.monotonic() - began
    sandbox.limits = Limits().with_(wall_seconds=60.0)
    assert sandbox.run("jq", "-n", "1 + 1") == (0, b"2\n", b"")
    return caught.value.limit, seconds


@pytest.mark.parametrize(
    "program",
    every(
        2, ["def f: f; f", "[range(1e9)]", "until(false; .)", "try (def f: f; f) catch 1", "last(range(1e9))"]
    ),
)
def test_the_deadline_ends_a_program(sandbox, program):
    limit, seconds = limit_and_seconds(sandbox, "-n", program, wall_seconds=0.3)
    assert (limit, seconds < 30) == ("wall_seconds", True), seconds


@pytest.mark.parametrize("program", ["range(1e9)", "repeat(1)", '"x" * 100000', '"\\(range(1e9))"'])
def test_output_is_limited_while_it_is_made(sandbox, program):
    assert limit_of(sandbox, "-n", program) == "output_bytes"


def test_output_just_below_its_limit_passes(sandbox):
    sandbox.limits = Limits()
    status, out, _ = sandbox.run("jq", "-n", '"x" * 65000')
    assert (status, len(out)) == (0, 65_003)


@pytest.mark.parametrize(
    ("program", "data"),
    every(
        2,
        [
            ('"x" * 1e9 | length', b""),
            ("def f(x): f(x + 1); f(1)", b""),
            (".", b"[" * 2_500 + b"]" * 2_500),
            ("reduce range(60) as $i ([1]; . + .) | length", b""),
        ],
    ),
)
def test_memory_is_limited(sandbox, program, data):
    argv = [program] if data else ["-n", program]
    assert limit_of(sandbox, *argv, stdin=data) in ("memory_bytes", "output_bytes", "wall_seconds")


def test_deep_and_long_programs_are_no_danger(sandbox):
    assert sandbox.run("jq", "-n", "+".join(["1"] * 5_000)) == (0, b"5000\n", b"")
    assert sandbox.run("jq", "-n", "(" * 3_000 + "1" + ")" * 3_000) == (0, b"1\n", b"")
    status, _, err = sandbox.run("jq", "-n", "[" * 20_000 + "]" * 20_000)
    assert status == 3
    assert b"compile error" in err


def test_a_deep_value_is_read_and_a_deeper_one_is_an_error(sandbox):
    deep = b"[" * 1_000 + b"]" * 1_000
    assert sandbox.run("jq", "-c", ".", stdin=deep) == (0, deep + b"\n", b"")
    status, out, err = sandbox.run("jq", ".", stdin=b"[" * 20_000 + b"]" * 20_000)
    assert (status, out) == (5, b"")
    assert b"Exceeds depth limit for parsing" in err


def test_a_regular_expression_ends_with_the_deadline_at_the_latest(sandbox):
    sandbox.limits = Limits(wall_seconds=1.0)
    began = time.monotonic()
    try:
        sandbox.run("jq", "-n", '"a" * 30 | test("^(a+)+$b")')
    except LimitExceeded as error:
        assert error.limit == "wall_seconds"
    assert time.monotonic() - began < 30

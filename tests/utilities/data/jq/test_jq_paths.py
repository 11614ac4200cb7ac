"""jq programs that are plain paths, which need no worker: libjq in a worker is the oracle."""

from __future__ import annotations

import random

import pytest

from sandhook.utilities.data.jq import paths
from sandhook.worker import client
from tests.utilities.conftest import Sandbox

pytestmark = pytest.mark.skipif(not client.NATIVE, reason="libjq's own functions are the oracle")

NAMES = ["a", "a", "tool_input", "command", "end"]
STRINGS = [
    "", "x", "two words", "é", "\U0001f600", "\\ud83d\\ude00", "\\ud800", "\\u0000", "\\n", "\\u007f", "\\\"", "<&>'", "\x7f",
    "\ufeff", "\uffff", "\\/", "tab\\t",
]  # fmt: skip
NUMBERS = [
    "0", "-0", "1", "-7", "42", "1.0", "1.5", "1e3", "1E400", "100000000000000000000", "999999999999999", "-0.0", "0.1",
    "12345678901234567890.5", "1e-7", "3.0e2", "01", "1.", "-", "+1", "nan", "NaN", "Infinity",
]  # fmt: skip
BROKEN = [
    "", " ", "{", "[1,", "{'a':1}", '{"a" 1}', "{} {}", "1 2", "nul", '"a', "\ufeff{}", '{"a":1}}', "[1]x", '{"a":"\x01"}',
    '{"a":1,}', "# c", "\x1e{}",
]  # fmt: skip


class Cases:
    """Random programs, inputs and options of the subset, and of its neighbours."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, depth: int) -> str:
        kind = self.random.random()
        if depth > 0 and (kind < 0.6 or depth == 3):
            names = self.random.choices(NAMES, k=self.random.randint(1, 4))  # also the same twice
            return "{" + ",".join(f'"{name}": {self.value(depth - 1)}' for name in names) + "}"
        if depth > 0 and kind < 0.7:
            return "[" + ", ".join(self.value(depth - 1) for _ in range(self.random.randint(0, 3))) + "]"
        if kind < 0.85:
            return f'"{self.random.choice(STRINGS)}"'
        return self.random.choice([*NUMBERS[:12], "null", "true", "false", self.random.choice(NUMBERS)])

    def program(self) -> str:
        pick = self.random.choice
        steps = []
        for at in range(self.random.choice([1, 1, 1, 2, 2, 3])):
            name = pick(NAMES)
            index = f"[{self.random.randint(-3, 3)}]"
            step = pick(
                [f".{name}"] * 6
                + [f'.["{name}"]', f".{index}", f'["{name}"]', index, f'."{name}"', f". {name}"]
            )
            steps.append(("." if not at and step[0] == "[" else "") + step + pick(["", "", "", "?"]))
        end = pick(
            [""] * 3
            + [
                " // empty",
                "//empty",
                ' // "none"',
                " // null",
                " // false",
                " // true",
                ' // "a\\nb"',
                " | .",
            ]
        )
        return pick(["", "", " "]) + "".join(steps) + end + pick(["", "", "\n"])

    def command(self) -> tuple[list[str], bytes]:
        options = self.random.choice(
            [
                [],
                ["-r"],
                ["-r"],
                ["-e"],
                ["-re"],
                ["-c"],
                ["-c"],
                ["-cr"],
                ["-cS"],
                ["-rS"],
                ["-r", "--arg", "n", "v"],
                ["-a"],
                ["-j"],
                ["--tab"],
            ]
        )
        text = (
            self.value(self.random.choice([1, 2, 3, 3]))
            if self.random.random() < 0.93
            else self.random.choice(BROKEN)
        )
        data = text.encode("utf-8") + self.random.choice([b"\n", b"", b" \n\n"])
        return [*options, self.program()], data if self.random.random() < 0.98 else data + b"\xff"


def compare(seed: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Compare both ways for one command line; return True when it needed no worker."""
    arguments, data = Cases(seed).command()
    answers: list[paths.Answer | None] = []
    plain = paths.answer

    def counting_answer(*args: object, **options: bool) -> paths.Answer | None:
        answers.append(plain(*args, **options))  # type: ignore[arg-type]
        return answers[-1]

    with monkeypatch.context() as patch:
        patch.setattr(paths, "answer", counting_answer)
        result = Sandbox().run("jq", *arguments, stdin=data)
        if not answers or answers[0] is None:
            return False
        patch.setattr(paths, "plain_path", lambda command: None)
        expected = Sandbox().run("jq", *arguments, stdin=data)
    assert result == expected, f"seed {seed}: {arguments} for {data!r}"
    return True


def test_random_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(compare(seed, monkeypatch) for seed in range(300)) > 30


@pytest.mark.slow
def test_many_random_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(compare(seed, monkeypatch) for seed in range(10_000, 110_000)) > 12_000


@pytest.mark.parametrize(
    ("arguments", "data", "expected"),
    [
        (["-r", ".tool_input.command // empty"], b'{"tool_input":{"command":"ls -l"}}', (0, b"ls -l\n", b"")),
        (["-r", ".a // empty"], b"{}", (0, b"", b"")),
        (["-e", ".a // empty"], b"{}", (4, b"", b"")),
        (["-e", ".a"], b'{"a":false}', (1, b"false\n", b"")),
        (["-r", ".a[-1].b"], b'{"a":[1,{"b":"x"}]}', (0, b"x\n", b"")),
        ([".a?"], b"[]", (0, b"", b"")),
        (["-r", '.a? // "none"'], b"[]", (0, b"none\n", b"")),
        (["-r", ".a"], b"", (0, b"", b"")),
        (["-c", ".a"], b'{"a": {"y": [1, "t", {}], "x": null, "y": []}}', (0, b'{"y":[],"x":null}\n', b"")),
        (["-c", ".a"], b'{"a":' + b"[" * 32 + b"]" * 32 + b"}", (0, b"[" * 32 + b"]" * 32 + b"\n", b"")),
        (["-e", '.a // "none"'], b" \t\r\n", (4, b"", b"")),
    ],
)
def test_no_worker_is_needed(
    arguments: list[str], data: bytes, expected: tuple[int, bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client.POOL, "call", None)
    assert Sandbox().run("jq", *arguments, stdin=data) == expected


@pytest.mark.parametrize(
    ("arguments", "data", "expected"),
    [
        ([".a"], b'{"a":1.0}', (0, b"1.0\n", b"")),
        ([".a"], b'{"a":100000000000000000000}', (0, b"100000000000000000000\n", b"")),
        ([".a"], b'{"a":{"b":1}}', (0, b'{\n  "b": 1\n}\n', b"")),
        (["-cS", ".a"], b'{"a":{"c":1,"b":2}}', (0, b'{"b":2,"c":1}\n', b"")),
        (["-c", ".a"], b'{"a":[1.0,"\xc3\xa9"]}', (0, b'[1.0,"\xc3\xa9"]\n', b"")),
        (["-c", ".a"], b'{"a":' + b"[" * 900 + b"]" * 900 + b"}", (0, b"[" * 900 + b"]" * 900 + b"\n", b"")),
        ([".a"], b"[]", (5, b"", b'jq: error (at <stdin>:0): Cannot index array with string ("a")\n')),
        ([".a"], b'{"a":1} {"a":2}', (0, b"1\n2\n", b"")),
    ],
)
def test_what_is_left_to_the_worker(
    arguments: list[str], data: bytes, expected: tuple[int, bytes, bytes]
) -> None:
    assert Sandbox().run("jq", *arguments, stdin=data) == expected


def test_a_large_input_is_left_to_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "answer", None)
    data = b'{"a":"' + b"x" * paths.MAX_INPUT + b'"}'
    assert Sandbox().run("jq", "-r", ".a", stdin=data)[:2] == (0, b"x" * paths.MAX_INPUT + b"\n")

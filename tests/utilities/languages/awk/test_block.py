"""awk's rules over blocks of records: the ordinary path is the oracle, for random programs of the subset."""

from __future__ import annotations

import random

import pytest

from sandhook.utilities.languages.awk import machine
from sandhook.utilities.languages.awk.block import Plan
from tests.utilities.conftest import Sandbox

FIELDS = ["$1", "$2", "$3", "$7", "$0", "$NF"]
CELLS = [
    "0", "1", "2", "17", "-4", "+5", ".5", "5.", "1e2", "007", "3x", "0x10", "1_0", "inf", "nan", "-nan", "abc", "ab",
    "é", "10", "9", "1e400", "123456789012345678", "0.1", "-0", "", "a,b",
]  # fmt: skip
SUFFIXES = (
    "",
    "END { print s, t, u, x, y, NR, NF, $0; for (k in n) print k, n[k]; for (k in m) print k, m[k]; print length(seen) }",
)


class Programs:
    """Builds random programs: expressions without effects, and updates of each variable in one place."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.targets = ["s", "t", "u", "x", "y"]
        self.arrays = ["n", "m", "seen"]

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.3:
            return self.pick(*FIELDS, "1", "2", "0.5", "10", "NR", "FNR", "NF", "c", "length($2)", "unset")
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"{a} * {b}", f"({a} / {b})", f"({a} % {b})", f"({a} ^ 2)", f"-{a}",
            f"int({a})", f"({self.test(depth - 1)} ? {a} : {b})", f"index({self.text(depth - 1)}, \"b\")",
        )  # fmt: skip

    def text(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.4:
            return self.pick(*FIELDS, '"abc"', '""', "FILENAME", "c", "v")
        return self.pick(
            f"({self.text(depth - 1)} {self.number(depth - 1)})",
            f'({self.text(depth - 1)} "-" {self.text(depth - 1)})',
            f"substr({self.text(depth - 1)}, {self.number(depth - 1)}, 2)",
            f"toupper({self.text(depth - 1)})",
            f"({self.number(depth - 1)})",
        )

    def test(self, depth: int) -> str:
        relation = self.pick("<", "<=", "==", "!=", ">", ">=")
        operands = [self.pick(self.number(depth - 1), self.text(depth - 1)) for _ in range(2)]
        simple = [
            f"({operands[0]} {relation} {operands[1]})", f"({self.pick(*FIELDS)} {relation} 5)",
            f'({self.pick(*FIELDS)} {relation} "ab")', "/1/", "/^a|b$/", "$2 ~ /[0-9]+/", "$1 !~ /a/",
            f"({self.number(depth - 1)})", "($1 in given)", "$3",
        ]  # fmt: skip
        if depth > 0 and self.random.random() < 0.3:
            a, b = self.test(depth - 1), self.test(depth - 1)
            return self.pick(f"({a} && {b})", f"({a} || {b})", f"!{a}")
        return self.random.choice(simple)

    def statement(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.35 and self.targets:
            name = self.targets.pop()
            return self.pick(
                f"{name} += {self.number(2)}", f"{name}++", f"--{name}", f"{name} -= {self.number(1)}",
                f"{name} = {self.text(2)}", f"{name} *= {self.number(1)}", f"{name} = {self.number(1)}",
            )  # fmt: skip
        if kind < 0.55 and self.arrays:
            name = self.arrays.pop()
            key = self.pick("$1", "$2, $1", self.text(1), self.number(1))
            return self.pick(f"{name}[{key}]++", f"{name}[{key}] += {self.number(1)}", f"{name}[{key}]--")
        if kind < 0.7 and depth > 0:
            rest = f" else {{ {self.statement(depth - 1)} }}" if self.random.random() < 0.4 else ""
            return f"if ({self.test(1)}) {{ {self.statement(depth - 1)} }}{rest}"
        if kind < 0.76:
            return f"if ({self.test(1)}) next"
        if kind < 0.79:
            what = self.pick(
                '/a/, "b"', '/1/, ""', '/ab/, "1 2"', '/2/, "22"', '/[0-9]/, "x"', '/a/, "&&"', "/,/, c"
            )
            return self.pick(f"sub({what})", f"gsub({what})", f"gsub({what}, $0)", f"sub({what}, $2)")
        if kind < 0.84:
            return f'printf "%s|%5.1f|%d\\n", {self.text(1)}, {self.number(1)}, {self.number(1)}'
        return "print " + ", ".join(
            self.pick(self.text(1), self.number(1)) for _ in range(self.random.randint(1, 3))
        )

    def rule(self) -> str:
        action = "{ " + "; ".join(self.statement(2) for _ in range(self.random.randint(1, 3))) + " }"
        kind = self.random.random()
        if kind < 0.3:
            return action
        if kind < 0.4:
            return f"{self.test(1)}, {self.test(1)} {action}"
        if kind < 0.5 and "seen" in self.arrays:
            self.arrays.remove("seen")
            return f"!seen[{self.pick('$1', '$0', '$2, $3')}]++"
        if kind < 0.6:
            return self.test(2)
        return f"{self.test(2)} {action}"

    def program(self) -> str:
        rules = " ".join(self.rule() + "\n" for _ in range(self.random.randint(1, 3)))
        begin = self.pick(
            "", "", 'BEGIN { FS = "," }', 'BEGIN { OFS = "-"; ORS = "|\\n" }', 'BEGIN { OFMT = CONVFMT = "%.2f" }',
            "BEGIN { NR = 5; s = 3 }", 'BEGIN { given["1"]; n["1"] = "2x"; x = "text"; seen["ab"] = 1 }',
            "BEGIN { getline; seen[$1] }", 'BEGIN { FS = "[0-9]" }', "BEGIN { t = -0; u = 0.1 }", 'BEGIN { RS = "b" }',
        )  # fmt: skip
        return f"{begin}\n{rules}\n{self.random.choice(SUFFIXES)}"

    def records(self) -> str:
        """Return lines of which most have three fields, and in half of the inputs only plain numbers."""
        cells = self.random.choice([CELLS, CELLS[:9], ["1", "2", "3", "40"]])
        separator = self.pick(" ", " ", ",", "\t", "  ")
        lines = [
            separator.join(self.random.choices(cells, k=self.random.choice([0, 1, 2, 3, 3, 3, 3, 8])))
            for _ in range(self.random.randint(1, 24))
        ]
        return "\n".join(lines) + self.pick("\n", "\n", "")


def run(program: str, text: str) -> tuple[int, bytes, bytes]:
    return Sandbox().run("awk", "-v", "c=3", "-v", "v=x y", program, "f", files={"f": text})


def compare(seed: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Compare both paths for one random program; return True when it was run by columns."""
    programs = Programs(seed)
    program, text = programs.program(), programs.records()
    ran: list[bool] = []
    plan_run = Plan.run

    def counting_run(self: Plan, rt: machine.Runtime, records: list[str]) -> bool:
        ran.append(plan_run(self, rt, records))
        return ran[-1]

    with monkeypatch.context() as patch:
        patch.setattr(machine, "_WORTH_PLANNING", 1 << 30)
        ordinary = run(program, text)
        patch.setattr(machine, "_WORTH_PLANNING", 1)
        patch.setattr(machine, "_BLOCK", programs.random.choice([1, 3, 7, 2_048]))
        patch.setattr(Plan, "run", counting_run)
        assert run(program, text) == ordinary, f"seed {seed}: {program!r} for {text!r}"
    return True in ran


@pytest.mark.parametrize(
    ("program", "by_columns"),
    [
        ('{ n[$1]++; sub(/word/, ""); s += $1 } END { print s, length(n), $0, NF }', True),
        ('{ sub(/word/, "a b"); print $2, NF; gsub(/b/, ""); print; m[$1]++ } END { print $0 == 3 }', True),
        ('{ gsub(/o/, "0"); if ($2 > 1) print $1 } END { print ($0 == "w0rd3 3") }', True),
        ('{ sub(/word/, "") } $0 > 2', False),  # a record that is changed is a string
        ('$2 > 1 { sub(/word/, "") } { print }', False),
        ('{ print (sub(/word/, "")) }', False),
        ('{ sub(/w.rd/, ""); print }', False),
        ('{ sub(/word/, "&&"); print }', False),
        ('{ sub(/word/, "", $2); print }', False),
    ],
)
def test_substitutions(program: str, by_columns: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "word1\nword2 2\n\nword3 3\n"
    ran: list[bool] = []
    plan_run = Plan.run
    with monkeypatch.context() as patch:
        patch.setattr(machine, "_WORTH_PLANNING", 1 << 30)
        ordinary = run(program, text)
        patch.setattr(machine, "_WORTH_PLANNING", 1)
        patch.setattr(
            Plan, "run", lambda self, rt, records: ran.append(plan_run(self, rt, records)) or ran[-1]
        )
        assert run(program, text) == ordinary
    assert (True in ran) is by_columns


def test_random_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    by_columns = sum(compare(seed, monkeypatch) for seed in range(250))
    assert by_columns > 75  # else the test compares the ordinary path with itself


@pytest.mark.slow
def test_many_random_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(compare(seed, monkeypatch) for seed in range(1_000, 31_000)) > 9_000

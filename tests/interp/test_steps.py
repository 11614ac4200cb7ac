"""Steps: what each command did. Scripts see no difference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandhook import Limits, Shell
from sandhook.conformance.report import to_text
from sandhook.conformance.suite import Selection, run
from sandhook.conformance.workers import Sandhook
from sandhook.interp.steps import MOST_STEPS, MOST_TEXT, Step, Steps
from tests.conformance.test_cases import FILES, ROOT, load
from tests.sandbox.tools import every

GUARD = """\
input=$(cat)
command=$(echo "$input" | jq -r .tool_input.command)
check() {
  case $1 in
    *rm*) echo "no: $1" >&2; return 1 ;;
  esac
}
if ! check "$command"; then
  exit 2
fi
"""


def observe(script: str, **arguments: Any) -> tuple[Step, ...]:
    steps = Steps()
    Shell(files={"f": "a\nb\n"}).run(script, steps=steps, **arguments)
    return steps.steps


def test_a_guard() -> None:
    found = observe(GUARD, stdin='{"tool_input":{"command":"rm -rf /"}}')
    assert [(step.line, step.function, step.text, step.status) for step in found] == [
        (1, "", "input=$(cat)", 0),
        (1, "", "cat", 0),
        (2, "", 'command=$(echo "$input" | jq -r .tool_input.command)', 0),
        (2, "", 'echo "$input"', 0),
        (2, "", "jq -r .tool_input.command", 0),
        (8, "", 'check "$command"', 1),
        (4, "check", "case $1 in ", None),
        (5, "check", 'echo "no: $1" 1>&2', 0),
        (5, "check", "return 1", 1),
        (9, "", "exit 2", 2),
    ]
    assert found[2].variables == (("command", "rm -rf /"),)
    assert found[3].piped == b'{"tool_input":{"command":"rm -rf /"}}\n'
    assert found[5].words == ("check", "rm -rf /")
    assert (found[7].output, found[7].errors) == (b"", b"no: rm -rf /\n")
    assert len({found[index].process for index in (0, 1, 3, 4)}) == 4


def test_the_texts_that_steps_are_lines_of() -> None:
    """A script that another shell runs counts its own lines, and so does the text of ``bash -c``."""
    steps = Steps()
    files = {"a.sh": "#!/bin/bash\n. ./b.sh\n(bash -c 'echo z')\n", "b.sh": "\necho b\n"}
    Shell(files=files).run("bash a.sh\n(./a.sh | cat)", steps=steps)
    script = [(2, ". ./b.sh"), (3, "bash -c 'echo z'")]
    expected = {
        ("main", 1, "bash a.sh"),
        ("main", 2, "./a.sh"),
        ("main", 2, "cat"),
        *((name, line, text) for name in ("a.sh", "./a.sh") for line, text in script),
        ("./b.sh", 2, "echo b"),
        ("-c", 1, "echo z"),
    }
    assert {(step.source, step.line, step.text) for step in steps.steps} == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("false; :", [("false", 1), (":", 0)]),
        ("! true; :", [("true", 0), (":", 0)]),
        ("if false; then :; fi; :", [("false", 1), (":", 0)]),
        ("false || true", [("false", 1), ("true", 0)]),
        ("for x in a; do false; done; :", [("for x in a", None), ("false", 1), (":", 0)]),
        ("x=$(false)", [("x=$(false)", 1), ("false", 1)]),
        ("(exit 3); :", [("exit 3", 3), (":", 0)]),
        ("eval 'false'", [("eval 'false'", 1), ("false", 1)]),
        ("[[ a == b ]]; ((0)); :", [("[[ a == b ]]", 1), ("((0))", 1), (":", 0)]),
        ("f() { g; false; }; g() { return 7; }; f", [("f", 1), ("g", 7), ("return 7", 7), ("false", 1)]),
        ("nothing", [("nothing", 127)]),
        ("set -e; false; :", [("set -e", 0), ("false", 1)]),
        ("exit 4", [("exit 4", 4)]),
        ("false | true", [("false", 1), ("true", 0)]),
        ("trap 'false; true' EXIT; exit 3", [("trap 'false; true' EXIT", 0), ("exit 3", 3)]),
        ("bash -c 'false; exit 5'", [("bash -c 'false; exit 5'", 5), ("false", 1), ("exit 5", 5)]),
        ("echo a > f; cat < f", [("echo a > f", 0), ("cat < f", 0)]),
    ],
)
def test_statuses(script: str, expected: list[tuple[str, int | None]]) -> None:
    assert [(step.text, step.status) for step in observe(script)] == expected


def test_a_limit_ends_without_a_status() -> None:
    (step,) = observe("sleep 100", limits=Limits(wall_seconds=1.0))
    assert step.status in (None, 124, 137)
    steps = observe("while :; do :; done", limits=Limits(steps=50_000))
    assert steps[-1].text == ":"


def test_a_signal() -> None:
    step = observe("(kill -TERM $BASHPID)")[0]
    assert (step.status, step.signal) == (143, "TERM")


def test_variables() -> None:
    script = "x=1; x=1; x=2; unset x; a=(p q); a[1]=r; declare -A m=([k]=v); read -r y < f; local_of() { local z=1; }; local_of"
    found = [step.variables for step in observe(script)]
    assert found[:6] == [
        (("x", "1"),),
        (),
        (("x", "2"),),
        (("x", None),),
        (("a", '([0]="p" [1]="q")'),),
        (("a", '([0]="p" [1]="r")'),),
    ]
    assert found[6:8] == [(("m", '([k]="v" )'),), (("y", "a"),)]


def test_bounds() -> None:
    steps = Steps()
    Shell().run(
        f'printf -v x %{MOST_TEXT * 3}s; echo "$x"; for ((i = 0; i < {MOST_STEPS}; i++)); do :; done',
        steps=steps,
    )
    found = steps.steps
    assert len(found) == MOST_STEPS
    assert steps.dropped > 0
    assert len(found[0].variables[0][1] or "") <= MOST_TEXT + 3
    assert len(found[1].output) == MOST_TEXT


def test_callbacks_receive_the_output_as_well() -> None:
    pieces: list[bytes] = []
    steps = Steps()
    Shell().run("echo a", stdout=pieces.append, steps=steps)
    assert (b"".join(pieces), steps.steps[0].output) == (b"a\n", b"a\n")


CASES = [
    path
    for path in FILES
    if path.is_relative_to(Path(ROOT, "conformance")) and path.parts[-2] in ("bash", "posix")
]


@pytest.mark.parametrize("path", every(12, CASES))
def test_scripts_see_no_difference(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases of bash have the same results: commands that are observed take the path of traces."""
    real = Shell.run
    monkeypatch.setattr(
        Shell, "run", lambda self, script, **rest: real(self, script, **{"steps": Steps(), **rest})
    )
    file = load(path)
    reports = run([Selection(file, file.cases)], Sandhook(root=str(ROOT)))
    assert all(report.good for report in reports), f"\n{to_text(reports)}"

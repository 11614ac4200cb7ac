"""W-LOST: exit statuses that refuse and never reach the agent, and the scripts next to them that are sound."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandhook import Shell
from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.hooks.checks.losses import lost_refusals
from tests.hooks.test_checks import crush, findings

ROOT = Path(__file__).parents[2]

GUARD = "check() { case $1 in *rm*) echo no >&2; return 2;; esac; }\n"
DENY = 'deny() { echo "no: $1" >&2; exit 2; }\n'

#: A script, the line of the finding, a part of its message, and the neighbour in which nothing is found.
CASES = [
    # subshells
    ("( exit 2 ); exit 0", 1, "exit 2 ends a subshell alone, and the script goes on", "( exit 2 )"),
    ("( exit 2 )\necho done", 1, "ends a subshell alone", "( exit 2 ) || exit\necho done"),
    ("( cd / && exit 2 ); exit 0", 1, "ends a subshell alone", "set -e; ( cd / && exit 2 ); exit 0"),
    ("( ( exit 2 ) ); :", 1, "ends a subshell alone", "( ( exit 2 ) ); s=$?; exit $s"),
    ("if x; then ( exit 2 ); fi; :", 1, "ends a subshell alone", "if ( exit 2 ); then :; else exit 2; fi"),
    (DENY + "( deny x )\nexit 0", 2, "exit 2 ends a subshell alone", DENY + "( deny x )\nexit 2"),
    # pipes
    (
        "echo a |\nwhile read -r x; do\n[ $x ] && exit 2\ndone\nexit 0",
        3,
        "exit 2 ends the last part of a pipe alone, and the script goes on",
        "while read -r x; do\n[ $x ] && exit 2\ndone < <(echo a)\nexit 0",
    ),
    ("echo a | while read -r x; do exit 2; done; :", 1, "pipe", "echo a | while read -r x; do exit 2; done"),
    (
        "echo a | while read -r x; do exit 2; done; :",
        1,
        "pipe",
        "shopt -s lastpipe; echo a | while read -r x; do exit 2; done; :",
    ),
    (
        "{ echo a; exit 2; } | tee log",
        1,
        "exit 2 ends a part of a pipe alone, and the status of a pipe is that of its last command",
        "set -o pipefail; { echo a; exit 2; } | tee log",
    ),
    (
        "{ echo a; exit 2; } | tee log\nexit 0",
        1,
        "a part of a pipe",
        "{ echo a; exit 2; } | tee log\nexit ${PIPESTATUS[0]}",
    ),
    (DENY + "deny x | tee log", 2, "exit 2 ends a part of a pipe alone", DENY + "deny x > log"),
    # command substitutions
    (GUARD + "x=$(check $1)\nexit 0", 2, "check returns 2, and the script goes on", GUARD + "x=$(check $1)"),
    (
        DENY + "x=$(deny a)\nexit 0",
        2,
        "exit 2 ends a command substitution alone",
        DENY + "x=$(deny a) || exit\nexit 0",
    ),
    (
        DENY + "f() {\nlocal x=$(deny a)\n}\nset -e\nf",
        3,
        "exit 2 ends a command substitution alone, and `local` has a status of its own",
        DENY + "f() {\nlocal x\nx=$(deny a)\n}\nset -e\nf",
    ),
    (
        "set -e; export X=$(jq -r .a || exit 2)",
        1,
        "exit 2 ends a command substitution alone, and `export` has a status of its own",
        "set -e; X=$(jq -r .a || exit 2); export X",
    ),
    ("x=$(jq .a || exit 2); :", 1, "command substitution", "set -e; x=$(jq .a || exit 2); :"),
    ("echo $(exit 2)", 1, "`echo` has a status of its own", "x=$(exit 2)"),
    ("x=`exit 2`; :", 1, "command substitution", "x=`exit 2`"),
    ("cat <(exit 2)", 1, "nothing reads its status", "cat <(echo 2); exit 2"),
    # background jobs
    (GUARD + "check $1 &\nwait\nexit 0", 2, "check returns 2", GUARD + "check $1 &\nwait $!"),
    ("{ sleep 1; exit 2; } & :", 1, "ends a background job alone", "{ sleep 1; exit 2; } & wait $! || exit; :"),
    # calls
    (GUARD + "check $1\nexit 0", 2, "check returns 2, and the script goes on", GUARD + "check $1"),
    (GUARD + "check $1\nexit 0", 2, "check returns 2", GUARD + "check $1 || exit\nexit 0"),
    (GUARD + "check $1\nexit 0", 2, "check returns 2", GUARD + "check $1\nexit $?"),
    (GUARD + "check $1\nexit 0", 2, "check returns 2", GUARD + "check $1\ns=$?\n[ $s = 0 ] || exit $s"),
    (GUARD + "check $1\nexit 0", 2, "check returns 2", GUARD + "if check $1; then exit 0; fi\nexit 2"),
    (GUARD + "check $1\nexit 0", 2, "check returns 2", GUARD + "set -e\ncheck $1\nexit 0"),
    (GUARD + "set -e\nset +e\ncheck $1\nexit 0", 4, "check returns 2", GUARD + "set +e\nset -euo pipefail\ncheck $1\n:"),
    (GUARD + "check $1 && echo fine\nexit 0", 2, "check returns 2", GUARD + "check $1 && echo fine"),
    (
        GUARD + "set -e\ncheck $1 && echo fine\nexit 0",
        3,
        "check returns 2, and the script goes on",
        GUARD + "set -e\ncheck $1\necho fine\nexit 0",
    ),
    (
        GUARD + "check $1 || true",
        2,
        "check returns 2, and `|| true` replaces it",
        GUARD + "check $1 || { echo no; exit 2; }",
    ),
    (GUARD + "check $1 || exit 0", 2, "`|| exit 0` replaces it", GUARD + "check $1 || exit 2"),
    (GUARD + "if ! check $1; then :; fi", 2, "the branch for it does nothing", GUARD + "if ! check $1; then exit 2; fi"),
    (GUARD + "main() { check $1; echo; }\nmain $1", 3, "check returns 2", GUARD + "main() { echo; check $1; }\nmain $1"),
    (
        GUARD + "for x in rm b; do check $x; echo; done",
        2,
        "check returns 2",
        GUARD + "for x in rm b; do check $x || exit; echo; done",
    ),
    # traps
    ("trap 'rm -f t; exit 0' EXIT\nexit 2", 1, "the EXIT trap ends the script with status 0", "trap 'rm -f t' EXIT\nexit 2"),
    ("trap 'exit 0' 0\nexit 2", 1, "the EXIT trap", "trap 's=$?; rm -f t; exit $s' EXIT\nexit 2"),
    ("end() { rm -f t; exit 0; }\ntrap end EXIT\nexit 2", 2, "the EXIT trap", "end() { rm -f t; }\ntrap end EXIT\nexit 2"),
    ("trap 'exit 0' EXIT\nexit 2", 1, "the EXIT trap", "trap 'exit 0' INT TERM\nexit 2"),
    ("trap 'exit 0' EXIT\nexit 2", 1, "the EXIT trap", "trap 'exit 2' EXIT\nexit 0"),
]  # fmt: skip


def refuses(status: int) -> bool:
    return status == 2


@pytest.mark.parametrize(
    ("faulty", "line", "message", "sound"), CASES, ids=[str(at) for at in range(len(CASES))]
)
def test_finds_what_is_lost_and_leaves_its_neighbour_alone(
    faulty: str, line: int, message: str, sound: str
) -> None:
    found = lost_refusals(faulty, refuses)
    assert [each.line for each in found] == [line], found
    assert message in found[0].message
    assert lost_refusals(sound, refuses) == []


@pytest.mark.parametrize(
    "text",
    [
        "exit 2",
        "{ exit 2; }; :",
        "for x in a; do exit 2; done; :",
        "( exit 1 ); exit 0",
        "usage() { return 1; }; usage; exit 0",
        "f() { f; return 2; }; f",
        "unused() { return 2; }; exit 0",
        "x=$(cat); ( cd src; make ) | tee log; exit 0",
        "! ( exit 2 ) && exit 2; exit 0",
        "case $(cat) in *rm*) exit 2;; esac; exit 0",
        "coproc { exit 2; }; exit 2",
        "while ( exit 2 ); do :; done; exit 0",
        "exit 2 | cat; exit 2",
    ],
)
def test_sound_scripts_have_no_finding(text: str) -> None:
    assert lost_refusals(text, refuses) == []


@pytest.mark.parametrize(
    ("faulty", "line", "message", "sound"), CASES, ids=[str(at) for at in range(len(CASES))]
)
def test_the_shell_agrees(faulty: str, line: int, message: str, sound: str) -> None:
    """Run with what they refuse, the faulty script does not end with 2, and its neighbour does."""
    del line, message
    assert Shell().run(faulty, args=["rm"], stdin="no JSON").exit_status != 2
    assert Shell().run(sound, args=["rm"], stdin="no JSON").exit_status == 2


def test_check_reports_it_with_its_place() -> None:
    (found,) = [each for each in findings("crush", crush("( exit 2 ); exit 0")) if each.rule == "W-LOST"]
    assert found.message == "exit 2 ends a subshell alone, and the script goes on"
    assert (found.file, found.line) == ("/project/hooks.json", 1)


def test_a_script_that_another_one_calls() -> None:
    (found,) = [each for each in findings("crush", crush("./ok.sh; exit 0")) if each.rule == "W-LOST"]
    assert found.message == "./ok.sh exits with 2, and the script goes on"
    for text in (
        "./ok.sh",
        "./ok.sh || exit",
        "./ok.sh; exit $?",
        ". ./ok.sh; exit 0",
        "exec ./ok.sh; exit 0",
    ):
        assert "W-LOST" not in {each.rule for each in findings("crush", crush(text))}, text


def test_an_event_that_cannot_be_refused_has_nothing_to_lose() -> None:
    found = findings(
        "claude_code", {"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "(exit 2); :"}]}]}}
    )
    assert "W-LOST" not in {each.rule for each in found}


# --------------------------------------------------------------------------- jq before a filter


@pytest.mark.parametrize(
    ("faulty", "sound"),
    [
        ("jq -r .a | awk 'END{exit}' || exit 2", "set -o pipefail; jq -r .a | awk 'END{exit}' || exit 2"),
        ("jq -r .a | tr a b || exit 2", "jq -r .a | grep -q ok || exit 2"),
        ("x=$(jq -r .a | head -1) || exit 2; [[ $x == *rm* ]] && exit 2", "x=$(jq -r .a) || exit 2; [[ $x == *rm* ]] && exit 2"),
        ("jq -r .a | jq -r .b || exit 2", "jq -r .a | jq -er .b || exit 2"),
        ("set -e; x=$(jq -r .a | tr a b); [[ $x == *rm* ]] && exit 2", "set -eo pipefail; x=$(jq .a | tr a b || exit 2) || exit 2"),
        ("jq -r .a[] | while read -r x; do :; done || exit 2", "jq -r .a[] | grep -c . || exit 2"),
    ],
)  # fmt: skip
def test_a_filter_hides_that_jq_failed(faulty: str, sound: str) -> None:
    assert "W-JQ" in {each.rule for each in findings("crush", crush(faulty))}
    assert "W-JQ" not in {each.rule for each in findings("crush", crush(sound))}


DENY_JSON = """echo '{"decision": "deny", "reason": "no"}'"""


@pytest.mark.parametrize(
    ("faulty", "sound"),
    [
        ("jq -r .a | grep -q rm && { echo no >&2; exit 2; } || exit 0", "jq -r .a | grep -q ok || { echo no >&2; exit 2; }"),
        ("x=$(jq -r .a) || exit 0; [[ $x == *rm* ]] && exit 2", "x=$(jq -r .a) || exit 2; [[ $x == *rm* ]] && exit 2"),
        ("x=$(jq -r .a || true); [[ $x == *rm* ]] && exit 2", "x=$(jq -r .a || echo rm); [[ $x == *rm* ]] && exit 2"),
        ("x=$(jq -r .a); [[ $x == *rm* ]] && " + DENY_JSON, "x=$(jq -r .a) || exit 2; [[ $x == *rm* ]] && " + DENY_JSON),
    ],
)  # fmt: skip
def test_a_failure_of_jq_that_is_answered_with_nothing(faulty: str, sound: str) -> None:
    assert "W-JQ" in {each.rule for each in findings("crush", crush(faulty))}
    assert "W-JQ" not in {each.rule for each in findings("crush", crush(sound))}


# --------------------------------------------------------------------------- published hooks


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


def published() -> Iterator[str]:
    for path in sorted((ROOT / "conformance" / "hooks").rglob("*.json")):
        yield from texts(json.loads(path.read_text(encoding="utf-8")))
    for directory in ("examples", "src/sandhook/recipes/data", "conformance/vet/benign"):
        for path in sorted((ROOT / directory).rglob("*")):
            if path.is_file():
                yield path.read_text(encoding="utf-8", errors="replace")


def test_published_hooks_lose_nothing() -> None:
    """Measured with the rule: no finding in any of them, and each was read."""
    read, found = 0, []
    for text in dict.fromkeys(published()):
        if "exit" not in text and "return" not in text:
            continue
        try:
            found += [(each, text) for each in lost_refusals(text, refuses)]
        except (ShellSyntaxError, LimitExceeded):
            continue  # a text of another language
        read += 1
    assert not found
    assert read > 500

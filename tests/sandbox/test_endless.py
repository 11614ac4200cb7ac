"""TM-DOS 1 and 2: what never ends is ended, by a limit that no construct of the language catches."""

from __future__ import annotations

import time

import pytest

from sandhook.limits import Limits
from tests.sandbox.conftest import SMALL, Attack
from tests.sandbox.tools import present

#: Limits whose steps do not run out: only the clock ends the run.
CLOCK = SMALL.with_(wall_seconds=0.1, steps=10**12)

LOOPS_WITH_OUTPUT = "select x in a; do :; done < <(yes '')"

LOOPS = [
    "while :; do :; done",
    "until false; do :; done",
    "for ((;;)); do :; done",
    "while true; do true; done",
    "while [ 1 = 1 ]; do x=1; done",
    "while [[ a == a ]]; do ((i++)); done",
    "for ((;;)) do continue; done",
    "while :; do (:); done",
    "while :; do x=$(:); done",
    "while :; do : | :; done",
    "while :; do case x in *) ;; esac; done",
    "while :; do f() { :; }; f; done",
    "while :; do eval :; done",
    "while :; do set -- a b; shift; done",
    "while :; do read -r x < /dev/null; done",
    "while :; do trap : USR1; kill -USR1 $$; done",
    "trap 'kill -USR1 $$' USR1; kill -USR1 $$; while :; do :; done",
    "trap : TERM; while :; do kill $$; done",
    "f() { :; }; trap f DEBUG; while :; do :; done",
    "trap : ERR; while :; do false; done",
    "PS4='$(while :; do :; done)'; set -x; :",
    "x='$(while :; do :; done)'; echo \"${x@P}\"",
    LOOPS_WITH_OUTPUT,
    "yes > /dev/null",
    "cat /dev/zero > /dev/null",
    "tail -f /dev/zero > /dev/null",
    "yes | cat | cat > /dev/null",
    "awk 'BEGIN { while (1) ; }'",
    "awk 'BEGIN { for (;;) i++ }'",
    "awk 'BEGIN { do x = x + 1; while (1) }'",
    "yes | awk 'NR < 0'",
    "yes | grep x",
    "yes | sed -n /x/p",
    "yes | tr a b > /dev/null",
    "echo x | sed ':a;ba'",
    "echo x | sed ':a;s/x/x/;ta'",
    "yes | xargs -n 1 true",
    "yes | while read -r x; do :; done",
    "while printf ''; do command :; done",
    "find / -name x -exec true \\; ; while :; do find / > /dev/null 2>&1; done",
    "seq 1 1000000000000 > /dev/null",
    "seq inf > /dev/null",
    "printf '%s' {1..9}{1..9}{1..9}{1..9} > /dev/null; while :; do printf x > /dev/null; done",
]


#: Loops that reach another limit before their steps run out.
OTHERWISE = {
    ("output_bytes", LOOPS_WITH_OUTPUT),
    ("memory_bytes", "tail -f /dev/zero > /dev/null"),
}


@pytest.mark.parametrize("script", present(LOOPS))
def test_a_loop_is_ended(attack: Attack, script: str) -> None:
    result = attack(script, limits=SMALL.with_(steps=20_000, wall_seconds=60.0))
    assert result.limit == "steps" or (result.limit, script) in OTHERWISE
    assert result.exit_status != 0


@pytest.mark.parametrize(
    "script",
    present(
        [
            "while :; do :; done",
            "for ((;;)); do ((i++)); done",
            "yes > /dev/null",
            "awk 'BEGIN { while (1) i++ }'",
            "echo x | sed ':a;ba'",
            "jq -n 'def f: f; f'",
            "jq -n 'reduce range(1e12) as $i (0; . + 1)'",
            "jq -n 'last(repeat(1))'",
            "f() { while :; do :; done; }; f | cat",
            "while :; do x=$(echo y | tr y z); done",
        ]
    ),
)
def test_a_loop_runs_out_of_time(attack: Attack, script: str) -> None:
    result = attack(script, limits=CLOCK)
    assert result.limit == "wall_seconds"
    assert result.exit_status != 0


def test_a_loop_that_stops_in_time(attack: Attack) -> None:
    result = attack(
        "i=0; while ((i < 5000)); do ((i++)); done; yes | head -n 5000 | tail -n 1; seq 5000 | wc -l"
    )
    assert (result.stdout, result.exit_status, result.limit) == ("y\n5000\n", 0, None)


# --------------------------------------------------------------------------- catching a limit

LOOP = "while :; do :; done"


@pytest.mark.parametrize(
    "script",
    present(
        [
            f"{LOOP} || echo caught",
            f"({LOOP}); echo caught",
            f"({LOOP}) || echo caught; exit 0",
            f"x=$({LOOP}); echo caught",
            f"x=`{LOOP}`; echo caught",
            f"{{ {LOOP}; }} 2> /dev/null; echo caught",
            f"trap 'echo caught; exit 0' EXIT; {LOOP}",
            f"trap 'echo caught; exit 0' ERR RETURN; set +e; {LOOP}",
            f"trap 'echo caught; exit 0' HUP INT QUIT TERM ALRM XCPU PIPE; {LOOP}",
            f"{LOOP} & wait; echo caught",
            f"{LOOP} & wait $! || echo caught; exit 0",
            f"eval '{LOOP}'; echo caught",
            f"if {LOOP}; then echo caught; else echo caught; fi",
            f"! {LOOP}; echo caught",
            f"{LOOP} | cat; echo caught",
            f"echo x | {LOOP}; echo caught",
            f"cat < <({LOOP}); echo caught",
            f"coproc {{ {LOOP}; }}; wait; echo caught",
            f"f() {{ {LOOP}; }}; f; echo caught",
            f"set -e; {LOOP} || true; echo caught",
            f"command eval '{LOOP}'; echo caught",
            f"bash -c '{LOOP}'; echo caught",
            f"sh -c '{LOOP}' || echo caught",
            f"echo '{LOOP}' > f; . ./f; echo caught",
            f"echo '{LOOP}' > f; chmod +x f; ./f; echo caught",
            f"env bash -c '{LOOP}'; echo caught",
            f"timeout 1000 bash -c '{LOOP}'; echo caught",
            f"echo x | xargs bash -c '{LOOP}'; echo caught",
            f"find / -maxdepth 0 -exec bash -c '{LOOP}' \\; ; echo caught",
            "awk 'BEGIN { while (1) ; } END { print \"caught\" }'; echo caught",
            f"trap '{LOOP}' EXIT; exit 0",
            f"trap '{LOOP}' EXIT; trap 'exit 0' EXIT; {LOOP}",
            f"exec 2>&- 1>&-; {LOOP}; exit 0",
            f"{LOOP} &\nexit_status=0; while :; do sleep 1; done; echo caught",
            "f() { f; }; f || echo caught; exit 0",
            "x=x; while :; do x=$x$x; done || echo caught; exit 0",
            "sleep 1000 || echo caught; exit 0",
            "jq -n 'try (def f: f; f) catch \"caught\"'; echo caught",
            "yes || echo caught; exit 0",
        ]
    ),
)
def test_no_construct_catches_a_limit(attack: Attack, script: str) -> None:
    # jq's loops are ended by time alone, whatever the steps
    result = attack(script, limits=SMALL.with_(wall_seconds=0.5) if script.startswith("jq") else SMALL)
    assert result.limit is not None
    assert result.exit_status != 0
    assert "caught" not in result.stdout


# --------------------------------------------------------------------------- recursion


@pytest.mark.parametrize(
    "script",
    present(
        [
            "f() { f; }; f",
            "f() { f; f; }; f",
            "f() { g; }; g() { f; }; f",
            'e=\'eval "$e"\'; eval "$e"',
            "echo '. ./a' > a; . ./a",
            "echo '. ./b' > a; echo '. ./a' > b; . ./a",
            "f() { echo $(f); }; f",
            "f() ( f ); f",
            "f() { f | f; }; f",
            "f() { { f; }; }; f",
            "f() { if f; then f; fi; }; f",
            "f() { local x; x=$(f); }; f",
            "f() { eval f; }; f",
            "f() { command eval f; }; f",
            "f() { trap f EXIT; (f); }; f",
            "trap 'f' DEBUG; f() { eval f; }; f",
            "echo './a' > a; chmod +x a; ./a",
            "echo 'bash a' > a; bash a",
            'x=\'bash -c "$x"\'; export x; bash -c "$x"',
            "command_not_found_handle() { nosuch; }; nosuch",
            "f() { cat <(f); }; f",
            "f() { f & wait; }; f",
            "f() { [[ -n $(f) ]]; }; f",
            "f() { return $(f); }; f",
            "f() { for i in $(f); do :; done; }; f",
            "awk 'function f() { return f() } BEGIN { f() }'",
            "awk 'function f(n) { return 1 + f(n + 1) } BEGIN { print f(0) }'",
            "jq -n 'def f: 1 + f; f'",
            "a=b b=a; echo $((a))",
            "x='x'; echo $((x))",
            "x='y+1' y='x+1'; echo $((x))",
            ":(){ :|:& };:; sleep 1000",
            "f() { f & f & }; f; sleep 1000",
            "while :; do sleep 1000 & done",
            "while :; do sleep 1000 | sleep 1000 & done",
        ]
    ),
)
def test_recursion_ends(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.limit is not None or result.stderr
    assert result.exit_status != 0 or result.limit is None


@pytest.mark.parametrize("depth", [50, 150])
def test_recursion_within_the_limit(attack: Attack, depth: int) -> None:
    result = attack(f"f() {{ (($1)) && f $(($1 - 1)) || echo bottom; }}; f {depth}")
    assert (result.stdout, result.limit) == ("bottom\n", None)


def test_deep_recursion_when_it_is_allowed(attack: Attack) -> None:
    limits = SMALL.with_(call_depth=6_000, steps=10_000_000, memory_bytes=64 << 20, wall_seconds=60.0)
    result = attack("f() { if (($1)); then f $(($1 - 1)); else echo bottom; fi; }; f 5000", limits=limits)
    assert (result.stdout, result.limit) == ("bottom\n", None)


def test_aliases_do_not_go_round(attack: Attack) -> None:
    result = attack("shopt -s expand_aliases\nalias a=b b=a\na\nalias echo='echo x'\necho y")
    assert (result.stdout, result.limit) == ("x y\n", None)


def test_name_references_do_not_go_round(attack: Attack) -> None:
    result = attack('declare -n a=b; declare -n b=a; echo "$a"; a=1; echo ok')
    assert result.limit is None
    assert "circular name reference" in result.stderr


# --------------------------------------------------------------------------- waiting

BLOCKED = [
    "sleep 60",
    "sleep 60 & echo it holds the output",
    "sleep infinity",
    "sleep 1e9",
    "sleep 1d",
    "sleep 60 & wait",
    "sleep 60 | cat",
    "mkfifo p; cat p",
    "mkfifo p; echo x > p",
    "mkfifo p; cat p | cat",
    "cat < <(sleep 60)",
    "x=$(sleep 60)",
    "coproc cat; wait $COPROC_PID",
    "coproc sleep 60; read x <&${COPROC[0]}",
    "read -t 60 x < <(sleep 100)",
    "(sleep 60)",
    "trap '' TERM; sleep 60 & kill $!; wait",
    "bash -c 'sleep 60'",
    "timeout 60 sleep 60",
    "exec sleep 60",
    "sleep 1 & sleep 60 & wait -n; wait",
    "while sleep 1; do :; done",
    "while ! [ -e never ]; do sleep 0.1; done",
    "until read -t 1 x; do :; done < <(sleep 100)",
]


@pytest.mark.parametrize("script", present(BLOCKED))
def test_waiting_takes_no_time(attack: Attack, script: str) -> None:
    # So many virtual seconds pass that a loaded machine is not mistaken for a real sleep.
    start = time.monotonic()
    result = attack(script, limits=SMALL.with_(wall_seconds=50.0))
    assert result.limit == "wall_seconds"
    assert result.exit_status != 0
    assert time.monotonic() - start < 25.0, "a sleep took real time"


@pytest.mark.parametrize(
    ("script", "stdout", "status"),
    present(
        [
            ("sleep 0.5; echo slept", "slept\n", 0),
            ("sleep 60 > /dev/null 2>&1 & echo left", "left\n", 0),
            ("(while :; do sleep 1; done) > /dev/null 2>&1 & echo left", "left\n", 0),
            ("while :; do :; done & echo left; kill $!; wait $!; echo $?", "left\n143\n", 0),
            ('read x; echo "$?:$x"', "1:\n", 0),
            ("read -t 0.5 x < <(exec 2> /dev/null; sleep 60); echo $?", "142\n", 0),
            ("timeout 0.5 sleep 60; echo $?", "124\n", 0),
            ("wait; wait 99999; echo $?", "127\n", 0),
            ("mkfifo p; echo x > p & cat p", "x\n", 0),
            ("coproc cat; echo hi >&${COPROC[1]}; read x <&${COPROC[0]}; echo $x", "hi\n", 0),
            ("tail -n 1 < /dev/null; cat < /dev/null; echo end", "end\n", 0),
        ]
    ),
)
def test_waiting_that_ends(attack: Attack, script: str, stdout: str, status: int) -> None:
    result = attack(script)
    assert (result.stdout, result.exit_status, result.limit) == (stdout, status, None)


def test_time_that_is_slept_counts(attack: Attack) -> None:
    limits = Limits(wall_seconds=10.0)
    assert attack("sleep 9; echo $SECONDS", limits=limits).stdout.strip() in ("9", "10")
    assert attack("sleep 6; sleep 6; echo never", limits=limits).limit == "wall_seconds"

"""Memory is charged for what it costs: the peak of a process that runs a script is bounded by the limit."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sandhook import Shell
from sandhook.limits import Limits
from tests.sandbox.tools import every

MEBIBYTE = 1 << 20

#: Prints the limit that ended a script, and the growth of the peak memory in bytes.
CHILD = """
import resource, sys
from sandhook import Limits, Shell
Shell().run("a=(1 2); (a+=(3)); f() { shift; }; f 1 2; declare -A m; m[x]=1; echo a | cat; wait")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = Shell(limits=Limits(memory_bytes=int(sys.argv[1]), wall_seconds=4.0, steps=10**9)).run(sys.stdin.read())
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert result.defect is None, result.defect
print(result.limit, (after - before) * 1024)
"""


#: Commands after which a shell keeps one more text of a megabyte, or a name of that length.
TABLES = [
    "alias a$((i++))=$x$i",
    "BASH_ALIASES[a$((i++))]=$x$i",
    "hash -p /$x$((i++)) a$i",
    "hash -p /a $x$((i++))",
    "BASH_CMDS[a$((i++))]=/$x$i",
    "complete -W $x$((i++)) a$i",
    "complete -W a $x$((i++))",
    "trap -- $x$((i++)) $((i % 30 + 1))",
    'set -- "$@" $x$((i++))',
    'eval "f$((i++))() { : $x; }"',
    'eval "$x$((i++))() { :; }"',
    "declare v$((i++))=$x$i",
    "declare $x$((i++))",
    "declare $x$((i++))=1",
    'declare -a "$x$((i++))=(1)"',
    "export $x$((i++))=1",
    "readonly $x$((i++))",
    "declare -n r=$x$((i++)); r=1; unset -n r",
    "declare -n r$((i++))=$x$i",
    "printf -v $x$((i++)) 1",
    "read -r $x$((i++)) <<< 1",
    "mapfile $x$((i++)) <<< 1",
    "eval $x$((i++))=1",
    "(( i++, $x$i = 1 ))",
    "history -s $x$((i++))",
]


#: What may end these scripts.
ENDS = (
    "memory_bytes", "script_bytes", "nesting", "call_depth", "fields", "processes", "wall_seconds", "None",
)  # fmt: skip

#: What puts a text of a megabyte into L, and what makes 512 arguments of it.
LONG = "printf -v L %1000000s; L=${L// /x}; "
DOUBLED = LONG + 'set -- "$L" "$L"; for i in {1..8}; do set -- "$@" "$@"; done; '

#: Short scripts that multiply a long text.
MULTIPLYING = [
    LONG + 'a=({1..2000}); echo "${a[@]/%/$L}"',
    "seq 100000 | awk -v OFMT=%1000000.0f '{ print $1 + 0.5 }' | wc -c",
    LONG + 'a=({1..2000}); echo ${a[@]//[0-9]/$L}',
    LONG + 'set -- {1..2000}; echo "${@/#/$L}"',
    LONG + 'set -- {1..2000}; echo "${*/#/$L}"',
    LONG + 'for i in {1..2000}"$L"; do :; done',
    LONG + 'echo "$L"{1..50}{1..50}',
    LONG + 'a=("$L"{1..2000})',
    LONG + 'eval "echo {1..200}${L:0:500000}"',
    LONG + 'eval "echo {1..2000}${L:0:500000}"',
    LONG + 'f() { sleep 3; }; for i in {1..200}; do f "$L$L" & done; wait',
    LONG + 'for i in {1..200}; do sleep 3 <<< "$L$L" & done; wait',
    LONG + 'for i in {1..200}; do bash -c "sleep 3" a "$L$L" & done; wait',
    DOUBLED + 'echo "$@"',
    DOUBLED + 'echo "$*"',
    DOUBLED + 'eval : "$@"',
    DOUBLED + 'history -s "$@"',
    DOUBLED + 'logger "$@"',
    DOUBLED + 'jq -n 1 --args "$@"',
    DOUBLED + 'echo "${@@A}"',
    LONG + "eval echo $(printf ' $L%.0s' {1..500})",
    LONG + "x=$L$L; y=${x//x/&&&&&&&&}",
    "seq -f %1000000g 100000 | wc -c",
    LONG + 'seq -f "%g$L" 100000 | wc -c',
    LONG + 'seq 100000 | cut -c 1,3 --output-delimiter="$L" | wc -c',
    LONG + 'seq 100000 | sed "s/./,/2" | cut -d , -f 1,2 --output-delimiter="$L" | wc -c',
    LONG + 'seq -s , 2000 | cut -c "$(seq -s , 1 2 2000)" --output-delimiter="$L" | wc -c',
    LONG + 'seq -s , 2000 | cut -d , -f "$(seq -s , 1 2 2000)" --output-delimiter="$L" | wc -c',
    LONG + "seq 2000 | cut -d $'\\n' -f \"$(seq -s , 1 2 2000)\" --output-delimiter=\"$L\" | wc -c",
    "awk -v OFMT=%1000000000.0f 'BEGIN { print 0.5 }' | wc -c",
    "seq 100000 | git column --mode=plain --indent=\"$(printf %100000s)\" | wc -c",
    "seq 100000 | git column --mode=row --nl=\"$(printf %100000s)\" | wc -c",
    "awk -v CONVFMT=%.1000000000f 'BEGIN { x = 0.5 \"\"; print length(x) }'",
]  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss differs between systems")
@pytest.mark.parametrize(
    "script",
    every(18, [
        'a=({1..190000}); for i in {1..250}; do (b=("${a[@]}"); sleep 5) & done; wait',
        "a=({1..190000}); for i in {1..250}; do (a[0]=x; sleep 5) & done; wait",
        "a=({1..190000}); for i in {1..250}; do (a+=(x); sleep 5) & done; wait",
        "a=({1..190000}); for i in {1..250}; do (unset a[5]; sleep 5) & done; wait",
        "a=({1..190000}); for i in {1..250}; do (printf -v 'a[3]' x; sleep 5) & done; wait",
        "a=({1..190000}); for i in {1..250}; do ( ((a[7]++)); sleep 5) & done; wait",
        "a=({1..190000}); for i in {1..250}; do (sleep 5) & unset a; a=({1..190000}); done; wait",
        "a=({1..190000}); f() { (a+=(x); f); }; f",
        'a=({1..190000}); f() { local b=("${a[@]}"); f; }; f',
        "declare -A a; for i in {1..100000}; do a[$i]=1; done; for i in {1..250}; do (a[x]=2; sleep 5) & done; wait",
        "declare -A a; printf -v k %1000000s; for i in {1..3000}; do a[$k$i]=; done",
        "declare -A a; printf -v k %1000000s; for i in {1..3000}; do a+=([$k$i]=1); done",
        "declare -A a; printf -v k %1000000s; for i in {1..3000}; do a=([$k$i]=1); done; f() { local -A b=([$k]=1); f; }; f",
        'set -- {1..190000}; f() { f "$@"; }; f "$@"',
        'set -- {1..190000}; f() { set -- "$@" x; f "$@"; }; f "$@"',
        "set -- {1..190000}; for i in {1..250}; do (shift; sleep 5) & done; wait",
        "printf -v x %4000000s; f() { f $1$i \"$x$x\"; }; f",
        "printf -v x %1000000s; f() { local y=$x; f; }; f",
        *(f"printf -v x %1000000s; x=${{x// /a}}; while :; do {step}; done" for step in TABLES),
        "printf -v x %1000s; for ((i = 0; ; i++)); do a[i]=$x$i; done",
        "printf -v x %1000s; declare -A a; for ((i = 0; ; i++)); do a[k$i]=$x$i; done",
        "printf -v x %1000s; for ((i = 0; ; i++)); do a[i % 200000]=; a[i % 200000]=$x$i; done",
        "awk 'BEGIN { x = sprintf(\"%1000s\", \"\"); while (1) a[i++] = x i }'",
        "awk 'BEGIN { x = sprintf(\"%60s\", \"\"); while (1) a[x i++] = x i }'",
        "printf -v x %2000000s; while :; do y=${x//?/b}; z=${x//[ a]/&&}; done",
        "printf -v x %1000000s; x=${x// /$'\\001'}; while :; do printf -v y %q \"$x\"; y=${x@Q}; done",
        "echo {" + ",".join(["{a,b}" * 20_000] * 5) + "}",
        "echo a | grep -P '(?R)'",
        "echo a | grep -P '((?1)a|a)'",
        "echo a | grep -P '(?<n>(?&n)|a)'",
        "echo a | grep -P '(?:(?R)|a)b'",
    ]) + every(40, MULTIPLYING),
)  # fmt: skip
def test_the_host_needs_little_more_than_the_limit(script: str) -> None:
    limit = 16 * MEBIBYTE
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(limit)], input=script, capture_output=True, text=True, check=True
    )
    name, growth = done.stdout.split()
    assert name in ENDS, name
    assert int(growth) <= 4 * limit + 64 * MEBIBYTE, f"{name}: {int(growth) >> 20} MiB"


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("a=(1 2); (a+=(3); echo ${a[@]}); echo ${a[@]}", "1 2 3\n1 2\n"),
        ("a=(1 2); (a[0]=x; echo ${a[@]}); echo ${a[@]}", "x 2\n1 2\n"),
        ("a=(1 2); (unset a[0]; echo ${a[@]}); echo ${a[@]}", "2\n1 2\n"),
        ("a=(1 2); (((a[0]++)); echo ${a[@]}); echo ${a[@]}", "2 2\n1 2\n"),
        ("a=(1 2); (echo ${a[@]} & a+=(4); wait; echo ${a[@]}); echo ${a[@]}", "1 2\n1 2 4\n1 2\n"),
        ("a=([5]=x); a[2]=y; (echo ${!a[@]}; a[0]=z; echo ${!a[@]}); echo ${!a[@]}", "2 5\n0 2 5\n2 5\n"),
        ("declare -A m=([k]=1); (m[k]=2; m[j]=3; echo ${m[k]} ${#m[@]}); echo ${m[k]} ${#m[@]}", "2 2\n1 1\n"),
        ("declare -A m=([k]=1); (((m[k]++)); echo ${m[k]}); echo ${m[k]}", "2\n1\n"),
        ("declare -A m=([k]=1); (unset m[k]; echo ${#m[@]}); echo ${#m[@]}", "0\n1\n"),
        ("a=(1); { sleep 0.1; echo ${a[@]}; } & a+=(2); a[0]=x; wait; echo ${a[@]}", "1\nx 2\n"),
        ("a=(1); f() { local a=(9); (unset a; a+=(8); unset a; a+=(2); echo ${a[@]}); }; f; echo ${a[@]}", None),
        ("set -- {1..2000}; (shift 1999; echo $#); echo $#; f() { shift; echo $#; }; f $@; echo $#", "1\n2000\n1999\n2000\n"),
    ],
)  # fmt: skip
def test_a_subshell_changes_its_own_copy(script: str, stdout: str | None) -> None:
    result = Shell().run(script)
    assert result.defect is None
    if stdout is None:
        assert result.stdout.splitlines()[-1] == "1"
    else:
        assert (result.stdout, result.stderr) == (stdout, "")


def test_what_is_dropped_is_refunded() -> None:
    """Many subshells one after the other need no more memory than one."""
    limits = Limits(memory_bytes=4 * MEBIBYTE, wall_seconds=60.0)
    script = """
    a=({1..10000}); declare -A m; for i in {1..100}; do m[$i]=$i; done
    for i in {1..40}; do (a+=(x); m[y]=1; echo "${#a[@]} ${#m[@]}") > /dev/null; a[5]=$i; m[5]=$i; done
    for i in {1..40}; do b=("${a[@]}"); unset b; f() { local c=("${a[@]}"); shift; }; f "${a[@]}"; done
    for i in {1..40}; do set -- "${a[@]}"; shift; done
    echo ${#a[@]} ${#m[@]} $#
    """
    result = Shell(limits=limits).run(script)
    assert (result.stdout, result.limit) == ("10000 100 9999\n", None)


@pytest.mark.parametrize(
    "step",
    [
        "x=$b$i; unset x",
        "x=$b$i; x=",
        "f() { local x=$b$i; }; f",
        "f() { local b=$b; b+=x; }; f",
        "(x=$b$i; y=1)",
        "x=$b$i :",
        "x=$b$i eval :",
        "export x=$b$i; unset x",
        "declare -u x; x=$b$i; x=1",
        "a=($b$i); unset a",
        "a[5]=$b$i; unset 'a[5]'",
        "declare -A m; m[x]=$b$i; unset 'm[x]'",
        "set -- $b$i; shift",
        "f() { :; }; f $b$i",
        "alias x=$b$i; unalias x",
        "trap $b$i USR1; trap - USR1",
        "hash -p /$b$i x; hash -d x",
        "complete -W $b$i x; complete -r x",
        'eval "f() { : $b; }"; unset -f f',
    ],
)
def test_a_long_text_that_is_dropped_is_refunded(step: str) -> None:
    script = f"printf -v b %100000s; b=${{b// /x}}; for i in {{1..60}}; do {step}; done; echo ok"
    result = Shell(limits=Limits(memory_bytes=2 * MEBIBYTE, wall_seconds=60.0)).run(script)
    assert (result.stdout, result.stderr, result.limit) == ("ok\n", "", None)


def test_a_text_that_many_have_is_charged_once() -> None:
    script = "printf -v b %1000000s; f() { local x=$b y=$1 $2; x=$y; (z=$x); g $b; }; g() { local w=$1; }; f $b a=$b; echo ${#b}"
    result = Shell(limits=Limits(memory_bytes=4 * MEBIBYTE)).run(script.replace("$b", '"$b"'))
    assert (result.stdout, result.stderr, result.limit) == ("1000000\n", "", None)


MANY = "for i in {1..100}; do ("
WAIT = " | sleep 9) & done; wait"
FORTY = "f " * 40


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read in /proc")
@pytest.mark.parametrize(
    "script",
    every(5, [
        f"{MANY}awk '{{ print }}' f{WAIT}",
        f"{MANY}sed -n 'h;G;p' f{WAIT}",
        f"{MANY}grep a f{WAIT}",
        f"{MANY}sort f{WAIT}",
        f"{MANY}fold -w 80 f{WAIT}",
        f"{MANY}rev f{WAIT}",
        f"{MANY}tac f{WAIT}",
        f"{MANY}tail -n 1 f{WAIT}",
        f"{MANY}cut -c 1- f{WAIT}",
        f"{MANY}paste f f{WAIT}",
        f"{MANY}comm f g{WAIT}",
        f"{MANY}join f f{WAIT}",
        f"{MANY}diff f g{WAIT}",
        f"{MANY}column -t f{WAIT}",
        f"{MANY}csvcut -c 1 f{WAIT}",
        f"{MANY}echo $(< f){WAIT}",
        "for i in {1..100}; do (cat f; sleep 9) | sort & done; wait",
        "for i in {1..100}; do (cat f; sleep 9) | head -n -1 & done; wait",
        "awk 'BEGIN { for (i = 0; i < 200; i++) (\"sed p f; : \" i) | getline x }'",
        f"sort -m {FORTY}",
        f"paste {FORTY}",
        f"csvstack {FORTY.replace('f', 'lines')}",
        f"csvjoin -c 1 {FORTY.replace('f', 'lines')}",
    ]),
)  # fmt: skip
def test_processes_that_wait_do_not_hold_more_than_the_limit(script: str) -> None:
    """Each of a hundred processes had a line of 8 MB, its copies and its output: 3.1 GB."""
    from tests.sandbox.measured import measure

    Shell().run(
        "echo a | awk 1 | sed p | grep a | sort | fold | rev | tac | tail | cut -c 1 | paste | column | csvcut -c 1"
    )
    limits = Limits(wall_seconds=3.0)
    files = {"f": b"a" * 8_000_000, "g": b"", "lines": b"ab\n" * 1_000_000}
    measured = measure(f"{{ {script}; }} > /dev/null", files, b"", limits)
    assert measured.defect is None, measured
    assert measured.memory <= 4 * limits.memory_bytes + (64 << 20), measured
    assert measured.limit is not None


@pytest.mark.parametrize(
    "script",
    [
        "cat f | sed s/a/b/ | awk 1 | grep a | tr a c | cut -c 1- | rev | wc -c",
        "for i in {1..20}; do sort f; tac f; sed p f; done | wc -c",
        "for i in {1..20}; do x=$(tail -n 1 f); done; echo ${#x}",
        "grep -c a f f f f f f f f f f f f f f f f f f f f | wc -l",
    ],
)
def test_long_lines_of_a_pipeline_fit(script: str) -> None:
    """The harmless neighbour: a few stages at once, or many one after the other."""
    result = Shell(files={"f": b"a" * 8_000_000}).run(script, limits=Limits(wall_seconds=60.0))
    assert (result.exit_status, result.limit) == (0, None), result.stderr

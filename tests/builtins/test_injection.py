"""Text that comes from a value is data to a built-in (L-INJ-001); its twin in the script works."""

from __future__ import annotations

import pytest

from tests.builtins.conftest import run_ours

BAD = "$(: > ran)`: > ran`"  # creates a file


@pytest.mark.parametrize(
    "script",
    [
        'declare -A m; unset "m[$x]"',
        'declare -A m; read "m[$x]" <<< v',
        'declare -A m; printf -v "m[$x]" v',
        'declare -A m; [ -v "m[$x]" ]',
        'declare -A m; declare "m[$x]=1"',
        'a=(1); unset "a[$x]"',
        'a=(1); read "a[$x]" <<< v',
        'printf -v "a[$x]" v',
        '[ -v "a[$x]" ]',
        "a=(1) y=(\"$x\"); unset 'a[${y[0]}]'",
        "a=(1) y=(\"$x\"); unset 'a[${y[$x]}]'",
        "a=(1); unset 'a[$(( $x ))]'",
        "declare -A m=([\"$x\"]=1); unset 'm[${m[$x]}]'",
        "PS9=$x; a=(1); unset 'a[${PS9@P}]'",
        'declare -a "a=($x)"',
        'declare -a a="($x)"',
        'declare -A m="([k]=$x)"',
        'declare -A m="([$x]=v)"',
        'f() { local -a a="($x)"; }; f',
        'readonly -a "a=($x)"',
        'declare -i n; read n <<< "a[$x]"',
        'mapfile -t l <<< "$x"',
        'compgen -W "$x" z',
        "compgen -W '${x@P}'",
        "compgen -W '$((: > ran) )'",
        'compgen -G "$x"',
        'declare "$x=1"',
        'declare -n "r=a[$x]"; : $r',
        'export "v$x=1"',
        'cd "$x"',
        'getopts a "$x" -a',
        'alias "n=$x"; alias',
        'wait -p "$x" -n',
        'shift "$x"',
        'ulimit -n "$x"',
        'umask "$x"',
        'caller "$x"',
    ],
)
def test_runs_nothing_out_of_a_value(script: str) -> None:
    ran = run_ours(f"x='{BAD}'\ntrap '[ -e ran ] && echo EXECUTED' EXIT\n{script}")
    assert "EXECUTED" not in ran.stdout


def test_the_check_itself_would_notice() -> None:
    ran = run_ours(f"x='{BAD}'\ntrap '[ -e ran ] && echo EXECUTED' EXIT\neval \": $x\"")
    assert ran.stdout == "EXECUTED\n"


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("declare -A m=([k]=v); k=k; unset 'm[$k]'; echo ${#m[@]}", "0\n"),
        ("declare -A m; set -- one; read 'm[$1]' <<< v; read 'm[${none}]' <<< w 2>/dev/null; echo \"${!m[@]}\"", "one\n"),
        ("declare -A m; m=([a]=1); [ -v 'm[a]' ]; echo $?", "0\n"),
        ("""declare -a "a=(1 'b c' \\"d e\\" [7]=\\$x f\\ g)"; declare -p a""",
         'declare -a a=([0]="1" [1]="b c" [2]="d e" [7]="\\$x" [8]="f g")\n'),
        ("x='a b'; declare -A 'm=([\"k 1\"]=v [k2]+=w)'; echo \"${m[k 1]}${m[k2]}\"", "vw\n"),
        ("declare -A m=([a]=1 ['b c']=$'x\\ny'); t=$(declare -p m); unset m; declare -A n=\"${t#*=}\"; echo \"${n[b c]}\"",
         "x\ny\n"),
        ("compgen -W 'one two' t; w=three; compgen -W '$w four' th", "two\nthree\n"),
    ],
)  # fmt: skip
def test_the_harmless_neighbour_works(script: str, stdout: str) -> None:
    ran = run_ours(script)
    assert (ran.stdout, ran.status) == (stdout, 0), ran.stderr

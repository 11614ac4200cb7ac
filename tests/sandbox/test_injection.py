"""TM-INJ: data never becomes code. What bash would run out of a value is not run here (L-INJ rows of
docs/divergences.md), and what stands in the script's own text works as in bash.
"""

from __future__ import annotations

import pytest

from sandhook.vfs.path import VirtualPath
from tests.sandbox.conftest import Attack
from tests.sandbox.tools import present

#: A subscript that creates a file when it is expanded.
BAD = "a[$(echo x > /workspace/pwned)0]"


@pytest.mark.parametrize(
    "name",
    [
        "BASH_FUNC_ls%%",
        "BASH_FUNC_echo()",
        "BASH_FUNC_x%%",
        "FUNC",
        "LD_PRELOAD",
        "DYLD_INSERT_LIBRARIES",
        "PYTHONSTARTUP",
        "TERM",
    ],
)
@pytest.mark.parametrize(
    "value", ["() { :; }; echo pwned", "() { echo pwned; }", "$(echo pwned)", "`echo pwned`"]
)
def test_variables_are_not_code(attack: Attack, name: str, value: str) -> None:
    result = attack("ls; x 2>/dev/null; echo ok; bash -c 'echo inner'; true | cat", env={name: value})
    assert (result.stdout, "pwned" in result.stderr) == ("ok\ninner\n", False)


@pytest.mark.parametrize(
    ("env", "script", "stdout"),
    [
        ({"IFS": "o"}, "x='a b'; set -- $x; echo $#", "2\n"),
        ({"PS4": "$(echo pwned)"}, "set -x; :", ""),
        ({"PS1": "$(echo pwned)"}, "echo ok", "ok\n"),
        ({"PROMPT_COMMAND": "echo pwned"}, "echo ok", "ok\n"),
        ({"SHELLOPTS": "xtrace:noexec"}, "echo ok", "ok\n"),
        ({"BASHOPTS": "extdebug"}, "echo ok", "ok\n"),
        ({"BASH_ENV": "/workspace/rc"}, "echo ok; bash -c 'echo inner'", "ok\ninner\n"),
        ({"ENV": "/workspace/rc"}, "sh -c 'echo inner'", "inner\n"),
        ({"POSIXLY_CORRECT": "1"}, "echo ok", "ok\n"),
        ({"OPTIND": "9", "OPTARG": "x"}, "set -- -a; getopts a o; echo $o", "a\n"),
        ({"GLOBIGNORE": "*"}, "echo r*", "rc\n"),
        ({"TIMEFORMAT": "$(echo pwned)"}, "time :", ""),
        ({"GREP_OPTIONS": "-v"}, "echo a | grep a", "a\n"),
        ({"EXECIGNORE": "*"}, "ls", "rc\n"),
        ({"FUNCNEST": "1"}, "f() { g; }; g() { echo ok; }; f", None),
    ],
)
def test_powerful_names_are_inert(
    attack: Attack, env: dict[str, str], script: str, stdout: str | None
) -> None:
    result = attack(script, env=env, files={"/workspace/rc": "echo pwned\n"})
    assert "pwned" not in result.stdout
    assert stdout is None or result.stdout == stdout


# --------------------------------------------------------------------------- values in arithmetic and names


@pytest.mark.parametrize(
    "script",
    present(
        [
            "echo $((DATA))",
            "echo $((DATA + 1))",
            "echo $(( $DATA ))",
            "((DATA))",
            "((x = DATA))",
            "let DATA",
            'let "$DATA"',
            'let "x=$DATA"',
            "for ((i = DATA; i < 1; i++)); do :; done",
            "[[ DATA -eq 0 ]]",
            "[[ $DATA -eq 0 ]]",
            "[[ -v $DATA ]]",
            '[ "$DATA" -eq 0 ]',
            'test -v "$DATA"',
            '[ -v "$DATA" ]',
            'printf -v "$DATA" x',
            'printf "%d\\n" "$DATA"',
            'read "$DATA" <<< x',
            'read -a "$DATA" <<< x',
            'declare "$DATA=1"',
            "declare -i x; x=$DATA",
            "local -i x=$DATA",
            'typeset "$DATA"',
            'export "$DATA=1"',
            'readonly "$DATA=1"',
            'unset "$DATA"',
            'unset -v "$DATA"',
            "echo ${!DATA}",
            "echo ${!DATA-}",
            "declare -n ref=$DATA; echo $ref",
            "declare -n ref=$DATA; ref=1",
            "y=abc; echo ${y:DATA}",
            "y=abc; echo ${y:0:DATA}",
            "y=abc; echo ${y:$DATA}",
            "arr=(1 2); echo ${arr[DATA]}",
            "arr=(1 2); echo ${arr[$DATA]}",
            "arr=(1 2); arr[DATA]=1",
            "arr=(1 2); arr[$DATA]=1",
            "arr=([DATA]=1)",
            'mapfile "$DATA" <<< x',
            'getopts a "$DATA" -a',
            'wait -n -p "$DATA"',
            'set -- "$DATA"; shift "$1"',
            'exit "$DATA"',
            'f() { return "$DATA"; }; f',
            'printf "%*d" "$DATA" 1',
            'head -n "$DATA" < /dev/null',
            'ulimit -n "$DATA"',
            "x=$DATA; ((x++))",
            "[[ x -lt DATA ]]",
            "echo $[DATA]",
            "case 1 in $((DATA))) ;; esac",
            "exec {DATA}< /dev/null",
            'trap "$DATA" USR1; trap -p',
            "echo {1..$DATA}",
            "coproc DATA { :; }; wait",
            'umask "$DATA"',
            'kill -0 "$DATA"',
            'sleep "$DATA"',
            'declare -A m; m[$DATA]=1; [[ -v m[$DATA] ]]; unset "m[$DATA]"; echo "${!m[@]}" > /dev/null',
            "declare -A m; ((m[$DATA]++))",
        ]
    ),
)
def test_a_value_is_not_run(attack: Attack, script: str) -> None:
    attack(script, env={"DATA": BAD})
    assert not attack.fs.exists(VirtualPath("/workspace/pwned"))


@pytest.mark.parametrize(
    ("script", "stdout"),
    present(
        [
            ("a=(5 6); echo ${a[$(echo 1)]}", "6\n"),
            ("a=(5 6); echo $((a[$(echo 1)]))", "6\n"),
            ("a=(5 6); i=1; echo $((a[i])) ${a[i]} ${a[$i]}", "6 6 6\n"),
            ("a=(5 6); x='a[1]'; echo $((x)) ${!x}", "6 6\n"),
            ("a=(5 6); i=1 x='a[i]'; echo $((x))", "6\n"),
            ("x='1+2'; echo $((x * 2)) $(($x * 2))", "6 5\n"),
            ("a=(5 6); printf -v 'a[1]' 7; read 'a[0]' <<< 8; echo ${a[@]}", "8 7\n"),
            ("a=(5 6); unset 'a[0]'; [[ -v a[1] ]] && echo ${#a[@]}", "1\n"),
            ("declare -A m; k='$(echo pwned)'; m[$k]=1; echo ${!m[@]} ${m[$k]}", "$(echo pwned) 1\n"),
            (
                'x=\'$(echo pwned)\'; echo $x; echo "${x@Q}"; eval "echo ${x@Q}"',
                "$(echo pwned)\n'$(echo pwned)'\n$(echo pwned)\n",
            ),
        ]
    ),
)
def test_the_scripts_own_text_works(attack: Attack, script: str, stdout: str) -> None:
    assert attack(script).stdout == stdout


@pytest.mark.parametrize(
    "value",
    [
        "; echo pwned",
        "$(echo pwned)",
        "`echo pwned`",
        "' ; echo pwned; '",
        '"; echo pwned; "',
        "\n echo pwned",
        "&& echo pwned",
        "| echo pwned",
        "-e pwned",
        "*; echo pwned",
        "\\",
    ],
)
@pytest.mark.parametrize(
    "script",
    present(
        [
            'x=$DATA; [ "$x" = "$DATA" ]',
            "case $DATA in nothing) echo pwned;; esac",
            'printf "%s" "$DATA" > f; [ "$(cat f)" = "${DATA}" ] || [ "$DATA" = "\n echo pwned" ]',
            "set -- $DATA; : $#",
            "for w in $DATA; do : $w; done",
            "[[ $DATA == x ]]; [[ x == $DATA ]]; [[ x < $DATA ]]",
            "cat > f <<E\n$DATA\nE\n:",
            'jq -n --arg d "$DATA" "\\$d" > f',
            'printf "%s\\n" "$DATA" | while IFS= read -r l; do :; done',
            'x="${DATA//x/y}${DATA#z}${DATA:-d}"',
            "jq -n '$ENV.DATA' > f",
            "awk 'BEGIN { x = ENVIRON[\"DATA\"] }'",
            'awk -v "d=$DATA" "BEGIN { x = d }"',
            'grep -F -e "$DATA" /dev/null',
        ]
    ),
    ids=lambda text: text[:20],
)
def test_a_payload_stays_data(attack: Attack, script: str, value: str) -> None:
    result = attack(script, env={"DATA": value})
    assert "pwned" not in result.stdout
    assert "pwned" not in result.stderr.replace(value, "")


# --------------------------------------------------------------------------- guards decide as bash does


@pytest.mark.parametrize(
    ("script", "status"),
    present(
        [
            ("[[ $'a\\nb' =~ a.b ]]", 0),
            ("[[ $'x\\nrm -rf /' =~ ^rm ]]", 1),
            ("printf 'x\\nrm -rf /' | grep -q '^rm'", 0),
            ("case $'x\\nrm' in *rm*) exit 4;; esac", 4),
            ("trap 'exit 9' EXIT; exit 300", 9),
            ("trap 'true' EXIT; exit 300", 44),
            ("exit -1", 255),
            ("exit 256", 0),
            ("false | true", 0),
            ("set -o pipefail; false | true", 1),
            ("set -e; false; exit 0", 1),
            ("set -e; false || true; ! true; x=$(false) || :; exit 5", 5),
            ("set -e; x=$(false); exit 0", 1),
            ("set -e; local_() { local x=$(false); }; local_; exit 5", 5),
            ("set -u; echo $nosuch; exit 0", 127),
            ("[[ a == A ]]", 1),
            ("shopt -s nocasematch; [[ a == A ]]", 0),
            ("[[ 'rm -rf /' == rm\\ -rf* ]]", 0),
            ("[[ abc == a[!x]c && abc != a[b-c]d ]]", 0),
            ("[ a = b -o a = a ]", 0),
            ("[ '(' = ')' ]", 1),
            ("[ '!' ]", 0),
            ("[ ]", 1),
            ("test -n", 0),
            ("[[ -z '' && ! -n '' ]]", 0),
            ("echo '{\"a\":false}' | jq -e .a", 1),
            ("jq -n 'halt_error(7)'", 7),
            ("grep x nosuch", 2),
            ("echo abc | grep -q b; exit $?", 0),
            ("nosuch", 127),
            (": > f; ./f", 126),
            ("if", 2),
            ("return 5 2>/dev/null; exit 6", 6),
            ("(exit 5); exit", 5),
            ("f() { return 300; }; f", 44),
        ]
    ),
)
def test_exit_statuses_are_bashs(attack: Attack, script: str, status: int) -> None:
    assert attack(script).exit_status == status

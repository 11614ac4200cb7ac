"""TM-DOS 3 to 6: small scripts that ask for huge results; sizes are checked before anything is allocated."""

from __future__ import annotations

import pytest

from sandhook import Shell
from sandhook.limits import Limits
from tests.sandbox.conftest import SMALL, Attack
from tests.sandbox.tools import every, present

# --------------------------------------------------------------------------- DOS-3: patterns

A = "$(printf 'a%.0s' {1..3000})"


@pytest.mark.parametrize(
    ("script", "status"),
    present(
        [
            (f"x={A}b; [[ $x =~ ^(a+)+$ ]]", 1),
            (f"x={A}b; [[ $x =~ ^(a|aa)+$ ]]", 1),
            (f"x={A}b; [[ $x =~ ^(a*)*(a*)*(a*)*$ ]]", 1),
            (f"echo {A}b | grep -qE '^(a+)+$'", 1),
            (f"echo {A}b | grep -q '^\\(a*\\)*$'", 1),
            (f"echo {A}b | sed -E '/^(a+)+$/!q1' | grep -q x", 1),
            (f"echo {A}b | sed -E 's/(a*)*c/x/' > /dev/null", 0),
            (f"echo {A}b | awk '/^(a+)+$/ {{ exit 3 }}'", 0),
            (f"x={A}b; case $x in *a*a*a*a*a*a*a*a*a*a*c) exit 3;; esac", 0),
            (f"x={A}b; [[ $x == *a*a*a*a*a*a*a*a*a*a*a*c ]]", 1),
            (f"x={A}b; y=${{x//*a*a*a*a*c/}}; [ ${{#y}} = 3001 ]", 0),
            (f"x={A}b; y=${{x##*a*a*a*a*a*a*c}}; [ ${{#y}} = 3001 ]", 0),
            (f"x={A}b; y=${{x%%c*a*a*a*a*a*a*}}; [ ${{#y}} = 3001 ]", 0),
            (f"shopt -s extglob; x={A}b; [[ $x == +(a|aa|aaa)c ]]", 1),
            ("shopt -s extglob; x=aaaaaaaaaaaaaaaaaaaaaaaaab; [[ $x == *(*(*(a)))c ]]", 1),
            ("shopt -s extglob; x=aaaaaaaaaaaaaaaaaaaaaaaaab; [[ $x == !(!(!(a*)))c ]]", 1),
            ("shopt -s extglob; x=aaaaaaaaaaaaaaaaaaaaaaaab; [[ $x == +(+(+(+(a))))c ]]", 1),
            ("touch aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; [ -e *a*a*a*a*a*a*a*a*a*a*a*c ]", 1),
            ("find . -name '*a*a*a*a*a*a*a*a*c'", 0),
            (f"expr {A}b : '\\(a*\\)*c' > /dev/null", 1),
            (f"echo '\"{A}b\"' | jq -e 'test(\"^(a+)+$\")' > /dev/null", None),
            (f"echo {A}b | grep -qP '^(a+)+$'", None),
            (f"echo {A}b | grep -qE '(a*)(a*)(a*)\\1\\2\\3c'", None),
            (f"echo {A}b | sed -E 's/(a*)(a*)\\2\\1c/x/' > /dev/null", None),
            ("echo a | grep -E '((a{1000}){1000}){1000}'", None),
            ("echo a | grep -E \"$(printf '(%.0s' {1..5000})a$(printf ')%.0s' {1..5000})\"", None),
            ("echo a | grep -qE \"$(printf 'a?%.0s' {1..3000})$(printf 'a%.0s' {1..3000})\"", None),
            ("[[ a =~ ((a{1,255}){1,255}){1,255} ]]", None),
            ("yes 'a*a*a*a*b' | head -n 2000 > p; echo aaaa | grep -f p", None),
        ]
    ),
)
def test_patterns_are_linear(attack: Attack, script: str, status: int | None) -> None:
    result = attack(script)
    if status is None:  # a refusal, a limit or an answer: in time, and no success by accident
        assert result.exit_status != 0 or result.limit is None
    else:
        assert (result.exit_status, result.limit) == (status, None), result.stderr


# --------------------------------------------------------------------------- DOS-4: expansions

EXPANSIONS = [
    "x=x; while :; do x=$x$x; done",
    "x=x; while :; do x+=$x; done",
    'x=x; while :; do x="$x$x"; done',
    'x=(a); while :; do x+=("${x[@]}"); done',
    'x=(a); while :; do x=("${x[@]}" "${x[@]}"); done',
    "declare -A x; i=0; while :; do x[$i$i$i$i$i$i$i$i]=$((i++)); done",
    'set -- a; while :; do set -- "$@" "$@"; done',
    "x=aaaaaaaaaaaaaaaa; while :; do x=${x//a/aaaa}; done",
    "x=xxxxxxxxxxxxxxxx; while :; do x=${x//?/$x}; done",
    'x=a; while :; do printf -v x \'%s%s\' "$x" "$x"; done',
    "x=a; while :; do x=$(printf '%s%s' $x $x); done",
    "x=a; while :; do x=$(echo $x$x); done",
    "x=a; while :; do x=${x@Q}${x@Q}; done",
    'x=a; while :; do x="${x}$(cat <<< "$x")"; done',
    'x=a; while :; do read -r x <<< "$x$x"; done',
    'x=a; while :; do eval "x=$x$x"; done',
    "x=a; while :; do f() { x=$1$1; }; f $x; done",
    "export x=a; while :; do x=$x$x; env > /dev/null; done",
    'i=0; while :; do eval "v$((i++))=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; done',
    'i=0; while :; do eval "f$((i++))() { :; }"; done',
    "i=0; while :; do alias a$((i++))=b; done",
    "echo {1..1000000000}",
    "echo {1..9223372036854775807}",
    "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
    "echo {1..99}{1..99}{1..99}{1..99}{1..99}",
    "echo {{1..999},{1..999}}{{1..999},{1..999}}{1..999}",
    "for i in {1..1000000000}; do break; done",
    "x=({1..1000000000})",
    "printf '%s' {1..1000000000}",
    "printf '%999999999d' 1",
    "printf '%-999999999s' 1",
    "printf '%.999999999f' 1",
    "printf '%.999999999d' 1",
    "printf '%*d' 999999999 1",
    "printf -v x '%999999999d' 1",
    "printf -v x '%99999999s%99999999s%99999999s' a b c",
    "awk 'BEGIN { printf \"%999999999d\", 1 }'",
    'awk \'BEGIN { x = sprintf("%999999999s", "") }\'',
    "awk 'BEGIN { x = \"x\"; while (1) x = x x }'",
    "awk 'BEGIN { while (1) a[i++] = i }'",
    'awk \'BEGIN { x = sprintf("%099999s", 1); while (1) gsub(/0/, "00", x) }\'',
    "echo x | sed ':a;s/x/xx/g;ta'",
    "echo x | sed ':a;G;H;ba'",
    "yes | sed -n 'H'",
    "yes | sed ':a;N;ba'",
    "x=$(yes)",
    "x=$(cat /dev/urandom)",
    "x=`seq 1000000000000`",
    "mapfile x < <(yes)",
    "readarray -t x < <(seq 1000000000000)",
    "read -d '' x < <(yes)",
    "read -n 999999999 x < <(yes | tr -d '\\n')",
    "cat < <(x=$(yes); echo $x)",
    "yes | sort",
    "yes | tac",
    "yes | tr -d '\\n' | grep a",
    "yes | tr -d '\\n' | sed s/a/b/",
    "yes | tr -d '\\n' | cut -c 1",
    "yes | tr -d '\\n' | while read -r x; do :; done",
    "yes | tail -n 999999999999",
    "cat /dev/zero | tail -c 999999999999",
    "seq 1000000000000 | awk '{ a[NR] = $0 }'",
    "seq 1000000000000 | sort -u",
    "seq 1000000000000 | jq -s length",
    "seq 1000000000000 | shuf",
    "seq 1000000000000 | xargs",
    'eval "$(yes :)"',
    ". <(yes :)",
    'bash -c "$(yes :)"',
    "cat <<E\n$(yes)\nE",
    "x=$(printf 'a%.0s' {1..9999}); y=$x$x$x$x$x$x$x$x$x$x; : <<E\n$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y$y\nE",
    "mkdir {1..200}; touch {1..200}/a; echo /workspace/*/../*/../*/../*",
    "touch {1..200}; echo ./*{,,,,,,,,,}{,,,,,,,,,}{,,,,,,,,,}",
    "touch {1..200}; set -- *; while :; do set -- $(printf '* %.0s' \"$@\"); done",
]


@pytest.mark.parametrize("script", every(2, present(EXPANSIONS)))
def test_an_expansion_is_charged_before_it_is_made(attack: Attack, script: str) -> None:
    # a text that is new each time is parsed each time, which makes steps dear
    result = attack(script, limits=SMALL.with_(steps=10_000) if "eval" in script else SMALL)
    assert result.limit in (
        "memory_bytes",
        "steps",
        "fields",
        "output_bytes",
        "input_bytes",
        "script_bytes",
        "wall_seconds",
    )
    assert result.exit_status != 0


@pytest.mark.parametrize(
    ("script", "stdout"),
    present(
        [
            ("echo $((2**9999999))", "0\n"),
            ("echo $((3**9999999999))", "-2661479581325256021\n"),
            ("echo $((1<<9999999)) $((1>>64)) $((1<<-1))", "-9223372036854775808 1 -9223372036854775808\n"),
            ("echo $((-9223372036854775807-1)) $(( (-9223372036854775807-1) / -1 ))", None),
            ("echo $(( (-9223372036854775807-1) % -1 ))", "0\n"),
            ("echo $((9223372036854775807+1))", "-9223372036854775808\n"),
            ("x=1; for i in {1..200}; do x=$((x*x+i)); done; echo ${#x} | grep -c .", "1\n"),
            ("a[9223372036854775807]=1; echo ${#a[@]} ${!a[@]}", "1 9223372036854775807\n"),
            ('a[4611686018427387904]=x; echo "${a[@]:0:5}" "${a[-1]}"', "x x\n"),
            ("x=abc; echo ${x:0:9223372036854775807} ${x:1:99999}", "abc bc\n"),
            (
                "head -n 99999999999999999999 < /dev/null; head -c 9223372036854775807 < /dev/null; echo ok",
                "ok\n",
            ),
            ("echo abc | cut -c 1-999999999999; echo abc | cut -b 9999999999-", "abc\n\n"),
            ("echo abc | fold -w 9999999999", "abc\n"),
            ("echo abc | tail -n 9999999999999; echo abc | tail -c +9999999999999", "abc\n"),
            ("printf '%5d|%-5s|%.2f\\n' 1 a 1.5", "    1|a    |1.50\n"),
            ("awk 'BEGIN { x = 2 ^ 1024; print x ^ 1024 }'", None),
            ("awk 'BEGIN { print substr(\"abc\", -1e300, 1e301); $1000 = 1; print NF }'", "abc\n1000\n"),
            ('awk \'BEGIN { print index("a", ""), split("", a), int(-0.5) }\'', "1 0 0\n"),
            ("echo {1..5} {a,b}{1,2}", "1 2 3 4 5 a1 a2 b1 b2\n"),
            ("x=x; for i in {1..10}; do x=$x$x; done; echo ${#x}", "1024\n"),
            ("seq 1000 | tail -n 1; yes | head -n 1; printf 'a%.0s' {1..5}; echo", "1000\ny\naaaaa\n"),
            ("x=$(head -c 100000 /dev/zero | tr '\\0' a); echo ${#x}", "100000\n"),
        ]
    ),
)
def test_a_large_number_is_no_bomb(attack: Attack, script: str, stdout: str | None) -> None:
    result = attack(script)
    assert result.limit is None
    assert stdout is None or result.stdout == stdout, result.stderr


# --------------------------------------------------------------------------- DOS-5: one utility, huge work


@pytest.mark.parametrize(
    "script",
    present(
        [
            "yes",
            "cat /dev/zero",
            "cat /dev/urandom",
            "head -c 10G /dev/zero",
            "head -c 9223372036854775807 /dev/zero",
            "seq 1000000000000",
            "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done",
            "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa >&2; done",
            "while :; do nosuch; done",
            "set -x; while :; do : aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done",
            "set -v; eval 'while :; do nosuch; done'",
            "yes | cat -n",
            "yes >&2",
            "jq -n 'repeat(1)'",
            "jq -n 'range(1e9)'",
            "awk 'BEGIN { while (1) print 1 }'",
            "while :; do cat nosuch; done",
        ]
    ),
)
def test_output_is_cut(attack: Attack, script: str) -> None:
    result = attack(script, limits=SMALL.with_(output_bytes=10_000))
    assert result.limit == "output_bytes"
    assert result.exit_status != 0
    assert result.truncated
    assert len(result.stdout_bytes) + len(result.stderr_bytes) <= 10_000


def test_output_that_just_fits(attack: Attack) -> None:
    result = attack("head -c 10000 /dev/zero", limits=SMALL.with_(output_bytes=10_000))
    assert (len(result.stdout_bytes), result.limit, result.truncated) == (10_000, None, False)


@pytest.mark.parametrize(
    "script",
    present(
        [
            "head -c 10G /dev/zero | wc -c",
            "head -c 10G /dev/zero | md5sum",
            "head -c 10G /dev/zero | base64 | tail -c 1",
            "cat /dev/zero | tr '\\0' a | tr -d a",
            "dd if=/dev/zero of=/dev/null bs=1G count=100",
            "awk 'BEGIN { $999999999 = 1 }'",
            "seq 100000 | sort -R | sort | uniq -c | sort -rn | head -n 1; while :; do seq 9999 | sort | tail -n 1; done > /dev/null",
        ]
    ),
)
def test_much_work_in_one_pipeline_ends(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.exit_status != 0
    assert result.limit is not None or result.stderr


# --------------------------------------------------------------------------- DOS-6: jq and awk


@pytest.mark.parametrize(
    "program",
    every(4, [
        "[range(1e9)]",
        "def f: f; f",
        "def f: [f]; f",
        "[limit(1e9; repeat(1))]",
        "reduce range(1e9) as $i (0; . + 1)",
        'reduce range(1e6) as $i ("x"; . + .)',
        '"x" * 1e10',
        "[range(1e6)] | combinations(9)",
        "[recurse([.])] | length",
        "last(range(1e12))",
        "[.[] = 1] | until(false; .)",
        "null | [while(true; .)]",
        '[splits("a"; "a")] | input',
        "label $x | repeat(.)",
        '{} | .["a"] |= last(repeat(1))',
        "1 as $x | [$x, $x + 1] | walk(.[0])| f",
    ]),
)  # fmt: skip
def test_jq_ends(attack: Attack, program: str) -> None:
    result = attack(f"jq -n '{program}' > /dev/null", limits=SMALL.with_(wall_seconds=0.1))
    assert result.exit_status != 0
    assert result.limit is not None or result.stderr


@pytest.mark.parametrize(
    "script",
    present(
        [
            "jq -n 'reduce range(20000) as $i (null; [.])' > /dev/null",
            "printf '[%.0s' {1..15000} | jq .",
            "{ printf '[%.0s' {1..9000}; printf ']%.0s' {1..9000}; } | jq -c . > /dev/null",
            "jq -n \"$(printf '1+%.0s' {1..5000})1\" > /dev/null",
            "jq -n \"$(printf '[%.0s' {1..5000})$(printf ']%.0s' {1..5000})\" > /dev/null",
            "jq -n \"$(printf '(%.0s' {1..9000})1$(printf ')%.0s' {1..9000})\" > /dev/null",
            "jq -n \"$(printf 'if 1 then %.0s' {1..3000})1$(printf ' end%.0s' {1..3000})\" > /dev/null",
            "jq -n '[recurse(if . < 100000 then . + 1 else empty end)]' > /dev/null",
            'jq -n \'"\\("\\("\\(1)")")"\' > /dev/null',
            'jq -n \'[limit(100000; repeat("a"))] | join("") | explode | implode\' > /dev/null',
            "jq -n '\"1\" * 100000 | tonumber' > /dev/null",
            "jq -n '1e1000, -1e1000, nan, infinite | tostring' > /dev/null",
            "jq -n '[range(100000)] | sort_by(-.) | group_by(. % 10) | length' > /dev/null",
            'jq -n \'@base64d "////", ("\\u0000" | @uri)\' > /dev/null',
            "jq -n 'def f(x): x | f(x); f(1)' > /dev/null",
            "jq -n 'input' < /dev/null",
            "jq --seq . < /dev/zero > /dev/null",
            "jq -n '$__prog_args' > /dev/null",
        ]
    ),
)
def test_jq_survives(attack: Attack, script: str) -> None:
    attack(script, limits=SMALL.with_(wall_seconds=0.4))
    assert attack("jq -n '1 + 1'").stdout == "2\n"


def test_jq_works_again_after_it_was_killed(attack: Attack) -> None:
    for _ in range(3):
        assert attack("jq -n 'def f: f; f'", limits=Limits(wall_seconds=0.2)).limit == "wall_seconds"
        assert attack("jq -nc '[range(3)]'").stdout == "[0,1,2]\n"


# --------------------------------------------------------------------------- scripts that run themselves


@pytest.mark.parametrize(
    "text",
    every(3, [
        "#!/usr/bin/env",
        "#!/usr/bin/env -i",
        "#!/usr/bin/env ./h.sh",
        "#!/usr/bin/env -S ./h.sh",
        "#!/usr/bin/env -S -i ./h.sh",
        "#!/usr/bin/env -S env ./h.sh",
        "#!/usr/bin/env bash\n./h.sh",
        "#!/usr/bin/busybox env",
        "#!/usr/bin/nice",
        "#!/usr/bin/nohup",
        "#!/usr/bin/setsid",
        "#!/usr/bin/stdbuf -o0",
        "#!/usr/bin/time",
        "#!/usr/bin/timeout 5",
        "#!/usr/bin/xargs",
        '#!/usr/bin/awk BEGIN { system("./h.sh") }',
        '#!/bin/sh\nexec "$0"',
        "#!/bin/sh\nexec env ./h.sh",
        '#!/bin/bash\neval "exec $0 x"',
        "#!/bin/bash\n. ./h.sh",
        "#!/bin/bash\n$($0)",
        "#!/bin/bash\ncommand_not_found_handle() { exec ./h.sh; }; nosuch",
    ]),
)  # fmt: skip
def test_a_script_that_runs_itself_ends(text: str) -> None:
    shell = Shell(files={"h.sh": text + "\n"}, limits=Limits(wall_seconds=60.0))  # it never ended
    result = shell.run("./h.sh < /dev/null")
    assert result.limit in ("call_depth", "processes"), (result.exit_status, result.stderr)
    assert result.defect is None


def test_interpreters_of_interpreters_are_counted_as_linux_counts_them() -> None:
    files = {f"{number}": f"#!./{number + 1}\n" for number in range(1, 6)} | {"6": "#!/bin/echo\n"}
    shell = Shell(files=files)
    assert shell.run("./2").stdout.split() == ["./6", "./5", "./4", "./3", "./2"]
    assert "Too many levels of symbolic links" in shell.run("./1").stderr

"""TM-DOS 4, TM-INJ 1: a value that should be a number, and is something else, is never a defect."""

from __future__ import annotations

import pytest

from sandhook import Shell
from sandhook.limits import Limits

#: ``str.isdigit`` accepts some of them, and ``int`` refuses some of those.
NUMBERS = {
    "nines": "9" * 5000,
    "negative": "-" + "9" * 5000,
    "zeros": "0" * 5000 + "1",
    "hexadecimal": "0x" + "f" * 5000,
    "superscript": "\u00b2",
    "mixed": "1\u00b2",
    "arabic": "\u0663",
    "overflow": "9223372036854775808",
    "base": "64#" + "z" * 5000,
    "byte": "1\udcff",
    "nan": "nan",
    "underscore": "1_000",
}

PLACES = [
    "FUNCNEST=$n; f() { g; }; g() { :; }; f",
    "disown $n; disown %$n; kill $n; kill %$n; kill -$n 1; wait $n; wait %$n; fg $n; bg %$n; jobs $n",
    "BASH_XTRACEFD=$n; set -x; :",
    "exec {n}>&-; exec {n}<&-",
    "coproc c { :; }; c=($n $n); c_PID=$!; wait; echo",
    "SECONDS=$n bash -c :; SHLVL=$n bash -c :; (export SHLVL=$n; exec bash -c :)",
    'eval "echo ~+$n ~-$n ~$n"; pushd +$n; popd -$n; dirs +$n',
    'eval "$n> f"; eval ": $n>&1"; eval ": >&$n"; : > /dev/fd/$n; : >&$n',
    'echo "x:x:$n:$n::/:/" >> /etc/passwd; echo "x:x:$n:agent" >> /etc/group; ls -l; id; id x; chown x f; groups; echo ~x',
    'echo "#$n" > h; echo a >> h; HISTFILE=h; history -r h; HISTTIMEFORMAT=%c; history; history $n; history -d $n; fc -l $n',
    "ulimit -n $n; ulimit -c $n; umask $n; umask u=$n",
    "OPTIND=$n; getopts a o -a; shift $n; f() { return $n; }; f; for i in 1; do break $n; done",
    "read -t $n x < /dev/null; read -n $n x < /dev/null; read -u $n x; TMOUT=$n; read x < /dev/null",
    "mapfile -n $n -O $n -s $n -c $n a < /dev/null",
    "printf %d \"$n\"; printf %x \"$n\"; printf \"%${n}d\" 1; printf '%*d' \"$n\" 1; printf %f \"$n\"; printf '%(%c)T' \"$n\"",
    "a[$n]=1; echo ${a[$n]}; a=([$n]=1); unset \"a[$n]\"",
    "echo $((n)) $(($n)) $((1 << n)) $((2 ** n)); let n; [[ n -eq 1 ]]; [ \"$n\" -eq 1 ]; declare -i i=$n",
    "x=abcdef; echo ${x:$n} ${x:0:$n} ${x:n:n}; set -- a b; echo ${@:$n}; echo ${!n}",
    'eval "echo {1..$n}" | head -c 9; eval "echo {a..z..$n}"; eval "echo \\$$n \\${#$n}"',
    "select i in a b; do break; done <<< \"$n\"; HISTSIZE=$n; IGNOREEOF=$n; BASH_COMPAT=$n; COLUMNS=$n",
    "PROMPT_DIRTRIM=$n; x='\\w\\D{%'$n'Y}'; echo \"${x@P}\"; TIMEFORMAT=%${n}R; time :",
    "sleep $n; exit $n",
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_text_where_a_number_should_be(place: str) -> None:
    for kind, number in NUMBERS.items():
        result = Shell(limits=Limits(wall_seconds=60.0, steps=300_000), files={"f": "a\n"}).run(
            f"n=$1; shift; {place}", args=(number,)
        )
        assert result.defect is None, (kind, result.defect)
        assert result.limit is None or result.exit_status != 0
        assert "ValueError" not in result.stderr and "Traceback" not in result.stderr


# --------------------------------------------------------------------------- nothing is left

COMMANDS = [
    "coproc { :; }; wait",
    "cat <(echo a); : >(cat)",
    "x=$(echo a); y=`echo b`; echo $x$y",
    "echo a | cat | cat; echo a |& cat",
    "cat <<< a; cat <<E\na\nE\n",
    "echo a > g; cat < g; exec 99< g; exec {n}< g",
    "sleep 1 & wait; (sleep 1) & wait; : | : & wait",
    "trap 'cat <<< t' EXIT; trap 'cat <(echo u)' USR1; kill -USR1 $$",
    ". ./s; source <(echo :); bash s; ./s; exec bash -c 'echo a'",
    "read x <<< a; mapfile y < s; while read i; do cat <<< $i; done <<< a",
    "flock s echo a; timeout 5 cat <<< a; xargs echo <<< a; find . -exec echo {} \\;; env cat <<< a; tee g h i < s",
    "exec 3<&0 4>&1 5>&2; exec 2>&-; echo a >&7; ls; nosuch",
    'awk \'{ print > "o" NR; print | "cat" NR; getline x < "s" }\' s; sed -n \'w o1\' s; sort s s s; paste s s s s',
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("count", [4, 5, 6, 8])
def test_commands_without_free_descriptors(command: str, count: int) -> None:
    files = {"s": "#!/bin/bash\necho s\n"}
    for fill in ("", "while exec {fd}< /dev/null; do :; done 2> /dev/null\n"):
        result = Shell(limits=Limits(open_files=count, wall_seconds=60.0), files=files).run(fill + command)
        assert result.defect is None, result.defect
        assert result.limit is None or result.exit_status != 0


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_without_free_processes_files_or_memory(command: str) -> None:
    limits = Limits(wall_seconds=60.0, processes=8, fs_inodes=40, fs_bytes=4_000, memory_bytes=1 << 20)
    for fill in (
        "for i in {1..6}; do sleep 100 & done\n",
        "for i in {1..100}; do > x$i; done 2> /dev/null; head -c 9000 /dev/zero > q 2> /dev/null\n",
        "printf -v big %1000000s\n",
    ):
        result = Shell(limits=limits, files={"s": "#!/bin/bash\necho s\n"}).run(fill + command)
        assert result.defect is None, result.defect
        assert result.limit is None or result.exit_status != 0


def test_a_coprocess_without_descriptors_is_an_error() -> None:
    result = Shell(limits=Limits(open_files=6)).run("coproc a { :; }; coproc b { :; }; echo $?")
    assert (result.stdout, result.stderr.splitlines()[-1]) == (
        "1\n",
        "bash: line 1: pipe error: Too many open files",
    )
    result = Shell(limits=Limits(open_files=3)).run("echo [<(:)]")
    assert (result.stdout, result.stderr) == (
        "[]\n",
        "bash: line 1: cannot make pipe for process substitution: Too many open files\n",
    )


def test_a_system_without_memory_ends_the_run_at_the_limit() -> None:
    def exhaust(options: object, operands: object, ctx: object) -> int:
        raise MemoryError

    from types import SimpleNamespace

    stuck = SimpleNamespace(RAW=True, run=exhaust, __doc__="stuck: exhaust.")
    result = Shell(utilities={"stuck": stuck}).run("trap 'echo caught' EXIT; stuck || echo caught")
    assert (result.limit, result.defect, result.stdout) == ("memory_bytes", None, "")

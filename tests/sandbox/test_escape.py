"""TM-ESC: no script reaches a file, variable, descriptor, process, socket or signal of the host.

Each attack runs under the tripwire and with the host compared before and after (conftest.py).
@DIR@, @SECRET@ and @SCRIPT@ stand for real names on the host, @PID@ for the real process.
"""

from __future__ import annotations

import os
import socket
import sys

import psutil
import pytest

from sandhook.limits import Limits
from tests.sandbox.conftest import Attack
from tests.sandbox.host import CANARY
from tests.sandbox.tools import present

# --------------------------------------------------------------------------- ESC-1: paths

MISSING = [
    "cat @SECRET@",
    "cat < @SECRET@",
    'x=$(<@SECRET@) && echo "$x"',
    "cat ../../../../../../../../@SECRET@",
    "cat /../../@SECRET@",
    "cat //@SECRET@",
    "cat /workspace/../@SECRET@",
    "cd @DIR@",
    "cd @DIR@/sub/..",
    "CDPATH=@DIR@ cd sub",
    "pushd @DIR@",
    "[ -e @SECRET@ ]",
    "[[ -d @DIR@ ]]",
    "test -r @SECRET@",
    "ls @DIR@",
    "ls -d @SECRET@",
    "find @DIR@",
    "grep -r canary @DIR@",
    "wc -c @SECRET@",
    "head -n 1 @SECRET@",
    "tail -n 1 @SECRET@",
    "sort @SECRET@",
    "sed p @SECRET@",
    "awk 1 @SECRET@",
    "jq . @SECRET@",
    "cut -c 1- @SECRET@",
    "tac @SECRET@",
    "diff @SECRET@ /dev/null",
    "cmp @SECRET@ /dev/null",
    "cp @SECRET@ here",
    "mv @SECRET@ here",
    "ln @SECRET@ here",
    "stat @SECRET@",
    "readlink -e @SECRET@",
    "realpath -e @SECRET@",
    "rm @SECRET@",
    "rm -r @DIR@",
    "rmdir @DIR@/sub",
    "chmod 777 @SECRET@",
    "touch -c @SECRET@; test -e @SECRET@",
    "mkdir @DIR@/new",
    "echo x > @DIR@/new",
    "echo x >> @SECRET@; cat @SECRET@ 2>/dev/null",
    "tee @DIR@/new < /dev/null",
    "cat /etc/shadow",
    "cat /root/.ssh/id_rsa",
    "cat $HOME/.bash_history",
    "mapfile lines < @SECRET@",
    "read -r line < @SECRET@",
    "exec 9< @SECRET@",
    "cat @SECRET@/../secret",
]


@pytest.mark.parametrize("script", present(MISSING))
def test_a_host_path_leads_nowhere(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.stdout == ""
    assert result.exit_status != 0
    assert result.limit is None


@pytest.mark.parametrize(
    ("script", "stdout"),
    present(
        [
            ("echo @DIR@/*", "@DIR@/*\n"),
            ("shopt -s nullglob; echo @DIR@/*", "\n"),
            ("echo /*/../@DIR@/s*", "/*/../@DIR@/s*\n"),
            ("compgen -f @DIR@/s || echo none", "none\n"),
            ("echo ~daemon ~nosuchuser", "~daemon ~nosuchuser\n"),
            ("[ -e /proc/@PID@ ] || echo none", "none\n"),
            ("cat $'/etc\\0/hostname' 2>/dev/null || echo none", "none\n"),
        ]
    ),
)
def test_names_tell_nothing_about_the_host(attack: Attack, script: str, stdout: str) -> None:
    assert attack(script).stdout == attack.host.fill(stdout)


def test_the_hosts_directory_is_not_the_scripts(attack: Attack) -> None:
    result = attack("pwd; ls -A; cd ..; pwd; cd -; echo ~; cd; pwd")
    assert os.getcwd() not in result.stdout
    assert "pyproject.toml" not in result.stdout


@pytest.mark.parametrize(
    ("script", "stdout"),
    present(
        [
            ("cat ../workspace/./a", "A\n"),
            ("cat /workspace//a < /dev/null", "A\n"),
            ("cd /; cat workspace/a", "A\n"),
            ("x=$(<a); echo $x", "A\n"),
            ("echo /workspace/[ab]", "/workspace/a /workspace/b\n"),
            ("[ -e a ] && [[ ! -e c ]] && echo yes", "yes\n"),
            ("CDPATH=/ cd workspace >/dev/null; pwd", "/workspace\n"),
        ]
    ),
)
def test_the_scripts_own_paths_work(attack: Attack, script: str, stdout: str) -> None:
    result = attack(script, files={"/workspace/a": "A\n", "/workspace/b": "B\n"})
    assert (result.stdout, result.exit_status) == (stdout, 0)


# --------------------------------------------------------------------------- ESC-2: links


@pytest.mark.parametrize(
    "script",
    present(
        [
            "ln -s @SECRET@ link && cat link",
            "ln -s @DIR@ link && cat link/secret",
            "ln -s / link && cat link@SECRET@",
            "ln -s ../../../../../.. up && cat up@SECRET@",
            "ln -s @DIR@ link && ls link/",
            "ln -s @DIR@/new link && echo x > link",
            "ln -s a b; ln -s b a; cat a",
            "ln -s self self; cat self/self",
            "ln -s @DIR@ link && cd link",
            "ln -s @DIR@ link && mkdir link/new",
        ]
    ),
)
def test_a_link_stays_inside(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.stdout == ""
    assert result.exit_status != 0


def test_a_link_inside_works(attack: Attack) -> None:
    result = attack("echo x > f; ln -s f l; ln -s l m; cat m; ln -s /workspace d; cat d/f")
    assert (result.stdout, result.exit_status) == ("x\nx\n", 0)


# --------------------------------------------------------------------------- ESC-3: /proc, /dev, descriptors


@pytest.mark.parametrize(
    "script",
    present(
        [
            "cat /proc/@PID@/environ",
            "cat /proc/@PID@/cmdline",
            "cat /proc/1/cmdline",
            "cat /proc/self/root/@SECRET@",
            "cat /proc/self/cwd/pyproject.toml",
            "ls /proc/self/cwd/.git",
            "cat /dev/mem",
            "cat < /dev/tty",
            "echo x > /dev/tty",
            "cat <&5",
            "echo x >&7",
            "cat /dev/fd/9",
            "cat /proc/self/fd/9",
            "exec 3<>/dev/tcp/127.0.0.1/@PORT@ && cat <&3",
            "echo x > /dev/tcp/127.0.0.1/@PORT@",
            "cat < /dev/udp/127.0.0.1/@PORT@",
        ]
    ),
)
def test_a_device_gives_nothing_of_the_host(attack: Attack, script: str) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        result = attack(script.replace("@PORT@", str(server.getsockname()[1])))
        with pytest.raises(BlockingIOError):
            server.accept()
    assert result.stdout == ""
    assert result.exit_status != 0


def test_no_descriptor_is_inherited(attack: Attack) -> None:
    with open(attack.host.secret) as secret:
        number = secret.fileno()
        os.set_inheritable(number, True)
        result = attack(f"cat <&{number} || cat /dev/fd/{number} || cat /proc/self/fd/{number}")
    assert (result.stdout, result.exit_status) == ("", 1)


@pytest.mark.parametrize(
    ("script", "stdout"),
    present(
        [
            ("cat /dev/stdin", "input\n"),
            ("cat <&0", "input\n"),
            ("read x < /dev/fd/0; echo $x", "input\n"),
            ("echo a > /dev/stdout; echo b > /dev/fd/1", "a\nb\n"),
            ("exec 5>&1; echo a >&5; exec 5>&-; echo b >&5", "a\n"),
            ("cat /proc/self/environ | tr '\\0' '\\n' | grep -c CANARY", "0\n"),
        ]
    ),
)
def test_the_runs_own_descriptors_work(attack: Attack, script: str, stdout: str) -> None:
    assert attack(script, stdin=b"input\n").stdout == stdout


# --------------------------------------------------------------------------- ESC-4: environment


@pytest.mark.parametrize(
    "script",
    present(
        [
            "env",
            "printenv",
            "export -p",
            "declare -p",
            "declare -x",
            "set",
            "compgen -v",
            "echo ${!S*} ${!P*}",
            'echo "$SANDHOOK_CANARY"',
            'printenv SANDHOOK_CANARY; env | grep CANARY; echo "${SANDHOOK_CANARY-unset}"',
            "awk 'BEGIN { for (k in ENVIRON) print k, ENVIRON[k] }'",
            "jq -n 'env, $ENV'",
            "jq -nc '[env.SANDHOOK_CANARY, $ENV.SANDHOOK_CANARY, ($ENV | length)]'",
            "( env ); bash -c env; sh -c 'echo $SANDHOOK_CANARY'; xargs env < /dev/null",
            "cat /proc/self/environ",
        ]
    ),
)
def test_variables_of_the_host_are_unseen(
    attack: Attack, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A machine may have the values that the sandbox has. Each is marked, and an attack must never show the mark.
    for name in ("HOME", "PATH", "USER", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, f"{os.environ.get(name, '')}{os.pathsep}{CANARY}")
    shown = attack(script).stdout
    assert "SANDHOOK_CANARY=" not in shown
    assert os.environ["PYTEST_CURRENT_TEST"] not in shown


@pytest.mark.parametrize(
    "script",
    present(
        [
            "env | grep ^MINE",
            "printenv -0 MINE | tr '\\0' '\\n' | sed s/^/MINE=/",
            "jq -nr '\"MINE=\" + env.MINE'",
        ]
    ),
)
def test_variables_of_the_run_are_seen(attack: Attack, script: str) -> None:
    assert attack(script, env={"MINE": "yes"}).stdout == "MINE=yes\n"


# --------------------------------------------------------------------------- ESC-5: commands

HOST_PROGRAM = [
    "@PYTHON@ -c 'print(1)'",
    "python3 -c 'print(1)'",
    "perl -e 'print 1'",
    "@SCRIPT@",
    "exec @PYTHON@ -c 'print(1)'",
    "command @PYTHON@ -c 'print(1)'",
    "builtin python3",
    "env @PYTHON@ -c 'print(1)'",
    "env -i python3 -c 'print(1)'",
    "echo print | xargs @PYTHON@ -c",
    "hash -p @PYTHON@ snake && snake -c 'print(1)'",
    "enable -f /lib/x86_64-linux-gnu/libc.so.6 printf2",
    "printf '#!@PYTHON@\\nprint(1)\\n' > x; chmod +x x; ./x",
    "printf '#!/usr/bin/env python3\\nprint(1)\\n' > x; chmod +x x; ./x",
    "PATH=/usr/bin:/bin:$PATH python3 -c 'print(1)'",
    "timeout 1 @PYTHON@ -c 'print(1)'",
    "nohup @PYTHON@ -c 'print(1)'",
    "find . -exec @PYTHON@ -c 'print(1)' {} +",
    "/proc/self/exe -c 'print(1)'",
    "coproc @PYTHON@ -c 'print(1)'; wait $COPROC_PID",
    "(@PYTHON@ -c 'print(1)')",
    "gcc --version",
    "curl file://@SECRET@",
    "wget -q -O - file://@SECRET@",
    "ssh localhost",
    "sudo id",
    "node -e 'console.log(1)'",
    "hg --version",
    "osascript -e 1",
    "cmd.exe /c ver",
    "powershell -Command 1",
]


@pytest.mark.parametrize("script", present(HOST_PROGRAM))
def test_a_program_of_the_host_is_not_run(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.stdout == ""
    assert result.exit_status != 0


def test_the_built_in_programs_are_found_by_every_name(attack: Attack) -> None:
    result = attack("/bin/echo a; /usr/bin/printf 'b\\n'; command echo c; env echo d; echo e | xargs echo")
    assert (result.stdout, result.exit_status) == ("a\nb\nc\nd\ne\n", 0)


def test_a_script_of_the_run_is_run(attack: Attack) -> None:
    result = attack("printf '#!/bin/bash\\necho \"$0 $1\"\\n' > x; chmod +x x; ./x y")
    assert (result.stdout, result.exit_status) == ("./x y\n", 0)


# --------------------------------------------------------------------------- ESC-6: sourced files


@pytest.mark.parametrize(
    "script",
    present(
        [
            ". @SCRIPT@",
            "source @SCRIPT@",
            "bash @SCRIPT@",
            "sh @SCRIPT@",
            "PATH=@DIR@ . script.sh",
            "bash < @SCRIPT@",
        ]
    ),
)
def test_a_script_of_the_host_is_not_read(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.stdout == ""
    assert result.exit_status != 0


@pytest.mark.parametrize("name", ["BASH_ENV", "ENV", "PROMPT_COMMAND", "INPUTRC", "HISTFILE"])
def test_start_up_files_are_inert(attack: Attack, name: str) -> None:
    result = attack("echo ok; bash -c 'echo inner'", env={name: attack.host.script.as_posix()})
    assert result.stdout == "ok\ninner\n"


def test_history_is_empty(attack: Attack) -> None:
    assert CANARY not in attack("history; fc -l; HISTFILE=@SECRET@ history -r; history").stdout


# --------------------------------------------------------------------------- ESC-7: temporary files


@pytest.mark.parametrize(
    ("script", "stdout"),
    present(
        [
            ("cat <<E\nhi\nE", "hi\n"),
            ("cat <<< hi", "hi\n"),
            ("cat <(echo hi)", "hi\n"),
            ("echo hi | tee >(cat >&2) ", "hi\n"),
            ('f=$(mktemp) && echo hi > "$f" && cat "$f"', "hi\n"),
            ("seq 3000 | sort -rn | head -n 1", "3000\n"),
            ("echo b > f; sed -i s/b/hi/ f; cat f", "hi\n"),
        ]
    ),
)
def test_nothing_needs_a_file_of_the_host(attack: Attack, script: str, stdout: str) -> None:
    assert attack(script).stdout == stdout


# --------------------------------------------------------------------------- ESC-8: tools with hidden powers


@pytest.mark.parametrize(
    "script",
    present(
        [
            "echo x | sed '1e cat @SECRET@'",
            "echo 'cat @SECRET@' | sed 's/^/ /e'",
            "echo x | sed -n 'r @SECRET@'",
            "echo x | sed -n 'R @SECRET@'",
            "echo x | sed -n 'w @DIR@/new'",
            "echo x | sed -n 's/x/y/w @DIR@/new'",
            "sed -f @SECRET@ < /dev/null",
            "sed -i s/c/d/ @SECRET@",
            "awk 'BEGIN { system(\"cat @SECRET@\") }'",
            "awk 'BEGIN { \"cat @SECRET@\" | getline x; print x }' | grep .",
            "awk 'BEGIN { while ((getline x < \"@SECRET@\") > 0) print x }'",
            "awk 'BEGIN { print 1 > \"@DIR@/new\" }'",
            "awk -f @SECRET@",
            "awk '@include \"@SECRET@\"'",
            "awk '@load \"filefuncs\"; BEGIN { print 1 }'",
            "awk 'BEGIN { s = \"/inet/tcp/0/127.0.0.1/22\"; if ((s |& getline x) > 0) print x }'",
            "find . -fprintf @DIR@/new x",
            "find @DIR@ -name secret -delete",
            "find -files0-from @SECRET@",
            "xargs -a @SECRET@ echo",
            "echo b | sort -o @DIR@/new",
            "echo b | sort --compress-program=@PYTHON@ -S 1b -T @DIR@ -o /dev/null /nosuch",
            "sort --files0-from=@SECRET@",
            "wc --files0-from=@SECRET@",
            "grep -f @SECRET@ /dev/null",
            "date -f @SECRET@",
            "date -r @SECRET@",
            "touch -r @SECRET@ x",
            "split -l 1 @SECRET@",
            "tar cf x.tar @SECRET@",
            "tar tf @SECRET@",
            "tar -cf x.tar -C @DIR@ secret",
            "tar --to-command=@PYTHON@ -xf /dev/null",
            "tar -I @PYTHON@ -tf /dev/null",
            "tar -cf @DIR@/new /dev/null",
            "gzip -c @SECRET@",
            "gzip -dc @SECRET@",
            "xz -dc < @SECRET@",
            "patch -i @SECRET@ -s",
            "patch -d @DIR@ -s < /dev/null",
            "diff -u /dev/null @SECRET@",
            "cmp @SECRET@ /dev/null",
            "dd if=@SECRET@",
            "echo x | dd of=@DIR@/new",
            "join @SECRET@ /dev/null",
            "hexdump -C @SECRET@ | grep .",
            "hexdump -f @SECRET@ /dev/null",
            "mkfifo @DIR@/new",
            "bc @SECRET@ < /dev/null",
            "envsubst < @SECRET@",
            "shuf @SECRET@",
            "shuf --random-source=@SECRET@ -i 1-9",
            "shuf -e x -o @DIR@/new",
            "strings @SECRET@",
            "expand @SECRET@",
            "tsort @SECRET@",
            "echo x | split - @DIR@/new",
            "echo x | split --filter='exec @PYTHON@ -c 1'",
            "diff --from-file=@SECRET@ /dev/null",
            "comm @SECRET@ /dev/null",
            "paste @SECRET@",
            "base64 @SECRET@",
            "sha256sum @SECRET@",
            "od -c @SECRET@",
            "xxd @SECRET@",
            "cat --no-such-option",
            "sort --no-such-option",
            "jq --no-such-option . /dev/null",
        ]
    ),
)
def test_a_tool_reaches_no_host_file(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.stdout == ""
    powerless = script.startswith(
        (
            "echo x | sed -n 'r",
            "echo x | sed -n 'R",
            "awk 'BEGIN { while",
            "awk 'BEGIN { s =",
            "awk 'BEGIN { system",
        )
    )
    assert result.exit_status != 0 or powerless, result.stderr  # a missing file is no error there


# --------------------------------------------------------------------------- ESC-9: jq


@pytest.mark.parametrize(
    "program",
    [
        'import "secret" as $x {search: "@DIR@"}; $x',
        'include "secret" {search: "@DIR@"}; .',
        'import "a" as a; 1',
        '"a" | modulemeta',
    ],
)
def test_jq_has_no_modules(attack: Attack, program: str) -> None:
    result = attack(f"jq -n '{program}'")
    assert result.stdout == ""
    assert result.exit_status != 0


@pytest.mark.parametrize(
    "options",
    [
        "-f @SECRET@",
        "--slurpfile x @SECRET@ '$x'",
        "--rawfile x @SECRET@ '$x'",
        "--argfile x @SECRET@ '$x'",
        "-L @DIR@ 'include \"x\"; 1'",
    ],
)
def test_jq_reads_no_host_file(attack: Attack, options: str) -> None:
    result = attack(f"jq -n {options}")
    assert result.stdout == ""
    assert result.exit_status != 0


def test_jq_writes_to_the_runs_own_stderr(attack: Attack, capfd: pytest.CaptureFixture[str]) -> None:
    attack("jq -n '1 | debug | stderr | halt_error'")
    assert capfd.readouterr() == ("", "")


def test_jq_start_up_file_is_not_loaded(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    (attack.host.directory / "sub" / ".jq").write_text("def leaked: 1;")
    try:
        monkeypatch.setenv("HOME", str(attack.host.directory / "sub"))
        assert attack("jq -n leaked", limits=Limits()).exit_status == 3
    finally:
        (attack.host.directory / "sub" / ".jq").unlink()


# --------------------------------------------------------------------------- ESC-10: Python underneath


@pytest.mark.parametrize(
    ("script", "stdout"),
    present(
        [
            ("printf '{0.__class__} {x!r}\\n'", "{0.__class__} {x!r}\n"),
            ("printf '%(__class__)T\\n' -1 >/dev/null 2>&1; echo ok", "ok\n"),
            ("__class__=1; __dict__=2; echo $__class__ $__dict__ $__init__.", "1 2 .\n"),
            ("self=1; ctx=2; cls=3; None=4; echo $self$ctx$cls$None", "1234\n"),
            ("declare -A a=([__class__]=1 [__import__]=2); echo ${a[__class__]}${#a[@]}", "12\n"),
            ("echo $((__import__)) $((os + sys))", "0 0\n"),
            ("x=abc; echo ${x//b/\\\\g<0>} ${x/b/\\\\1}", "a\\g<0>c a\\1c\n"),
            ("echo abc | sed 's/b/\\\\g<0>/'", "a\\g<0>c\n"),
            ("echo abc | sed 's/b/\\n/' | head -n 1", "a\n"),
            ("echo abc | awk '{ sub(/b/, \"\\\\g<0>\"); print }' 2>/dev/null | cut -c 1", "a\n"),
            ("printf '%s %s\\n' '%(x)s' '{}'", "%(x)s {}\n"),
            ("eval 'import os'; echo $?", "127\n"),
            ("f() { :; }; f.__globals__ 2>/dev/null; echo $?", "127\n"),
            ('echo "{self.kernel.fs}" \'%s\' "$((1+1))"', "{self.kernel.fs} %s 2\n"),
        ]
    ),
)
def test_python_does_not_show_through(attack: Attack, script: str, stdout: str) -> None:
    assert attack(script).stdout == stdout


@pytest.mark.parametrize(
    "script",
    present(
        [
            "TZ=@SECRET@ date +%Z > /dev/null",
            "TZ=:@SECRET@ printf '%(%Z)T\\n' 0 > /dev/null",
            "export TZ=America/New_York; date > /dev/null; printf '%(%c)T\\n' -1 > /dev/null",
            "LC_ALL=@DIR@ LANG=tr_TR.UTF-8 awk 'BEGIN { print toupper(\"i\") }' > /dev/null",
            "export LC_ALL=de_DE.UTF-8; printf '%.1f\\n' 1,5 > /dev/null",
            "RANDOM=1; echo $RANDOM $SRANDOM > /dev/null; head -c 8 /dev/urandom > /dev/null",
            "TMPDIR=@DIR@ mktemp > /dev/null",
            "PYTHONPATH=@DIR@ PYTHONSTARTUP=@SECRET@ jq -n 1 > /dev/null",
        ]
    ),
)
def test_process_wide_settings_stay(attack: Attack, script: str) -> None:
    attack(script)


# --------------------------------------------------------------------------- ESC-11: signals and process control


@pytest.mark.parametrize(
    "script",
    present(
        [
            "kill -9 @PID@",
            "kill @PPID@",
            "kill -9 1",
            "kill -TERM -- -1",
            "kill -9 0",
            "kill -9 $$",
            "kill -9 $PPID",
            "kill -STOP $$",
            "kill -INT $BASHPID",
            "trap '' TERM INT; kill $$; kill -9 $$",
            "(kill -9 $$); :",
            "sleep 100 & kill -9 $!; wait $!",
            "ulimit -n 1; ulimit -v 1; ulimit -c 0",
            "umask 0; cd /; exec 0<&- 1>&- 2>&-",
            "exit 300",
            "exec true",
            "exec 2>&-; nosuch",
            "suspend",
            "set -m; fg; bg; disown -a",
            "trap 'exit 9' EXIT; exit 300",
            "times > /dev/null; wait; wait 1; wait @PID@",
            "logout",
            "renice 19 @PID@; nice -n 19 true",
            "kill -0 @PID@",
        ]
    ),
)
def test_control_stays_inside(attack: Attack, script: str) -> None:
    assert attack(script).stdout == ""


def test_process_numbers_are_virtual(attack: Attack) -> None:
    own = {str(os.getpid()), str(psutil.Process().ppid())} - {
        "1"
    }  # which a script sees above its shell anyway
    assert own.isdisjoint(attack("echo $$ $PPID $BASHPID; : & echo $!").stdout.split())


def test_a_signal_inside_works(attack: Attack) -> None:
    result = attack("trap 'echo got' USR1; kill -USR1 $$; (kill -9 $BASHPID); echo $?; exit 3")
    assert (result.stdout, result.exit_status) == ("got\n137\n", 3)


# --------------------------------------------------------------------------- ESC-12: messages


@pytest.mark.parametrize(
    "script",
    present(
        [
            "nosuch",
            "cat nosuch",
            "echo $((1/0))",
            "echo ${x?}",
            "readonly r=1; r=2",
            "if",
            "echo 'a",
            "printf %d x",
            "jq -n 'error(\"x\")'",
            "jq '('",
            "awk '{'",
            "sed 's/'",
            "grep '['",
            "[[ a =~ ( ]]",
            "declare -n a=a; a=1",
            "cd /nosuch",
            "$'\\xff\\xfe'",
            "read -t x",
            "trap x NOSUCH",
            "sort -k 0",
            "date -d nonsense",
            "test 1 -eq x",
            "shift 9; return; break; local x",
            "unset 1a; export 1a=2",
            ". /dev/null/x",
        ]
    ),
)
def test_an_error_tells_nothing_of_the_machine(attack: Attack, script: str) -> None:
    result = attack(script)
    assert sys.prefix not in result.stderr
    assert str(attack.host.directory.parent) not in result.stderr
    assert os.getcwd() not in result.stderr
    assert result.stderr

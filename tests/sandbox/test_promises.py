"""What a host may rely on, one test for each promise (docs/security.md); other files here try the variants.

Promises 12 to 14, about decisions and trust, are in ``tests/hooks/test_promises.py``.
"""

from __future__ import annotations

import asyncio
import functools
import json
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandhook import Shell
from sandhook.hooks import HookEngine, ToolPre
from sandhook.interp.result import Result
from sandhook.limits import Limits
from sandhook.worker.client import NATIVE, POOL
from tests.sandbox.conftest import SMALL, Attack, Host
from tests.sandbox.deadlines import returns_in_time
from tests.sandbox.tools import every

MEBIBYTE = 1 << 20


# --------------------------------------------------------------------------- 1


@pytest.mark.parametrize(
    "script",
    [
        "cat @SECRET@ /proc/@PID@/environ /proc/self/environ; ls @DIR@; cd @DIR@; . @SCRIPT@; @SCRIPT@; echo x > @DIR@/new",
        "env; echo $SANDHOOK_CANARY; awk 'BEGIN { print ENVIRON[\"SANDHOOK_CANARY\"] }'; jq -n '$ENV, env'; printenv",
        "exec 3<> /dev/tcp/127.0.0.1/80; curl http://127.0.0.1; curl file://@SECRET@; wget -qO- http://localhost",
        "kill -9 @PID@ @PPID@ -1; trap '' TERM; umask 777; ulimit -n 1; cd /; export PATH=/x; exec 2>&-; exit 3",
        "TZ=@SECRET@ date; LC_ALL=@SECRET@ sort <<< a; enable -f @SECRET@ x; hash -p @PYTHON@ ls; ls; @PYTHON@ -c 1",
        "find / -fprintf @DIR@/f a; sed -n 'w @DIR@/w' <<< a; tar cf @DIR@/t .; sqlite3 :memory: \"attach '@SECRET@' as a\"",
    ],
)
def test_promise_1_script_text_reaches_nothing_of_the_host(attack: Attack, host: Host, script: str) -> None:
    before = host.listing()
    attack(script)  # refuses opens, processes, sockets and signals, and compares the process before and after
    assert host.listing() == before


# --------------------------------------------------------------------------- 2


def test_promise_2_libjq_runs_in_a_confined_worker_alone() -> None:
    shell = Shell(env={"OWN": "1", "HOME": "/home/agent"}, files={"/home/agent/.jq": "def mine: 42;"})
    result = shell.run("env -i OWN=1 HOME=$HOME jq -nc '$ENV, env, mine'")
    *environments, mine = map(json.loads, result.stdout.splitlines())
    assert (environments, mine) == ([{"OWN": "1", "HOME": "/home/agent"}] * 2, 42)
    printed = shell.run("jq -n 'stderr'").stderr  # the run's own standard error
    assert printed == ("null" if NATIVE else ""), "L-JQ-008"
    assert shell.run("jq -n 'import \"/etc/passwd\" as $x; $x'").exit_status != 0
    assert "jq" not in sys.modules
    assert not [name for name in sys.modules if name.endswith("jq.libjq")]
    (worker,) = POOL._idle[:1]
    assert worker.confinement is not None
    if sys.platform == "linux":
        assert worker.confinement.missing == ()


# --------------------------------------------------------------------------- 3

ENDLESS = "while :; do :; done"
CARRIERS = [
    "{}",
    "({})",
    "x=$({})",
    "{} & wait",
    "{} | cat",
    "cat <({})",
    "f() {{ {}; }}; f",
    "eval '{}'",
    "bash -c '{}'",
    "trap '{}' EXIT",
    "trap '{}' ERR; false",
    "trap '{}' DEBUG; :",
    "trap '{}' USR1; kill -USR1 $BASHPID",
    "coproc {{ {}; }}; wait",
    "command_not_found_handle() {{ {}; }}; nosuch",
    "find . -maxdepth 0 -exec bash -c '{}' \\;",
    "echo a | xargs -I% bash -c '{}'",
    "env bash -c '{}'",
    "timeout 1000 bash -c '{}'",
    "mapfile -C '{}; :' -c 1 x <<< a",
    "PS4='$({})'; set -x; :",
    "x='$({})'; : ${{x@P}}",
]
UTILITIES = [
    "awk 'BEGIN { while (1) ; }'",
    "sed ':a;ba' <<< a",
    "jq -n '[limit(1e12; repeat(1))] | length'",
    "sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c'",
    "yes | grep x",
    "find / -exec true \\; ; while :; do find / > /dev/null 2>&1; done",
]


@pytest.mark.parametrize("script", every(4, [carrier.format(ENDLESS) for carrier in CARRIERS] + UTILITIES))
def test_promise_3_one_budget_covers_everything_and_nothing_catches_it(script: str) -> None:
    shell = Shell(limits=Limits(wall_seconds=0.3, steps=100_000))
    texts = [
        script,
        f"({script}\n); echo caught",
        f"x=$({script}\n); echo caught",
        f"({script}\n) & wait; exit 0",
    ]
    if "trap" not in script:
        texts += [f"{{ {script}\n}} 2> /dev/null || echo caught; echo caught", f"! {{ {script}\n}}; exit 0"]
    for text in texts:
        result = shell.run(text)
        assert result.limit in ("steps", "wall_seconds", "memory_bytes"), (result, result.stderr)
        assert result.exit_status in (124, 137)
        assert "caught" not in result.stdout
        assert result.defect is None


# --------------------------------------------------------------------------- 4


def in_this_thread(run: Callable[[], Result]) -> Result:
    return run()


def in_another_thread(run: Callable[[], Result]) -> Result:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def in_an_event_loop(run: Callable[[], Result]) -> Result:
    async def main() -> Result:
        return run()

    return asyncio.run(main())


@pytest.mark.parametrize("place", [in_this_thread, in_another_thread, in_an_event_loop])
def test_promise_4_a_run_is_back_in_time_and_nothing_runs_on(
    place: Callable[[Callable[[], Result]], Result],
) -> None:
    written: list[bytes] = []
    shell = Shell(limits=Limits(wall_seconds=0.3, steps=10**12, output_bytes=1 << 40))
    scripts = [
        "while :; do echo a; done",
        "(while :; do echo a; done) & sleep 1000",
        "printf %8000000s | tr ' ' a; yes",
    ]

    def run(script: str) -> Result:
        start = time.thread_time()
        result = shell.run(script, stdout=written.append)
        assert time.thread_time() - start < 1.3
        return result

    before = set(threading.enumerate())
    for script in scripts:
        result = place(functools.partial(run, script))
        assert (result.limit, result.exit_status, result.interrupted) == ("wall_seconds", 124, False)
        count = len(written)
        time.sleep(0.05)
        assert len(written) == count
    assert not [each for each in set(threading.enumerate()) - before if each.name != "sandhook-watchdog"]


# --------------------------------------------------------------------------- 5


@pytest.mark.skipif(sys.platform != "linux", reason="measures the process by /proc")
@pytest.mark.parametrize(
    "script",
    every(5, [
        "printf -v x %8000000s; while :; do y=${x// /ab}; z=${x@Q}; done",
        "x=$1; y=${x//?/b} z=${x#$x}; [[ $x == *[ab]* ]]; read -r a b <<< \"$x\"",
        "a=({1..190000}); while :; do b=(\"${a[@]/1/2}\"); y=\"${b[*]}\"; done",
        "a=({1..190000}); for i in {1..250}; do (a+=(x); sleep 5) & done; wait",
        "a=(" + "x " * 400_000 + ")",
        "{\n" + "echo hi $a\n" * 60_000 + "}",
        "x=$(printf ': a;%.0s' {1..9000}); while :; do eval \"$x: $((i++))\"; done",
        "echo $((" + "a+" * 300_000 + "1))",
        "printf -v x %1000000s; [[ a == ${x// /[ab]} ]]",
        "printf -v x %4000000s; printf -v y %b \"${x// /\\\\\\\\}\"; read a b <<< \"${x// /\\\\}\"",
        "yes | head -c 8000000 | sort | tail -n 1; seq 300000 | awk '{ a[NR] = $0 } END { print NR }'",
    ]),
)  # fmt: skip
def test_promise_5_the_host_keeps_breathing_and_needs_little_memory(script: str) -> None:
    from tests.sandbox.measured import measure

    measured = measure(script, {}, b"", Limits(wall_seconds=2.0, steps=10**12))
    assert measured.defect is None
    assert measured.gap < 1.0, f"another thread waited for {measured.gap:.2f} s"
    assert measured.memory < 256 * MEBIBYTE, f"{measured.memory >> 20} MiB"


# --------------------------------------------------------------------------- 6

#: Prints "fine" when every script ended with a result; a crash of the process prints nothing.
CHILD = """
import sys, threading
from sandhook import Limits, Shell
def main():
    for script in sys.stdin.buffer.read().decode("utf-8", "surrogatepass").split("\\0"):
        result = Shell(limits=Limits(wall_seconds=0.3)).run(script)
        assert result.defect is None, (script[:100], result.defect)
threading.stack_size(int(sys.argv[1]))
thread = threading.Thread(target=main)
thread.start()
thread.join()
print("fine")
"""

DEEP = [
    "f() { f; }; f",
    "f() { x=$(f); }; f",
    "f() { (f) | f; }; f",
    "e='eval \"$e\"'; eval \"$e\"",
    "x='${x@P}'; : \"${x@P}\"",
    "trap f DEBUG; f() { f; }; :",
    "PS4='$(f)'; f() { set -x; f; }; f",
    "a='a+1'; echo $((a))",
    "(" * 100_000,
    "$(" * 100_000,
    "{ " * 100_000,
    "if " * 100_000,
    "${x:-" * 100_000,
    "echo $((" + "(" * 100_000,
    "echo $((" + "-" * 300_000 + "1))",
    "[[ " + "( " * 100_000,
    ": " + "{a," * 100_000,
    "shopt -s extglob; [[ a == " + "@(" * 100_000,
    "x=" + "(" * 50_000 + "; [[ a =~ $x ]]",
    "jq -n '" + "[" * 100_000 + "'",
    "jq -n 'def f: [f]; f'",
    "sqlite3 :memory: 'select " + "(" * 50_000 + "'",
    "awk 'BEGIN { print " + "(" * 50_000 + "1 }'",
    "awk 'function f() { return f() } BEGIN { f() }'",
    "find . " + "\\( " * 20_000,
    "sed '" + "{" * 50_000 + "'",
    "grep -E '" + "(" * 20_000 + "'",
    "echo a | grep -P '((?1)a|a)'",
    "bc <<< '" + "(" * 50_000 + "1'",
    "echo \ud800\udfff\udcff",
    "\x00" * 1000,
    "printf '%d %x %f' 1" + "9" * 5000 + " \u00b2 1e400",
    "FUNCNEST=" + "9" * 5000 + "; f() { :; }; f",
]  # fmt: skip


@pytest.mark.parametrize("stack", every(2, [512 * 1024, 8 * MEBIBYTE]))
def test_promise_6_no_script_ends_the_process(stack: int) -> None:
    scripts = "\0".join(script for script in DEEP if "\0" not in script)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(stack)],
        input=scripts.encode("utf-8", "surrogatepass"),
        capture_output=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout.split(), done.stderr[-2000:]) == (0, [b"fine"], b"")


# --------------------------------------------------------------------------- 7

LONG = "printf -v x %20000s; x=${x// /a}b; "
REGEXES = [
    LONG + "[[ $x =~ ^(a+)+$ ]]",
    LONG + "[[ $x =~ ^(a|aa)+$ ]]",
    LONG + "[[ $x == *a*a*a*a*a*a*a*a*c ]]",
    "shopt -s extglob; " + LONG + "[[ ${x:0:2000} == +(+(+(a)))c ]]; [[ ${x:0:200} == !(!(!(a*)))c ]]",
    LONG + "y=${x//*a*a*a*c/}; y=${x##*(a|b)c}",
    LONG + "grep -qE '^(a+)+$' <<< $x; sed -E 's/(a*)*c/x/' <<< $x > /dev/null; awk '/^(a+)+$/' <<< $x",
    LONG
    + "jq -R 'test(\"^(a+)+$\")' <<< ${x:0:2000} > /dev/null; rg '^(a+)+$' <<< $x; expr $x : '\\(a*\\)*c'",
    "[[ a =~ ((a{1000}){1000}){1000} ]]; grep -E '((a{1000}){1000}){1000}' <<< a; rg '((a{1000}){1000}){1000}' <<< a",
    "touch aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; echo *a*a*a*a*a*a*a*a*a*c > /dev/null; find . -name '*a*a*a*a*a*c'",
]


@pytest.mark.parametrize("script", REGEXES)
def test_promise_7_every_pattern_is_linear_or_bounded(script: str) -> None:
    returns_in_time(script, Limits(wall_seconds=1.5))


def test_promise_7_matchers_of_hooks_are_linear() -> None:
    hook = {"type": "command", "command": "exit 2"}
    config = {"hooks": {"PreToolUse": [{"matcher": "^(a+)+$", "hooks": [hook]}]}}
    engine = HookEngine.load(config, "claude_code")
    assert engine.fire(ToolPre("aaa", {})).permission == "deny"
    start = time.thread_time()
    assert engine.fire(ToolPre("a" * 100_000 + "b", {})).permission == "none"
    assert time.thread_time() - start < 1.0


# --------------------------------------------------------------------------- 8


@pytest.mark.parametrize(
    "script",
    every(2, [
        "printf %999999999d 1",
        "printf '%*s' 999999999 a",
        "printf -v x '%.999999999f' 1",
        "printf -v x %8192s; date \"+${x// /%4096Y}\"",
        "x=a; while :; do x=$x$x; done",
        "x=a; while :; do x=${x//a/aaaaaaaaaa}; done",
        "a=(x); while :; do a+=(\"${a[@]}\"); done",
        "echo {1..999999999}; echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "declare -A m; printf -v k %500000s; while :; do m[$k$((i++))]=; done",
        "declare -A m; printf -v x %300000s; x=${x// /\\$x}; m[a]=1; unset \"m[$x]\"",
        "awk 'BEGIN { printf \"%999999999d\", 1 }'",
        "awk 'BEGIN { $100000000 = 1 }'",
        "dd if=/dev/zero bs=1G count=1 | cat > /dev/null",
        "truncate -s 10G f; head -c 10G /dev/zero > g",
        "read -N 999999999 x < <(yes); x=$(< /dev/zero)",
        "mapfile x < <(yes)",
    ]),
)  # fmt: skip
def test_promise_8_sizes_are_checked_before_allocation(script: str) -> None:
    limits = Limits(memory_bytes=2 * MEBIBYTE, fs_bytes=MEBIBYTE, wall_seconds=20.0, fields=20_000)
    shell = Shell(limits=limits)
    shell.run(":")
    tracemalloc.start()
    result = shell.run(script)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.defect is None
    assert result.limit in ("memory_bytes", "fields", "fs_bytes") or "No space left" in result.stderr, result
    assert peak < 24 * MEBIBYTE, f"{peak >> 20} MiB"


def test_promise_8_integers_have_64_bits() -> None:
    result = Shell().run(
        "echo $((2**9999999)) $((1 << 64)) $((9223372036854775807 + 1)) $((3**40)) $((-7 / 2))"
    )
    assert result.stdout == "0 1 -9223372036854775808 -6289078614652622815 -3\n"


# --------------------------------------------------------------------------- 9


@pytest.mark.parametrize(
    "script", ["yes", "yes >&2", "set -x; while :; do :; done", "while :; do nosuch; done"]
)
def test_promise_9_output_is_bounded_and_says_so(script: str) -> None:
    result = Shell().run(script)
    assert len(result.stdout_bytes) + len(result.stderr_bytes) <= 65_536
    assert (result.truncated, result.limit, result.exit_status) == (True, "output_bytes", 137)


def test_promise_9_truncated_output_is_no_decision() -> None:
    allow = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
    command = f"echo '{allow}'; yes ''"
    config = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    decision = HookEngine.load(config, "claude_code").fire(ToolPre("Bash", {"command": "ls"}))
    assert decision.permission != "allow"
    assert decision.could_not_run is not None


# --------------------------------------------------------------------------- 10


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("head -c 2000000 /dev/zero > f", "No space left on device"),
        ("for i in {1..600}; do : > f$i || exit; done", "No space left on device"),
        ("for i in {1..600}; do ln -s x l$i || exit; done", "No space left on device"),
        ("for i in {1..600}; do mkdir d && cd d || exit; done", ""),
        (": > $(printf 'x%.0s' {1..300})", "File name too long"),
        ("ln -s a b; ln -s b a; cat a", "Too many levels of symbolic links"),
        ("while exec {fd}< /dev/null; do :; done", "Too many open files"),
        ("truncate -s 100M s; tar cf - s > t.tar", "No space left on device"),
        ("head -c 900000 /dev/zero | gzip > z.gz; zcat z.gz z.gz > f", "No space left on device"),
        (
            "head -c 900000 /dev/zero > a; tar czf t.tgz a; mkdir o; tar xzf t.tgz -C o",
            "No space left on device",
        ),
    ],
)
def test_promise_10_files_have_quotas(attack: Attack, script: str, message: str) -> None:
    result = attack(script)
    assert message in result.stderr or result.limit in ("fs_bytes", "fs_inodes"), result
    assert result.exit_status != 0 or result.stderr
    freed = Shell(limits=SMALL).run(
        "head -c 900000 /dev/zero > f && rm f && head -c 900000 /dev/zero > g && echo ok"
    )
    assert freed.stdout == "ok\n"


# --------------------------------------------------------------------------- 11


def test_promise_11_state_is_fresh_in_every_run() -> None:
    shell = Shell()
    look = 'echo "${v-} $PWD $- $(umask) $(alias)$(trap)$(declare -F)$(jobs) ${TZ-} ${#IFS} $(shopt -p nullglob)"'
    before = shell.run(look)
    shell.run(
        "export v=1 TZ=x IFS=:; cd /; umask 077; alias a=b; f() { :; }; trap : EXIT USR1; set -u; shopt -s nullglob; sleep 9 &"
    )
    assert shell.run(look).stdout == before.stdout


def test_promise_11_fifty_concurrent_runs_are_independent() -> None:
    gate = threading.Barrier(50)

    def run(number: int) -> tuple[str, str | None]:
        gate.wait()
        script = (
            f"v={number}; echo $v > f; f() {{ echo $v-$1; }}; for i in {{1..50}}; do a[i]=$((v * i)); done; mkdir d{number}; cd d{number}; "
            f'echo "$(f x) ${{a[50]}} $(cat ../f) ${{PWD##*/}} $(echo $v | (read y; echo $y)) $(printf %s $v | sed s/$/z/)"'
        )
        result = Shell(env={"N": str(number)}).run(script)
        return result.stdout, result.limit

    with ThreadPoolExecutor(50) as pool:
        results = list(pool.map(run, range(50)))
    assert results == [(f"{n}-x {50 * n} {n} d{n} {n} {n}z\n", None) for n in range(50)]


# --------------------------------------------------------------------------- 15


@pytest.mark.parametrize(
    ("script", "status", "message"),
    [
        ("frobnicate", 127, "frobnicate: command not found"),
        ("/usr/bin/frobnicate", 127, "/usr/bin/frobnicate: No such file or directory"),
        ("cut --frobnicate", 1, "frobnicate"),
        ("grep --frobnicate a", 2, "frobnicate"),
        ("sort --frobnicate", 2, "frobnicate"),
        ("find . -frobnicate", 1, "frobnicate"),
        ("jq --frobnicate .", 2, "frobnicate"),
        ("jq -n 'frobnicate'", 3, "frobnicate"),
        ("awk 'BEGIN { frobnicate() }'", None, "frobnicate"),
        ("sed 'k'", 1, "unknown command"),
        ("set -o frobnicate", 2, "frobnicate: invalid option name"),
        ("shopt -s frobnicate", 1, "frobnicate: invalid shell option name"),
        ("declare -z x", 2, "-z: invalid option"),
        ("read -z x", 2, "-z: invalid option"),
        ("x=1; echo ${x@Z}", None, "bad substitution"),
        ("enable -f lib x", None, "enable"),
        ("sqlite3 :memory: '.frobnicate'", None, "frobnicate"),
        ("rg --frobnicate a", 2, "frobnicate"),
        ("curl --frobnicate http://x", 2, "frobnicate"),
        ("tar --frobnicate", None, "frobnicate"),
    ],
)
def test_promise_15_what_is_unknown_is_an_error_that_names_it(
    script: str, status: int | None, message: str
) -> None:
    result = Shell().run(script)
    assert message in result.stderr, result
    assert result.exit_status == status if status is not None else result.exit_status != 0

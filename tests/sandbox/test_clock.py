"""Nothing that the shell core does runs past its deadline, and the watchdog ends what does.

The time is that of the processor: a busy machine gives a run less of it before the deadline, never more.
"""

from __future__ import annotations

import asyncio
import ctypes  # noqa: F401  # while a thread spins, the watchdog's first import is slow
import gc
import importlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from sandhook import Cancellation, Shell, UtilityContext, utility
from sandhook.command.context import Context
from sandhook.errors import LimitExceeded
from sandhook.interp.result import Result
from sandhook.kernel import watchdog
from sandhook.limits import Budget, Limits, present_budget
from tests.sandbox.tools import every

WALL = 0.5
#: What a run may take after its deadline, in seconds of processor time.
MARGIN = 0.25

LIMITS = Limits(wall_seconds=WALL, steps=1_000_000_000)


@pytest.fixture(autouse=True)
def without_collections() -> Iterator[None]:
    """Keep the collections of garbage, which the objects of all tests make long, out of the measurements."""
    gc.disable()
    yield
    gc.enable()


#: Attempts that a script has: the processor time of a busy machine is longer, since its caches are shared.
ATTEMPTS = 3


def ends_in_time(script: str, limits: Limits, wanted: Collection[str]) -> None:
    """Run a script, which reaches one of the limits, and in one of the attempts does so in time."""
    shell = Shell(limits=limits)
    shell.run(":")
    for attempt in range(1, ATTEMPTS + 1):
        start = time.thread_time()
        result = shell.run(script)
        seconds = time.thread_time() - start
        assert result.defect is None
        assert result.limit in wanted, (result.exit_status, result.stderr)
        if not result.interrupted and seconds < limits.wall_seconds + MARGIN:
            return
        assert attempt < ATTEMPTS, f"took {seconds:.2f} s; interrupted: {result.interrupted}"


# --------------------------------------------------------------------------- the parser and the compiler

LONG = {
    "lines": "echo hi\n" * 130_000,
    "array": "a=(" + "x " * 500_000 + ")",
    "subscripts": "a=(" + "[1]=x " * 150_000 + ")",
    "arithmetic": "echo $((" + "1+" * 400_000 + "1))",
    "arithmetic of names": "echo $((" + "a+" * 400_000 + "a))",
    "arithmetic of parameters": "echo $((" + "$a+" * 200_000 + "1))",
    "functions": "".join(f"f{i}() {{ echo a; }}\n" for i in range(40_000)),
    "documents": "cat <<E\nhi\nE\n" * 70_000,
    "lines of a document": ": <<E\n" + "$a\n" * 300_000 + "E\n",
    "group": "{\n" + "echo hi\n" * 120_000 + "}",
    "clauses": "case x in\n" + "a) echo;;\n" * 90_000 + "esac",
    "quotes": "echo " + '"$a"' * 200_000,
    "parameters": "echo " + "$a" * 400_000,
    "one quoted word": 'echo "' + "$a " * 300_000 + '"',
    "words": "echo " + 'a "b" ' * 150_000,
    "pipeline": "true" + "|cat" * 200_000,
    "and-or": ":" + " && :" * 200_000,
    "redirections": ": " + ">/dev/null " * 80_000,
    "assignments": "a=1 " * 200_000,
    "defaults": ": " + "${a:-${b}}" * 80_000,
    "backquotes": ": " + "`:`" * 250_000,
    "substitutions": ": " + "$(:)" * 250_000,
    "continued lines": "echo a\\\n" * 120_000,
    "branches": "if :; then :; fi\n" * 60_000,
    "branches of one command": "if false; then :\n" + "elif false; then :\n" * 50_000 + "fi",
    "conditions": "[[ a ]]\n" * 130_000,
    "extended patterns": "shopt -s extglob\n: " + "@(a|b)" * 150_000,
    "aliases": "shopt -s expand_aliases\nalias e='echo hi'\n" + "e\n" * 500_000,
}


@pytest.mark.parametrize("shape", every(4, LONG))
def test_a_long_script_ends_at_its_deadline(shape: str) -> None:
    text = LONG[shape]
    assert len(text) <= LIMITS.script_bytes
    # A fast machine gets through some of them: the deadline comes early, in the parser.
    limits = LIMITS.with_(wall_seconds=0.1, output_bytes=1 << 20)
    # Aliases grow beyond the script, and what is built of many small commands beyond the memory.
    ends_in_time(text, limits, ("wall_seconds", "nesting", "script_bytes", "memory_bytes"))


@pytest.mark.parametrize(
    "script",
    every(
        6,
        [
            """e=':'; for i in {1..2000}; do e="eval '$e'"; done; eval "$e" """,
            "x=; for i in {1..100000}; do x+='1+'; done; while :; do : $((x 1 + RANDOM)) $((${x}1 + RANDOM)); done",
            "x=; for i in {1..60000}; do x+='$y '; done; while :; do eval \": $RANDOM$RANDOM $x\"; done",
            "x=; for i in {1..60000}; do x+='$y '; done; while :; do y=${x@P}; done",
            "x=; for i in {1..30000}; do x+='echo a; '; done; while :; do eval \"f$RANDOM$RANDOM() { $x }\"; done",
            "f() { " + "echo a; " * 30_000 + "}; while :; do declare -f f > /dev/null; done",
            "f() { " + "echo a; " * 30_000 + "}; while :; do x=$(declare -f); done",
            "f() { " + "echo a; " * 30_000 + "}; export -f f; while :; do bash -c : ; done",
            "trap '" + ": $RANDOM; " * 60_000 + "' DEBUG; while :; do :; done",
            "while :; do " + "a0=" * 1 + "1; : $((" + "a+" * 60_000 + "a)); done",
            "a0=1; for i in {1..500}; do printf -v a$i 'a%d+a%d' $((i-1)) $((i-1)); done; echo $((a60))",
            "a0=1; for i in {1..500}; do printf -v a$i 'a%d-a%d' $((i-1)) $((i-1)); done; let a60; echo ${b[a60]}",
            "a0=1; for i in {1..500}; do printf -v a$i 'a%d*a%d' $((i-1)) $((i-1)); done; b[a60]=1",
            "a0=1; for i in {1..500}; do printf -v a$i 'a%d,a%d' $((i-1)) $((i-1)); done; declare -i c; c=a60",
            "a0=1; for i in {1..500}; do printf -v a$i 'a%d|a%d' $((i-1)) $((i-1)); done; [[ a60 -eq 1 ]]",
        ],
    ),
)
def test_text_that_is_parsed_again_and_again_ends_at_the_deadline(script: str) -> None:
    ends_in_time(script, LIMITS.with_(output_bytes=1 << 20), ("wall_seconds",))


def test_a_long_script_runs_and_is_not_kept() -> None:
    """A text that is read unit by unit prints the same as a short one, its faults included."""
    text = "x=0\n" + "x=$((x + 1))\n" * 10_000 + "echo $x\ncat <<E\nhi\nE\necho $_\n"
    result = Shell(limits=LIMITS.with_(wall_seconds=60.0)).run(text)
    assert (result.stdout, result.exit_status, result.limit) == ("10000\nhi\ncat\n", 0, None)
    faulty = Shell().run("#" + "-" * 70_000 + "\necho a\nfi\necho b\n", name="h.sh", from_file=True)
    assert (faulty.stdout, faulty.exit_status) == ("a\n", 2)
    assert faulty.stderr == ("h.sh: line 3: syntax error near unexpected token `fi'\nh.sh: line 3: `fi'\n")
    unended = Shell().run("#" + "-" * 70_000 + "\ncat <<E\nhi\n", name="h.sh", from_file=True)
    assert unended.stdout == "hi\n"
    assert unended.stderr == (
        "h.sh: line 3: warning: here-document at line 2 delimited by end-of-file (wanted `E')\n"
    )


# --------------------------------------------------------------------------- cancelling


@pytest.mark.parametrize("session", [False, True])
def test_a_cancelled_arun_ends_its_run_and_calls_nobody_any_more(session: bool) -> None:
    shell = Shell(limits=Limits(wall_seconds=60.0, steps=1_000_000_000, output_bytes=1 << 40))
    written: list[bytes] = []
    begun = threading.Event()

    def write(data: bytes) -> None:
        written.append(data)
        begun.set()

    async def main() -> None:
        if session:
            task = asyncio.create_task(shell.session().arun("while :; do :; done"))
            await asyncio.sleep(0.05)
        else:
            task = asyncio.create_task(shell.arun("while :; do echo a; done", stdout=write))
            await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        count = len(written)
        assert (await shell.arun("echo free")).stdout == "free\n"  # the lock is free
        assert len(written) == count

    asyncio.run(main())


def test_a_cancelled_run_does_not_wait_for_its_turn() -> None:
    shell = Shell(limits=Limits(wall_seconds=60.0, steps=1_000_000_000))
    first, second = Cancellation(), Cancellation()
    thread = threading.Thread(target=shell.run, args=("while :; do :; done",), kwargs={"cancel": first})
    thread.start()
    second.cancel()
    assert shell.run("echo never", cancel=second).limit == "cancelled"
    assert thread.is_alive()
    first.cancel()
    thread.join(10)
    assert not thread.is_alive()


# --------------------------------------------------------------------------- the watchdog


def hang(seconds: float = 60.0) -> None:
    """Loop in Python as a defect of sandhook would, without a look at the clock."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def swallow() -> None:
    """Hang in code that catches whatever is an Exception."""
    for _ in range(3):
        try:
            hang()
        except Exception:
            continue


def utilities(body: Callable[[], object]) -> dict[str, object]:
    """Return the command ``stuck``, which the watchdog takes for one of sandhook's own."""

    def run(options: None, operands: Sequence[str], ctx: Context) -> int:
        body()
        return 0

    return {"stuck": SimpleNamespace(RAW=True, run=run, __doc__="stuck: hang.")}


@pytest.mark.parametrize("body", [hang, swallow])
@pytest.mark.parametrize(
    "script",
    every(3, [
        "stuck; echo after",
        "x=$(stuck); echo after",
        "trap 'echo after' EXIT; (stuck) || echo after; echo after",
        "echo a | { stuck; echo after; }",
        "{ sleep 1; echo after; } & f() { if stuck; then echo after; fi; }; f",
    ]),
)  # fmt: skip
def test_the_watchdog_ends_a_run_that_does_not_look_at_the_clock(
    monkeypatch: pytest.MonkeyPatch, body: Callable[[], object], script: str
) -> None:
    monkeypatch.setattr(watchdog, "GRACE", 0.02)
    shell = Shell(limits=Limits(wall_seconds=0.4), utilities=utilities(body))
    result = shell.run(script)
    assert (result.limit, result.exit_status, result.interrupted) == ("wall_seconds", 124, True)
    assert result.defect is None
    assert result.stdout == ""
    assert result.duration < 20
    again = shell.run("echo fine")
    assert (again.stdout, again.limit, again.interrupted) == ("fine\n", None, False)


def test_the_watchdog_does_not_interrupt_an_import(monkeypatch: pytest.MonkeyPatch, slow_import: str) -> None:
    """A module is imported to its end; the run that imports it ends after that."""
    monkeypatch.setattr(watchdog, "GRACE", 0.02)

    def body() -> None:
        importlib.import_module(slow_import)
        hang()

    result = Shell(limits=Limits(wall_seconds=0.2), utilities=utilities(body)).run("stuck; echo after")
    assert (result.limit, result.interrupted, result.defect) == ("wall_seconds", True, None)
    assert [sys.modules[name].DONE for name in (slow_import, f"{slow_import}.part")] == [True, True]
    others: list[object] = []
    other = threading.Thread(target=lambda: others.append(importlib.import_module(slow_import)))
    other.start()
    other.join(10)  # the lock of the module is free
    assert others == [sys.modules[slow_import]]


@pytest.fixture
def slow_import(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """Write a package whose import takes half a second in two modules, and return its name."""
    slow = "import time\nend = time.monotonic() + 0.4\nwhile time.monotonic() < end:\n    pass\nDONE = True\n"
    package = tmp_path / "slow_to_import"
    package.mkdir()
    (package / "__init__.py").write_text(f"from . import part\n{slow}")
    (package / "part.py").write_text(slow)
    monkeypatch.syspath_prepend(tmp_path)
    yield package.name
    for name in (package.name, f"{package.name}.part"):
        sys.modules.pop(name, None)


def test_the_watchdog_ends_a_cancelled_run_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "GRACE", 0.02)
    cancel = Cancellation()
    shell = Shell(utilities=utilities(lambda: [cancel.cancel(), hang()]))
    result = shell.run("stuck", cancel=cancel)
    assert (result.limit, result.interrupted) == ("cancelled", True)


def test_the_watchdog_leaves_code_of_the_host_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A callback and a utility of the host are not interrupted; the run ends when they return."""
    monkeypatch.setattr(watchdog, "GRACE", 0.02)
    monkeypatch.setattr(watchdog, "LONGEST_GRACE", 0.1)
    done: list[str] = []

    @utility
    def slow(ctx: UtilityContext) -> None:
        hang(0.4)
        done.append("utility")

    def write(data: bytes) -> None:
        hang(0.4)
        done.append("callback")

    def read(count: int, seconds: float) -> bytes:
        hang(0.4)
        done.append("input")
        return b""

    shell = Shell(limits=Limits(wall_seconds=0.1), utilities=[slow])
    for script in ("slow; echo never", "echo a; echo never", "read x; echo never"):
        result = shell.run(script, stdout=write, stdin=read)
        assert (result.limit, result.interrupted, result.defect) == ("wall_seconds", False, None)
    assert done == ["utility", "callback", "input"]


def grace_of(monkeypatch: pytest.MonkeyPatch, share: float) -> float:
    """Return after how many seconds a run is overdue whose thread gets this share of a processor."""
    now = [1000.0]
    clocks = {"monotonic": lambda: now[0], "process_time": lambda: 50 + share * now[0]}
    monkeypatch.setattr(watchdog, "time", SimpleNamespace(**clocks))
    run = watchdog.WatchedRun(Budget(Limits(wall_seconds=1.0)))
    while not run.is_overdue():
        now[0] += 0.01
        assert now[0] < 1100, "it is never overdue"
    return now[0] - 1000


def test_a_thread_that_hardly_gets_a_processor_has_a_longer_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a thread has no clock of its own: then that of the process counts."""
    assert grace_of(monkeypatch, 1.0) == pytest.approx(watchdog.GRACE, abs=0.05)
    assert grace_of(monkeypatch, 0.05) == pytest.approx(watchdog.GRACE / 0.05, abs=0.5)
    assert grace_of(monkeypatch, 0.0) == pytest.approx(watchdog.LONGEST_GRACE, abs=0.5)


def test_a_run_that_another_limit_ended_has_time_to_unwind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "GRACE", 0.02)

    def unwind() -> None:
        budget = present_budget()
        assert budget is not None
        try:
            budget.fail("memory_bytes")
        finally:
            hang(0.4)

    result = Shell(utilities=utilities(unwind)).run("stuck")
    assert (result.limit, result.interrupted) == ("memory_bytes", False)
    budget = Budget(Limits(wall_seconds=60.0))
    run = watchdog.WatchedRun(budget)
    for limit, unwinds in (("memory_bytes", True), ("wall_seconds", False), ("cancelled", False)):
        budget.exhausted = LimitExceeded(limit, 1)
        assert run._unwinds() is unwinds
    late = Budget(Limits(wall_seconds=1.0))
    late.started -= 2.0
    late.exhausted = LimitExceeded("memory_bytes", 1)
    assert not watchdog.WatchedRun(late)._unwinds()


def test_runs_of_other_threads_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "GRACE", 0.02)
    results: list[Result] = []
    other = threading.Thread(
        target=lambda: results.append(
            Shell(limits=Limits(wall_seconds=30.0)).run("for i in {1..200000}; do :; done")
        )
    )
    other.start()
    stuck = Shell(limits=Limits(wall_seconds=1.0), utilities=utilities(hang)).run("stuck")
    other.join()
    assert stuck.interrupted
    assert [(each.limit, each.exit_status, each.interrupted) for each in results] == [(None, 0, False)]


# --------------------------------------------------------------------------- steps that touch megabytes

X = "printf -v x %8000000s; "
ODD = "printf -v x %4000000s; x=${x// /$'\\001'}; "
ELEMENTS = "a=({1..190000}); "

LARGE_STEPS = [
    f"{ODD} while :; do printf -v y %q \"$x\"; done",
    f"{ODD} while :; do y=${{x@Q}}; done",
    f"{ODD} while :; do y=${{x@E}}; done",
    f"{ODD} while :; do y=${{x@P}}; done",
    f"{ODD} while :; do y=${{x@A}}; done",
    f"{ODD} while :; do y=${{x@K}}; done",
    f"{ODD} while :; do y=${{x@U}}; done",
    f"{ODD} while :; do y=${{x^}}; y=${{x~~}}; y=${{x,,}}; done",
    f"{ODD} while :; do printf -v y '%b' \"$x\"; done",
    f"{ODD} while :; do declare -p x > /dev/null; done",
    f"{ODD} while :; do set > /dev/null; done",
    f"{ODD} while :; do export -p > /dev/null; y=\"$(export -p)\"; done",
    f"{ODD} while :; do : \"${{x@Q}}\" <<< \"$x\"; done",
    f"{X} while :; do : <<< $x; done",
    f"{X} while :; do : <<< \"$x$x\"; done",
    f"{X} while :; do : << E\n$x\nE\ndone",
    f"{X} while :; do y=${{x// /a}}; y=${{x//?/b}}; done",
    f"{X} while :; do y=${{x//[a ]/bb}}; done",
    f"{X} while :; do y=${{x/%?/b}} y=${{x##*a}} y=${{x%%a*}} y=${{x#?}}; done",
    f"{X} while :; do [[ $x == *a*b ]]; [[ $x == +([ ]) ]]; case $x in *[a]*) ;; esac; done",
    f"{X} while :; do [[ $x =~ a$ ]]; [[ $x =~ (.*) ]]; done",
    f"{X} while :; do y=${{x:5}} y=${{x:1:7000000}} y=${{#x}}; done",
    f"{X} while :; do y=$x$x; y+=$x; done",
    f"{X} while :; do set -- $x $x $x; y=\"$*\"; done",
    f"{X} x=${{x// /a }}; while :; do set -- $x; done",
    f"{X} exec 5> /dev/null; BASH_XTRACEFD=5; set -x; while :; do : $x \"$x\"; done",
    f"{X} exec 2> /dev/null; set -x; y=${{x// /a}}; while :; do z=$y; [[ $y = a ]]; case $y in b) ;; esac; done",
    f"{X} f() {{ f $x \"$x\" \"$x\" \"$@\"; }}; f",
    f"{X} while :; do read -r y <<< \"$x\"; done",
    f"{X} while :; do y=$(echo \"$x\"); done",
    f"{X} while :; do mapfile -t b <<< \"$x\"; read -ra b <<< \"$x\"; done",
    f"{X} while :; do trap -- \"$x\" USR1; trap -p > /dev/null; done",
    f"{X} while :; do history -s \"$x\"; done",
    f"{X} while :; do alias e=\"$x\"; alias > /dev/null; done",
    f"{X} while :; do hash -p /bin/x \"$x\"; cd \"$x\"; type \"$x\"; done > /dev/null 2>&1",
    f"{X} while :; do test -e \"$x\"; [ \"$x\" = \"$x \" ]; : > \"$x\"; done 2> /dev/null",
    f"{X} while :; do y=$((x)); ((x + 1)); let x+1; done 2> /dev/null",
    f"{X} while :; do declare -n r=\"$x\"; printf -v \"$x\" a; unset \"$x\"; y=${{!x}}; done 2> /dev/null",
    f"{X} while :; do echo \"$x\" > /dev/null; printf %s \"$x\" > /dev/null; echo -e \"$x\" > /dev/null; done",
    f"{X} IFS=' '; while :; do y=($x); y=\"${{y[*]}}\"; done",
    f"{X} y=${{x// /a }}; while :; do for i in $y; do :; done; done",
    f"{X} while :; do compgen -W \"$x\" a; done",
    "printf -v x '%1000000s'; x=${x// /a }; while :; do complete -W \"$x\" c; compgen -W \"$x\" b; done",
    "printf -v x '%1000000s'; x=${x// /b}; shopt -s expand_aliases; alias a=\"$x\"; while :; do eval 'a 2> /dev/null'; done",
    "printf -v x '%100000s'; x=${x// /%c}; while :; do printf \"%($x)T\" 1 > /dev/null; done",
    "printf -v x '%1000000s'; PS4=$x; exec 2> /dev/null; set -x; while :; do :; done",
    "printf -v x '%1000000s'; x=${x// /\\\\u}; while :; do y=${x@P}; done",
    f"{ELEMENTS} while :; do y=${{!a[@]}}; done",
    f"{ELEMENTS} while :; do b=(\"${{a[@]}}\"); done",
    f"{ELEMENTS} while :; do b=(${{a[@]}}); done",
    f"{ELEMENTS} while :; do y=\"${{a[*]}}\"; y=${{a[@]}}; done",
    f"{ELEMENTS} while :; do y=\"${{a[@]:5}}\"; y=${{#a[@]}}; y=\"${{a[@]: -5}}\"; done",
    f"{ELEMENTS} while :; do b=(\"${{a[@]/1/2}}\"); done",
    f"{ELEMENTS} while :; do b=(\"${{a[@]#1}}\"); b=(\"${{a[@]^^}}\"); done",
    f"{ELEMENTS} while :; do b=(\"${{a[@]@Q}}\"); y=${{a[@]@A}}; y=${{a[@]@K}}; done",
    f"{ELEMENTS} while :; do declare -p a > /dev/null; done",
    f"{ELEMENTS} while :; do set -- \"${{a[@]}}\"; y=$*; y=\"${{*:3}}\"; shift; done",
    f"{ELEMENTS} while :; do for i in \"${{a[@]}}\"; do break; done; done",
    f"{ELEMENTS} while :; do (a[0]=x) & wait; done",
    f"{ELEMENTS} while :; do b=([5]=a); b=(\"${{a[@]}}\" [3]=x); a+=(x); a=(\"${{a[@]:1}}\"); done",
    f"{ELEMENTS} while :; do printf '%s ' \"${{a[@]}}\" > /dev/null; echo \"${{a[@]}}\" > /dev/null; done",
    f"{ELEMENTS} f() {{ local b=(\"${{a[@]}}\"); }}; while :; do f \"${{a[@]}}\"; done",
    "a=({200000..1}); for i in {1..60000}; do unset a[i*3]; a[i*3]=x; y=${a[1]}; z=${!a[*]}; done",
    "declare -A m; for i in {1..60000}; do m[k$i]=$i; done; while :; do y=${!m[@]}; m[x]=1; unset m[x]; done",
    "declare -A m; printf -v k %1000000s; for i in {1..20}; do m[$k$i]=$i; done; while :; do y=${!m[@]}; m[x]=1; unset m[x]; done",
]  # fmt: skip


@pytest.mark.parametrize("script", every(32, LARGE_STEPS))
def test_a_step_is_priced_by_the_bytes_that_it_touches(script: str) -> None:
    limits = ("wall_seconds", "memory_bytes", "fields", "call_depth", "script_bytes")
    ends_in_time(script, LIMITS, limits)


def test_the_watchdog_does_not_sleep_until_the_deadline_that_it_knows() -> None:
    """Another run may begin meanwhile, with a nearer deadline, or a sleep of the script may skip to the end."""
    dog = watchdog.Watchdog()
    dog._runs.add(watchdog.WatchedRun(Budget(Limits(wall_seconds=600.0))))
    assert dog._look() <= 0.1


def test_nothing_of_an_interrupt_is_left_in_the_interpreter() -> None:
    """CPython 3.11 hangs in the next traced call when the flag for a pending exception stays set."""
    script = (
        "import sys, types\n"
        "from sandhook import Shell\n"
        "from sandhook.limits import Limits\n"
        "def hang(options, operands, ctx):\n"
        "    while True: pass\n"
        "stuck = types.SimpleNamespace(RAW=True, run=hang, __doc__='stuck: hang.')\n"
        "Shell().run('ls')\n"  # imports are not what is measured
        "result = Shell(limits=Limits(wall_seconds=0.5), utilities={'stuck': stuck}).run('stuck')\n"
        "assert result.interrupted\n"
        "sys.settrace(lambda *_: None)\n"
        "print((lambda: 'traced')())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("traced\n", "")

"""TM-ISO: runs know nothing of each other, however they are interleaved, and the host stays as it was."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from sandhook.interp.result import Result
from sandhook.limits import Limits
from sandhook.shell import Shell
from tests.sandbox.conftest import SMALL, Attack
from tests.sandbox.host import differences, host_state

#: Changes everything that a run can change.
DIRTY = """\
export LEFT=1 PATH=/nowhere IFS=: TZ=Asia/Tokyo LC_ALL=de_DE.UTF-8 RANDOM=42
cd /; umask 077; set -euo pipefail; shopt -s nullglob extglob expand_aliases
alias echo='printf dirty'; f() { echo dirty; }; trap 'printf dirty' EXIT USR1
printf 'x\\n' > /workspace/left; exec 5> /workspace/open; sleep 1000 > /dev/null 2>&1 & hash -p /x y; declare -A map=([a]=b)
printf dirty > /etc/passwd 2> /dev/null; mkdir -p /new; rm -rf /tmp; jq -n '[1]' > /dev/null
"""

LOOK = """\
printf '%s\\n' "${LEFT-unset}" "$PWD" "$-" "$(umask)" "$(alias)" "$(trap)" "$(jobs)" "$(ls -A)" "${TZ-}" "${LC_ALL-}" "${#IFS}" "$(declare -F)" "$(shopt -p nullglob)"
{ : >&5; } 2>/dev/null && echo open
ls -d /new /tmp 2>&1; echo $$; echo ${map[a]-}
"""


@pytest.fixture(scope="module")
def clean() -> Result:
    return Shell().run(LOOK)


def test_a_new_shell_is_new(attack: Attack, clean: Result) -> None:
    attack(DIRTY)
    after = attack(LOOK, limits=Limits())
    assert (after.stdout, after.stderr) == (clean.stdout, clean.stderr)


def test_a_run_of_the_same_shell_keeps_files_alone(clean: Result) -> None:
    shell = Shell()
    shell.run(DIRTY)
    after = shell.run("printf '%s' \"${LEFT-unset}$-$(umask)$(alias)$(trap)$(declare -F)\"; cat left")
    fresh = Shell(files={"/workspace/left": "x\n"}).run(
        "printf '%s' \"${LEFT-unset}$-$(umask)$(alias)$(trap)$(declare -F)\"; cat left"
    )
    assert after.stdout == fresh.stdout


@pytest.mark.parametrize(
    "bomb",
    [
        "while :; do :; done",
        "x=x; while :; do x=$x$x; done",
        "while :; do echo x; done",
        "f() { f; }; f",
        "sleep 1000",
        "jq -n 'def f: f; f'",
    ],
)
def test_a_spent_budget_is_not_the_next_runs(bomb: str) -> None:
    shell = Shell(limits=SMALL.with_(wall_seconds=0.5))
    assert shell.run(bomb).limit is not None
    result = shell.run("echo ok")
    assert (result.stdout, result.limit, result.exit_status) == ("ok\n", None, 0)


def test_fifty_runs_at_once_see_their_own_world() -> None:
    def one(number: int) -> str:
        shell = Shell(
            env={"MINE": str(number)},
            files={"/workspace/f": f"file {number}\n"},
            limits=Limits(wall_seconds=600),
        )
        script = f"""\
            cd /tmp; export X=$MINE; set -- {number}; f() {{ echo "$1 $MINE $X"; }}
            for i in {{1..20}}; do Y=$((MINE * i)); (exit $((i % 3))) || :; done
            echo "$MINE" > mine; sleep 1; f $1; cat mine /workspace/f; echo $Y
            echo "$MINE" | grep -c "^{number}$"; printf '%s' "$MINE" | jq -c '[., env.MINE]'; pwd
            """
        result = shell.run(script)
        return result.stdout + (
            f"{result.limit} {result.defect!r} {result.stderr}" if result.exit_status else ""
        )

    before = host_state()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(one, range(50)))
    assert found == [f'{n} {n} {n}\n{n}\nfile {n}\n{n * 20}\n1\n[{n},"{n}"]\n/tmp\n' for n in range(50)]
    after = host_state()
    before["children"] = after["children"]  # the pool may have started more workers
    before["descriptors"] = after["descriptors"]
    assert differences(before, after) == []


def test_a_bomb_in_one_thread_does_not_touch_another() -> None:
    limits = Limits(wall_seconds=0.5)
    bombs = [
        "while :; do :; done",
        "x=x; while :; do x=$x$x; done",
        "f() { f; }; f",
        "while :; do echo x; done",
    ] * 2
    with ThreadPoolExecutor(16) as pool:
        bad = [pool.submit(Shell(limits=limits).run, bomb) for bomb in bombs]
        good = [
            pool.submit(Shell(limits=Limits(wall_seconds=60)).run, f"x={n}; sleep 1; echo $((x + 1))")
            for n in range(8)
        ]
        assert [run.result().stdout for run in good] == [f"{n + 1}\n" for n in range(8)]
        assert all(run.result().limit is not None for run in bad)


def test_inside_a_running_event_loop() -> None:
    async def main() -> list[str]:
        direct = Shell().run("sleep 5; echo direct | cat", limits=Limits(wall_seconds=10))
        many = await asyncio.gather(*(Shell(env={"N": str(n)}).arun("echo $N | cat") for n in range(10)))
        return [direct.stdout, *(result.stdout for result in many)]

    assert asyncio.run(main()) == ["direct\n", *(f"{n}\n" for n in range(10))]


def test_the_event_loop_keeps_turning() -> None:
    async def main() -> tuple[int, Result]:
        turns = 0

        async def turn() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0.01)

        task = asyncio.create_task(turn())
        result = await Shell(limits=Limits(wall_seconds=0.5)).arun("while :; do :; done")
        task.cancel()
        return turns, result

    turns, result = asyncio.run(main())
    assert result.limit == "wall_seconds"
    assert turns > 5


def test_a_cancelled_run_ends() -> None:
    async def main() -> None:
        run = asyncio.create_task(Shell(limits=Limits(wall_seconds=0.5)).arun("while :; do :; done"))
        await asyncio.sleep(0.05)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    before = threading.active_count()
    asyncio.run(main())
    assert threading.active_count() <= before + 1


def test_context_variables_and_the_callers_frame_stay() -> None:
    variable: contextvars.ContextVar[int] = contextvars.ContextVar("variable", default=0)
    variable.set(7)
    Shell().run("sleep 0.1 & wait; echo x | cat")
    assert variable.get() == 7
    assert sys.exc_info() == (None, None, None)


def test_on_a_deep_stack_of_the_caller() -> None:
    def deep(levels: int) -> Result:
        return deep(levels - 1) if levels else Shell().run("f() { (($1)) && f $(($1 - 1)); }; f 100; echo ok")

    assert deep(sys.getrecursionlimit() - 400).stdout == "ok\n"


def test_on_a_thread_with_a_small_stack() -> None:
    results: list[Result] = []
    old = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(
            target=lambda: results.append(Shell().run("f() { (($1)) && f $(($1 - 1)); }; f 500; echo ok"))
        )
        thread.start()
    finally:
        threading.stack_size(old)
    thread.join()
    assert results[0].stdout == "ok\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork_of_the_host() -> None:
    Shell().run("jq -n 1")
    pid = os.fork()
    if pid == 0:
        works = Shell().run("echo $((1 + 1)) | jq .").stdout == "2\n"
        os._exit(0 if works else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert Shell().run("echo 3 | jq .").stdout == "3\n"


def test_signal_handlers_of_the_caller_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(signal, "setitimer"):
        pytest.skip("the system has no interval timer")
    got: list[int] = []
    old = signal.signal(signal.SIGALRM, lambda number, frame: got.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        Shell(limits=Limits(wall_seconds=0.3)).run("while :; do :; done")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert got == [signal.SIGALRM]


GUARD = """\
msg=$(printf '%s' "$PAYLOAD" | jq -r .message)
if printf '%s' "$msg" | grep -qiE 'BEGIN (RSA|EC) PRIVATE KEY'; then echo block; else echo allow; fi
f() { local x=$1; echo "${x^^}" > /tmp/out; }; f a & wait; exit 3
"""


def grown(runs: int) -> int:
    """Return by how many bytes the process grew over ``runs`` runs, after as many tenths to warm up."""
    shell_env = {"PAYLOAD": '{"message":"-----BEGIN RSA PRIVATE KEY-----"}'}
    process = psutil.Process()
    for _ in range(runs // 10):
        Shell(env=shell_env).run(GUARD)
    gc.collect()
    before = process.memory_info().rss
    for _ in range(runs):
        assert Shell(env=shell_env).run(GUARD).exit_status == 3
    gc.collect()
    return int(process.memory_info().rss - before)


@pytest.mark.usefixtures("few_objects")
def test_memory_stays_flat() -> None:
    assert grown(400) < 2 << 20


@pytest.mark.slow
def test_memory_stays_flat_for_long() -> None:
    assert grown(10_000) < 4 << 20


@pytest.mark.slow
def test_memory_stays_flat_with_scripts_that_differ() -> None:
    process = psutil.Process()
    for number in range(2_000):
        Shell().run(f"x{number}=1; echo $((x{number} + {number})) | grep {number} | sed s/{number}/y/")
    gc.collect()
    before = process.memory_info().rss
    for number in range(2_000, 8_000):
        Shell().run(f"x{number}=1; echo $((x{number} + {number})) | grep {number} | sed s/{number}/y/")
    gc.collect()
    assert process.memory_info().rss - before < 8 << 20


@pytest.mark.usefixtures("few_objects")
def test_limits_leave_nothing_behind() -> None:
    process = psutil.Process()
    bombs = [
        "x=x; while :; do x=$x$x; done",
        ":(){ :|:& };:; sleep 1000",
        "while :; do echo x; done | sort",
        "f() { f; }; f",
        "sleep 1000 & sleep 1000",
    ]
    for bomb in bombs * 2:
        Shell(limits=SMALL).run(bomb)
    for attempt in range(3):  # a leak grows each time; the allocator's own fragments do not
        gc.collect()
        before = process.memory_info().rss
        for bomb in bombs * 4:
            assert Shell(limits=SMALL).run(bomb).limit is not None
        gc.collect()
        if (growth := process.memory_info().rss - before) < 2 << 20:
            break
        assert attempt < 2, f"grew by {growth} bytes"
    threads = [thread.name for thread in threading.enumerate() if "sandhook" in thread.name.lower()]
    assert threads in ([], ["sandhook-watchdog"])  # one of the process, for all runs

"""The bars that sandhook wants to be under, and how each is measured.

A peer that is not installed leaves its rows without a figure. Figures of one row are taken by turns, see ``run.measure``.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from benchmarks import growth
from benchmarks.run import Figures, measure
from benchmarks.runners import installed, processor_clock
from benchmarks.workloads import Workload, workloads
from sandhook import Shell
from sandhook.confined.serve import preload_everything
from sandhook.hooks import contracts
from sandhook.recipes import catalogue
from sandhook.recipes.script import hook_of

_PAYLOAD_HOOK = (
    "read -r x; c=$(printf '%s' \"$x\" | jq -r .tool_input.command); case $c in *'rm -rf'*) exit 2;; esac"
)


class Row(NamedTuple):
    """One bar.

    Attributes:
        limit: The bar.
        unit: What ``limit`` and ``measured`` count: "× bash", "ms" and so on.
        measured: None without a figure, for the reason in ``note``.
        note: The figures of a ratio.
        at_least: The bar is a least value, not a most.
    """

    name: str
    limit: float
    unit: str
    measured: float | None
    note: str = ""
    at_least: bool = False

    @property
    def is_reached(self) -> bool:
        if self.measured is None:
            return False
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit


class Rival(NamedTuple):
    """The bar of a workload: at most ``limit`` times what ``runner`` needs."""

    limit: float
    runner: str


_SHELL = (Rival(0.6, "bash"),)
_TEXT = (Rival(1.0, "bashkit"), Rival(2.0, "bash with mawk"))
#: Bars by the beginning of a workload's name.
WORKLOADS: dict[str, tuple[Rival, ...]] = {
    "guard: jq and grep": (Rival(0.012, "bash"), Rival(0.2, "bashkit")),
    "exit 0": (Rival(0.04, "bash"),),
    "while, ": _SHELL,
    "for ((;;))": _SHELL,
    "nested loops": _SHELL,
    "for over words": _SHELL,
    "text expansions": _SHELL,
    "string building": _SHELL,
    "indexed arrays": _SHELL,
    "associative arrays": _SHELL,
    "function calls": _SHELL,
    "fib, command substitution": (Rival(0.05, "bash"),),
    "seq ": _TEXT,
    "awk: fields": _TEXT,
    "sed and grep": _TEXT,
    "sort, uniq -c": (Rival(0.8, "bash"),),
    "sort -n and head": (Rival(3.0, "bash"),),
    "xargs -n1": _SHELL,
    "case of ": _SHELL,
    "an array that grows": _SHELL,
}


def more_workloads(scale: float) -> list[Workload]:
    """Return what only the bars measure."""

    def count(full: int) -> int:
        return max(3, int(full * scale))

    patterns = "".join(f"pat{at}|alt{at}*) r={at};; " for at in range(count(300)))
    return [
        Workload(f"sort -n and head, {count(300_000):,} lines", f"seq {count(300_000)} | sort -n | head -n 3", rounds=5),
        Workload(f"xargs -n1, {count(2_000):,} times", f"seq {count(2_000)} | xargs -n1 | tail -n 1", rounds=3),
        Workload(
            f"case of {count(300):,} clauses, {count(2_000):,}",
            f"f() {{ case $1 in {patterns}*) r=no;; esac; }}; for ((i=0;i<{count(2_000)};i++)); do f zzz; done; echo $r",
            rounds=5,
        ),
        Workload(
            f"an array that grows, {count(2_000):,}",
            f'a=(); for ((i=0;i<{count(2_000)};i++)); do a=("${{a[@]}}" x); done; echo ${{#a[@]}}',
            rounds=5,
        ),
    ]  # fmt: skip


def of_workloads(scale: float, rounds: int | None) -> Iterator[Row]:
    """Yield the rows of the workloads: the ratio of medians of real time."""
    there = [name for name in installed() if name != "just-bash"]
    for workload in [*workloads(scale), *more_workloads(scale)]:
        rivals = next((each for name, each in WORKLOADS.items() if workload.name.startswith(name)), ())
        if not rivals:
            continue
        figures = measure(workload, there, rounds or workload.rounds)
        if any(rival.runner == "bash with mawk" for rival in rivals):
            with_mawk = dataclasses.replace(workload, script=workload.script.replace("awk ", "mawk "))
            figures["bash with mawk"] = (
                measure(with_mawk, ["bash"], rounds or workload.rounds)["bash"]
                if shutil.which("mawk")
                else Figures([], "mawk is not installed")
            )
        for rival in rivals:
            yield _ratio(f"{workload.name}", figures["sandhook"], figures.get(rival.runner), rival)


def _ratio(name: str, ours: Figures, theirs: Figures | None, rival: Rival) -> Row:
    unit = f"× {rival.runner}"
    if theirs is None:
        return Row(name, rival.limit, unit, None, f"{rival.runner} is not installed")
    for each in (ours, theirs):
        if each.fault or not each.taken:
            return Row(
                name, rival.limit, unit, None, each.fault.splitlines()[0][:80] if each.fault else "no figure"
            )
    note = f"{ours.median * 1e3:.2f} and {theirs.median * 1e3:.2f} ms"
    return Row(name, rival.limit, unit, ours.median / theirs.median, note)  # fmt: skip


# --------------------------------------------------------------------------- hooks


def of_published_hooks(scale: float) -> Iterator[Row]:
    """Yield the rows of published hooks and of the recipes, each in a new sandbox, the first time and again.

    bashkit runs them by turns. The process is warm: it has loaded what a worker of the product loads before its first run.
    """
    preload_everything()
    yield from _of_hooks("published hooks", growth.published(), scale)
    yield from _of_hooks("recipes", recipes(), scale)


def recipes() -> list[str]:
    """Return the scripts of all recipes, as four agents get them: 2.5 KB in the middle, 12 KB at most."""
    scripts = []
    for contract in map(contracts.get, ("claude_code", "codex", "gemini", "copilot")):
        for name in catalogue.NAMES:
            with suppress(catalogue.RecipeError):  # the agent has no such event
                scripts.append(hook_of(catalogue.get(name), contract, "hooks").script)
    return scripts


#: Hooks that one program runs before it is the other's turn. In turns of one hook, each finds the processor's caches full
#: of the other's data, which no process with one of them does, and both take twice the time.
_BLOCK = 32


def _of_hooks(what: str, scripts: list[str], scale: float) -> Iterator[Row]:
    scripts = scripts[: max(5, int(len(scripts) * scale))]
    names = [name for name in ("sandhook", "bashkit") if name in installed()]
    first: dict[str, list[float]] = {name: [] for name in names}
    second: dict[str, list[float]] = {name: [] for name in names}
    for name in names:
        _runs(name, "echo a | grep -q a; [[ a == a ]]; jq -r .a <<< '{}' | sort | sed s/a/b/")
    for start in range(0, len(scripts), _BLOCK):
        for name in names:
            for script in scripts[start : start + _BLOCK]:
                early, late = _runs(name, script)
                first[name].append(early)
                second[name].append(late)
    head = f"{len(scripts)} {what}"
    for title, times, share, limit in (
        (f"{head}, first run, median", first, 50, 0.6),
        (f"{head}, first run, 95 %", first, 95, 1.0),
        (f"{head}, second run, median", second, 50, 0.25),
    ):
        value = {name: sorted(taken)[len(taken) * share // 100] for name, taken in times.items()}
        if "bashkit" not in value:
            yield Row(title, limit, "× bashkit", None, "bashkit is not installed")
            continue
        note = f"{value['sandhook'] * 1e3:.2f} and {value['bashkit'] * 1e3:.2f} ms"
        yield Row(title, limit, "× bashkit", value["sandhook"] / value["bashkit"], note)


def _runs(name: str, script: str) -> tuple[float, float]:
    """Return the seconds of two runs of a hook, each in a new sandbox with the payload as standard input."""
    text = "{\n" + script + "\n} < payload.json"
    files = {"/workspace/payload.json": growth.PAYLOAD}

    def run() -> None:
        if name == "sandhook":
            Shell(files=files, cwd="/workspace").run(text)
            return
        from bashkit import Bash

        Bash(cwd="/workspace", files=files, timeout_seconds=5).execute_sync(text)

    return _seconds(run), _seconds(run)


def of_many_hooks(scale: float) -> Iterator[Row]:
    """Yield the rows of the caches: hooks in turn, words that seem to change parsing, long text."""
    count = max(10, int(1_000 * scale))
    again = growth.in_turn(count)[1] * 1e3
    yield Row(f"{count:,} hooks of one engine in turn, second round", 0.3, "ms", again)
    body = 'if [ "$x" = y ]; then echo a; fi\n' * 100
    for word in ("alias", "extglob", "posix"):
        ratio, note = _again(f"# an {word} of it\n{body}", f"# an other of it\n{body}")
        yield Row(f"a script with the word {word} in a comment, second run", 1.3, "× without it", ratio, note)
    long = 'if [ "$x" = y ]; then echo a; fi\n' * (70_000 // 33)
    shell = Shell()
    early, late = _seconds(lambda: shell.run(long)), min(_seconds(lambda: shell.run(long)) for _ in range(5))
    note = f"{late * 1e3:.2f} and {early * 1e3:.2f} ms"
    yield Row("a script of 70,000 characters, second run", 0.1, "× the first", late / early, note)


def _again(text: str, plain: str) -> tuple[float, str]:
    """Return the least time of later runs of a text, divided by that of another; and both times."""
    times = []
    for script in (text, plain):
        shell = Shell()
        shell.run(script)
        times.append(min(_seconds(lambda: shell.run(script)) for _ in range(20)))  # noqa: B023
    return times[0] / times[1], f"{times[0] * 1e3:.2f} and {times[1] * 1e3:.2f} ms"


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def of_growth(scale: float) -> Iterator[Row]:
    """Yield the exponents of growth."""
    for name, (prepare, size) in growth.GROWING.items():
        value = growth.exponent(prepare, max(20, int(size * scale)), 5 if scale >= 1 else 2)
        yield Row(f"growth with {name}", 1.1, "exponent", value)


# --------------------------------------------------------------------------- processes

#: Whole processes: arguments, and the most milliseconds of processor time.
COMMANDS: dict[str, tuple[Sequence[str], float]] = {
    "sandhook exec -c :": (("exec", "-c", ":"), 35),
    "sandhook fire, no hook matches": (
        ("fire", "--hooks", "plain.json", "--contract", "claude_code", "PreToolUse", "--tool", "Edit"), 35,
    ),
    "sandhook fire, a hook with read and jq": (
        ("fire", "--hooks", "guard.json", "--contract", "claude_code", "PreToolUse", "--tool", "Bash",
         "--input", '{"command":"ls"}'), 55,
    ),
    "sandhook hook, a script with read and jq": (("hook", "--contract", "claude_code", "--", "guard.sh"), 55),
}  # fmt: skip
_PAYLOAD = b'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}'


def of_commands(scale: float) -> Iterator[Row]:
    """Yield the rows of whole processes, whose scripts the disk cache knows, and of two processes at once."""
    rounds = max(2, int(20 * scale))
    with tempfile.TemporaryDirectory() as directory:
        for name, command in (("plain", "exit 0"), ("guard", _PAYLOAD_HOOK)):
            group = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
            Path(directory, f"{name}.json").write_text(json.dumps({"hooks": {"PreToolUse": [group]}}))
        Path(directory, "guard.sh").write_text(f"#!/bin/bash\n{_PAYLOAD_HOOK}\n")
        env = os.environ | {"SANDHOOK_CACHE_DIR": directory, "PYTHONPYCACHEPREFIX": directory}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode

        clock = processor_clock("bash")  # that of the children

        def used(arguments: Sequence[str]) -> float:
            before = clock() or 0.0
            subprocess.run(
                [sys.executable, *arguments],
                env=env,
                cwd=directory,
                input=_PAYLOAD,
                capture_output=True,
                check=True,
            )
            return ((clock() or 0.0) - before) * 1e3

        def median(arguments: Sequence[str]) -> float:
            used(arguments)
            return statistics.median(used(arguments) for _ in range(rounds))

        python = f"Python itself {median(['-c', 'pass']):.1f} ms"
        for name, (arguments, most) in COMMANDS.items():
            value = median(["-m", "sandhook", *arguments])
            note = python if value else "this system has no clock for children"
            yield Row(name, most, "ms of processor", value or None, note)
        yield _two_processes(env, scale)


_LOOP = """
import sys, time
from sandhook import Shell
script = "for ((i=0;i<2000;i++)); do ((s+=i)); done"
Shell().run(script)
print(flush=True)
sys.stdin.readline()
end, count = time.monotonic() + float(sys.argv[1]), 0
while time.monotonic() < end:
    Shell().run(script)
    count += 1
print(count)
"""


def _two_processes(env: dict[str, str], scale: float) -> Row:
    """Return how much more two processes do in the same time than one."""
    seconds = max(0.1, 2 * scale)

    def done(count: int) -> int:
        command = [sys.executable, "-c", _LOOP, str(seconds)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        processes = [subprocess.Popen(command, env=env, text=True, **pipes) for _ in range(count)]  # type: ignore[call-overload]
        for process in processes:
            process.stdout.readline()
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
        return sum(int(process.communicate()[0]) for process in processes)

    if (os.cpu_count() or 1) < 2:
        return Row("two processes", 1.8, "× one", None, "this machine has one processor", at_least=True)
    one, two = done(1), done(2)
    return Row("two processes", 1.8, "× one", two / max(one, 1), f"{two} and {one} runs", at_least=True)


def all_rows(scale: float, rounds: int | None) -> Iterator[Row]:
    """Measure everything and yield the rows."""
    yield from of_workloads(scale, rounds)
    yield from of_published_hooks(scale)
    yield from of_many_hooks(scale)
    yield from of_growth(scale)
    yield from of_commands(scale)

"""What a hook costs at its first run, at its second, and among many; and how costs grow: `python -m benchmarks.growth`.

Prints processor time, which other processes disturb least. The growth of a cost is the exponent of the size: 1.0 is linear.
The exit status is 1 if an exponent is above ``--most``.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import TypeAlias

from sandhook import Limits, Shell
from sandhook.hooks import HookEngine
from sandhook.hooks.events import ToolPre

CASES = Path(__file__).parents[1] / "conformance" / "hooks"
PAYLOAD = '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}\n'

#: Prepares work of a size, and returns a function that does it.
Prepare: TypeAlias = Callable[[int], Callable[[], object]]


def published() -> list[str]:
    """Return the scripts of published hooks in the cases of all contracts, each once."""
    found: dict[str, None] = {}
    for path in sorted(CASES.glob("*/*.json")):
        found |= dict.fromkeys(_commands(json.loads(path.read_text(encoding="utf-8"))))
    return list(found)


def _commands(value: object, name: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in ("fire", "tool_input"):
                yield from _commands(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _commands(item, name)
    elif isinstance(value, str) and (name in ("command", "bash") or value.startswith("#!/bin")):
        yield value


def seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def first_and_second(scripts: list[str]) -> tuple[list[float], list[float]]:
    """Return the seconds of the first and of the second run of each script in this process."""
    shell = Shell(limits=Limits(wall_seconds=5))
    shell.run("echo a | grep -q a; [[ a == a ]]", stdin=PAYLOAD)  # loads what nearly all scripts need

    def run(script: str) -> float:
        return seconds(lambda: shell.run(script, stdin=PAYLOAD))

    times = [(run(script), run(script)) for script in scripts]
    return [first for first, _ in times], [second for _, second in times]


def in_turn(count: int) -> tuple[float, float]:
    """Return the mean seconds of different hooks that one event runs, the first time and the second."""
    engine = engine_of(count, matcher="Tool")
    gc.collect()  # what was measured before left garbage, and to look for it can take as long as the fires
    fires = [seconds(lambda: engine.fire(ToolPre("Tool", {}))) / count for _ in range(2)]
    return fires[0], fires[1]


def engine_of(count: int, matcher: str) -> HookEngine:
    """Return an engine with so many different hooks; in ``matcher`` a "#" stands for the number of the hook."""
    groups = [
        {
            "matcher": matcher.replace("#", str(at)),
            "hooks": [
                {"type": "command", "command": f"x={at}; if [ $x -lt 0 ]; then echo no >&2; exit 2; fi"}
            ],
        }
        for at in range(count)
    ]
    return HookEngine.load({"hooks": {"PreToolUse": groups}}, "claude_code")


# --------------------------------------------------------------------------- growth


def a_script(size: int) -> Callable[[], object]:
    texts = iter([f": {at}\n" + 'if [ "$x" = y ]; then echo a; fi\n' * size for at in range(9)])
    return lambda: Shell().run(next(texts))


def hooks(size: int) -> Callable[[], object]:
    engine = engine_of(size, "Tool#")
    return lambda: engine.fire(ToolPre("Other", {}))


def files(size: int) -> Callable[[], object]:
    contents = {f"d{at % 10}/f{at}": "text\n" for at in range(size)}
    return lambda: Shell(files=contents).run("grep -rl text . | wc -l")


def a_payload(size: int) -> Callable[[], object]:
    engine = HookEngine.load(
        {
            "hooks": {
                "PreToolUse": [
                    {"hooks": [{"type": "command", "command": "grep -q secret && exit 2; exit 0"}]}
                ]
            }
        },
        "claude_code",
    )
    event = ToolPre("Bash", {"command": "word " * size})
    return lambda: engine.fire(event)


def events(size: int) -> Callable[[], object]:
    engine = engine_of(10, "Tool#")
    return lambda: [engine.fire(ToolPre(f"Tool{at % 10}", {})) for at in range(size)]


#: What grows: the small size of each; the large one is four times as large.
GROWING: dict[str, tuple[Prepare, int]] = {
    "lines of a script": (a_script, 2_000),
    "hooks that do not match": (hooks, 1_000),
    "files": (files, 1_000),
    "words of a payload": (a_payload, 50_000),
    "events": (events, 200),
}


def exponent(prepare: Prepare, size: int, rounds: int = 5) -> float:
    """Return the exponent of the growth from ``size`` to four times as much, of the least of some rounds."""
    small, large = prepare(size), prepare(4 * size)
    small()
    large()
    times = [(seconds(small), seconds(large)) for _ in range(rounds)]
    return math.log(min(late for _, late in times) / min(early for early, _ in times), 4)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--hooks", type=int, default=1_000, help="different hooks in one engine (default: 1,000)"
    )
    parser.add_argument("--most", type=float, default=1.1, help="the largest exponent (default: 1.1)")
    options = parser.parse_args()
    scripts = published()
    for name, times in zip(("first", "second"), first_and_second(scripts)):
        late = sorted(times)[len(times) * 95 // 100]
        print(
            f"{len(scripts)} published hooks, {name} run: median {statistics.median(times) * 1e3:.3f} ms, 95 % {late * 1e3:.3f} ms"
        )
    for name, mean in zip(("first", "second"), in_turn(options.hooks)):
        print(f"{options.hooks} hooks of one engine in turn, {name} round: {mean * 1e3:.3f} ms each")
    exponents = {name: exponent(*growing) for name, growing in GROWING.items()}
    for name, value in exponents.items():
        print(f"growth with {name}: {value:.2f}")
    return int(max(exponents.values()) > options.most)


if __name__ == "__main__":
    sys.exit(main())

"""How long JSON of hooks takes to decode: by sandhook's reader, by the standard library, and by msgspec.

    python -m benchmarks.decoding

Prints microseconds (the best of seven rounds) for payloads of 1 KB and 100 KB, milliseconds of start-up for
each module, and what each decoder does with texts that sandhook's reader refuses or reports.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import timeit
from collections.abc import Callable
from typing import Any

from sandhook.hooks.decode import decode

try:
    import msgspec
except ImportError:
    sys.exit("msgspec is not installed; `make bench` installs it")

DECODERS: dict[str, Callable[[str], Any]] = {
    "sandhook": decode,
    "json": json.loads,
    "msgspec": msgspec.json.decode,
}

#: Texts at the bounds of sandhook's reader: what each shows, and the text.
BOUNDS = {
    "a key that stands twice": '{"a": 1, "a": 2}',
    "an integer of 30 digits": "123456789012345678901234567890",
    "a float out of range": "1e400",
    "a lone surrogate": '"\\ud800"',
    "65 arrays inside one another": "[" * 65 + "]" * 65,
    "NaN": "NaN",
}


def one_text(size: int) -> str:
    """Return a payload that writes one long file, as edits of agents do."""
    empty = len(json.dumps({"tool_name": "Write", "tool_input": {"content": ""}}))
    line = '    print("line", value)\n'
    content = line * ((size - empty) // len(json.dumps(line)[1:-1]))
    return json.dumps({"tool_name": "Write", "tool_input": {"content": content}})


def many_values(size: int) -> str:
    """Return a payload of many small objects."""
    edit = {"path": "src/module.py", "line": 12, "ratio": 0.5, "ok": True, "text": "x = 1"}
    return json.dumps({"edits": [edit] * (size // (len(json.dumps(edit)) + 2))})


def microseconds(decoder: Callable[[str], Any], text: str, rounds: int) -> float:
    return min(timeit.repeat(lambda: decoder(text), number=rounds, repeat=7)) / rounds * 1e6


def start_up(statement: str) -> float:
    """Return the milliseconds that a new interpreter takes for a statement: the best of fifteen."""
    taken = []
    for _ in range(15):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-c", statement], check=True)
        taken.append(time.perf_counter() - began)
    return min(taken) * 1000


def outcome(decoder: Callable[[str], Any], text: str) -> str:
    try:
        return f"{decoder(text)!r:.60}"
    except (ValueError, RecursionError) as error:
        return f"{error.__class__.__name__}: {error!s:.60}"


def main() -> int:
    for shape in (one_text, many_values):
        for size, rounds in ((1_000, 2_000), (100_000, 50)):
            text = shape(size)
            figures = (f"{name} {microseconds(run, text, rounds):.1f}" for name, run in DECODERS.items())
            print(f"{shape.__name__} of {len(text)} bytes, in microseconds: {', '.join(figures)}")
    base = start_up("pass")
    for name in ("json", "msgspec.json"):
        print(f"import {name}: {start_up(f'import {name}') - base:.1f} ms")
    for what, text in BOUNDS.items():
        print(what)
        for name, run in DECODERS.items():
            print(f"  {name:<9} {outcome(run, text)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

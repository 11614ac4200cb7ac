"""Smaller services of the runtime: text expansion, compound values from text, select's menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sandhook.interp.compile.compiler import _COMPILER
from sandhook.interp.protocol import Runtime
from sandhook.state.state import State
from sandhook.syntax.nodes import Word


@lru_cache(maxsize=128)
def _text(word: Word) -> Callable[[State], str]:
    return _COMPILER.words.string(word, quoted=True)


def expand(state: State, word: Word) -> str:
    """Expand a word as a here-document's body."""
    return _text(word)(state)


@lru_cache(maxsize=128)
def _fields(word: Word) -> Callable[[State], list[str]]:
    return _COMPILER.words._fields(word)


def expand_fields(state: State, word: Word) -> list[str]:
    """Expand a word to fields, without braces and pathname expansion."""
    options = state.options
    noglob = options.noglob
    options.noglob = True
    try:
        return list(_fields(word)(state))
    finally:
        options.noglob = noglob


def ask_selection(runtime: Runtime, state: State, values: list[str], *, menu: bool) -> str | None:
    """Show the menu (when ``menu``) and PS3 on standard error, and read one line."""
    if menu:
        runtime.write_error(state, menu_text(values, int(state.get("COLUMNS") or 80)))
    runtime.write_error(state, runtime.expand_text(state, state.get("PS3") or "#? "))
    try:
        line = state.process.descriptor(0).read_until(b"\n", 65_536)
    except OSError:
        line = b""
    if not line:
        output = state.process.descriptors.get(1)
        if output is not None and output.writable:
            output.write(b"\n")
        return None
    return line.decode("utf-8", "surrogateescape").strip()


def menu_text(values: list[str], columns: int) -> str:
    """Return select's menu in as many columns as fit, filled downwards as bash does."""
    width = len(str(len(values)))
    longest = max(map(len, values)) + width + 2
    across = max(1, columns // (longest + 2)) if len(values) > 1 else 1
    rows = -(-len(values) // across)
    if rows < len(values) and rows == 1 and across > 1:
        rows, across = len(values), 1
    lines: list[str] = []
    for row in range(rows):
        cells = [f"{at + 1:>{width}}) {values[at]}" for at in range(row, len(values), rows)]
        lines.append(
            "  ".join(f"{cell:<{longest}}" for cell in cells).rstrip() if len(cells) > 1 else cells[0]
        )
    return "\n".join(lines) + "\n"

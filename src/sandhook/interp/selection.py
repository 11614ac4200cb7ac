"""select's menu, and the reply to it (bash 5.2 manual 3.2.5.2)."""

from __future__ import annotations

from contextlib import suppress

from sandhook.state.state import Interpreter, State

_TAB = 8  #: columns between two tab stops
_WIDTH = 80  #: columns of the screen without COLUMNS


def ask(runtime: Interpreter, state: State, values: list[str], *, menu: bool) -> str | None:
    """Show the menu (when ``menu``) and PS3 on standard error, and read a line to REPLY.

    Returns:
        The reply, or None at the end of input, or for an unfinished last line.
    """
    if menu:
        columns = state.get("COLUMNS") or ""
        width = int(columns[:6]) if columns.isascii() and columns.isdigit() else 0
        runtime.write_error(state, menu_text(values, width or _WIDTH))
    prompt = state.get("PS3")
    runtime.write_error(state, "#? " if prompt is None else runtime.expand_text(state, prompt))
    if runtime.call(state, ["read"], functions=False):
        output = state.process.descriptors.get(1)
        if output is not None and output.writable:
            with suppress(OSError):  # as in bash, nobody learns that the output is full
                output.write(b"\n")
        return None
    return state.get("REPLY") or ""


def menu_text(values: list[str], columns: int) -> str:
    """Return the menu in as many columns as fit, filled downwards and separated by tabs, as in bash."""
    digits = len(str(len(values)))
    cell = max(map(_width, values)) + digits + 4
    rows = -(-len(values) // max(1, columns // cell))
    if rows == 1:
        rows = len(values)
    lines: list[str] = []
    for row in range(rows):
        line: list[str] = []
        column = 0
        for index in range(row, len(values), rows):
            width = digits if column else len(str(rows))
            line.append(f"{index + 1:>{width}}) {values[index]}")
            if index + rows < len(values):
                line.append(_gap(column + width + 2 + _width(values[index]), column + cell))
                column += cell
        lines.append("".join(line))
    return "\n".join(lines) + "\n"


def _gap(start: int, end: int) -> str:
    """Return the white space between two columns: as many tabs as fit, then blanks."""
    tabs = end // _TAB - start // _TAB
    return "\t" * tabs + " " * (end % _TAB if tabs else end - start)


def _width(text: str) -> int:
    """Return the display width of a text, in columns."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)

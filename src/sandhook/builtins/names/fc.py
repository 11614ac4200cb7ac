"""fc: list, edit and rerun commands of the history.

Source: POSIX.1-2024 XCU 3 fc; bash 5.2 reference manual 9.2.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from sandhook.builtins.base import (
    BuiltinError,
    ParsedOption,
    builtin,
    numeric,
    parse,
    runtime,
    write,
    write_error,
)
from sandhook.interp.record import add_command, history_of
from sandhook.interp.script import read_script
from sandhook.kernel.descriptor import Description
from sandhook.state.history import History
from sandhook.state.state import State
from sandhook.vfs.errors import error_text
from sandhook.vfs.path import join

USAGE = "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]"
LISTED = 16  #: commands that -l shows when none is named


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return the status of the commands; 1 when there is no such command."""
    options, operands = _arguments(argv)
    letters = {option.letter for option in options}
    history = history_of(state, write=True)
    editor = [option.argument for option in options if option.letter == "e"]
    if "s" in letters or editor[-1:] == ["-"]:
        return _rerun(state, history, operands)
    last = _last_index(state, history)
    if last < 0:
        return 0
    listing = "l" in letters
    if operands:
        start = _find_entry(history, operands[0], last, listing=listing, first=True)
        if len(operands) > 1:
            end = _find_entry(history, operands[1], last, listing=listing)
        else:
            end = last if listing else start
    elif listing:
        start, end = max(0, last - LISTED + 1), last
    else:
        start = end = last
    if start is None or end is None:
        raise BuiltinError("no command found")
    is_reversed = "r" in letters
    if end < start:
        start, end, is_reversed = end, start, not is_reversed
    entry_range = range(end, start - 1, -1) if is_reversed else range(start, end + 1)
    if listing:
        for index in entry_range:
            number = "" if "n" in letters else str(history.base + index)
            write(state, f"{number}\t {history.entries[index].text}\n")
        return 0
    _remove_last(history)
    newest = len(history.entries) - 1
    indices = dict.fromkeys(min(index, newest) for index in entry_range if newest >= 0)
    return _edit(state, [history.entries[index].text for index in indices], editor[-1:])


def _arguments(argv: Sequence[str]) -> tuple[list[ParsedOption], list[str]]:
    """Split the arguments; ``-5`` is an operand."""
    for index in range(1, len(argv)):
        word = argv[index]
        if word[:1] == "-" and word[1:2].isdigit() and argv[index - 1] != "-e":
            options, _ = parse(argv[:index], "e:lnrs")
            return options, list(argv[index:])
        if word == "--" or word[:1] != "-":
            break
    return parse(argv, "e:lnrs")


def _last_index(state: State, history: History) -> int:
    """Return the index of the newest command except this ``fc`` itself; -1 without one."""
    count = len(history.entries)
    return count - 1 - (1 if state.tracing.recording and history.added else 0)


def _find_entry(
    history: History, text: str, last: int, *, listing: bool = False, first: bool = False
) -> int | None:
    """Return the index of the command that a number or a prefix denotes, None when nothing matches."""
    if not text:
        return last
    number = numeric(text)
    if number is None or text[:1] == "+":
        return next(
            (index for index in range(last, -1, -1) if history.entries[index].text.startswith(text)), None
        )
    if number < 0:
        return max(0, last + 1 + number)
    if number == 0:
        return last
    index = number - history.base
    if listing and first and index >= last:
        return 0 if index >= len(history.entries) - 1 else index  # for bash, such a number is out of range
    return max(0, min(index, last))


def _remove_last(history: History) -> None:
    if history.entries:
        history.remove(len(history.entries) - 1, len(history.entries))


def _rerun(state: State, history: History, operands: Sequence[str]) -> int:
    """-s: rerun one command, with each ``pat=rep`` replaced."""
    changes: list[tuple[str, str]] = []
    words = list(operands)
    while words and "=" in words[0]:
        old, _, new = words.pop(0).partition("=")
        changes.append((old, new))
    last = _last_index(state, history)
    index = None if last < 0 else _find_entry(history, words[0] if words else "", last)
    if index is None:
        raise BuiltinError("no command found")
    command = history.entries[index].text
    for old, new in changes:
        if old:
            state.budget.check_fits(len(command) * (1 + len(new)))
            command = command.replace(old, new)
    write_error(state, command + "\n")
    _remove_last(history)
    add_command(state, command)
    return runtime(state).run_text(state, command)


def _temporary(state: State) -> tuple[str, Description]:
    """Create a file with an unused name; in host mode, /tmp is shared with other programs."""
    number = 0
    while True:
        path = f"/tmp/bash-fc.{state.process.pid}{f'.{number}' if number else ''}"
        try:
            return path, state.process.open(path, read=False, write=True, create=True, exclusive=True)
        except FileExistsError:
            state.budget.charge(1)
            number += 1


def _edit(state: State, commands: Sequence[str], editor: Sequence[str]) -> int:
    """Open commands in an editor, and run the result."""
    text = "".join([command + "\n" for command in commands])
    name = editor[0] if editor else state.get("FCEDIT") or state.get("EDITOR") or "vi"
    shell = runtime(state)
    try:
        path, description = _temporary(state)
        try:
            description.write(text.encode("utf-8", "surrogateescape"))
        finally:
            description.release()
    except OSError as error:
        raise BuiltinError(f"/tmp/bash-fc: cannot open temp file: {error_text(error)}") from None
    try:
        if shell.run_text(state, f"{name} {path}"):
            return 1
        edited = read_script(state, path)
    except OSError as error:
        raise BuiltinError(f"{path}: {error_text(error)}") from None
    finally:
        with contextlib.suppress(OSError):
            state.process.kernel.fs.unlink(join(state.process.cwd, path))
    write_error(state, edited)
    for line in edited.split("\n"):
        if line:
            add_command(state, line)
    return shell.run_text(state, edited)

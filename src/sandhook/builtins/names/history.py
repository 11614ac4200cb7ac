"""history: show and change the list of commands.

Source: bash 5.2 reference manual 9.2. A script's list is empty until ``set -o history`` or
``history -s`` or ``-r`` fills it.
"""

from __future__ import annotations

from collections.abc import Sequence
from errno import ENOENT

from sandhook.builtins.base import BuiltinError, builtin, numeric, parse, print_error, write
from sandhook.builtins.names.history_file import append_file, read_file, write_file
from sandhook.dates.clock import strftime
from sandhook.interp.history_expansion import NoEvent, expand
from sandhook.interp.record import add_command, history_of
from sandhook.state.history import Entry, History
from sandhook.state.state import State
from sandhook.vfs.errors import error_text, fs_error

USAGE = "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a position out of range, a failed expansion, or an error of a file."""
    options, operands = parse(argv, "acd:npsrw")
    letters = {option.letter for option in options}
    files = [letter for letter in "awrn" if letter in letters]
    if len(files) > 1:
        raise BuiltinError("cannot use more than one of -anrw")
    history = history_of(state, write=bool(letters))
    if "c" in letters:
        history.clear()
        if not operands or not (files or letters & set("spd")):
            return 0
    if "s" in letters:
        if operands:
            _remove_running_command(state, history)
            add_command(state, " ".join(operands))
        return 0
    if "p" in letters:
        if not operands:
            return 0
        _remove_running_command(state, history)
        return _print_expanded(state, history, operands)
    if "d" in letters:
        _delete(history, [option.argument for option in options if option.letter == "d"][-1])
        return 0
    if not files:
        _show(state, history, operands)
        return 0
    return _transfer(state, history, files[0], operands)


def _remove_running_command(state: State, history: History) -> None:
    """Remove the running command from the list, because it operates on the list."""
    if state.tracing.recording and history.added and history.entries:
        history.remove(len(history.entries) - 1, len(history.entries))
        history.session = max(0, history.session - 1)
        history.added = False


def _show(state: State, history: History, operands: Sequence[str]) -> None:
    entries = history.entries
    start = 0
    if operands:
        count = numeric(operands[0])
        if count is None:
            raise BuiltinError(f"{operands[0]}: numeric argument required")
        if len(operands) > 1:
            raise BuiltinError("too many arguments", ends="unit")
        start = max(0, len(entries) - abs(count))
    format_ = state.get("HISTTIMEFORMAT")
    zone = state.get("TZ")
    for index in range(start, len(entries)):
        entry = entries[index]
        write(state, f"{history.base + index:5d}  {_stamp(entry, format_, zone)}{entry.text}\n")


def _stamp(entry: Entry, format_: str | None, zone: str | None) -> str:
    if not format_:
        return ""
    return "??" if entry.time is None else strftime(format_, entry.time, zone)


def _delete(history: History, text: str) -> None:
    """Delete the position or the range of positions that -d names."""
    entries = history.entries
    dash = text.find("-", 1 if text[:1] == "-" else 0)
    if dash >= 0:
        first, last = text[:dash], text[dash + 1 :]
        start, end = numeric(first), numeric(last)
        if start is None or end is None:
            raise _out_of_range(text)
        start, end = _index(history, start), _index(history, end)
        if not 0 <= start < len(entries):
            raise _out_of_range(first)
        if not 0 <= end < len(entries):
            raise _out_of_range(last)
        history.remove(start, end + 1)
        return
    number = numeric(text)
    index = -1 if number is None else _index(history, number)
    if number == 0 or not 0 <= index < len(entries):
        raise _out_of_range(text)
    history.remove(index, index + 1)


def _index(history: History, number: int) -> int:
    if number < 0:
        return number + len(history.entries)
    return number - history.base if number else 0


def _out_of_range(text: str) -> BuiltinError:
    return BuiltinError(f"{text}: history position out of range")


def _print_expanded(state: State, history: History, words: Sequence[str]) -> int:
    status = 0
    entries = [entry.text for entry in history.entries]
    for word in words:
        try:
            write(state, expand(word, entries, history.base, extglob=state.options.extglob) + "\n")
        except NoEvent:
            print_error(state, f"history: {word}: history expansion failed")
            status = 1
    return status


def _transfer(state: State, history: History, letter: str, operands: Sequence[str]) -> int:
    """Run -a, -n, -r or -w. Returns 1 without a file, or when it cannot be read or written."""
    name = operands[0] if operands else state.get("HISTFILE")
    if name is None:
        name = f"{state.get('HOME') or '.'}/.history"
    try:
        if not name:
            raise fs_error(ENOENT)
        if letter == "a":
            if history.session:
                count = min(history.session, len(history.entries))
                append_file(state, name, history.entries[-count:] if count else [])
                history.in_file += history.session
                history.session = 0
        elif letter == "w":
            write_file(state, name, history.entries)
        elif letter == "r":
            entries, history.in_file = read_file(state, name, 0)
            _append(state, history, entries)
        else:
            entries, lines = read_file(state, name, history.in_file)
            history.in_file = max(history.in_file, lines)
            _append(state, history, entries)
            history.session += len(entries)
    except OSError as error:
        if letter == "a":
            raise BuiltinError(f"{name}: cannot create: {error_text(error)}") from None
        return 1
    return 0


def _append(state: State, history: History, entries: Sequence[Entry]) -> None:
    for entry in entries:
        state.budget.charge(1)
        state.budget.check_fits(history.size + len(entry.text))
        history.append(entry.text, entry.time)

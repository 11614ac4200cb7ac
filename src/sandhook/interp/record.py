"""What is done with the text of a command that is read: ``set -v`` and the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.pattern.glob import compile_pattern
from sandhook.state.state import State

if TYPE_CHECKING:
    from sandhook.state.history import History

#: Options that act on the text of each command.
OPTIONS = frozenset({"verbose", "history", "onecmd"})


def history_of(state: State, *, write: bool = False) -> History:
    """Return the history of a shell, cut to HISTSIZE; a subshell that changes it gets a copy."""
    found = state.memo.history
    if found is None:
        from sandhook.state.history import History

        found = History(state)
        state.memo = state.memo._replace(history=found)
    elif write and found.owner is not state:
        found = found.copy(state)
        state.memo = state.memo._replace(history=found)
    size = state.get("HISTSIZE")
    if size is not None:
        number = size.strip()
        if number.lstrip("+-").isdecimal() and len(number) < 16:
            limit = int(number)
            wanted = None if limit < 0 else limit
            if wanted != found.limit:
                found.stifle(wanted)
    return found


def keep(state: State, text: str, *, now: bool = True) -> bool:
    """Add a command unless HISTCONTROL or HISTIGNORE exclude it; return True if it was added."""
    history = history_of(state, write=True)
    control = (state.get("HISTCONTROL") or "").split(":")
    both = "ignoreboth" in control
    if text[:1] in (" ", "\t") and ("ignorespace" in control or both) and text[:1]:
        return False
    last = history.entries[-1].text if history.entries else None
    if text == last and ("ignoredups" in control or both):
        return False
    if _ignored(state, text, last):
        return False
    if "erasedups" in control:
        state.budget.charge(1 + (len(history.entries) >> 4))
        history.entries = [entry for entry in history.entries if entry.text != text]
    state.budget.charge(1)
    state.budget.check_fits(history.size + len(text))
    history.append(text, int(state.process.kernel.now()) if now else None)
    history.session += 1
    return True


def _ignored(state: State, text: str, last: str | None) -> bool:
    patterns = state.get("HISTIGNORE")
    if not patterns:
        return False
    for pattern in patterns.split(":"):
        full = pattern.replace("&", last or "") if pattern == "&" else pattern
        if full and compile_pattern(full, extglob=state.options.extglob).matches(text):
            return True
    return False


def read(state: State, source: str) -> None:
    """Record text that was read: blank lines, comments, and at its end one command."""
    if "verbose" in state.options.enabled:
        shown = source if source.endswith("\n") or not source else source + "\n"
        state.shell.write_error(state, shown)
    if not state.tracing.recording:
        return
    from sandhook.state.history import one_line

    history = history_of(state, write=True)
    history.added = False
    lines = source.split("\n")
    at = 0
    while at < len(lines) and (not lines[at].strip() or lines[at].lstrip()[:1] == "#"):
        if lines[at].strip():
            history.added = keep(state, lines[at])
        at += 1
    command = "\n".join(lines[at:])
    if not command.strip():
        return
    if "cmdhist" not in state.options.shopts:
        for line in command.rstrip("\n").split("\n"):
            history.added = keep(state, line)
    elif "lithist" in state.options.shopts:
        history.added = keep(state, one_line(command, lambda line: "\n"))
    else:
        history.added = keep(state, one_line(command))


def switch_recording(state: State, on: bool) -> None:
    """Switch the recording of commands on or off (``set -o history``)."""
    state.tracing.recording = on
    if on:
        if state.get("HISTSIZE") is None:
            state.set("HISTSIZE", "500")
        if state.get("HISTFILESIZE") is None:
            state.set("HISTFILESIZE", state.get("HISTSIZE") or "500")


def number(state: State) -> str:
    """Return HISTCMD."""
    history = state.memo.history
    if history is None or "history" not in state.options.enabled:
        return (
            "0" if history is None else str(history.base + len(history.entries) - 1) if history.added else "0"
        )
    return str(history.base + len(history.entries) - 1)

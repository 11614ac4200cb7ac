"""Records the text of commands: ``set -v`` and the history."""

from __future__ import annotations

from sandhook.limits import timed_items
from sandhook.pattern.glob import compile_pattern
from sandhook.state.state import State
from sandhook.text.numbers import is_integer
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.state.history import History
    from sandhook.syntax.options import ParseOptions

#: Options that act on the text of each command.
OPTIONS = frozenset({"verbose", "history", "onecmd"})


def reads_otherwise(state: State, options: ParseOptions) -> bool:
    """Return True if the next unit is read with other options, with aliases, or to be recorded."""
    own = state.options
    return (
        own.extglob != options.extglob
        or own.posix != options.posix
        or (bool(state.aliases) and "expand_aliases" in own.shopts)
        or not OPTIONS.isdisjoint(own.enabled)
    )


def history_of(state: State, *, write: bool = False) -> History:
    """Return the history of a shell, cut to HISTSIZE; a subshell that changes it gets a copy."""
    history = state.memo.history
    if history is None:
        from sandhook.state.history import History

        history = History(state)
        state.memo = state.memo._replace(history=history)
    elif write and history.owner is not state:
        history = history.copy(state)
        state.memo = state.memo._replace(history=history)
    size = state.get("HISTSIZE")
    if size is not None:
        number = size.strip()
        if is_integer(number) and len(number) < 16:
            limit = int(number)
            maximum = None if limit < 0 else limit
            if maximum != history.limit:
                history.stifle(maximum)
    return history


def add_command(state: State, text: str, *, with_time: bool = True) -> bool:
    """Add a command unless HISTCONTROL or HISTIGNORE exclude it; return True if it was added."""
    history = history_of(state, write=True)
    control = (state.get("HISTCONTROL") or "").split(":")
    ignores_both = "ignoreboth" in control
    if text[:1] in (" ", "\t") and ("ignorespace" in control or ignores_both):
        return False
    last = history.entries[-1].text if history.entries else None
    if text == last and ("ignoredups" in control or ignores_both):
        return False
    if _is_ignored(state, text, last):
        return False
    if "erasedups" in control:
        state.budget.charge(1 + (len(history.entries) >> 4))
        history.entries = [entry for entry in history.entries if entry.text != text]
    state.budget.charge(1)
    state.budget.check_fits(history.size + len(text))
    history.timed = history.timed or state.get("HISTTIMEFORMAT") is not None
    history.append(text, int(state.process.kernel.now()) if with_time and history.timed else None)
    history.session += 1
    return True


def _is_ignored(state: State, text: str, last: str | None) -> bool:
    patterns = state.get("HISTIGNORE")
    if not patterns:
        return False
    for pattern in timed_items(patterns.split(":")):
        full = (last or "") if pattern == "&" else pattern
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
    index = 0
    while index < len(lines) and (not lines[index].strip() or lines[index].lstrip()[:1] == "#"):
        if lines[index].strip():
            history.added = add_command(state, lines[index])
        index += 1
    command = "\n".join(lines[index:])
    if not command.strip():
        return
    if "cmdhist" not in state.options.shopts:
        for line in command.rstrip("\n").split("\n"):
            history.added = add_command(state, line)
    elif "lithist" in state.options.shopts:
        history.added = add_command(state, one_line(command, lambda line: "\n"))
    else:
        history.added = add_command(state, one_line(command))


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
    if history is None or ("history" not in state.options.enabled and not history.added):
        return "0"
    return str(history.base + len(history.entries) - 1)

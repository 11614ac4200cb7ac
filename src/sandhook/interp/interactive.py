"""Shells that are interactive without a terminal (``bash -i``), and the files of login shells.

Without a terminal, bash writes prompts and the input lines to standard error.
Source: bash 5.2 reference manual 6.2, 6.3, 6.9, 9.3.
Divergence: L-SHELL-001, no history file is read or written.
"""

from __future__ import annotations

from sandhook.expand.escapes import prompt
from sandhook.interp import record
from sandhook.interp.history_expansion import NoEvent, expand
from sandhook.interp.script import end_of_unit, read_line
from sandhook.kernel.descriptor import Description
from sandhook.kernel.signals import SIGINT, SIGTERM
from sandhook.lazy import lazily
from sandhook.state.control import ExitShell
from sandhook.state.state import Interpreter, State
from sandhook.state.values import IndexedArray

_EVENT = lazily(r"[!^][^\s\"]*")


def begin(runtime: Interpreter, state: State, name: str) -> None:
    """Make a shell interactive."""
    runtime.write_error(
        state,
        f"{name}: cannot set terminal process group (-1): Inappropriate ioctl for device\n"
        f"{name}: no job control in this shell\n",
    )
    state.invocation = state.invocation._replace(interactive=name)
    for option in ("emacs", "histexpand", "history"):
        state.set_option(option, True)
    state.set_shopt("expand_aliases", True)
    state.values.setdefault("PS1", "\\s-\\v\\$ ")
    state.values.setdefault("PS2", "> ")
    state.values.setdefault("HISTFILE", f"{state.get('HOME') or ''}/.bash_history")
    state.process.caught.update((SIGINT, SIGTERM))  # neither ends an interactive shell
    if state.invocation.input != "string":
        record.switch_recording(state, True)


def read_startup(runtime: Interpreter, state: State, *names: str) -> int | None:
    """Run the first of these files that exists; return a status when it ends the shell."""
    home = state.get("HOME") or ""
    for name in names:
        path = f"{home}{name[1:]}" if name[:2] == "~/" else name
        try:
            runtime.source(state, path, [])
        except ExitShell as leaving:
            return runtime.run_exit_trap(state, leaving.status) & 0xFF
        except OSError:  # the file is optional
            continue
        break
    return None


def read_profile(runtime: Interpreter, state: State) -> int | None:
    """Run the files of a login shell; return a status when one ends it."""
    status = read_startup(runtime, state, "/etc/profile")
    if status is None:
        user_files = (
            ("~/.profile",) if state.options.posix else ("~/.bash_profile", "~/.bash_login", "~/.profile")
        )
        status = read_startup(runtime, state, *user_files)
    return status


def next_command(runtime: Interpreter, state: State, description: Description) -> str:
    """Prompt for the lines of a command and return them; "" at the end of the input."""
    _run_prompt_commands(runtime, state)
    text, name = "", "PS1"
    while True:
        runtime.write_error(state, prompt(state, state.get(name) or ""))
        line = read_line(state, description).replace(b"\0", b"").decode("utf-8", "surrogateescape")
        if not line:
            if not text:
                announce_exit(runtime, state)
            return text
        runtime.write_error(state, line if line.endswith("\n") else f"{line}\n")
        expanded = _with_history(runtime, state, line)
        if expanded is None:
            text, name = "", "PS1"
            continue
        text += expanded
        if end_of_unit(runtime, state, text, at_end_of_input=not line.endswith("\n")):
            runtime.write_error(state, prompt(state, state.get("PS0") or ""))
            return text
        name = "PS2"


def announce_exit(runtime: Interpreter, state: State) -> None:
    """Announce the end of a shell, and run ``~/.bash_logout`` of a login shell."""
    if state.subshell:
        return
    login = "login_shell" in state.options.shopts
    if state.invocation.interactive is not None:
        runtime.write_error(state, "logout\n" if login else "exit\n")
    if login:
        read_startup(runtime, state, "~/.bash_logout")


def _run_prompt_commands(runtime: Interpreter, state: State) -> None:
    value = state.value("PROMPT_COMMAND")
    if value is None:
        return
    status = state.status
    for text in value.values() if isinstance(value, IndexedArray) else [state.get("PROMPT_COMMAND") or ""]:
        state.status = status
        runtime.run_text(state, text)
    state.status = status


def _with_history(runtime: Interpreter, state: State, line: str) -> str | None:
    """Return a line with its history references expanded, None when an event is not found."""
    if "histexpand" not in state.options.enabled or not ("!" in line or line[:1] == "^"):
        return line
    history = record.history_of(state)
    state.budget.charge(1 + (len(line) >> 6))
    body = line.removesuffix("\n")
    try:
        expanded = expand(
            body, [entry.text for entry in history.entries], history.base, extglob=state.options.extglob
        )
    except NoEvent:
        event = _EVENT.search(body)
        runtime.error(state, f"{event[0] if event else body}: event not found")
        return None
    if expanded == body:
        return line
    runtime.write_error(state, f"{expanded}\n")
    return expanded + line[len(body) :]

"""Backslash escapes of $'...' and of prompts, when they are expanded at run time (@E, @P, PS4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sandhook.errors import ShellSyntaxError
from sandhook.limits import PIECE, check_clock
from sandhook.state.control import ShellError, bad_substitution_error
from sandhook.state.environment import exported_variables
from sandhook.state.state import State
from sandhook.syntax.quoting import decode_ansi

#: Returns a prompt for an error and the text without escapes.
Recover: TypeAlias = Callable[["ShellError | ShellSyntaxError", str], str]


def ansi_c(text: str) -> str:
    """Return ``text`` with the escapes of $'...' replaced."""
    return decode_ansi(text)


def prompt(state: State, text: str, recover: Recover | None = None) -> str:
    """Expand a prompt string: its backslash escapes, then parameters and substitutions.

    Args:
        state: The state it is expanded in.
        text: The prompt.
        recover: Called with an error of the expansion and the text without escapes; returns the prompt instead.

    Raises:
        ShellError, ShellSyntaxError: The text does not expand, and ``recover`` is None.
        LimitExceeded: ``call_depth`` prompts expand each other: ``x='${x@P}'``.
    """
    shell = state.shell
    shell.count_call(state)
    try:
        return shell.guard_stack(state, lambda: _prompt(state, text, recover))
    finally:
        state.calls -= 1


def prompt_value(state: State, value: str) -> str:
    """Expand ``${x@P}``; what does not expand is reported, and the text stays, as in bash."""

    def recover(error: ShellError | ShellSyntaxError, text: str) -> str:
        if isinstance(error, ShellSyntaxError):
            return unparsed(state, error, text)
        if state.options.errexit and error.reason != "expression":
            raise error
        state.shell.error(state, error.message)
        return text

    status = state.substitution_status
    try:
        return prompt(state, value, recover)
    finally:
        state.substitution_status = status


def _prompt(state: State, text: str, recover: Recover | None) -> str:
    out: list[str] = []
    expands = "promptvars" in state.options.shopts or state.options.posix
    index = looked = 0
    while index < len(text):
        if index - looked > PIECE:
            looked = index
            check_clock()
        c = text[index]
        if c != "\\" or index + 1 == len(text):
            out.append("\\\\" if c == "\\" and expands else c)
            index += 1
            continue
        letter = text[index + 1]
        index += 2
        if letter in "01234567":
            digits = letter
            while len(digits) < 3 and text[index : index + 1] in tuple("01234567"):
                digits += text[index]
                index += 1
            out.append(chr(int(digits, 8) & 0xFF))
        elif letter == "D" and text[index : index + 1] == "{":
            end = text.find("}", index)
            end = len(text) if end < 0 else end
            out.append(_now(state, text[index + 1 : end] or "%H:%M:%S"))
            index = end + 1
        elif letter == "\\" and not expands:
            out.append(letter)
        else:
            quoted = "\\" if letter == "$" and expands and state.process.kernel.user_id else ""
            out.append(quoted + _escape(state, letter))
    decoded = "".join(out)
    if not expands:
        return decoded
    try:
        return state.shell.expand_text(state, decoded)
    except (ShellError, ShellSyntaxError) as error:
        if recover is None:
            raise
        return recover(error, decoded)


def unparsed(state: State, error: ShellSyntaxError, text: str) -> str:
    """Report that a prompt does not parse, and return what bash uses in its place."""
    opening = error.source[error.span[0] :]
    if error.where == "quote" and opening.startswith("`"):
        if opening != "`":
            state.shell.error(state, f'bad substitution: no closing "`" in {opening}')
        return text
    if error.where == "quote" and opening.startswith("${"):
        state.shell.error(state, bad_substitution_error(text).message)
        return text
    if error.where != "quote" and not error.incomplete:
        state.shell.report_syntax(state, error, "command substitution: ", state.line)
    return ""


def _now(state: State, layout: str) -> str:
    from sandhook.dates.clock import strftime

    return strftime(layout, int(state.process.kernel.now()), exported_variables(state).get("TZ"))


def _escape(state: State, letter: str) -> str:
    simple = {
        "a": "\a",
        "e": "\x1b",
        "n": "\n",
        "r": "\r",
        "\\": "\\\\",
        "[": "",
        "]": "",
        "$": "$" if state.process.kernel.user_id else "#",
        "s": "bash" if state.invocation.input == "file" else state.name,
    }
    if letter in simple:
        return simple[letter].rpartition("/")[2] if letter == "s" else simple[letter]
    layouts = {"d": "%a %b %d", "t": "%H:%M:%S", "T": "%I:%M:%S", "@": "%I:%M %p", "A": "%H:%M"}
    if letter in layouts:
        return _now(state, layouts[letter])
    directory = state.get("PWD") or state.process.cwd
    home = state.get("HOME")
    shown = "~" + directory[len(home) :] if home and (directory + "/").startswith(home + "/") else directory
    facts = {
        "u": state.get("USER") or "agent",
        "h": (state.get("HOSTNAME") or "sandhook").partition(".")[0],
        "H": state.get("HOSTNAME") or "sandhook",
        "w": _trimmed(state, shown),
        "W": shown.rpartition("/")[2] or shown,
        "v": "5.2",
        "V": "5.2.15",
        "j": str(len(state.jobs or ())),
        "l": "sandbox",
        "#": "0" if state.invocation.input == "string" else "1",
        "!": "1",
    }
    return facts.get(letter, "\\" + letter)


def _trimmed(state: State, path: str) -> str:
    """Return the last directories of a path, as many as PROMPT_DIRTRIM allows."""
    count = state.get("PROMPT_DIRTRIM") or ""
    if not (count.isdigit() and count.isascii()) or not 0 < int(count[:9]) < path.count("/"):
        return path
    directories = path.split("/")[-int(count[:9]) :]
    shortened = "/".join(["~/..." if path[0] == "~" else "...", *directories])
    return shortened if len(shortened) < len(path) else path

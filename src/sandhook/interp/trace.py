"""xtrace: what ``set -x`` prints (bash 5.2 manual 4.3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from sandhook.errors import ShellSyntaxError
from sandhook.expand.escapes import prompt, unparsed
from sandhook.state.assigned import Argument, Assigned, Element
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.syntax.nodes import (
    ArithmeticCommand,
    Assignment,
    Case,
    Command,
    For,
    Pipeline,
    Select,
    SimpleCommand,
    Subshell,
    Word,
)
from sandhook.text.numbers import decimal
from sandhook.text.quoting import single_quote, trace_quote


def prefix(state: State) -> str:
    """Return PS4, expanded; its first character is repeated for each level of substitution."""
    text = state.get("PS4")
    if text is None:
        return ""

    def recover(error: ShellError | ShellSyntaxError, decoded: str) -> str:
        return _unexpanded(state, error, decoded)

    expanded = prompt(state, text, recover)
    return expanded[:1] * (1 + state.tracing.depth) + expanded[1:]


def _unexpanded(state: State, error: ShellError | ShellSyntaxError, text: str) -> str:
    """Report that PS4 does not expand, and return what bash prints in its place."""
    if isinstance(error, ShellError):
        if state.options.errexit and error.reason != "expression":
            state.shell.fatal_error(state, error)
        state.shell.error(state, error.message)
        return text
    return unparsed(state, error, text)


def show(state: State, text: str) -> None:
    """Write one line of the trace to BASH_XTRACEFD or standard error; the expansion of PS4 is not traced."""
    tracing = state.tracing
    if tracing.busy:
        return
    tracing.busy = True
    status = state.substitution_status
    try:
        descriptors = state.process.descriptors
        fd = state.memo.trace_descriptor
        if fd is None:
            fd = decimal(state.get("BASH_XTRACEFD") or "2")
        target = descriptors.get(2 if fd is None else fd) or descriptors.get(2)
        if target is not None and target.writable:
            line = f"{prefix(state)}{text}\n".encode("utf-8", "surrogateescape")
            with suppress(OSError):  # the trace is lost, as in bash
                target.write(line)
    finally:
        tracing.busy = False
        state.substitution_status = status  # that of a substitution in PS4 does not count


def show_command(state: State, argv: Sequence[Argument]) -> None:
    """Trace a simple command; the elements of a declared array are on a line before it."""
    words: list[str] = []
    for word in argv:
        if isinstance(word, str):
            words.append(trace_quote(word))
        elif isinstance(word.value, str):
            words.append(trace_quote(_target(word) + word.value))
        else:
            show(state, f"{_target(word)}({' '.join(map(_element, word.value))})")
            words.append(word.name)
    show(state, " ".join(words))
    if argv[0] in ("export", "readonly"):
        for word in argv:
            if isinstance(word, Assigned) and isinstance(word.value, str):
                show(state, assigned(word))


def assigned(word: Assigned) -> str:
    """Return an assignment as the trace prints it."""
    value = word.value
    if isinstance(value, str):
        return _target(word) + (trace_quote(value) if value else "")
    return f"{_target(word)}({' '.join(map(_element, value))})"


def _target(word: Assigned) -> str:
    subscript = f"[{word.subscript}]" if word.subscript is not None else ""
    return f"{word.name}{subscript}{'+=' if word.append else '='}"


def _element(element: Element) -> str:
    subscript = element.subscript
    if subscript is None:
        return single_quote(element.value)
    return f"[{single_quote(subscript)}]{'+' if element.append else ''}={single_quote(element.value)}"


def command_text(node: Command) -> str:
    """Return the text of BASH_COMMAND: a compound command up to its body, the last command of a pipeline."""
    from sandhook.syntax.unparse import unparse

    match node:
        case Pipeline(commands=commands) if commands:
            timed = f"{node.timed} " if node.timed is not None and isinstance(commands[-1], Subshell) else ""
            return timed + command_text(commands[-1])
        case For() | Select():
            words = (word_text(word) for word in node.words) if node.words is not None else ('"$@"',)
            return f"{'for' if isinstance(node, For) else 'select'} {node.name} in {' '.join(words)}"
        case Case(subject):
            return f"case {word_text(subject)} in "
        case ArithmeticCommand(expression):
            return f"(({word_text(expression)}))"
        case SimpleCommand() if any(part.document is not None for part in node.redirections):
            return unparse(node)
    return unparse(node)


def word_text(word: Word | Assignment) -> str:
    """Return the source of a word."""
    from sandhook.syntax.unparse import unparse

    return unparse(word)

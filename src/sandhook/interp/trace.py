"""xtrace: what ``set -x`` prints (bash 5.2 manual 4.3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.expand.escapes import prompt
from sandhook.interp.lookup import Argument
from sandhook.state.assignment import Assigned
from sandhook.state.state import State
from sandhook.syntax.nodes import (
    ArithmeticCommand,
    Case,
    Command,
    Condition,
    For,
    Pipeline,
    Select,
    SimpleCommand,
    Word,
)
from sandhook.utilities._quote import shell_quote


def prefix(state: State) -> str:
    """Return PS4, expanded, its first character repeated for each level of substitution."""
    text = state.get("PS4")
    if text is None:
        return ""
    shown = prompt(state, text)
    depth: int = state.extra.get("trace_depth", 0)
    return shown[:1] * (1 + depth) + shown[1:]


def show(state: State, text: str) -> None:
    """Write one line of the trace to BASH_XTRACEFD or standard error; guards against itself."""
    if state.extra.get("tracing"):
        return
    state.extra["tracing"] = True
    try:
        number = state.get("BASH_XTRACEFD") or "2"
        target = state.process.descriptors.get(int(number[:9]) if number.isdigit() else 2)
        if target is not None:
            target.write(f"{prefix(state)}{text}\n".encode("utf-8", "surrogateescape"))
    finally:
        state.extra["tracing"] = False


def quote(text: str) -> str:
    """Return one word as the trace shows it: quoted only where a shell would need it."""
    if not text:
        return "''"
    quoted = shell_quote(text)
    if quoted == text or quoted[:2] == "$'":
        return quoted
    return "'" + text.replace("'", "'\\''") + "'"


def show_command(state: State, argv: Sequence[Argument]) -> None:
    """Trace a simple command."""
    show(state, " ".join(quote(word) if isinstance(word, str) else assigned(word) for word in argv))


def assigned(word: Assigned) -> str:
    """Return an assignment as the trace shows it."""
    name, subscript, append, value = word
    left = f"{name}[{subscript}]" if subscript is not None else name
    operator = "+=" if append else "="
    if isinstance(value, str):
        return f"{left}{operator}{quote(value) if value else ''}"
    shown = " ".join(
        quote(element.value) if element.subscript is None else f"[{element.subscript}]={quote(element.value)}"
        for element in value
    )
    return f"{left}{operator}({shown})"


def condition_text(state: State, node: Condition) -> str:
    """Return ``[[ ... ]]`` as the trace shows it."""
    from sandhook.syntax.nodes import ConditionalCommand
    from sandhook.syntax.unparse import unparse

    return unparse(ConditionalCommand(node))


def command_text(node: Command) -> str:
    """Return a command as BASH_COMMAND gives it: a compound one up to its body, a pipeline's last."""
    from sandhook.syntax.unparse import unparse

    match node:
        case Pipeline(commands=commands) if commands:
            return command_text(commands[-1])
        case For() | Select():
            words = (word_text(word) for word in node.words) if node.words is not None else ('"$@"',)
            return f"{'for' if isinstance(node, For) else 'select'} {node.name} in {' '.join(words)}"
        case Case(subject):
            return f"case {word_text(subject)} in "
        case ArithmeticCommand(expression):
            return f"(({word_text(expression)}))"
        case SimpleCommand() if any(part.document is not None for part in node.redirections):
            shown = unparse(node._replace(redirections=()))
            return " ".join([shown, *(f"{part.operator}{word_text(part.target)}" for part in node.redirections)])
    return unparse(node)


def word_text(word: Word) -> str:
    """Return a word's source."""
    from sandhook.syntax.unparse import unparse

    return unparse(word)

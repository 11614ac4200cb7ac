"""Functions: ``local`` and ``return`` inlined, and returns that need no unwinding.

The entries for ``INLINE`` follow its rules: None from the entry or from its closure leaves the command to
the built-in itself, which has every option and error message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.expand.blanks import declared
from sandhook.expand.shapes import has_braces
from sandhook.expand.text import Text
from sandhook.expand.word import WordCompiler
from sandhook.interp.compile.deferred import Deferred
from sandhook.interp.compile.protocol import Run
from sandhook.record import new_record
from sandhook.state.control import ReturnFrom, ShellError
from sandhook.state.frame import UNSET_BEFORE, Saved
from sandhook.state.state import State
from sandhook.state.values import LARGE
from sandhook.syntax.nodes import (
    AndOr,
    ArithmeticFor,
    Assignment,
    BraceGroup,
    Case,
    Command,
    CommandList,
    For,
    If,
    Pipeline,
    Redirection,
    Select,
    SimpleCommand,
    Subshell,
    While,
    Word,
)
from sandhook.text.names import is_name
from sandhook.typed import Any, TypeAlias

_COMPOUND = frozenset((AndOr, ArithmeticFor, BraceGroup, Case, For, If, Pipeline, Select, Subshell, While))
#: Nodes without commands in them, but for substitutions.
_FLAT = frozenset((SimpleCommand, Word, Redirection))

Inline: TypeAlias = Callable[[State], "int | None"]


def inline_local(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    """Compile ``local name name=value ...`` without options, for names without attributes."""
    declarations: list[tuple[str, Text | None]] = []
    for word in node.words[1:]:
        declaration = _declaration(words, word)
        if declaration is None:
            return None
        declarations.append(declaration)
    if not declarations:
        return None

    def run(state: State) -> int | None:
        frame = state.frames[-1] if state.frames else None
        if frame is None or frame.sourced or state.shared_frames or state.disabled_builtins:
            return None
        attributes, namerefs, dynamics = state.attributes, state.namerefs, state.dynamics
        for name, text_of in declarations:
            if (
                name in attributes
                or name in namerefs
                or name in dynamics
                or (text_of is None and "localvar_inherit" in state.options.shopts)
            ):
                return None
        # all words are expanded before the first name is hidden
        texts = [None if text_of is None else text_of(state) for _, text_of in declarations]
        saved, values = frame.saved, state.values
        for (name, _), text in zip(declarations, texts):
            if name not in saved:
                hidden = values.pop(name, None)
                saved[name] = UNSET_BEFORE if hidden is None else new_record(Saved, (hidden, 0, None))
            if text is not None:
                if len(text) > LARGE or state.options.allexport:
                    state.set(name, text)
                else:  # set does only this for a name without attributes
                    values[name] = text
            elif name not in values:
                attributes[name] = 0  # a local name without a value
        return 0

    return run


def one_local(words: WordCompiler, node: SimpleCommand, general: Deferred) -> Run | None:
    """Compile ``local name=value``, which most functions begin with, to one closure; None for other commands."""
    declaration = _declaration(words, node.words[1]) if len(node.words) == 2 else None
    if declaration is None or declaration[1] is None:
        return None
    name, text_of, line = declaration[0], declaration[1], node.line

    def run(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        frames = state.frames
        if (
            state.instrumented
            or not frames
            or "local" in state.functions
            or state.shared_frames
            or state.disabled_builtins
            or name in state.attributes
            or name in state.namerefs
            or name in state.dynamics
            or frames[-1].sourced
        ):
            return (general.run or general.first)(state)
        state.line = line
        try:
            text = text_of(state)
            values, saved = state.values, frames[-1].saved
            if name not in saved:
                hidden = values.get(name)
                saved[name] = UNSET_BEFORE if hidden is None else new_record(Saved, (hidden, 0, None))
            if len(text) > LARGE or state.options.allexport:
                state.set(name, text)
            else:  # set does only this for a name without attributes
                values[name] = text
        except ShellError as error:
            status = state.shell.fatal_error(state, error)
            state.pipestatus = None
            return status
        state.status = 0
        state.pipestatus = None
        return 0

    return run


def _declaration(words: WordCompiler, word: Word | Assignment) -> tuple[str, Text | None] | None:
    """Return the name and the value (None without a value) of a plain argument, None for any other argument."""
    if isinstance(word, Word):
        name = words.constant(word)
        if name is None or not is_name(name):
            return None
        return name, None
    if word.subscript is not None or word.append or not isinstance(word.value, Word):
        return None
    if has_braces(word.value):
        return None
    return word.name, declared(words, word, word.value)


def inline_return(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    """Compile ``return`` and ``return N``, which raise ReturnFrom."""
    status_of = _compile_status(words, node)
    if status_of is None:
        return None

    def run(state: State) -> int | None:
        status = status_of(state)
        if status is None:
            return None
        raise ReturnFrom(status)

    return run


def inline_last_return(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    """Compile a ``return`` that ends its function: its status is the function's."""
    status_of = _compile_status(words, node)
    if status_of is None:
        return None
    # a RETURN trap sees the status of the command before return in $?
    return lambda state: None if "RETURN" in state.traps else status_of(state)


def _compile_status(words: WordCompiler, node: SimpleCommand) -> Inline | None:
    """Return a closure that returns the status of a plain ``return``, None for any other shape."""
    if len(node.words) > 2:
        return None
    if len(node.words) == 1:
        return lambda state: (
            state.status
            if state.frames and not state.disabled_builtins and state.tracing.return_status is None
            else None
        )
    operand = node.words[1]
    if isinstance(operand, Assignment):
        return None
    number = words.number(operand)
    if number is None:
        return None
    status_of = number

    def status(state: State) -> int | None:
        if not state.frames or state.disabled_builtins:
            return None
        status = status_of(state)
        return None if status is None else status & 0xFF

    return status


#: Levels of nested compound commands in a shallow function.
_SHALLOW = 3


def is_shallow(node: tuple[object, ...], levels: int = _SHALLOW) -> bool:
    """Return True if a body nests few compound commands, and so needs few frames to run.

    Substitutions are not counted: they check the stack themselves.
    """
    inner = levels - (node.__class__ in _COMPOUND)
    if inner < 0:
        return False
    for part in node:
        if isinstance(part, tuple) and part.__class__ not in _FLAT and not is_shallow(part, inner):
            return False
    return True


def last_returns(body: Command) -> frozenset[int]:
    """Return the ids of the ``return`` commands that end a function's body."""
    return frozenset(map(id, _last_commands(body)))


def _last_commands(node: Command) -> Iterator[SimpleCommand]:
    match node:
        case SimpleCommand():
            if not node.redirections and not node.assignments and _is_return(node):
                yield node
        case BraceGroup():
            yield from _last_of_list(node.body)
        case AndOr():
            yield from _last_commands(node.commands[-1])
        case If():
            for clause in node.clauses:
                yield from _last_of_list(clause.body)
            if node.otherwise is not None:
                yield from _last_of_list(node.otherwise)
        case Case():
            for choice in node.clauses:
                if choice.terminator == ";;" and choice.body is not None:
                    yield from _last_of_list(choice.body)


def _last_of_list(node: CommandList) -> Iterator[SimpleCommand]:
    last = node.items[-1] if node.items else None
    if last is not None and not last.background:
        yield from _last_commands(last.command)


def _is_return(node: SimpleCommand) -> bool:
    first: Any = node.words[0] if node.words else None
    return isinstance(first, Word) and [getattr(part, "text", None) for part in first.parts] == ["return"]

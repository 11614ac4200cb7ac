"""The words of a command: closures that give argv."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeAlias

from sandhook.expand.brace import expand_braces, has_braces
from sandhook.interp.compile.assignment import compile_assignment
from sandhook.interp.compile.protocol import Compiler
from sandhook.state.assigned import Argument
from sandhook.state.state import State
from sandhook.state.values import ASSOC
from sandhook.syntax.nodes import Assignment, Literal, Word

Arguments: TypeAlias = Callable[[State], "list[Argument]"]

#: Arguments of one command (a count) above which they are charged.
MANY = 2048


def compile_arguments(compiler: Compiler, words: Sequence[Word | Assignment]) -> Arguments:
    """Compile the words of a command to a closure that returns argv, a new list in each call."""
    template: list[Argument] = []  # the constants in their places
    slots: list[tuple[int, Callable[[State], Any]]] = []
    for at, word in enumerate(words):
        constant = compiler.words.constant(word) if isinstance(word, Word) else None
        if constant is None:
            slots.append((at, _maker(compiler, word, template)))
        template.append(constant or "")
    if not slots:
        return lambda state: template.copy()
    if len(slots) == 1 and slots[0][0] == len(template) - 1:
        return _one_behind(template[:-1], slots[0][1])

    def arguments(state: State) -> list[Argument]:
        argv = template.copy()
        moved = 0  # how far the words have moved to the right
        for at, make in slots:
            found = make(state)
            if found.__class__ is not list:
                argv[at + moved] = found
            else:
                argv[at + moved : at + moved + 1] = found
                moved += len(found) - 1
        if len(argv) > MANY:
            charge_fields(state, len(argv))
        return argv

    return arguments


def _one_behind(head: list[Argument], make: Callable[[State], Any]) -> Arguments:
    """Return the closure for one word after constants, the shape of most commands."""

    def arguments(state: State) -> list[Argument]:
        found = make(state)
        if found.__class__ is not list:
            return [*head, found]
        if len(found) > MANY:
            charge_fields(state, len(found))
        return [*head, *found]

    return arguments


def _maker(compiler: Compiler, word: Word | Assignment, before: list[Argument]) -> Callable[[State], Any]:
    """Compile one word to a closure that returns a list of fields, or one argument by itself.

    Args:
        before: The constants before it, empty ones for other words.
    """
    if isinstance(word, Word):
        return compiler.words.argument(word)
    made = _braced(word)
    if made is not None:  # what braces make is no assignment to the parser: it is split
        return compiler.words.fields(made)
    return compile_assignment(compiler, word, _declares_map(before))


def _declares_map(before: list[Argument]) -> Callable[[State, str], bool]:
    """Return a test: does a declaration with these words make a map, or assign to one?"""
    declared = any(isinstance(word, str) and word[:1] == "-" and "A" in word for word in before)
    local = before[0] in ("declare", "local", "typeset")

    def is_map(state: State, name: str) -> bool:
        return declared or (not local and bool(state.attributes.get(name, 0) & ASSOC))

    return is_map


def charge_fields(state: State, count: int) -> None:
    """Charge the work of a very long command; too many fields end the run."""
    if count > state.budget.limits.fields:
        state.budget.fail("fields")
    state.budget.charge(count >> 4)


def _braced(node: Assignment) -> Word | None:
    """Return an argument ``name=a{1,2}`` of a declaration as a word, None when it has no braces."""
    if not isinstance(node.value, Word) or not has_braces(node.value):
        return None
    if len(list(islice(expand_braces(node.value), 2))) < 2:
        return None
    sign = "+=" if node.append else "="
    if node.subscript is None:
        return Word((Literal(node.name + sign), *node.value.parts), node.value.span)
    head = (Literal(f"{node.name}["), *node.subscript.parts, Literal(f"]{sign}"))
    return Word((*head, *node.value.parts), node.value.span)

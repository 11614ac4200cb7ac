"""Assignments: as a separate command, before a command, and as arguments of declarations."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.expand.blanks import declared
from sandhook.expand.numbers import NUMBERS, NUMBERS_KEPT, NotPlain, remember
from sandhook.expand.reference import subscript_of
from sandhook.expand.text import Text
from sandhook.expand.tilde import split_assignment_tildes
from sandhook.interp.compile.elements import compile_elements, is_associative
from sandhook.interp.compile.protocol import Compiler, Run
from sandhook.interp.redirect import Apply, Undo, needs_process, restore
from sandhook.interp.subshell import redirect_apart
from sandhook.state.assigned import Assigned, Elements
from sandhook.state.assignment import assign, plain_array
from sandhook.state.control import ShellError, readonly_error, subscript_error
from sandhook.state.state import State
from sandhook.state.values import COMPUTED, LARGE, READONLY, AssociativeArray, IndexedArray, store
from sandhook.syntax.nodes import (
    ArithmeticExpansion,
    ArrayLiteral,
    Assignment,
    SimpleCommand,
    Word,
)
from sandhook.typed import Any, TypeAlias

Step: TypeAlias = Callable[[State], None]
AssignedOf: TypeAlias = Callable[[State], Assigned]


def compile_assignments(compiler: Compiler, node: SimpleCommand, apply: Apply | None) -> Run:
    """Compile a command of assignments alone, and its redirections."""
    if len(node.assignments) == 1 and apply is None:
        plain = _plain_assignment(compiler, node, node.assignments[0])
        if plain is not None:
            return plain
    steps = [_assignment_step(compiler, assignment) for assignment in node.assignments]
    return _compile_run(steps[0] if len(steps) == 1 else _sequence(steps), apply, node)


def _sequence(steps: list[Step]) -> Step:
    def assign(state: State) -> None:
        for step in steps:
            step(state)

    return assign


def _compile_run(assign: Step, apply: Apply | None, node: SimpleCommand) -> Run:
    line = node.line
    is_apart = needs_process(node.redirections)

    def run(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        state.substitution_status = 0
        if state.instrumented and state.shell.debug(state, node):
            return 0
        undo: Undo | None = None
        try:
            assign(state)
            if apply is not None:
                if is_apart:
                    state.substitution_status = redirect_apart(state, apply)
                else:
                    undo = []
                    apply(state, undo)
        except ShellError as error:
            status = state.shell.fatal_error(state, error)
            state.pipestatus = None
            return status
        finally:
            if undo:
                restore(state.process, undo)
        state.status = status = state.substitution_status
        state.pipestatus = None
        return status

    return run


def _plain_assignment(compiler: Compiler, command: SimpleCommand, node: Assignment) -> Run | None:
    """Compile ``name=text``, ``name=$((...))`` and ``name[key]=text`` to one closure: no command is more frequent in loops.

    Return None for any other assignment.
    """
    if not isinstance(node.value, Word):
        return None
    if node.subscript is not None and node.subscript.parts:
        return _element_assignment(compiler, command, node)
    if node.subscript is not None or node.append:
        return None
    parts = node.value.parts
    if len(parts) == 1 and isinstance(parts[0], ArithmeticExpansion):
        value = compiler.words.arithmetic(parts[0].expression)
        return _integer_assignment(command, node.name, value)
    return _text_assignment(command, node.name, compiler.words.string(node.value, assignment=True))


def _integer_assignment(node: SimpleCommand, name: str, value: Callable[[State], int]) -> Run:
    line = node.line

    def run(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        state.substitution_status = 0
        if state.instrumented and state.shell.debug(state, node):
            return 0
        try:
            number = value(state)
            text = str(number)
            if (
                name in state.attributes
                or name in state.namerefs
                or name in state.dynamics
                or state.options.allexport
            ):
                state.set(name, text)
            else:
                state.values[name] = text
                if len(NUMBERS) < NUMBERS_KEPT:
                    NUMBERS[text] = number
                else:
                    remember(text, number)
            if state.instrumented:
                state.shell.trace_assignment(state, name, text)
        except ShellError as error:
            return state.shell.fatal_error(state, error)
        state.status = status = state.substitution_status
        state.pipestatus = None
        return status

    return run


def _text_assignment(node: SimpleCommand, name: str, text_of: Text) -> Run:
    line = node.line

    def run(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        state.substitution_status = 0
        if state.instrumented and state.shell.debug(state, node):
            return 0
        try:
            text = text_of(state)
            if state.instrumented:
                state.shell.trace_assignment(state, name, text)
            if (
                len(text) > LARGE
                or name in state.attributes
                or name in state.namerefs
                or name in state.dynamics
                or state.options.allexport
            ):
                state.set(name, text)
            else:
                state.values[name] = text
        except ShellError as error:
            if name in state.namerefs:  # to an element that cannot be assigned to
                error = error.ending_unit()
            return state.shell.fatal_error(state, error)
        state.status = status = state.substitution_status
        state.pipestatus = None
        return status

    return run


def _assignment_step(compiler: Compiler, node: Assignment) -> Step:
    """Compile an assignment to a closure that assigns at once."""
    if isinstance(node.value, Word) and node.subscript is None and not node.append:
        name = node.name
        if len(node.value.parts) == 1 and isinstance(node.value.parts[0], ArithmeticExpansion):
            return _integer_step(name, compiler.words.arithmetic(node.value.parts[0].expression))
        text_of = compiler.words.string(node.value, assignment=True)

        def step(state: State) -> None:
            text = text_of(state)
            if state.instrumented:
                state.shell.trace_assignment(state, name, text)
            state.set(name, text)

        return step
    if node.subscript is not None and not node.subscript.parts:
        return _failing_step(subscript_error(f"{node.name}[]", "unit"))
    if isinstance(node.value, Word) and node.subscript is None:
        return _concatenating_step(node.name, compiler.words.string(node.value, assignment=True))
    general = _general_step(compiler, node)
    if isinstance(node.value, ArrayLiteral) and node.subscript is None:
        words = [element for element in node.value.elements if isinstance(element, Word)]
        if len(words) == len(node.value.elements):
            words_of = [_list_word(compiler, word) for word in words]
            return _listing_step(node.name, words_of, general, append=node.append)
    return general


def _failing_step(error: ShellError) -> Step:
    """Compile an assignment that fails when it runs."""

    def fail(state: State) -> None:
        raise error.worded(error.message)  # a copy: an exception keeps the frames of its last flight

    return fail


def _concatenating_step(name: str, text_of: Text) -> Step:
    """Compile ``name+=text``."""

    def step(state: State) -> None:
        text = text_of(state)
        old: Any = state.values.get(name)
        if (
            old.__class__ is str
            and len(old) + len(text) <= LARGE
            and name not in state.attributes
            and not (state.instrumented or state.options.allexport)
        ):
            state.values[name] = old + text
            return
        if state.instrumented:
            state.shell.trace_assigned(state, Assigned(name, None, True, text))
        try:
            state.append(name, text)
        except ShellError as error:
            raise error.ending_unit() from None

    return step


def _list_word(compiler: Compiler, word: Word) -> Callable[[State], str | list[str]]:
    """Compile a word of ``name=(words)``, in which ``x=~`` has no tilde."""
    if split_assignment_tildes(word.parts) is None:
        return compiler.words.argument(word)
    return compiler.words.fields(word, named_tildes=False)


def _listing_step(
    name: str,
    words: list[Callable[[State], str | list[str]]],
    general: Step,
    *,
    append: bool,
) -> Step:
    """Compile ``name=(words)`` or ``name+=(words)`` for the plain indexed array that ``name`` mostly is."""

    def step(state: State) -> None:
        array = plain_array(state, name)
        if state.instrumented or not isinstance(array, IndexedArray):
            general(state)
            return
        texts: list[str] = []
        for fields_of in words:
            fields = fields_of(state)
            if isinstance(fields, list):
                texts += fields
            else:
                texts.append(fields)
        count = sum(map(len, texts)) + 64 * len(texts)
        state.budget.charge_memory(count)
        if append:
            array.own()
            array.keep(state.budget, count)
            array.extend(texts)
        else:
            state.values[name] = new = IndexedArray(texts)
            new.keep(state.budget, count)

    return step


def _general_step(compiler: Compiler, node: Assignment) -> Step:
    assigned_of = compile_assignment(compiler, node)
    is_list = isinstance(node.value, ArrayLiteral)
    name, subscript = node.name, node.subscript

    def general(state: State) -> None:
        if is_list and state.instrumented:
            state.shell.trace_node(state, node)
        if is_list and state.attributes.get(name, 0) & READONLY:  # before the elements are expanded
            raise readonly_error(name, "unit")
        if is_list and subscript is None and name not in state.values and name not in state.namerefs:
            state.array(name)  # the array exists before its elements are expanded
        assigned = assigned_of(state)
        if state.instrumented and not is_list:
            state.shell.trace_assigned(state, assigned, subscript)
        try:
            assign(state, assigned)
        except ShellError as error:
            if subscript is not None and error.reason == "bad subscript":
                error = error.worded(_bad_subscript(name, subscript).message)
            raise error.ending_unit() from None

    return general


def _bad_subscript(name: str, subscript: Word) -> ShellError:
    """Return the error of a bad subscript, with the source text of the subscript."""
    from sandhook.syntax.unparse import unparse

    return subscript_error(f"{name}[{unparse(subscript)}]", "unit")


def _integer_step(name: str, value: Callable[[State], int]) -> Step:
    """Compile ``name=$((...))``."""
    from sandhook.expand.arith import store_variable

    store = store_variable(name)

    def step(state: State) -> None:
        number = value(state)
        store(state, number)
        if state.instrumented:
            state.shell.trace_assignment(state, name, str(number))

    return step


def _putter(name: str, subscript: Word, *, append: bool) -> Callable[[State, Any, Any, str], None]:
    """Return a function that puts a text into an array, and charges it."""

    def put(state: State, array: Any, key: Any, text: str) -> None:
        if key == "" or (key.__class__ is int and key < 0):
            key = array.top() + key if key else -1
            if key < 0:
                raise _bad_subscript(name, subscript)
        if append:
            text = (array.get(key) or "") + text
        store(array, key, text, state.budget)

    return put


def _element_assignment(compiler: Compiler, command: SimpleCommand, node: Assignment) -> Run:
    """Compile ``name[subscript]=value`` alone, for the plain array that ``name`` mostly is."""
    name, append, line = node.name, node.append, command.line
    subscript, value = node.subscript, node.value
    assert subscript is not None and isinstance(value, Word)
    put = _putter(name, subscript, append=append)
    general = _general_step(compiler, node)
    key_of = compiler.words.key(subscript, lambda state: is_associative(state, name))
    text_of = compiler.words.string(value, assignment=True)
    index_of = compiler.words.index(subscript)

    def run(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        state.substitution_status = 0
        if state.instrumented and state.shell.debug(state, command):
            return 0
        try:
            array: Any = state.values.get(name)  # the body of plain_array, without a call
            kind = array.__class__
            if (
                (kind is not AssociativeArray and (kind is not IndexedArray or index_of is None))
                or state.attributes.get(name, 0) & COMPUTED
                or state.instrumented
                or state.options.allexport
            ):
                general(state)
            else:
                text = text_of(state)
                key: Any
                try:
                    key = key_of(state) if kind is AssociativeArray or index_of is None else index_of(state)
                except NotPlain:
                    key = state.shell.subscript(state, key_of(state))
                except ShellError as error:
                    raise error.ending_unit() from None
                old, size = array.items.get(key), len(text)
                if old is None or len(old) != size or size > LARGE or array.shared is not None or append:
                    put(state, array, key, text)
                else:
                    array.items[key] = text  # replacing a short text charges nothing
        except ShellError as error:
            return state.shell.fatal_error(state, error)
        state.status = status = state.substitution_status
        state.pipestatus = None
        return status

    return run


def _list_as_element(name: str, subscript: Word, elements: Callable[[State], Elements] | None) -> AssignedOf:
    """Return the closure of ``name[subscript]=(list)``, an error; a declaration has expanded the list before."""
    from sandhook.syntax.unparse import unparse

    message = f"{name}[{unparse(subscript)}]: cannot assign list to array member"

    def reject(state: State) -> Assigned:
        if elements is not None:
            elements(state)
        raise ShellError(message, 1, ends="unit")

    return reject


def compile_assignment(
    compiler: Compiler,
    node: Assignment,
    is_map: Callable[[State, str], bool] | None = None,
    *,
    declares_map: bool = False,
) -> AssignedOf:
    """Compile name=value to a closure that returns the expanded assignment.

    Args:
        is_map: Returns True if the name is an associative array when the assignment runs; None means
            the current variable of that name.
        declares_map: The assignment is an argument of a declaration with -A.
    """
    name, append = node.name, node.append
    is_associative_now = is_map or is_associative
    subscript: Text | None = None
    if node.subscript is not None:
        subscript = compiler.words.key(node.subscript, lambda state: is_associative_now(state, name))
    if isinstance(node.value, ArrayLiteral):
        declaring = is_map is not None
        elements = compile_elements(
            compiler, node.value, name, is_associative_now, declaring=declaring, declares_map=declares_map
        )
        if node.subscript is not None:
            return _list_as_element(name, node.subscript, elements if declaring else None)
        return lambda state: Assigned(name, None, append, elements(state))
    if is_map is None:
        text_of = compiler.words.string(node.value, assignment=True)
    else:
        text_of = declared(compiler.words, node, node.value)
    if subscript is None:
        return lambda state: Assigned(name, None, append, text_of(state))
    key_of = subscript
    is_literal = subscript_of(node.subscript) is not None

    def element(state: State) -> Assigned:
        text = text_of(state)  # before the subscript, as in bash
        key = key_of(state)
        if key in ("@", "*") and not is_literal and not is_associative_now(state, name):
            state.shell.subscript(state, key)  # only a literal @ or * means all elements
        return Assigned(name, key, append, text)

    return element

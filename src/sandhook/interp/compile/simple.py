"""Simple commands (POSIX.1-2024 XCU 2.9.1): assignments, words, redirections, invocation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeAlias

from sandhook.expand.arith import NotPlain, store_variable
from sandhook.expand.brace import expand_braces, has_braces
from sandhook.expand.text import Text
from sandhook.expand.word import FieldsOf
from sandhook.interp.compile.inline import INLINE
from sandhook.interp.compile.protocol import Compiler
from sandhook.interp.lookup import Argument
from sandhook.interp.redirect import Apply, Undo, restore
from sandhook.state.assignment import Assigned, Element, Elements, assign
from sandhook.state.control import ShellError
from sandhook.state.state import Saved, State
from sandhook.state.values import ARRAY, ASSOC, EXPORT, AssociativeArray, IndexedArray
from sandhook.syntax.nodes import (
    ArithmeticExpansion,
    ArrayElement,
    ArrayLiteral,
    Assignment,
    Literal,
    ParameterExpansion,
    ProcessSubstitution,
    SimpleCommand,
    Word,
    walk,
)

Run: TypeAlias = Callable[[State], int]
Arguments: TypeAlias = Callable[[State], "list[Argument]"]
MakeAssigned: TypeAlias = Callable[[State], Assigned]


#: Arguments of one command (a count) above which they are charged.
MANY = 2048


def compile_simple(compiler: Compiler, node: SimpleCommand, *, final: bool = False) -> Run:
    """Compile a simple command to the narrowest closure that its shape allows.

    ``final``: it is all that its process runs, so what its redirections replace is closed at once.
    """
    apply = compiler.redirections(node.redirections)
    if not node.words:
        run = _assignments_only(compiler, node, apply)
    else:
        run = _with_words(compiler, node, apply, final)
    parts = list(walk((node.words, node.assignments, node.redirections)))
    if any(isinstance(part, ProcessSubstitution) for part in parts):
        run = closing_substitutions(run)
    if any(isinstance(part, ParameterExpansion) and part.name == "BASH_COMMAND" for part in parts):
        run = noting_command(run, node)
    elif node.words and isinstance(node.words[0], Word) and compiler.words.constant(node.words[0]) == "exit":
        run = noting_command(run, node)  # for the EXIT trap
    return run


def noting_last(arguments: Arguments) -> Arguments:
    """Remember the last argument for ``$_``."""

    def noting(state: State) -> list[Argument]:
        argv = arguments(state)
        if argv:
            last = argv[-1]
            state.last_argument = last if isinstance(last, str) else last.name
        return argv

    return noting


def noting_command(run: Run, node: SimpleCommand) -> Run:
    """Remember the command for BASH_COMMAND before it runs."""

    def noting(state: State) -> int:
        state.shell.note_command(state, node)
        return run(state)

    return noting


def closing_substitutions(run: Run) -> Run:
    """Close the descriptors of process substitutions when the command has ended."""

    def closing(state: State) -> int:
        outer = state.extra.get("substitutions")
        mine: list[int] = []
        state.extra["substitutions"] = mine
        try:
            return run(state)
        finally:
            state.extra["substitutions"] = outer
            for number in mine:
                state.process.close(number)

    return closing


# --------------------------------------------------------------------------- assignments alone


def _assignments_only(compiler: Compiler, node: SimpleCommand, apply: Apply | None) -> Run:
    line = node.line
    steps = [_assignment_step(compiler, assignment) for assignment in node.assignments]
    if len(steps) == 1 and apply is None:
        return _one_assignment(steps[0], node)

    def run(state: State) -> int:
        budget = state.budget
        budget.fuel -= 1
        if budget.fuel < 0:
            state.shell.poll(state)
        state.line = line
        state.substitution_status = 0
        if state.watched:
            state.shell.debug(state, node)
        undo: Undo = []
        try:
            for step in steps:
                step(state)
            if apply is not None:
                apply(state, undo)
        except ShellError as error:
            return state.shell.report(state, error)  # type: ignore[no-any-return]
        finally:
            if undo:
                restore(state.process, undo)
        state.status = status = state.substitution_status
        state.pipestatus = None
        return status

    return run


def _one_assignment(step: Callable[[State], None], node: SimpleCommand) -> Run:
    line = node.line

    def run(state: State) -> int:
        budget = state.budget
        budget.fuel -= 1
        if budget.fuel < 0:
            state.shell.poll(state)
        state.line = line
        state.substitution_status = 0
        if state.watched:
            state.shell.debug(state, node)
        try:
            step(state)
        except ShellError as error:
            return state.shell.report(state, error)  # type: ignore[no-any-return]
        state.status = status = state.substitution_status
        state.pipestatus = None
        return status

    return run


def _assignment_step(compiler: Compiler, node: Assignment) -> Callable[[State], None]:
    """Compile one assignment that is carried out at once."""
    if isinstance(node.value, Word) and node.subscript is None and not node.append:
        name = node.name
        if len(node.value.parts) == 1 and isinstance(node.value.parts[0], ArithmeticExpansion):
            return _integer_step(name, compiler.words.arithmetic(node.value.parts[0].expression))
        text_of = compiler.words.string(node.value, assignment=True)

        def step(state: State) -> None:
            text = text_of(state)
            if state.watched:
                state.shell.trace_assignment(state, name, text)
            if (
                len(text) > 1024
                or name in state.attributes
                or name in state.namerefs
                or name in state.dynamics
                or state.options.allexport
            ):
                state.set(name, text)
            else:
                state.values[name] = text

        return step
    general = _general_step(compiler, node)
    if isinstance(node.value, Word) and node.subscript is not None:
        return _element_step(compiler, node, node.subscript, node.value, general)
    return general


def _general_step(compiler: Compiler, node: Assignment) -> Callable[[State], None]:
    make = compile_assignment(compiler, node)
    listed = isinstance(node.value, ArrayLiteral)

    def general(state: State) -> None:
        if listed and state.watched:
            state.shell.trace_node(state, node)
        assigned = make(state)
        if state.watched and not listed:
            state.shell.trace_assigned(state, assigned)
        try:
            assign(state, assigned)
        except ShellError as error:  # a bad subscript ends more than a readonly element of a list does
            error.discard = True
            raise

    return general


def _integer_step(name: str, value: Callable[[State], int]) -> Callable[[State], None]:
    """Compile ``name=$((...))``."""
    store = store_variable(name)

    def step(state: State) -> None:
        number = value(state)
        store(state, number)
        if state.watched:
            state.shell.trace_assignment(state, name, str(number))

    return step


def _element_step(
    compiler: Compiler, node: Assignment, subscript: Word, value: Word, general: Callable[[State], None]
) -> Callable[[State], None]:
    """Compile ``name[subscript]=value`` for the plain array that ``name`` mostly is."""
    name, append = node.name, node.append
    key_of = compiler.words.string(subscript, quoted=False)
    text_of = compiler.words.string(value, assignment=True)
    index_of = compiler.words.index(subscript)

    def step(state: State) -> None:
        array: Any = state.plain_array(name)
        if array is None or state.watched or (index_of is None and array.__class__ is IndexedArray):
            general(state)
            return
        text = text_of(state)
        key: Any
        try:
            key = (
                key_of(state) if index_of is None or array.__class__ is AssociativeArray else index_of(state)
            )
        except NotPlain:
            key = state.shell.subscript(state, key_of(state))
        except ShellError as error:
            error.discard = True
            raise
        if key == "" or (key.__class__ is int and key < 0):
            key = array.top() + key if key else -1
            if key < 0:
                raise ShellError(f"{name}[{key_of(state)}]: bad array subscript", 1, discard=True)
        if append:
            text = (array.get(key) or "") + text
        state.store_element(array, key, text)

    return step


def compile_assignment(compiler: Compiler, node: Assignment) -> MakeAssigned:
    """Compile name=value to a closure that gives the expanded assignment."""
    name, append = node.name, node.append
    subscript = compiler.words.string(node.subscript, quoted=False) if node.subscript is not None else None
    if isinstance(node.value, ArrayLiteral):
        elements = _compile_elements(compiler, node.value)
        return lambda state: Assigned(name, subscript(state) if subscript else None, append, elements(state))
    text_of = compiler.words.string(node.value, assignment=True)
    if subscript is None:
        return lambda state: Assigned(name, None, append, text_of(state))
    key_of = subscript

    def element(state: State) -> Assigned:
        text = text_of(state)  # before the subscript, as in bash
        return Assigned(name, key_of(state), append, text)

    return element


def _compile_elements(compiler: Compiler, node: ArrayLiteral) -> Callable[[State], Elements]:
    makers: list[Callable[[State], Elements]] = []
    for element in node.elements:
        if isinstance(element, ArrayElement):
            makers.append(_keyed(compiler.words.string(element.subscript), element, compiler))
        else:
            makers.append(_bare(compiler.words.fields(element)))

    def make(state: State) -> Elements:
        found: Elements = []
        for maker in makers:
            found += maker(state)
        return found

    return make


def _keyed(key_of: Text, element: ArrayElement, compiler: Compiler) -> Callable[[State], Elements]:
    text_of = compiler.words.string(element.value, assignment=True)
    append = element.append
    return lambda state: [Element(key_of(state), append, text_of(state))]


def _bare(fields: FieldsOf) -> Callable[[State], Elements]:
    return lambda state: [Element(None, False, text) for text in fields(state)]


# --------------------------------------------------------------------------- commands


def compile_arguments(compiler: Compiler, words: Sequence[Word | Assignment]) -> Arguments:
    """Compile the words of a command to a closure that gives argv."""
    constants = [compiler.words.constant(word) if isinstance(word, Word) else None for word in words]
    if all(text is not None for text in constants):
        fixed: list[Argument] = [text for text in constants if text is not None]
        return lambda state: fixed
    makers: list[Callable[[State], Sequence[Argument]]] = []
    for word, constant in zip(words, constants):
        if constant is not None:
            makers.append(_fixed(constant))
        elif isinstance(word, Assignment):
            made = _braced(word)
            if made is not None:  # what braces make is no assignment to the parser: it is split
                makers.append(compiler.words.fields(made))
            else:
                makers.append(_assigned(compile_assignment(compiler, word)))
        else:
            makers.append(compiler.words.fields(word))

    def arguments(state: State) -> list[Argument]:
        argv: list[Argument] = []
        for maker in makers:
            argv += maker(state)
        if len(argv) > MANY:
            charge_fields(state, len(argv))
        return argv

    return arguments


def charge_fields(state: State, count: int) -> None:
    """Charge the work of a very long command; too many fields end the run."""
    if count > state.budget.limits.fields:
        state.budget.fail("fields")
    state.budget.charge(count >> 4)


def _braced(node: Assignment) -> Word | None:
    """Return an argument ``name=a{1,2}`` of a declaration as a word, None when it has no braces."""
    if not isinstance(node.value, Word) or node.subscript is not None or not has_braces(node.value):
        return None
    if len(list(islice(expand_braces(node.value), 2))) < 2:
        return None
    return Word((Literal(f"{node.name}{'+=' if node.append else '='}"), *node.value.parts), node.value.span)


def _fixed(text: str) -> Callable[[State], Sequence[Argument]]:
    only = (text,)
    return lambda state: only


def _assigned(make: MakeAssigned) -> Callable[[State], Sequence[Argument]]:
    return lambda state: (make(state),)


def _with_words(compiler: Compiler, node: SimpleCommand, apply: Apply | None, final: bool) -> Run:
    arguments = compile_arguments(compiler, node.words)
    first = node.words[0]
    name = compiler.words.constant(first) if isinstance(first, Word) else None
    if compiler.noting:
        arguments = noting_last(arguments)
    elif not node.assignments and apply is None:
        inline = INLINE.get(name or "")
        if inline is not None:
            special = inline(compiler.words, node)
            if special is not None:
                return _general_or_inline(special, _plain(arguments, node), name or "", node.line)
    if not node.assignments and apply is None:
        return _plain(arguments, node)
    temporary = [compile_assignment(compiler, assignment) for assignment in node.assignments]
    return _full(arguments, temporary, apply, node, final)


def _general_or_inline(special: Callable[[State], int | None], general: Run, name: str, line: int) -> Run:
    """Use the inlined form unless a function of that name, xtrace or a DEBUG trap is in the way."""

    def run(state: State) -> int:
        if state.watched or name in state.functions:
            return general(state)
        budget = state.budget
        budget.fuel -= 1
        if budget.fuel < 0:
            state.shell.poll(state)
        state.line = line
        try:
            status = special(state)
        except ShellError as error:
            return state.shell.report(state, error)  # type: ignore[no-any-return]
        if status is None:
            return general(state)
        state.status = status
        state.pipestatus = None
        return status

    return run


def _plain(arguments: Arguments, node: SimpleCommand) -> Run:
    line = node.line

    def run(state: State) -> int:
        budget = state.budget
        budget.fuel -= 1
        if budget.fuel < 0:
            state.shell.poll(state)
        state.line = line
        if state.watched:
            state.shell.debug(state, node)
        state.substitution_status = 0
        try:
            argv = arguments(state)
            if state.watched:
                state.shell.trace(state, argv)
            status: int = state.shell.invoke(state, argv) if argv else state.substitution_status
        except ShellError as error:
            return state.shell.report(state, error)  # type: ignore[no-any-return]
        state.status = status
        state.pipestatus = None
        return status

    return run


def _full(
    arguments: Arguments, temporary: list[MakeAssigned], apply: Apply | None, node: SimpleCommand, final: bool
) -> Run:
    """With assignments or redirections: words are expanded first, then assignments, then redirections."""
    line = node.line

    def run(state: State) -> int:
        budget = state.budget
        budget.fuel -= 1
        if budget.fuel < 0:
            state.shell.poll(state)
        state.line = line
        if state.watched:
            state.shell.debug(state, node)
        state.substitution_status = 0
        undo: Undo | None = None if final else []
        saved: dict[str, Saved] = {}
        argv: list[Argument] = []
        try:
            argv = arguments(state)
            for make in temporary:
                _assign_temporarily(state, make(state), saved, lasting=not argv)
            if state.watched:
                state.shell.trace(state, argv)
            if apply is not None:  # last, as in bash: neither the trace nor a complaint goes there
                if saved:
                    _apply_without(state, apply, undo, saved)
                else:
                    apply(state, undo)
            if not argv:
                status = state.substitution_status
            else:
                if argv[0] == "exec" and "exec" not in state.functions and undo:
                    _keep(undo)
                    undo = None
                elif argv[0] == "kill":
                    state.extra["signals_wait"] = True  # a trap runs when the redirections are undone
                status = state.shell.invoke(state, argv)
        except ShellError as error:
            return state.shell.report(state, error, argv)  # type: ignore[no-any-return]
        finally:
            if undo:
                restore(state.process, undo)
            for name, former in saved.items():
                state.restore(name, former)
        state.status = status
        state.pipestatus = None
        if state.process.pending:
            state.extra.pop("signals_wait", None)
            state.process.deliver()
        return status

    return run


def _keep(undo: Undo) -> None:
    """exec: its redirections stay; what they replaced is closed."""
    for _, old in undo:
        if old is not None:
            old.release()


def _apply_without(state: State, apply: Apply, undo: Undo | None, saved: dict[str, Saved]) -> None:
    """Apply redirections, whose words do not see the assignments before the command."""
    current = {name: state.save(name) for name in saved}
    for name, former in saved.items():
        state.restore(name, former)
    try:
        apply(state, undo)
    finally:
        for name, given in current.items():
            state.restore(name, given)


def _assign_temporarily(state: State, assigned: Assigned, saved: dict[str, Saved], *, lasting: bool) -> None:
    """Assign before a command: exported, and undone afterwards unless no command came of it."""
    name = assigned.name
    if state.watched:
        state.shell.trace_assigned(state, assigned)
    if not lasting and name not in saved:
        try:
            state.check_writable(name)
        except ShellError as error:  # bash complains, and runs the command all the same
            state.shell.complain(state, error.message)
            return
        saved[name] = state.save(name)
        if state.attributes.get(name, 0) & (ARRAY | ASSOC):  # the command gets a scalar
            state.values.pop(name, None)
            state.attributes[name] &= ~(ARRAY | ASSOC)
    assign(state, assigned)
    if not lasting:
        state.attributes[name] = state.attributes.get(name, 0) | EXPORT

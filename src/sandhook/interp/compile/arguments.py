"""Compiles the words of a command to a closure that returns argv."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.expand.list_reference import only_name
from sandhook.expand.shapes import has_braces
from sandhook.interp.compile.protocol import Compiler
from sandhook.lazy import lazy_module
from sandhook.state.assigned import Argument, as_argument
from sandhook.state.locals import function_frame
from sandhook.state.state import State
from sandhook.state.values import ASSOC, READONLY
from sandhook.syntax.nodes import ArrayLiteral, Assignment, Literal, Word
from sandhook.typed import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from sandhook.expand import brace
else:  # few words have braces
    brace = lazy_module("sandhook.expand.brace")

Arguments: TypeAlias = Callable[[State], "list[Argument]"]

#: Arguments of one command (a count) above which they are charged.
MANY = 2048

#: Characters of the arguments of one command above which they must fit in the memory that is left, as if each were a
#: text of its own: commands join them and copy them, and many may be the same text.
LONG = 65_536


def compile_arguments(compiler: Compiler, words: Sequence[Word | Assignment]) -> Arguments:
    """Compile the words of a command to a closure that returns argv, a new list in each call."""
    template: list[Argument] = []  # the constants, "" for other words
    slots: list[tuple[int, Callable[[State], Any]]] = []
    for at, word in enumerate(words):
        constant = compiler.words.constant(word) if isinstance(word, Word) else None
        if constant is None:
            slots.append((at, _compile_word(compiler, word, template)))
        template.append(constant or "")
    if not slots:
        return lambda state: template.copy()
    if any(_is_list(words[at]) for at, _ in slots) and template[0] != "let":
        from sandhook.interp import declared_list

        if not declared_list.is_plain(words):
            return _declaring_in_order(words, template, slots)
        return _declaring_one(words, template[:-1], slots[0][1])
    if len(slots) == 1 and slots[0][0] == len(template) - 1:
        one = _constants_then_one(template[:-1], slots[0][1])
        word = words[-1]
        name = only_name(word) if isinstance(word, Word) and len(template) == 2 else None
        return one if name is None else _command_and_variable(template[0], name, one)

    def arguments(state: State) -> list[Argument]:
        argv = template.copy()
        offset = 0  # fields that earlier words added to argv
        size = 0
        for at, fields_of in slots:
            fields = fields_of(state)
            if fields.__class__ is not list:
                argv[at + offset] = fields
                if isinstance(fields, str):
                    size += len(fields)
            else:
                argv[at + offset : at + offset + 1] = fields
                offset += len(fields) - 1
                size += sum(map(len, fields))
        if len(argv) > MANY:
            charge_fields(state, len(argv))
        if size > LONG:
            state.budget.check_fits(size)
        return argv

    return arguments


def _is_list(word: Word | Assignment) -> bool:
    return isinstance(word, Assignment) and isinstance(word.value, ArrayLiteral)


def _declaring_in_order(
    words: Sequence[Word | Assignment],
    template: list[Argument],
    slots: list[tuple[int, Callable[[State], Any]]],
) -> Arguments:
    """Return the closure for a declaration with lists, which later words may expand.

    bash declares each list when it has expanded it, so in ``local a=(1) b=$a`` the value of b is 1.
    """
    from sandhook.interp.declared_list import declare_list, list_options

    options = {at: list_options(words[:at]) for at, _ in slots if _is_list(words[at])}

    def arguments(state: State) -> list[Argument]:
        argv: list[Argument] = []
        following = 0  # the place after the last slot
        for at, fields_of in slots:
            argv += template[following:at]
            following = at + 1
            fields = fields_of(state)
            if at in options:
                fields = declare_list(state, options[at], fields)
            argv += fields if isinstance(fields, list) else (fields,)
        argv += template[following:]
        if len(argv) > MANY:
            charge_fields(state, len(argv))
        state.budget.check_fits(sum(len(word) for word in argv if isinstance(word, str)))
        return argv

    return arguments


def _declaring_one(
    words: Sequence[Word | Assignment], head: list[Argument], list_of: Callable[[State], Any]
) -> Arguments:
    """Return the closure for one list after usual options: the built-in assigns it, unless that is an error."""
    from sandhook.interp.declared_list import declare_list, list_options

    options = list_options(words[:-1])

    def arguments(state: State) -> list[Argument]:
        assigned = list_of(state)
        name = assigned.name
        if (
            state.attributes.get(name, 0) & READONLY
            or name in state.namerefs
            or (options.command == "local" and function_frame(state) is None)
        ):
            assigned = declare_list(state, options, assigned)
        return [*head, assigned]

    return arguments


def _constants_then_one(head: list[Argument], fields_of: Callable[[State], Any]) -> Arguments:
    """Return the closure for one word after constants, the shape of most commands."""

    def arguments(state: State) -> list[Argument]:
        fields = fields_of(state)
        if fields.__class__ is not list:
            return [*head, fields]
        if len(fields) > MANY:
            charge_fields(state, len(fields))
        if len(fields) > 1 and (size := sum(map(len, fields))) > LONG:
            state.budget.check_fits(size)
        return [*head, *fields]

    return arguments


def _command_and_variable(command: Argument, name: str, general: Arguments) -> Arguments:
    """Return the closure for ``command "$name"``, without a call for a plain variable."""

    def arguments(state: State) -> list[Argument]:
        value = state.values.get(name)
        return [command, value] if value.__class__ is str and not state.namerefs else general(state)

    return arguments


def _compile_word(
    compiler: Compiler, word: Word | Assignment, constants: list[Argument]
) -> Callable[[State], Any]:
    """Compile one word to a closure that returns a list of fields, or one argument by itself.

    Args:
        constants: The constants before it; "" for words that are not constant.
    """
    if isinstance(word, Word):
        return compiler.words.argument(word)
    word_with_braces = _as_word_with_braces(word)
    if word_with_braces is not None:  # to the parser it is not an assignment: its fields are split
        return compiler.words.fields(word_with_braces)
    if constants[0] == "let" and _is_list(word):  # parentheses around an expression
        from sandhook.interp.compile.temporary import compile_temporary

        expression_of = compile_temporary(compiler, word)
        return lambda state: as_argument(expression_of(state))
    from sandhook.interp.compile.assignment import compile_assignment

    declares_map = any(isinstance(word, str) and word[:1] == "-" and "A" in word for word in constants)
    declares_local = constants[0] in ("declare", "local", "typeset")

    def is_map(state: State, name: str) -> bool:
        """Return True if the declaration declares an associative array, or assigns to one."""
        return declares_map or (not declares_local and bool(state.attributes.get(name, 0) & ASSOC))

    return compile_assignment(compiler, word, is_map, declares_map=declares_map)


def charge_fields(state: State, count: int) -> None:
    """Charge the work of a very long command; raise for more fields than the limit."""
    if count > state.budget.limits.fields:
        state.budget.fail("fields")
    state.budget.charge(count >> 4)


def _as_word_with_braces(node: Assignment) -> Word | None:
    """Return an argument ``name=a{1,2}`` of a declaration as a word, None without such braces."""
    if not isinstance(node.value, Word) or not has_braces(node.value) or not brace.are_expanded(node.value):
        return None
    sign = "+=" if node.append else "="
    if node.subscript is None:
        return Word((Literal(node.name + sign), *node.value.parts), node.value.span)
    head = (Literal(f"{node.name}["), *node.subscript.parts, Literal(f"]{sign}"))
    return Word((*head, *node.value.parts), node.value.span)

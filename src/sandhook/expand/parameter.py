"""Parameter expansion: one ``$name`` or ``${...}`` to a closure.

A parameter gives one value (``$x``, ``${a[1]}``) or a list (``$@``, ``${a[*]}``, ``${!p*}``).
``compile_parameter`` says which, and ``word`` puts it into fields or a string.
Source: POSIX.1-2024 XCU 2.6.2; bash 5.2 manual 3.5.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from sandhook.expand import transform
from sandhook.expand.arith import NotPlain
from sandhook.expand.escapes import prompt
from sandhook.expand.locale import as_bytes, change_by_bytes, goes_by_bytes
from sandhook.expand.special import separator, special_value
from sandhook.state.control import ShellError, bad_substitution_error, unbound_error
from sandhook.state.environment import variable_names
from sandhook.state.state import State
from sandhook.state.values import AssociativeArray, IndexedArray
from sandhook.syntax.nodes import DoubleQuoted, Escaped, Literal, ParameterExpansion, SingleQuoted, Word
from sandhook.syntax.wordprinter import word_text

Value: TypeAlias = Callable[[State], "str | None"]
Values: TypeAlias = Callable[[State], "list[str]"]
Text: TypeAlias = Callable[[State], str]

#: What a pattern begins with whose first character is known.
_TEXT = (Literal, Escaped, SingleQuoted)

#: Operators whose word is used instead of the value.
CHOOSING = frozenset(("-", ":-", "=", ":=", "?", ":?", "+", ":+"))


class Words(Protocol):
    """What this file needs of ``word.WordCompiler``, which calls it."""

    def string(self, word: Word, *, quoted: bool = False, assignment: bool = False) -> Text: ...

    def key(self, word: Word, is_map: Callable[[State], bool]) -> Text: ...

    def pattern(self, word: Word, *, tildes: bool = True) -> Text: ...

    def fixed_pattern(self, word: Word, *, tildes: bool = True) -> str | None: ...

    def constant(self, word: Word) -> str | None: ...

    def pieces(self, word: Word, *, tildes: bool = True) -> Callable[[State], list[tuple[str, bool]]]: ...

    def arithmetic(self, word: Word) -> Callable[[State], int]: ...

    def index(self, word: Word) -> Callable[[State], int] | None: ...

    def parse_name(self, text: str) -> ParameterExpansion | None: ...


class Parameter:
    """A compiled parameter expansion.

    Attributes:
        value: Gives the one value, None when unset; None when this is a list.
        values: Gives the list; None when this is one value.
        star: The list is joined with IFS where one string is wanted in quotes.
        dynamic: Only known at run time (``${!ref}``): gives another Parameter.
    """

    __slots__ = ("star", "value", "values")

    def __init__(self, value: Value | None = None, values: Values | None = None, star: bool = False) -> None:
        self.value = value
        self.values = values
        self.star = star

    def text(self, state: State) -> str:
        """Return the expansion as one string without splitting; a list is joined."""
        if self.value is not None:
            return self.value(state) or ""
        assert self.values is not None
        return separator(state, self.star).join(self.values(state))

    def is_set(self, state: State, nonempty: bool) -> bool:
        """Tell whether the parameter has a value (``-``), and no empty one (``:-``)."""
        if self.value is not None:
            value = self.value(state)
            return bool(value) if nonempty else value is not None
        assert self.values is not None
        values = self.values(state)
        if nonempty:
            return len(values) > 1 or (len(values) == 1 and values[0] != "")
        return bool(values)


class _Declaration(Parameter):
    """``${a[@]@A}``: fields in quotes, and one text where nothing is split."""

    __slots__ = ("_whole",)

    def __init__(self, values: Values, whole: Value) -> None:
        super().__init__(values=values)
        self._whole = whole

    def text(self, state: State) -> str:
        return self._whole(state) or ""


# --------------------------------------------------------------------------- plain values


def plain_value(name: str, *, braces: bool = True) -> Value:
    """Return the closure that reads ``$name`` and minds ``set -u``.

    Args:
        braces: It is written ``${1}``: a special parameter without braces is called ``$1`` in messages.
    """
    if name[0].isalpha() or (name[0] == "_" and len(name) > 1):

        def variable(state: State) -> str | None:
            value = state.values.get(name)
            if value.__class__ is str:
                return value
            found = state.get(name)
            if found is None and state.options.nounset:
                raise unbound_error(name)
            return found

        return variable
    if name == "?":
        return lambda state: str(state.status)
    if name == "#":
        return lambda state: str(len(state.positional))
    if name.isdigit() and name[0] != "0":
        index = int(name[:9]) - 1

        def positional(state: State) -> str | None:
            values = state.positional
            return values[index] if index < len(values) else special(state)

    def special(state: State) -> str | None:
        value = special_value(state, name)
        if value is None and state.options.nounset:
            raise unbound_error(name if braces else f"${name}")
        return value

    return positional if name.isdigit() and name[0] != "0" else special


def _unchecked(name: str) -> Value:
    """The same for operators that test whether the parameter is set."""
    if name[0].isalpha() or (name[0] == "_" and len(name) > 1):
        return lambda state: state.get(name)
    return lambda state: special_value(state, name)


def subscript_of(word: Word | None) -> str | None:
    """Return "@" or "*" when that is the whole subscript, else None."""
    if word is not None and len(word.parts) == 1 and isinstance(word.parts[0], Literal):
        text = word.parts[0].text
        if text in ("@", "*"):
            return text
    return None


def elements(state: State, name: str) -> list[str]:
    """Return ``${name[@]}``; a scalar counts as one element."""
    value = state.value(name)
    if value is None:
        return []
    return [value] if isinstance(value, str) else value.values()


def keys(state: State, name: str) -> list[str]:
    """Return ``${!name[@]}``."""
    value = state.value(name)
    if value is None:
        return []
    return ["0"] if isinstance(value, str) else value.keys()


# --------------------------------------------------------------------------- the compiler


def compile_parameter(node: ParameterExpansion, words: Words) -> Parameter:
    """Compile everything but the choosing operators, which ``word`` handles with the base."""
    if node.prefix == "!":
        return _compile_bang(node, words)
    if node.prefix == "#":
        length = compile_length(node, words)
        return Parameter(lambda state: str(length(state)))
    base = compile_base(node, words, checked=node.operator is None or node.operator not in CHOOSING)
    if node.operator is None or node.operator in CHOOSING:
        return base
    return _compile_operator(node, base, words)


def compile_base(node: ParameterExpansion, words: Words, *, checked: bool) -> Parameter:
    """Compile the parameter alone, without its operator."""
    name = node.name
    all_ = subscript_of(node.subscript)
    if all_ is not None:
        return Parameter(values=lambda state: elements(state, name), star=all_ == "*")
    if node.subscript is not None and not node.subscript.parts:
        return Parameter(_without_subscript(name))
    if node.subscript is not None:
        return Parameter(_element(name, node.subscript, words, checked))
    if name in ("@", "*"):
        return Parameter(values=lambda state: state.positional, star=name == "*")
    return Parameter(plain_value(name, braces=node.braces) if checked else _unchecked(name))


def _without_subscript(name: str) -> Value:
    """${a[]}: refused when it is expanded, as bash does."""

    def refuse(state: State) -> str | None:
        raise bad_substitution_error(f"${{{name}[]}}")

    return refuse


def _element(name: str, subscript: Word, words: Words, checked: bool) -> Value:
    key_of = words.key(subscript, lambda state: state.is_associative(name))

    def element(state: State) -> str | None:
        key = key_of(state)
        value = state.element(name, key)
        if value is None and checked and state.options.nounset:
            raise unbound_error(f"{name}[{key}]")
        return value

    index_of = words.index(subscript)
    if index_of is None:
        return element
    evaluate = index_of

    def indexed(state: State) -> str | None:
        array: Any = state.values.get(name)
        value: str | None
        if array.__class__ is AssociativeArray:
            value = array.items.get(key_of(state) or _empty_key(state, name))
        elif array.__class__ is IndexedArray:
            try:
                index = evaluate(state)
            except NotPlain:
                return element(state)
            value = array.items.get(index) if index >= 0 else state.element(name, str(index))
        else:
            return element(state)
        if value is None and checked and state.options.nounset:
            raise unbound_error(f"{name}[{key_of(state)}]")
        return value

    return indexed


def _empty_key(state: State, name: str) -> str:
    """Complain about the key of a map that is empty; nothing is found under it."""
    state.report_bad_subscript(name)
    return ""


def compile_length(node: ParameterExpansion, words: Words) -> Callable[[State], int]:
    """Compile ``${#name}``, ``${#a[@]}`` and ``${#@}`` to a closure that gives the number."""
    name = node.name
    base = compile_base(node, words, checked=True)
    if base.values is not None:
        values = base.values
        if name in "@*" and node.subscript is None:
            return lambda state: len(state.positional)

        def count(state: State) -> int:
            value = state.values.get(name)
            if value.__class__ is IndexedArray:
                return len(value)
            value = state.value(name)
            if value is None and state.options.nounset:
                raise unbound_error(name).ending("unit", 1)
            return len(values(state)) if isinstance(value, str) or value is None else len(value)

        return count
    value = base.value
    assert value is not None
    if node.subscript is not None:
        key_of = words.key(node.subscript, lambda state: state.is_associative(name))
        index_of = words.index(node.subscript)
        from sandhook.expand.length import measured_element

        value = measured_element(name, value, key_of, index_of, word_text(node.subscript, lambda _: ""))

    def measure(state: State) -> int:
        text = value(state) or ""
        return len(text) if text.isascii() or not goes_by_bytes(state) else len(as_bytes(text))

    return measure


def _compile_bang(node: ParameterExpansion, words: Words) -> Parameter:
    """${!name} (indirection), ${!prefix*}, ${!prefix@}, ${!name[@]}."""
    name = node.name
    if node.operator in ("*", "@") and node.word is None:
        return Parameter(
            values=lambda state: [found for found in variable_names(state) if found.startswith(name)],
            star=node.operator == "*",
        )
    all_ = subscript_of(node.subscript)
    if all_ is not None and node.operator is None:
        return Parameter(values=lambda state: keys(state, name), star=all_ == "*")
    reference = compile_base(ParameterExpansion(name, node.subscript), words, checked=False)
    return Indirect(node, reference, words)


class Indirect(Parameter):
    """${!ref...}: the name is known only when it runs; the target is compiled then."""

    __slots__ = ("_node", "_reference", "_words")

    def __init__(self, node: ParameterExpansion, reference: Parameter, words: Words) -> None:
        super().__init__(self._value)
        self._node = node
        self._reference = reference
        self._words = words

    def target(self, state: State) -> Parameter | str | None:
        """Return the Parameter that is meant, compiled with this expansion's operator."""
        node = self._node
        if node.subscript is None and node.name in state.namerefs:
            name, key = state.resolve(node.name)  # ${!nameref} is the name it refers to
            return name if key is None else state.namerefs[node.name]
        name = self._reference.text(state)
        if not self._reference.is_set(state, nonempty=False):
            declared = node.name in state.attributes
            if node.operator in CHOOSING and (not node.name.isidentifier() or declared):
                return None
            if declared and not state.options.nounset:
                return None
            if state.options.nounset and not node.name.isidentifier():
                raise unbound_error(f"!{node.name}")
            subscript = "" if node.subscript is None else f"[{word_text(node.subscript, lambda body: '')}]"
            raise ShellError(
                f"{node.name}{subscript}: invalid indirect expansion", ends="unit", reason="indirection"
            )
        target = self._words.parse_name(name)
        if state.options.nounset and not node.operator and name.isidentifier() and state.get(name) is None:
            raise unbound_error(f"!{node.name}")
        if target is None:
            raise ShellError(f"{name}: invalid variable name", ends="unit", reason="indirection")
        expansion = ParameterExpansion(
            target.name, target.subscript, "", node.operator, node.word, node.second
        )
        if state.options.nounset and node.operator not in CHOOSING:
            base = compile_base(expansion, self._words, checked=False)
            if base.value is not None and base.value(state) is None:
                raise unbound_error(f"!{node.name}")
        return compile_parameter(expansion, self._words)

    def _value(self, state: State) -> str | None:
        target = self.target(state)
        if target is None or isinstance(target, str):
            return target
        if target.value is not None:
            return target.value(state)
        return target.text(state) if target.is_set(state, nonempty=False) else None


# --------------------------------------------------------------------------- operators


def _compile_operator(node: ParameterExpansion, base: Parameter, words: Words) -> Parameter:
    operator = node.operator or ""
    word = node.word or Word(())
    if operator == ":":
        return _slice(node, base, words)
    if operator == "@":
        return _transformation(node, base)
    quick = _fixed_change(operator, word, node.second, words)
    if quick is not None and base.value is not None:
        return Parameter(_quickly(base.value, quick, cased=operator[0] in "^,~"))
    if operator[0] in "#%":
        pattern = words.pattern(word)
        return _mapped(base, lambda state: (operator, pattern(state)), transform.remove_affix, nonempty=True)
    if operator[0] == "/":
        pattern = words.pattern(word, tildes=operator in ("/", "//"))
        replacement = words.pieces(node.second or Word(()))
        if operator == "/" and word.parts and not isinstance(word.parts[0], _TEXT):
            pieces = words.pieces(word)

            def anchored(state: State) -> tuple[object, ...]:
                return (*transform.anchored(pieces(state)), replacement(state))

            return _mapped(base, anchored, transform.replace)
        return _mapped(base, lambda state: (operator, pattern(state), replacement(state)), transform.replace)
    pattern = words.pattern(word)
    if word.parts and all(
        isinstance(part, (SingleQuoted, DoubleQuoted)) and not part[0] for part in word.parts
    ):
        return _mapped(base, lambda state: (), lambda state, value: value)  # "" matches no character
    return _mapped(base, lambda state: (operator, pattern(state)), transform.change_case)


def _fixed_change(operator: str, word: Word, second: Word | None, words: Words) -> transform.Change | None:
    """Return what an operator does to a value when its words never change and are of a common shape."""
    if operator[0] not in "#%/":
        return None if word.parts else transform.case_changer(operator)
    pattern = words.fixed_pattern(word, tildes=operator not in ("/#", "/%"))
    if pattern is None:
        return None
    if operator[0] != "/":
        return transform.affix_remover(operator, pattern)
    replacement = words.constant(second) if second is not None and second.parts else ""
    return None if replacement is None else transform.literal_replacer(operator, pattern, replacement)


def _quickly(read: Value, change: transform.Change, *, cased: bool) -> Value:
    def value(state: State) -> str | None:
        text = read(state)
        if cased and text and not text.isascii() and goes_by_bytes(state):
            return change_by_bytes(state, text, change, ())
        return change(state, text) if text else text

    return value


def _mapped(
    base: Parameter,
    prepare: Callable[[State], tuple[object, ...]],
    change: Callable[..., str],
    *,
    nonempty: bool = False,
) -> Parameter:
    """Apply ``change`` to the value, or to every element.

    Its arguments are expanded once, and not at all when there is no value, or (``nonempty``) an empty one.
    """
    if base.value is not None:
        read = base.value

        def one(state: State) -> str | None:
            value = read(state)
            if not value and (nonempty or value is None):
                return value
            arguments = prepare(state)
            if value.isascii() or not goes_by_bytes(state):
                return change(state, value, *arguments)
            return change_by_bytes(state, value, change, arguments)

        return Parameter(one)
    values = base.values
    assert values is not None

    def every(state: State) -> list[str]:
        found = values(state)
        if not found:
            return found
        arguments = prepare(state)
        return [
            change(state, value, *arguments)
            if value.isascii() or not goes_by_bytes(state)
            else change_by_bytes(state, value, change, arguments)
            for value in found
        ]

    return Parameter(values=every, star=base.star)


def _slice(node: ParameterExpansion, base: Parameter, words: Words) -> Parameter:
    from sandhook.expand import slices

    name = node.name
    subscript = "" if node.subscript is None else f"[{word_text(node.subscript, lambda body: '')}]"
    shown = f"{node.prefix}{name}{subscript}"
    offset_of = slices.named(words.arithmetic(node.word or Word(())), shown)
    length_of = slices.named(words.arithmetic(node.second), shown) if node.second is not None else None
    if base.value is not None:
        read = base.value

        def substring(state: State) -> str | None:
            value = read(state)
            if value is None:
                return None
            offset = offset_of(state)
            length = length_of(state) if length_of is not None else None
            return slices.substring(state, value, offset, length)

        return Parameter(substring)
    values = base.values
    assert values is not None
    positional = node.subscript is None

    def part(state: State) -> list[str]:
        scalar: Any = None
        if not positional:
            scalar = state.value(name)
            if scalar is None or (scalar.__class__ is not str and not len(scalar)):
                return values(state)  # none; bash does not look at the numbers then
        offset = offset_of(state)
        if scalar.__class__ is IndexedArray and offset > scalar.top() - 1:
            return []
        length = length_of(state) if length_of is not None else None
        if scalar.__class__ is str:  # bash takes it for ${name:offset:length}
            return [slices.substring(state, scalar, offset, length)]
        if length is not None and length < 0:
            raise slices.too_short(length)
        if positional:
            return slices.of_positional(state, offset, length)
        return slices.of_array(state, name, values, offset, length)

    return Parameter(values=part, star=base.star)


def _transformation(node: ParameterExpansion, base: Parameter) -> Parameter:
    from sandhook.expand import declared

    letter = node.word.parts[0].text if node.word and isinstance(node.word.parts[0], Literal) else ""
    name = node.name
    if letter == "a":
        if base.values is not None and node.subscript is None:
            return Parameter(values=lambda state: ["" for _ in state.positional], star=base.star)
        if base.values is not None:
            of_all = declared.all_attributes
            return Parameter(values=lambda state: of_all(state, name, elements(state, name)), star=base.star)

        def attributes(state: State) -> str:
            if base.value is not None:
                base.value(state)  # complains
            return declared.attributes_of(state, name)

        return Parameter(attributes)
    if letter == "A":

        def declaration(state: State) -> str | None:
            value = base.value(state) if base.value is not None else ""  # complains under set -u
            return declared.declaration(state, node, base.values is not None, base.text, unset=value is None)

        if base.values is not None and not base.star:
            return _Declaration(lambda state: declared.words_of(state, node, declaration(state)), declaration)
        return Parameter(declaration)
    if letter in "Kk" and base.values is not None and node.subscript is not None:
        return Parameter(values=lambda state: declared.pairs_of(state, name, letter), star=base.star)
    if letter == "P":
        return _mapped(base, lambda state: (), prompt)
    return _mapped(base, lambda state: (letter,), transform.transform)

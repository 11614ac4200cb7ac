"""Closures that add the parts of a word to its fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.expand.fields import Fields, Unglobbed, glob_field
from sandhook.expand.parameter import Indirect
from sandhook.expand.reference import Parameter, SpacedList, Value
from sandhook.expand.shapes import names_all
from sandhook.expand.special import join_values, separator
from sandhook.expand.text import Text
from sandhook.state.state import State
from sandhook.text.fields import DEFAULT_IFS, split
from sandhook.typed import TypeAlias

_GLOB = frozenset("*?[")

Emit: TypeAlias = Callable[[State, Fields], None]


def quoted_text(text_of: Text) -> Emit:
    return lambda state, fields: fields.quoted(text_of(state))


def tilde_in(text_of: Text) -> Emit:
    """A tilde-prefix in the word of an operator: one that does not expand is text, and is split."""

    def emit(state: State, fields: Fields) -> None:
        text = text_of(state)
        (fields.expansion if text[:1] == "~" else fields.quoted)(text)

    return emit


def tilde_word(text_of: Text) -> Emit:
    """A tilde-prefix in a word: one that does not expand is text, and may be a pattern."""

    def emit(state: State, fields: Fields) -> None:
        text = text_of(state)
        (fields.literal if text[:1] == "~" else fields.quoted)(text)

    return emit


def if_any(text_of: Text) -> Emit:
    """Add quoted text, but begin no field for an empty one."""

    def emit(state: State, fields: Fields) -> None:
        text = text_of(state)
        if text:
            fields.quoted(text)

    return emit


def without_empty(emit: Emit) -> Emit:
    """Do not begin a field for an empty expansion that stands next to a list in quotes."""

    def run(state: State, fields: Fields) -> None:
        fields.add_any(lambda: emit(state, fields))

    return run


def emit_starred_next_to_list(values_of: Callable[[State], list[str]]) -> Emit:
    """``"${*#p}$@"``: next to a list, bash splits the value at the character that joined it."""

    def emit(state: State, fields: Fields) -> None:
        joiner = separator(state, True)
        values = values_of(state)
        if not joiner:
            fields.add_any(lambda: fields.quoted(join_values(state, "", values)))
            return
        blank = joiner in DEFAULT_IFS
        for index, text in enumerate(values):
            if index and not blank:
                fields.finish()
            elif index:
                fields.separate()
            if text:
                fields.quoted(text)

    return emit


def emit_value(compiled: Parameter, quoted: bool) -> Emit:
    """Compile what a parameter without a choosing operator puts into the fields."""
    if compiled.value is not None:
        value = compiled.value
        if quoted:
            return lambda state, fields: fields.quoted(value(state) or "")
        return lambda state, fields: fields.expansion(value(state) or "")
    values = compiled.values
    assert values is not None
    if quoted and compiled.star:
        return lambda state, fields: fields.quoted(join_values(state, separator(state, True), values(state)))
    spaced = isinstance(compiled, SpacedList)

    def run(state: State, fields: Fields) -> None:
        if not quoted:
            ifs = state.get("IFS")
            if ifs == "" and spaced:
                fields.expansion(join_values(state, " ", values(state)))
                return
            if ifs and ifs != DEFAULT_IFS and ifs.strip(DEFAULT_IFS):
                # with an IFS character that is not white space, empty values count, and white space
                # joins the delimiter at the beginning of a value
                fields.expansion(join_values(state, ifs[0], values(state)))
                return
        first = True
        for text in values(state):
            if not first:
                fields.separate()
            first = False
            if quoted:
                fields.quoted(text)
            else:
                fields.expansion(text)

    return run


def emit_value_or_text(base: Parameter, choose: Text, nonempty: bool, quoted: bool, *, if_any: bool) -> Emit:
    """``${x=word}`` and ``${x?word}``: the value, or the text that ``choose`` returns.

    Args:
        if_any: An empty value begins no field.
    """
    read = base.value
    if read is None:
        emit_list = emit_value(base, quoted)
        if if_any:
            emit_list = without_empty(emit_list)

        def run(state: State, fields: Fields) -> None:
            if base.is_set(state, nonempty, quoted):
                emit_list(state, fields)
            else:
                (fields.quoted if quoted else fields.expansion)(choose(state))

        return run

    def run_once(state: State, fields: Fields) -> None:
        text = read(state)  # once: the subscript may run commands
        if not text and (nonempty or text is None):
            text = choose(state)
        elif if_any and not text:
            return
        (fields.quoted if quoted else fields.expansion)(text)

    return run_once


def emit_value_or_word(read: Value, word: Sequence[Emit], operator: str, quoted: bool) -> Emit:
    """``${x-word}``, ``${x+word}`` and similar for one value, which is read once: its subscript may run commands."""
    nonempty, plus = operator[0] == ":", operator[-1] == "+"

    def run(state: State, fields: Fields) -> None:
        text = read(state)
        if (bool(text) if nonempty else text is not None) == plus:
            for emit in word:
                emit(state, fields)
        elif not plus:
            (fields.quoted if quoted else fields.expansion)(text or "")

    return run


def emit_changed_next_to_list(operator: str, value_of: Value, base_of: Value) -> Emit:
    """``"${x#p}$@"`` for one value: bash makes a field even if the operator removed all of the value."""

    def emit(state: State, fields: Fields) -> None:
        text = value_of(state)
        if text:
            fields.quoted(text)
        elif text is not None:
            base = base_of(state)
            if base or (base is not None and operator[0] not in "#%"):
                fields.quoted("")

    return emit


def list_in_choice(compiled: Parameter, plain: Emit, *, changed: bool) -> Emit:
    """``$@`` in the word of ``${x-word}``: when IFS begins with another character than a blank, bash joins the values.

    Args:
        compiled: The list.
        plain: Emits the list where bash does not join it.
        changed: The list has an operator, so its values are split before they are joined.
    """

    def emit(state: State, fields: Fields) -> None:
        listed: Parameter | None = compiled
        if isinstance(compiled, Indirect) and splits_lists(state):
            listed = compiled.target(state)
        values = listed.values(state) if listed is not None and listed.values is not None else []
        if not values or not splits_lists(state):
            plain(state, fields)
            return
        ifs = state.get("IFS") or ""
        if changed:
            values = split(join_values(state, ifs[0], values), ifs)
        if " " not in ifs:
            if values:
                fields.quoted(join_values(state, " ", values))
            return
        for index, value in enumerate(values):
            if index:
                fields.finish()
            fields.quoted(value)

    return emit


def unsplit_list(compiled: Parameter, *, trimmed: bool) -> Emit:
    """An unquoted list whose values are not split: joined with blanks; ``trimmed``: without an empty last one."""

    def emit(state: State, fields: Fields) -> None:
        values = compiled.values(state) if compiled.values is not None else [compiled.text(state)]
        if trimmed and values and not values[-1]:
            values = values[:-1]
        fields.quoted(join_values(state, " ", values))

    return emit


def joined_fields(emitters: Sequence[Emit]) -> Text:
    """Return a closure that joins the fields of a word with blanks."""

    def run(state: State) -> str:
        fields = Unglobbed(state)
        for emit in emitters:
            emit(state, fields)
        return join_values(state, " ", fields.end())

    return run


def splits_lists(state: State) -> bool:
    """Return True when bash splits a word with an unquoted list even where one string is expected."""
    ifs = state.get("IFS")
    return ifs is not None and ifs[:1] not in ("", " ")


def emit_by_references(names: Sequence[str], as_list: Emit, as_text: Emit) -> Emit:
    """``"${!x}$*"``: emit quotes as those around a list only when the value of one of the references names a list."""

    def emit(state: State, fields: Fields) -> None:
        (as_list if any(names_all(state.get(name)) for name in names) else as_text)(state, fields)

    return emit


def whole_or_split(value: Callable[[State], str | None]) -> Callable[[State], str | list[str]]:
    """Compile an unquoted expansion that is a whole word; a value of letters and digits is one field."""

    def run(state: State) -> str | list[str]:
        text = value(state)
        if text and text.isalnum() and state.values.get("IFS") == DEFAULT_IFS:
            return text
        return split_value(state, text)

    return run


def split_value(state: State, text: str | None) -> list[str]:
    """Return the fields of an unquoted expansion that is a whole word."""
    if not text:
        return []
    ifs = state.get("IFS")
    fields = split(text, DEFAULT_IFS if ifs is None else ifs)
    if state.options.noglob:
        return fields
    if _GLOB.isdisjoint(text) and not (state.options.extglob and "(" in text):
        if len(fields) > 1024 and len(fields) > state.budget.limits.fields:
            state.budget.fail("fields")
        return fields
    paths: list[str] = []
    for field in fields:
        paths += glob_field(state, [(field, False)])
    return paths

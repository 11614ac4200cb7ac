"""Compiles words to closures, in the order of expansions of POSIX.1-2024 XCU 2.6.

A word is compiled once for the place where it stands: ``fields`` (arguments: split and
globbed), ``string`` (assignments, case subjects: neither), ``pattern`` (case, ``${x#p}``:
quoted characters escaped), ``pieces`` (replacement text: quoting kept). The common shapes, a
constant, one variable, one quoted string, get closures of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.expand.emitting import (
    Emit,
    emit_by_references,
    emit_changed_next_to_list,
    emit_starred_next_to_list,
    emit_value,
    emit_value_or_text,
    emit_value_or_word,
    if_any,
    joined_fields,
    list_in_choice,
    quoted_text,
    split_value,
    splits_lists,
    tilde_in,
    tilde_word,
    unsplit_list,
    whole_or_split,
    without_empty,
)
from sandhook.expand.fields import Fields, whole_list
from sandhook.expand.list_reference import quoted_argument, quoted_part, quoted_word
from sandhook.expand.parameter import CHOOSING, Indirect, compile_parameter
from sandhook.expand.reference import Parameter, compile_base, plain_value
from sandhook.expand.shapes import (
    FieldsOf,
    has_braces,
    is_list,
    is_plain_reference,
    is_plain_variable,
    is_positional,
    may_be_no_field,
    names_list,
    numbers,
    plain_number,
    unsplit,
)
from sandhook.expand.text import Text, TextCompiler, tilde
from sandhook.expand.tilde import split_assignment_tildes, split_tildes
from sandhook.limits import check_clock
from sandhook.state.state import State
from sandhook.state.values import held
from sandhook.syntax.nodes import (
    AnsiQuoted,
    ArithmeticExpansion,
    Backquoted,
    CommandSubstitution,
    DoubleQuoted,
    Escaped,
    ExtendedPattern,
    Literal,
    ParameterExpansion,
    ProcessSubstitution,
    SingleQuoted,
    Word,
    WordPart,
)

#: A word whose braces yield more than this, of characters and 256 for each word, is expanded again each time it runs.
EAGER_BRACES = 65_536

#: Operators whose empty result starts no field next to a list.
_EMPTY_IS_NONE = CHOOSING - {"=", ":="}


class WordCompiler(TextCompiler):
    """Compiles words for every place; see ``TextCompiler`` for its arguments."""

    # ------------------------------------------------------------------ fields

    def fields(self, word: Word, *, named_tildes: bool = True) -> FieldsOf:
        """Compile a word that is an argument: all expansions, splitting and globbing.

        Args:
            named_tildes: Expand tildes in words like ``name=~``; False in the list of ``a=(...)``.
        """
        if has_braces(word):
            return self._with_braces(word)
        return self._fields(word, named_tildes)

    def _fields(self, word: Word, named_tildes: bool = True) -> FieldsOf:
        constant = self.constant(word)
        if constant is not None:
            fixed = [constant]
            return lambda state: fixed
        parts = word.parts
        if len(parts) == 1:
            single = self._single(parts[0])
            if single is not None:
                return single
        emitters = self._emitters(word, named_tildes)

        def run(state: State) -> list[str]:
            fields = Fields(state)
            for emit in emitters:
                emit(state, fields)
            return fields.end()

        return run

    def pair_word(self, word: Word) -> Text:
        """Compile a key or a value of an associative array; with a list it may be split and joined with blanks."""
        if not any(map(self._holds_list, word.parts)):
            return super().pair_word(word)
        return self._joined(word.parts, self._string(word.parts, quoted=False), trimmed=True)

    def _joined(self, parts: Sequence[WordPart], plain: Text, *, trimmed: bool) -> Text:
        """Compile a word with a list to one string.

        As in bash, a list in quotes lets the word be split and joined with blanks; one outside of quotes
        only when IFS does not begin with a blank.

        Args:
            parts: The parts of the word.
            plain: The word without splitting.
            trimmed: An empty last value of an unquoted list adds no blank.
        """
        in_quotes = any(isinstance(part, DoubleQuoted) and self._holds_list(part) for part in parts)
        emitters: list[Emit] = []
        for part in parts:
            if not isinstance(part, ParameterExpansion) or not self._holds_list(part):
                emitters.append(self._emit(part))
            elif part.operator in CHOOSING:
                emitters.append(quoted_text(self._part_text(part, quoted=False)))
            else:
                last = part is parts[-1]
                emitters.append(unsplit_list(compile_parameter(part, self), trimmed=trimmed and last))
        joined = joined_fields(emitters)
        return joined if in_quotes else lambda state: (joined if splits_lists(state) else plain)(state)

    def message(self, word: Word) -> Text | None:
        """Compile the word of ``${name?word}``, which bash splits and joins with blanks."""
        return joined_fields(self._emitters(word, False)) if word.parts else None

    def operand(self, word: Word) -> Text:
        """Compile the word of ``case``, or an operand of ``[[``; a word with a list is split first."""
        if not any(map(self._holds_list, word.parts)):
            return super().operand(word)
        return self._joined(word.parts, super().operand(word), trimmed=False)

    def _holds_list(self, part: WordPart) -> bool:
        if isinstance(part, DoubleQuoted):
            return any(map(self._holds_list, part.parts))
        return isinstance(part, ParameterExpansion) and part.prefix != "!" and is_list(part)

    def argument(self, word: Word) -> Callable[[State], str | list[str]]:
        """Compile a word like ``fields``; the closure may return a single field as a string."""
        constant = self.constant(word)
        if constant is not None:
            return lambda state: constant
        if not has_braces(word) and len(word.parts) == 1:
            part = word.parts[0]
            if isinstance(part, DoubleQuoted) and not any(map(self._may_be_list, part.parts)):
                return quoted_argument(self, part, self._string(part.parts, quoted=True))
            value = self._one_value(part)
            if value is not None:
                return whole_or_split(value)
        return self.fields(word)

    def number(self, word: Word) -> Callable[[State], int | None] | None:
        """Compile a word that is one number: digits, ``$((...))``, ``$name`` or ``$1``; None for other words.

        The closure returns None, without side effects, when the value may not be a number in this run.
        """
        constant = self.constant(word)
        if constant is not None:
            return plain_number(lambda state: constant, quoted=True)
        part = word.parts[0] if len(word.parts) == 1 else None
        quoted = isinstance(part, DoubleQuoted)
        if isinstance(part, DoubleQuoted):
            part = part.parts[0] if len(part.parts) == 1 else None
        if isinstance(part, ArithmeticExpansion):
            value = self.arithmetic(part.expression)
            return value if quoted else unsplit(value)
        if isinstance(part, ParameterExpansion) and (is_plain_variable(part) or is_positional(part)):
            return plain_number(plain_value(part.name, braces=part.braces), quoted)
        return None

    def _single(self, part: WordPart) -> FieldsOf | None:
        """Return a closure for a word of one part of a common shape."""
        if isinstance(part, DoubleQuoted) and not any(map(self._may_be_list, part.parts)):
            return quoted_word(self, part, self._string(part.parts, quoted=True))
        if isinstance(part, DoubleQuoted) and len(part.parts) == 1:
            inner = part.parts[0]
            if isinstance(inner, ParameterExpansion) and not inner.prefix and is_list(inner):
                if inner.name == "@" and not inner.operator:
                    return lambda state: state.positional
                listed = None if inner.operator in CHOOSING else compile_parameter(inner, self).values
                if listed is not None:
                    return whole_list(listed)
        value = self._one_value(part)
        return None if value is None else lambda state: split_value(state, value(state))

    def _one_value(self, part: WordPart) -> Callable[[State], str | None] | None:
        """Compile an unquoted expansion to one string, still to be split; None for any other part."""
        if isinstance(part, (CommandSubstitution, Backquoted, ArithmeticExpansion)):
            return self._part_text(part, quoted=False)
        if not isinstance(part, ParameterExpansion) or part.operator in CHOOSING or part.prefix == "!":
            return None
        if not part.prefix and part.operator is None and part.subscript is None and part.name not in "@*":
            return plain_value(part.name, braces=part.braces)
        return compile_parameter(part, self).value

    def _may_be_list(self, part: WordPart) -> bool:
        if not isinstance(part, ParameterExpansion):
            return False
        return part.prefix != "#" and (
            part.name in "@*" or part.subscript is not None or part.prefix == "!" or part.operator in CHOOSING
        )

    def _with_braces(self, word: Word) -> FieldsOf:
        from sandhook.expand.brace import are_expanded, expand_braces, plain_sequence  # few words have braces

        sequence = plain_sequence(word)
        if sequence is not None:
            return numbers(sequence, self._fields(word))
        words: list[Word] = []
        size = 0
        for result in expand_braces(word):
            words.append(result)
            size += 256 + sum(len(part.text) for part in result.parts if isinstance(part, Literal))
            if size > EAGER_BRACES:
                return self._many_braces(word)
        plain = self._fields(word)
        if len(words) == 1 and not are_expanded(word):
            return plain
        # Words made by braces are never assignments.
        compiled = [self._fields(result, named_tildes=False) for result in words]
        if len(constants := [text for text in map(self.constant, words) if text is not None]) == len(words):
            return lambda state: constants if "braceexpand" in state.options.enabled else plain(state)

        def run(state: State) -> list[str]:
            if "braceexpand" not in state.options.enabled:
                return plain(state)
            collected: list[str] = []
            for fields in compiled:
                collected += fields(state)
            if len(collected) > state.budget.limits.fields:
                state.budget.fail("fields")
            return collected

        return run

    def _many_braces(self, word: Word) -> FieldsOf:
        from sandhook.expand.brace import expand_braces

        plain = self._fields(word)

        def run(state: State) -> list[str]:
            if "braceexpand" not in state.options.enabled:
                return plain(state)
            collected: list[str] = []
            budget = state.budget
            limit = budget.limits.fields
            for result in expand_braces(word):
                budget.charge(1)
                constant = self.constant(result)
                if constant is not None:
                    collected.append(held(constant, budget))
                else:
                    collected += self._fields(result, named_tildes=False)(state)
                if len(collected) > limit:
                    budget.fail("fields")
            return collected

        return run

    # ------------------------------------------------------------------ emitters

    def _emitters(self, word: Word, named_tildes: bool) -> list[Emit]:
        plain = self._emit_all(split_tildes(word.parts))
        named = split_assignment_tildes(word.parts) if named_tildes else None
        if named is None:
            return plain
        expanded = self._emit_all(named)

        def emit(state: State, fields: Fields) -> None:
            for emit_one in plain if state.options.posix else expanded:
                emit_one(state, fields)

        return [emit]

    def _emit_all(self, pieces: Sequence[WordPart | str]) -> list[Emit]:
        """Compile parts, and the tilde-prefixes that were split off."""
        return [tilde_word(tilde(piece)) if isinstance(piece, str) else self._emit(piece) for piece in pieces]

    def _emit(self, part: WordPart) -> Emit:
        """Compile one part outside quotes."""
        check_clock()
        match part:
            case Literal(text):
                return lambda state, fields: fields.literal(text)
            case Escaped(text) | SingleQuoted(text):
                return lambda state, fields: fields.quoted(text)
            case AnsiQuoted(_, text):
                return lambda state, fields: fields.quoted(text)
            case DoubleQuoted(parts, _):
                return self._emit_quoted(parts)
            case ParameterExpansion():
                return self._emit_parameter(part, quoted=False)
            case ExtendedPattern():
                return self._emit_extended(part)
            case ProcessSubstitution():
                name = self._part_text(part, quoted=False)
                return lambda state, fields: fields.quoted(name(state))
        text_of = self._part_text(part, quoted=False)
        return lambda state, fields: fields.expansion(text_of(state))

    def _emit_quoted(self, parts: Sequence[WordPart]) -> Emit:
        if not any(map(self._may_be_list, parts)):
            return quoted_part(self, DoubleQuoted(tuple(parts)), self._string(parts, quoted=True))
        listed = any(map(is_list, parts))  # with a list, quotes alone begin no field: "$@$empty"
        references = [part for part in parts if is_list(part)] if listed and len(parts) > 1 else ()
        if not references or not all(map(is_plain_reference, references)):
            return self._emit_quoted_parts(parts, listed)
        # whether "${!ref}" is a list depends on its value
        names = [part.name for part in references if isinstance(part, ParameterExpansion)]
        as_list, as_text = self._emit_quoted_parts(parts, True), self._emit_quoted_parts(parts, False)
        return emit_by_references(names, as_list, as_text)

    def _emit_quoted_parts(self, parts: Sequence[WordPart], listed: bool) -> Emit:
        alone = len(parts) == 1 and may_be_no_field(parts[0])
        emitters: list[Emit] = []
        for part in parts:
            if isinstance(part, ParameterExpansion) and self._expands_to_fields(part, listed):
                emit = self._emit_parameter(part, quoted=True, listed=listed, alone=alone)
                omits_empty = listed and part.operator in _EMPTY_IS_NONE and not names_list(part)
                if omits_empty or (
                    part.prefix == "!" and any(is_list(other) for other in parts if other is not part)
                ):
                    emit = without_empty(emit)
                emitters.append(emit)
            elif listed:
                emitters.append(self._emit_next_to_list(part))
            else:
                emitters.append(quoted_text(self._part_text(part, quoted=True)))

        def run(state: State, fields: Fields) -> None:
            if not (listed or alone):
                fields.quoted("")
            for emit in emitters:
                emit(state, fields)

        return run

    def _emit_next_to_list(self, part: WordPart) -> Emit:
        """Compile a quoted part next to a list: an empty one usually begins no field."""
        if isinstance(part, ParameterExpansion) and part.operator is not None and not part.prefix:
            changed, base = compile_parameter(part, self), compile_base(part, self, checked=False)
            letter = part.word.parts if part.operator == "@" and part.word is not None else ()
            if changed.value is not None and base.value is not None and letter != (Literal("a"),):
                return emit_changed_next_to_list(part.operator, changed.value, base.value)
        return if_any(self._part_text(part, quoted=True))

    def _expands_to_fields(self, part: ParameterExpansion, listed: bool) -> bool:
        """Return True when a part in quotes must be compiled to fields, not to one string."""
        if not listed:
            return self._may_be_list(part)
        return (
            is_list(part)
            or (part.operator in CHOOSING and part.prefix != "#")
            or (part.operator is not None and names_list(part))
        )

    def _emit_parameter(
        self, node: ParameterExpansion, *, quoted: bool, listed: bool = False, alone: bool = False
    ) -> Emit:
        compiled = compile_parameter(node, self)
        if isinstance(compiled, Indirect):
            return self._emit_indirect(node, compiled, quoted, alone)
        if node.operator in CHOOSING and node.prefix != "#":
            return self._emit_choice(node, compiled, quoted, listed)
        starred = compiled.star and node.operator is not None and not node.prefix
        if listed and starred and compiled.values is not None:
            return emit_starred_next_to_list(compiled.values)
        return emit_value(compiled, quoted)

    def _emit_indirect(self, node: ParameterExpansion, compiled: Indirect, quoted: bool, alone: bool) -> Emit:
        choice = node.operator in CHOOSING

        def run(state: State, fields: Fields) -> None:
            target = compiled.target(state) or Parameter(lambda _: None)
            if choice:
                if alone and (target.values is None or target.star):
                    fields.quoted("")  # "${!k+w}" of an empty ${a[@]} is no field
                self._emit_choice(node, target, quoted, reference=compiled)(state, fields)
            else:
                emit_value(target, quoted)(state, fields)

        return run

    def _emit_choice(
        self,
        node: ParameterExpansion,
        base: Parameter,
        quoted: bool,
        listed: bool = False,
        *,
        reference: Indirect | None = None,
    ) -> Emit:
        """${x-w} ${x:-w} ${x=w} ${x?w} ${x+w}: the value, or the word with its own quoting."""
        operator = node.operator or ""
        word = node.word or Word(())
        # As in bash, a list that a reference in quotes names is not empty if it has one empty element.
        nonempty = operator[0] == ":" and (reference is None or base.values is None or not quoted)
        if operator[-1] in "=?":
            choose = self._assign_or_fail(node, quoted, reference)
            # next to a list, an assigned value begins a field
            return emit_value_or_text(base, choose, nonempty, quoted, if_any=listed and quoted)
        emitters = [self._emit_in(part, quoted, listed) for part in self._tilde_parts(word, quoted)]
        if base.value is not None:
            return emit_value_or_word(base.value, emitters, operator, quoted)
        value = emit_value(base, quoted)
        plus = operator[-1] == "+"
        is_plain_list = not base.star  # "${a[@]+x}" of an empty list is no field
        values_of = base.values or (lambda state: [])

        def run(state: State, fields: Fields) -> None:
            if base.is_set(state, nonempty, quoted) == plus:
                if quoted and not emitters and is_plain_list:
                    fields.quoted("")
                for emit in emitters:
                    emit(state, fields)
            elif plus:
                if quoted and is_plain_list and values_of(state):
                    fields.quoted("")
            else:
                value(state, fields)

        return run

    def _tilde_parts(self, word: Word, quoted: bool) -> Sequence[WordPart | Text]:
        if quoted:
            return word.parts
        return [tilde(piece) if isinstance(piece, str) else piece for piece in split_tildes(word.parts)]

    def _emit_in(self, part: WordPart | Text, quoted: bool, listed: bool) -> Emit:
        """Compile a part of an operator's word: unquoted literals there are split."""
        if not isinstance(part, tuple):
            return tilde_in(part)
        if isinstance(part, Literal):
            text = part.text
            if quoted:
                return lambda state, fields: fields.quoted(text)
            return lambda state, fields: fields.expansion(text)
        if quoted and isinstance(part, ParameterExpansion):
            return self._emit_parameter(part, quoted=True, listed=listed)
        if quoted and not isinstance(part, DoubleQuoted):
            return quoted_text(self._part_text(part, quoted=True))
        emit = self._emit(part)
        if is_list(part) and isinstance(part, ParameterExpansion) and part.operator not in CHOOSING:
            compiled = compile_parameter(part, self)
            if isinstance(compiled, Parameter):
                return list_in_choice(compiled, emit, changed=part.operator is not None)
        return emit

    def _emit_extended(self, part: ExtendedPattern) -> Emit:
        """Compile an extended pattern in an argument to its text; quoted pieces stay quoted."""
        pieces = self._extended_pieces(part)

        def run(state: State, fields: Fields) -> None:
            for text, was_quoted in pieces(state):
                (fields.quoted if was_quoted else fields.literal)(text)

        return run

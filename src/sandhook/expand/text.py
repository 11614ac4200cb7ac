"""Compiles words to closures for one string, a pattern, pieces with their quoting, or an integer.

Nothing here splits or globs; ``word`` adds that where a word becomes fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sandhook.errors import ShellSyntaxError
from sandhook.expand.blanks import chosen, joined_list, value_or_text
from sandhook.expand.parameter import CHOOSING, Indirect, compile_parameter, shown_name
from sandhook.expand.reference import Parameter, compile_base, plain_text, plain_value
from sandhook.expand.shapes import has_braces, runs_commands, unquoting
from sandhook.expand.special import join_values
from sandhook.expand.tilde import expand_tilde, has_tilde, split_assignment_tildes, split_tildes
from sandhook.lazy import lazy_module
from sandhook.limits import check_clock
from sandhook.pattern.glob import quote
from sandhook.state.assignment import store_default
from sandhook.state.control import ShellError, subscript_error
from sandhook.state.state import State
from sandhook.state.values import LARGE
from sandhook.syntax import parse_word
from sandhook.syntax.nodes import (
    AnsiQuoted,
    ArithmeticExpansion,
    Backquoted,
    BadSubstitution,
    CommandList,
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
from sandhook.text.names import is_name
from sandhook.typed import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sandhook.expand import integer
else:  # many scripts have no arithmetic
    integer = lazy_module("sandhook.expand.integer")

Text: TypeAlias = Callable[[State], str]
Integer: TypeAlias = Callable[[State], int]
Pieces: TypeAlias = Callable[[State], "list[tuple[str, bool]]"]

_GLOB = frozenset("*?[")
_SPECIAL = _GLOB | frozenset("{~")  #: what makes more than a constant of a literal
_DECLARING = (Literal("A"),)  #: the letter of ${a[@]@A}

#: What is special in the value of an assignment: lists are joined with IFS, and in the words of operators
#: a tilde counts after each ":".
_JOINED, _COLONS = 1, 2


class TextCompiler:
    """Compiles words; receives functions that compile the commands inside them.

    Args:
        substitute: Compiles the body of ``$(...)`` to a closure that returns its output.
        backquote: Compiles the text of a backquoted substitution, which is parsed at run time.
        process: Compiles ``<(...)`` to a closure that returns the name to open.
    """

    in_document = False  #: the body of a here-document is being compiled

    def __init__(
        self,
        substitute: Callable[[CommandList | None], Text],
        backquote: Callable[[str], Text],
        process: Callable[[str, CommandList | None], Text],
    ) -> None:
        self._substitute, self._backquote = substitute, backquote
        self._process = process

    def constant(self, word: Word) -> str | None:
        """Return the one field that a word always expands to, or None when it depends on the run."""
        parts = word.parts
        only = parts[0] if len(parts) == 1 else None
        if isinstance(only, Literal) and _SPECIAL.isdisjoint(only.text):
            return only.text
        if isinstance(only, SingleQuoted):
            return only.text
        check_clock()
        if has_braces(word):
            return None
        text: list[str] = []
        for part in parts:
            if isinstance(part, Literal):
                if not _GLOB.isdisjoint(part.text) and not (part.text == "[" and len(word.parts) == 1):
                    return None
                text.append(part.text)
            elif isinstance(part, (SingleQuoted, Escaped, AnsiQuoted)):
                text.append(part.text)
            elif isinstance(part, DoubleQuoted) and all(
                isinstance(p, (Literal, Escaped)) for p in part.parts
            ):
                text += [p.text for p in part.parts if isinstance(p, (Literal, Escaped))]
            else:
                return None
        if not word.parts or has_tilde(word.parts) or split_assignment_tildes(word.parts) is not None:
            return None
        return "".join(text)

    # ------------------------------------------------------------------ one string

    def string(self, word: Word, *, quoted: bool = False, assignment: bool = False) -> Text:
        """Compile a word that becomes one string: no splitting, no globbing.

        Args:
            quoted: Expand as in double quotes (here-documents, subscripts).
            assignment: A tilde counts after each ":" too.
        """
        stored = _JOINED | _COLONS if assignment else 0
        if quoted or not has_tilde(word.parts, assignment=assignment):
            return self._string(word.parts, quoted=quoted, stored=stored)
        return self._with_tildes(split_tildes(word.parts, assignment=assignment), stored)

    def element(self, word: Word) -> Text:
        """Compile the value of an element in a list: as that of an assignment, except in the words of operators."""
        return self._with_tildes(split_tildes(word.parts, assignment=True), _JOINED)

    def chosen_in_assignment(self, word: Word) -> Text:
        """Compile the word of an operator in the value of an assignment."""
        return self._with_tildes(split_tildes(word.parts, assignment=True), _COLONS)

    def _with_tildes(self, pieces: Sequence[WordPart | str], stored: int) -> Text:
        if not pieces:
            return _constant("")
        return _concatenate(
            [
                tilde(piece)
                if isinstance(piece, str)
                else self._part_text(piece, quoted=False, stored=stored)
                for piece in pieces
            ]
        )

    def subscript(self, word: Word) -> Text:
        """Compile the subscript of an element in a list, where a tilde is text."""
        return self._string(word.parts, quoted=False)

    def key(self, word: Word, is_map: Callable[[State], bool]) -> Text:
        """Compile a subscript that may be a key or an index: in the latter, quotes other than "..." are text."""
        as_key = self._string(word.parts, quoted=True)
        parts = [unquoting(part) for part in word.parts]
        as_index = integer.keys_kept(parts, lambda part: self._part_text(part, quoted=True), self)
        if as_index is None and all(unquoted is part for unquoted, part in zip(parts, word.parts)):
            return as_key
        as_index = as_index or self._string(parts, quoted=True)
        return lambda state: as_key(state) if is_map(state) else as_index(state)

    def pair_word(self, word: Word) -> Text:
        """Compile a key or a value of ``map=(key value)``: like the value of an assignment, without tildes."""
        return self._string(word.parts, quoted=False, stored=_JOINED)

    def stored_in(self, word: Word, quoted: bool) -> Text:
        """Compile the word of ``${name=word}``, which is joined as in an assignment."""
        if quoted or not has_tilde(word.parts):
            return self._string(word.parts, quoted=quoted, stored=_JOINED)
        return self._with_tildes(split_tildes(word.parts), _JOINED)

    def _string(self, parts: Sequence[WordPart], *, quoted: bool, stored: int = 0) -> Text:
        if not parts:
            return _constant("")
        return _concatenate([self._part_text(part, quoted=quoted, stored=stored) for part in parts])

    def _part_text(self, part: WordPart, *, quoted: bool, stored: int = 0) -> Text:
        """Compile one part to its text, without splitting.

        ``stored`` has _JOINED in the value of an assignment, where bash joins ``"${a[@]:1}"`` and similar lists with IFS;
        without an operator ``"${a[@]}"`` is joined with spaces there too.
        """
        check_clock()
        match part:
            case Literal(text) | Escaped(text) | SingleQuoted(text):
                return _constant(text)
            case AnsiQuoted(_, text):
                return _constant(text)
            case DoubleQuoted(parts, _):
                return self._string(parts, quoted=True, stored=stored)
            case ParameterExpansion():
                return self._parameter_text(part, quoted, stored)
            case CommandSubstitution(body, _):
                return self._substitute(body)
            case Backquoted(text):
                return self._backquote(text)
            case ProcessSubstitution(direction, body, _):
                return self._process(direction, body)
            case ArithmeticExpansion(expression, _, _):
                value = self.arithmetic(expression)
                return lambda state: str(value(state))
            case ExtendedPattern():
                pieces = self._extended_pieces(part)
                return lambda state: "".join(text for text, _ in pieces(state))
            case BadSubstitution(text, _, around):
                from sandhook.expand.bad_substitution import bad_substitution

                return bad_substitution(self, text, around or text)
        raise TypeError(part)

    def _parameter_text(self, node: ParameterExpansion, quoted: bool, stored: int) -> Text:
        plain = not node.prefix and node.operator is None and node.subscript is None
        if plain and node.name not in "@*":
            return plain_text(node.name, plain_value(node.name, braces=node.braces))
        compiled = compile_parameter(node, self)
        if node.operator in CHOOSING and node.prefix != "#":
            if isinstance(compiled, Indirect):
                return self._indirect_choice_text(node, compiled, quoted, stored & _COLONS)
            return self._choice_text(node, compiled, quoted, stored)
        own_prefix = "" if isinstance(compiled, Indirect) else node.prefix
        by_ifs = bool((node.operator or own_prefix) if quoted else (node.operator or " ")[0] in "@#%")
        by_ifs = by_ifs and bool(stored & _JOINED)
        declaring = node.operator == "@" and node.word is not None and node.word.parts == _DECLARING
        if declaring:
            return compiled.text
        if not isinstance(compiled, Indirect):
            return joined_list(compiled, quoted=quoted, by_ifs=by_ifs)
        target_of = compiled.target

        def text_of_target(state: State) -> str:
            target = target_of(state)
            return "" if target is None else joined_list(target, quoted=quoted, by_ifs=by_ifs)(state)

        return text_of_target

    def _indirect_choice_text(
        self, node: ParameterExpansion, compiled: Indirect, quoted: bool, stored: int
    ) -> Text:
        def run(state: State) -> str:
            base = compiled.target(state) or Parameter(lambda _: None)
            return self._choice_text(node, base, quoted, stored, reference=compiled)(state)

        return run

    def _choice_text(
        self,
        node: ParameterExpansion,
        base: Parameter,
        quoted: bool,
        stored: int = 0,
        *,
        reference: Indirect | None = None,
    ) -> Text:
        operator = node.operator or ""
        nonempty = operator[0] == ":"
        if stored & _JOINED and not quoted and base.values is not None:
            nonempty = False  # in an assignment, one empty value counts as a list
        if operator[-1] in "=?":
            choose = self._assign_or_fail(node, quoted, reference)
            return value_or_text(base, choose, nonempty, quoted)
        inner = node.word or Word(())
        if quoted:
            word = self._string(inner.parts, quoted=True, stored=stored)
        else:
            word = chosen(self, inner, assignment=bool(stored & _COLONS))
        if operator[-1] == "+":
            return lambda state: word(state) if base.is_set(state, nonempty, quoted) else ""
        return value_or_text(base, word, nonempty, quoted)

    # ------------------------------------------------------------------ patterns and pieces

    def pattern(self, word: Word, *, tildes: bool = True) -> Text:
        """Compile a word to a pattern: quoted text is escaped, the rest stays special."""
        fixed = self.fixed_pattern(word, tildes=tildes)
        if fixed is not None:
            return _constant(fixed)
        pieces = self.pieces(word, tildes=tildes)
        return lambda state: "".join([quote(text) if quoted else text for text, quoted in pieces(state)])

    def fixed_pattern(self, word: Word, *, tildes: bool = True) -> str | None:
        """Return the pattern that a word always expands to, or None when it depends on the run."""
        if tildes and has_tilde(word.parts):
            return None
        texts: list[str] = []
        for part in word.parts:
            if isinstance(part, Literal):
                texts.append(part.text)
            elif isinstance(part, (SingleQuoted, Escaped, AnsiQuoted)):
                texts.append(quote(part.text))
            elif isinstance(part, DoubleQuoted) and all(
                isinstance(inner, (Literal, Escaped)) for inner in part.parts
            ):
                texts += [quote(inner.text) for inner in part.parts if isinstance(inner, (Literal, Escaped))]
            else:
                return None
        return "".join(texts)

    def pieces(self, word: Word, *, tildes: bool = True) -> Pieces:
        """Compile a word to its (text, quoted) pieces."""
        return self._pieces_from(split_tildes(word.parts) if tildes else word.parts)

    def _pieces_from(self, parts: Iterable[str | WordPart]) -> Pieces:
        """Compile parts, in which a text is a tilde prefix."""
        makers = [
            _tilde_piece(tilde(part)) if isinstance(part, str) else self._pieces_of(part) for part in parts
        ]
        if len(makers) == 1:
            return makers[0]
        return lambda state: [piece for make in makers for piece in make(state)]

    def _pieces_of(self, part: WordPart) -> Pieces:
        match part:
            case Literal(text):
                plain = [(text, False)]
                return lambda state: plain
            case ExtendedPattern():
                return self._extended_pieces(part)
            case Escaped() | SingleQuoted() | AnsiQuoted() | DoubleQuoted():
                text_of = self._part_text(part, quoted=False)
                return lambda state: [(text_of(state), True)]
            case ParameterExpansion() if (
                part.operator in CHOOSING and part.operator[-1] in "-+" and not part.prefix
            ):
                return self._choice_pieces(part)
        text_of = self._part_text(part, quoted=False)
        return lambda state: [(text_of(state), False)]

    def _choice_pieces(self, node: ParameterExpansion) -> Pieces:
        base = compile_base(node, self, checked=False)
        operator = node.operator or ""
        word = self.pieces(node.word or Word(()))
        nonempty, plus = operator[0] == ":", operator[-1] == "+"
        read = base.value

        def run(state: State) -> list[tuple[str, bool]]:
            text = read(state) if read is not None else None
            if read is None:
                chosen = base.is_set(state, nonempty)
            else:
                chosen = bool(text) if nonempty else text is not None
            if chosen == plus:
                return word(state)
            return [] if plus else [(base.text(state) if text is None else text, False)]

        return run

    def _extended_pieces(self, part: ExtendedPattern) -> Pieces:
        alternatives = [self.pieces(word) for word in part.alternatives]
        opening = (part.operator + "(", False)

        def run(state: State) -> list[tuple[str, bool]]:
            pattern = [opening]
            for index, pieces in enumerate(alternatives):
                if index:
                    pattern.append(("|", False))
                pattern += pieces(state)
            pattern.append((")", False))
            return pattern

        return run

    def operand(self, word: Word) -> Text:
        """Compile the word of ``case``, or an operand of ``[[``: as ``string``, and ``a=~`` has a tilde."""
        assignment = split_assignment_tildes(word.parts)
        plain = self.string(word)
        if assignment is None:
            return plain
        expanded = self._with_tildes(assignment, 0)
        return lambda state: plain(state) if state.options.posix else expanded(state)

    def operand_pattern(self, word: Word) -> Text:
        """Compile a pattern of ``case`` or ``[[``, where ``a=~`` has a tilde."""
        if split_assignment_tildes(word.parts) is None:
            return self.pattern(word)
        pieces = self.operand_pieces(word)
        return lambda state: "".join([quote(text) if quoted else text for text, quoted in pieces(state)])

    def operand_pieces(self, word: Word) -> Pieces:
        """Compile such a pattern to its (text, quoted) pieces."""
        assignment = split_assignment_tildes(word.parts)
        plain = self.pieces(word)
        if assignment is None:
            return plain
        expanded = self._pieces_from(assignment)
        return lambda state: (plain if state.options.posix else expanded)(state)

    def fixed_operand_pattern(self, word: Word) -> str | None:
        """Return the pattern that ``operand_pattern`` always makes, or None when it depends on the run."""
        return None if split_assignment_tildes(word.parts) is not None else self.fixed_pattern(word)

    def arithmetic(self, word: Word) -> Integer:
        """Compile arithmetic text; it is parsed here if it has no expansions."""
        return integer.compile_integer(word, self)

    def index(self, word: Word) -> Integer | None:
        """Compile the subscript of an indexed array; see ``integer.compile_index``."""
        return integer.compile_index(word, self)

    def parse_name(self, text: str) -> ParameterExpansion | None:
        """Parse the target of an indirection: x, x[i], 1, @; None when it is not a parameter."""
        try:
            word = parse_word("${" + text + "}")
        except ShellSyntaxError:
            return None
        if len(word.parts) == 1 and isinstance(word.parts[0], ParameterExpansion):
            node = word.parts[0]
            if node.operator is None and not node.prefix and not runs_commands(node):
                return node
        return None

    def _assign_or_fail(
        self, node: ParameterExpansion, quoted: bool, reference: Indirect | None = None
    ) -> Text:
        """Compile ``=word`` or ``?word`` of a parameter without a value; ``reference`` is that of ``${!name=word}``."""
        operator = node.operator or ""
        word = node.word or Word(())
        if operator[-1] == "=":
            return self._assign_default(node, self.stored_in(word, quoted), reference)
        from sandhook.expand.bad_substitution import unset_error

        return unset_error(node.prefix + shown_name(node), operator, self.message(word))

    def message(self, word: Word) -> Text | None:
        """Compile the word of ``${name?word}``; None for an empty one."""
        return self.string(word) if word.parts else None

    def _assign_default(self, node: ParameterExpansion, text_of: Text, reference: Indirect | None) -> Text:
        name = node.name
        if reference is not None:

            def assign_target(state: State) -> str:
                if name in "@*":
                    raise ShellError(f"$!{name}: cannot assign in this way", ends="unit")
                text = text_of(state)
                target = reference.assigned_name(state)
                store_default(lambda: state.set(target, text))
                return state.get(target) or text

            return assign_target
        subscript = self.string(node.subscript, quoted=True) if node.subscript is not None else None

        def assign(state: State) -> str:
            if not is_name(name):
                raise ShellError(f"${name}: cannot assign in this way", ends="unit")
            text = text_of(state)
            if subscript is None:
                store_default(lambda: state.set(name, text))
                return state.get(name) or text
            key = subscript(state)
            if key in ("@", "*") and not state.is_associative(name):
                raise subscript_error(f"{name}[{key}]", "unit").ending("unit", 2)
            store_default(lambda: state.set_element(name, key, text))
            return text

        return assign


def _constant(text: str) -> Text:
    return lambda state: text


def tilde(prefix: str) -> Text:
    """Return a closure for the directory of a tilde-prefix."""
    return lambda state: expand_tilde(state, prefix)


def _tilde_piece(text_of: Text) -> Pieces:
    """Compile a tilde-prefix in a pattern: one that does not expand stays part of the pattern."""

    def piece(state: State) -> list[tuple[str, bool]]:
        text = text_of(state)
        return [(text, text[:1] != "~")]

    return piece


def _concatenate(pieces: Sequence[Text]) -> Text:
    if len(pieces) == 1:
        return pieces[0]
    if len(pieces) == 2:
        first, second = pieces

        def pair(state: State) -> str:
            head, tail = first(state), second(state)
            return head + tail if len(head) + len(tail) <= LARGE else join_values(state, "", [head, tail])

        return pair

    return lambda state: join_values(state, "", [piece(state) for piece in pieces])

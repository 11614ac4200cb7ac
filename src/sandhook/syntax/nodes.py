"""The syntax tree: frozen, slotted, in POSIX's words.

A node is a Record, a tuple with named fields: immutable, compared by value, and stored as
plain data. Its fields are read in C.

Offsets in ``span`` are 0-based characters of the source, end exclusive. Two nodes are equal
when class and fields are equal, spans included; ``strip_spans`` makes trees comparable that
came from different texts.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.limits import check_clock
from sandhook.record import Record
from sandhook.typed import Any, TypeAlias
from sandhook.typed import Literal as OneOf

Span: TypeAlias = tuple[int, int]
NO_SPAN: Span = (0, 0)


class Node(Record):
    """Base of all nodes."""

    __slots__ = ()


# --------------------------------------------------------------------------- word parts


class Literal(Node):
    """Unquoted characters without a backslash; subject to tilde, brace, glob expansion."""

    text: str


class Escaped(Node):
    """One character quoted by a backslash; ``text`` is the character alone."""

    text: str


class SingleQuoted(Node):
    """'...'"""

    text: str


class AnsiQuoted(Node):
    """$'...' ; ``raw`` is the text between the quotes, ``text`` its value."""

    raw: str
    text: str


class DoubleQuoted(Node):
    """ "..." or $"..." (locale); parts are Literal, Escaped and expansions."""

    parts: tuple[WordPart, ...]
    locale: bool = False


class ParameterExpansion(Node):
    """$name or ${...}.

    Fields:
        name: Variable name, digits, or one of ``@*#?-$!``; for "${!x}" it is "x".
        subscript: The text between [ and ] as a Word, or None. "@" and "*" are Words with
            that one literal.
        prefix: "" | "#" (length) | "!" (indirect, or names/keys).
        operator: None, or one of ``- := :- = :? ? :+ + # ## % %% / // /# /% ^ ^^ , ,, : @``,
            and for "${!prefix*}" / "${!prefix@}" the operator is "*" / "@" with prefix "!".
        word: The operator's word; for "/" forms the pattern; for ":" the offset (arithmetic
            text); for "@" a Word of the one transformation letter (``${x@Q}``).
        second: For "/" forms the replacement (None when there is no second slash), for ":"
            the length (None when absent).
        braces: False for the plain ``$name`` form.
    """

    name: str
    subscript: Word | None = None
    prefix: OneOf["", "#", "!"] = ""
    operator: str | None = None
    word: Word | None = None
    second: Word | None = None
    braces: bool = True
    span: Span = NO_SPAN

    @classmethod
    def plain(cls, name: str, start: int, end: int) -> ParameterExpansion:
        """Return ``$name``, which most words with an expansion have."""
        return tuple.__new__(cls, (name, None, "", None, None, None, False, (start, end)))


class BadSubstitution(Node):
    """A ${...} that bash accepts when it parses and refuses when it runs; the whole text.

    ``around`` is the word, quoted text or here-document that it stands in, which the message shows.
    """

    text: str
    span: Span = NO_SPAN
    around: str = ""


class CommandSubstitution(Node):
    """$( ... ), parsed with the script. ``body`` is None for an empty one."""

    body: CommandList | None
    span: Span = NO_SPAN


class Backquoted(Node):
    """`...` ; ``text`` has its backslashes removed and is parsed when it is expanded; ``raw`` has them, if any."""

    text: str
    span: Span = NO_SPAN
    raw: str = ""


class ProcessSubstitution(Node):
    """<( ... ) or >( ... ); ``direction`` is "<" or ">"."""

    direction: str
    body: CommandList | None
    span: Span = NO_SPAN


class ArithmeticExpansion(Node):
    """$(( ... )), or $[ ... ] when ``brackets``.

    ``expression`` holds the text as in double quotes: literals and expansions.
    """

    expression: Word
    brackets: bool = False
    span: Span = NO_SPAN


class ExtendedPattern(Node):
    """?(a|b) *(…) +(…) @(…) !(…); each alternative is a Word (possibly empty)."""

    operator: str
    alternatives: tuple[Word, ...]


WordPart: TypeAlias = (
    Literal
    | Escaped
    | SingleQuoted
    | AnsiQuoted
    | DoubleQuoted
    | ParameterExpansion
    | BadSubstitution
    | CommandSubstitution
    | Backquoted
    | ProcessSubstitution
    | ArithmeticExpansion
    | ExtendedPattern
)


class Word(Node):
    """A word before expansion. Adjacent Literals are merged; an empty word has no parts."""

    parts: tuple[WordPart, ...]
    span: Span = NO_SPAN


class ArrayElement(Node):
    """[subscript]=value or [subscript]+=value inside name=( ... )."""

    subscript: Word
    value: Word
    append: bool = False


class ArrayLiteral(Node):
    """( ... ) of a compound assignment."""

    elements: tuple[Word | ArrayElement, ...]
    span: Span = NO_SPAN


class Assignment(Node):
    """name=value, name[subscript]=value, name+=value, name=( ... )."""

    name: str
    value: Word | ArrayLiteral
    subscript: Word | None = None
    append: bool = False
    span: Span = NO_SPAN


class HereDocument(Node):
    """Body of << or <<-.

    Fields:
        delimiter: The delimiter after quote removal.
        quoted: The delimiter was quoted, so the body is literal.
        text: The raw body; leading tabs already gone when ``strip_tabs``. It ends with a
            newline unless it is empty. Expansions in it are parsed by ``parse_heredoc``.
        line: 1-based line of the body's first line.
    """

    delimiter: str
    quoted: bool
    text: str
    strip_tabs: bool = False
    line: int = 0


RedirectionOperator: TypeAlias = OneOf[
    "<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<", "<<-", "<<<"
]


class Redirection(Node):
    """One redirection.

    Fields:
        operator: Its spelling.
        fd: The io number, or None for the operator's default.
        variable: name of the {variable} form, or None.
        target: The word; the delimiter for here-documents; for <& and >& it may be "-",
            digits, or digits followed by "-".
        document: The body of << and <<-.
    """

    operator: RedirectionOperator
    target: Word
    fd: int | None = None
    variable: str | None = None
    document: HereDocument | None = None
    span: Span = NO_SPAN


# --------------------------------------------------------------------------- commands


class SimpleCommand(Node):
    """[assignments] [words] [redirections].

    A word of a declaration command (``declare a=(1 2)``, ``export x=$y``) is an Assignment.
    """

    assignments: tuple[Assignment, ...]
    words: tuple[Word | Assignment, ...]
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class Pipeline(Node):
    """[time [-p]] [!] command | command ...

    Only made when there is more than one command, a "!" or "time"; ``both`` has for each
    "|" whether it was "|&". ``commands`` may be empty for a bare ``!`` or ``time``.
    """

    commands: tuple[Command, ...]
    both: tuple[bool, ...] = ()
    negated: bool = False
    timed: OneOf["time", "time -p"] | None = None
    span: Span = NO_SPAN


class AndOr(Node):
    """first && second || third: operators[i] stands before commands[i + 1]."""

    commands: tuple[Command, ...]
    operators: tuple[OneOf["&&", "||"], ...]
    span: Span = NO_SPAN


class ListItem(Node):
    """One AND-OR list with what ended it: ";" or "&", or a newline; the last one of a list needs no end."""

    command: Command
    background: bool = False
    newline: bool = False


class CommandList(Node):
    """A list: items run one after another."""

    items: tuple[ListItem, ...]
    span: Span = NO_SPAN


class Subshell(Node):
    body: CommandList
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class BraceGroup(Node):
    body: CommandList
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class IfClause(Node):
    condition: CommandList
    body: CommandList


class If(Node):
    clauses: tuple[IfClause, ...]  #: if, then every elif
    otherwise: CommandList | None = None
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class While(Node):
    condition: CommandList
    body: CommandList
    until: bool = False
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class For(Node):
    """for name [in words]; ``words`` is None when there is no "in"."""

    name: str
    words: tuple[Word, ...] | None
    body: CommandList
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class Select(Node):
    name: str
    words: tuple[Word, ...] | None
    body: CommandList
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class ArithmeticFor(Node):
    """for (( init; condition; update )); an absent expression is a Word without parts."""

    init: Word
    condition: Word
    update: Word
    body: CommandList
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class CaseClause(Node):
    patterns: tuple[Word, ...]
    body: CommandList | None
    terminator: OneOf[";;", ";&", ";;&"] = ";;"


class Case(Node):
    subject: Word
    clauses: tuple[CaseClause, ...]
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class ArithmeticCommand(Node):
    """(( expression )), text as in ArithmeticExpansion."""

    expression: Word
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class ConditionalCommand(Node):
    """[[ expression ]]"""

    expression: Condition
    redirections: tuple[Redirection, ...] = ()
    line: int = 0
    span: Span = NO_SPAN


class FunctionDefinition(Node):
    """name() body or function name body; the body's redirections are in the body."""

    name: str
    body: Command
    keyword: bool = False
    line: int = 0
    span: Span = NO_SPAN


class Coprocess(Node):
    name: str | None  #: None means COPROC
    command: Command
    line: int = 0
    span: Span = NO_SPAN


Command: TypeAlias = (
    SimpleCommand
    | Pipeline
    | AndOr
    | Subshell
    | BraceGroup
    | If
    | While
    | For
    | Select
    | ArithmeticFor
    | Case
    | ArithmeticCommand
    | ConditionalCommand
    | FunctionDefinition
    | Coprocess
)

# --------------------------------------------------------------------------- [[ ... ]]


class CondUnary(Node):
    """-f word and the like; a lone word is operator "-n" with ``implicit``."""

    operator: str
    operand: Word
    implicit: bool = False


class CondBinary(Node):
    """left OP right; for == = != =~ the right side keeps its quoting."""

    operator: str
    left: Word
    right: Word


class CondNot(Node):
    operand: Condition


class CondAnd(Node):
    left: Condition
    right: Condition


class CondOr(Node):
    left: Condition
    right: Condition


class CondGroup(Node):
    """( expression )"""

    operand: Condition


Condition: TypeAlias = CondUnary | CondBinary | CondNot | CondAnd | CondOr | CondGroup

# --------------------------------------------------------------------------- arithmetic


class ArithNumber(Node):
    value: int  #: already wrapped to a signed 64-bit integer


class ArithVariable(Node):
    """name or name[subscript]; the subscript is raw text (evaluated as arithmetic, or used
    as a key when the array is associative)."""

    name: str
    subscript: str | None = None


class ArithParameter(Node):
    """A ``$name`` or ``${name}`` left in the text; see parse_arithmetic(parameters=True)."""

    name: str


class ArithUnary(Node):
    operator: str  #: + - ! ~
    operand: Arith


class ArithStep(Node):
    operator: str  #: ++ or --
    target: ArithVariable
    prefix: bool


class ArithBinary(Node):
    operator: str  #: ** * / % + - << >> < <= > >= == != & ^ |
    left: Arith
    right: Arith
    at: int = 0  #: offset in the text after the operator, where the text in "division by 0" begins


class ArithChain(Node):
    """A long row of binary operators that bind to the left: no level for each, as ArithBinary has."""

    first: Arith
    steps: tuple[tuple[str, Arith, int], ...]  #: (operator, right, at), the fields of ArithBinary


class ArithLogical(Node):
    operator: str  #: && or ||
    left: Arith
    right: Arith


class ArithConditional(Node):
    test: Arith
    then: Arith
    otherwise: Arith


class ArithAssign(Node):
    operator: str  #: = *= /= %= += -= <<= >>= &= ^= |=
    target: ArithVariable
    value: Arith
    at: int = 0  #: as in ArithBinary


class ArithComma(Node):
    left: Arith
    right: Arith


Arith: TypeAlias = (
    ArithNumber
    | ArithVariable
    | ArithParameter
    | ArithUnary
    | ArithStep
    | ArithBinary
    | ArithChain
    | ArithLogical
    | ArithConditional
    | ArithAssign
    | ArithComma
)


def shift_lines(tree: object, by: int) -> Any:
    """Return a copy of the tree whose commands are ``by`` lines further down."""
    if isinstance(tree, Node):
        check_clock()
        values = [
            value + by if name == "line" and value else shift_lines(value, by)
            for name, value in zip(tree._fields, tree)
        ]
        return tuple.__new__(tree.__class__, values)
    if tree.__class__ is tuple:
        return tuple([shift_lines(item, by) for item in tree])
    return tree


def renumbered(tree: object, line: int) -> Any:
    """Return a command's parts with the substitutions in them beginning at its line, as bash counts."""
    if tree.__class__ is CommandSubstitution or tree.__class__ is ProcessSubstitution:
        first = next((at for part in walk(tree) if (at := getattr(part, "line", 0))), line)
        return tree if first == line else shift_lines(tree, line - first)
    if isinstance(tree, tuple) and tree.__class__ is not Redirection:
        check_clock()
        values = [renumbered(part, line) for part in tree]
        return tuple.__new__(tree.__class__, values)
    return tree


def strip_spans(node: object) -> Any:
    """Return a copy of the tree without its layout (spans, lines, newlines), to compare trees of two texts."""
    if isinstance(node, Node):
        values = [
            NO_SPAN if name == "span" else 0 if name in ("line", "newline") else strip_spans(value)
            for name, value in zip(node._fields, node)
        ]
        return tuple.__new__(node.__class__, values)
    if isinstance(node, tuple):
        return tuple(strip_spans(item) for item in node)
    return node


#: Parts of words in which nothing is expanded.
TEXT_PARTS = frozenset({Literal, Escaped, SingleQuoted, AnsiQuoted})


def is_text(word: Word) -> bool:
    """Return True for a word in which nothing is expanded, except braces, tildes and patterns."""
    return TEXT_PARTS.issuperset(map(type, word.parts))


def expanding(redirections: tuple[Redirection, ...]) -> list[Redirection]:
    """Return the redirections whose words something is expanded in."""
    return [each for each in redirections if not is_text(each.target)]


def walk(node: object) -> Iterator[Node]:
    """Yield every node of the tree, parents first, without recursion."""
    stack = [node] if isinstance(node, tuple) else []
    nodes = 0
    while stack:
        top = stack.pop()
        if isinstance(top, Node):
            nodes += 1
            if not nodes & 1023:
                check_clock()
            yield top
            if top.__class__ in TEXT_PARTS:
                continue
        for item in reversed(top):
            if isinstance(item, tuple) and item and item[0].__class__ is not int:  # a span has no nodes
                stack.append(item)

"""Which commands Claude Code cannot take apart, so that every ``Bash(...)`` rule in an `if` matches; from recorded runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from sandhook.hooks.scan import Reader
from sandhook.lazy import lazily
from sandhook.syntax.nodes import (
    AnsiQuoted,
    ArithmeticCommand,
    ArithmeticExpansion,
    ArithmeticFor,
    ArrayLiteral,
    Assignment,
    Backquoted,
    BadSubstitution,
    BraceGroup,
    Case,
    CommandSubstitution,
    ConditionalCommand,
    DoubleQuoted,
    ExtendedPattern,
    For,
    FunctionDefinition,
    HereDocument,
    ListItem,
    Literal,
    Node,
    ParameterExpansion,
    Pipeline,
    ProcessSubstitution,
    Redirection,
    Select,
    SimpleCommand,
    Subshell,
    While,
    Word,
)

#: The most characters of a command that is taken apart.
MOST = 10_000

_ALWAYS = (
    *(HereDocument, ProcessSubstitution, FunctionDefinition, ArithmeticFor, Select, BraceGroup, Case),
    *(ArithmeticCommand, AnsiQuoted, ExtendedPattern, ArrayLiteral, BadSubstitution),
)
_SUBSTITUTIONS = (CommandSubstitution, Backquoted)
_DECLARATIONS = frozenset({"declare", "typeset", "local", "export", "readonly"})

#: Blanks that are escaped, line ends within a word, blanks beyond ASCII, and what zsh would expand.
_TEXT = lazily(
    r"\\[ \t]|[^\s\\]\\\n|[\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]"
    r"|~\[|(?:^|[\s;|&(])=[A-Za-z_]|<\d*-\d*>"
)
_BRACES = lazily(r"\{([^{}\s]*)\}")
_NUMBERS = lazily(r"[\d\s()+*/%<>=!&|^~?:-]*")
#: A value of a variable that stands for itself without quotes.
_PLAIN = lazily(r"[\w./:@%+=,-]+")


class Shape(Enum):
    """How much of a command is known."""

    KNOWN = "known"
    #: Words are expanded: what follows the name of a command is not known.
    EXPANDED = "expanded"
    OPAQUE = "opaque"


def shape_of(command: str, nodes: Sequence[Node], reader: Reader) -> Shape:
    """Return how much of a command is known.

    Args:
        nodes: All nodes of the command, also those in substitutions.
        reader: Knows the variables that the command assigns once.
    """
    if len(command) > MOST or _TEXT.search(command):
        return Shape.OPAQUE
    touched = frozenset(_touched(nodes))
    shape = Shape.KNOWN
    for node in nodes:
        found = _of_node(node, reader, touched)
        if found is Shape.OPAQUE:
            return found
        if found is Shape.EXPANDED:
            shape = found
    return shape


def _touched(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield the variables that a command sets, in whatever way."""
    for node in nodes:
        if isinstance(node, (Assignment, For)):
            yield node.name
        elif isinstance(node, SimpleCommand) and _name(node) == "read":
            yield from filter(None, (_literal(word) for word in node.words[1:]))


def _of_node(node: Node, reader: Reader, touched: frozenset[str]) -> Shape:
    opaque = False
    if isinstance(node, SimpleCommand):
        return _of_call(node, reader, touched)
    if isinstance(node, Word):  # a dollar sign in a literal is one that expands nothing
        plain = [part.text for part in node.parts if isinstance(part, Literal)]
        opaque = any("$" in text or _has_braces(text) for text in plain)
    elif isinstance(node, DoubleQuoted):
        opaque = node.locale
    elif isinstance(node, Assignment):
        opaque = _odd_assignment(node)
    elif isinstance(node, ArithmeticExpansion):
        text = _literal(node.expression)
        opaque = node.brackets or text is None or _NUMBERS.fullmatch(text) is None
    elif isinstance(node, Redirection):
        closes = node.operator in ("<&", ">&") and _literal(node.target) == "-"
        opaque = closes or node.variable is not None or _is_expanded(node.target, reader, touched)
    elif isinstance(node, For):
        words = node.words or ()
        opaque = bool(node.redirections) or any(_is_expanded(word, reader, touched) for word in words)
    elif isinstance(node, While):
        opaque = bool(node.redirections)
    elif isinstance(node, Subshell):
        opaque = len(node.body.items) > 1
    elif isinstance(node, ListItem):
        opaque = node.background and isinstance(node.command, Subshell)
    elif isinstance(node, Pipeline):
        first = node.commands[:1]
        opaque = node.timed is not None and not all(isinstance(each, SimpleCommand) for each in first)
    elif isinstance(node, ConditionalCommand):
        opaque = any(isinstance(each, (ParameterExpansion, *_SUBSTITUTIONS)) for each in _below(node))
    else:
        opaque = isinstance(node, _ALWAYS)
    return Shape.OPAQUE if opaque else Shape.KNOWN


def _has_braces(text: str) -> bool:
    """Return whether a text has braces that are expanded: ``{a,b}`` or ``{1..3}``."""
    return any("," in inner or ".." in inner for inner in _BRACES.findall(text))


def _odd_assignment(node: Assignment) -> bool:
    """Return whether an assignment hides what follows it."""
    if node.subscript is not None or node.name == "IFS" or not isinstance(node.value, Word):
        return True
    parts = node.value.parts
    tilde = bool(parts) and isinstance(parts[0], Literal) and parts[0].text.startswith("~")
    return tilde or any(isinstance(each, ParameterExpansion) for each in _outside(node.value))


def _of_call(call: SimpleCommand, reader: Reader, touched: frozenset[str]) -> Shape:
    if not call.words:
        return Shape.OPAQUE if len(call.assignments) > 1 else Shape.KNOWN
    name = _name(call) or ""
    words = [word for word in call.words if isinstance(word, Word)]
    if _is_expanded(words[0], reader, touched) if words else False:
        return Shape.OPAQUE
    if name.startswith("[") and name != "[":
        return Shape.OPAQUE
    if name in _DECLARATIONS and any((_literal(word) or "").startswith("-") for word in words[1:]):
        return Shape.OPAQUE
    shape = Shape.KNOWN
    for word in words[1:]:
        expansions = [each for each in _outside(word) if _counts(each, reader, touched)]
        if not expansions:
            continue
        lone = len(word.parts) == 1 and word.parts[0] is expansions[0]  # unquoted, and the whole word
        for each in expansions:
            if isinstance(each, ParameterExpansion) and (each.braces or not lone or each.name in touched):
                return Shape.OPAQUE
            if name == "cd" and isinstance(each, _SUBSTITUTIONS):
                return Shape.OPAQUE
        shape = Shape.EXPANDED
    return shape


def _is_expanded(word: Word, reader: Reader, touched: frozenset[str]) -> bool:
    return any(_counts(each, reader, touched) for each in _outside(word))


def _counts(node: Node, reader: Reader, touched: frozenset[str]) -> bool:
    """Return whether a node is an expansion whose value is not known."""
    if isinstance(node, ParameterExpansion):
        if node.name == "HOME" and not node.braces:
            return False
        known = reader.variables.get(node.name) if node.name in touched else None
        return node.braces or known is None or _PLAIN.fullmatch(known) is None
    return isinstance(node, _SUBSTITUTIONS)


def _name(call: SimpleCommand) -> str | None:
    first = call.words[0] if call.words else None
    return _literal(first) if isinstance(first, Word) else None


def _literal(word: object) -> str | None:
    """Return a word of one unquoted literal."""
    if isinstance(word, Word) and len(word.parts) == 1 and isinstance(word.parts[0], Literal):
        return word.parts[0].text
    return None


def _below(node: Node) -> Iterator[Node]:
    pending: list[object] = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, Node):
            yield item
        if isinstance(item, tuple):
            pending.extend(part for part in item if isinstance(part, tuple))


def _outside(word: Node) -> Iterator[Node]:
    """Yield a word and what is in it, without what substitutions contain."""
    pending: list[object] = [word]
    while pending:
        item = pending.pop()
        if isinstance(item, Node):
            yield item
        if isinstance(item, tuple) and not isinstance(item, _SUBSTITUTIONS):
            pending.extend(part for part in reversed(item) if isinstance(part, tuple))

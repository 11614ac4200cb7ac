"""Trees as bytes, to be kept between processes.

The format can hold nothing but nodes, tuples, strings, small numbers, None and booleans, and
reading it runs no code of its own but a table of node classes. It is made to be read quickly
and without importing anything: a program for a stack, in decimal numbers, and the strings that
it names.

    sandhook-tree FORMAT VERSION LEXICON LF
    length of each string, comma-separated LF
    program, comma-separated LF
    the strings, joined, in UTF-8

LEXICON is a checksum of the node classes and their fields.
"""

from __future__ import annotations

from sandhook.syntax import nodes
from sandhook.syntax.nodes import CommandList, Node
from sandhook.typed import Any
from sandhook.version import __version__

FORMAT = 2

# The program's numbers. A negative number n pushes the integer -n - 1.
_NONE, _FALSE, _TRUE, _EMPTY, _SPAN, _TUPLE, _STRING = range(7)
_CLASSES_FROM = 16
_STRINGS_FROM = 1024  # push string n - 1024

# New classes are added at the end; the test wants them all.
_CLASSES: tuple[type[Node], ...] = (
    nodes.Literal,
    nodes.Escaped,
    nodes.SingleQuoted,
    nodes.AnsiQuoted,
    nodes.DoubleQuoted,
    nodes.ParameterExpansion,
    nodes.BadSubstitution,
    nodes.CommandSubstitution,
    nodes.Backquoted,
    nodes.ProcessSubstitution,
    nodes.ArithmeticExpansion,
    nodes.ExtendedPattern,
    nodes.Word,
    nodes.ArrayElement,
    nodes.ArrayLiteral,
    nodes.Assignment,
    nodes.HereDocument,
    nodes.Redirection,
    nodes.SimpleCommand,
    nodes.Pipeline,
    nodes.AndOr,
    nodes.ListItem,
    nodes.CommandList,
    nodes.Subshell,
    nodes.BraceGroup,
    nodes.IfClause,
    nodes.If,
    nodes.While,
    nodes.For,
    nodes.Select,
    nodes.ArithmeticFor,
    nodes.CaseClause,
    nodes.Case,
    nodes.ArithmeticCommand,
    nodes.ConditionalCommand,
    nodes.FunctionDefinition,
    nodes.Coprocess,
    nodes.CondUnary,
    nodes.CondBinary,
    nodes.CondNot,
    nodes.CondAnd,
    nodes.CondOr,
    nodes.CondGroup,
    nodes.ArithNumber,
    nodes.ArithVariable,
    nodes.ArithParameter,
    nodes.ArithUnary,
    nodes.ArithStep,
    nodes.ArithBinary,
    nodes.ArithLogical,
    nodes.ArithConditional,
    nodes.ArithAssign,
    nodes.ArithComma,
    nodes.ArithChain,
)
_SIZES = {_CLASSES_FROM + index: (kind, len(kind._fields)) for index, kind in enumerate(_CLASSES)}
_CODES = {kind: _CLASSES_FROM + index for index, kind in enumerate(_CLASSES)}


def _lexicon() -> int:
    """Sum up the classes, so that a tree of other nodes is not mistaken for one of these."""
    total = 0
    for char in ";".join(f"{kind.__name__}:{','.join(kind._fields)}" for kind in _CLASSES):
        total = (total * 31 + ord(char)) & 0xFFFFFFFF
    return total


_HEADER = f"sandhook-tree {FORMAT} {__version__} {_lexicon():x}\n".encode()


def encode(units: tuple[CommandList, ...]) -> bytes:
    """Return the units as bytes that ``decode`` of the same version reads."""
    strings: dict[str, int] = {}
    program: list[int] = []
    # Children come before their parent: walk parents first, right to left, then turn around.
    stack: list[Any] = [units]
    while stack:
        value = stack.pop()
        if value is None:
            program.append(_NONE)
        elif value.__class__ is bool:
            program.append(_TRUE if value else _FALSE)
        elif value.__class__ is int:
            if value < 0:
                raise ValueError("negative numbers are not stored")
            program.append(-value - 1)
        elif value.__class__ is str:
            program.append(_STRINGS_FROM + strings.setdefault(value, len(strings)))
        elif value.__class__ is tuple:
            if not value:
                program.append(_EMPTY)
            elif len(value) == 2 and value[0].__class__ is int and value[1].__class__ is int:
                program.extend((value[1], value[0], _SPAN))
            else:
                program.extend((len(value), _TUPLE))
                stack.extend(value)
        else:
            program.append(_CODES[value.__class__])
            stack.extend(value)
    program.reverse()
    joined = "".join(strings).encode("utf-8", "surrogatepass")
    lengths = ",".join(str(len(text)) for text in strings)
    return _HEADER + f"{lengths}\n{','.join(map(str, program))}\n".encode("ascii") + joined


def decode(data: bytes) -> tuple[CommandList, ...]:
    """Return the units that ``encode`` received.

    Raises:
        ValueError: The data is damaged, or of another version of sandhook.
    """
    if not data.startswith(_HEADER):
        raise ValueError("not a stored tree of this version")
    try:
        lengths, program, joined = data[len(_HEADER) :].split(b"\n", 2)
        strings = _split(joined.decode("utf-8", "surrogatepass"), lengths)
        units = _run([int(number) for number in program.split(b",")], strings)
    except (ValueError, IndexError, StopIteration, UnicodeDecodeError) as error:
        raise ValueError(f"a stored tree is damaged: {error}") from None
    if units.__class__ is not tuple or not all(unit.__class__ is CommandList for unit in units):
        raise ValueError("a stored tree is damaged: not a script")
    return units


def _split(joined: str, lengths: bytes) -> list[str]:
    strings = []
    at = 0
    for length in map(int, lengths.split(b",") if lengths else ()):
        strings.append(joined[at : at + length])
        at += length
    if at != len(joined):
        raise ValueError("the strings do not fit")
    return strings


def _run(program: list[int], strings: list[str]) -> Any:
    stack: list[object] = []
    push = stack.append
    new = tuple.__new__
    numbers = iter(program)
    for number in numbers:
        if number < 0:
            push(-number - 1)
        elif number >= _STRINGS_FROM:
            push(strings[number - _STRINGS_FROM])
        elif number >= _CLASSES_FROM:
            if number not in _SIZES:
                raise ValueError("no such node")
            kind, size = _SIZES[number]
            values = stack[-size:]
            if len(values) != size:
                raise ValueError("too few values")
            del stack[-size:]
            push(new(kind, values))
        elif number == _SPAN:
            push((next(numbers), next(numbers)))
        elif number == _EMPTY:
            push(())
        elif number == _NONE:
            push(None)
        elif number <= _TRUE:
            push(number == _TRUE)
        elif number == _TUPLE:
            size = next(numbers)
            values = stack[-size:]
            if size < 1 or len(values) != size:
                raise ValueError("too few values")
            del stack[-size:]
            push(tuple(values))
        else:
            raise ValueError("no such number")
    if len(stack) != 1:
        raise ValueError("values are left over")
    return stack[0]

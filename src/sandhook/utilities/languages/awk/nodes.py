"""The syntax tree of an awk program, in the words of POSIX's grammar.

A node is a Record: an immutable tuple with named fields, compared by value.

Source: POSIX.1-2024 XCU 3, awk, "grammar"; gawk 5.2 manual for its statements and functions.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from sandhook.record import Record

ArithmeticOperator: TypeAlias = Literal["+", "-", "*", "/", "%", "^"]
Relation: TypeAlias = Literal["<", "<=", "==", "!=", ">", ">="]
#: Where getline reads from: the main input, a file, a command, or a coprocess.
InputRedirection: TypeAlias = Literal["", "<", "<|", "|&"]
#: Where print and printf write to: standard output, a file, the end of a file, a command, or a coprocess.
OutputRedirection: TypeAlias = Literal["", ">", ">>", "|", "|&"]
#: The kind of a rule; "" is a rule with a pattern.
RuleKind: TypeAlias = Literal["", "BEGIN", "END", "BEGINFILE", "ENDFILE"]


class Node(Record):
    """Base of all nodes."""

    __slots__ = ()


# --------------------------------------------------------------------------- operands


class Number(Node):
    """A numeric constant."""

    value: float


class String(Node):
    """A string constant without its quotes and escapes; a ``Regexp`` for ``@/re/``."""

    value: str


class Ere(Node):
    """A regular expression constant, ``/re/``; ``source`` has no slashes."""

    source: str


class Name(Node):
    """A variable, or an array where an array is allowed."""

    name: str


class Field(Node):
    """``$number``."""

    number: Expression


class Element(Node):
    """``array[subscripts]``; with gawk ``array`` may be an element itself."""

    array: Name | Element
    subscripts: tuple[Expression, ...]


# --------------------------------------------------------------------------- operators


class Grouping(Node):
    """``(expression)``, where the parentheses have a meaning."""

    expression: Expression


class ExpressionList(Node):
    """``(a, b)``: the arguments of print, or the subscripts before ``in``."""

    expressions: tuple[Expression, ...]


class Arithmetic(Node):
    """Two operands of an arithmetic operator."""

    operator: ArithmeticOperator
    left: Expression
    right: Expression


class Concatenation(Node):
    """Two or more operands without an operator between them."""

    parts: tuple[Expression, ...]


class Negation(Node):
    """``-operand``."""

    operand: Expression


class UnaryPlus(Node):
    """``+operand``."""

    operand: Expression


class Comparison(Node):
    """``left < right`` and the other relations."""

    relation: Relation
    left: Expression
    right: Expression


class Match(Node):
    """``subject ~ pattern``, or ``!~`` when ``negated``."""

    subject: Expression
    pattern: Expression
    negated: bool


class And(Node):
    """Two or more operands of ``&&``."""

    parts: tuple[Expression, ...]


class Or(Node):
    """Two or more operands of ``||``."""

    parts: tuple[Expression, ...]


class Not(Node):
    """``!operand``."""

    operand: Expression


class Membership(Node):
    """``(subscripts) in array``."""

    subscripts: tuple[Expression, ...]
    array: Name | Element


class Conditional(Node):
    """``test ? first : second``."""

    test: Expression
    first: Expression
    second: Expression


class Assignment(Node):
    """``target = value``, or ``target += value`` with an operator; ``operator`` is "" for "="."""

    operator: ArithmeticOperator | Literal[""]
    target: Lvalue
    value: Expression


class Increment(Node):
    """``target++`` and ``--target``; ``delta`` is 1 or -1, ``prefix`` is true for ``++target``."""

    target: Lvalue
    delta: float
    prefix: bool


# --------------------------------------------------------------------------- input and calls


class Getline(Node):
    """``getline [target] [< source]``, ``source | getline``, ``source |& getline``."""

    redirection: InputRedirection
    target: Lvalue | None
    source: Expression | None


class Call(Node):
    """A call of a user's function."""

    name: str
    arguments: tuple[Expression, ...]


class IndirectCall(Node):
    """``@variable(arguments)``: the variable holds the name of the function."""

    variable: Name
    arguments: tuple[Expression, ...]


class BuiltinCall(Node):
    """A call of a built-in function."""

    name: str
    arguments: tuple[Expression, ...]


Lvalue: TypeAlias = Name | Field | Element
Expression: TypeAlias = (
    Number
    | String
    | Ere
    | Name
    | Field
    | Element
    | Grouping
    | ExpressionList
    | Arithmetic
    | Concatenation
    | Negation
    | UnaryPlus
    | Comparison
    | Match
    | And
    | Or
    | Not
    | Membership
    | Conditional
    | Assignment
    | Increment
    | Getline
    | Call
    | IndirectCall
    | BuiltinCall
)
#: The classes of ``Lvalue``, for isinstance.
LVALUES = (Name, Field, Element)
RECORD = Field(Number(0.0))  #: $0


# --------------------------------------------------------------------------- statements


class Block(Node):
    """``{ statements }``; also the empty statement ``;``."""

    statements: tuple[Statement, ...]


class Located(Node):
    """A statement and its 1-based line, for messages."""

    line: int
    statement: Statement


class Evaluation(Node):
    """An expression as a statement."""

    expression: Expression


class Print(Node):
    """``print``; no arguments mean $0."""

    arguments: tuple[Expression, ...]
    redirection: OutputRedirection
    target: Expression | None


class Printf(Node):
    """``printf``; the first argument is the format."""

    arguments: tuple[Expression, ...]
    redirection: OutputRedirection
    target: Expression | None


class If(Node):
    """``if``, with an arm for each ``else if``."""

    arms: tuple[tuple[Expression, Statement], ...]
    otherwise: Statement | None


class While(Node):
    """``while (test) body``."""

    test: Expression
    body: Statement


class Do(Node):
    """``do body while (test)``."""

    body: Statement
    test: Expression


class For(Node):
    """``for (start; test; step) body``; an absent test is true."""

    start: Statement | None
    test: Expression | None
    step: Statement | None
    body: Statement


class ForIn(Node):
    """``for (variable in array) body``."""

    variable: Name | Element
    array: Name | Element
    body: Statement


class SwitchCase(Node):
    """``case label:``, or ``default:`` when ``label`` is None."""

    label: Expression | None
    statements: tuple[Statement, ...]


class Switch(Node):
    """gawk's ``switch``."""

    subject: Expression
    cases: tuple[SwitchCase, ...]


class Break(Node):
    """``break``."""


class Continue(Node):
    """``continue``."""


class Next(Node):
    """``next``."""


class NextFile(Node):
    """``nextfile``."""


class Exit(Node):
    """``exit [status]``."""

    status: Expression | None


class Return(Node):
    """``return [value]``."""

    value: Expression | None


class Delete(Node):
    """``delete array`` or ``delete array[subscripts]``."""

    target: Name | Element


Statement: TypeAlias = (
    Block
    | Located
    | Evaluation
    | Print
    | Printf
    | If
    | While
    | Do
    | For
    | ForIn
    | Switch
    | Break
    | Continue
    | Next
    | NextFile
    | Exit
    | Return
    | Delete
)

# --------------------------------------------------------------------------- rules and functions


class Rule(Node):
    """A rule of the program.

    Attributes:
        kind: BEGIN or another special rule, or "" for a rule with a pattern.
        first, second: The pattern, None without one; ``second`` is the end of a range.
        action: None for the default action, which prints the record.
        line: 1-based line where the rule begins.
    """

    kind: RuleKind
    first: Expression | None
    second: Expression | None
    action: Block | None
    line: int


class Function:
    """A user's function.

    Attributes:
        params: Names of the parameters.
        arrays: The parameters that are arrays; the parser adds each when it finds a use as an array.
        body: Empty until the body is parsed.
    """

    __slots__ = ("arrays", "body", "name", "params")

    def __init__(self, name: str, params: list[str]) -> None:
        self.name = name
        self.params = params
        self.body = Block(())
        self.arrays: set[str] = set()

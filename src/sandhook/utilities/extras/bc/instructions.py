"""The instructions of bc's stack machine.

An instruction is a Record. ``target`` of a jump is an index in the same code.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from sandhook.record import Record

Relation: TypeAlias = Literal["<", "<=", ">", ">=", "==", "!="]
Operator: TypeAlias = Literal["+", "-", "*", "/", "%", "^"]
SpecialName: TypeAlias = Literal["scale", "ibase", "obase", "last"]
BuiltinName: TypeAlias = Literal["length", "sqrt", "read", "random", "scale"]


class Instruction(Record):
    """Base of all instructions."""

    __slots__ = ()


Code: TypeAlias = list[Instruction]

# --------------------------------------------------------------------------- targets of assignments


class Variable(Record):
    """A simple variable."""

    name: str


class Element(Record):
    """An element of an array; its index is on the stack."""

    name: str


class Special(Record):
    """A variable with a special meaning."""

    name: SpecialName


Target: TypeAlias = Variable | Element | Special


class Parameter(Record):
    """A parameter or automatic variable of a function.

    Attributes:
        array: It is an array.
        shared: The array of the caller is used, not a copy of it.
    """

    name: str
    array: bool
    shared: bool

    @property
    def display_name(self) -> str:
        """The parameter in the notation of messages."""
        return self.name + ("*" if self.shared else "") + ("[]" if self.array else "")


class Function:
    """A function that a program defines.

    Attributes:
        void: Its result is not printed.
    """

    __slots__ = ("autos", "code", "name", "parameters", "void")

    def __init__(self, name: str, parameters: list[Parameter], void: bool) -> None:
        self.name = name
        self.parameters = parameters
        self.autos: list[Parameter] = []
        self.code: Code = []
        self.void = void


# --------------------------------------------------------------------------- control flow


class Jump(Instruction):
    """Continue at ``target``."""

    target: int


class JumpIfZero(Instruction):
    """Pop a number; when it is zero, continue at ``target``."""

    target: int


class SkipIfFalse(Instruction):
    """``&&``: when the top is zero, replace it with 0 and continue at ``target``, else pop it."""

    target: int


class SkipIfTrue(Instruction):
    """``||``: when the top is not zero, replace it with 1 and continue at ``target``, else pop it."""

    target: int


class Call(Instruction):
    """Call a function.

    Attributes:
        arguments: For each argument the name of an array, or None for a number on the stack.
    """

    name: str
    arguments: tuple[str | None, ...]


class Return(Instruction):
    """Return the top of the stack to the caller."""


class Halt(Instruction):
    """``halt``: end the program."""


# --------------------------------------------------------------------------- the stack


class PushNumber(Instruction):
    """Push a constant, which is parsed in the current input base."""

    text: str


class PushZero(Instruction):
    """Push 0."""


class Pop(Instruction):
    """Drop the top of the stack."""


class Negate(Instruction):
    """Replace the top with its negative."""


class Not(Instruction):
    """Replace the top with 1 when it is zero, else with 0."""


class Truth(Instruction):
    """Replace the top with 0 when it is zero, else with 1."""


class Compare(Instruction):
    """Replace two numbers with 1 or 0."""

    relation: Relation


class Binary(Instruction):
    """Replace two numbers with the result of an operator."""

    operator: Operator


class CallBuiltin(Instruction):
    """Call a built-in function; all but read and random replace the top."""

    name: BuiltinName


# --------------------------------------------------------------------------- variables


class Load(Instruction):
    """Push the value of a target; the index of an element is popped."""

    source: Target


class LoadKeepingIndex(Instruction):
    """Push the value of a target above its index, for an assignment with an operator."""

    source: Target


class Store(Instruction):
    """Assign the top to a target, and leave it as the value of the assignment."""

    destination: Target


class Step(Instruction):
    """``++`` and ``--``: add ``by`` to a target; push the value before when ``after`` is true, else the new one."""

    operand: Target
    by: int
    after: bool


# --------------------------------------------------------------------------- output


class Show(Instruction):
    """Print a number and a newline."""


class ShowCall(Instruction):
    """Print the value of a call and a newline; a void function leaves nothing to print."""


class Print(Instruction):
    """Print a number without a newline."""


class Write(Instruction):
    """Print a string."""

    text: str


class ShowLimits(Instruction):
    """``limits``."""


class ShowWarranty(Instruction):
    """``warranty``."""

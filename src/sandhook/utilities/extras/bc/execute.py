"""Executes the instructions of bc: one function for each class. Calls are frames of the machine, not of Python.

Source: POSIX.1-2024 XCU 3, bc. Oracle: GNU bc 1.07.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sandhook.utilities.extras.bc import math as library
from sandhook.utilities.extras.bc.instructions import (
    Binary,
    Call,
    CallBuiltin,
    Code,
    Compare,
    Element,
    Halt,
    Instruction,
    Jump,
    JumpIfZero,
    Load,
    LoadKeepingIndex,
    Negate,
    Not,
    Operator,
    Pop,
    Print,
    PushNumber,
    PushZero,
    Return,
    Show,
    ShowCall,
    ShowLimits,
    ShowWarranty,
    SkipIfFalse,
    SkipIfTrue,
    Step,
    Store,
    Truth,
    Write,
)
from sandhook.utilities.extras.bc.machine import MAX_BASE, MAX_INDEX, Machine
from sandhook.utilities.extras.bc_number import (
    MAX_DIGITS,
    ONE,
    ZERO,
    Number,
    NumberError,
    compare,
    integer_part,
    length,
    parse_number,
)

_LIBRARY = {"e": 1, "l": 1, "s": 1, "c": 1, "a": 1, "j": 2}  #: functions of the math library: arguments
_LIMITS = f"""\
BC_BASE_MAX     = {MAX_BASE}
BC_DIM_MAX      = {MAX_INDEX}
BC_SCALE_MAX    = {MAX_DIGITS}
BC_STRING_MAX   = 2147483647
MAX Exponent    = 9223372036854775807
Number of vars  = 32767
""".encode()
_WARRANTY = b"\nThis is sandhook's bc. There is no warranty.\n\n"


class ProgramHalt(Exception):
    """``halt`` was executed."""


def run(machine: Machine, code: Code) -> None:
    """Execute the code of one item. An error ends it and is reported. Raises ProgramHalt."""
    machine.code, machine.at = code, 0
    budget = machine.ctx.budget
    try:
        while True:  # Python 3.11 specializes no loop whose condition is at its end
            if machine.at >= len(machine.code):
                break
            budget.slice_left -= 1
            if budget.slice_left < 0:
                budget.next_slice()
            instruction = machine.code[machine.at]
            machine.at += 1
            _EXECUTE[type(instruction)](machine, instruction)
    except NumberError as error:
        machine.print_message("error", str(error), machine.at)
        machine.abandon()
    machine.stack.clear()


# --------------------------------------------------------------------------- control flow


def _jump(machine: Machine, instruction: Jump) -> None:
    machine.at = instruction.target


def _jump_if_zero(machine: Machine, instruction: JumpIfZero) -> None:
    if not machine.stack.pop().value:
        machine.at = instruction.target


def _skip_if_false(machine: Machine, instruction: SkipIfFalse) -> None:
    if machine.stack[-1].value:
        machine.stack.pop()
    else:
        machine.stack[-1] = ZERO
        machine.at = instruction.target


def _skip_if_true(machine: Machine, instruction: SkipIfTrue) -> None:
    if machine.stack[-1].value:
        machine.stack[-1] = ONE
        machine.at = instruction.target
    else:
        machine.stack.pop()


def _call(machine: Machine, instruction: Call) -> None:
    if instruction.name in machine.functions:
        machine.enter(instruction.name, instruction.arguments)
    else:
        _call_library(machine, instruction)


def _call_library(machine: Machine, instruction: Call) -> None:
    """Call a function of the math library."""
    name, stack = instruction.name, machine.stack
    if not machine.math or name not in _LIBRARY:
        raise NumberError(f"Function {name} not defined.")
    if len(instruction.arguments) != _LIBRARY[name] or any(instruction.arguments):
        raise NumberError("Parameter number mismatch")
    arguments = [stack.pop() for _ in instruction.arguments][::-1]
    stack.append(library.call(name, arguments, machine.scale, machine.ctx.charge))


def _return(machine: Machine, instruction: Return) -> None:
    function = machine.leave()
    at, code = machine.at, machine.code
    if function.void and at < len(code) and isinstance(code[at], ShowCall):
        machine.stack.pop()
        machine.at += 1


def _halt(machine: Machine, instruction: Halt) -> None:
    raise ProgramHalt


# --------------------------------------------------------------------------- the stack


def _push_number(machine: Machine, instruction: PushNumber) -> None:
    machine.ctx.charge(1 + (len(instruction.text) >> 4))
    machine.stack.append(parse_number(instruction.text, machine.input_base))


def _push_zero(machine: Machine, instruction: PushZero) -> None:
    machine.stack.append(ZERO)


def _pop(machine: Machine, instruction: Pop) -> None:
    machine.stack.pop()


def _negate(machine: Machine, instruction: Negate) -> None:
    number = machine.stack.pop()
    machine.stack.append(Number(-number.value, number.scale))


def _not(machine: Machine, instruction: Not) -> None:
    machine.stack.append(ZERO if machine.stack.pop().value else ONE)


def _truth(machine: Machine, instruction: Truth) -> None:
    machine.stack.append(ONE if machine.stack.pop().value else ZERO)


def _compare(machine: Machine, instruction: Compare) -> None:
    right, left = machine.stack.pop(), machine.stack.pop()
    machine.ctx.charge(1 + (abs(left.scale - right.scale) >> 6))
    sign = compare(left, right)
    match instruction.relation:
        case "<":
            holds = sign < 0
        case "<=":
            holds = sign <= 0
        case ">":
            holds = sign > 0
        case ">=":
            holds = sign >= 0
        case "==":
            holds = sign == 0
        case "!=":
            holds = sign != 0
    machine.stack.append(ONE if holds else ZERO)


def _binary(machine: Machine, instruction: Binary) -> None:
    right, left = machine.stack.pop(), machine.stack.pop()
    machine.stack.append(_apply(machine, instruction.operator, left, right))


def _apply(machine: Machine, operator: Operator, left: Number, right: Number) -> Number:
    arithmetic, scale = machine.arithmetic, machine.scale
    match operator:
        case "+":
            return arithmetic.add(left, right)
        case "-":
            return arithmetic.subtract(left, right)
        case "*":
            return arithmetic.multiply(left, right, scale)
        case "/":
            return arithmetic.divide(left, right, scale)
        case "%":
            return arithmetic.remainder(left, right, scale)
        case "^":
            return _power(machine, left, right)


def _power(machine: Machine, left: Number, right: Number) -> Number:
    if right.scale and right.value % 10**right.scale:
        machine.print_message("warning", "non-zero scale in exponent")
    if abs(integer_part(right)) >= 1 << 63:
        raise NumberError("exponent too large in raise")
    return machine.arithmetic.power(left, integer_part(right), machine.scale)


def _call_builtin(machine: Machine, instruction: CallBuiltin) -> None:
    stack = machine.stack
    match instruction.name:
        case "read":
            stack.append(_read(machine))
        case "random":
            machine.seed = (machine.seed * 1_103_515_245 + 12_345) & 0x7FFFFFFF
            stack.append(Number(machine.seed))
        case "length":
            number = stack.pop()
            machine.ctx.charge(1 + (number.value.bit_length() >> 9) ** 2)
            stack.append(Number(length(number)))
        case "scale":
            stack.append(Number(stack.pop().scale))
        case "sqrt":
            stack.append(machine.arithmetic.root(stack.pop(), machine.scale))


def _read(machine: Machine) -> Number:
    """Read a number from the input, 0 when the line is not a number."""
    text = machine.lexer.raw_line().strip() if machine.lexer is not None else ""
    sign = -1 if text[:1] == "-" else 1
    digits = text.removeprefix("-")
    is_number = (
        digits
        and all(letter in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ." for letter in digits)
        and digits.count(".") < 2
    )
    if not is_number:
        return ZERO
    number = parse_number(digits, machine.input_base)
    return Number(sign * number.value, number.scale)


# --------------------------------------------------------------------------- variables


def _load(machine: Machine, instruction: Load) -> None:
    index = machine.index_of(instruction.source)
    machine.stack.append(machine.value(instruction.source, index))


def _load_keeping_index(machine: Machine, instruction: LoadKeepingIndex) -> None:
    index = machine.index_of(instruction.source)
    if isinstance(instruction.source, Element):
        machine.stack.append(Number(index))
    machine.stack.append(machine.value(instruction.source, index))


def _store(machine: Machine, instruction: Store) -> None:
    value = machine.stack.pop()
    index = machine.index_of(instruction.destination)
    machine.assign(instruction.destination, index, value)
    machine.stack.append(value)


def _step(machine: Machine, instruction: Step) -> None:
    target = instruction.operand
    index = machine.index_of(target)
    old = machine.value(target, index)
    new = machine.arithmetic.add(old, Number(instruction.by))
    machine.assign(target, index, new)
    machine.stack.append(old if instruction.after else new)


# --------------------------------------------------------------------------- output


def _show(machine: Machine, instruction: Show | ShowCall) -> None:
    machine.write_number(machine.stack.pop())
    machine.write("\n")


def _print(machine: Machine, instruction: Print) -> None:
    machine.write_number(machine.stack.pop())


def _write(machine: Machine, instruction: Write) -> None:
    machine.write(instruction.text)


def _show_limits(machine: Machine, instruction: ShowLimits) -> None:
    machine.ctx.write(_LIMITS)


def _show_warranty(machine: Machine, instruction: ShowWarranty) -> None:
    machine.ctx.write(_WARRANTY)


#: A function that executes the instructions of one class, which is the key of the table.
_Execute: TypeAlias = Callable[[Machine, Any], None]
_EXECUTE: Mapping[type[Instruction], _Execute] = {
    Jump: _jump,
    JumpIfZero: _jump_if_zero,
    SkipIfFalse: _skip_if_false,
    SkipIfTrue: _skip_if_true,
    Call: _call,
    Return: _return,
    Halt: _halt,
    PushNumber: _push_number,
    PushZero: _push_zero,
    Pop: _pop,
    Negate: _negate,
    Not: _not,
    Truth: _truth,
    Compare: _compare,
    Binary: _binary,
    CallBuiltin: _call_builtin,
    Load: _load,
    LoadKeepingIndex: _load_keeping_index,
    Store: _store,
    Step: _step,
    Show: _show,
    ShowCall: _show,
    Print: _print,
    Write: _write,
    ShowLimits: _show_limits,
    ShowWarranty: _show_warranty,
}

"""The stack machine that runs bc's instructions; nothing in it recurses.

Source: POSIX.1-2024 XCU 3, bc. Oracle: GNU bc 1.07.1.
"""

from __future__ import annotations

from typing import Any

from sandhook.command.context import Context
from sandhook.utilities.extras.bc import math as library
from sandhook.utilities.extras.bc.lexer import Lexer
from sandhook.utilities.extras.bc.parse import Code, Function
from sandhook.utilities.extras.bc_number import (
    MOST_DIGITS,
    ONE,
    ZERO,
    Arithmetic,
    Number,
    NumberError,
    compare,
    length,
    read,
    show,
    whole,
    wrapped,
)

_MOST_CALLS = 10_000
_MOST_INDEX = 16_777_215
_MOST_BASE = 2_147_483_647
_MATH = {"e": 1, "l": 1, "s": 1, "c": 1, "a": 1, "j": 2}

_LIMITS = f"""\
BC_BASE_MAX     = {_MOST_BASE}
BC_DIM_MAX      = {_MOST_INDEX}
BC_SCALE_MAX    = {MOST_DIGITS}
BC_STRING_MAX   = 2147483647
MAX Exponent    = 9223372036854775807
Number of vars  = 32767
"""


class Halt(Exception):
    """``halt`` was executed."""


class _Frame:
    """Where a function returns to, and the variables that it hid."""

    __slots__ = ("at", "code", "function", "hidden")

    def __init__(self, code: Code, at: int, function: Function) -> None:
        self.code = code
        self.at = at
        self.function = function
        self.hidden: list[tuple[str, Any]] = []


class Machine:
    """The state of a program: variables, arrays, functions, bases and scale."""

    def __init__(self, ctx: Context, math: bool) -> None:
        self._ctx = ctx
        self._arithmetic = Arithmetic(ctx.charge)
        self._variables: dict[str, Number] = {}
        self._arrays: dict[str, dict[int, Number]] = {}
        self.functions: dict[str, Function] = {}
        self._math = math
        self._special = {"scale": 20 if math else 0, "ibase": 10, "obase": 10}
        self._last = ZERO
        self._stack: list[Number] = []
        self._frames: list[_Frame] = []
        self._column = 0
        width = ctx.environment.get("BC_LINE_LENGTH", "")
        self._width = int(width) if width.isascii() and width.isdigit() and len(width) < 9 else 70
        if self._width in (1, 2):
            self._width = 70
        self._held = 0
        self._random = 1
        self.lexer: Lexer | None = None

    # ------------------------------------------------------------------ output

    def _write(self, text: str) -> None:
        self._ctx.write(text.encode("utf-8", "surrogateescape"))

    def _number(self, number: Number) -> None:
        digits = number.scale + (number.value.bit_length() >> 1)
        self._ctx.charge(1 + (digits >> 3) + (digits >> 9) ** 2)
        text, self._column = wrapped(show(number, self._special["obase"]), self._column, self._width)
        self._write(text)

    def warn(self, kind: str, message: str, at: int = 0) -> None:
        name = self._frames[-1].function.name if self._frames else "(main)"
        self._ctx.flush()
        self._ctx.process.complain(f"Runtime {kind} (func={name}, adr={at}): {message}\n".encode())

    # ------------------------------------------------------------------ running

    def run(self, code: Code) -> None:
        """Run one item; an error ends it and is reported."""
        at = 0
        try:
            while at < len(code):
                self._ctx.budget.slice_left -= 1
                if self._ctx.budget.slice_left < 0:
                    self._ctx.budget.next_slice()
                instruction = code[at]
                at += 1
                name = instruction[0]
                if name == "jump":
                    at = instruction[1]
                elif name == "jump_zero":
                    if not self._stack.pop().value:
                        at = instruction[1]
                elif name == "call" and instruction[1] in self.functions:
                    code, at = self._enter(instruction[1], instruction[2], code, at)
                elif name == "return":
                    frame = self._leave()
                    code, at = frame.code, frame.at
                    if frame.function.void and at < len(code) and code[at][0] == "show_call":
                        self._stack.pop()
                        at += 1
                elif name in ("and", "or"):
                    truth = bool(self._stack[-1].value)
                    if truth == (name == "or"):
                        self._stack[-1] = ONE if truth else ZERO
                        at = instruction[1]
                    else:
                        self._stack.pop()
                else:
                    getattr(self, f"_do_{name}")(*instruction[1:])
        except NumberError as error:
            self.warn("error", str(error), at)
            while self._frames:
                self._leave(result=False)
            self._stack.clear()
        else:
            self._stack.clear()

    def _enter(self, name: str, kinds: tuple[str, ...], code: Code, at: int) -> tuple[Code, int]:
        function = self.functions[name]
        if len(kinds) != len(function.parameters):
            raise NumberError("Parameter number mismatch")
        if len(self._frames) >= _MOST_CALLS:
            raise NumberError(f"functions nest more than {_MOST_CALLS} levels")
        frame = _Frame(code, at, function)
        values = [self._stack.pop() for kind in reversed(kinds) if not kind][::-1]
        pairs: list[tuple[str, Any]] = []
        for parameter, kind in zip(function.parameters, kinds):
            if parameter.endswith("[]") != bool(kind):
                raise NumberError(f"Parameter type mismatch, parameter {parameter}.")
            if not kind:
                pairs.append((parameter, values.pop(0)))
                continue
            array = self._arrays.setdefault(kind, {})
            if not parameter.endswith("*[]"):
                self._ctx.charge(1 + len(array))
                self._hold(64 * len(array))
                array = dict(array)
            pairs.append((parameter, array))
        for auto in function.autos:
            pairs.append((auto, {} if auto.endswith("[]") else ZERO))
        for key, value in pairs:
            bare = key.rstrip("[]").rstrip("*")
            space: dict[str, Any] = self._arrays if key.endswith("[]") else self._variables
            frame.hidden.append((key, space.get(bare)))
            space[bare] = value
        self._hold(200)
        self._frames.append(frame)
        return function.code, 0

    def _leave(self, *, result: bool = True) -> _Frame:
        frame = self._frames.pop()
        for key, value in reversed(frame.hidden):
            bare = key.rstrip("[]").rstrip("*")
            space: dict[str, Any] = self._arrays if key.endswith("[]") else self._variables
            if value is None:
                space.pop(bare, None)
            else:
                space[bare] = value
        return frame

    def _hold(self, count: int) -> None:
        """Refuse what memory could not hold; what a program keeps is counted roughly, and never given back."""
        self._held += count
        self._ctx.budget.check_fits(self._held)

    # ------------------------------------------------------------------ instructions

    def _do_number(self, text: str) -> None:
        self._ctx.charge(1 + (len(text) >> 4))
        self._stack.append(read(text, self._special["ibase"]))

    def _do_zero(self) -> None:
        self._stack.append(ZERO)

    def _do_pop(self) -> None:
        self._stack.pop()

    def _do_show(self) -> None:
        number = self._stack.pop()
        self._number(number)
        self._write("\n")
        self._column = 0
        self._last = number

    _do_show_call = _do_show

    def _do_print(self) -> None:
        number = self._stack.pop()
        self._number(number)
        self._last = number

    def _do_string(self, text: str) -> None:
        self._write(text)
        self._column = len(text) - text.rfind("\n") - 1 if "\n" in text else self._column + len(text)

    def _do_negate(self) -> None:
        number = self._stack.pop()
        self._stack.append(Number(-number.value, number.scale))

    def _do_not(self) -> None:
        self._stack.append(ZERO if self._stack.pop().value else ONE)

    def _do_truth(self) -> None:
        self._stack.append(ONE if self._stack.pop().value else ZERO)

    def _do_compare(self, operator: str) -> None:
        right, left = self._stack.pop(), self._stack.pop()
        self._ctx.charge(1 + (abs(left.scale - right.scale) >> 6))
        sign = compare(left, right)
        good = {
            "<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0, "==": sign == 0, "!=": sign != 0,
        }[operator]  # fmt: skip
        self._stack.append(ONE if good else ZERO)

    def _do_binary(self, operator: str) -> None:
        right, left = self._stack.pop(), self._stack.pop()
        self._stack.append(self._apply(operator, left, right))

    def _apply(self, operator: str, left: Number, right: Number) -> Number:
        arithmetic, scale = self._arithmetic, self._special["scale"]
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
        if right.scale and right.value % 10**right.scale:
            self.warn("warning", "non-zero scale in exponent")
        if abs(whole(right)) >= 1 << 63:
            raise NumberError("exponent too large in raise")
        return arithmetic.power(left, whole(right), scale)

    def _index(self, name: str) -> int:
        index = whole(self._stack.pop())
        if not 0 <= index <= _MOST_INDEX:
            raise NumberError(f"Array {name} subscript out of bounds.")
        return index

    def _value(self, target: tuple[str, str], index: int) -> Number:
        kind, name = target
        if kind == "variable":
            return self._variables.get(name, ZERO)
        if kind == "element":
            return self._arrays.get(name, {}).get(index, ZERO)
        return self._last if name == "last" else Number(self._special[name])

    def _set(self, target: tuple[str, str], index: int, value: Number) -> None:
        kind, name = target
        if kind == "special":
            self._set_special(name, value)
            return
        self._hold(60 + (value.value.bit_length() >> 3))
        if kind == "variable":
            self._variables[name] = value
        else:
            self._arrays.setdefault(name, {})[index] = value

    def _set_special(self, name: str, value: Number) -> None:
        if name == "last":
            self._last = value
            return
        number = whole(value)
        least, most = {"scale": (0, MOST_DIGITS), "ibase": (2, 36), "obase": (2, _MOST_BASE)}[name]
        if number < least:
            if name == "scale":
                self.warn("warning", "negative scale, set to 0")
            else:
                self.warn("warning", f"{name} too small, set to 2")
        elif number > most:
            self.warn("warning", f"{name} too large, set to {most}")
        self._special[name] = min(max(number, least), most)

    def _do_load(self, target: tuple[str, str]) -> None:
        index = self._index(target[1]) if target[0] == "element" else 0
        self._stack.append(self._value(target, index))

    def _do_load_keep(self, target: tuple[str, str]) -> None:
        """Push a value above its index, for an assignment that uses it."""
        index = 0
        if target[0] == "element":
            index = self._index(target[1])
            self._stack.append(Number(index))
        self._stack.append(self._value(target, index))

    def _do_store(self, target: tuple[str, str]) -> None:
        value = self._stack.pop()
        index = self._index(target[1]) if target[0] == "element" else 0
        self._set(target, index, value)
        self._stack.append(value)

    def _do_step(self, target: tuple[str, str], by: int, after: bool) -> None:
        index = self._index(target[1]) if target[0] == "element" else 0
        old = self._value(target, index)
        new = self._arithmetic.add(old, Number(by))
        self._set(target, index, new)
        self._stack.append(old if after else new)

    def _do_builtin(self, name: str) -> None:
        if name == "read":
            self._stack.append(self._read())
            return
        if name == "random":
            self._random = (self._random * 1_103_515_245 + 12_345) & 0x7FFFFFFF
            self._stack.append(Number(self._random))
            return
        number = self._stack.pop()
        if name == "length":
            self._ctx.charge(1 + (number.value.bit_length() >> 9) ** 2)
            self._stack.append(Number(length(number)))
        elif name == "scale":
            self._stack.append(Number(number.scale))
        else:
            self._stack.append(self._arithmetic.root(number, self._special["scale"]))

    def _read(self) -> Number:
        text = self.lexer.raw_line().strip() if self.lexer is not None else ""
        sign = -1 if text[:1] == "-" else 1
        digits = text.removeprefix("-")
        good = (
            digits
            and all(letter in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ." for letter in digits)
            and digits.count(".") < 2
        )
        if not good:
            return ZERO
        number = read(digits, self._special["ibase"])
        return Number(sign * number.value, number.scale)

    def _do_call(self, name: str, kinds: tuple[str, ...]) -> None:
        """Call a function of the math library."""
        if not self._math or name not in _MATH:
            raise NumberError(f"Function {name} not defined.")
        if len(kinds) != _MATH[name] or any(kinds):
            raise NumberError("Parameter number mismatch")
        arguments = [self._stack.pop() for _ in kinds][::-1]
        self._stack.append(library.call(name, arguments, self._special["scale"], self._ctx.charge))

    def _do_halt(self) -> None:
        raise Halt

    def _do_limits(self) -> None:
        self._write(_LIMITS)

    def _do_warranty(self) -> None:
        self._write("\nThis is sandhook's bc. There is no warranty.\n\n")

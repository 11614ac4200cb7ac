"""The state of dc: the stack, the registers, the bases, and the operations on them.

Oracle: GNU dc 1.4.1 (of bc 1.07.1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from sandhook.command.context import Context
from sandhook.utilities.extras.bc_number import (
    MAX_DIGITS,
    ZERO,
    Arithmetic,
    Number,
    NumberError,
    format_number,
    integer_part,
    length,
    wrap,
)

DIGITS = "0123456789ABCDEF"
BLANKS = " \t\n\r\f\v"
_MAX_LINE = 1 << 16
_LOOK = 0xFFF  #: a mask: characters of a string between two charges

#: A value on the stack: a number, or the text of a string.
Value = Number | str


#: An operation on two numbers; returns the numbers to push. Raises NumberError and DcError.
Operation: TypeAlias = Callable[["Machine", Number, Number], Sequence[Number]]


class DcError(Exception):
    """A command fails; dc prints the message and continues with the next command."""


class Machine:
    """The stack, the registers, and the texts that are executed.

    Attributes:
        frames: The text and the macros that are executed, each with the offset of its next command.
    """

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self._math = Arithmetic(ctx.charge)
        self._stack: list[Value] = []
        self._registers: dict[str, list[Value]] = {}
        self._arrays: dict[tuple[str, int], dict[int, Value]] = {}
        self._scale = 0
        self._input = self._output = 10
        self.frames: list[tuple[str, int]] = []
        text = ctx.environment.get("DC_LINE_LENGTH", "")
        self._width = int(text) if text.isascii() and text.isdigit() and len(text) < 6 and text != "1" else 70

    def go_to(self, at: int) -> None:
        """Continue at an offset of the text that is executed."""
        self.frames[-1] = (self.frames[-1][0], at)

    # ------------------------------------------------------------------ the stack

    def push(self, value: Value) -> None:
        """Push a value."""
        self._stack.append(value)
        if not len(self._stack) & 1023:
            self.ctx.budget.check_fits(64 * len(self._stack))

    def pop(self) -> Value:
        """Pop a value. Raises DcError."""
        if not self._stack:
            raise DcError("stack empty")
        return self._stack.pop()

    def number(self, string_error: str = "") -> Number:
        """Pop a number. A string is popped when ``string_error`` is the message, else it stays. Raises DcError."""
        value = self.pop()
        if isinstance(value, str):
            if string_error:
                raise DcError(string_error)
            self.push(value)
            raise DcError("non-numeric value")
        return value

    def pair(self) -> tuple[Number, Number]:
        """Pop two numbers; return the lower one first. Raises DcError."""
        if len(self._stack) < 2:
            raise DcError("stack empty")
        a, b = self._stack[-2:]
        if isinstance(a, str) or isinstance(b, str):
            raise DcError("non-numeric value")
        del self._stack[-2:]
        return a, b

    def read_number(self, code: str, at: int) -> None:
        """Push the number at an offset."""
        negative = code[at] == "_"
        at += negative
        start = at
        while at < len(code) and code[at] in DIGITS:
            at += 1
        integer_digits = code[start:at]
        fraction_digits = ""
        if code[at : at + 1] == ".":
            start = at + 1
            at += 1
            while at < len(code) and code[at] in DIGITS:
                at += 1
            fraction_digits = code[start:at]
        self.go_to(at)
        if len(integer_digits) + len(fraction_digits) > MAX_DIGITS:
            raise NumberError("Number too large")
        self.ctx.charge(1 + (len(integer_digits) + len(fraction_digits) >> 4))
        integer, fraction = self._digits(integer_digits), self._digits(fraction_digits)
        scale = len(fraction_digits)
        value = integer * 10**scale + fraction * 10**scale // self._input**scale
        self.push(Number(-value if negative else value, scale))

    def _digits(self, text: str) -> int:
        value = 0
        for start in range(0, len(text), 64):
            piece = text[start : start + 64]
            part = 0
            for letter in piece:
                part = part * self._input + DIGITS.index(letter)
            self.ctx.charge(1 + (value.bit_length() >> 9))
            value = value * self._input ** len(piece) + part
        return value

    def read_string(self, code: str, at: int) -> None:
        """Push the string in brackets at an offset."""
        depth, start = 1, at + 1
        at = start
        while at < len(code) and depth:
            depth += (code[at] == "[") - (code[at] == "]")
            at += 1
            if not at & _LOOK:
                self.ctx.charge(1 + (_LOOK >> 3))
        self.ctx.charge(1)
        self.go_to(at)
        self.push(code[start : at - 1] if not depth else code[start:at])

    # ------------------------------------------------------------------ registers and macros

    def store(self, name: str) -> None:
        """s: set the top of a register."""
        values = self._registers.setdefault(name, [])
        value = self.pop()
        if values:
            values[-1] = value
        else:
            values.append(value)

    def push_register(self, name: str) -> None:
        """S: push onto a register."""
        values = self._registers.setdefault(name, [])
        values.append(self.pop())
        self.ctx.budget.check_fits(64 * len(values))

    def load(self, name: str) -> None:
        """l: push the top of a register, 0 for an empty one."""
        self.push(self.top_of(name))

    def pop_register(self, name: str) -> None:
        """L: pop from a register."""
        values = self._registers.setdefault(name, [])
        if not values:
            raise DcError(f"stack register {_quoted_register(name)} is empty")
        self._arrays.pop((name, len(values)), None)
        self.push(values.pop())

    def top_of(self, name: str) -> Value:
        """Return the top of a register, 0 for an empty one."""
        values = self._registers.get(name)
        return values[-1] if values else ZERO

    def _element(self, name: str) -> tuple[dict[int, Value], int]:
        """Pop an index; return the array of a register, and the index."""
        message = "array index must be a nonnegative integer"
        index = self.number(message)
        if index.value < 0:
            raise DcError(message)
        values = self._registers.setdefault(name, [])
        return self._arrays.setdefault((name, len(values)), {}), integer_part(index)

    def store_element(self, name: str) -> None:
        """:: set an element of the array of a register."""
        array, index = self._element(name)
        array[index] = self.pop()
        self.ctx.budget.check_fits(100 * len(array))

    def load_element(self, name: str) -> None:
        """;: push an element of the array of a register."""
        array, index = self._element(name)
        self.push(array.get(index, ZERO))

    def execute_value(self, value: Value) -> None:
        """Execute a string as a macro; push a number."""
        if not isinstance(value, str):
            self.push(value)
            return
        code, at = self.frames[-1]
        if not code[at:].strip(BLANKS) if len(code) - at < 16 else False:
            self.frames.pop()  # a call at the end of a macro does not nest
        self.frames.append((value, 0))
        self.ctx.budget.check_fits(200 * len(self.frames))

    def execute(self) -> None:
        """x: execute the top of the stack."""
        self.execute_value(self.pop())

    def _levels(self) -> int:
        count = integer_part(self.number())
        if count < 1:
            raise DcError("Q command requires a number >= 1")
        return count

    def leave(self) -> None:
        """Leave some levels of macros; like GNU's dc, ignore a single level."""
        levels = self._levels()
        if levels > len(self.frames):
            self.ctx.error("Q command argument exceeded string execution depth")
        if levels > 1:
            self.quit(levels)

    def quit(self, levels: int) -> bool:
        """Leave some levels of macros; return False when no level remains."""
        del self.frames[max(len(self.frames) - levels, 0) :]
        return bool(self.frames)

    def execute_input_line(self) -> None:
        """Execute a line of standard input."""
        stdin = self.ctx.process.descriptors.get(0)
        if stdin is not None:
            self.ctx.flush()
            line = stdin.read_until(b"\n", _MAX_LINE)
            self.execute_value(line.decode("utf-8", "surrogateescape"))

    # ------------------------------------------------------------------ arithmetic

    def arithmetic(self, operation: Operation) -> None:
        """Replace two numbers with the results of an operation; they stay when it fails."""
        a, b = self.pair()
        try:
            for result in operation(self, a, b):
                self.push(result)
        except (NumberError, DcError):
            self.push(a)
            self.push(b)
            raise

    def add(self, a: Number, b: Number) -> Sequence[Number]:
        """Return the sum."""
        return (self._math.add(a, b),)

    def subtract(self, a: Number, b: Number) -> Sequence[Number]:
        """Return the difference."""
        return (self._math.subtract(a, b),)

    def multiply(self, a: Number, b: Number) -> Sequence[Number]:
        """Return the product."""
        return (self._math.multiply(a, b, self._scale),)

    def divide(self, a: Number, b: Number) -> Sequence[Number]:
        """Return the quotient. Raises DcError."""
        if not b.value:
            raise DcError("divide by zero")
        return (self._math.divide(a, b, self._scale),)

    def remainder(self, a: Number, b: Number) -> Sequence[Number]:
        """Return the remainder. Raises DcError."""
        if not b.value:
            raise DcError("remainder by zero")
        return (self._math.remainder(a, b, self._scale),)

    def quotient_and_remainder(self, a: Number, b: Number) -> Sequence[Number]:
        """Return the quotient and the remainder. Raises DcError."""
        if not b.value:
            raise DcError("divide by zero")
        return self._math.quotient_and_remainder(a, b, self._scale)

    def power(self, a: Number, b: Number) -> Sequence[Number]:
        """Return a power."""
        if b.scale and b.value % 10**b.scale:
            self.ctx.write_error("Runtime warning: non-zero scale in exponent\n")
        exponent = integer_part(b)
        if exponent < 0 and not a.value:
            return (ZERO,)
        return (self._math.power(a, exponent, self._scale),)

    def modular(self) -> None:
        """|: replace a base, an exponent and a modulus with the power."""
        if len(self._stack) < 3:
            raise DcError("stack empty")
        base, exponent, modulus = self._stack[-3:]
        if isinstance(base, str) or isinstance(exponent, str) or isinstance(modulus, str):
            raise DcError("non-numeric value")
        if not modulus.value:
            raise DcError("remainder by zero")
        b, e, m = integer_part(base), integer_part(exponent), integer_part(modulus)
        if e < 0:
            raise DcError("negative exponent")
        del self._stack[-3:]
        self.ctx.charge(1 + e.bit_length() * (1 + (m.bit_length() >> 8)) ** 2)
        power = pow(abs(b), e, abs(m))
        self.push(Number(-power if b < 0 and e & 1 else power))

    def root(self) -> None:
        """v: replace a number with its square root."""
        value = self.number("square root of nonnumeric attempted")
        if value.value < 0:
            raise DcError("square root of negative number")
        self.push(self._math.root(value, self._scale))

    # ------------------------------------------------------------------ state

    def set_input_base(self) -> None:
        """i: set the base of input. Raises DcError."""
        message = "input base must be a number between 2 and 16 (inclusive)"
        value = integer_part(self.number(message))
        if not 2 <= value <= 16:
            raise DcError(message)
        self._input = value

    def set_output_base(self) -> None:
        """o: set the base of output. Raises DcError."""
        message = "output base must be a number greater than 1"
        value = integer_part(self.number(message))
        if not 2 <= value <= 1 << 31:
            raise DcError(message)
        self._output = value

    def set_scale(self) -> None:
        """k: set the scale. Raises DcError and NumberError."""
        message = "scale must be a nonnegative number"
        value = integer_part(self.number(message))
        if value < 0:
            raise DcError(message)
        if value > MAX_DIGITS:
            raise NumberError("Number too large")
        self._scale = value

    def get_input_base(self) -> None:
        """I: push the base of input."""
        self.push(Number(self._input))

    def get_output_base(self) -> None:
        """O: push the base of output."""
        self.push(Number(self._output))

    def get_scale(self) -> None:
        """K: push the scale."""
        self.push(Number(self._scale))

    def duplicate(self) -> None:
        """d: push the top again."""
        value = self.pop()
        self._stack.append(value)
        self.push(value)

    def swap(self) -> None:
        """r: swap two values."""
        if len(self._stack) < 2:
            return
        self._stack[-2:] = self._stack[:-3:-1]

    def rotate(self) -> None:
        """R: rotate some values, downwards for a negative count."""
        count = integer_part(self.number())
        size = min(abs(count), len(self._stack))
        if size < 2:
            return
        self.ctx.charge(1 + (size >> 6))
        top = self._stack[-size:]
        self._stack[-size:] = [*top[1:], top[0]] if count > 0 else [top[-1], *top[:-1]]

    def clear(self) -> None:
        """c: clear the stack."""
        self._stack.clear()

    def depth(self) -> None:
        """z: push the number of values."""
        self.push(Number(len(self._stack)))

    def length(self) -> None:
        """Z: replace a value with its digits, or its bytes."""
        value = self.pop()
        if isinstance(value, str):
            self.push(Number(len(value.encode("utf-8", "surrogateescape"))))
        else:
            self.push(Number(length(value)))

    def scale_of(self) -> None:
        """X: replace a value with its scale."""
        value = self.pop()
        self.push(ZERO if isinstance(value, str) else Number(value.scale))

    def character(self) -> None:
        """a: replace a value with its first character."""
        value = self.pop()
        if isinstance(value, str):
            self.push(value[:1])
        else:
            self.push(bytes((integer_part(value) & 0xFF,)).decode("utf-8", "surrogateescape"))

    # ------------------------------------------------------------------ output

    def _show(self, value: Value, end: str) -> None:
        if isinstance(value, str):
            text = value
        else:
            self.ctx.charge(1 + (value.value.bit_length() >> 6) * (1 + (value.value.bit_length() >> 12)))
            text = wrap(format_number(value, self._output), 0, self._width and self._width + 1)[0]
        self.ctx.write((text + end).encode("utf-8", "surrogateescape"))

    def print_(self) -> None:
        """p: print the top and a newline."""
        value = self.pop()
        self._stack.append(value)
        self._show(value, "\n")

    def print_all(self) -> None:
        """f: print all values."""
        for value in reversed(self._stack):
            self.ctx.charge()
            self._show(value, "\n")

    def pop_and_print(self) -> None:
        """n: pop and print the top."""
        self._show(self.pop(), "")

    def print_bytes(self) -> None:
        """P: print a string, or a number as bytes in base 256."""
        value = self.pop()
        if isinstance(value, str):
            self._show(value, "")
            return
        size = abs(integer_part(value))
        self.ctx.write(size.to_bytes(max(1, (size.bit_length() + 7) // 8), "big"))


def _quoted_register(letter: str) -> str:
    return f"'{letter}' (0{ord(letter) & 0xFF:o})"

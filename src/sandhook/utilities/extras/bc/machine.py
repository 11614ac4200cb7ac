"""The state of bc's machine: the stack, variables, arrays, functions and output.

Source: POSIX.1-2024 XCU 3, bc. Oracle: GNU bc 1.07.1.
"""

from __future__ import annotations

from typing import Literal

from sandhook.command.context import Context
from sandhook.utilities.extras.bc.instructions import (
    Code,
    Element,
    Function,
    Parameter,
    SpecialName,
    Target,
    Variable,
)
from sandhook.utilities.extras.bc.lexer import Lexer
from sandhook.utilities.extras.bc_number import (
    MAX_DIGITS,
    ZERO,
    Arithmetic,
    Number,
    NumberError,
    format_number,
    integer_part,
    wrap,
)

MAX_INDEX = 16_777_215
MAX_BASE = 2_147_483_647
_MAX_CALLS = 10_000
_WIDTH = 70  #: columns of a line of digits
_ARRAY_ENTRY = 64  #: bytes of memory for a copied element
_Array = dict[int, Number]


class _Frame:
    """A call that has not returned: its return address, and the variables that it hides."""

    __slots__ = ("at", "code", "function", "hidden_arrays", "hidden_variables")

    def __init__(self, code: Code, at: int, function: Function) -> None:
        self.code = code
        self.at = at
        self.function = function
        self.hidden_variables: list[tuple[str, Number | None]] = []
        self.hidden_arrays: list[tuple[str, _Array | None]] = []


class Machine:
    """One run of bc.

    Attributes:
        functions: The program's own functions by name.
        math: The functions of the math library are defined.
        scale, input_base, output_base: bc's ``scale``, ``ibase`` and ``obase``.
        last: The last printed number.
        stack: Operands of the current expression.
        code, at: The current code, and the index of the next instruction.
        seed: State of ``random()``.
        lexer: The input, from which ``read()`` also reads.
    """

    def __init__(self, ctx: Context, math: bool) -> None:
        self.ctx = ctx
        self.arithmetic = Arithmetic(ctx.charge)
        self.functions: dict[str, Function] = {}
        self.math = math
        self.scale = 20 if math else 0
        self.input_base = 10
        self.output_base = 10
        self.last = ZERO
        self.stack: list[Number] = []
        self.code: Code = []
        self.at = 0
        self.seed = 1
        self.lexer: Lexer | None = None
        self._variables: dict[str, Number] = {}
        self._arrays: dict[str, _Array] = {}
        self._frames: list[_Frame] = []
        self._column = 0
        self._width = _line_length(ctx.environment.get("BC_LINE_LENGTH", ""))
        self._memory = 0

    # ------------------------------------------------------------------ output

    def write(self, text: str) -> None:
        """Print a text, and update the column."""
        self.ctx.write(text.encode("utf-8", "surrogateescape"))
        self._column = len(text) - text.rfind("\n") - 1 if "\n" in text else self._column + len(text)

    def write_number(self, number: Number) -> None:
        """Print a number in the output base, in lines of BC_LINE_LENGTH columns."""
        digits = number.scale + (number.value.bit_length() >> 1)
        self.ctx.charge(1 + (digits >> 3) + (digits >> 9) ** 2)
        text, self._column = wrap(format_number(number, self.output_base), self._column, self._width)
        self.ctx.write(text.encode("utf-8", "surrogateescape"))
        self.last = number

    def print_message(self, kind: Literal["error", "warning"], message: str, at: int = 0) -> None:
        """Print a message on standard error; ``at`` is the index of an instruction."""
        name = self._frames[-1].function.name if self._frames else "(main)"
        self.ctx.write_error(f"Runtime {kind} (func={name}, adr={at}): {message}\n")

    # ------------------------------------------------------------------ calls

    def enter(self, name: str, arguments: tuple[str | None, ...]) -> None:
        """Call a function; the numbers among its arguments are on the stack. Raises NumberError."""
        function = self.functions[name]
        if len(arguments) != len(function.parameters):
            raise NumberError("Parameter number mismatch")
        if len(self._frames) >= _MAX_CALLS:
            raise NumberError(f"functions nest more than {_MAX_CALLS} levels")
        frame = _Frame(self.code, self.at, function)
        values = [self.stack.pop() for array in arguments if array is None]
        variables: list[tuple[str, Number]] = []
        arrays: list[tuple[str, _Array]] = []
        for parameter, array in zip(function.parameters, arguments):
            if parameter.array != (array is not None):
                raise NumberError(f"Parameter type mismatch, parameter {parameter.display_name}.")
            if array is None:
                variables.append((parameter.name, values.pop()))
            else:
                arrays.append((parameter.name, self._argument(parameter, array)))
        for auto in function.autos:
            if auto.array:
                arrays.append((auto.name, {}))
            else:
                variables.append((auto.name, ZERO))
        for key, value in variables:
            frame.hidden_variables.append((key, self._variables.get(key)))
            self._variables[key] = value
        for key, elements in arrays:
            frame.hidden_arrays.append((key, self._arrays.get(key)))
            self._arrays[key] = elements
        self._charge_memory(200)
        self._frames.append(frame)
        self.code, self.at = function.code, 0

    def _argument(self, parameter: Parameter, name: str) -> _Array:
        """Return the array of the caller, or a copy of it."""
        array = self._arrays.setdefault(name, {})
        if parameter.shared:
            return array
        self.ctx.charge(1 + len(array))
        self._charge_memory(_ARRAY_ENTRY * len(array))
        return dict(array)

    def leave(self) -> Function:
        """Return from a function to its caller; the result is on the stack."""
        frame = self._frames.pop()
        for key, value in reversed(frame.hidden_variables):
            if value is None:
                self._variables.pop(key, None)
            else:
                self._variables[key] = value
        for key, array in reversed(frame.hidden_arrays):
            if array is None:
                self._arrays.pop(key, None)
            else:
                self._arrays[key] = array
        self.code, self.at = frame.code, frame.at
        return frame.function

    def abandon(self) -> None:
        """Leave all functions after an error."""
        while self._frames:
            self.leave()

    def _charge_memory(self, count: int) -> None:
        """Check that ``count`` more bytes fit into memory. The total is an estimate that never shrinks."""
        self._memory += count
        self.ctx.budget.check_fits(self._memory)

    # ------------------------------------------------------------------ variables

    def index_of(self, target: Target) -> int:
        """Pop the index of an element; return 0 for other targets. Raises NumberError."""
        if not isinstance(target, Element):
            return 0
        index = integer_part(self.stack.pop())
        if not 0 <= index <= MAX_INDEX:
            raise NumberError(f"Array {target.name} subscript out of bounds.")
        return index

    def value(self, target: Target, index: int) -> Number:
        """Return the value of a target, 0 when it was never set."""
        if isinstance(target, Variable):
            return self._variables.get(target.name, ZERO)
        if isinstance(target, Element):
            return self._arrays.get(target.name, {}).get(index, ZERO)
        match target.name:
            case "scale":
                return Number(self.scale)
            case "ibase":
                return Number(self.input_base)
            case "obase":
                return Number(self.output_base)
            case "last":
                return self.last

    def assign(self, target: Target, index: int, value: Number) -> None:
        """Assign to a target; an invalid value of a special variable is replaced, with a warning."""
        if isinstance(target, Variable):
            self._charge_memory(60 + (value.value.bit_length() >> 3))
            self._variables[target.name] = value
        elif isinstance(target, Element):
            self._charge_memory(60 + (value.value.bit_length() >> 3))
            self._arrays.setdefault(target.name, {})[index] = value
        else:
            self._assign_special(target.name, value)

    def _assign_special(self, name: SpecialName, value: Number) -> None:
        match name:
            case "last":
                self.last = value
            case "scale":
                self.scale = self._clamp_special(name, integer_part(value), 0, MAX_DIGITS)
            case "ibase":
                self.input_base = self._clamp_special(name, integer_part(value), 2, 36)
            case "obase":
                self.output_base = self._clamp_special(name, integer_part(value), 2, MAX_BASE)

    def _clamp_special(self, name: SpecialName, number: int, minimum: int, maximum: int) -> int:
        if number < minimum:
            warning = f"{name} too small, set to 2" if minimum else "negative scale, set to 0"
            self.print_message("warning", warning)
        elif number > maximum:
            self.print_message("warning", f"{name} too large, set to {maximum}")
        return min(max(number, minimum), maximum)


def _line_length(text: str) -> int:
    """Return the columns of BC_LINE_LENGTH; 0 means no limit."""
    if not (text.isascii() and text.isdigit() and len(text) < 9) or int(text) in (1, 2):
        return _WIDTH
    return int(text)

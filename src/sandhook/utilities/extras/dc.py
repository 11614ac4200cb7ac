"""dc: a calculator that keeps its numbers on a stack.

Oracle: GNU dc 1.4.1 (of bc 1.07.1). Divergence: L-DC-001, "!" runs no command, and numbers have at most 100,000 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.context import Context
from sandhook.command.options import also, opt, option_set
from sandhook.utilities.extras.bc_number import (
    MOST_DIGITS,
    ZERO,
    Arithmetic,
    Number,
    NumberError,
    compare,
    length,
    show,
    whole,
    wrapped,
)

_DIGITS = "0123456789ABCDEF"
_BLANK = " \t\n\r\f\v"
_MOST_BYTES = 1 << 16

#: What is on the stack: a number, or the text of a string.
Value = Number | str


@option_set
class Options:
    """dc [-e EXPRESSION] [-f FILE] [FILE]...

    Evaluate EXPRESSIONs and FILEs, or standard input, in reverse Polish notation.
    """

    sources: tuple[tuple[str, str], ...] = also(
        opt(
            "-e",
            "--expression",
            "EXPRESSION",
            "evaluate EXPRESSION",
            convert=lambda text: ("e", text),
            append=True,
        ),
        opt("-f", "--file", "FILE", "evaluate FILE", convert=lambda text: ("f", text), append=True),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file ends it with q; what goes wrong is said, and the rest is evaluated."""
    machine = _Machine(ctx)
    sources = [*options.sources, *(("f", name) for name in operands)]
    for kind, text in sources or [("f", "-")]:
        if kind == "f":
            try:
                with ctx.open(text) as reader:
                    text = reader.read_all().decode("utf-8", "surrogateescape")
            except IsADirectoryError:
                ctx.error(f"Will not attempt to process directory {text}")
                continue
            except OSError:
                ctx.error(f"Could not open file {text}")
                continue
        if not machine.run(text):
            return 1 if kind == "f" else 0
    return 0


class _Problem(Exception):
    """What dc says of a command that cannot be carried out; it goes on with the next one."""


class _Machine:
    """The stack, the registers, and what is being executed."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._math = Arithmetic(ctx.charge)
        self._stack: list[Value] = []
        self._registers: dict[str, list[Value]] = {}
        self._arrays: dict[tuple[str, int], dict[int, Value]] = {}
        self._scale = 0
        self._input = self._output = 10
        self._frames: list[tuple[str, int]] = []
        text = ctx.environment.get("DC_LINE_LENGTH", "")
        self._width = int(text) if text.isascii() and text.isdigit() and len(text) < 6 and text != "1" else 70

    def run(self, text: str) -> bool:
        """Execute a text; return False when it asks for the end."""
        self._frames = [(text, 0)]
        while self._frames:
            self._ctx.charge()
            code, at = self._frames[-1]
            while at < len(code) and code[at] in _BLANK:
                at += 1
            if at >= len(code):
                self._frames.pop()
                continue
            try:
                if not self._command(code, at):
                    return False
            except _Problem as problem:
                self._ctx.error(str(problem))
            except NumberError as error:
                self._ctx.error(str(error).lower())
        return True

    def _goto(self, at: int) -> None:
        self._frames[-1] = (self._frames[-1][0], at)

    def _command(self, code: str, at: int) -> bool:
        """Carry out the command at an offset; return False for the end of all."""
        letter = code[at]
        self._goto(at + 1)
        if letter in _DIGITS or letter in "._":
            self._number(code, at)
        elif letter == "[":
            self._string(code, at)
        elif letter == "#":
            end = code.find("\n", at)
            self._goto(len(code) if end < 0 else end)
        elif letter in "slSL:;<>=!":
            self._with_register(letter, code, at + 1)
        elif letter == "q":
            return self._quit(2)
        elif letter == "Q":
            self._leave(self._levels())
        elif letter in _OPERATIONS:
            _OPERATIONS[letter](self)
        else:
            self._refuse(letter)
        return True

    def _refuse(self, letter: str) -> None:
        """Report that there is no such command: on both streams, as GNU's does."""
        self._ctx.flush()
        for byte in letter.encode("utf-8", "surrogateescape"):
            self._ctx.process.complain(f"{self._ctx.name}: ".encode())
            shown = f"'{chr(byte)}' (0{byte:o})" if byte < 128 else f"0{byte:o}"
            self._ctx.write_line(f"{shown} unimplemented")

    # ------------------------------------------------------------------ the stack

    def push(self, value: Value) -> None:
        self._stack.append(value)
        if not len(self._stack) & 1023:
            self._ctx.budget.check_fits(64 * len(self._stack))

    def pop(self) -> Value:
        if not self._stack:
            raise _Problem("stack empty")
        return self._stack.pop()

    def number(self, otherwise: str = "") -> Number:
        """Take a number from the stack; of a string there ``otherwise`` is said, or it stays and the plain words are."""
        value = self.pop()
        if isinstance(value, str):
            if otherwise:
                raise _Problem(otherwise)
            self.push(value)
            raise _Problem("non-numeric value")
        return value

    def pair(self) -> tuple[Number, Number]:
        """Take two numbers: the lower one first."""
        if len(self._stack) < 2:
            raise _Problem("stack empty")
        a, b = self._stack[-2:]
        if isinstance(a, str) or isinstance(b, str):
            raise _Problem("non-numeric value")
        del self._stack[-2:]
        return a, b

    def _number(self, code: str, at: int) -> None:
        negative = code[at] == "_"
        at += negative
        start = at
        while at < len(code) and code[at] in _DIGITS:
            at += 1
        before = code[start:at]
        after = ""
        if code[at : at + 1] == ".":
            start = at + 1
            at += 1
            while at < len(code) and code[at] in _DIGITS:
                at += 1
            after = code[start:at]
        self._goto(at)
        if len(before) + len(after) > MOST_DIGITS:
            raise NumberError("Number too large")
        self._ctx.charge(1 + (len(before) + len(after) >> 4))
        integer, fraction = self._digits(before), self._digits(after)
        scale = len(after)
        value = integer * 10**scale + fraction * 10**scale // self._input**scale
        self.push(Number(-value if negative else value, scale))

    def _digits(self, text: str) -> int:
        value = 0
        for start in range(0, len(text), 64):
            piece = text[start : start + 64]
            part = 0
            for letter in piece:
                part = part * self._input + _DIGITS.index(letter)
            self._ctx.charge(1 + (value.bit_length() >> 9))
            value = value * self._input ** len(piece) + part
        return value

    def _string(self, code: str, at: int) -> None:
        depth, start = 1, at + 1
        at = start
        while at < len(code) and depth:
            depth += (code[at] == "[") - (code[at] == "]")
            at += 1
        self._ctx.charge(1 + (at - start >> 6))
        self._goto(at)
        self.push(code[start : at - 1] if not depth else code[start:at])

    # ------------------------------------------------------------------ registers and macros

    def _with_register(self, letter: str, code: str, at: int) -> None:
        negated = letter == "!"
        if negated:
            letter = code[at : at + 1]
            at += 1
            if letter not in ("<", ">", "="):
                end = code.find("\n", at)
                self._goto(len(code) if end < 0 else end)
                raise _Problem("! runs no commands here")
        name = code[at : at + 1]
        self._goto(at + 1)
        if not name:
            raise _Problem("unexpected EOS")
        if letter in "<>=":
            a, b = self.pair()
            order = compare(b, a)
            good = order == 0 if letter == "=" else order < 0 if letter == "<" else order > 0
            if good != negated:
                self._execute(self._top(name))
            return
        held = self._registers.setdefault(name, [])
        if letter == "s":
            value = self.pop()
            if held:
                held[-1] = value
            else:
                held.append(value)
        elif letter == "S":
            held.append(self.pop())
            self._ctx.budget.check_fits(64 * len(held))
        elif letter == "l":
            self.push(self._top(name))
        elif letter == "L":
            if not held:
                raise _Problem(f"stack register {_named(name)} is empty")
            self._arrays.pop((name, len(held)), None)
            self.push(held.pop())
        else:
            self._array(letter, name)

    def _top(self, name: str) -> Value:
        held = self._registers.get(name)
        return held[-1] if held else ZERO

    def _array(self, letter: str, name: str) -> None:
        wrong = "array index must be a nonnegative integer"
        place = self.number(wrong)
        if place.value < 0:
            raise _Problem(wrong)
        array = self._arrays.setdefault((name, len(self._registers.get(name, ()))), {})
        if letter == ":":
            array[whole(place)] = self.pop()
            self._ctx.budget.check_fits(100 * len(array))
        else:
            self.push(array.get(whole(place), ZERO))

    def _execute(self, value: Value) -> None:
        """Execute a string as a macro; a number goes onto the stack."""
        if not isinstance(value, str):
            self.push(value)
            return
        code, at = self._frames[-1]
        if not code[at:].strip(_BLANK) if len(code) - at < 16 else False:
            self._frames.pop()  # a macro that ends with a call needs no room for it
        self._frames.append((value, 0))
        self._ctx.budget.check_fits(200 * len(self._frames))

    def execute(self) -> None:
        self._execute(self.pop())

    def _levels(self) -> int:
        count = whole(self.number())
        if count < 1:
            raise _Problem("Q command requires a number >= 1")
        return count

    def _leave(self, levels: int) -> None:
        """Leave so many levels of macros and the text; GNU's dc does not count a single one."""
        if levels > len(self._frames):
            self._ctx.error("Q command argument exceeded string execution depth")
        if levels > 1:
            self._quit(levels)

    def _quit(self, levels: int) -> bool:
        del self._frames[max(len(self._frames) - levels, 0) :]
        return bool(self._frames)

    def ask(self) -> None:
        """Read a line of standard input and execute it."""
        stdin = self._ctx.process.descriptors.get(0)
        if stdin is not None:
            self._ctx.flush()
            line = stdin.read_until(b"\n", _MOST_BYTES)
            self._execute(line.decode("utf-8", "surrogateescape"))

    # ------------------------------------------------------------------ arithmetic

    def arithmetic(self, name: str) -> None:
        a, b = self.pair()
        math, scale = self._math, self._scale
        try:
            if name == "+":
                self.push(math.add(a, b))
            elif name == "-":
                self.push(math.subtract(a, b))
            elif name == "*":
                self.push(math.multiply(a, b, scale))
            elif name == "^":
                self.push(self._power(a, b))
            elif not b.value:
                raise _Problem("divide by zero" if name != "%" else "remainder by zero")
            elif name == "/":
                self.push(math.divide(a, b, scale))
            elif name == "%":
                self.push(math.remainder(a, b, scale))
            else:
                for part in math.quotient_and_remainder(a, b, scale):
                    self.push(part)
        except (NumberError, _Problem):
            self.push(a)
            self.push(b)
            raise

    def _power(self, a: Number, b: Number) -> Number:
        if b.scale and b.value % 10**b.scale:
            self._ctx.flush()
            self._ctx.process.complain(b"Runtime warning: non-zero scale in exponent\n")
        exponent = whole(b)
        if exponent < 0 and not a.value:
            return ZERO
        return self._math.power(a, exponent, self._scale)

    def modular(self) -> None:
        if len(self._stack) < 3:
            raise _Problem("stack empty")
        base, exponent, modulus = self._stack[-3:]
        if isinstance(base, str) or isinstance(exponent, str) or isinstance(modulus, str):
            raise _Problem("non-numeric value")
        if not modulus.value:
            raise _Problem("remainder by zero")
        b, e, m = whole(base), whole(exponent), whole(modulus)
        if e < 0:
            raise _Problem("negative exponent")
        del self._stack[-3:]
        self._ctx.charge(1 + e.bit_length() * (1 + (m.bit_length() >> 8)) ** 2)
        power = pow(abs(b), e, abs(m))
        self.push(Number(-power if b < 0 and e & 1 else power))

    def root(self) -> None:
        value = self.number("square root of nonnumeric attempted")
        if value.value < 0:
            raise _Problem("square root of negative number")
        self.push(self._math.root(value, self._scale))

    # ------------------------------------------------------------------ state

    def set_base(self, *, output: bool) -> None:
        wrong = (
            "output base must be a number greater than 1"
            if output
            else "input base must be a number between 2 and 16 (inclusive)"
        )
        value = whole(self.number(wrong))
        if output:
            if not 2 <= value <= 1 << 31:
                raise _Problem(wrong)
            self._output = value
        else:
            if not 2 <= value <= 16:
                raise _Problem(wrong)
            self._input = value

    def set_scale(self) -> None:
        wrong = "scale must be a nonnegative number"
        value = whole(self.number(wrong))
        if value < 0:
            raise _Problem(wrong)
        if value > MOST_DIGITS:
            raise NumberError("Number too large")
        self._scale = value

    def get(self, what: str) -> None:
        self.push(Number({"I": self._input, "O": self._output, "K": self._scale}[what]))

    def duplicate(self) -> None:
        value = self.pop()
        self._stack.append(value)
        self.push(value)

    def swap(self) -> None:
        if len(self._stack) < 2:
            return
        self._stack[-2:] = self._stack[:-3:-1]

    def rotate(self) -> None:
        count = whole(self.number())
        size = min(abs(count), len(self._stack))
        if size < 2:
            return
        self._ctx.charge(1 + (size >> 6))
        top = self._stack[-size:]
        self._stack[-size:] = [*top[1:], top[0]] if count > 0 else [top[-1], *top[:-1]]

    def clear(self) -> None:
        self._stack.clear()

    def depth(self) -> None:
        self.push(Number(len(self._stack)))

    def measure(self, *, scale: bool) -> None:
        value = self.pop()
        if isinstance(value, str):
            self.push(ZERO if scale else Number(len(value.encode("utf-8", "surrogateescape"))))
        else:
            self.push(Number(value.scale if scale else length(value)))

    def character(self) -> None:
        value = self.pop()
        if isinstance(value, str):
            self.push(value[:1])
        else:
            self.push(bytes((whole(value) & 0xFF,)).decode("utf-8", "surrogateescape"))

    # ------------------------------------------------------------------ output

    def _show(self, value: Value, end: str) -> None:
        if isinstance(value, str):
            text = value
        else:
            self._ctx.charge(1 + (value.value.bit_length() >> 6) * (1 + (value.value.bit_length() >> 12)))
            text = wrapped(show(value, self._output), 0, self._width and self._width + 1)[0]
        self._ctx.write((text + end).encode("utf-8", "surrogateescape"))

    def print_(self) -> None:
        value = self.pop()
        self._stack.append(value)
        self._show(value, "\n")

    def print_all(self) -> None:
        for value in reversed(self._stack):
            self._ctx.charge()
            self._show(value, "\n")

    def take_out(self) -> None:
        self._show(self.pop(), "")

    def put(self) -> None:
        """Print a string, or a number as the bytes that it consists of."""
        value = self.pop()
        if isinstance(value, str):
            self._show(value, "")
            return
        size = abs(whole(value))
        self._ctx.write(size.to_bytes(max(1, (size.bit_length() + 7) // 8), "big"))


def _named(letter: str) -> str:
    return f"'{letter}' (0{ord(letter) & 0xFF:o})"


def _arithmetic(operator: str) -> Callable[[_Machine], None]:
    return lambda machine: machine.arithmetic(operator)


def _parameter(name: str) -> Callable[[_Machine], None]:
    return lambda machine: machine.get(name)


_OPERATIONS: dict[str, Callable[[_Machine], None]] = {
    **{name: _arithmetic(name) for name in "+-*/%~^"},
    **{name: _parameter(name) for name in "IOK"},
    "|": _Machine.modular, "v": _Machine.root, "p": _Machine.print_, "f": _Machine.print_all,
    "n": _Machine.take_out, "P": _Machine.put, "d": _Machine.duplicate, "c": _Machine.clear, "r": _Machine.swap,
    "R": _Machine.rotate, "z": _Machine.depth, "a": _Machine.character, "x": _Machine.execute, "?": _Machine.ask,
    "i": lambda machine: machine.set_base(output=False), "o": lambda machine: machine.set_base(output=True),
    "k": _Machine.set_scale, "Z": lambda machine: machine.measure(scale=False),
    "X": lambda machine: machine.measure(scale=True),
}  # fmt: skip

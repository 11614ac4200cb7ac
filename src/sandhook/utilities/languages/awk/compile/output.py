"""print, printf and sprintf as closures. A constant format is parsed at compile time.

Source: POSIX.1-2024 XCU 3, awk, "output statements". Oracle: gawk 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from sandhook.lazy import lazily
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.compile.variables import is_array
from sandhook.utilities.languages.awk.format import (
    Conversion,
    FormatError,
    Misuse,
    format_text,
    number_to_text,
    parse_format,
)
from sandhook.utilities.languages.awk.nodes import (
    RECORD,
    Concatenation,
    Expression,
    Field,
    OutputRedirection,
    Print,
    Printf,
    String,
)
from sandhook.utilities.languages.awk.program import Step, ToNumber, ToText
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import LARGE
from sandhook.utilities.languages.awk.values import Array, Fatal, Value

if TYPE_CHECKING:
    import re

WIDEST = 1_000  #: ``format_text``, which checks memory first, formats with a larger width or precision
_LETTERS = {"s": "s", "d": "d", "i": "d", "f": "f", "e": "e", "g": "g", "E": "E", "G": "G", "F": "F"}
_Write = Callable[[Runtime, bytes], None]

# --------------------------------------------------------------------------- statements


def compile_print(compiler: Compiler, node: Print) -> Step:
    """Compile print."""
    texts = [_print_argument(compiler, argument) for argument in node.arguments or (RECORD,)]
    if node.target is not None:
        return _print_to(_writer(compiler, node.redirection, node.target), texts)
    if len(texts) == 1:
        only = texts[0]
        return lambda rt: rt.ctx.write(only(rt).encode("utf-8", "surrogateescape") + rt.ors)
    if len(texts) == 2:
        return _print_pair(*texts)

    def print_(rt: Runtime) -> None:
        line = [text(rt) for text in texts]  # OFS is read after the arguments, which may set it
        rt.ctx.write(rt.ofs.join(line).encode("utf-8", "surrogateescape") + rt.ors)

    return print_


def _print_pair(first: ToText, second: ToText) -> Step:
    def pair(rt: Runtime) -> None:
        left, right = first(rt), second(rt)
        rt.ctx.write(f"{left}{rt.ofs}{right}".encode("utf-8", "surrogateescape") + rt.ors)

    return pair


def _print_to(write: _Write, texts: list[ToText]) -> Step:
    def print_(rt: Runtime) -> None:
        line = [text(rt) for text in texts]
        write(rt, rt.ofs.join(line).encode("utf-8", "surrogateescape") + rt.ors)

    return print_


def _print_argument(compiler: Compiler, node: Expression) -> ToText:
    """Compile an argument of print: a number is converted by OFMT."""
    if isinstance(node, (Field, String, Concatenation)) or is_array(compiler, node):
        return compiler.text(node)
    run = compiler.value(node)

    def text(rt: Runtime) -> str:
        value = run(rt)
        return number_to_text(value, rt.ofmt) if type(value) is float else rt.text(value)

    return text


def compile_printf(compiler: Compiler, node: Printf) -> Step:
    """Compile printf; without a format it fails when it runs."""
    if not node.arguments:
        return _fail_printf
    text = compile_format(compiler, node.arguments)
    if node.target is None:
        return lambda rt: rt.ctx.write(text(rt).encode("utf-8", "surrogateescape"))
    write = _writer(compiler, node.redirection, node.target)

    def printf(rt: Runtime) -> None:
        try:
            data = text(rt).encode("utf-8", "surrogateescape")
        except FormatError:
            write(rt, b"")  # gawk opens the target before it formats: its error is the first
            raise
        write(rt, data)

    return printf


def _fail_printf(rt: Runtime) -> NoReturn:
    raise Fatal("printf: no arguments")


def _writer(compiler: Compiler, redirection: OutputRedirection, target: Expression) -> _Write:
    name = compiler.text(target)
    return lambda rt, data: rt.connections.output(redirection, name(rt)).write(data)


# --------------------------------------------------------------------------- formats


def compile_format(compiler: Compiler, arguments: Sequence[Expression]) -> ToText:
    """Compile a format, the first argument, applied to the other arguments."""
    first = arguments[0]
    constant = first.value if isinstance(first, String) and len(first.value) < LARGE else None
    simple = None if constant is None else python_format(constant)
    if constant is not None and simple is not None and 0 < len(simple[1]) < len(arguments):
        return _simple_format(compiler, constant, *simple, arguments[1:])
    format_ = compiler.text(first)
    values = [compiler.value(argument) for argument in arguments[1:]]

    def sprintf(rt: Runtime) -> str:
        text = format_(rt)
        text = format_text(text, [scalar(rt, run(rt)) for run in values], rt.convfmt, rt.budget.check_fits)
        return text if text.isascii() or not rt.matching.bytewise else _NOT_BYTES.sub(_low_byte, text)

    return sprintf


#: Characters that ``%c`` of a number makes, in a text of bytes.
_NOT_BYTES = lazily(r"[^\x00-\x7f\udc80-\udcff]")


def _low_byte(match: re.Match[str]) -> str:
    return bytes([ord(match[0]) & 0xFF]).decode("ascii", "surrogateescape")


def _simple_format(
    compiler: Compiler, format_: str, template: str, letters: str, arguments: Sequence[Expression]
) -> ToText:
    """Compile a format that Python's ``%`` formats as awk does."""
    runs: list[ToText | ToNumber] = [
        compiler.text(argument) if letter == "s" else compiler.number(argument)
        for letter, argument in zip(letters, arguments)
    ]
    extra_arguments = [compiler.value(argument) for argument in arguments[len(letters) :]]
    numbers = [place for place, letter in enumerate(letters) if letter != "s"]

    def printf(rt: Runtime) -> str:
        values = [run(rt) for run in runs]
        for run in extra_arguments:
            scalar(rt, run(rt))
        for place in numbers:
            number = values[place]
            if type(number) is float and number - number != 0.0:  # "%d" of an infinity
                return format_text(format_, values, rt.convfmt)
        text = template % tuple(values)
        if len(text) > LARGE:
            rt.budget.check_fits(len(text))
        return text

    return printf


def python_format(format_: str) -> tuple[str, str] | None:
    """Return a format for Python's ``%`` and the letter of each conversion; None when the results may differ."""
    pieces: list[str] = []
    letters = ""
    for item in parse_format(format_):
        if isinstance(item, Misuse):
            return None  # the error is reported when the format is used
        if isinstance(item, Conversion):
            simple = item.letter in _LETTERS and "#" not in item.flags and not item.position
            if not simple or not -1 <= item.width < WIDEST or not -1 <= item.precision < WIDEST:
                return None
            if item.letter in "di" and item.precision >= 0:
                return None
            width = str(item.width) if item.width >= 0 else ""
            precision = f".{item.precision}" if item.precision >= 0 else ""
            flags = item.flags if item.letter != "s" else "-" if "-" in item.flags else ""
            pieces.append(f"%{flags}{width}{precision}{_LETTERS[item.letter]}")
            letters += item.letter
        else:
            pieces.append(item.replace("%", "%%"))
    return "".join(pieces), letters


def scalar(rt: Runtime, value: Value) -> Value:
    """Return a value. Raises Fatal when it is an array."""
    if isinstance(value, Array):
        rt.text(value)
    return value

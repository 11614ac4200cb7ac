"""The built-in functions of awk as closures.

``FUNCTIONS`` maps each name to the function that compiles a call from its arguments.

Source: POSIX.1-2024 XCU 3, awk, "functions"; gawk 5.2 manual, "Built-in Functions".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from sandhook.command.pieces import map_text
from sandhook.utilities.languages.awk.compile.arrays import array_argument
from sandhook.utilities.languages.awk.compile.clock import mktime, rand, srand, strftime, systime
from sandhook.utilities.languages.awk.compile.conditions import compile_regex
from sandhook.utilities.languages.awk.compile.output import compile_format
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.compile.substitute import gensub, gsub, sub
from sandhook.utilities.languages.awk.compile.variables import compile_untouched
from sandhook.utilities.languages.awk.format import number_to_text
from sandhook.utilities.languages.awk.nodes import (
    RECORD,
    Concatenation,
    Ere,
    Expression,
    Field,
    String,
)
from sandhook.utilities.languages.awk.program import Evaluate, ToNumber, ToText
from sandhook.utilities.languages.awk.records import by_content_parts, split_blanks, splitter
from sandhook.utilities.languages.awk.regex import Pattern, escape
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.sorting import sort_array
from sandhook.utilities.languages.awk.special import ENTRY, FPAT, FS, LARGE, LARGE_ELEMENT, RLENGTH, RSTART
from sandhook.utilities.languages.awk.streams import run_command
from sandhook.utilities.languages.awk.values import Array, Fatal, Regexp, Strnum, numeric_value, to_number

Arguments: TypeAlias = Sequence[Expression]
CompileCall: TypeAlias = Callable[[Compiler, Arguments], Evaluate]
_MASK = (1 << 53) - 1


def _numeric(apply: Callable[..., float]) -> CompileCall:
    def compile_(compiler: Compiler, arguments: Arguments) -> ToNumber:
        runs = [compiler.number(arg) for arg in arguments]
        if len(runs) == 1:
            only = runs[0]
            return lambda rt: apply(only(rt))
        return lambda rt: apply(*[run(rt) for run in runs])

    return compile_


def _total(function: Callable[[float], float]) -> Callable[[float], float]:
    """Return a function of C's: NaN or infinity where Python's raises."""

    def apply(value: float) -> float:
        try:
            return function(value)
        except OverflowError:
            return math.inf
        except ValueError:
            return -math.inf if function is math.log and value == 0 else -math.nan

    return apply


def _reported(name: str, function: Callable[[float], float]) -> CompileCall:
    """Compile a function that reports arguments outside of its domain, or, for exp, of its range."""
    apply = _total(function)

    def compile_(compiler: Compiler, arguments: Arguments) -> ToNumber:
        argument, line = compiler.number(arguments[0]), compiler.line

        def call(rt: Runtime) -> float:
            value = argument(rt)
            result = apply(value)
            if name == "exp":
                if value - value == 0.0 and not 0.0 < result < math.inf:
                    rt.warn(f"exp: argument {number_to_text(value, '%g')} is out of range", line)
            elif value < 0:
                rt.warn(f"{name}: received negative argument {number_to_text(value, '%g')}", line)
            return result

        return call

    return compile_


def truncate(value: float) -> float:
    """Return int(value): without the fraction, with the sign also of zero."""
    return math.copysign(float(math.trunc(value)), value) if value - value == 0.0 else value


def _bits(name: str, combine: Callable[[int, int], int]) -> CompileCall:
    def apply(*values: float) -> float:
        for at, value in reversed(list(enumerate(values, 1))):
            if value < 0:
                raise Fatal(
                    f"{name}({values[0]:.6f}, {values[1]:.6f}): negative values are not allowed"
                    if name.endswith("shift")
                    else f"{name}: argument {at} negative value {number_to_text(value, '%g')} is not allowed"
                )
        integers = [_to_bits(value) for value in values]
        result = integers[0]
        for value in integers[1:]:
            result = combine(result, value)
        return _to_double(result)

    return _numeric(apply)


def _compl(value: float) -> float:
    if value < 0:
        raise Fatal(f"compl({value:.6f}): negative value is not allowed")
    return _to_double(~_to_bits(value) & ((1 << 64) - 1))


def _to_bits(value: float) -> int:
    """Convert to 64 bits as C does on common machines: 0 for too large a number, the highest bit for NaN."""
    if value != value:
        return 1 << 63
    return int(value) if value < 2**64 else 0


def _to_double(value: int) -> float:
    """Drop the high bits that a float cannot hold together with the lowest one."""
    if value <= _MASK:
        return float(value)
    zeros = (value & -value).bit_length() - 1
    return float(value & (_MASK << zeros))


def _length(compiler: Compiler, arguments: Arguments) -> ToNumber:
    if not arguments or isinstance(arguments[0], (Field, String, Concatenation)):
        text = compiler.text(arguments[0] if arguments else RECORD)
        return lambda rt: float(len(text(rt)))
    run = compile_untouched(compiler, arguments[0])

    def length(rt: Runtime) -> float:
        value = run(rt)
        return float(len(value if isinstance(value, Array) else rt.text(value)))

    return length


def _substr(compiler: Compiler, arguments: Arguments) -> ToText:
    text, start = compiler.text(arguments[0]), compiler.number(arguments[1])
    count = compiler.number(arguments[2]) if len(arguments) > 2 else None

    def substr(rt: Runtime) -> str:
        subject = text(rt)
        first = start(rt)
        size = 1e9 if count is None else count(rt)
        if 1.0 <= first < 1e9 and 0.0 <= size <= 1e9 and subject.isascii():
            if len(subject) > LARGE:
                rt.budget.charge(min(len(subject), int(size)) >> 10)
            return str(subject[int(first) - 1 : int(first) + int(size) - 1])
        return substring(subject, first, size)

    return substr


def substring(subject: str, first: float, size: float) -> str:
    """Return the characters that substr(subject, first, size) selects."""
    first, size = truncate(first), truncate(size)
    if size != size:
        return ""
    first = first if first > 1.0 else 1.0
    end = min(first + size, len(subject) + 1.0)
    return str(subject[int(first) - 1 : int(end) - 1]) if first < end else ""


def _index(compiler: Compiler, arguments: Arguments) -> ToNumber:
    text, needle = compiler.text(arguments[0]), compiler.text(arguments[1])

    def index(rt: Runtime) -> float:
        subject, part = text(rt), needle(rt)
        if len(subject) > LARGE:
            rt.budget.charge(len(subject) >> 10)
        if rt.icase:
            return float(subject.lower().find(part.lower()) + 1)
        return float(subject.find(part) + 1)

    return index


_KEYS = tuple(map(str, range(257)))


def _fill(rt: Runtime, array: Array, values: list[str], start: int = 1) -> None:
    """Replace the elements of an array, numbered from ``start``, and charge memory for them."""
    if array:
        rt.clear(array)
    rt.budget.check_fits(ENTRY * len(values))
    rt.budget.charge(len(values) >> 3)
    end = start + len(values)
    keys = _KEYS[start:end] if end <= len(_KEYS) else tuple(map(str, range(start, end)))
    large = [len(value) for value in values if len(value) > LARGE_ELEMENT]
    rt.has_large = rt.has_large or bool(large)
    rt.charge_memory(ENTRY * len(keys) + sum(map(len, keys)) + sum(large))
    array.update(zip(keys, map(Strnum, values)))


def _split(compiler: Compiler, arguments: Arguments) -> ToNumber:
    text, array = compiler.text(arguments[0]), array_argument(compiler, "split", arguments, 1)
    separators = array_argument(compiler, "split", arguments, 3) if len(arguments) > 3 else None
    by = arguments[2] if len(arguments) > 2 else None
    divide = (
        _divider_by_regex(compile_regex(compiler, by))
        if isinstance(by, Ere) and by.source
        else _divider_by_text(_separator(compiler, by), compiler.line)
    )

    def split(rt: Runtime) -> float:
        subject = text(rt)
        rt.budget.charge(len(subject) >> 6)
        parts, between, first = divide(rt, subject, separators is not None)
        if separators is not None:
            _fill(rt, separators(rt), between, first)
        _fill(rt, array(rt), parts)
        return float(len(parts))

    return split


def _separator(compiler: Compiler, node: Expression | None) -> ToText:
    """Compile the third argument of split; FS by default, and ``//`` is the empty string."""
    if node is None:
        return lambda rt: rt.text(rt.g[FS])
    return compiler.text(String("") if isinstance(node, Ere) else node)


#: Divides a text. Returns the pieces, the separators when the argument is True, and the number of the first
#: separator, which is 0 when it is before all pieces.
_Divide: TypeAlias = Callable[[Runtime, str, bool], tuple[list[str], list[str], int]]


def _divider_by_regex(regex: Callable[[Runtime], Pattern]) -> _Divide:
    def divide(rt: Runtime, subject: str, with_separators: bool) -> tuple[list[str], list[str], int]:
        if not subject:
            return [], [], 1
        if not with_separators:
            return regex(rt).pieces(subject, rt.count_pieces), [], 1
        return *regex(rt).split(subject, rt.count_pieces), 1

    return divide


def _divider_by_text(separator: ToText, line: int) -> _Divide:
    def divide(rt: Runtime, subject: str, with_separators: bool) -> tuple[list[str], list[str], int]:
        by = separator(rt)
        if "\\" in by and len(by) > 1:
            rt.pattern(by, line)  # for its warnings
        if not with_separators:
            return splitter(by, rt.matching, False)(subject, rt.count_pieces), [], 1
        if by == " ":
            between = rt.pattern("[ \t\n]+").split(subject, rt.count_pieces)[1]
            pieces = split_blanks(subject, rt.count_pieces)
            return pieces, between, 0 if subject[:1] in (" ", "\t", "\n") else 1
        if not by:
            rt.count_pieces(2 * len(subject))
            return list(subject), [""] * (len(subject) - 1), 1
        if not subject:
            return [], [], 1
        return *rt.pattern(escape(by) if len(by) == 1 else by).split(subject, rt.count_pieces), 1

    return divide


def _patsplit(compiler: Compiler, arguments: Arguments) -> ToNumber:
    text, array = compiler.text(arguments[0]), array_argument(compiler, "patsplit", arguments, 1)
    regex = compile_regex(compiler, arguments[2]) if len(arguments) > 2 else None
    separators = array_argument(compiler, "patsplit", arguments, 3) if len(arguments) > 3 else None

    def patsplit(rt: Runtime) -> float:
        expression = regex(rt) if regex is not None else rt.pattern(rt.text(rt.g[FPAT]))
        if expression.literal == "":
            raise Fatal("patsplit: third argument must be non-null")
        parts, around = by_content_parts(expression, text(rt), rt.count_pieces)
        _fill(rt, array(rt), parts)
        if separators is not None:
            _fill(rt, separators(rt), around, 0)
        return float(len(parts))

    return patsplit


def _match(compiler: Compiler, arguments: Arguments) -> ToNumber:
    text, regex = compiler.text(arguments[0]), compile_regex(compiler, arguments[1])
    array = array_argument(compiler, "match", arguments, 2) if len(arguments) > 2 else None

    def match(rt: Runtime) -> float:
        subject = text(rt)
        rt.budget.charge(len(subject) >> 10)
        spans = regex(rt).spans(subject)
        start, end = spans[0] if spans else (-1, -2)
        rt.g[RSTART] = float(start + 1)
        rt.g[RLENGTH] = float(end - start)
        if array is not None:
            groups = array(rt)
            rt.clear(groups)
            for number, (first, last) in enumerate(spans or ()):
                if first >= 0:
                    rt.store(groups, str(number), Strnum(subject[first:last]))
                    rt.store(groups, f"{number}{rt.subsep}start", float(first + 1))
                    rt.store(groups, f"{number}{rt.subsep}length", float(last - first))
        return float(start + 1)

    return match


def _sprintf(compiler: Compiler, arguments: Arguments) -> ToText:
    return compile_format(compiler, arguments)


def _case(change: Callable[[str], str]) -> CompileCall:
    """Return tolower or toupper: like towupper, it keeps ``ß``, whose capital has two letters."""

    def compile_(compiler: Compiler, arguments: Arguments) -> ToText:
        text = compiler.text(arguments[0])

        def change_case(rt: Runtime) -> str:
            subject = text(rt)
            if len(subject) > LARGE:
                rt.grow(len(subject))
            if subject.isascii():
                return change(subject)
            return map_text(
                subject, lambda char: new if len(new := change(char)) == 1 else char, rt.budget.charge
            )

        return change_case

    return compile_


def _strtonum(compiler: Compiler, arguments: Arguments) -> ToNumber:
    run = compiler.value(arguments[0])

    def strtonum(rt: Runtime) -> float:
        value = run(rt)
        if type(value) is float:
            return value
        text = rt.text(value)
        if type(value) is Strnum and (number := numeric_value(value)) is not None:
            return number
        base, alphabet, digits = 8, "01234567", text
        if digits[:2] in ("0x", "0X"):
            base, alphabet, digits = 16, "0123456789abcdefABCDEF", digits[2:]
        elif digits[:1] != "0" or not digits.isdigit() or set(digits) & {"8", "9"}:
            return to_number(value)
        valid = digits[: len(digits) - len(digits.lstrip(alphabet))].lstrip("0")
        return float(int(valid or "0", base)) if len(valid) < 250 else math.inf

    return strtonum


# --------------------------------------------------------------------------- arrays and types

_TRUE, _FALSE = float("1"), float("0")  #: what mkbool returns: known by identity, for typeof


def _asort(by_index: bool) -> CompileCall:
    def compile_(compiler: Compiler, arguments: Arguments) -> ToNumber:
        name = "asorti" if by_index else "asort"
        source = array_argument(compiler, name, arguments, 0)
        target = array_argument(compiler, name, arguments, 1) if len(arguments) > 1 else source
        how = compiler.text(arguments[2]) if len(arguments) > 2 else None
        bodies = compiler.program.bodies

        def asort(rt: Runtime) -> float:
            order = how(rt) if how is not None else "@ind_str_asc" if by_index else "@val_type_asc"
            return sort_array(rt, bodies, source(rt), target(rt), order, by_index)

        return asort

    return compile_


def _isarray(compiler: Compiler, arguments: Arguments) -> ToNumber:
    run = compile_untouched(compiler, arguments[0])
    return lambda rt: 1.0 if isinstance(run(rt), Array) else 0.0


def _mkbool(compiler: Compiler, arguments: Arguments) -> ToNumber:
    test = compiler.condition(arguments[0])
    return lambda rt: _TRUE if test(rt) else _FALSE


def _typeof(compiler: Compiler, arguments: Arguments) -> ToText:
    node = arguments[0]
    is_record = node == RECORD
    is_scalar = len(arguments) > 1
    run = compile_untouched(compiler, node)
    number = compiler.number(node.number) if isinstance(node, Field) else None

    def typeof(rt: Runtime) -> str:
        value = run(rt)
        if isinstance(value, Array):
            return "array"
        if number is not None and rt.field(number(rt)) is None:
            return "unassigned"
        if value is None:
            return "unassigned" if is_scalar else "untyped"
        if is_record and not rt.nr and not rt.record and not rt.dirty:
            return "unassigned"
        if type(value) is float:
            return "number|bool" if value is _TRUE or value is _FALSE else "number"
        if type(value) is Regexp:
            return "regexp"
        return "strnum" if type(value) is Strnum and numeric_value(value) is not None else "string"

    return typeof


# --------------------------------------------------------------------------- streams


def _close(compiler: Compiler, arguments: Arguments) -> ToNumber:
    name = compiler.text(arguments[0])
    if len(arguments) == 1:
        return lambda rt: rt.connections.close(name(rt))
    end = compiler.text(arguments[1])

    def close(rt: Runtime) -> float:
        stream, which = name(rt), end(rt).lower()
        if which not in ("to", "from"):
            raise Fatal("close: second argument must be `to' or `from'")
        return rt.connections.close(stream, which)

    return close


def _fflush(compiler: Compiler, arguments: Arguments) -> ToNumber:
    name = compiler.text(arguments[0]) if arguments else None
    line = compiler.line

    def fflush(rt: Runtime) -> float:
        stream = "" if name is None else name(rt)
        if stream and not any(name == stream and kind[0] != "<" for kind, name in rt.connections.streams):
            rt.warn(f"fflush: `{stream}' is not an open file, pipe or co-process", line)
            return -1.0
        rt.connections.flush()
        return 0.0

    return fflush


def _inplace(what: str) -> CompileCall:
    def compile_(compiler: Compiler, arguments: Arguments) -> ToNumber:
        name, more = compiler.text(arguments[0]), compiler.text(arguments[1])

        def inplace(rt: Runtime) -> float:
            if what == "begin":
                rt.replacement.begin(name(rt), more(rt))
            else:
                rt.connections.flush()
                rt.replacement.end(name(rt), more(rt))
            return 0.0

        return inplace

    return compile_


def _system(compiler: Compiler, arguments: Arguments) -> ToNumber:
    command = compiler.text(arguments[0])

    def system(rt: Runtime) -> float:
        if rt.connections.sandbox:
            raise Fatal("'system' function not allowed in sandbox mode")
        command_line = command(rt)
        rt.connections.flush()
        return float(run_command(rt.ctx, command_line, rt.connections.command_environment()))

    return system


FUNCTIONS: dict[str, CompileCall] = {
    "length": _length, "substr": _substr, "index": _index, "split": _split, "patsplit": _patsplit,
    "match": _match, "sprintf": _sprintf, "sub": sub, "gsub": gsub, "gensub": gensub,
    "tolower": _case(str.lower), "toupper": _case(str.upper),
    "sin": _numeric(_total(math.sin)), "cos": _numeric(_total(math.cos)), "atan2": _numeric(math.atan2),
    "exp": _reported("exp", math.exp), "log": _reported("log", math.log), "sqrt": _reported("sqrt", math.sqrt),
    "int": _numeric(truncate), "rand": rand, "srand": srand, "strftime": strftime, "systime": systime,
    "mktime": mktime, "asort": _asort(False), "asorti": _asort(True),
    "and": _bits("and", lambda a, b: a & b), "or": _bits("or", lambda a, b: a | b),
    "xor": _bits("xor", lambda a, b: a ^ b),
    "lshift": _bits("lshift", lambda a, b: (a << b % 64) & ((1 << 64) - 1)),
    "rshift": _bits("rshift", lambda a, b: a >> b % 64),
    "compl": _numeric(_compl),
    "strtonum": _strtonum, "isarray": _isarray, "typeof": _typeof, "mkbool": _mkbool,
    "inplace::begin": _inplace("begin"), "inplace::end": _inplace("end"),
    "close": _close, "fflush": _fflush, "system": _system,
}  # fmt: skip

"""Constants and variables as closures, and where a name is stored.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk". Oracle: gawk 5.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.nodes import Expression, Name, Number, String
from sandhook.utilities.languages.awk.program import Evaluate, ToNumber, ToText
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import COMPUTED, NF, NR
from sandhook.utilities.languages.awk.values import ScalarContext, Value, to_number

# --------------------------------------------------------------------------- where a name is stored


def local_slot(compiler: Compiler, name: str) -> int:
    """Return the slot of a parameter of the current function, -1 for other names."""
    function = compiler.function
    return function.params.index(name) if function is not None and name in function.params else -1


def is_array(compiler: Compiler, node: Expression) -> bool:
    """Return True when a node is a name that the program uses as an array."""
    if not isinstance(node, Name):
        return False
    if local_slot(compiler, node.name) >= 0:
        return compiler.function is not None and node.name in compiler.function.arrays
    symbols = compiler.program.symbols
    return symbols.slots[node.name] in symbols.arrays


def global_slot(compiler: Compiler, node: Expression) -> int:
    """Return the slot of a global variable that is not computed when it is read, -1 for other nodes."""
    if not isinstance(node, Name) or local_slot(compiler, node.name) >= 0:
        return -1
    symbols = compiler.program.symbols
    slot = symbols.slots[node.name]
    return -1 if slot in COMPUTED or slot in symbols.mixed else slot


# --------------------------------------------------------------------------- constants


def compile_number(compiler: Compiler, node: Number) -> ToNumber:
    """Compile a numeric constant."""
    value = node.value
    return lambda rt: value


def compile_string(compiler: Compiler, node: String) -> ToText:
    """Compile a string constant."""
    value = node.value
    return lambda rt: value


# --------------------------------------------------------------------------- variables


def scalar_kind(compiler: Compiler, name: str) -> str:
    """Return what messages call a scalar of this name."""
    return "scalar parameter" if local_slot(compiler, name) >= 0 else "scalar"


def scalar_context_error(compiler: Compiler, node: Name) -> Callable[[Runtime], NoReturn]:
    """Return a closure that raises ScalarContext because an array is used as a scalar."""
    run = compile_name(compiler, node)

    def fail(rt: Runtime) -> NoReturn:
        raise ScalarContext(run(rt))

    return fail


def compile_untouched(compiler: Compiler, node: Expression) -> Evaluate:
    """Compile a value, where a name that has none remains neither a scalar nor an array."""
    if isinstance(node, Name) and local_slot(compiler, node.name) < 0:
        slot = compiler.program.symbols.slots[node.name]
        if slot in compiler.program.symbols.mixed:
            return lambda rt: rt.g[slot]
    return compiler.value(node)


def compile_name(compiler: Compiler, node: Name) -> Evaluate:
    """Compile a variable for its value; an array evaluates to itself."""
    local = local_slot(compiler, node.name)
    if local >= 0:
        return lambda rt: rt.frame[local]
    slot = compiler.program.symbols.slots[node.name]
    if slot == NR:
        return lambda rt: rt.nr
    if slot == NF:
        return lambda rt: float(len(rt.fields if rt.fields is not None else rt.split()))
    if slot in COMPUTED:
        return lambda rt: rt.special(slot)
    if slot in compiler.program.symbols.mixed:
        return _compile_mixed(slot)
    return lambda rt: rt.g[slot]


def _compile_mixed(slot: int) -> Evaluate:
    """Compile the value of a variable that a call may make an array, but not after this."""

    def variable(rt: Runtime) -> Value:
        rt.read_untyped.add(slot)
        return rt.g[slot]

    return variable


def compile_name_number(compiler: Compiler, node: Name) -> ToNumber:
    """Compile a variable for a number."""
    if is_array(compiler, node):
        return scalar_context_error(compiler, node)
    slot = global_slot(compiler, node)
    if slot < 0:
        run = compile_name(compiler, node)

        def number(rt: Runtime) -> float:
            value = run(rt)
            return value if type(value) is float else to_number(value)

        return number

    def variable(rt: Runtime) -> float:
        value = rt.g[slot]
        return value if type(value) is float else to_number(value)

    return variable


def compile_name_text(compiler: Compiler, node: Name) -> ToText:
    """Compile a variable for a string."""
    if is_array(compiler, node):
        return scalar_context_error(compiler, node)
    slot = global_slot(compiler, node)
    if slot < 0:
        run = compile_name(compiler, node)

        def text(rt: Runtime) -> str:
            value = run(rt)
            return value if type(value) is str else rt.text(value)

        return text

    def variable(rt: Runtime) -> str:
        value = rt.g[slot]
        return value if type(value) is str else rt.text(value)

    return variable

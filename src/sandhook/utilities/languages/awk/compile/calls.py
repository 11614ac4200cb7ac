"""Calls of functions, and getline, as closures.

Source: POSIX.1-2024 XCU 3, awk, "functions"; gawk 5.2 manual, "Indirect Calls".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from sandhook.kernel.stack import stack_exceeds
from sandhook.lazy import cache_texts
from sandhook.utilities.languages.awk.compile.arrays import compile_argument
from sandhook.utilities.languages.awk.compile.assignments import compile_store
from sandhook.utilities.languages.awk.compile.functions import FUNCTIONS
from sandhook.utilities.languages.awk.compile.names import trace_array
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.compile.variables import compile_untouched
from sandhook.utilities.languages.awk.expressions import ARITY
from sandhook.utilities.languages.awk.nodes import (
    BuiltinCall,
    Call,
    Element,
    Expression,
    Field,
    Getline,
    IndirectCall,
    Lvalue,
    Name,
)
from sandhook.utilities.languages.awk.program import Evaluate, ToNumber
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import LARGE, RT
from sandhook.utilities.languages.awk.values import Array, Fatal, ScalarContext, Strnum, Value

DEEP = 220  #: Python frames on one stack; a deeper call continues on a new stack


def _no_value(rt: Runtime) -> Value:
    return None


def _compile_touch(compiler: Compiler, target: Lvalue | None) -> Evaluate:
    """Compile what a target of getline does without a record: an element or a field comes to exist."""
    if isinstance(target, Field):
        number = compiler.number(target.number)
        return lambda rt: rt.create_field(number(rt))
    return compiler.value(target) if isinstance(target, Element) else _no_value


def compile_getline(compiler: Compiler, node: Getline) -> ToNumber:
    """Compile getline: 1 for a record, 0 at the end, -1 for an error."""
    redirection = node.redirection
    store = None if node.target is None else compile_store(compiler, node.target)
    name = None if node.source is None else compiler.text(node.source)
    # Without a record the target is not assigned, but its subscript is evaluated and its element exists.
    touch = _compile_touch(compiler, node.target)

    def getline(rt: Runtime) -> float:
        rt.budget.charge(1)
        if name is None:
            if rt.file_rule:
                raise Fatal(f"non-redirected `getline' invalid inside `{rt.file_rule}' rule")
            entry = rt.read_main()
        else:
            source = rt.connections.input(redirection, name(rt), rt.rs, rt.matching)
            if source is None:
                touch(rt)
                return -1.0
            try:
                entry = source.next()
            except OSError:
                touch(rt)
                return -1.0
        if entry is None:
            touch(rt)
            return 0.0
        record, terminator = entry
        rt.g[RT] = terminator or None  # unset, as in gawk, when the input has ended without one
        if name is None:
            rt.fnr += 1.0
            rt.nr += 1.0
        if store is None:
            rt.set_record(record)
        else:
            store(rt, Strnum(record))
        return 1.0

    return getline


def compile_call(compiler: Compiler, node: Call) -> Evaluate:
    """Compile a call of a user's function."""
    return _call(compiler, node.name, node.arguments)


def _call(compiler: Compiler, name: str, arguments: Sequence[Expression]) -> Evaluate:
    function = compiler.program.symbols.functions.get(name)
    if function is None:
        return _undefined_call(name, [compiler.value(argument) for argument in arguments])
    bodies, caller = compiler.program.bodies, compiler.function
    parameters: list[Evaluate] = []
    for param, argument in zip(function.params, arguments):
        by_name = param in function.arrays and isinstance(argument, (Name, Element))
        parameters.append(
            compile_argument(compiler, argument) if by_name else compile_untouched(compiler, argument)
        )
    start, line = len(arguments), compiler.line
    local_arrays = [param in function.arrays for param in function.params[start:]]
    # arguments without a parameter are evaluated for their effects
    extra_arguments = [compiler.value(argument) for argument in arguments[len(function.params) :]]

    def call(rt: Runtime) -> Value:
        frame: list[Value] = [argument(rt) for argument in parameters]
        if extra_arguments:
            for argument in extra_arguments:
                argument(rt)
            rt.warn(f"function `{name}' called with more arguments than declared", line)
        frame += [Array() if is_array else None for is_array in local_arrays]
        rt.depth += 1
        budget = rt.budget
        if rt.depth > budget.limits.call_depth:
            budget.fail("call_depth")
        budget.slice_left -= 1
        if budget.slice_left < 0:
            budget.next_slice()
        for value in frame:
            if isinstance(value, str) and len(value) > LARGE:
                rt.charge_memory(len(value))
        outer, rt.frame = rt.frame, frame
        body = bodies[name]
        try:
            if stack_exceeds(DEEP):
                value = rt.ctx.kernel.scheduler.call_on_new_stack(lambda: body(rt))
            else:
                value = body(rt)
        except ScalarContext as error:
            trace_array(rt, error, (function, frame), caller, arguments)
            raise
        rt.frame = outer
        rt.depth -= 1
        for at, local in enumerate(frame):
            if isinstance(local, str):
                if len(local) > LARGE:
                    rt.charge_memory(-len(local))
            elif at >= start and isinstance(local, Array) and local:
                rt.clear(local)
        return value

    return call


def _undefined_call(name: str, arguments: Sequence[Evaluate]) -> Evaluate:
    """Return a closure that evaluates the arguments of an undefined function, and raises Fatal."""

    def call(rt: Runtime) -> NoReturn:
        for argument in arguments:
            argument(rt)
        raise Fatal(f"function `{name}' not defined")

    return call


def compile_indirect_call(compiler: Compiler, node: IndirectCall) -> Evaluate:
    """Compile ``@name(...)``: the call is compiled at run time, once for each function."""
    name = compiler.text(node.variable)
    arguments = node.arguments
    function_compiler = compiler.for_function(compiler.function)

    @cache_texts(16)
    def call_of(function: str) -> Evaluate:
        return _call_by_name(function_compiler, function, arguments)

    return lambda rt: call_of(name(rt))(rt)


def _call_by_name(compiler: Compiler, name: str, arguments: Sequence[Expression]) -> Evaluate:
    if name in compiler.program.symbols.functions:
        return _call(compiler, name, arguments)
    if name not in FUNCTIONS:
        raise Fatal(f"`{name}' is not a function, so it cannot be called indirectly")
    least, most = ARITY[name]
    if not least <= len(arguments) <= most:
        raise Fatal(f"{len(arguments)} is invalid as number of arguments for {name}")
    return FUNCTIONS[name](compiler, arguments)


def compile_builtin_call(compiler: Compiler, node: BuiltinCall) -> Evaluate:
    """Compile a call of a built-in function."""
    return FUNCTIONS[node.name](compiler, node.arguments)

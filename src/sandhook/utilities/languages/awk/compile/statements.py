"""Statements as closures. A closure returns None, or a constant of ``program`` when control leaves the block.

Source: POSIX.1-2024 XCU 3, awk, "actions"; gawk 5.2 manual, "Control Statements in Actions".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from sandhook.utilities.languages.awk.compile.arrays import compile_array, compile_key
from sandhook.utilities.languages.awk.compile.assignments import compile_store, without_value
from sandhook.utilities.languages.awk.compile.failure import can_fail
from sandhook.utilities.languages.awk.compile.output import scalar
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.format import fold_case, order
from sandhook.utilities.languages.awk.nodes import (
    Block,
    Break,
    Continue,
    Delete,
    Do,
    Element,
    Ere,
    Evaluation,
    Exit,
    Expression,
    For,
    ForIn,
    If,
    Located,
    Name,
    Next,
    NextFile,
    Return,
    Statement,
    String,
    Switch,
    While,
)
from sandhook.utilities.languages.awk.program import BREAK, CONTINUE, NEXT, NEXTFILE, RETURN, Step
from sandhook.utilities.languages.awk.runtime import ProgramExit, Runtime
from sandhook.utilities.languages.awk.sorting import traversal
from sandhook.utilities.languages.awk.values import Fatal, Key, NextInput, NextRecord, Regexp, Value

# --------------------------------------------------------------------------- sequences


def with_line(step: Step, line: int) -> Step:
    """Return a step whose errors carry the line."""

    def run(rt: Runtime) -> int | None:
        try:
            return step(rt)
        except Fatal as error:
            error.line = error.line or line
            raise

    return run


def compile_located(compiler: Compiler, node: Located) -> Step:
    """Compile a statement that is alone in its block."""
    compiler.line = node.line
    step = compiler.statement(node.statement)
    elements = compiler.function is not None or compiler.nests
    fails = compiler.program.symbols.mixed or can_fail(node.statement, elements)
    return with_line(step, node.line) if fails else step


def compile_block(compiler: Compiler, node: Block) -> Step:
    """Compile a block; an error carries the line of its statement."""
    if not node.statements:
        return lambda rt: None
    if len(node.statements) == 1:
        return compiler.statement(node.statements[0])
    steps, lines = [], []
    for inner in node.statements:
        statement: Statement = inner
        if isinstance(inner, Located):
            compiler.line, statement = inner.line, inner.statement
        lines.append(compiler.line)
        steps.append(compiler.statement(statement))

    def block(rt: Runtime) -> int | None:
        try:
            for step in steps:
                outcome = step(rt)
                if outcome is not None:
                    return outcome
        except Fatal as error:
            error.line = error.line or lines[steps.index(step)]
            raise
        return None

    return block


def compile_evaluation(compiler: Compiler, node: Evaluation) -> Step:
    """Compile an expression as a statement."""
    if isinstance(node.expression, Name):
        run = compiler.value(node.expression)
        return without_value(lambda rt: scalar(rt, run(rt)))
    return compiler.effect(node.expression)


# --------------------------------------------------------------------------- conditions and loops


def compile_if(compiler: Compiler, node: If) -> Step:
    """Compile ``if`` with its ``else if`` arms."""
    arms = [(compiler.condition(test), compiler.statement(body)) for test, body in node.arms]
    otherwise = None if node.otherwise is None else compiler.statement(node.otherwise)

    def if_(rt: Runtime) -> int | None:
        for test, body in arms:
            if test(rt):
                return body(rt)
        return None if otherwise is None else otherwise(rt)

    return if_


def compile_while(compiler: Compiler, node: While) -> Step:
    """Compile ``while``."""
    return compile_for(compiler, For(None, node.test, None, node.body))


def compile_for(compiler: Compiler, node: For) -> Step:
    """Compile ``for (start; test; step) body``."""
    start = None if node.start is None else compiler.statement(node.start)
    test = None if node.test is None else compiler.condition(node.test)
    step = None if node.step is None else compiler.statement(node.step)
    body = compiler.statement(node.body)

    def loop(rt: Runtime) -> int | None:
        budget = rt.budget
        if start is not None:
            start(rt)
        while True:  # Python 3.11 specializes no loop whose condition is at its end
            if test is not None and not test(rt):
                return None
            budget.slice_left -= 1
            if budget.slice_left < 0:
                budget.next_slice()
            outcome = body(rt)
            if outcome is not None and outcome != CONTINUE:
                return None if outcome == BREAK else outcome
            if step is not None:
                step(rt)

    return loop


def compile_do(compiler: Compiler, node: Do) -> Step:
    """Compile ``do body while (test)``."""
    test, body = compiler.condition(node.test), compiler.statement(node.body)

    def loop(rt: Runtime) -> int | None:
        budget = rt.budget
        while True:
            budget.slice_left -= 1
            if budget.slice_left < 0:
                budget.next_slice()
            outcome = body(rt)
            if outcome is not None and outcome != CONTINUE:
                return None if outcome == BREAK else outcome
            if not test(rt):
                return None

    return loop


def compile_for_in(compiler: Compiler, node: ForIn) -> Step:
    """Compile ``for (variable in array)``, in the order of PROCINFO["sorted_in"]."""
    store, get = compile_store(compiler, node.variable), compile_array(compiler, node.array)
    body = compiler.statement(node.body)
    bodies = compiler.program.bodies

    def loop(rt: Runtime) -> int | None:
        budget = rt.budget
        array = get(rt)
        budget.charge(len(array) >> 4)
        for key in traversal(rt, bodies, array):
            budget.slice_left -= 1
            if budget.slice_left < 0:
                budget.next_slice()
            store(rt, Key(key))
            outcome = body(rt)
            if outcome is not None and outcome != CONTINUE:
                if outcome == BREAK:
                    break
                return outcome
        return None

    return loop


# --------------------------------------------------------------------------- switch

_IsCase = Callable[[Runtime, Value], bool]


def compile_switch(compiler: Compiler, node: Switch) -> Step:
    """Compile gawk's ``switch``; a case continues with the next one unless it breaks."""
    value = compiler.value(node.subject)
    labels: list[tuple[_IsCase | None, int]] = []
    steps: list[Step] = []
    for case in node.cases:
        labels.append((None if case.label is None else _compile_label(compiler, case.label), len(steps)))
        steps += [compiler.statement(inner) for inner in case.statements]
    default = next((at for test, at in labels if test is None), len(steps))

    def switch(rt: Runtime) -> int | None:
        subject = scalar(rt, value(rt))
        start = default
        for test, at in labels:
            if test is not None and test(rt, subject):
                start = at
                break
        for step in steps[start:]:
            outcome = step(rt)
            if outcome == BREAK:
                return None
            if outcome is not None:
                return outcome
        return None

    return switch


def _compile_label(compiler: Compiler, label: Expression) -> _IsCase:
    if isinstance(label, Ere) or (isinstance(label, String) and isinstance(label.value, Regexp)):
        source = label.source if isinstance(label, Ere) else str(label.value)
        return lambda rt, value: rt.pattern(source).test(rt.text(value))
    run = compiler.value(label)

    def is_case(rt: Runtime, value: Value) -> bool:
        label_value = run(rt)
        if type(label_value) is str and type(value) is float:
            return False
        if rt.icase:
            label_value, value = fold_case(label_value), fold_case(value)
        return order(value, label_value, rt.convfmt) == 0

    return is_case


# --------------------------------------------------------------------------- jumps


def compile_break(compiler: Compiler, node: Break) -> Step:
    """Compile ``break``."""
    return lambda rt: BREAK


def compile_continue(compiler: Compiler, node: Continue) -> Step:
    """Compile ``continue``."""
    return lambda rt: CONTINUE


def compile_next(compiler: Compiler, node: Next) -> Step:
    """Compile ``next``."""
    return _raise(NextRecord, compiler.line) if compiler.function is not None else lambda rt: NEXT


def compile_next_file(compiler: Compiler, node: NextFile) -> Step:
    """Compile ``nextfile``."""
    return _raise(NextInput, compiler.line) if compiler.function is not None else lambda rt: NEXTFILE


def _raise(exception: type[NextRecord | NextInput], line: int) -> Step:
    """Return a step that leaves a function and the rule that called it."""

    def leave(rt: Runtime) -> NoReturn:
        raise exception(line)

    return leave


def compile_exit(compiler: Compiler, node: Exit) -> Step:
    """Compile ``exit``; without a status, the status of an earlier exit remains."""
    status = None if node.status is None else compiler.number(node.status)

    def exit_(rt: Runtime) -> NoReturn:
        if status is not None:
            number = status(rt)
            rt.status = int(number) & 0xFF if number - number == 0.0 else 0
        raise ProgramExit

    return exit_


def compile_return(compiler: Compiler, node: Return) -> Step:
    """Compile ``return``; the value is stored in ``Runtime.value``."""
    value = None if node.value is None else compiler.value(node.value)

    def return_(rt: Runtime) -> int:
        rt.value = None if value is None else scalar(rt, value(rt))
        return RETURN

    return return_


# --------------------------------------------------------------------------- delete


def compile_delete(compiler: Compiler, node: Delete) -> Step:
    """Compile ``delete``."""
    target = node.target
    if not isinstance(target, Element):
        array = compile_array(compiler, target)
        return lambda rt: rt.clear(array(rt))
    array, key = compile_array(compiler, target.array), compile_key(compiler, target.subscripts)

    def delete(rt: Runtime) -> None:
        rt.delete_element(array(rt), key(rt))

    return delete

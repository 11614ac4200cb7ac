"""Loops, if, and arithmetic commands (POSIX.1-2024 XCU 2.9.4; bash 5.2 manual 3.2.5).

Loops charge nothing themselves: every command that can be in one does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sandhook.expand.shapes import FieldsOf
from sandhook.expand.text import Integer
from sandhook.interp.compile.arguments import MANY, charge_fields
from sandhook.interp.compile.command import report_bad_name
from sandhook.interp.compile.counting import Turns
from sandhook.interp.compile.deferred import Deferred
from sandhook.interp.compile.lists import compile_body
from sandhook.interp.compile.protocol import Compiler, Run
from sandhook.interp.compile.wrappers import assign_last_argument
from sandhook.lazy import lazily
from sandhook.state.assignment import point
from sandhook.state.control import BreakLoop, ContinueLoop, ExitShell, ShellError
from sandhook.state.state import State
from sandhook.syntax.nodes import (
    ArithmeticCommand,
    ArithmeticFor,
    For,
    If,
    Literal,
    Select,
    While,
    Word,
)
from sandhook.text.names import is_name


def compile_if(compiler: Compiler, node: If) -> Run:
    first = compiler.condition(node.clauses[0].condition)
    first_body = Deferred(partial(compiler.list, node.clauses[0].body))
    clauses = [
        (
            Deferred(partial(compiler.condition, clause.condition)),
            Deferred(partial(compiler.list, clause.body)),
        )
        for clause in node.clauses[1:]
    ]
    otherwise = Deferred(partial(compiler.list, node.otherwise)) if node.otherwise is not None else None

    def run_if(state: State) -> int:
        state.errexit_suppressed += 1
        status = first(state)
        state.errexit_suppressed -= 1
        if status == 0:
            return (first_body.run or first_body.first)(state)
        for condition, body in clauses:
            state.errexit_suppressed += 1
            status = (condition.run or condition.first)(state)
            state.errexit_suppressed -= 1
            if status == 0:
                return (body.run or body.first)(state)
        if otherwise is not None:
            return (otherwise.run or otherwise.first)(state)
        if state.pipestatus is None:
            state.pipestatus = [status]  # that of the last condition
        state.status = 0
        return 0

    return run_if


def compile_while(compiler: Compiler, node: While) -> Run:
    condition = compiler.condition(node.condition)
    body, checked = compile_body(compiler, node.body)
    until, turns = node.until, Turns(node)

    def run_while(state: State) -> int:
        status = 0
        outer, loops = state.errexit_suppressed, state.loops
        state.loops = loops + 1
        try:
            while True:
                try:
                    state.errexit_suppressed = outer + 1
                    try:
                        is_false = condition(state) != 0
                    except BreakLoop as control:  # even "! break" leaves the body's status
                        control.status = status
                        raise
                    state.errexit_suppressed = outer
                    if is_false is not until:
                        if state.pipestatus is None:
                            state.pipestatus = [state.status]  # that of the condition
                        break
                    status = body(state)
                    if status and checked is not None:
                        state.shell.failed(state, status, checked)
                    run_turns = turns.run
                    if run_turns is not None and run_turns(state, (), 0):
                        status = state.status
                except ContinueLoop as control:
                    status = _continue_loop(state, control, outer)
        except BreakLoop as control:
            status = _break_loop(state, control, outer)
        finally:
            state.loops = loops
        state.status = status
        return status

    return run_while


def _continue_loop(state: State, control: ContinueLoop, outer: int) -> int:
    """Handle ``continue``: return the status of the iteration, or raise for an outer loop."""
    state.errexit_suppressed = outer
    if control.levels > 1:
        raise ContinueLoop(control.levels - 1, control.status) from None
    return control.status


def _break_loop(state: State, control: BreakLoop, outer: int) -> int:
    """Handle ``break``: return the status of the loop, or raise for an outer loop."""
    state.errexit_suppressed = outer
    if control.levels > 1:
        raise BreakLoop(control.levels - 1, control.status) from None
    return control.status


def _loop(state: State, items: Callable[[], bool], body: Run) -> int:
    """Run ``body`` while ``items()`` is true; handle break and continue."""
    status = 0
    outer, loops = state.errexit_suppressed, state.loops
    state.loops = loops + 1
    try:
        while items():
            try:
                status = body(state)
            except ContinueLoop as control:
                status = _continue_loop(state, control, outer)
    except BreakLoop as control:
        status = _break_loop(state, control, outer)
    finally:
        state.loops = loops
    state.status = status
    return status


def _compile_values(compiler: Compiler, words: Sequence[Word] | None) -> FieldsOf:
    """Compile the words of ``for`` and ``select`` to a closure that returns their fields, a new list in each call."""
    if words is None:
        return lambda state: state.positional.copy()
    makers = [compiler.words.fields(word) for word in words]

    def values_of(state: State) -> list[str]:
        fields: list[str] = []
        for fields_of in makers:
            fields += fields_of(state)
        if len(fields) > MANY:
            charge_fields(state, len(fields))
        return fields

    return values_of


_NUMBER = lazily(r"(?a)[ \t]*[-+]?[0-9]{1,18}[ \t]*")  # a valid reply to select


def _compile_bad_name(name: str, line: int) -> Run:
    """Compile a loop whose variable is not a name: the grammar accepts it, and running it is an error."""

    def report(state: State) -> int:
        state.budget.charge(1)
        state.line = line
        return report_bad_name(state, name)

    return report


def compile_for(compiler: Compiler, node: For) -> Run:
    name, line = node.name, node.line
    if not is_name(name):
        return _compile_bad_name(name, line)
    values_of = _compile_values(compiler, node.words)
    body = plain = compiler.list(node.body)
    if name == "_" and compiler.records_last_argument:
        body = assign_last_argument(body)
    turns = Turns(node)
    if body is not plain:
        turns.run = None  # its turns do not assign it

    def run_for(state: State) -> int:
        state.line = line
        outer, loops = state.errexit_suppressed, state.loops
        state.loops = loops + 1  # as in bash, substitutions of the list are in the loop
        try:
            values = values_of(state)
        except ShellError as error:
            return state.shell.fatal_error(state, error)
        finally:
            state.loops = loops

        state.loops = loops + 1
        if not values and state.pipestatus is None:
            state.pipestatus = [state.status]
        at, count, status = 0, len(values), 0
        try:
            while True:  # Python 3.11 specializes no loop whose condition is at its end
                if at >= count:
                    break
                value = values[at]
                at += 1
                if state.instrumented:
                    state.line = line
                    state.shell.trace_for(state, name, node.words)
                    if state.shell.debug(state, node):
                        continue
                if name in state.namerefs:
                    point(state, name, value)
                else:
                    state.set(name, value)
                try:
                    status = body(state)
                except ContinueLoop as control:
                    status = _continue_loop(state, control, outer)
                run_turns = turns.run
                if run_turns is not None and (turned := run_turns(state, values, at)):
                    at += turned
                    status = state.status
        except BreakLoop as control:
            status = _break_loop(state, control, outer)
        except ShellError as error:  # the variable rejects the value: this ends only the loop
            status = _report_bad_value(state, error)
        finally:
            state.loops = loops
        state.status = status
        return status

    return run_for


def _report_bad_value(state: State, error: ShellError) -> int:
    """Report that a loop's variable rejects a value; in posix mode this ends the shell."""
    if error.ends == "shell" or error.reason == "expression":
        return state.shell.fatal_error(state, error)
    state.shell.assignment_error(state, error)
    if state.options.posix:
        raise ExitShell(state.shell.fatal_status(state, 127))
    return 1


def compile_select(compiler: Compiler, node: Select) -> Run:
    name, line = node.name, node.line
    if not is_name(name):
        return _compile_bad_name(name, line)
    values_of = _compile_values(compiler, node.words)
    body = compiler.list(node.body)

    def run_select(state: State) -> int:
        state.line = line
        if state.instrumented:
            state.shell.trace_node(state, node)
            if state.shell.debug(state, node):
                return 0
        state.loops += 1
        try:
            values = values_of(state)
        except ShellError as error:
            return state.shell.fatal_error(state, error)
        finally:
            state.loops -= 1
        if not values:
            state.status = 0
            return 0
        has_menu = False
        has_failed = False

        def read_choice() -> bool:
            nonlocal has_menu, has_failed
            reply = state.shell.ask_selection(state, values, menu=not has_menu or not state.get("REPLY"))
            while reply == "":
                reply = state.shell.ask_selection(state, values, menu=True)
            has_menu = True
            if reply is None:
                has_failed = True
                return False
            number = int(reply) if _NUMBER.fullmatch(reply) else 0
            try:
                state.set(name, values[number - 1] if 1 <= number <= len(values) else "")
            except ShellError as error:
                _report_bad_value(state, error)
                has_failed = True
                return False
            return True

        status = _loop(state, read_choice, body)
        if has_failed:
            state.status = status = 1
        return status

    return run_select


def compile_arithmetic_for(compiler: Compiler, node: ArithmeticFor) -> Run:
    line = node.line
    expressions = (node.init, node.condition, node.update)
    plain = [compiler.words.arithmetic(word) if word.parts else None for word in expressions]
    traced = [_compile_traced(compiler, word, value, line) for word, value in zip(expressions, plain)]
    body, checked = compile_body(compiler, node.body)
    turns = Turns(node)

    def run_arithmetic_for(state: State) -> int:
        state.line = line
        status = 0
        outer, loops = state.errexit_suppressed, state.loops
        state.loops = loops + 1
        is_instrumented = state.instrumented
        init, condition, update = traced if is_instrumented else plain
        try:
            if init is not None:
                init(state)
            goes_on: int | None = condition is None or condition(state)
            while True:  # see run_for
                if not goes_on:
                    break
                try:
                    status = body(state)
                    if status and checked is not None:
                        state.shell.failed(state, status, checked)
                except ContinueLoop as control:
                    status = _continue_loop(state, control, outer)
                state.line = line
                if state.instrumented is not is_instrumented:  # the body set or removed a DEBUG trap
                    is_instrumented = state.instrumented
                    _, condition, update = traced if is_instrumented else plain
                advance = turns.advance
                if advance is not None and not is_instrumented:
                    goes_on = advance(state)
                    if goes_on is not None:
                        continue
                if update is not None:
                    update(state)
                run_turns = turns.run
                if run_turns is not None and run_turns(state, (), 0):
                    status = state.status
                goes_on = condition is None or condition(state)
        except BreakLoop as control:
            status = _break_loop(state, control, outer)
        except ShellError as error:
            return state.shell.expression_error(state, error, "((")
        finally:
            state.loops = loops
        state.status = status
        return status

    return run_arithmetic_for


def _compile_traced(compiler: Compiler, word: Word, value: Integer | None, line: int) -> Integer:
    """Compile an expression of ``for ((`` that is traced before its evaluation; an empty one is 1."""
    if not word.parts:
        word = Word((Literal("1"),))
    node = ArithmeticCommand(word, ())
    shown = _compile_shown(compiler, word, node)

    def trace_and_evaluate(state: State) -> int:
        state.line = line
        if state.options.xtrace:
            return shown(state)
        if state.shell.debug(state, node):
            return 0
        return value(state) if value is not None else 1

    return trace_and_evaluate


class _Skipped(Exception):
    """The DEBUG trap skips an expression."""


def _compile_shown(compiler: Compiler, word: Word, debugged: ArithmeticCommand | None = None) -> Integer:
    """Compile an expression that ``set -x`` prints after its expansions and before its evaluation.

    Args:
        compiler: The compiler of the command.
        word: The expression.
        debugged: The command whose DEBUG trap runs after the expression is printed; None for no trap.
    """
    cache: list[Integer] = []  # few expressions are traced

    def show(state: State, text: str) -> None:
        state.shell.trace_line(state, f"(( {text} ))")
        if debugged is not None and state.shell.debug(state, debugged):
            raise _Skipped

    def run(state: State) -> int:
        if not cache:
            from sandhook.expand.integer import compile_shown

            cache.append(compile_shown(word, compiler.words, show))
        try:
            return cache[0](state)
        except _Skipped:
            return 0

    return run


def compile_arithmetic(compiler: Compiler, node: ArithmeticCommand) -> Run:
    value, shown = compiler.words.arithmetic(node.expression), _compile_shown(compiler, node.expression)
    line = node.line

    def run_arithmetic(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        if state.instrumented and state.shell.debug(state, node):
            return 0
        try:
            status = 0 if (shown if state.options.xtrace else value)(state) else 1
        except ShellError as error:
            return state.shell.expression_error(state, error, "((")
        state.status = status
        state.pipestatus = None
        return status

    return run_arithmetic

"""Loops, if, case, and arithmetic commands (POSIX.1-2024 XCU 2.9.4; bash 5.2 manual 3.2.5).

Loops charge nothing themselves: every command that can be in one does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from sandhook.expand.locale import as_bytes, goes_by_bytes
from sandhook.expand.shapes import FieldsOf
from sandhook.expand.text import Text
from sandhook.interp.compile.arguments import MANY, charge_fields
from sandhook.interp.compile.protocol import Compiler
from sandhook.lazy import lazily
from sandhook.pattern.glob import Matches, compile_pattern
from sandhook.state.assignment import point
from sandhook.state.control import BreakLoop, ContinueLoop, ExitShell, ShellError
from sandhook.state.state import State
from sandhook.syntax.nodes import (
    ArithmeticCommand,
    ArithmeticFor,
    Case,
    CaseClause,
    For,
    If,
    Literal,
    Select,
    While,
    Word,
)
from sandhook.text.names import is_name

Run: TypeAlias = Callable[[State], int]
Integer: TypeAlias = Callable[[State], int]


def compile_if(compiler: Compiler, node: If) -> Run:
    clauses = [(compiler.condition(clause.condition), compiler.list(clause.body)) for clause in node.clauses]
    otherwise = compiler.list(node.otherwise) if node.otherwise is not None else None

    def run_if(state: State) -> int:
        for condition, body in clauses:
            state.errexit_suppressed += 1
            status = condition(state)
            state.errexit_suppressed -= 1
            if status == 0:
                return body(state)
        if otherwise is not None:
            return otherwise(state)
        if state.pipestatus is None:
            state.pipestatus = [status]  # that of the last condition
        state.status = 0
        return 0

    return run_if


def compile_while(compiler: Compiler, node: While) -> Run:
    condition, body = compiler.condition(node.condition), compiler.list(node.body)
    until = node.until

    def run_while(state: State) -> int:
        status = 0
        tested, loops = state.errexit_suppressed, state.loops
        state.loops = loops + 1
        try:
            while True:
                try:
                    state.errexit_suppressed = tested + 1
                    try:
                        failed = condition(state) != 0
                    except BreakLoop as control:  # even "! break" leaves the body's status
                        control.status = status
                        raise
                    state.errexit_suppressed = tested
                    if failed is not until:
                        if state.pipestatus is None:
                            state.pipestatus = [state.status]  # that of the condition
                        break
                    status = body(state)
                except ContinueLoop as control:
                    status = _go_on(state, control, tested)
        except BreakLoop as control:
            status = _leave(state, control, tested)
        finally:
            state.loops = loops
        state.status = status
        return status

    return run_while


def _go_on(state: State, control: ContinueLoop, tested: int) -> int:
    """Act on ``continue``: return the status of the turn, or pass the control on to an outer loop."""
    state.errexit_suppressed = tested
    if control.levels > 1:
        raise ContinueLoop(control.levels - 1, control.status) from None
    return control.status


def _leave(state: State, control: BreakLoop, tested: int) -> int:
    """Act on ``break``: return the status of the loop, or pass the control on to an outer one."""
    state.errexit_suppressed = tested
    if control.levels > 1:
        raise BreakLoop(control.levels - 1, control.status) from None
    return control.status


def _loop(state: State, items: Callable[[], bool], body: Run) -> int:
    """Run ``body`` as long as ``items()`` is true, with break and continue."""
    status = 0
    tested, loops = state.errexit_suppressed, state.loops
    state.loops = loops + 1
    try:
        while items():
            try:
                status = body(state)
            except ContinueLoop as control:
                status = _go_on(state, control, tested)
    except BreakLoop as control:
        status = _leave(state, control, tested)
    finally:
        state.loops = loops
    state.status = status
    return status


def _expand(state: State, words: list[FieldsOf] | None) -> list[str]:
    if words is None:
        return state.positional.copy()
    found: list[str] = []
    for fields in words:
        found += fields(state)
    if len(found) > MANY:
        charge_fields(state, len(found))
    return found


_NUMBER = lazily(r"[ \t]*[-+]?[0-9]{1,18}[ \t]*", re.ASCII)  # a reply to select


def _misnamed(name: str, line: int) -> Run:
    """Return a closure that fails, for a loop whose variable is not a name: the grammar accepts it."""

    def refuse(state: State) -> int:
        state.budget.charge(1)
        state.line = line
        return report_bad_name(state, name)

    return refuse


def report_bad_name(state: State, name: str) -> int:
    """Report that a loop's variable or a function cannot have a name; it ends a shell in posix mode."""
    state.shell.error(state, f"`{name}': not a valid identifier")
    if state.options.posix:
        raise ExitShell(2)
    state.status = 1
    return 1


def compile_for(compiler: Compiler, node: For) -> Run:
    name, line = node.name, node.line
    if not is_name(name):
        return _misnamed(name, line)
    words = [compiler.words.fields(word) for word in node.words] if node.words is not None else None
    body = compiler.list(node.body)

    def run_for(state: State) -> int:
        state.line = line
        try:
            values = _expand(state, words)
        except ShellError as error:
            return state.shell.fatal_error(state, error)

        status = 0
        tested, loops = state.errexit_suppressed, state.loops
        state.loops = loops + 1
        try:
            for value in values:
                if state.instrumented:
                    if state.shell.debug(state, node):
                        continue
                    state.shell.trace_for(state, name, node.words)
                if name in state.namerefs:
                    point(state, name, value)
                else:
                    state.set(name, value)
                try:
                    status = body(state)
                except ContinueLoop as control:
                    status = _go_on(state, control, tested)
        except BreakLoop as control:
            status = _leave(state, control, tested)
        except ShellError as error:  # the variable does not take the value: the loop alone ends
            status = _refuse_value(state, error)
        finally:
            state.loops = loops
        state.status = status
        return status

    return run_for


def _refuse_value(state: State, error: ShellError) -> int:
    """Report that a loop's variable rejects a value; it ends a shell in posix mode."""
    state.shell.assignment_error(state, error)
    if state.options.posix:
        raise ExitShell(state.shell.fatal_status(state, 127))
    return 1


def compile_select(compiler: Compiler, node: Select) -> Run:
    name, line = node.name, node.line
    if not is_name(name):
        return _misnamed(name, line)
    words = [compiler.words.fields(word) for word in node.words] if node.words is not None else None
    body = compiler.list(node.body)

    def run_select(state: State) -> int:
        state.line = line
        try:
            values = _expand(state, words)
        except ShellError as error:
            return state.shell.fatal_error(state, error)
        if state.instrumented:
            if state.shell.debug(state, node):
                return 0
            state.shell.trace_node(state, node)
        if not values:
            state.status = 0
            return 0
        asked = False
        ended = False

        def ask() -> bool:
            nonlocal asked, ended
            reply = state.shell.ask_selection(state, values, menu=not asked or not state.get("REPLY"))
            while reply == "":
                reply = state.shell.ask_selection(state, values, menu=True)
            asked = True
            if reply is None:
                ended = True
                return False
            number = int(reply) if _NUMBER.fullmatch(reply) else 0
            try:
                state.set(name, values[number - 1] if 1 <= number <= len(values) else "")
            except ShellError as error:
                state.shell.error(state, error.message)
                ended = True
                return False
            return True

        status = _loop(state, ask, body)
        if ended:
            state.status = status = 1
        return status

    return run_select


def compile_arithmetic_for(compiler: Compiler, node: ArithmeticFor) -> Run:
    line = node.line
    expressions = (node.init, node.condition, node.update)
    plain = [compiler.words.arithmetic(word) if word.parts else None for word in expressions]
    traced = [_traced(word, value) for word, value in zip(expressions, plain)]
    body = compiler.list(node.body)

    def run_arithmetic_for(state: State) -> int:
        state.line = line
        status = 0
        tested, loops = state.errexit_suppressed, state.loops
        state.loops = loops + 1
        watched = state.instrumented
        init, condition, update = traced if watched else plain
        try:
            if init is not None:
                init(state)
            while condition is None or condition(state):
                try:
                    status = body(state)
                except ContinueLoop as control:
                    status = _go_on(state, control, tested)
                if state.instrumented is not watched:  # a DEBUG trap was set, or removed
                    watched = state.instrumented
                    _, condition, update = traced if watched else plain
                if update is not None:
                    update(state)
        except BreakLoop as control:
            status = _leave(state, control, tested)
        except ShellError as error:
            return state.shell.expression_error(state, error, "((")
        finally:
            state.loops = loops
        state.status = status
        return status

    return run_arithmetic_for


def _traced(word: Word, value: Integer | None) -> Integer:
    """Show an expression of ``for ((`` before its evaluation; an empty one counts as 1."""
    if not word.parts:
        word = Word((Literal("1"),))
    node = ArithmeticCommand(word, ())

    def show(state: State) -> int:
        if state.shell.debug(state, node):
            return 0
        state.shell.trace_text(state, "((", word, "))")
        return value(state) if value is not None else 1

    return show


def compile_arithmetic(compiler: Compiler, node: ArithmeticCommand) -> Run:
    value = compiler.words.arithmetic(node.expression)
    line = node.line

    def run_arithmetic(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        if state.instrumented:
            if state.shell.debug(state, node):
                return 0
            state.shell.trace_text(state, "((", node.expression, "))")
        try:
            status = 0 if value(state) else 1
        except ShellError as error:
            return state.shell.expression_error(state, error, "((")
        state.status = status
        state.pipestatus = None
        return status

    return run_arithmetic


def compile_case(compiler: Compiler, node: Case) -> Run:
    subject = compiler.words.operand(node.subject)
    line = node.line
    clauses = [_compile_clause(compiler, clause) for clause in node.clauses]

    def run_case(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        state.line = line
        if state.instrumented and state.shell.debug(state, node):
            return 0
        try:
            text = subject(state)
        except ShellError as error:
            return state.shell.fatal_error(state, error)
        if state.instrumented:
            state.shell.trace_node(state, node)
        status = 0
        fall_through = False
        options = state.options
        plain = not (
            options.extglob or options.nocasematch or not (text.isascii() or not goes_by_bytes(state))
        )
        charge = budget.charge
        state.status = 0 if not clauses else state.status
        for fixed, patterns, body, terminator in clauses:
            if not fall_through:
                if plain and fixed is not None:
                    literals, others = fixed.compiled or fixed.compile()
                    if text not in literals:
                        for matches in others:
                            if matches(text, charge):
                                break
                        else:
                            continue
                else:
                    try:
                        if not _matches(state, patterns, text):
                            continue
                    except ShellError as error:
                        return state.shell.fatal_error(state, error)
            status = body(state) if body is not None else 0
            if terminator == ";;":
                state.status = status
                return status
            fall_through = terminator == ";&"
        state.status = status
        return status

    return run_case


class FixedPatterns:
    """The patterns of a clause that no run changes, compiled when they are first looked at.

    They are read without extglob and nocasematch; a shell with these takes the general way.

    Attributes:
        compiled: The texts that patterns without special characters match, and what the others match with.
    """

    __slots__ = ("_texts", "compiled")

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self.compiled: tuple[frozenset[str], tuple[Matches, ...]] | None = None

    def compile(self) -> tuple[frozenset[str], tuple[Matches, ...]]:
        patterns = [compile_pattern(text, extglob=False) for text in self._texts]
        literals = frozenset(pattern.literal_text for pattern in patterns if pattern.is_literal)
        others = tuple(pattern.matches for pattern in patterns if not pattern.is_literal)
        self.compiled = made = (literals, others)
        return made


def _compile_clause(
    compiler: Compiler, clause: CaseClause
) -> tuple[FixedPatterns | None, list[Text], Run | None, str]:
    texts = [compiler.words.fixed_operand_pattern(word) for word in clause.patterns]
    known = [text for text in texts if text is not None]
    return (
        FixedPatterns(known) if len(known) == len(texts) else None,
        [compiler.words.operand_pattern(word) for word in clause.patterns],
        compiler.list(clause.body) if clause.body is not None else None,
        clause.terminator,
    )


def _matches(state: State, patterns: list[Text], text: str) -> bool:
    options = state.options
    bytewise = not text.isascii() and goes_by_bytes(state)
    if bytewise:
        text = as_bytes(text)
    for pattern in patterns:
        shown = as_bytes(pattern(state)) if bytewise else pattern(state)
        compiled = compile_pattern(shown, extglob=options.extglob, nocase=options.nocasematch)
        if compiled.matches(text, state.budget.charge):
            return True
    return False


__all__ = [
    "Word", "compile_arithmetic", "compile_arithmetic_for", "compile_case", "compile_for", "compile_if",
    "compile_select", "compile_while",
]  # fmt: skip

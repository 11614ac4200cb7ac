"""case (POSIX.1-2024 XCU 2.9.4.3; bash 5.2 manual 3.2.5.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sandhook.expand.text import Text
from sandhook.interp.compile.deferred import Deferred
from sandhook.interp.compile.protocol import Compiler, Run
from sandhook.pattern.glob import Matches, compile_pattern
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.syntax.nodes import Case, CaseClause
from sandhook.text.locale import as_bytes, characters_are_bytes


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
        if state.instrumented:
            state.shell.trace_node(state, node)
            if state.shell.debug(state, node):
                return 0
        try:
            text = subject(state)
        except ShellError as error:
            return state.shell.fatal_error(state, error)
        status = 0
        fall_through = False
        options = state.options
        plain = not (
            options.extglob
            or options.nocasematch
            or not (text.isascii() or not characters_are_bytes(state.get))
        )
        charge = budget.charge
        state.status = 0 if not clauses else state.status
        for fixed, patterns, body, terminator in clauses:
            if not fall_through:
                if plain and fixed is not None:
                    literals, matchers = fixed.cache or fixed.compile()
                    if text not in literals:
                        for matches in matchers:
                            if matches(text, charge):
                                break
                        else:
                            continue
                else:
                    try:
                        if not _matches(state, patterns(), text):
                            continue
                    except ShellError as error:
                        return state.shell.fatal_error(state, error)
            status = (body.run or body.first)(state) if body is not None else 0
            if terminator == ";;":
                state.status = status
                return status
            fall_through = terminator == ";&"
        state.status = status
        return status

    return run_case


class FixedPatterns:
    """The constant patterns of a clause, compiled at their first use.

    They are parsed without extglob and nocasematch; a shell with these options does not use this class.

    Attributes:
        cache: The texts that patterns without special characters match, and the matchers of the other patterns.
    """

    __slots__ = ("_texts", "cache")

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self.cache: tuple[frozenset[str], tuple[Matches, ...]] | None = None

    def compile(self) -> tuple[frozenset[str], tuple[Matches, ...]]:
        patterns = [compile_pattern(text, extglob=False) for text in self._texts]
        literals = frozenset(pattern.literal_text for pattern in patterns if pattern.is_literal)
        matchers = tuple(pattern.matches for pattern in patterns if not pattern.is_literal)
        self.cache = (literals, matchers)
        return self.cache


def _compile_clause(
    compiler: Compiler, clause: CaseClause
) -> tuple[FixedPatterns | None, Callable[[], list[Text]], Deferred | None, str]:
    texts = [compiler.words.fixed_operand_pattern(word) for word in clause.patterns]
    fixed_texts = [text for text in texts if text is not None]
    return (
        FixedPatterns(fixed_texts) if len(fixed_texts) == len(texts) else None,
        _patterns_at_first_use(compiler, clause),
        Deferred(partial(compiler.list, clause.body)) if clause.body is not None else None,
        clause.terminator,
    )


def _patterns_at_first_use(compiler: Compiler, clause: CaseClause) -> Callable[[], list[Text]]:
    """Return a function that compiles the patterns once: fixed ones are seldom needed in this form."""
    compiled: list[list[Text]] = []

    def patterns() -> list[Text]:
        if not compiled:
            compiled.append([compiler.words.operand_pattern(word) for word in clause.patterns])
        return compiled[0]

    return patterns


def _matches(state: State, patterns: list[Text], text: str) -> bool:
    options = state.options
    bytewise = not text.isascii() and characters_are_bytes(state.get)
    if bytewise:
        text = as_bytes(text)
    for pattern_of in patterns:
        pattern_text = as_bytes(pattern_of(state)) if bytewise else pattern_of(state)
        pattern = compile_pattern(pattern_text, extglob=options.extglob, nocase=options.nocasematch)
        if pattern.matches(text, state.budget.charge):
            return True
    return False

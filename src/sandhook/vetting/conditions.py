"""Tests of scripts: ``[[ ]]``, ``(( ))`` and ``case``, and what they decide by."""

from __future__ import annotations

import re

from sandhook.syntax import nodes as ast
from sandhook.vetting.redirections import Redirections
from sandhook.vetting.state import ShellState
from sandhook.vetting.tests import is_part, kinds_of_test, of_circumstances, of_pattern, written
from sandhook.vetting.values import EMPTY, HOLE, Value
from sandhook.vetting.variables import computed_names
from sandhook.vetting.words import Words

_NUMERIC = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})


class Conditions(Redirections):
    """Follows tests; a subclass follows commands."""

    tests: int
    sought: list[str]
    _now: tuple[int, int]

    def chosen(self, clause: ast.CaseClause, node: ast.Case, state: ShellState) -> None:
        subject = self.words(state).value(node.subject)
        found = {of_pattern(subject, written(pattern), expression=False) for pattern in clause.patterns}
        state.tests |= frozenset(filter(None, found)) | kinds_of_test(subject, clause.patterns)
        state.tests |= of_circumstances(subject)

    def seek(self, value: Value) -> None:
        """Keep the literal parts of what a script looks for in its payload."""
        for text in value.texts:
            self.sought += [
                part.strip(" *^$()[]\\\"'") for part in re.split(rf"[{HOLE}*|?]|\\.[*+]|\\\\[bsw][+*]?", text)
            ]

    def other(self, node: ast.Node, state: ShellState) -> Value:
        words = self.words(state)
        if isinstance(node, ast.ConditionalCommand):
            self._now = self.place(node)
            self.tests += 1
            for part in ast.walk(node.expression):
                if isinstance(part, (ast.CondUnary, ast.CondBinary)):
                    self._condition(part, words, state)
        elif isinstance(node, ast.ArithmeticCommand):
            self._now = self.place(node)
            for each in ast.walk(node.expression):
                if isinstance(each, ast.Literal):
                    state.declared |= computed_names(each.text)
            state.tests |= of_circumstances(words.evaluate(node.expression))
        return EMPTY

    def _condition(self, node: ast.CondUnary | ast.CondBinary, words: Words, state: ShellState) -> None:
        """Follow one test of a ``[[ ]]``."""
        if isinstance(node, ast.CondUnary):
            value = words.value(node.operand)
            if node.operator == "-v":
                self._commands.evaluated(value, "arithmetic", state, self._now)
            state.tests |= of_circumstances(value)
            self.seek(value)
            return
        left, right = words.value(node.left), words.value(node.right)
        if node.operator in _NUMERIC:
            words.evaluate(node.left)
            words.evaluate(node.right)
        elif node.operator in ("==", "=", "=~"):
            is_expression = node.operator == "=~" or is_part(node.left)
            pattern = right.any_text if node.operator == "=~" else written(node.right)
            found = of_pattern(left, pattern, expression=is_expression)
            state.tests |= frozenset(filter(None, [found]))
            state.tests |= kinds_of_test(left, [node.right])
            self._commands.compared(left, right, self._now)
            if node.operator == "=~":
                state.set_elements("BASH_REMATCH", [left.without_text()])
        state.tests |= of_circumstances(left) | of_circumstances(right)
        self.seek(left)
        self.seek(right)

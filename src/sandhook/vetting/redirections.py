"""Redirections: where the input of a command comes from, and where its output goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.syntax import nodes as ast
from sandhook.syntax import parse_heredoc
from sandhook.syntax.paths import Paths
from sandhook.vetting.commands import Commands
from sandhook.vetting.notes import Notes
from sandhook.vetting.state import ShellState
from sandhook.vetting.values import EMPTY, UNKNOWN, Value, concatenated, known
from sandhook.vetting.words import Words

#: Operators that write to a file.
WRITING = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})


class Redirections(Paths["ShellState", Value]):
    """Follows redirections; a subclass follows commands."""

    notes: Notes
    file: str
    captured: int
    _commands: Commands

    def words(self, state: ShellState) -> Words:
        """Return the reader of words for a state."""
        raise NotImplementedError

    def place(self, node: ast.Node) -> tuple[int, int]:
        """Return line and column of a command."""
        raise NotImplementedError

    def _input(self, redirections: tuple[ast.Redirection, ...], state: ShellState, words: Words) -> Value:
        stdin = state.stdin
        for each in redirections:
            if each.document is not None:
                stdin = self.document(each.document, words)
            elif each.operator == "<<<":
                value = words.value(each.target)
                stdin = concatenated((value, known("\n")))
            elif each.operator == "<" and each.fd in (None, 0):
                value = words.value(each.target)
                process = next((p for p in each.target.parts if isinstance(p, ast.ProcessSubstitution)), None)
                stdin = value if process is not None else self._commands.source(value, state, each, self.file)
            elif each.operator == "<" and each.fd is not None:
                value = words.value(each.target)
                state.written[f"/dev/fd/{each.fd}"] = value
                state.written[f"/proc/self/fd/{each.fd}"] = value
            elif each.operator == "<&":
                stdin = state.written.get(f"/dev/fd/{words.value(each.target).any_text}", stdin)
        return stdin

    def document(self, node: ast.HereDocument, words: Words) -> Value:
        """Return the text of a here-document."""
        if node.quoted:
            return known(node.text)
        try:
            return words.value(parse_heredoc(node.text))
        except (ShellSyntaxError, LimitExceeded):
            return UNKNOWN

    def _redirected(
        self, redirections: tuple[ast.Redirection, ...], state: ShellState, output: Value, node: ast.Node
    ) -> Value:
        """Follow where the output of a command goes; return what reaches standard output."""
        words = self.words(state)
        for each in redirections:
            if each.variable is not None:
                state.declared |= {each.variable}
            if each.operator not in (*WRITING, ">&", "<"):
                continue
            target = words.value(each.target)
            self._commands.connection(target, state, self.place(node), self.file)
            if each.operator == ">&":
                if target.text == "2" and each.fd in (None, 1):
                    output = EMPTY
                if target.text is None or target.text.rstrip("-").isdecimal() or target.text == "-":
                    continue
            if each.operator == "<":
                continue
            content = output if each.fd in (None, 1) else None
            place = self.file, self.place(node)
            self._commands.sink(target, content, state, place, append=each.operator in (">>", "&>>"))
            if each.operator != ">>" and content == EMPTY:
                self._commands.emptied(target, state, self.place(node), self.file)
            if content is not None:
                output = EMPTY
        return output

    def around(self, node: ast.Node, state: ShellState, follow: Callable[[ShellState], Value]) -> Value:
        redirections = cast("tuple[ast.Redirection, ...]", getattr(node, "redirections", ()))
        outer = state.stdin
        if redirections:
            state.stdin = self._input(redirections, state, self.words(state))
        away = any(each.operator in WRITING and each.fd in (None, 1) for each in redirections)
        self.captured += away
        output = follow(state)
        self.captured -= away
        state.stdin = outer
        return self._redirected(redirections, state, output, node) if redirections else output

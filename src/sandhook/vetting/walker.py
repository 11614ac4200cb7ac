"""Follows a script through its tree: all branches, functions, substitutions, and the files that it executes.

Nothing is executed. Values of words are followed as far as they are known; a branch joins what holds after each of
its ways. Steps, depth and time are bounded: a script that exceeds them has a finding that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import cast

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.syntax import nodes as ast
from sandhook.syntax import parse_cached, parse_heredoc
from sandhook.vetting.bundle import Bundle
from sandhook.vetting.commands import Commands
from sandhook.vetting.notes import Notes
from sandhook.vetting.said import far_line, unseen_in
from sandhook.vetting.scratch import Scratch
from sandhook.vetting.state import PAYLOAD, ShellState
from sandhook.vetting.values import (
    EMPTY,
    HOLE,
    NOTHING,
    UNKNOWN,
    Origin,
    Origins,
    Value,
    concatenated,
    joined,
    known,
)
from sandhook.vetting.variables import check_assignment, origins_of, persists
from sandhook.vetting.words import Words

#: Commands and parts of words of one hook, and seconds.
MAX_STEPS, MAX_SECONDS = 40_000, 30.0

#: Scripts, functions and texts within each other.
MAX_DEPTH = 24

#: Words of a loop that are followed one by one.
MAX_ROUNDS = 64

_WRITING = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})


class TooComplex(Exception):
    """A script exceeds what is followed."""


class Walker:
    """Follows the scripts of one hook.

    Args:
        bundle: The files that the hook may execute.
        notes: Receives what the scripts do.
    """

    def __init__(self, bundle: Bundle, notes: Notes) -> None:
        self.bundle = bundle
        self.notes = notes
        self.scratch = Scratch()
        self.file = ""
        self.tests = 0
        self._at: tuple[int, int] | None = None
        self._text = ""
        self._depth = 0
        self._steps = 0
        self._deadline = monotonic() + MAX_SECONDS
        self._uncalled: dict[str, tuple[ast.Node, str, str]] = {}
        self._commands = Commands(self)

    # Texts.

    def hook(
        self, text: str, name: str, *, at: tuple[int, int] | None = None, variables: Mapping[str, str] = {}
    ) -> Value:
        """Follow the text of a hook, whose input is a payload; return its output.

        Args:
            name: The script, or the configuration that has the text.
            at: Line and column in the configuration; None for a script.
            variables: What the configuration sets.
        """
        state = ShellState(PAYLOAD, f"./{name}" if at is None else "bash")
        state.variables |= {each: known(value) for each, value in variables.items()}
        try:
            output = self.script(text, name, state, at)
            self._finish(state)
        except (TooComplex, RecursionError):
            self.notes.find("V-BOUND", f"{name}: not followed to its end", name, (0, 0))
            return UNKNOWN
        return output

    def script(self, text: str, name: str, state: ShellState, at: tuple[int, int] | None = None) -> Value:
        """Follow a file; places of findings are in it."""
        outer = self.file, self._at, self._text
        self.file, self._at, self._text = name, at, text
        line = far_line(text)
        if line:
            self.notes.find("V-HIDDEN-TEXT", "text after many blanks in a line", name, at or (line, 1))
        if (unseen := unseen_in(text)) is not None:
            self.notes.find("V-HIDDEN-TEXT", unseen, name, at or (1, 1))
        try:
            return self._parsed(text, state)
        finally:
            self.file, self._at, self._text = outer

    def text(self, text: str, state: ShellState, at: tuple[int, int]) -> Value:
        """Follow a text within a script; places of findings are those of the command that executes it."""
        outer = self._at
        self._at = at
        try:
            return self._parsed(text, state)
        finally:
            self._at = outer

    def _parsed(self, text: str, state: ShellState) -> Value:
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                raise TooComplex
            try:
                units = parse_cached(text)
            except (ShellSyntaxError, LimitExceeded) as error:
                self.notes.find("V-PARSE", str(error), self.file, self._at or (0, 0))
                return UNKNOWN
            return concatenated([self.body(unit, state) for unit in units])
        finally:
            self._depth -= 1

    def _finish(self, state: ShellState) -> None:
        """Follow the functions that nothing seems to call: a computed name may."""
        while self._uncalled:
            _, (body, file, text) = self._uncalled.popitem()
            inner = state.branch()
            inner.positional = None
            outer = self.file, self._text
            self.file, self._text = file, text
            self.body(body, inner)
            self.file, self._text = outer

    def place(self, node: ast.Node) -> tuple[int, int]:
        """Return line and column of a command."""
        if self._at is not None:
            return self._at
        line = cast(int, getattr(node, "line", 0))
        start = cast("tuple[int, int]", getattr(node, "span", (0, 0)))[0]
        return line, start - self._text.rfind("\n", 0, start) if line else 0

    # Commands.

    def body(self, node: ast.Node, state: ShellState) -> Value:
        """Follow a command or a list; return its output."""
        self._steps += 1
        if self._steps > MAX_STEPS or (not self._steps % 64 and monotonic() > self._deadline):
            raise TooComplex
        method = _METHODS.get(node.__class__)
        return EMPTY if method is None else method(self, node, state)

    def words(self, state: ShellState) -> Words:
        """Return the reader of words for a state."""

        def on_variable(name: str) -> Origins:
            return NOTHING if name in state.variables or name in state.arrays else self._from_outside(name)

        return Words(state, self.scratch, self.body, on_variable)

    def _from_outside(self, name: str) -> Origins:
        origins = origins_of(name)
        if origins is None:
            return NOTHING
        self.notes.variables.setdefault(name)
        return origins

    def outside(self, name: str) -> Value:
        """Return a variable of the environment."""
        return Value((HOLE,), self._from_outside(name))

    def simple(self, node: ast.SimpleCommand, state: ShellState) -> Value:
        """Follow a simple command."""
        words = self.words(state)
        stdin = self._input(node.redirections, state, words)
        fields: list[Value] = []
        nodes: list[ast.Word] = []
        for word in node.words:
            if isinstance(word, ast.Assignment):
                self.assign(word, state, node)
                continue
            values = words.fields(word)
            fields += values
            nodes += [word] * len(values)
        temporary = bool(fields)
        before = dict(state.variables) if temporary else state.variables
        for assignment in node.assignments:
            self.assign(assignment, state, node)
        outer, state.stdin = state.stdin, stdin
        output = self._commands.run(fields, nodes, state, node) if fields else EMPTY
        state.stdin = outer
        if temporary and node.assignments:
            for assignment in node.assignments:
                state.variables.pop(assignment.name, None)
                if assignment.name in before:
                    state.variables[assignment.name] = before[assignment.name]
        if fields and fields[0].text == "exec" and len(fields) == 1:
            state.stdin = stdin
        return self._redirected(node.redirections, state, output, node)

    def assign(self, node: ast.Assignment, state: ShellState, command: ast.SimpleCommand) -> None:
        """Follow an assignment, also one in ``export`` and the like."""
        words = self.words(state)
        if isinstance(node.value, ast.ArrayLiteral):
            elements: list[Value] = []
            for each in node.value.elements:
                elements += words.fields(each) if isinstance(each, ast.Word) else [words.value(each.value)]
            state.arrays[node.name] = (
                (*state.arrays.get(node.name, ()), *elements) if node.append else tuple(elements)
            )
            return
        value = words.value(node.value)
        if node.subscript is not None:
            state.arrays[node.name] = (*state.arrays.get(node.name, ()), value)
            return
        if node.append:
            value = concatenated((state.value(node.name), value))
            if len(value.texts) == 1 and value.text is not None and _is_letter(node.value, words):
                value = value.plus(Origin("mixed", "letters"))
        first = command.words[0] if command.words else None
        exported = isinstance(first, ast.Word) and words.value(first).text in ("export", "declare", "typeset")
        check_assignment(
            node.name,
            value,
            self.notes,
            self.file,
            self.place(command),
            exported=exported or bool(command.words),
        )
        state.variables[node.name] = value

    # Redirections.

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
            if each.operator not in (*_WRITING, ">&", "<"):
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
            self._commands.sink(target, content, state, self.place(node), self.file)
            if content is not None:
                output = EMPTY
        return output

    def _compound(self, node: ast.Node, state: ShellState, follow: Callable[[ShellState], Value]) -> Value:
        redirections = cast("tuple[ast.Redirection, ...]", getattr(node, "redirections", ()))
        outer = state.stdin
        if redirections:
            state.stdin = self._input(redirections, state, self.words(state))
        output = follow(state)
        state.stdin = outer
        return self._redirected(redirections, state, output, node) if redirections else output

    # Lists and compounds.

    def _list(self, node: ast.CommandList, state: ShellState) -> Value:
        outputs = []
        for item in node.items:
            if item.background:
                outputs.append(self.body(item.command, state.branch()))
                self.notes.find(
                    "V-BACKGROUND", "runs a command in the background", self.file, self.place(item.command)
                )
            else:
                outputs.append(self.body(item.command, state))
        return concatenated(outputs)

    def _and_or(self, node: ast.AndOr, state: ShellState) -> Value:
        outputs = [self.body(node.commands[0], state)]
        self.tests += 1
        for command in node.commands[1:]:
            inner = state.branch()
            outputs.append(self.body(command, inner))
            state.join(inner)
        return concatenated(outputs)

    def _pipeline(self, node: ast.Pipeline, state: ShellState) -> Value:
        if len(node.commands) == 1:
            return self.body(node.commands[0], state)
        output = state.stdin
        for index, command in enumerate(node.commands):
            inner = state.copy()
            if index:
                inner.stdin = output
            output = self.body(command, inner)
        self._commands.pipeline(node, self.place(node.commands[0]), self.file)
        return output

    def _subshell(self, node: ast.Subshell, state: ShellState) -> Value:
        return self._compound(node, state.copy(), lambda inner: self.body(node.body, inner))

    def _group(self, node: ast.BraceGroup, state: ShellState) -> Value:
        return self._compound(node, state, lambda inner: self.body(node.body, inner))

    def _if(self, node: ast.If, state: ShellState) -> Value:
        def follow(current: ShellState) -> Value:
            outputs: list[Value] = []
            ends: list[ShellState] = []
            for clause in node.clauses:
                outputs.append(self.body(clause.condition, current))
                self.tests += 1
                branch = current.branch()
                outputs.append(self.body(clause.body, branch))
                ends.append(branch)
            if node.otherwise is not None:
                branch = current.branch()
                outputs.append(self.body(node.otherwise, branch))
                current.become(branch)
            for branch in ends:
                current.join(branch)
            return concatenated(outputs)

        return self._compound(node, state, follow)

    def _case(self, node: ast.Case, state: ShellState) -> Value:
        def follow(current: ShellState) -> Value:
            self.words(current).value(node.subject)
            self.tests += 1
            outputs: list[Value] = []
            ends: list[ShellState] = []
            for clause in node.clauses:
                branch = current.branch()
                if clause.body is not None:
                    outputs.append(self.body(clause.body, branch))
                ends.append(branch)
            for branch in ends:
                current.join(branch)
            return concatenated(outputs)

        return self._compound(node, state, follow)

    def _while(self, node: ast.While, state: ShellState) -> Value:
        def follow(current: ShellState) -> Value:
            outputs: list[Value] = []
            for _ in range(2):
                inner = current.branch()
                outputs.append(self.body(node.condition, inner))
                outputs.append(self.body(node.body, inner))
                current.join(inner)
            self._commands.endless(node, self.place(node), self.file)
            return concatenated(outputs)

        return self._compound(node, state, follow)

    def _for(self, node: ast.For | ast.Select, state: ShellState) -> Value:
        def follow(current: ShellState) -> Value:
            words = self.words(current)
            if node.words is None:
                values = list(current.positional or (UNKNOWN,))
            else:
                values = [field for word in node.words for field in words.fields(word)]
            if len(values) > MAX_ROUNDS:
                values = [joined(values)]
            outputs: list[Value] = []
            letters = len(values) > 2 and all(
                value.text is not None and len(value.text) <= 2 for value in values
            )
            for value in values:
                current.variables[node.name] = value.plus(Origin("mixed", "letters")) if letters else value
                outputs.append(self.body(node.body, current))
            return concatenated(outputs)

        return self._compound(node, state, follow)

    def _arithmetic_for(self, node: ast.ArithmeticFor, state: ShellState) -> Value:
        def follow(current: ShellState) -> Value:
            for word in (node.init, node.condition, node.update):
                for each in ast.walk(word):
                    if isinstance(each, ast.Literal):
                        name = each.text.partition("=")[0].strip()
                        current.variables[name] = UNKNOWN
            inner = current.branch()
            output = self.body(node.body, inner)
            current.join(inner)
            return output

        return self._compound(node, state, follow)

    def _test(self, node: ast.ConditionalCommand, state: ShellState) -> Value:
        self.tests += 1
        words = self.words(state)
        for part in ast.walk(node.expression):
            if isinstance(part, ast.Word):
                words.value(part)
        return EMPTY

    def _arithmetic(self, node: ast.ArithmeticCommand, state: ShellState) -> Value:
        self.words(state).value(node.expression)
        return EMPTY

    def _definition(self, node: ast.FunctionDefinition, state: ShellState) -> Value:
        state.functions[node.name] = node.body
        self._uncalled[node.name] = node.body, self.file, self._text
        self._commands.definition(node, self.place(node), self.file)
        return EMPTY

    def other_language(self, text: str, name: str) -> None:
        """Report what a program of another language does."""
        self._commands.code(known(text), (1, 1), name)

    def called(self, name: str) -> None:
        """Note that a function is called."""
        self._uncalled.pop(name, None)

    def function(self, body: ast.Node, arguments: Sequence[Value], state: ShellState) -> Value:
        """Follow a call of a function; beyond some depth it is not followed again."""
        if self._depth >= MAX_DEPTH // 2:
            return UNKNOWN
        self._depth += 1
        outer, state.positional = state.positional, tuple(arguments)
        try:
            return self.body(body, state)
        finally:
            self._depth -= 1
            state.positional = outer

    def _coprocess(self, node: ast.Coprocess, state: ShellState) -> Value:
        return self.body(node.command, state.branch())

    def persist(self, text: str, state: ShellState, at: tuple[int, int]) -> None:
        """Follow a text that later shells execute."""
        if persists(text, self.notes, self.file, at):
            return
        self.text(text, state.branch(), at)


def _is_letter(word: ast.Word, words: Words) -> bool:
    text = words.value(word).text
    return text is not None and len(text) <= 2


_METHODS: Mapping[type, Callable[..., Value]] = {
    ast.SimpleCommand: Walker.simple,
    ast.CommandList: Walker._list,
    ast.AndOr: Walker._and_or,
    ast.Pipeline: Walker._pipeline,
    ast.Subshell: Walker._subshell,
    ast.BraceGroup: Walker._group,
    ast.If: Walker._if,
    ast.Case: Walker._case,
    ast.While: Walker._while,
    ast.For: Walker._for,
    ast.Select: Walker._for,
    ast.ArithmeticFor: Walker._arithmetic_for,
    ast.ConditionalCommand: Walker._test,
    ast.ArithmeticCommand: Walker._arithmetic,
    ast.FunctionDefinition: Walker._definition,
    ast.Coprocess: Walker._coprocess,
}

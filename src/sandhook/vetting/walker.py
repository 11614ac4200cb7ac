"""Follows a script through its tree: all branches, functions, substitutions, and the files that it executes.

Nothing is executed. Values of words are followed as far as they are known; a branch joins what holds after each of
its ways. Steps, depth and time are bounded: a script that exceeds them has a finding that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic
from typing import cast

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.syntax import nodes as ast
from sandhook.syntax import parse_cached
from sandhook.vetting.bundle import Bundle
from sandhook.vetting.commands import Commands
from sandhook.vetting.conditions import Conditions
from sandhook.vetting.notes import Notes
from sandhook.vetting.reading import commands_of
from sandhook.vetting.redirections import WRITING
from sandhook.vetting.rules import RuleId
from sandhook.vetting.said import far_line, unseen_in
from sandhook.vetting.scratch import Scratch
from sandhook.vetting.shapes import check_background, check_function, check_loop, check_pipeline, is_shell
from sandhook.vetting.state import PAYLOAD, ShellState, from_environment
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
from sandhook.vetting.words import Evaluation, Words, is_letter, makes_reference

#: Commands and parts of words of one hook, and seconds.
MAX_STEPS, MAX_SECONDS = 40_000, 30.0

#: Scripts, functions and texts within each other.
MAX_DEPTH = 24

#: Rules that a command breaks which no text for a model should recommend.
_TELLING: frozenset[RuleId] = frozenset(
    {
        "V-RUN-DOWNLOAD",
        "V-RUN-DECODED",
        "V-SEND-SECRET",
        "V-SEND-TOKEN",
        "V-SEND-FILE",
        "V-READ-SECRET",
        "V-PACKAGE-SOURCE",
        "V-SOCKET",
        "V-TUNNEL",
        "V-STARTUP",
        "V-LOGIN",
        "V-SCHEDULE",
    }
)

#: Combinations of what the arrays in one command may have.
MAX_SHELLS = 16

#: Words of a loop that are followed one by one.
MAX_ROUNDS = 64


class TooComplex(Exception):
    """A script exceeds what is followed."""


class Walker(Conditions):
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
        self.sought: list[str] = []
        self.running: list[str] = []
        self.captured = 0
        self._at: tuple[int, int] | None = None
        self._now = (0, 0)
        self._text = ""
        self._depth = 0
        self._steps = 0
        self._deadline = monotonic() + MAX_SECONDS
        self._told = False
        self._uncalled: dict[str, ast.Node] = {}
        self._defined: dict[int, tuple[ast.Node, str, str, tuple[int, int] | None]] = {}
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
        if at is None:  # some agents give the payload as the first argument
            state.positional = (Value((HOLE,), frozenset({Origin("argument")})),)
        state.variables |= {each: known(value) for each, value in variables.items()}
        again = state.copy()
        again.written, again.made = state.written, set()
        try:
            output = self.script(text, name, state, at)
            self._finish(state)
            self._again(text, name, again, at)
            self.notes.conclude(name, at or (1, 1))
        except (TooComplex, RecursionError):
            self.notes.find("V-BOUND", f"{name}: not followed to its end", name, (0, 0))
            return UNKNOWN
        return output

    def _again(self, text: str, name: str, state: ShellState, at: tuple[int, int] | None) -> None:
        """Follow a hook once more, if it writes files: the next event finds those of this one."""
        if not state.written:
            return
        try:
            self.script(text, name, state, at)
            self._finish(state)
        except TooComplex:  # the first time it was followed to its end
            return

    def script(self, text: str, name: str, state: ShellState, at: tuple[int, int] | None = None) -> Value:
        """Follow a file; places of findings are in it."""
        outer = self.file, self._at, self._text
        self.file, self._at, self._text = name, at, text
        line = far_line(text)
        if line:
            self.notes.find("V-HIDDEN-TEXT", "text after many blanks in a line", name, at or (line, 1))
        if (unseen := unseen_in(text)) is not None:
            self.notes.find("V-HIDDEN-TEXT", unseen, name, at or (1, 1))
        self.running.append(name)
        try:
            return self._parsed(text, state)
        finally:
            self.running.pop()
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
            units, error = commands_of(text)
            if error is not None:
                self.notes.find("V-PARSE", str(error), self.file, self._at or (0, 0))
            outputs = [self.body(unit, state) for unit in units]
            return concatenated(outputs) if error is None else UNKNOWN
        finally:
            self._depth -= 1

    def _finish(self, state: ShellState) -> None:
        """Follow the functions that nothing seems to call: a computed name may."""
        while self._uncalled:
            _, body = self._uncalled.popitem()
            inner = state.branch()
            inner.positional = None
            self._inside(body, inner)

    def _inside(self, body: ast.Node, state: ShellState) -> Value:
        """Follow the body of a function; places of findings are where it is defined."""
        outer = self.file, self._text, self._at
        _, self.file, self._text, self._at = self._defined.get(id(body), (body, *outer))
        try:
            return self.body(body, state)
        finally:
            self.file, self._text, self._at = outer

    def place(self, node: ast.Node) -> tuple[int, int]:
        """Return line and column of a command."""
        if self._at is not None:
            return self._at
        line = cast(int, getattr(node, "line", 0))
        start = cast("tuple[int, int]", getattr(node, "span", (0, 0)))[0]
        return line, start - self._text.rfind("\n", 0, start) if line else 0

    # Commands.

    def step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS or (not self._steps % 64 and monotonic() > self._deadline):
            raise TooComplex

    def words(self, state: ShellState) -> Words:
        """Return the reader of words for a state."""

        def on_variable(name: str) -> Origins:
            if name in state.variables or name in state.arrays:
                return NOTHING
            return self._from_outside(name, is_own=name in state.declared)

        def substitute(body: ast.CommandList, inner: ShellState) -> Value:
            self.captured += 1
            try:
                return self.body(body, inner)
            finally:
                self.captured -= 1

        def on_evaluation(how: Evaluation, value: Value) -> None:
            self._commands.evaluated(value, how, state, self._now)

        return Words(
            state,
            self.scratch,
            substitute,
            on_variable,
            self.notes.inserted.append,
            on_evaluation=on_evaluation,
            on_sought=self.seek,
        )

    def _from_outside(self, name: str, *, is_own: bool = False) -> Origins:
        """Return the origins of a variable, and keep its name if it may be one of the environment.

        Args:
            is_own: The script declares it without a value. That hides neither a secret nor a known directory:
                the declaration may be of another function.
        """
        origins = origins_of(name)
        if origins is None or (is_own and not origins and from_environment(name) == UNKNOWN):
            return NOTHING
        self.notes.variables.setdefault(name)
        return origins

    def outside(self, name: str) -> Value:
        """Return a variable of the environment."""
        return Value((HOLE,), self._from_outside(name))

    def piped(self, node: ast.Node, state: ShellState) -> Value:
        self.captured += 1
        try:
            return self.body(node, state)
        finally:
            self.captured -= 1

    def simple(self, node: ast.SimpleCommand, state: ShellState) -> Value:
        """Follow a simple command, with each list of elements that its arrays may have."""
        shells = self._alternatives((*node.assignments, *node.words), state)
        if len(shells) == 1:
            return self._simple(node, state)
        outputs = [self._simple(node, each) for each in shells]
        first, *others = shells
        for each in others:
            first.join(each)
        state.become(first)
        return joined(outputs)

    def _alternatives(self, parts: Sequence[ast.Node], state: ShellState) -> list[ShellState]:
        """Return the state itself, or one for each of the lists of elements that the arrays in words may have."""
        if not state.others:
            return [state]
        names = {
            state.target(part.name)
            for word in parts
            for part in ast.walk(word)
            if isinstance(part, ast.ParameterExpansion)
        }
        shells = [state]
        for name in sorted(names & state.others.keys()):
            shells = [each.with_elements(name, one) for each in shells for one in state.others[name]]
        return shells[:MAX_SHELLS]

    def _simple(self, node: ast.SimpleCommand, state: ShellState) -> Value:
        self._now = self.place(node)
        words = self.words(state)
        stdin = self._input(node.redirections, state, words)
        fields: list[Value] = []
        nodes: list[ast.Word] = []
        for word in node.words:
            if isinstance(word, ast.Assignment):
                if fields and fields[0].text == "alias" and isinstance(word.value, ast.Word):
                    fields.append(concatenated((known(f"{word.name}="), words.value(word.value))))
                    continue
                self.assign(word, state, node)
                fields.append(known(word.name))
                continue
            values = words.fields(word)
            fields += values
            nodes += [word] * len(values)
        temporary = bool(fields)
        before = dict(state.variables) if temporary else state.variables
        for assignment in node.assignments:
            self.assign(assignment, state, node)
        outer, state.stdin = state.stdin, stdin
        self._commands.to_file = any(
            each.operator in WRITING and each.fd in (None, 1) for each in node.redirections
        )
        output = self._commands.run(fields, nodes, state, node) if fields else EMPTY
        state.stdin = outer
        if temporary and node.assignments:
            for assignment in node.assignments:
                state.variables.pop(assignment.name, None)
                if assignment.name in before:
                    state.variables[assignment.name] = before[assignment.name]
        if fields and fields[0].text == "exec" and len(fields) == 1:
            state.stdin = stdin
        output = self._redirected(node.redirections, state, output, node)
        if not self.captured and output.has("download") and fields:
            self._commands.shown(output, [field.any_text for field in fields], self._now)
        return output

    def assign(self, node: ast.Assignment, state: ShellState, command: ast.SimpleCommand) -> None:
        """Follow an assignment, also one in ``export`` and the like."""
        words = self.words(state)
        if isinstance(node.value, ast.ArrayLiteral):
            elements: list[Value] = []
            for each in node.value.elements:
                elements += words.fields(each) if isinstance(each, ast.Word) else [words.value(each.value)]
            state.set_elements(node.name, elements, append=node.append)
            return
        value = words.value(node.value)
        if makes_reference(command, words):
            if value.text is not None:
                state.references[node.name] = value.text
            return
        name = state.target(node.name)
        if node.subscript is not None:
            words.evaluate(node.subscript)
            state.set_elements(name, [value], append=True)
            return
        if node.append:
            value = concatenated((state.value(name), value))
            if len(value.texts) == 1 and value.text is not None and is_letter(node.value, words):
                value = value.plus(Origin("mixed", "letters"))
        first = command.words[0] if command.words else None
        exported = isinstance(first, ast.Word) and words.value(first).text in ("export", "declare", "typeset")
        check_assignment(
            name,
            value,
            self.notes,
            self.file,
            self.place(command),
            exported=exported or bool(command.words),
        )
        state.variables[name] = value

    # Lists and compounds, see Paths.

    def sequence(self, results: Sequence[Value]) -> Value:
        return concatenated(results)

    def connect(self, state: ShellState, output: Value | None) -> None:
        state.stdin = UNKNOWN if output is None else output

    def tested(self) -> None:
        self.tests += 1

    def followed(self, node: ast.Node) -> None:
        if isinstance(node, ast.Pipeline):
            check_pipeline(node, self.notes, self.file, self.place(node.commands[0]))
        elif isinstance(node, ast.ListItem):
            at = self.place(node.command)
            check_background(node.command, self.notes, self.file, at)

    def expand(self, word: ast.Word, state: ShellState) -> None:
        self.seek(self.words(state).value(word))

    def compute(self, word: ast.Word, state: ShellState) -> None:
        self.words(state).evaluate(word)
        for each in ast.walk(word):
            if isinstance(each, ast.Literal):
                state.variables[each.text.partition("=")[0].strip()] = UNKNOWN

    def loop(self, node: ast.Node, state: ShellState, once: Callable[[ShellState], Value]) -> Value:
        outputs: list[Value] = []
        for _ in range(2):
            inner = state.branch()
            outputs.append(once(inner))
            state.join(inner)
        if isinstance(node, (ast.While, ast.ArithmeticFor)):
            check_loop(node, self.notes, self.file, self.place(node))
        return concatenated(outputs)

    def each_word(self, node: ast.For | ast.Select, state: ShellState) -> Value:
        if node.words is None:
            values = list(state.positional or (UNKNOWN,))
        else:
            values = [
                field
                for here in self._alternatives(node.words, state)
                for word in node.words
                for field in map(_of_pattern, self.words(here).fields(word))
            ]
        if len(values) > MAX_ROUNDS:
            values = [joined(values)]
        outputs: list[Value] = []
        letters = len(values) > 2 and all(value.text is not None and len(value.text) <= 2 for value in values)
        for value in values:
            state.variables[node.name] = value.plus(Origin("mixed", "letters")) if letters else value
            outputs.append(self.body(node.body, state))
        return concatenated(outputs)

    def define(self, node: ast.FunctionDefinition, state: ShellState) -> Value:
        state.functions[node.name] = node.body
        self._uncalled[node.name] = node.body
        self._defined[id(node.body)] = node.body, self.file, self._text, self._at
        check_function(node, self.notes, self.file, self.place(node))
        return EMPTY

    def coprocess(self, node: ast.Coprocess, state: ShellState) -> Value:
        name = node.name or "COPROC"
        state.declared |= {name, f"{name}_PID"}
        if any(isinstance(each, ast.SimpleCommand) and is_shell(each) for each in ast.walk(node.command)):
            self.notes.find(
                "V-RUN-TEXT", "a shell runs whatever is written to it", self.file, self.place(node), "high"
            )
        return super().coprocess(node, state)

    def other_language(self, text: str, name: str) -> None:
        """Report what a program of another language does."""
        self._commands.code(known(text), (1, 1), name)

    def texts_of_program(self, texts: Iterable[str], file: str, at: tuple[int, int]) -> None:
        """Follow the shell texts that a program of another language executes."""
        outer, self.file = self.file, file
        for text in texts:
            try:
                parse_cached(text)
            except (ShellSyntaxError, LimitExceeded):  # what looks like a shell text may be none
                continue
            self.text(text, ShellState(UNKNOWN, "sh"), at)
        self.file = outer

    def harm_in(self, command: str) -> str | None:
        """Return the rule that a command breaks which a text recommends, or None."""
        try:
            parse_cached(command)
        except (ShellSyntaxError, LimitExceeded):
            return None
        inner = Notes()
        walker = Walker(self.bundle, inner)
        walker.scratch, walker._deadline = self.scratch, self._deadline
        walker._steps, walker._told = self._steps, True
        try:
            if not self._told:
                walker.text(command, ShellState(UNKNOWN, "sh"), (1, 1))
        except (TooComplex, RecursionError):
            return None
        self._steps = walker._steps
        rules = [each.rule for each in inner.findings if each.severity == "high"]
        return next((rule for rule in rules if rule in _TELLING), None)

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
            return self._inside(body, state)
        finally:
            self._depth -= 1
            state.positional = outer

    def persist(self, text: str, state: ShellState, at: tuple[int, int]) -> None:
        """Follow a text that later shells execute."""
        if persists(text, self.notes, self.file, at):
            return
        self.text(text, state.branch(), at)


def _of_pattern(value: Value) -> Value:
    """Return a word of a loop, with names of files as its origin where it is a pattern."""
    text = value.any_text
    return value.plus(Origin("file", text)) if "*" in text and " " not in text else value

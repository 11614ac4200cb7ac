"""Walks a hook's shell text in the order of its execution, without running it.

Where ways part, only what holds on every way remains known. A loop is walked until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from sandhook.errors import LimitExceeded, ShellSyntaxError, TrustError
from sandhook.hooks.evidence.bounds import MAX_FIELDS, MAX_STEPS, MAX_TEXT
from sandhook.hooks.evidence.commands import Commands
from sandhook.hooks.evidence.effects import DECLARATIONS, EFFECTS, declares
from sandhook.hooks.evidence.knowledge import Knowledge, Stream
from sandhook.hooks.evidence.machine import Machine
from sandhook.hooks.evidence.variables import has_substitution, hides_command
from sandhook.hooks.evidence.words import WordReader
from sandhook.hooks.evidence.writes import WRITING
from sandhook.lazy import lazily
from sandhook.syntax import nodes as ast
from sandhook.syntax import parse_cached, parse_heredoc
from sandhook.syntax.paths import Paths

#: Times that a loop is walked before its working directory counts as unknown.
_ROUNDS = 4

#: Targets of redirections that do not fail: a file, and the descriptors of every program.
_CERTAIN = ("/dev/null", "0", "1", "2", "-")

_IDENTIFIER = lazily(r"[A-Za-z_]\w*")


class Walker(Paths["Knowledge", None], Commands):
    """Follows shell texts; its attributes are those of ``Commands``."""

    effects = EFFECTS

    def __init__(self, machine: Machine, variables: Mapping[str, str]) -> None:
        super().__init__(machine, variables)
        self._steps = self._parsed = 0
        self._texts: set[str] = set()
        self._later: list[tuple[str, str]] = []  # texts and the scripts that they are in
        self._uncalled: dict[tuple[str, int], tuple[ast.Node, str]] = {}  # by name and body

    def finish(self, directory: str) -> None:
        """Follow what runs at an unknown time: traps, aliases, functions that nothing visible calls."""
        while self._later or self._uncalled:
            known = self.begin(directory)
            known.directories = list(self.seen)
            known.positional = None
            if self._later:
                text, self.where = self._later.pop()
                self.text(text, known)
            else:
                node, self.where = self._uncalled.pop(next(iter(self._uncalled)))
                self.body(node, known)
        self.list_own_files()

    def later(self, text: str) -> None:
        self._later.append((text, self.where))

    def record_call(self, name: str, body: ast.Node) -> None:
        self._uncalled.pop((name, id(body)), None)

    def text(self, text: str, known: Knowledge) -> None:
        if text not in self._texts:
            self._texts.add(text)
            self._parsed += len(text)
        if self._parsed > MAX_TEXT:
            raise TrustError(f"its scripts have more than {MAX_TEXT} characters to be followed")
        try:
            units = parse_cached(text)
        except (ShellSyntaxError, LimitExceeded) as error:
            self.unknown.setdefault(f"{self.where} does not parse: {error}")
            return
        for unit in units:
            self.body(unit, known)

    def step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TrustError(f"its scripts have more than {MAX_STEPS} parts to be followed")

    def other(self, node: ast.Node, state: Knowledge) -> None:
        self._inside(node, state)

    # Words.

    def _inside(self, node: object, known: Knowledge) -> None:
        """Follow the substitutions in a word, a redirection or an expression."""
        if isinstance(node, (ast.CommandSubstitution, ast.ProcessSubstitution)):
            if node.body is not None:
                inner = known.copy()
                if isinstance(node, ast.ProcessSubstitution) and node.direction == ">":
                    inner.streams[0] = Stream()
                self.body(node.body, inner)
            return
        if isinstance(node, ast.Backquoted):
            self.text(node.text, known.copy())
            return
        if isinstance(node, ast.HereDocument):
            if not node.quoted:
                self._inside(self._document(node), known)
            return
        if isinstance(node, ast.ParameterExpansion):
            self._parameter(node, known)
        elif isinstance(node, (ast.ArithmeticExpansion, ast.ArithmeticCommand)):
            known.forget(_names_in(node.expression))
        elif isinstance(node, (ast.CondUnary, ast.CondBinary)):
            self._condition(node, known)
        for part in node if isinstance(node, tuple) else ():
            if isinstance(part, tuple):
                self._inside(part, known)

    def _parameter(self, node: ast.ParameterExpansion, known: Knowledge) -> None:
        """Follow what an expansion assigns, and ``${x@P}``, which expands a value again."""
        if node.operator in (":=", "="):
            self.loses([node.name], known, 0)
        elif node.operator == "@" and node.word is not None and self.reader(known).value(node.word) == "P":
            value = known.variables.get(node.name)
            if value is None or has_substitution(value):
                self.note(0, f"expands a text as a prompt: {node.name}@P")

    def _condition(self, node: ast.CondUnary | ast.CondBinary, known: Knowledge) -> None:
        """``[[ -v x ]]`` and ``[[ x -eq y ]]`` expand subscripts."""
        operands = (node.operand,) if isinstance(node, ast.CondUnary) else (node.left, node.right)
        if node.operator[:1] != "-":
            return
        for operand in operands:
            text = self.reader(known).value(operand)
            if text is not None and hides_command(text):
                self.note(0, "[[ runs a command in a subscript")

    @staticmethod
    def _document(node: ast.HereDocument) -> ast.Word | None:
        try:
            return parse_heredoc(node.text)
        except (ShellSyntaxError, LimitExceeded):
            return None

    # Commands.

    def simple(self, node: ast.SimpleCommand, state: Knowledge) -> None:
        known = state
        for part in (*node.assignments, *node.words, *node.redirections):
            self._inside(part, known)
        reader = self.reader(known)
        fields = self._fields([word for word in node.words if isinstance(word, ast.Word)], reader)
        streams = self._streams(node.redirections, known)
        before, usual = dict(known.variables), known.usual
        unchanged = known.copy() if self._may_fail(node.redirections, known) else known
        for assignment in (*node.assignments, *node.words):
            if not isinstance(assignment, ast.Assignment):
                continue
            if fields[:1] == ["alias"]:
                value = assignment.value
                text = reader.value(value) if isinstance(value, ast.Word) else None
                fields.append(None if text is None else f"{assignment.name}={text}")
                continue
            if fields[:1] in (["local"], ["declare"], ["typeset"]) and self.locals:
                self.locals[-1].add(assignment.name)
            self.assign(assignment, known, node.line)
        if fields and fields[0] in DECLARATIONS:
            names = [each.name for each in node.words if isinstance(each, ast.Assignment)]
            declares(self, fields, names, known)
        if not fields:
            return
        if fields == ["exec"]:
            known.streams = streams
            return
        outer, known.streams = known.streams, streams
        self.call(fields, known, node.line)
        known.join(unchanged)
        known.streams = outer
        if node.assignments:  # they end with the command
            known.usual = usual
            for each in node.assignments:
                known.variables.pop(each.name, None)
                if each.name in before:
                    known.variables[each.name] = before[each.name]

    @staticmethod
    def _fields(words: Sequence[ast.Word], reader: WordReader) -> list[str | None]:
        """Return the fields of several words. Raises TrustError when they are too many."""
        fields: list[str | None] = []
        for word in words:
            fields += reader.fields(word)
            if len(fields) > MAX_FIELDS:
                raise TrustError(f"a command in its scripts has more than {MAX_FIELDS} words")
        return fields

    def _streams(self, redirections: tuple[ast.Redirection, ...], known: Knowledge) -> dict[int, Stream]:
        """Return the input descriptors of a command with redirections."""
        streams = dict(known.streams)
        reader = self.reader(known)
        for each in redirections:
            number = 0 if each.fd is None else each.fd
            if each.operator in WRITING:
                self.writes([reader.value(each.target)], known, 0)
            if each.document is not None:
                text: str | None = each.document.text
                if not each.document.quoted:
                    word = self._document(each.document)
                    text = None if word is None else reader.value(word)
                streams[number] = Stream(text=text)
            elif each.operator == "<<<":
                text = reader.value(each.target)
                streams[number] = Stream(text=None if text is None else text + "\n")
            elif each.operator in ("<", "<>"):
                path = reader.value(each.target)
                here = known.directory
                if path is not None and path[:1] != "/":  # with its "..", which may follow a link
                    path = None if here is None else f"{here}/{path}"
                streams[number] = Stream(path)
            elif each.operator == "<&":
                source = reader.value(each.target)
                if source is not None and source.rstrip("-").isdecimal():
                    number_of_source = int(source.rstrip("-"))
                    if number_of_source in streams:
                        streams[number] = streams[number_of_source]
                    else:
                        streams.pop(number, None)
                else:
                    streams[number] = Stream()
        return streams

    def connect(self, state: Knowledge, output: None) -> None:
        state.streams[0] = Stream()

    def sequence(self, results: Sequence[None]) -> None:
        return None

    def around(self, node: ast.Node, state: Knowledge, follow: Callable[[Knowledge], None]) -> None:
        redirections = cast("tuple[ast.Redirection, ...]", getattr(node, "redirections", ()))
        for each in redirections:
            self._inside(each, state)
        outer, state.streams = state.streams, self._streams(redirections, state)
        unchanged = state.copy() if self._may_fail(redirections, state) else state
        follow(state)
        state.join(unchanged)
        state.streams = outer

    def _may_fail(self, redirections: tuple[ast.Redirection, ...], known: Knowledge) -> bool:
        """Return whether a command may not run, because one of its redirections fails."""
        reader = self.reader(known)
        return any(
            each.document is None and each.operator != "<<<" and reader.value(each.target) not in _CERTAIN
            for each in redirections
        )

    def loop(self, node: ast.Node, state: Knowledge, once: Callable[[Knowledge], None]) -> None:
        """Walk a loop until a further round changes nothing."""
        known = state
        for _ in range(_ROUNDS):
            before = (dict(known.variables), list(known.directories), known.lost, known.positional)
            current = known.copy()
            with self.joined_exits(current):
                once(current)
            known.join(current)
            if before == (known.variables, known.directories, known.lost, known.positional):
                return
        known.forget()
        known.lost = True
        once(known.copy())

    def each_word(self, node: ast.For | ast.Select, state: Knowledge) -> None:
        words = node.words
        values: list[str | None] = list(state.positional or [None])
        if words is not None:
            self._inside(words, state)
            values = self._fields(words, self.reader(state))

        def once(current: Knowledge) -> None:
            for value in dict.fromkeys(values):
                self.set_value(node.name, value, current, 0)
                before = current.copy()
                self.body(node.body, current)
                current.join(before)

        self.loop(node, state, once)

    def expand(self, word: ast.Word, state: Knowledge) -> None:
        self._inside(word, state)

    def compute(self, word: ast.Word, state: Knowledge) -> None:
        self._inside(word, state)
        state.forget(_names_in(word))

    def define(self, node: ast.FunctionDefinition, state: Knowledge) -> None:
        state.functions[node.name] = node.body
        self._uncalled[node.name, id(node.body)] = node.body, self.where


def _names_in(word: ast.Word) -> list[str]:
    """Return every name in an arithmetic expression, which may assign any of them."""
    texts = [getattr(part, "text", None) or getattr(part, "name", "") for part in ast.walk(word)]
    return [name for text in texts if isinstance(text, str) for name in _IDENTIFIER.findall(text)]

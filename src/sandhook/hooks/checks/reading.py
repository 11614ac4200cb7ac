"""A script as the checks read it: its commands in order, and the destination of their output.

Nothing runs. ``hooks.scan`` decides which words are known; in a guess, "x" replaces the unknown parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

from sandhook.dispatch.shebang import READ, ShebangError, read_shebang
from sandhook.hooks.decode import DecodeError, decode
from sandhook.hooks.event import JsonObject
from sandhook.hooks.scan import Reader, walk
from sandhook.record import Record
from sandhook.syntax import parse_cached
from sandhook.syntax.nodes import (
    AndOr,
    AnsiQuoted,
    ArithmeticFor,
    Assignment,
    Backquoted,
    Case,
    CommandSubstitution,
    ConditionalCommand,
    DoubleQuoted,
    Escaped,
    For,
    FunctionDefinition,
    If,
    IfClause,
    Literal,
    Node,
    ParameterExpansion,
    Pipeline,
    ProcessSubstitution,
    Redirection,
    Select,
    SimpleCommand,
    SingleQuoted,
    While,
    Word,
    WordPart,
)

#: The words of a command, as they were parsed.
Nodes: TypeAlias = tuple[Word | Assignment, ...]


class Act(Record):
    """One simple command.

    Attributes:
        words: Its words; None for one that is not known.
        guess: Its words with "x" for what is not known.
        nodes: Its words as they were parsed.
        line: Line in the script, from 1.
        checked: Its exit status is tested: a condition, or the left side of && or ||.
        captured: Its standard output does not reach the agent.
        to_stderr: Its standard output is redirected to standard error.
        document: Text of its here-document, or None.
        reads_payload: Its standard input is that of the hook.
        certain: It runs whatever the payload is: it is in no branch, loop or function.
        ends: Under ``set -e`` its failure ends the script.
        handled: Another command runs if it fails: the right side of ||, or another branch.
        hidden: It is in a pipe whose status is that of another command, which does not fail without input.
        function: The function that has it in its body, or "".
    """

    words: tuple[str | None, ...]
    guess: tuple[str, ...]
    nodes: Nodes
    line: int
    checked: bool = False
    captured: bool = False
    to_stderr: bool = False
    document: str | None = None
    reads_payload: bool = False
    certain: bool = False
    ends: bool = False
    handled: bool = False
    hidden: bool = False
    function: str = ""

    @property
    def name(self) -> str | None:
        return self.words[0]


class Script(Record):
    """What the checks know of a script.

    Attributes:
        acts: Its simple commands in the order of the text, functions' bodies too.
        functions: Names of the functions that it defines.
        assigned: The words of variables that are assigned once, by name.
        errexit: ``set -e`` is set somewhere.
    """

    acts: tuple[Act, ...]
    functions: frozenset[str]
    assigned: Mapping[str, Word]
    errexit: bool


class _Way(Record):
    """What the nodes above a command mean for it; see Act.

    Attributes:
        piped: Its standard input is not that of the hook.
        maybe: It is in a branch, a loop or a function.
        masked: Its exit status is not that of the command that contains it.
        handled: Another command runs if it fails.
        hidden: It is in a pipe whose status is that of another command, which does not fail without input.
        pipefail: ``set -o pipefail`` is somewhere in the script.
        function: The function that has it in its body, or "".
    """

    checked: bool = False
    captured: bool = False
    to_stderr: bool = False
    piped: bool = False
    maybe: bool = False
    masked: bool = False
    handled: bool = False
    hidden: bool = False
    pipefail: bool = False
    function: str = ""


def read(text: str, variables: Mapping[str, str], own: str | None = None) -> Script:
    """Return what is known of a script.

    Raises:
        ShellSyntaxError, LimitExceeded: It does not parse.
        RecursionError: It is nested too deeply.
    """
    units = parse_cached(text)
    nodes = [node for unit in units for node in walk(unit)]
    reader = Reader(dict(variables), own)
    reader.learn(nodes)
    acts: list[Act] = []
    pipefail = any(isinstance(node, Literal) and node.text == "pipefail" for node in nodes)
    for unit in units:
        _visit(unit, _Way(pipefail=pipefail), reader, acts)
    errexit = _first_line_sets_errexit(text)
    functions = frozenset(node.name for node in nodes if isinstance(node, FunctionDefinition))
    return Script(
        tuple(_with_captured_functions(acts, functions)),
        functions,
        _assigned(nodes),
        errexit or any(_sets_errexit(act) for act in acts),
    )


def _with_captured_functions(acts: list[Act], functions: frozenset[str]) -> list[Act]:
    """Mark the commands of functions that are called for their output alone: in substitutions, and by such functions."""
    calls = [(act.name, act.function) for act in acts if act.name in functions and not act.captured]
    called = {act.name for act in acts}
    printing = {name for name in functions if name not in called}
    while more := {name for name, caller in calls if name and (not caller or caller in printing)} - printing:
        printing |= more
    captured = functions - printing
    return [act._replace(captured=True) if act.function in captured else act for act in acts]


def _assigned(nodes: list[Node]) -> dict[str, Word]:
    """Return the words of variables that are assigned once."""
    values: dict[str, list[Assignment]] = {}
    for node in nodes:
        if isinstance(node, Assignment):
            values.setdefault(node.name, []).append(node)
    return {
        name: assignments[0].value
        for name, assignments in values.items()
        if len(assignments) == 1 and isinstance(assignments[0].value, Word)
    }


def _first_line_sets_errexit(text: str) -> bool:
    """Return whether the "#!" line passes -e to the shell: ``#!/bin/bash -eu``, ``#!/usr/bin/env -S bash -e``."""
    try:
        line = read_shebang(text.encode("utf-8", "replace")[:READ])
    except ShebangError:
        return False
    words = (line.argument or "").split() if line is not None else []
    if words[:1] == ["-S"]:
        words = words[2:]
    return any(word[:1] == "-" and word[1:].isalpha() and "e" in word for word in words)


def _sets_errexit(act: Act) -> bool:
    if act.name != "set":
        return False
    words = act.words[1:]
    if ("-o", "errexit") in pairwise(words):
        return True
    return any(
        word is not None and word[:1] == "-" and word[1:2] != "-" and "e" in word[1:] for word in words
    )


#: Commands that may run their parts never, or several times.
_BRANCHES = (ArithmeticFor, Case, For, Select)


#: Commands that succeed when they have nothing to read.
_FILTERS = frozenset(
    {
        "awk",
        "cat",
        "column",
        "cut",
        "fold",
        "gawk",
        "head",
        "mawk",
        "nl",
        "paste",
        "rev",
        "sed",
        "sort",
        "tail",
        "tee",
        "tr",
        "uniq",
        "wc",
        "xargs",
    }
)

#: Commands whose arguments are text for people.
_MESSAGES = ("echo", "printf", "logger")


def _visit(node: object, way: _Way, reader: Reader, acts: list[Act]) -> None:
    if isinstance(node, SimpleCommand):
        _simple(node, way, reader, acts)
        return
    if isinstance(node, (CommandSubstitution, ProcessSubstitution)):
        masked = way.masked or way.checked
        inner = _Way(
            captured=True,
            piped=way.piped,
            maybe=way.maybe,
            masked=masked,
            handled=way.handled,
            hidden=way.hidden,
            pipefail=way.pipefail,
            function=way.function,
        )
        _visit(node.body, inner, reader, acts)
        return
    if isinstance(node, Backquoted):
        return
    if isinstance(node, Pipeline):
        _visit_pipeline(node, way, reader, acts)
        return
    if isinstance(node, AndOr):
        _visit_list(node, way, reader, acts)
        return
    if isinstance(node, (IfClause, While)):
        inside = _redirected(way, getattr(node, "redirections", ()), reader)
        _visit(getattr(node, "redirections", ()), way, reader, acts)
        maybe = way.maybe or isinstance(node, While)
        _visit(node.condition, inside._replace(checked=True, maybe=maybe), reader, acts)
        _visit(node.body, inside._replace(maybe=True), reader, acts)
        return
    if isinstance(node, If):
        inside = _redirected(way, node.redirections, reader)
        _visit(node.redirections, way, reader, acts)
        for index, clause in enumerate(node.clauses):
            other = bool(node.otherwise) or index < len(node.clauses) - 1
            _visit(clause, inside._replace(handled=way.handled or other), reader, acts)
        _visit(node.otherwise, inside._replace(maybe=True), reader, acts)
        return
    if isinstance(node, FunctionDefinition):  # a pipe may be its standard input
        _visit(node.body, way._replace(maybe=True, piped=True, function=node.name), reader, acts)
        return
    if isinstance(node, Node):
        way = _redirected(way, getattr(node, "redirections", ()), reader)
        if isinstance(node, _BRANCHES):
            way = way._replace(maybe=True)
        elif isinstance(node, ConditionalCommand):
            way = way._replace(masked=True)
        for part in node:
            _visit(part, way, reader, acts)
    elif isinstance(node, tuple):
        for part in node:
            _visit(part, way, reader, acts)


def _visit_pipeline(node: Pipeline, way: _Way, reader: Reader, acts: list[Act]) -> None:
    for index, command in enumerate(node.commands):
        inside = way._replace(piped=way.piped or index > 0, handled=way.handled or node.negated)
        if index < len(node.commands) - 1:
            inside = inside._replace(captured=True, to_stderr=False, checked=True)
            if not way.pipefail and _passes_nothing(node.commands[-1], reader):
                inside = inside._replace(handled=False, hidden=True)
        else:
            inside = inside._replace(checked=way.checked or node.negated)
        _visit(command, inside, reader, acts)


def _passes_nothing(node: object, reader: Reader) -> bool:
    """Return whether a command succeeds without input: a loop of ``read``, or a filter."""
    if isinstance(node, While):
        return True
    words = [reader.value(word) for word in node.words] if isinstance(node, SimpleCommand) else []
    if words[:1] == ["jq"]:
        options = [word for word in words if word is not None and word[:1] == "-"]
        return not any(word == "--exit-status" or (word[1:].isalpha() and "e" in word) for word in options)
    return bool(words) and words[0] in _FILTERS


def _visit_list(node: AndOr, way: _Way, reader: Reader, acts: list[Act]) -> None:
    for index, command in enumerate(node.commands):
        last = index == len(node.commands) - 1
        inside = way._replace(
            checked=way.checked or not last,
            maybe=way.maybe or index > 0,
            handled=way.handled or _is_handled(node, index),
        )
        _visit(command, inside, reader, acts)


def _is_handled(node: AndOr, index: int) -> bool:
    """Return whether a command of a list has another one after || that does more than to pass: ``|| true``, ``|| exit 0``."""
    others = [
        node.commands[at + 1]
        for at, operator in enumerate(node.operators)
        if at >= index and operator == "||"
    ]
    return not all(passes(other) for other in others)


def passes(node: object) -> bool:
    """Return whether a command only has the status 0: ``true``, ``:``, ``exit 0``, ``return 0``."""
    words = [literal(word) for word in node.words] if isinstance(node, SimpleCommand) else []
    return words in ([":"], ["true"], ["exit", "0"], ["return", "0"])


def _redirected(way: _Way, redirections: tuple[Redirection, ...], reader: Reader) -> _Way:
    for each in redirections:
        if each.operator in ("<", "<<", "<<-", "<<<", "<>", "<&") and each.fd in (None, 0):
            way = way._replace(piped=True)
        if each.operator in ("<", "<<", "<<-", "<<<", "<>", "<&") or each.fd not in (None, 1):
            continue
        target = reader.value(each.target)
        if (each.operator == ">&" and target == "2") or target == "/dev/stderr":
            way = way._replace(captured=False, to_stderr=True)
        elif target not in ("/dev/stdout", "1"):
            way = way._replace(captured=True, to_stderr=False)
    return way


def _simple(node: SimpleCommand, way: _Way, reader: Reader, acts: list[Act]) -> None:
    says = bool(node.words) and reader.value(node.words[0]) in _MESSAGES  # which decides nothing
    inside = way._replace(
        masked=bool(node.words) or way.masked, handled=says or (way.handled and not node.words)
    )
    for part in (*node.assignments, *node.words, *node.redirections):
        _visit(part, inside, reader, acts)
    if not node.words:
        return
    way = _redirected(way, node.redirections, reader)
    documents = [each.document for each in node.redirections if each.document is not None]
    acts.append(
        Act(
            words=tuple(reader.value(word) for word in node.words),
            guess=tuple(_guess(word, reader) for word in node.words),
            nodes=node.words,
            line=node.line,
            checked=way.checked,
            captured=way.captured,
            to_stderr=way.to_stderr,
            document=documents[-1].text if documents else None,
            reads_payload=not way.piped,
            certain=not way.maybe,
            ends=not (way.checked or way.masked),
            handled=way.handled,
            hidden=way.hidden,
            function=way.function,
        )
    )


def _guess(word: Word | Assignment, reader: Reader) -> str:
    if not isinstance(word, Word):
        return "x"
    known = reader.value(word)
    return known if known is not None else "".join(_guess_part(part, reader) for part in word.parts)


def _guess_part(part: WordPart, reader: Reader) -> str:
    if isinstance(part, DoubleQuoted):
        return "".join(_guess_part(each, reader) for each in part.parts)
    if isinstance(part, (Literal, Escaped, SingleQuoted, AnsiQuoted)):
        return part.text
    if isinstance(part, Backquoted):
        return "x"
    return reader.value(Word((part,))) or "x"


# What commands print.

_KEY = re.compile(r"([{,]\s*)([A-Za-z_]\w*)(\s*:)")
_VALUE = re.compile(r":\s*(?:\$\w+|\.[\w.]*|\([^()]*\))(?=\s*[,}])")
_EXPANSION = re.compile(r"\$(?:\w+|\{[^{}]*\}|\([^()]*\))")


def printed_text(act: Act) -> str | None:
    """Return what echo, printf or a ``cat`` of a here-document print, with "x" for what is not known."""
    name, words = act.name, list(act.guess[1:])
    if name == "cat" and act.document is not None and not words:
        return _EXPANSION.sub("x", act.document)
    if name == "echo":
        while words and words[0] in ("-n", "-e", "-E", "-ne", "-en"):
            words.pop(0)
        return " ".join(words)
    if name == "printf" and words and words[0] != "-v":
        if words[0] == "--":
            words.pop(0)
        return _formatted(words[0], words[1:]) if words else None
    return None


def _formatted(text: str, values: list[str]) -> str:
    pieces = text.replace("\\n", "\n").split("%s")
    filled = pieces[0]
    for at, piece in enumerate(pieces[1:]):
        filled += (values[at] if at < len(values) else "") + piece
    return filled


def printed_json(act: Act) -> JsonObject | None:
    """Return the object that a command prints, or None when it prints no object or an unknown one."""
    text = printed_text(act)
    if text is None and act.name == "jq":
        text = _jq_object(act)
    if text is None or not text.lstrip().startswith("{"):
        return None
    try:
        value = decode(text.strip()).value
    except DecodeError:
        return None
    return value if isinstance(value, dict) else None


def _jq_object(act: Act) -> str | None:
    """Return a jq program that is one object, as JSON, with "x" for what it computes."""
    for word in act.words[1:]:
        if word is not None and word.strip().startswith("{") and len(word) < 8192:
            return _VALUE.sub(': "x"', _KEY.sub(r'\1"\2"\3', word))
    return None


def splits(act: Act) -> Iterator[str]:
    """Yield the variables that a command expands without quotes."""
    for word in act.nodes:
        for part in word.parts if isinstance(word, Word) else ():
            if isinstance(part, ParameterExpansion) and part.operator is None and not part.prefix:
                yield part.name


def substitution(word: Word | Assignment) -> list[SimpleCommand]:
    """Return the simple commands of a word that is one command substitution; [] for any other word."""
    parts = word.parts if isinstance(word, Word) else ()
    if len(parts) == 1 and isinstance(parts[0], DoubleQuoted):
        parts = parts[0].parts
    substituted = parts[0] if len(parts) == 1 else None
    if not isinstance(substituted, CommandSubstitution):
        return []
    return [node for node in walk(substituted.body) if isinstance(node, SimpleCommand)]


def reads_stdin(word: Word | Assignment) -> bool:
    """Return whether a word is ``$(cat)``, which reads standard input."""
    calls = substitution(word)
    return len(calls) == 1 and [literal(each) for each in calls[0].words] in (["cat"], ["cat", "-"])


def literal(word: Word | Assignment) -> str | None:
    """Return a word without double quotes and expansions, unquoted, or None."""
    parts = word.parts if isinstance(word, Word) else ()
    texts = [part.text for part in parts if isinstance(part, (Literal, Escaped, SingleQuoted, AnsiQuoted))]
    return "".join(texts) if texts and len(texts) == len(parts) else None

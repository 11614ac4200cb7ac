"""What cmd.exe and PowerShell make of a command line that was written for a shell of Unix.

Sources: ``cmd /?`` and Microsoft's about_Parsing, about_Operators and about_Redirection; Windows PowerShell 5.1, which
every Windows has, and PowerShell 7, which has ``&&`` and ``||``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from sandhook.dispatch.batch import is_batch
from sandhook.dispatch.extensions import extension
from sandhook.hooks.checks.portability.model import State
from sandhook.hooks.scan import literal_text, walk
from sandhook.syntax.nodes import (
    AndOr,
    ArithmeticExpansion,
    Assignment,
    Backquoted,
    CommandList,
    CommandSubstitution,
    DoubleQuoted,
    Escaped,
    HereDocument,
    Node,
    ParameterExpansion,
    Pipeline,
    SimpleCommand,
    SingleQuoted,
    Word,
)
from sandhook.syntax.nodes import (
    Literal as LiteralPart,
)

#: A shell of Windows.
WindowsShell: TypeAlias = Literal["cmd", "powershell"]

_TITLES: dict[WindowsShell, str] = {"cmd": "cmd.exe", "powershell": "PowerShell"}

#: Commands that the shells have themselves, with the meaning that they have on Unix.
BUILT_IN: dict[WindowsShell, frozenset[str]] = {
    "cmd": frozenset({"cd", "echo", "exit", "mkdir", "rmdir", "pushd", "popd"}),
    "powershell": frozenset({"cd", "echo", "exit", "mkdir", "pwd", "pushd", "popd"}),
}

#: Names that mean something else there than on Unix.
_OTHER_MEANING: dict[WindowsShell, frozenset[str]] = {
    "cmd": frozenset({"find", "sort", "date", "time", "type", "set", "more", "timeout", "if", "for", "start"}),
    "powershell": frozenset(
        {"cat", "ls", "cp", "mv", "rm", "sort", "tee", "diff", "kill", "ps", "sleep", "test", "set", "type",
         "find", "timeout", "where"}
    ),
}  # fmt: skip

#: Variables that PowerShell sets itself.
_SET = frozenset({"PWD", "HOME"})

_SIMPLE = (CommandList, AndOr, Pipeline, SimpleCommand)


def line_reasons(
    units: tuple[CommandList, ...], shell: WindowsShell, *, rewrites_variables: bool
) -> Iterator[tuple[State, str]]:
    """Yield what a shell of Windows makes of a command line.

    Args:
        units: The line, as bash parses it.
        rewrites_variables: The agent replaces ``${NAME}`` of its own directories before PowerShell reads the line.
    """
    title = _TITLES[shell]
    if len(units) > 1:
        yield "fails", f"{title} runs other lines than bash: the command has several"
    for unit in units:
        compound = next((node for node in _commands(unit) if not isinstance(node, _SIMPLE)), None)
        if compound is not None:
            yield (
                "fails",
                f"{title} cannot parse {_NAMES.get(type(compound).__name__, 'this command of bash')}",
            )
            return
        yield from _operators(unit, shell)
        for node in walk(unit):
            if isinstance(node, SimpleCommand):
                yield from _simple(node, shell, rewrites_variables=rewrites_variables)


_NAMES = {
    "If": "if",
    "While": "while",
    "For": "for",
    "Case": "case",
    "ConditionalCommand": "[[ ... ]]",
    "ArithmeticCommand": "(( ... ))",
    "FunctionDefinition": "a function",
    "BraceGroup": "{ ... }",
    "Subshell": "( ... )",
}


def _commands(node: Node) -> Iterator[Node]:
    """Yield the commands of a line that are not inside simple commands."""
    yield node
    if isinstance(node, CommandList):
        for item in node.items:
            yield from _commands(item.command)
    elif isinstance(node, (AndOr, Pipeline)):
        for command in node.commands:
            yield from _commands(command)


def _operators(unit: CommandList, shell: WindowsShell) -> Iterator[tuple[State, str]]:
    title = _TITLES[shell]
    if shell == "powershell" and any(isinstance(node, AndOr) for node in _commands(unit)):
        yield "fails", "Windows PowerShell 5.1 has no && and || (PowerShell 7 has them)"
    for node in _commands(unit):
        if isinstance(node, CommandList):
            if any(item.background for item in node.items):
                yield "fails", f"{title} has no & that runs a command in the background"
            elif len(node.items) > 1 and shell == "cmd":
                yield "fails", "cmd.exe does not end a command at ;"
        elif isinstance(node, Pipeline) and node.negated:
            yield "fails", f"{title} has no !"


def _simple(
    node: SimpleCommand, shell: WindowsShell, *, rewrites_variables: bool
) -> Iterator[tuple[State, str]]:
    title = _TITLES[shell]
    if node.assignments or any(isinstance(word, Assignment) for word in node.words):
        yield "fails", f"{title} does not assign variables as NAME=VALUE"
        return
    for redirection in node.redirections:
        target = literal_text(redirection.target) or ""
        if isinstance(redirection.document, HereDocument) or redirection.operator in ("<<<", "<<"):
            yield "fails", f"{title} has no here-documents"
        elif target.startswith("/dev/"):
            yield "fails", f"Windows has no {target}"
        elif shell == "powershell" and (redirection.operator == "<" or target == "2"):
            yield "fails", f"PowerShell cannot parse {redirection.operator}{target if target == '2' else ''}"
    words = [word for word in node.words if isinstance(word, Word)]
    for word in words:
        yield from _expansions(word, shell, rewrites_variables=rewrites_variables)
    if words:
        yield from _command_word(words[0], shell)


def _expansions(word: Word, shell: WindowsShell, *, rewrites_variables: bool) -> Iterator[tuple[State, str]]:
    for part in word.parts:
        if isinstance(part, SingleQuoted) and shell == "cmd":
            yield "fails", "cmd.exe does not remove single quotes"
        inner = part.parts if isinstance(part, DoubleQuoted) else (part,)
        for each in inner:
            if isinstance(each, ParameterExpansion):
                if shell == "cmd":
                    yield "fails", f"cmd.exe does not expand ${each.name} (%{each.name}%)"
                elif each.name not in _SET and not (
                    rewrites_variables and each.braces and each.operator is None
                ):
                    yield (
                        "fails",
                        f"${each.name} is a variable of PowerShell, and empty: $env:{each.name} is meant",
                    )
            elif isinstance(each, (Backquoted, ArithmeticExpansion)) or (
                isinstance(each, CommandSubstitution) and shell == "cmd"
            ):
                yield "fails", f"{_TITLES[shell]} does not expand this substitution"
            elif isinstance(each, Escaped) and not isinstance(part, DoubleQuoted):
                yield "fails", f"{_TITLES[shell]} does not read \\ as a quotation"


_PATH = re.compile(r"\.{0,2}/|~/|[A-Za-z]:[\\/]|\w[\w.-]*/")


def _command_word(word: Word, shell: WindowsShell) -> Iterator[tuple[State, str]]:
    """Yield what the shell makes of the first word."""
    quoted = bool(word.parts) and isinstance(word.parts[0], (DoubleQuoted, SingleQuoted))
    text = "".join(part.text if isinstance(part, (LiteralPart, Escaped)) else "x" for part in word.parts)
    name = literal_text(word)
    if quoted and shell == "powershell" and len(word.parts) > 1:
        yield "fails", "PowerShell cannot parse a word that goes on after its quotes"
        return
    if quoted and shell == "powershell":
        yield "fails", "PowerShell prints a quoted path and runs nothing, with status 0 (& before it runs it)"
        return
    if name is not None and name in _OTHER_MEANING[shell]:
        yield "fails", f"{name} is another command in {_TITLES[shell]}"
        return
    path = name if name is not None else text
    if not _PATH.match(path):
        return
    ending = extension(path, True)
    if shell == "powershell" and ending in (".ps1", ".exe", ".com"):
        return
    if is_batch(path) or ending in (".exe", ".com"):
        if shell == "cmd" and "/" in path and not quoted:
            yield "fails", "cmd.exe reads / in a path as the beginning of an option (\\ or quotes)"
        return
    what = f"a {ending} file" if ending else "a file without an extension"
    yield (
        "fails",
        f"{_TITLES[shell]} does not read the '#!' line: it opens {what} with the program of its kind, if any",
    )

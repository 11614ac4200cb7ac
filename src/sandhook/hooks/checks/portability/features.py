"""What a script needs of its shell: features that dash or bash 3.2 lacks, found in the tree.

Sources: the changes of bash 4.0 to 5.2 (NEWS), and the manual of dash. ``sh`` is dash on Debian and Ubuntu; macOS has
bash 3.2.57 as ``bash`` and as ``sh``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sandhook.hooks.scan import literal_text, walk
from sandhook.record import Record
from sandhook.syntax.nodes import (
    AnsiQuoted,
    ArithmeticCommand,
    ArithmeticFor,
    ArrayLiteral,
    Assignment,
    Case,
    CommandList,
    ConditionalCommand,
    CondUnary,
    Coprocess,
    FunctionDefinition,
    Literal,
    Node,
    ParameterExpansion,
    Pipeline,
    ProcessSubstitution,
    Redirection,
    Select,
    SimpleCommand,
    Word,
)

#: A release of bash, in tenths: 44 is 4.4.
MACOS_BASH = 32


class Feature(Record):
    """A use of a feature.

    Attributes:
        name: The feature, as a person writes it.
        line: Line in the text, from 1.
        bash: The release of bash that brought it, in tenths; 0 for one that every bash has.
        posix: Whether dash has it.
    """

    name: str
    line: int
    bash: int = 0
    posix: bool = False


def features(units: tuple[CommandList, ...]) -> list[Feature]:
    """Return the features of a script that not every shell has, each once, at its first use."""
    found: dict[str, Feature] = {}
    line = 1
    for unit in units:
        for node in walk(unit):
            line = getattr(node, "line", 0) or line
            for name, bash in _of(node):
                found.setdefault(name, Feature(name, line, bash))
    return list(found.values())


def _of(node: Node) -> Iterator[tuple[str, int]]:
    """Yield the features of one node, each with the release of bash that brought it; 0 for every bash."""
    if isinstance(node, SimpleCommand):
        yield from _command(node)
    elif isinstance(node, ParameterExpansion):
        yield from _expansion(node)
    elif isinstance(node, Redirection):
        yield from _redirection(node)
    elif isinstance(node, Assignment):
        yield from _assignment(node)
    elif isinstance(node, Case):
        for clause in node.clauses:
            if clause.terminator != ";;":
                yield f"{clause.terminator} in case", 40
    elif isinstance(node, Pipeline):
        if any(node.both):
            yield "|&", 40
        if node.timed:
            yield "time of a pipeline", 0
    elif isinstance(node, CondUnary) and node.operator == "-v":
        yield "[[ -v NAME ]]", 42
    elif isinstance(node, FunctionDefinition) and node.keyword:
        yield "function NAME", 0
    elif isinstance(node, Coprocess):
        yield "coproc", 40
    elif isinstance(node, AnsiQuoted):
        yield "$'...'", 0
        if re.search(r"\\[uU]", node.raw):
            yield "\\u in $'...'", 42
    elif isinstance(node, Word):
        yield from _braces(node)
    else:
        name = _NODES.get(type(node))
        if name is not None:
            yield name, 0


_NODES: Mapping[type[Node], str] = {
    ConditionalCommand: "[[ ... ]]",
    ArithmeticCommand: "(( ... ))",
    ArithmeticFor: "for (( ... ))",
    ProcessSubstitution: "<( ... )",
    Select: "select",
    ArrayLiteral: "an array",
}

#: Options of ``shopt -s`` to the release that brought them.
_SHOPT = {
    "autocd": 40, "checkjobs": 40, "dirspell": 40, "globstar": 40, "lastpipe": 42, "direxpand": 43,
    "globasciiranges": 43, "inherit_errexit": 44, "localvar_inherit": 50, "assoc_expand_once": 50,
}  # fmt: skip

#: Built-ins that dash lacks, and the release of bash that brought them.
_BUILTINS = {
    "mapfile": 40, "readarray": 40, "declare": 0, "typeset": 0, "source": 0, "let": 0, "shopt": 0, "pushd": 0,
    "popd": 0, "dirs": 0, "disown": 0, "caller": 0, "compgen": 0, "enable": 0,
}  # fmt: skip

_DECLARES = ("declare", "typeset", "local", "export", "readonly")

#: Letters of declarations to what they declare and the release that brought them.
_ATTRIBUTES = {"A": ("an associative array (-A)", 40), "n": ("a name reference (-n)", 43), "g": ("declare -g", 42),
               "l": ("declare -l", 40), "u": ("declare -u", 40)}  # fmt: skip

#: Options of ``read`` that dash lacks, and the release that brought them.
_READ = {"a": 0, "d": 0, "n": 0, "s": 0, "t": 0, "u": 0, "N": 41, "i": 40, "e": 0}


def _command(node: SimpleCommand) -> Iterator[tuple[str, int]]:
    words = [literal_text(word) for word in node.words]
    name = words[0] if words else None
    if name is None:
        return
    options = [word for word in words[1:] if word is not None and word[:1] == "-"]
    letters = "".join(word[1:] for word in options if word[1:2] != "-")
    if name in _BUILTINS:
        yield name, _BUILTINS[name]
    if name in _DECLARES:
        for letter in letters:
            if letter in _ATTRIBUTES and not (name == "export" and letter == "n"):
                yield _ATTRIBUTES[letter]
    elif name == "shopt":
        for word in words[1:]:
            if word in _SHOPT:
                yield f"shopt {word}", _SHOPT[word]
    elif name == "read":
        for letter in letters:
            if letter in _READ:
                yield f"read -{letter}", _READ[letter]
        seconds = words[words.index("-t") + 1 :][:1] if "-t" in words else []
        if seconds and seconds[0] and "." in seconds[0]:
            yield "read -t with a fraction", 40
    elif name == "wait" and "n" in letters:
        yield "wait -n", 43
    elif name == "printf":
        yield from _printf(words, letters)
    elif name in ("[", "test"):
        if "==" in words:
            yield "== in [ ]", 0
        if "-v" in words[1:2]:
            yield "test -v", 42
    elif name == "echo" and any(set(word[1:]) <= set("neE") and "e" in word for word in options[:1]):
        yield "echo -e", 0
    elif name == "set" and "pipefail" in words:
        yield "set -o pipefail", 0


def _printf(words: list[str | None], letters: str) -> Iterator[tuple[str, int]]:
    text = next((word for word in words[1:] if word is None or word[:1] != "-"), None) or ""
    if "v" in letters:
        yield "printf -v", 31
    if re.search(r"%[-\d]*\([^)]*\)T", text):
        yield "printf %(...)T", 42
    elif re.search(r"%[-\d]*q", text):
        yield "printf %q", 0


#: Variables that bash sets, to the release that brought them.
_VARIABLES = {
    "BASHPID": 40, "EPOCHSECONDS": 50, "EPOCHREALTIME": 50, "SRANDOM": 51, "BASH_ARGV0": 50, "RANDOM": 0,
    "BASH_SOURCE": 0, "BASH_REMATCH": 0, "PIPESTATUS": 0, "FUNCNAME": 0, "SECONDS": 0, "BASH_VERSINFO": 0,
}  # fmt: skip


def _expansion(node: ParameterExpansion) -> Iterator[tuple[str, int]]:
    if node.name in _VARIABLES:
        yield f"${node.name}", _VARIABLES[node.name]
    operator = node.operator
    if operator in (",", ",,", "^", "^^"):
        yield f"${{{node.name}{operator}}}", 40
    elif operator == "@":
        letter = literal_text(node.word) if node.word is not None else ""
        yield f"${{{node.name}@{letter}}}", 51 if letter and letter in "ULuK" else 52 if letter == "k" else 44
    elif operator in ("/", "//", "/#", "/%"):
        yield "${NAME/PATTERN/TEXT}", 0
    elif operator == ":":
        yield "${NAME:OFFSET}", 0
        length = literal_text(node.second) if node.second is not None else None
        if length is not None and length.strip().startswith("-"):
            yield "${NAME:OFFSET:-LENGTH}", 42
    if node.prefix == "!":
        yield "${!NAME}", 0
    if node.subscript is not None:
        yield "an array", 0
        index = literal_text(node.subscript)
        if index is not None and index.strip().startswith("-") and index.strip()[1:].isdigit():
            yield "${ARRAY[-1]}", 42


def _redirection(node: Redirection) -> Iterator[tuple[str, int]]:
    if node.operator == "&>>":
        yield "&>>", 40
    elif node.operator in ("&>", "<<<"):
        yield node.operator, 0
    if node.variable is not None:
        yield "{NAME}> of a descriptor", 41
    target = literal_text(node.target) or ""
    if target.startswith(("/dev/tcp/", "/dev/udp/")):
        yield target[:8], 0


def _assignment(node: Assignment) -> Iterator[tuple[str, int]]:
    if node.subscript is not None:
        yield "an array", 0
        index = literal_text(node.subscript)
        if index is not None and index.strip()[:1] == "-" and index.strip()[1:].isdigit():
            yield "ARRAY[-1]=", 43
    if node.append:
        yield "NAME+=", 0


_SEQUENCE = re.compile(r"\{(-?\w+)\.\.(-?\w+)(\.\.-?\d+)?\}")
_LIST = re.compile(r"\{[^{},\s]*+,[^{}\s]*+\}")


def _braces(node: Word) -> Iterator[tuple[str, int]]:
    for part in node.parts:
        if not isinstance(part, Literal) or "{" not in part.text:
            continue
        sequence = _SEQUENCE.search(part.text)
        if sequence is not None:
            yield "{A..B}", 0
            first = sequence[1].lstrip("-")
            if sequence[3] or (first.isdigit() and len(first) > 1 and first[0] == "0"):
                yield "{01..10} or {1..9..2}", 40
        elif _LIST.search(part.text):
            yield "{A,B}", 0

"""The tree of a script and the values of its words, for checks that run nothing.

A word is known when it is literal, or when its variables are
known (the project's directory, the script's own, or a variable that the script assigns once).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.dispatch.wrappers import is_wrapper, wrapped
from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.limits import check_clock
from sandhook.syntax import parse_cached, parse_heredoc
from sandhook.syntax.nodes import (
    AnsiQuoted,
    Assignment,
    Backquoted,
    CommandSubstitution,
    DoubleQuoted,
    Escaped,
    HereDocument,
    Literal,
    Node,
    ParameterExpansion,
    SimpleCommand,
    SingleQuoted,
    Word,
    WordPart,
)

#: The most characters of one value, and of all variables of one reader: a few assignments can double a text without end.
MAX_VALUE, MAX_VARIABLES = 256 << 10, 4 << 20

#: The command that prints the top of the repository; also the key, no name of a variable, of what it prints.
TOPLEVEL = "git rev-parse --show-toplevel"

#: Wrappers around one command that are followed: every level copies its words.
_MOST_WRAPPERS = 32

#: Nodes between two looks at the clock.
_NODES = 512


def walk(node: object) -> Iterator[Node]:
    """Yield a node and all nodes below it, in the order of the text; backquotes and here-documents are parsed."""
    pending: list[object] = [node]
    count = 0
    while pending:
        item = pending.pop()
        if isinstance(item, Node):
            count += 1
            if not count % _NODES:
                check_clock()
            yield item
            if isinstance(item, Backquoted):
                try:
                    pending.extend(reversed(parse_cached(item.text)))
                except (ShellSyntaxError, LimitExceeded):
                    continue
            if isinstance(item, HereDocument) and not item.quoted:
                try:
                    pending.append(parse_heredoc(item.text))
                except (ShellSyntaxError, LimitExceeded):
                    continue
        if isinstance(item, tuple):
            pending.extend([part for part in reversed(item) if isinstance(part, tuple)])


def literal_text(word: Word | Assignment) -> str | None:
    """Return a word without its quotes, or None when something in it is expanded."""
    return Reader({}, None).value(word)


def joined(texts: Sequence[str | None]) -> str | None:
    """Return texts as one; None when one of them is not known, or when the value exceeds MAX_VALUE characters."""
    size = 0
    for text in texts:
        if text is None:
            return None
        size += len(text)
    return "".join(filter(None, texts)) if size <= MAX_VALUE else None


def expansion(part: ParameterExpansion, known: str | None, value: Callable[[Word], str | None]) -> str | None:
    """Return what an expansion of a parameter expands to, or None when that is not known.

    Args:
        known: The value of the parameter.
        value: Returns the value of the operator's word, or None.
    """
    if known is None or part.prefix or part.operator is None:
        return None if part.prefix else known
    if part.operator in (":-", ":?", ":="):
        return known or None
    if part.operator in ("-", "?", "="):
        return known
    if part.operator in ("%", "%%") and part.word is not None and value(part.word) == "/*":
        head = known.rpartition("/")[0] if part.operator == "%" else known.partition("/")[0]
        return head if "/" in known else known
    if part.operator in ("#", "##") and part.word is not None and value(part.word) == "*/":
        return known.rpartition("/")[2] if part.operator == "##" else known.partition("/")[2] or known
    return None


class Reader:
    """Returns the values of words, where they are known."""

    def __init__(self, variables: dict[str, str], own: str | None) -> None:
        self.variables = variables
        self.own = own

    def learn(self, nodes: list[Node]) -> None:
        """Record variables that are assigned once, to a known word."""
        assigned: dict[str, list[Assignment]] = {}
        size = sum(map(len, self.variables.values()))
        for node in nodes:
            if isinstance(node, Assignment):
                assigned.setdefault(node.name, []).append(node)
        for name, places in assigned.items():
            self.variables.pop(name, None)
            one = places[0]
            if len(places) == 1 and one.subscript is None and not one.append and isinstance(one.value, Word):
                value = self.value(one.value)
                size += len(value or "")
                if value is not None and size <= MAX_VARIABLES:
                    self.variables[name] = value

    def value(self, word: Word | Assignment) -> str | None:
        """Return a word's value, or None when it is not known."""
        if isinstance(word, Assignment):
            return None
        return joined([self._part(part) for part in word.parts])

    def _part(self, part: WordPart) -> str | None:
        if isinstance(part, (Literal, Escaped, SingleQuoted, AnsiQuoted)):
            return part.text
        if isinstance(part, DoubleQuoted):
            return joined([self._part(each) for each in part.parts])
        if isinstance(part, ParameterExpansion):
            return self._parameter(part)
        if isinstance(part, CommandSubstitution):
            return self._substitution(part)
        return None

    def _parameter(self, part: ParameterExpansion) -> str | None:
        known = self.own if part.name == "0" or self._is_source(part) else self.variables.get(part.name)
        return expansion(part, known, self.value)

    @staticmethod
    def _is_source(part: ParameterExpansion) -> bool:
        return part.name == "BASH_SOURCE" and (part.subscript is None or unquoted_text(part.subscript) == "0")

    def _substitution(self, part: CommandSubstitution) -> str | None:
        """Return the value of ``$(pwd)``, ``$(dirname "$0")``, ``$(cd DIR && pwd)`` and TOPLEVEL."""
        calls = [node for node in walk(part.body) if isinstance(node, SimpleCommand) and node.words]
        words = [[self.value(word) for word in call.words] for call in calls]
        words = [line for line in words if line and line[0] is not None]
        if not words:
            return None
        first = [text for text in words[0] if text not in ("--", "-P", "-L")]
        if first == ["pwd"]:
            return self.variables.get("PWD")
        if first == TOPLEVEL.split():
            return self.variables.get(TOPLEVEL)
        if first[0] == "dirname" and len(first) == 2 and first[1] is not None:
            return first[1].rpartition("/")[0] or "."
        if first[0] == "cd" and len(first) == 2 and any(line[0] == "pwd" for line in words):
            return first[1]
        if first[0] in ("readlink", "realpath") and first[-1] is not None:
            return first[-1]
        return None


def unquoted_text(word: Word) -> str | None:
    """Return a word that is a literal text without quotes, or None."""
    texts = [part.text for part in word.parts if isinstance(part, Literal)]
    return "".join(texts) if len(texts) == len(word.parts) else None


def command_names(words: Sequence[str | None]) -> Iterator[str]:
    """Yield the command that words call, and the commands that wrappers call."""
    for _ in range(_MOST_WRAPPERS):
        name = words[0] if words else None
        if name is None:
            return
        yield name
        parts = wrapped(name, words).parts if is_wrapper(name) else ()
        if not parts:
            return
        words = words[parts[0].start : parts[0].end]

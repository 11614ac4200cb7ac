"""``Bash(...)`` in an `if`: the command is parsed as bash parses it, and each simple command is tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sandhook.errors import SandhookError
from sandhook.hooks.contracts._claude_shape import wild
from sandhook.hooks.matcher import quote
from sandhook.hooks.scan import literal_text, walk
from sandhook.syntax import parse_cached
from sandhook.syntax.nodes import (
    ArithmeticExpansion,
    Backquoted,
    CommandSubstitution,
    Node,
    ParameterExpansion,
    ProcessSubstitution,
    SimpleCommand,
)
from sandhook.syntax.unparse import unparse

_WRAPPERS = frozenset({"timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "xargs"})

#: Wrappers before one command that are removed.
MAX_WRAPPERS = 32

_SUBSTITUTIONS = (CommandSubstitution, Backquoted, ProcessSubstitution)
_EXPANSIONS = (*_SUBSTITUTIONS, ParameterExpansion, ArithmeticExpansion)


def judge(pattern: str, command: str, *, inside: bool, better: bool, shell: bool) -> tuple[bool, str]:
    """Return whether a pattern matches a command, and why.

    A pattern is the text of a command, with ``*`` for any characters. A final `` *`` (or ``:*``) matches any
    arguments or none.

    Args:
        inside: Test the commands inside substitutions too.
        better: Match a command whose name is not known.
        shell: The text is bash's; else it is PowerShell's, and is tested as one command.
    """
    if pattern.endswith(":*"):
        pattern = pattern[:-2] + " *"
    if not shell:
        return _like(pattern, command.strip()), f"command {quote(command)}"
    try:
        units = parse_cached(command)
    except SandhookError:
        return True, "the command does not parse, so the hook runs"
    bare = " " not in pattern.removesuffix(" *")
    calls = list(_calls(units, inside))
    for call in calls:
        for text in _texts(call):
            if text is None:
                return True, "a command has too many wrappers, so the hook runs"
            if _like(pattern, text):
                return True, f"command {quote(text)}"
    if not inside:
        return False, f"no command of {quote(command)} is like it"
    nodes = [node for unit in units for node in walk(unit)]
    if any(isinstance(node, Backquoted) and not _parses(node.text) for node in nodes):
        return True, "something in backquotes does not parse, so the hook runs"
    if not bare and any(isinstance(node, _EXPANSIONS) for node in nodes):
        return True, "the command has expansions, so the hook runs"
    if better and any(literal_text(call.words[0]) is None for call in calls):
        return True, "the name of a command is not known, so the hook runs"
    return False, f"no command of {quote(command)} is like it"


def _parses(text: str) -> bool:
    try:
        parse_cached(text)
    except SandhookError:
        return False
    return True


def _calls(units: Iterable[Node], inside: bool) -> Iterator[SimpleCommand]:
    for unit in units:
        for node in walk(unit) if inside else _outside(unit):
            if isinstance(node, SimpleCommand) and node.words:
                yield node


def _outside(node: Node) -> Iterator[Node]:
    """Yield the nodes outside substitutions."""
    pending: list[tuple[object, ...]] = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, _SUBSTITUTIONS):
            continue
        if isinstance(item, Node):
            yield item
        pending.extend(part for part in reversed(item) if isinstance(part, tuple))


def _texts(call: SimpleCommand) -> Iterator[str | None]:
    """Yield a command as written and unquoted, and again without each of its wrappers.

    Yields None at the end when there are more than MAX_WRAPPERS.
    """
    written = [unparse(word) for word in call.words]
    known = [literal_text(word) for word in call.words]
    words = [text if plain is None else plain for text, plain in zip(written, known, strict=True)]
    for _ in range(MAX_WRAPPERS):
        yield " ".join(written)
        if words != written:
            yield " ".join(words)
        count = _wrapper(words)
        if not count or count >= len(words):
            return
        words, written = words[count:], written[count:]
    yield None


def _wrapper(words: list[str]) -> int:
    """Return the number of words before the command that a wrapper runs; 0 when it is not a wrapper."""
    name, rest = words[0], words[1:]
    if name not in _WRAPPERS:
        return 0
    if name == "xargs":
        return 1 if rest and not rest[0].startswith("-") else 0
    at = 0
    while at < len(rest) and rest[at].startswith("-"):
        takes = {"timeout": ("-k", "-s"), "nice": ("-n",), "stdbuf": ("-i", "-o", "-e")}.get(name, ())
        at += 2 if rest[at] in takes else 1
    return at + 2 if name == "timeout" else at + 1


def _like(pattern: str, text: str) -> bool:
    if pattern.endswith(" *"):
        return wild(pattern[:-2], text) or wild(pattern, text)
    return wild(pattern, text)

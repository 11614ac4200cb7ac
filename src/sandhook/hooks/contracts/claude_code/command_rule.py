"""``Bash(...)`` in an `if`: the command is parsed as bash parses it, and each simple command is tested."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sandhook.errors import LimitExceeded, SandhookError
from sandhook.hooks.contracts._claude_shape import wild
from sandhook.hooks.contracts.claude_code.command_shape import Shape, shape_of
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.matcher import quote
from sandhook.hooks.scan import Reader, walk
from sandhook.limits import check_clock
from sandhook.syntax import parse_cached
from sandhook.syntax.nodes import (
    ArithmeticFor,
    Assignment,
    Backquoted,
    CommandSubstitution,
    For,
    Literal,
    Node,
    Pipeline,
    ProcessSubstitution,
    Select,
    SimpleCommand,
    While,
    Word,
)
from sandhook.syntax.unparse import unparse

#: Programs before a command that a rule looks through; in the version that was recorded, only xargs.
_WRAPPERS = frozenset({"timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "xargs"})
_XARGS = frozenset({"xargs"})

#: Wrappers before one command that are removed.
MAX_WRAPPERS = 32

_SUBSTITUTIONS = (CommandSubstitution, Backquoted, ProcessSubstitution)
#: With one of these in a command, the hook runs in better mode.
_LOOPS = (For, ArithmeticFor, Select, While)
#: A rule for a command with any arguments.
_BARE = re.compile(r"\S*(?: \*|:\*)|[^\s*]+\*")
#: What the parser says of a quote that is not closed.
_UNCLOSED = "matching `''"

_BLANKS = re.compile(r"[ \t]+")


def judge(pattern: str, command: str, *, inside: bool, shell: bool, profile: Profile) -> tuple[bool, str]:
    """Return whether a pattern matches a command, and why.

    A pattern is the text of a command, with ``*`` for any characters. A final `` *`` matches any arguments or
    none, and so does a final ``:*``, before which nothing stands for something else.

    Args:
        inside: Test the commands inside substitutions too.
        shell: The text is bash's; else it is PowerShell's, and is tested as one command.
        profile: The version and the mode.
    """
    if "*" not in pattern:
        pattern = pattern.strip(" ")
    pattern = _BLANKS.sub(" ", pattern)
    if not shell:
        return _like(pattern, command.strip()), f"command {quote(command)}"
    try:
        units = parse_cached(command)
    except LimitExceeded:
        check_clock()  # the time of the matchers; a bound of the parser is not the agent's
        if profile.strict:
            raise
        return True, "the command exceeds a bound of the parser, so the hook runs"
    except SandhookError as error:
        if profile.reproduces("unparsed") and _UNCLOSED in str(error):
            return _like(pattern, command.strip()), f"command {quote(command)}, which does not parse"
        again = _without_rest(command)
        if profile.reproduces("unparsed") and again is not None:
            return judge(pattern, again, inside=inside, shell=shell, profile=profile)
        return True, "the command does not parse, so the hook runs"
    nodes = [node for unit in units for node in walk(unit)] if inside else []
    if not profile.strict and not set(map(type, nodes)).isdisjoint(_LOOPS):
        return True, "the command has loops, so the hook runs"
    reader = _reader(nodes) if any(isinstance(node, Assignment) for node in nodes) else Reader({}, None)
    shape = shape_of(command, nodes, reader) if inside else Shape.KNOWN
    if shape is Shape.OPAQUE:
        return True, "the command has parts that no rule is compared with, so the hook runs"
    calls = _calls(nodes if inside else [node for unit in units for node in _outside(unit)])
    found = _among(pattern, calls, nodes, reader, profile)
    if found is not None:
        return True, found
    if shape is Shape.EXPANDED and not _BARE.fullmatch(pattern):
        return True, "the command has expansions, so the hook runs"
    if inside and any(isinstance(node, Backquoted) and not _parses(node.text) for node in nodes):
        return True, "something in backquotes does not parse, so the hook runs"
    return False, f"no command of {quote(command)} is like it"


def _among(
    pattern: str, calls: Sequence[SimpleCommand], nodes: Sequence[Node], reader: Reader, profile: Profile
) -> str | None:
    """Return which of the commands is like a pattern, or why one counts as such; None if none is."""
    wrappers = _XARGS if profile.reproduces("wrappers") else _WRAPPERS
    timed = {
        id(first)
        for node in nodes
        if isinstance(node, Pipeline) and node.timed
        for first in node.commands[:1]
    }
    alone = any(isinstance(node, Pipeline) and node.timed and not node.commands for node in nodes)
    if alone and _like(pattern, "time"):
        return "command time"
    for call in calls:
        check_clock()
        for text in _texts(call, wrappers, reader):
            if text is None:
                return "a command has too many wrappers, so the hook runs"
            told = f"time {text}" if id(call) in timed else text
            if _like(pattern, told) or (not profile.reproduces("wrappers") and _like(pattern, text)):
                return f"command {quote(text)}"
    return None


def _without_rest(command: str) -> str | None:
    """Return a command without the signs over which Claude Code's parser goes, or None without such signs."""
    again = command.rstrip(" |").replace(";;", ";")
    return again if again != command.rstrip(" ") and not command.endswith("||") else None


def _reader(nodes: list[Node]) -> Reader:
    """Return a reader that knows the variables which the command assigns once, for all that follows."""
    reader = Reader({}, None)
    calls = [node for node in nodes if isinstance(node, SimpleCommand)]
    temporary = {each.name for call in calls if call.words for each in call.assignments}
    lasting = [each for call in calls if not call.words for each in call.assignments]
    reader.learn([each for each in lasting if each.name not in temporary])
    return reader


def _parses(text: str) -> bool:
    try:
        parse_cached(text)
    except SandhookError:
        return False
    return True


def _calls(nodes: Sequence[Node]) -> list[SimpleCommand]:
    return [node for node in nodes if isinstance(node, SimpleCommand) and node.words]


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


def _texts(call: SimpleCommand, wrappers: frozenset[str], reader: Reader) -> Iterator[str | None]:
    """Yield a command as written and unquoted, and again without each of its wrappers.

    Yields None at the end when there are more than MAX_WRAPPERS.
    """
    written = words = _plain(call.words)
    if not written:
        written = [unparse(word) for word in call.words]
        known = [reader.value(word) for word in call.words]
        words = [text if plain is None else plain for text, plain in zip(written, known, strict=True)]
    for _ in range(MAX_WRAPPERS):
        yield " ".join(written)
        if words != written:
            yield " ".join(words)
        count = _wrapper(words) if words[0] in wrappers else 0
        if not count or count >= len(words):
            return
        words, written = words[count:], written[count:]
    yield None


def _plain(words: Sequence[Word | Assignment]) -> list[str]:
    """Return the texts of words without quotes and expansions; an empty list if one has them."""
    texts = []
    for word in words:
        part = word.parts[0] if isinstance(word, Word) and len(word.parts) == 1 else None
        if not isinstance(part, Literal):
            return []
        texts.append(part.text)
    return texts


def _wrapper(words: list[str]) -> int:
    """Return the number of words before the command that a wrapper runs; 0 for an xargs with options."""
    name, rest = words[0], words[1:]
    if name == "xargs":
        return 1 if rest and not rest[0].startswith("-") else 0
    at = 0
    while at < len(rest) and rest[at].startswith("-"):
        takes = {"timeout": ("-k", "-s"), "nice": ("-n",), "stdbuf": ("-i", "-o", "-e")}.get(name, ())
        at += 2 if rest[at] in takes else 1
    return at + 2 if name == "timeout" else at + 1


def _like(pattern: str, text: str) -> bool:
    if pattern.endswith(":*") and pattern != ":*":
        return f"{text} ".startswith(f"{pattern[:-2]} ")
    if pattern.endswith(" *"):
        return wild(pattern[:-2], text) or wild(pattern, text)
    return wild(pattern, text)

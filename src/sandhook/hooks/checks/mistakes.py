"""What scripts write that looks right and means something else: variables that no agent sets, quoted expressions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from sandhook.hooks.checks.reading import literal
from sandhook.hooks.event import JsonObject
from sandhook.hooks.scan import walk
from sandhook.syntax import parse_cached
from sandhook.syntax.nodes import (
    Assignment,
    CondBinary,
    ConditionalCommand,
    DoubleQuoted,
    Node,
    ParameterExpansion,
    SimpleCommand,
    SingleQuoted,
    Word,
)

#: Names by which scripts expect an agent to pass parts of its payload in the environment.
_OF_PAYLOAD = re.compile(
    r"(CLAUDE|CODEX|COPILOT|CRUSH|CURSOR|GEMINI|GOOSE|GROK|HERMES|JCODE|KIMI|KIRO|QWEN)_"
    r"(?:TOOL|FILE|COMMAND|PROMPT|HOOK|EVENT|USER_PROMPT|BASH|EDIT|ARGS|INPUT|OUTPUT|RESPONSE)\w*"
)

#: Parts of regular expressions that nobody writes to be found as they are.
_EXPRESSION = re.compile(r"\\[sbdw.]|\.[*+]|\]\+|\]\*|^\^|\$$|\w\|\w|\((?:\w+\|)+\w+\)")

#: Built-ins that set variables by their names.
_SETTERS = frozenset(
    {"read", "mapfile", "readarray", "printf", "getopts", "export", "declare", "local", "typeset"}
)

#: Fields that tools have, and that no payload has at its top level but within the tool's input.
_OF_TOOLS = frozenset(
    {"command", "file_path", "content", "old_string", "new_string", "url", "pattern", "notebook_path"}
)


def unset_variables(text: str, known: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield variables of an agent that it does not set, each once, with the line.

    Args:
        known: The variables that the agent sets.
    """
    nodes = [node for unit in parse_cached(text) for node in walk(unit)]
    own = {node.name for node in nodes if isinstance(node, Assignment)}
    for node in nodes:
        if isinstance(node, SimpleCommand) and node.words and literal(node.words[0]) in _SETTERS:
            own.update(word for each in node.words[1:] if (word := literal(each)))
    seen = {*known, *own}
    families = tuple(
        f"{name.rpartition('_')[0]}_" for name in known if name.count("_") > 2
    )  # a variable for each field
    line = 1
    for node in nodes:
        line = getattr(node, "line", 0) or line
        if not isinstance(node, ParameterExpansion) or node.name in seen or node.prefix or node.operator:
            continue
        if _OF_PAYLOAD.fullmatch(node.name) and not node.name.startswith(families):
            seen.add(node.name)
            yield node.name, line


def quoted_expressions(text: str) -> Iterator[tuple[str, int]]:
    """Yield regular expressions that stand in quotes after ``=~``, where bash finds them as they are, with the line."""
    for unit in parse_cached(text):
        for node in walk(unit):
            if isinstance(node, ConditionalCommand):
                for each in walk(node.expression):
                    if isinstance(each, CondBinary) and each.operator == "=~":
                        expression = _quoted(each.right)
                        if expression is not None and _EXPRESSION.search(expression):
                            yield expression, node.line


def _quoted(word: Word) -> str | None:
    """Return the text of a word that is one quoted text, None for any other."""
    part: Node | None = word.parts[0] if len(word.parts) == 1 else None
    if isinstance(part, DoubleQuoted):
        return literal(Word(part.parts))
    return part.text if isinstance(part, SingleQuoted) else None


def place_of_field(key: str, payload: JsonObject) -> str:
    """Return where a field of a tool is that a script looks for at the top of the payload; "" if it is not known."""
    if key not in _OF_TOOLS:
        return ""
    inputs = [name for name in ("tool_input", "toolArgs", "args", "tool_args", "input") if name in payload]
    return f".{inputs[0]}.{key}" if inputs and isinstance(payload[inputs[0]], dict) else ""

"""Words, and everything inside them, back to text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from sandhook.syntax import nodes as n

#: Characters that cannot stand for themselves in the word of an operator in double quotes.
_SPECIAL_IN_QUOTES = frozenset("\"'\\$`}")

_BACKSLASH = re.compile(r"\\(?=[$`\"\\]|\Z)")

#: Prints the commands between the parentheses of a substitution.
PrintBody: TypeAlias = Callable[["n.CommandList | None"], str]


def word_text(node: n.Node, body: PrintBody) -> str:
    """Return the text of a word, an assignment or a part of a word."""
    kind = node.__class__
    if kind is n.Word:
        return "".join([word_text(part, body) for part in node[0]])
    if kind is n.Literal:
        text: str = node[0]
        return text
    if kind is n.DoubleQuoted:
        return '"' + "".join([part_in_double_quotes(part, body) for part in node[0]]) + '"'
    if isinstance(node, n.ParameterExpansion):
        return _parameter(node, body)
    if isinstance(node, n.SingleQuoted):
        return f"'{node.text}'"
    if isinstance(node, n.Escaped):
        return "\\" + node.text
    if isinstance(node, n.CommandSubstitution):
        return f"$({body(node.body)})"
    if isinstance(node, n.ArithmeticExpansion):
        text = word_text(node.expression, body)
        return f"$[{text}]" if node.brackets else f"$(({text}))"
    if isinstance(node, n.AnsiQuoted):
        from sandhook.text.quoting import single_quote

        return single_quote(node.text)
    if isinstance(node, n.Backquoted):
        return "`" + (node.raw or _escaped(node.text)) + "`"
    if isinstance(node, n.ProcessSubstitution):
        return f"{node.direction}({body(node.body)})"
    if isinstance(node, n.ExtendedPattern):
        return f"{node.operator}({'|'.join([word_text(word, body) for word in node.alternatives])})"
    if isinstance(node, n.BadSubstitution):
        return node.text
    if isinstance(node, n.Assignment):
        return f"{node.name}{_subscript(node.subscript, body)}{'+=' if node.append else '='}" + word_text(
            node.value, body
        )
    if isinstance(node, n.ArrayLiteral):
        return f"({' '.join([word_text(element, body) for element in node.elements])})"
    if isinstance(node, n.ArrayElement):
        operator = "+=" if node.append else "="
        return _subscript(node.subscript, body) + operator + word_text(node.value, body)
    raise TypeError(f"{kind.__name__} has no text of its own")


def delimiter_text(document: n.HereDocument) -> str:
    """Return the delimiter, or another one if no line can be equal to it, or if it has a here-document of its own."""
    delimiter = document.delimiter
    if "\n" in delimiter or "<<" in delimiter:
        delimiter = "EOF"
        lines = document.text.split("\n")
        while any(line.startswith(delimiter) for line in lines):
            delimiter += "_"
    return delimiter


def _escaped(text: str) -> str:
    """Restore the backslashes that reading a backquoted command removes."""
    return _BACKSLASH.sub(r"\\\\", text).replace("`", "\\`")


def _subscript(subscript: n.Word | None, body: PrintBody) -> str:
    return "" if subscript is None else f"[{word_text(subscript, body)}]"


def part_in_double_quotes(node: n.Node, body: PrintBody) -> str:
    """Return the text of a part in double quotes, where the quotes of ``'...'`` are text, and ``$'...'`` is decoded."""
    if isinstance(node, n.ParameterExpansion):
        return _parameter(node, body, quoted=True)
    if isinstance(node, n.AnsiQuoted):
        return node.text if _SPECIAL_IN_QUOTES.isdisjoint(node.text) else f"$'{node.raw}'"
    return word_text(node, body)


def _parameter(node: n.ParameterExpansion, body: PrintBody, *, quoted: bool = False) -> str:
    if not node.braces:
        return "$" + node.name
    operator = node.operator or ""
    text = f"{node.prefix}{node.name}{_subscript(node.subscript, body)}{operator}"
    if node.word is not None:
        if quoted and operator[-1:] in ("-", "+", "=", "?"):
            text += "".join([part_in_double_quotes(part, body) for part in node.word.parts])
        else:
            text += word_text(node.word, body)
    if node.second is not None:
        text += (":" if operator == ":" else "/") + word_text(node.second, body)
    return "${" + text + "}"

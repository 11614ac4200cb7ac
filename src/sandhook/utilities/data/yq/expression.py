"""Translate expressions of Mike Farah's yq to jq.

``env(NAME)`` and ``strenv(NAME)`` become values of variables, ``X as $v ireduce (A; B)`` becomes
``reduce X as $v (A; B)``, and functions with other names are defined. The rest is passed to jq unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.command.context import Failure
from sandhook.utilities.data.jq.lexer import Token, UnbalancedError, definitions, keys, tokenize

#: Functions of yq, which are defined if an expression uses them and does not define them itself.
_DEFINITIONS = {
    "downcase": "def downcase: ascii_downcase;",
    "upcase": "def upcase: ascii_upcase;",
    "to_json": "def to_json: tojson; def to_json($n): tojson;",
    "from_json": "def from_json: fromjson;",
    "sort_keys": "def sort_keys(f): (f | objects) |= (to_entries | sort_by(.key) | from_entries);",
    "kind": 'def kind: if type == "object" then "map" elif type == "array" then "seq" else "scalar" end;',
    "tag": (
        'def tag: {"object":"!!map","array":"!!seq","string":"!!str","boolean":"!!bool","null":"!!null"}[type]'
        ' // (if tostring | test("[.eE]") then "!!float" else "!!int" end);'
    ),
    "explode": "def explode(f): .;",
    "with": "def with(p; f): p |= f;",
}

#: Operators and functions whose result is their input with changes.
_ASSIGNMENTS = frozenset({"=", "|=", "+=", "-=", "*=", "/=", "//=", "%=", "?//="})
_CHANGING = frozenset({"del", "delpaths", "setpath", "with", "explode", "select", "sort_keys"})


def changes_only(text: str) -> bool:
    """Return whether every result of an expression is its input with changes: ``.a = 1 | del(.b)``."""
    try:
        tokens = tokenize(text)
    except UnbalancedError:
        return False
    depth = 0
    part: list[Token] = []
    parts = [part]
    for token in tokens:
        if token.text in ("(", "[", "{") and not token.kind:
            depth += 1
        elif token.text in (")", "]", "}") and not token.kind:
            depth -= 1
        elif depth == 0 and not token.kind and token.text == "|":
            part = []
            parts.append(part)
            continue
        if depth == 0:
            part.append(token)
    return all(_changes(part) for part in parts)


def _changes(part: list[Token]) -> bool:
    """Check one part of a pipe, of whose brackets only the closing ones are included."""
    words = [token.text for token in part if not token.kind]
    names = [token.text for token in part if token.kind == "name"]
    if any(word in (",", ";", "?//") for word in words) or {"as", "def", "if", "reduce", "foreach"} & set(
        names
    ):
        return False
    if len(part) == 1:
        return words == ["."]
    if not _ASSIGNMENTS.isdisjoint(words):
        return True
    return len(part) == 2 and names[:1] == [part[0].text] and names[0] in _CHANGING and words == [")"]


def translate(text: str, environment: Mapping[str, str], parse: Callable[[str], str]) -> str:
    """Translate an expression to a jq program.

    Args:
        parse: Returns the JSON text of a value that ``env`` reads.

    Raises:
        Failure: A variable that the expression names is not set.
    """
    try:
        tokens = tokenize(text)
    except UnbalancedError:
        return text  # libjq's message has the position
    names = keys(tokens)
    uses = {token.text for token in tokens if token.kind == "name" and token.start not in names}
    own_definitions = definitions(tokens)
    head = "".join(text for name, text in _DEFINITIONS.items() if name in uses - own_definitions)
    pieces: list[str] = []
    at = 0
    for index, token in enumerate(tokens):
        if token.kind != "name" or token.start in names or token.start < at:
            continue
        if token.text in ("env", "strenv") and (inner := _argument(tokens, index)):
            value = environment.get(inner.text)
            if value is None:
                raise Failure(f"value for env variable '{inner.text}' not provided in {token.text}()")
            pieces += [text[at : token.start], _string(value) if token.text == "strenv" else parse(value)]
            at = tokens[index + 3].end
        elif token.text == "ireduce" and token.text not in own_definitions:
            head_text = "".join(pieces) + text[at : token.start]
            pieces = [_reduce(head_text)]
            at = token.end
    return head + "".join(pieces) + text[at:]


def _argument(tokens: list[Token], index: int) -> Token | None:
    """Return the only token in the parentheses after a token if it is a name, else None."""
    following = tokens[index + 1 : index + 4]
    if len(following) < 3 or (following[0].text, following[2].text) != ("(", ")"):
        return None
    return following[1] if following[1].kind == "name" else None


def _reduce(head: str) -> str:
    """Translate ``HEAD ireduce``: the last source with its variable follows ``reduce`` in jq."""
    depth = 0
    start = 0
    for token in tokenize(head):
        if token.text in ("(", "[", "{") and not token.kind:
            depth += 1
        elif token.text in (")", "]", "}") and not token.kind:
            depth -= 1
        elif token.text in ("|", ",", ";") and not token.kind and depth == 0:
            start = token.end
    return f"{head[:start]} reduce {head[start:]}"


def _string(text: str) -> str:
    from json import dumps

    return dumps(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))

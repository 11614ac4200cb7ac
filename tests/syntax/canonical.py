"""One spelling for trees that bash prints alike, so that a printed script can be compared.

See ``sandhook.syntax.unparse``: printing writes ``elif`` as ``else`` with an ``if``, and so on.
"""

from __future__ import annotations

from typing import Any

from sandhook.syntax import nodes as n
from sandhook.syntax.nodes import Node, strip_spans

_DEFAULT_FD = {"<": 0, "<&": 0, "<<": 0, "<<-": 0, "<<<": 0, ">": 1, ">>": 1, ">|": 1, ">&": 1, "<>": 0}


def canonical(units: tuple[n.CommandList, ...]) -> Any:
    """Return the items of all units in one tuple: a here-document's end makes two units of one."""
    return tuple(item for unit in units for item in _canonical(strip_spans(unit)).items)


def _canonical(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    items = [_canonical(item) for item in value]
    if not isinstance(value, Node):
        return tuple(items)
    node = tuple.__new__(value.__class__, items)
    rule = _RULES.get(node.__class__)
    return node if rule is None else rule(node)


def _replaced(node: Node, **fields: Any) -> Any:
    return node.__class__(*[fields.get(name, value) for name, value in zip(node._fields, node)])


def _one(command: Any) -> n.CommandList:
    return n.CommandList((n.ListItem(command),))


def _loop(node: Any) -> Any:
    if node.words is None:
        part = n.ParameterExpansion("@", braces=False)
        return _replaced(node, words=(n.Word((n.DoubleQuoted((part,)),)),))
    return node


def _if(node: n.If) -> n.If:
    if len(node.clauses) == 1:
        return node
    inner = _if(n.If(node.clauses[1:], node.otherwise))
    return n.If(node.clauses[:1], _one(inner), *node[2:])


def _function(node: n.FunctionDefinition) -> Any:
    body = node.body if isinstance(node.body, n.BraceGroup) else n.BraceGroup(_one(node.body))
    return _replaced(node, keyword=False, body=body)


def _redirection(node: n.Redirection) -> Any:
    fd, operator = node.fd, node.operator
    if fd is None and node.variable is None:
        fd = _DEFAULT_FD.get(operator)
    target = node.target
    if node.document is not None:
        target = n.Word(())
    if target == n.Word((n.Literal("-"),)):
        operator = ">&"
    return n.Redirection(operator, target, fd, node.variable, node.document)


def _arithmetic_for(node: n.ArithmeticFor) -> Any:
    one = n.Word((n.Literal("1"),))
    words = {name: getattr(node, name) for name in ("init", "condition", "update")}
    return _replaced(node, **{name: word if word.parts else one for name, word in words.items()})


def _pipeline(node: n.Pipeline) -> Any:
    commands: list[Any] = list(node.commands)
    for index, both in enumerate(node.both):
        if both and "redirections" in commands[index]._fields:
            more = n.Redirection(">&", n.Word((n.Literal("1"),)), 2)
            redirections = (*commands[index].redirections, more)
            commands[index] = _replaced(commands[index], redirections=redirections)
    return _replaced(node, commands=tuple(commands), both=(False,) * len(node.both))


def _coprocess_name(node: n.Coprocess) -> str | None:
    return None if isinstance(node.command, n.SimpleCommand) else node.name or "COPROC"


def _word(node: n.Word) -> Any:
    parts: list[Any] = []
    for part in node.parts:
        if isinstance(part, n.AnsiQuoted):
            pieces = part.text.split("'")
            for index, piece in enumerate(pieces):
                if index:
                    parts.append(n.Escaped("'"))
                if part.text != "'":
                    parts.append(n.SingleQuoted(piece))
        elif isinstance(part, n.DoubleQuoted):
            parts.append(n.DoubleQuoted(part.parts))
        else:
            parts.append(part)
    return n.Word(tuple(parts))


_RULES: dict[type, Any] = {
    n.For: _loop,
    n.Select: _loop,
    n.If: _if,
    n.FunctionDefinition: _function,
    n.BadSubstitution: lambda node: _replaced(node, around=""),  # text for a message
    n.HereDocument: lambda node: _replaced(
        node, delimiter=""
    ),  # a delimiter with a newline is printed as another
    n.Redirection: _redirection,
    n.ArithmeticFor: _arithmetic_for,
    n.Pipeline: _pipeline,
    n.Word: _word,
    n.CondUnary: lambda node: _replaced(node, implicit=False),
    n.Coprocess: lambda node: _replaced(node, name=_coprocess_name(node)),
}

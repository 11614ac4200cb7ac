"""The lines of the commands of a substitution, as bash counts them.

bash keeps the text of ``$( )``, ``<( )`` and ``>( )`` as it prints the tree, and parses that text when it runs it. So
an ``if`` whose "then" has a line of its own has a line less, and blank lines do not count.

Source: bash 5.2, observed; print_cmd.c.
"""

from __future__ import annotations

from sandhook.errors import LimitExceeded
from sandhook.record import new_record
from sandhook.syntax import nodes as n
from sandhook.syntax.unparse import Printer
from sandhook.typed import Any

#: Nodes whose line is that of their end; the line of others is that of their beginning.
_AT_END = frozenset({n.Subshell, n.ArithmeticCommand, n.ConditionalCommand})


def with_printed_lines(body: n.CommandList, first: int) -> n.CommandList:
    """Return the body of a substitution with the lines of its printed form.

    Args:
        first: The line that the first command has: that of the command which runs the substitution.
    """
    printer = _LineRecorder()
    try:
        printer.command(body)
        printer.flush("")
        relined: n.CommandList = _relined(body, printer.lines, first)
    except (
        LimitExceeded,
        RecursionError,
    ):  # nested too deeply to be printed: the lines of the source are kept
        return body
    return relined


class _LineRecorder(Printer):
    """Prints a tree as bash does, and records the lines of its nodes, from 0 on."""

    def __init__(self) -> None:
        super().__init__(False)
        self.in_substitution = self.names_coprocesses = True
        self.lines: dict[int, int] = {}
        self._count = 0

    def write(self, text: str) -> None:
        super().write(text)
        self._count += text.count("\n")

    def command(self, node: n.Node) -> None:
        start = self._count
        if isinstance(node, n.CommandList) and len(node.items) == 1 and not node.items[0].background:
            node = node.items[0].command
        super().command(node)
        line = self._count if node.__class__ in _AT_END else start
        if isinstance(node, n.SimpleCommand):
            line += sum(self.word_text(each).count("\n") for each in _read_before_its_line(node))
        self.lines[id(node)] = line


def _read_before_its_line(node: n.SimpleCommand) -> tuple[n.Node, ...]:
    """Return the words that bash has read when it takes the line of a command: the first one and the next token."""
    words: tuple[n.Node, ...] = (*node.assignments, *node.words)
    return words[:1] if node.assignments else words[:2]


def _relined(tree: Any, lines: dict[int, int], first: int) -> Any:
    """Return a tree with other lines; substitutions in a command begin at the line of the command."""
    if not isinstance(tree, tuple):
        return tree
    at = lines.get(id(tree))
    if isinstance(tree, n.SimpleCommand):
        line = tree.line if at is None else first + at
        parts = n.renumbered((tree.assignments, tree.words, tree.redirections), line)
        return new_record(n.SimpleCommand, (*parts, line, tree.span))
    if not isinstance(tree, n.Node):
        return tuple([_relined(item, lines, first) for item in tree])
    values = [
        first + at if name == "line" and at is not None else _relined(value, lines, first)
        for name, value in zip(tree._fields, tree)
    ]
    return tuple.__new__(tree.__class__, values)

"""Alias expansion: the value replaces the name in the text, and is read again.

Source: POSIX.1-2024 XCU 2.3.1 Alias Substitution; bash 5.2 reference manual 6.6.
"""

from __future__ import annotations

from sandhook.syntax.nodes import CommandList, Node
from sandhook.syntax.reader import Reader
from sandhook.typed import Any


class AliasExpander:
    """Replaces alias names in a reader's text.

    Attributes:
        active: Expansions whose value has not been read to its end: (name, its end in the text).
        next_word: A value that ended in a blank was read: the next word may be an alias too.
    """

    def __init__(self, reader: Reader, aliases: dict[str, str]) -> None:
        self.reader = reader
        self.aliases = aliases
        self.active: list[tuple[str, int]] = []
        self.next_word = False

    def expands(self, name: str, at: int, at_command_word: bool) -> bool:
        """Return True if the word at ``at`` is an alias to expand here."""
        while self.active and self.active[-1][1] <= at:
            done = self.active.pop()[0]
            self.next_word = self.aliases.get(done, "")[-1:] in (" ", "\t")
        if not (at_command_word or self.next_word):
            return False
        if name in self.aliases and all(name != active for active, _ in self.active):
            return True
        self.next_word = False
        return False

    def expand(self, name: str, start: int, end: int) -> None:
        """Replace the name by the value.

        Raises:
            LimitExceeded: The text becomes longer than ``max_bytes``, or too much was replaced.
        """
        reader = self.reader
        value = self.aliases[name]
        if end == len(reader.text):
            value += "\n"  # a continuation was the end of the text, which the lexer wants to be a newline
        elif value[-1:] not in (" ", "\t", "\n") and reader.text[end] not in " \t\n":
            value += " "  # so that it does not join what follows the name
        elif value[-1:] == "\\" and end == reader.length - 1:
            reader.newline_added = False  # the value continues in the next line, which is empty
        change = len(value) - (end - start)
        reader.charge_move(change, "alias expansion")
        reader.splice(start, end, value)
        reader.position = start
        self.active = [(outer, until + change) for outer, until in self.active]
        self.active.append((name, start + len(value)))

    def leave_unit(self) -> None:
        """Go back to the source itself, unless part of a value has not been read."""
        reader = self.reader
        while self.active and self.active[-1][1] <= reader.position:
            self.active.pop()
        self.next_word = False
        if not self.active:
            reader.leave_splices()


def spans_in_source(root: CommandList, reader: Reader) -> CommandList:
    """Return the tree with its spans as offsets in the source."""
    todo: list[tuple[object, bool]] = [(root, False)]
    values: list[Any] = []
    while todo:
        reader.count_piece()
        value, complete = todo.pop()
        if not isinstance(value, tuple):
            values.append(value)
        elif complete:
            size = len(value)
            children = values[len(values) - size :]
            del values[len(values) - size :]
            if isinstance(value, Node) and value._fields[-1] == "span":
                start, end = value[-1]
                children[-1] = (reader.in_source(start, False), reader.in_source(end, True))
            values.append(tuple.__new__(value.__class__, children))
        else:
            todo.append((value, True))
            todo.extend((child, False) for child in reversed(value))
    tree: CommandList = values[0]
    return tree

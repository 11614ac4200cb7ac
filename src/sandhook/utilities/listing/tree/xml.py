"""The output of tree -X: elements, each on its own line. Oracle: tree 2.1.0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.utilities.listing.tree.nodes import Node

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<tree>'

#: Returns the names and values of a node's attributes.
Attributes = Callable[[Node], Sequence[tuple[str, str]]]


def escape_attribute(text: str) -> str:
    """Return text with the escapes that an attribute needs."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def missing(attributes: str, kind: str) -> str:
    """Return the element of an operand that does not exist ("unknown") or is not a directory ("file")."""
    return f"  <{kind}{attributes}><error>error opening dir</error>\n  </{kind}>"


def format_attributes(attributes: Sequence[tuple[str, str]]) -> str:
    """Return the attributes of an element as text."""
    return "".join([f' {name}="{escape_attribute(value)}"' for name, value in attributes])


def elements(top: Node, attributes: Attributes) -> Iterator[tuple[Node | None, str]]:
    """Yield the lines of a directory and everything below it, each with its node; None for the end of an element."""
    stack = [iter([top])]
    open_: list[str] = []
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
            if open_:
                yield None, f"{'  ' * len(open_)}</{open_.pop()}>"
            continue
        kind = "directory" if node.is_directory else "link" if node.target is not None else "file"
        text = format_attributes(attributes(node))
        line = f"{'  ' * len(stack)}<{kind}{text}>"
        if node.note:
            yield node, f"{line}<error>{escape_attribute(node.note)}</error>\n{'  ' * len(stack)}</{kind}>"
        elif node.children or (node is top and node.children is not None):
            yield node, line
            open_.append(kind)
            stack.append(iter(node.children))
        else:
            yield node, f"{line}</{kind}>"


def report(size: int | None, directories: int, files: int | None) -> str:
    """Return the counts at the end; None for a count that is not printed."""
    lines = ["  <report>"]
    if size is not None:
        lines.append(f"    <size>{size}</size>")
    lines.append(f"    <directories>{directories}</directories>")
    if files is not None:
        lines.append(f"    <files>{files}</files>")
    return "\n".join([*lines, "  </report>"])

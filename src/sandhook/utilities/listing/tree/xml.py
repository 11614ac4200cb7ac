"""What tree -X prints: elements, each on a line of its own. Oracle: tree 2.1.0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.utilities.listing.tree.nodes import Node

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<tree>'

#: What an element says of a node: names and values.
Attributes = Callable[[Node], Sequence[tuple[str, str]]]


def escaped(text: str) -> str:
    """Return text as it may stand in an attribute."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def missing(said: str, kind: str) -> str:
    """Return the element of an operand that is not there ("unknown"), or no directory."""
    return f"  <{kind}{said}><error>error opening dir</error>\n  </{kind}>"


def written(attributes: Sequence[tuple[str, str]]) -> str:
    """Return attributes as an element has them."""
    return "".join([f' {name}="{escaped(value)}"' for name, value in attributes])


def elements(top: Node, attributes: Attributes) -> Iterator[tuple[Node | None, str]]:
    """Yield the lines of a directory with all below it, each with its node; None where an element ends."""
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
        said = written(attributes(node))
        line = f"{'  ' * len(stack)}<{kind}{said}>"
        if node.note:
            yield node, f"{line}<error>{escaped(node.note)}</error>\n{'  ' * len(stack)}</{kind}>"
        elif node.below or (node is top and node.below is not None):
            yield node, line
            open_.append(kind)
            stack.append(iter(node.below))
        else:
            yield node, f"{line}</{kind}>"


def report(size: int | None, directories: int, files: int | None) -> str:
    """Return the counts at the end; None for what is not counted."""
    lines = ["  <report>"]
    if size is not None:
        lines.append(f"    <size>{size}</size>")
    lines.append(f"    <directories>{directories}</directories>")
    if files is not None:
        lines.append(f"    <files>{files}</files>")
    return "\n".join([*lines, "  </report>"])

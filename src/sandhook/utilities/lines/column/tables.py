"""The other tables of ``column``: JSON, trees, and columns that are made narrower.

Oracle: util-linux 2.38.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.limits import timed_pieces
from sandhook.text.width import width_of

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MAX_DEPTH = 1000  #: generations that a tree may show


def visible(line: str, bytewise: bool) -> str:
    """Return a line with ``\\xHH`` for each byte that is no character of the locale."""
    if line.isascii() or (not bytewise and _is_text(line)):
        return line
    last = "\x7f" if bytewise else "\udc7f"
    return "".join(
        [
            char if char <= last or (not bytewise and char > "\udcff") else _hexadecimal(char)
            for piece in timed_pieces(line)
            for char in piece
        ]
    )


def _is_text(line: str) -> bool:
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


def _hexadecimal(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


def as_json(name: str, names: Sequence[str], rows: Sequence[Sequence[str]], order: Sequence[int]) -> bytes:
    """Return a table as an object with a list of rows."""
    pieces = [f'{{\n   "{_escape(name)}": [\n      ']
    for number, row in enumerate(rows):
        cells = [
            f'"{_escape(title)}": '
            + (f'"{_escape(row[place])}"' if place < len(row) and row[place] else "null")
            for title, place in zip(names, order)
        ]
        pieces.append(f"{',' if number else ''}{{\n         " + ",\n         ".join(cells) + "\n      }")
    pieces.append("\n   ]\n}\n")
    return "".join(pieces).encode("utf-8", "surrogateescape")


def _escape(text: str) -> str:
    return "".join(
        _ESCAPES.get(letter) or (f"\\u{ord(letter):04x}" if letter < " " else letter) for letter in text
    )


def as_tree(
    rows: list[list[str]], place: int, number: int, parent: int, charge: Callable[[int], None]
) -> list[list[str]]:
    """Return rows in the order of their tree, with its branches drawn before the cell ``place``.

    Args:
        number: The index of the cell with a row's own number.
        parent: The index of the cell with its parent's number; a row without an existing parent is a root.
    """
    owners = {row[number]: at for at, row in reversed(list(enumerate(rows))) if number < len(row)}
    children: dict[int | None, list[int]] = {}
    for at, row in enumerate(rows):
        owner = owners.get(row[parent]) if parent < len(row) else None
        children.setdefault(None if owner == at else owner, []).append(at)
    ordered: list[list[str]] = []
    pending = [(at, "", "", 0) for at in reversed(children.get(None, []))]
    while pending:
        at, branch, below, depth = pending.pop()
        charge(1 + depth)
        row = list(rows[at])
        if place < len(row):
            row[place] = branch + row[place]
        ordered.append(row)
        own = children.get(at, []) if depth < _MAX_DEPTH else []
        for each in reversed(own):
            last = each == own[-1]
            mark, line = ("\u2514\u2500", "  ") if last else ("\u251c\u2500", "\u2502 ")
            pending.append((each, below + mark, below + line, depth + 1))
    return ordered


def fit_widths(widths: list[int], narrow: Sequence[int], room: int) -> list[int]:
    """Return widths that fit into room: of the columns in ``narrow``, the widest is reduced first."""
    result = list(widths)
    surplus = sum(result) - room
    while surplus > 0 and narrow:
        widest = max(narrow, key=lambda index: result[index])
        second = max((result[index] for index in narrow if result[index] < result[widest]), default=1)
        reduction = min(surplus, max(result[widest] - max(second, 1), 1))
        if result[widest] <= 1:
            break
        result[widest] -= reduction
        surplus -= reduction
    return result


def wrap_row(cells: Sequence[str], widths: Sequence[int], wraps: Sequence[bool]) -> list[list[str]]:
    """Return a row as lines in which no cell is wider than its column; a cell that does not wrap is truncated."""
    columns = []
    for cell, width, wrap in zip(cells, widths, wraps):
        pieces = _pieces(cell, width) if width_of(cell) > width else [cell]
        columns.append(pieces if wrap else pieces[:1])
    height = max(map(len, columns))
    return [[pieces[at] if at < len(pieces) else "" for pieces in columns] for at in range(height)]


def _pieces(cell: str, width: int) -> list[str]:
    pieces = []
    piece, size = "", 0
    for letter in cell:
        step = width_of(letter)
        if piece and size + step > width:
            pieces.append(piece)
            piece, size = "", 0
        piece += letter
        size += step
    return [*pieces, piece]

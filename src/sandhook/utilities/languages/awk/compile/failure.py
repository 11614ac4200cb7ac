"""Determines which statements can fail.

Only their closures are wrapped to report the line, because a wrapper costs a call.
"""

from __future__ import annotations

from sandhook.utilities.languages.awk.nodes import (
    Arithmetic,
    Assignment,
    BuiltinCall,
    Call,
    Delete,
    Element,
    Ere,
    Field,
    ForIn,
    Getline,
    IndirectCall,
    Match,
    Membership,
    Name,
    Number,
    Print,
    Printf,
    Switch,
)
from sandhook.utilities.languages.awk.special import SPECIAL, SPECIAL_ARRAYS

_FAILING = (Call, IndirectCall, Getline, BuiltinCall, Printf, ForIn, Delete, Switch)
_ARRAYS = frozenset(SPECIAL[slot] for slot in SPECIAL_ARRAYS)
_SCALARS = frozenset(SPECIAL) - _ARRAYS
#: Special variables whose assignment can fail.
_CHECKED = ("NF", "FS", "RS", "FPAT", "FIELDWIDTHS")


def can_fail(node: object, elements: bool = True) -> bool:
    """Return True when running a node can raise Fatal.

    Args:
        node: A node, or a tuple or list that contains nodes.
        elements: An element may hold an array, or its array may be a scalar.
    """
    if not isinstance(node, (tuple, list)):
        return False
    if isinstance(node, _FAILING):
        return True
    match node:
        case Element() | Membership():
            is_special = isinstance(node.array, Name) and node.array.name in _SCALARS
            return elements or is_special or can_fail(node.subscripts, elements)
        case Arithmetic():
            fails = node.operator in "/%"
        case Assignment():
            sets_checked = isinstance(node.target, Name) and node.target.name in _CHECKED
            fails = sets_checked or node.operator in ("/", "%")
        case Field():
            fails = not isinstance(node.number, Number)
        case Name():
            fails = node.name in _ARRAYS
        case Match():
            fails = not isinstance(node.pattern, Ere)
        case Print():
            fails = bool(node.redirection)
        case _:
            fails = False
    return fails or any(can_fail(part, elements) for part in node)

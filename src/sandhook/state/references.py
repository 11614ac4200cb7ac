"""References (``declare -n``): what a name that stands for another one means."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence

from sandhook.lazy import lazily
from sandhook.state.frame import Frame

#: What a reference may name: a variable, or an element of one.
TARGET = lazily(r"[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?$", re.DOTALL)


def follow(references: Mapping[str, str], name: str) -> tuple[str, str | None] | None:
    """Return the last name of a chain of references, and a subscript if the chain ends in an element.

    None for a circle. The subscript is the text between the brackets, not expanded.
    """
    seen = {name}
    while name in references:
        target = references[name]
        if target.endswith("]") and "[" in target:
            base, _, rest = target.partition("[")
            return base, rest[:-1]
        if not target:
            break
        if target in seen:
            return None
        seen.add(target)
        name = target
    return name, None


def hidden_target(
    references: Mapping[str, str], frames: Sequence[Frame], dynamics: Container[str], name: str
) -> tuple[str, Frame] | None:
    """Return the variable of a local reference that a later call hides, and that call.

    An assignment changes the variable that the call of the reference knows. Reads, elements and
    references outside functions use the nearest variable, all as in bash.
    """
    at = len(frames)
    seen: list[str] = []
    while name in references and name not in seen:
        at = next((k for k in range(at - 1, -1, -1) if name in frames[k].saved), -1)
        if at < 0 and not seen:
            return None
        seen.append(name)
        name = references[name]
        for frame in frames[at + 1 :]:
            if name in frame.saved and name not in dynamics:
                return name, frame
    return None

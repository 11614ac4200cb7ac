"""References (``declare -n``): what a name that stands for another one means."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from sandhook.lazy import lazily
from sandhook.state.control import ShellError
from sandhook.state.frame import Frame
from sandhook.state.values import ASSOC, Value
from sandhook.typed import Protocol

#: What a reference may name: a variable, or an element of one.
TARGET = lazily(r"(?s)[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?$")


def refers_to_element(references: Mapping[str, str], name: str) -> bool:
    """Return True if a name is a reference to an element, which has no elements itself."""
    if name not in references:
        return False
    target = follow(references, name)
    return target is not None and target[1] is not None


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


class Variables(Protocol):
    """The variables of a shell, as this file needs them; ``state.State`` has them."""

    attributes: dict[str, int]
    namerefs: dict[str, str]

    def get(self, name: str) -> str | None: ...

    def value(self, name: str) -> Value | None: ...

    def element(self, name: str, subscript: str) -> str | None: ...

    def resolve(self, name: str) -> tuple[str, str | None]: ...


def element_value(state: Variables, name: str, subscript: str) -> str | None:
    """Return the value of a reference to an element; all elements are joined as in ``"${name[*]}"``."""
    if subscript not in ("@", "*") or state.attributes.get(name, 0) & ASSOC:
        return state.element(name, subscript)
    value = state.value(name)
    if value is None or isinstance(value, str):
        return value
    ifs = state.get("IFS") if subscript == "*" else None
    return (" " if ifs is None else ifs[:1]).join(value.values())


def array_target(
    state: Variables, name: str, *, for_list: bool = False, warn: Callable[[str], None] | None = None
) -> str:
    """Return the array that a reference stands for. Raises ShellError when it refers to an element, or to nothing.

    Args:
        for_list: A whole array is assigned: a reference without a target becomes the array.
        warn: Receives a warning of that.
    """
    target, subscript = state.resolve(name)
    if subscript is not None:
        raise ShellError(f"`{state.namerefs[name]}': not a valid identifier", ends="unit")
    if target in state.namerefs and not state.namerefs[target]:
        if not for_list:
            raise ShellError("`': not a valid identifier", ends="unit")
        if warn is not None:
            warn(f"{target}: removing nameref attribute")
        del state.namerefs[target]
    return target


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

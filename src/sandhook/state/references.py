"""References (``declare -n``): what a name that stands for another one means."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from sandhook.lazy import lazily
from sandhook.state.control import ShellError
from sandhook.state.frame import Frame, Saved
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


def last_reference(references: Mapping[str, str], name: str) -> str:
    """Return the last reference of a chain; the first one of a circle."""
    last, seen = name, {name}
    while (target := references[last]) in references:
        if target in seen:
            return name
        seen.add(target)
        last = target
    return last


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
    frames: list[Frame]
    namerefs: dict[str, str]
    shared_frames: int

    def get(self, name: str) -> str | None: ...

    def value(self, name: str) -> Value | None: ...

    def element(self, name: str, subscript: str) -> str | None: ...

    def resolve(self, name: str) -> tuple[str, str | None]: ...

    def hiding_global(self, name: str) -> Frame | None: ...

    def unshare_frames(self) -> None: ...

    def save(self, name: str) -> Saved: ...

    def restore(self, name: str, saved: Saved) -> None: ...


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
    if state.namerefs.get(target) and state.hiding_global(target) is None:
        del state.namerefs[target]  # a circle that hides no global, of which ``resolve`` has warned
    elif target in state.namerefs and not state.namerefs[target]:
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
    if follow(references, name) is None:  # a circle
        return None
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


def set_hidden(state: Variables, name: str, frame: Frame, assign: Callable[[str], None]) -> None:
    """Call ``assign`` with the name of the variable that a local of ``frame`` hides, while it is visible."""
    if state.shared_frames:
        at = state.frames.index(frame)
        state.unshare_frames()
        frame = state.frames[at]
    nearest = state.save(name)
    state.restore(name, frame.saved[name])
    try:
        assign(name)
    finally:
        frame.saved[name] = state.save(name)
        state.restore(name, nearest)

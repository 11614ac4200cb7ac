"""Functions as a shell knows them."""

from __future__ import annotations

from sandhook.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from sandhook.state.values import Charge
    from sandhook.syntax.nodes import Command


class Function:
    """A defined function: its compiled body and the tree that ``declare -f`` prints. It is replaced, never changed.

    It has slots, since every call reads four of them; the fields of a Record take ten times as long.

    Attributes:
        source: The file of its definition.
        line: Line of its definition.
        attributes: EXPORT, READONLY and TRACE, as ``declare -f`` sets them.
        shallow: It needs few frames of Python's stack.
        charge: Memory that is refunded when the function is gone; None for a short one.
    """

    __slots__ = ("attributes", "body", "charge", "line", "name", "run", "shallow", "source")

    def __init__(
        self,
        name: str,
        run: Callable[[Any], int],
        body: Command,
        source: str,
        line: int,
        *,
        attributes: int = 0,
        shallow: bool = False,
        charge: Charge | None = None,
    ) -> None:
        self.name = name
        self.run = run
        self.body = body
        self.source = source
        self.line = line
        self.attributes = attributes
        self.shallow = shallow
        self.charge = charge

    def replaced(self, **changes: Any) -> Function:
        """Return the function with other values of some attributes."""
        return Function(**{name: getattr(self, name) for name in self.__slots__} | changes)

    def definition(self, posix: bool = False) -> str:
        """Return the definition as ``declare -f`` prints it; ``posix`` is that of ``unparse``."""
        from sandhook.syntax.unparse import function_text

        return function_text(self.name, self.body, posix=posix)

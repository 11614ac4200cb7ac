"""The symbol table of a program, and gawk's arrays of names: SYMTAB and FUNCTAB.

Source: gawk 5.2 manual, "Built-in Variables That Convey Information".
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Mapping, ValuesView
from typing import NoReturn

from sandhook.utilities.languages.awk.lexer import BUILTINS
from sandhook.utilities.languages.awk.nodes import Function
from sandhook.utilities.languages.awk.regex import Matching
from sandhook.utilities.languages.awk.values import Array, Fatal, Value


class Symbols:
    """The names that a program uses, and the features that they imply. Immutable after compilation; runs share it.

    Attributes:
        functions: The user's functions by name.
        slots: The slot of every global variable and array, by name.
        arrays: Slots of the global arrays.
        mixed: Slots of variables that are used as scalars, and that a call may make arrays.
        ranges: Number of range patterns.
        uses_counts: NR or FNR is used, or named in an error, so records are counted.
        uses_terminators: RT is used.
        uses_environment: ENVIRON is used, so commands receive its contents.
        uses_tables: SYMTAB or FUNCTAB is used.
        uses_process: PROCINFO is used.
        has_begin_file: There are BEGINFILE rules.
        begin_line, rule_line: The line of the last BEGIN rule and of the last rule with a pattern; 0 without one.
        extensions: gawk's extensions are enabled.
        matching: How expressions match before IGNORECASE is set.
    """

    def __init__(
        self, functions: dict[str, Function], slots: dict[str, int], arrays: set[int], matching: Matching
    ) -> None:
        self.matching = matching
        self.functions = functions
        self.slots = slots
        self.arrays = arrays
        self.mixed: set[int] = set()
        self.ranges = 0
        self.uses_counts = True
        self.uses_terminators = True
        self.uses_environment = False
        self.uses_tables = False
        self.uses_process = False
        self.has_begin_file = False
        self.extensions = True
        self.begin_line = self.rule_line = 0


class _ReadOnlyArray(Array):
    """An array without deletion; ``name`` is for messages."""

    name = ""

    def pop(self, *_: object) -> NoReturn:
        raise Fatal(f"`delete' is not allowed with {self.name}")

    def clear(self) -> NoReturn:
        self.pop()


class FunctionTable(_ReadOnlyArray):
    """FUNCTAB: the names of all functions."""

    name = "FUNCTAB"

    def __setitem__(self, key: str, value: Value) -> NoReturn:
        raise Fatal("cannot assign to elements of FUNCTAB")


class SymbolTable(_ReadOnlyArray):
    """SYMTAB: a view of the global variables by name.

    Args:
        slots: The slots of the variables by name.
        read: Returns the current value of a slot.
        write: Assigns a value to a slot.
    """

    name = "SYMTAB"

    def __init__(
        self, slots: Mapping[str, int], read: Callable[[int], Value], write: Callable[[int, Value], None]
    ) -> None:
        super().__init__(dict.fromkeys(slots))
        self._slots = slots
        self._read = read
        self._write = write

    def __getitem__(self, key: str) -> Value:
        if key not in self._slots:
            raise Fatal(f'reference to uninitialized element `SYMTAB["{key}"] is not allowed\'')
        return self._read(self._slots[key])

    def get(self, key: str, default: Value = None) -> Value:  # type: ignore[override]
        if key not in self:
            return default
        return self[key]

    def __setitem__(self, key: str, value: Value) -> None:
        if key not in self:
            raise Fatal("cannot assign to arbitrary elements of SYMTAB")
        self._write(self._slots[key], value)

    def values(self) -> ValuesView[Value]:  # type: ignore[override]  # dict's own views have no public names
        return {key: self[key] for key in self}.values()

    def items(self) -> ItemsView[str, Value]:  # type: ignore[override]
        return {key: self[key] for key in self}.items()


def function_table(functions: Mapping[str, Function]) -> FunctionTable:
    """Return FUNCTAB for a program with these functions."""
    builtins = [name for name in sorted(BUILTINS) if ":" not in name]
    return FunctionTable({name: name for name in (*functions, *builtins)})

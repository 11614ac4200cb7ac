"""SYMTAB and FUNCTAB: the names of a program as arrays.

Source: gawk 5.2 manual, "Built-in Variables That Convey Information".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from sandhook.utilities.languages.awk.lexer import BUILTINS
from sandhook.utilities.languages.awk.values import Array, Fatal, Value

if TYPE_CHECKING:
    from sandhook.utilities.languages.awk.program import Program
    from sandhook.utilities.languages.awk.runtime import Runtime


class _Table(Array):
    """An array that nothing is added to or taken from; ``what`` is its name."""

    what = ""

    def pop(self, *_: Any) -> NoReturn:
        raise Fatal(f"`delete' is not allowed with {self.what}")

    clear = pop


class FunctionTable(_Table):
    """FUNCTAB: the names of all functions."""

    what = "FUNCTAB"

    def __setitem__(self, key: str, value: Value) -> NoReturn:
        raise Fatal("cannot assign to elements of FUNCTAB")


class SymbolTable(_Table):
    """SYMTAB: the global variables by their names, always as they are."""

    what = "SYMTAB"

    def __init__(self, rt: Runtime) -> None:
        super().__init__(dict.fromkeys(rt.program.names))
        self._rt = rt

    def __getitem__(self, key: str) -> Value:
        at = self._rt.program.names.get(key, -1)
        if at < 0:
            raise Fatal(f'reference to uninitialized element `SYMTAB["{key}"] is not allowed\'')
        return self._rt.value_of(at)

    def get(self, key: str, default: Value = None) -> Value:
        if key not in self:
            return default
        return self[key]

    def __setitem__(self, key: str, value: Value) -> None:
        if key not in self:
            raise Fatal("cannot assign to arbitrary elements of SYMTAB")
        self._rt.set_global(self._rt.program.names[key], value)

    def values(self) -> Any:
        return {key: self[key] for key in self}.values()

    def items(self) -> Any:
        return {key: self[key] for key in self}.items()


def function_table(program: Program) -> FunctionTable:
    """Make FUNCTAB for a program."""
    builtins = [name for name in sorted(BUILTINS) if ":" not in name]
    return FunctionTable({name: name for name in (*program.functions, *builtins)})

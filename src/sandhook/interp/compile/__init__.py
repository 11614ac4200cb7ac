"""The tree to closures: one file per family of nodes."""

from sandhook.interp.compile.compiler import Compiler, compile_unit
from sandhook.interp.compile.protocol import Run

__all__ = ["Compiler", "Run", "compile_unit"]

"""The tree to closures: one file per family of nodes."""

from sandhook.interp.compile.compiler import Compiler, Run, compile_unit

__all__ = ["Compiler", "Run", "compile_unit"]

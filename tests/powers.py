"""Built-in functions and attributes by which a source text could reach the host."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

#: Built-in functions that open files, run text, or look names up where no reader sees it.
BUILTINS = frozenset({"open", "eval", "exec", "compile", "__import__"})

#: More of them, with names that are also good names for parameters: a call counts.
CALLED = frozenset({"input", "breakpoint", "globals", "vars"})

#: Attributes of harmless modules that are not harmless.
ATTRIBUTES = {
    "sys": frozenset(
        """
        addaudithook argv executable exit meta_path modules path path_hooks platform setrecursionlimit setprofile
        settrace stderr stdin stdout _getframe _current_frames
        """.split()
    ),
    "io": frozenset({"open", "open_code", "FileIO", "TextIOWrapper"}),
    "random": frozenset(
        {"choice", "choices", "getrandbits", "randbytes", "randint", "random", "randrange", "seed"}
    ),
    "time": frozenset({"tzset", "sleep"}),
    "threading": frozenset({"Thread", "Timer", "setprofile", "settrace", "stack_size"}),
    "_thread": frozenset({"interrupt_main", "stack_size", "start_new", "start_new_thread"}),
}

#: Attributes by which an object gives away the interpreter.
DUNDERS = frozenset({"__builtins__", "__code__", "__globals__", "__loader__", "__spec__", "__subclasses__"})


def uses(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """Yield (power, line) for built-in functions and attributes among the nodes of a source text."""
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in BUILTINS and isinstance(node.ctx, ast.Load):
            yield node.id, node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLED:
            yield node.func.id, node.lineno
        elif isinstance(node, ast.Attribute):
            if node.attr in DUNDERS:
                yield node.attr, node.lineno
            elif node.attr == "format" and not (
                isinstance(node.value, ast.Constant) or ast.unparse(node.value) == "self"
            ):
                yield "str.format", node.lineno
            elif isinstance(node.value, ast.Name) and node.attr in ATTRIBUTES.get(node.value.id, ()):
                yield f"{node.value.id}.{node.attr}", node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module in ATTRIBUTES:
            for alias in node.names:
                if alias.name in ATTRIBUTES[node.module] or alias.name == "*":
                    yield f"{node.module}.{alias.name}", node.lineno

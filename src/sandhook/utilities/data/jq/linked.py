"""A jq program whose modules are written into it.

Most programs have no modules: for them a call of jq loads only this file, not the linker.
"""

from __future__ import annotations

import posixpath

from sandhook.command.context import Context

TYPE_CHECKING = False

if TYPE_CHECKING:
    from sandhook.utilities.data.jq.directives import Text

#: Words without which a program needs no modules.
_WORDS = ("import", "include", "module", "get_search_list")


def is_linked(text: str, ctx: Context) -> bool:
    """Return whether a program must be linked: it may use modules, or the file ~/.jq exists."""
    return any(word in text for word in _WORDS) or bool(start_file(ctx))


def start_file(ctx: Context) -> str:
    """Return the file ~/.jq, which every program includes; empty without it, and where no start-up files are read."""
    home = ctx.environment.get("HOME", "")
    if not home or not ctx.kernel.settings.start_files:
        return ""
    name = posixpath.join(home, ".jq")
    path = ctx.path(name)
    return name if ctx.fs.exists(path) and not ctx.fs.is_dir(path) else ""


class Part:
    """One text of a program: the program itself, or a module.

    Attributes:
        name: The file; empty for the program.
        original: The text as written.
        text: The parsed text; None if its directives have a syntax error.
        prelude: The definitions before it.
        flat: The text of a module on one line.
        functions: The functions of a module: name, number of parameters.
        used_functions: The functions that another text uses.
    """

    __slots__ = ("flat", "functions", "name", "original", "prelude", "text", "used_functions")

    def __init__(self, name: str, original: str) -> None:
        self.name = name
        self.original = original
        self.prelude = ""
        self.flat = ""
        self.functions: list[tuple[str, int]] = []
        self.used_functions: dict[tuple[str, int], None] = {}
        self.text: Text | None = None

    def compilable_text(self) -> str:
        """Return the text as a program, one line further down; calls of its used functions follow a module."""
        assert self.text is not None
        calls = ",".join(call(*function) for function in self.used_functions)
        tail = f"\n({calls or '.'})" if self.name else ""
        return f"{self.prelude}\n{self.text.blanked_text}{tail}"


class Linked:
    """A program with its modules.

    Attributes:
        prelude: The definitions before the text.
        body: The text without its directives.
        data: For each data file, the variable, the option that reads such a file, the file name, and the text.
        parts: The modules in the order of their reading, then the program.
    """

    __slots__ = ("body", "data", "parts", "prelude")

    def __init__(self, body: str) -> None:
        self.prelude = ""
        self.body = body
        self.data: list[tuple[str, str, str, str]] = []
        self.parts: list[Part] = []


def call(name: str, count: int, parameter: str = "") -> str:
    """Return a call with ``count`` arguments: numbered names that begin with ``parameter``, or ``.`` without it."""
    if not count:
        return name
    return f"{name}({';'.join(f'{parameter}{number}' if parameter else '.' for number in range(count))})"

"""A jq program with the modules that it imports: what is left of it when they are written into it.

Most programs have none, so that this is all that a call of jq needs to know of modules.
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
    """Return whether a program has to be linked: it may name modules, or there is a file ~/.jq."""
    return any(word in text for word in _WORDS) or bool(start_file(ctx))


def start_file(ctx: Context) -> str:
    """Return the file ~/.jq, which every program includes; empty without it."""
    home = ctx.environment.get("HOME", "")
    if not home:
        return ""
    name = posixpath.join(home, ".jq")
    path = ctx.path(name)
    return name if ctx.fs.exists(path) and not ctx.fs.is_dir(path) else ""


class Part:
    """One text of a program: the program itself, or a module.

    Attributes:
        name: The file; empty for the program.
        original: The text as written.
        text: It, read; None when its head is not as jq wants it.
        before: What stands before it.
        flat: A module on one line.
        functions: What a module defines: name, number of parameters.
        used: Those of them that another text names.
    """

    __slots__ = ("before", "flat", "functions", "name", "original", "text", "used")

    def __init__(self, name: str, original: str) -> None:
        self.name = name
        self.original = original
        self.before = ""
        self.flat = ""
        self.functions: list[tuple[str, int]] = []
        self.used: dict[tuple[str, int], None] = {}
        self.text: Text | None = None

    def alone(self) -> str:
        """Return the text in a shape that can be compiled, one line down; a module is followed by calls of what is used."""
        assert self.text is not None
        calls = ",".join(call(*function) for function in self.used)
        tail = f"\n({calls or '.'})" if self.name else ""
        return f"{self.before}\n{self.text.blanked}{tail}"


class Linked:
    """A program with its modules.

    Attributes:
        before: What stands before the text.
        body: The text without its head.
        data: Name of the variable, option that reads like it, file and text of each data file.
        parts: The modules in the order of their reading, then the program.
    """

    __slots__ = ("before", "body", "data", "parts")

    def __init__(self, body: str) -> None:
        self.before = ""
        self.body = body
        self.data: list[tuple[str, str, str, str]] = []
        self.parts: list[Part] = []


def call(name: str, count: int, parameter: str = "") -> str:
    """Return a function with as many parameters; the input itself stands for each without a name for them."""
    if not count:
        return name
    return f"{name}({';'.join(f'{parameter}{number}' if parameter else '.' for number in range(count))})"

"""An agent's own names for what all agents have: classes of tools, and variables with directories."""

from __future__ import annotations

from sandhook.record import Record
from sandhook.typed import Literal

#: What most agents have a tool for.
ToolClass = Literal["shell", "read", "write", "edit", "fetch", "search"]

#: The same classes, those with which a call can do most first.
TOOL_CLASSES: tuple[ToolClass, ...] = ("shell", "write", "edit", "read", "fetch", "search")


class Vocabulary(Record):
    """Names of an agent. Of several names in a class, the first is the usual one.

    Attributes:
        shell: Tools that run a command.
        read: Tools that read a file.
        write: Tools that write a whole file.
        edit: Tools that change a part of a file.
        fetch: Tools that request a URL.
        search: Tools that search the contents of files.
        others: Further tools that are known.
        mcp: The name of a tool of an MCP server, with ``{server}`` and ``{tool}``; "" when it is not known.
        complete: The agent has no tools except these, those of MCP servers, and new ones.
        project: Variables with the project's directory; the hook's own working directory without one.
        plugin: Variables with the directory of the plugin that the hook comes from.
    """

    shell: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    edit: tuple[str, ...] = ()
    fetch: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    mcp: str = ""
    complete: bool = False
    project: tuple[str, ...] = ()
    plugin: tuple[str, ...] = ()

    def of_class(self, name: ToolClass) -> tuple[str, ...]:
        """Return the tools of a class."""
        return {
            "shell": self.shell,
            "read": self.read,
            "write": self.write,
            "edit": self.edit,
            "fetch": self.fetch,
            "search": self.search,
        }[name]

    def classes_of(self, tool: str) -> tuple[ToolClass, ...]:
        """Return the classes that a tool belongs to, the most powerful first; () for another tool."""
        return tuple(name for name in TOOL_CLASSES if tool in self.of_class(name))

    @property
    def tools(self) -> tuple[str, ...]:
        """All names, each once."""
        several = (name for each in TOOL_CLASSES for name in self.of_class(each))
        return tuple(dict.fromkeys((*several, *self.others)))

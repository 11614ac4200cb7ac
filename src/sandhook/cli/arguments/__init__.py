"""The arguments of every command, declared once: plain command lines are read at once, all others by argparse.

Every hook pays for the start of the command line, and argparse with its parser of thirty options is a sixth of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from sandhook.cli.arguments.plain import Argument, Group, read_plain
from sandhook.typed import TYPE_CHECKING, Any, Literal, TypeAlias, cast

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.arguments.by_argparse import ArgparseParser

Color: TypeAlias = Literal["auto", "always", "never"]

#: What the option of the present command says.
_color: Color = "auto"


def color() -> Color:
    """Return when output has colours: "auto" means on a terminal, unless NO_COLOR is set."""
    return _color


class Parser:
    """The parser of one command; its help ends with the command's example."""

    def __init__(self, command: str, usage: str, description: str) -> None:
        self.command = command
        self.usage = usage
        self.description = description
        self.declared: list[Argument | Group] = []
        self.add_argument(
            "--color",
            choices=("auto", "always", "never"),
            default="auto",
            help="colours: on a terminal (auto), also elsewhere, or never",
        )

    def add_argument(self, *flags: str, **settings: Any) -> None:
        """Declare an argument, with what argparse's method takes."""
        self.declared.append(Argument(flags, settings))

    def add_mutually_exclusive_group(self) -> Group:
        """Return a group for arguments that exclude each other."""
        group = Group()
        self.declared.append(group)
        return group

    def parse_args(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Return the values of a command line. Raises UsageError, or SystemExit after a help page."""
        global _color
        values = read_plain(self.declared, arguments)
        options = (
            self.whole().parse_args(arguments)
            if values is None
            else cast("argparse.Namespace", SimpleNamespace(**values))
        )
        _color = options.color
        return options

    def whole(self) -> ArgparseParser:
        """Return the parser of argparse: for help pages, errors, and what else is not plain."""
        from sandhook.cli.arguments.by_argparse import ArgparseParser

        return ArgparseParser(self.command, self.usage, self.description, self.declared)


def add_format(parser: Parser, *, annotations: bool = False) -> None:
    """Add the option that selects text or JSON, and the forms of annotations."""
    more = "; sarif: SARIF 2.1.0; github: annotations of GitHub Actions" if annotations else ""
    parser.add_argument(
        "--format",
        dest="layout",
        choices=("text", "json", "sarif", "github") if annotations else ("text", "json"),
        default="text",
        help=f"form of the output; `sandhook schema --output COMMAND` describes the JSON{more}",
    )


def add_agent_filter(parser: Parser, text: str, *, required: bool = False) -> None:
    """Add the option that names agents, one or more at a time."""
    parser.add_argument(
        "--agent", action="extend", nargs="+", required=required, metavar="NAME", dest="agents", help=text
    )


def add_variables(parser: Parser, whose: str, inherited: str) -> None:
    """Add the options for the variables of a hook."""
    add = parser.add_argument
    add("--env", action="append", default=[], metavar="NAME[=VALUE]", help=f"{whose} (again for more)")
    add("--inherit-env", action="store_true", help=inherited)


def add_isolation(parser: Parser, default: str) -> None:
    """Add the option that selects where scripts run."""
    parser.add_argument(
        "--isolation",
        choices=("thread", "process"),
        help=f"run in this process, or in a worker process that the system confines (default: {default})",
    )


def add_git_writes(parser: Parser) -> None:
    """Add the option that allows git to change repositories."""
    parser.add_argument(
        "--git-writes",
        action="store_true",
        help="let git add and commit in the sandbox's copy of a repository; without it, git only reads",
    )

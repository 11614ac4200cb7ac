"""The argument parser of every command: its errors are one line and the exit status of a usage error."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from sandhook.cli import COMMANDS, UsageError
from sandhook.typed import Any, Literal, NoReturn, TypeAlias

Color: TypeAlias = Literal["auto", "always", "never"]

#: What the option of the present command says.
_color: Color = "auto"


def color() -> Color:
    """Return when output has colours: "auto" means on a terminal, unless NO_COLOR is set."""
    return _color


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """A formatter of fixed width: the width of the terminal would cost the import of shutil.

    argparse makes one for each option that is added. In Python 3.14, each looks for colours, whose module imports
    dataclasses and inspect, which takes 6 ms: only help pages need that.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)

    def _set_color(self, color: bool) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        """Look for colours when a text is formatted."""
        if name not in ("_theme", "_decolor"):
            raise AttributeError(name)
        getattr(super(), "_set_color")(False)  # noqa: B009
        return self.__dict__[name]


class Parser(argparse.ArgumentParser):
    """A parser for one sub-command; its help ends with the command's example."""

    def __init__(self, command: str, usage: str, description: str) -> None:
        super().__init__(
            prog=f"sandhook {command}",
            usage=f"sandhook {command} {usage}",
            description=description,
            epilog=f"example: {COMMANDS[command].example}",
            allow_abbrev=False,
            formatter_class=_Formatter,
        )
        self.command = command
        self.add_argument(
            "--color",
            choices=("auto", "always", "never"),
            default="auto",
            help="colours: on a terminal (auto), also elsewhere, or never",
        )

    def whole_description(self) -> str:
        """Return the description with the exit statuses, which only help pages need."""
        from sandhook.cli.statuses import status_lines

        return f"{self.description}\n\n" + "\n".join(status_lines(self.command, 100))

    def format_help(self) -> str:
        own, self.description = self.description, self.whole_description()
        try:
            return super().format_help()
        finally:
            self.description = own

    def parse_args(self, args: Sequence[str], namespace: None = None) -> argparse.Namespace:  # type: ignore[override]
        """Parse arguments; the error about an unknown option names the one that is most like it."""
        global _color
        options, rest = self.parse_known_args(args, namespace)
        _color = options.color
        if rest:
            from sandhook.text.nearest import nearest

            unknown = rest[0].partition("=")[0]
            near = nearest(unknown, self._option_string_actions) if unknown[:2] == "--" else None
            self.error(
                f"unrecognized arguments: {' '.join(rest)}" + (f"; did you mean {near}?" if near else "")
            )
        return options

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Raise the error of a word that is not one of the choices; argparse's own lists them all."""
        if action.choices is not None and value not in action.choices:
            from sandhook.text.nearest import hint

            words = map(str, action.choices)
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}; {hint(str(value), words)}")

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog.removeprefix('sandhook ')}: {message}")


def add_format(parser: argparse.ArgumentParser, *, annotations: bool = False) -> None:
    """Add the option that selects text or JSON, and the forms of annotations."""
    more = "; sarif: SARIF 2.1.0; github: annotations of GitHub Actions" if annotations else ""
    parser.add_argument(
        "--format",
        dest="layout",
        choices=("text", "json", "sarif", "github") if annotations else ("text", "json"),
        default="text",
        help=f"form of the output; `sandhook schema --output COMMAND` describes the JSON{more}",
    )


def add_agent_filter(parser: argparse.ArgumentParser, text: str, *, required: bool = False) -> None:
    """Add the option that names agents, one or more at a time."""
    parser.add_argument(
        "--agent", action="extend", nargs="+", required=required, metavar="NAME", dest="agents", help=text
    )


def add_variables(parser: argparse.ArgumentParser, whose: str, inherited: str) -> None:
    """Add the options for the variables of a hook."""
    add = parser.add_argument
    add("--env", action="append", default=[], metavar="NAME[=VALUE]", help=f"{whose} (again for more)")
    add("--inherit-env", action="store_true", help=inherited)


def add_isolation(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the option that selects where scripts run."""
    parser.add_argument(
        "--isolation",
        choices=("thread", "process"),
        help=f"run in this process, or in a worker process that the system confines (default: {default})",
    )


def add_git_writes(parser: argparse.ArgumentParser) -> None:
    """Add the option that allows git to change repositories."""
    parser.add_argument(
        "--git-writes",
        action="store_true",
        help="let git add and commit in the sandbox's copy of a repository; without it, git only reads",
    )

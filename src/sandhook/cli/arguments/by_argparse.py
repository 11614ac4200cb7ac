"""What argparse does for a command: help pages, errors, and the command lines that are not plain."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from sandhook.cli import COMMANDS, UsageError
from sandhook.cli.arguments.plain import Argument, Declared
from sandhook.typed import Any, NoReturn

# argparse translates every heading: gettext imports locale (3 ms) and finds no translation.
argparse._ = str  # type: ignore[attr-defined]


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


#: Options by which a command names an agent: that of its format, or those that are installed.
_OTHER_WORD = {"--contract": "--agent", "--agent": "--contract"}


class ArgparseParser(argparse.ArgumentParser):
    """The parser of argparse for a command."""

    def __init__(self, command: str, usage: str, description: str, declared: Declared) -> None:
        super().__init__(
            prog=f"sandhook {command}",
            usage=f"sandhook {command} {usage}",
            description=description,
            epilog=f"example: {COMMANDS[command].example}",
            allow_abbrev=False,
            formatter_class=_Formatter,
        )
        self.command = command
        for each in declared:
            if isinstance(each, Argument):
                self.add_argument(*each.flags, **each.settings)
                continue
            group = self.add_mutually_exclusive_group()
            for argument in each.arguments:
                group.add_argument(*argument.flags, **argument.settings)

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
        """Parse arguments; the error about an unknown option names the one most like it, about a word the usage."""
        options, rest = self.parse_known_args(args, namespace)
        if rest:
            from sandhook.text.nearest import nearest

            unknown = rest[0].partition("=")[0]
            known = self._option_string_actions
            near = nearest(unknown, known) if unknown[:2] == "--" else None
            if _OTHER_WORD.get(unknown) in known:
                near = _OTHER_WORD[unknown]
            hint = f"; did you mean {near}?" if near else ""
            if unknown[:1] != "-":
                hint = f"; usage: {self.usage}"
            self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        return options

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Raise the error of a word that is not one of the choices; argparse's own lists them all."""
        if action.choices is not None and value not in action.choices:
            from sandhook.text.nearest import hint

            words = map(str, action.choices)
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}; {hint(str(value), words)}")

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog.removeprefix('sandhook ')}: {message}")

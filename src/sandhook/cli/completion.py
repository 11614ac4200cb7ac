"""``sandhook completion``: a script with which a shell completes commands, options and names.

shtab writes the script from the parsers. The script is text alone: no key press starts Python.
"""

from __future__ import annotations

from sandhook.cli.arguments import Parser
from sandhook.cli.output import put

#: Shells for which there is a script.
SHELLS = ("bash", "zsh", "fish", "powershell")


def parser() -> Parser:
    result = Parser(
        "completion",
        "SHELL",
        "Print a script for a shell, which then completes commands, options, and the names of agents,\n"
        "events and recipes. The script is complete: sandhook is not started while you type.\n\n"
        'bash: eval "$(sandhook completion bash)" in ~/.bashrc. docs/howto/shell-completion.md has the others.',
    )
    result.add_argument("shell", choices=SHELLS, help="the shell that reads the script")
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    put(script(parser().parse_args(arguments).shell))
    return 0


def script(shell: str) -> str:
    """Return the script for a shell."""
    import shtab

    from sandhook.cli.commands import DIRECTORIES, FILES, whole_parser

    whole = whole_parser()
    commands = next(action for action in whole._actions if isinstance(action.choices, dict))
    parsers = commands.choices.values() if isinstance(commands.choices, dict) else ()
    for own in parsers:
        for action in own._actions:
            if action.choices is None and action.metavar in FILES:
                action.complete = shtab.FILE
            elif action.choices is None and action.metavar in DIRECTORIES:
                action.complete = shtab.DIRECTORY
    return shtab.complete(whole, shell).rstrip("\n")

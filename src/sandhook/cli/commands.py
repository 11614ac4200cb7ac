"""All commands as one parser, with the words that can complete each argument: for completion and manual pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from importlib import import_module

from sandhook.cli import COMMANDS
from sandhook.cli.arguments import Parser
from sandhook.cli.arguments.by_argparse import ArgparseParser
from sandhook.hooks import contracts


def parser_of(command: str) -> ArgparseParser:
    """Return the whole parser of a command."""
    declared: Parser = import_module(COMMANDS[command].module).parser()
    return declared.whole()


def whole_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line, for completion; it parses no real command line."""
    whole = argparse.ArgumentParser("sandhook", description="Run agent hooks and shell scripts in a sandbox.")
    whole.add_argument("-V", "--version", action="store_true", help="print the version")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        own = parser_of(name)
        for action in own._actions:
            words = list(_words(name, action))
            if words:
                action.choices = words
        summary = command.summary.replace("%", "%%")
        commands.add_parser(name, parents=[own], add_help=False, help=summary, description=own.description)
    helps = commands.add_parser("help", help="print the help of a command", add_help=False)
    helps.add_argument("name", nargs="?", choices=list(COMMANDS), metavar="COMMAND", help="the command")
    return whole


def options_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser without --help."""
    return (action for action in parser._actions if not isinstance(action, argparse._HelpAction))


#: Names of files and directories in the helps of arguments.
FILES, DIRECTORIES = ("FILE", "SCRIPT", "PATH", "RECORD"), ("DIR",)


def _words(command: str, action: argparse.Action) -> Iterable[str]:
    """Return the words that can stand for an argument, if it is a name and the parser leaves the choice open."""
    if action.choices is not None:
        return ()
    name = action.option_strings[-1] if action.option_strings else action.dest
    if name in ("--contract", "--agent", "--from", "--to", "--as-hook") or action.metavar == "CONTRACT":
        more = ("expectations",) if command == "schema" else ()
        return (*contracts.names(), *more)
    if name in ("event", "--event"):
        return _events()
    if name == "--recipe":
        from sandhook.recipes.catalogue import NAMES

        return NAMES
    if name == "--fault":
        from sandhook.proving.faults import NAMES as FAULTS

        return FAULTS
    if name == "--output" and command == "schema":
        from sandhook.cli.outputs import OUTPUTS

        return OUTPUTS
    return ()


def _events() -> list[str]:
    """Return the names of the events of all agents, and the neutral ones."""
    pairs = [pair for name in contracts.names() for pair in contracts.get(name).events.items()]
    neutral = dict.fromkeys(kind for _, kind in pairs if not kind.startswith("x."))
    return [*neutral, *dict.fromkeys(name for name, _ in pairs)]

"""``sandhook status``: which hooks are installed or wrapped, and whether they are as they were installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.cli.arguments import Parser, add_agent_filter, add_format
from sandhook.cli.installing import LEFT, reported, store
from sandhook.cli.output import put, put_record, put_rows
from sandhook.hooks import contracts
from sandhook.installation.places import SCOPES
from sandhook.installation.status import InstalledHook, installed_hooks

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.terminal import Meaning

_MEANINGS: dict[str, Meaning] = {
    "unchanged": "good",
    "edited": "warning",
    "gone": "bad",
    "unreadable": "bad",
}


def parser() -> Parser:
    result = Parser(
        "status",
        "[OPTION]...",
        "Show the hooks that `sandhook install` added and `sandhook wrap` changed, in all files of the\n"
        "user and of all projects.\n\n"
        "unchanged: as it was installed. edited: its command is there, and something else differs. gone:\n"
        "it is not in the file. unreadable: the file cannot be read.",
    )
    add = result.add_argument
    add_agent_filter(result, "only of this agent (again for more)")
    add("--scope", choices=SCOPES, help="only of this scope")
    add_format(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return reported(lambda: _status(parser().parse_args(arguments)))


def _status(options: argparse.Namespace) -> int:
    names = {contracts.get(name).name for name in options.agents or ()}
    hooks = [
        hook
        for hook in installed_hooks(store())
        if (not names or hook.agent in names) and options.scope in (None, hook.scope)
    ]
    if options.layout == "json":
        put_record("status", hooks=[_json(hook) for hook in hooks])
    elif not hooks:
        put("no hooks are installed")
    else:
        put_rows([_row(hook) for hook in hooks], _MEANINGS)
    return LEFT if any(hook.state != "unchanged" for hook in hooks) else 0


def _row(hook: InstalledHook) -> list[str]:
    command, _, rest = hook.command.strip().partition("\n")
    return [
        hook.state,
        hook.agent,
        hook.scope,
        "installed" if hook.source else "wrapped",
        hook.file,
        hook.place,
        hook.matcher or "-",
        hook.why or command + (" ..." if rest else ""),
    ]


def _json(hook: InstalledHook) -> dict[str, object]:
    return {
        "state": hook.state,
        "agent": hook.agent,
        "scope": hook.scope,
        "file": hook.file,
        "file_edited": hook.file_edited,
        "source": hook.source or None,
        "wrapped": not hook.source,
        "place": hook.place,
        "matcher": hook.matcher,
        "command": hook.command,
        "why": hook.why,
    }

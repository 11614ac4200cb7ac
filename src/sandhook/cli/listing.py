"""``sandhook list``: the hooks of all layers, each with its place and its state."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.configuration import (
    add_places,
    find_project,
    gather,
    guarded,
    load,
    nothing_found,
    unstarted,
)
from sandhook.cli.output import columns, is_terminal, plain, put, put_record
from sandhook.hooks.inventory import Item, inventory, item_json
from sandhook.hooks.report import remedy
from sandhook.hooks.sources import AgentConfiguration

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.terminal import Cell, Meaning

#: Colours of the states on a terminal.
_MEANINGS: dict[str, Meaning] = {
    "trusted": "good",
    "untrusted": "warning",
    "muted": "faint",
    "invalid": "bad",
}


def parser() -> Parser:
    result = Parser(
        "list",
        "[OPTION]...",
        "List the hooks of an agent, of all its layers: the files that it would read from the current\n"
        "directory. Without --contract and --hooks: those of every known agent. Nothing runs.\n\n"
        "trusted: it runs. untrusted: it comes with the project, and nobody approved it as it is. muted:\n"
        "the configuration switches it off. Below these is the reason. invalid: it has a fault and is\n"
        "left out.",
    )
    add_places(result)
    add_format(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _list(parser().parse_args(arguments)))


def _list(options: argparse.Namespace) -> int:
    find_project(options)
    configurations = [*gather(options), *unstarted(options)]
    items = [item for configuration in configurations for item in items_of(configuration, options)]
    if options.layout == "json":
        put_record("list", hooks=[_json(item) for item in items])
    elif not items:
        put(plain(nothing_found(configurations, options)))
    elif is_terminal(sys.stdout):
        _draw(items)
    else:
        for item, row in zip(items, columns([_row(item) for item in items])):
            put(row)
            if reason := _reason(item):
                put(plain(f"  {reason}"))
    return FINDINGS if any(item.state == "invalid" for item in items) else 0


def items_of(configuration: AgentConfiguration, options: argparse.Namespace) -> list[Item]:
    """Load configurations and return all their hooks and faults."""
    engine = load(configuration, options)
    return inventory(engine, configuration.contract, configuration.documents, configuration.problems)


def command_of(item: Item) -> str:
    """Return the first line of a hook's command, or the message of a fault."""
    spec = item.spec
    if spec is None:
        return f"{item.path}: {item.why}" if item.path else item.why
    text = spec.executor.text or " ".join(spec.executor.argv) or spec.executor.type
    first, _, rest = text.strip().partition("\n")
    return first + (" ..." if rest else "")


def _reason(item: Item) -> str:
    """Return why a hook is not in force and, if an approval helps, how to approve it; "" for others."""
    if item.spec is None or item.state == "trusted":
        return ""
    return f"not in force: {item.why}" + (
        f"; {remedy(item.file, item.contract)}" if item.state == "untrusted" else ""
    )


def _row(item: Item) -> list[str]:
    spec = item.spec
    return [
        item.state,
        item.contract,
        item.layer or "-",
        spec.native_event if spec is not None else "-",
        spec.id if spec is not None else "-",
        item.where or "-",
        command_of(item),
    ]


def _draw(items: Sequence[Item]) -> None:
    """Draw a tree on the terminal: agents, their files, and the hooks of each file."""
    from sandhook.cli.terminal import branches, line, show, tree

    agents: dict[str, dict[tuple[str, str], list[Item]]] = {}
    for item in items:
        agents.setdefault(item.contract, {}).setdefault((item.layer, item.file), []).append(item)
    for contract, files in agents.items():
        nodes = []
        for (layer, file), hooks in files.items():
            place: list[Cell] = [(layer, "faint")] if layer else []
            rows = zip(hooks, branches(map(_cells, hooks)))
            children = [
                tree(row, [line((reason, "warning"))]) if (reason := _reason(item)) else row
                for item, row in rows
            ]
            nodes.append(tree(line(*place, (file or "-", "")), children))
        show(tree(line((contract, "heading")), nodes))


def _cells(item: Item) -> list[Cell]:
    spec = item.spec
    return [
        (item.state, meaning_of(item.state)),
        (spec.native_event if spec is not None else "", ""),
        (spec.id if spec is not None else "", ""),
        (f"line {item.line}" if item.line else "", "faint"),
        (command_of(item), ""),
    ]


def meaning_of(state: str) -> Meaning:
    """Return the meaning of a hook's state, which decides its colour."""
    return _MEANINGS[state]


def _json(item: Item) -> dict[str, object]:
    spec = item.spec
    record: dict[str, object] = {**item_json(item), "isolation": item.isolation}
    if spec is not None:
        record.update(
            on_error=spec.on_error,
            detached=spec.background,  # the key is part of the public output format
            description=spec.description,
        )
    return record

"""``sandhook portability``: which agents run a hook on which systems, differently or not at all, and why."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, INCOMPLETE
from sandhook.cli.arguments import Parser, add_agent_filter, add_format
from sandhook.cli.configuration import (
    directory,
    find_project,
    gather,
    guarded,
    nothing_found,
)
from sandhook.cli.output import is_terminal, plain, put, put_record, put_rows
from sandhook.cli.programs import is_executable
from sandhook.errors import ConfigError
from sandhook.hooks.checks import Surroundings
from sandhook.hooks.checks.portability import STATES, SYSTEMS, Portability, Reason, State, System, portability
from sandhook.hooks.contracts import LoadOptions
from sandhook.hooks.sources import AgentConfiguration
from sandhook.hooks.trust import read_host

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.terminal import Meaning
    from sandhook.hooks.model import HookSpec

#: Exit status when a hook runs differently, or does not run.
NOT_EVERYWHERE = FINDINGS
#: Exit status when nothing is known to be wrong, and not everything is known.
NOT_KNOWN = INCOMPLETE

_MEANINGS: dict[State, Meaning] = {"runs": "good", "differs": "warning", "unknown": "faint", "fails": "bad"}


def parser() -> Parser:
    result = Parser(
        "portability",
        "[FILE]... [OPTION]...",
        "Show for every hook, agent and system whether the hook runs there. Nothing runs: the command and\n"
        "the scripts that it names are parsed, and compared with what is known of the agents and systems.\n"
        "Without FILE: the hooks that the agents would read from the project's directory.\n\n"
        "runs: with the programs that are named. differs: it starts, and does something else. fails: it\n"
        "does not start, or cannot do its work. unknown: nobody has established it.",
    )
    add = result.add_argument
    add("hooks", nargs="*", metavar="FILE", help="a configuration of hooks; each one is looked at by itself")
    add("--contract", metavar="NAME", help="the agent whose format it is (default: recognised from FILE)")
    add_agent_filter(result, "an agent that is to run the hooks (again for more; default: all)")
    add(
        "--system",
        action="extend",
        nargs="+",
        choices=SYSTEMS,
        metavar="NAME",
        dest="systems",
        help="a system: linux, macos, git-bash (Windows with it), windows (without it) (default: all)",
    )
    add("--cwd", metavar="DIR", help="directory that the hooks run in (default: the project's)")
    add_format(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _portability(parser().parse_args(arguments)))


def _portability(options: argparse.Namespace) -> int:
    files: list[str | None] = list(options.hooks) or [None]
    find_project(options)
    configurations: list[AgentConfiguration] = []
    for name in files:
        options.hooks = [name] if name is not None else None
        configurations += gather(options)
    home = os.path.expanduser("~").replace("\\", "/")  # noqa: PTH111 - pathlib costs 10 ms
    around = Surroundings(directory(options.cwd), home, read_host, is_executable)
    results: list[Portability] = []
    for configuration in configurations:
        results += portability(
            _hooks(configuration),
            configuration.contract,
            around,
            agents=options.agents and list(dict.fromkeys(options.agents)),
            systems=tuple(dict.fromkeys(options.systems or SYSTEMS)),
        )
    project = around.project.rstrip("/") + "/"
    if options.layout == "json":
        put_record("portability", results=[_json(each) for each in results])
    elif not results:
        options.hooks = [name for name in files if name is not None]
        put(plain(nothing_found(configurations, options)))
    elif is_terminal(sys.stdout):
        _draw([_below(each, project) for each in results])
    else:
        put_rows([_row(_below(each, project)) for each in results])
    states = {each.state for each in results}
    if states & {"differs", "fails"}:
        return NOT_EVERYWHERE
    return NOT_KNOWN if "unknown" in states else 0


def _hooks(configuration: AgentConfiguration) -> list[HookSpec]:
    """Return all hooks of a configuration, also those that are switched off or not approved.

    Raises:
        ConfigError: A hook has a fault.
    """
    executors = ("bash", "argv", "http", "powershell")
    loaded = configuration.contract.load(
        list(configuration.documents), LoadOptions(executors=executors, env=dict(os.environ))
    )
    problems = [*configuration.problems, *loaded.problems]
    if problems:
        raise ConfigError(problems)
    return [*loaded.specs, *(spec for spec, _ in loaded.withheld)]


def _below(result: Portability, project: str) -> Portability:
    """Return a result with the names of its files below the project's directory, for people."""
    reasons = tuple(each._replace(file=each.file.removeprefix(project)) for each in result.reasons)
    return result._replace(reasons=reasons)


def _row(result: Portability) -> list[str]:
    worst = [str(each) for each in result.reasons if each.state == result.state]
    return [result.state, result.hook, result.agent, result.system, "; ".join(worst)]


def _json(result: Portability) -> dict[str, object]:
    return {
        "hook": result.hook,
        "agent": result.agent,
        "system": result.system,
        "state": result.state,
        "reasons": [
            {
                "state": each.state,
                "aspect": each.aspect,
                "message": each.message,
                "file": each.file,
                "line": each.line,
            }
            for each in result.reasons
        ],
    }


def _draw(results: Sequence[Portability]) -> None:
    """Draw a table of agents and systems for each hook, and the reasons, each once with its places."""
    from sandhook.cli.terminal import Matrix, Rows, indented, line, show

    systems = list(dict.fromkeys(each.system for each in results))
    hooks: dict[str, dict[str, dict[System, Portability]]] = {}
    for each in results:
        hooks.setdefault(each.hook, {}).setdefault(each.agent, {})[each.system] = each
    for hook, agents in hooks.items():
        rows = [
            (
                2,
                [(agent, ""), *((own[name].state, _MEANINGS[own[name].state]) for name in systems)],
            )
            for agent, own in agents.items()
        ]
        show(line((hook, "heading")), Matrix(systems, rows))
        cells = [result for own in agents.values() for result in own.values()]
        reasons = _places(cells, len(agents), systems)
        if reasons:
            show(
                line(),
                indented(
                    Rows(
                        [(each.state, _MEANINGS[each.state]), (f"{each} ({where})", "")]
                        for each, where in reasons
                    )
                ),
            )
        show(line())


def _places(
    results: Sequence[Portability], agents: int, systems: Sequence[System]
) -> list[tuple[Reason, str]]:
    """Return the reasons of several results, worst first, each once with the agents and systems that it concerns."""
    places: dict[Reason, dict[str, list[System]]] = {}
    for result in results:
        for reason in result.reasons:
            places.setdefault(reason, {}).setdefault(result.agent, []).append(result.system)
    found = []
    for reason, where in sorted(places.items(), key=lambda each: -STATES.index(each[0].state)):
        kinds: dict[tuple[System, ...], list[str]] = {}
        for agent, own in where.items():
            kinds.setdefault(tuple(own), []).append(agent)
        texts = []
        for own_systems, names in kinds.items():
            who = "all agents" if len(names) == agents > 1 else ", ".join(names)
            on = "" if len(own_systems) == len(systems) else f" on {', '.join(own_systems)}"
            texts.append(f"{who}{on}")
        found.append((reason, "; ".join(texts)))
    return found

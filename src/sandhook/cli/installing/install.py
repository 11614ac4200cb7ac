"""``sandhook install``: add the hooks of a file to the configurations of agents, each in the agent's own format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser
from sandhook.cli.configuration import store_of
from sandhook.cli.convert import LOST, source_hooks
from sandhook.cli.installing import (
    add_agents,
    add_dry_run,
    agents_of,
    print_outcomes,
    put_changes,
    recorded,
    reported,
    run_twice,
    surroundings,
)
from sandhook.cli.remarks import Remarks
from sandhook.errors import TrustError
from sandhook.hooks import contracts
from sandhook.hooks.contracts import LoadOptions
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.trust import machine_name
from sandhook.installation import disk
from sandhook.installation.changes import Changer, Outcome
from sandhook.installation.errors import InstallationError
from sandhook.installation.operations import Install, install_of
from sandhook.installation.places import Place, choices, is_of, place, scope_of, target_of
from sandhook.installation.scripts import Scripts, scripts
from sandhook.installation.texts import read_value
from sandhook.record import Record

if TYPE_CHECKING:
    import argparse

    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.event import Json
    from sandhook.hooks.model import HookSpec
    from sandhook.installation.places import Scope, Surroundings


def parser() -> Parser:
    result = Parser(
        "install",
        "(FILE --agent NAME... [OPTION]... | --service [--dry-run] [-- OPTION...])",
        "Add the hooks of a file to the configuration of an agent: with the agent's names of events and\n"
        "tools, its matchers and its unit of timeouts. The file is changed at that place alone; its\n"
        "comments, blanks, line ends and other keys stay. What it was before is kept, so that\n"
        "`sandhook uninstall` gives it back. The same FILE again changes nothing; a changed FILE\n"
        "replaces its hooks. Standard error lists what an agent cannot express; nothing is written\n"
        "then, except with --lossy. With --service, add `sandhook serve` to what the system starts instead.",
    )
    add = result.add_argument
    add("file", nargs="?", metavar="FILE", help="a configuration of hooks, in the format of any agent")
    add_agents(result, default="project, or the only one")
    add(
        "--from",
        dest="source",
        metavar="CONTRACT",
        help="the agent whose format FILE has (default: recognised)",
    )
    add("--lossy", action="store_true", help="install the hooks although something is lost")
    add_dry_run(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    if "--service" in arguments[: arguments.index("--") if "--" in arguments else None]:
        from sandhook.cli.serve.unit import run as install_service

        return install_service(arguments)
    return reported(lambda: _install(parser().parse_args(arguments)))


def _install(options: argparse.Namespace) -> int:
    name = _file_of(options)
    hooks = source_hooks([name], options.source)
    if not hooks.specs:
        raise UsageError(f"{name}: it has no hooks that can be installed")
    around = surroundings(options)
    installs: list[tuple[Place, Install]] = []
    left: list[Place] = []
    remarks = Remarks(is_json=options.layout == "json")
    # Two agents may read one file: the agent that has another one leaves it to the other.
    for target in sorted(agents_of(options), key=lambda each: choices(each, options.scope, around)):
        conversion = hooks.convert(target)
        for line in conversion.lost:
            remarks.lose(f"{target.name}: {line}")
        converted = _Converted(name, hooks.contract, conversion.value)
        if target.has_configuration:
            taken = {each.file for each, _ in installs}
            found = [_of_file(target, converted, options.scope, around, taken)]
        else:
            done = _of_scripts(target, converted, options.scope, around)
            found = list(done.installs)
            left += done.left
        if not any(operation.entries for _, operation in found):
            remarks.print_kept()
            raise UsageError(f"{name}: {target.name} can express none of its hooks")
        installs += found
        for note in conversion.notes:
            remarks.note(f"{target.name}: {note}")
    others = list(dict.fromkeys(where.agent for where, _ in installs if where.agent != hooks.contract.name))
    if others:
        remarks.note(
            f"{', '.join(others)}: the scripts still read the payload of {hooks.contract.name}"
            " and answer in its words"
        )
    for agent in (each for each in others if not contracts.get(each).reads_status):
        remarks.note(
            f"{agent}: this agent does not read the exit status of a hook: the status 2 refuses nothing"
        )
    everywhere = list(dict.fromkeys(where.agent for where, _ in installs if where.scope == "user"))
    if everywhere and (files := _files_below(around.cwd, hooks.specs, hooks.contract.name)):
        remarks.note(
            f"{', '.join(everywhere)}: the hooks run in every project, and execute {', '.join(files)} of {around.cwd}:"
            " name such a file by its absolute path, or below ~"
        )
    if remarks.lost and not options.lossy:
        remarks.add(
            f"nothing is written: {len(remarks.lost)} thing(s) would be lost; --lossy installs the rest"
        )
        if remarks.is_json:
            put_changes("install", options, [], remarks, source=name, lost=remarks.lost)
        return LOST

    def change(changer: Changer) -> list[Outcome]:
        removed = [changer.uninstall(where, name) for where in left]
        return [*(changer.install(where, operation) for where, operation in installs), *removed]

    outcomes = run_twice(options, change, lambda outcome: _check_accepted(outcome, remarks))
    return print_outcomes("install", options, outcomes, remarks, source=name, lost=remarks.lost)


class _Converted(Record):
    """The hooks of FILE in the format of one agent.

    Attributes:
        file: FILE.
        source: Its contract.
        value: A configuration of the agent.
    """

    file: str
    source: Contract
    value: Json


def _of_file(
    target: Contract, hooks: _Converted, scope: Scope | None, around: Surroundings, taken: set[str]
) -> tuple[Place, Install]:
    """Return the file of an agent in which hooks are installed, and what is added to it."""
    where = place(target, scope, around, taken)
    if target.name == hooks.source.name and is_of(target, where.scope, hooks.file, around):
        where = where._replace(file=hooks.file)  # the agent reads FILE already, and would run its hooks twice
    present = read_value(disk.read(target_of(where.file)), where.file)
    value = target.fitted(hooks.value, present, foreign=hooks.source.name != target.name)
    return where, install_of(value, hooks.file, hooks.source.name)


def _of_scripts(target: Contract, hooks: _Converted, scope: Scope | None, around: Surroundings) -> Scripts:
    """Return the files that become the hooks of an agent that reads no configuration."""
    own = scope_of(target, scope, around)
    if target.name == hooks.source.name and is_of(target, own, hooks.file, around):
        raise UsageError(f"{hooks.file}: {target.name} reads this file already")
    operation = install_of(hooks.value, hooks.file, hooks.source.name)
    return scripts(target, own, around, operation, recorded(target.name))


def _files_below(project: str, specs: Sequence[HookSpec], contract: str) -> list[str]:
    """Return the files of the project that hooks execute by names which another project has not."""
    store, found = store_of(None), dict[str, None]()
    for spec in specs:
        text = " ".join((spec.executor.text, *spec.executor.argv))
        try:
            files = store.examine(spec, contract, project).files
        except TrustError:
            continue  # too much to follow; nothing is executed here
        for file in files:
            path = machine_name(file.path)
            if path.startswith(f"{project.rstrip('/')}/") and path not in text:
                found.setdefault(path.removeprefix(f"{project.rstrip('/')}/"))
    return list(found)


def _check_accepted(outcome: Outcome, remarks: Remarks) -> None:
    """Raise InstallationError if the agent would report new faults; note it if it cannot read the file at all."""
    contract, file = contracts.get(outcome.place.agent), outcome.place.file
    try:
        after = faults(contract, outcome.after, file)
    except DecodeError as error:
        remarks.note(f"{contract.name} may not read {file}: {error}")
        return
    try:
        before = faults(contract, outcome.before, file)
    except DecodeError:
        before = set()
    if new := sorted(after - before):
        raise InstallationError(
            file, f"{contract.name} would not accept the result: {new[0]}; nothing is changed"
        )


def faults(contract: Contract, data: bytes | None, file: str) -> set[str]:
    """Return the faults that an agent finds in a file, without their lines. Raises DecodeError."""
    if not data:
        return set()
    document = contract.parse(data.decode("utf-8-sig"), file, dict(os.environ))
    loaded = contract.load([document], LoadOptions("strict", env=dict(os.environ)))
    return {f"{problem.path}: {problem.message}" for problem in loaded.problems}


def _file_of(options: argparse.Namespace) -> str:
    """Return the absolute path of FILE, which may also stand after the names of agents."""
    if options.file is None and len(options.agents) > 1 and options.agents[-1] not in contracts.names():
        options.file = options.agents.pop()
    if options.file is None:
        raise UsageError("install needs a FILE")
    name: str = os.path.abspath(options.file)  # noqa: PTH100 - pathlib costs 10 ms
    return name.replace("\\", "/")

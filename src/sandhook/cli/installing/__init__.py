"""What the commands share that change configurations of agents: their options, the files, and what they print."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, UsageError
from sandhook.cli.arguments import add_agent_filter, add_format
from sandhook.cli.configuration import directory, guarded
from sandhook.cli.output import put, put_record
from sandhook.cli.remarks import Remarks
from sandhook.hooks import contracts
from sandhook.hooks.text import neutralise
from sandhook.installation.changes import Changer, Outcome
from sandhook.installation.errors import EditedError, InstallationError, ScopeError
from sandhook.installation.places import SCOPES, Place, Scope, Surroundings, is_linked, is_of
from sandhook.installation.records import FileRecord, Pending, RecordStore

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.arguments import Parser
    from sandhook.hooks.contracts import Contract

#: Exit status when hooks stay as they are.
LEFT = FINDINGS


def add_agents(parser: Parser, *, required: bool = True, default: str = "all") -> None:
    """Add the options that name agents and their files; ``default`` is the help about the default scope."""
    own = "an agent whose configuration is changed (again for more)"
    add_agent_filter(
        parser, own if required else "an agent (again for more; default: all)", required=required
    )
    add = parser.add_argument
    add(
        "--scope",
        choices=SCOPES,
        help="whose file: the user's, the project's, or the project's own that is not shared"
        f" (default: {default})",
    )
    add("--cwd", metavar="DIR", help="directory of the project (default: the current directory)")


def add_dry_run(parser: Parser) -> None:
    """Add the options about what is written and printed."""
    parser.add_argument(
        "--dry-run", action="store_true", help="print the changes as a unified diff, and write nothing"
    )
    add_format(parser)


def reported(command: Callable[[], int]) -> int:
    """Run a command; a file that cannot be changed is one line and USAGE_ERROR."""
    try:
        return guarded(command)
    except (InstallationError, ScopeError) as error:
        raise UsageError(str(error)) from None


def surroundings(options: argparse.Namespace) -> Surroundings:
    return Surroundings(directory(options.cwd), dict(os.environ), sys.platform)


def store() -> RecordStore:
    return RecordStore.default(dict(os.environ), sys.platform)


def agents_of(options: argparse.Namespace) -> list[Contract]:
    """Return the contracts that --agent names, each once; all without it."""
    return [contracts.get(name) for name in dict.fromkeys(options.agents or contracts.names())]


def recorded_places(options: argparse.Namespace) -> list[Place]:
    """Return the changed files of the agents that are named: the user's, and those of the working directory.

    Raises:
        ScopeError: An agent does not have the scope.
    """
    around = surroundings(options)
    scope: Scope | None = options.scope
    result: list[Place] = []
    for contract in agents_of(options):
        own = recorded(contract.name)
        if options.agents and scope is not None:
            check_scope(contract, scope, around)
        for record in own:
            wanted = next((each for each in SCOPES if each == record.scope), None)
            if (
                wanted is not None
                and scope in (None, wanted)
                and is_of(contract, wanted, record.file, around)
            ):
                result.append(Place(contract.name, wanted, record.file))
    return result


def recorded(agent: str) -> list[FileRecord]:
    """Return what is recorded of the files of an agent."""
    return [each for each in map(_record_of, store().all()) if each.agent == agent]


def check_scope(contract: Contract, scope: Scope, around: Surroundings) -> None:
    """Raise ScopeError if an agent has no files of a scope."""
    from sandhook.installation.places import places, scopes

    if scope not in scopes(contract, around):
        places(contract, scope, around)


def _record_of(known: FileRecord | Pending) -> FileRecord:
    if isinstance(known, FileRecord):
        return known
    record = known.new or known.old
    if record is None:
        raise InstallationError(known.target, "its record is damaged")
    return record


def run_twice(
    options: argparse.Namespace,
    change: Callable[[Changer], list[Outcome]],
    check: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Return the outcomes of changes. They are computed without writing first: one that fails keeps all from starting.

    Args:
        check: Called with each outcome before anything is written; may raise.
    """
    outcomes = change(Changer(store(), dry_run=True))
    for outcome in outcomes:
        check(outcome)
    return outcomes if options.dry_run else change(Changer(store()))


def undo(
    command: str, options: argparse.Namespace, change: Callable[[Changer, Place], Outcome], nothing: str
) -> int:
    """Undo changes of all recorded files and print what was done; return the exit status.

    Args:
        nothing: The sentence when no file has something to undo.
    """
    known = recorded_places(options)
    remarks = Remarks(is_json=options.layout == "json")

    def all_changes(changer: Changer) -> list[Outcome]:
        outcomes = [change(changer, place) for place in known]
        return [each for each in outcomes if each.done != "absent"]

    try:
        outcomes = run_twice(options, all_changes)
    except EditedError as error:
        remarks.add(f"sandhook: {error}")
        if remarks.is_json:
            put_changes(command, options, [], remarks)
        return LEFT
    if not outcomes and not remarks.is_json:
        put(nothing)
    return print_outcomes(command, options, outcomes, remarks)


def print_outcomes(
    command: str,
    options: argparse.Namespace,
    outcomes: Sequence[Outcome],
    remarks: Remarks,
    **fields: object,
) -> int:
    """Print what was done, or the diff of what would be; return the exit status.

    Args:
        fields: Further fields of the JSON.
    """
    for each in outcomes:
        if remarks.is_json:
            pass
        elif options.dry_run:
            for line in diff_of(each):
                put(neutralise(line, limit=1 << 20, lines=False))
        else:
            put(neutralise(_sentence(each), limit=8192, lines=False))
        if each.before != each.after and is_linked(each.place.file):
            remarks.note(f"{each.place.file} is a link: {each.target} is changed")
        if each.unwrapped:
            remarks.note(
                f"{each.place.agent}: {each.unwrapped} hook(s) were wrapped and are replaced:"
                f" `sandhook wrap --agent {each.place.agent}` wraps them again"
            )
        if each.left:
            remarks.add(f"{each.place.file}: {each.left} hook(s) were changed by others: left as they are")
    if remarks.is_json:
        put_changes(command, options, outcomes, remarks, **fields)
    return LEFT if any(each.left for each in outcomes) else 0


def put_changes(
    command: str,
    options: argparse.Namespace,
    outcomes: Sequence[Outcome],
    remarks: Remarks,
    **fields: object,
) -> None:
    """Print the JSON of a command that changes files of agents."""
    put_record(
        command,
        dry_run=options.dry_run,
        written=any(each.before != each.after for each in outcomes),
        files=[_json(each) for each in outcomes],
        **fields,
        notes=remarks.notes,
    )


def _json(outcome: Outcome) -> dict[str, object]:
    return {
        "agent": outcome.place.agent,
        "scope": outcome.place.scope,
        "file": outcome.place.file,
        "target": outcome.target,
        "done": outcome.done,
        "hooks": outcome.hooks,
        "left": outcome.left,
        "exact": outcome.exact,
        "exists": outcome.after is not None,
        "diff": "".join(f"{line}\n" for line in diff_of(outcome)),
    }


def _sentence(outcome: Outcome) -> str:
    place = outcome.place
    who, file, count = f"{place.agent} ({place.scope})", place.file, outcome.hooks
    done = outcome.done
    if done == "unchanged":
        return f"{who}: nothing to do in {file}"
    if done == "absent":
        return f"{who}: nothing of sandhook in {file}"
    if done == "restored":
        return (
            f"{who}: {file} is as it was"
            if outcome.after is not None
            else f"{who}: {file} is removed, as it was"
        )
    exact = "; it is as it was" if outcome.exact and outcome.after is not None else ""
    prepositions = {"uninstalled": "from"}
    return f"{who}: {count} hook(s) {done} {prepositions.get(done, 'in')} {file}{exact}"


def diff_of(outcome: Outcome) -> Iterator[str]:
    """Yield what changes in a file as the lines of a unified diff."""
    before, after = _lines(outcome.before), _lines(outcome.after)
    name = outcome.place.file
    old = "/dev/null" if outcome.before is None else name
    new = "/dev/null" if outcome.after is None else name
    for line in unified_diff(before, after, old, new):
        text, newline, _ = line.partition("\n")
        yield text
        if not newline:
            yield "\\ No newline at end of file"


def _lines(data: bytes | None) -> list[str]:
    """Return lines with their line feeds; other line ends are part of the lines."""
    text = (data or b"").decode("utf-8", "backslashreplace")
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])

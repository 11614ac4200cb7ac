"""Finds the expectations that are about a file of hooks."""

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH100, PTH112, PTH118, PTH120, PTH208

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from sandhook.conformance.expectations.model import (
    EventCase,
    ExpectationFile,
    Expected,
    is_expectations,
)
from sandhook.conformance.expectations.reader import read_expectations
from sandhook.errors import ConfigError, Problem
from sandhook.hooks import contracts
from sandhook.hooks.contracts import Contract
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.sources import documents
from sandhook.record import Record

#: How far below the directory of a hook file expectations are looked for, and among how many names.
DEPTH, MOST_NAMES = 3, 5_000

_NOT_SEARCHED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".cache"})


class Expectations(Record):
    """Files of expectations.

    Attributes:
        files: Those that can be read.
        problems: What is wrong with the others.
    """

    files: tuple[ExpectationFile, ...] = ()
    problems: tuple[Problem, ...] = ()


def read(names: Sequence[str]) -> Expectations:
    """Read files of expectations."""
    files: list[ExpectationFile] = []
    problems: list[Problem] = []
    for name in dict.fromkeys(absolute(name) for name in names):
        try:
            files.append(read_expectations(name, dict(os.environ)))
        except ConfigError as error:
            problems += error.problems
    return Expectations(tuple(files), tuple(problems))


def expectations_of(
    hook_files: Sequence[str], sources: Mapping[str, Sequence[str]] = {}, project: str = ""
) -> Expectations:
    """Return the expectations next to hook files, and below their directories, that are about one of these files.

    Those of a file in an agent's own directory (``.claude``) may also be in the directory that has it.
    A file of expectations with a fault counts: what it is about is not known.

    Args:
        sources: Files that installed hooks come from, by the agent's file; what is near them counts too.
        project: Those in this directory and below count too; "" for none.
    """
    origins = [each for name in hook_files for each in sources.get(absolute(name), ())]
    directories = [*_directories([*hook_files, *origins]), *([project] if project else ())]
    names = [name for directory in directories for name in (*_below(directory), *_above(directory))]
    every = read(list(dict.fromkeys(names)))
    return Expectations(tuple(about(every.files, hook_files, sources)), every.problems)


def about(
    files: Sequence[ExpectationFile], hook_files: Sequence[str], sources: Mapping[str, Sequence[str]] = {}
) -> list[ExpectationFile]:
    """Return the expectations that are about hook files.

    Expectations about a file that hooks were installed from are about the hooks in the agent's file.

    Args:
        sources: Files that installed hooks come from, by the agent's file.
    """
    wanted = {os.path.realpath(name) for name in hook_files}
    installed: dict[str, list[str]] = {}
    for name in hook_files:
        for source in sources.get(absolute(name), ()):
            installed.setdefault(os.path.realpath(source), []).append(name)
    found: list[ExpectationFile] = []
    for file in files:
        names = {os.path.realpath(document.name) for document in file.documents}
        if names & wanted:
            found.append(file)
        targets = dict.fromkeys(target for name in names for target in installed.get(name, ()))
        found += [_about(file, target) for target in targets]
    return found


def _about(file: ExpectationFile, target: str) -> ExpectationFile:
    """Return expectations with the file in which their hooks were installed."""
    installed = without_cases(target)
    cases = tuple(
        case._replace(event=_translated(case.event, file.contract, installed.contract)) for case in file.cases
    )
    return file._replace(contract=installed.contract, documents=installed.documents, cases=cases)


def _translated(event: Event, source: Contract, target: Contract) -> Event:
    """Return an event with the tool's name of another agent."""
    if event.tool is None or source.name == target.name:
        return event
    for name in source.vocabulary().classes_of(event.tool.name):
        tools = target.vocabulary().of_class(name)
        if tools:
            return event.with_(tool=event.tool._replace(name=tools[0]))
    return event


def without_cases(name: str) -> ExpectationFile:
    """Return a hook file as expectations without any case.

    Raises:
        ConfigError: The file cannot be read.
        ContractError: No agent has such a file.
    """
    env = dict(os.environ)
    found = documents([absolute(name)], None, env)
    contract, document = contracts.understand(found[0], env)
    return ExpectationFile(document.name, os.path.dirname(document.name), contract, (document,), ())


def one_event(
    names: Sequence[str], contract_name: str | None, event: str, payload: JsonObject, project: str
) -> ExpectationFile:
    """Return the expectation that hook files refuse one event.

    Args:
        contract_name: The agent; None recognises the files.
        event: A neutral or the agent's own name.
        payload: As the agent passes it.

    Raises:
        ConfigError: A file cannot be read.
        ContractError: No agent has such files, or not this event.
    """
    contract = None if contract_name is None else contracts.get(contract_name)
    env = dict(os.environ)
    found = documents([absolute(name) for name in names], contract, env)
    if contract is None:
        contract = contracts.recognise(found)
        found = [contracts.understand(each, env)[1] for each in found]
    native, _ = contracts.kind_of(contract, event)
    described = contract.event(native, payload).with_(session_id="chaos")
    case = EventCase("the event of --payload", 0, "", described, Expected("deny"))
    return ExpectationFile(found[0].name, project, contract, tuple(found), (case,))


def absolute(name: str) -> str:
    """Return a path as an absolute one, with slashes."""
    return os.path.abspath(name).replace("\\", "/")


def _directories(hook_files: Sequence[str]) -> list[str]:
    """Return where to look: the agent's own directory (.claude) of a file in one, else that of the file."""
    found: dict[str, None] = {}
    for name in hook_files:
        directory = absolute(os.path.dirname(os.path.abspath(name)))
        parts = directory.split("/")
        hidden = [index for index, part in enumerate(parts) if part[:1] == "."]
        found["/".join(parts[: hidden[-1] + 1]) if hidden else directory] = None
    return list(found)


def _above(directory: str) -> Iterator[str]:
    """Yield the files of expectations in the directory that has an agent's own directory."""
    above, name = os.path.split(directory)
    if name[:1] != ".":
        return
    try:
        names = sorted(os.listdir(above))
    except OSError:
        return
    yield from (os.path.join(above, each) for each in names[:MOST_NAMES] if is_expectations(each))


def _below(directory: str) -> Iterator[str]:
    """Yield the files of expectations in a directory and below it, the nearest first."""
    level, seen = [directory], 0
    for _ in range(DEPTH + 1):
        following: list[str] = []
        for place in level:
            try:
                names = sorted(os.listdir(place))
            except OSError:
                continue
            seen += len(names)
            if seen > MOST_NAMES:
                return
            for name in names:
                path = os.path.join(place, name)
                if is_expectations(name):
                    yield path
                elif "." not in name[1:] and name not in _NOT_SEARCHED and os.path.isdir(path):
                    following.append(path)
        level = following

"""Finds the expectations that are about a file of hooks."""

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH100, PTH112, PTH118, PTH120, PTH208

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from sandhook.conformance.expectations.model import (
    EventCase,
    ExpectationFile,
    Expected,
    is_expectations,
)
from sandhook.conformance.expectations.reader import read_expectations
from sandhook.errors import ConfigError, Problem
from sandhook.hooks import contracts
from sandhook.hooks.event import JsonObject
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


def expectations_of(hook_files: Sequence[str]) -> Expectations:
    """Return the expectations next to hook files, and below their directories, that name one of these files.

    A file of expectations with a fault counts: what it is about is not known.
    """
    wanted = {os.path.realpath(name) for name in hook_files}
    names = [name for directory in _directories(hook_files) for name in _below(directory)]
    every = read(names)
    about = [
        file
        for file in every.files
        if any(os.path.realpath(document.name) in wanted for document in file.documents)
    ]
    return Expectations(tuple(about), every.problems)


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

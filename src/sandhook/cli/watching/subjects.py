"""What ``sandhook watch`` runs, and the files whose changes run it again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Literal, TypeAlias

from sandhook.cli.check import checked_in
from sandhook.cli.configuration import directory, gather, store_of
from sandhook.conformance.expectations.model import is_expectations
from sandhook.errors import ConfigError, TrustError
from sandhook.hooks.contracts import ContractError, LoadOptions, UnrecognisedError
from sandhook.hooks.evidence import shown_pattern
from sandhook.record import Record

if TYPE_CHECKING:
    import argparse
    import re

    from sandhook.hooks.contracts import Contract, Document
    from sandhook.hooks.model import HookSpec

#: How a file was last seen: time of change, size, number and mode; None for one that is not there. An editor that saves
#: by renaming changes the number, and `chmod +x` the mode alone.
Signature: TypeAlias = tuple[int, int, int, int] | None


class Ran(Record):
    """The result of a check or of a file of expectations.

    Attributes:
        state: "ok", or "failed".
        name: The file.
        summary: What was found, in a few words.
        lines: A line for each fault.
    """

    state: Literal["ok", "failed"]
    name: str
    summary: str
    lines: tuple[str, ...] = ()


class Subject(Record):
    """Something that runs again when a file changes.

    Attributes:
        name: The file, for people.
        files: The files that it depends on, as absolute paths.
        run: Runs it.
    """

    name: str
    files: frozenset[str]
    run: Callable[[], Ran]


def subjects(options: argparse.Namespace, names: Sequence[str]) -> list[Subject]:
    """Return the checks of configurations, then the files of expectations.

    Args:
        options: Those of ``check``.
        names: The files that the command line names; () for those of the agents and of the project.
    """
    configurations = [name for name in names if not is_expectations(name)]
    expectations = [name for name in names if is_expectations(name)]
    found: list[Subject] = []
    named: list[str | None] = [*configurations] if names else [None]
    for name in named:
        found.append(_configuration(options, name))
    project = directory(options.cwd)
    if not expectations:
        directories = {os.path.dirname(each) for subject in found for each in subject.files}  # noqa: PTH120
        expectations = expectation_files({project, *directories})
    return found + [_expectations(options, _shown(name)) for name in expectations]


def expectation_files(directories: Iterable[str]) -> list[str]:
    """Return the files of expectations in directories."""
    found: set[str] = set()
    for name in {_with_drive(each) for each in directories}:
        try:
            entries = os.listdir(name)  # noqa: PTH208 - pathlib costs 10 ms
        except OSError:
            continue
        found |= {f"{name}/{entry}" for entry in entries if is_expectations(entry)}
    return sorted(found)


def signatures(files: Iterable[str]) -> dict[str, Signature]:
    """Return how files are now."""
    return {name: _signature(name) for name in files}


def _signature(name: str) -> Signature:
    try:
        state = os.stat(name)  # noqa: PTH116
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size, state.st_ino, state.st_mode


# Configurations.


def _configuration(options: argparse.Namespace, name: str | None) -> Subject:
    """Return the check of a named file, or of the files of all agents."""
    files = {os.path.abspath(name).replace("\\", "/")} if name is not None else set()  # noqa: PTH100
    options.hooks = [name] if name is not None else None
    try:
        for configuration in gather(options):
            files |= {_absolute(document.name) for document in configuration.documents}
            files |= _scripts(configuration.documents, configuration.contract, options)
    except (ConfigError, UnrecognisedError):
        pass  # the check reports it, and the file itself is watched
    if name is None:
        files |= _places(options)
    return Subject(name or "hooks of the agents", frozenset(files), lambda: _check(options, name))


def _places(options: argparse.Namespace) -> set[str]:
    """Return the files that the agents would read from here, if they existed."""
    from sandhook.hooks import contracts
    from sandhook.hooks.checks.unstarted import unstarted_places

    cwd = directory(options.cwd)
    known = [options.contract] if options.contract else contracts.names()
    layers = [each for name in known for each in contracts.get(name).layers(cwd, os.environ, sys.platform)]
    places = {each.path.replace("\\", "/") for each in layers if "*" not in each.path}
    return places if options.contract else places.union(unstarted_places(cwd, os.environ, sys.platform))


def _scripts(
    documents: Sequence[Document],
    contract: Contract,
    options: argparse.Namespace,
    only: re.Pattern[str] | None = None,
) -> set[str]:
    """Return the files that the hooks of configurations execute, also those that are not there.

    Args:
        documents: The configurations.
        contract: Their format.
        options: Those of ``check``.
        only: Found in the commands of the hooks that count; None for all hooks.
    """
    from sandhook.conformance.expectations.run import is_selected

    loaded = contract.load(list(documents), LoadOptions(executors=("bash", "argv"), env=dict(os.environ)))
    store, project = store_of(options.store), directory(options.cwd)
    found: set[str] = set()
    specs: list[HookSpec] = [*loaded.specs, *(spec for spec, _ in loaded.withheld)]
    for spec in specs:
        if not is_selected(spec, only):
            continue
        try:
            evidence = store.examine(spec, contract.name, project)
        except TrustError:
            continue  # too much to follow: the configuration itself is watched
        found |= {_native(file.path) for file in evidence.files}
        found |= {_native(shown_pattern(pattern)) for pattern in evidence.absent}
    return {_below(project, path) for path in found}


def _check(options: argparse.Namespace, name: str | None) -> Ran:
    options.hooks = [name] if name is not None else None
    shown = name or "hooks of the agents"
    try:
        checked = checked_in(options, name)
    except ContractError as error:
        return Ran("failed", shown, "it cannot be checked", (str(error),))
    faults = [finding for finding in checked.findings if finding.severity != "note"]
    hooks = f"{checked.hooks} hook{'' if checked.hooks == 1 else 's'}"
    errors = sum(finding.severity == "error" for finding in faults)
    warnings = len(faults) - errors
    counts = [f"{count} {what}{'' if count == 1 else 's'}"
              for count, what in ((errors, "error"), (warnings, "warning")) if count]  # fmt: skip
    summary = f"{', '.join(counts) or 'nothing found'} in {hooks}"
    if not (checked.hooks or faults):
        summary = (
            "no hooks: nothing guards"
            if name is not None
            else f"no hooks: none of the {checked.sought} files has any"
        )
    return Ran("failed" if errors else "ok", shown, summary, tuple(map(str, faults)))


# Expectations.


def _expectations(options: argparse.Namespace, name: str) -> Subject:
    from sandhook.conformance.expectations.reader import read_expectations

    files = {_absolute(name)}
    try:
        file = read_expectations(name, dict(os.environ))
    except ConfigError as error:
        files |= {_absolute(problem.file) for problem in error.problems if problem.file}
    else:
        files |= {_absolute(document.name) for document in file.documents}
        own = copy(options)
        own.cwd = _absolute(file.project)
        if os.path.isdir(file.project):  # noqa: PTH112
            files |= _scripts(file.documents, file.contract, own, file.only)
    return Subject(name, frozenset(files), lambda: _run(name))


def _run(name: str) -> Ran:
    """Run a file of expectations in the sandbox."""
    from sandhook.conformance.expectations.reader import read_expectations
    from sandhook.conformance.expectations.run import check_hooks, run_file

    try:
        file = read_expectations(name, dict(os.environ))
        check_hooks(file)
    except ConfigError as error:
        return Ran("failed", name, "it has faults", tuple(map(str, error.problems)))
    report = run_file(file)
    lines: list[str] = []
    for outcome in report.failures:
        lines.append(f"line {outcome.case.line}: {outcome.case.name}")
        details = list(outcome.details)
        end = details.index(_HOOKS) if _HOOKS in details else len(details)
        lines += [f"  {line}" for line in details[:end]]
        why = dict.fromkeys(line.strip() for line in details[end:] if line.strip().startswith(_WHY))
        lines += [f"    {line}" for line in why]
    failures = len(report.failures)
    summary = f"{report.passed} pass" + (f", {failures} fail" if failures else "")
    return Ran("failed" if failures else "ok", name, summary, tuple(lines))


#: How the lines begin that say why a hook had no say.
_WHY = "could not run:"

#: After this line the details show what every hook did, which is more than a short result.
_HOOKS = "what the hooks did:"


# Paths.


def _shown(name: str) -> str:
    """Return a path as a person would write it: below the current directory without it."""
    return name.removeprefix(directory(None).rstrip("/") + "/")


def _absolute(name: str) -> str:
    return os.path.abspath(name).replace("\\", "/")  # noqa: PTH100


def _with_drive(path: str) -> str:
    """Return a path with the letter of its drive as Windows prints it: an environment may have it in either case."""
    return path[:1].upper() + path[1:] if path[1:2] == ":" else path


def _below(project: str, path: str) -> str:
    return path if path.startswith("/") or path[1:2] == ":" else f"{project}/{path}"


def _native(path: str) -> str:
    """Return the system's name of a path that has the form of a shell."""
    if sys.platform == "win32" and path[:1] == "/" and path[2:3] == "/":
        return f"{path[1]}:{path[2:]}"
    return path


def changed(before: Mapping[str, Signature], after: Mapping[str, Signature]) -> set[str]:
    """Return the files that differ."""
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}

"""``sandhook check``: faults of hooks and their scripts, found without running them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, USAGE_ERROR
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.configuration import (
    directory,
    find_project,
    gather,
    guarded,
    load,
    sought,
    store_of,
    unstarted,
)
from sandhook.cli.output import is_terminal, plain, put, put_record
from sandhook.cli.outputs.annotations import FORMATS, put_annotations
from sandhook.cli.programs import has_program, is_executable
from sandhook.errors import ConfigError, NotApproved, TrustError
from sandhook.hooks.checks import SEVERITIES, Finding, Surroundings, check
from sandhook.hooks.checks.rules import finding_json
from sandhook.hooks.checks.unstarted import UNSTARTED, is_unstarted
from sandhook.hooks.contracts import COMPAT, Contract, UnrecognisedError, needs_trust
from sandhook.hooks.evidence import THE_COMMAND
from sandhook.hooks.inventory import Item, inventory
from sandhook.hooks.report import approval
from sandhook.hooks.sources import AgentConfiguration, layer_files, read_regular
from sandhook.hooks.trust import read_host
from sandhook.record import Record

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.terminal import Cell, Meaning
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.loading import Trust

#: Colours of the severities on a terminal.
_MEANINGS: dict[str, Meaning] = {"error": "bad", "warning": "warning", "note": "faint"}


def parser() -> Parser:
    result = Parser(
        "check",
        "[FILE]... [OPTION]...",
        "Find faults of hooks without running them: of configurations, each with its line and path,\n"
        "and of the scripts that they name. Without FILE: check the files that the agents would read\n"
        "from the project's directory: the current one, or the nearest above it that has such a file.\n"
        "docs/reference/checks.md explains every identifier.",
    )
    add = result.add_argument
    add("hooks", nargs="*", metavar="FILE", help="a configuration of hooks; each one is checked by itself")
    add("--contract", metavar="NAME", help="the agent whose format it is (default: recognised from FILE)")
    add("--cwd", metavar="DIR", help="directory that the hooks run in (default: the project's)")
    add("--store", metavar="FILE", help="file of approvals (default: that of `sandhook trust`)")
    add("--compat", choices=COMPAT, default="better", help="strict: only what the agent itself accepts")
    add("--host", action="store_true", help="check what the hooks need on this machine, not in the sandbox")
    add("--strict", action="store_true", help="exit status 1 after warnings, too")
    add_format(result, annotations=True)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _check(parser().parse_args(arguments)))


def _can_be_read(name: str) -> bool:
    """Return False for a file that is a usage error. One that has a fault is a finding."""
    try:
        return os.path.isdir(name) or read_regular(name, 1) is not None  # noqa: PTH112 - pathlib costs 10 ms
    except OSError:
        return False


class Checked(Record):
    """The findings, and what was looked at.

    Attributes:
        findings: In the order of the files.
        files: Names of the files that were read.
        hooks: How many hooks they have.
        sought: How many files were looked for.
    """

    findings: tuple[Finding, ...] = ()
    files: tuple[str, ...] = ()
    hooks: int = 0
    sought: int = 0

    def plus(self, other: Checked) -> Checked:
        """Return both."""
        return Checked(*(mine + its for mine, its in zip(self, other, strict=True)))


def _check(options: argparse.Namespace) -> int:
    files = list(options.hooks)
    find_project(options)
    checked = Checked()
    for name in files or [None]:
        options.hooks = [name] if name is not None else None
        checked = checked.plus(checked_in(options, name))
    findings = checked.findings
    fails = SEVERITIES[: 2 if options.strict else 1]
    status = FINDINGS if any(finding.severity in fails for finding in findings) else 0
    if not all(map(_can_be_read, files)):
        status = USAGE_ERROR
    if options.layout in FORMATS:
        from sandhook.cli.outputs.annotations.findings import of_check

        put_annotations(options.layout, of_check(findings, status))
    elif options.layout == "json":
        files_read = list(dict.fromkeys(checked.files))
        put_record(
            "check",
            findings=[finding_json(finding) for finding in findings],
            files=files_read,
            hooks=checked.hooks,
        )
    elif is_terminal(sys.stdout):
        _draw(checked, options.cwd)
    else:
        for finding in findings:
            put(plain(str(finding)))
        put(plain(_summary(checked, options.cwd)))
    return status


def checked_in(options: argparse.Namespace, name: str | None) -> Checked:
    """Return what is found in a named file, or in the files of the agents; those that agents share once."""
    try:
        configurations = [*gather(options), *unstarted(options)]
    except ConfigError as error:
        if name is not None and os.path.isdir(name):  # noqa: PTH112
            wanted = "is a directory; name a file, or check the files of the project there with --cwd"
            return Checked((Finding("E-CONFIG", wanted, name),), (name,), 0, 1)
        faults = [
            Finding("E-CONFIG", problem.message, problem.file, problem.line, problem.path)
            for problem in error.problems
        ]
        return Checked(tuple(faults), () if name is None else (name,), 0, 1)
    except UnrecognisedError as error:
        if name is None:
            raise
        return Checked((Finding("E-CONTRACT", error.problem, name),), (name,), 0, 1)
    checked = Checked(sought=1 if name is not None else sought(configurations, options))
    if name is not None and not options.contract and is_unstarted(os.path.abspath(name)):  # noqa: PTH100 - pathlib costs 10 ms
        checked = checked.plus(Checked((Finding("E-CONFIG", UNSTARTED, name),)))
    found = [(configuration, *findings_of(configuration, options)) for configuration in configurations]
    for configuration, findings, hooks in found:
        files = [document.name for document in configuration.documents]
        files += [
            problem.file for problem in configuration.problems if problem.file
        ]  # those that cannot be read
        others = [
            set(its) for other, its, _ in found if other is not configuration and _share(other, configuration)
        ]
        known = set(checked.findings)
        fresh = tuple(
            each if all(each in other for other in others) else _of_agent(each, configuration)
            for each in findings
            if each not in known
        )
        checked = checked.plus(Checked(fresh, tuple(files), hooks))
    return checked


def _share(one: AgentConfiguration, other: AgentConfiguration) -> bool:
    """Return whether two agents read a file in common."""
    names = {document.name for document in one.documents}
    return any(document.name in names for document in other.documents)


def _of_agent(finding: Finding, configuration: AgentConfiguration) -> Finding:
    """Return what is found for one of several agents that read a file."""
    return finding._replace(message=f"for {configuration.contract.name}: {finding.message}")


def findings_of(configuration: AgentConfiguration, options: argparse.Namespace) -> tuple[list[Finding], int]:
    """Load a configuration; return its faults, and the number of its hooks."""
    engine = load(configuration, options, compat=options.compat)
    home = os.path.expanduser("~").replace("\\", "/")  # noqa: PTH111 - pathlib costs 10 ms
    surroundings = Surroundings(
        directory(options.cwd), home, read_host, is_executable, has_program if options.host else None
    )
    found = check(
        engine, configuration.contract, configuration.documents, surroundings, configuration.problems
    )
    of_trust = _of_trust(engine, configuration, options)
    found = sorted([*found, *of_trust], key=lambda each: (each.file, each.line))
    return found, len(engine.hooks) + len(engine.withheld)


def _of_trust(
    engine: HookEngine, configuration: AgentConfiguration, options: argparse.Namespace
) -> Iterator[Finding]:
    """Yield notes about approvals: of hooks that lack them, and of what they do not cover.

    Named files need no approval, but as a file of its project the agent reads the same hook.
    """
    contract, project = configuration.contract.name, directory(options.cwd)
    store = store_of(options.store)
    items = [
        item
        for item in inventory(engine, configuration.contract, configuration.documents)
        if item.spec is not None
    ]
    # FORMATS are for builds, where nobody approves anything.
    if options.hooks and options.layout not in FORMATS:
        try:
            yield from _without_approval(items, configuration, store.allows(contract, project), project)
        except TrustError as error:
            yield Finding("N-STATE", str(error), options.hooks[0])
    for item in items:
        if (
            item.spec is None
            or item.state == "muted"
            or not _trust_decides(item, configuration.contract, project)
        ):
            continue
        try:
            computed = store.examine(item.spec, contract, project).computed
        except TrustError:
            continue  # more than can be followed: `sandhook trust` reports it
        for place in computed:
            file, _, line = place.rpartition(":")
            inside = (item.file, item.line, item.path) if file == THE_COMMAND else (file, int(line), "")
            yield Finding("N-UNBOUND", _UNBOUND, *inside, item.spec.id)


_UNBOUND = "the name of what this executes is not known before it runs, so no approval covers that file"


def _trust_decides(item: Item, contract: Contract, project: str) -> bool:
    """Return whether sandhook runs a hook only if it is approved, when it reads the files of the agent."""
    if not item.file or (item.layer and not needs_trust(item.layer)):
        return False
    layers = contract.layers(project, os.environ, sys.platform)
    whole = os.path.abspath(item.file)  # noqa: PTH100 - pathlib costs 10 ms
    return any(
        needs_trust(layer.name) and whole == os.path.abspath(file)  # noqa: PTH100
        for layer in layers
        for file in layer_files(layer.path.replace("\\", "/"))[0]
    )


def _without_approval(
    items: Sequence[Item], configuration: AgentConfiguration, allows: Trust, project: str
) -> Iterator[Finding]:
    """Yield a note for each hook that was approved in another form, and one for a file with hooks that never were."""
    never: dict[str, int] = {}
    for item in items:
        if item.spec is None or item.state != "trusted":
            continue
        try:
            approved = allows(item.spec._replace(file=os.path.abspath(item.file)))  # noqa: PTH100 - pathlib costs 10 ms
        except NotApproved as error:
            yield Finding("N-STATE", str(error), item.file, item.line, item.path, item.spec.id)
        except TrustError:
            continue  # more than can be followed: `sandhook trust` reports it
        else:
            if not approved and _trust_decides(item, configuration.contract, project):
                never[item.file] = never.get(item.file, 0) + 1
    for file, count in never.items():
        them = "1 hook, and sandhook runs it" if count == 1 else f"{count} hooks, and sandhook runs them"
        how = approval(file, configuration.contract.name)
        yield Finding("N-STATE", f"nobody approved {them} only after: {how}", file)


#: The names of files in a summary.
_MOST_NAMES = 3


def _summary(checked: Checked, cwd: str | None) -> str:
    """Return the numbers of findings, and what was looked at."""
    files = tuple(dict.fromkeys(checked.files))
    if not files:
        return f"no hooks: none of the {checked.sought} files that agents read exists (project: {directory(cwd)})"
    names = ", ".join(files[:_MOST_NAMES])
    more = f" and {len(files) - _MOST_NAMES} more" if len(files) > _MOST_NAMES else ""
    hooks = f"{checked.hooks} hook{'' if checked.hooks == 1 else 's'}"
    return f"{_counts(checked.findings)} in {hooks} of {names}{more}"


def _counts(findings: Sequence[Finding]) -> str:
    counts = [
        f"{count} {severity}{'' if count == 1 else 's'}"
        for severity in SEVERITIES
        if (count := sum(finding.severity == severity for finding in findings))
    ]
    return ", ".join(counts) or "nothing found"


def _draw(checked: Checked, cwd: str | None) -> None:
    """Draw the findings on the terminal, below the files that they are in, and their numbers."""
    from sandhook.cli.terminal import Rows, indented, line, show

    findings = checked.findings
    files: dict[str, list[Finding]] = {}
    for finding in findings:
        files.setdefault(finding.file, []).append(finding)
    for file, file_findings in files.items():
        show(line((file or "-", "heading")), indented(Rows(map(_cells, file_findings))))
    worst = next(
        (severity for severity in SEVERITIES if any(finding.severity == severity for finding in findings)), ""
    )
    show(line((_summary(checked, cwd), _MEANINGS[worst] if worst else "good")))


def _cells(finding: Finding) -> list[Cell]:
    path = f"{finding.path}: " if finding.path else ""
    hook = f" (hook {finding.hook})" if finding.hook else ""
    return [
        (str(finding.line) if finding.line else "", "faint"),
        (finding.severity, _MEANINGS[finding.severity]),
        (finding.rule, ""),
        (f"{path}{finding.message}{hook}", ""),
    ]

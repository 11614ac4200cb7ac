"""``sandhook check``: faults of hooks and their scripts, found without running them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.cli import USAGE_ERROR
from sandhook.cli.arguments import Parser
from sandhook.cli.configuration import AgentConfiguration, directory, gather, guarded, load
from sandhook.cli.output import is_terminal, plain, put, put_json
from sandhook.errors import ConfigError
from sandhook.hooks.checks import SEVERITIES, Finding, Surroundings, check
from sandhook.hooks.contracts import COMPAT, UnrecognisedError
from sandhook.hooks.trust import read_host

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.terminal import Cell, Meaning

#: Colours of the severities on a terminal.
_MEANINGS: dict[str, Meaning] = {"error": "bad", "warning": "warning", "note": "faint"}


def parser() -> Parser:
    result = Parser(
        "check",
        "[FILE]... [OPTION]...",
        "Find faults of hooks without running them: of configurations, each with its line and path,\n"
        "and of the scripts that they name. Without FILE: check the files that the agents would read\n"
        "from the current directory. docs/reference/checks.md explains every identifier.\n\n"
        "Exit status: 0, or 1 after errors (with --strict: also after warnings).",
    )
    add = result.add_argument
    add("hooks", nargs="*", metavar="FILE", help="a configuration of hooks; each one is checked by itself")
    add("--contract", metavar="NAME", help="the agent whose format it is (default: recognised from FILE)")
    add("--cwd", metavar="DIR", help="directory that the hooks run in (default: the current directory)")
    add("--store", metavar="FILE", help="file of approvals (default: that of `sandhook trust`)")
    add("--compat", choices=COMPAT, default="better", help="strict: only what the agent itself accepts")
    add("--strict", action="store_true", help="exit status 1 after warnings, too")
    add("--format", dest="layout", choices=("text", "json"), default="text")
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _check(parser().parse_args(arguments)))


def _check(options: argparse.Namespace) -> int:
    findings: list[Finding] = []
    files = list(options.hooks)
    for name in files or [None]:
        options.hooks = [name] if name is not None else None
        findings += _findings_in(options, name)
    if options.layout == "json":
        put_json([_json(finding) for finding in findings])
    elif is_terminal(sys.stdout):
        _draw(findings)
    else:
        for finding in findings:
            put(plain(str(finding)))
        put(_summary(findings))
    fails = SEVERITIES[: 2 if options.strict else 1]
    return USAGE_ERROR if any(finding.severity in fails for finding in findings) else 0


def _findings_in(options: argparse.Namespace, name: str | None) -> list[Finding]:
    try:
        configurations = gather(options)
    except ConfigError as error:
        return [
            Finding("E-CONFIG", problem.message, problem.file, problem.line, problem.path)
            for problem in error.problems
        ]
    except UnrecognisedError as error:
        if name is None:
            raise
        return [Finding("E-CONTRACT", error.problem, name)]
    return [finding for configuration in configurations for finding in findings_of(configuration, options)]


def findings_of(configuration: AgentConfiguration, options: argparse.Namespace) -> list[Finding]:
    """Load a configuration and return its faults."""
    engine = load(configuration, options, compat=options.compat)
    home = os.path.expanduser("~").replace("\\", "/")  # noqa: PTH111 - pathlib costs 10 ms
    surroundings = Surroundings(directory(options.cwd), home, read_host)
    return check(
        engine, configuration.contract, configuration.documents, surroundings, configuration.problems
    )


def _summary(findings: Sequence[Finding]) -> str:
    counts = [
        f"{count} {severity}{'' if count == 1 else 's'}"
        for severity in SEVERITIES
        if (count := sum(finding.severity == severity for finding in findings))
    ]
    return ", ".join(counts) or "nothing found"


def _draw(findings: Sequence[Finding]) -> None:
    """Draw the findings on the terminal, below the files that they are in, and their numbers."""
    from sandhook.cli.terminal import Rows, indented, line, show

    files: dict[str, list[Finding]] = {}
    for finding in findings:
        files.setdefault(finding.file, []).append(finding)
    for file, file_findings in files.items():
        show(line((file or "-", "heading")), indented(Rows(map(_cells, file_findings))))
    worst = next(
        (severity for severity in SEVERITIES if any(finding.severity == severity for finding in findings)), ""
    )
    show(line((_summary(findings), _MEANINGS[worst] if worst else "good")))


def _cells(finding: Finding) -> list[Cell]:
    path = f"{finding.path}: " if finding.path else ""
    hook = f" (hook {finding.hook})" if finding.hook else ""
    return [
        (str(finding.line) if finding.line else "", "faint"),
        (finding.severity, _MEANINGS[finding.severity]),
        (finding.rule, ""),
        (f"{path}{finding.message}{hook}", ""),
    ]


def _json(finding: Finding) -> dict[str, object]:
    return {
        "severity": finding.severity,
        "rule": finding.rule,
        "message": finding.message,
        "file": finding.file,
        "line": finding.line,
        "path": finding.path,
        "hook": finding.hook,
    }

"""``sandhook test``: run shell cases on sandhook and on real shells; compare or record the results."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, USAGE_ERROR, UsageError
from sandhook.cli.arguments import Parser
from sandhook.cli.expectations import Expectations
from sandhook.cli.notes import print_note
from sandhook.cli.output import is_terminal
from sandhook.conformance.expectations.model import is_expectations
from sandhook.conformance.model import HOST
from sandhook.conformance.oracle import (
    PROGRAM,
    OracleMissing,
    RealShell,
    check,
    program_of,
    restore_signals,
)
from sandhook.conformance.runner import TIMEOUT
from sandhook.conformance.suite import Selection, find, load
from sandhook.conformance.suite import run as run_suite
from sandhook.conformance.workers import Sandhook

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sandhook.cli.terminal import Cell, Meaning
    from sandhook.conformance.model import CaseFile
    from sandhook.conformance.runner import Report

FAILED, UNUSABLE = FINDINGS, USAGE_ERROR


def parser() -> Parser:
    result = Parser(
        "test",
        "[OPTION]... PATH...",
        "Run the cases of files, or of all *.test, *.test.sh and *.bats files in directories, on\n"
        "sandhook and on real shells, and compare the results with the expectations in the files.\n"
        "Files named *.expect.yaml have events: they are fired at the hooks that the file names, in the\n"
        "sandbox, or on this machine with --shell host.",
    )
    add = result.add_argument
    add("paths", nargs="+", metavar="PATH", help="a case file, or a directory to search")
    add(
        "--shell",
        action="append",
        default=[],
        metavar="NAME",
        help=f"run on this shell instead of sandhook (again for more): sandhook,"
        f" host (sandhook's host mode), {', '.join(PROGRAM)}",
    )
    add("--oracle", action="store_true", help="also run each file on the real shells that it names")
    add("--jobs", type=int, metavar="N", help="number of cases that run at once (default: one for each core)")
    add("--timeout", type=float, metavar="S", help=f"limit of one case in seconds (default {TIMEOUT:g})")
    add("--filter", metavar="REGEX", help="run only cases whose name contains a match")
    add("--fail-fast", action="store_true", help="stop after the first file that is not as expected")
    add("--list", action="store_true", help="print place and name of each case, and run nothing")
    add(
        "--format",
        dest="layout",
        choices=("text", "junit", "json"),
        default="text",
        help="format of the results",
    )
    add("--out", metavar="FILE", help="write the results to a file instead of standard output")
    add(
        "-v",
        "--verbose",
        action="store_true",
        help="print a line for each case, and the differences of expected failures",
    )
    add(
        "--root",
        metavar="DIR",
        help="directory that cases see as $REPO_ROOT (default: the current directory)",
    )
    add("--record", metavar="SHELL", help="run on this real shell and write its results into the files")
    add("--record-stderr", action="store_true", help="with --record, also write standard error")
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    try:
        return _test(parser().parse_args(arguments))
    except UsageError as error:
        print_note(f"sandhook: {error}")
        return UNUSABLE
    except OracleMissing as error:
        print_note(f"sandhook: test: {error}")
        return UNUSABLE


def _test(options: argparse.Namespace) -> int:
    jobs = _jobs(options.jobs)
    if options.timeout is not None and not 0 < options.timeout < float("inf"):
        raise UsageError("test: --timeout must be more than 0 seconds")
    if options.root is not None and not os.path.isdir(options.root):  # noqa: PTH112
        raise UsageError(f"test: --root {options.root}: not a directory")
    found, problems = find(options.paths)
    paths = [path for path in found if not is_expectations(path.name)]
    files, unreadable = load(paths, options.root or ".")
    expectations = Expectations(found)
    shells = _shells(options)
    problems += unreadable + expectations.problems + _missing(files if options.oracle else [], shells)
    if problems:
        for line in problems:
            print_note(line)
        return UNUSABLE
    selections = _select([*files, *expectations.files], options.filter)
    if not selections:
        raise UsageError("test: no case has such a name" if options.filter else "test: no case was found")
    if options.list:
        _write(
            options,
            "".join(
                f"{selection.file.path}:{case.line}: {case.name}\n"
                for selection in selections
                for case in selection.cases
            ),
        )
        return 0
    if options.record:
        for file in (*files, *expectations.files):
            if not file.records:
                raise UsageError(
                    f"test: --record does not write {file.path}: it is not in sandhook's own form"
                )
        return _record(options, paths, files, selections, jobs)
    reports = _run(options, selections, expectations, shells, jobs)
    if options.layout == "text" and options.out is None and is_terminal(sys.stdout):
        _draw(reports, verbose=options.verbose)
    else:
        _write(options, _layout(options, reports))
    return 0 if all(report.good for report in reports) else FAILED


def _jobs(count: int | None) -> int:
    if count is not None:
        if count < 1:
            raise UsageError("test: --jobs must be 1 or more")
        return count
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _shells(options: argparse.Namespace) -> list[str]:
    """Return the shells that run all files, in the order of the options."""
    if options.record is not None:
        if options.shell or options.oracle:
            raise UsageError("test: --record goes without --shell and --oracle")
        if options.record == "sandhook":
            raise UsageError("test: --record needs a real shell, not sandhook")
        return [options.record]
    if options.record_stderr:
        raise UsageError("test: --record-stderr needs --record SHELL")
    return list(dict.fromkeys("ash" if name == "busybox" else name for name in options.shell)) or ["sandhook"]


def _missing(files: Sequence[CaseFile], shells: list[str]) -> list[str]:
    """Return a line for each named shell that is missing."""
    problems: dict[str, None] = {}
    for name in shells:
        if name in ("sandhook", HOST):
            continue
        if name not in PROGRAM:
            from sandhook.text.nearest import hint

            advice = hint(name, ("sandhook", HOST, *PROGRAM))
            problems[f"sandhook: test: unknown shell {name!r}; {advice}"] = None
            continue
        try:
            program_of(name)
        except OracleMissing as error:
            problems[f"sandhook: test: {error}"] = None
    for file in files:
        for oracle in file.oracles:
            try:
                check(oracle)
            except OracleMissing as error:
                problems[f"{file.path}: {error}"] = None
    return list(problems)


def _select(files: Sequence[CaseFile], pattern: str | None) -> list[Selection]:
    if pattern is None:
        return [Selection(file, file.cases) for file in files]
    import re

    try:
        regex = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"test: --filter {pattern}: {error}") from None
    selections = [Selection(file, [case for case in file.cases if regex.search(case.name)]) for file in files]
    return [selection for selection in selections if selection.cases]


def _plan(
    options: argparse.Namespace, selections: list[Selection], shells: list[str]
) -> dict[str, list[Selection]]:
    """Return the cases for each shell."""
    plan = {name: list(selections) for name in shells}
    if HOST in plan:
        host_selections = [
            Selection(selection.file, [case for case in selection.cases if not case.sandbox_only])
            for selection in selections
        ]
        plan[HOST] = [selection for selection in host_selections if selection.cases]
    if options.oracle:
        from sandhook.conformance.oracle import installed_shells

        present = installed_shells()
        for selection in selections:
            names = [oracle.name for oracle in selection.file.oracles]
            if not names and not selection.file.compared_shells:
                print_note(
                    f"note: {selection.file.path} names no shells: nothing is compared; add `## oracle: bash`, or"
                    " --shell bash"
                )
            if not names:
                shell_names = [label.partition("-")[0] for label in selection.file.compared_shells]
                names = [name for name in dict.fromkeys(shell_names) if name in present]
                missing = [name for name in dict.fromkeys(shell_names) if name not in present]
                if missing:
                    print_note(
                        f"note: {selection.file.path}: compared shells that are not installed: {' '.join(missing)}"
                    )
            for name in names:
                shell_selections = plan.setdefault(name, [])
                if selection not in shell_selections:
                    shell_selections.append(selection)
    return plan


def _run(
    options: argparse.Namespace,
    selections: list[Selection],
    expectations: Expectations,
    shells: list[str],
    jobs: int,
) -> list[Report]:
    """Run all cases; return the reports by file, and for each file in the order of shells."""
    from sandhook.cli.progress import progress

    events = [selection for selection in selections if expectations.has(selection)]
    plan = _plan(options, [each for each in selections if not expectations.has(each)], shells)
    plan = {name: [*each, *(events if name in ("sandhook", HOST) else ())] for name, each in plan.items()}
    if events and not {"sandhook", HOST}.intersection(plan):
        print_note("note: expectations about hooks run on sandhook and host alone: they did not run")
    reports: list[Report] = []
    with progress(
        sum(len(selection.cases) for shell_selections in plan.values() for selection in shell_selections)
    ) as step:
        for name, shell_selections in plan.items():
            scripts = [each for each in shell_selections if not expectations.has(each)]
            shell_reports = _run_on(name, scripts, options, jobs, step) if scripts else []
            good = all(report.good for report in shell_reports)
            if good or not options.fail_fast:
                mine = [each for each in shell_selections if expectations.has(each)]
                shell_reports += expectations.run(mine, name, step, fail_fast=options.fail_fast)
            reports += shell_reports
            if options.fail_fast and not all(report.good for report in shell_reports):
                break
    order = {id(selection.file): place for place, selection in enumerate(selections)}
    return sorted(reports, key=lambda report: order[id(report.file)])


def _run_on(
    name: str, selections: list[Selection], options: argparse.Namespace, jobs: int, step: Callable[[], None]
) -> list[Report]:
    if name == "sandhook":
        with Sandhook(root=options.root or ".", jobs=jobs, timeout=options.timeout) as sandbox:
            return run_suite(selections, sandbox, step=step, fail_fast=options.fail_fast)
    if name == HOST:
        from sandhook.conformance.hosted import HostedShell

        with HostedShell(root=options.root, jobs=jobs, timeout=options.timeout) as runner:
            return run_suite(selections, runner, step=step, fail_fast=options.fail_fast)
    restore_signals()
    with RealShell(name, root=options.root, jobs=jobs, timeout=options.timeout) as shell:
        return run_suite(selections, shell, step=step, fail_fast=options.fail_fast)


def _layout(options: argparse.Namespace, reports: list[Report]) -> str:
    if options.layout == "junit":
        from sandhook.conformance.junit import to_junit

        return to_junit(reports)
    if options.layout == "json":
        from sandhook.cli.output import json_text, record
        from sandhook.conformance.report import to_json

        return json_text(record("test", **to_json(reports))) + "\n"
    from sandhook.conformance.report import to_text

    return to_text(reports, verbose=options.verbose)


def _draw(reports: Sequence[Report], *, verbose: bool) -> None:
    """Draw the table, the differences and the totals on the terminal."""
    from sandhook.cli.terminal import Matrix, indented, line, show
    from sandhook.conformance.report import differences, rows, shells_of, totals, wrong_counts

    table: list[tuple[int, list[Cell]]] = [
        (2 * row.is_case, [(row.label, "faint" if row.is_case else ""), *map(_cell, row.cells)])
        for row in rows(reports, verbose=verbose)
    ]
    show(Matrix(shells_of(reports), table))
    for head, *body in differences(reports, verbose=verbose):
        show(line(), line((head, "heading")), *(indented(line((text[4:], _side(text))), 4) for text in body))
    verdict: Meaning = "good" if all(report.good for report in reports) else "bad"
    show(line(), *(line((text, "bad")) for text in wrong_counts(reports)), line((totals(reports), verdict)))


def _cell(cell: tuple[str, bool]) -> Cell:
    text, good = cell
    return text, "faint" if text == "-" else "good" if good else "bad"


def _side(text: str) -> Meaning:
    """Return the meaning of one line of a unified difference, which is indented by four columns."""
    if text[4:].startswith(("--- ", "+++ ", "@@ ")):
        return "faint"
    meanings: dict[str, Meaning] = {"+": "good", "-": "bad"}
    return meanings.get(text[4:5], "")


def _record(
    options: argparse.Namespace,
    paths: list[Path],
    files: list[CaseFile],
    selections: list[Selection],
    jobs: int,
) -> int:
    """Run the cases twice on a real shell and write the results; report cases whose two results differ."""
    from sandhook.cli.progress import progress
    from sandhook.conformance.record import record
    from sandhook.conformance.suite import read_lines

    scripts = [case.script for selection in selections for case in selection.cases]
    with (
        RealShell(options.record, root=options.root, jobs=jobs, timeout=options.timeout) as shell,
        progress(2 * len(scripts)) as step,
    ):
        outcomes = []
        for observation in shell.map([*scripts, *scripts]):
            outcomes.append(observation)
            step()
    first, second = iter(outcomes[: len(scripts)]), iter(outcomes[len(scripts) :])
    by_file = {id(selection.file): selection.cases for selection in selections}
    changes = not_recorded = 0
    for path, file in zip(paths, files):
        cases = [(case, next(first), next(second)) for case in by_file.get(id(file), [])]
        text, end = read_lines(path)
        recording = record(
            text, file, options.record, cases, version=shell.version, stderr=options.record_stderr
        )
        if recording.text != text:
            path.write_bytes(recording.text.replace("\n", end).encode("utf-8", "surrogateescape"))
        for line in recording.changes:
            sys.stdout.write(f"{line}\n")
        for line in recording.problems:
            print_note(line)
        changes += len(recording.changes)
        not_recorded += len(recording.problems)
    sys.stdout.write(
        f"{len(scripts)} cases run twice on {options.record}: {changes} changed, {not_recorded} not recorded\n"
    )
    return FAILED if not_recorded else 0


def _write(options: argparse.Namespace, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    if options.out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    try:
        with open(options.out, "wb") as file:  # noqa: PTH123
            file.write(data)
    except OSError as error:
        raise UsageError(f"test: --out {options.out}: {error.strerror}") from None

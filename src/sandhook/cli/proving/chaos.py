"""``sandhook chaos``: run the refusing cases of guards again while something around them is broken."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, INCOMPLETE, USAGE_ERROR, UsageError
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.installing.sources import installed_sources
from sandhook.cli.notes import print_note
from sandhook.cli.output import columns, counted, is_terminal, plain, put, put_record
from sandhook.cli.outputs.annotations import FORMATS, put_annotations
from sandhook.errors import ConfigError, SandhookError
from sandhook.hooks.decode import DecodeError
from sandhook.proving import sandboxed
from sandhook.proving.chaos import CASES, Cell, ChaosReport, GuardReport, Guards, guards_of, under_faults
from sandhook.proving.faults import BY_NAME, FAULTS, FaultName
from sandhook.proving.guards import find_guards
from sandhook.text.nearest import nearest

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.terminal import Meaning
    from sandhook.conformance.expectations.model import ExpectationFile

#: What to do about a guard that runs through sandhook and could not run.
_OF_WRAPPED = "`sandhook hook --fail-closed` refuses then; `sandhook wrap --program PATH` needs no PATH to find sandhook"

#: A path in a reason: guards differ in the names of their scripts.
_PATH = re.compile(r"(?<!\S)[^\s/\\]*[/\\][^\s:]+")

LET_PASS, UNUSABLE, NOT_TRIED = FINDINGS, USAGE_ERROR, INCOMPLETE

#: What a person writes to have a guard tried.
_SKELETON = """\
a file such as PLACE has the events that a guard refuses:
  version: 1
  hooks: HOOKS
  event: tool.pre
  tool: shell
  cases:
    - name: rm -rf is refused
      input: { command: rm -rf / }
      expect: deny
or try one event: sandhook chaos NAME --event tool.pre --payload '{"tool_name": ..., "tool_input": ...}'"""


def parser() -> Parser:
    result = Parser(
        "chaos",
        "FILE... [OPTION]...",
        "Run what each guard of a hook file refuses again while something around it is broken: without jq\n"
        "or PATH, with a script that is gone or has CRLF, with a payload that is cut, and so on. What\n"
        "counts is what the agent does then: many agents let an action pass if a hook could not run.\n"
        "Guards are the hooks that refuse a case of *.expect.yaml files, which are looked for next to FILE\n"
        "and below; FILE may be such a file too. Hooks run in the sandbox, over a copy of the project; with\n"
        "--host on this machine, where they can do everything that you can.\n\n"
        "refused: the guard refused. allowed: it ran, and let the action pass. crashed: it could not run,\n"
        "and the agent refuses or lets the action pass. uncovered: its matcher does not select such a tool.\n"
        "-: the fault does not concern it.",
    )
    add = result.add_argument
    add("files", nargs="*", metavar="FILE", help="a hook file, or a file of expectations")
    add("--expect", action="append", default=[], metavar="FILE", help="further expectations (again for more)")
    add("--fault", action="append", default=[], metavar="NAME,...", help="only these faults (again for more)")
    add("--list-faults", action="store_true", help="print the faults, and run nothing")
    add(
        "--cases",
        type=int,
        default=CASES,
        metavar="N",
        help=f"refusing cases of each guard (default {CASES}; 0 for all)",
    )
    add("--event", metavar="EVENT", help="try this event instead of expectations; needs --payload")
    add("--payload", metavar="JSON", help="with --event: the payload that should be refused")
    add("--contract", metavar="NAME", help="with --event: the agent (default: recognised from FILE)")
    add("--cwd", metavar="DIR", help="with --event: the project (default: the current directory)")
    add("--fail-closed", action="store_true", help="try as if each hook were wrapped to fail closed")
    add(
        "--host",
        action="store_true",
        help="run the guards on this machine, by its own shell and programs, in copies of the project",
    )
    add("--strict", action="store_true", help="a tool that the matcher does not cover counts as let pass")
    add_format(result, annotations=True)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    try:
        return _chaos(parser().parse_args(arguments))
    except ConfigError as error:
        for problem in error.problems:
            print_note(str(problem))
        return UNUSABLE
    except (UsageError, DecodeError, SandhookError) as error:
        print_note(f"sandhook: {error}")
        return UNUSABLE


def _chaos(options: argparse.Namespace) -> int:
    if options.list_faults:
        return _list(options.layout)
    if not options.files:
        raise UsageError("chaos: needs a FILE")
    if options.cases < 0:
        raise UsageError("chaos: --cases must be 0 or more")
    faults = _faults(options.fault)
    report = _report(options, faults)
    for problem in report.problems:
        print_note(str(problem))
    status = _status(report, strict=options.strict)
    if options.layout in FORMATS:
        from sandhook.cli.outputs.annotations.findings import of_chaos

        put_annotations(options.layout, of_chaos(report, status, strict=options.strict))
        return status
    if options.layout == "json":
        put_record("chaos", **_json(report, status))
        return status
    _print(report, options, faults or [fault.name for fault in FAULTS])
    return status


def _status(report: ChaosReport, *, strict: bool) -> int:
    if report.problems:
        return UNUSABLE
    if report.let_pass or (strict and report.uncovered):
        return LET_PASS
    return 0 if report.complete else NOT_TRIED


def _faults(texts: Sequence[str]) -> list[FaultName] | None:
    names = [name for text in texts for name in text.split(",") if name]
    for name in names:
        if name not in BY_NAME:
            part = next((each for each in BY_NAME if name in each.split("-")), None)
            near = nearest(name, BY_NAME) or part
            hint = f"did you mean {near}?" if near else "--list-faults lists them"
            raise UsageError(f"chaos: unknown fault {name!r}; {hint}")
    return [fault.name for fault in FAULTS if fault.name in names] if names else None


def _report(options: argparse.Namespace, faults: list[FaultName] | None) -> ChaosReport:
    from sandhook.cli.progress import progress

    decide = _on_host() if options.host else sandboxed.decide
    if options.event is not None:
        guards = Guards(find_guards([_one_off(options)], decide))
    elif options.payload is not None:
        raise UsageError("chaos: --payload needs --event")
    else:
        guards = guards_of(options.files, options.expect, sources=installed_sources(), decide=decide)
    with progress(len(guards.found.guards) * len(faults or FAULTS)) as step:
        return under_faults(
            guards,
            faults=faults,
            cases=options.cases or None,
            fail_closed=options.fail_closed,
            decide=decide,
            step=step,
        )


def _on_host() -> sandboxed.Decide:
    from os import environ

    from sandhook.proving.onhost import Machine

    return Machine(environ).decide


def _one_off(options: argparse.Namespace) -> ExpectationFile:
    from sandhook.cli.configuration import directory
    from sandhook.hooks.decode import decode_object
    from sandhook.proving.places import one_event

    if options.payload is None:
        raise UsageError("chaos: --event needs --payload JSON")
    try:
        payload = decode_object(options.payload).value
    except DecodeError as error:
        raise UsageError(f"chaos: --payload: {error}") from None
    return one_event(options.files, options.contract, options.event, payload, directory(options.cwd))


def _list(layout: str) -> int:
    if layout == "json":
        faults = [{"name": each.name, "what": each.what, "advice": each.advice} for each in FAULTS]
        put_record("chaos", faults=faults)
    else:
        for line in columns([(each.name, each.what) for each in FAULTS]):
            put(line)
    return 0


# Text.


def _print(report: ChaosReport, options: argparse.Namespace, faults: Sequence[FaultName]) -> None:
    rows = [(name, [_word(guard.cells[at]) for guard in report.guards]) for at, name in enumerate(faults)]
    numbers = [str(number) for number, _ in enumerate(report.guards, 1)]
    legend = list(map(_legend, numbers, report.guards))
    notes = [*_details(report, strict=options.strict), *_untried(report, options.files)]
    summary = _summary(report, len(faults))
    if not is_terminal(sys.stdout):
        grid = [("", *numbers), *((name, *words) for name, words in rows)] if report.guards else []
        for row in [*columns(legend), *columns(grid)]:
            put(row)
        for text, _ in notes:
            put(plain(text) if not text.startswith(" ") else text)
        put(plain(summary))
        return
    from sandhook.cli.terminal import Matrix, Rows, indented, line, show

    cells = {_word(cell): _meaning(cell) for guard in report.guards for cell in guard.cells}
    if report.guards:
        show(
            Rows([[(number, "heading"), *((text, "") for text in rest)] for number, *rest in legend]), line()
        )
        show(
            Matrix(
                numbers,
                [(0, [(name, ""), *((word, cells[word]) for word in words)]) for name, words in rows],
                joins=True,
            )
        )
        show(line())
    for text, meaning in notes:
        depth = len(text) - len(text.lstrip())
        show(indented(line((text.strip(), meaning)), depth))
    show(line((summary, "bad" if report.let_pass else "good" if report.complete else "warning")))


def _legend(number: str, guard: GuardReport) -> tuple[str, str, str, str, str]:
    first, _, rest = guard.command.strip().partition("\n")
    count = f"{len(guard.tried)} of {guard.refusing} cases"
    where = f"{guard.file}:{guard.line}" if guard.line else guard.file
    return number, guard.agent, f"{where} {guard.id}", count, first + (" ..." if rest else "")


def _word(cell: Cell) -> str:
    if cell.result == "skipped":
        return "-"
    if cell.result == "crashed":
        return "crashed: refused" if cell.held else "crashed: allowed"
    return cell.result


def _meaning(cell: Cell) -> Meaning:
    if cell.result == "skipped":
        return "faint"
    if cell.held:
        return "good"
    return "warning" if cell.result == "uncovered" else "bad"


def _details(report: ChaosReport, *, strict: bool) -> Iterator[tuple[str, Meaning]]:
    """Yield a line for each action that passed, with the advice; those with one reason together."""
    passed: dict[tuple[FaultName, str], list[tuple[int, Cell]]] = {}
    for cells in zip(*(guard.cells for guard in report.guards)):
        for number, cell in enumerate(cells, 1):
            if not (cell.held or (cell.result == "uncovered" and not strict)):
                passed.setdefault((cell.fault, _PATH.sub("", cell.reason)), []).append((number, cell))
    for (fault, _), found in passed.items():
        number, cell = found[0]
        who, case = f"guard {number}", f"case: {cell.case}"
        if len(found) > 1:
            who, case = f"guards {', '.join(str(each) for each, _ in found)}", f"guard {number}, {case}"
        yield f"{fault}, {who}: {cell.reason} ({case})", "bad"
        is_wrapped = report.guards[number - 1].through_sandhook and cell.result == "crashed"
        yield f"    {_OF_WRAPPED if is_wrapped else BY_NAME[fault].advice}", "faint"


def _untried(report: ChaosReport, files: Sequence[str]) -> Iterator[tuple[str, Meaning]]:
    for each in report.untried:
        where = f"{each.file}:{each.line}" if each.line else each.file
        meaning: Meaning = "bad" if each.let_pass else "warning"
        yield f"{'let pass' if each.let_pass else 'not tried'}: {where}: {each.name}: {each.why}", meaning
    if not report.problems and (not report.guards or any(not each.let_pass for each in report.untried)):
        directory, name = os.path.split(files[0])
        place = os.path.join(directory, "guard.expect.yaml")  # noqa: PTH118 - pathlib costs 10 ms
        text = _SKELETON.replace("PLACE", place).replace("HOOKS", name).replace("NAME", files[0])
        for line in text.splitlines():
            yield line, ""


def _summary(report: ChaosReport, faults: int) -> str:
    cells = [cell for guard in report.guards for cell in guard.cells]
    passed = sum(not cell.held and cell.result != "uncovered" for cell in cells)
    uncovered = sum(cell.result == "uncovered" for cell in cells)
    baseline = sum(each.let_pass for each in report.untried)
    parts = [
        f"{counted(len(report.guards), 'guard')}, {counted(faults, 'fault')}: "
        + (f"{passed} let an action pass" if passed else "no action passed")
    ]
    if uncovered:
        parts.append(f"{uncovered} not covered by the matcher")
    if baseline:
        parts.append(f"{counted(baseline, 'case')} not refused without a fault")
    if missing := len(report.untried) - baseline:
        parts.append(f"{counted(missing, 'hook')} not tried")
    if not report.guards:
        parts[0] = "no guard was tried"
    return ", ".join(parts)


# JSON.


def _json(report: ChaosReport, status: int) -> dict[str, object]:
    return {
        "status": status,
        "held": report.held,
        "guards": [_guard(guard) for guard in report.guards],
        "untried": [
            {
                "name": each.name,
                "file": each.file,
                "line": each.line,
                "why": each.why,
                "let_pass": each.let_pass,
            }
            for each in report.untried
        ],
        "problems": [str(problem) for problem in report.problems],
    }


def _guard(guard: GuardReport) -> dict[str, object]:
    return {
        "hook_id": guard.id,
        "contract": guard.agent,
        "event": guard.event,
        "command": guard.command,
        "file": guard.file,
        "line": guard.line,
        "through_sandhook": guard.through_sandhook,
        "refusing_cases": guard.refusing,
        "tried_cases": list(guard.tried),
        "cells": [
            {
                "fault": cell.fault,
                "result": cell.result,
                "held": cell.held,
                "reason": cell.reason,
                "case": cell.case,
            }
            for cell in guard.cells
        ],
    }

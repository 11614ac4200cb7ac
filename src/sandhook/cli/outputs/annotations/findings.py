"""What ``check``, ``vet`` and ``chaos`` found, as annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sandhook.cli.outputs.annotations import shown_file
from sandhook.cli.outputs.annotations.model import Annotated, Annotation, Kind, Level

if TYPE_CHECKING:
    from sandhook.errors import Problem
    from sandhook.hooks.checks import Finding
    from sandhook.proving.chaos import Cell, ChaosReport, GuardReport
    from sandhook.vetting import Finding as Vetted
    from sandhook.vetting import Severity


def of_check(findings: Sequence[Finding], status: int) -> Annotated:
    """Return the findings of ``sandhook check``."""
    from sandhook.hooks.checks import RULES

    kinds = tuple(Kind(name, rule.severity, rule.what, rule.advice) for name, rule in RULES.items())
    annotations = tuple(
        Annotation(
            each.rule,
            each.severity,
            each.message,
            shown_file(each.file),
            each.line,
            path=each.path,
            hook=each.hook,
        )
        for each in findings
    )
    return Annotated("check", kinds, annotations, status)


_LEVELS: Mapping[Severity, Level] = {"high": "error", "medium": "warning", "low": "note", "info": "note"}

_PROBLEM = Kind(
    "problem", "error", "A file of the bundle cannot be read, or has a fault.", "Repair or remove the file."
)


def of_vet(
    found: Sequence[tuple[str, Vetted]], problems: Sequence[tuple[str, Problem]], status: int
) -> Annotated:
    """Return the findings of ``sandhook vet`` without those of the severity info; each with its file."""
    from sandhook.vetting import RULES

    kinds = [Kind(name, _LEVELS[rule.severity], rule.what, rule.why) for name, rule in RULES.items()]
    annotations = [
        Annotation(_PROBLEM.id, "error", each.message, shown_file(file), each.line, path=each.path)
        for file, each in problems
    ]
    for file, each in found:
        if each.severity != "info":
            message = f"{each.what} [{each.detail}]" + (" (seen in a run)" if each.observed else "")
            level = _LEVELS[each.severity]
            annotations.append(
                Annotation(each.rule, level, message, shown_file(file), each.line, each.column)
            )
    return Annotated("vet", (*kinds, _PROBLEM), tuple(annotations), status)


_LET_PASS = Kind(
    "let-pass",
    "error",
    "No hook refuses a case that should be refused, without any fault.",
    "Repair the hook, or the case.",
)
_NOT_TRIED = Kind(
    "not-tried",
    "warning",
    "A hook could not be tried: no case that it refuses is known.",
    "Write a case that the hook refuses to an *.expect.yaml file.",
)


def of_chaos(report: ChaosReport, status: int, *, strict: bool) -> Annotated:
    """Return what ``sandhook chaos`` found: each fault under which a guard let an action pass."""
    from sandhook.proving.faults import FAULTS

    kinds = [Kind(fault.name, "error", f"The fault: {fault.what}.", fault.advice) for fault in FAULTS]
    annotations = [
        Annotation(_PROBLEM.id, "error", each.message, shown_file(each.file), each.line, path=each.path)
        for each in report.problems
    ]
    for each in report.untried:
        kind = _LET_PASS if each.let_pass else _NOT_TRIED
        message = f"{each.name}: {each.why}"
        annotations.append(Annotation(kind.id, kind.level, message, shown_file(each.file), each.line))
    for guard in report.guards:
        annotations += _of_guard(guard, strict=strict)
    return Annotated("chaos", (*kinds, _LET_PASS, _NOT_TRIED, _PROBLEM), tuple(annotations), status)


def _of_guard(guard: GuardReport, *, strict: bool) -> Iterator[Annotation]:
    for cell in guard.cells:
        if not cell.held:
            yield Annotation(
                cell.fault,
                "note" if cell.result == "uncovered" and not strict else "error",
                f"{_what(cell)} under {cell.fault}: {cell.reason} (case: {cell.case})",
                shown_file(guard.file),
                guard.line,
                hook=guard.id,
            )


def _what(cell: Cell) -> str:
    return "the matcher does not cover the tool" if cell.result == "uncovered" else "the action passes"

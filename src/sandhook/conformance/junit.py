"""Reports as JUnit's XML for build servers: a test suite for each file and shell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.conformance.report import difference, visible, wrong_count
from sandhook.conformance.runner import Outcome, Report

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"})


def escape(text: str) -> str:
    """Return a text for an attribute or an element; characters that XML forbids are made visible."""
    return "\n".join(map(visible, text.split("\n"))).translate(_ENTITIES)


def to_junit(reports: Sequence[Report]) -> str:
    """Return the whole document."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    tests = failures = 0
    suites: list[str] = []
    for report in reports:
        cases = list(_cases(report))
        failure_count = sum("<failure" in text for text in cases)
        tests += len(cases)
        failures += failure_count
        suites.append(
            f'  <testsuite name="{escape(report.file.path)}" hostname="{escape(report.shell)}" '
            f'tests="{len(cases)}" failures="{failure_count}" errors="0" '
            f'skipped="{sum("<skipped" in text for text in cases)}" time="{report.seconds:.3f}">'
        )
        suites += [*cases, "  </testsuite>"]
    lines.append(f'<testsuites name="sandhook test" tests="{tests}" failures="{failures}" errors="0">')
    return "\n".join([*lines, *suites, "</testsuites>", ""])


def _cases(report: Report) -> Iterator[str]:
    for outcome in report.outcomes:
        yield _case(report, outcome)
    if not report.good and len(report.failures) < report.expected_failures:
        yield _element(report, "expected_failures", 0.0, _failure(wrong_count(report), ""))


def _case(report: Report, outcome: Outcome) -> str:
    content = ""
    if outcome.result == "fail" and report.good:
        content = '      <skipped message="an expected failure"/>\n'
    elif outcome.result == "fail":
        head = ", ".join(
            outcome.observation.trouble if name == "trouble" else name for name in outcome.differences
        )
        content = _failure(f"not as expected: {head}", "\n".join(difference(report, outcome)))
    elif outcome.result == "skip":
        content = f'      <skipped message="{escape(outcome.observation.skip or "")}"/>\n'
    elif outcome.result == "differs":
        why = outcome.case.optional or f"the file does not name {report.shell}"
        content = f'      <skipped message="differs: {escape(why)}"/>\n'
    name = f"{outcome.case.line}: {outcome.case.name}"
    return _element(report, name, outcome.observation.seconds, content)


def _failure(message: str, text: str) -> str:
    return f'      <failure message="{escape(message)}">{escape(text)}</failure>\n'


def _element(report: Report, name: str, seconds: float, content: str) -> str:
    head = (
        f'    <testcase classname="{escape(report.file.path)} [{escape(report.shell)}]" '
        f'name="{escape(name)}" time="{seconds:.3f}"'
    )
    return f"{head}>\n{content}    </testcase>" if content else f"{head}/>"

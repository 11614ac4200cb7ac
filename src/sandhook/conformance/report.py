"""Writes reports as plain text (a table of files and shells, a difference for each failure, totals) and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Literal

from sandhook.conformance.runner import RESULTS, Outcome, Report, Result
from sandhook.record import Record
from sandhook.version import __version__

#: Lines of one difference that are printed; further lines are only counted.
LONGEST = 60


def visible(text: str) -> str:
    """Return a text in which every character is visible: ESC is \\x1b, a blank before a line's end \\x20.

    A backslash is doubled if the text contains such characters.

    >>> visible("a\\x1b b "), visible("a\\\\b")
    ('a\\\\x1b b\\\\x20', 'a\\\\b')
    """
    if text.isprintable() and text[-1:] != " ":
        return text
    content = text.rstrip(" ")
    return "".join(map(_escape, content)) + "\\x20" * (len(text) - len(content))


def _escape(character: str) -> str:
    code = ord(character)
    if character == "\\":
        return "\\\\"
    if character.isprintable():
        return character
    if character == "\t":
        return "\\t"
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


# --------------------------------------------------------------------------- text


def to_text(reports: Sequence[Report], *, verbose: bool = False) -> str:
    """Return the table, the differences and the totals as plain text."""
    table = [["", *shells_of(reports)]]
    for row in rows(reports, verbose=verbose):
        table.append(["  " * row.is_case + row.label, *(text for text, _ in row.cells)])
    widths = [max(map(len, column)) for column in zip(*table)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in table]
    for difference_lines in differences(reports, verbose=verbose):
        lines += ["", *difference_lines]
    lines += ["", *wrong_counts(reports), totals(reports)]
    return "\n".join(lines) + "\n"


class Row(Record):
    """One line of the table.

    Attributes:
        is_case: True for a case of the file above it.
        label: The path of a file; the line and name of a case.
        cells: For each shell, in the order of ``shells_of``, a text and whether it is as expected.
    """

    is_case: bool
    label: str
    cells: tuple[tuple[str, bool], ...]


def shells_of(reports: Sequence[Report]) -> list[str]:
    """Return the names of the shells in the order in which they ran."""
    return list(dict.fromkeys(report.shell for report in reports))


def rows(reports: Sequence[Report], *, verbose: bool = False) -> Iterator[Row]:
    """Yield a row for each file; with ``verbose`` also a row for each case."""
    shells = shells_of(reports)
    for by_shell in by_file(reports):
        first = next(iter(by_shell.values()))
        yield Row(
            False,
            first.file.path,
            tuple((cell(report), report is None or report.good) for report in map(by_shell.get, shells)),
        )
        if verbose:
            yield from _case_rows(by_shell, shells)


def _case_rows(by_shell: Mapping[str, Report], shells: Sequence[str]) -> Iterator[Row]:
    results = {
        shell: {outcome.case.line: outcome.result for outcome in report.outcomes}
        for shell, report in by_shell.items()
    }
    longest = max(by_shell.values(), key=lambda report: len(report.outcomes))
    for outcome in longest.outcomes:
        case = outcome.case
        texts: list[Result | Literal["-"]] = [results.get(shell, {}).get(case.line, "-") for shell in shells]
        yield Row(True, f"{case.line}: {visible(case.name)}", tuple((text, text != "fail") for text in texts))


def differences(reports: Sequence[Report], *, verbose: bool = False) -> Iterator[list[str]]:
    """Yield the lines of each difference that is not expected; with ``verbose`` of every one."""
    for report in reports:
        for outcome in report.outcomes:
            if outcome.differences and (verbose or (outcome.result == "fail" and not report.good)):
                yield list(difference(report, outcome))


def wrong_counts(reports: Sequence[Report]) -> list[str]:
    """Return a line for each file whose ``expected_failures`` is wrong."""
    return [text for report in reports if not report.good and (text := wrong_count(report))]


def by_file(reports: Sequence[Report]) -> list[dict[str, Report]]:
    """Return the reports of each file by shell, in the order of ``reports``."""
    groups: dict[int, dict[str, Report]] = {}
    for report in reports:
        groups.setdefault(id(report.file), {})[report.shell] = report
    return list(groups.values())


def cell(report: Report | None) -> str:
    """Return the counts of a file on one shell that are not zero; "-" when it did not run there."""
    if report is None:
        return "-"
    text = ", ".join(f"{count} {result}" for result, count in report.counts().items() if count)
    if report.expected_failures and report.good:
        text += (
            " (expected)"
            if len(report.failures) == report.expected_failures
            else f" ({report.expected_failures} expected)"
        )
    return text


def difference(report: Report, outcome: Outcome) -> Iterator[str]:
    """Yield the difference of one case: its place, then status, standard output and standard error."""
    expected, observation = outcome.expected, outcome.observation
    line = expected.line or outcome.case.line
    yield f"{report.file.path}:{outcome.case.line}: {visible(outcome.case.name)} [{report.shell}: {outcome.result}]"
    if outcome.details:
        yield from indented(map(visible, outcome.details))
        return
    if expected.kind:
        yield f"    {expected.kind} of this shell, line {line}"
    if "trouble" in outcome.differences:
        yield f"    {observation.trouble}"
    if "status" in outcome.differences:
        yield f"    status: expected {expected.status}, got {observation.status}"
    for name in ("stdout", "stderr"):
        if name in outcome.differences:
            yield from indented(unified(name, getattr(expected, name), text_of(getattr(observation, name))))
    if report.file.batch is not None:
        yield from _not_compared("where it failed", observation.stderr)
        yield from _not_compared("output", observation.stdout, LONGEST)
    elif "stderr" not in outcome.differences and expected.stderr is None:
        yield from _not_compared("stderr (not compared)", observation.stderr)


def _not_compared(name: str, data: bytes, longest: int = 10) -> Iterator[str]:
    """Yield the lines of an output that has no expectation."""
    if data:
        yield f"    {name}:"
        yield from indented(
            (f"  {visible(text)}" for text in text_of(data).rstrip("\n").split("\n")), longest
        )


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def unified(name: str, expected: str, actual: str) -> Iterator[str]:
    """Yield a unified difference in which every character is visible."""
    yield from unified_diff(
        lines_of(expected), lines_of(actual), f"{name} expected", f"{name} got", lineterm="", n=3
    )


def lines_of(text: str) -> list[str]:
    """Return visible lines; a last line without newline is marked."""
    lines = [visible(line) for line in text.split("\n")]
    if lines[-1]:
        lines[-1] += "\\ no newline"
    else:
        lines.pop()
    return lines


def indented(lines: Iterator[str], longest: int = LONGEST) -> Iterator[str]:
    """Yield the lines of a failure below its first one; a long difference is cut."""
    remaining = longest
    omitted = 0
    for line in lines:
        if remaining:
            yield f"    {line}"
            remaining -= 1
        else:
            omitted += 1
    if omitted:
        yield f"    ... {omitted} more lines"


def wrong_count(report: Report) -> str:
    """Return a line for a file whose ``expected_failures`` is wrong; "" for a file that expects no failure."""
    count = len(report.failures)
    if count < report.expected_failures:
        return (
            f"{report.file.path}: {report.shell}: {count} failed, but expected_failures says "
            f"{report.expected_failures}: lower it to claim the repair"
        )
    if report.expected_failures:
        return f"{report.file.path}: {report.shell}: {count} failed, expected_failures says {report.expected_failures}"
    return ""


def totals(reports: Sequence[Report]) -> str:
    """Return the closing line."""
    files = len(by_file(reports))
    parts = []
    for shell in dict.fromkeys(report.shell for report in reports):
        counts = dict.fromkeys(RESULTS, 0)
        expected = 0
        for report in reports:
            if report.shell == shell:
                for result, count in report.counts().items():
                    counts[result] += count
                expected += min(report.expected_failures, len(report.failures))
        text = ", ".join(f"{count} {result}" for result, count in counts.items() if count) or "no case"
        parts.append(f"{shell} {text}" + (f" ({expected} expected)" if expected else ""))
    wrong = sum(not report.good for report in reports)
    verdict = "all as expected" if not wrong else f"{wrong} not as expected"
    return f"{files} file{'s' * (files != 1)}: {'; '.join(parts)}: {verdict}"


# --------------------------------------------------------------------------- JSON


def to_json(reports: Sequence[Report]) -> dict[str, object]:
    """Return one JSON object; docs/howto/test-shell-snippets.md describes it."""
    return {
        "version": 1,
        "sandhook": __version__,
        "ok": all(report.good for report in reports),
        "reports": [
            {
                "file": report.file.path,
                "shell": report.shell,
                "ok": report.good,
                "expected_failures": report.expected_failures,
                "seconds": round(report.seconds, 6),
                "counts": report.counts(),
                "cases": [case_json(outcome) for outcome in report.outcomes],
            }
            for report in reports
        ],
    }


def case_json(outcome: Outcome) -> dict[str, object]:
    """Return one case; the expected and the actual output are included when they differ."""
    record: dict[str, object] = {
        "name": outcome.case.name,
        "line": outcome.case.line,
        "result": outcome.result,
        "seconds": round(outcome.observation.seconds, 6),
    }
    if outcome.result == "skip":
        record["reason"] = outcome.observation.skip or ""
    if outcome.differences:
        expected, observation = outcome.expected, outcome.observation
        record["differences"] = list(outcome.differences)
        record["trouble"] = observation.trouble
        if outcome.details:
            record["details"] = list(outcome.details)
            return record
        record["expected"] = {
            "status": expected.status,
            "stdout": expected.stdout,
            "stderr": expected.stderr,
        }
        record["got"] = {
            "status": observation.status,
            "stdout": text_of(observation.stdout),
            "stderr": text_of(observation.stderr),
        }
    return record

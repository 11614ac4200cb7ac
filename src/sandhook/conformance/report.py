"""Reports as text: a table of files and shells, a difference for each failure, totals; and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import Any

from sandhook.conformance.runner import RESULTS, Outcome, Report
from sandhook.version import __version__

#: Lines of one difference that are shown; more are counted.
LONGEST = 60


def visible(text: str) -> str:
    """Return text in which every character can be seen: ESC is \\x1b, a blank before a line's end \\x20.

    A backslash is doubled where it could be taken for one of these.

    >>> visible("a\\x1b b "), visible("a\\\\b")
    ('a\\\\x1b b\\\\x20', 'a\\\\b')
    """
    if text.isprintable() and text[-1:] != " ":
        return text
    stripped = text.rstrip(" ")
    return "".join(map(_shown, stripped)) + "\\x20" * (len(text) - len(stripped))


def _shown(character: str) -> str:
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
    """Return everything for a reader: table, differences, totals."""
    lines = list(table(reports, verbose=verbose))
    for report in reports:
        for outcome in report.outcomes:
            shown = verbose or (outcome.result == "fail" and not report.good)
            if outcome.differences and shown:
                lines += ["", *difference(report, outcome)]
    wrong = [counted_wrong(report) for report in reports if not report.good]
    lines += [""] + [line for line in wrong if line] + [totals(reports)]
    return "\n".join(lines) + "\n"


def table(reports: Sequence[Report], *, verbose: bool = False) -> Iterator[str]:
    """Yield a row for each file (and with ``verbose`` for each case), a column for each shell."""
    shells = list(dict.fromkeys(report.shell for report in reports))
    rows = [["", *shells]]
    for mine in by_file(reports):
        first = next(iter(mine.values()))
        rows.append([first.file.path, *(cell(mine.get(shell)) for shell in shells)])
        if verbose:
            results = {
                shell: {outcome.case.line: outcome.result for outcome in report.outcomes}
                for shell, report in mine.items()
            }
            longest = max(mine.values(), key=lambda report: len(report.outcomes))
            for outcome in longest.outcomes:
                case = outcome.case
                rows.append(
                    [
                        f"  {case.line}: {visible(case.name)}",
                        *(results.get(shell, {}).get(case.line, "-") for shell in shells),
                    ]
                )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip()


def by_file(reports: Sequence[Report]) -> list[dict[str, Report]]:
    """Return for each file its reports by shell, in the order of reports."""
    found: dict[int, dict[str, Report]] = {}
    for report in reports:
        found.setdefault(id(report.file), {})[report.shell] = report
    return list(found.values())


def cell(report: Report | None) -> str:
    """Say what a shell made of a file: every count that is not zero."""
    if report is None:
        return "-"
    text = ", ".join(f"{count} {result}" for result, count in report.counts().items() if count)
    if report.wanted and report.good:
        text += " (expected)" if len(report.failures) == report.wanted else f" ({report.wanted} expected)"
    return text


def difference(report: Report, outcome: Outcome) -> Iterator[str]:
    """Yield what differs in a case: where it is, then status, standard output and standard error."""
    expected, observed = outcome.expected, outcome.observed
    line = expected.line or outcome.case.line
    yield f"{report.file.path}:{outcome.case.line}: {visible(outcome.case.name)} [{report.shell}: {outcome.result}]"
    if expected.kind:
        yield f"    {expected.kind} of this shell, line {line}"
    if "trouble" in outcome.differences:
        yield f"    {observed.trouble}"
    if "status" in outcome.differences:
        yield f"    status: expected {expected.status}, got {observed.status}"
    for name in ("stdout", "stderr"):
        if name in outcome.differences:
            yield from indented(unified(name, getattr(expected, name), text_of(getattr(observed, name))))
    if "stderr" not in outcome.differences and observed.stderr and expected.stderr is None:
        yield "    stderr (not compared):"
        yield from indented(
            (f"  {visible(each)}" for each in text_of(observed.stderr).rstrip("\n").split("\n")), 10
        )


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def unified(name: str, expected: str, got: str) -> Iterator[str]:
    """Yield a unified difference in which every character can be seen."""
    yield from unified_diff(
        lines_of(expected), lines_of(got), f"{name} expected", f"{name} got", lineterm="", n=3
    )


def lines_of(text: str) -> list[str]:
    """Return visible lines; a last one without newline says so."""
    lines = [visible(line) for line in text.split("\n")]
    if lines[-1]:
        lines[-1] += "\\ no newline"
    else:
        lines.pop()
    return lines


def indented(lines: Iterator[str], longest: int = LONGEST) -> Iterator[str]:
    """Yield lines below a failure's first one; a long difference is cut."""
    left = longest
    more = 0
    for line in lines:
        if left:
            yield f"    {line}"
            left -= 1
        else:
            more += 1
    if more:
        yield f"    ... {more} more lines"


def counted_wrong(report: Report) -> str:
    """Say that a file has other failures than it announces; "" when it announces none."""
    failed = len(report.failures)
    if failed < report.wanted:
        return (
            f"{report.file.path}: {report.shell}: {failed} failed, but expected_failures says "
            f"{report.wanted}: lower it to claim the repair"
        )
    if report.wanted:
        return f"{report.file.path}: {report.shell}: {failed} failed, expected_failures says {report.wanted}"
    return ""


def totals(reports: Sequence[Report]) -> str:
    """Return the closing line."""
    files = len(by_file(reports))
    parts = []
    for shell in dict.fromkeys(report.shell for report in reports):
        counted = dict.fromkeys(RESULTS, 0)
        expected = 0
        for report in reports:
            if report.shell == shell:
                for result, count in report.counts().items():
                    counted[result] += count
                expected += min(report.wanted, len(report.failures))
        text = ", ".join(f"{count} {result}" for result, count in counted.items() if count) or "no case"
        parts.append(f"{shell} {text}" + (f" ({expected} expected)" if expected else ""))
    wrong = sum(not report.good for report in reports)
    verdict = "all as expected" if not wrong else f"{wrong} not as expected"
    return f"{files} file{'s' * (files != 1)}: {'; '.join(parts)}: {verdict}"


# --------------------------------------------------------------------------- JSON


def to_json(reports: Sequence[Report]) -> dict[str, Any]:
    """Return one object for other programs; the documentation describes it."""
    return {
        "version": 1,
        "sandhook": __version__,
        "ok": all(report.good for report in reports),
        "reports": [
            {
                "file": report.file.path,
                "shell": report.shell,
                "ok": report.good,
                "expected_failures": report.wanted,
                "seconds": round(report.seconds, 6),
                "counts": report.counts(),
                "cases": [case_json(outcome) for outcome in report.outcomes],
            }
            for report in reports
        ],
    }


def case_json(outcome: Outcome) -> dict[str, Any]:
    """Return one case; expectations and what came are there when they differ."""
    made: dict[str, Any] = {
        "name": outcome.case.name,
        "line": outcome.case.line,
        "result": outcome.result,
        "seconds": round(outcome.observed.seconds, 6),
    }
    if outcome.differences:
        expected, observed = outcome.expected, outcome.observed
        made["differences"] = list(outcome.differences)
        made["trouble"] = observed.trouble
        made["expected"] = {
            "status": expected.status,
            "stdout": expected.stdout,
            "stderr": expected.stderr,
        }
        made["got"] = {
            "status": observed.status,
            "stdout": text_of(observed.stdout),
            "stderr": text_of(observed.stderr),
        }
    return made

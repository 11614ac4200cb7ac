"""Writes the results of a real shell into a case file, and leaves every other byte unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from sandhook.conformance.model import Case, CaseFile, Expectation, Observation
from sandhook.conformance.reader import read_all
from sandhook.conformance.runner import compare
from sandhook.record import Record

#: The order in which expectations are written.
_PARTS = ("status", "stdout", "stderr")


class Recording(Record):
    """A recorded file.

    Attributes:
        text: The new contents.
        changes: A line for each expectation that was written.
        problems: A line for each case that could not be recorded.
    """

    text: str
    changes: tuple[str, ...]
    problems: tuple[str, ...]


def record(
    text: str,
    file: CaseFile,
    shell: str,
    results: Sequence[tuple[Case, Observation, Observation]],
    *,
    version: tuple[int, ...] = (),
    stderr: bool = False,
) -> Recording:
    """Write the results of a shell into the text of a case file.

    Status and standard output of the rule are written if they differ from the file or are missing there;
    standard error if the case expects it, or with ``stderr``. Expectations that name this shell
    (``OK bash ...``) do not change, nor does a case whose two runs differ or did not end.

    Args:
        text: The current text of ``file``.
        results: Each case with the results of two runs.
    """
    lines = text.split("\n")
    edits: list[tuple[int, int, str, list[str]]] = []
    changes = []
    problems = []
    for case, first, second in results:
        place = f"{file.path}:{case.line}: {case.name}"
        parts = [part for part in _PARTS if part != "stderr" or stderr or _has_expectation(case, "stderr")]
        if problem := _unusable(first, second, parts):
            problems.append(f"{place}: {problem}")
            continue
        own_expectation = case.own_expectation(shell, version)
        if own_parts := [part for part in parts if _has_own_expectation(own_expectation, part)]:
            expected = case.expectation_for(shell, version)
            conflicts = [part for part in compare(expected, first) if part in own_parts]
            if conflicts:
                problems.append(
                    f"{place}: {own_expectation.kind} {shell} says another {' and '.join(conflicts)}; left alone"
                )
        for edit in _edits(file, case, [part for part in parts if part not in own_parts], first):
            edits.append(edit)
            changes.append(f"{place}: {edit[2]}")
    for start, end, _, new in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        lines[start:end] = new
    return Recording("\n".join(lines), tuple(changes), tuple(problems))


def _unusable(first: Observation, second: Observation, parts: list[str]) -> str:
    """Return why two runs of a case cannot be recorded, or ""."""
    for result in (first, second):
        if result.trouble:
            return result.trouble
    for part in parts:
        if getattr(first, part) != getattr(second, part):
            return f"two runs differ in {part}"
    return ""


def _has_expectation(case: Case, part: str) -> bool:
    return getattr(case.expectations.get("", Expectation()), part) is not None


def _has_own_expectation(expectation: Expectation, part: str) -> bool:
    """Return True if the expectation of one shell has a part."""
    return bool(expectation.kind) and getattr(expectation, part) is not None


def _edits(
    file: CaseFile, case: Case, parts: list[str], observation: Observation
) -> Iterator[tuple[int, int, str, list[str]]]:
    """Yield replacements: the first line, the line after the last, a description, and the new lines.

    A new expectation goes after the previous one, or after the script.
    """
    rule = case.expectations.get("", Expectation())
    line = case.end
    insert: dict[int, tuple[list[str], list[str]]] = {}
    for part in _PARTS:
        span = case.spans.get(part)
        if part in parts:
            expected = getattr(rule, part)
            actual = getattr(observation, part)
            if isinstance(actual, bytes):
                actual = actual.decode("utf-8", "surrogateescape")
            default = 0 if part == "status" else "" if case.strict and part == "stdout" else None
            if (default if expected is None else expected) != actual:
                new = (
                    [f"## status: {actual}"]
                    if part == "status"
                    else directive_for(part, actual, own=file.own)
                )
                if span is not None:
                    yield *span, f"{part} changed", new
                else:
                    texts, names = insert.setdefault(line, ([], []))
                    texts += new
                    names.append(part)
        if span is not None:
            line = span[1]
    for place, (texts, names) in insert.items():
        yield place, place, f"{' and '.join(names)} added", texts


def directive_for(stream: str, text: str, *, own: bool = True) -> list[str]:
    """Return the directive for an output: one line, a block, or JSON where neither can hold it.

    >>> written("stdout", "a b\\n"), written("stdout", "no newline")
    (['## stdout: a b'], ['## stdout-json: "no newline"'])
    """
    lines = text.split("\n")
    plain = lines.pop() == "" and bool(lines) and all(_plain(line) for line in lines)
    if plain and len(lines) == 1 and lines[0] == lines[0].strip() and lines[0]:
        return [f"## {stream}: {lines[0]}"]
    block = [f"## {stream.upper()}:", *lines, "## END"]
    if plain and (len(lines) > 1 or lines[0].strip()) and _round_trips(stream, text, block, own):
        return block
    return [f"## {stream}-json: {json.dumps(text)}"]


def _plain(line: str) -> bool:
    """Return True if a line has only printable characters and tabs."""
    return line.replace("\t", "").isprintable()


def _round_trips(stream: str, text: str, block: list[str], own: bool) -> bool:
    head = "## source: x\n## oracle: bash\n" if own else ""
    file, errors = read_all("\n".join([f"{head}#### x", "x", *block, ""]), "x.test" if own else "x.test.sh")
    return not errors and getattr(file.cases[0].expectations[""], stream) == text

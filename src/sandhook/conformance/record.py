"""Writes what a real shell gives into a case file, in place, and leaves every other byte as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from sandhook.conformance.model import Case, CaseFile, Expectation
from sandhook.conformance.reader import read_all
from sandhook.conformance.runner import Observed, compare
from sandhook.record import Record

#: The order in which expectations are written.
_PARTS = ("status", "stdout", "stderr")


class Recorded(Record):
    """What recording made of a file.

    Attributes:
        text: The new contents.
        changes: One line for every expectation that was written.
        refused: One line for every case that could not be recorded.
    """

    text: str
    changes: tuple[str, ...]
    refused: tuple[str, ...]


def record(
    text: str,
    file: CaseFile,
    shell: str,
    observed: Sequence[tuple[Case, Observed, Observed]],
    *,
    version: tuple[int, ...] = (),
    stderr: bool = False,
) -> Recorded:
    """Write what a shell gave for cases of a file.

    The rule's own status and standard output are written where they differ from what is said, or
    are not said; standard error where the case says one, or with ``stderr``. What a case says of
    this shell by name (``OK bash ...``) is left alone. A case that gave two different answers, or
    none, is left alone too.

    Args:
        text: The file as it is, which ``file`` was read from.
        observed: Cases with what two runs of each gave.
    """
    lines = text.split("\n")
    edits: list[tuple[int, int, str, list[str]]] = []
    changes = []
    refused = []
    for case, first, second in observed:
        where = f"{file.path}:{case.line}: {case.name}"
        wanted = [part for part in _PARTS if part != "stderr" or stderr or _says(case, "stderr")]
        if problem := _unusable(first, second, wanted):
            refused.append(f"{where}: {problem}")
            continue
        own = case.own(shell, version)
        if named := [part for part in wanted if _apart(own, part)]:
            expected = case.expected(shell, version)
            wrong = [part for part in compare(expected, first) if part in named]
            if wrong:
                refused.append(f"{where}: {own.kind} {shell} says another {' and '.join(wrong)}; left alone")
        for edit in _edits(file, case, [part for part in wanted if part not in named], first):
            edits.append(edit)
            changes.append(f"{where}: {edit[2]}")
    for start, end, _, new in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        lines[start:end] = new
    return Recorded("\n".join(lines), tuple(changes), tuple(refused))


def _unusable(first: Observed, second: Observed, parts: list[str]) -> str:
    """Return why two runs of a case are no answer to write down, or ""."""
    for each in (first, second):
        if each.trouble:
            return each.trouble
    for part in parts:
        if getattr(first, part) != getattr(second, part):
            return f"two runs differ in {part}"
    return ""


def _says(case: Case, part: str) -> bool:
    return getattr(case.expectations.get("", Expectation()), part) is not None


def _apart(own: Expectation, part: str) -> bool:
    """Tell whether a shell has an expectation of its own for a part."""
    return bool(own.kind) and getattr(own, part) is not None


def _edits(
    file: CaseFile, case: Case, parts: list[str], observed: Observed
) -> Iterator[tuple[int, int, str, list[str]]]:
    """Yield lines to replace: the first, the one behind the last, what it is, and the new ones.

    What is not said yet goes behind what is said before it, or else behind the script.
    """
    rule = case.expectations.get("", Expectation())
    at = case.end
    insert: dict[int, tuple[list[str], list[str]]] = {}
    for part in _PARTS:
        span = case.spans.get(part)
        if part in parts:
            said = getattr(rule, part)
            got = getattr(observed, part)
            if isinstance(got, bytes):
                got = got.decode("utf-8", "surrogateescape")
            assumed = 0 if part == "status" else "" if case.strict and part == "stdout" else None
            if (assumed if said is None else said) != got:
                new = [f"## status: {got}"] if part == "status" else written(part, got, own=file.own)
                if span is not None:
                    yield *span, f"{part} changed", new
                else:
                    texts, names = insert.setdefault(at, ([], []))
                    texts += new
                    names.append(part)
        if span is not None:
            at = span[1]
    for place, (texts, names) in insert.items():
        yield place, place, f"{' and '.join(names)} added", texts


def written(stream: str, text: str, *, own: bool = True) -> list[str]:
    """Return the lines that say an output: one line, a block, or JSON where neither can hold it.

    >>> written("stdout", "a b\\n"), written("stdout", "no newline")
    (['## stdout: a b'], ['## stdout-json: "no newline"'])
    """
    lines = text.split("\n")
    plain = lines.pop() == "" and bool(lines) and all(_plain(line) for line in lines)
    if plain and len(lines) == 1 and lines[0] == lines[0].strip() and lines[0]:
        return [f"## {stream}: {lines[0]}"]
    block = [f"## {stream.upper()}:", *lines, "## END"]
    if plain and (len(lines) > 1 or lines[0].strip()) and _reads_back(stream, text, block, own):
        return block
    return [f"## {stream}-json: {json.dumps(text)}"]


def _plain(line: str) -> bool:
    """Tell whether a line can be seen and edited as it is: printable, tabs aside."""
    return line.replace("\t", "").isprintable()


def _reads_back(stream: str, text: str, block: list[str], own: bool) -> bool:
    head = "## source: x\n## oracle: bash\n" if own else ""
    file, errors = read_all("\n".join([f"{head}#### x", "x", *block, ""]), "x.test" if own else "x.test.sh")
    return not errors and getattr(file.cases[0].expectations[""], stream) == text

"""Reads the case files of bashkit's specification.

    ### a_name                  begins a case; its script follows
    echo a
    ### expect                  standard output follows
    a
    ### end

    ### exit_code: 1            in a case: its exit status, which otherwise is not compared
    ### skip: why               in a case: it does not run
    ### bash_diff: why          in a case: bashkit differs from bash, so a mismatch is no failure
    ### paused_time             in a case: bashkit's clock stands still; sandhook's own clock is virtual always

Any other line of this form with a colon, or within a case, is an error with file and line. The form cannot express
an output without a newline at its end, so that newline is not compared.
"""

from __future__ import annotations

import re
from typing import Literal

from sandhook.conformance.model import Case, CaseError, CaseFile, Expectation, Oracle

_HEADING = re.compile(r"###(?!#)[ \t]*(.*)")
_OPTION = re.compile(r"(exit_code|skip|bash_diff|paused_time)(?:[ \t]*:[ \t]*(.*))?")
_OTHER_OPTION = re.compile(r"[a-z_]+[ \t]*:.*")

#: The part of a case that the next line belongs to.
_Part = Literal["outside", "script", "output"]


def is_bashkit(text: str, path: str) -> bool:
    """Return True for a file in bashkit's form: its first heading has three number signs, and a case has an end."""
    first = re.search(r"^###(#?) ", text, re.M)
    return (
        not path.endswith(".test")
        and first is not None
        and not first[1]
        and re.search(r"^### (?:expect|end)[ \t]*\r?$", text, re.M) is not None
    )


def read_bashkit(text: str, path: str) -> tuple[CaseFile, list[CaseError]]:
    """Read a file and return it with all its errors, in the order of lines."""
    reader = _Reader(text, path)
    for number, line in enumerate(reader.lines, 1):
        reader.read(number, line)
    return reader.finish()


class _Reader:
    """The state of reading one file."""

    def __init__(self, text: str, path: str) -> None:
        self.lines = text.split("\n")
        if not self.lines[-1]:
            self.lines.pop()
        self.file = CaseFile(path, oracles=(Oracle("bash"),), own=False, records=False)
        self.errors: list[CaseError] = []
        self.names: dict[str, int] = {}
        self.part: _Part = "outside"
        self.script: list[str] = []
        self.output: list[str] = []
        self.status: int | None = None
        self.has_output = False

    def fail(self, line: int, message: str) -> None:
        self.errors.append(CaseError(self.file.path, line, message))

    def read(self, number: int, line: str) -> None:
        """Read one line."""
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            self._heading(number, heading[1].strip())
        elif self.part == "script":
            self.script.append(line)
        elif self.part == "output":
            self.output.append(line)
        elif line.strip() and line[0] != "#":
            self.fail(number, "text outside of a case")

    def _heading(self, number: int, words: str) -> None:
        option = _OPTION.fullmatch(words)
        if self.part == "outside":
            if words in ("expect", "end") or option is not None:
                self.fail(number, f"### {words} outside of a case")
            else:
                self._begin(number, words)
        elif words == "end":
            self._end(number)
        elif words == "expect":
            if self.has_output:
                self.fail(number, "a second ### expect")
            self.part = "output"
            self.has_output = True
        elif option is not None:
            self._option(number, option[1], option[2] or "")
        elif _OTHER_OPTION.fullmatch(words):
            self.fail(number, f"unknown directive: ### {words}")
        else:
            self.fail(number, f"### {words}: the case before it has no ### end")
            self._end(number)
            self._begin(number, words)

    def _begin(self, number: int, name: str) -> None:
        if not name:
            self.fail(number, "a case without a name")
        if name in self.names:
            self.fail(number, f"a second case with the name of line {self.names[name]}: {name}")
        self.names.setdefault(name, number)
        self.file.cases.append(Case(name, number, strict=False, newline_matters=False, default_status=None))
        self.part = "script"
        self.script, self.output, self.status, self.has_output = [], [], None, False

    def _option(self, number: int, name: str, value: str) -> None:
        case = self.file.cases[-1]
        if name == "exit_code":
            if not (value.isascii() and value.isdigit() and int(value) <= 255):
                self.fail(number, f"exit_code is not a number from 0 to 255: {value}")
            else:
                self.status = int(value)
        elif name == "skip":
            case.skip = value or "no reason stated"
        elif name == "bash_diff":
            case.optional = value or "bashkit differs from bash here"

    def _end(self, number: int) -> None:
        case = self.file.cases[-1]
        case.script = "".join(f"{line}\n" for line in self.script)
        case.end = case.line + len(self.script)
        if not case.script.strip():
            self.fail(case.line, f"a case without a script: {case.name}")
        if not self.has_output and self.status is None:
            self.fail(case.line, f"a case without ### expect: {case.name}")
        stdout = "".join(f"{line}\n" for line in self.output) if self.has_output else None
        case.expectations[""] = Expectation(self.status, stdout, None, "", case.line)
        self.part = "outside"

    def finish(self) -> tuple[CaseFile, list[CaseError]]:
        """Return the file and all its errors."""
        if self.part != "outside":
            case = self.file.cases[-1]
            self.fail(case.line, f"a case without ### end: {case.name}")
        if not self.file.cases and not self.errors:
            self.fail(max(len(self.lines), 1), "no case")
        return self.file, sorted(self.errors, key=lambda error: error.line)

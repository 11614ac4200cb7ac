"""Reads bats files (``@test "name" { ... }``) and runs the tests of a file in one script.

Each test runs in a shell of its own, as bats runs it; ``setup_file`` and the files that tests write are shared.
So a file is one script, whose output has the result of each test (``bats_library``).

Facts are those of bats-core 1.13: https://bats-core.readthedocs.io.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from shlex import quote

from sandhook.conformance.bats_library import DRIVER, LIBRARY, ONE_TEST, VERSION
from sandhook.conformance.model import Case, CaseError, CaseFile, Observation, Oracle
from sandhook.record import Record

_TEST = re.compile(r"[ \t]*@test[ \t]+(.*[^ \t])[ \t]+\{(.*)")
_TEST_COMMENT = re.compile(r"[ \t]*([^ \t()]+)[ \t]*\(?\)?[ \t]+\{[ \t]+#[ \t]*@test[ \t]*$")
_ALMOST_TEST = re.compile(r"[ \t]*@test\b")
_COMMAND = re.compile(r"[ \t]*#[ \t]*bats[ \t]+(test_tags|file_tags)=(.*)")
_TAGS = re.compile(r" *(?:[-_:\w]+ *(?:, *[-_:\w]+ *)*)?")
_DYNAMIC = re.compile(r"[ \t]*bats_test_function\b")

#: What a line of ``DRIVER`` that is about the whole file means for its tests.
_FILE_FAILURES = {
    "setup_suite": "setup_suite failed",
    "source": "the file could not be read to its end",
    "setup_file": "setup_file failed",
    "teardown_file": "teardown_file failed",
    "teardown_suite": "teardown_suite failed",
}


class Test(Record):
    """One test: the shell function that it becomes, and the text that replaces its first line."""

    function: str
    first_line: str


class BatsFile:
    """The tests of one file as one script; see ``model.Batch``.

    Args:
        place: Path of the file below $REPO_ROOT.
        tests: The tests by the line of their case, from 1.
    """

    def __init__(self, place: str, tests: dict[int, Test]) -> None:
        self._place = place
        self._tests = tests

    def script(self, cases: Sequence[Case]) -> str:
        """Return the script that runs these tests."""
        words = [
            word
            for number, case in enumerate(cases, 1)
            for word in (str(case.line), self._tests[case.line].function, str(number))
        ]
        replacements = [f"[{line - 1}]={quote(test.first_line)}" for line, test in self._tests.items()]
        return "\n".join(
            [
                f'BATS_VERSION={VERSION} BATS_TEST_FILENAME="$REPO_ROOT/"{quote(self._place)}',
                f"bats_tests=({' '.join(map(quote, words))})",
                f"bats_replacements=({' '.join(replacements)})",
                f"bats_library={quote(LIBRARY)}",
                f"bats_one_test={quote(ONE_TEST)}",
                DRIVER,
            ]
        )

    def split(self, cases: Sequence[Case], whole: Observation) -> list[Observation]:
        """Return the result of each test from the result of the script."""
        facts = _Facts(whole)
        seconds = whole.seconds / max(1, len(cases))
        results = [facts.result(case, seconds) for case in cases]
        if facts.late_failure and results and not results[-1].trouble:
            results[-1] = results[-1]._replace(
                status=results[-1].status or 1,
                skip=None,
                stdout=results[-1].stdout + facts.file_output,
                stderr=results[-1].stderr + facts.late_failure,
            )
        return results


class _Facts:
    """The lines that ``DRIVER`` wrote, by test."""

    def __init__(self, whole: Observation) -> None:
        self._whole = whole
        self._output: dict[int, bytes] = {}
        self._places: dict[int, bytes] = {}
        self._skips: dict[int, str] = {}
        self._statuses: dict[int, int] = {}
        self._file_skip: str | None = None
        self._file_failure = ""
        self._current = 0
        for line in whole.stdout.split(b"\n"):
            self._read(line)
        self.file_output = self._output.get(0, b"")
        is_late = self._file_failure in ("teardown_file", "teardown_suite")
        self.late_failure = self._message() if is_late else b""
        self._early_failure = self._message() if self._file_failure and not is_late else b""

    def _message(self) -> bytes:
        return _FILE_FAILURES[self._file_failure].encode() + b"\n" + self._places.get(0, b"")

    def _read(self, line: bytes) -> None:
        word, _, rest = line.partition(b" ")
        match word:
            case b"begin":
                self._current = int(rest)
            case b"|":
                self._output[self._current] = self._output.get(self._current, b"") + rest + b"\n"
            case b"!":
                self._places[self._current] = self._places.get(self._current, b"") + rest + b"\n"
            case b"skip":
                self._skips[self._current] = rest.decode("utf-8", "surrogateescape")
            case b"skip-file":
                self._file_skip = rest.decode("utf-8", "surrogateescape")
            case b"file":
                self._file_failure = rest.decode()
            case b"end":
                self._statuses[self._current] = int(rest.split()[-1])
                self._current = 0

    def result(self, case: Case, seconds: float) -> Observation:
        """Return the result of one test."""
        output, place = self._output.get(case.line, b""), self._places.get(case.line, b"")
        if case.line in self._statuses:
            status = self._statuses[case.line]
            if status == 124 and not place:
                place = b"timeout\n"
            return Observation(status, output, place, "", seconds, self._skips.get(case.line))
        if self._file_skip is not None:
            return Observation(0, b"", b"", "", seconds, self._file_skip)
        if self._early_failure:
            return Observation(1, self.file_output, self._early_failure, "", seconds)
        trouble = self._whole.trouble or f"the file ended with status {self._whole.status} before this test"
        return Observation(self._whole.status, output, self._whole.stderr, trouble, seconds)


def is_bats(path: str) -> bool:
    """Return True for the name of a bats file."""
    return path.endswith(".bats")


def read_bats(text: str, path: str, place: str) -> tuple[CaseFile, list[CaseError]]:
    """Read a bats file and return it with all its errors.

    Args:
        path: Its name, for messages.
        place: Its path below the directory that cases see as $REPO_ROOT.
    """
    tests: dict[int, Test] = {}
    errors: list[CaseError] = []
    file = CaseFile(path, oracles=(Oracle("bash"),), own=False, records=False, batch=BatsFile(place, tests))
    names: dict[str, int] = {}
    tags = {"test_tags": "", "file_tags": ""}
    for number, line in enumerate(text.replace("\r", "").split("\n"), 1):
        if command := _COMMAND.match(line):
            errors += _tag_errors(path, number, command[1], command[2])
            tags[command[1]] = command[2]
        match = _TEST.match(line) or _TEST_COMMENT.search(line)
        if match is None:
            if _ALMOST_TEST.match(line):
                errors.append(CaseError(path, number, '@test without a name and a "{" on its line'))
            elif _DYNAMIC.match(line):
                message = "bats_test_function: tests that the file declares while it runs are not supported"
                errors.append(CaseError(path, number, message))
            continue
        name = re.sub(r"^['\"]|['\"]$", "", match[1])
        if name in names:
            errors.append(
                CaseError(path, number, f"a second test with the name of line {names[name]}: {name}")
            )
        names.setdefault(name, number)
        all_tags = ",".join(sorted(_words(tags["test_tags"]) | _words(tags["file_tags"])))
        tags["test_tags"] = ""
        tests[number] = _test(name, match[2] if match.re is _TEST else "", all_tags)
        file.cases.append(Case(name, number, script=line, strict=False, end=number))
    if not file.cases and not errors:
        errors.append(CaseError(path, 1, "no @test"))
    return file, sorted(errors, key=lambda error: error.line)


def _words(tags: str) -> set[str]:
    return {word.strip() for word in tags.split(",")} - {""}


def _tag_errors(path: str, line: int, name: str, value: str) -> Iterator[CaseError]:
    if _TAGS.fullmatch(value) is None:
        yield CaseError(path, line, f"{name}: not names with commas between them: {value}")
    elif "bats:focus" in _words(value):
        yield CaseError(path, line, "bats:focus is not supported; --filter REGEX runs some of the tests")


def _test(name: str, body: str, tags: str) -> Test:
    function = function_name(name)
    lead = ":; " if "}" in body else ""
    head = f"bats_test_function --description {quote(name)} --tags {quote(tags)} -- {function};"
    return Test(function, f"{head}{function}() {{ {lead}{body}")


def function_name(name: str) -> str:
    """Return the name of a test's function, which is also BATS_TEST_NAME.

    >>> function_name("a b-c")
    'test_a_b-2dc'
    """
    return "test_" + "".join(
        "_" if letter == " " else letter if letter.isalnum() else f"-{ord(letter):02x}" for letter in name
    )

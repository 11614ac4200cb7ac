"""Reads case files: shell scripts with what they print, in a form that can be pasted into a shell.

    ## source: POSIX.1-2024 XCU 2.6.5          before the first case: of the whole file
    ## oracle: bash>=5.2 dash mksh             shells that must pass it
    ## expected_failures: 0                    cases that sandhook fails, counted exactly

    #### a rule, said in words                 begins a case; its script follows
    echo "$x"
    ## status: 1                               0 if not said
    ## stdout: one line                        or STDOUT: ... ## END, or stdout-json: "text"; "" if not said
    ## stderr: one line                        likewise; not compared if not said
    ## OK dash mksh status: 2                  a legitimate difference of these shells; BUG, N-I likewise
    ## divergence: L-INJ-002                   sandhook differs on purpose: needs an OK sandhook

Anything else that begins with "## " and a word with a colon is an error with file and line.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from sandhook.record import Record

#: The shells that a case file may speak of; sandhook is this project's.
SHELLS = ("sandhook", "bash", "dash", "mksh")

_DIRECTIVE = re.compile(r"## (?:(OK|BUG|N-I) ([a-z /]+) )?([A-Za-z_-]+):(?: (.*)|$)")
_STREAMS = ("stdout", "stderr")


class CaseError(ValueError):
    """A case file that cannot be read.

    Attributes:
        path: The file as it was named.
        line: Number of the wrong line, from 1.
    """

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line


class Expectation(Record):
    """What one shell must give; None is not compared, or not said and inherited.

    Attributes:
        kind: "" for the rule itself, "OK", "BUG" or "N-I" (not implemented) for one shell's way.
        line: Where it was first said, from 1.
    """

    status: int | None = None
    stdout: str | None = None
    stderr: str | None = None
    kind: str = ""
    line: int = 0


class Oracle(Record):
    """A shell that must pass a file, and the lowest version that can."""

    name: str
    version: tuple[int, ...] = ()


@dataclass(slots=True)
class Case:
    """One script and what it must do.

    Attributes:
        name: The rule that it shows.
        line: Where it begins in its file, from 1.
        script: Text with a newline at its end.
        expectations: By shell; "" is what holds for all others.
        source: Where the rule is written down.
        divergence: Identifier in docs/divergences.md, "" when sandhook means to match.
    """

    name: str
    line: int
    script: str = ""
    expectations: dict[str, Expectation] = field(default_factory=dict)
    source: str = ""
    divergence: str = ""

    def expected(self, shell: str) -> Expectation:
        """Return what a shell must give: its own words, and the rule's where it has none."""
        rule = self.expectations.get("", Expectation())
        own = self.expectations.get(shell, Expectation())
        return Expectation(
            status=own.status if own.status is not None else rule.status or 0,
            stdout=own.stdout if own.stdout is not None else rule.stdout or "",
            stderr=own.stderr if own.stderr is not None else rule.stderr if not own.kind else None,
            kind=own.kind,
            line=own.line or rule.line or self.line,
        )


@dataclass(slots=True)
class CaseFile:
    """All cases of a file."""

    path: str
    source: str = ""
    oracles: tuple[Oracle, ...] = ()
    expected_failures: int = 0
    cases: list[Case] = field(default_factory=list)


def read(text: str, path: str) -> CaseFile:
    """Read a case file.

    Args:
        text: Its contents.
        path: Its name, for messages.

    Raises:
        CaseError: An unknown directive, one that is said twice, a block without its end, a case
            without script, two cases of one name, or a file without source or oracle.
    """
    reader = _Reader(text, path)
    while reader.at < len(reader.lines):
        reader.line()
    return reader.finish()


class _Reader:
    """Where in a file the reading is."""

    def __init__(self, text: str, path: str) -> None:
        self.lines = text.split("\n")
        if self.lines and not self.lines[-1]:
            self.lines.pop()
        self.path = path
        self.at = 0
        self.file = CaseFile(path)
        self.said: set[tuple[str, str]] = set()
        self.script: list[str] = []

    def fail(self, message: str, line: int | None = None) -> CaseError:
        return CaseError(self.path, self.at if line is None else line, message)

    def line(self) -> None:
        """Read one line, and for a block all its lines."""
        text = self.lines[self.at]
        self.at += 1
        if text.startswith("#### "):
            self._begin(text[5:].strip())
        elif text.startswith("## ") or text == "##":
            found = _DIRECTIVE.fullmatch(text)
            if found is None:
                raise self.fail(f"unknown directive: {text}")
            self._directive(found)
        elif self.file.cases:
            if self.said and text.strip():
                raise self.fail("script goes on behind its expectations")
            self.script.append(text)
        elif text.strip():
            raise self.fail("text before the first case")

    def _begin(self, name: str) -> None:
        self._end()
        if not name:
            raise self.fail("a case without a name")
        if any(case.name == name for case in self.file.cases):
            raise self.fail(f"a second case of the name: {name}")
        self.file.cases.append(Case(name, self.at))
        self.said = set()
        self.script = []

    def _end(self) -> None:
        """Finish the present case."""
        if not self.file.cases:
            return
        case = self.file.cases[-1]
        while self.script and not self.script[-1].strip():
            self.script.pop()
        case.script = "".join(f"{line}\n" for line in self.script)
        if not case.script:
            raise self.fail(f"a case without a script: {case.name}", case.line)
        if case.divergence and "sandhook" not in case.expectations:
            raise self.fail(f"{case.divergence} without what sandhook does (OK sandhook ...)", case.line)
        if "sandhook" in case.expectations and not case.divergence:
            raise self.fail("OK sandhook without its divergence", case.line)
        case.source = case.source or self.file.source

    def finish(self) -> CaseFile:
        self._end()
        if not self.file.source:
            raise self.fail("no '## source:' before the first case", 1)
        if not self.file.oracles:
            raise self.fail("no '## oracle:' before the first case", 1)
        return self.file

    def _directive(self, found: re.Match[str]) -> None:
        kind, shells, name, value = found.groups()
        value = value or ""
        key = name.lower().removesuffix("-json") if name.lower() != "expected_failures" else name
        named = [""] if shells is None else [shell for shell in re.split("[ /]+", shells) if shell]
        for shell in named:
            if shell and shell not in SHELLS:
                raise self.fail(f"unknown shell: {shell}")
            if (shell, key) in self.said:
                raise self.fail(f"said twice: {name}")
            self.said.add((shell, key))
        if not self.file.cases:
            self.said.clear()
            self._metadata(name, value, kind)
        elif kind is None and name in ("source", "divergence"):
            setattr(self.file.cases[-1], name, self._nonempty(name, value))
            self.said.discard(("", name))
        else:
            self._expectation(kind or "", named, name, value)

    def _nonempty(self, name: str, value: str) -> str:
        if not value.strip():
            raise self.fail(f"{name} without a value")
        return value.strip()

    def _metadata(self, name: str, value: str, kind: str | None) -> None:
        value = self._nonempty(name, value)
        if kind is None and name == "source":
            self.file.source = value
        elif kind is None and name == "oracle":
            self.file.oracles = tuple(map(self._oracle, value.split()))
        elif kind is None and name == "expected_failures":
            if not value.isdigit():
                raise self.fail(f"expected_failures is no number: {value}")
            self.file.expected_failures = int(value)
        else:
            raise self.fail(f"unknown directive before the first case: {name}")

    def _oracle(self, text: str) -> Oracle:
        found = re.fullmatch(r"([a-z]+)(?:>=(\d+(?:\.\d+)*))?", text)
        if found is None or found[1] not in SHELLS[1:]:
            raise self.fail(f"unknown oracle: {text}")
        return Oracle(found[1], tuple(map(int, found[2].split("."))) if found[2] else ())

    def _expectation(self, kind: str, shells: list[str], name: str, value: str) -> None:
        line = self.at
        stream = name.lower().removesuffix("-json")
        if name == "status":
            if not value.isdigit() or int(value) > 255:
                raise self.fail(f"status is none of 0 to 255: {value}")
            change: dict[str, int | str] = {"status": int(value)}
        elif name in _STREAMS:
            change = {stream: value + "\n"}
        elif stream in _STREAMS and name == f"{stream}-json":
            change = {stream: self._json(value)}
        elif stream in _STREAMS and name == stream.upper():
            if value:
                raise self.fail(f"text behind {name}:")
            change = {stream: self._block(name)}
        else:
            raise self.fail(f"unknown directive: {name}")
        expectations = self.file.cases[-1].expectations
        for shell in shells:
            old = expectations.get(shell, Expectation(kind=kind, line=line))
            if old.kind != kind:
                raise self.fail(f"{shell} is both {old.kind} and {kind}")
            fields = {"status": old.status, "stdout": old.stdout, "stderr": old.stderr, **change}
            expectations[shell] = Expectation(**fields, kind=kind, line=old.line)  # type: ignore[arg-type]

    def _json(self, value: str) -> str:
        try:
            text = json.loads(value)
        except ValueError:
            text = None
        if not isinstance(text, str):
            raise self.fail(f"no JSON string: {value}")
        return text

    def _block(self, name: str) -> str:
        start = self.at
        while self.at < len(self.lines):
            text = self.lines[self.at]
            self.at += 1
            if text == "## END":
                return "".join(f"{line}\n" for line in self.lines[start : self.at - 1])
        raise self.fail(f"{name}: without ## END", start)

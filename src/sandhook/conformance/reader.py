"""Reads case files: shell scripts and their expected output, in a form that can be pasted into a shell.

    ## source: POSIX.1-2024 XCU 2.6.5          before the first case: of the whole file
    ## oracle: bash>=5.2 dash mksh             shells that must pass it
    ## expected_failures: 0                    cases that sandhook fails, counted exactly

    #### a rule, in words                      begins a case; its script follows
    echo "$x"
    ## status: 1                               default: 0
    ## stdout: one line                        or STDOUT: ... ## END, or stdout-json: "text"; default: ""
    ## stderr: one line                        in the same forms; default: not compared
    ## OK dash mksh status: 2                  a legitimate difference of these shells; or BUG, N-I
    ## divergence: L-INJ-002                   sandhook differs on purpose: needs an OK sandhook
    ## sandbox-only: why                       host mode differs, and does not run it

Anything else that begins with "## " is an error with file and line.

This is the project's own form, of files *.test and of others that name their source or oracle. Every other file
has the public format, which is less strict: it may name any shell ("OK bash-4.4/ash stdout: x"), output without
a directive is not compared, ``## END`` may be missing before another directive, ``## code: ...`` may be the
script, two cases may have the same name, and the metadata in ``IGNORED`` is skipped.
"""

from __future__ import annotations

import json
import re

from sandhook.conformance.model import Case, CaseError, CaseFile, Expectation, Kind, Oracle

#: The shells that can run cases; a file of the own form may name only these.
SHELLS = ("sandhook", "bash", "dash", "mksh", "ash", "zsh", "yash")

#: Metadata of the public format that this runner does not need.
IGNORED = frozenset({
    "legacy_tmp_dir", "oils_cpp_failures_allowed", "oils_failures_allowed", "our_shell", "suite", "tags",
})  # fmt: skip

_DIRECTIVE = re.compile(r"## *(?:(OK|BUG|N-I)(?:-\d+)? +([A-Za-z][\w.+ /-]*?) +)?([A-Za-z_-]+):(?: ?(.*)|$)")
_STREAMS = ("stdout", "stderr")
_KINDS: dict[str | None, Kind] = {None: "", "OK": "OK", "BUG": "BUG", "N-I": "N-I"}
_ENDS_BLOCK = re.compile(
    r"#### |## *(?:(?:OK|BUG|N-I)(?:-\d+)? .*)?(?:status|stdout|stderr|STDOUT|STDERR)(?:-json|-repr)?:"
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.S)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def is_own(text: str, path: str) -> bool:
    """Return True for a file of the project's own, stricter form."""
    head = re.split(r"^#### ", text, maxsplit=1, flags=re.M)[0]
    return path.endswith(".test") or re.search(r"^## (?:source|oracle):", head, re.M) is not None


def read(text: str, path: str) -> CaseFile:
    """Read a case file.

    Args:
        text: Its contents.
        path: Its name, for messages; *.test is the project's own form.

    Raises:
        CaseError: The first error: an unknown or repeated directive, a block without its end, a case
            without script, two cases of one name, or a file without source or oracle.
    """
    file, errors = read_all(text, path)
    if errors:
        raise errors[0]
    return file


def read_all(text: str, path: str) -> tuple[CaseFile, list[CaseError]]:
    """Read a case file and return it with all its errors, in the order of lines."""
    reader = _Reader(text, path)
    while reader.position < len(reader.lines):
        try:
            reader.line()
        except CaseError as error:
            reader.errors.append(error)
    return reader.finish()


class _Reader:
    """The state of reading one file."""

    def __init__(self, text: str, path: str) -> None:
        self.lines = text.split("\n")
        if self.lines and not self.lines[-1]:
            self.lines.pop()
        self.path = path
        self.position = 0
        self.file = CaseFile(path, own=is_own(text, path))
        self.errors: list[CaseError] = []
        self.heads: set[str] = set()
        self.names: set[str] = set()
        self.directives: set[tuple[str, str]] = set()
        self.code: str | None = None
        self.script: list[str] = []

    def fail(self, message: str, line: int | None = None) -> CaseError:
        return CaseError(self.path, self.position if line is None else line, message)

    def note(self, message: str, line: int) -> None:
        self.errors.append(self.fail(message, line))

    def line(self) -> None:
        """Read one line, or all lines of a block."""
        line = self.lines[self.position]
        self.position += 1
        if line.startswith("#### "):
            self._begin(line[5:].strip())
        elif line.startswith("## ") or line == "##" or (not self.file.own and line.startswith("##\t")):
            match = _DIRECTIVE.fullmatch(line)
            if line.rstrip() == "## END":
                raise self.fail("## END without a block")
            if match is None:
                raise self.fail(f"unknown directive: {line}")
            self._directive(match)
        elif self.file.cases:
            self._script(line)
        elif line.strip() and line[0] != "#":
            raise self.fail("text before the first case")

    def _script(self, text: str) -> None:
        script = self.script if self.code is None else [self.code]
        if self.directives and any(line.strip() for line in script):
            if text.strip() and text[0] != "#":
                raise self.fail("script continues after its expectations")
            return
        self.script.append(text)
        if text.strip():
            self.file.cases[-1].end = self.position

    def _begin(self, name: str) -> None:
        self._end()
        case = Case(name, self.position, strict=self.file.own, end=self.position)
        self.file.cases.append(case)
        self.directives = set()
        self.script = []
        self.code = None
        if not name:
            raise self.fail("a case without a name")
        if name in self.names and self.file.own:
            raise self.fail(f"a second case with the name: {name}")
        self.names.add(name)

    def _end(self) -> None:
        """Check and complete the last case."""
        if not self.file.cases:
            return
        case = self.file.cases[-1]
        script = self.script if self.code is None else [self.code]
        while script and not script[-1].strip():
            script.pop()
        case.script = "".join(f"{line}\n" for line in script)
        case.source = case.source or self.file.source
        if not case.script:
            self.note(f"a case without a script: {case.name}", case.line)
        if not self.file.own:
            return
        if case.divergence and "sandhook" not in case.expectations:
            self.note(f"{case.divergence} without what sandhook does (OK sandhook ...)", case.line)
        if "sandhook" in case.expectations and not case.divergence:
            self.note("OK sandhook without its divergence", case.line)

    def finish(self) -> tuple[CaseFile, list[CaseError]]:
        """Return the file and all its errors."""
        self._end()
        for name in ("source", "oracle"):
            if self.file.own and name not in self.heads:
                self.note(f"no '## {name}:' before the first case", 1)
        if not self.file.cases:
            self.note("no case", max(len(self.lines), 1))
        return self.file, sorted(self.errors, key=lambda error: error.line)

    # ---------------------------------------------------------------- directives

    def _directive(self, match: re.Match[str]) -> None:
        kind, shells, name, value = match.groups()
        value = value or ""
        if not self.file.own:
            value = value.lstrip()
        shell_names = [""] if shells is None else [shell for shell in re.split("[ /]+", shells) if shell]
        if name in IGNORED and kind is None:
            return
        if not self.file.cases:
            self._metadata(name, value, kind)
        elif kind is None and name in ("source", "divergence", "sandbox-only"):
            setattr(self.file.cases[-1], name.replace("-", "_"), self._nonempty(name, value))
        elif kind is None and name == "compare_shells" and not self.file.own:
            self.file.compared_shells = tuple(dict.fromkeys([*self.file.compared_shells, *value.split()]))
        elif kind is None and name == "code":
            if self.code is not None or any(line.strip() for line in self.script):
                raise self.fail("code in addition to a script")
            self.code = value
            self.file.cases[-1].end = self.position
        else:
            self._expectation(_KINDS[kind], shell_names, name, value)

    def _record(self, shells: list[str], key: str, name: str) -> None:
        """Record a directive for shells; in the project's own form, each shell may have it only once."""
        for shell in shells:
            if shell and self.file.own and shell.partition("-")[0] not in SHELLS:
                raise self.fail(f"unknown shell: {shell}")
            if (shell, key) in self.directives and self.file.own:
                raise self.fail(f"said twice: {name}")
            self.directives.add((shell, key))

    def _nonempty(self, name: str, value: str) -> str:
        if not value.strip():
            raise self.fail(f"{name} without a value")
        return value.strip()

    def _metadata(self, name: str, value: str, kind: str | None) -> None:
        self.heads.add(name)
        value = self._nonempty(name, value)
        if kind is None and name == "source":
            self.file.source = value
        elif kind is None and name == "oracle":
            self.file.oracles = tuple(map(self._oracle, value.split()))
        elif kind is None and name == "compare_shells":
            self.file.compared_shells = tuple(value.split())
        elif kind is None and name == "expected_failures":
            if not (value.isascii() and value.isdigit()):
                raise self.fail(f"expected_failures is not a number: {value}")
            self.file.expected_failures = int(value)
        else:
            raise self.fail(f"unknown directive before the first case: {name}")

    def _oracle(self, text: str) -> Oracle:
        match = re.fullmatch(r"([a-z]+)(?:>=(\d+(?:\.\d+)*))?", text)
        if match is None or match[1] not in SHELLS[1:]:
            raise self.fail(f"unknown oracle: {text}")
        return Oracle(match[1], tuple(map(int, match[2].split("."))) if match[2] else ())

    # -------------------------------------------------------------- expectations

    def _expectation(self, kind: Kind, shells: list[str], name: str, value: str) -> None:
        line = self.position
        stream, _, form = name.partition("-")
        stream = stream.lower()
        change: dict[str, int | str]
        if name == "status":
            self._record(shells, name, name)
            if not (value.isascii() and value.isdigit() and int(value) <= 255):
                raise self.fail(f"status is not a number from 0 to 255: {value}")
            change = {"status": int(value)}
        elif stream not in _STREAMS or name not in (stream, stream.upper(), f"{stream}-{form}"):
            raise self.fail(f"unknown directive: {name}")
        elif form:
            if form not in ("json", "repr"):
                raise self.fail(f"unknown directive: {name}")
            self._record(shells, stream, name)
            change = {stream: self._json(value) if form == "json" else self._repr(value)}
        elif name == stream:
            self._record(shells, stream, name)
            change = {stream: value + "\n"}
        else:
            self._record(shells, stream, name)
            if value.strip():
                raise self.fail(f"text after {name}:")
            change = {stream: self._block(name)}
        case = self.file.cases[-1]
        for shell in shells:
            old = case.expectations.get(shell, Expectation(kind=kind, line=line))
            if old.kind != kind and self.file.own:
                raise self.fail(f"{shell} is both {old.kind} and {kind}")
            case.expectations[shell] = old._replace(kind=kind, **change)
            if not shell:
                case.spans[next(iter(change))] = (line - 1, self.position)

    def _json(self, value: str) -> str:
        try:
            text = json.loads(value)
        except ValueError:
            text = None
        if not isinstance(text, str):
            raise self.fail(f"not a JSON string: {value}")
        return text

    def _repr(self, value: str) -> str:
        """Return the value of a Python string literal; its escapes above ASCII are bytes."""
        text = value.strip()
        if len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
            raise self.fail(f"not a string literal: {value}")

        def character(match: re.Match[str]) -> str:
            escape = match[1]
            if (escape[0] == "x" and len(escape) == 3) or escape[0] in "01234567":
                code = int(escape[1:], 16) if escape[0] == "x" else int(escape, 8)
                return chr(code) if code < 128 else chr(0xDC00 + (code & 255))
            return _ESCAPES.get(escape, escape)

        text = _ESCAPE.sub(character, text[1:-1])
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")

    def _block(self, name: str) -> str:
        start = self.position
        while self.position < len(self.lines):
            text = self.lines[self.position]
            if text == "## END" or (not self.file.own and text.rstrip() == "## END"):
                self.position += 1
                return "".join(f"{line}\n" for line in self.lines[start : self.position - 1])
            if not self.file.own and _ENDS_BLOCK.match(text):
                break
            if self.file.own and text.startswith("#### "):
                raise self.fail(f"{name}: without ## END", start)
            self.position += 1
        if self.file.own:
            raise self.fail(f"{name}: without ## END", start)
        lines = self.lines[start : self.position]
        while lines and not lines[-1].strip():  # empty lines before the next case
            lines.pop()
        return "".join(f"{line}\n" for line in lines)

"""The sources of an awk program: -e, -f, -i and @include. Maps lines of the whole text to their source.

Source: POSIX.1-2024 XCU 3, awk, -f; gawk 5.2 manual, "Including Other Files Into Your Program".
"""

from __future__ import annotations

from collections.abc import Iterable

from sandhook.command.context import Context
from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.utilities.languages.awk.inplace import INPLACE
from sandhook.utilities.languages.awk.values import Fatal
from sandhook.vfs.errors import error_text

_INCLUDE = lazily(r'[ \t]*@include[ \t]+"([^"\n]*)"[ \t\r]*(?:;|(?=#)|\Z)')
_LOADS_INPLACE = '@load "inplace"'
_NAMESPACE = lazily(r'(?m)^[ \t]*@namespace[ \t]+"([^"\n]*)"')
_PATH = ".:/usr/local/share/awk:/usr/share/awk"


class Piece(Record):
    """A part of the whole text, from one source.

    Attributes:
        name: The name of the source in messages.
        first: 1-based line of the source where the piece begins.
        lines: Number of lines.
    """

    name: str
    first: int
    lines: int


class Sources:
    """Reads the sources of one program; ``text`` is the whole."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._texts: list[str] = []
        self._pieces: list[Piece] = []
        self._included: set[str] = set()
        self._has_namespace = False

    @property
    def text(self) -> str:
        return "\n".join(self._texts)

    def where(self, line: int, lines_read: int = 0) -> str:
        """Return ``cmd. line:3: `` or ``prog.awk:3: `` for a line of the whole, 1-based."""
        for piece in self._pieces:
            if line <= piece.lines:
                return f"{piece.name}:{piece.first + line - 1 + lines_read}: "
            line -= piece.lines
        return "cmd. line:1: "

    def read(self, programs: Iterable[tuple[str, str]]) -> None:
        """Add the sources of the options, in their order: ("e", text), ("f", name) or ("i", name). Raises SourceError."""
        unreadable: SourceError | None = None
        for kind, text in programs:
            if kind == "e":
                self.add(text)
            elif kind == "i":
                self._include(text, "")
            else:
                try:
                    self._add(self._open(text, "")[1], text)
                except SourceError as error:
                    if error.status != 1:
                        raise
                    unreadable = unreadable or error  # gawk opens all files before it reads one
        if unreadable is not None:
            raise unreadable

    def add(self, text: str) -> None:
        """Add a program text from the command line."""
        self._add(text, "cmd. line")

    def _add(self, text: str, name: str) -> None:
        if text.startswith("#!"):
            text = "#" + text[2:]
        if "@include" not in text:
            self._append(text, name, 1, "awk")
            return
        pending: list[str] = []
        namespace = "awk"
        first = 1
        for number, line in enumerate(text.split("\n"), 1):
            match = _INCLUDE.match(line)
            if match is None:
                pending.append(line)
                continue
            if pending:
                self._append("\n".join(pending), name, first, namespace)
                namespace = _last_namespace("\n".join(pending), namespace)
            self._include(match[1], f"{name}:{number}: ")
            rest = line[match.end() :]
            pending, first = ([" " * match.end() + rest], number) if rest.strip() else ([], number + 1)
        self._append("\n".join(pending), name, first, namespace)

    def _append(self, text: str, name: str, first: int, namespace: str) -> None:
        """Append a text with a directive for its namespace, because an earlier text may have set another one."""
        self._ctx.check_script(sum(map(len, self._texts)) + len(text))
        if self._has_namespace:
            text = f'@namespace "{namespace}";{text}'
        self._has_namespace = self._has_namespace or "@namespace" in text
        self._texts.append(text)
        self._pieces.append(Piece(name, first, text.count("\n") + 1))

    def _include(self, name: str, where: str) -> None:
        """Add a file, unless it was included before."""
        self._ctx.budget.charge(1)
        path, text = self._open(name, where)
        if path not in self._included:
            self._included.add(path)
            self._add(text, name)

    def _open(self, name: str, where: str) -> tuple[str, str]:
        """Return the path and the text of a file, from AWKPATH, also with ``.awk`` appended. Raises SourceError."""
        first_error: OSError | None = None
        for path in self._candidates(name):
            try:
                with self._ctx.open(path) as reader:
                    text = reader.read_all().decode("utf-8", "surrogateescape")
                if name == "inplace" and _LOADS_INPLACE in text:  # gawk's file, which loads a shared library
                    break
                return self._ctx.path(path), text
            except OSError as error:
                first_error = first_error or error
        if name == "inplace":
            return name, INPLACE
        assert first_error is not None
        if isinstance(first_error, IsADirectoryError):  # gawk opens it, and fails when it reads
            problem = f"error: cannot read source file `{name}': {error_text(first_error)}"
            raise SourceError(f"{name}:1: {problem}", 1)
        kind = f"{where}error" if where else "fatal"
        raise SourceError(
            f"{kind}: cannot open source file `{name}' for reading: {error_text(first_error)}",
            1 if where else 2,
        )

    def _candidates(self, name: str) -> list[str]:
        if "/" in name or name == "-":
            return [name] if name == "-" else [name, f"{name}.awk"]
        path = self._ctx.environment.get("AWKPATH") or _PATH
        candidates = [
            f"{directory}/{name}" if directory not in ("", ".") else name
            for directory in path.split(":")[:64]
        ]
        return candidates + [f"{candidate}.awk" for candidate in candidates]


def _last_namespace(text: str, default: str) -> str:
    names = _NAMESPACE.findall(text)
    return names[-1] if names else default


class SourceError(Fatal):
    """A source cannot be read; the message is complete."""

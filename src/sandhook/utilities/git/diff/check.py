"""Reports white-space errors and conflict markers in added lines: "git diff --check".

Source: git 2.39, ws.c and diff.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.text.numbers import is_number
from sandhook.utilities.git.diff.model import Pair
from sandhook.utilities.git.diff.painting import Part
from sandhook.utilities.git.diff.patch import Files
from sandhook.utilities.git.diff.xdiff import compare, split_lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.attributes import Value
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.repository import Repository

_DEFAULT = frozenset(("blank-at-eol", "blank-at-eof", "space-before-tab"))
_ALL = _DEFAULT | {"indent-with-non-tab", "tab-in-indent"}
_NAMES = _ALL | {"cr-at-eol", "trailing-space"}
_MARKS = b"<>=|"
_MARKER_SIZE = 7


def _rules(setting: str | None, attribute: Value) -> tuple[frozenset[str], int]:
    """Return the errors to report, and the width of a tab."""
    if attribute is False:
        return frozenset(), 8
    if attribute is True:
        return _ALL - {"tab-in-indent"}, 8
    rules, width = set(_DEFAULT), 8
    for word in (attribute if isinstance(attribute, str) else setting or "").replace(" ", ",").split(","):
        if word.startswith("tabwidth=") and is_number(word[9:]):
            width = int(word[9:11]) or 8
            continue
        name = word.removeprefix("-")
        names = {"blank-at-eol", "blank-at-eof"} if name == "trailing-space" else {name} & _NAMES
        rules = rules - names if word.startswith("-") else rules | names
    if {"tab-in-indent", "indent-with-non-tab"} <= rules:
        raise GitError("cannot enforce both tab-in-indent and indent-with-non-tab")
    return frozenset(rules), width


def _is_marker(line: bytes, size: int) -> bool:
    """Return True for a line that begins with the marker of a conflict and a blank or a line end."""
    after = line[size : size + 1] or b"\n"
    return line[:1] in _MARKS and line[:size] == line[:1] * size and after.isspace()


def marker_size(attribute: Value) -> int:
    """Return the width of the markers of conflicts by the attribute conflict-marker-size."""
    text = attribute if isinstance(attribute, str) and is_number(attribute) else ""
    return int(text[:4] or 0) or _MARKER_SIZE


def _errors(line: bytes, rules: frozenset[str], tab_width: int) -> Iterator[str]:
    """Yield the errors of one line, in git's order."""
    body = line.removesuffix(b"\n")
    if "cr-at-eol" in rules:
        body = body.removesuffix(b"\r")
    if "blank-at-eol" in rules and body != body.rstrip(b" \t\r\v\f"):
        yield "trailing whitespace"
    stripped = body.rstrip(b" \t\r\v\f") if "blank-at-eol" in rules else body
    indent = stripped[: len(stripped) - len(stripped.lstrip(b" \t"))]
    if "space-before-tab" in rules and b" \t" in indent:
        yield "space before tab in indent"
    tail = indent.rpartition(b"\t")[2]
    if "indent-with-non-tab" in rules and len(tail) >= tab_width:
        yield "indent with spaces"
    tabs_of = indent.replace(b" \t", b"") if "space-before-tab" in rules else indent
    if "tab-in-indent" in rules and b"\t" in tabs_of and b" \t" not in indent:
        yield "tab in indent"


def line_errors(repository: Repository | None, path: str, line: bytes) -> str:
    """Return the errors of a line of a file, "" without one."""
    setting, attribute = None, None
    if repository is not None:
        setting = repository.config.get("core.whitespace")
        attribute = repository.attributes.of(path).get("whitespace")
    return ", ".join(_errors(line, *_rules(setting, attribute)))


class Highlighter:
    """Finds the white-space errors of the lines of a file, to print them in another colour."""

    def __init__(self, rules: frozenset[str], tab_width: int) -> None:
        self._rules = rules
        self._tab_width = tab_width

    def pieces(self, line: bytes) -> list[tuple[Part, bytes]]:
        """Return the parts of a line, which has no newline: its indentation, and errors there and at its end."""
        rules = self._rules
        body = line.removesuffix(b"\r") if "cr-at-eol" in rules else line
        end = len(body.rstrip(b" \t\r\v\f")) if "blank-at-eol" in rules else len(body)
        pieces: list[tuple[Part, bytes]] = []
        written = at = 0
        while at < end and body[at] in b" \t":
            if body[at] == ord("\t"):
                if "space-before-tab" in rules and written < at:
                    pieces += (("error", body[written:at]), ("indent", b"\t"))
                elif "tab-in-indent" in rules:
                    pieces += (("indent", body[written:at]), ("error", b"\t"))
                else:
                    pieces.append(("indent", body[written : at + 1]))
                written = at + 1
            at += 1
        if "indent-with-non-tab" in rules and at - written >= self._tab_width:
            pieces.append(("error", body[written:at]))
            written = at
        pieces += (("text", body[written:end]), ("error", body[end:]), ("indent", line[len(body) :]))
        return [(part, text) for part, text in pieces if text]

    def blank_ends(self, files: Files) -> tuple[int, int]:
        """Return where new blank lines at the end begin in both files (1-based); zeros if no line is new."""
        if "blank-at-eof" not in self._rules:
            return 0, 0
        sides = [split_lines(data) for data in (files.old, files.new)]
        blanks = [len(lines) - _blank_end(lines) + 1 if _blank_end(lines) else 0 for lines in sides]
        if blanks[1] <= blanks[0]:
            return 0, 0
        return len(sides[0]) - blanks[0] + 1, len(sides[1]) - blanks[1] + 1


def highlighter(repository: Repository, path: str) -> Highlighter:
    """Return what finds the errors of the lines of a file."""
    attribute = repository.attributes.of(path).get("whitespace")
    return Highlighter(*_rules(repository.config.get("core.whitespace"), attribute))


def _blank_end(lines: Sequence[bytes]) -> int:
    """Return the number of the first of the blank lines at the end (1-based); 0 if it does not exist."""
    at = len(lines)
    while at and not lines[at - 1].strip():
        at -= 1
    return at + 1 if at < len(lines) else 0


def check_pair(repository: Repository, pair: Pair, files: Files) -> bool:
    """Print the errors of the added lines of a pair; return True if there are any."""
    if pair.status == "D" or not pair.new.exists or pair.status == "U":
        return False
    if files.binary:
        return False
    attributes = repository.attributes.of(pair.path)
    rules, width = _rules(repository.config.get("core.whitespace"), attributes.get("whitespace"))
    size = marker_size(attributes.get("conflict-marker-size"))
    old, new = split_lines(files.old), split_lines(files.new)
    name = pair.path  # without quotes, as git prints it here
    write = repository.ctx.write
    found = False
    for change in compare(old, new, repository.access.charge):
        for at in range(change.new, change.new_end):
            repository.access.charge(1)
            if _is_marker(new[at], size):
                found = True
                write(encode(f"{name}:{at + 1}: leftover conflict marker\n"))
            errors = ", ".join(_errors(new[at], rules, width))
            if errors:
                found = True
                write(encode(f"{name}:{at + 1}: {errors}.\n+") + new[at].removesuffix(b"\n") + b"\n")
    if "blank-at-eof" in rules:
        blank = _blank_end(new)
        old_blanks = len(old) - _blank_end(old) + 1 if _blank_end(old) else 0
        if blank and len(new) - blank + 1 > old_blanks:
            found = True
            write(encode(f"{name}:{blank}: new blank line at EOF.\n"))
    return found

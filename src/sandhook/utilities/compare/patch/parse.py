"""Parse patches: unified, context and normal differences, with git headers.

Source: POSIX.1-2024 XCU 3, patch and diff. Oracle: GNU patch 2.7.6.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sandhook.command.context import Failure

#: Empty lines at the end of a hunk that may be missing: mailers cut them off.
_LOST_LINES = 3
_UNIFIED = re.compile(rb"@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@(.*)", re.DOTALL)
_CONTEXT_OLD = re.compile(rb"\*\*\* (\d{1,18})(?:,(\d{1,18}))?(?: \*{4})?[^\n]*\n?")
_CONTEXT_NEW = re.compile(rb"--- (\d{1,18})(?:,(\d{1,18}))?(?: -{4})?[^\n]*\n?")
_NORMAL = re.compile(rb"(\d{1,18})(?:,(\d{1,18}))?([acd])(\d{1,18})(?:,(\d{1,18}))?[ \t\r]*\n?")
_EPOCH = re.compile(rb"(?:1969-12-31|1970-01-01) \d\d:\d\d:\d\d(?:\.0*)? [-+]\d{4}|Thu Jan +1 00:00:00 1970")
_EMPTY = b"\\"  #: begins "\ No newline at end of file"


class Hunk:
    """One changed region of a file.

    Attributes:
        start, new_start: First lines, from 1; for an empty side, the line before.
        lines: Marks (" ", "-", "+"), each with a line and its newline.
        line: Its first line in the patch, from 1.
    """

    __slots__ = ("function", "line", "lines", "new_start", "start")

    def __init__(
        self, start: int, new_start: int, lines: list[tuple[bytes, bytes]], line: int, function: bytes = b""
    ) -> None:
        self.start = start
        self.new_start = new_start
        self.lines = lines
        self.line = line
        self.function = function

    @property
    def old(self) -> list[bytes]:
        return [text for mark, text in self.lines if mark != b"+"]

    @property
    def new(self) -> list[bytes]:
        return [text for mark, text in self.lines if mark != b"-"]

    def reverse(self) -> Hunk:
        """Return the hunk that undoes this one."""
        swap = {b"-": b"+", b"+": b"-", b" ": b" "}
        lines: list[tuple[bytes, bytes]] = []
        added: list[tuple[bytes, bytes]] = []
        for mark, text in self.lines:  # removed lines come before added ones
            if mark == b"-":
                added.append((b"+", text))
                continue
            if mark == b" ":
                lines += added
                added = []
            lines.append((swap[mark], text))
        return Hunk(self.new_start, self.start, lines + added, self.line, self.function)

    def context(self) -> tuple[int, int]:
        """Return the number of context lines at the beginning and at the end."""
        marks = [mark for mark, _ in self.lines]
        before = next((at for at, mark in enumerate(marks) if mark != b" "), len(marks))
        after = next((at for at, mark in enumerate(reversed(marks)) if mark != b" "), len(marks))
        return before, after


class Patch:
    """All hunks for one file.

    Attributes:
        kind: "unified", "context" or "normal".
        names: From the lines ---, +++ (or ***, ---) and Index:, without times; None without such a line.
        heads: The unchanged lines --- and +++.
        empty: Whether the headers mark the old and the new file as absent.
        mode: Permission bits of the git header.
        rename: The old and the new name of the git header.
        preamble: The text before the first hunk, for messages.
        line: The line of the first hunk.
        error: Why parsing stopped before the end of the patch.
        cut_at: The index of the hunk in which the patch ended in the middle of a line, their number if it did so
            after them, None if it did not.
        was_reversed: It seemed to be applied already, and is applied in reverse (-t).
    """

    def __init__(self) -> None:
        self.kind = ""
        self.names: list[str | None] = [None, None, None]
        self.heads: list[bytes] = [b"", b""]
        self.empty = [False, False]
        self.mode: int | None = None
        self.old_mode: int | None = None
        self.rename: list[str | None] = [None, None]
        self.copy = False
        self.git = False
        self.hunks: list[Hunk] = []
        self.preamble: list[bytes] = []
        self.line = 0
        self.error: Failure | None = None
        self.was_reversed = False
        self.cut_at: int | None = None

    def reverse(self) -> None:
        """Reverse the patch in place."""
        self.hunks = [hunk.reverse() for hunk in self.hunks]
        self.empty.reverse()
        self.rename.reverse()
        self.mode = self.old_mode


class Parser:
    """Parses the lines of a patch file."""

    def __init__(
        self, lines: list[bytes], kind: str, charge: Callable[[int], None], *, file_known: bool = True
    ) -> None:
        """``file_known``: an operand names the file, so a normal difference, which has no header, is usable."""
        self._cut = bool(lines) and lines[-1][-1:] != b"\n" and lines[-1][:1] != _EMPTY
        self.lines = lines[:-1] if self._cut else lines  # GNU's patch ignores a last line without a newline
        self._is_short = False
        self.file_known = file_known
        self.position = 0
        self.kind = kind
        self.charge = charge

    def reaches_cut(self) -> bool:
        """Return True, once, if what was read ended in the middle of a line."""
        cut, self._cut = self._cut, False
        return cut

    def next(self) -> Patch | None:
        """Return the next file's patch, or None when only garbage remains."""
        patch = Patch()
        start = self.position
        while self.position < len(self.lines):
            self.charge(1)
            line = self.lines[self.position]
            if self._head(line, patch):
                if self._is_git_end(patch):
                    patch.preamble = self.lines[start : self.position]
                    patch.line = self.position + 1
                    return patch
                self.position += 1
                continue
            kind = self._hunk_kind(line, patch)
            if kind:
                patch.kind = kind
                patch.preamble = self.lines[start : self.position]
                patch.line = self.position + 1
                self._hunks(patch)
                return patch
            self.position += 1
        if patch.git and (patch.mode is not None or patch.rename[1] is not None or any(patch.empty)):
            patch.preamble = self.lines[start:]
            return patch
        return None

    # ------------------------------------------------------------------ headers

    def _head(self, line: bytes, patch: Patch) -> bool:
        """Parse a header line; return whether it was one."""
        following = self.lines[self.position + 1] if self.position + 1 < len(self.lines) else b""
        if line.startswith(b"diff --git "):
            patch.git = True
            words = line[11:].rstrip(b"\r\n").split(b" b/", 1)
            if len(words) == 2 and words[0].startswith(b"a/"):
                patch.names[0], patch.names[1] = _text(words[0]), "b/" + _text(words[1])
        elif line.startswith(b"--- ") and following.startswith(b"+++ "):
            patch.heads[0] = line
            patch.names[0], patch.empty[0] = _file(line[4:])
        elif line.startswith(b"+++ ") and patch.heads[0]:
            patch.heads[1] = line
            patch.names[1], patch.empty[1] = _file(line[4:])
        elif line.startswith(b"*** ") and following.startswith(b"--- ") and not _CONTEXT_OLD.fullmatch(line):
            patch.heads[0] = line
            patch.names[0], patch.empty[0] = _file(line[4:])
            patch.heads[1] = following
            patch.names[1], patch.empty[1] = _file(following[4:])
            self.position += 1
        elif line.startswith(b"Index:"):
            patch.names[2] = _file(line[6:].lstrip())[0]
        elif patch.git:
            return self._git(line, patch)
        else:
            return False
        return True

    def _git(self, line: bytes, patch: Patch) -> bool:
        body = line.rstrip(b"\r\n")
        for prefix, index in ((b"rename from ", 0), (b"rename to ", 1), (b"copy from ", 0), (b"copy to ", 1)):
            if body.startswith(prefix):
                patch.rename[index] = _text(body[len(prefix) :])
                patch.copy = prefix.startswith(b"copy")
                return True
        for prefix in (b"old mode ", b"new mode ", b"new file mode ", b"deleted file mode "):
            if body.startswith(prefix) and re.fullmatch(rb"[0-7]{1,6}", body[len(prefix) :]):
                bits = int(body[len(prefix) :], 8)
                if prefix.startswith((b"old", b"deleted")):
                    patch.old_mode = bits
                else:
                    patch.mode = bits
                if prefix.startswith(b"new file"):
                    patch.empty[0] = True
                elif prefix.startswith(b"deleted"):
                    patch.empty[1] = True
                return True
        if body.startswith(b"GIT binary patch"):
            raise Failure("**** git binary diffs are not supported.", 2)
        return False

    def _is_git_end(self, patch: Patch) -> bool:
        """Return whether a git patch without hunks ends here, because the next one begins."""
        following = self.lines[self.position + 1] if self.position + 1 < len(self.lines) else b""
        ends = following.startswith(b"diff --git ")
        if ends and patch.git and (patch.mode is not None or patch.rename[1] is not None or any(patch.empty)):
            self.position += 1
            return True
        return False

    def _hunk_kind(self, line: bytes, patch: Patch) -> str:
        requested = self.kind
        if _UNIFIED.match(line) and requested in ("", "unified"):
            return "unified"
        if line.startswith(b"***************") and requested in ("", "context"):
            following = self.lines[self.position + 1] if self.position + 1 < len(self.lines) else b""
            if _CONTEXT_OLD.fullmatch(following):
                return "context"
        if _NORMAL.fullmatch(line) and requested in ("", "normal") and (self.file_known or any(patch.names)):
            following = self.lines[self.position + 1] if self.position + 1 < len(self.lines) else b""
            if following[:2] in (b"< ", b"> ", b"<\n", b">\n", b"<\t", b">\t"):
                return "normal"
        return ""

    # ------------------------------------------------------------------ hunks

    def _hunks(self, patch: Patch) -> None:
        readers = {"unified": self._parse_unified, "context": self._context, "normal": self._normal}
        read = readers[patch.kind]
        while self.position < len(self.lines):
            self._is_short = False
            try:
                hunk = read()
            except Failure as error:
                patch.error = error
                if self.position >= len(self.lines) and self.reaches_cut():
                    patch.cut_at = len(patch.hunks)
                return
            if hunk is None:
                return
            if self._is_short and self.reaches_cut():
                patch.cut_at = len(patch.hunks)
            patch.hunks.append(hunk)
        if self.reaches_cut():
            patch.cut_at = len(patch.hunks)

    def _malformed_error(self, *, numbered: bool = False) -> Failure:
        line = self.lines[self.position] if self.position < len(self.lines) else b""
        if self.position >= len(self.lines):
            where = f" at line {self.position}" if numbered else ""
            return Failure(f"**** unexpected end of file in patch{where}", 2)
        return Failure(f"**** malformed patch at line {self.position + 1}: {_text(line)}", 2)

    def _no_newline(self, lines: list[tuple[bytes, bytes]]) -> None:
        """Consume a line "\\ No newline ...", and remove the newline of the line before it."""
        if self.position < len(self.lines) and self.lines[self.position][:1] == _EMPTY and lines:
            mark, text = lines[-1]
            lines[-1] = (mark, text.removesuffix(b"\n"))
            self.position += 1

    def _parse_unified(self) -> Hunk | None:
        match = _UNIFIED.match(self.lines[self.position])
        if match is None:
            return None
        begin = self.position + 1
        old, new = int(match[2] or b"1"), int(match[4] or b"1")
        start, new_start = int(match[1]), int(match[3])
        self.position += 1
        lines: list[tuple[bytes, bytes]] = []
        while old > 0 or new > 0:
            self.charge(1)
            if self.position >= len(self.lines):
                self._is_short = True
                if new > _LOST_LINES:
                    raise self._malformed_error()
                if not (old and new) or not any(mark != b" " for mark, _ in lines):
                    raise Failure(f"**** malformed patch at line {self.position}:  \n", 2)
                lines.append((b" ", b"\n"))
                old, new = old - 1, new - 1
                continue
            line = self.lines[self.position]
            mark = line[:1]
            if line in (b"\n", b"\r\n"):  # mailers strip trailing blanks
                mark, line = b" ", b" " + line
            if mark == b"\t":
                mark, line = b" ", b" " + line
            if mark not in (b" ", b"-", b"+") or (mark != b"+" and not old) or (mark != b"-" and not new):
                raise self._malformed_error()
            old -= mark != b"+"
            new -= mark != b"-"
            lines.append((mark, line[1:]))
            self.position += 1
            self._no_newline(lines)
        return Hunk(start, new_start, lines, begin, match[5].rstrip(b"\r\n"))

    def _context(self) -> Hunk | None:
        if not self.lines[self.position].startswith(b"***************"):
            return None
        begin = self.position + 1
        function = self.lines[self.position].rstrip(b"\r\n").lstrip(b"*")
        self.position += 1
        old_range = (
            _CONTEXT_OLD.fullmatch(self.lines[self.position]) if self.position < len(self.lines) else None
        )
        if old_range is None:
            raise self._malformed_error()
        self.position += 1
        old = self._context_half(b"-", _CONTEXT_NEW)
        new_range = (
            _CONTEXT_NEW.fullmatch(self.lines[self.position]) if self.position < len(self.lines) else None
        )
        if new_range is None:
            raise self._malformed_error()
        self.position += 1
        new_count = (
            int(new_range[2] or new_range[1]) - int(new_range[1]) + 1
            if int(new_range[2] or new_range[1])
            else 0
        )
        new = self._context_half(b"+", None, new_count)
        if len(new) < new_count and self.position >= len(self.lines):
            self._is_short = True
            if self._cut and any(line[0] == b"!" for line in old) != any(line[0] == b"!" for line in new):
                raise Failure(f"**** context mangled in hunk at line {begin + 1}", 2)
        lines = _merge(old, new)
        return Hunk(int(old_range[1]), int(new_range[1]), lines, begin, function)

    def _context_half(
        self, mark: bytes, end: re.Pattern[bytes] | None, count: int = -1
    ) -> list[tuple[bytes, bytes]]:
        lines: list[tuple[bytes, bytes]] = []
        while self.position < len(self.lines) and (count < 0 or len(lines) < count):
            self.charge(1)
            line = self.lines[self.position]
            if end is not None and end.fullmatch(line):
                break
            if line in (b"\n", b"\r\n"):
                line = b"  " + line
            if line[:2] not in (b"  ", b"! ", mark + b" ") and line[:2] not in (b"!\t", mark + b"\t", b" \t"):
                break
            lines.append((line[:1], line[2:]))
            self.position += 1
            self._no_newline(lines)
        return lines

    def _normal(self) -> Hunk | None:
        match = _NORMAL.fullmatch(self.lines[self.position])
        if match is None:
            return None
        begin = self.position + 1
        self.position += 1
        first, letter, new_first = int(match[1]), match[3], int(match[4])
        old = 0 if letter == b"a" else int(match[2] or match[1]) - first + 1
        new = 0 if letter == b"d" else int(match[5] or match[4]) - new_first + 1
        lines: list[tuple[bytes, bytes]] = []
        self._normal_half(b"< ", b"-", old, lines)
        if letter == b"c":
            if self.position >= len(self.lines) or not self.lines[self.position].startswith(b"---"):
                raise self._malformed_error(numbered=True)
            self.position += 1
        self._normal_half(b"> ", b"+", new, lines)
        return Hunk(first, new_first, lines, begin)

    def _normal_half(self, prefix: bytes, mark: bytes, count: int, lines: list[tuple[bytes, bytes]]) -> None:
        for _ in range(count):
            self.charge(1)
            if self.position >= len(self.lines) or self.lines[self.position][:1] != prefix[:1]:
                raise self._malformed_error(numbered=True)
            lines.append((mark, self.lines[self.position][2:] or b"\n"))
            self.position += 1
            self._no_newline(lines)


def _merge(old: list[tuple[bytes, bytes]], new: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Merge the halves of a context hunk; an omitted half consists of the other one's context."""
    if not old:
        old = [line for line in new if line[0] == b" "]
    if not new:
        new = [line for line in old if line[0] == b" "]
    lines: list[tuple[bytes, bytes]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        while i < len(old) and old[i][0] != b" ":
            lines.append((b"-", old[i][1]))
            i += 1
        while j < len(new) and new[j][0] != b" ":
            lines.append((b"+", new[j][1]))
            j += 1
        if i < len(old):
            lines.append(old[i])
            i += 1
        elif j < len(new):
            lines.append(new[j])
        j += 1
    return lines


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _file(data: bytes) -> tuple[str | None, bool]:
    """Return the name in a header line, and whether the line marks the file as absent."""
    body = data.rstrip(b"\r\n")
    if body[:1] == b'"':
        end = body.find(b'"', 1)
        name, stamp = (body[1:end], body[end + 1 :]) if end > 0 else (body, b"")
    else:
        name, tab, stamp = body.partition(b"\t")
        if not tab:
            match = re.search(rb"(?<!\s)\s++(?:\d{4}-\d\d-\d\d |[A-Z][a-z]{2} [A-Z][a-z]{2} )", body)
            if match:
                name, stamp = body[: match.start()], body[match.start() :]
    if name == b"/dev/null":
        return None, True
    return _text(name) or None, bool(_EPOCH.search(stamp))

"""Reads patches, for git apply.

Source: git-apply(1); git 2.39, apply.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.text.numbers import is_number
from sandhook.utilities.git.commands.apply.binary import BinaryChange, read_hunk, unrecognized
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.quote import unquote
from sandhook.utilities.git.store.access import decode

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_NO_NEWLINE = b"\\ "
_WHOLE = lazily(r"[0-9a-f]{40}")


class Hunk(Record):
    """A hunk of a patch.

    Fields:
        lines: The lines with their marks, in which a missing newline at the end was removed.
        number: The line of the input that it begins at.
    """

    old: int
    new: int
    lines: tuple[tuple[bytes, bytes], ...]
    number: int

    def side(self, mark: bytes) -> list[bytes]:
        """Return the lines of the old (b"-") or the new file (b"+")."""
        return [line for sign, line in self.lines if sign in (b" ", mark)]


class FilePatch(Record):
    """What a patch does to one file.

    Fields:
        old, new: Paths; "" for a file that does not exist.
        old_mode, new_mode: 0 where the patch does not say.
        kind: "rename", "copy" or "".
        score: The similarity of a rename, in per cent.
        is_git: The patch begins with "diff --git", so that its names begin at the top of the working tree.
        binary: The change of a binary file.
        old_id, new_id: The names of both files as objects, which may be abbreviated; "" where the patch does not say.
    """

    old: str
    new: str
    hunks: tuple[Hunk, ...]
    old_mode: int = 0
    new_mode: int = 0
    kind: str = ""
    score: int = 0
    is_git: bool = False
    binary: BinaryChange | None = None
    old_id: str = ""
    new_id: str = ""

    @property
    def path(self) -> str:
        """The path of the new file, or of the one that is removed."""
        return self.new or self.old

    def reversed(self) -> FilePatch:
        """Return the patch that undoes this one."""
        signs = {b"+": b"-", b"-": b"+"}
        hunks = tuple(
            Hunk(h.new, h.old, tuple((signs.get(sign, sign), line) for sign, line in h.lines), h.number)
            for h in self.hunks
        )
        binary = None if self.binary is None else self.binary.reversed()
        return self._replace(
            old=self.new,
            new=self.old,
            hunks=hunks,
            old_mode=self.new_mode,
            new_mode=self.old_mode,
            binary=binary,
            old_id=self.new_id,
            new_id=self.old_id,
        )


class PatchReader:
    """Reads the patches of one input.

    Args:
        strip: How many directories are removed from names. root: What is put before names.
    """

    def __init__(self, data: bytes, strip: int, root: str, charge: Callable[[int], None]) -> None:
        self._lines = data.split(b"\n")
        if self._lines[-1] == b"":
            self._lines.pop()
        self._ends = data.endswith(b"\n")
        self._strip = strip
        self._root = root
        self._charge = charge
        self._at = 0

    def read(self) -> list[FilePatch]:
        """Return all patches. Raises GitError for a damaged one."""
        patches = []
        lines = self._lines
        while self._at < len(lines):
            self._charge(1)
            line = lines[self._at]
            if line.startswith(b"diff --git "):
                patches.append(self._of_git())
            elif line.startswith(b"--- ") and self._follows(b"+++ ", 1) and self._follows(b"@@ -", 2):
                patches.append(self._traditional())
            else:
                self._at += 1
        return patches

    def _follows(self, start: bytes, distance: int) -> bool:
        at = self._at + distance
        return at < len(self._lines) and self._lines[at].startswith(start)

    def _name(self, text: bytes, strip: int | None = None) -> str:
        """Return the path of a name, "" for /dev/null. Raises GitError for a name that has too few directories."""
        name = decode(text)
        name = unquote(name) if name.startswith('"') else name.partition("\t")[0]
        if name == "/dev/null":
            return ""
        parts = name.split("/")
        strip = self._strip if strip is None else strip
        if len(parts) <= strip:
            raise GitError(f"unable to find filename in patch at line {self._at + 1}", prefix="error")
        return self._root + "/".join(parts[strip:])

    def _traditional(self) -> FilePatch:
        old, new = self._name(self._lines[self._at][4:]), self._name(self._lines[self._at + 1][4:])
        self._at += 2
        hunks = self._hunks()
        name = new or old
        is_new = not old or (len(hunks) == 1 and hunks[0].old == 0)
        is_old = not new or (len(hunks) == 1 and hunks[0].new == 0)
        return FilePatch("" if is_new else name, "" if is_old else name, hunks)

    def _of_git(self) -> FilePatch:
        names = _names_of(self._lines[self._at][len(b"diff --git ") :])
        self._at += 1
        facts: dict[str, str] = {}
        marks: dict[bytes, bytes] = {}
        while self._at < len(self._lines):
            line = self._lines[self._at]
            known = next((start for start in _EXTENDED if line.startswith(start.encode())), None)
            if known is not None:
                facts[known] = decode(line[len(known) :])
            elif line[:4] in (b"--- ", b"+++ "):
                marks[line[:4]] = line[4:]
            else:
                break
            self._at += 1
        is_binary = self._follows(b"Binary files ", 0)
        binary = None
        if is_binary or self._follows(b"GIT binary patch", 0):
            binary = self._binary(facts.get("index ", "").partition(" ")[0], has_data=not is_binary)
        found = self._with_facts(names, facts, marks, self._hunks())
        return found._replace(is_git=True, binary=binary)

    def _binary(self, ids: str, *, has_data: bool) -> BinaryChange:
        """Return the change of a binary file."""
        self._at += 1
        old, _, new = ids.partition("..")
        change = BinaryChange(old if _WHOLE.fullmatch(old) else "", new if _WHOLE.fullmatch(new) else "")
        if not has_data:
            return change
        forward, self._at = read_hunk(self._lines, self._at)
        if forward is None:
            raise unrecognized(self._at)
        reverse, self._at = read_hunk(self._lines, self._at)
        return change._replace(forward=forward, reverse=reverse)

    def _with_facts(
        self, names: bytes | None, facts: dict[str, str], marks: dict[bytes, bytes], hunks: tuple[Hunk, ...]
    ) -> FilePatch:
        common = self._name(names) if names is not None else ""
        kind = next((kind for kind in ("rename", "copy") if f"{kind} from " in facts), "")
        if kind:
            moved = max(0, self._strip - 1)
            old = self._name(facts[f"{kind} from "].encode("utf-8", "surrogateescape"), moved)
            new = self._name(facts.get(f"{kind} to ", "").encode("utf-8", "surrogateescape"), moved)
        else:
            old = self._name(marks[b"--- "]) if b"--- " in marks else common
            new = self._name(marks[b"+++ "]) if b"+++ " in marks else common
        if "new file mode " in facts:
            old = ""
        if "deleted file mode " in facts:
            new = ""
        if not (old or new):
            raise GitError(
                f"git diff header lacks filename information when removing {self._strip} leading pathname component"
                f"{'s' * (self._strip != 1)} (line {self._at + 1})",
                prefix="error",
            )
        ids, _, index_mode = facts.get("index ", "").partition(" ")
        old_mode = _mode(facts.get("old mode ") or facts.get("deleted file mode ") or index_mode)
        new_mode = _mode(facts.get("new mode ") or facts.get("new file mode ") or index_mode)
        score = facts.get("similarity index ", "0").rstrip("%")
        return FilePatch(
            old,
            new,
            hunks,
            old_mode,
            new_mode,
            kind=kind,
            score=int(score) if is_number(score) and len(score) < 4 else 0,
            old_id=ids.partition("..")[0],
            new_id=ids.partition("..")[2],
        )

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks = []
        while self._follows(b"@@ -", 0):
            hunks.append(self._hunk())
        return tuple(hunks)

    def _hunk(self) -> Hunk:
        number = self._at + 1
        match = _HUNK.match(self._lines[self._at])
        if match is None:
            raise self._corrupt()
        old, old_size, new, new_size = (int(each) if each is not None else 1 for each in match.groups())
        self._at += 1
        lines: list[tuple[bytes, bytes]] = []
        while old_size > 0 or new_size > 0:
            if self._at >= len(self._lines):
                raise self._corrupt()
            self._charge(1)
            line = self._lines[self._at]
            mark = line[:1] or b" "  # an empty line of context may lack its blank
            if mark not in (b" ", b"+", b"-"):
                raise self._corrupt()
            old_size -= mark != b"+"
            new_size -= mark != b"-"
            if old_size < 0 or new_size < 0:
                raise self._corrupt()
            lines.append((mark, line[1:] + b"\n"))
            self._at += 1
            if self._follows(_NO_NEWLINE, 0):
                lines[-1] = (mark, line[1:])
                self._at += 1
        return Hunk(old, new, tuple(lines), number)

    def _corrupt(self) -> GitError:
        return GitError(f"corrupt patch at line {self._at + 1}", prefix="error")


_EXTENDED = (
    "old mode ", "new mode ", "deleted file mode ", "new file mode ", "copy from ", "copy to ", "rename from ",
    "rename to ", "similarity index ", "dissimilarity index ", "index ",
)  # fmt: skip


def _names_of(text: bytes) -> bytes | None:
    """Return the name of "a/NAME b/NAME"; None if the two differ."""
    if text.startswith(b'"'):
        end = text.find(b'" ', 1)
        return text[: end + 1] if end > 0 else None
    middle = len(text) // 2
    first, second = text[:middle], text[middle + 1 :]
    same = first.partition(b"/")[2] == second.partition(b"/")[2]
    return first if text[middle : middle + 1] == b" " and same else None


def _mode(text: str | None) -> int:
    return int(text, 8) if text and len(text) < 8 and all(c in "01234567" for c in text) else 0


def place_of(
    lines: Sequence[bytes],
    patched: Sequence[bool],
    hunk: Hunk,
    *,
    is_loose: bool,
    charge: Callable[[int], None],
) -> int:
    """Return the line that a hunk applies at, -1 for none: the expected one, or the nearest one.

    Args:
        patched: Which lines earlier hunks made, where none applies.
        is_loose: Hunks without context need not be at the ends of the file (--unidiff-zero).
    """
    wanted = hunk.side(b"-")
    at_start = hunk.old == 0 or (hunk.old == 1 and not is_loose)
    at_end = not is_loose and (not hunk.lines or hunk.lines[-1][0] != b" ")
    start = 0 if at_start else len(lines) - len(wanted) if at_end else max(0, hunk.new - 1)
    start = min(max(0, start), len(lines))

    def fits(at: int) -> bool:
        charge(1 + (len(wanted) >> 4))
        end = at + len(wanted)
        if end > len(lines) or (at_end and end != len(lines)) or (at_start and at):
            return False
        if any(patched[at:end]) or list(lines[at : end - 1]) != wanted[:-1]:
            return False
        last = lines[end - 1] if wanted else b""
        if not wanted or last == wanted[-1]:
            return True
        # git compares bytes: a hunk without a last newline also fits a line that only goes on with blanks
        begins = not wanted[-1].endswith(b"\n") and last.startswith(wanted[-1])
        return not at_end and begins and not last[len(wanted[-1]) :].strip()

    if fits(start):
        return start
    if at_start or at_end:
        return -1
    for distance in range(1, len(lines) + 1):
        for at in (start + distance, start - distance):
            if 0 <= at <= len(lines) and fits(at):
                return at
    return -1

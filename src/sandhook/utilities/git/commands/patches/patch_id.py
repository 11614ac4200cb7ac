"""git patch-id: a name for each patch of standard input, which white space and line numbers do not change.

Source: git-patch-id(1); git 2.39, builtin/patch-id.c.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from sandhook.command.options import opt, option_set
from sandhook.lazy import lazily
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.program import Invocation

_NULL = "0" * 40
_COMMIT = lazily(rb"(?:commit |From )?([0-9a-fA-F]{40})")
_HUNK = lazily(rb"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))?")
_LETTER = lazily(rb"[A-Za-z]")


@option_set
class Options:
    """Options of git patch-id."""

    unstable: bool = opt("--unstable")
    stable: bool = opt("--stable")
    verbatim: bool = opt("--verbatim")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the name of each patch and that of its commit; return 0."""
    parsed = Parser(Options).parse(arguments)
    options = parsed.of(Options)
    if sum((options.unstable, options.stable, options.verbatim)) > 1:
        raise GitError("options of git patch-id exclude each other", prefix="error", status=129)
    stable, verbatim = options.stable or options.verbatim, options.verbatim
    repository = call.find_repository()
    if repository is not None and not (stable or options.unstable):
        verbatim = repository.config.boolean("patchid.verbatim")
        stable = verbatim or repository.config.boolean("patchid.stable")
    commit, ids = _NULL, _PatchIds(stable=stable, verbatim=verbatim)
    with call.ctx.stdin_reader() as reader:
        for line in reader.lines():
            call.access.charge(1 + (len(line) >> 8))
            while not ids.take(line):  # the line begins or ends a patch
                commit = _report(call, ids, commit)
                if ids.consumed:
                    break
    _report(call, ids, commit)
    return 0


def _report(call: Invocation, ids: _PatchIds, commit: str) -> str:
    """Print a patch that has ended; return the commit of the next one."""
    if ids.size:
        call.ctx.write_line(f"{ids.result()} {commit}")
    following = ids.following
    ids.reset()
    return following


class _PatchIds:
    """Computes the name of one patch after the other.

    Attributes:
        size: Characters of the patch that count.
        following: The commit that a line names, which ends the patch before it; NULL for other ends.
        consumed: The line that ended a patch does not belong to the next one.
    """

    def __init__(self, *, stable: bool, verbatim: bool) -> None:
        self._stable = stable
        self._verbatim = verbatim
        self.reset()

    def reset(self) -> None:
        """Begin with the next patch."""
        self._hash = hashlib.sha1(usedforsecurity=False)
        self._sum = 0
        self.size = 0
        self.following = _NULL
        self.consumed = True
        self._before: int | None = None  #: lines of the hunk that are left; None in the header of a file
        self._after = 0
        self._is_binary = False
        self._ids = (b"", b"")

    def result(self) -> str:
        """Return the name of the patch."""
        self._flush()
        return self._sum.to_bytes(20, "little").hex()

    def _flush(self) -> None:
        number = int.from_bytes(self._hash.digest(), "little")
        self._sum = (self._sum + number) % (1 << 160)
        self._hash = hashlib.sha1(usedforsecurity=False)

    def take(self, line: bytes) -> bool:
        """Read a line. Return False for one that ends the patch."""
        if line.startswith(b"\\ ") and len(line) > 12:
            if self._verbatim:
                self._hash.update(line)
            return True
        if (named := _COMMIT.match(line)) is not None:
            self.following = named[1].decode().lower()
            return False
        if not self.size and not line.startswith(b"diff "):
            return True
        if self._before is None and (answer := self._header(line)) is not None:
            return answer
        if self._is_binary:
            if line.startswith(b"diff "):
                self._is_binary, self._before = False, None
            return True
        if self._before == 0 and self._after == 0:
            if (hunk := _HUNK.match(line)) is not None:
                self._before, self._after = (1 if each is None else int(each) for each in hunk.groups())
                return True
            if not line.startswith(b"diff "):
                return False
            if self._stable:
                self._flush()
            self._before = None
        if self._before is not None:
            self._before -= line[:1] in (b"-", b" ")
            self._after -= line[:1] in (b"+", b" ")
        text = line if self._verbatim else b"".join(line.split())
        self.size += len(text)
        self._hash.update(text)
        return True

    def _header(self, line: bytes) -> bool | None:
        """Read a line of the header of a file. Return None for one that belongs to the patch, else what ``take`` returns."""
        if line.startswith((b"GIT binary patch", b"Binary files")):
            self._is_binary, self._before, self._after = True, 0, 0
            self._hash.update(b"".join(self._ids))
            if self._stable:
                self._flush()
            return True
        if line.startswith(b"index "):
            old, dots, new = line[len(b"index ") :].partition(b"..")
            if dots:
                self._ids = (old, new.partition(b" ")[0].rstrip(b"\n"))
            return True
        if line.startswith(b"--- "):
            self._before = self._after = 1
            return None
        return None if _LETTER.match(line) is not None else False

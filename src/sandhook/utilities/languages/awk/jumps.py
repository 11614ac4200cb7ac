"""``break``, ``continue``, ``next`` and ``nextfile`` in the wrong places.

gawk continues after such an error, and prints the errors of a run of these statements again
when another statement ends the run. Oracle: gawk 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.languages.awk.values import Fatal, Misplaced

JUMPS = frozenset(("break", "continue", "next", "nextfile"))
LOOPS = frozenset(("while", "for", "do"))


class MisplacedJump(Fatal):
    """A program has such errors, and no other; all of them are in ``misplaced``."""

    def __init__(self, misplaced: Sequence[Misplaced]) -> None:
        super().__init__(misplaced[0].text, 1, misplaced[0].line)
        self.misplaced = tuple(misplaced)


class Jumps:
    """Collects the errors of one program, in the order in which gawk prints them.

    Attributes:
        misplaced: The errors.
    """

    __slots__ = ("_follows_loop", "_run", "misplaced")

    def __init__(self) -> None:
        self.misplaced: list[Misplaced] = []
        self._run: list[Misplaced] = []
        self._follows_loop = False

    def add(self, text: str, line: int, at: int) -> None:
        """Add a ``break`` or ``continue`` outside of a loop."""
        self.misplaced.append(Misplaced(text, line, at))
        self._run.append(self.misplaced[-1])

    def add_once(self, text: str, line: int) -> None:
        """Add a ``next`` or ``nextfile`` in a special rule, which is printed at the end of the run alone."""
        self._run.append(Misplaced(text, line, -1))

    def begin(self, kind: str, at: int) -> None:
        """Note that a statement begins; every one but a jump ends a run."""
        if kind not in JUMPS:
            self.end_run(at, kind in LOOPS)

    def end(self, kind: str) -> None:
        """Note that a statement has ended."""
        if kind not in JUMPS:
            self._follows_loop = kind in LOOPS

    def end_run(self, at: int, precedes_loop: bool = False) -> None:
        """Add the errors of the run again, except for one directly after a loop, or alone before one."""
        run = self._run
        if run:
            if run[0].at >= 0 and (self._follows_loop or (precedes_loop and len(run) == 1)):
                run = run[1:]
            self.misplaced += [Misplaced(each.text, each.line, at) for each in run]
            self._run = []
        self._follows_loop = False

"""Which members tar works on: the operands, --exclude, and the options that change their matching.

Source: GNU tar 1.34 manual, "Choosing Files and Names for tar".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sandhook.pattern.glob import Pattern, compile_pattern

if TYPE_CHECKING:
    from sandhook.utilities.archive.tar.options import Options

#: What --exclude-vcs leaves out.
_VERSION_CONTROL = (
    "CVS", ".cvsignore", "RCS", "SCCS", ".git", ".gitignore", ".gitattributes", ".gitmodules", ".arch-ids", "{arch}",
    "=RELEASE-ID", "=meta-update", "=update", ".bzr", ".bzrignore", ".bzrtags", ".hg", ".hgignore", ".hgtags",
    ".svn", "_darcs",
)  # fmt: skip


class Selection:
    """Members that are selected or excluded; ``unseen`` has the operands that matched no member yet."""

    def __init__(self, options: Options, excluded: Sequence[str], charge: Callable[[int], None]) -> None:
        self._options = options
        self._charge = charge
        patterns = options.wildcards is not False
        self._tails = options.anchored is not True
        self._excluded = [self._matcher(text, patterns) for text in excluded]
        if options.vcs:
            self._excluded += [self._matcher(text, False) for text in _VERSION_CONTROL]
        if options.backups:
            self._excluded += [self._matcher(text, True) for text in (".#*", "*~", "#*#")]
        self._operands: dict[str, Callable[[str], bool]] = {}
        self._match_counts: dict[str, int] = {}
        self.unseen: dict[str, None] = {}

    def add_operands(self, names: Iterable[str]) -> None:
        """Add the operands."""
        for name in names:
            key = name.rstrip("/") or name
            self._operands[key] = self._matcher(key, self._options.wildcards is True)
            self.unseen[key] = None

    def _matcher(self, text: str, wild: bool) -> Callable[[str], bool]:
        self._charge(1 + (len(text) >> 3))
        nocase = self._options.ignore_case
        if not wild:
            expected = text.casefold() if nocase else text
            return lambda name: (name.casefold() if nocase else name) == expected
        if self._options.match_slash:
            pattern = compile_pattern(text, extglob=False, nocase=nocase)
            return lambda name: pattern.matches(name, self._charge)
        parts = [compile_pattern(part, extglob=False, nocase=nocase) for part in text.split("/")]
        return lambda name: self._parts_match(name, parts)

    def _parts_match(self, name: str, parts: list[Pattern]) -> bool:
        words = name.split("/")
        return len(words) == len(parts) and all(
            pattern.matches(word, self._charge) for pattern, word in zip(parts, words)
        )

    def excludes(self, name: str) -> bool:
        """Return whether --exclude matches a name, or the part of it after any slash."""
        if not self._excluded:
            return False
        bare = name.rstrip("/")
        for tail in _tails(bare) if self._tails else (bare,):
            self._charge(len(tail) >> 6)
            if any(matches(tail) for matches in self._excluded):
                return True
        return False

    def selects(self, name: str) -> bool:
        """Return whether the operands select a member, or a directory above it."""
        if self._excluded and any(self.excludes(part) for part in self._leading(name)):
            return False
        if not self._operands:
            return True
        matched: dict[str, None] = {}
        for tail in _tails(name) if self._options.anchored is False else (name,):
            for part in (tail,) if self._options.flat else self._leading(tail):
                self._charge(len(self._operands) >> 5)
                matched.update((key, None) for key, matches in self._operands.items() if matches(part))
        occurrences = [self._is_occurrence(key) for key in self._operands if key in matched]
        return any(occurrences)

    def _leading(self, name: str) -> Iterator[str]:
        """Yield the directories above a name, and the name. A name of many components is long: each is charged."""
        for at, letter in enumerate(name):
            if letter == "/" and at:
                self._charge(at >> 6)
                yield name[:at]
        yield name

    def _is_occurrence(self, key: str) -> bool:
        """Record that an operand matched; return whether this is the match of --occurrence."""
        self.unseen.pop(key, None)
        number = self._match_counts[key] = self._match_counts.get(key, 0) + 1
        return self._options.occurrence in (None, number)


def _tails(name: str) -> Iterator[str]:
    """Yield a name, and its part after each slash."""
    yield name
    for at, letter in enumerate(name):
        if letter == "/":
            yield name[at + 1 :]

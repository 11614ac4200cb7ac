"""Which pairs of a comparison are printed, and in which order: -S, -G, --find-object, --diff-filter, -O, --rotate-to.

Source: git-diff(1); git 2.39, diffcore-pickaxe.c, diffcore-order.c and diffcore-rotate.c.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.pattern.posix import Regex
from sandhook.utilities.git.diff.appearance import compile_pattern
from sandhook.utilities.git.diff.model import Pair, Side
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.xdiff import compare, split_lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.wildmatch import wildmatch
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.repository import Repository


class Pickaxe:
    """Selects pairs by what they change.

    Args:
        load: Returns the contents of a side. is_binary: Returns whether git takes them for binary.
    """

    def __init__(
        self,
        repository: Repository,
        options: DiffOptions,
        load: Callable[[Side], bytes],
        is_binary: Callable[[Side, bytes], bool],
    ) -> None:
        self._charge = repository.access.charge
        self._options = options
        self._load = load
        self._is_binary = is_binary
        self._regex: Regex | None = None
        self._object = _object(repository, options.find_object)
        if options.pickaxe_lines is not None:
            self._regex = compile_pattern(options.pickaxe_lines)
        elif options.pickaxe_regex and options.pickaxe is not None:
            self._regex = compile_pattern(options.pickaxe)

    def selects(self, pair: Pair) -> bool:
        """Return True if -S, -G or --find-object selects a pair."""
        if pair.status == "U":
            return False
        if self._object is not None:
            return self._object in (side.oid for side in (pair.old, pair.new) if side.exists)
        old, new = self._load(pair.old), self._load(pair.new)
        self._charge(1 + ((len(old) + len(new)) >> 10))
        if self._options.pickaxe_lines is not None and self._regex is not None:
            return self._changes_lines(pair, old, new, self._regex)
        if self._regex is not None:
            return sum(1 for _ in self._regex.finditer(old)) != sum(1 for _ in self._regex.finditer(new))
        text = encode(self._options.pickaxe or "")
        return old.count(text) != new.count(text)

    def _changes_lines(self, pair: Pair, old: bytes, new: bytes, regex: Regex) -> bool:
        sides = ((pair.old, old), (pair.new, new))
        if not self._options.text and any(self._is_binary(side, data) for side, data in sides):
            return False
        before, after = split_lines(old), split_lines(new)
        return any(
            regex.search(line) is not None
            for change in compare(before, after, self._charge)
            for line in (*before[change.old : change.old_end], *after[change.new : change.new_end])
        )


def _object(repository: Repository, name: str | None) -> str | None:
    """Return the object of --find-object. Raises GitError for one that is unknown, or a directory."""
    if name is None:
        return None
    oid = Names(repository).find(name)
    if oid is None:
        raise GitError(f"unable to resolve '{name}'", prefix="error", status=129)
    found = repository.objects.find(oid)
    if found is not None and found.kind == "tree":
        raise GitError("--find-object of a directory is not offered in the sandbox (L-GIT-003)", status=129)
    return oid


def filtered(pairs: list[Pair], letters: str) -> list[Pair]:
    """Return the pairs that --diff-filter selects. Raises GitError for an unknown letter."""
    wrong = next((letter for letter in letters if letter.upper() not in "ACDMRTUXB*"), None)
    if wrong is not None:
        raise GitError(
            f"unknown change class '{wrong}' in --diff-filter={letters}", prefix="error", status=129
        )
    wanted = {letter for letter in letters if letter.isupper()}
    unwanted = {letter.upper() for letter in letters if letter.islower()}
    selected = [
        pair
        for pair in pairs
        if (not wanted - {"*"} or pair.status in wanted) and pair.status not in unwanted
    ]
    return pairs if "*" in letters and selected else selected


def ordered(
    repository: Repository, options: DiffOptions, pairs: list[Pair], *, porcelain: bool
) -> list[Pair]:
    """Return the pairs in the order of -O and of the setting diff.orderFile. Raises GitError for a missing file."""
    name = options.order_file
    if name is None and porcelain:
        name = repository.config.get("diff.orderfile")
    if not name:
        return pairs
    path, charge = repository.expand(name), repository.access.charge
    if name != "/dev/null" and repository.access.stat(path, follow=True) is None:
        raise GitError(f"failed to read orderfile '{name}': No such file or directory")
    text = repository.access.text_or_none(path) or ""
    patterns = [line for line in text.split("\n") if line and not line.startswith("#")]

    def place(pair: Pair) -> int:
        for number, pattern in enumerate(patterns):
            above = pair.path
            while above:
                if wildmatch(pattern, above, charge, pathname=False):
                    return number
                above = above.rpartition("/")[0]
        return len(patterns)

    return sorted(pairs, key=place)


def rotated(options: DiffOptions, pairs: list[Pair], *, strict: bool) -> list[Pair]:
    """Return the pairs from the path of --rotate-to or --skip-to on.

    Args:
        strict: A path without a change is an error; else the next path counts.
    """
    target = options.rotate_to if options.rotate_to is not None else options.skip_to
    if target is None or not pairs:
        return pairs
    paths = (pair.path for pair in pairs)
    at = next((at for at, path in enumerate(paths) if path == target or (not strict and path > target)), None)
    if at is None:
        if strict:
            raise GitError(f"No such path '{target}' in the diff")
        return pairs
    return [*pairs[at:], *(pairs[:at] if options.skip_to is None else ())]

"""Splits operands into revisions and paths, where "--" does not.

Source: git's revision.c (setup_revisions) and setup.c (verify_filename).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names, excluded_parent
from sandhook.utilities.git.names.wildmatch import has_wildcard
from sandhook.utilities.git.store.repository import Repository
from sandhook.vfs.path import VirtualPath, join

_SEPARATE = (
    "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
)


def is_revision(names: Names, word: str) -> bool:
    """Return True for the name of a revision, or a range of them."""
    word = word.removeprefix("^")
    for suffix in ("^@", "^!"):
        word = word.removesuffix(suffix)
    if (excluded := excluded_parent(word)) is not None:
        return names.find(f"{excluded[0]}^{excluded[1]}") is not None
    dots = "..." if "..." in word else ".."
    if dots in word and word not in ("..", "..."):
        left, _, right = word.partition(dots)
        if names.find(left or "HEAD") is not None and names.find(right or "HEAD") is not None:
            return True
    return names.find(word) is not None


def split_operands(
    repository: Repository,
    operands: Sequence[str],
    paths: list[str] | None,
    late: Sequence[tuple[int, str]] = (),
) -> tuple[list[str], list[str]]:
    """Return the revisions and the paths.

    Args:
        late: Options after operands, as the parser has them: no option may follow a path.

    Raises:
        GitError: A word is neither, or is both and there is no "--".
    """
    names = Names(repository)
    if paths is not None:
        for word in operands:
            if not is_revision(names, word):
                raise GitError(f"bad revision '{word}'")
            _check_object(names, word)
        return list(operands), paths
    revisions: list[str] = []
    for at, word in enumerate(operands):
        if not is_revision(names, word):
            if word.startswith("^"):
                raise GitError(f"bad revision '{word}'")
            for number, path in enumerate(operands[at:], at):
                _check_path(repository, names, path, first=path == word)
                option = next((option for count, option in late if count == number + 1), None)
                if option is not None:
                    raise GitError(f"option '{option}' must come before non-option arguments")
            return revisions, list(operands[at:])
        if _exists(repository, word):
            raise GitError(f"ambiguous argument '{word}': both revision and filename\n{_SEPARATE}")
        _check_object(names, word)
        revisions.append(word)
    return revisions, []


def _check_object(names: Names, word: str) -> None:
    """Raise GitError for the name of an object that the repository does not have."""
    if not names.has_object(word):
        raise GitError(f"bad object {word}")


def _exists(repository: Repository, word: str) -> bool:
    if repository.place.root is None:
        return False
    return repository.access.stat(join(VirtualPath(repository.options.cwd), word)) is not None


def _is_place(repository: Repository, word: str) -> bool:
    """Return True for a path that exists, after the magic of a pathspec in its short form."""
    if word[:2] in (":!", ":^"):
        return len(word) == 2 or _exists(repository, word[2:])
    if word.startswith(":/"):
        root = repository.place.root
        return (
            root is not None and repository.access.stat(join(VirtualPath(root), word[2:] or ".")) is not None
        )
    return _exists(repository, word)


#: A wildcard that no backslash precedes.
_GLOB = re.compile(r"(?:^|[^\\])(?:\\\\)*[*?\[]")


def looks_like_pathspec(word: str) -> bool:
    """Return True for a word with wildcards or ":(magic)", which need not be the name of a file."""
    return word.startswith(":(") or (has_wildcard(word) and _GLOB.search(word) is not None)


def without_missing(names: Names, words: Sequence[str]) -> list[str]:
    """Return the words that name objects of the repository (--ignore-missing)."""
    return [
        word for word in words if word == "--not" or (is_revision(names, word) and names.has_object(word))
    ]


def check_paths(repository: Repository, words: Sequence[str], *, first: bool = True) -> None:
    """Raise GitError for a word that is not a path, where "--" does not say that it is.

    Args:
        first: The first word could be a revision, too.
    """
    names = Names(repository)
    for at, word in enumerate(words):
        _check_path(repository, names, word, first=first and not at)


def _check_path(repository: Repository, names: Names, word: str, *, first: bool) -> None:
    """Raise GitError for a word that is neither a revision nor a file."""
    if looks_like_pathspec(word) or _is_place(repository, word):
        return
    if not first:
        raise GitError(
            f"{word}: no such path in the working tree.\n"
            "Use 'git <command> -- <path>...' to specify paths that do not exist locally."
        )
    if (error := names.missing_path(word)) is not None:
        raise error
    text = f"ambiguous argument '{word}': unknown revision or path not in the working tree.\n{_SEPARATE}"
    raise names.with_type_fault(word, text)

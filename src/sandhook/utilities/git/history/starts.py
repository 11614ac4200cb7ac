"""What the operands and options of a walk name: the commits to begin with, and those that are left out.

Source: git-rev-list(1), "Commit Limiting"; git 2.39, revision.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.record import Record
from sandhook.utilities.git.diff.model import NULL_ID
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import merge_bases
from sandhook.utilities.git.history.names import Names, excluded_parent
from sandhook.utilities.git.history.operands import is_revision
from sandhook.utilities.git.names.pathspec import Pathspec, parse_pathspec
from sandhook.utilities.git.names.wildmatch import has_wildcard, wildmatch
from sandhook.utilities.git.store.access import decode
from sandhook.utilities.git.store.commits import Tag
from sandhook.utilities.git.store.repository import Repository


class Starts(Record):
    """What the operands of a walk name.

    Fields:
        wanted, unwanted: Commits.
        left: The commits of the left side of "A...B".
        names: The word or the reference that names each wanted commit first.
    """

    wanted: list[str]
    unwanted: list[str]
    left: list[str]
    names: dict[str, str]


_WORDS = ("--all", "--not", "--reflog", "--bisect")
_GLOBS = {"--branches": "refs/heads/", "--tags": "refs/tags/", "--remotes": "refs/remotes/"}


def pull_starts(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options that name revisions ("--all", "--not", "--branches=x") in order, and the other arguments."""
    special: list[str] = []
    rest: list[str] = []
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    for at, word in enumerate(words):
        name = word.partition("=")[0]
        if at < end and (word in _WORDS or name in _GLOBS or name in ("--glob", "--exclude")):
            special.append(word)
            if word == "--not":
                rest.append("--not")
        else:
            rest.append(word)
    return special, rest


def find_starts(repository: Repository, revisions: Sequence[str], special: Sequence[str]) -> Starts:
    """Return the commits that operands and options name. Raises GitError, RevisionError."""
    names = Names(repository)
    starts = Starts([], [], [], {})
    negated = False
    excluded: list[str] = []
    for word in special:
        name, _, pattern = word.partition("=")
        if name == "--not":
            negated = not negated
        elif name == "--exclude":
            excluded.append(pattern)
        elif name == "--reflog":
            (starts.unwanted if negated else starts.wanted).extend(_commits_of_reflogs(repository))
        elif name == "--bisect":
            _add_bisection(repository, starts, negated)
        else:
            found = _commits_of_refs(repository, word, excluded)
            (starts.unwanted if negated else starts.wanted).extend(oid for _, oid in found)
            if not negated:
                for ref, oid in found:
                    starts.names.setdefault(oid, ref)
            excluded = []
    negated = False
    for word in revisions:
        if word == "--not":
            negated = not negated
            continue
        _add_word(repository, names, word, starts, negated)
    return starts


def add_merge(repository: Repository, starts: Starts, pathspec: Pathspec) -> Pathspec:
    """Add both sides of the merge that a repository is in (--merge); return the paths with conflicts.

    Raises:
        GitError: There is no merge.
    """
    head, other = (repository.refs.resolve(name) for name in ("HEAD", "MERGE_HEAD"))
    for name, oid in (("HEAD", head), ("MERGE_HEAD", other)):
        if oid is None:
            raise GitError(f"--merge without {name}?")
    assert head is not None and other is not None
    starts.wanted.extend((head, other))
    starts.left.append(head)
    starts.unwanted.extend(merge_bases(repository, head, [other]))
    charge = repository.access.charge
    paths = [
        path
        for path, entries in repository.index.by_path.items()
        if entries[0].stage and pathspec.matches(path)
    ]
    return parse_pathspec(paths, "", repository.place.root or "/", charge, defaults=frozenset(("literal",)))


def names_of_refs(repository: Repository, special: Sequence[str]) -> list[str]:
    """Return the references that options such as --all and --branches=x select. Raises GitError for --not."""
    names: list[str] = []
    excluded: list[str] = []
    for word in special:
        name, _, pattern = word.partition("=")
        if name in ("--not", "--reflog", "--bisect"):
            raise GitError(f"{name} with reflogs is not offered in the sandbox (L-GIT-003)", status=129)
        if name == "--exclude":
            excluded.append(pattern)
            continue
        prefix = _GLOBS.get(name, "")
        names += [ref.removeprefix(prefix) for ref, _ in _selected_refs(repository, word, excluded)]
        excluded = []
    return names


def tags_of_starts(repository: Repository, revisions: Sequence[str], special: Sequence[str]) -> list[Tag]:
    """Return the tag objects that operands and options name."""
    names, objects = Names(repository), repository.objects
    oids = [names.find(word) for word in revisions if word != "--not" and not word.startswith("^")]
    excluded: list[str] = []
    for word in special:
        name, _, pattern = word.partition("=")
        if name == "--exclude":
            excluded.append(pattern)
        elif name not in ("--not", "--reflog", "--bisect"):
            oids += [oid for _, oid in _selected_refs(repository, word, excluded)]
            excluded = []
    known = [oid for oid in dict.fromkeys(oids) if oid is not None and objects.has(oid)]
    return [objects.tag(oid) for oid in known if objects.get(oid).kind == "tag"]


def with_input(repository: Repository, arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the revisions and the paths of standard input for "--stdin". Raises GitError."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    if "--stdin" not in words[:end]:
        return words
    at = words.index("--stdin")
    if "--stdin" in words[at + 1 : end]:
        raise GitError("--stdin given twice?")
    with repository.ctx.stdin_reader() as reader:
        lines = decode(reader.read_all()).split("\n")
    repository.access.charge(1 + len(lines))
    names, revisions, paths = Names(repository), [], []
    for number, line in enumerate(lines):
        if not line:
            break
        if line == "--":
            paths = lines[number + 1 :]
            break
        if line.startswith("-"):
            raise GitError("options not supported in --stdin mode")
        if not is_revision(names, line):
            raise GitError(f"bad revision '{line}'")
        revisions.append(names.find(line) or line)  # the name of an object is not taken for a file
    paths = paths[: paths.index("")] if "" in paths else paths
    after = words[end:] or ["--"]
    return (
        [*words[:at], *revisions, *words[at + 1 : end], *after, *paths]
        if paths
        else [*words[:at], *revisions, *words[at + 1 :]]
    )


def _commits_of_reflogs(repository: Repository) -> Iterator[str]:
    """Yield the commits of all entries of all reflogs."""
    objects = repository.objects
    for name in ("HEAD", *repository.refs.all()):
        for entry in repository.refs.log(name):
            for oid in (entry.old, entry.new):
                repository.access.charge(2)
                if oid != NULL_ID and objects.has(oid) and (commit := objects.peel(oid, "commit")):
                    yield commit


def _add_bisection(repository: Repository, starts: Starts, negated: bool) -> None:
    """Add the bad commit of a bisection, without the history of the good ones."""
    for name, oid in repository.refs.all("refs/bisect/").items():
        if name == "refs/bisect/bad":
            (starts.unwanted if negated else starts.wanted).append(oid)
        elif name.startswith("refs/bisect/good"):
            (starts.wanted if negated else starts.unwanted).append(oid)


def _commits_of_refs(repository: Repository, word: str, excluded: list[str]) -> list[tuple[str, str]]:
    """Return the references that an option selects, with their commits, without excluded ones."""
    peeled = (
        (ref, repository.objects.peel(oid, "commit"))
        for ref, oid in _selected_refs(repository, word, excluded)
    )
    prefix = _GLOBS.get(word, "")
    return [(ref.removeprefix(prefix), commit) for ref, commit in peeled if commit is not None]


def _selected_refs(repository: Repository, word: str, excluded: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the references that an option selects, such as --branches=x, with their objects."""
    name, _, pattern = word.partition("=")
    prefix = _GLOBS.get(name, "refs/")
    if name == "--glob":
        pattern = pattern.removeprefix("refs/")
    glob = prefix + pattern
    if pattern and not has_wildcard(pattern):
        glob = glob.rstrip("/") + "/*"
    charge = repository.access.charge
    found = {} if word != "--all" else {"HEAD": repository.refs.resolve("HEAD")}
    for ref, oid in (*repository.refs.all(prefix).items(), *found.items()):
        short = ref.removeprefix(prefix) if name in _GLOBS else ref
        if (
            oid is None
            or (pattern and not wildmatch(glob, ref, charge, pathname=False))
            or any(wildmatch(each, short, charge, pathname=False) for each in excluded)
        ):
            continue
        yield ref, oid


def _add_word(repository: Repository, names: Names, word: str, starts: Starts, negated: bool) -> None:
    wanted, unwanted = (starts.unwanted, starts.wanted) if negated else (starts.wanted, starts.unwanted)
    objects = repository.objects
    if word.startswith("^"):
        unwanted.append(names.commit(word[1:]))
        return
    if (excluded := excluded_parent(word)) is not None:
        wanted.append(names.commit(excluded[0]))
        starts.names.setdefault(wanted[-1], excluded[0])
        unwanted.append(names.commit(f"{excluded[0]}^{excluded[1]}"))
        return
    for suffix in ("^@", "^!"):
        if word.endswith(suffix):
            commit = names.commit(word[:-2])
            if suffix == "^!":
                wanted.append(commit)
                starts.names.setdefault(commit, word[:-2])
            (unwanted if suffix == "^!" else wanted).extend(objects.commit(commit).parents)
            return
    dots = "..." if "..." in word else ".."
    if dots in word:
        left, _, right = word.partition(dots)
        if names.find(left or "HEAD") is not None and names.find(right or "HEAD") is not None:
            first, second = names.commit(left or "HEAD"), names.commit(right or "HEAD")
            if not negated:
                for oid, name in ((first, left), (second, right))[dots == ".." :]:
                    starts.names.setdefault(oid, name or "HEAD")
            if dots == "...":
                wanted.extend((first, second))
                unwanted.extend(merge_bases(repository, first, [second]))
                starts.left.append(first)
            else:
                wanted.append(second)
                unwanted.append(first)
            return
    wanted.append(names.commit(word))
    if not negated:
        starts.names.setdefault(wanted[-1], word)

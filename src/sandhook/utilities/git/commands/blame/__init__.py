"""git blame: print which commit each line of a file is from.

Source: git-blame(1); git 2.39, blame.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.lazy import lazily
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.blame.copies import copy_options
from sandhook.utilities.git.commands.blame.options import Options
from sandhook.utilities.git.commands.blame.passing import Blame
from sandhook.utilities.git.commands.blame.writing import Writer
from sandhook.utilities.git.diff.drivers import Drivers
from sandhook.utilities.git.diff.ranges import Lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.operands import is_revision
from sandhook.utilities.git.names.pathspec import from_top
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.repository import Repository
from sandhook.vfs.path import VirtualPath, join

_WHOLE = lazily("[0-9a-f]{40}")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(Options).parse(arguments)
    options, repository = parsed.of(Options), call.repository
    _check_refused(options)
    operands = [*parsed.operands, *(parsed.paths or ())]
    if not operands or len(operands) > 2:
        raise GitError("usage: git blame [<options>] [<rev>] [--] <file>", prefix="", status=129)
    names = Names(repository)
    if len(operands) == 2 and parsed.paths is None and not is_revision(names, operands[0]):
        operands.reverse()
    path = from_top(operands[-1], repository.prefix, repository.place.root or "/", operands[-1])
    revision = operands[0] if len(operands) == 2 else None
    excluded: str | None = None
    if revision is not None and ".." in revision and "..." not in revision:
        left, _, revision = revision.partition("..")
        excluded, revision = names.commit(left or "HEAD"), revision or "HEAD"
    if revision is None and repository.place.root is None:
        revision = "HEAD"
    commit = None if revision is None else names.commit(revision)
    if options.contents is not None and commit is not None:
        raise GitError("cannot use --contents with final commit object name")
    contents = None if options.contents is None else _contents(call, options.contents)
    blame = Blame(
        repository, path, commit, name=revision, ignores_space=options.ignore_space, contents=contents
    )
    blame.limit(options, excluded)
    blame.copies = copy_options(options.moves)
    blame.ignored_commits = _ignored_commits(call, options, names)
    wanted = (
        _ranges(repository, options.ranges, path, blame.lines)
        if options.ranges
        else list(range(len(blame.lines)))
    )
    result = blame.run()
    Writer(call, options, blame, path).write(result, wanted)
    return 0


def _contents(call: Invocation, name: str) -> bytes:
    """Return the contents of --contents. Raises GitError for a file that cannot be read."""
    if name == "-":
        with call.ctx.stdin_reader() as reader:
            return reader.read_all()
    path = str(join(VirtualPath(call.options.cwd), name))
    found = call.access.stat(path, follow=True)
    if found is None:
        raise GitError(f"Cannot stat '{name}': No such file or directory")
    if found.mode & 0o170000 != 0o100000:
        raise GitError(f"unsupported file type {name}")
    return call.access.read(path)


def run_annotate(call: Invocation, arguments: Sequence[str]) -> int:
    """Print what git annotate prints; return 0."""
    return run(call, ["-c", *arguments])


def _check_refused(options: Options) -> None:
    """Raise GitError for options of git that are not offered."""
    if options.progress and (options.porcelain or options.line_porcelain or options.incremental):
        raise GitError("--progress can't be used with --incremental or porcelain formats")
    for name, is_set in (
        ("--reverse", options.reverse),
        ("--incremental", options.incremental),
        ("--show-stats and --score-debug", options.stats),
        ("--color-lines and --color-by-age", options.colors),
    ):
        if is_set:
            raise GitError(f"blame {name} is not offered in the sandbox (L-GIT-003)", status=129)


def _ignored_commits(call: Invocation, options: Options, names: Names) -> frozenset[str]:
    """Return the commits that blame looks through, of options and of blame.ignoreRevsFile. Raises GitError."""
    repository = call.repository
    found: set[str] = set()
    for name in (*repository.config.get_all("blame.ignorerevsfile"), *options.ignored_files):
        if not name:  # it clears the list, of which earlier files were read
            found.clear()
            continue
        text = call.access.text_or_none(repository.expand_setting(name))
        if text is None:
            raise GitError(f"could not open object name list: {name}")
        repository.ctx.budget.charge_memory(len(text) * 2)
        for line in text.split("\n"):
            call.access.charge(1)
            word = line.partition("#")[0].strip()
            if word and not _WHOLE.fullmatch(word):
                raise GitError(f"invalid object name: {word}")
            oid = repository.objects.peel(word, "commit") if word else None
            found.update(() if oid is None else (oid,))
    for word in options.ignored:
        oid = names.find(word)
        commit = None if oid is None else repository.objects.peel(oid, "commit")
        if commit is None:
            raise GitError(f"cannot find revision {word} to ignore")
        found.add(commit)
    return frozenset(found)


def _ranges(repository: Repository, texts: Sequence[str], path: str, lines: list[bytes]) -> list[int]:
    """Return the numbers of the lines of -L. Raises GitError for lines that the file does not have."""
    finder = Lines(lines, Drivers(repository).heading(path), repository.access.charge, shown=path)
    numbers: set[int] = set()
    anchor = 1
    for text in texts:
        found = finder.range(text, anchor)
        if found is None:
            raise GitError(
                "usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>", prefix="", status=129
            )
        numbers.update(range(*found))
        anchor = found[1] + 1
    return sorted(numbers)

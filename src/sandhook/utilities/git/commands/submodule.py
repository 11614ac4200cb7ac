"""git submodule status and foreach: the commits of submodules, and commands of the caller in them.

Source: git-submodule(1); git 2.39, builtin/submodule--helper.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.description import DescribeOptions, Description
from sandhook.utilities.git.history.nearest_ref import NearestRefs
from sandhook.utilities.git.names.quote import relative
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.index import IndexEntry
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Repository, find_place
from sandhook.utilities.git.work.submodules import gitmodules
from sandhook.vfs.path import VirtualPath

#: How git describes the commit of a submodule: the first that has a result.
_DESCRIPTIONS = (
    DescribeOptions(),
    DescribeOptions(tags=True),
    DescribeOptions(contains=True),
    DescribeOptions(all=True, always=True),
)
_MOST_LEVELS = 100
#: Variables of git that hold for submodules, too: all others name the repository of the caller.
_KEPT = (
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GIT_PAGER",
    "GIT_TERMINAL_PROMPT", "GIT_EDITOR", "GIT_EXEC_PATH",
)  # fmt: skip


@option_set
class StatusOptions:
    """Options of git submodule status."""

    quiet: bool = also(opt("-q"), opt("--quiet"))
    cached: bool = opt("--cached")
    recursive: bool = opt("--recursive")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the commit of each submodule; return 0."""
    words = list(arguments)
    at = next((place for place, word in enumerate(words) if not word.startswith("-")), len(words))
    command = words.pop(at) if at < len(words) else "status"
    if command == "foreach":
        return _foreach(call, words)
    if command != "status":
        raise GitError(
            f"'submodule {command}' is not offered in the sandbox: it reaches other repositories; "
            "submodule status and foreach are (L-GIT-001)",
            prefix="git",
            status=1,
        )
    parsed = Parser(StatusOptions).parse(words)
    operands = [*parsed.operands, *(parsed.paths or ())]
    _write_all(call, parsed.of(StatusOptions), call.repository, operands, "")
    return 0


def _write_all(
    call: Invocation, options: StatusOptions, repository: Repository, operands: Sequence[str], base: str
) -> None:
    """Print the submodules of a repository; ``base`` is the path of a submodule that contains them."""
    if base.count("/") > _MOST_LEVELS:
        call.ctx.budget.fail("nesting")
    pathspec = repository.pathspec(operands)
    for operand in operands:
        wanted = repository.pathspec([operand])
        if not any(wanted.matches(path) for path in repository.index.by_path):
            raise GitError(
                f"pathspec '{operand}' did not match any file(s) known to git", prefix="error", status=1
            )
    names = _names(repository)
    for path, entries in repository.index.by_path.items():
        entry = entries[0]
        if entry.mode != GITLINK or not pathspec.matches(path):
            continue
        if path not in names:
            raise GitError(f"no submodule mapping found in .gitmodules for path '{path}'")
        is_active = repository.config.get(f"submodule.{names[path]}.url") is not None
        inner = _inner(call, repository, path) if is_active else None
        shown = base + relative(path, repository.prefix)
        if not options.quiet:
            call.ctx.write_line(_line(entry, inner, shown, cached=options.cached))
        if inner is not None and options.recursive:
            _write_all(call, options, inner, (), f"{shown}/")


@option_set
class EachOptions:
    """Options of git submodule foreach."""

    quiet: bool = also(opt("-q"), opt("--quiet"))
    recursive: bool = opt("--recursive")


def _foreach(call: Invocation, words: Sequence[str]) -> int:
    """Run a command of the caller in each submodule that is checked out; return 0."""
    parsed = Parser(EachOptions, stop=True).parse(words)
    command = [*parsed.operands, *(parsed.paths or ())]
    call.repository.root  # noqa: B018  # raises without a working tree
    _run_in_each(call, parsed.of(EachOptions), call.repository, command, "")
    return 0


def _run_in_each(
    call: Invocation, options: EachOptions, repository: Repository, command: Sequence[str], base: str
) -> None:
    if base.count("/") > _MOST_LEVELS:
        call.ctx.budget.fail("nesting")
    names = _names(repository)
    for path, entries in repository.index.by_path.items():
        entry = entries[0]
        if entry.mode != GITLINK:
            continue
        if path not in names:
            raise GitError(f"No url found for submodule path '{base}{path}' in .gitmodules")
        inner = _inner(call, repository, path)
        if inner is None or inner.place.root is None:
            continue
        shown = base + relative(path, repository.prefix)
        if not options.quiet:
            call.ctx.write_line(f"Entering '{shown}'")
        values = {
            "name": names[path], "sm_path": path, "path": path, "displaypath": shown, "sha1": entry.oid,
            "toplevel": repository.root,
        }  # fmt: skip
        if command and (status := _run_in(call, inner.place.root, command, values)):
            text = f"run_command returned non-zero status for {shown}\n."
            raise GitError(text, status=128 if status else 0)
        if options.recursive:
            _run_in_each(call, options, inner, command, f"{shown}/")


def _run_in(call: Invocation, directory: str, command: Sequence[str], values: dict[str, str]) -> int:
    """Run a command in a directory; return its exit status. One word is text for the shell, as in git."""
    environment = {
        name: value
        for name, value in dict(call.ctx.environment).items()
        if not name.startswith("GIT_") or name in _KEPT
    }
    environment["GIT_DIR"] = ".git"
    if len(command) == 1:
        argv = ["sh", "-c", command[0]]
        environment |= values
    else:
        argv = ["sh", "-c", '"$@"', command[0], *command]
    call.ctx.flush()
    before = call.ctx.process.cwd
    call.ctx.process.cwd = VirtualPath(directory)
    try:
        return call.ctx.run(argv, environment=environment).status
    finally:
        call.ctx.process.cwd = before


def _names(repository: Repository) -> dict[str, str]:
    """Return the names of submodules by their paths, from .gitmodules."""
    config = gitmodules(repository)
    paths = ((config.get(f"submodule.{name}.path"), name) for name in config.subsections("submodule"))
    return {path: name for path, name in paths if path is not None}


def _inner(call: Invocation, repository: Repository, path: str) -> Repository | None:
    """Return the repository of a submodule, None if it is not checked out."""
    directory = f"{repository.root}/{path}"
    if call.access.stat(f"{directory}/.git") is None:
        return None
    environment = {
        name: value
        for name, value in call.options.environment.items()
        if name not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
    }
    options = call.options._replace(environment=environment, cwd=directory, git_dir=None, work_tree=None)
    place = find_place(call.access, options)
    return None if place is None else Repository(call.access, options, place)


def _line(entry: IndexEntry, inner: Repository | None, shown: str, *, cached: bool) -> str:
    if entry.stage:
        return f"U{'0' * 40} {shown}"
    head = None if inner is None else inner.refs.resolve("HEAD")
    if inner is None or head is None:
        return f"-{entry.oid} {shown}"
    oid = entry.oid if cached else head
    description = _description(inner, oid)
    return f"{' ' if head == entry.oid else '+'}{oid} {shown}" + (f" ({description})" if description else "")


def _description(inner: Repository, oid: str) -> str:
    """Return the description of a commit, "" if the submodule does not have it."""
    if not inner.objects.has(oid):
        return ""
    for options in _DESCRIPTIONS:
        try:
            found = _tag_above(inner, oid) if options.contains else Description(inner, options).text(oid)
        except GitError:
            continue  # the next form of a description
        if found is not None:
            return found
    return ""


def _tag_above(inner: Repository, oid: str) -> str | None:
    """Return the name of a commit by a tag that contains it, None without one."""
    return NearestRefs(inner, tags=True, short=True, sought=[inner.objects.commit(oid)]).name(oid)

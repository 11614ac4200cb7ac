"""git init: make an empty repository.

Source: git-init(1), gitrepository-layout(5); git 2.39, builtin/init-db.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.config import Config
from sandhook.utilities.git.store.refs import is_valid_name
from sandhook.utilities.git.store.repository import read_settings
from sandhook.utilities.git.store.writing import make_parents, write_new
from sandhook.vfs.path import VirtualPath, join, normalize

_DIRECTORIES = ("branches", "hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags")
_HINT = """\
hint: Using 'master' as the name for the initial branch. This default branch name
hint: is subject to change. To configure the initial branch name to use in all
hint: of your new repositories, which will suppress this warning, call:
hint:{blank}
hint: 	git config --global init.defaultBranch <name>
hint:{blank}
hint: Names commonly chosen instead of 'master' are 'main', 'trunk' and
hint: 'development'. The just-created branch can be renamed via this command:
hint:{blank}
hint: 	git branch -m <name>"""


@option_set
class Options:
    """Options of git init."""

    quiet: bool = also(opt("-q"), opt("--quiet"))
    bare: bool = opt("--bare")
    branch: str | None = also(opt("-b", "NAME", ""), opt("--initial-branch", "NAME", ""))
    template: str | None = opt("--template", "DIR", "")
    hash: str = opt("--object-format", "NAME", "", default="sha1")
    separate: str | None = opt("--separate-git-dir", "DIR", "")
    shared: str | None = opt("--shared", "MODE", "", optional=True, const="group")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Make a repository, unless it exists; return 0."""
    parsed = Parser(Options).parse(arguments)
    options, operands = parsed.of(Options), [*parsed.operands, *(parsed.paths or ())]
    for name, is_set in (
        ("--template", bool(options.template)),
        ("--separate-git-dir", options.separate is not None),
        ("--shared", options.shared is not None),
        (f"--object-format={options.hash}", options.hash != "sha1"),
    ):
        if is_set:
            raise GitError(f"init {name} is not offered in the sandbox (L-GIT-003)", status=129)
    if len(operands) > 1:
        raise GitError(
            "usage: git init [-q | --quiet] [--bare] [--template=<template-directory>]", prefix="", status=129
        )
    top = normalize(join(VirtualPath(call.options.cwd), operands[0] if operands else "."))
    bare = options.bare or call.options.bare
    git_dir = call.options.git_dir or call.options.environment.get("GIT_DIR")
    place = normalize(join(VirtualPath(call.options.cwd), git_dir)) if git_dir else top
    directory = str(place) if bare or git_dir else f"{str(top).rstrip('/')}/.git"
    exists = call.access.stat(f"{directory}/HEAD") is not None
    if call.access.is_file(directory):
        raise GitError(
            f"cannot initialize '{directory}': it is a file, which init does not follow (L-GIT-003)"
        )
    if exists and options.branch is not None:
        call.error(f"warning: re-init: ignored --initial-branch={options.branch}")
    branch = "" if exists else _branch(call, options)
    try:
        _make(call, directory, branch, bare=bare)
    except OSError as error:
        raise GitError(f"cannot mkdir {operands[0] if operands else directory}: {error.strerror}") from None
    if not options.quiet:
        verb = "Reinitialized existing" if exists else "Initialized empty"
        call.ctx.write_line(f"{verb} Git repository in {directory.rstrip('/')}/")
    return 0


def _branch(call: Invocation, options: Options) -> str:
    """Return the name of the first branch: that of the option, else of init.defaultBranch, else git's."""
    name = options.branch
    if options.branch is None:
        name = Config(list(read_settings(call.access, call.options, None))).get("init.defaultbranch")
        if name is not None and not is_valid_name(f"refs/heads/{name}"):
            raise GitError(f"invalid branch name: init.defaultBranch = {name}")
    if name is None:
        if not options.quiet:
            call.error(_HINT.replace("{blank}", " "))
        return "master"
    if not is_valid_name(f"refs/heads/{name}"):
        raise GitError(f"invalid initial branch name: '{name}'")
    return name


def _make(call: Invocation, directory: str, branch: str, *, bare: bool) -> None:
    """Make the directories and the files that a repository lacks. Raises OSError."""
    access = call.access
    for name in _DIRECTORIES:
        path = f"{directory}/{name}"
        if not access.is_dir(path):
            make_parents(access, path)
            access.fs.mkdir(VirtualPath(path))
    settings = f"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = {str(bare).lower()}\n"
    if not bare:
        settings += "\tlogallrefupdates = true\n"
    for name, text in (
        ("config", settings),
        ("description", "Unnamed repository; edit this file 'description' to name the repository.\n"),
        ("info/exclude", ""),
        ("HEAD", f"ref: refs/heads/{branch}\n"),
    ):
        if access.stat(f"{directory}/{name}") is None:
            write_new(access, f"{directory}/{name}", encode(text))

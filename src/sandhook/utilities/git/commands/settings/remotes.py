"""git remote add, set-url and remove: changes of the settings of remotes. Nothing is fetched.

Source: git-remote(1); git 2.39, builtin/remote.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.settings.changes import Place, change
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.ref_writing import delete_ref
from sandhook.utilities.git.store.refs import is_valid_name

_LOCAL = Place(None, None, None, is_fixed=True)
_EXISTS, _MISSING = 3, 2


@option_set
class Options:
    """Options of git remote add and set-url."""

    branches: tuple[str, ...] = also(
        opt("-t", "BRANCH", "", append=True), opt("--track", "BRANCH", "", append=True)
    )
    tags: str | None = also(opt("--tags", const="--tags", default=None), opt("--no-tags", const="--no-tags"))
    push: bool = opt("--push")
    add: bool = opt("--add")
    refused: str | None = also(
        opt("-f", const="-f", default=None), opt("--fetch", const="--fetch"), opt("-m", "BRANCH", ""),
        opt("--mirror", "KIND", "", optional=True, const="--mirror"), opt("--delete", const="--delete"),
    )  # fmt: skip


def run(call: Invocation, command: str, arguments: Sequence[str]) -> int:
    """Change the settings of a remote; return 0, 2 for a remote that does not exist, 3 for one that does."""
    parsed = Parser(Options).parse(arguments)
    options, words = parsed.of(Options), [*parsed.operands, *(parsed.paths or ())]
    if options.refused is not None:
        raise GitError(
            f"remote {command} with {options.refused} is not offered in the sandbox (L-GIT-003)", status=129
        )
    call.check_may_write()
    if command == "add":
        return _add(call, options, words)
    if command == "set-url":
        return _set_url(call, options, words)
    return _remove(call, words)


def _set(call: Invocation, key: str, value: str, *, adds: bool = False) -> None:
    change(call, _LOCAL, "--add" if adds else "set", [key, value])
    call.repository.forget_settings()


def _exists(call: Invocation, name: str) -> bool:
    return name in call.repository.config.subsections("remote")


def _missing(name: str, colon: str = "") -> GitError:
    return GitError(f"No such remote{colon} '{name}'", prefix="error", status=_MISSING)


def _add(call: Invocation, options: Options, words: Sequence[str]) -> int:
    if len(words) != 2:
        raise GitError("usage: git remote add [<options>] <name> <url>", prefix="", status=129)
    name, url = words
    if _exists(call, name):
        raise GitError(f"remote {name} already exists.", prefix="error", status=_EXISTS)
    if not is_valid_name(f"refs/remotes/{name}/test"):
        raise GitError(f"'{name}' is not a valid remote name")
    _set(call, f"remote.{name}.url", url)
    for branch in options.branches or ("*",):
        spec = f"+refs/heads/{branch}:refs/remotes/{name}/{branch}"
        _set(call, f"remote.{name}.fetch", spec, adds=True)
    if options.tags is not None:
        _set(call, f"remote.{name}.tagOpt", options.tags)
    return 0


def _set_url(call: Invocation, options: Options, words: Sequence[str]) -> int:
    if not 2 <= len(words) <= 3 or (options.add and len(words) == 3):
        raise GitError("usage: git remote set-url [--push] <name> <newurl> [<oldurl>]", prefix="", status=129)
    name = words[0]
    if not _exists(call, name):
        raise _missing(name)
    key = f"remote.{name}.{'pushurl' if options.push else 'url'}"
    if options.add or len(words) == 2:
        _set(call, key, words[1], adds=options.add)
    elif words[2] in call.repository.config.get_all(key):
        change(call, _LOCAL, "set", [key, words[1], words[2]])
    else:
        raise GitError(f"No such URL found: {words[2]}")
    return 0


def _remove(call: Invocation, words: Sequence[str]) -> int:
    if len(words) != 1:
        raise GitError("usage: git remote remove <name>", prefix="", status=129)
    name, repository = words[0], call.repository
    if not _exists(call, name):
        raise _missing(name, ":")
    config = repository.config
    for branch in config.subsections("branch"):
        keys = ("remote", "merge") if config.get(f"branch.{branch}.remote") == name else ()
        if config.get(f"branch.{branch}.pushremote") == name:
            keys = (*keys, "pushremote")
        for key in keys:
            if config.get(f"branch.{branch}.{key}") is not None:
                change(call, _LOCAL, "--unset-all", [f"branch.{branch}.{key}"])
    for ref in repository.refs.all(f"refs/remotes/{name}/"):
        delete_ref(repository, ref)
    head = f"refs/remotes/{name}/HEAD"
    if repository.refs.target(head) is not None:
        delete_ref(repository, head)
    change(call, _LOCAL, "--remove-section", [f"remote.{name}"])
    repository.forget_settings()
    return 0

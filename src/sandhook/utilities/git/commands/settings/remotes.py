"""git remote add, rename, set-branches, set-head, set-url and remove: changes of the settings of remotes. Nothing is fetched.

Source: git-remote(1); git 2.39, builtin/remote.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.settings.changes import Place, change
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.ref_writing import append_log, delete_ref, write_ref, write_symbolic
from sandhook.utilities.git.store.refs import is_valid_name
from sandhook.utilities.git.store.writing import remove_file, replace_file

_LOCAL = Place(None, None, None, is_fixed=True)
_EXISTS, _MISSING = 3, 2


@option_set
class HeadOptions:
    """Options of git remote set-head."""

    auto: bool = also(opt("-a"), opt("--auto"))
    delete: bool = also(opt("-d"), opt("--delete"))


@option_set
class BranchesOptions:
    """Options of git remote set-branches."""

    add: bool = opt("--add")


@option_set
class RenameOptions:
    """Options of git remote rename."""

    progress: bool = opt("--progress", ignored="nothing takes long")


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
    if command in _OTHERS:
        return _OTHERS[command](call, arguments)
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


# --------------------------------------------------------------------------- rename


def _rename(call: Invocation, arguments: Sequence[str]) -> int:
    parsed = Parser(RenameOptions).parse(arguments)
    words = [*parsed.operands, *(parsed.paths or ())]
    if len(words) != 2:
        raise GitError("usage: git remote rename [--[no-]progress] <old> <new>", prefix="", status=129)
    old, new = words
    call.check_may_write()
    if not _exists(call, old):
        raise _missing(old, ":")
    if _exists(call, new):
        raise GitError(f"remote {new} already exists.", prefix="error", status=_EXISTS)
    if not is_valid_name(f"refs/remotes/{new}/test"):
        raise GitError(f"'{new}' is not a valid remote name")
    config = call.repository.config
    change(call, _LOCAL, "--rename-section", [f"remote.{old}", f"remote.{new}"])
    is_usual = _rename_specs(call, config.get_all(f"remote.{old}.fetch"), old, new)
    for branch in config.subsections("branch"):
        for key in ("remote", "pushRemote"):
            if config.get(f"branch.{branch}.{key.lower()}") == old:
                _set(call, f"branch.{branch}.{key}", new)
    if config.get("remote.pushdefault") == old:
        _set(call, "remote.pushDefault", new)
    call.repository.forget_settings()
    if is_usual:
        _rename_refs(call, f"refs/remotes/{old}/", f"refs/remotes/{new}/")
    return 0


def _rename_specs(call: Invocation, specs: Sequence[str], old: str, new: str) -> bool:
    """Change where the branches of a remote are kept. Return False if nothing is kept below the old name."""
    place = f":refs/remotes/{old}/"
    is_usual = False
    key = f"remote.{new}.fetch"
    if specs:
        change(call, _LOCAL, "--unset-all", [key])
    for spec in specs:
        if place in spec:
            is_usual = True
        else:
            call.error(
                f"warning: Not updating non-default fetch refspec\n\t{spec}\n"
                "\tPlease update the configuration manually if necessary."
            )
        _set(call, key, spec.replace(place, f":refs/remotes/{new}/", 1), adds=True)
    return is_usual


def _rename_refs(call: Invocation, old: str, new: str) -> None:
    """Move the references of a remote, with their reflogs."""
    repository = call.repository
    refs, access = repository.refs, repository.access
    person = person_of(call.ctx, repository.config, "COMMITTER").text()
    symbolic = {}
    for name, oid in refs.all(old).items():
        call.access.charge(1)
        target = refs.target(name)
        if target is not None:
            symbolic[name] = target
            continue
        renamed = new + name.removeprefix(old)
        former_log = access.read_or_none(refs.log_path(name))
        message = f"remote: renamed {name} to {renamed}"
        delete_ref(repository, name)
        write_ref(repository, renamed, oid, person, "")
        if former_log is not None:
            replace_file(access, refs.log_path(renamed), former_log)
            append_log(repository, renamed, oid, oid, person, message)
        else:
            remove_file(access, refs.log_path(renamed))
    for name, target in symbolic.items():
        renamed = new + name.removeprefix(old)
        delete_ref(repository, name)
        goal = new + target.removeprefix(old) if target.startswith(old) else target
        write_symbolic(repository, renamed, goal, person, f"remote: renamed {name} to {renamed}")


# --------------------------------------------------------------------------- branches


def _set_branches(call: Invocation, arguments: Sequence[str]) -> int:
    parsed = Parser(BranchesOptions).parse(arguments)
    words = [*parsed.operands, *(parsed.paths or ())]
    if not words:
        raise GitError(
            "no remote specified\nusage: git remote set-branches <name> <branch>...",
            prefix="error",
            status=129,
        )
    call.check_may_write()
    name, key = words[0], f"remote.{words[0]}.fetch"
    if not _exists(call, name):
        raise _missing(name)
    if not parsed.of(BranchesOptions).add and call.repository.config.get(key) is not None:
        change(call, _LOCAL, "--unset-all", [key])
    for branch in words[1:]:
        _set(call, key, f"+refs/heads/{branch}:refs/remotes/{name}/{branch}", adds=True)
    call.repository.forget_settings()
    return 0


def _set_head(call: Invocation, arguments: Sequence[str]) -> int:
    parsed = Parser(HeadOptions).parse(arguments)
    options, words = parsed.of(HeadOptions), [*parsed.operands, *(parsed.paths or ())]
    if options.auto:
        raise GitError(
            "remote set-head -a is not offered in the sandbox: it reaches other repositories (L-GIT-001)",
            status=129,
        )
    if len(words) != (1 if options.delete else 2):
        raise GitError(
            "usage: git remote set-head <name> (-a | --auto | -d | --delete | <branch>)",
            prefix="",
            status=129,
        )
    call.check_may_write()
    repository, head = call.repository, f"refs/remotes/{words[0]}/HEAD"
    if not is_valid_name(head):
        raise GitError(
            f"Could not delete {head}" if options.delete else f"Could not setup {head}", prefix="error"
        )
    if options.delete:
        if repository.refs.target(head) is not None or repository.refs.resolve(head) is not None:
            delete_ref(repository, head)
        return 0
    target = f"refs/remotes/{words[0]}/{words[1]}"
    if not is_valid_name(target) or repository.refs.resolve(target) is None:
        raise GitError(f"Not a valid ref: {target}", prefix="error", status=1)
    person = person_of(call.ctx, repository.config, "COMMITTER").text()
    write_symbolic(repository, head, target, person, "remote set-head")
    return 0


_OTHERS = {"rename": _rename, "set-branches": _set_branches, "set-head": _set_head}

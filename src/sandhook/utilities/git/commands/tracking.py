"""Branches that follow others: what checkout -b, branch and switch write about the upstream, and guessed branches.

Source: git-branch(1), --track; git 2.39, branch.c and checkout.c.
"""

from __future__ import annotations

from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.upstream import tracking_ref, upstream_of
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.config import parse_boolean
from sandhook.utilities.git.store.config_writing import set_branch_setting, unset_branch_settings
from sandhook.utilities.git.store.repository import Repository

_HEADS = "refs/heads/"

_MISSING = """the requested upstream branch '{name}' does not exist
hint:\x20
hint: If you are planning on basing your work on an upstream
hint: branch that already exists at the remote, you may need to
hint: run "git fetch" to retrieve it.
hint:\x20
hint: If you are planning to push out a new local branch that
hint: will track its remote counterpart, you may want to use
hint: "git push -u" to set the upstream config as you push.
hint: Disable this message with "git config advice.setUpstreamFailure false\""""

_AMBIGUOUS = """hint: If you meant to check out a remote tracking branch on, e.g. 'origin',
hint: you can do so by fully qualifying the name with the --track option:
hint:\x20
hint:     git checkout --track origin/<name>
hint:\x20
hint: If you'd like to always have checkouts of an ambiguous <name> prefer
hint: one remote, e.g. the 'origin' remote, consider setting
hint: checkout.defaultRemote=origin in your config."""


def mode_of(repository: Repository, option: str | None) -> str:
    """Return how a new branch follows its start: "never", "remote", "always", "simple", "inherit" or "direct".

    Args:
        option: What --track or --no-track ("never") asks for, None without both.
    """
    if option not in (None, "never", "direct", "inherit"):
        raise GitError('option `--track\' expects "direct" or "inherit"', prefix="error", status=129)
    if option is not None:
        return option
    setting = repository.config.get("branch.autosetupmerge")
    if setting in ("always", "simple", "inherit"):
        return setting
    return "remote" if setting is None or parse_boolean(setting) is not False else "never"


def follow(call: Invocation, branch: str, start: str, mode: str, *, quiet: bool) -> None:
    """Make a branch follow the reference that it starts at, if the mode says so.

    Args:
        start: The word that names the start.
    """
    repository = call.repository
    full = Names(repository).full_ref(start)
    full = repository.refs.final_name(full) if full is not None else None
    if mode == "never" or full is None or not full.startswith("refs/"):
        return
    if mode == "inherit":
        _inherit(call, branch, full, quiet=quiet)
        return
    found = _followed(repository, full)
    if len(found) > 1:
        raise GitError(f"not tracking: ambiguous information for ref '{full}'")
    if not found and mode not in ("always", "direct"):
        return
    if mode == "simple" and (not found or found[0][1] != _HEADS + branch):
        return
    _install(call, branch, *(found[0] if found else (".", full)), quiet=quiet)


def check_start(repository: Repository, start: str, mode: str) -> None:
    """Raise GitError for a start that --track cannot follow."""
    full = Names(repository).full_ref(start)
    if mode == "direct" and (
        full is None
        or not (full.startswith(_HEADS) or _followed(repository, repository.refs.final_name(full)))
    ):
        raise GitError(f"cannot set up tracking information; starting point '{start}' is not a branch")


def _inherit(call: Invocation, branch: str, full: str, *, quiet: bool) -> None:
    repository, name = call.repository, full.removeprefix(_HEADS)
    remote, merge = (repository.config.get(f"branch.{name}.{key}") for key in ("remote", "merge"))
    if not remote or not merge:
        missing = "merge configuration" if remote else "remote"
        call.error(f"warning: asked to inherit tracking from '{name}', but no {missing} is set")
        return
    _install(call, branch, remote, merge, quiet=quiet)


def _followed(repository: Repository, full: str) -> list[tuple[str, str]]:
    """Return the remotes that a reference follows, each with the reference there."""
    found = []
    for remote in repository.config.subsections("remote"):
        for spec in repository.config.get_all(f"remote.{remote}.fetch"):
            source, _, target = spec.removeprefix("+").partition(":")
            prefix = target.removesuffix("*")
            if target == full:
                found.append((remote, source))
            elif target.endswith("*") and full.startswith(prefix):
                found.append((remote, source.replace("*", full[len(prefix) :], 1)))
    return found


def _install(call: Invocation, branch: str, remote: str, name: str, *, quiet: bool) -> None:
    """Write the settings of a branch's upstream, and print what it follows."""
    repository = call.repository
    if remote == "." and name == _HEADS + branch:
        call.error(f"warning: not setting branch '{branch}' as its own upstream")
        return
    rebases = (repository.config.get("branch.autosetuprebase") or "never") in (
        "always",
        "local" if remote == "." else "remote",
    )
    set_branch_setting(repository, branch, "remote", remote)
    unset_branch_settings(repository, branch, ("merge",))  # git adds it anew, at the end
    set_branch_setting(repository, branch, "merge", name, adds=True)
    if rebases:
        set_branch_setting(repository, branch, "rebase", "true")
    repository.forget_settings()
    if not quiet:
        short = name.removeprefix(_HEADS)
        shown = short if remote == "." else f"{remote}/{short}"
        call.ctx.write_line(f"branch '{branch}' set up to track '{shown}'{' by rebasing' * rebases}.")


def set_upstream(call: Invocation, name: str, operands: list[str], *, quiet: bool) -> int:
    """Make an existing branch follow another one (branch --set-upstream-to); return 0."""
    repository = call.repository
    branch = _branch_of(call, operands, f"set upstream of HEAD to {name}")
    if repository.refs.resolve(_HEADS + branch) is None:
        raise GitError(f"branch '{branch}' does not exist")
    full = Names(repository).full_ref(name)
    if Names(repository).find(name) is None:
        raise GitError(_MISSING.replace("{name}", name))
    if full is None or not (
        full.startswith(_HEADS) or _followed(repository, repository.refs.final_name(full))
    ):
        raise GitError(f"cannot set up tracking information; starting point '{name}' is not a branch")
    follow(call, branch, name, "direct", quiet=quiet)
    return 0


def unset_upstream(call: Invocation, operands: list[str]) -> int:
    """Have a branch follow none (branch --unset-upstream); return 0."""
    repository = call.repository
    branch = _branch_of(call, operands, "unset upstream of HEAD")
    if upstream_of(repository, branch) is None:
        raise GitError(f"Branch '{branch}' has no upstream information")
    unset_branch_settings(repository, branch, ("remote", "merge"))
    repository.forget_settings()
    return 0


def _branch_of(call: Invocation, operands: list[str], action: str) -> str:
    if len(operands) > 1:
        raise GitError(
            f"too many arguments to {'un' * action.startswith('un')}set {'new ' * action.startswith('set')}upstream"
        )
    head = call.repository.head_branch()
    if not operands and head is None:
        raise GitError(f"could not {action} when it does not point to any branch.")
    return operands[0] if operands else (head or "").removeprefix(_HEADS)


# --------------------------------------------------------------------------- guesses


def guessed_start(call: Invocation, name: str) -> str | None:
    """Return the only reference of a remote that a new branch of a name would follow, None without one.

    Raises:
        GitError: Several remotes have such a reference.
    """
    repository = call.repository
    found = {}
    for remote in repository.config.subsections("remote"):
        ref = tracking_ref(repository, remote, _HEADS + name)
        if ref is not None and repository.refs.resolve(ref) is not None:
            found[remote] = ref
    preferred = repository.config.get("checkout.defaultremote") or ""
    if len(found) > 1 and preferred in found:
        return found[preferred]
    if len(found) > 1:
        if repository.config.boolean("advice.checkoutambiguousremotebranchname", True):
            call.error(_AMBIGUOUS)
        raise GitError(f"'{name}' matched multiple ({len(found)}) remote tracking branches")
    return next(iter(found.values()), None)


def name_of_start(start: str) -> str:
    """Return the name of the new branch for --track without one. Raises GitError."""
    name = start.removeprefix("refs/").removeprefix("remotes/")
    _, slash, name = name.partition("/")
    if not slash or not name:
        raise GitError("--track needs a branch name" if not slash else "missing branch name; try -b")
    return name

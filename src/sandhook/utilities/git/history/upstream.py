"""The upstream of a branch, and how far the two are apart.

Source: git's remote.c.
"""

from __future__ import annotations

from sandhook.utilities.git.store.repository import Repository


def upstream_of(repository: Repository, branch: str) -> str | None:
    """Return the reference of the upstream of a branch, None if none is configured."""
    remote = repository.config.get(f"branch.{branch}.remote")
    merge = repository.config.get(f"branch.{branch}.merge")
    if not remote or not merge:
        return None
    return merge if remote == "." else tracking_ref(repository, remote, merge)


def tracking_ref(repository: Repository, remote: str, name: str) -> str | None:
    """Return the reference that follows a reference of a remote."""
    for spec in repository.config.get_all(f"remote.{remote}.fetch"):
        source, _, target = spec.removeprefix("+").partition(":")
        if source.endswith("*") and name.startswith(source[:-1]) and "*" in target:
            return target.replace("*", name[len(source) - 1 :], 1)
        if source == name and target:
            return target
    return None


def push_target(repository: Repository, branch: str) -> str | None:
    """Return the reference of the branch that "git push" would change."""
    config = repository.config
    upstream = upstream_of(repository, branch)
    remote = (
        config.get(f"branch.{branch}.pushremote")
        or config.get("remote.pushdefault")
        or config.get(f"branch.{branch}.remote")
        or "origin"
    )
    mode = config.get("push.default") or "simple"
    if mode in ("upstream", "tracking"):
        return upstream
    current = tracking_ref(repository, remote, f"refs/heads/{branch}")
    if mode == "simple":  # only to a branch of the same name
        return current if current == upstream else None
    return current or upstream


def pushed_reference(repository: Repository, branch: str, remote: str) -> str | None:
    """Return the reference of a remote that remote.NAME.push names for a branch, None without one."""
    name = f"refs/heads/{branch}"
    for spec in repository.config.get_all(f"remote.{remote}.push"):
        source, colon, target = spec.removeprefix("+").partition(":")
        target = target if colon else source
        if source.endswith("*") and name.startswith(source[:-1]) and "*" in target:
            return target.replace("*", name[len(source) - 1 :], 1)
        if source in (name, branch) and target:
            return target
    return None

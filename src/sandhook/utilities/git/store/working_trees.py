"""The working trees of a repository, and the branches that are checked out there.

Source: git-worktree(1).
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.utilities.git.store.refs import Refs
from sandhook.utilities.git.store.repository import Repository


def checked_out_elsewhere(repository: Repository) -> dict[str, str]:
    """Return the branches of other working trees of the repository, with the paths of these."""
    return {name: path for directory, name, path in _heads(repository) if directory != repository.git_dir}


def checked_out(repository: Repository) -> dict[str, str]:
    """Return the branches that are checked out, with the paths of the working trees."""
    return {name: path.removesuffix("/.git") for _, name, path in _heads(repository)}


def _heads(repository: Repository) -> Iterator[tuple[str, str, str]]:
    """Yield the directory, the branch and the path of each working tree."""
    access, common = repository.access, repository.common
    directories = (f"{common}/worktrees/{each.name}" for each in access.listdir(f"{common}/worktrees"))
    for directory in (common, *directories):
        name = Refs(access, directory, common).target("HEAD")
        if name is not None:
            path = access.text_or_none(f"{directory}/gitdir") if directory != common else common
            yield directory, name, (path or "").strip().removesuffix("/.git")

"""git branch -m, -M, -c, -C: rename and copy branches, with their reflogs.

Source: git-branch(1); git 2.39, builtin/branch.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.git.diff.model import NULL_ID
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import Access
from sandhook.utilities.git.store.config_writing import rename_branch_settings
from sandhook.utilities.git.store.ref_writing import append_log, delete_ref, set_head, write_ref
from sandhook.utilities.git.store.refs import is_valid_name
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import replace_file
from sandhook.vfs.path import VirtualPath


def rename_branch(call: Invocation, operands: Sequence[str], *, copies: bool, force: bool) -> int:
    """Rename or copy a branch; return 0."""
    verb = "copy" if copies else "rename"
    if not operands:
        raise GitError("branch name required")
    if len(operands) > 2:
        raise GitError(f"too many arguments for a {verb} operation")
    repository = call.repository
    refs = repository.refs
    head = repository.head_branch()
    if len(operands) == 1 and head is None:
        raise GitError(f"cannot {verb} the current branch while not on any.")
    old = f"refs/heads/{operands[0]}" if len(operands) == 2 else head or ""
    new_name = operands[-1]
    new = f"refs/heads/{new_name}"
    oid = refs.resolve(old)
    if not is_valid_name(old) or old == "refs/heads/HEAD":
        raise GitError(f"Invalid branch name: '{old.removeprefix('refs/heads/')}'")
    if oid is None:
        raise GitError(f"No branch named '{old.removeprefix('refs/heads/')}'.")
    if not is_valid_name(new) or new_name.startswith("-") or new_name == "HEAD":
        raise GitError(f"'{new_name}' is not a valid branch name")
    if refs.resolve(new) is not None and old != new:
        if not force:
            raise GitError(f"a branch named '{new_name}' already exists")
        if head == new:
            raise GitError(f"cannot force update the branch '{new_name}' checked out at '{repository.root}'")
    if blocking := _blocking(repository, old, new, copies=copies):
        call.error(f"error: '{blocking}' exists; cannot create '{new}'")
        raise GitError(f"Branch {verb} failed")
    _move(call, old, new, oid, copies=copies)
    if old != new:
        rename_branch_settings(repository, old.removeprefix("refs/heads/"), new_name, copies=copies)
    return 0


def _blocking(repository: Repository, old: str, new: str, *, copies: bool) -> str | None:
    """Return another reference that is in the way; nothing has been removed yet."""
    parts = new.split("/")
    above = ["/".join(parts[:count]) for count in range(3, len(parts))]
    others = [
        *(each for each in above if repository.refs.resolve(each) is not None),
        *repository.refs.all(f"{new}/"),
    ]
    return next((each for each in others if copies or each != old), None)


def _remove_empty(access: Access, path: str) -> None:
    """Remove a directory in which there are no files: those of a branch that was below it."""
    if not access.is_dir(path):
        return
    for entry in access.listdir(path):
        _remove_empty(access, f"{path}/{entry.name}")
    if not access.listdir(path):
        access.fs.rmdir(VirtualPath(path))


def _move(call: Invocation, old: str, new: str, oid: str, *, copies: bool) -> None:
    """Write the new reference and its reflog; a rename removes the old one, and changes HEAD if that names it."""
    repository = call.repository
    person = person_of(call.ctx, repository.config, "COMMITTER").text()
    message = f"Branch: {'copied' if copies else 'renamed'} {old} to {new}"
    former_log = repository.access.read_or_none(repository.refs.log_path(old))
    is_head = repository.head_branch() == old
    if not copies:
        delete_ref(repository, old)
    if old != new and repository.refs.resolve(new) is not None:
        delete_ref(repository, new)
    for path in (repository.refs.path(new), repository.refs.log_path(new)):
        _remove_empty(repository.access, path)
    write_ref(repository, new, oid, person, message)
    if former_log is not None:
        replace_file(repository.access, repository.refs.log_path(new), former_log)
        append_log(repository, new, oid, oid, person, message)
    if not copies and is_head:
        append_log(repository, "HEAD", oid, NULL_ID, person, message)
        set_head(repository, new, oid if old == new else None, oid, person, message)

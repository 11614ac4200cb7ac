"""Changes references, and writes their reflogs.

Source: git 2.39, refs/files-backend.c.
"""

from __future__ import annotations

from sandhook.utilities.git.diff.model import NULL_ID
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.refs import is_valid_name
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import append_line, remove_file, replace_file

_LOGGED = ("refs/heads/", "refs/remotes/", "refs/notes/")

#: Files of a merge, a cherry-pick or a revert, until a commit or a reset ends it.
_OPERATION = (
    "CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "SQUASH_MSG", "AUTO_MERGE",
)  # fmt: skip


def end_operation(repository: Repository) -> None:
    """Remove the files of the operation that a repository is in."""
    for name in _OPERATION:
        remove_file(repository.access, f"{repository.git_dir}/{name}")


def move_head(repository: Repository, oid: str, person: str, message: str) -> None:
    """Make HEAD, or the branch that it names, point to a commit; add a line to the reflogs of both.

    Args:
        person: "Name <email> time zone" of the committer.
    """
    refs = repository.refs
    name = refs.final_name("HEAD")
    old = refs.resolve(name)
    if name != "HEAD" and not is_valid_name(name):  # a path with ".." would lead out of the repository
        raise GitError("unable to resolve HEAD after creating commit")
    path = refs.path(name)
    if repository.access.is_dir(path):
        raise GitError(
            f"cannot lock ref 'HEAD': there is a non-empty directory '{path}' blocking reference '{name}'"
        )
    replace_file(repository.access, path, f"{oid}\n".encode())
    subject = " ".join(message.split())
    line = encode(f"{old or NULL_ID} {oid} {person}\t{subject}\n")
    for each in dict.fromkeys((name, "HEAD")):
        if _is_logged(repository, each):
            append_line(repository.access, refs.log_path(each), line)


def _is_logged(repository: Repository, name: str) -> bool:
    """Return True if the changes of a reference go to a reflog (core.logAllRefUpdates)."""
    if repository.access.is_file(repository.refs.log_path(name)):
        return True
    setting = (repository.config.get("core.logallrefupdates") or "").lower()
    if setting == "always":
        return True
    wanted = repository.config.boolean("core.logallrefupdates", repository.place.root is not None)
    return wanted and (name == "HEAD" or name.startswith(_LOGGED))

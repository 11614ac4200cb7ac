"""Changes references, and writes their reflogs.

Source: git 2.39, refs/files-backend.c.
"""

from __future__ import annotations

from sandhook.utilities.git.diff.model import NULL_ID
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import append_line, replace_file

_LOGGED = ("refs/heads/", "refs/remotes/", "refs/notes/")


def move_head(repository: Repository, oid: str, person: str, message: str) -> None:
    """Make HEAD, or the branch that it names, point to a commit; add a line to the reflogs of both.

    Args:
        person: "Name <email> time zone" of the committer.
    """
    refs = repository.refs
    name = refs.final_name("HEAD")
    old = refs.resolve(name)
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

"""Changes references, and writes their reflogs.

Source: git 2.39, refs/files-backend.c.
"""

from __future__ import annotations

from sandhook.utilities.git.diff.model import NULL_ID
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.refs import LogEntry, is_valid_name
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
    for each in dict.fromkeys((name, "HEAD")):
        _log(repository, each, old, oid, person, message)


def write_ref(repository: Repository, name: str, oid: str, person: str, message: str) -> None:
    """Make a reference point to an object; add a line to its reflog."""
    if not name.startswith("refs/") or not is_valid_name(name):
        raise GitError(f"'{name}' is not a valid reference name")
    refs = repository.refs
    old = refs.resolve(name)
    path = refs.path(name)
    parts = name.split("/")
    above = ("/".join(parts[:count]) for count in range(2, len(parts)))
    blocking = next((each for each in above if refs.resolve(each) is not None), None)
    blocking = blocking or next(iter(refs.all(f"{name}/")), None)
    if blocking is not None:
        raise GitError(f"cannot lock ref '{name}': '{blocking}' exists; cannot create '{name}'")
    replace_file(repository.access, path, f"{oid}\n".encode())
    names = (name, "HEAD") if refs.target("HEAD") == name else (name,)
    for each in names:
        _log(repository, each, old, oid, person, message)


def write_symbolic(repository: Repository, name: str, target: str, person: str, message: str) -> None:
    """Make a reference below refs/ point to another one; add a line to its reflog if that exists."""
    for each in (name, target):
        if not each.startswith("refs/") or not is_valid_name(each):
            raise GitError(f"'{each}' is not a valid reference name")
    refs = repository.refs
    old, new = refs.resolve(name), refs.resolve(target)
    replace_file(repository.access, refs.path(name), encode(f"ref: {target}\n"))
    if new is not None:
        _log(repository, name, old, new, person, message)


def set_head(
    repository: Repository, target: str, old: str | None, new: str | None, person: str, message: str
) -> None:
    """Make HEAD a reference, or a commit if ``target`` does not begin with "refs/"; add a line to its reflog."""
    content = f"ref: {target}\n" if target.startswith("refs/") else f"{target}\n"
    replace_file(repository.access, f"{repository.git_dir}/HEAD", content.encode())
    if new is not None:
        _log(repository, "HEAD", old, new, person, message)


def delete_ref(repository: Repository, name: str) -> None:
    """Remove a reference and its reflog."""
    access, refs = repository.access, repository.refs
    if name in refs.packed():
        path = f"{repository.common}/packed-refs"
        kept: list[bytes] = []
        dropping = False
        for line in (access.read_or_none(path) or b"").removesuffix(b"\n").split(b"\n"):
            dropping = line.partition(b" ")[2] == encode(name) or (dropping and line.startswith(b"^"))
            kept += [] if dropping else [line + b"\n"]
        replace_file(access, path, b"".join(kept))
        refs.forget_packed()
    remove_file(access, refs.path(name))
    remove_file(access, refs.log_path(name))


def _log(repository: Repository, name: str, old: str | None, new: str, person: str, message: str) -> None:
    if _is_logged(repository, name):
        append_log(repository, name, old, new, person, message)


def append_log(
    repository: Repository, name: str, old: str | None, new: str, person: str, message: str
) -> None:
    """Add a line to the reflog of a reference."""
    subject = " ".join(message.split())
    tail = f"\t{subject}" if subject else ""
    line = encode(f"{old or NULL_ID} {new} {person}{tail}\n")
    append_line(repository.access, repository.refs.log_path(name), line)


def write_log(repository: Repository, name: str, entries: list[LogEntry], *, joins: bool = True) -> None:
    """Replace the reflog of a reference.

    Args:
        joins: Each entry begins where the one before ends.
    """
    lines, old = [], NULL_ID
    for entry in entries:
        old = old if joins else entry.old
        who = entry.person
        lines.append(f"{old} {entry.new} {who.name} <{who.email}> {who.time} {who.zone}\t{entry.message}\n")
        old = entry.new
    replace_file(repository.access, repository.refs.log_path(name), encode("".join(lines)))


def _is_logged(repository: Repository, name: str) -> bool:
    """Return True if the changes of a reference go to a reflog (core.logAllRefUpdates)."""
    if repository.access.is_file(repository.refs.log_path(name)):
        return True
    setting = (repository.config.get("core.logallrefupdates") or "").lower()
    if setting == "always":
        return True
    wanted = repository.config.boolean("core.logallrefupdates", repository.place.root is not None)
    return wanted and (name == "HEAD" or name.startswith(_LOGGED))

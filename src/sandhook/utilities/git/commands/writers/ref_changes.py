"""Changes of references: git branch, tag, update-ref and symbolic-ref with operands, and commit-tree.

Source: git-branch(1), git-tag(1), git-update-ref(1), git-commit-tree(1); git 2.39.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.record import Record
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.tracking import check_start, follow, mode_of
from sandhook.utilities.git.diff.model import NULL_ID
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import is_ancestor
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.upstream import upstream_of
from sandhook.utilities.git.history.writing_messages import cleaned
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode
from sandhook.utilities.git.store.commit_writing import write_commit
from sandhook.utilities.git.store.config_writing import remove_branch_settings
from sandhook.utilities.git.store.ref_writing import delete_ref, set_head, write_ref, write_symbolic
from sandhook.utilities.git.store.refs import is_valid_name
from sandhook.utilities.git.store.working_trees import checked_out_elsewhere
from sandhook.utilities.git.store.writing import write_object
from sandhook.vfs.path import VirtualPath, join


def _person(call: Invocation) -> str:
    found = call.find_repository()
    return person_of(call.ctx, found.config if found is not None else None, "COMMITTER").text()


# --------------------------------------------------------------------------- branches


def create_branch(
    call: Invocation, operands: Sequence[str], *, force: bool, track: str | None, quiet: bool
) -> int:
    """Make a branch; return 0."""
    repository, names = call.repository, Names(call.repository)
    if len(operands) > 2:
        raise GitError(
            "usage: git branch [<options>] [-f] <branch-name> [<start-point>]", prefix="", status=129
        )
    name = operands[0]
    full = f"refs/heads/{name}"
    if not is_valid_name(full) or name.startswith("-") or name == "HEAD":
        raise GitError(f"'{name}' is not a valid branch name")
    head = repository.head_branch()
    if repository.refs.resolve(full) is not None and not force:
        raise GitError(f"a branch named '{name}' already exists")
    place = (
        repository.root if head == full else checked_out_elsewhere(repository).get(full) if force else None
    )
    if force and place is not None:
        raise GitError(f"cannot force update the branch '{name}' checked out at '{place}'")
    start = operands[1] if len(operands) == 2 else (head or "HEAD").removeprefix("refs/heads/")
    oid = names.find(start)
    commit = None if oid is None else repository.objects.peel(oid, "commit")
    if commit is None:
        raise GitError(f"not a valid {'object name' if oid is None else 'branch point'}: '{start}'")
    mode = mode_of(repository, track)
    check_start(repository, start, mode)
    existed = repository.refs.resolve(full) is not None
    write_ref(
        repository,
        full,
        commit,
        _person(call),
        f"branch: {'Reset to' if existed else 'Created from'} {start}",
    )
    follow(call, name, start, mode, quiet=quiet)
    return 0


def delete_branches(
    call: Invocation, operands: Sequence[str], *, force: bool, quiet: bool, remotes: bool
) -> int:
    """Remove branches; return 1 for those that are missing, checked out or not merged."""
    kind, prefix = ("remote-tracking branch", "refs/remotes/") if remotes else ("branch", "refs/heads/")
    repository = call.repository
    if not operands:
        raise GitError("branch name required")
    status = 0
    for name in operands:
        full = prefix + name
        oid = repository.refs.resolve(full)
        is_here = repository.head_branch() == full
        place = repository.root if is_here else checked_out_elsewhere(repository).get(full)
        if place is not None:
            call.error(f"error: Cannot delete branch '{name}' checked out at '{place}'")
            status = 1
        elif oid is None:
            call.error(f"error: {kind} '{name}' not found.")
            status = 1
        elif not force and not remotes and not _is_merged(call, name, oid):
            call.error(
                f"error: The branch '{name}' is not fully merged.\n"
                f"If you are sure you want to delete it, run 'git branch -D {name}'."
            )
            status = 1
        else:
            delete_ref(repository, full)
            remove_branch_settings(repository, name)
            if not quiet:
                call.ctx.write_line(f"Deleted {kind} {name} (was {Names(repository).abbreviate(oid)}).")
    return status


def _is_merged(call: Invocation, name: str, oid: str) -> bool:
    repository = call.repository
    upstream = upstream_of(repository, name)
    target = repository.refs.resolve(upstream) if upstream is not None else None
    head = repository.refs.resolve("HEAD")
    in_head = head is not None and is_ancestor(repository, oid, head)
    if target is None:
        return in_head
    merged = is_ancestor(repository, oid, target)
    if merged and not in_head:
        call.error(
            f"warning: deleting branch '{name}' that has been merged to\n"
            f"         '{upstream}', but not yet merged to HEAD."
        )
    elif in_head and not merged:
        call.error(
            f"warning: not deleting branch '{name}' that is not yet merged to\n"
            f"         '{upstream}', even though it is merged to HEAD."
        )
    return merged


# --------------------------------------------------------------------------- tags


class NewTag(Record):
    """What the options of git tag ask for; ``message`` is None for a tag that is not annotated."""

    name: str
    target: str
    message: str | None
    force: bool
    cleanup: str = "strip"


def create_tag(call: Invocation, tag: NewTag) -> int:
    """Make a tag; return 0."""
    repository, names = call.repository, Names(call.repository)
    full = f"refs/tags/{tag.name}"
    if not is_valid_name(full) or tag.name.startswith("-"):
        raise GitError(f"'{tag.name}' is not a valid tag name.")
    oid = names.find(tag.target)
    if oid is None:
        raise GitError(f"Failed to resolve '{tag.target}' as a valid ref.")
    old = repository.refs.resolve(full)
    if old is not None and not tag.force:
        raise GitError(f"tag '{tag.name}' already exists")
    person = _person(call)
    new = oid
    if tag.message is not None:
        text = cleaned(tag.message, tag.cleanup)
        if not text:
            raise GitError("no tag message?")
        kind = repository.objects.get(oid).kind
        if kind == "tag" and repository.config.boolean("advice.nestedtag", True):
            call.error(_nested_advice(tag))
        head = f"object {oid}\ntype {kind}\ntag {tag.name}\ntagger {person}\n\n"
        new = write_object(repository.objects, "tag", encode(head + text))
    write_ref(repository, full, new, person, "tag: tagging")
    if old is not None and old != new:
        call.ctx.write_line(f"Updated tag '{tag.name}' (was {names.abbreviate(old)})")
    return 0


def delete_tags(call: Invocation, operands: Sequence[str]) -> int:
    """Remove tags; return 1 for missing ones."""
    status = 0
    for name in operands:
        oid = call.repository.refs.resolve(f"refs/tags/{name}")
        if oid is None:
            call.error(f"error: tag '{name}' not found.")
            status = 1
            continue
        delete_ref(call.repository, f"refs/tags/{name}")
        call.ctx.write_line(f"Deleted tag '{name}' (was {Names(call.repository).abbreviate(oid)})")
    return status


# --------------------------------------------------------------------------- plumbing


@option_set
class UpdateOptions:
    """Options of git update-ref."""

    delete: bool = opt("-d")
    message: str | None = opt("-m", "TEXT", "")
    no_deref: bool = opt("--no-deref")
    create_log: bool = opt("--create-reflog")
    stdin: bool = opt("--stdin")


def run_update(call: Invocation, arguments: Sequence[str]) -> int:
    """Change or remove a reference; return 0."""
    parsed = Parser(UpdateOptions).parse(arguments)
    options, repository = parsed.of(UpdateOptions), call.repository
    operands = [*parsed.operands, *(parsed.paths or ())]
    if options.stdin or options.no_deref or options.create_log:
        raise GitError(
            "update-ref --stdin, --no-deref and --create-reflog are not offered in the sandbox (L-GIT-003)",
            status=129,
        )
    if not 1 + (not options.delete) <= len(operands) <= 2 + (not options.delete):
        raise GitError(
            "usage: git update-ref [<options>] <refname> <new-oid> [<old-oid>]", prefix="", status=129
        )
    names = Names(repository)
    name = repository.refs.final_name(operands[0])
    if not name.startswith("refs/") or not is_valid_name(name):
        raise GitError(
            f"update_ref failed for ref '{operands[0]}': refusing to update ref with bad name '{name}' (L-GIT-005)"
        )
    values = [NULL_ID if word in ("", NULL_ID) else names.find(word) for word in operands[1:]]
    for word, value in zip(operands[1:], values, strict=True):
        if value is None:
            raise GitError(f"{word}: not a valid SHA1")
    old = repository.refs.resolve(name)
    wanted = values[0] if options.delete and values else values[1] if len(values) == 2 else None
    if wanted is not None and wanted != (old or NULL_ID):
        raise _wrong_old(operands[0], name, wanted, old)
    if options.delete or values[0] == NULL_ID:
        if old is not None:
            delete_ref(repository, name)
        return 0
    write_ref(repository, name, values[0] or "", _person(call), options.message or "")
    return 0


def _wrong_old(shown: str, name: str, wanted: str, old: str | None) -> GitError:
    if old is None:
        why = f"unable to resolve reference '{name}'"
    elif wanted == NULL_ID:
        why = "reference already exists"
    else:
        why = f"is at {old} but expected {wanted}"
    return GitError(f"update_ref failed for ref '{shown}': cannot lock ref '{shown}': {why}")


@option_set
class CommitTreeOptions:
    """Options of git commit-tree."""

    parents: tuple[str, ...] = opt("-p", "COMMIT", "", append=True)
    texts: tuple[tuple[str, str], ...] = also(
        opt("-m", "TEXT", "", append=True, convert=lambda text: ("message", text)),
        opt("-F", "FILE", "", append=True, convert=lambda text: ("file", text)),
    )
    sign: str | None = also(
        opt("-S", "KEY", "", optional=True, const=""), opt("--gpg-sign", "KEY", "", optional=True, const="")
    )
    no_sign: bool = opt("--no-gpg-sign")


def run_commit_tree(call: Invocation, arguments: Sequence[str]) -> int:
    """Write a commit of a tree and print its name; return 0."""
    parsed = Parser(CommitTreeOptions).parse(arguments)
    options, repository = parsed.of(CommitTreeOptions), call.repository
    if options.sign is not None:
        raise GitError(
            "commit-tree -S: a program signs, which git in the sandbox never starts (L-GIT-002)", status=129
        )
    if len(parsed.operands) != 1:
        raise GitError("must give exactly one tree")
    names = Names(repository)
    oid = names.find(parsed.operands[0])
    if oid is None:
        raise GitError(f"not a valid object name {parsed.operands[0]}")
    if repository.objects.peel(oid, "tree") != oid:
        raise GitError(f"{oid} is not a valid 'tree' object")
    parents = []
    for word in options.parents:
        parent = names.find(word)
        if parent is None:
            raise GitError(f"not a valid object name {word}")
        commit = repository.objects.peel(parent, "commit")
        if commit is None:
            raise GitError(f"{parent} is not a valid 'commit' object")
        parents.append(commit)
    text = _given_text(call, options.texts)
    if text is None:
        with call.ctx.stdin_reader() as reader:
            text = decode(reader.read_all())
    author, committer = (
        person_of(call.ctx, repository.config, role).text() for role in ("AUTHOR", "COMMITTER")
    )
    call.ctx.write_line(
        write_commit(repository, oid, list(dict.fromkeys(parents)), (author, committer), text)
    )
    return 0


def _given_text(call: Invocation, texts: Sequence[tuple[str, str]]) -> str | None:
    """Return the texts of -m and -F, with empty lines between them; None without one."""
    made = ""
    for kind, word in texts:
        made += "\n" * bool(made)
        part = word + "\n" * bool(word and not word.endswith("\n"))
        if kind == "file":
            path = word if word == "-" else str(join(VirtualPath(call.options.cwd), word))
            try:
                with call.ctx.open(path) as reader:
                    part = decode(reader.read_all())
            except OSError as error:
                raise GitError(f"could not open '{word}' for reading: {error.strerror}") from None
        made += part
    return made if texts else None


def set_symbolic(call: Invocation, name: str, target: str, message: str | None) -> int:
    """Make HEAD, or a reference below refs/, name another reference; return 0."""
    repository = call.repository
    if name != "HEAD" and not name.startswith("refs/"):
        raise GitError(
            "symbolic-ref changes only HEAD and what is below refs/ in the sandbox (L-GIT-005)", status=129
        )
    if not target.startswith("refs/"):
        raise GitError(f"Refusing to point {name} outside of refs/")
    if not is_valid_name(target):
        raise GitError(f"Refusing to set '{name}' to invalid ref '{target}'")
    if name != "HEAD":
        write_symbolic(repository, name, target, _person(call), message or "")
        return 0
    old, new = repository.refs.resolve("HEAD"), repository.refs.resolve(target)
    person = _person(call) if message else ""
    set_head(repository, target, old, new if message else None, person, message or "")
    return 0


def delete_symbolic(call: Invocation, name: str) -> int:
    """Remove a symbolic reference; return 0."""
    refs = call.repository.refs
    if not is_valid_name(name) or refs.target(name) is None:
        raise GitError(f"Cannot delete {name}, not a symbolic ref")
    if name == "HEAD":
        raise GitError("deleting 'HEAD' is not allowed")
    if not name.startswith("refs/"):
        raise GitError(
            "symbolic-ref changes only HEAD and what is below refs/ in the sandbox (L-GIT-005)", status=129
        )
    delete_ref(call.repository, name)
    return 0


def _nested_advice(tag: NewTag) -> str:
    return (
        "hint: You have created a nested tag. The object referred to by your new tag is\n"
        "hint: already a tag. If you meant to tag the object that it points to, use:\n"
        "hint: \n"
        f"hint: \tgit tag -f {tag.name} {tag.target}^{{}}\n"
        'hint: Disable this message with "git config advice.nestedTag false"'
    )

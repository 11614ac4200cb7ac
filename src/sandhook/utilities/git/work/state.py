"""What a repository is in the middle of: a merge, a rebase, a cherry-pick, a revert or a bisection.

Source: git 2.39, wt-status.c.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.store.repository import Repository


def operation_lines(repository: Repository, has_conflicts: bool, hints: bool) -> Iterator[str]:
    """Yield the lines of "git status" about an operation that is under way; each block ends in an empty line."""
    access, directory = repository.access, repository.git_dir
    rebase = next(
        (name for name in ("rebase-merge", "rebase-apply") if access.is_dir(f"{directory}/{name}")), None
    )
    if access.is_file(f"{directory}/MERGE_HEAD"):
        yield from _merge(has_conflicts, hints)
    elif rebase == "rebase-apply" and access.is_file(f"{directory}/rebase-apply/applying"):
        yield "You are in the middle of an am session."
        if hints:
            yield '  (fix conflicts and then run "git am --continue")'
            yield '  (use "git am --skip" to skip this patch)'
            yield '  (use "git am --abort" to restore the original branch)'
        yield ""
    elif rebase is not None:
        yield from _rebase(repository, f"{directory}/{rebase}", has_conflicts, hints)
    elif access.is_file(f"{directory}/CHERRY_PICK_HEAD"):
        yield from _pick(repository, "CHERRY_PICK_HEAD", has_conflicts, hints)
    if access.is_file(f"{directory}/REVERT_HEAD"):
        yield from _pick(repository, "REVERT_HEAD", has_conflicts, hints)
    if (branch := bisected_branch(repository)) is not None:
        yield f"You are currently bisecting, started from branch '{branch}'."
        if hints:
            yield '  (use "git bisect reset" to get back to the original branch)'
        yield ""


def bisected_branch(repository: Repository) -> str | None:
    """Return the branch, or the commit, where a bisection started; None if there is no bisection."""
    access, directory = repository.access, repository.git_dir
    if not access.is_file(f"{directory}/BISECT_LOG"):
        return None
    start = (access.text_or_none(f"{directory}/BISECT_START") or "").strip().removeprefix("refs/heads/")
    is_commit = len(start) == 40 and repository.objects.has(start)
    return Names(repository).abbreviate(start) if is_commit else start


def _merge(has_conflicts: bool, hints: bool) -> Iterator[str]:
    if has_conflicts:
        yield "You have unmerged paths."
        if hints:
            yield '  (fix conflicts and run "git commit")'
            yield '  (use "git merge --abort" to abort the merge)'
    else:
        yield "All conflicts fixed but you are still merging."
        if hints:
            yield '  (use "git commit" to conclude merge)'
    yield ""


def _pick(repository: Repository, name: str, has_conflicts: bool, hints: bool) -> Iterator[str]:
    oid = repository.refs.resolve(name) or ""
    short = Names(repository).abbreviate(oid) if oid else ""
    command = "cherry-pick" if name == "CHERRY_PICK_HEAD" else "revert"
    verb = "cherry-picking" if command == "cherry-pick" else "reverting"
    yield f"You are currently {verb} commit {short}."
    if hints:
        if has_conflicts:
            yield f'  (fix conflicts and run "git {command} --continue")'
        else:
            yield f'  (all conflicts fixed: run "git {command} --continue")'
        yield f'  (use "git {command} --skip" to skip this patch)'
        yield f'  (use "git {command} --abort" to cancel the {command} operation)'
    yield ""


def _rebase(repository: Repository, directory: str, has_conflicts: bool, hints: bool) -> Iterator[str]:
    access = repository.access

    def read(name: str) -> str:
        return (access.text_or_none(f"{directory}/{name}") or "").strip()

    branch = read("head-name").removeprefix("refs/heads/")
    onto = read("onto")
    short = Names(repository).abbreviate(onto) if onto else ""
    is_interactive = access.is_file(f"{directory}/interactive")
    if is_interactive:
        yield from _todo(repository, directory, hints)
    target = f" branch '{branch}' on '{short}'" if branch and branch != "detached HEAD" else ""
    if has_conflicts or not is_interactive or access.is_file(f"{repository.git_dir}/MERGE_MSG"):
        yield f"You are currently rebasing{target}."
        if hints and has_conflicts:
            yield '  (fix conflicts and then run "git rebase --continue")'
            yield '  (use "git rebase --skip" to skip this patch)'
            yield '  (use "git rebase --abort" to check out the original branch)'
        elif hints:
            yield '  (all conflicts fixed: run "git rebase --continue")'
    else:
        yield "You are currently editing a commit while rebasing" + f"{target}."
        if hints:
            yield '  (use "git commit --amend" to amend the current commit)'
            yield '  (use "git rebase --continue" once you are satisfied with your changes)'
    yield ""


def _todo(repository: Repository, directory: str, hints: bool) -> Iterator[str]:
    done = _commands(repository, f"{directory}/done")
    todo = _commands(repository, f"{directory}/git-rebase-todo")
    if not done:
        yield "No commands done."
    else:
        plural = "Last command done" if len(done) == 1 else "Last commands done"
        yield f"{plural} ({len(done)} command{'s' * (len(done) != 1)} done):"
        yield from (f"   {line}" for line in done[-2:])
        if len(done) > 2 and hints:
            yield f"  (see more in file {directory}/done)"
    if not todo:
        yield "No commands remaining."
    else:
        plural = "Next command to do" if len(todo) == 1 else "Next commands to do"
        yield f"{plural} ({len(todo)} remaining command{'s' * (len(todo) != 1)}):"
        yield from (f"   {line}" for line in todo[:2])
        if hints:
            yield '  (use "git rebase --edit-todo" to view and edit)'


def _commands(repository: Repository, path: str) -> list[str]:
    names = Names(repository)
    lines = []
    for line in (repository.access.text_or_none(path) or "").split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(" ", 2)
        if len(words) > 1 and len(words[1]) == 40 and repository.objects.has(words[1]):
            words[1] = names.abbreviate(words[1])
        lines.append(" ".join(words))
    return lines


def detached_line(repository: Repository) -> str:
    """Return "HEAD detached at v1" for the last checkout of something that is not a branch."""
    entries = repository.refs.log("HEAD")
    head = repository.refs.resolve("HEAD") or ""
    for entry in reversed(entries):
        if entry.message.startswith("checkout: moving from "):
            target = entry.message.rpartition(" to ")[2]
            names = Names(repository)
            at = entry.new == head
            full = names.full_ref(target)
            if full is not None and full.startswith(("refs/tags/", "refs/remotes/")):
                peeled = repository.objects.peel(repository.refs.resolve(full) or "", "commit")
                name = names.short_ref(full) if peeled == entry.new else names.abbreviate(entry.new)
            else:
                name = names.abbreviate(entry.new)
            return f"HEAD detached {'at' if at else 'from'} {name}"
    return "Not currently on any branch."


def tracking_lines(branch: str, upstream: str, ours: int, theirs: int, hints: bool) -> Iterator[str]:
    """Yield the lines that compare a branch with its upstream."""
    if not ours and not theirs:
        yield f"Your branch is up to date with '{upstream}'."
        return
    if not theirs:
        yield f"Your branch is ahead of '{upstream}' by {ours} commit{'s' * (ours != 1)}."
        if hints:
            yield '  (use "git push" to publish your local commits)'
    elif not ours:
        yield (
            f"Your branch is behind '{upstream}' by {theirs} commit{'s' * (theirs != 1)}, "
            "and can be fast-forwarded."
        )
        if hints:
            yield '  (use "git pull" to update your local branch)'
    else:
        yield f"Your branch and '{upstream}' have diverged,"
        yield f"and have {ours} and {theirs} different commits each, respectively."
        if hints:
            yield '  (use "git pull" to merge the remote branch into yours)'

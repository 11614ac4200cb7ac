"""The lines that git commit prints about a new commit.

Source: git 2.39, print_commit_summary in sequencer.c.
"""

from __future__ import annotations

from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.trees import compare_trees
from sandhook.utilities.git.history.dates import show_date
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.repository import Repository


def print_summary(repository: Repository, oid: str, *, is_root: bool, shows_date: bool) -> None:
    """Print "[main 1234567] subject", the author if another person committed, and the sizes of the changes."""
    ctx, objects = repository.ctx, repository.objects
    commit = objects.commit(oid)
    branch = repository.head_branch()
    where = "detached HEAD" if branch is None else branch.removeprefix("refs/heads/")
    root = " (root-commit)" if is_root else ""
    ctx.write_line(f"[{where}{root} {Names(repository).abbreviate(oid)}] {subject(commit.message)}")
    author, committer = commit.author, commit.committer
    if (author.name, author.email) != (committer.name, committer.email):
        ctx.write_line(f" Author: {author.name} <{author.email}>")
    if shows_date:
        ctx.write_line(f" Date: {show_date(author, 'default', ctx.now(), ctx.environment.get('TZ'))}")
    if len(commit.parents) > 1:
        return
    old = objects.commit(commit.parents[0]).tree if commit.parents else None
    output = DiffOutput(repository, DiffOptions(shortstat=True, summary=True, renames=30_000))
    everything = Pathspec([], repository.access.charge)
    output.write(output.complete(compare_trees(objects, old, commit.tree, everything)))

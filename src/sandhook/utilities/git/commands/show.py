"""git show: print commits with their patches, tags, trees and files.

Source: git-show(1); git 2.39, builtin/log.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.git.commands.log import Log, name_sources
from sandhook.utilities.git.commands.log_options import Options, parser, refuse
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.commit_diff import CommitDiff
from sandhook.utilities.git.history.email import sender
from sandhook.utilities.git.history.names import Names, excluded_parent
from sandhook.utilities.git.history.operands import split_operands
from sandhook.utilities.git.history.selection import Selection, WalkOptions
from sandhook.utilities.git.history.starts import Starts, find_starts, pull_starts, with_input
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Tag
from sandhook.utilities.git.store.objects import TREE
from sandhook.utilities.git.store.repository import Repository


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 2 for problems with --check."""
    special, words = pull_starts(with_input(call.repository, arguments))
    parsed = parser().parse(words)
    if parsed.unknown:
        raise GitError(f"unrecognized argument: {parsed.unknown[0]}")
    options, walk = parsed.of(Options), parsed.of(WalkOptions)
    refuse(options)
    if walk.merge:
        raise GitError(
            "show --merge is not offered in the sandbox: use git log --merge (L-GIT-003)", status=129
        )
    repository = call.repository
    revisions, paths = split_operands(repository, parsed.operands, parsed.paths, parsed.late)
    pathspec = repository.pathspec(paths)
    diff = CommitDiff(repository, parsed.of(DiffOptions), pathspec, first_parent=walk.first_parent, show=True)
    diff.shows_root = options.root or repository.config.boolean("log.showroot", True)
    log = Log(repository, options, diff)
    if special or any(
        ".." in word or word.startswith("^") or excluded_parent(word) is not None for word in revisions
    ):
        starts = find_starts(repository, revisions, special)
        log.selection = Selection(repository, walk, starts, pathspec)
        name_sources(log, starts, is_mixed=bool(special and revisions))
        return log.run(log.selection) | diff.output.check_status
    selection = Selection(repository, walk, Starts([], [], [], {}), pathspec)
    show = _Show(repository, log, selection)
    for name in revisions or ["HEAD"]:
        show.object(name)
    return log.status | diff.output.check_status


class _Show:
    """Prints objects of any type."""

    def __init__(self, repository: Repository, log: Log, selection: Selection) -> None:
        self.repository = repository
        self.log = log
        self.selection = selection
        self.names = Names(repository)
        self.shown = False

    def _write(self, data: bytes) -> None:
        self.repository.ctx.write(data)

    def object(self, name: str, shown: str = "") -> None:
        """Print the object of a name; a tag with the object that it names.

        Args:
            shown: The name that the caller asked for.
        """
        objects = self.repository.objects
        oid = self.names.find(name)
        if oid is None or (found := objects.find(oid)) is None:
            if name == "HEAD" and self.repository.refs.resolve("HEAD") is None:
                if self.repository.has_broken_head:
                    raise GitError("your current branch appears to be broken")
                branch = (self.repository.head_branch() or "HEAD").removeprefix("refs/heads/")
                raise GitError(f"your current branch '{branch}' does not have any commits yet")
            raise GitError(f"bad object {name}")
        if found.kind == "commit":
            commit = objects.commit(oid)
            if self.log.shows_sources:
                self.log.printer.source = shown or name
            if not self.selection.pathspec or self.selection.changes_paths(commit):
                self.log.show(commit)
            return
        if found.kind == "blob":
            self._write(found.data)
            return
        if self.shown or self.log.shown:
            self._write(b"\n")
        self.shown = True
        if found.kind == "tree":
            self._write(encode(f"tree {shown or name}\n\n"))
            for item in objects.tree(oid):
                self._write(encode(item.name + ("/" if item.mode == TREE else "") + "\n"))
            return
        tag = objects.tag(oid)
        self._tag(tag)
        self.log.shown = True
        self.object(tag.target, shown or name)

    def _tag(self, tag: Tag) -> None:
        lines = [f"tag {tag.name}"]
        kind = self.log.layout.kind
        if tag.tagger is not None and kind in ("email", "mboxrd"):
            lines += [sender(tag.tagger), f"Date: {self.log.printer.show_date(tag.tagger, 'rfc')}"]
        elif tag.tagger is not None and kind != "oneline":
            label = "TaggerDate: " if kind == "fuller" else "Date:   "
            name = f"{tag.tagger.name} <{tag.tagger.email}>"
            lines.append(f"{'Tagger:     ' if kind == 'fuller' else 'Tagger: '}{name}")
            if kind in ("medium", "fuller"):
                lines.append(f"{label}{self.log.printer.show_date(tag.tagger, '')}")
        self._write(encode("\n".join(lines) + "\n\n" + tag.message.lstrip("\n")))

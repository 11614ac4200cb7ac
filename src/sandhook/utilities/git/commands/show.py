"""git show: print commits with their patches, tags, trees and files.

Source: git-show(1); git 2.39, builtin/log.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.git.commands.log import Log, name_sources
from sandhook.utilities.git.commands.log_options import Options, parser, refuse
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.painting import painted
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.commit_diff import CommitDiff
from sandhook.utilities.git.history.email import sender
from sandhook.utilities.git.history.names import Names, excluded_parent
from sandhook.utilities.git.history.operands import split_operands, without_missing
from sandhook.utilities.git.history.selection import Selection, WalkOptions
from sandhook.utilities.git.history.starts import Starts, find_starts, names_of_refs, pull_starts, with_input
from sandhook.utilities.git.names.pathspec import Pathspec
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
    refuse(options, parsed.of(DiffOptions))
    if walk.merge:
        raise GitError(
            "show --merge is not offered in the sandbox: use git log --merge (L-GIT-003)", status=129
        )
    repository = call.repository
    operands = parsed.operands
    if walk.ignored_missing:
        operands = without_missing(Names(repository), operands)
        if parsed.operands and not operands:
            return 0
    revisions, paths = split_operands(repository, operands, parsed.paths, parsed.late)
    pathspec = repository.pathspec(paths)
    diff = CommitDiff(repository, parsed.of(DiffOptions), pathspec, first_parent=walk.first_parent, show=True)
    diff.shows_root = options.root or repository.config.boolean("log.showroot", True)
    log = Log(repository, options, diff)
    is_range = any(
        ".." in word or word.startswith("^") or excluded_parent(word) is not None for word in revisions
    )
    if special and (is_range or revisions):
        raise GitError(
            "show of both names and --all or the like is not offered in the sandbox (L-GIT-003)", status=129
        )
    if special:
        revisions = names_of_refs(repository, special)
        if not revisions:
            return 0
    _check(options, walk, revisions, is_range=is_range)
    if is_range:
        starts = find_starts(repository, revisions, ())
        log.selection = Selection(repository, walk, starts, pathspec)
        name_sources(log, starts, is_mixed=False)
        return log.run(log.selection) | diff.output.check_status
    show = _Show(repository, log, walk, pathspec)
    for name in revisions or ["HEAD"]:
        show.object(name)
    return log.status | diff.output.check_status


def _check(options: Options, walk: WalkOptions, revisions: Sequence[str], *, is_range: bool) -> None:
    """Raise GitError for options of git log that git show has, and that are not offered here."""
    if options.graph and not is_range and walk.number is None:
        raise GitError("options '--no-walk' and '--graph' cannot be used together")
    table = (
        ("-g", options.walk_reflogs),
        ("-L", bool(options.lines)),
        ("--follow", options.follow),
        ("--graph", options.graph),
        ("--children", options.children),
        ("--boundary", options.boundary and not is_range),
        ("--cherry-pick and --cherry-mark of ranges", bool(options.equivalent) and is_range),
        ("-n and --skip of several objects", len(revisions) > 1 and not is_range and (
            walk.number is not None or walk.skip > 0)),
    )  # fmt: skip
    name = next((name for name, is_set in table if is_set), None)
    if name is not None:
        raise GitError(f"show {name} is not offered in the sandbox (L-GIT-003)", status=129)


class _Show:
    """Prints objects of any type."""

    def __init__(self, repository: Repository, log: Log, walk: WalkOptions, pathspec: Pathspec) -> None:
        self.repository = repository
        self.log = log
        self.walk = walk
        self.pathspec = pathspec
        self.names = Names(repository)
        self.shown = False
        self.seen: set[str] = set()  #: commits, each of which is printed once

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
            if oid in self.seen:
                return
            self.seen.add(oid)
            if self.log.shows_sources:
                self.log.printer.source = shown or name
            starts = Starts([oid], [], [], {})
            selection = Selection(self.repository, self.walk, starts, self.pathspec)
            if self.walk.number is None:  # which asks for a walk
                selection.no_walk = "unsorted"
            self.log.selection = selection
            self.log.run(selection)
            return
        if found.kind == "blob":
            self._write(found.data)
            return
        if self.shown or self.log.shown:
            self._write(b"\n")
        self.shown = True
        if found.kind == "tree":
            self._write(encode(self._painted(f"tree {shown or name}") + "\n\n"))
            for item in objects.tree(oid):
                self._write(encode(item.name + ("/" if item.mode == TREE else "") + "\n"))
            return
        tag = objects.tag(oid)
        self._tag(tag)
        self.log.shown = True
        self.object(tag.target, shown or name)

    def _painted(self, text: str) -> str:
        """Return the line that names a tag or a tree, in the colour of commits."""
        appearance = self.log.diff.output.appearance
        return (
            painted(appearance.palette.commit, encode(text)).decode("utf-8", "surrogateescape")
            if appearance.colored
            else text
        )

    def _tag(self, tag: Tag) -> None:
        lines = [self._painted(f"tag {tag.name}")]
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

"""git apply: change files of the working tree or the index by a patch.

Source: git-apply(1); git 2.39, apply.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.commands.apply.changes import Changes, Target
from sandhook.utilities.git.commands.apply.parsing import FilePatch, PatchReader
from sandhook.utilities.git.commands.apply.stat import counts_of, stat_lines
from sandhook.utilities.git.diff.check import line_errors
from sandhook.utilities.git.diff.model import NULL_ID, Pair, Side
from sandhook.utilities.git.diff.stat import rename_text
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.quote import quote
from sandhook.utilities.git.names.wildmatch import wildmatch
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.vfs.path import VirtualPath, join

_MOST_WARNINGS = 5


@option_set
class Options:
    """Options of git apply."""

    check: bool = opt("--check")
    stat: bool = opt("--stat")
    numstat: bool = opt("--numstat")
    summary: bool = opt("--summary")
    apply: bool = opt("--apply")
    reverse: bool = also(opt("-R"), opt("--reverse"))
    cached: bool = opt("--cached")
    index: bool = opt("--index")
    strip: int = opt("-p", "N", "", convert=count, default=1)
    directory: str = opt("--directory", "DIR", "", default="")
    patterns: tuple[tuple[bool, str], ...] = also(
        opt("--include", "GLOB", "", append=True, convert=lambda text: (True, text)),
        opt("--exclude", "GLOB", "", append=True, convert=lambda text: (False, text)),
    )
    verbose: bool = also(opt("-v"), opt("--verbose"))
    quiet: bool = also(opt("-q"), opt("--quiet"))
    allow_empty: bool = opt("--allow-empty")
    loose: bool = opt("--unidiff-zero")
    merges: bool = also(opt("-3"), opt("--3way"))
    nul: bool = opt("-z")
    whitespace: str | None = opt("--whitespace", "ACTION", "")
    unused: str | None = also(
        opt("--binary", ignored="binary patches always apply"),
        opt("--allow-binary-replacement", ignored="binary patches always apply"),
        opt("--no-add", const="--no-add", default=None),
        opt("--reject", const="--reject"), opt("--recount", const="--recount"), opt("-C", "N", ""),
        opt("--inaccurate-eof", const="--inaccurate-eof"), opt("--build-fake-ancestor", "FILE", ""),
        opt("--ignore-space-change", const="--ignore-space-change"),
        opt("--ignore-whitespace", const="--ignore-whitespace"), opt("-N", const="--intent-to-add"),
        opt("--intent-to-add", const="--intent-to-add"), opt("--unsafe-paths", const="--unsafe-paths"),
    )  # fmt: skip


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for a patch that does not apply."""
    parsed = Parser(Options).parse(arguments)
    options, operands = parsed.of(Options), [*parsed.operands, *(parsed.paths or ())]
    action = options.whitespace if options.whitespace is not None else "warn"
    name = options.unused if isinstance(options.unused, str) else None
    if name == "--reject" and options.merges:
        raise GitError("options '--reject' and '--3way' cannot be used together", prefix="error")
    if name is not None or options.nul or action not in ("warn", "nowarn", "error", "error-all"):
        shown = name or ("-z" if options.nul else f"--whitespace={action}")
        shown = shown if shown.startswith("-") else "-C and --build-fake-ancestor"
        raise GitError(f"apply {shown} is not offered in the sandbox (L-GIT-003)", status=129)
    only_shows = options.stat or options.numstat or options.summary
    applies = options.apply or not (options.check or only_shows)
    if applies:
        call.check_may_write()
    if (options.cached or options.index or options.merges) and call.find_repository() is None:
        kind = "3way" if options.merges else "cached" if options.cached else "index"
        raise GitError(f"'--{kind}' outside a repository", prefix="error")
    status = 0
    try:
        for word in operands or ["-"]:
            status |= _Input(call, options, word, action).run(
                applies=applies, checks=options.check or applies
            )
    except GitError as error:
        if options.quiet and error.prefix == "error":
            raise GitError("", prefix="", status=error.status) from None
        raise
    return status


class _Input:
    """The patches of one file, or of standard input."""

    def __init__(self, call: Invocation, options: Options, name: str, action: str) -> None:
        self.call = call
        self.options = options
        self.name = name
        self.action = action

    def run(self, *, applies: bool, checks: bool) -> int:
        """Check, apply and show the patches; return the exit status."""
        options, call = self.options, self.call
        root, data = options.directory.strip("/"), self._data()
        call.ctx.budget.check_fits(data.count(b"\n") * 200)  # the lines, also those of the hunks
        reader = PatchReader(data, options.strip, f"{root}/" if root else "", call.access.charge)
        every = reader.read()
        if not every and not options.allow_empty:
            raise GitError('No valid patches in input (allow with "--allow-empty")', prefix="error")
        patches = [each for each in map(self._placed, every) if self._is_wanted(each.path)]
        errors = self._whitespace(patches) if applies or (checks and self.action != "warn") else 0
        if options.reverse:
            patches = [each.reversed() for each in reversed(patches)]
        target = Target(call, cached=options.cached, index=options.index or options.merges)
        changes = Changes(
            target, is_loose=options.loose, is_verbose=options.verbose, is_reversed=options.reverse
        )
        changes.merges, changes.is_quiet = options.merges, options.quiet
        if checks:
            for patch in patches:
                if options.verbose:
                    call.error(f"Checking patch {_names(patch)}...")
                changes.add(patch)
        if changes.failed:
            return 1
        if errors and self.action in ("error", "error-all"):
            raise GitError(_count(errors, "adds", "add"), prefix="error")
        if applies:
            changes.write()
            if options.verbose:
                for patch in patches:
                    call.error(f"Applied patch {_names(patch)} cleanly.")
            for path in sorted(changes.conflicts) if not options.quiet else ():
                call.error(f"U {path}")
            if errors and not options.quiet:
                call.error(f"warning: {_count(errors, 'adds', 'add')}")
        _show(call, options, patches)
        return int(applies and bool(changes.conflicts))

    def _data(self) -> bytes:
        call = self.call
        if self.name == "-":
            with call.ctx.stdin_reader() as reader:
                return reader.read_all()
        try:
            with call.ctx.open(str(join(VirtualPath(call.options.cwd), self.name))) as reader:
                return reader.read_all()
        except OSError as error:
            if isinstance(error, IsADirectoryError):
                raise GitError("git apply: failed to read: Is a directory", prefix="error") from None
            raise GitError(f"can't open patch '{self.name}': {error.strerror}", prefix="error") from None

    @property
    def _prefix(self) -> str:
        found = self.call.find_repository()
        return found.prefix if found is not None else ""

    def _placed(self, patch: FilePatch) -> FilePatch:
        """Return a patch with names from the top of the working tree."""
        if patch.is_git or not self._prefix:
            return patch
        names = [self._prefix + name if name else "" for name in (patch.old, patch.new)]
        return patch._replace(old=names[0], new=names[1])

    def _is_wanted(self, path: str) -> bool:
        if not path.startswith(self._prefix):
            return False
        for includes, pattern in self.options.patterns:
            if wildmatch(pattern, path, self.call.access.charge, pathname=False):
                return includes
        return not any(includes for includes, _ in self.options.patterns)

    def _whitespace(self, patches: Sequence[FilePatch]) -> int:
        """Report the white-space errors of added lines; return their number."""
        if self.action == "nowarn":
            return 0
        repository, found = self.call.find_repository(), 0
        mark = b"-" if self.options.reverse else b"+"
        for patch in patches:
            for hunk in patch.hunks:
                number = hunk.number
                for sign, line in hunk.lines:
                    number += 1
                    errors = line_errors(repository, patch.path, line) if sign == mark else ""
                    if errors:
                        found += 1
                        if not self.options.quiet and (found <= _MOST_WARNINGS or self.action == "error-all"):
                            shown = "<stdin>" if self.name == "-" else self.name
                            self.call.error(f"{shown}:{number}: {errors}.")
                            self.call.error(line.removesuffix(b"\n").decode("utf-8", "surrogateescape"))
                    number += not line.endswith(b"\n")
        if found > _MOST_WARNINGS and self.action != "error-all" and not self.options.quiet:
            squelched = found - _MOST_WARNINGS
            self.call.error(f"warning: squelched {squelched} whitespace error{'s' * (squelched != 1)}")
        return found


def _names(patch: FilePatch) -> str:
    """Return the name of a file, or both names of a renamed one."""
    return f"{patch.old} => {patch.new}" if patch.old and patch.new and patch.old != patch.new else patch.path


def _count(number: int, one: str, many: str) -> str:
    return f"{number} line{'' if number == 1 else 's'} {one if number == 1 else many} whitespace errors."


def _show(call: Invocation, options: Options, patches: Sequence[FilePatch]) -> None:
    """Print --stat, --numstat and --summary."""
    repository = call.find_repository()
    wide = repository.quotes_wide if repository is not None else True
    for line in stat_lines(patches, wide) if options.stat else ():
        call.ctx.write(encode(f"{line}\n"))
    for patch in patches if options.numstat else ():
        added, removed = counts_of(patch)
        counts = "-\t-" if patch.binary is not None else f"{added}\t{removed}"
        call.ctx.write(encode(f"{counts}\t{quote(patch.path, wide)}\n"))
    for patch in patches if options.summary else ():
        for line in _summary(patch, wide):
            call.ctx.write(encode(f" {line}\n"))


def _summary(patch: FilePatch, wide: bool) -> list[str]:
    if not patch.old:
        return [f"create mode {patch.new_mode:06o} {patch.new}" if patch.new_mode else f"create {patch.new}"]
    if not patch.new:
        return [f"delete mode {patch.old_mode:06o} {patch.old}" if patch.old_mode else f"delete {patch.old}"]
    old, new = (Side(path, 0o100644, NULL_ID) for path in (patch.old, patch.new))
    name = rename_text(Pair(old, new, "R"), wide)
    lines = [f"{patch.kind} {name} ({patch.score}%)"] if patch.kind else []
    if patch.old_mode != patch.new_mode and patch.new_mode:
        name = "" if patch.kind else f" {patch.new}"
        lines.append(f"mode change {patch.old_mode:06o} => {patch.new_mode:06o}{name}")
    return lines

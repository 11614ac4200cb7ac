"""git format-patch: commits as messages with patches, on standard output or as files.

Source: git-format-patch(1); git 2.39, builtin/log.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.lazy import lazily
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.commands.log import check_head
from sandhook.utilities.git.commands.patches.output_files import output_to
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.commit_diff import CommitDiff
from sandhook.utilities.git.history.dates import show_date
from sandhook.utilities.git.history.email import email_lines
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.operands import split_operands
from sandhook.utilities.git.history.patch_ids import equivalent_commits
from sandhook.utilities.git.history.placeholders import as_file_name
from sandhook.utilities.git.history.selection import SHORTHANDS, Selection, WalkOptions
from sandhook.utilities.git.history.starts import find_starts, pull_starts
from sandhook.utilities.git.history.writing_messages import signed_off
from sandhook.utilities.git.program import Invocation, version
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.config import parse_boolean
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import make_parents
from sandhook.vfs.path import VirtualPath, join

_NUMBER = lazily(r"-\d{1,9}")
_LONGEST = 64  #: characters of the name of a file
_DEFAULT_FORMS = ("--stat=72", "--summary", "--patch")


#: Options of git that are not offered: with an optional value, and with one.
_REFUSED_OPTIONAL = ("--thread", "--attach", "--inline", "--from", "--base", "--notes", "--creation-factor")
_REFUSED = (
    "--add-header", "--to", "--cc", "--in-reply-to", "--cover-from-description", "--interdiff", "--range-diff",
    "--signature-file",
)  # fmt: skip


def _always(value: str) -> Callable[[str], str]:
    return lambda text: value


@option_set
class Options:
    """Options of git format-patch."""

    numbered: bool | None = also(
        opt("-n", default=None), opt("--numbered"), opt("-N", const=False), opt("--no-numbered", const=False)
    )
    signoff: bool = also(opt("-s"), opt("--signoff"))
    stdout: bool = opt("--stdout")
    keep: bool = also(opt("-k"), opt("--keep-subject"))
    suffix: str | None = opt("--suffix", "TEXT", "")
    start: int = opt("--start-number", "N", "", convert=count, default=1)
    revision: str | None = also(opt("-v", "N", ""), opt("--reroll-count", "N", ""))
    prefix: str | None = also(opt("--subject-prefix", "TEXT", ""), opt("--rfc", const="RFC PATCH"))
    numbered_files: bool = opt("--numbered-files")
    directory: str | None = also(opt("-o", "DIR", ""), opt("--output-directory", "DIR", ""))
    longest: int | None = opt("--filename-max-length", "N", "", convert=count)
    plain: bool = also(opt("-p"), opt("--no-stat"))
    upstream: bool = opt("--ignore-if-in-upstream")
    no_binary: bool = opt("--no-binary")
    always: bool = opt("--always")
    zero: bool = opt("--zero-commit")
    signature: str | None = opt("--signature", "TEXT", "")
    unsigned: bool = opt("--no-signature")
    quiet: bool = also(opt("-q"), opt("--quiet"))
    root: bool = opt("--root")
    refused: str | None = also(
        opt("--cover-letter", const="--cover-letter", default=None),
        *(
            opt(name, "VALUE", "", optional=True, const=name, convert=convert)
            for name, convert in ((name, _always(name)) for name in _REFUSED_OPTIONAL)
        ),
        *(
            opt(name, "VALUE", "", const=name, convert=convert)
            for name, convert in ((name, _always(name)) for name in _REFUSED)
        ),
    )  # fmt: skip


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the patches, or the names of their files; return 0."""
    special, words = pull_starts(arguments)
    parser = Parser(Options, WalkOptions, DiffOptions, lenient=True, shorthands=SHORTHANDS)
    words = [f"--max-count={word[1:]}" if _NUMBER.fullmatch(word) else word for word in words]
    parsed = parser.parse(["--no-merges", *words])
    for word in parsed.unknown:
        raise GitError(f"unrecognized argument: {word}")
    options, walk = parsed.of(Options), parsed.of(WalkOptions)
    if options.refused is not None:
        raise GitError(
            f"format-patch {options.refused} is not offered in the sandbox (L-GIT-003)", status=129
        )
    _refuse_settings(call.repository)
    if options.keep and options.numbered:
        raise GitError("options '-n' and '-k' cannot be used together")
    if options.keep and options.prefix is not None:
        raise GitError("options '--subject-prefix/--rfc' and '-k' cannot be used together")
    if options.stdout and options.directory is not None:
        raise GitError("options '--stdout' and '--output-directory' cannot be used together")
    if not options.stdout:
        call.check_may_write()
    repository = call.repository
    revisions, paths = split_operands(repository, parsed.operands, parsed.paths, parsed.late)
    ordered = [word for word in parsed.operands if word in revisions] or ["HEAD"]
    if len(ordered) == 1 and not special and walk.number is None and not options.root:
        single = ordered[0]
        if ".." not in single and not single.startswith("^"):
            ordered = [f"^{single}", "HEAD"]
    if not any(word in revisions for word in parsed.operands) and not special:
        check_head(repository)
    starts, pathspec = find_starts(repository, ordered, special), repository.pathspec(paths)
    selection = Selection(repository, walk, starts, pathspec)
    commits = list(selection)
    if options.upstream and len(starts.wanted) + len(starts.unwanted) != 2:
        raise GitError("need exactly one range")
    if options.upstream:
        equal = equivalent_commits(selection)
        commits = [commit for commit in commits if commit.oid not in equal]
    forms = [] if _has_form(parsed.of(DiffOptions)) else list(_DEFAULT_FORMS)
    if options.plain:
        forms = ["--patch"]
    diff_words = [*forms, *([] if options.no_binary else ["--binary"]), *words]
    diff = parser.parse(diff_words).of(DiffOptions)
    _Series(call, options, CommitDiff(repository, diff, pathspec), list(reversed(commits))).write()
    return 0


def _refuse_settings(repository: Repository) -> None:
    """Raise GitError for settings that stand for options which are not offered."""
    get = repository.config.get
    for key in (
        "to",
        "cc",
        "headers",
        "attach",
        "signatureFile",
        "notes",
        "useAutoBase",
        "thread",
        "from",
        "coverLetter",
    ):
        value = get(f"format.{key.lower()}")
        is_off = value is None or parse_boolean(value) is False or (key == "coverLetter" and value == "auto")
        if not is_off:
            raise GitError(f"the setting format.{key} is not offered in the sandbox (L-GIT-003)", status=129)


def _has_form(diff: DiffOptions) -> bool:
    return (
        diff.stat is not None
        or diff.numstat
        or diff.shortstat
        or diff.raw
        or diff.summary
        or bool(diff.dirstat)
    )


class _Series:
    """Some patches."""

    def __init__(
        self, call: Invocation, options: Options, diff: CommitDiff, commits: Sequence[Commit]
    ) -> None:
        self.call = call
        self.options = options
        self.diff = diff
        self.commits = commits
        config = call.repository.config
        setting = (config.get("format.numbered") or "auto").lower()
        is_numbered = options.numbered
        if is_numbered is None and not options.keep:
            is_numbered = len(commits) > 1 if setting == "auto" else config.boolean("format.numbered")
        self.total = options.start - 1 + len(commits) if is_numbered and not options.keep else 0
        self.title = (
            options.prefix if options.prefix is not None else config.get("format.subjectprefix") or "PATCH"
        )
        if options.revision is not None:
            self.title += f" v{options.revision}"
        self.suffix = (
            options.suffix if options.suffix is not None else config.get("format.suffix") or ".patch"
        )
        self.signs = options.signoff or config.boolean("format.signoff")
        self.shown = False

    def write(self) -> None:
        """Print the patches, or write files and print their names."""
        for number, commit in enumerate(self.commits, self.options.start):
            if self.options.stdout:
                for at, piece in enumerate(self._message(commit, number)):
                    self.call.ctx.write(encode(("" if at or not self.shown else "\n") + piece))
                    self.shown = True
                continue
            self._file(commit, number)

    def _file(self, commit: Commit, number: int) -> None:
        options = self.options
        directory = options.directory
        if directory is None:
            directory = self.call.repository.config.get("format.outputdirectory") or ""
        name = f"v{options.revision}-" if options.revision is not None else ""
        name += f"{number:04}"
        if options.numbered_files:
            name = str(number)
        else:
            most = options.longest if options.longest is not None else _LONGEST
            name = (
                f"{name}-{as_file_name(subject(commit.message))}"[: max(8, most) - len(self.suffix) - 1]
                + self.suffix
            )
        shown = f"{directory.rstrip('/')}/{name}" if directory else name
        path = join(VirtualPath(self.call.options.cwd), shown)
        ctx = self.call.ctx
        make_parents(self.call.access, path)
        if not options.quiet:
            ctx.write_line(shown)
        try:
            with output_to(ctx, path):
                for piece in self._message(commit, number):
                    ctx.write(encode(piece))
        except OSError as error:
            raise GitError(f"cannot open patch file {shown}: {error.strerror}") from None

    def _prefix(self, number: int) -> str:
        if self.options.keep:
            return ""
        if not self.total:
            return f"[{self.title}] " if self.title else ""
        width = len(str(self.total))
        return f"[{self.title}{' ' * bool(self.title)}{number:0{width}}/{self.total}] "

    def _message(self, commit: Commit, number: int) -> Iterator[str]:
        """Yield the text before the patch, print the patch, and yield the text after it."""
        parts = self.diff.parts(commit)
        if not (parts and parts[0].pairs) and not self.options.always:
            return
        repository = self.call.repository
        date = show_date(commit.author, "rfc", self.call.ctx.now(), None)
        if self.signs:
            person = person_of(self.call.ctx, repository.config, "COMMITTER")
            commit = commit._replace(message=signed_off(commit.message, f"{person.name} <{person.email}>"))
        shown = commit._replace(oid="0" * 40) if self.options.zero else commit
        lines = email_lines(shown, commit.author, date, is_mboxrd=False, prefix=self._prefix(number))
        yield "".join(f"{line}\n" for line in lines)
        if parts and parts[0].pairs:
            yield "---\n" if "stat" in self.diff.output.forms() else "\n"
        for part in parts or ():
            self.diff.write(part)
        if not self.options.unsigned:
            text = self.options.signature
            text = repository.config.get("format.signature") if text is None else text
            text = version() if text is None else text
            if text:
                yield f"-- \n{text}\n\n"

"""git shortlog: the subjects of commits by author, committer, trailer or format.

Source: git-shortlog(1); git 2.39, builtin/shortlog.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.text.numbers import is_number
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.history.mailmap import Mailmap
from sandhook.utilities.git.history.messages import subject, wrapped
from sandhook.utilities.git.history.operands import split_operands
from sandhook.utilities.git.history.pretty import Format, Printer, parse_format
from sandhook.utilities.git.history.selection import Selection, WalkOptions
from sandhook.utilities.git.history.starts import find_starts, pull_starts
from sandhook.utilities.git.history.trailers import Settings, find_block, trailers_of
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode
from sandhook.utilities.git.store.commits import Commit, Identity, identity
from sandhook.utilities.git.store.repository import Repository

_WRAP = (76, 6, 9)


@option_set
class Options:
    """Options of git shortlog."""

    numbered: bool = also(opt("-n"), opt("--numbered"))
    summary: bool = also(opt("-s"), opt("--summary"))
    email: bool = also(opt("-e"), opt("--email"))
    wrap: str | None = opt("-w", "MEASURES", "", optional=True, const="")
    groups: tuple[str, ...] = also(
        opt("--group", "TYPE", "", append=True),
        opt("-c", const="committer", append=True),
        opt("--committer", const="committer", append=True),
    )
    pretty: str | None = also(opt("--format", "FORMAT", ""), opt("--pretty", "FORMAT", ""))
    date: str = opt("--date", "FORM", "", default="")


class _Grouping:
    """Finds the groups of a commit."""

    def __init__(self, repository: Repository, options: Options) -> None:
        self._mailmap = Mailmap(repository)
        self._email = options.email
        self._settings = Settings(repository.config)
        self._keys = [self._key(repository, options, word) for word in options.groups or ("author",)]

    def of(self, commit: Commit) -> Iterable[str]:
        """Return the names of the groups of a commit, each one once."""
        return dict.fromkeys(name for key in self._keys for name in key(commit))

    def shown(self, person: Identity) -> str:
        """Return a person as the heading of a group."""
        person = self._mailmap.of(person)
        return f"{person.name} <{person.email}>" if self._email else person.name

    def _key(self, repository: Repository, options: Options, word: str) -> Callable[[Commit], Iterable[str]]:
        if word.lower() == "author":
            return lambda commit: [self.shown(commit.author)]
        if word.lower() == "committer":
            return lambda commit: [self.shown(commit.committer)]
        kind, colon, rest = word.partition(":")
        if kind.lower() == "trailer" and colon:
            return lambda commit: self._trailers(commit, rest.lower())
        if "%" in word or (kind.lower() == "format" and colon):
            printer = Printer(
                repository, Format("user", rest if kind == "format" else word), date=options.date
            )
            return lambda commit: [printer.text(commit)]
        raise OptionFault(f"unknown group type: {word}")

    def _trailers(self, commit: Commit, key: str) -> Iterator[str]:
        block = find_block(commit.message, self._settings, divider=False)
        for trailer in trailers_of(block, self._settings, "\0", unfold=True, only=True):
            if (trailer.key or "").lower() == key:
                person = identity(trailer.value) if ">" in trailer.value.partition("<")[2] else None
                yield trailer.value if person is None else self.shown(person)


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the groups of commits, or of a log on standard input; return 0."""
    special, words = pull_starts(arguments)
    words = [f"--max-count={word[1:]}" if is_number(word[1:]) and word[:1] == "-" else word for word in words]
    parsed = Parser(Options, WalkOptions).parse(words)
    options, repository = parsed.of(Options), call.repository
    measures = None if options.wrap is None else _measures(options.wrap)
    revisions, paths = split_operands(repository, parsed.operands, parsed.paths)
    grouping = _Grouping(repository, options)
    groups: dict[str, list[str]] = {}
    if not revisions and not special:
        for name, text in _from_log(call, grouping, options):
            groups.setdefault(name, []).append(text)
    else:
        printer = None
        if options.pretty is not None:
            printer = Printer(
                repository, parse_format(options.pretty, repository), date=options.date, abbreviated=0
            )
        starts = find_starts(repository, revisions, special)
        for commit in Selection(repository, parsed.of(WalkOptions), starts, repository.pathspec(paths)):
            text = subject(commit.message) if printer is None else printer.text(commit)
            for name in grouping.of(commit):
                groups.setdefault(name, []).append(_without_patch(text) or "<none>")
    _write(call, groups, options, measures)
    return 0


def _write(
    call: Invocation, groups: dict[str, list[str]], options: Options, measures: tuple[int, int, int] | None
) -> None:
    names = sorted(groups)
    if options.numbered:
        names.sort(key=lambda name: -len(groups[name]))
    for name in names:
        if options.summary:
            call.ctx.write_line(f"{len(groups[name]):>6}\t{name}")
            continue
        call.ctx.write_line(f"{name} ({len(groups[name])}):")
        for each in reversed(groups[name]):
            call.ctx.write_line(f"      {each}" if measures is None else wrapped(each, *measures))
        call.ctx.write_line("")


def _measures(text: str) -> tuple[int, int, int]:
    """Return the width and the two indentations of -w. Raises GitError for wrong ones."""
    numbers = text.split(",") if text else []
    if len(numbers) > 3 or not all(
        each == "" or (each.isascii() and each.isdigit() and len(each) < 6) for each in numbers
    ):
        raise OptionFault("-w[<w>[,<i1>[,<i2>]]]")
    values = [int(each) if each else usual for each, usual in zip(numbers, _WRAP)]
    width, first, other = (*values, *_WRAP[len(values) :])
    if width and ((first and width <= first) or (other and width <= other)):
        raise OptionFault("-w[<w>[,<i1>[,<i2>]]]")
    return width, first, other


def _from_log(call: Invocation, grouping: _Grouping, options: Options) -> Iterator[tuple[str, str]]:
    """Yield the group and the subject of each commit of a log on standard input. Raises GitError for other groups."""
    chosen = options.groups or ("author",)
    if len(chosen) > 1:
        raise GitError("using multiple --group options with stdin is not supported")
    if chosen[0] not in ("author", "committer"):
        raise GitError(f"using --group={chosen[0].partition(':')[0]} with stdin is not supported")
    marks = ("Author: ", "author ") if chosen[0] == "author" else ("Commit: ", "committer ")
    with call.ctx.stdin_reader() as reader:
        lines = iter(decode(reader.read_all()).split("\n"))
    for line in lines:
        call.access.charge(1)
        mark = next((mark for mark in marks if line.startswith(mark)), None)
        if mark is None:
            continue
        text = next((each for each in lines if not each), "")
        text = next((each for each in lines if each), "")
        if "<" in line and ">" in line:
            yield grouping.shown(identity(line.removeprefix(mark))), _without_patch(text.strip())


def _without_patch(text: str) -> str:
    """Return a subject without "[PATCH ...]" at its beginning."""
    mark, end, rest = text.partition("]")
    return rest.lstrip() if end and mark.startswith("[PATCH") else text

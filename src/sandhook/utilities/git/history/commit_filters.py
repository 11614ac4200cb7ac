"""Which commits --author, --committer and --grep select.

Source: git-rev-list(1), "Commit Limiting".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import LINE_BRE, LINE_ERE, compile_regex
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.mailmap import Mailmap
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit, Identity
from sandhook.utilities.git.store.config import Config
from sandhook.utilities.git.store.repository import Repository

#: Returns whether a text matches an expression.
Check = Callable[[bytes], bool]


class FilterOptions(Protocol):
    """The options of walks that filters need."""

    @property
    def author(self) -> tuple[str, ...]:
        """The expressions of --author."""

    @property
    def committer(self) -> tuple[str, ...]:
        """The expressions of --committer."""

    @property
    def grep(self) -> tuple[str, ...]:
        """The expressions of --grep."""

    @property
    def all_match(self) -> bool:
        """All of --grep must match."""

    @property
    def invert_grep(self) -> bool:
        """No --grep may match."""

    @property
    def icase(self) -> bool:
        """Upper and lower case are the same."""

    @property
    def syntax(self) -> str:
        """The syntax of the expressions, "" for that of the settings."""


def filters_of(repository: Repository, options: FilterOptions) -> list[Callable[[Commit], bool]]:
    """Return the checks of --author, --committer and --grep."""
    checks: list[Callable[[Commit], bool]] = []
    mailmap = Mailmap(repository) if options.author or options.committer else None
    authors = [compiled(text, options, repository, "header") for text in options.author]
    if authors:
        checks.append(lambda commit: _person_matches(authors, commit.author, mailmap))
    committers = [compiled(text, options, repository, "header") for text in options.committer]
    if committers:
        checks.append(lambda commit: _person_matches(committers, commit.committer, mailmap))
    messages = [compiled(text, options, repository) for text in options.grep]
    if messages:
        combine = all if options.all_match else any
        checks.append(
            lambda commit: (
                combine(matches(encode(commit.message)) for matches in messages) != options.invert_grep
            )
        )
    return checks


def _person_matches(checks: list[Check], person: Identity, mailmap: Mailmap | None) -> bool:
    person = mailmap.of(person) if mailmap is not None else person
    text = encode(f"{person.name} <{person.email}>")
    return any(matches(text) for matches in checks)


def _syntax(options: FilterOptions, config: Config) -> str:
    syntax = options.syntax or config.get("grep.patterntype") or "default"
    if syntax == "default":
        return "extended" if config.boolean("grep.extendedregexp") else "basic"
    return syntax


def compiled(
    text: str, options: FilterOptions, repository: Repository, origin: str = "command line"
) -> Check:
    """Return what finds the expression of an option in a text. Raises GitError for a wrong one."""
    syntax = _syntax(options, repository.config)
    try:
        if syntax == "perl":
            from sandhook.pattern.perl.search import perl_spans

            spans = perl_spans(encode(text), options.icase, False, False, repository.ctx.budget)
            return lambda data: any(True for line in data.split(b"\n") for _ in spans(line))
        if syntax == "fixed":
            special = "\\.[]*^$"
            text = "".join(f"\\{c}" if c in special else c for c in text)
        regex = compile_regex(text, LINE_ERE if syntax == "extended" else LINE_BRE, icase=options.icase)
    except PatternError as error:
        raise GitError(f"{origin}, '{text}': {error}") from None
    return lambda data: regex.search(data) is not None

"""Which commits --author, --committer and --grep select.

Source: git-rev-list(1), "Commit Limiting".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import LINE_BRE, LINE_ERE, Regex, compile_regex
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.mailmap import Mailmap
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit, Identity
from sandhook.utilities.git.store.repository import Repository


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
        """The syntax of the expressions."""


def filters_of(repository: Repository, options: FilterOptions) -> list[Callable[[Commit], bool]]:
    """Return the checks of --author, --committer and --grep."""
    checks: list[Callable[[Commit], bool]] = []
    mailmap = Mailmap(repository) if options.author or options.committer else None
    authors = [compiled(text, options) for text in options.author]
    if authors:
        checks.append(lambda commit: _person_matches(authors, commit.author, mailmap))
    committers = [compiled(text, options) for text in options.committer]
    if committers:
        checks.append(lambda commit: _person_matches(committers, commit.committer, mailmap))
    messages = [compiled(text, options) for text in options.grep]
    if messages:
        combine = all if options.all_match else any
        checks.append(
            lambda commit: (
                combine(regex.search(encode(commit.message)) is not None for regex in messages)
                != options.invert_grep
            )
        )
    return checks


def _person_matches(regexes: list[Regex], person: Identity, mailmap: Mailmap | None) -> bool:
    person = mailmap.of(person) if mailmap is not None else person
    text = encode(f"{person.name} <{person.email}>")
    return any(regex.search(text) is not None for regex in regexes)


def compiled(text: str, options: FilterOptions) -> Regex:
    """Return the regular expression of an option. Raises GitError for a wrong one."""
    try:
        if options.syntax == "fixed":
            special = "\\.[]*^$"
            literal = "".join(f"\\{c}" if c in special else c for c in text)
            return compile_regex(literal, LINE_BRE, icase=options.icase)
        if options.syntax == "extended":
            return compile_regex(text, LINE_ERE, icase=options.icase)
        return compile_regex(text, LINE_BRE, icase=options.icase)
    except PatternError as error:
        raise GitError(f"-e option, '{text}': {error}") from None

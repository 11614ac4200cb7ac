"""The rules of .gitignore.

Source: gitignore(5) and git's dir.c.
"""

from __future__ import annotations

from sandhook.record import Record
from sandhook.utilities.git.names.wildmatch import has_wildcard, wildmatch
from sandhook.utilities.git.store.access import Access


class Rule(Record):
    """One pattern.

    Fields:
        base: The directory of its file, "" or "dir/".
        negated, directory: It begins with "!"; it ends in "/".
        anchored: It has a slash, so it matches the whole path below ``base``.
        source, line, text: Where it is from, for "check-ignore -v".
    """

    pattern: str
    base: str
    negated: bool
    directory: bool
    anchored: bool
    source: str
    line: int
    text: str


def parse_rules(text: str, base: str, source: str) -> list[Rule]:
    """Return the rules of a file."""
    rules = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = line.removesuffix("\r")
        if not line or line.startswith("#"):
            continue
        rule = parse_rule(line, base, source, number)
        if rule is not None:
            rules.append(rule)
    return rules


def parse_rule(line: str, base: str, source: str, number: int) -> Rule | None:
    """Return the rule of one line, None for blanks alone."""
    text = _without_trailing_blanks(line)
    pattern = text
    negated = pattern.startswith("!")
    if negated:
        pattern = pattern[1:]
    directory = pattern.endswith("/")
    if directory:
        pattern = pattern[:-1]
    anchored = "/" in pattern
    if pattern.startswith("/"):
        pattern = pattern[1:]
    if not pattern and not anchored:
        return None
    return Rule(
        pattern,
        base,
        negated=negated,
        directory=directory,
        anchored=anchored,
        source=source,
        line=number,
        text=text,
    )


def _without_trailing_blanks(line: str) -> str:
    kept = line.rstrip(" ")
    slashes = len(kept) - len(kept.rstrip("\\"))
    return line[: len(kept) + slashes % 2]  # a blank after a backslash belongs to the name


class Ignore:
    """Decides which untracked paths of a working tree are ignored.

    Args:
        root: The path of the working tree.
        standard: Rules of info/exclude and of core.excludesFile, as (text, source), the strongest first.
        names: Names of the files with rules in each directory.
        extra: Rules of the command line, which are stronger than all others.
    """

    def __init__(
        self,
        access: Access,
        root: str,
        standard: list[tuple[str, str]],
        names: tuple[str, ...] = (".gitignore",),
        extra: list[Rule] | None = None,
        ignore_case: bool = False,
    ) -> None:
        self._access = access
        self._root = root
        self._names = names
        self._extra = extra or []
        self._standard = [parse_rules(text, "", source) for text, source in standard]
        self._directories: dict[str, list[Rule]] = {}
        self._ignored_directories: dict[str, Rule | None] = {}
        self._ignore_case = ignore_case

    def _rules_of(self, directory: str) -> list[Rule]:
        """Return the rules of the files in a directory ("" or "dir/")."""
        rules = self._directories.get(directory)
        if rules is None:
            rules = []
            for name in self._names:
                path = f"{self._root}/{directory}{name}"
                found = self._access.stat(path)
                if found is not None and found.mode & 0o170000 == 0o100000:
                    text = self._access.text_or_none(path) or ""
                    self._access.charge(1 + (len(text) >> 4))
                    self._access.ctx.budget.charge_memory(len(text) * 8)
                    rules += parse_rules(text, directory, directory + name)
            self._directories[directory] = rules
        return rules

    def rule_for(self, path: str, is_directory: bool) -> Rule | None:
        """Return the rule that decides about a path, None if it does not exist; it may be negated.

        A rule that ignores a directory above the path decides for everything in it.
        """
        parent = path.rpartition("/")[0]
        if parent and (above := self._directory_rule(parent)) is not None:
            return above
        return self._last_match(path, is_directory)

    def is_ignored(self, path: str, is_directory: bool) -> bool:
        """Return True if a path is ignored."""
        rule = self.rule_for(path, is_directory)
        return rule is not None and not rule.negated

    def _directory_rule(self, directory: str) -> Rule | None:
        """Return the rule that ignores a directory or one above it."""
        end = 0
        while end >= 0:
            end = directory.find("/", end + 1)
            name = directory if end < 0 else directory[:end]
            if name not in self._ignored_directories:
                rule = self._last_match(name, True)
                self._ignored_directories[name] = rule if rule is not None and not rule.negated else None
            if (known := self._ignored_directories[name]) is not None:
                return known
        return None

    def _last_match(self, path: str, is_directory: bool) -> Rule | None:
        for rule in reversed(self._extra):
            if self._matches(rule, path, is_directory):
                return rule
        end = len(path)
        while end >= 0 and self._names:
            end = path.rfind("/", 0, end)
            for rule in reversed(self._rules_of(path[: end + 1])):
                if self._matches(rule, path, is_directory):
                    return rule
        for rules in self._standard:
            for rule in reversed(rules):
                if self._matches(rule, path, is_directory):
                    return rule
        return None

    def _matches(self, rule: Rule, path: str, is_directory: bool) -> bool:
        if rule.directory and not is_directory:
            return False
        if not rule.anchored:
            name, pathname = path.rpartition("/")[2], False
        else:
            name, pathname = path[len(rule.base) :], True
        if not self._ignore_case and not has_wildcard(rule.pattern):
            self._access.charge(1)
            return rule.pattern == name
        return wildmatch(
            rule.pattern, name, self._access.charge, ignore_case=self._ignore_case, pathname=pathname
        )

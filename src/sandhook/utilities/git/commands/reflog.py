"""git reflog: what a reference pointed to.

Source: git-reflog(1); git 2.39, builtin/reflog.c and reflog.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.text.numbers import is_number
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.log import run as run_log
from sandhook.utilities.git.diff.model import NULL_ID
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.dates import parse_date, parse_expiry
from sandhook.utilities.git.history.names import RULES
from sandhook.utilities.git.history.walk import Walk
from sandhook.utilities.git.names.wildmatch import wildmatch
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.ref_writing import write_log
from sandhook.utilities.git.store.refs import LogEntry, is_valid_name
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import replace_file

_DAY = 86_400
_TOTAL = 90 * _DAY  #: gc.reflogExpire
_UNREACHABLE = 30 * _DAY  #: gc.reflogExpireUnreachable


@option_set
class PruneOptions:
    """Options of git reflog expire and delete."""

    dry_run: bool = opt("--dry-run")
    joins: bool = opt("--rewrite")
    updates: bool = opt("--updateref")
    verbose: bool = opt("--verbose")


@option_set
class ExpireOptions:
    """Options of git reflog expire alone."""

    expire: str | None = opt("--expire", "DATE", "")
    unreachable: str | None = opt("--expire-unreachable", "DATE", "")
    all: bool = opt("--all")
    single: bool = opt("--single-worktree")
    stale: bool = also(opt("--stale-fix"))


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 if ``exists`` finds no reflog, 255 for a reference without one."""
    words = list(arguments)
    command = words.pop(0) if words and words[0] in ("show", "exists", "expire", "delete") else "show"
    if command == "exists":
        return _exists(call.repository, words)
    if command == "show":
        forms = [word for word in words if word.startswith(("--pretty", "--format"))]
        short = [] if forms[-1:] == ["--pretty=raw"] else ["--abbrev-commit"]
        return run_log(call, ["-g", "--pretty=oneline", *short, *words])
    call.check_may_write()
    return _expire(call, words) if command == "expire" else _delete(call, words)


def _exists(repository: Repository, words: list[str]) -> int:
    if len(words) != 1:
        raise GitError("usage: git reflog exists <ref>\n", prefix="", status=129)
    if not is_valid_name(words[0]):
        raise GitError(f"invalid ref format: {words[0]}")
    return 0 if repository.access.is_file(repository.refs.log_path(words[0])) else 1


def _with_reflog(repository: Repository, name: str) -> str | None:
    """Return the full name of a reference that has a reflog; None without one."""
    for rule in RULES:
        full = rule.replace("{}", name)
        if not is_valid_name(full) or repository.refs.resolve(full) is None:
            continue
        for each in (full, repository.refs.final_name(full)):
            if repository.access.is_file(repository.refs.log_path(each)):
                return each
    return None


# --------------------------------------------------------------------------- delete


def _delete(call: Invocation, words: list[str]) -> int:
    parsed = Parser(PruneOptions).parse(words)
    options, operands = parsed.of(PruneOptions), [*parsed.operands, *(parsed.paths or ())]
    if not operands:
        raise GitError("no reflog specified to delete", prefix="error", status=255)
    status = 0
    for word in operands:
        name, at, inner = word.partition("@{")
        full = _with_reflog(call.repository, name) if at else None
        if full is None:
            call.error(f"error: no reflog for '{word}'" if at else f"error: not a reflog: {word}")
            status = 255
            continue
        entries = call.repository.refs.log(full)
        inner = inner.removesuffix("}")
        if is_number(inner):
            index = len(entries) - 1 - int(inner[:9])
        else:
            now, tz = int(call.ctx.now()), call.options.environment.get("TZ")
            limit = parse_date(inner, now, tz)
            index = sum(entry.person.time < limit for entry in entries) - 1
        kept = [at != index for at in range(len(entries))]
        _Pruning(call, options, "would prune" if options.dry_run else "prune").run(full, entries, kept)
    return status


class _Pruning:
    """Writes the reflog of a reference without some of its entries."""

    def __init__(self, call: Invocation, options: PruneOptions, word: str) -> None:
        self.call = call
        self.options = options
        self.word = word

    def run(self, name: str, entries: list[LogEntry], kept: list[bool]) -> None:
        """Print what happens to each entry, and write the entries that are kept."""
        repository = self.call.repository
        if self.options.verbose:
            for entry, keep in zip(entries, kept, strict=True):
                self.call.ctx.write_line(f"{'keep' if keep else self.word} {entry.message}")
        if self.options.dry_run:
            return
        left = [entry for entry, keep in zip(entries, kept, strict=True) if keep]
        if len(left) < len(entries) or self.options.joins:
            write_log(repository, name, left, joins=self.options.joins)
        last = left[-1].new if left else NULL_ID
        is_plain = name.startswith("refs/") and repository.refs.target(name) is None
        if self.options.updates and is_plain and last not in (NULL_ID, repository.refs.resolve(name)):
            replace_file(self.call.access, repository.refs.path(name), f"{last}\n".encode())


# --------------------------------------------------------------------------- expire


def _expire(call: Invocation, words: list[str]) -> int:
    parsed = Parser(PruneOptions, ExpireOptions).parse(words)
    options, limits = parsed.of(PruneOptions), parsed.of(ExpireOptions)
    if limits.stale:
        raise GitError("reflog expire --stale-fix is not offered in the sandbox (L-GIT-003)", status=129)
    expiry = _Expiry(call, limits)
    names = _all_logs(call.repository) if limits.all else []
    status = 0
    for word in [*parsed.operands, *(parsed.paths or ())]:
        full = _with_reflog(call.repository, word)
        if full is None:
            call.error(f"error: {word} points nowhere!")
            status = 255
        else:
            names.append(full)
    for name in names:
        entries = call.repository.refs.log(name)
        _Pruning(call, options, "prune").run(name, entries, expiry.kept(name, entries))
    return status


def _all_logs(repository: Repository) -> list[str]:
    """Return the references with a reflog, in order: HEAD, then those below refs/."""
    names = ["HEAD"] if repository.access.is_file(repository.refs.log_path("HEAD")) else []
    waiting = ["refs"]
    found = []
    while waiting:
        base = waiting.pop()
        for entry in repository.access.listdir(f"{repository.common}/logs/{base}"):
            repository.access.charge(1)
            name = f"{base}/{entry.name}"
            if entry.mode & 0o170000 == 0o040000:
                waiting.append(name)
            elif is_valid_name(name):
                found.append(name)
    return names + sorted(found)


class _Expiry:
    """Which entries of reflogs are too old."""

    def __init__(self, call: Invocation, options: ExpireOptions) -> None:
        self._call = call
        self._repository = call.repository
        self._now = int(call.ctx.now())
        self._total = self._time("--expire", options.expire)
        self._unreachable = self._time("--expire-unreachable", options.unreachable)

    def _time(self, option: str, text: str | None) -> int | None:
        if text is None:
            return None
        when = parse_expiry(text, self._now, self._call.options.environment.get("TZ"))
        if when is None:
            raise GitError(f"invalid timestamp '{text}' given to '{option}'")
        return when

    def _limits(self, name: str) -> tuple[int, int]:
        """Return the times before which entries expire, and those of commits that the reference does not reach."""
        total, unreachable = self._configured(name)
        return (
            total if self._total is None else self._total,
            unreachable if self._unreachable is None else self._unreachable,
        )

    def _configured(self, name: str) -> tuple[int, int]:
        """Return both times by the settings gc.PATTERN.reflogExpire, or gc.reflogExpire."""
        config, charge = self._repository.config, self._repository.access.charge
        patterns = (each for each in config.subsections("gc") if wildmatch(each, name, charge))
        pattern = next(patterns, None)
        if pattern is None and name == "refs/stash":
            return 0, 0
        section = "gc" if pattern is None else f"gc.{pattern}"
        keys = ((f"{section}.reflogexpire", _TOTAL), (f"{section}.reflogexpireunreachable", _UNREACHABLE))
        total, unreachable = (self._setting(key, days, pattern is None) for key, days in keys)
        return total, unreachable

    def _setting(self, key: str, default: int, has_default: bool) -> int:
        text = self._repository.config.get(key)
        if text is None:
            return self._now - default if has_default else 0
        when = parse_expiry(text, self._now, self._call.options.environment.get("TZ"))
        if when is None:
            raise GitError(f"'{text}' for '{key}' is not a valid timestamp")
        return when

    def kept(self, name: str, entries: list[LogEntry]) -> list[bool]:
        """Return whether each entry is kept."""
        total, unreachable = self._limits(name)
        reachable = self._reached(name) if unreachable > total else None
        return [not self._expires(entry, total, unreachable, reachable) for entry in entries]

    def _expires(
        self, entry: LogEntry, total: int, unreachable: int, reachable: frozenset[str] | None
    ) -> bool:
        if entry.person.time < total:
            return True
        if entry.person.time >= unreachable:
            return False
        return reachable is None or any(self._is_lost(oid, reachable) for oid in (entry.old, entry.new))

    def _is_lost(self, oid: str, reachable: frozenset[str]) -> bool:
        """Return True for a commit of the repository that is not reachable."""
        if oid == NULL_ID or oid in reachable:
            return False
        found = self._repository.objects.find(oid)
        return found is not None and found.kind == "commit"

    def _reached(self, name: str) -> frozenset[str] | None:
        """Return the commits that a reference reaches, for HEAD those of all references; None for no commit."""
        refs, objects = self._repository.refs, self._repository.objects
        oids = list(refs.all().values()) if name == "HEAD" else [refs.resolve(name)]
        tips = [tip for oid in oids if oid is not None and (tip := objects.peel(oid, "commit")) is not None]
        if not tips and name != "HEAD":
            return None
        return frozenset(commit.oid for commit in Walk(self._repository, tips, []))

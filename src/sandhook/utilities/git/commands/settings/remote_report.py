"""git remote show -n: what the settings say about a remote, without a question to it.

Source: git-remote(1); git 2.39, builtin/remote.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.record import Record
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.config import parse_boolean
from sandhook.utilities.git.store.repository import Repository

_REBASES = {
    "interactive": "interactively ", "i": "interactively ",
    "merges": "interactively (with merges) ", "m": "interactively (with merges) ",
}  # fmt: skip


def report(call: Invocation, names: Sequence[str], url: Callable[[str, bool], str]) -> int:
    """Print what is known of remotes; return 0.

    Args:
        url: Returns a URL after the settings url.*.insteadOf; True for pushes.
    """
    repository = call.repository
    pulls = _pulls(call)
    for name in names:
        for line in _lines(repository, name, url, pulls):
            call.ctx.write_line(line)
    return 0


def _lines(
    repository: Repository, name: str, url: Callable[[str, bool], str], pulls: dict[str, list[_Pull]]
) -> Iterator[str]:
    config = repository.config
    urls = config.get_all(f"remote.{name}.url") or [name]
    yield f"* remote {name}"
    yield f"  Fetch URL: {url(urls[0], False)}"
    for each in config.get_all(f"remote.{name}.pushurl") or urls:
        yield f"  Push  URL: {url(each, True)}"
    yield "  HEAD branch: (not queried)"
    base = f"refs/remotes/{name}/"
    branches = sorted(ref.removeprefix(base) for ref in repository.refs.all(base))
    branches = [branch for branch in branches if branch != "HEAD"]
    if branches:
        yield f"  Remote branch{'es' * (len(branches) > 1)}: (status not queried)"
        yield from (f"    {branch}" for branch in branches)
    if local := pulls.get(name, []):
        yield f"  Local branch{'es' * (len(local) > 1)} configured for 'git pull':"
        yield from _pull_lines(local)
    if config.boolean(f"remote.{name}.mirror"):
        yield "  Local refs will be mirrored by 'git push'"
        return
    pushes = sorted(_push(spec) for spec in config.get_all(f"remote.{name}.push")) or [
        ("(matching)", "pushes to (matching)")
    ]
    width = max(len(source) for source, _ in pushes)
    yield f"  Local ref{'s' * (len(pushes) > 1)} configured for 'git push' (status not queried):"
    yield from (f"    {source:<{width}} {text}" for source, text in pushes)


def _push(spec: str) -> tuple[str, str]:
    """Return the source of a refspec, and what is done with it."""
    verb = "forces" if spec.startswith("+") else "pushes"
    source, colon, target = spec.removeprefix("+").partition(":")
    if colon and not source and not target:
        return "(matching)", f"{verb} to (matching)"
    return source or "(delete)", f"{verb} to {target if colon else source}"


class _Pull(Record):
    """What a branch pulls: the remote branches, and how it is rebased, None for a merge."""

    branch: str
    sources: list[str]
    rebase: str | None


def _pull_lines(pulls: Sequence[_Pull]) -> Iterator[str]:
    width = max(len(pull.branch) for pull in pulls)
    space = " " * any(pull.rebase is not None for pull in pulls)
    for pull in pulls:
        verb = f"{space}merges with" if pull.rebase is None else f"rebases {pull.rebase}onto"
        yield f"    {pull.branch:<{width}} {verb} remote {pull.sources[0]}"
        for source in pull.sources[1:]:
            yield f"    {'':<{width}}    {space}and with remote {source}"


def _pulls(call: Invocation) -> dict[str, list[_Pull]]:
    """Return what branches pull from each remote."""
    config = call.repository.config
    found: dict[str, list[_Pull]] = {}
    for branch in sorted(config.subsections("branch")):
        remote = config.get(f"branch.{branch}.remote")
        sources = [each.removeprefix("refs/heads/") for each in config.get_all(f"branch.{branch}.merge")]
        if remote is None or not sources:
            continue
        setting = config.word(f"branch.{branch}.rebase") or "false"
        rebase = None if parse_boolean(setting) is False else _REBASES.get(setting, "")
        if rebase is not None and len(sources) > 1:
            call.error(f"error: invalid branch.{branch}.merge; cannot rebase onto > 1 branch")
            continue
        found.setdefault(remote, []).append(_Pull(branch, sources, rebase))
    return found

"""``sandhook trust``: show what the hooks of a file would run, and approve them as they are now."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from sandhook.cli import USAGE_ERROR, UsageError
from sandhook.cli.arguments import Parser
from sandhook.errors import ConfigError
from sandhook.hooks import contracts
from sandhook.hooks.contracts import ContractError
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.sources import documents, line_of
from sandhook.hooks.text import neutralise
from sandhook.hooks.trust import Evidence, TrustError, TrustStore

if TYPE_CHECKING:
    import argparse

#: Programs by which a hook reaches beyond its files; named so that nobody approves them unseen.
REACHES_OUT = frozenset(
    {"curl", "wget", "nc", "ncat", "ssh", "scp", "ftp", "telnet", "socat", "git", "npm", "npx", "pip", "gh"}
)

NOT_APPROVED = 2


def parser() -> Parser:
    made = Parser(
        "trust",
        "FILE [OPTION]...",
        "Show which hooks a configuration has, what each would run and from where, and approve\n"
        "them. An approval binds the hook and the bytes of every script that it names: when a\n"
        "byte changes, it asks again. Approvals are kept in the user's data directory.\n\n"
        "Exit status: 0 approved (or revoked, listed), 2 not approved, 1 usage or configuration error.",
    )
    add = made.add_argument
    add("file", nargs="?", metavar="FILE", help="a configuration of hooks")
    add("--contract", metavar="NAME", help="whose format it is; recognised from the file when not given")
    add("--project", metavar="DIR", help="where the hooks run (default: the current directory)")
    add("--yes", action="store_true", help="approve without asking")
    add("--show", action="store_true", help="only show")
    add("--revoke", action="store_true", help="forget every approval of FILE")
    add("--list", action="store_true", help="list what is approved")
    add("--store", metavar="FILE", help="keep approvals there")
    return made


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    try:
        options = parser().parse_args(arguments)
    except SystemExit as done:  # --help
        return int(done.code or 0)
    try:
        return _trust(options)
    except ConfigError as error:
        for problem in error.problems:
            _say(str(problem))
        return USAGE_ERROR
    except (ContractError, TrustError) as error:
        raise UsageError(str(error)) from None


def store_of(path: str | None) -> TrustStore:
    """Return the store that an option names, or the user's own."""
    return TrustStore(path) if path else TrustStore.default(dict(os.environ), sys.platform)


def _trust(options: argparse.Namespace) -> int:
    store = store_of(options.store)
    if options.list:
        return _list(store)
    if options.file is None:
        raise UsageError("trust needs a FILE (or --list)")
    name = os.path.abspath(options.file)  # noqa: PTH100 - pathlib costs 10 ms
    if options.revoke:
        print(f"{store.revoke(name)} approval(s) of {neutralise(name, lines=False)} revoked")
        return 0
    contract, evidence = _evidence(options, name, store)
    approved = store.approved()
    for each in evidence:
        _show(each, each.digest in approved)
    if options.show:
        return 0
    fresh = [each for each in evidence if each.digest not in approved]
    if not fresh:
        print("all approved" if evidence else "no hooks")
        return 0
    if not options.yes and not _agreed(len(fresh)):
        print("not approved")
        return NOT_APPROVED
    store.approve(fresh)
    print(f"{len(fresh)} hook(s) of {contract} approved")
    return 0


def _evidence(options: argparse.Namespace, name: str, store: TrustStore) -> tuple[str, list[Evidence]]:
    """Load a file and examine its hooks, all of which must be well formed."""
    contract = contracts.get(options.contract) if options.contract else None
    found = documents(name, contract, dict(os.environ))
    engine = HookEngine.load(found, contract, env=dict(os.environ), prestart=False)
    if engine.problems:
        raise ConfigError(list(engine.problems))
    project = os.path.abspath(options.project or ".").replace("\\", "/")  # noqa: PTH100
    evidence = []
    for group in engine.groups:
        for spec in group.specs:
            line = line_of(found[0], spec.path)
            where = spec._replace(file=name, description=f"{spec.file or name}:{line}" if line else name)
            try:
                evidence.append(store.examine(where, group.contract.name, project))
            except TrustError as error:
                raise TrustError(f"{spec.id}: {error}") from None
    return ",".join(each.name for each in engine.contracts), evidence


def _show(evidence: Evidence, approved: bool) -> None:
    """Print one hook: when it runs, what, from where, and what it asks for."""
    spec = evidence.spec
    state = "approved" if approved else "NOT APPROVED"
    _line(f"{spec.id}  [{state}]  {spec.description}")
    _line(f"  on {spec.native_event}, at most {spec.timeout:g} seconds")
    text = spec.executor.text or " ".join(spec.executor.argv)
    for line in text.splitlines()[:20] or [""]:
        _line(f"  | {line}")
    for file in evidence.files:
        _line(f"  {file.how} {file.path} ({len(file.data)} bytes)")
    _line(f"  commands: {', '.join(evidence.commands) or 'none'}")
    beyond = [name for name in evidence.commands if name.rpartition("/")[2] in REACHES_OUT]
    if beyond:
        _line(f"  reaches out: {', '.join(beyond)}")
    env = {"inherit": "the agent's whole environment", "fresh": "none of the agent's environment"}
    _line(f"  sees {env.get(spec.env_policy) or 'of the environment: ' + ', '.join(spec.env_names)}")
    for unknown in evidence.unknown:
        _line(f"  cannot be known: {unknown}")


def _list(store: TrustStore) -> int:
    for digest, entry in store.approved().items():
        hook, file = entry.get("hook", "?"), entry.get("file", "?")
        _line(f"{digest[:12]}  {entry.get('approved', '?')}  {hook}  {file}")
    return 0


def _agreed(count: int) -> bool:
    """Ask on the terminal; without one nothing is approved."""
    if sys.stdin is None or not sys.stdin.isatty():
        _say("there is no terminal to ask on; --yes approves without asking")
        return False
    sys.stdout.write(f"approve {count} hook(s) as shown? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _line(text: str) -> None:
    print(neutralise(text, limit=4096, lines=False).encode("ascii", "backslashreplace").decode())


def _say(text: str) -> None:
    sys.stderr.write(neutralise(text, limit=16_384, lines=False) + "\n")

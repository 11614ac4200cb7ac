"""``sandhook trust``: show what the hooks of a file would run, and approve their present bytes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, UsageError
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.configuration import guarded, store_of
from sandhook.cli.notes import print_note
from sandhook.cli.output import is_terminal, put_record
from sandhook.errors import ConfigError, TrustError
from sandhook.hooks import contracts
from sandhook.hooks.checks.rules import NAME_THE_FILE
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.evidence import shown_pattern
from sandhook.hooks.sources import documents, line_of
from sandhook.hooks.text import neutralise
from sandhook.hooks.trust import Evidence, TrustStore, shell_name
from sandhook.text.quoting import quote_word

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.terminal import Cell, Meaning

#: Programs by which a hook reaches beyond its files; they have a line of their own.
REACHES_OUT = frozenset(
    {"curl", "wget", "nc", "ncat", "ssh", "scp", "ftp", "telnet", "socat", "git", "npm", "npx", "pip", "gh"}
)

NOT_APPROVED = FINDINGS


def parser() -> Parser:
    result = Parser(
        "trust",
        "FILE [OPTION]...",
        "Show the hooks of a configuration and what each would run, and approve them. An approval\n"
        "covers the hook and the bytes of every file that it executes or sources: after a change,\n"
        "sandhook asks again. Files that a hook only reads are neither opened nor covered. What a\n"
        "hook executes in addition and cannot be known is listed; --yes alone does not approve it.\n"
        "Approvals are in the user's data directory.",
    )
    add = result.add_argument
    add("file", nargs="?", metavar="FILE", help="a configuration of hooks")
    add("--contract", metavar="NAME", help="the agent whose format it is (default: recognised from the file)")
    add("--project", metavar="DIR", help="directory that the hooks run in (default: the current directory)")
    add("--yes", action="store_true", help="approve without asking")
    add("--unknown", action="store_true", help="with --yes: also hooks that execute what cannot be known")
    add("--show", action="store_true", help="show the hooks and approve nothing")
    add("--revoke", action="store_true", help="revoke every approval of FILE")
    add("--list", action="store_true", help="list all approvals")
    add("--store", metavar="FILE", help="file of approvals (default: the user's own)")
    add_format(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _trust(parser().parse_args(arguments)))


def _trust(options: argparse.Namespace) -> int:
    store = store_of(options.store)
    is_json = options.layout == "json"
    if options.list:
        return _put_approvals(store) if is_json else _list(store)
    if options.file is None:
        raise UsageError("trust needs a FILE (or --list)")
    name = os.path.abspath(options.file)  # noqa: PTH100 - pathlib costs 10 ms
    if is_json and not (options.revoke or options.show or options.yes):
        raise UsageError("trust: --format json asks nothing: wanted --yes, --show, --revoke or --list")
    if options.revoke:
        revoked = store.revoke(name)
        if is_json:
            _put(revoked=revoked)
        else:
            print(f"{revoked} approval(s) of {neutralise(name, lines=False)} revoked")
        return 0
    if is_json:
        return _put_trusted(options, name, store)
    contract, evidence, faults = _evidence(options, name, store)
    approved = store.approved()
    project = _project(options)
    for each in evidence:
        change = store.change(each, project)
        if is_terminal(sys.stdout):
            _draw(each, each.digest in approved, change)
        else:
            _show(each, each.digest in approved, change)
    for fault in faults:
        print_note(fault)
    if not options.project and (note := _elsewhere(name, project, evidence)):
        print_note(note)
    if options.show:
        return 0
    left = NOT_APPROVED if faults else 0
    fresh = [each for each in evidence if each.digest not in approved]
    if not fresh:
        print(("all others approved" if faults else "all approved") if evidence else "no hooks")
        return left
    agreed = _known(fresh, options) if options.yes else fresh if _agreed(fresh) else []
    if not agreed:
        print("not approved")
        return NOT_APPROVED
    store.approve(agreed)
    print(f"{len(agreed)} hook(s) of {contract} approved")
    return NOT_APPROVED if len(agreed) < len(fresh) else left


def _put(**fields: object) -> None:
    """Print the JSON of the command."""
    nothing: dict[str, object] = {
        "contracts": [],
        "hooks": [],
        "approved": 0,
        "revoked": 0,
        "approvals": [],
        "problems": [],
    }
    put_record("trust", **{**nothing, **fields})


def _put_approvals(store: TrustStore) -> int:
    words = ("approved", "hook", "file")
    entries = [
        {"digest": digest, **{word: str(entry.get(word, "")) for word in words}}
        for digest, entry in store.approved().items()
    ]
    _put(approvals=entries)
    return 0


def _put_trusted(options: argparse.Namespace, name: str, store: TrustStore) -> int:
    """Show the hooks of a file as JSON, and approve them if --yes may; return the exit status."""
    agents, evidence, problems = _evidence(options, name, store)
    before = store.approved()
    changes = {each.digest: store.change(each, _project(options)) for each in evidence}
    fresh = [each for each in evidence if each.digest not in before]
    if not options.show and fresh:
        missing = [] if options.unknown else [each for each in fresh if each.unknown]
        problems += [
            f"{each.spec.id}: cannot be known: {each.unknown[0]}; --unknown approves it" for each in missing
        ]
        store.approve([each for each in fresh if each not in missing])
    now = store.approved()
    hooks = [_json(each, changes[each.digest], is_approved=each.digest in now) for each in evidence]
    _put(
        contracts=agents.split(","), hooks=hooks, approved=len(now.keys() - before.keys()), problems=problems
    )
    left = problems or any(not hook["approved"] for hook in hooks)
    return NOT_APPROVED if left and not options.show else 0


def _json(evidence: Evidence, change: str, *, is_approved: bool) -> dict[str, object]:
    """Return one hook as JSON.

    Args:
        change: What changed since it was approved; "" for nothing.
    """
    spec = evidence.spec
    return {
        "id": spec.id,
        "place": spec.description or "",
        "event": spec.native_event,
        "timeout": spec.timeout,
        "command": spec.executor.text or " ".join(spec.executor.argv),
        "digest": evidence.digest,
        "approved": is_approved,
        "change": change,
        "files": [{"how": file.how, "path": file.path, "bytes": len(file.data)} for file in evidence.files],
        "commands": list(evidence.commands),
        "reaches_out": _beyond(evidence),
        "env_policy": spec.env_policy,
        "env_names": list(spec.env_names),
        "absent": [shown_pattern(pattern) for pattern in evidence.absent],
        "unknown": list(evidence.unknown),
    }


def _beyond(evidence: Evidence) -> list[str]:
    """Return the commands of a hook that can reach other machines."""
    return [name for name in evidence.commands if name.rpartition("/")[2] in REACHES_OUT]


def _evidence(
    options: argparse.Namespace, name: str, store: TrustStore
) -> tuple[str, list[Evidence], list[str]]:
    """Load a file and examine its hooks; return the contract, the evidence, and why hooks cannot be approved.

    Raises:
        ConfigError: A hook is invalid.
    """
    contract = contracts.get(options.contract) if options.contract else None
    layers = documents(name, contract, dict(os.environ))
    engine = HookEngine.load(layers, contract, env=dict(os.environ), prestart=False)
    if engine.problems:
        raise ConfigError(list(engine.problems))
    project = _project(options)
    evidence: list[Evidence] = []
    faults: list[str] = []
    for group in engine.groups:
        for spec in group.specs:
            line = line_of(layers[0], spec.path)
            where = spec._replace(file=name, description=f"{spec.file or name}:{line}" if line else name)
            try:
                evidence.append(store.examine(where, group.contract.name, project))
            except TrustError as error:
                faults.append(f"{spec.id}: cannot be approved: {error}")
    return ",".join(each.name for each in engine.contracts), evidence, faults


def _project(options: argparse.Namespace) -> str:
    return os.path.abspath(options.project or ".").replace("\\", "/")  # noqa: PTH100


def _elsewhere(name: str, project: str, evidence: Sequence[Evidence]) -> str:
    """Return a note if the hooks miss a file in the project that is next to their own file; "" otherwise."""
    directory = os.path.dirname(name).replace("\\", "/")  # noqa: PTH120
    for pattern in (pattern for each in evidence for pattern in each.absent):
        path = shown_pattern(pattern)
        inside = path.removeprefix(f"{shell_name(project).rstrip('/')}/")
        own = os.path.basename(directory).startswith(".")  # noqa: PTH119 - .claude is in a project, and is none
        if directory != project and inside != path and not own and os.path.isfile(f"{directory}/{inside}"):  # noqa: PTH113
            return (
                f"note: the project has no {inside}, and {directory} has it:"
                f" `--project {quote_word(directory)}` shows what the hooks run there"
            )
    return ""


def _show(evidence: Evidence, approved: bool, change: str) -> None:
    """Print one hook as plain text: when it runs, what, from where, and what it may reach.

    Args:
        change: What changed since it was approved; "" for nothing.
    """
    spec = evidence.spec
    state = "approved" if approved else "NOT APPROVED"
    _line(f"{spec.id}  [{state}]  {spec.description}")
    if change:
        _line(f"  {change}")
    _line(f"  {_schedule(evidence)}")
    for line in _script(evidence):
        _line(f"  | {line}")
    for fact, _ in _facts(evidence):
        _line(f"  {fact}")


def _draw(evidence: Evidence, approved: bool, change: str) -> None:
    """Draw one hook on the terminal as a tree, with its whole script; arguments as for ``_show``."""
    from sandhook.cli.terminal import line, show, tree

    spec = evidence.spec
    state: Cell = ("approved", "good") if approved else ("NOT APPROVED", "warning")
    script = tree(line((_schedule(evidence), "")), [line((f"| {each}", "")) for each in _script(evidence)])
    facts = [line(fact) for fact in _facts(evidence)]
    if change:
        facts.insert(0, line((change, "warning")))
    show(tree(line((spec.id, "heading"), state, (spec.description or "", "faint")), [script, *facts]))


def _schedule(evidence: Evidence) -> str:
    return f"on {evidence.spec.native_event}, at most {evidence.spec.timeout:g} seconds"


def _script(evidence: Evidence) -> list[str]:
    """Return the lines that the hook runs, as its configuration has them; at least one."""
    executor = evidence.spec.executor
    return (executor.text or " ".join(executor.argv)).splitlines() or [""]


def _facts(evidence: Evidence) -> Iterator[tuple[str, Meaning]]:
    """Yield a line for each file, and for what the hook may reach."""
    spec = evidence.spec
    for file in evidence.files:
        bound = f", bound by its SHA-256 {file.sha256}" if file.sha256 else ""
        yield f"{file.how} {file.path} ({file.size} bytes{bound})", ""
    yield f"commands: {', '.join(evidence.commands) or 'none'}", ""
    if beyond := _beyond(evidence):
        yield f"reaches out: {', '.join(beyond)}", "bad"
    env = {"inherit": "the agent's whole environment", "fresh": "none of the agent's environment"}
    yield f"sees {env.get(spec.env_policy) or 'of the environment: ' + ', '.join(spec.env_names)}", ""
    for pattern in evidence.absent:
        yield f"no file yet: {shown_pattern(pattern)}", ""
    for unknown in evidence.unknown:
        yield f"cannot be known: {unknown}", "warning"
    if evidence.computed:
        yield f"no approval covers a file that is named only when the hook runs. {NAME_THE_FILE}", "warning"


def _list(store: TrustStore) -> int:
    rows = [
        (digest[:12], *(str(entry.get(key, "?")) for key in ("approved", "hook", "file")))
        for digest, entry in store.approved().items()
    ]
    if rows and is_terminal(sys.stdout):
        from sandhook.cli.terminal import Rows, show

        show(
            Rows(
                [(digest, "faint"), (when, ""), (hook, "heading"), (file, "")]
                for digest, when, hook, file in rows
            )
        )
    else:
        for row in rows:
            _line("  ".join(row))
    return 0


def _known(fresh: list[Evidence], options: argparse.Namespace) -> list[Evidence]:
    """Return the hooks that --yes may approve; explain what is missing for the others."""
    unknown = [] if options.unknown else [each for each in fresh if each.unknown]
    for each in unknown:
        more = f" and {len(each.unknown) - 1} more" if len(each.unknown) > 1 else ""
        print_note(f"{each.spec.id}: cannot be known: {each.unknown[0]}{more}")
    if unknown:
        print_note(
            f"--yes approves only what is known, and {len(unknown)} hook(s) execute more than that;"
            " --yes --unknown approves them, whatever they execute"
        )
    return [each for each in fresh if each not in unknown]


def _agreed(fresh: list[Evidence]) -> bool:
    """Ask on the terminal. Without a terminal to ask on, approve nothing."""
    if sys.stdin is None or not sys.stdin.isatty():
        print_note("there is no terminal to ask on; --yes approves without asking")
        return False
    unknown = sum(bool(each.unknown) for each in fresh)
    more = f" ({unknown} of them with what cannot be known)" if unknown else ""
    sys.stdout.write(f"approve {len(fresh)} hook(s) as shown{more}? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _line(text: str) -> None:
    """Print a line, all of it: what is approved is shown."""
    print(neutralise(text, limit=len(text), lines=False).encode("ascii", "backslashreplace").decode())

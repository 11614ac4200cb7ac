"""``sandhook init``: write hooks, their scripts and expectations for the agents of a project."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, UsageError
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.notes import print_note
from sandhook.cli.output import columns, is_terminal, put, put_record
from sandhook.cli.remarks import Remarks
from sandhook.hooks import contracts
from sandhook.hooks.contracts import ContractError
from sandhook.recipes import catalogue
from sandhook.recipes.agents import signs
from sandhook.recipes.catalogue import RecipeError
from sandhook.recipes.plan import AgentPlan, agents_of, obstacle, plan_of

if TYPE_CHECKING:
    import argparse


def parser() -> Parser:
    result = Parser(
        "init",
        "[--agent NAME...] [--recipe NAME...] [OPTION]...",
        "Write hooks for the agents of a project: the hook file, a script for each recipe, and its\n"
        "expectations, which `sandhook test` runs. Without --agent, the agents are recognised by their\n"
        "files in the project. Without --recipe, the recipes are\n"
        f"{', '.join(catalogue.STARTERS)}.\n\n"
        "No existing file is changed. If the hook file of an agent exists, the hooks are written to\n"
        "hooks/AGENT, and `sandhook install` merges them.",
    )
    add = result.add_argument
    add("--agent", nargs="+", action="extend", metavar="NAME", help="write for these agents")
    add("--recipe", nargs="+", action="extend", metavar="NAME", help="write these recipes")
    add(
        "--list",
        action="store_true",
        help="list the recipes and the agents that can run them, and write nothing",
    )
    add("--dry-run", action="store_true", help="list what would be written, and write nothing")
    add(
        "--force",
        action="store_true",
        help="replace files that init wrote and that nobody changed since; their recipes are kept",
    )
    add("--cwd", metavar="DIR", default=".", help="the directory of the project (default: the current one)")
    add_format(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    try:
        return _list(options) if options.list else _init(options)
    except (ContractError, RecipeError) as error:
        raise UsageError(f"init: {error}") from None


def _list(options: argparse.Namespace) -> int:
    every = contracts.configured()
    recipes = [catalogue.get(name) for name in catalogue.NAMES]
    if options.layout == "json":
        found = [{"name": each.name, "summary": each.summary, "agents": agents_of(each)} for each in recipes]
        _put(options, recipes=found)
        return 0
    rows: list[tuple[str, str, str]] = []
    for recipe in recipes:
        name, able = recipe.name, agents_of(recipe)
        unable = [agent for agent in every if agent not in able]
        agents = "all agents" if not unable else ", ".join(able)
        if unable and len(unable) < len(able):
            agents = f"all agents but {', '.join(unable)}"
        rows.append((name, recipe.summary, agents))
    if is_terminal(sys.stdout):
        from sandhook.cli.terminal import indented, show
        from sandhook.cli.terminal import line as styled

        for name, summary, agents in rows:
            show(styled((name, "heading")), indented(styled((summary, "")), 2))
            show(indented(styled((agents, "faint")), 2))
        return 0
    for line in columns(rows):
        put(line)
    return 0


def _init(options: argparse.Namespace) -> int:
    root = Path(options.cwd)
    if not root.is_dir():
        raise UsageError(f"init: {options.cwd}: not a directory")
    agents = [_known(name) for name in dict.fromkeys(options.agent or ())] or _recognised(root)
    names = list(dict.fromkeys(options.recipe or ()))
    remarks = Remarks(is_json=options.layout == "json")
    plans = [_plan(agent, names, root, remarks, force=options.force) for agent in agents]
    _check_files(plans)
    kept = _kept(plans, root, force=options.force)
    if kept:
        if remarks.is_json:
            _put(options, files=_files(plans, kept), notes=remarks.notes)
            return FINDINGS
        for (_, path), why in kept.items():
            print_note(f"sandhook: init: {path}: {why}")
        print_note("nothing is written")
        return FINDINGS
    for plan in plans:
        for note in plan.notes:
            remarks.note(note)
    if not options.dry_run:
        _write(plans, root)
    steps = [] if options.dry_run else _next_steps(plans, options.cwd)
    if remarks.is_json:
        following = [{"command": command, "why": why} for command, why in steps]
        _put(options, written=True, files=_files(plans, {}), next=following, notes=remarks.notes)
        return 0
    for plan in plans:
        for file in plan.files:
            verb = "would write" if options.dry_run else "replaced" if file.path in plan.replaced else "wrote"
            put(f"{verb} {file.path}{_about(plan, file.path)}")
    if steps:
        _print_steps(steps)
    return 0


def _put(options: argparse.Namespace, **fields: object) -> None:
    """Print the JSON of the command."""
    nothing = {"written": False, "files": [], "next": [], "recipes": [], "notes": []}
    put_record("init", dry_run=options.dry_run, **{**nothing, **fields})


def _files(plans: Sequence[AgentPlan], kept: Mapping[tuple[str, str], str]) -> list[dict[str, str]]:
    """Return the files of plans as JSON.

    Args:
        kept: Why a file of an agent is not written.
    """
    found = []
    for plan in plans:
        for file in plan.files:
            why = kept.get((plan.agent, file.path), "")
            action = "keep" if why else "replace" if file.path in plan.replaced else "write"
            found.append(
                {"agent": plan.agent, "path": file.path, "kind": file.kind, "action": action, "why": why}
            )
    return found


def _kept(plans: Sequence[AgentPlan], root: Path, *, force: bool) -> dict[tuple[str, str], str]:
    """Return why files cannot be written, by agent and path."""
    conflicts = [(plan, path) for plan in plans for path in plan.conflicts]
    conflicts += [
        (plan, file.path) for plan in plans for file in plan.files if (root / file.path).is_symlink()
    ]
    return {(plan.agent, path): _why(plan, path, force=force) for plan, path in conflicts}


def _known(name: str) -> str:
    try:
        contract = contracts.get(name)
        if not contract.has_configuration:
            raise UsageError(
                f"init: {name} reads no configuration: its hooks are files, see the page of its contract"
            )
        return contract.name
    except ContractError:
        from sandhook.text.nearest import nearest

        prefix = name.replace("-", "_").lower()
        near = next((each for each in contracts.configured() if each.startswith(prefix)), None)
        near = near or nearest(name, contracts.configured())
        if near is None:
            raise
        raise UsageError(f"init: unknown agent {name!r}; did you mean {near}?") from None


def _recognised(root: Path) -> list[str]:
    """Return the agents whose files the project has."""
    found = [agent for agent, names in signs().items() if any((root / name).exists() for name in names)]
    if not found:
        known = ", ".join(contracts.configured())
        raise UsageError(f"init: no file of an agent is in {root}; say which with --agent NAME: {known}")
    return found


def _plan(agent: str, names: Sequence[str], root: Path, remarks: Remarks, *, force: bool) -> AgentPlan:
    chosen = list(names)
    if not chosen:
        for name in catalogue.STARTERS:
            reason = obstacle(catalogue.get(name), contracts.get(agent))
            if reason is None:
                chosen.append(name)
            else:
                remarks.note(f"{agent}: without {name}: {reason}")
    return plan_of(agent, chosen, lambda path: _read(root / path), force=force)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"init: {path}: {error.strerror}") from None


def _why(plan: AgentPlan, path: str, *, force: bool) -> str:
    if path in plan.unchanged and path not in plan.replaced:
        what = "adds to it and keeps its recipes" if path == plan.config else "replaces it"
        return f"exists, as init wrote it; --force {what}"
    return "exists, and is not as init wrote it" + ("" if force else "; move it away, or name other recipes")


def _check_files(plans: Sequence[AgentPlan]) -> None:
    """Raise UsageError if two agents need one file, with different contents."""
    owners: dict[str, str] = {}
    for plan in plans:
        for file in plan.files:
            other = owners.setdefault(file.path, plan.agent)
            if other != plan.agent:
                raise UsageError(
                    f"init: {file.path}: {other} and {plan.agent} both need it; name one with --agent"
                )


def _write(plans: Sequence[AgentPlan], root: Path) -> None:
    """Write all files."""
    for plan in plans:
        for file in plan.files:
            path = root / file.path
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                mode = "wb" if file.path in plan.replaced or file.kind == "manifest" else "xb"
                with path.open(mode) as stream:  # never follows a race to an existing file
                    stream.write(file.text.encode())
                if file.kind == "script":
                    path.chmod(0o755)
            except OSError as error:
                raise UsageError(f"init: {path}: {error.strerror}") from None


def _about(plan: AgentPlan, path: str) -> str:
    return f" (the hooks of {plan.agent})" if path == plan.config else ""


def _next_steps(plans: Sequence[AgentPlan], cwd: str) -> list[tuple[str, str]]:
    """Return the commands to run next, and what each does."""
    steps = [(f"cd {cwd}", "")] if cwd != "." else []
    for plan in plans:
        steps.append((f"sandhook test {plan.scripts}", "runs the expectations"))
        steps.append((f"sandhook check --contract {plan.agent} {plan.config}", "finds faults"))
        if not plan.installed:
            steps.append(
                (
                    f"sandhook install {plan.config} --agent {plan.agent}",
                    f"merges the hooks into the file of {plan.agent}",
                )
            )
        else:
            steps.append((f"sandhook trust {plan.config}", "approves them, for sandhook itself to run them"))
        steps.append((f"sandhook doctor --agent {plan.agent}", "proves that they are on"))
    return steps


def _print_steps(steps: Sequence[tuple[str, str]]) -> None:
    put("\nnext:")
    if is_terminal(sys.stdout):
        from sandhook.cli.terminal import Rows, indented, show

        show(indented(Rows([(step, ""), (why, "faint")] for step, why in steps)))
        return
    for text in columns(steps):
        put(f"  {text}")

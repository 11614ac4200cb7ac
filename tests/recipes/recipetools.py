"""Writes recipes for agents to a directory, and runs their expectations."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from sandhook.conformance.expectations.reader import read_expectations
from sandhook.conformance.expectations.run import check_hooks, run_file
from sandhook.conformance.runner import Report
from sandhook.hooks import contracts
from sandhook.recipes import catalogue
from sandhook.recipes.plan import AgentPlan, agents_of, plan_of


@cache
def products() -> list[tuple[str, str]]:
    """Return each recipe with each agent that can run it."""
    return [(name, agent) for name in catalogue.NAMES for agent in agents_of(catalogue.get(name))]


def written(agent: str, names: list[str], root: Path) -> AgentPlan:
    """Write what is planned for an agent, as ``sandhook init`` does."""
    plan = plan_of(agent, names, lambda path: None, force=False)
    for file in plan.files:
        path = root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.text.encode())
        if file.kind == "script":
            path.chmod(0o755)
    return plan


def report(plan: AgentPlan, name: str, root: Path, *, shell: str = "sandhook") -> Report:
    """Run the expectations of a recipe."""
    path = (root / plan.scripts / f"{name}.expect.yaml").as_posix()
    file = read_expectations(path, dict(os.environ))
    check_hooks(file)
    return run_file(file, shell=shell)


def failures(result: Report) -> str:
    """Return what is not as expected, as text."""
    return "\n".join(map(str, result.failures))


def agent_names() -> list[str]:
    return contracts.configured()

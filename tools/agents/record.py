"""Run a real agent on cases and keep what it does: python -m tools.agents.record AGENT PROGRAM CASES.json OUT.json

CASES is a list of cases: ``id``, ``event``, ``layers`` and, where the default is not right, ``files``, ``script``,
``args``, ``env``, ``prompt``, ``turns``, ``allowed``, ``limit``, ``endpoints``, ``keys``, what a user types, ``earlier``, the arguments of runs before,
and ``served``, prompts that come through the agent's server. OUT is a list of records, for
tools.agents.convert. ``--id GLOB`` selects cases, ``--jobs N`` runs N agents at a time.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol, cast

from tools.agents.recorder import terminal
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import Ended, World, run
from tools.agents.records import (
    AGENTS,
    Agent,
    Json,
    Object,
    check_layers,
    dumped,
    listed,
    listed_in,
    mapping,
    objects,
)

KEPT = (
    *("id", "event", "layers", "files", "script", "args", "env", "prompt", "turns", "allowed", "endpoints"),
    *("limit", "config", "tables", "trust", "sandbox", "keys", "earlier", "served"),
)
LIMIT = 60.0


class Runner(Protocol):
    """A module of tools.agents.recorder: how one agent is started, and what can be seen of its run."""

    #: The agent's package and program.
    PACKAGE: str
    PROGRAM: str

    def variables(self, case: Object, world: World, url: str) -> dict[str, str]: ...
    def prepare(self, case: Object, world: World, url: str) -> None: ...
    def command(self, case: Object, program: str) -> list[str]: ...
    def lines(self, case: Object) -> Json: ...
    def observe(
        self, case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]
    ) -> Json: ...


def main(arguments: list[str]) -> int:
    """Record the cases of a file."""
    parser = argparse.ArgumentParser(prog="python -m tools.agents.record", description=__doc__)
    parser.add_argument("agent", choices=AGENTS)
    parser.add_argument("program")
    parser.add_argument("cases")
    parser.add_argument("out")
    parser.add_argument("--id", action="append", default=[], help="a glob of identifiers")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    cases = listed_in(options.cases)
    known = cast(Agent, importlib.import_module(f"tools.agents.{options.agent}")).LAYERS
    for case in cases:
        check_layers(case, known, f"{options.cases}: {case['id']}")
    chosen = chosen_of(cases, options.id, options.cases)
    out = Path(options.out)
    kept = {str(each["id"]): each for each in (listed_in(options.out) if out.exists() else ())}
    for made in recorded(options.agent, options.program, chosen, options.jobs):
        kept[str(made["id"])] = made
        out.write_text(dumped([kept[key] for key in sorted(kept)], indent=1), "utf-8")
        seen = mapping(made["observed"])
        print(
            made["id"], seen.get("exit"), seen.get("requests"), seen.get("ran"), seen.get("files"), flush=True
        )
    return 0


def chosen_of(cases: list[Object], globs: list[str], where: str) -> list[Object]:
    """Return the cases that globs of identifiers select.

    Raises:
        SystemExit: A glob selects none.
    """
    for glob in globs:
        if not any(selected(str(case["id"]), [glob]) for case in cases):
            raise SystemExit(f"{where}: no case has an id that matches {glob!r}")
    return [case for case in cases if selected(str(case["id"]), globs)]


def selected(identifier: str, globs: list[str]) -> bool:
    """Return whether an identifier matches one of the globs; no globs select every identifier."""
    return not globs or any(fnmatchcase(identifier, glob) for glob in globs)


def recorded(agent: str, program: str, cases: list[Object], jobs: int = 1) -> Iterable[Object]:
    """Run the agent on every case, and yield the records in the order of the cases."""
    runner = cast(Runner, importlib.import_module(f"tools.agents.recorder.{agent}"))
    description = cast(Agent, importlib.import_module(f"tools.agents.{agent}"))
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda case: record(runner, description, case, program), cases)


def record(runner: Runner, agent: Agent, case: Object, program: str) -> Object:
    """Run the agent once, in a directory of its own."""
    world = World()
    try:
        script = world.expand(listed(case.get("script")) or [agent.TOUCH])
        with ModelServer(script, mapping(case.get("endpoints"))) as model:
            served = mapping(json.loads(json.dumps(case).replace("@U@", model.url)))
            for name, content in mapping(world.expand(served.get("files", {}))).items():
                world.put(name, content)
            for layer, content in mapping(world.expand(served.get("layers", {}))).items():
                world.put(agent.LAYERS[layer], content)
            runner.prepare(served, world, model.url)
            world.before = set(world.listing())
            env = runner.variables(served, world, model.url)
            limit = float(str(case.get("limit", LIMIT)))
            for arguments in listed(served.get("earlier")):  # whose hooks note nothing
                earlier = {key: value for key, value in served.items() if key != "keys"} | {"args": arguments}
                words = runner.command(earlier, program)
                run(words, world, {**env, "PROBE": str(world.root)}, limit, runner.lines(earlier))
            words = runner.command(served, program)
            if "keys" in served:
                keys = objects(world.expand(served["keys"]))
                ended = terminal.run(words, world, env, limit, keys, lambda: len(model.requests))
            else:
                ended = run(words, world, env, limit, runner.lines(served))
            observed = mapping(runner.observe(served, world, model, ended, env))
            if "keys" in served:
                observed["typed"] = list(ended.typed)
    finally:
        world.close()
    return {**{key: case[key] for key in KEPT if key in case}, "observed": observed}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Chaos, portability and vet as grids: each runs in the background, and each cell can be opened down to its run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sandhook.hooks.checks.portability import SYSTEMS, Portability, portability
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.manifest import KINDS
from sandhook.hooks.report import to_json
from sandhook.hooks.sources import AgentConfiguration
from sandhook.proving.chaos import CASES, ChaosReport, Guards, guards_of, run_of, under_faults
from sandhook.proving.faults import BY_NAME, FAULTS, FaultName
from sandhook.studio.api import answer, object_of
from sandhook.studio.bench import StudioError
from sandhook.studio.tasks import Progress, Result, Tasks
from sandhook.vetting import HookReport, vet
from sandhook.vetting.rules import finding_json

if TYPE_CHECKING:
    from sandhook.hooks.model import HookSpec
    from sandhook.studio.bench import Bench
    from sandhook.studio.workspaces import Desk

#: Characters of an output that a cell shows.
_MOST_OUTPUT = 1 << 18


class GridApi:
    """The handlers for the grids."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._tasks: dict[str, Tasks] = {}

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/v1/studio/tasks", self.start, methods=["POST"]),
            Route("/v1/studio/tasks/{number:int}", self.task),
            Route("/v1/studio/tasks/{number:int}/cancel", self.cancel, methods=["POST"]),
            Route("/v1/studio/tasks/{number:int}/cell", self.cell, methods=["POST"]),
        ]

    def _of(self, request: Request) -> Tasks:
        """Return the tasks of the workspace of a request."""
        return self._tasks.setdefault(self._desk.bench(request).directory, Tasks())

    async def start(self, request: Request) -> Response:
        """Start a grid: ``{"kind": "chaos" | "portability" | "vet"}``."""
        bench, tasks = self._desk.bench(request), self._of(request)
        value = await object_of(request)
        work = works(bench).get(str(value.get("kind")))

        def started() -> JsonObject:
            if work is None:
                raise StudioError("kind: wanted chaos, portability or vet")
            number = tasks.start(str(value["kind"]), work)
            return tasks.get(number).json(number)

        return await answer(started)

    async def task(self, request: Request) -> Response:
        """Return how far a task is, and at its end its grid."""
        tasks, number = self._of(request), request.path_params["number"]
        return await answer(lambda: tasks.get(number).json(number))

    async def cancel(self, request: Request) -> Response:
        """End a task at its next step."""
        tasks, number = self._of(request), request.path_params["number"]

        def cancelled() -> JsonObject:
            task = tasks.get(number)
            task.progress.cancel()
            return task.json(number)

        return await answer(cancelled)

    async def cell(self, request: Request) -> Response:
        """Open a cell down to its run."""
        tasks, number = self._of(request), request.path_params["number"]
        value = await object_of(request)

        def opened() -> JsonObject:
            result = tasks.get(number).result
            if result is None:
                raise StudioError("the grid is not complete")
            return result.open(value)

        return await answer(opened)


def works(bench: Bench) -> dict[str, Callable[[Progress], Result]]:
    """Return what each kind of grid does."""
    return {
        "chaos": lambda progress: chaos_grid(bench, progress),
        "portability": lambda progress: portability_grid(bench, progress),
        "vet": lambda progress: vet_grid(bench, progress),
    }


def _files(bench: Bench) -> list[str]:
    names = [each.name for setup in bench.setups() for each in setup.documents if each.name]
    return list(dict.fromkeys(names))


def _at(values: Sequence[object], index: Json, what: str) -> int:
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(values):
        raise StudioError(f"{what}: wanted a number from 0 to {len(values) - 1}")
    return index


# Chaos.


def chaos_grid(bench: Bench, progress: Progress) -> Result:
    """Run what each guard refuses again under each fault."""
    files = _files(bench)
    if not files:
        raise StudioError("no agent has hooks here")
    guards = guards_of(files, project=bench.directory)
    progress.check()
    progress.expect(len(guards.found.guards) * len(FAULTS))
    report = under_faults(guards, cases=CASES, step=progress.step)
    return Result(_chaos_json(report), lambda cell: _chaos_cell(guards, cell))


def _chaos_json(report: ChaosReport) -> JsonObject:
    faults: list[Json] = [{"name": each.name, "what": each.what, "advice": each.advice} for each in FAULTS]
    rows: list[Json] = []
    for guard in report.guards:
        cells: list[Json] = [
            {
                "fault": cell.fault,
                "result": cell.result,
                "held": cell.held,
                "reason": cell.reason,
                "case": cell.case,
            }
            for cell in guard.cells
        ]
        rows.append(
            {
                "id": guard.id,
                "agent": guard.agent,
                "event": guard.event,
                "command": guard.command,
                "file": guard.file,
                "line": guard.line,
                "refusing": guard.refusing,
                "cells": cells,
            }
        )
    untried: list[Json] = [
        {
            "name": each.name,
            "file": each.file,
            "line": each.line,
            "why": each.why,
            "let_pass": each.let_pass,
        }
        for each in report.untried
    ]
    return {
        "faults": faults,
        "guards": rows,
        "untried": untried,
        "problems": [str(each) for each in report.problems],
        "held": report.held,
    }


def _chaos_cell(guards: Guards, cell: JsonObject) -> JsonObject:
    guard = guards.found.guards[_at(guards.found.guards, cell.get("guard"), "guard")]
    name = str(cell.get("fault"))
    if name not in BY_NAME:
        raise StudioError(f"fault: there is no fault {name!r}")
    fault: FaultName = BY_NAME[name].name  # type: ignore[index]
    case = str(cell.get("case") or guard.cases[0].case.name)
    decision = run_of(guard, fault, case)
    event = next(each.case.event for each in guard.cases if each.case.name == case)
    value: JsonObject = {
        "case": case,
        "fault": {"name": fault, "what": BY_NAME[fault].what, "advice": BY_NAME[fault].advice},
        "command": guard.spec.executor.text or " ".join(guard.spec.executor.argv),
        "input": event.tool.input if event.tool is not None else event.prompt,
    }
    if isinstance(decision, str):
        return {**value, "why": decision, "decision": None}
    shown = to_json(decision)
    outcomes = shown["outcomes"]
    for each in outcomes if isinstance(outcomes, list) else ():
        if isinstance(each, dict):
            for stream in ("stdout", "stderr"):
                text = each.get(stream)
                each[stream] = text[:_MOST_OUTPUT] if isinstance(text, str) else ""
    return {**value, "why": "", "decision": shown}


# Portability.


def portability_grid(bench: Bench, progress: Progress) -> Result:
    """Compare each hook with all agents and systems."""
    setups = [(setup, _specs(bench, setup)) for setup in bench.setups()]
    if not setups:
        raise StudioError("no agent has hooks here")
    progress.expect(sum(len(specs) for _, specs in setups))
    around = bench.surroundings()
    rows: list[Json] = []
    kept: list[tuple[Portability, ...]] = []
    for setup, specs in setups:
        for spec in specs:
            results = portability([spec], setup.contract, around)
            rows.append(_portability_row(setup, spec, results))
            kept.append(results)
            progress.step(spec.id)
    return Result({"systems": list(SYSTEMS), "hooks": rows}, lambda cell: _portability_cell(kept, cell))


def _specs(bench: Bench, setup: AgentConfiguration) -> list[HookSpec]:
    engine = bench.engine(setup)
    return [*engine.hooks, *(each.spec for each in engine.withheld)]


def _portability_row(setup: AgentConfiguration, spec: HookSpec, results: Sequence[Portability]) -> JsonObject:
    cells: list[Json] = [
        {"agent": each.agent, "system": each.system, "state": each.state, "reasons": len(each.reasons)}
        for each in results
    ]
    return {
        "id": spec.id,
        "agent": setup.contract.name,
        "event": spec.native_event,
        "command": spec.executor.text or " ".join(spec.executor.argv),
        "file": spec.file,
        "cells": cells,
    }


def _portability_cell(kept: Sequence[Sequence[Portability]], cell: JsonObject) -> JsonObject:
    results = kept[_at(kept, cell.get("hook"), "hook")]
    for each in results:
        if (each.agent, each.system) == (cell.get("agent"), cell.get("system")):
            reasons: list[Json] = [
                {
                    "state": reason.state,
                    "aspect": reason.aspect,
                    "message": reason.message,
                    "file": reason.file,
                    "line": reason.line,
                }
                for reason in each.reasons
            ]
            return {"agent": each.agent, "system": each.system, "state": each.state, "reasons": reasons}
    raise StudioError("there is no such agent or system")


# Vet.


def vet_grid(bench: Bench, progress: Progress) -> Result:
    """Follow the scripts of all configurations, and run them on sample events in the sandbox."""
    files = _files(bench)
    if not files:
        raise StudioError("no agent has hooks here")
    progress.expect(len(files))
    rows: list[Json] = []
    kept: list[HookReport] = []
    problems: list[Json] = []
    for name in files:
        data, config = bench.bundle(name)
        report = vet(data, config=config)
        for hook in report.hooks:
            if (
                hook.capabilities.event
            ):  # a script that no hook names belongs to the other files of the project
                rows.append(_vet_row(name, hook))
                kept.append(hook)
        problems += [f"{name}: {each}" for each in report.problems]
        progress.step(name)
    value: JsonObject = {"kinds": list(KINDS), "hooks": rows, "problems": problems}
    return Result(value, lambda cell: _vet_cell(kept, cell))


def _vet_row(name: str, hook: HookReport) -> JsonObject:
    entry = hook.capabilities
    cells: JsonObject = {kind: len(getattr(entry, kind)) for kind in KINDS}
    severities: list[Json] = [each.severity for each in hook.findings]
    return {
        "id": entry.id,
        "event": entry.event,
        "file": name,
        "place": hook.place,
        "cells": cells,
        "findings": severities,
    }


def _vet_cell(kept: Sequence[HookReport], cell: JsonObject) -> JsonObject:
    hook = kept[_at(kept, cell.get("hook"), "hook")]
    entry = hook.capabilities
    observed = {kind: set(values) for kind, values in entry.observed}
    kinds: list[Json] = [
        {
            "kind": kind,
            "entries": [
                {"text": text, "observed": text in observed.get(kind, ())} for text in getattr(entry, kind)
            ],
        }
        for kind in KINDS
    ]
    return {
        "id": entry.id,
        "event": entry.event,
        "place": hook.place,
        "files": list(entry.files),
        "kinds": kinds,
        "findings": [finding_json(each) for each in hook.findings],
    }

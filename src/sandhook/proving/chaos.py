"""Runs the refusing cases of every guard again under faults, and reports what is let pass.

report = chaos(["guard.json"])
for guard in report.guards:
    for cell in guard.cells:
        print(guard.id, cell.fault, cell.result, cell.reason)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from sandhook.conformance.expectations.model import is_expectations
from sandhook.errors import Problem
from sandhook.proving import places
from sandhook.proving.faults import BY_NAME, FAULTS, OF_THE_TOOL, Fault, FaultName
from sandhook.proving.guards import Found, Guard, RefusingCase, Untried, find_guards, result_of
from sandhook.proving.sandboxed import Decide, decide
from sandhook.proving.trial import NotTriedError
from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.hooks.model import Decision

#: refused: the guard ran and refused. allowed: it ran and let the action pass. crashed: it could not run.
#: uncovered: its matcher does not select the event. skipped: the fault does not concern the guard.
CellResult = Literal["refused", "allowed", "crashed", "uncovered", "skipped"]

#: The cases of a guard that are tried, by default.
CASES = 3


class Cell(Record):
    """One guard under one fault.

    Attributes:
        fault: The fault.
        result: What the guard did, in the worst case.
        held: The action did not pass; also if the fault does not concern the guard.
        reason: Why, for people.
        case: The case that decided, or "".
    """

    fault: FaultName
    result: CellResult
    held: bool
    reason: str
    case: str = ""


class GuardReport(Record):
    """One guard under all faults.

    Attributes:
        id: The id of the hook.
        agent: Name of its contract.
        event: The agent's name of the event.
        command: What it runs.
        file, line: Its place.
        through_sandhook: ``sandhook hook`` runs it.
        refusing: How many cases it refuses without a fault.
        tried: Names of the cases that were tried.
        cells: One for each fault.
    """

    id: str
    agent: str
    event: str
    command: str
    file: str
    line: int
    through_sandhook: bool
    refusing: int
    tried: tuple[str, ...]
    cells: tuple[Cell, ...]


class ChaosReport(Record):
    """What the faults did.

    Attributes:
        guards: The guards.
        untried: Hooks without expectations, and cases that no hook refuses without any fault.
        problems: Faults of files of expectations.
    """

    guards: tuple[GuardReport, ...]
    untried: tuple[Untried, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def let_pass(self) -> bool:
        """Whether an action passed that should be refused."""
        return any(each.let_pass for each in self.untried) or any(
            not cell.held and cell.result != "uncovered" for guard in self.guards for cell in guard.cells
        )

    @property
    def uncovered(self) -> bool:
        """Whether a guard does not run for a tool of another name."""
        return any(cell.result == "uncovered" for guard in self.guards for cell in guard.cells)

    @property
    def complete(self) -> bool:
        """Whether every guard was tried."""
        return bool(self.guards) and not self.untried and not self.problems

    @property
    def held(self) -> bool:
        """Whether every guard was tried, and none let an action pass."""
        return self.complete and not self.let_pass


class Guards(Record):
    """The guards of some files.

    Attributes:
        found: The guards, and what is not tried.
        problems: Faults of files of expectations.
    """

    found: Found
    problems: tuple[Problem, ...] = ()


def chaos(
    files: Sequence[str],
    *,
    expectations: Sequence[str] = (),
    faults: Sequence[FaultName] | None = None,
    cases: int | None = CASES,
    fail_closed: bool = False,
    decide: Decide = decide,
) -> ChaosReport:
    """Try the guards of hook files under faults.

    Args:
        files: Hook files, or files of expectations, which name their hook files.
        expectations: Files of expectations in addition to those next to the hook files, and below.
        faults: Names of faults; None for all.
        cases: How many refusing cases of each guard are tried; None for all.
        fail_closed: Whoever runs the hooks refuses if one could not run.
        decide: Fires an event at one hook: in the sandbox, or ``onhost.Machine(env).decide``, on this machine.

    Raises:
        ConfigError: A hook file cannot be read.
        ContractError: No agent has such a hook file.
        ProjectError: A project cannot be shown to the hooks.
    """
    guards = guards_of(files, expectations, decide=decide)
    return under_faults(guards, faults=faults, cases=cases, fail_closed=fail_closed, decide=decide)


def guards_of(
    files: Sequence[str],
    expectations: Sequence[str] = (),
    *,
    sources: Mapping[str, Sequence[str]] = {},
    project: str = "",
    decide: Decide = decide,
) -> Guards:
    """Return the guards of hook files; see ``chaos``.

    Args:
        sources: Files that installed hooks come from, by the agent's file; their expectations count.
        project: Expectations in this directory and below count too; "" for none.
    """
    hook_files = [name for name in files if not is_expectations(name)]
    named = [*expectations, *(name for name in files if is_expectations(name))]
    read = places.read(named)
    near = places.expectations_of(hook_files, sources, project) if hook_files else places.Expectations()
    installed = {file.path for file in near.files}
    named_files = [file for file in read.files if file.path not in installed]
    if hook_files:
        own = places.about(named_files, hook_files, sources)
        named_files = [*own, *(file for file in named_files if file.path not in {each.path for each in own})]
    all_files = [*near.files, *named_files]
    about = {document.name for file in all_files for document in file.documents}
    others = [places.without_cases(name) for name in hook_files if places.absolute(name) not in about]
    problems = tuple(dict.fromkeys((*read.problems, *near.problems)))
    return Guards(find_guards([*all_files, *others], decide), problems)


def under_faults(
    guards: Guards,
    *,
    faults: Sequence[FaultName] | None = None,
    cases: int | None = CASES,
    fail_closed: bool = False,
    decide: Decide = decide,
    step: Callable[[], None] = lambda: None,
) -> ChaosReport:
    """Try guards under faults; see ``chaos``.

    Args:
        step: Called after each cell.
    """
    selected = FAULTS if faults is None else tuple(BY_NAME[name] for name in faults)
    reports = [
        _report(guard, selected, cases, decide, fail_closed=fail_closed, step=step)
        for guard in guards.found.guards
    ]
    return ChaosReport(tuple(reports), guards.found.untried, guards.problems)


def run_of(guard: Guard, fault: FaultName, case: str) -> Decision | str:
    """Run one case of a guard under a fault again: a cell down to its run.

    Returns:
        The decision, with all that the hook printed; why not, when the fault does not concern the guard.

    Raises:
        ValueError: The guard has no such case.
        ProjectError: The project cannot be shown.
    """
    for each in guard.cases:
        if each.case.name == case:
            trial = BY_NAME[fault].change(each.trial)
            return trial if isinstance(trial, str) else decide(trial, each.around)
    raise ValueError(f"no case {case!r}")


def _report(
    guard: Guard,
    faults: Sequence[Fault],
    most: int | None,
    decide: Decide,
    *,
    fail_closed: bool,
    step: Callable[[], None],
) -> GuardReport:
    chosen = _spread(guard.cases, most)
    if fail_closed:
        chosen = [each._replace(around=each.around._replace(fail_closed=True)) for each in chosen]
    cells = []
    for fault in faults:
        cells.append(_cell(fault, chosen, decide))
        step()
    executor = guard.spec.executor
    return GuardReport(
        guard.spec.id,
        guard.contract.name,
        guard.spec.native_event,
        executor.text or " ".join(executor.argv),
        guard.file,
        guard.line,
        through_sandhook=guard.cases[0].trial.through_sandhook,
        refusing=len(guard.cases),
        tried=tuple(each.case.name for each in chosen),
        cells=tuple(cells),
    )


def _spread(cases: Sequence[RefusingCase], most: int | None) -> list[RefusingCase]:
    """Return at most so many cases, from the first to the last."""
    if most is None or len(cases) <= most:
        return list(cases)
    if most == 1:
        return [cases[0]]
    return [cases[round(index * (len(cases) - 1) / (most - 1))] for index in range(most)]


#: From the best to the worst.
_ORDER: tuple[CellResult, ...] = ("skipped", "refused", "crashed", "uncovered", "allowed")


def _cell(fault: Fault, cases: Sequence[RefusingCase], decide: Decide) -> Cell:
    """Return the worst result of all cases."""
    worst: Cell | None = None
    for each in cases:
        cell = _try(fault, each, decide)
        if worst is None or _badness(cell) > _badness(worst):
            worst = cell
        if not worst.held and worst.result in ("allowed", "crashed"):
            break
    if worst is None:
        raise ValueError("a guard without a refusing case")
    return worst


def _badness(cell: Cell) -> tuple[bool, int]:
    return not cell.held, _ORDER.index(cell.result)


def _try(fault: Fault, refusing: RefusingCase, decide: Decide) -> Cell:
    trial = fault.change(refusing.trial)
    if isinstance(trial, str):
        return Cell(fault.name, "skipped", True, trial)
    try:
        decision = decide(trial, refusing.around)
    except NotTriedError as error:
        return Cell(fault.name, "skipped", True, str(error))
    judgement = result_of(refusing.case.expected.decision, decision)
    result: CellResult = judgement.state
    if result == "uncovered" and fault.name not in OF_THE_TOOL:
        result = "allowed"
    return Cell(fault.name, result, judgement.held, judgement.reason, refusing.case.name)

"""Finds the guards of hook files: the hooks that refuse what expectations want to be refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sandhook.conformance.expectations.model import EventCase, ExpectationFile, Word
from sandhook.conformance.expectations.project import WORKSPACE
from sandhook.conformance.expectations.run import is_selected, loaded_hooks
from sandhook.hooks.contracts import Contract
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Event
from sandhook.hooks.evidence import Evidence
from sandhook.hooks.model import Decision, HookSpec
from sandhook.hooks.sources import line_of, with_lines
from sandhook.hooks.through import unwrapped, wrapped
from sandhook.proving.sandboxed import Decide, Surroundings, decide, examined, lacking_of, programs_of
from sandhook.proving.trial import Trial
from sandhook.record import Record

#: Decisions by which the agent does not simply go on.
REFUSING: frozenset[Word] = frozenset({"deny", "halt", "ask", "defer", "keep-working"})


class RefusingCase(Record):
    """A case of expectations that a guard refuses.

    Attributes:
        case: The case.
        trial: The try of it without a fault.
        around: What the guard sees.
    """

    case: EventCase
    trial: Trial
    around: Surroundings


class Guard(Record):
    """A hook that refuses something.

    Attributes:
        contract: Its agent.
        spec: The hook.
        file, line: Its place.
        cases: What it refuses.
    """

    contract: Contract
    spec: HookSpec
    file: str
    line: int
    cases: tuple[RefusingCase, ...]


class Untried(Record):
    """A hook that could be a guard, or a case that no hook refuses.

    Attributes:
        name: The id of the hook, or the name of the case.
        file, line: Its place.
        why: Why it is not tried.
        let_pass: The action passes although it should be refused.
    """

    name: str
    file: str
    line: int
    why: str
    let_pass: bool


class Found(Record):
    """The guards of some files, and what is not tried."""

    guards: tuple[Guard, ...]
    untried: tuple[Untried, ...]


#: What identifies a hook: its agent, its file, and its place there.
_Key = tuple[str, str, str]

NO_EXPECTATIONS = "no expectations: write an *.expect.yaml with the events that it refuses"


def find_guards(files: Sequence[ExpectationFile], decide: Decide = decide) -> Found:
    """Return the guards that expectations are about.

    Args:
        decide: Fires an event at one hook: in the sandbox, or on this machine.

    Raises:
        ProjectError: A project cannot be shown.
    """
    finder = _Finder(decide)
    for file in files:
        finder.read(file)
    return finder.found()


class _Finder:
    """Collects guards from files of expectations."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._guards: dict[_Key, Guard] = {}
        self._others: dict[_Key, Untried] = {}
        self._described: set[_Key] = set()
        self._unrefused: list[Untried] = []
        self._evidence: dict[object, Evidence | None] = {}

    def read(self, file: ExpectationFile) -> None:
        """Add the guards of one file."""
        hooks = [(_key(file, spec), spec) for spec in loaded_hooks(file, WORKSPACE)]
        for key, spec in hooks:
            if spec.event in file.contract.refusable and not spec.background:
                name, line = _place(file, spec)
                self._others.setdefault(key, Untried(spec.id, name, line, NO_EXPECTATIONS, False))
        specs = [(key, spec) for key, spec in hooks if not spec.background and is_selected(spec, file.only)]
        for case in file.cases:
            self._case(file, case, [pair for pair in specs if pair[1].event == case.event.kind])

    def found(self) -> Found:
        missing = [
            other
            for key, other in self._others.items()
            if key not in self._guards and key not in self._described
        ]
        guards = list(self._guards.values())
        files = list(dict.fromkeys(guard.file for guard in guards))
        guards.sort(key=lambda guard: (files.index(guard.file), guard.line))
        return Found(tuple(guards), (*self._unrefused, *missing))

    def _case(self, file: ExpectationFile, case: EventCase, specs: Sequence[tuple[_Key, HookSpec]]) -> None:
        """Add a case to the guards that refuse it."""
        self._described.update(key for key, _ in specs)
        expected = case.expected.decision
        if expected not in REFUSING:
            return
        whys: list[str] = []
        lacking: dict[str, None] = {}
        refused = False
        for key, spec in specs:
            refusing = self._refusing(file, case, key, spec)
            decision = self._decide(refusing.trial, refusing.around)
            if not stands(expected, decision):
                whys.append(f"{spec.id}: {result_of(expected, decision).reason}")
                if decision.could_not_run:
                    lacking.update(dict.fromkeys(refusing.trial.lacking))
                continue
            refused = True
            before = self._guards.get(key)
            if before is not None:
                self._guards[key] = before._replace(cases=(*before.cases, refusing))
                continue
            name, line = _place(file, spec)
            self._guards[key] = Guard(file.contract, spec, name, line, (refusing,))
        if not refused and lacking:
            why = f"the sandbox lacks {', '.join(lacking)}; `sandhook doctor` starts hooks on this machine"
            self._unrefused.append(Untried(case.name, file.path, case.line, why, False))
        elif not refused:
            why = f"not refused, also without a fault: {'; '.join(whys) or 'no hook is for this event'}"
            self._unrefused.append(Untried(case.name, file.path, case.line, why, True))

    def _refusing(self, file: ExpectationFile, case: EventCase, key: _Key, spec: HookSpec) -> RefusingCase:
        """Return a case with the try of a hook, which ``sandhook hook`` may run."""
        inner = wrapped(spec)
        around = Surroundings(file.project, case.files, case.env, inner is not None and inner.fail_closed)
        outer = None if inner is None else spec
        spec = unwrapped(spec)
        seen = (key, file.project, tuple(case.files.items()))
        if seen not in self._evidence:  # following a script takes 0.1 s, and most cases see the same files
            self._evidence[seen] = examined(spec, file.contract, around)
        evidence = self._evidence[seen]
        event = case.event.with_(cwd=WORKSPACE, project_dir=WORKSPACE)
        trial = Trial(
            file.contract,
            spec,
            case.event,
            {} if evidence is None else {each.path: each.data for each in evidence.files if not each.sha256},
            programs_of(evidence),
            stdin=_stdin(file.contract, spec, event),
            lacking=lacking_of(evidence),
            outer=outer,
        )
        return RefusingCase(case, trial, around)


def _stdin(contract: Contract, spec: HookSpec, event: Event) -> bytes:
    try:
        return contract.request(spec, event, "strict").stdin
    except DecodeError:  # the try fails in the same way, and reports it
        return b""


def _key(file: ExpectationFile, spec: HookSpec) -> _Key:
    return file.contract.name, _document(file, spec), spec.path or spec.id


def _document(file: ExpectationFile, spec: HookSpec) -> str:
    """Return the name of a hook's file on this machine."""
    inside = spec.file.removeprefix(f"{WORKSPACE}/")
    for document in file.documents:
        if document.name == spec.file or document.name.endswith(f"/{inside}"):
            return document.name
    return spec.file


def _place(file: ExpectationFile, spec: HookSpec) -> tuple[str, int]:
    name = _document(file, spec)
    document = next((each for each in file.documents if each.name == name), None)
    return name, 0 if document is None else line_of(with_lines(document), spec.path)


class Judgement(Record):
    """What a decision means for an action that should be refused.

    Attributes:
        state: The guard refused; it let the action pass; it could not run; or it does not want the event.
        held: The action does not pass.
        reason: Why, for people.
    """

    state: Literal["refused", "allowed", "crashed", "uncovered"]
    held: bool
    reason: str


def stands(expected: Word, decision: Decision) -> bool:
    """Return whether an action that should be refused does not pass, and a guard that ran decided so."""
    return not decision.could_not_run and holds(expected, decision)


def holds(expected: Word, decision: Decision) -> bool:
    """Return whether an action that should be refused, or the stop of an agent, does not simply pass."""
    if decision.refused:
        return True
    if expected in ("ask", "defer"):
        return decision.permission in ("ask", "defer")
    return expected == "keep-working" and decision.force_continue


def result_of(expected: Word, decision: Decision) -> Judgement:
    """Return what a decision of one guard means."""
    held = holds(expected, decision)
    outcome = decision.outcomes[0] if decision.outcomes else None
    if outcome is None or outcome.state != "selected":
        return Judgement(
            "uncovered", False, "does not run: " + ("no such event" if outcome is None else outcome.why)
        )
    if outcome.could_not_run is not None:
        then = "refused all the same" if held else "the agent lets the action pass"
        return Judgement("crashed", held, f"could not run: {_short(outcome.could_not_run)}: {then}")
    if held:
        return Judgement("refused", True, _short(decision.reason or "refused"))
    said = outcome.stderr.strip() or outcome.stdout.strip()
    status = outcome.run.exit_status if outcome.run is not None else None
    return Judgement("allowed", False, f"exit status {status}" + (f": {_short(said)}" if said else ""))


def _short(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 160 else f"{line[:157]}..."

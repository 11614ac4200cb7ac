"""Fires the cases of expectations at one hook: on this machine, as its agent starts it, or in the sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from sandhook.conformance.expectations.judge import effects, word_of
from sandhook.conformance.expectations.model import EventCase, ExpectationFile, Word
from sandhook.conformance.expectations.project import Project, ProjectError, in_sandbox, on_host
from sandhook.hooks.checks.probe import sample
from sandhook.hooks.contracts import Contract, Document
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.event import Event
from sandhook.hooks.loading import Group, Trust
from sandhook.hooks.matcher import ALWAYS
from sandhook.hooks.model import Decision, HookSpec, RunResult
from sandhook.hooks.runner import Runner
from sandhook.proving.guards import REFUSING, holds, result_of
from sandhook.proving.launch import AgentRunner, AgentShell
from sandhook.proving.sandboxed import patient
from sandhook.record import Record


class Subject(Record):
    """A hook that is proven.

    Attributes:
        contract: Its agent.
        spec: The hook, as it was loaded from the agent's files.
        documents: All files of the agent.
        project: The directory of the host that the agent runs in.
        trust: The approvals.
    """

    contract: Contract
    spec: HookSpec
    documents: tuple[Document, ...]
    project: str
    trust: Trust | None


class CaseResult(Record):
    """One case and one hook.

    Attributes:
        name: The case.
        expected: What the hooks should decide.
        word: What this hook decided.
        selected: The matcher of the hook wants the event.
        reason: Why, for people.
        differences: What is not as expected besides the decision: reason, context, changes.
    """

    name: str
    expected: Word
    word: Word
    selected: bool
    reason: str
    differences: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether the hook refused what should be refused."""
        return self.expected in REFUSING and self.word in REFUSING

    @property
    def wrongly_refused(self) -> bool:
        """Whether the hook refused what should be allowed."""
        return self.expected in ("proceed", "allow") and self.word in REFUSING

    @property
    def as_expected(self) -> bool:
        """Whether the hook alone does all that the case expects; an approval counts as no objection."""
        if self.expected in REFUSING:
            return self.refused and not self.differences
        broken = (self.word == "could-not-run") != (self.expected == "could-not-run")
        return self.word not in REFUSING and not broken and not self.differences

    @property
    def why(self) -> str:
        """What is not as expected, for people."""
        if self.differences and (self.refused or self.word not in (*REFUSING, "could-not-run")):
            return f"{self.name}: {self.differences[0]}"
        return f"{self.name}: expected {self.expected}, got {self.word}" + (
            f" ({self.reason})" if self.reason else ""
        )


class Prover:
    """Fires events at one hook.

    Args:
        subject: The hook.
        shell: The agent's shell, for a hook that may start on this machine; None for the sandbox.
        env: The environment of the agent.
    """

    def __init__(self, subject: Subject, shell: AgentShell | None, env: Mapping[str, str]) -> None:
        self._subject = subject
        self._shell = shell
        self._env = env
        self._specs: dict[str, HookSpec] = {}

    def cases(self, file: ExpectationFile) -> list[CaseResult]:
        """Fire the cases of a file that are about the hook's event, each over its own copy of the project."""
        event = self._subject.spec.event
        return [self._case(file, case) for case in file.cases if case.event.kind == event]

    def _case(self, file: ExpectationFile, case: EventCase) -> CaseResult:
        expected = case.expected.decision
        try:
            with self._project(file.project, case.files) as project:
                decision = self._fire(project, file.project, case.event, case.env)
                differences = tuple(line for _, line in effects(case, decision, project.read))
        except ProjectError as error:
            return CaseResult(case.name, expected, "could-not-run", True, str(error))
        selected = any(outcome.state == "selected" for outcome in decision.outcomes)
        reason = "" if holds(expected, decision) else result_of(expected, decision).reason
        return CaseResult(case.name, expected, word_of(decision), selected, reason, differences)

    def runs(self, file: ExpectationFile | None, case: EventCase | None, count: int) -> list[RunResult]:
        """Start the hook several times; it is started whatever its matcher wants.

        Args:
            file: The expectations of ``case``; None for an event of the kind that the hook waits for.
            count: The most; two that did not end in time end the tries.

        Raises:
            ProjectError: The project cannot be copied.
        """
        place = self._subject.project if file is None else file.project
        results: list[RunResult] = []
        with self._project(place, {} if case is None else case.files) as project:
            event = sample(self._subject.spec.event) if case is None else case.event
            for _ in range(count):
                decision = self._fire(project, place, event, {} if case is None else case.env, whatever=True)
                results += [outcome.run for outcome in decision.outcomes if outcome.run is not None]
                if sum(each.timed_out for each in results) > 1:
                    break
        return results

    @contextmanager
    def _project(self, directory: str, files: Mapping[str, str | None]) -> Iterator[Project]:
        if self._shell is None:
            inside = in_sandbox(directory, files)
            yield inside._replace(runner=lambda request: inside.runner(patient(request)))
            return
        with on_host(directory, files) as project:
            runner = AgentRunner(self._shell, project.directory, self._env)
            yield project._replace(runner=runner)

    def _fire(
        self, project: Project, source: str, event: Event, env: Mapping[str, str], *, whatever: bool = False
    ) -> Decision:
        if project.directory not in self._specs:
            self._specs[project.directory] = self._moved(source, project.directory)
        spec = self._specs[project.directory]
        if whatever:
            spec = spec._replace(matcher=ALWAYS, once=False)
        runner: Runner = project.runner
        engine = HookEngine(
            [Group(self._subject.contract, (spec,))],
            runner=runner,
            compat="strict",
            env={**self._env, **env} if self._shell is not None else env,
            shared_files=True,
        )
        return engine.fire(event.with_(cwd=project.directory, project_dir=project.directory))

    def _moved(self, source: str, directory: str) -> HookSpec:
        """Return the hook as a copy of the project has it: some agents run a hook next to its file.

        What was approved stays with it: the runner compares the copy with the approved bytes.
        """
        subject, spec = self._subject, self._subject.spec
        moved = [_moved(document, source, directory) for document in subject.documents]
        engine = HookEngine.load(
            moved,
            subject.contract,
            trust=lambda each: True,
            compat="strict",
            prestart=False,
            isolation="thread",
        )
        name = next(
            (new.name for old, new in zip(subject.documents, moved) if old.name == spec.file), spec.file
        )
        same = _same(engine.hooks, spec, name)
        if same is None:
            return spec
        return same._replace(
            snapshot=spec.snapshot,
            hashed=spec.hashed,
            absent=spec.absent,
            links=spec.links,
            trust_hash=spec.trust_hash,
        )


def _same(hooks: Sequence[HookSpec], spec: HookSpec, file: str) -> HookSpec | None:
    return next(
        (
            each
            for each in hooks
            if (each.file, each.path, each.native_event) == (file, spec.path, spec.native_event)
        ),
        None,
    )


def _moved(document: Document, source: str, target: str) -> Document:
    inside = document.name.removeprefix(source.rstrip("/") + "/")
    return document if inside == document.name else document._replace(name=f"{target}/{inside}")

"""Fires the events of expectations and reports what is not as expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from posixpath import relpath
from time import monotonic

from sandhook.conformance.expectations.judge import differences
from sandhook.conformance.expectations.model import EventCase, ExpectationFile
from sandhook.conformance.expectations.project import Project, ProjectError, in_sandbox, on_host
from sandhook.conformance.model import HOST, Case, CaseFile, Expectation, Observation
from sandhook.conformance.runner import Difference, Outcome, Report
from sandhook.errors import ConfigError, Problem
from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.loading import Group
from sandhook.hooks.model import Decision, HookSpec
from sandhook.hooks.report import to_text
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re


def case_file(file: ExpectationFile) -> CaseFile:
    """Return a file of expectations as the reports have files."""
    return CaseFile(file.path, records=False, cases=[Case(case.name, case.line) for case in file.cases])


def check_hooks(file: ExpectationFile) -> None:
    """Raise ConfigError if a hook of the configurations has a fault: it would be left out of every event."""
    engine = HookEngine.load(
        list(file.documents), file.contract, trust=lambda spec: True, prestart=False, isolation="thread"
    )
    problems = [Problem("hooks", str(each), file=file.path) for each in engine.problems]
    if file.only is not None and not any(is_selected(spec, file.only) for spec in engine.hooks):
        what = f"no hook has a command with a match of /{file.only.pattern}/"
        problems.append(Problem("only", what, file=file.path))
    if problems:
        raise ConfigError(problems)


def is_selected(spec: HookSpec, only: re.Pattern[str] | None) -> bool:
    """Return whether a hook is one of those that a file of expectations is about."""
    return only is None or only.search(spec.executor.text or " ".join(spec.executor.argv)) is not None


def run_file(
    file: ExpectationFile,
    *,
    shell: str = "sandhook",
    names: Sequence[str] | None = None,
    step: Callable[[], None] = lambda: None,
) -> Report:
    """Run the cases of a file.

    Args:
        shell: "sandhook" for the sandbox, "host" to run all hooks on this machine.
        names: Run only the cases of these names.
        step: Called after each case.
    """
    report = Report(case_file(file), shell, partial=names is not None)
    for case in file.cases:
        if names is None or case.name in names:
            report.outcomes.append(run_case(file, case, host=shell == HOST))
            step()
    return report


def run_case(file: ExpectationFile, case: EventCase, *, host: bool = False) -> Outcome:
    """Fire the event of a case and compare the decision."""
    shown = Case(case.name, case.line)
    start = monotonic()
    try:
        with _project(file, case, host=host) as project:
            decision = _fire(file, case, project)
            found = list(differences(case, decision, project.read))
    except (ProjectError, DecodeError) as error:
        observation = Observation(0, b"", b"", str(error), monotonic() - start)
        return Outcome(shown, "fail", Expectation(), observation, ("trouble",), (str(error),))
    observation = Observation(0, b"", b"", "", monotonic() - start)
    if not found:
        return Outcome(shown, "pass", Expectation(), observation)
    names: dict[Difference, None] = dict.fromkeys(name for name, _ in found)
    return Outcome(shown, "fail", Expectation(), observation, tuple(names), _details(case, found, decision))


def _project(file: ExpectationFile, case: EventCase, *, host: bool) -> AbstractContextManager[Project]:
    if host or case.host:
        return on_host(file.project, case.files)
    return nullcontext(in_sandbox(file.project, case.files))


def loaded_hooks(file: ExpectationFile, directory: str) -> tuple[HookSpec, ...]:
    """Return all hooks of the configurations, approved or not, as a project in another directory has them."""
    documents = [moved(document, file.project, directory) for document in file.documents]
    engine = HookEngine.load(
        documents, file.contract, trust=lambda spec: True, prestart=False, isolation="thread"
    )
    return engine.hooks


def _fire(file: ExpectationFile, case: EventCase, project: Project) -> Decision:
    engine = HookEngine.load(
        [moved(document, file.project, project.directory) for document in file.documents],
        file.contract,
        trust=lambda spec: True,  # whoever runs the expectations of a hook wants the hook to run
        compat=case.compat,
        runner=project.runner,
        env=dict(case.env),
        prestart=False,
        shared_files=True,
    )
    if file.only is not None:
        engine = HookEngine(
            [_selected(group, file.only) for group in engine.groups],
            runner=project.runner,
            compat=case.compat,
            env=dict(case.env),
            shared_files=True,
        )
    return engine.fire(case.event.with_(cwd=project.directory, project_dir=project.directory))


def _selected(group: Group, only: re.Pattern[str]) -> Group:
    return group._replace(specs=tuple(spec for spec in group.specs if is_selected(spec, only)))


def moved(document: Document, source: str, target: str) -> Document:
    """Return a configuration as a file of the project that the hooks see: some agents run hooks next to it."""
    if not document.name:  # it is a value
        return document
    inside = relpath(document.name, source)
    return document if inside.startswith("../") else document._replace(name=f"{target}/{inside}")


def _details(case: EventCase, found: Sequence[tuple[Difference, str]], decision: Decision) -> tuple[str, ...]:
    because = (f"because {case.because}",) if case.because else ()
    hooks = (f"  {line}" for line in to_text(decision, output=True))
    return (*because, *(line for _, line in found), "what the hooks did:", *hooks)

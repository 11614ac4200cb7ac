"""Checks every hook that an agent would run on this machine: whether it is there, runs, and refuses what it should."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from sandhook.conformance.expectations.model import EventCase, ExpectationFile
from sandhook.conformance.expectations.project import ProjectError
from sandhook.conformance.expectations.run import is_selected
from sandhook.errors import Problem
from sandhook.hooks.checks import RULES
from sandhook.hooks.checks.rules import NAME_THE_FILE
from sandhook.hooks.checks.unstarted import UNSTARTED, UNSTARTED_ADVICE
from sandhook.hooks.contracts import needs_trust
from sandhook.hooks.inventory import Item
from sandhook.hooks.model import HookSpec, RunResult
from sandhook.hooks.report import approval
from sandhook.hooks.through import call_of, unwrapped
from sandhook.proving.configuration import Configuration, Unreached, unreached_cases
from sandhook.proving.guards import REFUSING
from sandhook.proving.launch import program, shell_of
from sandhook.proving.proof import CaseResult, Prover, Subject
from sandhook.proving.sandboxed import Surroundings, examined, lacking_of
from sandhook.record import Record
from sandhook.text.quoting import quote_word

#: The most files of an approval that are named.
_NAMED = 6

#: What doctor checks about a hook, in this order.
CheckName = Literal["found", "approved", "in force", "script", "programs", "starts", "in time", "refuses"]

#: ok: so it is. failed: it is not so. unproven: it could not be found out. note: worth a look.
CheckState = Literal["ok", "failed", "unproven", "note"]

#: proven on: it was started as its agent starts it, and refused all that it should. works: it runs, and refuses nothing
#: by its expectations or its event. not proven: nothing is wrong, and something could not be found out. not on: it
#: does not run, or does not refuse what it should.
Verdict = Literal["proven on", "works", "not proven", "not on"]

#: What to do about a program that is missing, and about the one that runs the hook.
_INSTALL = "install it, or run the hook by `sandhook wrap`"
_NAME_LAUNCHER = "name its path: `sandhook unwrap`, then `sandhook wrap --program PATH`"

#: How many failed cases of one hook are listed.
_SHOWN = 3

#: How often a guard is started to measure its time, by default, and what counts.
TRIES, PERCENTILE = 20, 95


class Check(Record):
    """One thing that was checked.

    Attributes:
        name: What was checked.
        state: The result.
        what: What was found.
        advice: What to do; "" if there is nothing to do.
    """

    name: CheckName
    state: CheckState
    what: str
    advice: str = ""


class HookReport(Record):
    """One hook.

    Attributes:
        verdict: All checks together.
        agent: Name of its contract.
        layer: Its layer, or "".
        id: Its id; "" for a hook with a fault.
        event: The agent's name of its event, or "".
        file, line: Its place.
        command: What it runs, or what is wrong with it.
        started_as: The words of the process that was started; () if none was.
        seconds: Durations of the tries.
        checks: What was checked.
    """

    verdict: Verdict
    agent: str
    layer: str
    id: str
    event: str
    file: str
    line: int
    command: str
    started_as: tuple[str, ...]
    seconds: tuple[float, ...]
    checks: tuple[Check, ...]


class DoctorReport(Record):
    """The hooks of all agents.

    Attributes:
        hooks: Each hook.
        unreached: Files of expectations with cases that reach no hook.
        problems: Faults of files of expectations.
    """

    hooks: tuple[HookReport, ...]
    unreached: tuple[Unreached, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether a hook is not on, or expectations want one that is not there."""
        return bool(self.unreached) or any(hook.verdict == "not on" for hook in self.hooks)

    @property
    def proven(self) -> bool:
        """Whether there are hooks, each guard is proven on, and all others work."""
        good = all(hook.verdict in ("proven on", "works") for hook in self.hooks)
        return bool(self.hooks) and good and not self.unreached and not self.problems


class Settings(Record):
    """How hooks are tried.

    Attributes:
        env: The environment that the agent has.
        tries: How often a guard is started to measure its time.
        start: Start hooks on this machine that are approved or the user's own.
    """

    env: Mapping[str, str]
    tries: int = TRIES
    start: bool = True


def doctor(
    configurations: Sequence[Configuration], settings: Settings, step: Callable[[], None] = lambda: None
) -> DoctorReport:
    """Check the hooks of several agents.

    Args:
        step: Called after each hook.
    """
    reports: list[HookReport] = []
    unreached: list[Unreached] = []
    for configuration in configurations:
        examined: list[_Examined] = []
        for item in configuration.items:
            examined.append(_Examined(configuration, item, settings))
            step()
        met = {name for each in examined for name in each.met_cases}
        reports += [each.report(met) for each in examined]
        unreached += unreached_cases(configuration)
    return DoctorReport(tuple(reports), tuple(unreached))


class _Examined:
    """One hook with what was found out about it; cases that no hook refuses are known when all were examined.

    Attributes:
        refused_cases: The cases that it refused as expected, each as file and name.
        met_cases: The cases in which it did all that is expected.
    """

    def __init__(self, configuration: Configuration, item: Item, settings: Settings) -> None:
        self._configuration = configuration
        self._item = item
        self._settings = settings
        self._checks: list[Check] = []
        self._seconds: list[float] = []
        self._words: tuple[str, ...] = ()
        self._results: list[tuple[str, CaseResult]] = []
        self._described = False
        self._started = False
        self._lacking: tuple[str, ...] = ()
        self.refused_cases: set[tuple[str, str]] = set()
        self.met_cases: set[tuple[str, str]] = set()
        spec = item.spec
        self._checks.append(_found(item))
        if spec is None:
            return
        self._checks += _approved(item, spec)
        if item.state == "muted":
            self._add("in force", "failed", item.why, "remove that setting, or the hook")
            return
        self._checks.append(Check("in force", "ok", "no setting of any layer switches it off"))
        self._read(spec)
        if spec.executor.type in ("bash", "argv"):
            self._try(spec)
        else:
            self._add("starts", "unproven", f"a hook of the type {spec.executor.type} runs no command")

    def _add(self, name: CheckName, state: CheckState, what: str, advice: str = "") -> None:
        self._checks.append(Check(name, state, what, advice))

    # Without running it.

    def _read(self, spec: HookSpec) -> None:
        """Add what reading the hook and its scripts finds."""
        mine = [
            each
            for each in self._configuration.findings
            if each.hook == spec.id and each.rule not in ("N-STATE", "N-TEXT")
        ]
        programs = [each for each in mine if each.rule in ("W-COMMAND", "W-INTERPRETER")]
        others = [each for each in mine if each not in programs]
        for each in others:
            fails = each.severity == "error" or each.rule == "W-NEVER"
            place = f"{each.file}:{each.line}: " if each.file and each.file != self._item.file else ""
            self._add(
                "script", "failed" if fails else "note", f"{place}{each.message}", RULES[each.rule].advice
            )
        if not others:
            self._add("script", "ok", "its configuration and its scripts have no fault that can be read")
        shell = shell_of(spec, self._configuration.contract.name, self._settings.env)
        if spec.executor.type not in ("bash", "argv"):
            return
        missing: dict[str, str] = {}
        if not shell.path:
            missing[f"this machine lacks {shell.name}, which the agent starts"] = _INSTALL
        launcher = self._launcher(spec)
        if launcher and not program(launcher, self._settings.env):
            missing[f"this machine lacks {launcher}"] = _NAME_LAUNCHER
        for each in programs:
            missing.setdefault(each.message, _INSTALL)
        for what, advice in missing.items():
            self._add("programs", "failed", what, advice)
        if not missing:
            self._add("programs", "ok", f"{shell.path} and all programs that it calls are in PATH")

    def _launcher(self, spec: HookSpec) -> str:
        """Return the program of a hook that runs through sandhook."""
        words = call_of(spec)
        return (words[0] if words else None) or ""

    # By running it.

    def _try(self, spec: HookSpec) -> None:
        configuration, settings = self._configuration, self._settings
        why = _why_not_started(self._item, settings)
        shell = shell_of(spec, configuration.contract.name, settings.env)
        if shell.name == "powershell":
            why = why or "its shell is PowerShell, which doctor does not start"
        subject = Subject(
            configuration.contract, spec, configuration.documents, configuration.project, configuration.trust
        )
        prover = Prover(subject, None if why else shell, settings.env)
        files = [file for file in configuration.expectations if self._is_about(file, spec)]
        self._prove(prover, files)
        if why:
            self._lacking = self._beyond_the_sandbox(spec, files)
            self._add("starts", "unproven", f"not started on this machine: {why}", _how_to_start(self._item))
            return
        self._started = True
        self._words = (shell.path, "-c", spec.executor.text or 'exec "$@"', *spec.executor.argv)
        self._measure(prover, spec, files)

    def _beyond_the_sandbox(self, spec: HookSpec, files: Sequence[ExpectationFile]) -> tuple[str, ...]:
        """Return the programs that the hook starts and that only this machine has."""
        around = Surroundings(files[0].project if files else self._configuration.project)
        evidence = examined(unwrapped(spec), self._configuration.contract, around)
        if evidence is None:
            return ()
        shown = {file.path for file in evidence.files}
        elsewhere = [name for name in evidence.commands if name[:1] == "/" and name not in shown]
        names = dict.fromkeys((*lacking_of(evidence), *elsewhere))
        return tuple(name for name in names if name in shown or program(name, self._settings.env))

    def _is_about(self, file: ExpectationFile, spec: HookSpec) -> bool:
        return any(document.name == spec.file for document in file.documents) and is_selected(spec, file.only)

    def _prove(self, prover: Prover, files: Sequence[ExpectationFile]) -> None:
        for file in files:
            for result in prover.cases(file):
                self._described = True
                self._results.append((file.path, result))
                if result.as_expected:
                    self.met_cases.add((file.path, result.name))
                    if result.refused:
                        self.refused_cases.add((file.path, result.name))

    def _measure(self, prover: Prover, spec: HookSpec, files: Sequence[ExpectationFile]) -> None:
        """Start the hook several times, with what it refuses if that is known."""
        file, case = self._sample(files)
        count = self._settings.tries if case is not None or _may_refuse(self._configuration, spec) else 1
        try:
            runs = prover.runs(file, case, count)
        except ProjectError as error:
            self._add("starts", "unproven", str(error))
            return
        self._seconds = [run.duration for run in runs]
        self._add_start(runs)
        self._add_time(spec, runs)

    def _sample(self, files: Sequence[ExpectationFile]) -> tuple[ExpectationFile | None, EventCase | None]:
        """Return a case that the hook refused, else one for its event, else none."""
        pairs = [(file, case) for file in files for case in file.cases]
        known = {(path, result.name) for path, result in self._results}
        for wanted in (self.refused_cases, known):
            for file, case in pairs:
                if (file.path, case.name) in wanted:
                    return file, case
        return None, None

    def _add_start(self, runs: Sequence[RunResult]) -> None:
        broken = next((run for run in runs if _why_broken(run)), None)
        if broken is None:
            status = runs[0].exit_status if runs else None
            self._add("starts", "ok", f"as `{_shown(self._words)}`; exit status {status}")
            return
        said = broken.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        what = f"{_why_broken(broken)}{f': {said}' if said else ''}"
        self._add("starts", "failed", what, f"try it: {_shown(self._words)}")

    def _add_time(self, spec: HookSpec, runs: Sequence[RunResult]) -> None:
        if any(_why_broken(run) for run in runs):
            return
        if any(run.timed_out for run in runs):
            what = f"it did not end within its timeout of {spec.timeout:g} s"
            self._add("in time", "failed", what, "make it faster, or its timeout longer")
            return
        if not runs:
            return
        slowest = percentile([run.duration for run in runs])
        of = f"p{PERCENTILE} of {len(runs)} cold starts" if len(runs) > 1 else "one start"
        what = f"{slowest * 1000:.0f} ms ({of}); its timeout is {spec.timeout:g} s"
        state: CheckState = "ok" if slowest < spec.timeout else "failed"
        self._add("in time", state, what, "" if state == "ok" else "make it faster, or its timeout longer")

    # The result.

    def report(self, met: set[tuple[str, str]]) -> HookReport:
        """Return the report.

        Args:
            met: The cases in which some hook of the agent does what is expected.
        """
        spec, item = self._item.spec, self._item
        checks = [*self._checks]
        if spec is not None and item.state != "muted":
            checks += self._refuses(spec, met)
        return HookReport(
            verdict=self._verdict(checks),
            agent=self._configuration.contract.name,
            layer=item.layer,
            id=spec.id if spec is not None else "",
            event=spec.native_event if spec is not None else "",
            file=item.file,
            line=item.line,
            command=(spec.executor.text or " ".join(spec.executor.argv)) if spec is not None else item.why,
            started_as=self._words if self._started else (),
            seconds=tuple(self._seconds),
            checks=tuple(checks),
        )

    def _refuses(self, spec: HookSpec, met: set[tuple[str, str]]) -> Iterator[Check]:
        """Yield whether it refuses what it should, and nothing else."""
        if not self._described:
            if _may_refuse(self._configuration, spec):
                advice = "write the events that it refuses in an *.expect.yaml next to its file"
                yield Check("refuses", "unproven", "not proven: no expectations", advice)
            return
        failures = [
            result for path, result in self._results if self._fails(result, (path, result.name) in met)
        ]
        if self._lacking and all(result.word == "could-not-run" for result in failures) and failures:
            what = f"not tried: the sandbox lacks {', '.join(self._lacking)}"
            yield Check("refuses", "unproven", what, _how_to_start(self._item))
            return
        for result in failures[:_SHOWN]:
            yield Check("refuses", "failed", result.why, "`sandhook test` shows what the hook did")
        if len(failures) > _SHOWN:
            yield Check("refuses", "failed", f"and {len(failures) - _SHOWN} more cases")
        if failures:
            return
        where = "started as the agent starts it" if self._started else "in the sandbox alone"
        count = len(self.refused_cases)
        others = sum(result.expected not in REFUSING for _, result in self._results)
        state: CheckState = "ok" if self._started else "unproven"
        if count:
            yield Check(
                "refuses",
                state,
                f"{count} of {count} cases refused, {others} of {others} others as expected, {where}",
            )
        elif any(result.expected in REFUSING and result.selected for _, result in self._results):
            yield Check(
                "refuses",
                "unproven",
                "other hooks refuse its cases, and it does not",
                "name it with `only` in expectations of its own",
            )
        else:
            yield Check(
                "refuses",
                "note" if self._started else "unproven",
                f"its expectations have nothing to refuse, {where}",
            )

    def _fails(self, result: CaseResult, met: bool) -> bool:
        """Return whether a case shows a fault of this hook.

        Args:
            met: Some hook of the agent does what the case expects.
        """
        if result.expected not in REFUSING and result.word == "could-not-run":
            missed = bool(result.differences) and not met
            return missed or (self._started and not result.as_expected)  # the sandbox may lack a program
        return result.wrongly_refused or not (met or result.as_expected)

    def _verdict(self, checks: Sequence[Check]) -> Verdict:
        states = {check.state for check in checks}
        if "failed" in states:
            return "not on"
        if "unproven" in states:
            return "not proven"
        return "proven on" if self.refused_cases else "works"


def _found(item: Item) -> Check:
    if item.spec is None:
        place = f"{item.path}: " if item.path else ""
        advice = UNSTARTED_ADVICE if item.why == UNSTARTED else "repair it: the agent leaves the hook out"
        return Check("found", "failed", f"{place}{item.why}", advice)
    matcher = f", {item.spec.native_event}"
    return Check("found", "ok", f"{item.where or 'passed by the caller'}{matcher}")


def _approved(item: Item, spec: HookSpec) -> Iterator[Check]:
    if item.state == "untrusted":
        advice = f"read it, then: {approval(item.file, item.contract)}"
        yield Check("approved", "unproven", item.why, advice)
    elif item.state == "muted":
        return  # whether somebody approved it is not known: it does not run anyway
    elif needs_trust(spec.layer):
        yield Check("approved", "ok", f"approved as it is, with {_bound(spec)}")
        if spec.unbound:
            yield Check(
                "approved", "note", f"not approved: what {_listed(spec.unbound)} executes", NAME_THE_FILE
            )
    elif item.state == "trusted":
        whose = {"managed": "the organisation's own", "user": "the user's own"}.get(
            spec.layer, "named by you"
        )
        yield Check("approved", "ok", f"needs no approval: {whose}")


def _bound(spec: HookSpec) -> str:
    """Return the files that an approval covers, for people."""
    names = [name for name, _ in spec.snapshot] + [f"{name} (by its SHA-256)" for name, _ in spec.hashed]
    return _listed(names) or "no file that it executes"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _may_refuse(configuration: Configuration, spec: HookSpec) -> bool:
    return spec.event in configuration.contract.refusable and not spec.background


def _why_not_started(item: Item, settings: Settings) -> str:
    if item.state == "untrusted":
        return "nobody approved it"
    return "" if settings.start else "--sandbox"


def _how_to_start(item: Item) -> str:
    return approval(item.file, item.contract) if item.state == "untrusted" else ""


def _why_broken(run: RunResult) -> str:
    """Return why a hook did not start; "" for one that did."""
    if run.failure is not None:
        return run.failure
    if run.exit_status in (126, 127):
        return f"exit status {run.exit_status}"
    return f"ended by signal {run.signal}" if run.signal is not None else ""


def _shown(words: Sequence[str]) -> str:
    line = " ".join(map(quote_word, words))
    return line if len(line) <= 200 else f"{line[:197]}..."


def percentile(seconds: Sequence[float]) -> float:
    """Return the smallest duration that PERCENTILE percent of the durations do not exceed."""
    ordered = sorted(seconds)
    return ordered[max(0, -(-len(ordered) * PERCENTILE // 100) - 1)]

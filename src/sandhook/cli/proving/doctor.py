"""``sandhook doctor``: whether the hooks that agents on this machine would run are on, and refuse what they should."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, INCOMPLETE, USAGE_ERROR, UsageError
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.configuration import (
    directory,
    environment,
    find_project,
    gather,
    load,
    nothing_found,
    trust_of,
    unstarted,
)
from sandhook.cli.installing.sources import installed_sources
from sandhook.cli.notes import print_note
from sandhook.cli.output import columns, counted, is_terminal, plain, put, put_record
from sandhook.cli.programs import is_executable
from sandhook.errors import ConfigError, Problem, SandhookError
from sandhook.hooks import contracts
from sandhook.hooks.checks import Surroundings, check
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.inventory import Item, inventory
from sandhook.hooks.model import HookSpec
from sandhook.hooks.sources import AgentConfiguration
from sandhook.hooks.trust import read_host
from sandhook.proving import places
from sandhook.proving.configuration import Configuration, Unreached
from sandhook.proving.doctor import (
    TRIES,
    Check,
    CheckState,
    DoctorReport,
    HookReport,
    Settings,
    Verdict,
    doctor,
    percentile,
)
from sandhook.proving.launch import program

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.terminal import Cell, Meaning
    from sandhook.conformance.expectations.model import ExpectationFile

NOT_ON, UNUSABLE, NOT_PROVEN = FINDINGS, USAGE_ERROR, INCOMPLETE

_VERDICTS: Mapping[Verdict, Meaning] = {
    "proven on": "good",
    "works": "good",
    "not proven": "warning",
    "not on": "bad",
}

_STATES: Mapping[CheckState, Meaning] = {"ok": "good", "note": "", "unproven": "warning", "failed": "bad"}


def parser() -> Parser:
    result = Parser(
        "doctor",
        "[OPTION]...",
        "Check every hook that the agents on this machine would run here: that it is found, approved, and\n"
        "not switched off; that its shell and its programs are in PATH; that it starts, as the agent starts\n"
        "it; that it answers within its timeout; and that it refuses what its *.expect.yaml files, next to\n"
        "its file and below, say that it refuses.\n\n"
        "Hooks run on this machine, over a copy of the project, if they are yours or approved (`sandhook\n"
        "trust`). Others are tried in the sandbox alone, and are not proven. A hook that may refuse is\n"
        f"started {TRIES} times; one without expectations that cannot refuse, once.\n\n"
        "proven on: it refused all that it should. works: it runs, and has nothing to refuse. not proven:\n"
        "something could not be found out. not on: it does not run, or does not refuse what it should.",
    )
    add = result.add_argument
    add(
        "--agent",
        action="extend",
        nargs="+",
        metavar="NAME",
        dest="agents",
        help="only of this agent (again for more; default: all that have files here)",
    )
    add("--cwd", metavar="DIR", help="directory that the agent runs in (default: the project's)")
    add("--expect", action="append", default=[], metavar="FILE", help="further expectations (again for more)")
    add("--tries", type=int, default=TRIES, metavar="N", help=f"starts of a guard (default {TRIES})")
    add(
        "--env",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="a variable as the agent has it, such as PATH of one that the desktop starts (again for more)",
    )
    add("--sandbox", action="store_true", help="start nothing on this machine: try all hooks in the sandbox")
    add("--store", metavar="FILE", help="file of approvals (default: that of `sandhook trust`)")
    add_format(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    try:
        return _doctor(parser().parse_args(arguments))
    except ConfigError as error:
        for problem in error.problems:
            print_note(str(problem))
        return UNUSABLE
    except (UsageError, SandhookError) as error:
        print_note(f"sandhook: {error}")
        return UNUSABLE


def _doctor(options: argparse.Namespace) -> int:
    if options.tries < 1:
        raise UsageError("doctor: --tries must be 1 or more")
    env = {**os.environ, **environment(options.env, inherit=False)}
    configurations = _configurations(options)
    given = places.read(options.expect)
    problems = list(given.problems)
    subjects: list[Configuration] = []
    for configuration in configurations:
        subject, faults = _subject(configuration, options, env, given)
        subjects.append(subject)
        problems += faults
    report = _examined(subjects, Settings(env, options.tries, not options.sandbox))
    report = report._replace(problems=tuple(dict.fromkeys(problems)))
    for fault in report.problems:
        print_note(str(fault))
    status = UNUSABLE if report.problems else NOT_ON if report.failed else 0 if report.proven else NOT_PROVEN
    if options.layout == "json":
        put_record("doctor", **_json(report, status))
    elif not report.hooks and not report.unreached:
        put(plain(nothing_found(configurations, options)))
    else:
        _print(report)
    return status


def _configurations(options: argparse.Namespace) -> list[AgentConfiguration]:
    """Return the files of the agents that are named, or of all that have files here."""
    options.hooks = None
    found: list[AgentConfiguration] = []
    names: Sequence[str | None] = [contracts.get(name).name for name in options.agents or ()] or [None]
    for name in names:
        options.contract = name
        find_project(options)
        found += [*gather(options), *unstarted(options)]
    return found


def _examined(subjects: Sequence[Configuration], settings: Settings) -> DoctorReport:
    from sandhook.cli.progress import progress

    with progress(sum(len(subject.items) for subject in subjects)) as step:
        return doctor(subjects, settings, step)


def _subject(
    configuration: AgentConfiguration,
    options: argparse.Namespace,
    env: Mapping[str, str],
    given: places.Expectations,
) -> tuple[Configuration, tuple[Problem, ...]]:
    """Return the hooks of an agent with what is known about them, and faults of expectations."""
    contract, documents = configuration.contract, configuration.documents
    engine = load(configuration, options)
    home = os.path.expanduser("~").replace("\\", "/")  # noqa: PTH111 - pathlib costs 10 ms
    project = directory(options.cwd)
    around = Surroundings(project, home, read_host, is_executable, lambda name: bool(program(name, env)))
    sources = installed_sources()
    names = [document.name for document in documents]
    near = places.expectations_of(names, sources)
    named = places.about(given.files, names, sources)
    subject = Configuration(
        contract,
        documents,
        items=_as_the_agent_reads(
            configuration, inventory(engine, contract, documents, configuration.problems)
        ),
        findings=tuple(check(engine, contract, documents, around, configuration.problems)),
        expectations=tuple({_subject_of(file): file for file in (*named, *near.files)}.values()),
        project=project,
        trust=trust_of(configuration, options),
    )
    return subject, near.problems


def _subject_of(file: ExpectationFile) -> tuple[str, ...]:
    """Return the names of a file of expectations and of the hook files that it is about, which may be installed ones."""
    return file.path, *(document.name for document in file.documents)


def _as_the_agent_reads(configuration: AgentConfiguration, items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the items with what the agent itself switches off: sandhook lets no project switch off the user's guards."""
    engine = HookEngine.load(
        list(configuration.documents),
        configuration.contract,
        trust=lambda spec: True,
        compat="strict",
        prestart=False,
        isolation="thread",
    )
    muted = {_place(each.spec): each.why for each in engine.withheld}
    return tuple(
        item._replace(state="muted", why=muted[_place(item.spec)])
        if item.spec is not None and _place(item.spec) in muted
        else item
        for item in items
    )


def _place(spec: HookSpec) -> tuple[str, str, str]:
    return spec.file, spec.path, spec.native_event


# Text.


def _print(report: DoctorReport) -> None:
    if not is_terminal(sys.stdout):
        for hook in report.hooks:
            put("  ".join(map(plain, _head(hook))))
            for text in columns([_row(each) for each in hook.checks]):
                put(f"  {text}")
        for missing in report.unreached:
            put(plain(_unreached(missing)))
        put(plain(_summary(report)))
        return
    from sandhook.cli.terminal import Rows, hanging, indented, line, show

    for hook in report.hooks:
        verdict, *rest = _head(hook)
        show(hanging((verdict, _VERDICTS[hook.verdict]), *((part, "heading") for part in rest)))
        show(indented(Rows(map(_cells, hook.checks))))
    for missing in report.unreached:
        show(line((_unreached(missing), "bad")))
    meaning: Meaning = "bad" if report.failed else "good" if report.proven else "warning"
    show(line((_summary(report), meaning)))


def _head(hook: HookReport) -> list[str]:
    first, _, rest = hook.command.strip().partition("\n")
    where = f"{hook.file}:{hook.line}" if hook.line else hook.file
    return [
        hook.verdict,
        hook.agent,
        hook.layer or "-",
        where or "-",
        hook.id or "-",
        first + (" ..." if rest else ""),
    ]


def _unreached(missing: Unreached) -> str:
    first, *others = missing.names
    more = f", and {len(others)} more" if others else ""
    return f"no hook  {missing.agent}  {missing.file}:{missing.line}: {missing.why} (case: {first}{more})"


def _row(each: Check) -> list[str]:
    return [each.state, each.name, f"{each.what}{f' -> {each.advice}' if each.advice else ''}"]


def _cells(each: Check) -> list[Cell]:
    state, name, text = _row(each)
    return [(state, _STATES[each.state]), (name, ""), (text, "")]


def _summary(report: DoctorReport) -> str:
    return ", ".join(_counts(report))


def _counts(report: DoctorReport) -> Iterator[str]:
    yield counted(len(report.hooks), "hook")
    for verdict in _VERDICTS:
        if count := sum(hook.verdict == verdict for hook in report.hooks):
            yield f"{count} {verdict}"
    if count := sum(len(missing.names) for missing in report.unreached):
        yield f"{counted(count, 'case')} without a hook"


# JSON.


def _json(report: DoctorReport, status: int) -> dict[str, object]:
    return {
        "status": status,
        "proven": report.proven,
        "hooks": [_hook(hook) for hook in report.hooks],
        "unreached": [
            {
                "contract": missing.agent,
                "file": missing.file,
                "line": missing.line,
                "cases": list(missing.names),
                "why": missing.why,
            }
            for missing in report.unreached
        ],
        "problems": [str(problem) for problem in report.problems],
    }


def _hook(hook: HookReport) -> dict[str, object]:
    seconds = hook.seconds
    return {
        "verdict": hook.verdict,
        "contract": hook.agent,
        "layer": hook.layer,
        "hook_id": hook.id,
        "event": hook.event,
        "file": hook.file,
        "line": hook.line,
        "command": hook.command,
        "started_as": list(hook.started_as),
        "starts": len(seconds),
        "p95_ms": round(percentile(seconds) * 1000, 3) if seconds else None,
        "checks": [
            {"check": each.name, "state": each.state, "what": each.what, "advice": each.advice}
            for each in hook.checks
        ],
    }

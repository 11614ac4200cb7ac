"""``sandhook replay``: fire recorded events at new hooks and report what they decide differently."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from sandhook.cli import FINDINGS, INCOMPLETE, UsageError
from sandhook.cli.arguments import Parser, color
from sandhook.cli.configuration import gather, guarded
from sandhook.cli.notes import print_note
from sandhook.cli.output import put, put_lines, put_record
from sandhook.errors import SandhookError
from sandhook.replay.engines import ENGINES, EngineName
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from sandhook.hooks.event import JsonObject
    from sandhook.journal.reading import Plan
    from sandhook.replay.engines import Engine
    from sandhook.replay.firing import Bundle
    from sandhook.replay.job import Job
    from sandhook.replay.run import Progress, Result

BROKEN = FINDINGS

RECORDED = "recorded"


def parser() -> Parser:
    result = Parser(
        "replay",
        "RECORD... --hooks NEW [--against OLD] [OPTION]...",
        "Fire the events of a record at hooks, and compare their decisions with the recorded ones, or with\n"
        "those of other hooks: what would be refused now, what would be allowed, what would be said. Hooks\n"
        "run in the sandbox. Each event finds the same files, so the order of events has no effect.\n\n"
        "RECORD is a file of JSON lines, a database of SQLite, a part of Parquet, or a directory of parts, as\n"
        "`sandhook serve --audit` and `sandhook record import` write them. What is damaged is reported, and the\n"
        "rest is read.",
    )
    add = result.add_argument
    add("records", nargs="+", metavar="RECORD", help="a record (again for more)")
    add("--hooks", action="append", required=True, metavar="NEW", help="new hooks (again for more layers)")
    add("--contract", metavar="NAME", help="the agent whose format it is (default: recognised from NEW)")
    add("--against", metavar="OLD", default=RECORDED, help="other hooks, or `recorded` (the default)")
    add(
        "--files",
        metavar="DIR",
        help="show the files of DIR to the hooks, as /workspace and in the event's directory",
    )
    _add_selection(result)
    _add_engine(result)
    add(
        "--fail-closed",
        action="store_true",
        help="a hook that could not run refuses if it could have refused",
    )
    add("--mask", action="append", default=[], metavar="RULE", help="a rule that the record was masked with")
    add(
        "--fail-on",
        action="append",
        default=[],
        metavar="RULE",
        help="such as newly_allowed>0, or newly_refused>1%%",
    )
    add("--report", metavar="OUT.html", help="write a report with plots and a table of the changed events")
    add(
        "--format",
        dest="layout",
        choices=("text", "json", "parquet", "junit"),
        default="text",
        help="form of the output; parquet has the changed events, and needs --output",
    )
    add("--output", metavar="FILE", help="write the output to FILE")
    return result


def _add_selection(result: Parser) -> None:
    add = result.add_argument
    add(
        "--where",
        default="",
        metavar="EXPR",
        help='select events, such as \'tool = "Bash" and command ~ "^git"\'',
    )
    add("--sample", type=int, metavar="N", help="select N events; the same ones each time")


def _add_engine(result: Parser) -> None:
    add = result.add_argument
    add(
        "--engine",
        choices=ENGINES,
        default="processes",
        help="one process, a process for each core (the default), or a cluster of Dask",
    )
    add("--workers", type=int, metavar="N", help="worker processes (default: one for each core)")
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="the scheduler of a Dask cluster (default: a cluster of this machine)",
    )
    add("--resume", metavar="STATE", help="keep what is finished in the directory STATE, and go on from it")
    add(
        "--partition-bytes",
        type=int,
        default=None,
        metavar="N",
        help="bytes of a partition (default: 64 KiB to 4 MiB, by the record)",
    )


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    _check(options)
    return guarded(lambda: _run(options))


def _check(options: argparse.Namespace) -> None:
    from sandhook.journal.errors import JournalError
    from sandhook.journal.masking import Masker
    from sandhook.replay.errors import ReplayError
    from sandhook.replay.rules import parse_rule
    from sandhook.replay.where import parse

    try:
        options.rules = [parse_rule(text) for text in options.fail_on]
        if options.where:
            parse(options.where)
        Masker(options.mask)
        if options.report:
            from sandhook.replay.report.page import plot_library

            plot_library()
        if options.layout == "parquet":
            from sandhook.journal.parquet import check_available

            check_available()
    except (ReplayError, JournalError) as error:
        raise UsageError(f"replay: {error}") from None
    if options.layout == "parquet" and not options.output:
        raise UsageError("replay: --format parquet needs --output FILE")
    if options.scheduler and options.engine != "dask":
        raise UsageError("replay: --scheduler goes with --engine dask")
    if options.sample is not None and options.sample < 1:
        raise UsageError(f"replay: --sample {options.sample}: wanted at least 1")
    if options.workers is not None and not 1 <= options.workers <= 1024:
        raise UsageError(f"replay: --workers {options.workers}: wanted 1 to 1024")
    if options.partition_bytes is not None and options.partition_bytes < 1:
        raise UsageError(f"replay: --partition-bytes {options.partition_bytes}: wanted at least 1")
    for option, name in (("--report", options.report), ("--output", options.output)):
        if name and not os.path.isdir(os.path.dirname(name) or "."):  # noqa: PTH112, PTH120
            raise UsageError(f"replay: {option} {name}: there is no such directory")
        if name and os.path.isdir(name):  # noqa: PTH112
            raise UsageError(f"replay: {option} {name}: is a directory; wanted a file")


def _run(options: argparse.Namespace) -> int:
    from sandhook.journal.reading import plan
    from sandhook.replay.job import problems_of
    from sandhook.replay.rules import is_broken
    from sandhook.replay.run import replayed, with_sample

    try:
        job = _job(options)
        for problem in problems_of(job):
            print_note(f"not in force: {problem}")
        whole = plan(options.records, options.partition_bytes)
        if options.sample is not None:
            job = with_sample(job, whole, options.sample)
        with ExitStack() as stack:
            with _progress(len(whole.partitions)) as progress:
                result = stack.enter_context(
                    replayed(job, whole, _engine(options, job), state=options.resume, progress=progress)
                )
            broken = [rule.text for rule in options.rules if is_broken(rule, result)]
            _write(options, job, whole, result, broken)
            _note(options, result, broken)
    except SandhookError as error:
        raise UsageError(f"replay: {error}") from None
    except KeyboardInterrupt:
        state = options.resume
        print_note(
            f"interrupted: what is finished is in {state}, and the same command goes on from it"
            if state
            else "interrupted: nothing was kept; with --resume STATE the next replay goes on from what is finished"
        )
        raise
    if broken:
        return BROKEN
    return INCOMPLETE if result.failed or whole.skipped else 0


def _note(options: argparse.Namespace, result: Result, broken: list[str]) -> None:
    """Print what must not be missed, also if the output is in a file or for a program."""
    if not result.tally.compared:
        events = f"{result.tally.selected} of {result.tally.events} events were selected"
        print_note(f"nothing was compared: {events}, and none has a decision to compare with")
    if options.output:
        for rule in broken:
            print_note(f"broken: {rule}")
        if result.failed:
            print_note(f"{len(result.failed)} partitions were not replayed, see {options.output}")


def _job(options: argparse.Namespace) -> Job:
    from sandhook.replay.job import Job
    from sandhook.replay.run import files_below

    return Job(
        new=_bundle(options.hooks, options.contract),
        old=None if options.against == RECORDED else _bundle([options.against], options.contract),
        files=files_below(options.files) if options.files else (),
        where=options.where,
        mask=tuple(options.mask),
        fail_closed=options.fail_closed,
        runs=bool(options.report),
    )


def _bundle(names: list[str], contract: str | None) -> Bundle:
    """Return the hooks of files."""
    import argparse

    from sandhook.replay.firing import Bundle

    configuration = gather(argparse.Namespace(hooks=names, contract=contract, cwd=None))[0]
    for problem in configuration.problems:
        print_note(str(problem))
    return Bundle(configuration.documents, configuration.contract.name)


def _engine(options: argparse.Namespace, job: Job) -> Callable[[], Engine]:
    workers = options.workers or os.cpu_count() or 1

    def local() -> Engine:
        from sandhook.replay.engines.local import LocalEngine

        return LocalEngine(job)

    def processes() -> Engine:
        from sandhook.replay.engines.processes import ProcessEngine

        return ProcessEngine(job, workers)

    def dask() -> Engine:
        from sandhook.replay.engines.dask import DaskEngine

        return DaskEngine(job, workers, options.scheduler, report=print_note)

    engines: dict[EngineName, Callable[[], Engine]] = {"local": local, "processes": processes, "dask": dask}
    return engines[options.engine]


def _write(options: argparse.Namespace, job: Job, whole: Plan, result: Result, broken: list[str]) -> None:
    """Write the report and the output."""
    from sandhook.replay.run import result_json

    value = result_json(result)
    if options.report:
        from sandhook.replay.report.page import write_report

        write_report(options.report, value, result, broken, hooks=options.hooks)
    if options.layout == "parquet":
        from sandhook.replay.parquet import write_rows

        write_rows(options.output, result.rows)
        return
    with _output(options.output):
        _print(options, value, broken)


def _print(options: argparse.Namespace, value: JsonObject, broken: list[str]) -> None:
    from sandhook.replay.text import to_junit, to_text

    if options.layout == "json":
        put_record("replay", **value, broken=broken)
    elif options.layout == "junit":
        put(to_junit(value, options.fail_on, broken))
    else:
        put_lines(to_text(value, broken))


@contextmanager
def _output(name: str | None) -> Iterator[None]:
    """Write what is printed to a file, if one is named."""
    if name is None:
        yield
        return
    from contextlib import redirect_stdout

    try:
        with open(name, "w", encoding="utf-8", newline="\n") as file, redirect_stdout(file):  # noqa: PTH123
            yield
    except OSError as error:
        raise UsageError(f"replay: --output {name}: {error.strerror}") from None


@contextmanager
def _progress(total: int) -> Iterator[Progress | None]:
    """Yield what draws a bar on a terminal, with the rate and the time left."""
    from sandhook.cli.output import is_terminal

    if os.environ.get("CI") or not is_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (BarColumn(30), TaskProgressColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    console = Console(stderr=True, no_color=True if color() == "never" else None)
    # Messages are drawn above the bar. Standard output is not: rich would write it to standard error.
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        from time import monotonic

        task, began, fired = bar.add_task("", total=total), monotonic(), 0

        def step(partitions: int, events: int, /) -> None:
            nonlocal fired
            fired += events
            rate = fired / max(monotonic() - began, 0.001)
            bar.update(task, advance=partitions, description=f"{fired} events, {rate:.0f}/s")

        yield step

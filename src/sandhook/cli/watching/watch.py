"""``sandhook watch``: on each save of a hook, of its script or of its expectations, run what is concerned."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, UsageError
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.configuration import directory, find_project, guarded
from sandhook.cli.output import is_terminal, plain, put, put_line, put_lines
from sandhook.cli.watching.subjects import (
    Ran,
    Signature,
    Subject,
    changed,
    expectation_files,
    signatures,
    subjects,
)

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.terminal import Meaning

#: Seconds between two looks at the files.
_INTERVAL = 0.3

#: Looks at files that are still changing, or that an editor is about to replace, before they are run anyway.
_LOOKS = 10


def parser() -> Parser:
    result = Parser(
        "watch",
        "[FILE]... [OPTION]...",
        "Check hooks and run their expectations, and again whenever one of their files is saved: the\n"
        "configuration, a script that a hook executes, or a file of expectations. Only what depends on the\n"
        "saved file runs. Without FILE: the hooks that the agents would read from the project's directory,\n"
        "and the expectations next to them. Expectations run in the sandbox. With --format json, each run is an\n"
        "object on a line. Ctrl-C ends it.",
    )
    add = result.add_argument
    add("files", nargs="*", metavar="FILE", help="a configuration of hooks, or a file of expectations")
    add("--contract", metavar="NAME", help="the agent whose format it is (default: recognised from FILE)")
    add("--cwd", metavar="DIR", help="directory that the hooks run in (default: the project's)")
    add("--store", metavar="FILE", help="file of approvals (default: that of `sandhook trust`)")
    add("--host", action="store_true", help="check what the hooks need on this machine, not in the sandbox")
    add("--once", action="store_true", help="run everything once and end")
    add("--interval", type=float, default=_INTERVAL, metavar="S",
        help=f"seconds between two looks at the files (default {_INTERVAL:g})")  # fmt: skip
    add_format(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    if not 0.01 <= options.interval <= 3600:
        raise UsageError("watch: --interval must be from 0.01 to 3600 seconds")
    try:
        return guarded(lambda: _watch(options))
    except KeyboardInterrupt:
        return 0


def _watch(options: argparse.Namespace) -> int:
    options.hooks, options.compat = list(options.files) or None, "better"
    for name in (
        options.files if options.once else ()
    ):  # otherwise it is watched: an editor may write it later
        if not os.path.exists(name):  # noqa: PTH110 - pathlib costs 10 ms
            raise UsageError(f"watch: {name}: there is no such file")
    find_project(options)
    known = subjects(options, options.files)
    seen = signatures(_files(known))
    good = _run_all(known, options)
    if options.once:
        return 0 if good else FINDINGS
    if options.layout == "text":
        _announce(known)
    while True:
        time.sleep(options.interval)
        now = signatures(_watched(options, known))
        if not changed(seen, now):
            continue
        now = _settled(options, known, seen, now)
        different = changed(seen, now)
        before = {subject.name: subject for subject in known}
        known = subjects(options, options.files)
        _run_all([each for each in known if _is_concerned(each, before.get(each.name), different)], options)
        seen = {**now, **signatures(_files(known) - set(now))}


def _is_concerned(subject: Subject, before: Subject | None, different: set[str]) -> bool:
    """Return whether a change concerns a subject, also one that is new."""
    return before is None or bool((subject.files | before.files) & different)


def _files(known: Sequence[Subject]) -> set[str]:
    return {name for subject in known for name in subject.files}


def _watched(options: argparse.Namespace, known: Sequence[Subject]) -> set[str]:
    """Return the files to look at, with new files of expectations."""
    files = _files(known)
    if options.files:
        return files
    directories = {directory(options.cwd), *(name.rpartition("/")[0] for name in files)}
    return files | set(expectation_files(directories))


def _settled(
    options: argparse.Namespace,
    known: Sequence[Subject],
    seen: dict[str, Signature],
    now: dict[str, Signature],
) -> dict[str, Signature]:
    """Return how the files are once nothing changes any more.

    An editor may remove a file before it writes the new one: a file that was there is waited for.
    """
    for _ in range(_LOOKS):
        time.sleep(options.interval / 3)
        later = signatures(_watched(options, known))
        is_gone = any(later.get(name) is None and old is not None for name, old in seen.items())
        if later == now and not is_gone:
            break
        now = later
    return now


# Output.


def _run_all(chosen: Sequence[Subject], options: argparse.Namespace) -> bool:
    """Run subjects and print their results; return whether all are good."""
    results = []
    for subject in chosen:
        result = subject.run()
        _print(result, is_json=options.layout == "json")
        results.append(result.state == "ok")
    return all(results)


def _print(result: Ran, *, is_json: bool) -> None:
    if is_json:
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        put_line(
            "watch",
            time=moment,
            state=result.state,
            name=result.name,
            summary=result.summary,
            lines=list(result.lines),
        )
        sys.stdout.flush()
        return
    clock = time.strftime("%H:%M:%S")
    lines = [f"  {line}" for line in result.lines]
    if is_terminal(sys.stdout):
        from sandhook.cli.terminal import Rows, show

        meaning: Meaning = "good" if result.state == "ok" else "bad"
        what = f"{result.name}  {result.summary}"
        show(Rows([[(clock, "faint"), (f"{result.state:<6}", meaning), (what, "")]]))
        put_lines(lines)
    else:
        put(plain(f"{clock}  {result.state:<6}  {result.name}  {result.summary}"))
        for each in lines:
            put(plain(each))
    sys.stdout.flush()


def _announce(known: Sequence[Subject]) -> None:
    count = len(_files(known))
    put(f"watching {count} file{'' if count == 1 else 's'}; Ctrl-C ends")
    sys.stdout.flush()

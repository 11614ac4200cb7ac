"""``sandhook vet``: what a bundle of hooks does, before anybody enables it."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.cli import FINDINGS, USAGE_ERROR, UsageError
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.configuration import directory, find_project, gather, guarded
from sandhook.cli.output import counted, is_terminal, plain, put, put_record
from sandhook.cli.outputs.annotations import FORMATS, put_annotations, shown_file
from sandhook.hooks import contracts
from sandhook.hooks.manifest import KINDS, to_json, to_text
from sandhook.hooks.sources import read_regular
from sandhook.vetting import SEVERITIES, Finding, Report, vet
from sandhook.vetting.report import MAX_BYTES, MAX_FILES
from sandhook.vetting.rules import finding_json

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.terminal import Cell, Meaning
    from sandhook.vetting import HookReport

#: Directories that no hook comes from.
_SKIPPED = frozenset({".git", "node_modules", ".venv", "__pycache__"})

_MEANINGS: dict[str, Meaning] = {"high": "bad", "medium": "warning", "low": "faint", "info": "faint"}


def parser() -> Parser:
    result = Parser(
        "vet",
        "[FILE|DIR]... [OPTION]...",
        "Say what the hooks of a bundle do, before anybody enables it: what each one reads, writes, runs\n"
        "and reaches, which variables it sees, and what it hides. FILE is a configuration of hooks, whose\n"
        "scripts are in its directory, or a script. Scripts are followed through their trees, and run on\n"
        "sample events in the sandbox; nothing runs on this machine. --manifest writes what they may do,\n"
        "for `sandhook fire --manifest`. Without FILE or DIR: vet the files of the project that agents read.",
    )
    add = result.add_argument
    add(
        "bundles",
        nargs="*",
        metavar="FILE|DIR",
        help="a configuration of hooks, a script, or a directory with both",
    )
    add("--contract", metavar="NAME", help="the agent whose format it is (default: recognised)")
    add("--manifest", metavar="FILE", help="write the capability manifest")
    add(
        "--fail-on",
        choices=(*SEVERITIES, "never"),
        default="high",
        help="the least severity that makes the exit status 1 (default: high)",
    )
    add("--no-run", action="store_true", help="only read the scripts, and run nothing in the sandbox either")
    add_format(result, annotations=True)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _vet(parser().parse_args(arguments)))


def _vet(options: argparse.Namespace) -> int:
    if options.contract is not None:
        contracts.get(options.contract)
    names = list(options.bundles) or _of_project(options)
    if len(names) != 1 and (options.manifest or options.layout == "json"):
        what = "--manifest" if options.manifest else "--format json"
        raise UsageError(f"vet: {what} is about one bundle, and there are {len(names)}")
    vetted = [_vetted(name, options) for name in names]
    status = _status([report for _, report in vetted], options.fail_on)
    if options.layout in FORMATS:
        from sandhook.cli.outputs.annotations.findings import of_vet

        found = [(f"{root}/{each.file}", each) for root, report in vetted for each in report.findings]
        problems = [(f"{root}/{each.file}", each) for root, report in vetted for each in report.problems]
        put_annotations(options.layout, of_vet(found, problems, status))
        return status
    for _, report in vetted:
        if options.layout == "json":
            put_record("vet", **_fields(report))
        elif is_terminal(sys.stdout):
            _draw(report)
        else:
            _print(report)
    if not vetted:
        put("no hooks: no file of the project that agents read exists")
    return status


def _of_project(options: argparse.Namespace) -> list[str]:
    """Return the files of the project that agents read."""
    place = Namespace(hooks=None, contract=options.contract, cwd=None)
    find_project(place)
    root = directory(place.cwd)
    files = [document.name for configuration in gather(place) for document in configuration.documents]
    inside = (name for name in files if name.startswith(f"{root}/"))
    return [shown_file(name) for name in dict.fromkeys(inside)]


def _vetted(name: str, options: argparse.Namespace) -> tuple[str, Report]:
    """Return the directory of a bundle, and the report about it."""
    root, files, config = _read(name)
    try:
        report = vet(files, contract=options.contract, config=config, observe=not options.no_run)
    except ValueError as error:
        raise UsageError(f"vet: {name}: {error}") from None
    if not report.hooks and not report.problems and options.bundles:
        raise UsageError(f"vet: {name}: there is no hook and no script in it")
    if options.manifest:
        _write(options.manifest, to_text(report.manifest))
    return root, report


def _status(reports: Sequence[Report], fail_on: str) -> int:
    if any(report.problems for report in reports):
        return USAGE_ERROR
    limit = SEVERITIES.index(fail_on) if fail_on != "never" else -1
    found = [each.severity for report in reports for each in report.findings]
    return FINDINGS if any(SEVERITIES.index(severity) <= limit for severity in found) else 0


def _write(name: str, text: str) -> None:
    try:
        with open(name, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            file.write(text)
    except OSError as error:
        raise UsageError(f"vet: --manifest {name}: {error.strerror or error}") from None


def read_bundle(name: str) -> tuple[dict[str, bytes], str | None]:
    """Return the files of a bundle by relative path, and the one that was named. Raises UsageError."""
    _, files, config = _read(name)
    return files, config


def _read(name: str) -> tuple[str, dict[str, bytes], str | None]:
    """Return the directory of a bundle, its files by relative path, and the one that was named."""
    root, config = name, None
    if not os.path.isdir(name):  # noqa: PTH112
        if read_or_none(name) is None:
            raise UsageError(f"vet: {name}: there is no such file, or it cannot be read")
        root, config = os.path.split(name)
        root = _top(root or ".", config)
        config = os.path.relpath(name, root).replace(os.sep, "/")
    files: dict[str, bytes] = {}
    size = 0
    for place, names, entries in os.walk(root):
        names[:] = sorted(each for each in names if each not in _SKIPPED)
        for entry in sorted(entries):
            path = os.path.join(place, entry)  # noqa: PTH118
            data = None if os.path.islink(path) else read_or_none(path)  # noqa: PTH114
            relative = os.path.relpath(path, root).replace(os.sep, "/")
            if data is None:
                continue
            if (
                config is not None
                and relative != config
                and (len(files) >= MAX_FILES or size + len(data) > MAX_BYTES)
            ):
                continue
            size += len(data)
            files[relative] = data
            if (len(files) > MAX_FILES or size > MAX_BYTES) and config is None:
                raise UsageError(f"vet: {name}: more than {MAX_FILES} files or {MAX_BYTES} bytes")
    return root, files, config


def read_or_none(path: str) -> bytes | None:
    """Return the bytes of a regular file; None for anything else, and for a file that is too large."""
    try:
        data = read_regular(path, MAX_BYTES + 1)
    except OSError:
        return None
    return data if data is None or len(data) <= MAX_BYTES else None


def _top(directory: str, name: str) -> str:
    """Return the project of a configuration: the directory above ``.claude`` and the like."""
    head, last = os.path.split(os.path.abspath(directory))  # noqa: PTH100
    return head if last[:1] == "." and name.endswith((".json", ".toml", ".yaml", ".yml")) else directory


def _summary(report: Report) -> str:
    counts = [
        f"{count} {severity}"
        for severity in SEVERITIES
        if (count := sum(each.severity == severity for each in report.findings))
    ]
    scripts = sum(not hook.capabilities.event for hook in report.hooks)
    hooks = len(report.hooks) - scripts
    alone = f" and {counted(scripts, 'script')} that no hook names" if scripts else ""
    return f"{', '.join(counts) or 'nothing found'} in {counted(hooks, 'hook')}{alone}"


def _capabilities(hook: HookReport) -> list[tuple[str, str]]:
    """Return the lines about what a hook does: the kind, and its entries."""
    seen = {kind: set(values) for kind, values in hook.capabilities.observed}
    rows: list[tuple[str, str]] = []
    for kind in KINDS:
        entries: tuple[str, ...] = getattr(hook.capabilities, kind)
        marked = [f"{entry} (seen in a run)" if entry in seen.get(kind, ()) else entry for entry in entries]
        if marked:
            rows.append((kind, ", ".join(marked)))
    if hook.capabilities.files:
        rows.insert(0, ("executes", ", ".join(hook.capabilities.files)))
    return rows


def _title(hook: HookReport) -> str:
    entry = hook.capabilities
    return f"{entry.id} on {entry.event}  {hook.place}" if entry.event else f"{entry.id}  (no hook names it)"


def _print(report: Report) -> None:
    for problem in report.problems:
        put(plain(f"problem: {problem}"))
    for hook in report.hooks:
        put(plain(_title(hook)))
        for kind, text in _capabilities(hook):
            put(plain(f"  {kind}: {text}"))
        for finding in hook.findings:
            if finding.severity != "info":
                put(plain(f"  {_line(finding)}"))
    put(plain(_summary(report)))


def _line(finding: Finding) -> str:
    run = " (seen in a run)" if finding.observed else ""
    return f"{finding.place}: {finding.severity} {finding.rule}: {finding.what} {finding.why} [{finding.detail}]{run}"


def _draw(report: Report) -> None:
    """Draw the hooks on the terminal, each with what it does and what was found."""
    from sandhook.cli.terminal import Rows, indented, line, show

    for problem in report.problems:
        show(line(("problem: ", "bad"), (str(problem), "")))
    for hook in report.hooks:
        cells: list[list[Cell]] = [
            [(kind, "faint"), (text, ""), ("", "")] for kind, text in _capabilities(hook)
        ]
        for each in hook.findings:
            if each.severity != "info":
                words = f"{each.what} {each.why} [{each.detail}] {each.place}"
                cells.append([(each.severity, _MEANINGS[each.severity]), (each.rule, ""), (words, "")])
        show(line((_title(hook), "heading")), indented(Rows(cells)))
    worst = report.findings[0].severity if report.findings else ""
    show(line((_summary(report), _MEANINGS[worst] if worst else "good")))


def _fields(report: Report) -> dict[str, object]:
    return {
        "manifest": to_json(report.manifest),
        "problems": [str(problem) for problem in report.problems],
        "hooks": [
            {
                "id": hook.capabilities.id,
                "event": hook.capabilities.event,
                "place": hook.place,
                **{kind: list(getattr(hook.capabilities, kind)) for kind in ("files", *KINDS)},
                "findings": [finding_json(each) for each in hook.findings],
            }
            for hook in report.hooks
        ],
    }

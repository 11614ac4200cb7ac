"""``sandhook stats``: show what a record has."""

from __future__ import annotations

import sys

from sandhook.cli import FINDINGS, UsageError
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.output import columns, is_terminal, plain, put, put_lines, put_record
from sandhook.errors import SandhookError
from sandhook.replay.text import skipped_line
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.hooks.event import Json, JsonObject

_MOST_TOOLS, _MOST_SKIPPED, _MOST_VERSIONS = 15, 20, 10


def parser() -> Parser:
    result = Parser(
        "stats",
        "RECORD... [--where EXPR] [--format text|json]",
        "Show what a record has: how many events, what was decided, which hooks ran, how often, how long, and\n"
        "which of them never matched. `refused` counts the events whose reason a hook gave.",
    )
    add = result.add_argument
    add("records", nargs="+", metavar="RECORD", help="a record (again for more), see `sandhook replay`")
    add("--where", default="", metavar="EXPR", help="select events, such as 'time > \"2026-11\"'")
    add_format(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    from sandhook.journal.reading import plan
    from sandhook.replay.stats import statistics, stats_json
    from sandhook.replay.where import parse

    options = parser().parse_args(arguments)
    try:
        selects = parse(options.where) if options.where else None
        counts, skipped = statistics(plan(options.records), selects)
    except SandhookError as error:
        raise UsageError(f"stats: {error}") from None
    value = stats_json(counts, skipped)
    if options.layout == "json":
        put_record("stats", **value)
    else:
        _print(value)
    return FINDINGS if skipped and not counts.read else 0


def _print(value: JsonObject) -> None:
    lines = [f"{value['events']} events, {value['first'] or 'none'} to {value['last'] or 'none'}"]
    for title in ("decisions", "agents"):
        counts = value[title]
        assert isinstance(counts, dict)
        words = ", ".join(f"{count} {plain(word)}" for word, count in counts.items())
        lines.append(f"{title}: {words or 'none'}")
    tools = _rows(value["tools"])
    words = ", ".join(f"{row['events']} {plain(str(row['tool']))}" for row in tools[:_MOST_TOOLS])
    lines.append(f"tools: {words or 'none'}")
    put_lines(lines)
    hooks = _rows(value["hooks"])
    names = (
        "hook",
        "seen",
        "matched",
        "refused",
        "could_not_run",
        "p50_ms",
        "p95_ms",
        "p99_ms",
        "last_match",
    )
    if hooks:
        heads = [name.replace("_", " ") for name in names]
        cells = [["" if row[name] is None else str(row[name]) for name in names] for row in hooks]
        if is_terminal(sys.stdout):
            from sandhook.cli.terminal import Matrix, show

            show(Matrix(heads[1:], [(0, [(cell, "") for cell in row]) for row in cells]))
        else:
            for text in columns([heads, *cells]):
                put(text)
    lines = [line for row in hooks for line in _version_lines(row)]
    never = value["never_matched"]
    if isinstance(never, list) and never:
        lines.append("never matched: " + ", ".join(plain(str(name)) for name in never))
    for row in _rows(value["skipped"])[:_MOST_SKIPPED]:
        lines.append(skipped_line(row))
    if lines:
        put_lines(lines)


def _version_lines(hook: JsonObject) -> list[str]:
    """Return what each version of a hook did, if it changed during the record."""
    versions = _rows(hook["versions"])
    if len(versions) < 2:
        return []
    lines = [f"{plain(str(hook['hook']))} changed:"]
    for each in versions[:_MOST_VERSIONS]:
        digest = "others" if each["hash"] is None else plain(str(each["hash"]))[:12]
        lines.append(
            f"  {digest}  {each['first']} to {each['last']}:"
            f" {each['matched']} matched, {each['refused']} refused, {each['could_not_run']} could not run"
        )
    if len(versions) > _MOST_VERSIONS:
        lines.append(f"  and {len(versions) - _MOST_VERSIONS} more; --format json has them")
    return lines


def _rows(value: Json) -> list[JsonObject]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []

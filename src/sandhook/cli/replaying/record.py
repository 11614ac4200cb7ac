"""``sandhook record import``: read the transcripts of agents into a record."""

from __future__ import annotations

import os

from sandhook.cli import FINDINGS, UsageError
from sandhook.cli.arguments import Parser, add_format
from sandhook.cli.notes import print_note
from sandhook.cli.output import put, put_record
from sandhook.journal.errors import JournalError
from sandhook.journal.transcripts import AGENTS, entries, transcripts
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from sandhook.hooks.event import JsonObject

#: Lines that are written at once, and messages that are printed.
_BATCH, _MOST_MESSAGES = 500, 20


def parser() -> Parser:
    result = Parser(
        "record",
        "import TRANSCRIPT... -o RECORD [OPTION]...",
        "Read the transcripts of agents into a record, for `sandhook replay` and `sandhook stats`: the prompts, the\n"
        "tool calls and their results that hooks would have seen. A directory stands for the transcripts below it, such as\n"
        "~/.claude/projects, ~/.codex/sessions, ~/.gemini/tmp or ~/.copilot/session-state. Secrets of known forms\n"
        "are masked.",
    )
    add = result.add_argument
    add("action", choices=("import",), metavar="import", help="the only action")
    add("transcripts", nargs="+", metavar="TRANSCRIPT", help="a transcript, or a directory")
    add("-o", "--output", required=True, metavar="RECORD", help="append to FILE, sqlite:FILE or parquet:DIR")
    add("--agent", choices=AGENTS, help="the agent that wrote them (default: recognised from their content)")
    add(
        "--mask",
        action="append",
        default=[],
        metavar="RULE",
        help="also mask key:NAME or text:REGEX (again for more)",
    )
    add("--raw", action="store_true", help="mask nothing")
    add_format(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    try:
        return _import(options)
    except JournalError as error:
        raise UsageError(f"record: {error}") from None


def _import(options: argparse.Namespace) -> int:
    from sandhook.journal.masking import Masker
    from sandhook.journal.schema import encode
    from sandhook.journal.targets import open_target

    masker = Masker(options.mask, raw=options.raw)
    for path in options.transcripts:
        if not os.path.exists(path):  # noqa: PTH110 - pathlib costs 10 ms
            raise UsageError(f"record: {path}: there is no such file or directory")
    messages: list[str] = []
    files: list[JsonObject] = []
    target = open_target(options.output)
    try:
        for path in options.transcripts:
            for transcript in transcripts(path, options.agent):
                count, batch = 0, []
                for entry in entries(transcript, masker, messages.append):
                    batch.append(encode(entry))
                    count += 1
                    if len(batch) >= _BATCH:
                        target.write(batch)
                        batch = []
                target.write(batch)
                files.append({"file": transcript.path, "agent": transcript.agent, "events": count})
    finally:
        target.close()
    events = sum(int(str(each["events"])) for each in files)
    if options.layout == "json":
        put_record("record", events=events, files=files, problems=messages)
    else:
        for message in messages[:_MOST_MESSAGES]:
            print_note(f"skipped: {message}")
        if len(messages) > _MOST_MESSAGES:
            print_note(f"skipped: {len(messages) - _MOST_MESSAGES} more")
        put(f"{events} events of {len(files)} transcripts")
    return 0 if events else FINDINGS

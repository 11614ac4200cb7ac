"""Writes the manual pages from the parsers: part of ``make docs``. The wheel installs them below share/man/man1."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from sandhook.cli import COMMANDS
from sandhook.cli.commands import options_of, parser_of
from sandhook.cli.statuses import CONVENTION, OF_THE_PROGRAM
from sandhook.version import __version__

DIRECTORY = Path(__file__).resolve().parent / "man"


def pages() -> dict[str, str]:
    """Return the text of every page by the name of its file."""
    several = {f"sandhook-{name}.1": command_page(name) for name in COMMANDS}
    return {"sandhook.1": main_page(), **several}


def main_page() -> str:
    lines = [
        *head("sandhook", "run agent hooks and shell scripts in a sandbox"),
        *synopsis(r"\fICOMMAND\fR [\fIOPTION\fR]...", "sandhook"),
        ".SH DESCRIPTION",
        *text("Each command has a manual page. `sandhook help COMMAND` prints the same text."),
        ".SH COMMANDS",
    ]
    for name, command in COMMANDS.items():
        lines += [".TP", f".BR sandhook\\-{name} (1)", escape(sentence(command.summary))]
    lines.append(".SH EXIT STATUS")
    for status, meaning in {**CONVENTION, **OF_THE_PROGRAM}.items():
        lines += item(str(status), sentence(meaning))
    lines += [
        ".SH ENVIRONMENT",
        *item("NO_COLOR", "No colours on a terminal, if it is set to a text."),
        *item("SANDHOOK_CACHE_DIR", "The directory of parsed scripts."),
        *item("SANDHOOK_NO_CACHE", "1: keep no parsed scripts."),
        *item("SANDHOOK_DEBUG", "1: print a traceback for a defect of sandhook."),
        ".SH EXAMPLES",
    ]
    for command in COMMANDS.values():
        lines += [".PP", ".nf", escape(command.example), ".fi"]
    return joined(lines)


def command_page(name: str) -> str:
    command, parser = COMMANDS[name], parser_of(name)
    usage = re.sub(r"^sandhook [\w-]+ ", "", (parser.usage or "").strip())
    body, _, status = parser.whole_description().partition("Exit status:")
    lines = [
        *head(f"sandhook-{name}", command.summary),
        *synopsis(escape(usage), f"sandhook {name}"),
        ".SH DESCRIPTION",
        *text(body.strip()),
        ".SH OPTIONS",
    ]
    for action in options_of(parser):
        meaning = (action.help or "") % {"default": action.default, "prog": parser.prog}
        lines += [".TP", tag(action), escape(sentence(meaning)) if meaning else r"\&"]
    if status:
        lines += [".SH EXIT STATUS", *text(sentence(status.strip()))]
    lines += [".SH EXAMPLE", ".nf", escape(command.example), ".fi", ".SH SEE ALSO", ".BR sandhook (1)"]
    return joined(lines)


def head(name: str, summary: str) -> Iterator[str]:
    yield r".\" Made by `make docs`; do not edit."
    yield f'.TH {escape(name).upper()} 1 "" "sandhook {escape(__version__)}" "User Commands"'
    yield ".SH NAME"
    yield f"{escape(name)} \\- {escape(summary)}"


def synopsis(usage: str, command: str) -> Iterator[str]:
    yield ".SH SYNOPSIS"
    yield f".B {escape(command)}"
    yield usage


def tag(action: argparse.Action) -> str:
    """Return the names of an argument: options in bold, values in italics."""
    words = "|".join(map(str, action.choices or ())) or action.dest.upper()
    value = f"\\fI{escape(str(action.metavar or words))}\\fR"
    if not action.option_strings:
        return value
    flags = [f"\\fB{escape(flag)}\\fR" for flag in action.option_strings]
    if action.nargs != 0:
        flags = [f"{flag} {value}" for flag in flags]
    return ", ".join(flags)


def item(name: str, meaning: str) -> list[str]:
    return [".TP", f".B {escape(name)}", escape(meaning)]


def text(words: str) -> Iterator[str]:
    """Yield the lines of paragraphs."""
    for paragraph in words.split("\n\n"):
        yield ".PP"
        yield escape(" ".join(paragraph.split()))


def sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", ":", ";")) else ".")


def escape(words: str) -> str:
    """Return words as roff reads them: a dot at the beginning of a line would be a request."""
    safe = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    safe = safe.replace("^", "\\(ha").replace("~", "\\(ti").replace('"', "\\(dq")
    return f"\\&{safe}" if safe[:1] in (".", "'") else safe


def joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"

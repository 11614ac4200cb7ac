"""Breaks guards in generated ways: their scripts, their hook file, and the permissions of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from sandhook.record import Record


class Mutant(Record):
    """One way to break a guard; ``apply`` receives the hook file and the script."""

    name: str
    apply: Callable[[Path, Path], None]


def _script(change: Callable[[str], str]) -> Callable[[Path, Path], None]:
    def apply(config: Path, script: Path) -> None:
        script.write_bytes(change(script.read_text(encoding="utf-8")).encode())

    return apply


def _config(change: Callable[[str], str]) -> Callable[[Path, Path], None]:
    def apply(config: Path, script: Path) -> None:
        config.write_bytes(change(config.read_text(encoding="utf-8")).encode())

    return apply


def _without_line(number: int) -> Callable[[str], str]:
    """Return a function that deletes the line of code at a part of the script, in percent."""

    def change(text: str) -> str:
        lines = text.split("\n")
        code = [index for index, line in enumerate(lines) if line.strip() and not line.startswith("#")]
        del lines[code[number * (len(code) - 1) // 100]]
        return "\n".join(lines)

    return change


def _nth(pattern: str, new: str, number: int = 0) -> Callable[[str], str]:
    """Return a function that replaces one match of a pattern."""

    def change(text: str) -> str:
        found = list(re.finditer(pattern, text, re.MULTILINE))
        if not found:
            return text
        match = found[number % len(found)]
        return text[: match.start()] + match.expand(new) + text[match.end() :]

    return change


def _all(pattern: str, new: str) -> Callable[[str], str]:
    return lambda text: re.sub(pattern, new, text, flags=re.MULTILINE)


def mutants() -> Iterator[Mutant]:
    """Yield 38 ways to break a guard."""
    for percent in (0, 9, 18, 27, 36, 45, 55, 64, 73, 82, 91, 100):
        yield Mutant(f"without the line at {percent} %", _script(_without_line(percent)))
    for number in (0, 1, 2):
        yield Mutant(f"an inverted condition, {number}", _script(_nth(r"\[\[ (?!! )", r"[[ ! ", number)))
        yield Mutant(f"&& becomes ||, {number}", _script(_nth(r" && ", r" || ", number)))
    yield Mutant("exit 1 for exit 2", _script(_all(r"exit 2", "exit 1")))
    yield Mutant("exit 0 for exit 2", _script(_all(r"exit 2", "exit 0")))
    yield Mutant("the last command is a comment", _script(_nth(r"^main$", "# main")))
    yield Mutant("jq has another name", _script(_all(r"\bjq -", "jqq -")))
    yield Mutant("another field of the payload", _script(_all(r"\.tool_input", ".toolInput")))
    yield Mutant("without quotes around the payload", _script(_all(r'<<<"\$payload"', "<<<$payload")))
    yield Mutant("without closing quotation mark", _script(_nth(r'"\n', "\n", 0)))
    yield Mutant("an unfinished if", _script(_nth(r"^( *)fi$", r"\1", 0)))
    yield Mutant("another interpreter", _script(_nth(r"\A#!/bin/bash", "#!/bin/bsh")))
    yield Mutant("run by sh", _script(_nth(r"\A#!/bin/bash", "#!/bin/false")))
    yield Mutant("an early exit", _script(_nth(r"^main\(\) \{$", "main() {\n  exit 0")))
    yield Mutant("set -e", _script(_nth(r"\A(#!.*)$", r"\1\nset -e\nfalse")))
    yield Mutant("CRLF", _script(lambda text: text.replace("\n", "\r\n")))
    yield Mutant("a byte order mark", _script(lambda text: "\ufeff" + text))
    yield Mutant("an empty script", _script(lambda text: ""))
    yield Mutant("half of the script", _script(lambda text: text[: len(text) // 2]))
    yield Mutant("not executable", lambda config, script: script.chmod(0o644))
    yield Mutant("the script is gone", lambda config, script: script.unlink())
    yield Mutant("a misspelt script", _config(_all(r"\.sh", "s.sh")))
    yield Mutant("a misspelt event", _config(_all("PreToolUse|UserPromptSubmit|Stop", "PreToolUs")))
    yield Mutant("an event after the action", _config(_all("PreToolUse", "PostToolUse")))
    yield Mutant("a misspelt tool", _config(_all(r'"matcher": "[^"]*"', '"matcher": "Bsh"')))
    yield Mutant("a tool in other case", _config(_all(r'"matcher": "([^"]*)"', '"matcher": "bash"')))
    yield Mutant("an empty list of hooks", _config(_nth(r'"hooks": \[', '"hook": [', 0)))
    yield Mutant("a misspelt command", _config(_all('"command":', '"comand":')))
    yield Mutant("a misspelt type", _config(_all('"type": "command"', '"type": "comand"')))
    yield Mutant("invalid JSON", _config(_nth(r",\n", "\n", 0)))
    yield Mutant("switched off", _config(_nth(r"\A\{", '{"disableAllHooks": true,')))
    yield Mutant("in the background", _config(_all('"type": "command"', '"type": "command", "async": true')))
    yield Mutant("a timeout in other units", _config(_all(r'"timeout": \d+', '"timeout": 0.001')))

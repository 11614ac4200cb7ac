"""Breaks hooks as people break them: their scripts, their hook file, the permissions of both, and other layers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from sandhook.record import Record

Apply = Callable[[Path, Path], None]
Change = Callable[[str], str]


class Mutant(Record):
    """One way to break a guard; ``apply`` receives the hook file and the script."""

    name: str
    apply: Apply


def _script(change: Change) -> Apply:
    def apply(config: Path, script: Path) -> None:
        script.write_bytes(change(script.read_text(encoding="utf-8")).encode())

    return apply


def _config(change: Change) -> Apply:
    def apply(config: Path, script: Path) -> None:
        config.write_bytes(change(config.read_text(encoding="utf-8")).encode())

    return apply


def _local(text: str) -> Apply:
    """Return a function that writes the stronger layer next to the hook file."""

    def apply(config: Path, script: Path) -> None:
        config.with_name("settings.local.json").write_text(text, encoding="utf-8")

    return apply


def _code(lines: list[str]) -> list[int]:
    """Return the numbers of the lines that are code."""
    return [number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]


def _line(percent: int, change: Callable[[str], str | None]) -> Change:
    """Return a function that changes the line of code at a part of the script, in percent; None deletes it."""

    def apply(text: str) -> str:
        lines = text.split("\n")
        code = _code(lines)
        number = code[percent * (len(code) - 1) // 100]
        new = change(lines[number])
        lines[number : number + 1] = [] if new is None else [new]
        return "\n".join(lines)

    return apply


def _at(pattern: str, new: str, percent: int = 0) -> Change:
    """Return a function that replaces the match of a pattern at a part of all matches, in percent."""

    def change(text: str) -> str:
        matches = list(re.finditer(pattern, text, re.MULTILINE))
        if not matches:
            return text
        match = matches[percent * (len(matches) - 1) // 100]
        return text[: match.start()] + match.expand(new) + text[match.end() :]

    return change


def _all(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Change:
    return lambda text: re.sub(pattern, new, text, flags=re.MULTILINE)


#: Changes at several places of a script: what they are, the pattern, the replacement, and the places in percent.
_EDITS: tuple[tuple[str, str, str, tuple[int, ...]], ...] = (
    ("an inverted [[ ]]", r"\[\[ (?!! )", "[[ ! ", (0, 25, 50, 75, 100)),
    ("&& for ||", r" \|\| ", " && ", (0, 50, 100)),
    ("|| for &&", r" && ", " || ", (0, 25, 50, 75, 100)),
    ("!= for ==", r" == ", " != ", (0, 33, 66, 100)),
    ("== for =~", r" =~ ", " == ", (0, 100)),
    ("an echo for refuse", r'\brefuse "', 'echo "', (0, 33, 66, 100)),
    ("an echo for inform or keep_working", r'\b(inform|keep_working) "', 'echo "', (0,)),
    ("a typing error in a pattern", r"^( +[-*\"\[]?[a-z])[a-z]([a-z*. |-]*\))", r"\1\2", (0, 33, 66, 100)),
    ("a typing error in a list", r"^([a-z.*/]*[a-z])[a-z]([a-z.*/]*)$", r"\1\2", (0, 50, 100)),
    ("a misspelt variable", r"\$(\{?)([a-z]+)([a-z])", r"$\1\2\3\3", (10, 30, 50, 70, 90)),
    ("a misspelt function", r"\b(each_command|check|find_secret|run_words|matches|read_count|file_paths|inform|keep_working)\b(?=[ )])", r"\1s", (0, 50, 100)),
    ("|| true at the end of a line", r"^( +[a-z_]+ [^\n&|;(){}]*[^\n&|;(){} \\'])$", r"\1 || true", (0, 50, 100)),
    ("return 1 for return 0", r"return 0", "return 1", (0, 100)),
    ("return 0 for return 1", r"return 1", "return 0", (0, 100)),
    ("grep -q without its meaning", r"grep -E?i?q", "grep -v", (0, 100)),
    ("a comparison the other way around", r"(\(\(.*) < ", r"\1 > ", (0, 100)),
    ("one more", r"< (CALLS|TOKENS)", r"<= \1", (0,)),
    ("quotes lost", r'"(\$\{?[@*1-9a-z]+\}?)"', r"\1", (0, 50, 100)),
    ("jq without -r", r"jq -e?r ", "jq ", (0, 100)),
    ("jq with a misspelt field", r"(jq -[a-z]+ '\.[a-z_]*)[a-z](?=[ '.|])", r"\1", (0, 100)),
)  # fmt: skip

#: Changes of the whole script.
_SCRIPTS: tuple[tuple[str, Change], ...] = (
    ("exit 1 for exit 2", _all(r"exit 2", "exit 1")),
    ("exit 0 for exit 2", _all(r"exit 2", "exit 0")),
    ("exit 2 for exit 0", _all(r"exit 0", "exit 2")),
    ("the call of main is a comment", _at(r"^main$", "# main")),
    ("main || true", _at(r"^main$", "main || true")),
    ("main in the background", _at(r"^main$", "main &")),
    ("main in a pipeline", _at(r"^main$", "main | cat")),
    ("main with its errors discarded", _at(r"^main$", "main 2>/dev/null")),
    ("jq has another name", _all(r"\bjq -", "jqq -")),
    ("the payload of another agent", _all(r"\.(tool_input|tool_response|prompt|session_id)\b", r".\1s")),
    ("without quotes around the payload", _all(r'<<<"\$payload"', "<<<$payload")),
    ("the payload as an argument", _at(r"^payload=.*$", "payload=$1")),
    ("the payload is read twice", _at(r"^payload=", "cat >/dev/null\npayload=")),
    ("the first line of the payload", _at(r"^payload=.*$", "read -r payload")),
    ("without closing quotation mark", _at(r'"\n', "\n")),
    ("an unfinished if", _at(r"^( *)fi$", r"\1")),
    ("an unfinished case", _at(r"^( *)esac$", r"\1", 100)),
    ("another interpreter", _at(r"\A#!/bin/bash", "#!/bin/bsh")),
    ("run by sh", _at(r"\A#!/bin/bash", "#!/bin/sh")),
    ("run by python", _at(r"\A#!/bin/bash", "#!/usr/bin/env python3")),
    ("an early exit", _at(r"^main\(\) \{$", "main() {\n  exit 0")),
    ("set -e", _at(r"\A(#!.*)$", r"\1\nset -e\nfalse")),
    ("a line for debugging", _at(r"^main\(\) \{$", 'main() {\n  echo "debug: $payload"')),
    ("CRLF", lambda text: text.replace("\n", "\r\n")),
    ("a byte order mark", lambda text: "\ufeff" + text),
    ("an empty line first", lambda text: "\n" + text),
    ("an empty script", lambda text: ""),
    ("half of the script", lambda text: text[: len(text) // 2]),
    ("without the last lines", lambda text: "\n".join(text.split("\n")[:-3])),
    ("marks of a merge", _at(r"^main\(\) \{$", "<<<<<<< HEAD\nmain() {")),
)  # fmt: skip

#: Changes of the hook file.
_CONFIGS: tuple[tuple[str, Change], ...] = (
    ("a misspelt script", _all(r"\.sh", "s.sh")),
    ("a script in another directory", _all(r"/hooks/", "/hook/")),
    ("a relative path", _all(r'\\"\$CLAUDE_PROJECT_DIR\\"/\.claude/', "")),
    ("a misspelt variable of the project", _all("CLAUDE_PROJECT_DIR", "CLAUDE_PROJEKT_DIR")),
    ("|| true after the command", _all(r"(\.sh)", r"\1 || true")),
    ("the command in the background", _all(r"(\.sh)", r"\1 &")),
    ("output discarded", _all(r"(\.sh)", r"\1 >/dev/null 2>&1")),
    ("input discarded", _all(r"(\.sh)", r"\1 </dev/null")),
    ("a misspelt event", _all('"(PreToolUse|PostToolUse|UserPromptSubmit|Stop|SessionStart)"', '"PreToolUs"')),
    ("an event in other case", _all('"(PreToolUse|PostToolUse|UserPromptSubmit|Stop|SessionStart)"', lambda match: match[0].lower())),
    ("another event", _all('"(PreToolUse|UserPromptSubmit|Stop|SessionStart)"', '"PostToolUse"')),
    ("an event too early", _all('"(PostToolUse)"', '"PreToolUse"')),
    ("a misspelt tool", _all(r'"matcher": "[^"]*"', '"matcher": "Bsh"')),
    ("a tool in other case", _all(r'"matcher": "([^"]*)"', lambda match: match[0].lower())),
    ("a matcher with a rule of permissions", _all(r'"matcher": "([^"]*)"', '"matcher": "Bash(rm *)"')),
    ("the matcher of another tool", _all(r'"matcher": "[^"]*"', '"matcher": "WebFetch"')),
    ("one tool of several", _all(r'"matcher": "[^"|]*\|([^"|]*)[^"]*"', r'"matcher": "\1"')),
    ("a misspelt list of hooks", _at(r'"hooks": \[', '"hook": [')),
    ("an empty list of hooks", _at(r'"hooks": \[(.|\n)*?\]\n', '"hooks": []\n')),
    ("a misspelt command", _all('"command":', '"comand":')),
    ("a misspelt type", _all('"type": "command"', '"type": "comand"')),
    ("without the inner list", _at(r'"hooks": \[\n *\{((?:.|\n)*?)\}\n *\]', r"\1")),
    ("the events at the top", _at(r'\A\{\n *"hooks": \{((?:.|\n)*)\}\n\}', r"{\1}")),
    ("invalid JSON", _at(r",\n", "\n")),
    ("a comma too many", _at(r"\n( *)\}", r",\n\1}")),
    ("a comment", _at(r"\A\{", "{ // hooks")),
    ("all hooks are off", _at(r"\A\{", '{"disableAllHooks": true,')),
    ("asynchronous", _all('"type": "command"', '"type": "command", "async": true')),
    ("milliseconds for seconds", _all(r'"timeout": [\d.]+', '"timeout": 0.01')),
    ("a timeout of text", _all(r'"timeout": [\d.]+', '"timeout": "10"')),
    ("a condition that never holds", _all('"type": "command"', '"type": "command", "if": "Bash(nosuch *)"')),
)  # fmt: skip


def mutants() -> Iterator[Mutant]:
    """Yield all ways; many change nothing in a hook that has nothing of the kind."""
    for percent in range(0, 101, 10):
        yield Mutant(f"without the line at {percent} %", _script(_line(percent, lambda line: None)))
    for percent in (5, 35, 65, 95):
        yield Mutant(
            f"the line at {percent} % is a comment", _script(_line(percent, lambda line: f"# {line}"))
        )
    for what, pattern, new, places in _EDITS:
        for percent in places:
            yield Mutant(f"{what}, at {percent} %", _script(_at(pattern, new, percent)))
    for what, change in _SCRIPTS:
        yield Mutant(what, _script(change))
    yield Mutant("not executable", lambda config, script: script.chmod(0o644))
    yield Mutant("the script is gone", lambda config, script: script.unlink())
    yield Mutant("the script is renamed", lambda config, script: _renamed(script))
    for what, change in _CONFIGS:
        yield Mutant(what, _config(change))
    yield Mutant("all hooks are off in the local file", _local('{"disableAllHooks": true}'))
    yield Mutant("an empty hook file", _config(lambda text: ""))
    yield Mutant("the hooks of the file are removed", _config(lambda text: "{}\n"))


def _renamed(script: Path) -> None:
    script.rename(script.with_suffix(".bash"))

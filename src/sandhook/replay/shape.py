"""The shape of a tool call: what remains of a command without its operands, so that like calls are counted together."""

from __future__ import annotations

import re

from sandhook.hooks.event import Json
from sandhook.journal.schema import Entry
from sandhook.replay.where import DEEPEST, command_of

#: Characters of a command that are looked at, and of a shape.
_READ, _LONGEST = 2_000, 80

#: Simple commands of a shape.
_MOST_COMMANDS = 3

#: A separator of commands, or a word.
_TOKEN = re.compile(r"""(\|\||&&|[|;&\n])|((?:[^\s"'\\|;&]|\\.|"[^"]*"|'[^']*')+)""")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9-]{0,20}$")
_OPTION = re.compile(r"--?[A-Za-z][\w-]{0,30}")

#: Programs whose first operand selects what they do.
_WITH_SUBCOMMANDS = frozenset(
    [
        "apt",
        "apt-get",
        "aws",
        "az",
        "brew",
        "bun",
        "cargo",
        "conda",
        "docker",
        "dotnet",
        "gcloud",
        "gh",
        "git",
        "go",
        "gradle",
        "helm",
        "kubectl",
        "make",
        "mvn",
        "npm",
        "npx",
        "pip",
        "pip3",
        "pipx",
        "pnpm",
        "podman",
        "poetry",
        "rustup",
        "systemctl",
        "terraform",
        "uv",
        "yarn",
    ]
)

_PATHS = ("file_path", "path", "filePath", "absolute_path", "notebook_path", "file")


def shape_of(entry: Entry) -> str:
    """Return the shape of an event: of its command, of its path, or "" without either."""
    command = command_of(entry.payload)
    if command is not None:
        return command_shape(command)
    return _input_shape(entry.payload)


def command_shape(command: str) -> str:
    """Return the programs of a command with their subcommands and the names of their options."""
    commands: list[list[str]] = [[]]
    for separator, word in _TOKEN.findall(command[:_READ]):
        if separator:
            commands.append([])
        else:
            commands[-1].append(word)
    pieces = [piece for piece in map(_simple, commands) if piece]
    more = " ..." if len(pieces) > _MOST_COMMANDS else ""
    return (" | ".join(pieces[:_MOST_COMMANDS]) + more)[:_LONGEST]


def _simple(words: list[str]) -> str:
    while words and _ASSIGNMENT.match(words[0]):
        words.pop(0)
    if not words:
        return ""
    program = words[0].rpartition("/")[2].strip("\"'(){}")
    options = sorted({match[0] for word in words[1:] if (match := _OPTION.match(word))})
    has_subcommand = program in _WITH_SUBCOMMANDS and len(words) > 1 and _SUBCOMMAND.match(words[1])
    return " ".join([program, *(words[1:2] if has_subcommand else []), *options[:4]])


def _input_shape(payload: Json, depth: int = DEEPEST) -> str:
    if not isinstance(payload, dict) or not depth:
        return ""
    for key in ("tool_input", "toolInput", "toolArgs", "tool", "input", "arguments"):
        value = payload.get(key)
        if not isinstance(value, dict):
            continue
        for name in _PATHS:
            path = value.get(name)
            if isinstance(path, str):
                last = path.replace("\\", "/").rpartition("/")[2]
                return f"*{last[last.rindex('.') :]}"[:_LONGEST] if "." in last[1:] else last[:_LONGEST]
        url = value.get("url")
        if isinstance(url, str):
            return url.split("/")[2][:_LONGEST] if url.count("/") >= 2 else url[:_LONGEST]
        if (inner := _input_shape(value, depth - 1)) != "":
            return inner
    return ""

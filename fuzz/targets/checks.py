"""Scripts of hooks, and commands of an agent, for whatever reads their trees: `check`, `trust`, and rules of `if`."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable
from functools import cache
from hashlib import sha256

from fuzz.pieces import Pieces, promise
from fuzz.targets import bundles, parser
from sandhook.hooks import HookEngine, ToolPre, contracts
from sandhook.hooks.checks import SEVERITIES, Surroundings, check
from sandhook.hooks.checks.portability import portability
from sandhook.hooks.contracts import Document, LoadOptions
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.contracts.claude_code.rule import rule
from sandhook.hooks.evidence import examine
from sandhook.hooks.matcher import Matcher

WORDS = (
    *parser.WORDS,
    *(
        "exit 2",
        "exit 1",
        "|| true",
        "|| exit 0",
        "set -e\n",
        "set -o pipefail\n",
        "! ",
        "time ",
        "time -p\n",
    ),
    *(
        "jq -r .tool_input.command",
        "read -r x",
        "grep -q ",
        ">&2",
        "2>&1",
        "./hook.sh",
        ". ./lib.sh",
        "source ",
    ),
    *(
        '{"decision": "block"}',
        "echo ",
        "printf '%s' ",
        "rm x",
        "timeout 5 ",
        "xargs ",
        "bash -c '",
        "env -i ",
    ),
    *("$CLAUDE_PROJECT_DIR/", "cd ..\n", "$(dirname $0)", "${BASH_SOURCE[0]}", "[[ ", "gdate", "sed -i ''"),
)

AGENTS = ("claude_code", "codex", "crush", "gemini", "cursor", "everruns")

#: The beginning of a command that a rule is compared with; whatever follows, the rule fits.
RULE, FIRST = "Bash(rm *)", "rm -f x"


def seeds() -> Iterable[bytes]:
    for number, text in enumerate(bundles.SCRIPTS):
        yield bytes([number % 2, number, number]) + text.encode()
    yield b"\0\0\0" + b"./hook.sh --quiet || true\0#!/bin/sh\n. ./lib.sh\nexit 2\n"
    yield b"\1\0\0" + b"if ! jq -e .tool_input >/dev/null; then echo no >&2; exit 1; fi | cat\0"


def target(data: bytes) -> None:
    pieces = Pieces(data)
    is_first, agent, system = (
        pieces.number(2),
        pieces.choice(AGENTS),
        pieces.choice(("linux", "macos", "windows")),
    )
    text, other, *_ = (*pieces.fields(2), b"")
    command = text.decode("utf-8", "replace")
    files = {"/p/hook.sh": text, "/p/lib.sh": other}
    _check(agent, system, command if is_first else "./hook.sh", files)
    _compare(f"{FIRST}\n{command}" if is_first else command, is_first=bool(is_first))


def _check(agent: str, system: str, command: str, files: dict[str, bytes]) -> None:
    value = json.loads(bundles.settings(command))
    document = Document(value, "/p/settings.json", text=json.dumps(value, indent=1), contract="claude_code")
    engine = HookEngine.load([document], "claude_code", trust=lambda spec: True, prestart=False)
    around = Surroundings("/p", "/home/me", files.get)
    contract = contracts.get("claude_code")
    found = check(engine, contract, [document], around)
    for finding in found:
        promise(finding.severity in SEVERITIES, "a finding has a severity", finding)
        promise(finding.message and finding.line >= 0, "a finding has a message and a line", finding)
    promise(found == check(engine, contract, [document], around), "a second check is the same", files)
    for spec in engine.hooks:
        evidence = [examine(spec, "claude_code", "/p", "/home/me", _Files(files)) for _ in range(2)]
        promise(evidence[0].digest == evidence[1].digest, "a hook has one hash", files)
    portability(engine.hooks, contract, around, agents=[agent], systems=[system])  # type: ignore[list-item]


def _compare(command: str, *, is_first: bool) -> None:
    matched = _rule().check(ToolPre("Bash", {"command": command}, cwd="/p")).matched
    promise(matched or not is_first, "no text hides a command from a rule", command)


@cache
def _rule() -> Matcher:
    return rule(RULE, Profile(), LoadOptions("better"))


class _Files:
    """A machine with the files of a dictionary."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files

    def read(self, path: str) -> bytes | None:
        return self._files.get(path)

    def hashed(self, path: str, most: int) -> tuple[str, int] | None:
        data = self._files.get(path)
        return None if data is None or len(data) > most else (sha256(data).hexdigest(), len(data))

    def names(self, path: str) -> list[str] | None:
        return sorted(map(posixpath.basename, self._files)) if path == "/p" else None

    def resolve(self, path: str) -> str:
        return posixpath.normpath(path)

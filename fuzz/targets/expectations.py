"""Files of expectations: cases, or ConfigError with the faults."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from fuzz.pieces import promise
from sandhook.conformance.expectations.reader import read_expectations
from sandhook.errors import ConfigError

WORDS = (
    *("version: 1\n", "hooks: hooks.json\n", "contract: claude_code\n", "cases:\n", "  - name: a\n", "tool: shell\n"),
    *("event: tool.pre\n", "    input: {command: ls}\n", "    expect: {decision: deny, reason: '('}\n", "because: a\n"),
    *("context: a", "files: {a: b}\n", "payload: {}\n", "only: a\n", "project: ..\n", "env: {A: null}\n", "host: true\n"),
    *("compat: strict\n", "expect: proceed\n", "&a ", "*a", "null", "[1]", "{}", "- ", "\ufeff", "event: PreToolUse\n"),
)  # fmt: skip


def seeds() -> Iterable[bytes]:
    yield (
        b"version: 1\nhooks: hooks.json\nproject: .\ncontract: claude_code\nevent: tool.pre\ntool: shell\ncases:\n"
        b"  - name: a\n    because: b\n    input: {command: rm -rf /}\n    expect: {decision: deny, reason: no}\n"
        b"  - name: c\n    input: {command: ls}\n    files: {x: y}\n    expect: proceed\n"
    )
    yield b"version: 1\nhooks: hooks.json\ncases:\n  - name: b\n    event: Stop\n    expect: deny\n"
    yield b"version: 2\nhooks: missing.json\ncases: 1\nenv: []\n"


@cache
def _directory() -> tempfile.TemporaryDirectory[str]:
    directory = tempfile.TemporaryDirectory(prefix="sandhook-fuzz-")
    atexit.register(directory.cleanup)  # before its own clean-up, which is a ResourceWarning
    Path(directory.name, "hooks.json").write_text(
        '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}', "utf-8"
    )
    return directory


def target(data: bytes) -> None:
    path = Path(_directory().name, "a.expect.yaml")
    path.write_bytes(data)
    try:
        found = read_expectations(path.as_posix())
    except ConfigError as error:
        promise(error.problems, "an error lists its problems")
        for problem in error.problems:
            promise(str(problem).strip(), "a problem has a message")
        return
    promise(len({case.name for case in found.cases}) == len(found.cases), "names of cases differ", data)

"""What each contract makes of every exit status and every kind of output: one grid per contract.

tables/<contract>.txt has blocks: a line `event: NAME` with the contract's own name (and `hook: JSON`, fields
of the hook), then a grid. Rows are how the hook ended, columns what it printed. A cell is the verdict:

    -       proceeds, no opinion            ?   could not run, proceeds
    allow, ask, deny, block, halt ...       !   its output could not be read, proceeds
    deny?   could not run, and refuses      -c  proceeds with context

`python -m tests.hooks.test_tables CONTRACT` prints the grids anew, to be read before they are kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, HookSpec, PromptSubmit, RunResult, Verdict
from sandhook.hooks.contracts import Contract, Document, LoadOptions, get
from tests.sandbox.tools import every

TABLES = Path(__file__).parent / "tables"

#: What a hook printed: plain cases first, then what must never count as an allow by accident.
OUTPUTS = {
    "empty": b"",
    "text": b"hello",
    "allow": None,  # the contract's own words, from the block
    "deny": None,
    "type": None,
    "trailing": None,
    "twice": None,
    "nan": b'{"decision": NaN}',
    "deep": b'{"a":' * 100 + b"1" + b"}" * 100,
    "bound": b'{"a":' * 600 + b"1" + b"}" * 600,  # deeper than what is read
    "bytes": b'{"reason": "\xff\xfe"}',
    "cut": b'{"decision":"allow"}',
}

ENDINGS = {
    **{str(status): RunResult(status) for status in (0, 1, 2, 49, 126, 127, 130, 255)},
    "no command": RunResult(
        127, stderr=b"bash: line 1: x: command not found\n", missing="x: command not found"
    ),
    "signal": RunResult(None, signal="KILL"),
    "timeout": RunResult(124, limit="wall_seconds"),
    "limit": RunResult(137, limit="steps"),
    "cancelled": RunResult(137, limit="cancelled"),
    "no parse": RunResult(2, syntax_error="syntax error"),
    "no start": RunResult(failure="no such worker"),
}


class Block:
    """One grid of a file: its header lines and its rows."""

    def __init__(self, contract: Contract, head: dict[str, Any], rows: dict[str, list[str]]) -> None:
        self.contract = contract
        self.head = head
        self.rows = rows

    def spec(self) -> HookSpec:
        loaded = self.contract.load([Document(self.head["config"])], LoadOptions(executors=("bash",)))
        assert loaded.problems == () and len(loaded.specs) == 1
        return loaded.specs[0]

    def event(self) -> Event:
        return self.contract.event(self.head["event"], self.head["payload"])

    def ran(self, ending: str, output: str) -> RunResult:
        stdout = OUTPUTS[output]
        if stdout is None:
            stdout = self.head[output].encode()
        ran = ENDINGS[ending]
        return ran._replace(stdout=stdout, truncated=output == "cut", stderr=ran.stderr or b"words\n")

    def cell(self, ending: str, output: str) -> str:
        return short(self.contract.decode(self.spec(), self.event(), self.ran(ending, output), "better"))


def short(verdict: Verdict) -> str:
    """Return a verdict as a cell shows it."""
    word = "-"
    if verdict.halt:
        word = "halt"
    elif verdict.permission != "none":
        word = verdict.permission
    elif verdict.block:
        word = "block"
    if verdict.force_continue:
        word += "+go"
    if verdict.context:
        word += "c"
    if verdict.input or verdict.prompt or verdict.result or verdict.error:
        word += "~"
    if verdict.could_not_run is not None:
        word = word.removeprefix("-") + "?"
    elif verdict.undecodable is not None:
        word = word.removeprefix("-") + "!"
    return word


def blocks(name: str) -> list[Block]:
    found: list[Block] = []
    text = (TABLES / f"{name}.txt").read_text(encoding="utf-8")
    for part in text.split("\n\n"):
        head: dict[str, Any] = {}
        rows: dict[str, list[str]] = {}
        for line in part.strip().splitlines():
            key, colon, rest = line.partition(": ")
            if line.startswith("#"):
                continue
            if colon and "|" not in key:
                head[key] = json.loads(rest) if key in ("config", "payload") else rest
            elif "|" in line:
                label, _, cells = line.partition("|")
                rows[label.strip()] = [cell.strip() for cell in cells.split("|")]
        if head:
            found.append(Block(get(name), head, rows))
    return found


def all_blocks() -> list[Block]:
    return [block for path in sorted(TABLES.glob("*.txt")) for block in blocks(path.stem)]


def title(block: object) -> str | None:
    return f"{block.contract.name}-{block.head['event']}" if isinstance(block, Block) else None


@pytest.mark.parametrize("block", every(3, all_blocks()), ids=title)
def test_every_ending_with_every_output(block: Block) -> None:
    assert block.rows.pop("") == list(OUTPUTS)
    assert list(block.rows) == list(ENDINGS)
    got = {ending: [block.cell(ending, output) for output in OUTPUTS] for ending in ENDINGS}
    assert got == block.rows


@pytest.mark.parametrize("block", every(3, all_blocks()), ids=title)
def test_what_could_not_run_refuses_when_the_caller_fails_closed(block: Block) -> None:
    event = block.event()
    if event.kind not in block.contract.refusable:
        pytest.skip("nothing to refuse")
    for ending in ("no command", "signal", "timeout", "limit", "no parse", "no start"):
        for output in ("empty", "text", "allow", "cut"):
            ran = block.ran(ending, output)
            made = HookEngine.load(
                block.head["config"],
                block.contract,
                runner=lambda request, ran=ran: ran,
                fail_closed=True,  # type: ignore[misc]
            )
            outcome = made.fire(event)
            if block.contract.decode(block.spec(), event, ran, "better").could_not_run is not None:
                assert outcome.refused, (ending, output)


@pytest.mark.parametrize("block", every(3, all_blocks()), ids=title)
def test_strict_closing_lets_no_failure_and_no_junk_pass(block: Block) -> None:
    event = block.event()
    if event.kind not in block.contract.refusable:
        pytest.skip("nothing to refuse")
    for ending in ENDINGS:
        for output in OUTPUTS:
            ran = block.ran(ending, output)
            verdict = block.contract.decode(block.spec(), event, ran, "better")
            if verdict.decided or (
                ending == "0" and verdict.undecodable is None and verdict.could_not_run is None
            ):
                continue
            made = HookEngine.load(
                block.head["config"],
                block.contract,
                runner=lambda request, ran=ran: ran,
                fail_closed="strict",  # type: ignore[misc]
            )
            assert made.fire(event).refused, (ending, output)


@pytest.mark.parametrize("block", every(3, all_blocks()), ids=title)
@pytest.mark.parametrize(
    "noise", ["{} more", "{}\nlog: done", "{}}}}}", "{}{{{{", "banner\n{}", "banner\n{}\nmore"]
)
def test_strict_refuses_what_has_a_refusal_among_other_text(block: Block, noise: str) -> None:
    refusal = block.head["deny"]
    ran = RunResult(0, refusal.encode())
    event = block.event()
    refuses = block.contract.decode(block.spec(), event, ran, "better").refuses
    if event.kind not in block.contract.refusable or not refuses or not refusal.startswith("{"):
        pytest.skip("the output alone refuses nothing")
    made = HookEngine.load(
        block.head["config"],
        block.contract,
        runner=lambda request: ran._replace(stdout=noise.format(refusal).encode()),
        fail_closed="strict",
    )
    assert made.fire(event).refused


def test_strict_lets_ordinary_text_and_other_objects_pass() -> None:
    config = {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "x"}]}]}}
    for printed in ("text", 'state:\n{"branch": "main"}\nend', "a {b} c", '["block"] x', "x {"):
        made = HookEngine.load(
            config,
            "claude_code",
            runner=lambda request, printed=printed: RunResult(0, printed.encode()),  # type: ignore[misc]
            fail_closed="strict",
        )
        assert made.fire(PromptSubmit("p")).proceed, printed


def test_no_output_that_was_cut_is_an_allow() -> None:
    for path in sorted(TABLES.glob("*.txt")):
        for block in blocks(path.stem):
            for ending in ENDINGS:
                assert not block.cell(ending, "cut").startswith("allow"), (path.stem, ending)


def main(name: str) -> None:
    for block in blocks(name):
        for key, value in block.head.items():
            print(f"{key}: {json.dumps(value) if key in ('config', 'payload') else value}")
        table = [["", *OUTPUTS]]
        table += [[ending, *(block.cell(ending, output) for output in OUTPUTS)] for ending in ENDINGS]
        widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
        for row in table:
            print(" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        print()


if __name__ == "__main__":
    main(sys.argv[1])

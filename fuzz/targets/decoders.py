"""Outputs of hooks: every contract returns a verdict, and noise after a refusal never makes it an approval."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from fuzz.pieces import Pieces, promise
from fuzz.samples import Block, blocks
from sandhook.hooks import Event, HookEngine, HookSpec, Request, RunResult, Verdict
from sandhook.hooks.contracts import Contract, Document, LoadOptions, get
from sandhook.hooks.report import to_json, to_text

WORDS = (
    *(
        '"decision"',
        '"block"',
        '"deny"',
        '"allow"',
        '"approve"',
        '"ask"',
        '"reason"',
        '"continue"',
        "false",
        "null",
    ),
    *(
        '"hookSpecificOutput"',
        '"permissionDecision"',
        '"hookEventName"',
        '"PreToolUse"',
        '"updatedInput"',
        "{}",
        "[]",
    ),
    *(
        '"suppressOutput"',
        '"systemMessage"',
        '"additionalContext"',
        "}\n{",
        "NaN",
        "1e999",
        '"\\ud800"',
        ",",
        ":",
    ),
)

STATUSES = (0, 0, 0, 2, 1, 49, 126, 255)


@cache
def places() -> list[tuple[Block, Contract, HookSpec, Event]]:
    """Return the blocks of all tables with their loaded hooks."""
    loaded = []
    for block in blocks():
        contract = get(block.contract)
        (spec,) = contract.load([Document(block.config)], LoadOptions(executors=("bash",))).specs
        loaded.append((block, contract, spec, contract.event(block.event, block.payload)))
    return loaded


def seeds() -> Iterable[bytes]:
    chosen = set()
    for number, (block, *_) in enumerate(places()):
        if block.contract not in chosen:
            chosen.add(block.contract)
            head = number.to_bytes(2 if len(places()) > 256 else 1, "big")
            yield head + b"\0" + block.deny + b"\0words\0 trailing"
            yield head + b"\0" + block.allow + b"\0\0" + block.deny


def target(data: bytes) -> None:
    pieces = Pieces(data)
    block, contract, spec, event = pieces.choice(places())
    status = pieces.choice(STATUSES)
    stdout, stderr, noise = (*pieces.fields(3), b"", b"")[:3]

    def verdict(printed: bytes, compat: str = "better") -> Verdict:
        ran = RunResult(status, printed, stderr)
        return contract.decode(spec, event, ran, "strict" if compat == "strict" else "better")

    verdict(stdout, "strict")
    first = verdict(stdout)
    promise(not (first.permission == "allow" and first.block), "a verdict does not contradict itself", stdout)
    check_fire(block, event, RunResult(status, stdout, stderr))
    if first.refuses:
        blank = verdict(stdout + b" \n")
        promise(blank.refuses, "white space after a refusal changes nothing", block.contract, status, stdout)
        noisy = verdict(stdout + noise)
        facts = (block.contract, block.event, status, stdout, noise)
        promise(
            noisy.permission != "allow" or noisy.refuses, "noise after a refusal does not approve", *facts
        )
        if stdout.lstrip().startswith(b"{"):
            check_strict(block, event, RunResult(status, stdout + noise, stderr), facts)
    if status == 2 and verdict(b"").refuses:
        promise(
            first.permission != "allow", "a status that refuses wins over an output", block.contract, stdout
        )


def check_strict(block: Block, event: Event, ran: RunResult, facts: tuple[object, ...]) -> None:
    """Let an engine decide that fails closed: what begins as a refusal is one."""
    engine = HookEngine.load(
        block.config, block.contract, runner=lambda request: ran, prestart=False, fail_closed="strict"
    )
    promise(not engine.fire(event).proceed, "with strict, noise after a refusal refuses, too", *facts)


def check_fire(block: Block, event: Event, ran: RunResult) -> None:
    """Let a whole engine decide, and print the decision."""

    def runner(request: Request) -> RunResult:
        return ran

    engine = HookEngine.load(block.config, block.contract, runner=runner, prestart=False)
    decision = engine.fire(event)
    to_json(decision)
    shown = "".join(to_text(decision, output=True))
    promise(all(c.isprintable() or c.isspace() for c in shown), "reports have no control characters", shown)

"""Payloads of every contract's events: an event, or an error that is documented."""

from __future__ import annotations

import json
from collections.abc import Iterable

from fuzz.pieces import Pieces, promise
from fuzz.targets import decoders
from sandhook.hooks import Event
from sandhook.hooks.contracts import ContractError
from sandhook.hooks.decode import DecodeError, decode

WORDS = (
    *(
        '"tool_name"',
        '"tool_input"',
        '"prompt"',
        '"session_id"',
        '"hook_event_name"',
        '"cwd"',
        '"tool_response"',
    ),
    *(
        "null",
        "[]",
        "{}",
        "1e999",
        "0.5",
        "true",
        '""',
        '"\\ud800"',
        '"a"',
        ",",
        ":",
        "-0",
        "9" * 30,
        '{"a":',
    ),
)


def seeds() -> Iterable[bytes]:
    chosen = set()
    for number, (block, *_) in enumerate(decoders.places()):
        if block.contract not in chosen:
            chosen.add(block.contract)
            head = number.to_bytes(2 if len(decoders.places()) > 256 else 1, "big")
            yield head + json.dumps(block.payload).encode()


def target(data: bytes) -> None:
    pieces = Pieces(data)
    block, contract, spec, _ = pieces.choice(decoders.places())
    try:
        value = decode(pieces.rest().decode("utf-8")).value
    except (DecodeError, UnicodeDecodeError):
        return
    for env in ({}, {"HOME": "/h"}):
        try:
            contract.event_name(value, env)
        except ContractError as error:
            promise(str(error), "an error has a message")
    try:
        event = contract.event(block.event, value)
    except ContractError as error:
        promise(str(error), "an error has a message")
        return
    promise(isinstance(event, Event) and event.kind, "an event has a kind", block.contract, value)
    spec.matcher.check(event)

"""The file of approvals: approvals, or TrustError; what it does not name is not trusted."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from fuzz.pieces import promise
from sandhook.errors import NotApproved, TrustError
from sandhook.hooks import HookSpec
from sandhook.hooks.contracts import Document, LoadOptions, get
from sandhook.hooks.trust import TrustStore

WORDS = (
    *(
        '{"version": 1, "approved": {',
        '"file": "f"',
        '"approved"',
        '"version"',
        "1",
        "1.0",
        "true",
        "null",
        "[]",
    ),
    *("{}", '"', ",", ":", "1e999", "\ufeff", '"\\ud800"', "[" * 600),
)


def seeds() -> Iterable[bytes]:
    spec, digest = hook()
    entry = {"hook": spec.id, "file": spec.file, "event": "e", "files": [], "unknown": [], "approved": "2026"}
    for entries in ({}, {digest: entry}, {"0" * 64: entry}):
        yield json.dumps({"version": 1, "approved": entries}, indent=1).encode()
    yield json.dumps({"version": 2, "approved": {}}).encode()
    yield json.dumps({"version": 1, "approved": {digest: 1, "x": None}}).encode()


@cache
def hook() -> tuple[HookSpec, str]:
    """Return a hook with the hash that approves it."""
    config = json.loads(
        '{"hooks": [{"event": "pre_tool_use", "executor": {"type": "bash", "command": "true"}}]}'
    )
    (spec,) = get("everruns").load([Document(config)], LoadOptions(executors=("bash",))).specs
    return spec, store().examine(spec, "everruns", "/nowhere").digest


@cache
def store() -> TrustStore:
    """Return a store in a directory of this process."""
    return TrustStore(f"{tempfile.mkdtemp(prefix='fuzz-')}/trust.json", home="/nowhere")


def target(data: bytes) -> None:
    spec, digest = hook()
    Path(store().path).write_bytes(data)
    try:
        entries = store().approved()
    except TrustError as error:
        promise(str(error), "an error has a message")
        try:
            store().allows("everruns", "/nowhere")
        except TrustError:
            return
        promise(False, "a damaged store approves nothing", data)
    try:
        allowed = store().allows("everruns", "/nowhere")(spec)
    except NotApproved as error:
        allowed = None
        promise("changed since it was approved on" in str(error), "an error says what is wrong", data)
    promise((allowed is not None) == (digest in entries), "only what the store names is trusted", data)
    promise(digest in entries or digest.encode() not in data or b"approved" in data, "a hash is a key", data)
    store().revoke(spec.file)
    store().approve([store().examine(spec, "everruns", "/nowhere")], now=0.0)
    promise(digest in store().approved(), "an approval is stored", data)

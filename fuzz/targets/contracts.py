"""Configuration files of every contract: hooks or problems, and never an exception but the documented ones."""

from __future__ import annotations

import json
from collections.abc import Iterable

from fuzz.pieces import Pieces, promise
from fuzz.samples import blocks
from sandhook.errors import ConfigError
from sandhook.formats.toml_text import encode_toml
from sandhook.formats.yaml_text import write_yaml
from sandhook.hooks import HookEngine, Request, RunResult, contracts
from sandhook.hooks.contracts import ContractError
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Event, ToolCall
from sandhook.hooks.sources import parse

NAMES = tuple(contracts.names())

CALL = Event("tool.pre", tool=ToolCall("Bash", {"command": "ls"}, "id"))

FILES = ("hooks.json", "hooks.yaml", "hooks.toml", "crushrc", "hooks.md")

WORDS = (
    *(
        '"hooks"',
        '"command"',
        '"matcher"',
        '"type"',
        '"event"',
        '"timeout"',
        '"PreToolUse"',
        '"pre_tool_use"',
    ),
    *(
        '"executor"',
        '"bash"',
        '"name"',
        '"version": 1',
        '"on_error"',
        '"env"',
        '"disabled"',
        '"*"',
        '"("',
        "null",
    ),
    *(
        "true",
        "1e999",
        "-0",
        "[[hooks]]\n",
        "hooks:\n",
        "- ",
        "&a ",
        "*a",
        "<<: ",
        "!!python ",
        "---\n",
        "hook add ",
    ),
)


def seeds() -> Iterable[bytes]:
    chosen: dict[str, object] = {}
    for block in blocks():
        chosen.setdefault(block.contract, block.config)
    for contract, config in chosen.items():
        head = bytes([NAMES.index(contract)])
        yield head + b"\0" + json.dumps(config).encode()
        if contract in ("ub", "docker_agent", "mistral_vibe", "jcode", "kimi", "hermes"):
            yield head + b"\1" + write_yaml(config).encode()
            if isinstance(config, dict):
                yield head + b"\2" + encode_toml(config).encode()
    yield bytes([NAMES.index("crush"), 3]) + b"hook add PreToolUse --command 'exit 2' --matcher bash\n"


def runner(request: Request) -> RunResult:
    return RunResult(0)


def target(data: bytes) -> None:
    pieces = Pieces(data)
    contract = contracts.get(pieces.choice(NAMES))
    name = pieces.choice(FILES)
    try:
        text = pieces.rest().decode("utf-8-sig")
    except UnicodeDecodeError:
        return  # sources.read_text refuses it
    for strict in (False, True):
        try:
            document = contract.parse(text, name, {"HOME": "/h"}) if not strict else parse(text, name)
            engine = HookEngine.load(
                document, contract, runner=runner, compat="strict" if strict else "better", prestart=False
            )
        except (ConfigError, DecodeError, ContractError) as error:
            promise(str(error), "an error has a message")
            continue
        promise(all(map(str, engine.problems)), "a problem has a message")
        promise(len({hook.id for hook in engine.hooks}) <= len(engine.hooks), "hooks have identifiers")
        decision = engine.fire(CALL)
        promise(decision.proceed, "hooks that succeed silently refuse nothing", text)

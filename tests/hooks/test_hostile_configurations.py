"""Configurations that want to take time, memory or the stack: refused, quickly, by every contract."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from sandhook.errors import ConfigError
from sandhook.formats.toml_text import encode_toml
from sandhook.hooks import HookEngine, contracts
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.events import ToolPre
from sandhook.hooks.matcher import Match
from sandhook.hooks.sources import MAX_BYTES, documents
from tests.sandbox.tools import every

#: Seconds of the processor that any of them may take on a machine that others use too.
SECONDS = 5.0

NAMES = contracts.names()


def rendered(name: str, matcher: str = "x") -> Any:
    """Return a small configuration of a contract, as its own writer has it."""
    value = {"hooks": {"PreToolUse": [{"command": "exit 2", "matcher": matcher}]}}
    return contracts.get(name).render(HookEngine.load(value, "crush").hooks)[0]


def names_of(name: str) -> str:
    """Return a file name that a contract reads: of the layer's ending, where it has layers."""
    layers = contracts.get(name).layers("/p", {"HOME": "/h"}, "linux")
    if not layers or layers[0].path.endswith("/*"):  # a directory of scripts
        return "hooks.json"
    return layers[0].path.rpartition("/")[2].replace("*", "hooks")


def load(tmp_path: Path, name: str, text: str | bytes, file: str = "") -> tuple[Any, float]:
    """Load a text; return the engine, or the error, and the seconds that it took."""
    path = tmp_path / (file or names_of(name))
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    contract = contracts.get(name)
    contract.events
    HookEngine.load(rendered(name), contract)
    began = time.process_time()
    try:
        found = documents(str(path), contract)
        result: Any = HookEngine.load(found, contract, prestart=False)
    except (ConfigError, DecodeError) as error:
        result = error
    return result, time.process_time() - began


DEEP = {
    "json": "[" * 20_000 + "]" * 20_000,
    "objects": '{"hooks":' * 10_000,
    "yaml": "- " * 10_000,
    "flow": "{a: " * 10_000,
    "toml": "a = " + "[" * 10_000,
}


@pytest.mark.parametrize("name", every(3, NAMES))
@pytest.mark.parametrize("kind", list(DEEP))
def test_what_is_nested_too_deeply_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    result, seconds = load(tmp_path, name, DEEP[kind])
    if not (kind == "toml" and isinstance(result, HookEngine) and not result.hooks):  # a text in YAML
        assert isinstance(result, ConfigError), result
    assert seconds < SECONDS


@pytest.mark.parametrize("name", NAMES)
def test_what_is_too_long_is_refused(tmp_path: Path, name: str) -> None:
    result, seconds = load(tmp_path, name, b" " * (MAX_BYTES + 1))
    assert isinstance(result, ConfigError) and "longer than" in str(result)
    assert seconds < SECONDS


LAUGHS = "a0: &a0 [lol]\n" + "".join(
    f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]\n" for at in range(1, 40)
)


@pytest.mark.parametrize("name", NAMES)
def test_aliases_do_not_multiply(tmp_path: Path, name: str) -> None:
    result, seconds = load(tmp_path, name, LAUGHS)
    assert isinstance(result, ConfigError), result
    assert seconds < SECONDS


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "((((((a{1,100}){1,100}){1,100}){1,100}){1,100}){1,100}){1,100}",
        "(" * 2000 + ")" * 2000,
        "(?:a?){5000}a{5000}",
        "(a|a)*" * 500,
        "[" + "a-z" * 5000 + "]",
        "(.*)*" * 50 + "!",
    ],
)
def test_expressions_are_linear_or_refused(tmp_path: Path, name: str, pattern: str) -> None:
    file = names_of(name)
    text = encode_toml(rendered(name)) if file.endswith(".toml") else json.dumps(rendered(name))
    result, seconds = load(tmp_path, name, text.replace('"x"', json.dumps(pattern)), file)
    assert seconds < SECONDS
    if isinstance(result, HookEngine):
        began = time.process_time()
        for spec in result.hooks:
            answer = spec.matcher.check(ToolPre("a" * 50_000 + "!", {}))
            assert isinstance(answer, Match)
        assert time.process_time() - began < SECONDS


def entries_of(value: Any) -> list[Any]:
    """Return the list of hooks in a configuration that has one."""
    if isinstance(value, dict):
        value = list(value.values())
    elif value and isinstance(value[0], dict) and {"command", "bash", "executor"} & set(value[0]):
        return value
    inner = (entries_of(each) for each in value if isinstance(each, (dict, list)))
    return next((found for found in inner if found), [])


@pytest.mark.parametrize("name", every(3, NAMES))
def test_many_faults_are_all_found_in_time(tmp_path: Path, name: str) -> None:
    """A hook that is wrong, eight hundred times: every one is a problem with its own path, none is a hook."""
    value = rendered(name)
    entries = entries_of(value)
    for key in ("command", "bash", "executor"):
        if key in entries[0]:
            entries[0] = {**entries[0], key: 7}
    entries[:] = entries * (60 if name == "everruns" else 800)
    file = names_of(name)
    text = encode_toml(value) if file.endswith(".toml") else json.dumps(value)
    result, seconds = load(tmp_path, name, text, "hooks.json" if file.endswith("crushrc") else file)
    assert isinstance(result, HookEngine) and result.hooks == ()
    assert len({problem.path for problem in result.problems}) >= len(entries)
    assert all(problem.line >= 1 for problem in result.problems)
    assert seconds < SECONDS * (6 if name == "ub" else 2)  # YAML is read event by event

"""install, status and uninstall on documented configurations of every agent: the bytes are the same again."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sandhook.hooks import contracts
from sandhook.hooks.conversion import as_written, convert
from sandhook.hooks.engine import HookEngine
from sandhook.installation import disk
from sandhook.installation.changes import Changer
from sandhook.installation.errors import InstallationError
from sandhook.installation.operations import Install, install_of
from sandhook.installation.places import Place, Surroundings, place
from sandhook.installation.records import RecordStore
from sandhook.installation.status import installed_hooks
from sandhook.installation.texts import read_value
from sandhook.installation.wrapping import Options, wrapping
from tests.installation.installtools import (
    GUARD,
    VARIANTS,
    Example,
    documented,
    file_of,
    format_for,
    home_variables,
    product,
)


def guard(agent: str, data: bytes = b"") -> Install:
    """Return the installation of the guard in a file that has these bytes."""
    source, target = contracts.get("claude_code"), contracts.get(agent)
    engine = HookEngine.load(GUARD, source, prestart=False)
    value = as_written(convert(engine.hooks, source, target).value, target)
    try:
        present = read_value(data, f"hooks.{format_for(agent)}")
    except InstallationError:  # which the installation reports itself
        present = {}
    return install_of(target.fitted(value, present, foreign=True), "/guard.json", "claude_code")


class Machine:
    """A directory with the files of an agent, and the records."""

    def __init__(self, directory: Path, agent: str) -> None:
        self.path = file_of(agent, directory)
        around = Surroundings((directory / "project").as_posix(), home_variables(directory), sys.platform)
        self.place: Place = place(contracts.get(agent), None, around)
        self.store = RecordStore((directory / "records").as_posix())
        self.changer = Changer(self.store)

    def write(self, data: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(data)


def check(directory: Path, example: Example, variant: str) -> str:
    """Install, look and uninstall; return what happened."""
    data = VARIANTS[variant](example.text, example.agent).encode()
    machine = Machine(directory, example.agent)
    machine.write(data)
    operation = guard(example.agent, data)
    try:
        outcome = machine.changer.install(machine.place, operation)
    except InstallationError:
        assert machine.path.read_bytes() == data
        assert machine.store.all() == []
        return "refused"
    after = machine.path.read_bytes()
    assert outcome.done == "installed" and after != data
    hooks = installed_hooks(machine.store)
    assert [hook.state for hook in hooks] == ["unchanged"] * len(operation.entries)
    assert machine.changer.install(machine.place, operation).done == "unchanged"
    assert machine.path.read_bytes() == after
    assert_nothing_else_changed(data, after)
    assert_runs(example.agent, machine.path, data, after, len(operation.entries))
    outcome = machine.changer.uninstall(machine.place, None)
    assert outcome.done == "uninstalled" and outcome.exact
    assert machine.path.read_bytes() == data
    assert machine.store.all() == []
    return "installed"


def assert_nothing_else_changed(before: bytes, after: bytes) -> None:
    """Every word of the file, and every line end, is still there, in its order."""
    words = iter(re.findall(rb"[^\s{}\[\],]+|\r?\n", after))
    for word in re.findall(rb"[^\s{}\[\],]+|\r?\n", before.rstrip()):
        assert word in words, word


def assert_runs(agent: str, path: Path, before: bytes, after: bytes, count: int) -> None:
    """The agent has its old hooks and the new ones."""
    contract = contracts.get(agent)

    def load(data: bytes) -> int | None:
        try:
            document = contract.parse(data.decode("utf-8-sig"), str(path), {})
        except Exception:
            return None  # comments, where the agent has none
        engine = HookEngine.load([document], contract, prestart=False)
        return len(engine.hooks) + len(engine.withheld)

    old, new = load(before), load(after)
    assert (old is None) == (new is None)
    if old is not None and new is not None:
        assert new >= old + count or agent == "everruns"  # at most 64 hooks there


def test_every_agent_has_documented_configurations() -> None:
    assert all(len(documented(agent)) >= 10 for agent in contracts.configured())
    assert len(list(product())) > 3000


@pytest.mark.parametrize("agent", contracts.configured())
def test_a_sample_comes_back_byte_for_byte(tmp_path: Path, agent: str) -> None:
    pairs = [pair for pair in product(89) if pair[0].agent == agent]
    assert pairs
    results = [
        check(tmp_path / str(index), example, variant) for index, (example, variant) in enumerate(pairs)
    ]
    assert results.count("installed") >= 0.7 * len(results)


@pytest.mark.slow
@pytest.mark.parametrize("agent", contracts.configured())
@pytest.mark.parametrize("variant", list(VARIANTS))
def test_all_come_back_byte_for_byte(tmp_path: Path, agent: str, variant: str) -> None:
    results = [
        check(tmp_path / str(index), example, variant) for index, example in enumerate(documented(agent))
    ]
    assert results.count("installed") >= 0.7 * len(results)


@pytest.mark.parametrize("agent", contracts.configured())
def test_a_file_that_did_not_exist_is_removed_with_its_directories(tmp_path: Path, agent: str) -> None:
    machine = Machine(tmp_path, agent)
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    machine.changer.install(machine.place, guard(agent))
    assert machine.path.is_file()
    assert machine.changer.uninstall(machine.place, "/guard.json").exact
    assert list((tmp_path / "home").iterdir()) == list((tmp_path / "project").iterdir()) == []


@pytest.mark.parametrize("agent", contracts.configured())
def test_hooks_are_removed_from_a_file_that_somebody_formatted_anew(tmp_path: Path, agent: str) -> None:
    from tests.installation.installtools import encoded

    for index, example in enumerate(documented(agent)[:2]):
        machine = Machine(tmp_path / str(index), agent)
        machine.write(example.text.encode())
        before = read_value(example.text.encode(), str(machine.path))
        try:
            machine.changer.install(machine.place, guard(agent))
        except InstallationError:
            continue
        value = read_value(machine.path.read_bytes(), str(machine.path))
        assert isinstance(value, dict)
        machine.write(encoded({**value, "zz": {"new": 1}}, agent).encode())
        outcome = machine.changer.uninstall(machine.place, None)
        assert outcome.left == 0 and not outcome.exact
        rest = read_value(machine.path.read_bytes(), str(machine.path))
        assert isinstance(rest, dict) and isinstance(before, dict)
        assert rest == {**before, "zz": {"new": 1}}


@pytest.mark.parametrize("agent", contracts.configured())
def test_a_sample_of_wrapped_hooks_comes_back_byte_for_byte(tmp_path: Path, agent: str) -> None:
    assert wrap_and_unwrap(tmp_path, agent, documented(agent)[:3]) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("agent", contracts.configured())
def test_all_wrapped_hooks_come_back_byte_for_byte(tmp_path: Path, agent: str) -> None:
    assert wrap_and_unwrap(tmp_path, agent, documented(agent)) >= 10


def wrap_and_unwrap(tmp_path: Path, agent: str, examples: Sequence[Example]) -> int:
    """Wrap and unwrap examples; return how many had hooks that could be wrapped."""
    wrapped = 0
    contract = contracts.get(agent)
    for index, example in enumerate(examples):
        for variant in ("as it is", "all"):
            data = VARIANTS[variant](example.text, agent).encode()
            machine = Machine(tmp_path / f"{index} {variant}", agent)
            machine.write(data)
            try:
                outcome = machine.changer.wrap(
                    machine.place, lambda now: wrapping(contract, machine.place, now, Options()).operation
                )
            except InstallationError:
                assert machine.path.read_bytes() == data
                continue
            after = disk.read(str(machine.path))
            assert after is not None
            if outcome.done == "unchanged":
                continue
            wrapped += 1
            assert wrapping(contract, machine.place, after, Options()).operation.rewrites == ()
            if b"|" not in data and b">" not in data and agent != "ub":  # texts and lists of several lines
                assert after.count(b"\n") == data.count(b"\n")
            outcome = machine.changer.unwrap(machine.place)
            assert outcome.exact and machine.path.read_bytes() == data
    return wrapped


@pytest.mark.parametrize(
    ("command", "tail"),
    [
        ("./guard.sh --strict", '--host -- -c "./guard.sh --strict"'),
        ("guard", "--host -- -c guard"),
        ("echo '%PATH%' \"$x\" | cat", "--host -- -b ZWNobyAnJVBBVEglJyAiJHgiIHwgY2F0"),
    ],
)
def test_commands_for_the_shells_of_windows(command: str, tail: str) -> None:
    """cmd, PowerShell and bash read them in the same way."""
    value = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    where = Place("claude_code", "user", "settings.json")
    options = Options(program="C:/Program Files/sandhook.exe", platform="win32")
    found = wrapping(contracts.get("claude_code"), where, json.dumps(value).encode(), options)
    text = str(found.operation.rewrites[0].new["command"])
    assert text.startswith('"C:/Program Files/sandhook.exe" hook --contract claude_code --event Stop ')
    assert text.endswith(tail)

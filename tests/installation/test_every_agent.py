"""What must not lose a byte of any agent's configuration: links, read-only files, other processes, kills."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import pytest

from sandhook.hooks import contracts
from sandhook.installation import disk
from sandhook.installation.changes import Changer
from sandhook.installation.errors import InstallationError
from sandhook.installation.operations import Entry, Install
from sandhook.installation.status import installed_hooks
from sandhook.installation.wrapping import Options, Wrapping, wrapping
from tests.installation.installtools import VARIANTS, documented
from tests.installation.test_round_trip import Machine, guard

on_unix = pytest.mark.skipif(sys.platform == "win32", reason="links and permissions are those of Unix")
#: Each agent takes seconds: the fast tests have one for each format.
FAST = ("claude_code", "codex", "hermes")
of_every_agent = pytest.mark.parametrize(
    "agent",
    [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in contracts.configured()],
)


def texts(agent: str, machine: Machine, count: int = 2) -> list[bytes]:
    """Return configurations that install and wrap can change, in the hardest form that the agent reads."""
    found: list[bytes] = []
    trial = Changer(machine.store, dry_run=True)
    for variant, example in product(("all", "CRLF", "tabs"), documented(agent)):
        data = VARIANTS[variant](example.text, agent).encode()
        machine.write(data)
        try:
            trial.install(machine.place, guard(agent))
            wrapped = trial.wrap(machine.place, lambda now: _wrapping(machine, now).operation)
        except InstallationError:
            continue
        if wrapped.done == "wrapped":
            found.append(data)
        if len(found) == count:
            return found
    raise AssertionError(f"{agent}: only {len(found)} of its documented configurations can be changed")


def _wrapping(machine: Machine, data: bytes) -> Wrapping:
    return wrapping(contracts.get(machine.place.agent), machine.place, data, Options())


def other(operation: Install, number: int) -> Install:
    """Return the same hooks as those of another file, with another command."""

    def changed(value: object) -> object:
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, str) and "exit 2" in value:
            return value.replace("exit 2", f"exit {number}")
        return value

    entries = tuple(Entry(each.path, changed(each.value)) for each in operation.entries)  # type: ignore[arg-type]
    return operation._replace(source=f"/guard-{number}.json", entries=entries)


@on_unix
@of_every_agent
def test_a_link_to_a_file_and_to_a_directory(tmp_path: Path, agent: str) -> None:
    machine = Machine(tmp_path, agent)
    data = texts(agent, machine, 1)[0]
    machine.path.unlink()
    target = tmp_path / "dotfiles" / machine.path.name
    target.parent.mkdir()
    for linked in ("file", "directory"):
        target.write_bytes(data)
        if linked == "file":
            machine.path.symlink_to(target)
        else:
            machine.path.unlink()
            if machine.path.parent in (tmp_path / "project", tmp_path / "home"):
                continue  # the agent reads it at the top
            machine.path.parent.rmdir()
            machine.path.parent.symlink_to(target.parent, target_is_directory=True)
        machine.changer.install(machine.place, guard(agent))
        machine.changer.wrap(machine.place, lambda now: _wrapping(machine, now).operation)
        assert target.read_bytes() != data and machine.path.read_bytes() == target.read_bytes()
        assert machine.changer.unwrap(machine.place).hooks
        assert machine.changer.uninstall(machine.place, None).exact
        assert target.read_bytes() == data
        assert machine.path.is_symlink() or machine.path.parent.is_symlink()
        assert sorted(each.name for each in target.parent.iterdir()) == [target.name]


@on_unix
@of_every_agent
@pytest.mark.parametrize("read_only", ["file", "directory"])
def test_without_permission_nothing_changes(tmp_path: Path, agent: str, read_only: str) -> None:
    machine = Machine(tmp_path, agent)
    data = texts(agent, machine, 1)[0]
    machine.write(data)
    what = machine.path if read_only == "file" else machine.path.parent
    mode = what.stat().st_mode & 0o777
    what.chmod(0o444 if read_only == "file" else 0o555)
    try:
        for change in (
            lambda: machine.changer.install(machine.place, guard(agent)),
            lambda: machine.changer.wrap(machine.place, lambda now: _wrapping(machine, now).operation),
        ):
            with pytest.raises(InstallationError, match="read-only"):
                change()
        assert machine.path.read_bytes() == data
        assert installed_hooks(machine.store) == []
    finally:
        what.chmod(mode)
    machine.changer.install(machine.place, guard(agent))
    what.chmod(0o444 if read_only == "file" else 0o555)
    after = machine.path.read_bytes()
    try:
        with pytest.raises(InstallationError, match="read-only"):
            machine.changer.uninstall(machine.place, None)
        assert machine.path.read_bytes() == after
    finally:
        what.chmod(mode)
    assert machine.changer.uninstall(machine.place, None).exact
    assert machine.path.read_bytes() == data


@of_every_agent
def test_two_that_install_at_once(tmp_path: Path, agent: str) -> None:
    machine = Machine(tmp_path, agent)
    data = texts(agent, machine, 1)[0]
    machine.write(data)
    operations = [other(guard(agent), number) for number in (3, 4)]
    with ThreadPoolExecutor(2) as threads:
        outcomes = list(
            threads.map(lambda each: Changer(machine.store).install(machine.place, each), operations)
        )
    assert {each.done for each in outcomes} == {"installed"}
    states = {(hook.source, hook.state) for hook in installed_hooks(machine.store)}
    assert states == {("/guard-3.json", "unchanged"), ("/guard-4.json", "unchanged")}
    with ThreadPoolExecutor(2) as threads:
        list(
            threads.map(lambda each: Changer(machine.store).uninstall(machine.place, each.source), operations)
        )
    assert machine.path.read_bytes() == data
    assert machine.store.all() == []


class Killed(BaseException):
    """The end of the process, as far as files are concerned: nothing is tidied up."""


@of_every_agent
@pytest.mark.parametrize("what", ["install", "uninstall", "wrap", "unwrap"])
def test_a_kill_before_and_after_each_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, what: str
) -> None:
    """The record, the file and the record again are renamed: whichever is the last, nothing is lost."""
    machine = Machine(tmp_path, agent)
    data = texts(agent, machine, 1)[0]
    rename = disk._rename

    def run(command: str) -> None:
        changer = Changer(machine.store)
        if command == "install":
            changer.install(machine.place, guard(agent))
        elif command == "wrap":
            changer.wrap(machine.place, lambda now: _wrapping(machine, now).operation)
        elif command == "uninstall":
            changer.uninstall(machine.place, None)
        else:
            changer.unwrap(machine.place)

    undo = {"install": "uninstall", "uninstall": "uninstall", "wrap": "unwrap", "unwrap": "unwrap"}[what]
    do = {"uninstall": "install", "unwrap": "wrap"}[undo]
    machine.write(data)
    run(do)
    changed = machine.path.read_bytes()
    run(undo)
    assert machine.path.read_bytes() == data != changed
    for last in range(3):
        for renamed in (False, True):
            if what == undo:
                run(do)
            left = last

            def killed(fresh: str, file: str, renamed: bool = renamed) -> None:
                nonlocal left
                if left:
                    left -= 1
                    rename(fresh, file)
                    return
                if renamed:
                    rename(fresh, file)
                raise Killed

            monkeypatch.setattr(disk, "_rename", killed)
            try:
                run(what)
            except Killed:
                pass
            monkeypatch.setattr(disk, "_rename", rename)
            assert machine.path.read_bytes() in (data, changed)
            assert {hook.state for hook in installed_hooks(machine.store)} <= {"unchanged"}
            run(do)
            assert machine.path.read_bytes() == changed
            run(undo)
            assert machine.path.read_bytes() == data
            assert machine.store.all() == []
            assert [each.name for each in machine.path.parent.iterdir()] == [machine.path.name]

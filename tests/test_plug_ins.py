"""A small package that adds a contract, a utility and a check: built, installed and used as its author would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from sandhook.hooks import contracts
from sandhook.hooks.checks import CheckedHook, Remark, installed
from sandhook.hooks.checks.rules import RuleId
from sandhook.hooks.contracts import ContractError
from sandhook.hooks.model import Executor, HookSpec

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "house-rules"
version = "1.0"

[project.entry-points."sandhook.contracts"]
house = "house_rules.contract:CONTRACT"

[project.entry-points."sandhook.utilities"]
greet = "house_rules.commands:greet"

[project.entry-points."sandhook.checks"]
house = "house_rules.checks:reasons"
"""

MODULES = {
    "__init__.py": "",
    "contract.py": """
from sandhook.hooks.contracts.crush import Crush


class House(Crush):
    name = "house"


CONTRACT = House()
""",
    "commands.py": """
from sandhook import utility


@utility
def greet(ctx):
    return f"hello {' '.join(ctx.args)}\\n"
""",
    "checks.py": """
from sandhook.hooks.checks import Remark


def reasons(hook):
    lines = hook.spec.executor.text.splitlines()
    for number, line in enumerate(lines, 1):
        if "exit 2" in line and ">&2" not in line:
            yield Remark("H-REASON", f"line {number} refuses {hook.contract} without a reason", "error")
""",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the package with its real backend, and install it into a directory."""
    source = tmp_path_factory.mktemp("source")
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "house_rules").mkdir()
    for name, text in MODULES.items():
        (source / "house_rules" / name).write_text(text)
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place, source]
    subprocess.run(command, check=True)
    return place


def sandhook(site: Path, directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(site), "SANDHOOK_SOCKET": ""}
    command = [sys.executable, "-m", "sandhook", *words]
    return subprocess.run(command, cwd=directory, env=env, capture_output=True, text=True, encoding="utf-8")


@pytest.mark.slow
def test_an_installed_package_adds_all_three(site: Path, tmp_path: Path) -> None:
    assert sandhook(site, tmp_path, "exec", "-c", "greet you | cat").stdout == "hello you\n"
    (tmp_path / "hooks.json").write_text(
        '{"hooks": {"PreToolUse": [\n{"command": "greet x >&2; exit 2"},\n{"command": "exit 2"}]}}'
    )
    fired = sandhook(
        site, tmp_path, "fire", "PreToolUse", "--hooks", "hooks.json", "--contract", "house", "--tool", "bash"
    )
    assert fired.returncode == 2 and "hello x" in fired.stdout, fired
    checked = sandhook(site, tmp_path, "check", "hooks.json", "--contract", "house")
    assert checked.returncode == 1
    (line,) = [line for line in checked.stdout.splitlines() if "H-REASON" in line]
    assert line == (
        "hooks.json:3: hooks.PreToolUse[1]: error E-PACKAGE: H-REASON: line 1 refuses house without a reason"
        " (hook PreToolUse[1])"
    )
    unknown = sandhook(site, tmp_path, "check", "hooks.json", "--contract", "hose")
    assert "unknown contract 'hose'; did you mean house?" in unknown.stderr


class Point:
    """An entry point of the test."""

    def __init__(self, name: str, check: object) -> None:
        self.name = name
        self.value = f"stranger:{name}"
        self._check = check

    def load(self) -> object:
        if isinstance(self._check, Exception):
            raise self._check
        return self._check


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Point]]:
    found: list[Point] = []
    monkeypatch.setattr(installed, "_points", lambda: tuple(found))
    yield found


def remarks() -> list[tuple[RuleId, str, str, int]]:
    hook = CheckedHook(
        "crush",
        HookSpec("a", "tool.pre", "PreToolUse", Executor("bash", "exit 2")),
        "/project",
        lambda path: None,
    )
    return list(installed.remarks(hook))


def test_what_a_check_finds_has_its_severity_and_place(points: list[Point]) -> None:
    points.append(
        Point("a", lambda hook: [Remark("R1", "m", "note"), Remark("R2", "m", file="x.sh", line=3)])
    )
    points.append(Point("b", lambda hook: (Remark("R3", hook.spec.event, "error") for _ in range(1))))
    assert remarks() == [
        ("N-PACKAGE", "R1: m", "", 0),
        ("W-PACKAGE", "R2: m", "x.sh", 3),
        ("E-PACKAGE", "R3: tool.pre", "", 0),
    ]


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (ModuleNotFoundError("No module named 'x'"), "failed: ModuleNotFoundError: No module named 'x'"),
        (lambda hook: 1 / 0, "failed: ZeroDivisionError: division by zero"),
        (lambda hook: ["text"], "returned something other than Remarks with a severity of error, warning or note: 'text'"),
        (lambda hook: [Remark("R", "m", "fatal")], "returned something other than Remarks"),  # type: ignore[arg-type]
        (lambda hook: None, "failed: TypeError"),
    ],
)  # fmt: skip
def test_a_broken_check_is_named(points: list[Point], check: object, text: str) -> None:
    points += [Point("broken", check), Point("other", lambda hook: [Remark("R", "m")])]
    first, second = remarks()
    assert first[0] == "E-CHECK" and first[1].startswith("broken (stranger:broken) ") and text in first[1]
    assert second == ("W-PACKAGE", "R: m", "", 0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("nosuch_package:C",), "of an installed package cannot be loaded from nosuch_package:C: ModuleNotFoundError"),
        (("json:nosuch",), "cannot be loaded from json:nosuch: AttributeError"),
        (("sys:maxsize",), "sys:maxsize must be a Contract, not int, which lacks name, fold, events"),
        (("json:JSONDecoder",), "json:JSONDecoder must be a Contract, not the class JSONDecoder, which lacks name"),
        (("a:C", "b:C"), "contract 'house' is offered by more than one installed package: a:C, b:C"),
    ],
)  # fmt: skip
def test_a_broken_contract_is_named(
    monkeypatch: pytest.MonkeyPatch, values: tuple[str, ...], message: str
) -> None:
    points = EntryPoints(EntryPoint("house", value, "sandhook.contracts") for value in values)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **group: points)
    with pytest.raises(ContractError) as raised:
        contracts.get("house")
    assert message in str(raised.value)


def test_a_contract_that_two_installations_offer_alike_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("house", "sandhook.hooks.contracts.crush:CONTRACT", "sandhook.contracts")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **group: EntryPoints((point, point)))
    assert contracts.get("house").name == "crush"

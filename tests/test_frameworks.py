"""The recipes of docs/howto/shell-test-frameworks.md run, where the framework is present.

SANDHOOK_FRAMEWORKS names a directory with frameworks: ``bats``, ``shunit2``, ``bashunit``, ``shellspec``,
``bash_unit`` and ``clitest``, each as its package or repository has it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sandhook.record import Record
from tests.source import ROOT

PAGE = ROOT / "docs" / "howto" / "shell-test-frameworks.md"


class Recipe(Record):
    """A framework, a suite with one test that passes and one that fails, and what the run prints.

    Attributes:
        program: A file of the framework.
        files: The suite.
        output: Texts of standard output.
        status: The exit status.
    """

    program: str
    files: Mapping[str, str]
    output: tuple[str, ...]
    status: int = 1


RECIPES = {
    "bats-core": Recipe(
        "bats/bin/bats",
        {"tests/a.bats": '@test "good" { run echo hi; [ "$output" = hi ]; }\n@test "bad" { false; }\n'},
        ("1..2\n", "ok 1 good\n", "not ok 2 bad\n", '#   `@test "bad" { false; }\' failed\n'),
    ),
    "shunit2": Recipe(
        "shunit2/shunit2",
        {
            "tests/greet_test.sh": "testGood() { assertEquals 1 1; }\ntestBad() { assertEquals 1 2; }\n"
            ". tools/shunit2/shunit2\n"
        },
        ("testGood\n", "expected:<1> but was:<2>\n", "FAILED"),
    ),
    "bashunit": Recipe(
        "bashunit/bin/bashunit",
        {
            "tests/a_test.sh": "function test_good() { assert_same a a; }\nfunction test_bad() { assert_same a b; }\n"
        },
        ("Passed", "Failed", "1 passed"),
    ),
    "shellspec": Recipe(
        "shellspec/shellspec",
        {
            ".shellspec": "--require spec_helper\n",
            "spec/spec_helper.sh": "",
            "spec/a_spec.sh": "Describe 'echo'\nIt 'is good'\nWhen call echo hi\nThe output should equal hi\nEnd\n"
            "It 'is bad'\nWhen call echo hi\nThe output should equal ho\nEnd\nEnd\n",
        },
        ("2 examples, 1 failure",),
        101,
    ),
    "bash_unit": Recipe(
        "bash_unit/bash_unit",
        {"tests/test_a": "test_good() { assert true; }\ntest_bad() { assert false; }\n"},
        ("Running test_bad", "Running test_good"),
    ),
    "clitest": Recipe(
        "clitest/clitest",
        {"tests/a.md": "$ echo hi\nhi\n$ echo ho\nhi\n$\n"},
        ("#1\techo hi\n", "[FAILED #2, line 3] echo ho\n", "FAIL: 1 of 2 tests failed"),
    ),
}


def section(name: str) -> str:
    """Return the text of a section of the page."""
    match = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert match is not None, f"no section {name}"
    return match[1]


def block(name: str, language: str) -> str:
    """Return the one block of a language in a section of the page."""
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", section(name), re.M | re.S)
    return str(text)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Recipe]:
    """Return a function that makes the project of a recipe the current directory."""

    def make(name: str) -> Recipe:
        recipe = RECIPES[name]
        directory = os.environ.get("SANDHOOK_FRAMEWORKS", "")
        if not directory:
            pytest.skip("SANDHOOK_FRAMEWORKS does not name a directory with frameworks")
        if not (Path(directory) / recipe.program).is_file():
            pytest.skip(f"SANDHOOK_FRAMEWORKS has no {recipe.program}")
        tool = recipe.program.partition("/")[0]
        shutil.copytree(Path(directory) / tool, tmp_path / "tools" / tool)
        for file, text in recipe.files.items():
            path = tmp_path / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        return recipe

    return make


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe(name: str, project: Callable[[str], Recipe]) -> None:
    recipe = project(name)
    program, *arguments = shlex.split(block(name, "bash"))
    assert program == "sandhook"
    run = subprocess.run(
        [sys.executable, "-m", "sandhook", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert run.returncode == recipe.status, run.stdout + run.stderr
    assert [text for text in recipe.output if text not in run.stdout] == [], run.stdout + run.stderr


def test_the_recipe_in_python(project: Callable[[str], Recipe], capfd: Any) -> None:
    recipe = project("bats-core")
    exec(compile(block("In Python", "py"), str(PAGE), "exec"), {})
    out, _ = capfd.readouterr()
    assert out.startswith(f"{recipe.status} 1..2\nok 1 good\n")


def test_every_framework_of_the_page_has_a_recipe() -> None:
    sections = re.findall(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), re.M)
    assert set(sections) - {"In Python", "What differs", "What was compared"} == set(RECIPES)

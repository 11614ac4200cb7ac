"""The cases of a table run in batches: what fails is still one case, by its identifier."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source import ROOT

TESTS = """
import pytest

BAD = (3, 41)

@pytest.mark.parametrize("number", range(60))
def test_plain(number):
    if number == 5:
        pytest.skip("five")
    assert number not in BAD

@pytest.mark.parametrize("number", range(4))
def test_directory(number, tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "left").touch()

@pytest.mark.parametrize("number", [1, 2, 3, pytest.param(4, marks=pytest.mark.xfail(strict=True))])
def test_marks(number):
    assert number < 4

@pytest.fixture
def doubled(request):
    return request.param * 2

@pytest.mark.parametrize("doubled", [1, 2, 3], indirect=True)
def test_indirect(doubled):
    assert doubled in (2, 4, 6)

@pytest.fixture(params=[1, 2])
def halved(request):
    return request.param / 2

def test_fixture_with_parameters(halved):
    assert halved in (0.5, 1)

class TestClass:
    @pytest.mark.parametrize("number", range(3))
    def test_method(self, number):
        pass
"""


def run(directory: Path, *arguments: str) -> list[str]:
    """Run the tests above with the suite's own conftest; return the lines of the output."""
    (directory / "test_tables.py").write_text(TESTS, newline="\n")
    options = ["-q", "-p", "no:cacheprovider", "--disable-plugin-autoload", "-p", "tests.conftest", "-rA"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", str(directory), *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_a_case_that_fails_is_reported_by_its_identifier(tmp_path: Path) -> None:
    lines = run(tmp_path)
    failed = [line.partition(" - ")[0] for line in lines if line.startswith(("SUBFAILED", "FAILED"))]
    assert sorted(failed) == [
        "FAILED test_tables.py::test_plain[1-25 of 60]",
        "FAILED test_tables.py::test_plain[26-50 of 60]",
        "SUBFAILED[3] test_tables.py::test_plain[1-25 of 60]",
        "SUBFAILED[41] test_tables.py::test_plain[26-50 of 60]",
    ]
    passed = {line.removeprefix("PASSED test_tables.py::") for line in lines if line.startswith("PASSED ")}
    assert passed == {
        "test_plain[51-60 of 60]",
        "test_marks[1-3 of 3]",
        *(f"test_directory[{number}]" for number in range(4)),
        *(f"test_indirect[{number}]" for number in (1, 2, 3)),
        *(f"test_fixture_with_parameters[{number}]" for number in (1, 2)),
        *(f"TestClass::test_method[{number}]" for number in range(3)),
    }
    assert "2 of the tests that passed are batches, of 13 cases" in lines
    assert lines[-1].startswith("4 failed, 14 passed, 1 skipped, 1 xfailed in ")


def test_single_cases_are_items(tmp_path: Path) -> None:
    lines = run(tmp_path, "-k", "test_plain and 41")
    assert (
        lines[-1].startswith("1 failed, ")
        and "FAILED test_tables.py::test_plain[41] - assert 41 not in (3, 41)" in lines
    )
    lines = run(tmp_path, "test_tables.py::test_plain[7]")
    assert lines[-1].startswith("1 passed in ")

"""The parser compiled by mypyc: the tests of the parser pass, and trees and errors are those of the Python form."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.compile_parser import INTERPRETED, ROOT, modules

#: Prints a digest for each text of the conformance suite: its trees, warnings, or error.
TREES = """
import sys
from hashlib import sha256
from pathlib import Path
from sandhook.errors import SandhookError
from sandhook.syntax import ParseOptions, lexer
from sandhook.syntax.parser import Parser
print("compiled" if not lexer.__file__.endswith(".py") else "interpreted", file=sys.stderr)
for path in sorted(Path(sys.argv[1], "conformance").rglob("*.test")):
    parts = path.read_text("utf-8", "surrogateescape").split("#### ")
    for text in parts:
        parser, results = Parser(text, "x", ParseOptions(extglob=len(text) % 2 == 0)), []
        try:
            while (unit := parser.next_unit()) is not None:
                results.append(repr(unit))
        except SandhookError as error:
            results.append(repr((error, getattr(error, "span", None), getattr(error, "incomplete", None))))
        results += [repr((each.line, each.text, each.document)) for each in parser.warnings]
        print(path.name, sha256("".join(results).encode("utf-8", "surrogatepass")).hexdigest())
"""


def test_every_module_of_the_parser_is_compiled_or_has_a_reason() -> None:
    names = {Path(path).stem for path in modules()}
    assert names and names.isdisjoint(INTERPRETED)
    assert names | INTERPRETED.keys() == {path.stem for path in (ROOT / "src/sandhook/syntax").glob("*.py")}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the package and the extension modules."""
    target = tmp_path_factory.mktemp("compiled")
    shutil.copytree(ROOT / "src/sandhook", target / "sandhook", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(
        [sys.executable, str(ROOT / "tools/compile_parser.py"), str(target)], check=True, capture_output=True
    )
    return target


def run(arguments: list[str], path: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | ({"PYTHONPATH": str(path)} if path is not None else {})
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )


@pytest.mark.slow
def test_the_tests_of_the_parser_pass(compiled: Path) -> None:
    done = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/syntax"], compiled)
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.slow
def test_trees_are_the_same(compiled: Path) -> None:
    here, there = run(["-c", TREES, str(ROOT)]), run(["-c", TREES, str(ROOT)], compiled)
    assert here.returncode == there.returncode == 0, there.stderr[-3000:]
    assert (here.stderr, there.stderr) == ("interpreted\n", "compiled\n")
    assert here.stdout == there.stdout
    assert here.stdout.count("\n") > 1000


@pytest.mark.slow
def test_limits_hold(compiled: Path) -> None:
    names = ["clock", "injection", "parser_bombs", "promises", "values"]
    tests = [f"tests/sandbox/test_{name}.py" for name in names]
    done = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", *tests], compiled)
    assert done.returncode == 0, done.stdout[-3000:]

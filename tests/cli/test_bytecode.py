"""The file with the bytecode of all modules: what it holds, and that it is never believed too long."""

from __future__ import annotations

import json
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import sandhook.cli.bytecode

#: Loads ten modules of a package that is called sandhook, and prints what they are.
PROGRAM = """
import json, sys
import sandhook
from sandhook.bytecode import find_modules
found = find_modules()
import sandhook.all, sandhook.part.inner
names = [f"sandhook.m{at}" for at in range(10)] + ["sandhook.all", "sandhook.part", "sandhook.part.inner"]
modules = [sys.modules[name] for name in names]
def is_as_usual(module):
    assert module.__spec__.origin == module.__file__ and module.__spec__.has_location
    assert module.__cached__ == module.__spec__.cached and module.__cached__.endswith(".pyc")
    assert module.__loader__.get_source(module.__name__).startswith("VALUE")
    assert module.__package__ == module.__spec__.parent
    assert not hasattr(module, "__path__") or module.__path__ == [module.__file__[:-12]]
    return True
print(json.dumps({
    "values": [module.VALUE for module in modules],
    "kept": sorted(module.__name__ for module in modules if type(module.__loader__).__name__ == "_Loader"),
    "same": all(map(is_as_usual, modules)),
}))
if found is not None:
    found.keep()
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    home = tmp_path / "lib" / "sandhook"
    (home / "part").mkdir(parents=True)
    (home / "__init__.py").touch()
    shutil.copy(str(sandhook.cli.bytecode.__file__), home)
    for at in range(10):
        (home / f"m{at}.py").write_text(f"VALUE = {at}\n")
    (home / "all.py").write_text("VALUE = 'all'\n" + "".join(f"import sandhook.m{at}\n" for at in range(10)))
    (home / "part" / "__init__.py").write_text("VALUE = 'part'\n")
    (home / "part" / "inner.py").write_text("VALUE = 'inner'\n")
    return home


def load(package: Path, **env: str) -> dict[str, Any]:
    """Run PROGRAM."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    command = [sys.executable, "-c", PROGRAM]
    run = subprocess.run(
        command,
        env=clean | {"PYTHONPATH": str(package.parent)} | env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not run.stderr
    result: dict[str, Any] = json.loads(run.stdout)
    assert result["same"]
    return result


VALUES = [*range(10), "all", "part", "inner"]


def the_file(package: Path) -> Path:
    return package / "__pycache__" / f"all-modules.{sys.implementation.cache_tag}"


def test_the_second_run_takes_all_modules_from_the_file(package: Path) -> None:
    first, second = load(package), load(package)
    assert first["values"] == second["values"] == VALUES
    assert not first["kept"]
    assert len(second["kept"]) == len(VALUES)
    assert [path.name for path in the_file(package).parent.iterdir() if "all-modules" in path.name] == [
        the_file(package).name
    ]


def test_a_changed_module_is_taken_from_its_source(package: Path) -> None:
    load(package)
    (package / "m3.py").write_text("VALUE = 33\n")
    (package / "m4.py").write_text("VALUE = 9\n")  # the same size
    os.utime(package / "m4.py", (1_000_000_000, 1_000_000_000))
    result = load(package)
    assert result["values"][3:5] == [33, 9]
    assert len(result["kept"]) == len(VALUES) - 2
    (package / "m3.py").unlink()
    (package / "m3").mkdir()
    (package / "m3" / "__init__.py").write_text("VALUE = 34\n")
    assert load(package)["values"][3] == 34


def test_many_new_modules_are_added(package: Path) -> None:
    load(package)
    for at in range(9):
        (package / f"m{at}.py").write_text(f"VALUE = 10 + {at}\n")
    assert len(load(package)["kept"]) == len(VALUES) - 9
    result = load(package)
    assert len(result["kept"]) == len(VALUES)
    assert result["values"][:10] == [*range(10, 19), 9]


@pytest.mark.parametrize("damage", ["empty", "cut", "index", "code", "size", "other"])
def test_a_damaged_file_is_not_used(package: Path, damage: str) -> None:
    load(package)
    data = the_file(package).read_bytes()
    size = int.from_bytes(data[:8], "little") + 8
    the_file(package).write_bytes(
        {
            "empty": b"",
            "cut": data[: size + 40],
            "index": data[:8] + bytes(size - 8) + data[size:],
            "code": data[:size] + b"N" * (len(data) - size),
            "size": b"\xff" * 8 + data[8:],
            "other": data[:8]
            + data[8:size].replace(sys.version[:6].encode(), b"2.7.18"[: len(sys.version[:6])])
            + data[size:],
        }[damage]
    )
    assert load(package)["values"] == VALUES


def test_a_copy_of_the_package_does_not_load_the_original(package: Path, tmp_path: Path) -> None:
    load(package)
    copied = tmp_path / "copy" / "sandhook"
    shutil.copytree(package, copied)
    for at in range(10):
        (copied / f"m{at}.py").write_text(f"VALUE = {at} + 100\n")
    assert load(copied)["values"][:10] == [*range(100, 110)]


def test_nothing_is_written_where_python_writes_no_bytecode(package: Path) -> None:
    assert load(package, PYTHONDONTWRITEBYTECODE="1")["values"] == VALUES
    assert not (package / "__pycache__").exists()
    (package / "a file").touch()
    assert load(package, PYTHONPYCACHEPREFIX=str(package / "a file"))["values"] == VALUES


def test_bytecode_that_is_valid_by_its_hash_stays_with_python(package: Path) -> None:
    for path in package.rglob("*.py"):
        py_compile.compile(str(path), invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    assert load(package)["values"] == VALUES
    assert not the_file(package).exists()


def test_it_stands_below_the_prefix_and_knows_the_level_of_optimization(
    package: Path, tmp_path: Path
) -> None:
    env = {"PYTHONPYCACHEPREFIX": str(tmp_path / "prefix"), "PYTHONOPTIMIZE": "1"}
    load(package, **env)
    assert len(load(package, **env)["kept"]) == len(VALUES)
    assert not load(package, PYTHONPYCACHEPREFIX=env["PYTHONPYCACHEPREFIX"])["kept"]
    assert not (package / "__pycache__").exists()


def test_a_system_without_pread_reads_it_too(package: Path) -> None:
    finder = package / "bytecode.py"
    text = finder.read_text()
    assert 'hasattr(os, "pread")' in text
    finder.write_text(text.replace('hasattr(os, "pread")', "False"))
    load(package)
    result = load(package)
    assert result["values"] == VALUES
    assert len(result["kept"]) == len(VALUES)


def test_a_refusal_stands_when_the_file_cannot_be_written() -> None:
    program = """
        import sys
        from sandhook import cli
        from sandhook.cli.bytecode import Bytecode
        def fail(self):
            raise LookupError("damaged")
        Bytecode.keep = fail
        sys.argv = ["sandhook", "exec", "-c", "echo no >&2; exit 2"]
        cli.entry()
        """
    run = subprocess.run([sys.executable, "-c", dedent(program)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (2, "no\n")

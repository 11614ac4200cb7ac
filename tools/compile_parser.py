"""Compiles the parser with mypyc: ``python tools/compile_parser.py DIRECTORY`` writes the extension modules there.

They take the place of the modules of the same names, whose source is one for both. Everything else stays Python: the
interpreter's closures are slower when they are compiled, since they work on objects that are not.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: Modules of ``sandhook.syntax`` that stay Python, with the reason.
INTERPRETED = {
    "__init__": "imports its modules when they are needed",
    "_bashlex": "changes how a package is imported",
    "arith": "sandhook.expand has a subclass of its parser, and a compiled class has none that is not",
    "nodes": "a Record is a tuple, and mypyc compiles no subclass of it",
    "options": "a Record, too",
    "cache": "looks a key up",
    "store": "is as fast as it is",
    "productions": "only data for tablegen",
    "tablegen": "runs when the grammar changes",
    "unparse": "mypyc fails for its starred expressions",
    "wordprinter": "belongs to unparse",
}


def modules() -> list[str]:
    """Return the compiled modules, as paths in the package's parent directory."""
    names = sorted(path.stem for path in (ROOT / "src/sandhook/syntax").glob("*.py"))
    return [f"sandhook/syntax/{name}.py" for name in names if name not in INTERPRETED]


def compile_parser(target: Path) -> None:
    """Write the extension modules, which belong next to ``sandhook`` and into it.

    Raises:
        SystemExit: mypy found an error, or the compiler failed.
    """
    from mypyc.build import mypycify  # type: ignore[import-not-found, unused-ignore]
    from setuptools import Distribution  # type: ignore[import-untyped, unused-ignore]

    target = target.resolve()
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(
            ROOT / "src/sandhook", Path(directory, "sandhook"), ignore=shutil.ignore_patterns("__pycache__")
        )
        before = Path.cwd()
        os.chdir(directory)  # mypyc derives the names of modules from their relative paths
        try:
            options = ["--config-file", os.devnull, "--ignore-missing-imports", "--cache-dir", "cache"]
            extensions = mypycify(
                [*options, *modules()],
                target_dir="build",
                group_name="sandhook",
                opt_level="3",
                debug_level="0",
            )
            distribution = Distribution({"name": "sandhook", "ext_modules": extensions})
            command = distribution.get_command_obj("build_ext")
            command.build_lib, command.build_temp = str(target), "objects"
            command.ensure_finalized()
            command.run()
        finally:
            os.chdir(before)


if __name__ == "__main__":
    compile_parser(Path(sys.argv[1]))

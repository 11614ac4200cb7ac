"""The build hook of the wheel: with ``SANDHOOK_COMPILE=1`` in the environment, the parser is compiled.

Without it, or from an sdist on a machine that has no compiler, the wheel is pure Python and runs everywhere.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import (  # type: ignore[import-not-found, unused-ignore]
    BuildHookInterface,
)


class CompiledParser(BuildHookInterface):  # type: ignore[misc, unused-ignore]
    """Adds the extension modules to a wheel, whose tag is then that of the Python and the system."""

    def dependencies(self) -> list[str]:
        return ["mypy>=1.13", "setuptools>=68"] if _is_wanted(self.target_name) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or not _is_wanted(self.target_name):
            return
        self._directory = tempfile.TemporaryDirectory()
        subprocess.run(
            [sys.executable, str(Path(self.root, "tools/compile_parser.py")), self._directory.name],
            check=True,
        )
        built = Path(self._directory.name)
        for path in built.rglob("*"):
            if path.is_file():
                build_data["force_include"][str(path)] = path.relative_to(built).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_directory"):
            self._directory.cleanup()


def _is_wanted(target: str) -> bool:
    return target == "wheel" and os.environ.get("SANDHOOK_COMPILE") == "1"

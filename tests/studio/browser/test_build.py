"""The built page is what its sources build to."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_the_assets_are_built_from_the_sources(tmp_path: Path) -> None:
    node, sources = shutil.which("node"), ROOT / "studio"
    if node is None or not (sources / "node_modules" / "esbuild").is_dir():
        pytest.skip("there is no node, or studio/node_modules; `npm ci` in studio/ installs it")
    subprocess.run([node, "build.mjs", str(tmp_path)], cwd=sources, check=True, timeout=120)
    assets = ROOT / "src" / "sandhook" / "studio" / "assets"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(each.name for each in assets.iterdir())
    for each in assets.iterdir():
        assert (tmp_path / each.name).read_bytes() == each.read_bytes(), f"{each.name}: run `make studio`"


def test_the_lock_file_names_no_registry() -> None:
    text = (ROOT / "studio" / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text and '"integrity"' in text

"""The pages of the documentation as a site."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.source import ROOT
from tools import pictures, recording
from tools.site import PAGES, with_titles


@pytest.mark.parametrize("name", sorted(pictures.sources()))
def test_a_picture_is_drawn_from_its_text(name: str) -> None:
    image = ROOT / "docs" / "images" / f"{name}.svg"
    first = image.read_text(encoding="utf-8").partition("\n")[0]
    assert first == pictures.mark(pictures.sources()[name]), "python -m tools.pictures draws it again"


def test_the_recording_is_that_of_its_commands() -> None:
    image = ROOT / "docs" / "images" / "terminal.svg"
    first = image.read_text(encoding="utf-8").partition("\n")[0]
    assert first == pictures.mark(recording.text()), "python -m tools.recording records it again"


def test_the_pages_of_the_root_exist() -> None:
    assert [name for name in PAGES if not (ROOT / name).is_file()] == []


def test_the_name_of_a_file_is_the_title_of_its_block() -> None:
    page = "```json .claude/settings.json\n{}\n```\n\n- x\n\n    ```sh guard.sh\n    exit 2\n    ```\n\n```sh\nls\n```\n"
    assert with_titles(page) == page.replace(
        "json .claude/settings.json", 'json title=".claude/settings.json"'
    ).replace("sh guard.sh", 'sh title="guard.sh"')


def test_every_block_has_a_head_that_the_site_understands() -> None:
    pages = [ROOT / name for name in PAGES] + sorted((ROOT / "docs").rglob("*.md"))
    heads = {
        (page.name, line.strip())
        for page in pages
        for line in with_titles(page.read_text(encoding="utf-8")).splitlines()
        if line.lstrip().startswith("```")
    }
    assert {each for each in heads if not re.fullmatch(r'```(?:\w+(?: title="\S+")?)?', each[1])} == set()


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("mkdocs") is None or find_spec("mkdocstrings") is None,
    reason="the extra `docs` is not installed",
)
def test_the_site_is_built_without_a_warning_and_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pages = sorted(tmp_path.rglob("*.html"))
    assert len(pages) > 80
    loaded = {
        (page.name, url)
        for page in pages
        for url in re.findall(
            r"<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)=\"(https?:[^\"]+)",
            page.read_text("utf-8"),
        )
    }
    assert loaded == set()
    unread = [
        page.name for page in pages if re.search(r"<(?:p|code)>```|^```", page.read_text("utf-8"), re.M)
    ]
    assert unread == [], "a block whose head was not understood, and the page after it"
    assert not [page.name for page in pages if 'class="mermaid"' in page.read_text("utf-8")]
    assert not [path for path in tmp_path.rglob("*.py*") if path.suffix in (".py", ".pyc")]

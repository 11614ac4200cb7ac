"""The manual pages: up to date, whole, and without warnings of a renderer."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib

import pytest

from docs.manual import DIRECTORY, escape, pages
from sandhook.cli import COMMANDS
from sandhook.cli.commands import options_of, parser_of
from tests.source import ROOT

PAGES = pages()


def rendered(name: str) -> str:
    """Return a page as groff shows it in 200 columns; a warning fails."""
    ended = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-rLL=200n", "-P-cbou"],
        input=PAGES[name], capture_output=True, text=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    return " ".join(ended.stdout.replace("‐", "-").replace("−", "-").split())


def test_pages_are_up_to_date() -> None:
    """`make docs` writes them."""
    written = {path.name: path.read_text(encoding="utf-8") for path in DIRECTORY.iterdir()}
    assert written == PAGES


def test_there_is_a_page_for_every_command() -> None:
    assert set(PAGES) == {"sandhook.1", *(f"sandhook-{name}.1" for name in COMMANDS)}


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff on this machine")
@pytest.mark.parametrize("name", PAGES)
def test_groff_renders_them_without_warnings(name: str) -> None:
    text = rendered(name)
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION"):
        assert section in text
    command = name.removeprefix("sandhook").removeprefix("-").removesuffix(".1")
    if command:
        flags = {flag for action in options_of(parser_of(command)) for flag in action.option_strings}
        assert [flag for flag in flags if flag not in text] == []
        assert " ".join(COMMANDS[command].example.split()) in text
    else:
        assert [each for each in COMMANDS if f"sandhook-{each}(1)" not in text] == []


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="there is no mandoc on this machine")
@pytest.mark.parametrize("name", PAGES)
def test_mandoc_renders_them(name: str) -> None:
    ended = subprocess.run(
        ["mandoc", "-Tlint", "-Werror"], input=PAGES[name], capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout) == (0, "")


@pytest.mark.parametrize("words", [".dot", "'quote", "a\\b", "--long-option", '`code` "x" ^~'])
@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff on this machine")
def test_special_characters_are_shown(words: str) -> None:
    ended = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", "-P-cbou"],
        input=f".TH X 1\n.SH Y\n{escape(words)}\n", capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert re.search(rf"^ +{re.escape(words)}$", ended.stdout, re.M), ended.stdout


def test_the_wheel_installs_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"] == {
        DIRECTORY.relative_to(ROOT).as_posix(): "share/man/man1"
    }

"""The page of the bridges names the oldest versions that ``make test-oldest`` tries."""

from __future__ import annotations

import re

import pytest

from tests.source import ROOT
from tools.oldest import FRAMEWORKS, oldest


@pytest.mark.parametrize("extra", FRAMEWORKS)
def test_the_page_names_the_oldest_version(extra: str) -> None:
    page = (ROOT / "docs" / "howto" / "bridges.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| [^|]+ \| `{extra}` \| ([^,|]+),", page, re.MULTILINE)
    assert row is not None
    assert row[1] == oldest(extra)


@pytest.mark.parametrize("extra", FRAMEWORKS)
def test_there_are_tests_of_it(extra: str) -> None:
    assert (ROOT / "tests" / "bridges" / f"test_{FRAMEWORKS[extra][1]}.py").is_file()

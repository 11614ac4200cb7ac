"""What LC_ALL=C changes: characters become bytes, and texts come back whole."""

from __future__ import annotations

import pytest

from sandhook.shell import Shell
from sandhook.text.locale import as_bytes, as_characters


@pytest.mark.parametrize("text", ["", "abc", "äöü€😀", "a\udcffb", "ä\udcc3"])
def test_a_text_comes_back(text: str) -> None:
    assert len(as_bytes(text)) == len(text.encode("utf-8", "surrogateescape"))
    assert as_characters(as_bytes(text)) == text


def test_bytes_that_become_a_character_are_one() -> None:
    assert as_characters("\udcc3\udca4") == "ä"


@pytest.mark.parametrize(
    ("variables", "length"),
    [
        ({}, 1),
        ({"LANG": "C"}, 2),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, 1),
        ({"LANG": "C.UTF-8", "LC_CTYPE": "POSIX"}, 2),
        ({"LC_CTYPE": "C", "LC_ALL": "en_US.UTF-8"}, 1),
        ({"LC_CTYPE": "C", "LC_ALL": ""}, 2),
    ],
)
def test_the_first_variable_that_is_set_decides(variables: dict[str, str], length: int) -> None:
    assert Shell(env=variables).run("x=ä; echo ${#x}").stdout == f"{length}\n"

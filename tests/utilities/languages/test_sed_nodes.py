"""The functions that compile the commands of sed."""

from __future__ import annotations

from typing import get_args

from sandhook.utilities.languages.sed import actions
from sandhook.utilities.languages.sed.script import Substitution, Work


def test_every_command_is_compiled() -> None:
    """The compiler of addresses compiles s too, which needs the last regular expression."""
    assert set(actions._ACTIONS) == set(get_args(Work)) - {Substitution}

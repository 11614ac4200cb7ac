"""tables.py is what tablegen makes of bashlex's productions and ours."""

from __future__ import annotations

from pathlib import Path

from sandhook.syntax import grammar, tablegen, tables
from sandhook.syntax.productions import ADDED, DROPPED


def test_are_up_to_date() -> None:
    assert tablegen.generate() == Path(tablegen.__file__).with_name("tables.py").read_text("utf-8")


def test_most_productions_are_bashlex_own() -> None:
    theirs = set(tablegen.bashlex_productions())
    ours = set(tables.PRODUCTIONS[1:])
    assert ours - theirs == set(ADDED)
    assert theirs - ours == set(DROPPED)
    assert len(ours & theirs) > 150


def test_every_action_has_its_production() -> None:
    lefts = {text.split(" :")[0] for text in tables.PRODUCTIONS}
    assert {key for key in grammar.ACTIONS if key not in lefts and key not in tables.PRODUCTIONS} == set()


def test_a_production_without_an_action_has_at_most_one_symbol() -> None:
    for text in tables.PRODUCTIONS[1:]:
        left, _, *right = text.split()
        if text not in grammar.ACTIONS and left not in grammar.ACTIONS and left != "inputunit":
            assert len(right) <= 1, text

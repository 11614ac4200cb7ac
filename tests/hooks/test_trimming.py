"""Outputs with blanks, separators and byte order marks around their object, as each agent's language trims them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from sandhook.hooks import Decision, Operation, RunResult, Verdict
from sandhook.hooks.contracts._reading.languages import Reader, Trimmer, as_read
from tests.hooks.test_bounds import NO_JSON, REFUSABLE, decide

OBJECT = '{"decision": "deny"}'

#: Signs that JSON does not know around a value, and who trims them.
ODD = ("\x1c", "\x1e", "\x1f", "\x85", "\ufeff", "\ufeff\ufeff", "\xa0", "\v")


def read(text: str, reader: Reader, trimmer: Trimmer | None = None) -> str:
    """Return the output that a contract decodes in strict mode."""
    seen: list[RunResult] = []

    def decode(ran: RunResult) -> Verdict:
        seen.append(ran)
        return Verdict()

    as_read(RunResult(0, text.encode()), reader, decode, strict=True, trimmer=trimmer)
    return seen[-1].stdout.decode().strip()


@pytest.mark.parametrize("blanks", ["\ufeff\ufeff", "\u3000", "\u2028", "\ufeff \n", "\u205f\ufeff"])
def test_javascript_trims_its_blanks_and_marks(blanks: str) -> None:
    assert read(f"{blanks}{OBJECT}{blanks}\n", "javascript") == OBJECT


@pytest.mark.parametrize("sign", ["\x1c", "\x1e", "\x1f", "\x85"])
def test_in_strict_mode_signs_that_the_language_does_not_trim_void_the_object(sign: str) -> None:
    for text in (f"{sign}{OBJECT}", f"{OBJECT}{sign}", f"{OBJECT} {sign}\n"):
        assert read(text, "javascript") != OBJECT
        assert (read(text, "rust") != OBJECT) == (sign != "\x85")
        assert read(text, "python") == OBJECT
        assert read(text, "javascript", "json") != OBJECT


def test_the_language_that_trims_may_be_another_than_the_one_that_reads() -> None:
    assert read(f"\ufeff{OBJECT}", "rust", "javascript") == OBJECT
    assert read(f"\ufeff{OBJECT}", "rust") != OBJECT
    assert "not read" in read('\ufeff{"reason": "\\ud800"}', "rust", "javascript")


@pytest.mark.parametrize("text", ["plain text", OBJECT, f" \t{OBJECT}\n", "\x85text", "", '"text"\n'])
def test_other_outputs_are_left_alone(text: str) -> None:
    assert read(text, "javascript") == text.strip()


# An output of each contract next to such signs.

#: Events of each contract whose refusal is an object.
LABELS = [label for label in REFUSABLE if label not in NO_JSON]


def outputs(text: str) -> Iterator[RunResult]:
    for sign in ODD:
        for printed in (f"{sign}{text}", f"{text}{sign}", f"{text}\n{sign}\n", f" {sign}\n{text}{sign}"):
            yield RunResult(0, printed.encode())


@pytest.mark.parametrize("label", LABELS)
def test_in_better_mode_a_refusal_next_to_an_odd_sign_counts(label: str) -> None:
    block = REFUSABLE[label]
    for ran in outputs(block.head["deny"].strip()):
        assert decide(block, ran).refused, ran.stdout


#: A call in each contract.
CALLS = [label for label in LABELS if REFUSABLE[label].event().kind == "tool.pre"]


def effects(decision: Decision) -> list[str]:
    """Return what a decision does to a call except to refuse it."""
    found = ["allow"] if decision.permission == "allow" else []
    return found + [name for name in ("input", "context") if getattr(decision, name)]


@pytest.mark.parametrize("label", CALLS)
def test_in_better_mode_an_approval_next_to_a_sign_that_the_agent_does_not_trim_does_not_count(
    label: str,
) -> None:
    block = REFUSABLE[label]
    name, event = block.contract.name, block.event()
    approval = Decision("tool.pre", permission="allow", input=(Operation("merge", {"odd": 1}),))
    answer = block.contract.answer(approval, event).stdout.decode().strip() or block.head["allow"]
    for sign in ("\x1c", "\x1e", "\x1f", "\ufeff"):
        for text in (f"{sign}{answer}", f"{answer}{sign}", f"{sign}{answer}\n{sign}"):
            decision = decide(block, RunResult(0, text.encode()))
            python = name in ("hermes", "mistral_vibe") and sign != "\ufeff"
            plain = decide(block, RunResult(0, answer.encode()))
            # JavaScript trims a mark, so that the agent makes the change, and without it another call would go ahead
            kept = [each for each in effects(decision) if (sign, each) != ("\ufeff", "input")]
            assert kept == (effects(plain) if python else [])
            named = any("L-HOOKS-013" in note for note in decision.diagnostics)
            assert named != python


@pytest.mark.parametrize("label", CALLS)
def test_an_object_next_to_an_odd_sign_that_has_a_key_twice_refuses_if_either_value_does(label: str) -> None:
    block = REFUSABLE[label]
    key, refusing = next(iter(json.loads(block.head["deny"]).items()))
    text = f'{{"{key}": {json.dumps(refusing)}, "{key}": null}}'
    for ran in outputs(text):
        assert decide(block, ran).refused, ran.stdout

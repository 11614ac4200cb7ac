"""Compares a decision with what a case expects."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.conformance.expectations.model import EventCase, Expected, Word
from sandhook.conformance.runner import Difference
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Json
from sandhook.hooks.model import Decision
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

#: Returns the contents of a file of the project after the event; None if there is no such file.
ReadFile = Callable[[str], str | None]


def word_of(decision: Decision) -> Word:
    """Return what the hooks decided, in a word.

    A hook that wanted the event and could not run comes first: its refusal is no proof that the hook works.
    """
    return "could-not-run" if is_incomplete(decision) else effect_of(decision)


def is_incomplete(decision: Decision) -> bool:
    """Return whether a hook wanted the event and took no part."""
    return bool(decision.could_not_run or decision.withheld)


def effect_of(decision: Decision) -> Word:
    """Return in a word what the agent does, whether or not every hook took part."""
    if decision.halt:
        return "halt"
    if decision.refused:
        return "deny"
    if decision.force_continue:
        return "keep-working"
    if decision.permission == "none":
        return "proceed"
    return decision.permission


def differences(case: EventCase, decision: Decision, read: ReadFile) -> Iterator[tuple[Difference, str]]:
    """Yield each part that is not as expected, and a line about it."""
    expected = case.expected
    actual = word_of(decision)
    if actual != expected.decision and not (actual == "allow" and expected.decision == "proceed"):
        yield "decision", f"decision: expected {expected.decision}, got {actual}"
    yield from effects(case, decision, read)


def effects(case: EventCase, decision: Decision, read: ReadFile) -> Iterator[tuple[Difference, str]]:
    """Yield each part besides the decision that is not as expected, and a line about it."""
    expected = case.expected
    context = "\n".join(text for text, _ in decision.context)
    yield from _pattern("reason", expected.reason, decision.reason)
    yield from _pattern("context", expected.context, context)
    yield from _pattern("message", expected.message, decision.message)
    yield from _changes(case, expected, decision)
    for path, pattern in expected.files.items():
        content = read(path)
        if pattern is None and content is not None:
            yield "files", f"files: {path}: expected no such file, got {_short(content)}"
        elif pattern is not None and content is None:
            yield (
                "files",
                f"files: {path}: expected a match of /{pattern.pattern}/, but there is no such file",
            )
        elif pattern is not None and content is not None and not pattern.search(content):
            yield "files", f"files: {path}: expected a match of /{pattern.pattern}/, got {_short(content)}"


def _pattern(
    name: Difference, pattern: re.Pattern[str] | None, text: str | None
) -> Iterator[tuple[Difference, str]]:
    if pattern is not None and not pattern.search(text or ""):
        yield name, f"{name}: expected a match of /{pattern.pattern}/, got {_short(text)}"


def _changes(case: EventCase, expected: Expected, decision: Decision) -> Iterator[tuple[Difference, str]]:
    event = case.event
    if expected.input is not None:
        value = decision.apply_to(event.tool.input if event.tool is not None else None)
        yield from _value("input", expected.input.value, value)
    if expected.prompt is not None:
        yield from _value("prompt", expected.prompt.value, decision.apply_to_prompt(event.prompt or ""))
    if expected.result is not None and event.result is not None:
        yield from _value("result", expected.result.value, decision.apply_to_result(event.result).value)


def _value(name: Difference, expected: Json, actual: Json) -> Iterator[tuple[Difference, str]]:
    wanted, got = encode(expected), encode(actual)
    if expected != actual and wanted != got:
        yield name, f"{name}: expected {wanted}, got {got}"


def _short(text: str | None) -> str:
    if not text:
        return "nothing"
    return repr(text if len(text) <= 400 else text[:400] + "...")

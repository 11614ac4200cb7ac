"""Verdicts that several agents share: the effect of a refusal on each kind of event, and failed runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.hooks.contracts._exit_2_heuristic import looks_accidental
from sandhook.hooks.decode import BoundExceeded, DecodeError, decode_object, encode, type_name
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import PERMISSIONS, Operation, Permission, RunResult, Verdict
from sandhook.record import Record
from sandhook.typed import Literal

#: A note on an exit status that refuses and may not be the author's.
ACCIDENT = "looks like a program's own error, not a decision"

#: Kinds of events on which a refusal makes the agent continue.
GOES_ON = ("stop", "subagent.stop")


class DroppedOutput(Exception):
    """An output that is dropped whole; the message is the reason.

    Args:
        exceeded_bound: It exceeds a bound of sandhook.
    """

    def __init__(self, why: str, *, exceeded_bound: bool = False) -> None:
        super().__init__(why)
        self.exceeded_bound = exceeded_bound


def refusal(kind: str, reason: str | None, notes: Sequence[str] = (), *, word: str = "deny") -> Verdict:
    """Return the verdict of a refusal: deny the call, replace the result, make the agent continue, or block."""
    verdict = Verdict(word, True, reason=reason, diagnostics=tuple(notes))
    if kind in ("tool.pre", "permission.request"):
        return verdict._replace(permission="deny")
    if kind in GOES_ON:
        return verdict._replace(label="block", force_continue=True)
    if kind in ("tool.post", "tool.fail"):
        return verdict._replace(label="block", result=Operation("replace", reason or ""))
    return verdict._replace(label="block", block=True)


def with_misfit(verdict: Verdict, key: str, changed: Json, notes: list[str], *, better: bool) -> Verdict:
    """Return a verdict with changed arguments that are not an object: the agent cannot make such a call.

    Better mode refuses the call, so that nothing else has to deal with the arguments.
    """
    why = f"{key} is {type_name(changed)}, and a call needs an object: the agent cannot make it"
    notes.append(why)
    if not better:
        return verdict._replace(input=Operation("replace", changed))
    return refusal("tool.pre", verdict.reason or why, notes)


def permission_of(value: Mapping[str, Json], key: str) -> Permission | None:
    """Return a field that is one of ``PERMISSIONS``, or None."""
    word = value.get(key)
    return next((permission for permission in PERMISSIONS if permission == word), None)


def stronger(words: Sequence[Json]) -> Json:
    """Return the decision that counts of those in one output: "deny", or else the first that is not null or ""."""
    return "deny" if "deny" in words else next((word for word in words if word not in (None, "")), None)


def without_approval(verdict: Verdict, why: str | None) -> Verdict:
    """Return what stays of the output of a hook that a signal ended, for an agent that reads it: all but an approval.

    Without a change of the arguments, another call would go ahead than where the agent runs.
    """
    permission = "none" if verdict.permission == "allow" else verdict.permission
    return verdict._replace(label="error", decided=False, permission=permission, could_not_run=why)


def counts_in_javascript(value: Json) -> bool:
    """Return whether JavaScript takes a value for true: every array and object is, and the number 0 is not."""
    return bool(value) or isinstance(value, (list, dict))


def in_javascript(value: Json) -> str | None:
    """Return a value as JavaScript puts it into a message: of an array the items, with commas between them."""
    if isinstance(value, list):
        return ",".join(in_javascript(each) or "" for each in value)
    if isinstance(value, (str, type(None))):
        return value
    return "[object Object]" if isinstance(value, dict) else encode(value)


def words_of(ran: RunResult) -> str:
    """Return standard error as text."""
    return ran.stderr.decode("utf-8", "replace").strip()


def is_utf8(*outputs: bytes) -> bool:
    """Return whether all outputs can be decoded."""
    try:
        for output in outputs:
            output.decode()
    except UnicodeDecodeError:
        return False
    return True


def broken(ran: RunResult) -> str | None:
    """Return why a run could not decide, or None. A script that does not parse has the exit status 2, as in bash."""
    return ran._replace(syntax_error=None).could_not_run


class Printed(Record):
    """A text that should be one JSON object.

    Attributes:
        value: The object; an empty one if the text is empty or not an object.
        odd: Why it is not an object, or None.
        exceeded_bound: It begins like an object, and exceeds a bound of sandhook.
        diagnostics: What is noted of an object.
        duplicates: Its keys that it has twice.
    """

    value: JsonObject
    odd: str | None = None
    exceeded_bound: bool = False
    diagnostics: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()

    @property
    def could_not_run(self) -> str | None:
        """Why its hook could not run: the text exceeds a bound of sandhook. None for any other text."""
        return _unread(self.odd) if self.exceeded_bound else None


def _unread(why: str | None) -> str:
    return f"its output cannot be read: {why}"


def printed(text: str) -> Printed:
    """Read a text, without white space around it, as one JSON object. No text is not a fault."""
    if not text:
        return Printed({})
    try:
        decoded = decode_object(text)
    except DecodeError as error:
        odd = f"standard output is not a JSON object: {error}"
        return Printed({}, odd, isinstance(error, BoundExceeded))
    return Printed(decoded.value, diagnostics=decoded.diagnostics, duplicates=decoded.top_duplicates)


def unreadable(
    why: str, notes: Sequence[str], *, exceeded_bound: bool, label: Literal["none", "error"] = "none"
) -> Verdict:
    """Return the verdict of an output that cannot be read.

    Args:
        exceeded_bound: The output exceeds a bound of sandhook, so that the hook could not run.
        label: The contract's term for an output that the agent cannot read either.
    """
    return Verdict(
        "error" if exceeded_bound else label,
        could_not_run=_unread(why) if exceeded_bound else None,
        exceeded_bound=exceeded_bound,
        undecodable=why,
        diagnostics=tuple(notes),
    )


def accidents(ran: RunResult, words: str, status: int) -> list[str]:
    """Return the diagnostics of a status that refuses."""
    if ran.syntax_error is not None:
        return ["the script does not parse: that is not a decision"]
    return [f"exit status {status} {ACCIDENT}"] if looks_accidental(words) else []

"""Rules of --fail-on: ``newly_allowed>0``, ``newly_refused>=1%``."""

from __future__ import annotations

import re

from sandhook.record import Record
from sandhook.replay.compare import CHANGES
from sandhook.replay.errors import ReplayError
from sandhook.replay.run import Result
from sandhook.text.nearest import hint
from sandhook.typed import Literal, cast

_RULE = re.compile(r"(\w+)\s*(>=|<=|!=|=|>|<)\s*(\d+(?:\.\d+)?)\s*(%?)$")

Operator = Literal[">=", "<=", "!=", "=", ">", "<"]

#: What a rule can count in addition to changes.
MORE = ("events", "selected", "compared", "unfired", "skipped", "failed")


class Rule(Record):
    """A rule. With ``percent``, the number is a share of the compared events.

    Attributes:
        text: As the user wrote it.
    """

    text: str
    name: str
    operator: Operator
    number: float
    percent: bool


def parse_rule(text: str) -> Rule:
    """Return a rule. Raises ReplayError."""
    match = _RULE.match(text.strip())
    if match is None:
        raise ReplayError(f"--fail-on {text!r}: wanted NAME>NUMBER or NAME>NUMBER%, such as newly_allowed>0")
    name, operator, number, percent = match.groups()
    if name not in (*CHANGES, *MORE):
        raise ReplayError(f"--fail-on {text!r}: unknown number {name!r}; {hint(name, (*CHANGES, *MORE))}")
    return Rule(text, name, cast("Operator", operator), float(number), bool(percent))


def is_broken(rule: Rule, result: Result) -> bool:
    """Return whether the comparison of a rule is true."""
    count: float = counted(rule.name, result)
    if rule.percent:
        count = 100 * count / max(result.tally.compared, 1)
    match rule.operator:
        case ">":
            return count > rule.number
        case ">=":
            return count >= rule.number
        case "<":
            return count < rule.number
        case "<=":
            return count <= rule.number
        case "=":
            return count == rule.number
        case "!=":
            return count != rule.number


def counted(name: str, result: Result) -> int:
    """Return what a rule counts."""
    if name == "unfired":
        return result.tally.unfired_count
    if name == "skipped":
        return result.skipped_count
    if name in ("events", "selected", "compared"):
        number: int = getattr(result.tally, name)
        return number
    return len(result.failed) if name == "failed" else result.tally.counts[name]

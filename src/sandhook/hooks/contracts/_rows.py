"""The rows of the tables of ``_agent``'s contracts: one event of an agent each."""

from __future__ import annotations

from sandhook.record import Record


class Row(Record):
    """One event of an agent.

    Attributes:
        kind: The neutral kind.
        fields: Keys of the payload beyond the common ones, in order; "?" after those that may be absent.
        matched: The payload's key that matchers look at, "tool_name" for the tool, "" for nothing.
    """

    kind: str
    fields: tuple[str, ...] = ()
    matched: str = ""

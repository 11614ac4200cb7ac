"""What becomes of a call that a hook and the agent's own rules are about, as tables: python -m tools.agents.permissions

The records ``permissions.MODE.RULE.WORD`` are the source; docs/contracts/permissions.md has the tables.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import cast

from tools.agents.changes import known_cases
from tools.agents.records import AGENTS, Agent, Object, mapping

#: The words of hooks, in the order of the columns.
WORDS = ("none", "allow", "ask", "deny", "defer")
_CELLS = {"runs": "runs", "does not run": "no", "ends the turn": "ends"}
_RULES = ("none", "allow", "ask", "deny")


def tables(agent: str) -> str:
    """Return the tables of an agent: rows by mode and rule, columns by the hook's answer; "" without records."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for case in known_cases(agent):
        topic, *parts = str(case["id"]).split(".")
        if topic == "permissions" and parts[0] != "two":
            found.setdefault((parts[0], parts[1]), {})[parts[2]] = _cell(case)
    if not found:
        return ""
    words = [word for word in WORDS if any(word in cells for cells in found.values())]
    modes: dict[tuple[tuple[str, tuple[str, ...]], ...], list[str]] = {}
    for mode in dict.fromkeys(mode for mode, _ in found):
        rows = tuple(
            (rule, tuple(cells.get(word, "") for word in words))
            for (each, rule), cells in sorted(found.items(), key=lambda item: _RULES.index(item[0][1]))
            if each == mode
        )
        modes.setdefault(rows, []).append(mode)
    lines = [
        f"| {', '.join(f'`{name}`' for name in names)} | {', '.join(rules)} | {' | '.join(cells)} |"
        for rows, names in modes.items()
        for cells, rules in _joined(rows)
    ]
    head = "| mode | rule | " + " | ".join(f"`{word}`" if word != "none" else "nothing" for word in words)
    return "\n".join([f"{head} |", "|---" * (len(words) + 2) + "|", *lines])


def _joined(rows: Iterable[tuple[str, tuple[str, ...]]]) -> list[tuple[tuple[str, ...], list[str]]]:
    """Return the rows of one mode, with the rules that have the same one."""
    found: dict[tuple[str, ...], list[str]] = {}
    for rule, cells in rows:
        found.setdefault(cells, []).append(rule)
    return [*found.items()]


def _cell(case: Object) -> str:
    """Return what became of the call; a star marks that no hook was asked."""
    asked = bool(mapping(case.get("did")).get("ran"))
    return _CELLS[str(case["call"])] + ("" if asked else "\\*")


def main() -> None:
    """Print the tables of all agents."""
    for agent in AGENTS:
        text = tables(agent)
        if text:
            title = cast(Agent, importlib.import_module(f"tools.agents.{agent}")).TITLE
            print(f"## {title}\n\n{text}\n")


if __name__ == "__main__":
    main()

"""Hooks that do not use their streams as they should: input that nobody reads, children that hold a pipe."""

from __future__ import annotations

from tools.agents.cases.shapes import EVENTS, decision, layers_of, limited
from tools.agents.grid import printing
from tools.agents.records import Object

_RAN = 'echo a >>"$PROBE/ran"'


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    deny = printing(decision(agent)("deny", "not so"))
    bodies = {
        "input-closed": f"exec <&-; {_RAN}; sleep 0.2; {deny}",
        "input-unread": f"{_RAN}; {deny}",
        "input-part": f"head -c 5 >/dev/null; {_RAN}; {deny}",
        "input-twice": f'cat >/dev/null; cat >"$PROBE/again"; {_RAN}; {deny}',
        "output-closed": f"cat >/dev/null; {_RAN}; {deny}; exec >&-; sleep 0.2",
        "all-closed": f"cat >/dev/null; {_RAN}; {deny}; exec <&- >&- 2>&-; sleep 0.2",
        "errors-closed": f"cat >/dev/null; {_RAN}; exec 2>&-; {deny}",
        "child-errors": f"cat >/dev/null; {_RAN}; sleep 4 >/dev/null & {deny}",
        "child-free": f"cat >/dev/null; {_RAN}; sleep 4 >/dev/null 2>&1 & {deny}",
        "child-late": f"cat >/dev/null; {_RAN}; (sleep 2; {deny}) & exit 0",
        "child-session": f"cat >/dev/null; {_RAN}; setsid sleep 4 & {deny}",
        "slow-pieces": f"cat >/dev/null; {_RAN}; printf ' '; sleep 0.5; {deny}",
        "both-streams": f"cat >/dev/null; {_RAN}; echo words >&2; {deny}; echo more >&2",
        "no-newline": f"cat >/dev/null; {_RAN}; {deny} | tr -d '\\n'",
        "returns": f"cat >/dev/null; {_RAN}; {deny} | sed 's/$/\\r/'",
    }
    own: Object = {"limit": 120} if agent in ("hermes", "openhands") else {}
    event, found = EVENTS.get(agent, "PreToolUse"), list[Object]()
    for name, body in bodies.items():
        layers = layers_of(agent, {"command": "@P@/a.sh", **limited(agent, 20)})
        files: Object = {"project/a.sh": f"#!/bin/sh\n{body}\n"}
        found.append({"id": f"streams.{name}", "event": event, "layers": layers, "files": files, **own})
    return found

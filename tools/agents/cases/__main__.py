"""Print cases that have the same form for all agents: python -m tools.agents.cases TOPIC AGENT > CASES.json

They are the input of tools.agents.record. Topics are the modules that ``TOPICS`` names.
"""

from __future__ import annotations

import importlib
import json
import sys

from tools.agents.records import AGENTS

TOPICS = (
    "mixed",
    "limits",
    "settings",
    "patterns",
    "places",
    "streams",
    "updates",
    "sessions",
    "permissions",
    "notices",
    "environment",
    "sources",
    "blends",
    "losses",
    "spread",
    "sweep",
    "cross",
    "parts",
    "chance",
    "drawn",
    "tangles",
    "weaves",
)


def main(arguments: list[str]) -> int:
    """Print the cases of a topic and an agent."""
    if len(arguments) != 2 or arguments[0] not in TOPICS or arguments[1] not in AGENTS:
        print(f"{__doc__}\nTOPIC is one of {', '.join(TOPICS)}", file=sys.stderr)
        return 2
    made = importlib.import_module(f"tools.agents.cases.{arguments[0]}").cases(arguments[1])
    json.dump(made, sys.stdout, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

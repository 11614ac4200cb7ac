"""Whether Continue's cn starts hooks by now: python -m tools.agents.unstarted [PROGRAM]

Without PROGRAM npm installs the newest package in a temporary directory, or ``--version V``. Every file that cn reads has a
hook that refuses on every event. The runs are headless and in a terminal, with and without ``--auto``, and the one in a
terminal makes a summary, too. The exit status is 0 if no hook was started, as docs/contracts/without-a-contract.md and
``sandhook check`` say; 1 if one was; 2 if cn did not do what the model asked for, so that a run shows nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import cast

from tools.agents.changes import installed
from tools.agents.record import Runner, record
from tools.agents.recorder import continue_cn
from tools.agents.records import Agent, Json, Object, mapping

EVENTS = (
    *("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "UserPromptSubmit"),
    *("SessionStart", "SessionEnd", "Stop", "Notification", "SubagentStart", "SubagentStop", "PreCompact"),
    *("ConfigChange", "TeammateIdle", "TaskCompleted", "WorktreeCreate", "WorktreeRemove"),
)
_BEGIN: list[Json] = [{"see": "Ask anything|Enter", "pause": 2, "type": "do it"}, {"pause": 1, "type": "\r"}]
_LEAVE: list[Json] = [{"requests": 2, "pause": 2, "type": "/exit"}, {"pause": 1, "type": "\r"}]
_AGREE: list[Json] = [{"see": "Would you like|Yes", "pause": 2, "type": "\r"}]
_COMPACT: list[Json] = [
    {"requests": 2, "pause": 2, "type": "/compact\r"},
    {"pause": 4, "type": "/exit"},
    {"pause": 1, "type": "\r"},
]
_AUTO: list[Json] = ["--auto"]
SCENES: dict[str, Object] = {
    "headless": {},
    "headless --auto": {"args": _AUTO},
    "terminal": {"keys": [*_BEGIN, *_AGREE, *_COMPACT]},
    "terminal --auto": {"args": _AUTO, "keys": [*_BEGIN, *_LEAVE]},
}


def main(arguments: list[str]) -> int:
    """Print which hooks each run started."""
    parser = argparse.ArgumentParser(prog="python -m tools.agents.unstarted", description=__doc__)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--version", default="latest", help="the version that is installed")
    options = parser.parse_args(arguments)
    if options.program is not None:
        return report(options.program)
    with tempfile.TemporaryDirectory(prefix="agents-npm-") as directory:
        return report(installed("continue_cn", options.version, Path(directory)))


def cases() -> list[Object]:
    """Return the runs, each with hooks in all files."""
    return [
        {"id": name, "event": "*", "layers": {layer: _hooks(layer) for layer in continue_cn.LAYERS}, **scene}
        for name, scene in SCENES.items()
    ]


def _hooks(layer: str) -> Json:
    """Return a file whose hooks note the layer and the event, and refuse."""
    return {
        "hooks": {
            event: [
                {"hooks": [{"type": "command", "command": f'echo {layer}:{event} >>"$PROBE/ran"; exit 2'}]}
            ]
            for event in EVENTS
        }
    }


def report(program: str) -> int:
    """Run cn, and return the exit status."""
    started = empty = False
    for case in cases():
        made = record(cast(Runner, continue_cn), cast(Agent, continue_cn), case, program)
        seen = mapping(made["observed"])
        print(f"{case['id']}: hooks {seen['ran'] or 'none'}, files {seen['files']}", flush=True)
        started = started or bool(seen["ran"])
        empty = empty or not (seen["ran"] or seen["files"])
    return 1 if started else 2 if empty else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

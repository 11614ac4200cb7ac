"""OpenHands: its SDK has no program, so that ``openhands_run`` makes one conversation with it.

PROGRAM is the python of an environment that has openhands-sdk and openhands-tools.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tools.agents.recorder import chat
from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import TIME, Ended, World, environment, neutral
from tools.agents.records import Json, Object, listed, mapping

#: They are on PyPI, not on npm.
PACKAGE, PROGRAM = "openhands-sdk", "python"

#: What the terminal's tool shows of this machine, and the modes of its terminal.
_PYTHON, _MODES = re.compile(r"\[Python interpreter: [^\]]*\]"), re.compile(r"\\u001b\[\?2004[lh]")
_MACHINE = re.compile(r'"(username|hostname|py_interpreter_path)": "[^"]*"')


def variables(case: Object, world: World, url: str) -> dict[str, str]:
    return environment(
        world,
        case,
        MODEL_URL=url,
        LITELLM_LOCAL_MODEL_COST_MAP="True",
        LITELLM_LOG="ERROR",
        OPENHANDS_SUPPRESS_BANNER="1",
        NO_COLOR="1",
    )


def prepare(case: Object, world: World, url: str) -> None:
    """Need nothing but the files of the case."""


def command(case: Object, program: str) -> list[str]:
    return [
        program,
        "-P",
        str(Path(__file__).with_name("openhands_run.py")),
        str(case.get("prompt", "do it")),
        *(str(each) for each in listed(case.get("args"))),
    ]


def lines(case: Object) -> Json:
    return None


def observe(case: Object, world: World, model: ModelServer, ended: Ended, env: dict[str, str]) -> Json:
    seen: Object = {**chat.observed(case, world, model, ended, chat.texts), "probes": world.probes(env)}
    if ended.status == 0:
        del seen["stderr"]  # its log
    kept = neutral(
        {key: value for key, value in seen.items() if value not in ([], "", None, {})}, world, 1200
    )
    text = _PYTHON.sub("[Python interpreter: python]", json.dumps(kept))
    text = _MACHINE.sub(r'"\1": "x"', _MODES.sub("", text))
    return mapping(json.loads(TIME.sub("@TIME@", text)))

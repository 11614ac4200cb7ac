"""Cases of events that a user brings about: at a question, with a command like /compact, or by leaving.

Each agent has a module. ``tools.agents.grid`` adds the cases to those of their agents. The steps of ``keys`` are those of
tools.agents.recorder.terminal; a step that waits in vain is skipped, except the first: a hook may have answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tools.agents.grid import OUTPUTS, bodies, claude_shaped, probe, specific
from tools.agents.records import Json, Object

#: Endings that show all there is of an event whose hooks only watch, and of one whose hooks decide. A run in a
#: terminal takes half a minute, so that these are not all endings there are.
WATCHED = ("silent", "text", "exit2", "exit1", "timeout", "out.block", "out.halt", "out.context")
DECIDED = (*WATCHED, "exit2-silent", "broken", "signal", "out.top-context", "out.system")


class Scene(NamedTuple):
    """How an event comes about, and what its hooks say.

    Attributes:
        event: Its name.
        scene: The other fields of the case.
        watched: Its hooks only watch, so that few outputs show all there is.
        outputs: Further outputs.
        part: What the identifiers have after the event, if it has cases of another scene.
    """

    event: str
    scene: Object
    watched: bool = True
    outputs: Mapping[str, Object] = {}
    part: str = ""


def step(type_: str, pause: float = 0.5, **waits: Json) -> Json:
    """Return a step that is skipped if what it waits for does not come."""
    return {"patience": 20, "optional": True, **waits, "pause": pause, "type": type_}


#: The model says that it is done, and nothing else.
DONE: Json = {"text": "done"}


def project_hooks(event: str, command: str, handler: Object) -> Object:
    """Return a hook of the project, in Claude Code's form."""
    return {"project": claude_shaped(event, command, **handler)}


def grid_of(
    scenes: tuple[Scene, ...],
    layers: Callable[[str, str, Object], Object],
    limit: Object,
    files: Callable[[str], Object] = lambda event: {},
) -> list[Object]:
    """Return a case for each ending of each scene."""
    cases: list[Object] = []
    for scene in scenes:
        outputs = {**OUTPUTS, **specific(scene.event), **scene.outputs}
        ends = {**bodies(outputs), "timeout": "sleep 20; exit 2"}
        for name, body in ends.items():
            telling = WATCHED if scene.watched else DECIDED
            if name not in telling and name.removeprefix("out.") not in scene.outputs:
                continue
            made = layers(scene.event, probe("a", body), limit if name == "timeout" else {})
            identifier = ".".join(part for part in (scene.event, scene.part, name) if part)
            case: Object = {"id": identifier, "event": scene.event, "layers": made, **scene.scene}
            cases.append({**case, **files(scene.event)})
    return cases

"""The recipes of the package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pkgutil import get_data
from typing import Literal, get_args

from sandhook.errors import SandhookError
from sandhook.formats.yaml import read_yaml
from sandhook.hooks.contracts._vocabulary import ToolClass
from sandhook.hooks.event import Json, JsonObject
from sandhook.record import Record
from sandhook.text.nearest import hint

#: What the hook of a recipe does: it refuses, adds a text for the model, makes the agent continue, or none of these.
Action = Literal["refuse", "inform", "keep-working", "observe"]

#: All recipes, in the order of the list; the first four are the starter set.
NAMES = (
    "destructive-commands",
    "protected-paths",
    "secrets-in-tool-input",
    "git-history",
    "secrets-in-prompts",
    "secrets-in-tool-output",
    "pipe-to-shell",
    "network-egress",
    "branch-policy",
    "package-manager",
    "format-after-edit",
    "license-header",
    "tests-before-stop",
    "session-context",
    "audit-log",
    "turn-budget",
)

STARTERS = NAMES[:4]


class RecipeError(SandhookError):
    """An unknown recipe, or one that an agent cannot run."""


class Recipe(Record):
    """A recipe, independent of agents.

    Attributes:
        event: The neutral kind of event.
        tools: The classes of tools that it is about; () for all tools.
        timeout: Seconds.
        limits: What the hook cannot do, in lines for the head of the script.
        settings: Variables at the top of the script that its user may change, as lines.
        body: The script without the functions that it calls.
        cases: The expectations, in neutral words; those of ``library/disguises.yaml`` for the example of the recipe too.
    """

    name: str
    summary: str
    event: str
    action: Action
    tools: tuple[ToolClass, ...]
    timeout: float
    limits: str
    body: str
    cases: tuple[JsonObject, ...]


@cache
def get(name: str) -> Recipe:
    """Return a recipe by its name. Raises RecipeError, which lists what is known."""
    if name not in NAMES:
        raise RecipeError(f"unknown recipe {name!r}; {hint(name, NAMES)}")
    head = _mapping(_yaml(f"data/{name}/recipe.yaml"))
    cases = [*_list(_yaml(f"data/{name}/cases.yaml")), *_disguises(_mapping(head.get("example")))]
    return Recipe(
        name,
        _text(head, "summary"),
        _text(head, "event"),
        next(each for each in get_args(Action) if each == head["action"]),
        tuple(each for each in get_args(ToolClass) if each in _list(head.get("tools"))),
        timeout=float(_text(head, "timeout")),
        limits=_text(head, "limits"),
        body=read_data(f"data/{name}/hook.bash"),
        cases=tuple(map(_mapping, cases)),
    )


def _disguises(example: JsonObject) -> Iterator[JsonObject]:
    """Yield the cases of a command that is refused, as people and models write it otherwise."""
    if not example:
        return
    for each in map(_mapping, _list(_yaml("library/disguises.yaml"))):
        command = _text(each, "command").replace("COMMAND", _text(example, "command"))
        yield {"expect": "deny", **each, **example, "command": command}


def read_data(name: str) -> str:
    """Return the text of a file of this package."""
    data = get_data(__name__.rpartition(".")[0], name)
    if data is None:
        raise FileNotFoundError(name)
    return data.decode().replace("\r\n", "\n")


def _yaml(name: str) -> Json:
    value: Json = read_yaml(read_data(name))[0].value
    return value


def _mapping(value: Json) -> JsonObject:
    return dict(value) if isinstance(value, Mapping) else {}


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


def _text(value: JsonObject, key: str) -> str:
    return str(value[key])

"""Settings that are drawn by lot: two or three hooks before a call in several files, with switches and wrong values among them.

The topic "settings" has one fault at a time, in one file; here files with a fault stand next to sound ones, and a switch of one
next to hooks of another. The first hook lets pass, the second refuses, the third asks for nothing. A case depends on its agent
and number alone.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from tools.agents.cases.places import LAYERS, scene_of_layers
from tools.agents.cases.shapes import EVENTS, decision, layer_of, script
from tools.agents.grid import printing
from tools.agents.records import Json, Object, mapping

#: How many cases an agent has.
COUNT = 60
_ODD: tuple[Json, ...] = (
    None,
    True,
    False,
    0,
    1,
    5,
    -1,
    1.5,
    "",
    " ",
    "x",
    "1",
    "true",
    "false",
    [],
    ["x"],
    {},
    {"a": 1},
)
#: Keys of a hook and of a group, with values that some agent knows.
_OF_HOOKS: dict[str, tuple[Json, ...]] = {
    "timeout": (1, 5, 0.5, "5", 60000),
    "timeoutSec": (5,),
    "matcher": ("", "*", "nosuch", ".*"),
    "async": (True, False),
    "once": (True,),
    "name": ("one", "two"),
    "description": ("why",),
    "statusMessage": ("now",),
    "enabled": (False, True),
    "disabled": (True, False),
    "shell": ("bash", "powershell", "nosuch"),
    "if": ("Bash(rm *)", "Bash"),
    "env": ({"A": "1"},),
    "args": (["x"],),
    "cwd": ("@P@", "/", "sub"),
    "type": ("command", "Command", "http", "prompt", "nosuch"),
    "sequential": (True,),
    "commandWindows": ("exit 2",),
    "failClosed": (True,),
    "onFailure": ("block",),
}
_AT_TOP: dict[str, tuple[Json, ...]] = {
    "disableAllHooks": (True, False),
    "hooksDisabled": (True, False),
    "hooksConfig": (
        {"enabled": False},
        {"enabled": True},
        {"disabled": ["one", "@P@/b.sh"]},
        {"enabled": "false"},
    ),
    "allowManagedHooksOnly": (True, False),
    "enableHooks": (False,),
    "version": (1, 2, "1"),
    "description": ("why",),
    "$schema": ("x",),
    "permissions": ({}, {"allow": []}, 5),
    "env": ({"A": "1"}, 5),
    "tools": ({"enableHooks": False}, {"disabled": []}),
    "nosuch": (1,),
}


def cases(agent: str, numbers: range = range(COUNT)) -> list[Object]:
    """Return the cases of an agent."""
    if agent in ("cline", "mistral_vibe"):  # which has no settings of hooks, and which has no JSON
        return []
    return [_case(agent, number) for number in numbers]


def _case(agent: str, number: int) -> Object:
    lot = random.Random(f"{agent} settings {number}")
    event = EVENTS.get(agent, "PreToolUse")
    refusal = printing(decision(agent)("deny", "not so"))
    files: Object = {
        "project/a.sh": script("a", "exit 0"),
        "project/b.sh": script("b", refusal),
        "project/c.sh": script("c", "exit 0"),
    }
    own: Object = {"limit": 120} if agent in ("hermes", "openhands") else {"limit": 45}
    names: list[str] = [*LAYERS.get(agent, (layer_of(agent),))]
    scene = mapping(scene_of_layers(agent)) if agent in LAYERS else {}
    used = lot.sample(names, min(len(names), lot.choice((1, 2, 2, 3))))
    layers: Object = {name: [] for name in used}
    for label in "abc"[: lot.choice((2, 2, 3))]:
        chosen = layers[lot.choice(used)]
        assert isinstance(chosen, list)
        chosen.append({"command": f"@P@/{label}.sh"})
    made: Object = {}
    for name, hooks in layers.items():
        assert isinstance(hooks, list)
        made[name] = _written(agent, event, [mapping(hook) for hook in hooks], lot)
    extra = mapping(scene.get("files"))
    return {
        **own,
        **scene,
        "id": f"drawn.{number}",
        "event": event,
        "files": {**files, **extra},
        "layers": made,
    }


def _written(agent: str, event: str, hooks: list[Object], lot: random.Random) -> Json:
    """Return the settings of one layer, of which something may be wrong."""
    if agent == "kimi":
        return _toml(event, hooks, lot)
    handlers: list[Json] = []
    for hook in hooks:
        handler: Object = {"type": "command", **hook}
        if agent == "copilot":
            handler = {"type": "command", "bash": hook["command"]}
        if agent == "hermes":
            handler = {**hook}
        handlers.append(handler)
    groups: list[Json] = handlers
    if agent not in ("copilot", "hermes"):
        together = lot.random() < 0.5
        groups = [{"hooks": handlers}] if together else [{"hooks": [each]} for each in handlers]
    top: Object = {"version": 1} if agent == "copilot" else {}
    value: Json = {**top, "hooks": {event: groups}}
    for _ in range(lot.choices((0, 1, 2), (3, 5, 2))[0]):
        value = _mutated(value, lot)
    if agent == "hermes":
        return json.dumps(value, indent=1)
    if lot.random() < 0.15:
        return _text(json.dumps(value, indent=1), lot)
    return value


def _mutated(value: Json, lot: random.Random) -> Json:
    """Return settings with one thing changed: a value of another type, a key that is missing, added or doubled in meaning."""
    value = json.loads(json.dumps(value))
    places = [*_places(value)]
    how = lot.choice(("odd", "drop", "add", "add", "top", "top", "event", "copy"))
    if how == "top" and isinstance(value, dict):
        key = lot.choice([*_AT_TOP])
        value[key] = lot.choice(_AT_TOP[key] if lot.random() < 0.7 else _ODD)
        return value
    if how == "event" and isinstance(value, dict) and isinstance(value.get("hooks"), dict):
        key = lot.choice(("PostToolUse", "NoSuch", "pretooluse", "enabled", "disabled", "preToolUse", "Stop"))
        value["hooks"].setdefault(key, lot.choice((*_ODD, [{"hooks": []}], [{"hooks": [{}]}])))
        return value
    if not places:
        return value
    holder, place = lot.choice(places)
    if how == "odd":
        holder[place] = lot.choice(_ODD)
    elif how == "drop":
        del holder[place]
    elif how == "copy" and isinstance(holder, list):
        holder.append(holder[place])
    else:
        objects = [each[at] for each, at in places if isinstance(each[at], dict)]
        hooks = [each for each in objects if "command" in each or "bash" in each or "hooks" in each]
        target = lot.choice(hooks or [value])
        if isinstance(target, dict):
            key = lot.choice([*_OF_HOOKS])
            target[key] = lot.choice(_OF_HOOKS[key] if lot.random() < 0.6 else _ODD)
    return value


def _places(value: Json) -> Iterator[tuple[dict, int | str]]:  # type: ignore[type-arg]
    """Yield every place in a value, as an object or array and the key or index in it."""
    if isinstance(value, (dict, list)):
        for at in [*value] if isinstance(value, dict) else range(len(value)):
            yield value, at  # type: ignore[misc]
            yield from _places(value[at])  # type: ignore[index,call-overload]


def _text(text: str, lot: random.Random) -> str:
    return lot.choice(
        (
            f"// why\n{text}",
            f"{text}\n// why\n",
            text.replace("{", "{ /* why */", 1),
            f"\ufeff{text}",
            f"{text}\n{text}",
            f"{text[:-2]},\n}}",
            text.replace("]", ",]", 1),
            text.replace("\n", "\r\n"),
            text[:-1],
            "",
            "null",
            "[]",
            '"x"',
            f" \n{text}\n ",
            f'{text[:-2]},\n "hooks": {{}}\n}}',
            text.replace("{", '{"hooks": 5,', 1),
        )
    )


def _toml(event: str, hooks: list[Object], lot: random.Random) -> str:
    """Return the settings of Kimi Code."""
    lines: list[str] = []
    for hook in hooks:
        fields: Object = {"event": event, **hook}
        for _ in range(lot.choices((0, 1, 2), (3, 5, 2))[0]):
            how = lot.choice(("odd", "drop", "add", "add"))
            key = lot.choice([*fields])
            if how == "odd":
                fields[key] = lot.choice([each for each in _ODD if each is not None])
            elif how == "drop" and len(fields) > 1:
                del fields[key]
            else:
                key = lot.choice([*_OF_HOOKS])
                value = lot.choice(_OF_HOOKS[key] if lot.random() < 0.6 else _ODD)
                fields |= {} if value is None else {key: value}
        lines += ["[[hooks]]", *(f"{key} = {_inline(value)}" for key, value in fields.items())]
    if lot.random() < 0.15:
        lines.insert(0, lot.choice(("# why", "hooks = []", "nosuch = 1", "[x]", "x", "\ufeff")))
    return "\n".join(lines) + "\n"


def _inline(value: Json) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_inline(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value)

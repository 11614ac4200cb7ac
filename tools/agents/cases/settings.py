"""Settings that are not as they should be: wrong types in each key, unknown and doubled keys, odd texts.

Each file has a faulty hook ``a`` that lets pass and a sound hook ``b`` that refuses: which of them run shows whether an
agent drops the hook, the group, or the file.
"""

from __future__ import annotations

import json

from tools.agents.cases.shapes import EVENTS, decision, layer_of, layers_of, script
from tools.agents.grid import printing
from tools.agents.records import Json, Object

#: Wrong values of a key that every agent knows.
_ODD: dict[str, Json] = {"number": 5, "null": None, "list": [], "object": {}, "true": True, "text": "x"}


class _Form:
    """How an agent writes hooks before a call in JSON."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.event = EVENTS.get(agent, "PreToolUse")
        self.command = "bash" if agent == "copilot" else "command"
        self.flat = agent == "copilot"
        refusal = printing(decision(agent)("deny", "not so"))
        self.faulty: Object = {"type": "command", self.command: _noting("a")}
        self.sound: Object = {"type": "command", self.command: f"{_noting('b')}; {refusal}"}

    def group(self, hook: Json, **keys: Json) -> Json:
        return hook if self.flat else {**keys, "hooks": [hook]}

    def groups(self, *groups: Json) -> Object:
        """Return a configuration of groups before a call, the sound one last."""
        return self.top({self.event: [*groups, self.group(self.sound)]})

    def top(self, hooks: Json, **keys: Json) -> Object:
        version: Object = {"version": 1} if self.agent == "copilot" else {}
        return {**version, **keys, "hooks": hooks}


def _noting(label: str) -> str:
    return f'cat >/dev/null; echo {label} >>"$PROBE/ran"'


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    if agent in (
        "cline",
        "mistral_vibe",
    ):  # which has no settings of hooks, and which has a module of its own
        return []
    make = {"kimi": _kimi, "hermes": _hermes}.get(agent, _json)
    own: Object = {"limit": 120} if agent in ("hermes", "openhands") else {}
    event = EVENTS.get(agent, "PreToolUse")
    if agent in ("kimi", "hermes"):
        own["files"] = _scripts(agent)
    return [
        {"id": f"settings.{name}", "event": event, "layers": {layer_of(agent): value}, **own}
        for name, value in make(agent).items()
    ]


def _json(agent: str) -> dict[str, Json]:
    form = _Form(agent)
    return {**_shapes(form), **_keys(form), **_texts(form)}


def _shapes(form: _Form) -> dict[str, Json]:
    """Return values that have another type than a configuration wants in this place."""
    sound, found = form.group(form.sound), dict[str, Json]()
    for name in ("null", "list", "text"):
        found[f"hooks-{name}"] = form.top(_ODD[name])
    for name in ("null", "object", "text", "number"):
        found[f"event-{name}"] = form.top({"PostToolUse": _ODD[name], form.event: [sound]})
    found["event-unknown"] = form.top({"NoSuch": [sound], form.event: [sound]})
    found["event-unknown-odd"] = form.top({"NoSuch": 5, form.event: [sound]})
    other = form.event[0].swapcase() + form.event[1:]
    found["event-case"] = form.top({other: [form.group(form.faulty)], form.event: [sound]})
    found["event-blank"] = form.top({f"{form.event} ": [form.group(form.faulty)], form.event: [sound]})
    if form.agent == "copilot":  # which knows Claude Code's names of the events, too
        faulty: Json = [form.group(form.faulty)]
        found["event-both-after"] = form.top({form.event: [sound], other: faulty})
        found["event-both-own-first"] = form.top({form.event: faulty, other: [sound]})
        found["event-both-own-last"] = form.top({other: [sound], form.event: faulty})
    for name in ("null", "number", "text", "list", "object"):
        found[f"group-{name}"] = form.groups(_ODD[name])
    if form.flat:
        return found
    found["group-fields"] = form.groups(["", [form.faulty]])
    found["group-field"] = form.groups([""])
    found["group-fields-more"] = form.groups(["", [form.faulty], 5])
    found["hook-fields"] = form.groups({"hooks": [[*form.faulty.values()]]})
    for name in ("null", "object", "text", "list"):
        found[f"inner-{name}"] = form.groups({"matcher": "", "hooks": _ODD[name]})
    for name in ("null", "number", "text", "object"):
        found[f"hook-{name}"] = form.groups({"hooks": [_ODD[name], form.faulty]})
    for name in ("null", "number", "true", "list", "object"):
        found[f"matcher-{name}"] = form.groups(form.group(form.faulty, matcher=_ODD[name]))
    found["matcher-broken"] = form.groups(form.group(form.faulty, matcher="("))
    return found


def _keys(form: _Form) -> dict[str, Json]:
    """Return wrong values of a hook's keys, and keys that are missing or unknown."""
    found: dict[str, Json] = {}

    def hook(identifier: str, key: str, *value: Json) -> None:
        """Add a hook with another value of a key, or without the key."""
        rest = {each: kept for each, kept in form.faulty.items() if each != key}
        changed: Object = {**rest, key: value[0]} if value else rest
        found[identifier] = form.groups(form.group(changed))

    hook("type-missing", "type")
    hook("type-number", "type", 5)
    hook("type-unknown", "type", "nosuch")
    hook("type-upper", "type", "Command")
    hook("command-missing", form.command)
    for name in ("number", "null", "list"):
        hook(f"command-{name}", form.command, _ODD[name])
    hook("command-empty", form.command, "")
    hook("command-blank", form.command, "  ")
    hook("key-unknown", "nosuch", 1)
    hook("async-text", "async", "yes")
    hook("args-text", "args", "x")
    hook("env-text", "env", "x")
    hook("env-number", "env", {"A": 5})
    hook("name-number", "name", 5)
    hook("status-number", "statusMessage", 5)
    hook("once-text", "once", "yes")
    found["top-unknown"] = form.top({form.event: [form.group(form.sound)]}, nosuch=1)
    if not form.flat:
        found["group-unknown"] = form.groups(form.group(form.faulty, nosuch=1))
        found["group-sequential"] = form.groups(form.group(form.faulty, sequential="yes"))
    return found


def _texts(form: _Form) -> dict[str, Json]:
    """Return texts that are not quite JSON, or that JSON reads in more than one way."""
    value = form.groups(form.group(form.faulty))
    text = json.dumps(value, indent=1)
    groups = json.dumps([form.group(form.sound)])
    one = json.dumps([form.group(form.faulty)])
    event = json.dumps(form.event)
    head = text.partition('"hooks"')[0]
    return {
        "text-comment": f"// why\n{text}",
        "text-block": f"/* why */ {text}",
        "text-inner-comment": text.replace('"hooks"', '// why\n"hooks"', 1),
        "text-comma": f"{text[:-2]},\n}}",
        "text-inner-comma": text.replace("]", ",]", 1),
        "text-mark": f"\ufeff{text}",
        "text-crlf": text.replace("\n", "\r\n"),
        "text-tail": f"{text}\nx",
        "text-twice-event": f'{head}"hooks": {{{event}: {groups}, {event}: {one}}}}}',
        "text-twice-hooks": f'{head}"hooks": {{{event}: {groups}}}, "hooks": {{{event}: {one}}}}}',
        "text-empty": "",
        "text-blank": " \n",
        "text-null": "null",
        "text-single": text.replace('"type": "command"', "'type': 'command'"),
        "text-escape": text.replace('"command"', '"c\\u006fmmand"').replace('"bash"', '"b\\u0061sh"'),
    }


def _kimi(agent: str) -> dict[str, Json]:
    """Return texts in TOML."""
    first, second = _own_language(agent)
    text = first + second
    return {
        "text-comment": f"# why\n{text}",
        "text-mark": f"\ufeff{text}",
        "text-crlf": text.replace("\n", "\r\n"),
        "text-tail": f"{text}x\n",
        "text-twice-key": f'{first}matcher = "a"\nmatcher = "b"\n{second}',
        "text-empty": "",
        "hooks-table": f"[hooks]\n{first.partition(chr(10))[2]}",
        "hooks-list": f"hooks = []\n{text}",
        "hooks-inline": f"hooks = [5]\n[other]\n{text.replace('[[hooks]]', '[[other.hooks]]')}",
        "command-missing": f'[[hooks]]\nevent = "PreToolUse"\n{second}',
        "command-number": f'[[hooks]]\nevent = "PreToolUse"\ncommand = 5\n{second}',
        "command-list": f'[[hooks]]\nevent = "PreToolUse"\ncommand = ["true"]\n{second}',
        "command-blank": f'[[hooks]]\nevent = "PreToolUse"\ncommand = "  "\n{second}',
        "event-missing": first.replace(_PRE, "", 1) + second,
        "event-case": first.replace("PreToolUse", "preToolUse") + second,
        "event-blank": first.replace("PreToolUse", "PreToolUse ") + second,
        "event-list": first.replace(_PRE, 'event = ["PreToolUse"]\n') + second,
        "matcher-list": f"{first}matcher = []\n{second}",
        "matcher-true": f"{first}matcher = true\n{second}",
        "matcher-broken": f'{first}matcher = "("\n{second}',
        "timeout-true": f"{first}timeout = true\n{second}",
        "top-unknown": f"nosuch = 1\n{text}",
        "top-odd": f"default_model = 5\n{text}",
    }


_PRE = 'event = "PreToolUse"\n'


def _hermes(agent: str) -> dict[str, Json]:
    """Return texts in YAML."""
    head, *_ = str(layers_of(agent)["user"]).partition("  -")
    first, second = _own_language(agent)
    text = head + first + second
    return {
        "text-comment": f"# why\n{text}",
        "text-crlf": text.replace("\n", "\r\n"),
        "text-tab": text.replace("  - command", "\t- command"),
        "text-tail": f"{text}x\n",
        "text-twice-event": f"{head}{second}  pre_tool_call:\n{first}",
        "text-twice-hooks": f"{head}{second}{head}{first}",
        "text-flow": "hooks: {pre_tool_call: [{command: '@P@/a.sh'}, {command: '@P@/b.sh'}]}\n",
        "hooks-null": "hooks:\n",
        "hooks-list": "hooks:\n- command: '@P@/b.sh'\n",
        "event-null": f"hooks:\n  post_tool_call:\n  pre_tool_call:\n{first}{second}",
        "event-object": "hooks:\n  pre_tool_call:\n    command: '@P@/b.sh'\n",
        "event-text": "hooks:\n  pre_tool_call: '@P@/b.sh'\n",
        "event-unknown": f"hooks:\n  nosuch:\n{second}  pre_tool_call:\n{second}",
        "event-case": f"hooks:\n  PreToolUse:\n{first}  pre_tool_call:\n{second}",
        "hook-null": f"{head}  -\n{second}",
        "hook-number": f"{head}  - 5\n{second}",
        "hook-text": f"{head}  - '@P@/a.sh'\n{second}",
        "command-missing": f"{head}  - matcher: terminal\n{second}",
        "command-number": f"{head}  - command: 5\n{second}",
        "command-list": f"{head}  - command: ['@P@/a.sh']\n{second}",
        "command-blank": f"{head}  - command: '  '\n{second}",
        "matcher-null": f"{head}{first}    matcher:\n{second}",
        "matcher-list": f"{head}{first}    matcher: []\n{second}",
        "matcher-true": f"{head}{first}    matcher: true\n{second}",
        "timeout-list": f"{head}{first}    timeout: [1]\n{second}",
        "key-unknown": f"{head}{first}    nosuch: 1\n{second}",
        "closed-text": f'{head}{first}    fail_closed: "false"\n{second}',
    }


def _own_language(agent: str) -> tuple[str, str]:
    """Return the text of a hook that lets pass, and of one that refuses."""
    items = [str(layers_of(agent, {"command": f"@P@/{label}.sh"})["user"]) for label in ("a", "b")]
    if agent == "kimi":
        return items[0], items[1]
    first, second = (text.partition("\n")[2].partition("\n")[2] for text in items)
    return first, second


def _scripts(agent: str) -> Object:
    refusal = printing(decision(agent)("deny", "not so"))
    return {"project/a.sh": script("a", "exit 0"), "project/b.sh": script("b", refusal)}

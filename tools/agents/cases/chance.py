"""Hooks that are drawn by lot: any event that a run has, one to three hooks, their matchers and layers, outputs and endings.

Other topics vary one thing at a time; what agents and contracts disagree about together is found by mixing. A case depends
on its agent and number alone, so that a number names it.
"""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Callable
from typing import cast

from sandhook.hooks import contracts
from tools.agents.cases.places import LAYERS
from tools.agents.cases.shapes import EVENTS, decision, layer_of, layers_of, limited
from tools.agents.cases.updates import MORE, output
from tools.agents.changes import known_cases, scene_of
from tools.agents.grid import probe
from tools.agents.records import Agent, Json, Object, mapping

#: How many cases an agent has.
COUNT = 60
#: The events that most cases are about, by what they are for.
_KINDS: dict[str, dict[str, str]] = {
    "post": {
        "gemini": "AfterTool",
        "copilot": "postToolUse",
        "hermes": "post_tool_call",
        "mistral_vibe": "post_tool",
    },
    "prompt": {"gemini": "BeforeAgent", "copilot": "userPromptSubmitted", "hermes": "pre_llm_call"},
    "stop": {
        "gemini": "AfterAgent",
        "copilot": "agentStop",
        "cline": "TaskComplete",
        "mistral_vibe": "post_agent",
    },
    "start": {"copilot": "sessionStart", "hermes": "on_session_start", "cline": "TaskStart"},
}
_USUAL = {"post": "PostToolUse", "prompt": "UserPromptSubmit", "stop": "Stop", "start": "SessionStart"}
#: Events on which a hook that refuses is asked again.
AGAIN = (
    "Stop",
    "AfterAgent",
    "agentStop",
    "SubagentStop",
    "subagentStop",
    "TeammateIdle",
    "pre_verify",
    "post_agent",
)
#: The shell, as matchers see it.
TOOL = {
    **dict.fromkeys(("claude_code", "codex", "kimi"), "Bash"),
    **dict.fromkeys(("gemini", "qwen"), "run_shell_command"),
    **dict.fromkeys(("hermes", "openhands"), "terminal"),
    "copilot": "bash",
    "goose": "shell",
    "grok": "run_terminal_command",
    "droid": "Execute",
    "mistral_vibe": "bash",
}
WORDS = ("deny", "allow", "ask", "block", "approve", "defer", "none", "pass", "DENY", "Block", " deny")
TYPED: tuple[Json, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1.5,
    "",
    " ",
    "x",
    [],
    ["x"],
    {},
    {"a": 1},
    "true",
    "no",
)
_KEYS = (
    *("continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "additionalContext"),
    *("permissionDecision", "permissionDecisionReason", "action", "message", "cancel", "errorMessage"),
    *("context", "behavior", "interrupt", "modifiedArgs", "updatedInput", "hookEventName", "nosuch"),
)
LINES = (
    "plain",
    "two\nlines",
    "é ü 👩\u200d💻",
    "  blank  ",
    "{",
    "}",
    "[1]",
    "null",
    "42",
    '"text"',
    "true",
    "# note",
)


def cases(agent: str, numbers: range = range(COUNT)) -> list[Object]:
    """Return the cases of an agent."""
    known = known_cases(agent)
    return [Draw(agent, number, known).case() for number in numbers]


class Draw:
    """The draws of one case."""

    def __init__(self, agent: str, number: int, known: list[Object]) -> None:
        self.agent, self.number, self.known = agent, number, known
        self.lot = random.Random(f"{agent} {number}")
        self.event, self.scene = self._scene()

    def case(self) -> Object:
        """Return the case."""
        count = self.lot.choices((1, 2, 3), (6, 3, 1))[0]
        delays = [0.0, 0.5, 1.0][:count]
        self.lot.shuffle(delays)
        files, hooks = mapping(self.scene.get("files")), list[Object]()
        for label, delay in zip("abc", delays, strict=False):
            hook: Object = {"command": f"@P@/{label}.sh"}
            body = self._body()
            if self.lot.random() < 0.04 and self.agent != "cline":
                body, hook = (
                    f"{body.rpartition(chr(10))[0] or body}\nsleep 9",
                    {**hook, **limited(self.agent, 1)},
                )
            elif delay:
                body = f"sleep {delay}\n{body}"
            if self.event in AGAIN:
                body = f'[ -e "$PROBE/once-{label}" ] && exit 0; : >"$PROBE/once-{label}"\n{body}'
            files = {**files, f"project/{label}.sh": f"#!/bin/sh\n{probe(label)}\n{body}\n"}
            hooks.append(hook)
        own: Object = {"limit": 120} if self.agent in ("hermes", "openhands") else {"limit": 45}
        return {
            **own,
            **self.scene,
            "id": f"chance.{self.number}",
            "event": self.event,
            "files": {**files, **self._files(hooks)},
            "layers": self._layers(hooks),
        }

    # The event.

    def _scene(self) -> tuple[str, Object]:
        """Return an event, and what brings it about."""
        before = EVENTS.get(self.agent, "PreToolUse")
        kind = self.lot.choices(("pre", *_USUAL, "other"), (8, 2, 2, 2, 1, 3))[0]
        found = {str(each["event"]): each for each in self.known if self._usable(each)}
        event = before
        if kind in _USUAL:
            event = _KINDS[kind].get(self.agent, _USUAL[kind])
        elif kind == "other" and found:
            event = self.lot.choice(sorted(found))
        if event not in found:
            if kind in ("prompt", "stop", "start") and event in contracts.get(self.agent).events:
                return event, {"script": [{"text": "done"}]}
            return before, {}
        description = cast(Agent, importlib.import_module(f"tools.agents.{self.agent}"))
        scene = scene_of(description, found[event])
        files = mapping(scene.get("files"))
        kept: Object = {
            name: text
            for name, text in files.items()
            if not name.startswith("project/") or not name.endswith(".sh")
        }
        dropped = ("id", "event", "layers", "files", "limit")
        return event, {
            **{key: value for key, value in scene.items() if key not in dropped},
            **({"files": kept} if kept else {}),
        }

    def _usable(self, case: Object) -> bool:
        """Return whether a recorded case brings its event about without a user and without settings."""
        event, identifier = str(case["event"]), str(case["id"])
        if not identifier.startswith(f"{event}.") or "keys" in mapping(case.get("scene")):
            return False
        if identifier.count(".") > 1 or "did" not in case or not mapping(case["did"]).get("ran"):
            return False
        return identifier.rsplit(".", 1)[-1] in (
            "silent",
            "text",
            "exit1",
            "exit2",
            "pass",
            "context",
            "block",
        )

    # What hooks do.

    def _body(self) -> str:
        parts = [self._printed()] if self.lot.random() < 0.85 else []
        if self.lot.random() < 0.35:
            parts.insert(self.lot.randrange(len(parts) + 1), shown(self.lot.choice(LINES) + "\n", " >&2"))
        ending = self.lot.choices(("0", "2", "1", "any", "signal"), (11, 5, 2, 2, 1))[0]
        if ending == "any":
            ending = str(self.lot.randrange(3, 256))
        if ending == "signal":
            parts.append(f"kill -{self.lot.choice(('TERM', 'KILL', 'HUP'))} $$")
        elif ending != "0":
            parts.append(f"exit {ending}")
        return "\n".join(parts) or "exit 0"

    def _printed(self) -> str:
        """Return shell text that prints something."""
        if self.lot.random() < 0.12:
            return shown(self.lot.choice(LINES) + self.lot.choice(("", "\n", "\n\n")))
        value = self._value()
        for _ in range(self.lot.choices((0, 1, 2, 3), (5, 4, 2, 1))[0]):
            value = self._mutated(value)
        text = json.dumps(value, ensure_ascii=self.lot.random() < 0.5)
        if self.lot.random() < 0.35:
            text = self.lot.choice(_FORMS)(text, value, self.lot)
        return shown(text + self.lot.choice(("\n", "\n", "\n", "")))

    def _value(self) -> Object:
        """Return an output that means something to the agent, on some event."""
        lot, agent, event = self.lot, self.agent, self.event
        word = lot.choice(WORDS[:5]) if lot.random() < 0.8 else lot.choice(WORDS)
        nested: Object = {"hookEventName": event, "additionalContext": "more to know"}
        changed: Object = {"command": "touch other", **MORE.get(agent, {})}
        makers: list[Callable[[], Object]] = [
            lambda: decision(agent)(word, "out"),
            lambda: decision(agent)("deny", "out"),
            lambda: {"decision": word, "reason": "top"},
            lambda: {"decision": "deny" if agent == "gemini" else "block", "reason": "top"},
            lambda: {"hookSpecificOutput": nested},
            lambda: {
                "hookSpecificOutput": {**nested, "permissionDecision": word, "permissionDecisionReason": "in"}
            },
            lambda: {"continue": False, "stopReason": "over"},
            lambda: {"systemMessage": "a notice", "suppressOutput": lot.random() < 0.5},
            lambda: output(agent, changed, word),
            lambda: {**decision(agent)(word, "out"), "systemMessage": "a notice", "continue": True},
            lambda: {"additionalContext": "top context", **decision(agent)("allow", "fine")},
        ]
        weights = (4, 4, 2, 3, 3, 2, 2, 1, 2, 1, 1)
        value = lot.choices(makers, weights)[0]()
        inner = value.get("hookSpecificOutput")
        if isinstance(inner, dict) and lot.random() < 0.85:
            return {**value, "hookSpecificOutput": {**inner, "hookEventName": event}}
        return value

    def _mutated(self, value: Object) -> Object:
        """Return an output with one thing changed."""
        lot = self.lot
        inner = value.get("hookSpecificOutput")
        if isinstance(inner, dict) and lot.random() < 0.6:
            return {**value, "hookSpecificOutput": self._mutated(inner)}
        how = lot.choice(("type", "word", "add", "drop", "case", "unknown", "type"))
        keys = [*value] or ["nosuch"]
        key = lot.choice(keys)
        if how == "type":
            return {**value, key: lot.choice(TYPED)}
        if how == "word":
            return {**value, key: lot.choice(WORDS)}
        if how == "add":
            word = lot.choice(WORDS) if lot.random() < 0.5 else lot.choice(TYPED)
            return {**value, lot.choice(_KEYS): word}
        if how == "drop":
            return {name: each for name, each in value.items() if name != key}
        if how == "case":
            other = lot.choice((key.upper(), key.capitalize(), f"{key} ", _snake(key)))
            return {(other if name == key else name): each for name, each in value.items()}
        return {**value, "nosuch": {"deep": [value.get(key), {"decision": "allow"}]}}

    # Where hooks are.

    def _layers(self, hooks: list[Object]) -> Object:
        agent, lot, event = self.agent, self.lot, self.event
        matched = [self._matched(hook) for hook in hooks]
        if agent == "cline":
            return layers_of(agent, *hooks) if event == "PreToolUse" else {}
        if agent in ("kimi", "hermes", "mistral_vibe"):
            return layers_of(agent, *matched, event=event)
        names: list[str] = [layer_of(agent)]
        if agent in LAYERS and lot.random() < 0.3:
            names = [*LAYERS[agent][: 3 if agent != "codex" else 2]]
        layers: Object = {}
        groups: dict[str, list[Json]] = {}
        for hook in matched:
            group = groups.setdefault(lot.choice(names), [])
            rest = {key: value for key, value in hook.items() if key != "matcher"}
            handler: Object = {"type": "command", **rest}
            if agent == "copilot":
                renamed = {"command": "bash", "timeout": "timeoutSec"}
                group.append({renamed.get(key, key): value for key, value in {**handler, **hook}.items()})
                continue
            own: Object = {"matcher": hook["matcher"]} if "matcher" in hook else {}
            group.append({**own, "hooks": [handler]})
        for name, each in groups.items():
            top: Object = {"version": 1} if agent == "copilot" else {}
            layers[name] = {**top, "hooks": {event: each}}
        return layers

    def _matched(self, hook: Object) -> Object:
        """Return a hook with a matcher, if the lot has one."""
        if self.lot.random() > 0.3 or self.agent == "cline":
            return hook
        name = TOOL[self.agent]
        if self.lot.random() < 0.15:
            name = self.lot.choice(("startup", "do it", "done", "other"))
        return {**hook, "matcher": self.lot.choice(MATCHERS)(name)}

    def _files(self, hooks: list[Object]) -> Object:
        """Return the hooks of Cline that are no layers of its records."""
        if self.agent != "cline" or self.event == "PreToolUse":
            return {}
        ends = zip(hooks, ("", ".bash", ".sh"), strict=False)
        return {f"project/.cline/hooks/{self.event}{end}": f"exec {hook['command']}\n" for hook, end in ends}


MATCHERS: tuple[Callable[[str], str], ...] = (
    *(lambda name: name, lambda name: name.swapcase(), lambda name: name[:-1], lambda name: f"^{name}$"),
    *(
        lambda name: f"{name}|Other",
        lambda name: f"Other|{name}",
        lambda name: f" {name}",
        lambda name: f"{name} ",
    ),
    *(
        lambda name: f"Other | {name}",
        lambda name: "*",
        lambda name: "",
        lambda name: ".*",
        lambda name: "Other",
    ),
    *(
        lambda name: f"{name},Other",
        lambda name: f"Other, {name}",
        lambda name: f"/{name}/",
        lambda name: f"{name}*",
    ),
    *(lambda name: f"({name}", lambda name: f"[{name[0]}]{name[1:]}", lambda name: f"(?i){name.upper()}"),
    *(lambda name: f"{name}\\b", lambda name: f"!{name}", lambda name: f"^(?!{name})", lambda name: ".+"),
    *(lambda name: "\\w+", lambda name: f"{name}|", lambda name: f"|{name}", lambda name: f"{name}(touch *)"),
    *(
        lambda name: f"{name}\n",
        lambda name: f"{name[:2]}?{name[2:]}",
        lambda name: "^(?:.*)$",
        lambda name: "é",
    ),
    *(
        lambda name: f"(?<x>{name})",
        lambda name: f"{name}{{1}}",
        lambda name: f"{name[:-1]}.",
        lambda name: "**",
    ),
)


def _snake(key: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in key)


_Form = Callable[[str, Object, random.Random], str]


def _doubled(text: str, value: Object, lot: random.Random) -> str:
    """Return an object with one key twice."""
    if not value:
        return text
    key = lot.choice([*value])
    other = lot.choice([*WORDS, *TYPED])
    return f"{text[:-1]}, {json.dumps(key)}: {json.dumps(other)}}}"


_FORMS: tuple[_Form, ...] = (
    lambda text, value, lot: json.dumps(value, indent=2),
    lambda text, value, lot: json.dumps(value, indent=1).replace("\n", "\r\n"),
    lambda text, value, lot: f"\ufeff{text}",
    lambda text, value, lot: f" \n\t{text}",
    lambda text, value, lot: f"{text}\n\n \t",
    lambda text, value, lot: f"note\n{text}",
    lambda text, value, lot: f"{text}\nnote",
    lambda text, value, lot: f"{{}}\n{text}",
    lambda text, value, lot: f"{text}\n{{}}",
    lambda text, value, lot: f"{text}{text}",
    lambda text, value, lot: text[: -lot.randrange(1, 6)],
    lambda text, value, lot: text[1:],
    lambda text, value, lot: text.replace('"', "'"),
    lambda text, value, lot: f"[{text}]",
    lambda text, value, lot: json.dumps(text),
    lambda text, value, lot: f"```json\n{text}\n```",
    lambda text, value, lot: f"{text} // why",
    lambda text, value, lot: f"{text[:-1]},}}",
    lambda text, value, lot: text.replace(": ", ":").replace(", ", ","),
    lambda text, value, lot: text.replace("out", "o\u0000t"),
    lambda text, value, lot: text.replace("out", "o\ufffft"),
    _doubled,
    _doubled,
)


def shown(text: str, to: str = "") -> str:
    """Return shell text that writes a text."""
    if text.isascii() and text.isprintable() and "'" not in text:
        return f"printf '%s' '{text}'{to}"
    if text.endswith("\n") and text[:-1].isascii() and text[:-1].isprintable() and "'" not in text:
        return f"printf '%s\\n' '{text[:-1]}'{to}"
    octal = "".join(
        f"\\{byte:03o}" for byte in text.encode("utf-8", "surrogatepass").replace(b"\xef\xbf\xbf", b"\xff")
    )
    return f"printf '{octal}'{to}"

"""Tangles that are drawn by lot: decisions that disagree, in pieces, on both streams, too large, or in odd characters.

The topic "chance" changes one or two things of an output. Here several hooks of one event mix what they print, change arguments
one after the other, print more than a reader expects, nest decisions in each other, and stand in several layers, of which one may
switch hooks off. A case depends on its agent and number alone.
"""

from __future__ import annotations

import json
import random

from tools.agents.cases.chance import AGAIN, MATCHERS, TOOL, TYPED, WORDS, Draw, shown
from tools.agents.cases.places import LAYERS, scene_of_layers
from tools.agents.cases.shapes import decision, layer_of, layers_of, limited
from tools.agents.cases.updates import MORE, output
from tools.agents.changes import known_cases
from tools.agents.grid import probe
from tools.agents.records import Json, Object, listed, mapping

#: How many cases an agent has.
COUNT = 60
_TEXTS = (
    "tab\there",
    "bell\u0007 escape\u001b[31mred\u001b[0m",
    "null\u0000byte",
    "cr\rlf\r\nend",
    "separators\u2028and\u2029 and\u0085",
    "right\u202eleft",
    "mark\ufeffinside",
    "e\u0301 \U0001f468\u200d\U0001f469 \U00010348",
    "del\u007f c1\u0090",
    "half \ud83d of a pair",
    "<b>&amp;</b> <system-reminder>x</system-reminder>",
    "`code` $(date) ${HOME} %s \\n \\u0041",
    "quote \" and ' and \\",
    "  blanks around \n\n",
    "line one\nline two\n\n\nline five",
)
_SIZES = (2_100, 9_990, 10_010, 33_000, 70_000, 150_000)
_SWITCHES: tuple[Object, ...] = (
    {"disableAllHooks": True},
    {"disableAllHooks": False},
    {"disableAllHooks": "true"},
    {"hooksConfig": {"enabled": False}},
    {"hooksConfig": {"enabled": True, "disabled": ["@P@/b.sh"]}},
    {"hooksConfig": {"disabled": ["@P@/a.sh", "nosuch"]}},
    {"allowManagedHooksOnly": True},
    {"hooksDisabled": True},
    {"tools": {"enableHooks": False}},
)


def cases(agent: str, numbers: range = range(COUNT)) -> list[Object]:
    """Return the cases of an agent."""
    known = known_cases(agent)
    return [Tangle(agent, number, known).case() for number in numbers]


class Tangle(Draw):
    """The draws of one case."""

    SIGN = "tangle"
    TOPIC = "tangles"

    def __init__(self, agent: str, number: int, known: list[Object]) -> None:
        super().__init__(agent, number, known)
        self.lot = random.Random(f"{agent} {self.SIGN} {number}")
        self.event, self.scene = self._scene()

    def case(self) -> Object:
        """Return the case."""
        lot, files, hooks = self.lot, {**mapping(self.scene.get("files"))}, list[Object]()
        count = lot.choices((1, 2, 3), (4, 4, 3))[0]
        delays = [0.0, 0.5, 1.0][:count]
        lot.shuffle(delays)
        for label, delay in zip("abc", delays, strict=False):
            body = lot.choice(
                (self._mixed, self._odd, self._large, self._nested, self._typed, self._changed, self._late)
            )()
            hooks.append(self._hook(label, body, delay, files))
        return self._finished(files, hooks)

    def _hook(self, label: str, body: str, delay: float, files: Object) -> Object:
        """Add the script of a hook to the files; return the hook."""
        hook: Object = {"command": f"@P@/{label}.sh"}
        if "sleep 9" in body and self.agent != "cline":
            hook |= limited(self.agent, 1)
        if delay:
            body = f"sleep {delay}\n{body}"
        if self.event in AGAIN:
            body = f'[ -e "$PROBE/once-{label}" ] && exit 0; : >"$PROBE/once-{label}"\n{body}'
        files[f"project/{label}.sh"] = f"#!/bin/sh\n{probe(label)}\n{body}\n"
        return hook

    def _finished(self, files: Object, hooks: list[Object]) -> Object:
        """Return the case of these hooks, in the layers that are drawn now."""
        own: Object = {"limit": 120} if self.agent in ("hermes", "openhands") else {"limit": 45}
        layers = self._layers(hooks)
        more = mapping(scene_of_layers(self.agent)) if "plugin" in layers else {}
        files |= mapping(more.get("files"))
        if "args" in more and "args" in self.scene:
            more = {**more, "args": [*listed(self.scene["args"]), *listed(more["args"])]}
        return {
            **own,
            **self.scene,
            **more,
            "id": f"{self.TOPIC}.{self.number}",
            "event": self.event,
            "files": {**files, **self._files(hooks)},
            "layers": layers,
        }

    # What hooks do.

    def _ending(self) -> str:
        return self.lot.choices(("", "\nexit 2", "\nexit 1", "\nexit 77"), (6, 4, 2, 1))[0]

    def _decided(self) -> Object:
        """Return a decision or another output that means something on the event."""
        lot = self.lot
        word = lot.choice(WORDS[:5])
        specific: Object = {"hookEventName": self.event, "additionalContext": f"context {lot.randrange(100)}"}
        value = lot.choice(
            (
                decision(self.agent)(word, f"reason {lot.randrange(100)}"),
                decision(self.agent)("deny", f"reason {lot.randrange(100)}"),
                {"decision": lot.choice(("block", "deny")), "reason": f"top {lot.randrange(100)}"},
                {"hookSpecificOutput": specific},
                {"continue": False, "stopReason": f"over {lot.randrange(100)}"},
                {"systemMessage": "a notice", "additionalContext": "top context", "context": "own context"},
            )
        )
        inner = value.get("hookSpecificOutput")
        if isinstance(inner, dict):
            return {**value, "hookSpecificOutput": {**inner, "hookEventName": self.event}}
        return value

    def _mixed(self) -> str:
        """Return a body that prints an object and texts to both streams, in pieces."""
        lot, text = self.lot, json.dumps(self._decided())
        how = lot.randrange(7)
        half = lot.randrange(1, len(text))
        parts = (
            [shown(text[:half]), "sleep 0.2", shown("warn\n", " >&2"), shown(text[half:] + "\n")],
            [shown(text + "\n", " >&2")],
            [shown(text + "\n"), shown(json.dumps(self._decided()) + "\n", " >&2")],
            [shown(text + "\n"), shown(json.dumps(self._decided()) + "\n")],
            [shown("note\n", " >&2"), shown("\n\n" + text), shown("more\n", " >&2")],
            [shown("first line\n"), shown(text + "\n", " >&2"), shown("last line\n")],
            [f"exec 2>&1; {shown(text + chr(10))}; echo err >&2"],
        )[how]
        return "\n".join(parts) + self._ending()

    def _odd(self) -> str:
        """Return a body whose texts have odd characters, as they are or escaped."""
        lot, chosen = self.lot, self.lot.choice(_TEXTS)
        if lot.random() < 0.25:
            return shown(chosen + "\n", lot.choice((" >&2", ""))) + lot.choice(("\nexit 2", "\nexit 1", ""))
        value = _filled(self._decided(), chosen)
        text = json.dumps(value, ensure_ascii=lot.random() < 0.6)
        if lot.random() < 0.2:  # control characters that JSON wants escaped
            text = text.replace("\\t", "\t").replace("\\n", "\n").replace("\\u0007", "\u0007")
        return shown(text + "\n") + self._ending()

    def _large(self) -> str:
        """Return a body that prints much: a text in an object, blanks around it, or standard error."""
        lot, size = self.lot, self.lot.choice(_SIZES)
        text = json.dumps(_filled(self._decided(), "@LONG@")).replace("'", "")
        before, _, after = text.partition("@LONG@")
        middle = f"head -c {size} /dev/zero | tr '\\0' x"
        blanks = f"head -c {size} /dev/zero | tr '\\0' ' '"
        whole = shown(json.dumps(self._decided()) + "\n")
        parts = lot.choice(
            (
                [shown(before), middle, shown(after.replace("@LONG@", "y"))],
                [blanks, whole],
                [whole, blanks],
                [f"{middle} >&2", whole],
                [middle],
            )
        )
        return "\n".join(parts) + self._ending()

    def _nested(self) -> str:
        """Return a body that prints decisions inside of each other."""
        lot, outer, inner = self.lot, self._decided(), self._decided()
        value: Json = lot.choice(
            (
                {**outer, "hookSpecificOutput": {**mapping(outer.get("hookSpecificOutput")), **inner}},
                {**outer, "reason": inner},
                {"output": outer},
                {"hooks": [outer, inner]},
                {**outer, "nosuch": {"deep": {"deeper": inner}}},
                {**inner, **outer, "hookSpecificOutput": [mapping(inner.get("hookSpecificOutput"))]},
                {**outer, "hookSpecificOutput": {"hookSpecificOutput": inner}},
            )
        )
        text = json.dumps(value)
        if lot.random() < 0.3:
            depth = lot.choice((30, 120, 130, 260))
            text = f'{text[:-1]}, "nosuch": {"[" * depth}{"]" * depth}}}'
        if lot.random() < 0.3:  # one key twice, in the whole or in a part
            at = lot.choice([place for place, sign in enumerate(text) if sign == "{"])
            key = lot.choice(("decision", "permissionDecision", "reason", "hookSpecificOutput", "continue"))
            rest = "" if text[at + 1] == "}" else ", "
            text = f"{text[: at + 1]}{json.dumps(key)}: {json.dumps(lot.choice((*WORDS, *TYPED)))}{rest}{text[at + 1 :]}"
        return shown(text + "\n") + self._ending()

    def _typed(self) -> str:
        """Return a body that prints every field with a value of another type, or most of them with null."""
        lot, value = self.lot, self._decided()
        fields = [*value, "continue", "suppressOutput", "systemMessage", "reason"]
        for key in lot.sample(fields, lot.randrange(1, 4)):
            value = {**value, key: lot.choice(TYPED) if lot.random() < 0.6 else None}
        inner = value.get("hookSpecificOutput")
        if isinstance(inner, dict) and inner:
            value = {**value, "hookSpecificOutput": {**inner, lot.choice([*inner]): lot.choice(TYPED)}}
        return shown(json.dumps(value) + "\n") + self._ending()

    def _changed(self) -> str:
        """Return a body that changes the arguments of the call."""
        lot, name = self.lot, self.lot.choice(("other", "third", "fourth"))
        command: Object = {"command": f"touch {name}", **MORE.get(self.agent, {})}
        value: Json = lot.choice(
            (command, command, {"command": f"touch {name}"}, {**command, "nosuch": None}, {}, None, [command])
        )
        word = lot.choice(("allow", "allow", "ask", "deny", "none"))
        return shown(json.dumps(output(self.agent, value, word)) + "\n") + self._ending()

    def _late(self) -> str:
        """Return a body that the time limit ends, or that ends itself after an output."""
        text = shown(json.dumps(self._decided()) + "\n")
        return self.lot.choice(
            (
                f"{text}\nsleep 9",
                f"{text}\nexec sleep 9",
                f"trap '' TERM\n{text}\nsleep 9",
                f"{text}\n(sleep 9) &\nexit 2",
                f"{text}\nkill -TERM $$",
                f"trap 'exit 2' EXIT\n{text}",
                f"exec >&-\n{text}",
                f"{text}\nexec 1>&- 2>&-\nsleep 0.3\nexit 2",
            )
        )

    # Where hooks are.

    def _layers(self, hooks: list[Object]) -> Object:
        lot, agent = self.lot, self.agent
        if agent not in LAYERS or lot.random() < 0.5:
            return super()._layers(hooks)
        used = lot.sample([*LAYERS[agent]], 2)
        layers: Object = {}
        for name in used:
            mine = [hook for hook in hooks if lot.random() < 0.6]
            mine = [self._with_matcher(hook) for hook in mine]
            one = mapping(layers_of(agent, *mine, event=self.event)).get(layer_of(agent)) if mine else {}
            made = mapping(json.loads(json.dumps(one)))
            self._moved(made)
            if lot.random() < 0.2:
                made |= lot.choice(_SWITCHES)
            layers[name] = {"version": 1, **made} if agent == "copilot" else made
        return layers

    def _with_matcher(self, hook: Object) -> Object:
        if self.lot.random() < 0.5:
            return hook
        return {**hook, "matcher": self.lot.choice(MATCHERS)(TOOL.get(self.agent, "x"))}

    def _moved(self, settings: Object) -> None:
        """Move matchers from hooks to groups of their own."""
        if self.agent == "copilot":
            return
        hooks = mapping(settings.get("hooks"))
        for event, groups in hooks.items():
            moved: list[Json] = []
            for group in listed(groups):
                for each in listed(mapping(group).get("hooks")):
                    hook = {**mapping(each)}
                    matcher = hook.pop("matcher", None)
                    moved.append({**({} if matcher is None else {"matcher": matcher}), "hooks": [hook]})
            hooks[event] = moved


def _filled(value: Object, text: str) -> Object:
    """Return an output with a text in place of its own texts for people and the model."""
    filled: Object = {}
    for key, each in value.items():
        if isinstance(each, dict):
            filled[key] = _filled(each, text)
        elif isinstance(each, str) and key.lower().endswith(("reason", "message", "context")):
            filled[key] = text
        else:
            filled[key] = each
    return filled

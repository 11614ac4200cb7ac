"""Weaves that are drawn by lot: hooks that answer with what they received, in groups with matchers, with keys of their own.

Here hooks of one event repeat fields of their payload, variables and the working directory in their answers, several of them give
context or change arguments in an order that their delays turn round, and some stand twice in a file or in two files. Their keys
switch them off, run them once or in the background. Some calls are those of a server's tool. A case depends on its agent and
number alone.
"""

from __future__ import annotations

import json

from tools.agents.cases.chance import TOOL, shown
from tools.agents.cases.patterns import TOOLS, with_server
from tools.agents.cases.places import LAYERS
from tools.agents.cases.shapes import EVENTS, decision, layer_of, layers_of
from tools.agents.cases.tangles import Tangle
from tools.agents.cases.updates import MORE, output
from tools.agents.changes import known_cases
from tools.agents.records import Json, Object, mapping

#: How many cases an agent has.
COUNT = 60
#: Matchers, in which NAME is the tool.
_MATCHERS = (
    *(
        "NAME",
        "NAME",
        "",
        "*",
        ".*",
        "^NAME$",
        "^NAME",
        "NAME$",
        "NAME|Edit|Write",
        "Edit|NAME",
        "^(NAME|Edit)$",
    ),
    *("^$", ".", "\\bNAME\\b", "(NAME)", "(?i:NAME)", "[A-Za-z_]+", "\\S+", "[[:alpha:]]+.*", "\\w*\\W*\\w*"),
    *(
        "NAME,Edit",
        "NAME, Edit",
        "NAME;Edit",
        "NAME Edit",
        "NAME ||Edit",
        "/NAME/i",
        "'NAME'",
        '"NAME"',
        "name:NAME",
    ),
    *(
        "mcp__.*__.*",
        "mcp__srv__touch|NAME",
        "mcp__*",
        "^mcp",
        "mcp__[^_]+__.+",
        "^(?!mcp).*",
        "^[^m]",
        "(?=.)NAME",
    ),
    *(
        "NAM[E]",
        "NAME?",
        "NAME+",
        "N.*",
        "NAME{2}",
        "(NAME",
        "NAME)",
        "[NAME",
        "NAME\\",
        "NAME\\d*",
        "!NAME",
        "**",
    ),
    *(
        "\\QNAME\\E",
        "\\p{L}+",
        "(?#x)NAME",
        "(?s).*",
        "(?-i)NAME",
        "NAME\\z",
        "NAME\\Z",
        "\\ANAME",
        "NAME$\n",
        "^.{1,99}$",
    ),
)
#: Keys of a hook that most agents do not have, or that some read in a way of their own.
_KEYS: tuple[Object, ...] = (
    {"once": True},
    {"async": True},
    {"async": False},
    {"asyncRewake": True},
    {"statusMessage": "now"},
    {"description": "why"},
    {"enabled": False},
    {"disabled": True},
    {"name": "one"},
    {"shell": "bash"},
    {"args": []},
    {"if": "Bash(touch *)"},
    {"if": "Bash(rm *)"},
    {"env": {"MADE": "up"}},
    {"cwd": "@W@/home"},
    {"sequential": True},
    {"failClosed": True},
    {"onFailure": "block"},
    {"on_failure": "block"},
    {"fail_closed": True},
    {"strict": True},
    {"nosuch": {"a": 1}},
)
_AT_TOP: tuple[Object, ...] = (
    {"description": "why"},
    {"$schema": "x"},
    {"disableAllHooks": True},
    {"disableAllHooks": False},
    {"hooksDisabled": True},
    {"hooksConfig": {"enabled": True}},
    {"hooksConfig": {"disabled": ["@P@/b.sh"]}},
    {"allowManagedHooksOnly": True},
    {"nosuch": None},
)
#: Shell text that shows what a hook has; LABEL is its own.
_SEEN = (
    '"${PWD##*/}"',
    '"$0" "$#"',
    '"${CLAUDE_PROJECT_DIR:-no} ${GEMINI_PROJECT_DIR:-no} ${QWEN_PROJECT_DIR:-no}"',
    '"${CLAUDE_PLUGIN_ROOT:-no} ${FACTORY_PROJECT_DIR:-no} ${CODEX_HOME:-no} ${PLUGIN_ROOT:-no} ${GROK_HOME:-no}"',
    '"${MADE:-no} ${CLAUDECODE:-no} ${CLAUDE_CODE_ENTRYPOINT:-no} ${CI:-no}"',
    '"$(sed \'s/.*"\\(tool_name\\|toolName\\)": *"\\([^"]*\\)".*/\\2/;q\' "$PROBE/LABEL.stdin" | head -c 200)"',
    '"$(grep -o \'"[A-Za-z_]*": *\' "$PROBE/LABEL.stdin" | tr -d \'\\n":\')"',
    '"$(wc -l <"$PROBE/LABEL.stdin" | tr -d " ")"',
    '"$(grep -c \': \' "$PROBE/LABEL.stdin")"',
    '"$(cat)"',
    '"$(ls "$PROBE"/*.stdin | wc -l | tr -d " " | sed s/./n/)"',
)


def cases(agent: str, numbers: range = range(COUNT)) -> list[Object]:
    """Return the cases of an agent."""
    known = known_cases(agent)
    return [_Weave(agent, number, known).case() for number in numbers]


class _Weave(Tangle):
    """The draws of one case."""

    SIGN = "weave"
    TOPIC = "weaves"

    def __init__(self, agent: str, number: int, known: list[Object]) -> None:
        super().__init__(agent, number, known)
        self.name = TOOL.get(agent, "x")
        self.served = (
            agent in TOOLS and self.event == EVENTS.get(agent, "PreToolUse") and self.lot.random() < 0.15
        )
        if self.served:
            self.name, scene = TOOLS[agent]
            self.scene = {**scene}

    def case(self) -> Object:
        """Return the case."""
        lot, files, hooks = self.lot, {**mapping(self.scene.get("files"))}, list[Object]()
        count = lot.choices((1, 2, 3), (2, 5, 4))[0]
        delays = [0.0, 0.6, 1.2][:count]
        lot.shuffle(delays)
        theme = lot.choice(("any", "any", "any", "contexts", "changes", "refusals"))
        for label, delay in zip("abc", delays, strict=False):
            body = self._woven(label, theme)
            hook = self._hook(label, body, delay, files)
            if self.agent != "cline" and lot.random() < 0.45:
                hook["matcher"] = lot.choice(_MATCHERS).replace("NAME", self.name)
            if self.agent not in ("cline", "kimi", "mistral_vibe") and lot.random() < 0.2:
                hook |= lot.choice(_KEYS)
            hooks.append(hook)
        return self._finished(files, hooks)

    # What hooks do.

    def _woven(self, label: str, theme: str) -> str:
        lot = self.lot
        if theme == "contexts":
            return self._context(label)
        if theme == "changes" and self.agent in MORE:
            return self._change(label)
        if theme == "refusals":
            return self._refusal(label)
        made = lot.choices(
            (
                self._echo,
                self._context,
                self._change,
                self._refusal,
                lambda _: self._printed(),
                lambda _: self._typed(),
                lambda _: self._nested(),
                lambda _: self._late(),
                lambda _: self._mixed(),
                lambda _: self._large(),
            ),
            (6, 3, 3, 4, 3, 2, 2, 2, 2, 1),
        )[0]
        return made(label)

    def _echo(self, label: str) -> str:
        """Return a body that answers with what the hook has."""
        lot = self.lot
        value = lot.choice(
            (
                decision(self.agent)("deny", "SEEN"),
                {"hookSpecificOutput": {"hookEventName": self.event, "additionalContext": "SEEN"}},
                {"decision": "block", "reason": "SEEN"},
                {"continue": False, "stopReason": "SEEN"},
                "SEEN",
            )
        )
        parts = [lot.choice(_SEEN).replace("LABEL", label) for _ in range(lot.choice((1, 2)))]
        text = value if isinstance(value, str) else json.dumps(value)
        text = text.replace("%", "%%").replace("SEEN", f"{label}:" + " %s" * len(parts))
        status, to = lot.choice((("", ""), ("", ""), ("", ""), ("\nexit 2", " >&2"), ("\nexit 2", "")))
        # what names a place has no quotes; keys of a payload have none either
        return f"printf '{text}\\n' {' '.join(parts)}{to}{status}"

    def _context(self, label: str) -> str:
        lot, text = self.lot, f"context of {label}"
        value = lot.choice(
            (
                {"hookSpecificOutput": {"hookEventName": self.event, "additionalContext": text}},
                {"hookSpecificOutput": {"hookEventName": self.event, "additionalContext": text}},
                {"additionalContext": text},
                {"context": text},
                {"systemMessage": text},
                {"decision": "allow", "additionalContext": text},
                {**decision(self.agent)("allow", f"fine {label}"), "systemMessage": f"notice {label}"},
                {"hookSpecificOutput": {"hookEventName": self.event, "additionalContext": [text, text]}},
                text,
                f"{text}\n\n{text} again",
            )
        )
        return shown((value if isinstance(value, str) else json.dumps(value)) + "\n") + lot.choice(
            ("", "", "", "\nexit 1", "\necho err >&2")
        )

    def _change(self, label: str) -> str:
        lot, more = self.lot, MORE.get(self.agent, {})
        value: Object = {"name": label} if self.served else {"command": f"touch by-{label}", **more}
        if lot.random() < 0.2:
            value = {**value, "nosuch": label}
        word = lot.choice(("allow", "allow", "allow", "ask", "deny", "block", "none", "approve"))
        made = output(self.agent, value, word)
        how = lot.randrange(6)
        if how == 0 and word == "allow":  # changed without a decision
            made = json.loads(
                json.dumps(made)
                .replace('"permissionDecision": "allow", ', "")
                .replace('"decision": "allow", ', "")
            )
        if how == 1:
            made = {**made, "continue": False, "stopReason": f"over {label}"}
        return shown(json.dumps(made) + "\n") + self._ending()

    def _refusal(self, label: str) -> str:
        """Return a body whose status and output may disagree."""
        lot = self.lot
        make = decision(self.agent)
        values: tuple[Json, ...] = (
            make("deny", f"no {label}"),
            make("allow", f"yes {label}"),
            make("ask", f"ask {label}"),
            make("deny", ""),
            make("deny", None),
            {"continue": False},
            {"continue": True, **make("deny", f"no {label}")},
            {"continue": False, "stopReason": f"over {label}", **make("allow", f"yes {label}")},
            {**make("allow", f"yes {label}"), "decision": "block", "reason": f"top {label}"},
            {**make("deny", f"no {label}"), "decision": "approve", "reason": f"top {label}"},
            {"suppressOutput": True, **make("deny", f"no {label}")},
            {"decision": None, "reason": f"null {label}"},
            [make("deny", f"no {label}")],
            {"result": make("deny", f"no {label}")},
        )
        text = json.dumps(lot.choice(values))
        return lot.choice(
            (
                shown(text + "\n"),
                shown(text + "\n"),
                shown(text + "\n") + f"\necho 'err {label}' >&2\nexit 2",
                shown(text + "\n", " >&2") + "\nexit 2",
                shown(text + "\n", " >&2"),
                shown(text + "\n") + "\nexit 1",
                shown(f"{text}\nand words\n"),
                shown(f"words {text}\n"),
                shown(text[:-1] + "\n"),
                f"echo 'err {label}' >&2\necho 'out {label}'\nexit 2",
                f"echo 'out {label}'\nexit 2",
                f"echo 'err {label}' >&2\nexit {lot.choice((1, 3, 126, 127, 130, 255))}",
            )
        )

    # Where hooks are.

    def _layers(self, hooks: list[Object]) -> Object:
        lot, agent = self.lot, self.agent
        if agent == "cline":
            return layers_of(agent, *hooks) if self.event == "PreToolUse" else {}
        names = [*LAYERS.get(agent, (layer_of(agent),))]
        if self.served:  # a server stands in one of the files
            names = ["user"] if agent == "gemini" else [layer_of(agent)]
        if agent in ("kimi", "hermes", "mistral_vibe"):
            return layers_of(agent, *hooks, event=self.event)
        used = lot.sample(names, min(len(names), lot.choice((1, 1, 2, 2, 3))))
        placed: dict[str, list[Object]] = {name: [] for name in used}
        for hook in hooks:
            placed[lot.choice(used)].append(hook)
            if lot.random() < 0.12:  # once more
                placed[lot.choice(used)].append(hook)
        layers: Object = {}
        for name, mine in placed.items():
            one = (
                mapping(layers_of(agent, *mine, event=self.event)).get(layer_of(agent))
                if mine
                else {"hooks": {}}
            )
            made = mapping(json.loads(json.dumps(one)))
            self._moved(made)
            if lot.random() < 0.15:
                made |= lot.choice(_AT_TOP)
            if agent == "copilot":
                made = {"version": 1, **made}
            layers[name] = made
            if self.served and name == names[0]:
                _, layers[name] = with_server(agent, name, made)
        return layers

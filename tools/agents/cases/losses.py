"""Hooks before a call whose refusal an agent may lose: what stands around an object, how its text is written, and what runs.

Blanks that one reader skips and another does not, several objects, texts that are almost JSON, other encodings, long
outputs, statuses, and commands of a shell that change or drop the status of the hook; and matchers by which it does not run.
"""

from __future__ import annotations

import json
import re

from tools.agents.cases.chance import TOOL
from tools.agents.cases.shapes import EVENTS, decision, layer_of, layers_of, limited, script
from tools.agents.grid import printing, probe
from tools.agents.records import Json, Object

#: Blanks for some readers, as octal escapes of printf: they stand before the object.
_BLANKS = {
    "vertical": r"\013",
    "form-feed": r"\014",
    "no-break": r"\302\240",
    "line-separator": r"\342\200\250",
    "next-line": r"\302\205",
    "two-marks": r"\357\273\277\357\273\277",
    "mark-inside": r" \357\273\277",
    "zero-width": r"\342\200\213",
    "nul": r"\0",
}
#: What stands after the object.
_TAILS = {
    "brace": "}",
    "comma": ",",
    "null": " null",
    "separator": r"\036",
    "colour": r"\033[0m",
    "cr": r"\r",
}


def bodies(agent: str) -> dict[str, str]:
    """Return what a hook does, by the last part of a case's identifier."""
    make = decision(agent)
    refusal = make("deny", "out")
    deny, text = printing(refusal), json.dumps(refusal)
    first = re.compile(r'"([a-z])(?=\w*": )')
    found = {f"before-{name}": f"printf '{sign}'; {deny}" for name, sign in _BLANKS.items()}
    found |= {f"after-{name}": f"{deny}; printf '{sign}'" for name, sign in _TAILS.items()}
    texts = {
        "keys-upper": first.sub(lambda match: f'"{match[1].upper()}', text),
        "keys-escaped": first.sub(lambda match: f'"\\u{ord(match[1]):04x}', text),
        "keys-spaced": re.sub(r'(\w)": ', r'\1 ": ', text),
        "word-escaped": re.sub(
            r'"(deny|block)"', lambda match: f'"\\u{ord(match[1][0]):04x}{match[1][1:]}"', text
        ),
        "word-blank": re.sub(r'"(deny|block)"', r'"\1 "', text),
        "word-capital": re.sub(r'"(deny|block)"', lambda match: f'"{match[1].capitalize()}"', text),
        "escape-bad": text.replace('"out"', '"o\\xt"'),
        "escape-short": text.replace('"out"', '"o\\u12"'),
        "single": text.replace('"', "`"),
        "zero": f'{text[:-1]}, "nosuch": 01}}',
        "plus": f'{text[:-1]}, "nosuch": +1}}',
        "infinity": f'{text[:-1]}, "nosuch": -Infinity}}',
        "inner-comma": f'{text[:-1]}, "nosuch": [1,]}}',
        "surrogate-key": f'{text[:-1]}, "a\\ud800": 1}}',
        "empty-key": f'{text[:-1]}, "": 1}}',
        "proto": f'{text[:-1]}, "__proto__": {{"a": 1}}, "constructor": 1}}',
        "last-null": f'{text[:-1]}, "hookSpecificOutput": null}}',
        "twice-whole": f"{text[:-1]}, {json.dumps(make('allow', 'fine'))[1:]}",
    }
    found |= {name: f"cat <<'E'\n{value}\nE" for name, value in texts.items()}
    found["single"] = found["single"].replace("`", "'")
    wide = "".join(f"\\{ord(char):03o}\\0" for char in text)
    return {
        **found,
        "tab-raw": "printf '%s\\n' '" + text.replace('"out"', '"o\tt"') + "'",
        "line-raw": "printf '%s\\n' '" + text.replace('"out"', '"o\nt"') + "'",
        "wide": f"printf '{wide}'",
        "colours": f"printf '\\033[31m'; {deny}; printf '\\033[0m'",
        "records": "echo '{\"progress\": 1}'; echo '{\"progress\": 2}'; " + deny,
        "pad-key": "printf '%s' '{\"nosuch\": \"'; head -c 70000 /dev/zero | tr '\\0' x; "
        f"printf '%s\\n' '\", {text[1:]}'",
        "pad-blanks": f"head -c 300000 /dev/zero | tr '\\0' ' '; {deny}",
        "err-flood": "head -c 300000 /dev/zero | tr '\\0' x >&2; exit 2",
        "err-flood-deny": f"head -c 300000 /dev/zero | tr '\\0' x >&2; {deny}",
        "status-1-err-deny": f"echo err >&2; {deny}; exit 1",
        "status-64": f"{deny}; exit 64",
        "status-137": f"{deny}; exit 137",
        "status-258": "echo err >&2; (exit 258)",
        "late-status": "echo err >&2; exit 2 & wait $!",
        "twice-printed": f"{deny}; {deny}",
    }


#: Commands that keep, change or drop the status 2 of a script.
COMMANDS = {
    "comment": "@P@/a.sh # why",
    "semicolon": "@P@/a.sh;",
    "newline": "true\n@P@/a.sh",
    "background": "@P@/a.sh &",
    "or-true": "@P@/a.sh || true",
    "pipe": "@P@/a.sh | cat",
    "piped": "cat | @P@/a.sh",
    "negated": "! @P@/a.sh",
    "subshell": "(@P@/a.sh)",
    "exec": "exec @P@/a.sh",
    "blank": "  @P@/a.sh  ",
    "relative": "./a.sh",
    "variable": "A=1 @P@/a.sh",
    "quoted": "'@P@/a.sh'",
}


def matchers(name: str) -> list[str]:
    """Return matchers that mean a tool to a reader, and to another one something else."""
    first, rest, last = name[0], name[1:], name[-1]
    return [
        *(
            f"{name}\t",
            f"\n{name}",
            f"{name}\r",
            f"{name}\u00a0",
            f"\ufeff{name}",
            f"{name}\u200b",
            f"{name}\u0301",
        ),
        *(
            f"{name}\\n",
            f"{name}\\s*",
            f"\\s*{name}",
            f"\\x{ord(first):02x}{rest}",
            f"\\u{ord(first):04x}{rest}",
        ),
        *(
            f"\\{first}{rest}",
            f"[{first}]{rest}",
            f"{first}{{1}}{rest}",
            f"{first}{{0}}{rest}",
            f"({name}){{1}}",
        ),
        *(
            f"{name}\u2758Write",
            f"{name}\uff5cWrite",
            f"{name} or Write",
            f"{name}/Write",
            f"{name}&Write",
            f"{name}||Write",
        ),
        *(
            f"Write|{name.upper()}",
            f"Write | {name} | Edit",
            f"Write|{name},Edit",
            f"Write,{name}|Edit",
            f"|{name}|",
        ),
        *(
            f"^{name}|Write$",
            f"^(?:{name}|Write)$",
            f"^{name}$|^$",
            f"{name}$|x",
            f"$^|{name}",
            f"{name}^",
            f"${name}",
        ),
        *(
            f"(?i){name.upper()}",
            f"(?i:{name.upper()})",
            f"{name}(?i)",
            f"(?:{name}",
            f"{name})",
            f"[{name}",
            f"{name}]",
        ),
        *(
            f"{name}(",
            f"{name}()",
            f"{name}(*)",
            f"{name}(touch:*)",
            f"{name}(touch marker)",
            f"{name} (touch *)",
        ),
        *(
            f"{name}:touch",
            f"{name}.",
            f"{name}.?",
            f"{name}.*?",
            f"{name}*?",
            f"{name}**",
            f"{name}++",
            f"?{name}",
        ),
        *(
            f"!{name}",
            f"-{name}",
            f"not {name}",
            f"[^{first}]*{rest}",
            f"(?!x){name}",
            f"(?={name})",
            f"(?<=x)?{name}",
        ),
        *(
            f"{name[:-1]}[{last}]",
            f"{name[:-1]}[{last}-{last}]",
            f"{name[:-1]}[^x]",
            f"{name[:-1]}\\w",
            f"{name[:-1]}\\{last}",
        ),
        *(
            "null",
            "true",
            "0",
            "*.*",
            ".+",
            ".",
            "%",
            "all",
            "ALL",
            "any",
            "default",
            "**/*",
            "[\\s\\S]*",
            "[^]*",
            "()",
            "(|)",
        ),
    ]


def _of_matchers(agent: str) -> Object:
    """Return a case with a hook for each matcher, and one without that keeps the payload."""
    event = EVENTS.get(agent, "PreToolUse")
    hooks: list[Object] = [{"command": "@P@/a.sh"}]
    files: Object = {"project/a.sh": f"#!/bin/sh\n{probe('a')}\n"}
    for number, pattern in enumerate(matchers(TOOL[agent])):
        files[f"project/m{number}.sh"] = script(f"m{number}", "exit 0")
        hooks.append({"command": f"@P@/m{number}.sh", "matcher": pattern})
    layers = layers_of(agent, *hooks)
    if agent not in ("copilot", "kimi", "hermes", "mistral_vibe"):  # whose matchers are those of hooks
        groups: list[Json] = []
        for hook in hooks:
            own: Object = {"matcher": hook["matcher"]} if "matcher" in hook else {}
            groups.append({**own, "hooks": [{"type": "command", "command": hook["command"]}]})
        layers = {layer_of(agent): {"hooks": {event: groups}}}
    return {"id": "losses.matchers", "event": event, "layers": layers, "files": files, "limit": 240}


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    event, found = EVENTS.get(agent, "PreToolUse"), list[Object]()
    own: Object = {"limit": 120} if agent in ("hermes", "openhands") else {}

    def add(name: str, files: Object, *hooks: Object) -> None:
        layers = layers_of(agent, *hooks)
        found.append({"id": f"losses.{name}", "event": event, "layers": layers, "files": files, **own})

    hook: Object = {"command": "@P@/a.sh"}
    for name, body in bodies(agent).items():
        add(name, {"project/a.sh": script("a", body)}, hook)
    for name, command in COMMANDS.items():
        add(f"command-{name}", {"project/a.sh": script("a", "echo err >&2; exit 2")}, {"command": command})
    deny, allow = (printing(decision(agent)(word, word)) for word in ("deny", "allow"))
    pairs: dict[str, tuple[str, str, Json]] = {
        "deny-sleep": (deny, "sleep 9", 1),
        "deny-broken": (deny, "sleep 0.5; echo '{'", None),
        "broken-exit2": ("echo '{'", "sleep 0.5; echo err >&2; exit 2", None),
        "deny-killed": (deny, "sleep 0.5; kill -KILL $$", None),
        "flood-deny": ("head -c 3000000 /dev/zero | tr '\\0' x", f"sleep 0.5; {deny}", None),
        "allow-deny-allow": (allow, f"sleep 0.5; {deny}", None),
    }
    for name, (one, other, seconds) in pairs.items():
        files: Object = {"project/a.sh": script("a", one), "project/b.sh": script("b", other)}
        second: Object = {"command": "@P@/b.sh", **({} if seconds is None else limited(agent, seconds))}
        third: Object = {"command": "@P@/c.sh"}
        if name == "allow-deny-allow":
            files["project/c.sh"] = script("c", f"sleep 1; {allow}")
        add(f"two.{name}", files, hook, second, *([third] if name == "allow-deny-allow" else []))
    if agent != "cline":  # which has no matchers
        found.append(_of_matchers(agent))
    return found

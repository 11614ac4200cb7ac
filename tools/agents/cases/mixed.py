"""Hooks before a call that combine what agents may read differently.

Words after an object, two objects, an object with the status 2, wrong types, bytes that are not UTF-8, long outputs, children that
outlive a hook, and scripts that cannot start. Every hook is a script, so that the shell of an agent has no part in it.
"""

from __future__ import annotations

import json

from tools.agents.cases.shapes import EVENTS, decision, layers_of, limited, script
from tools.agents.grid import printing
from tools.agents.records import Object

#: Agents that know hooks in the background.
_ASYNC = ("claude_code", "codex", "qwen", "openhands")
_FILL = "head -c 200000 /dev/zero | tr '\\0' x"


def bodies(agent: str) -> dict[str, str]:
    """Return what a hook does, by the last part of a case's identifier."""
    make = decision(agent)
    refusal, approval = make("deny", "not so"), make("allow", "fine")
    deny, allow = printing(refusal), printing(approval)
    long = json.dumps(make("deny", "@LONG@")).split("@LONG@")
    odd = json.dumps(make("deny", "@ODD@")).replace("@ODD@", r"a\377b")
    quoted = json.dumps(refusal)
    doubled = json.dumps(make("allow", "fine"))[:-1] + ", " + quoted[1:]
    return {
        "json-tail": f"{deny}; echo tail",
        "head-json": f"echo head; {deny}",
        "allow-then-deny": f"{allow}; {deny}",
        "deny-then-allow": f"{deny}; {allow}",
        "empty-exit2": "echo '{}'; exit 2",
        "allow-exit2": f"{allow}; echo no >&2; exit 2",
        "deny-exit3": f"{deny}; exit 3",
        "unknown-keys": printing({**refusal, "nosuch": {"a": [1]}, "version": 9}),
        "reason-list": printing(make("deny", ["x"])),
        "reason-null": printing(make("deny", None)),
        "word-null": printing(make(None, "x")),
        "word-list": printing(make(["deny"], "x")),
        "word-upper": printing(make("DENY", "x")),
        "word-spaced": printing(make(" deny ", "x")),
        "long-reason": f"printf '%s' '{long[0]}'; {_FILL}; printf '%s\\n' '{long[1]}'",
        "long-text-exit2": f"{_FILL}; echo no >&2; exit 2",
        "long-stderr": f"{_FILL} >&2; exit 2",
        "bytes-reason": f"printf '{odd}'",
        "bytes-stderr": r"printf 'a\377b\n' >&2; exit 2",
        "nul": f"{deny}; printf '\\0'",
        "stderr-only": "echo words >&2",
        "pretty": f"cat <<'E'\n{json.dumps(refusal, indent=2)}\nE",
        "in-text": printing(quoted),
        "in-array": printing([refusal]),
        "doubled": f"printf '%s\\n' '{doubled}'",
        "comment": f"{deny}; echo '// why'",
        "child": f"sleep 4 &\n{deny}",
        "closed": "exec >&-; echo no >&2; exit 2",
        "directory": "pwd >&2; exit 2",
        "blank-stderr": "printf ' \\n' >&2; exit 2",
        "lines-stderr": "printf 'one\\n\\n  two\\n' >&2; exit 2",
    }


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    event, found = EVENTS.get(agent, "PreToolUse"), []
    own: Object = {"limit": 120} if agent == "hermes" else {}

    def add(name: str, files: Object, *hooks: Object) -> None:
        layers = layers_of(agent, *hooks)
        found.append({"id": f"mixed.{name}", "event": event, "layers": layers, "files": files, **own})

    hook: Object = {"command": "@P@/a.sh"}
    for name, body in bodies(agent).items():
        add(name, {"project/a.sh": script("a", body)}, hook)
    refusing = "echo no >&2; exit 2"
    deny, allow = (printing(decision(agent)(word, "not so")) for word in ("deny", "allow"))
    add("crlf", {"project/a.sh": script("a", refusing).replace("\n", "\r\n")}, hook)
    add("shebang-options", {"project/a.sh": script("a", f"false\n{deny}", "#!/bin/sh -e")}, hook)
    add("shebang-env", {"project/a.sh": script("a", f"false\n{deny}", "#!/usr/bin/env -S sh -e")}, hook)
    add("shebang-missing", {"project/a.sh": script("a", refusing, "#!/nosuch/program")}, hook)
    add("no-shebang", {"project/a.sh": script("a", refusing).partition("\n")[2]}, hook)
    add("not-executable", {"project/a.txt": f"#!/bin/sh\n{refusing}\n"}, {"command": "@P@/a.txt"})
    add("missing", {}, {"command": "@P@/nosuch.sh"})
    add("a-directory", {"project/a.sh/x": ""}, hook)
    trap = (
        f"trap '{deny.replace(chr(39), chr(39) + chr(92) + chr(39) + chr(39))}; exit 0' TERM; sleep 9 & wait"
    )
    add("caught", {"project/a.sh": script("a", trap)}, {**hook, **limited(agent, 1)})
    second: Object = {"command": "@P@/b.sh"}  # it ends last, for some agents keep the last word
    for name, first, other in (
        ("allow-exit2", allow, refusing),
        ("exit1-deny", f"{deny}; exit 1", allow),
        ("broken-deny", "echo '{'; exit 0", deny),
        ("exit2-silent-deny", "exit 2", deny),
        ("allow-exit1", allow, "echo oops >&2; exit 1"),
    ):
        files: Object = {
            "project/a.sh": script("a", first),
            "project/b.sh": script("b", f"sleep 1; {other}"),
        }
        add(f"two.{name}", files, hook, second)
    files = {"project/a.sh": script("a", "sleep 9"), "project/b.sh": script("b", deny)}
    add("two.timeout-deny", files, {**hook, **limited(agent, 1)}, second)
    if agent in _ASYNC:
        files = {"project/a.sh": script("a", refusing), "project/b.sh": script("b", allow)}
        add("two.async-allow", files, {**hook, "async": True}, second)
    return found

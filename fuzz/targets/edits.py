"""Hooks that are installed in a configuration: the text has them and all that it had; taken out, they are gone."""

from __future__ import annotations

import json
from collections.abc import Iterable

from fuzz.pieces import Pieces, promise
from sandhook.formats.tree_edit import same
from sandhook.hooks.event import Json
from sandhook.installation.errors import InstallationError
from sandhook.installation.operations import Entry, Install, apply, without
from sandhook.installation.texts import changed, read_value, reverted

WORDS = (
    *('{"hooks": {', "// c\n", "/* c */", '"Before": [', "]", "}", ", ", "null", '"a": 1', "\r\n", "\t"),
    *("[hooks]\n", "[[hooks.Before]]\n", "hooks = {Before = []}\n", 'a.b = "c"\n', "# c\n", "'''", "\ufeff"),
    *(
        "hooks:\n",
        "  Before:\n",
        "  - a: 1\n",
        "&a ",
        "*a",
        "|\n    x\n",
        "{a: 1}",
        "[1]",
        "---\n",
        "? ",
        "~\n",
    ),
)

FILES = ("settings.json", "config.toml", "hooks.yaml")

ITEM: Json = {
    "matcher": "Bash",
    "hooks": [{"type": "command", "command": "./guard.sh \"x\" 'y' #\\", "timeout": 5}],
}

#: A hook in one list, two in another, and a setting next to them.
OPERATION = Install(
    "/hooks.json",
    "any",
    (
        Entry(("hooks", "Before"), ITEM),
        Entry(("hooks", "After"), {"a": "b"}),
        Entry(("hooks", "After"), {"a": "c\nd"}),
    ),
    (Entry(("version",), 1),),
)


def seeds() -> Iterable[bytes]:
    yield b'\0{\n  // c\n  "model": "x",\n  "hooks": {"Before": [{"a": 1}]}\n}\n'
    yield b"\0"
    yield b'\1model = "x" # c\n\n[[hooks.Before]]\nmatcher = "y"\n[hooks.Before.a]\nb = 1\n'
    yield b"\1[hooks]\r\nBefore = [{a = 1}, # c\r\n]\r\n"
    yield b"\2model: x # c\nhooks:\n  Before:\n  - a: 1\n    # d\n  - {b: [1, 2]}\n"
    yield b"\2hooks: {}\n"


def target(data: bytes) -> None:
    pieces = Pieces(data)
    file = pieces.choice(FILES)
    before = pieces.rest()
    try:
        base = read_value(before, file)
        promise(changed(before, base, file) == before, "what does not change keeps its bytes", before)
        value = apply(base, [OPERATION], file).value
        after = changed(before, value, file)
    except InstallationError as error:
        promise(error.reason, "an error has a reason")
        return
    promise(same(read_value(after, file), value), "the text has the hooks and all that it had", before, after)
    rest = without(value, [OPERATION], base, file)
    if isinstance(rest, dict) and isinstance(base, dict) and "version" not in base:
        rest.pop("version", None)  # it stays with what else the file has
    promise(same(rest, base), "taken out, the hooks are gone and the rest stays", json.dumps(base), rest)
    again = reverted(after, after, before)
    promise(again in (None, before), "a change that is taken back leaves the bytes of before", before, after)

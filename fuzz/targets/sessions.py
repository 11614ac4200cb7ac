"""Stored sessions: a session that is stored alike, or SnapshotError; nothing in one is executed by restoring it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from hashlib import sha256

from fuzz.pieces import Pieces, promise
from fuzz.targets import scripts
from sandhook.errors import SnapshotError
from sandhook.shell import Shell
from sandhook.vfs.memory import MemoryFileSystem

#: Stands between the two sections of an input; headings and digest are added, so that mutations get past them.
BETWEEN = b"\xff-- files --\xff"

#: The time of all files of seeds.
NOW = 1_700_000_000_000_000_000

HEAD = b"sandhook session 1\n"

WORDS = (
    *('{"indexed":[[0,"x"]]}', '{"associative":[["k","v"]]}', '"attributes":"aAirtxclu"', "null", "true", "[]", "{}", "-1"),
    *("9223372036854775807", "9223372036854775808", '"\\u0000"', '"\\ud800"', '"\\udcff"', "1e999", "NaN", "[" * 500),
    *('f () \\n{ \\n    :\\n}', "; touch /ran", "$(touch /ran)", "/dev/null", "/proc/self", "/..", "/a/./b", "\x00\x00\x81\xa4"),
)  # fmt: skip

SESSIONS = (
    "",
    "x=1; declare -i n=3; declare -A m=([b]=1 [a]=2); a=(1 [9]=z); declare -n r=x; readonly x; export E=1",
    "f() { cat <<X; }; g() { if true; then echo $_; fi; }\n$1\nX\ng() { ((i++)); }; trap 'echo t' TERM EXIT; set -eu",
    "set -o history; alias l=ls; complete -W 'a b' c; cd /tmp; pushd /; umask 7; RANDOM=4; : $RANDOM; hash ls; set -- 1 2",
    "echo a > a; ln a b; ln -s a c; mkfifo p; mkdir -p d/e; chmod 700 d; rm -r /home/agent; false | true",
)


#: What a document has in place of something else: names, texts and values of all kinds.
TEXTS = ("", "x", "PATH", "OPTIND", "IFS", "DIRSTACK", "a b", "f", "f () \n{ \n    :\n}", "rx", "aA", "ERR", "/", "\udcff", "$(x)", "9" * 30)  # fmt: skip
VALUES: tuple[object, ...] = (
    *(
        None,
        True,
        0,
        1,
        -1,
        255,
        1 << 62,
        1 << 63,
        10**30,
        1.5,
        [],
        {},
        [1, 2],
        ["a", "b"],
        {"indexed": [[7, "x"]]},
    ),
    *(
        {"associative": [["k", "v"]]},
        {"associative": []},
        {"indexed": [[(1 << 63) - 1, "x"]]},
        [["a", "b"]],
        "\0",
    ),
)


def seeds() -> Iterable[bytes]:
    for script in SESSIONS:
        session = Shell(files={"in": "x\n"}, fs=MemoryFileSystem(now_ns=lambda: NOW)).session()
        session.run(script)
        data = session.snapshot()
        text, entries = sections(data)
        yield b"\1" + re.sub(rb",1[0-9]{9}\]", b",1]", text) + BETWEEN + entries
    yield b"\0" + data
    yield b"\0sandhook session 2\n"
    yield bytes(range(2, 60))
    yield bytes([2, *(byte * 37 % 251 for byte in range(60))])


def sections(data: bytes) -> tuple[bytes, bytes]:
    """Return the state and the entries of a snapshot."""
    after = data[len(HEAD) + 65 :]
    line, _, rest = after.partition(b"\n")
    size = int(line.split()[1])
    return rest[:size], rest[size:].partition(b"\n")[2]


def framed(text: bytes, entries: bytes) -> bytes:
    """Return a snapshot with these sections."""
    rest = b"state %d\n%sfiles %d\n%s" % (len(text), text, len(entries), entries)
    return HEAD + sha256(rest).hexdigest().encode() + b"\n" + rest


@cache
def documents() -> list[tuple[bytes, bytes]]:
    """Return the sections of snapshots that are restored."""
    return [
        (text, entries) for text, _, entries in (seed[1:].partition(BETWEEN) for seed in seeds()) if entries
    ]


def changed(pieces: Pieces) -> bytes:
    """Return a snapshot whose document has other values, keys or entries in a few places."""
    text, entries = pieces.choice(documents())
    document = json.loads(text)
    for _ in range(1 + pieces.number(3)):
        place: object = document.get("state", document) if pieces.number(8) else document
        while isinstance(place, dict | list) and place:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = pieces.choice(keys)
            if isinstance(place[key], dict | list) and place[key] and pieces.number(8):
                place = place[key]
            elif isinstance(place, dict) and not pieces.number(16):
                place[pieces.choice(TEXTS)] = place.pop(key)
                break
            else:
                kind = type(place[key]) if pieces.number(8) else object
                place[key] = deepcopy(
                    pieces.choice([value for value in (*TEXTS, *VALUES) if isinstance(value, kind)])
                )
                break
    if not pieces.number(16) and entries:
        at = pieces.number(len(entries))
        entries = entries[:at] + pieces.rest()[:4] + entries[at + pieces.number(2) * 4 :]
    return framed(json.dumps(document).encode(), entries)


def target(data: bytes) -> None:
    if data[:1] == b"\1":
        text, _, entries = data[1:].partition(BETWEEN)
        data = framed(text, entries)
    elif data[:1] == b"\0":
        data = data[1:]
    else:
        data = changed(Pieces(data[1:]))
    try:
        session = Shell.restore(data, limits=scripts.LIMITS)
    except SnapshotError as error:
        promise(
            error.where and error.reason and len(str(error)) < 2_000,
            "an error has a place and a reason",
            error,
        )
        return
    promise(not session.shell.fs.exists("/ran") or b"/ran" in sections(data)[1], "nothing is executed", data)
    stored = session.snapshot()
    again = Shell.restore(stored, limits=scripts.LIMITS).snapshot()
    promise(again == stored, "what was restored is stored alike", data, again)
    promise(sections(stored)[1] == sections(data)[1], "files are stored alike", data)
    scripts.check(
        session.run('declare -p; declare -F; trap; alias; history; f; g; ls -laR / ; echo "$@" $RANDOM'), data
    )

"""The rare utilities of ``extras`` with any arguments, standard input and file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable

from fuzz.pieces import Pieces
from fuzz.samples import ROOT
from fuzz.targets import utilities
from fuzz.targets.scripts import FILES, LIMITS, check
from sandhook.shell import Shell


def _names() -> tuple[str, ...]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return tuple(sorted(project["entry-points"]["sandhook.utilities"]))


NAMES = _names()

WORDS = (
    *utilities.WORDS,
    *(
        "begin 644 f\n",
        "`\nend\n",
        "1,$p\n",
        "a\n.\n",
        "w\n",
        "q\n",
        "!<arch>\n",
        "070701",
        "scale=2;",
        "[1p]dx",
        "%f",
    ),
    *("a,b\n1,2\n", "<<<<<<<", "--to=iec", ":::", "{}", "$1", "\r\n", "\f", "2024", "/x/", "{5}"),
)


def seeds() -> Iterable[bytes]:
    calls = (
        *(("bc", "-l"), ("dc", "-e", "1 2 + p"), ("ed", "-s", "in"), ("csplit", "-s", "in", "/x/", "{*}")),
        *(
            ("pr", "-2", "in"),
            ("numfmt", "--to=iec", "2048"),
            ("cpio", "-o"),
            ("ar", "t", "in"),
            ("factor", "12"),
        ),
        *(
            ("uuencode", "f"),
            ("uudecode", "-o", "/dev/stdout"),
            ("csvcut", "-c", "1", "in"),
            ("csvsort", "in"),
        ),
        *(("diff3", "in", "f2", "in"), ("sdiff", "in", "f2"), ("parallel", "echo"), ("cal", "2", "2024")),
        *(
            ("gettext", "x"),
            ("look", "a", "in"),
            ("combine", "in", "and", "f2"),
            ("unix2dos",),
            ("shred", "in"),
        ),
    )
    texts = {
        "bc": b"2^10; scale=3; 1/3\n",
        "ed": b"1p\n$a\nx\n.\nw\nq\n",
        "uudecode": b"begin 644 f\n#86)C\n`\nend\n",
    }
    for name, *arguments in calls:
        fields = [texts.get(name, b"a,b\n1,x\n"), *(argument.encode() for argument in arguments)]
        yield bytes([NAMES.index(name)]) + b"\0".join(fields)


def target(data: bytes) -> None:
    pieces = Pieces(data)
    name = pieces.choice(NAMES)
    stdin, *arguments = pieces.fields(8)
    texts = [argument.decode("utf-8", "surrogateescape") for argument in arguments]
    shell = Shell(files={**FILES, "in": stdin}, limits=LIMITS)
    check(shell.run(f'{name} "$@"', stdin=stdin, args=texts), name, texts)

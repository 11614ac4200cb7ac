"""Every utility with any arguments, standard input and file."""

from __future__ import annotations

from collections.abc import Iterable

from fuzz.pieces import Pieces
from fuzz.targets.scripts import FILES, LIMITS, check
from sandhook.shell import Shell
from sandhook.utilities import UTILITIES

NAMES = tuple(sorted(UTILITIES))

WORDS = (
    *(
        "--",
        "-",
        "\0-n\0",
        "\0-e\0",
        "\0-f\0",
        "\0-i\0",
        "\0-r\0",
        "\0-o\0",
        "\0-d\0",
        "\0-k\0",
        "\0-c\0",
        "\0-t\0",
    ),
    *(
        "\0--help\0",
        "\0--version\0",
        "s/a/b/",
        "{print $1}",
        ".[]",
        "1,$d",
        "BEGIN{",
        "1-",
        "%s",
        "+%Y",
        "in",
        "f2",
    ),
    *(
        "../",
        "/dev/null",
        "/dev/stdin",
        "[[:alpha:]]",
        "\\(",
        "\\)",
        "*",
        "a,b\n",
        "1 2\n",
        "{}",
        "-exec",
        "<a>",
        "k: v",
    ),
)


def seeds() -> Iterable[bytes]:
    calls = (
        *(("cut", "-d:", "-f1", "in"), ("sed", "-n", "s/a/b/p;1d", "in"), ("awk", "{ print $2 + 1 }", "in")),
        *(
            ("grep", "-Eon", "a+|b", "in"),
            ("sort", "-k2,2n", "in"),
            ("find", ".", "-name", "*", "-size", "+1"),
        ),
        *(
            ("tr", "a-z", "A-Z"),
            ("date", "-d", "2 days ago", "+%F"),
            ("xargs", "-n1", "echo"),
            ("tar", "-cf", "-", "."),
        ),
        *(
            ("printf", "%5.2f|%q\n", "1", "a b"),
            ("ls", "-la"),
            ("head", "-c", "3"),
            ("paste", "-s", "-d,", "in"),
        ),
        *(("diff", "-u", "in", "f2"), ("expr", "1", "+", "2"), ("base64", "-d"), ("column", "-t", "in")),
    )
    for name, *arguments in calls:
        number = NAMES.index(name).to_bytes(2, "big")
        fields = [b"a:b 1\nc:d 2\n", *(argument.encode() for argument in arguments)]
        yield number + b"\0".join(fields)


def target(data: bytes) -> None:
    pieces = Pieces(data)
    name = pieces.choice(NAMES)
    stdin, *arguments = pieces.fields(8)
    texts = [argument.decode("utf-8", "surrogateescape") for argument in arguments]
    shell = Shell(files={**FILES, "in": stdin}, limits=LIMITS)
    check(shell.run(f'{name} "$@"', stdin=stdin, args=texts), name, texts)

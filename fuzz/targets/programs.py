"""Lists of cut, sets of tr, keys of sort, and scripts of sed and awk, against the real programs.

sed and gawk run with --sandbox, in which they neither write files nor start programs. jq is no oracle: sandhook runs
libjq itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from fuzz import real
from fuzz.pieces import Pieces, promise, within
from fuzz.targets.scripts import LIMITS
from sandhook.shell import Shell

WORDS = (
    *(
        "1-3",
        "-2",
        "4-",
        "1,3",
        "a-z",
        "[:alpha:]",
        "[=a=]",
        "[x*3]",
        "\\n",
        "\\101",
        "-c",
        "2n",
        "1.2,3.4",
        "2,2r",
    ),
    *(
        "s/a/b/g",
        "1,3p",
        "$!N",
        "/b/,/d/",
        "y/ab/ba/",
        "\\(a\\)",
        "&",
        "a\\\n",
        "1~2",
        "0,/a/",
        "{p;q}",
        "n;d",
    ),
    *(
        "$1",
        "NF",
        "NR%2",
        " ~ /a/",
        "substr($0,2)",
        "length",
        "-1",
        "1e3",
        " in a",
        "$NF",
        ' "x" ',
        "?1:2",
        "++",
    ),
)

TEXT = "b a 10\na:c 9\n\nc,b  2\nab\tx 0x1\n-3 z a\nA b 1e1\na b\n"

#: What each program reads: no letters of commands that loop, read or write.
_LIST, _SET = "0123456789,- ", "abcxyz019-[]:=*\\n lphudigtprse"
_KEY, _SED = "0123456789.,nrbfdgMhVi", "0123456789,$!/abcxyspndgGhHxNP;{}=\\(\\)*.[]^&|+~I\n "
_AWK = '0123456789abNRFS$+-*/%<>=!&|~^?:,() "\\.[]{};'

_SHELL = Shell(env=real.ENVIRONMENT, limits=LIMITS._replace(output_bytes=1 << 16))


def unavailable() -> str:
    return real.no_bash() or real.not_gnu("cut") or real.not_gnu("sed") or real.not_gnu("gawk")


def seeds() -> Iterable[bytes]:
    texts = (
        *(
            (0, "1,3-5"),
            (1, "-2,4-"),
            (2, "2"),
            (3, "a-c\0x-z"),
            (4, "[:alpha:]\0"),
            (5, "ab\0"),
            (6, "2,2n"),
            (6, "1.2"),
        ),
        *(
            (7, "3nr"),
            (8, "s/a/[&]/g"),
            (8, "2,4{s/b/x/;p}"),
            (8, "$!N;P;d"),
            (9, "s/(a|b)+/<&>/2"),
            (8, "y/ab/ba/"),
        ),
        *((10, "$1+NR"), (10, '$2 ~ "a" ? 1 : NF'), (10, "-$3^2%7"), (10, '$1 $2 < "b"')),
    )
    for number, text in texts:
        yield bytes([number]) + text.encode()


def _sort(*options: str) -> Callable[[list[str]], list[str] | None]:
    return lambda texts: ["sort", *options, "-k", within(texts[0], _KEY)[:12]]


def _sed(*options: str) -> Callable[[list[str]], list[str] | None]:
    return lambda texts: ["sed", *options, "--sandbox", within(texts[0], _SED)[:30]]


def _cut(*options: str) -> Callable[[list[str]], list[str] | None]:
    # GNU cut 9.1 prints no field at all for some numbers of ten digits
    return lambda texts: ["cut", *options, re.sub("[0-9]{6,}", "9", within(texts[0], _LIST)[:20])]


def _tr(*options: str) -> Callable[[list[str]], list[str] | None]:
    return lambda texts: ["tr", *options, "--", *(within(text, _SET)[:16] for text in texts if text)]


def _awk(texts: list[str]) -> list[str] | None:
    expression = within(texts[0], _AWK)[:24]
    if re.search(r"[0-9]{4}|\^.*\^", expression):
        return None  # numbers beyond what doubles print alike
    return ["gawk", "--sandbox", "{ print (" + expression + ") }"]


CALLS: tuple[Callable[[list[str]], list[str] | None], ...] = (
    *(
        _cut("-c"),
        _cut("-d ", "-f"),
        _cut("-s", "-d:", "-f"),
        _tr(),
        _tr("-d"),
        _tr("-s"),
        _sort(),
        _sort("-s", "-t "),
    ),
    *(_sed(), _sed("-E", "-n"), _awk),
)


def target(data: bytes) -> None:
    pieces = Pieces(data)
    make = pieces.choice(CALLS)
    argv = make([text.replace("\0", "") for text in pieces.texts(2)])
    if argv is None:
        return
    try:
        status, stdout = real.run(*argv, stdin=TEXT)
    except real.NoAnswer:
        return
    result = _SHELL.run('"$@"', args=argv, stdin=TEXT)
    if result.limit is not None:
        return
    found = (bool(result.exit_status), result.stdout)
    expected = (bool(status), stdout)
    promise(found == expected, f"{argv[0]} as the real one", argv, expected, found, result.stderr[:80])

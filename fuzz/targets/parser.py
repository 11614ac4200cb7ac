"""Shell text to a tree, to text, to the same tree; and the arithmetic parser."""

from __future__ import annotations

from collections.abc import Iterable

from fuzz.pieces import Pieces, promise
from fuzz.samples import scripts, spread
from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.syntax import ParseOptions, parse
from sandhook.syntax.unparse import unparse
from tests.syntax.canonical import canonical

WORDS = (
    *(
        "if ",
        "then ",
        "elif ",
        "else ",
        "fi",
        "for ",
        "in ",
        "do ",
        "done",
        "while ",
        "until ",
        "case ",
        "esac",
    ),
    *(
        "select ",
        "function ",
        "time ",
        "coproc ",
        "[[ ",
        " ]]",
        "((",
        "))",
        "$((",
        "$(",
        "${",
        "}",
        "`",
        "<<E\n",
    ),
    *(
        "E\n",
        "<<-",
        "<<<",
        "&>",
        ">|",
        "<>",
        "2>&1",
        ";;",
        ";;&",
        ";&",
        "|&",
        "&&",
        "||",
        "$'",
        '$"',
        "a=(",
        "x+=",
    ),
    *("{fd}>", "@(", "!(", " =~ ", " -eq ", " -a ", "! ", "{ ", "; }", "#", "\\\n", "\t"),
)

OPTIONS = tuple(
    ParseOptions(extglob=extglob, posix=posix, aliases=aliases, nesting=30)
    for extglob in (False, True)
    for posix in (False, True)
    for aliases in ((), (("a", "b "), ("b", "echo a;"), ("l", "if")))
)


def seeds() -> Iterable[bytes]:
    for number, script in enumerate(spread(scripts("posix/*.test", "bash/*.test"), 24)):
        yield bytes([number % len(OPTIONS)]) + script.encode()


def target(data: bytes) -> None:
    pieces = Pieces(data)
    options = pieces.choice(OPTIONS)
    text = pieces.rest().decode("utf-8", "surrogateescape")
    try:
        units = parse(text, options=options)
    except (ShellSyntaxError, LimitExceeded):
        return
    again = options._replace(aliases=(), tolerate_cr=False)  # the tree has neither aliases nor ends of lines
    for unit in units:
        try:
            printed = unparse(unit)
        except LimitExceeded:
            continue
        try:
            tree = parse(printed + "\n", options=again)
        except LimitExceeded:
            continue
        except ShellSyntaxError as error:
            promise(False, "a printed tree parses", text, printed, str(error))
            return
        promise(canonical(tree) == canonical((unit,)), "a printed tree is the same tree", text, printed)

"""Extended regular expressions: ``[[ =~ ]]`` against bash, ``grep -E -o`` against GNU grep."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fuzz import real
from fuzz.compare import compare
from fuzz.pieces import Pieces, promise, within
from fuzz.targets.scripts import LIMITS, check
from sandhook.shell import Shell

WORDS = (
    "*",
    "+",
    "?",
    "{2}",
    "{1,3}",
    "(",
    ")",
    "|",
    "[^a]",
    "[a-c]",
    "[[:digit:]]",
    "^",
    "$",
    "\\b",
    "\\w",
    ".",
    "\\<",
)

_ALPHABET = "ab1 .*+?()[]{},|^$-:\\wié"

_SHELL = Shell(env=real.ENVIRONMENT, limits=LIMITS)


def unavailable() -> str:
    return real.no_bash() or real.not_gnu("grep")


def seeds() -> Iterable[bytes]:
    pairs = (
        *(("^(a|ab)(b*)$", "abb"), ("a{2,3}", "caaaa"), ("[^b-]+", "a-b"), ("(a)|b", "b"), ("\\bab", "1 ab")),
        *(("(a*)+", "b"), ("[]a]*", "]a"), ("()a", "a"), ("a|", "b"), ("x*$", "ab"), ("(a|b)*1", "abab1")),
    )
    for number, (pattern, text) in enumerate(pairs):
        yield bytes([number]) + f"{pattern}\0{text}".encode()


def target(data: bytes) -> None:
    pieces = Pieces(data)
    use_grep = pieces.number(8) == 0  # a process for each call
    pattern, text, *_ = (*pieces.texts(2), "")
    pattern, text = within(pattern, _ALPHABET)[:20], within(text, _ALPHABET)[:30]
    if pattern.count("{") > 1 or re.search(r"[0-9]{3}", pattern) or re.search(r"\\[0-9]", pattern):
        return  # the real programs need much time and memory for these
    if re.search("-é|é-", pattern):
        return  # L-REGEX-003
    if use_grep:
        check_grep(pattern, text)
    else:
        compare("regex", pattern, text)


def check_grep(pattern: str, text: str) -> None:
    """Compare the parts of a line that match."""
    result = _SHELL.run('grep -E -o -n -e "$1"', args=(pattern,), stdin=text + "\n")
    check(result, pattern, text)
    try:
        status, stdout = real.run("grep", "-E", "-o", "-n", "-e", pattern, stdin=text + "\n")
    except real.NoAnswer:
        return
    found = (result.exit_status, result.stdout)
    promise(
        result.limit is not None or found == (status, stdout),
        "grep -E -o as GNU's",
        pattern,
        text,
        stdout,
        found,
    )

"""What is cut into pieces has no seams: commands print the same whatever the size of a piece."""

from __future__ import annotations

from random import Random

import pytest

import sandhook.command.pieces as pieces
import sandhook.limits as limits
from sandhook import Shell
from sandhook.text import quoting
from sandhook.utilities.compare import sides
from sandhook.utilities.extras import dos2unix


@pytest.fixture
def tiny_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a piece five elements long."""
    for module in (pieces, limits, sides, dos2unix):
        monkeypatch.setattr(module, "PIECE", 5)
    monkeypatch.setattr(pieces.pieces, "__defaults__", (5,))


def texts(alphabet: str, count: int = 2_000) -> list[str]:
    random = Random(len(alphabet))
    return ["".join(random.choices(alphabet, k=random.randrange(40))) for _ in range(count)]


def charge_nothing(steps: int) -> None:
    """Stand for a budget."""


@pytest.mark.usefixtures("tiny_pieces")
def test_splits_are_those_of_python() -> None:
    for text in texts(" \t\nabc"):
        data = text.encode()
        assert pieces.split(data, b"\n", charge_nothing) == data.split(b"\n")
        assert pieces.split(text, "ab", charge_nothing) == text.split("ab")
        words = [word for part in pieces.split_words(data, charge_nothing) for word in part]
        assert words == data.split()
    for text in texts("\r\n\v\f\x1c\x1d\x1e\x85\u2028ab"):
        lines = [line for part in pieces.split_lines(text, charge_nothing) for line in part]
        assert lines == text.splitlines(keepends=True)


#: Commands that work on pieces of ``f``, and what their input is made of.
COMMANDS = [
    *[(f"{name} < f", "\r\r\na\n") for name in ("dos2unix", "unix2dos", "mac2unix", "unix2mac")],
    ("dos2unix -i f", "\r\r\na\n"),
    ("expand f", "\t\ba é\n"),
    ("expand -i f", "\t  a\n"),
    ("expand -t 3 f", "\tab\n"),
    ("diff -b f g", " \tab\n"),
    ("diff -w f g", " \tab\n"),
    ("diff f g", "ab\n"),
    ("xargs < f", " \tab\n\\"),
    ("xargs -I @ echo @ < f", "' \tab\n"),
    ("csvcut -c 1 f", 'a,"\n\r'),
    ("grep -f f g", "ab\n"),
    ("rg -f f g", "ab\n"),
    ("sort f", "ab\n"),
    ("tsort f", "a b\n"),
    ("wc --files0-from=f", "g\0"),
    ("openssl base64 -d -A -in f", "QUFB"),
    ("xxd -r -p f", "0aF \n"),
]


@pytest.mark.parametrize(("command", "alphabet"), COMMANDS)
def test_commands_print_the_same(command: str, alphabet: str, request: pytest.FixtureRequest) -> None:
    inputs = texts(alphabet, 60)
    runs = [Shell(files={"f": text.encode(), "g": text.encode()[::-1]}) for text in inputs]
    whole = [
        (run.exit_status, run.stdout_bytes, run.stderr) for run in (shell.run(command) for shell in runs)
    ]
    assert len(set(whole)) > 1
    request.getfixturevalue("tiny_pieces")
    for text, expected in zip(inputs, whole):
        run = Shell(files={"f": text.encode(), "g": text.encode()[::-1]}).run(command)
        assert (run.exit_status, run.stdout_bytes, run.stderr) == expected, text


@pytest.mark.parametrize(
    "quote",
    [
        quoting.shell_quote, quoting.quote_always, quoting.quote_odd, quoting.quote_escaped, quoting.ansi_c,
        *[lambda name, style=style: quoting.quoted_name(name, style) for style in set(quoting.QUOTING_STYLES.values())],
    ],
)  # fmt: skip
def test_names_are_quoted_the_same(quote: object, request: pytest.FixtureRequest) -> None:
    assert callable(quote)
    names = texts("a'\n\\\x01é\"$ \udcff")
    whole = [quote(name) for name in names]
    request.getfixturevalue("tiny_pieces")
    assert [quote(name) for name in names] == whole

"""Syntax errors read as bash 5.2's; data/errors.txt records what ``bash -n`` says."""

from __future__ import annotations

import pytest

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.syntax import ParseOptions, parse
from tests.syntax.corpus import DATA, SCRIPTS
from tests.syntax.generate import mutate


def recorded() -> list[tuple[str, str]]:
    """Return (script, complaint) of each record "#### complaint", newline, script."""
    text = (DATA / "errors.txt").read_text("utf-8")
    records = [record.partition("\n") for record in text.removeprefix("#### ").split("\n#### ")]
    return [(script.removesuffix("\n") + "\n", complaint) for complaint, _, script in records]


ERRORS = recorded()


def complaint(script: str, **options) -> str | None:
    try:
        parse(script, options=ParseOptions(**options))
    except ShellSyntaxError as error:
        return f"line {error.line}: {error.message}"
    return None


@pytest.mark.parametrize(("script", "expected"), ERRORS)
def test_reads_as_bash(script: str, expected: str) -> None:
    assert complaint(script) == expected


@pytest.mark.parametrize(("script", "expected"), ERRORS)
def test_oracle_says_so(bash, script: str, expected: str) -> None:
    accepted, complaints = bash.check(script)
    assert not accepted
    assert complaints[0] == expected


def test_fields() -> None:
    with pytest.raises(ShellSyntaxError) as caught:
        parse("echo a\n  fi b\n", "hook.sh")
    error = caught.value
    assert (error.line, error.column, error.token, error.name) == (2, 3, "fi", "hook.sh")
    assert error.source[error.span[0] : error.span[1]] == "fi"
    assert not error.incomplete
    assert str(error) == "hook.sh:2:3: syntax error near unexpected token `fi'"


@pytest.mark.parametrize(
    "script", ["if a", "echo 'a", 'echo "$(b', "x=(1", "a &&", "{ a;", "[[ a &&", "cat <(b", "${x"]
)
def test_more_text_could_complete_it(script: str) -> None:
    with pytest.raises(ShellSyntaxError) as caught:
        parse(script)
    assert caught.value.incomplete


@pytest.mark.parametrize("script", ["[[ ]]", "[[ ! ]]", "[[ a && ]]", "for ((;;) do a; done"])
def test_refuses_what_bash_stops_reading_at_in_silence(script: str) -> None:
    assert complaint(script) is not None


def test_arithmetic_for_wants_two_semicolons() -> None:
    assert complaint("for ((a;b)); do c; done") == "line 1: syntax error: arithmetic expression required"
    assert complaint("for ((a;b;c;d)); do e; done") == "line 1: syntax error: `;' unexpected"


def test_extended_patterns_need_the_option() -> None:
    script = "case x in @(a|b)) c;; esac; echo !(d)\n"
    assert complaint(script) == "line 1: syntax error near unexpected token `('"
    assert complaint(script, extglob=True) is None


@pytest.mark.parametrize("max_bytes", [10, 11])
def test_length_is_limited_in_bytes(max_bytes: int) -> None:
    script = "echo é €\n"  # 12 bytes, 9 characters
    with pytest.raises(LimitExceeded, match="script_bytes"):
        parse(script, options=ParseOptions(max_bytes=max_bytes))
    assert parse(script, options=ParseOptions(max_bytes=12))


@pytest.mark.slow
@pytest.mark.parametrize("extglob", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_oracle_accepts_and_refuses_the_same(bash, seed: int, extglob: bool) -> None:
    """Of mutated scripts; what ``$((`` and ``for ((`` make late or silent in bash is left out."""
    import random

    random_ = random.Random(seed)
    different = []
    for _ in range(400):
        script = mutate(random_.choice(SCRIPTS), random_)
        if "$((" in script or "for ((" in script or "[[" in script or "\0" in script:
            continue
        accepted, complaints = bash.check(script, extglob)
        mine = complaint(script, extglob=extglob)
        if accepted != (mine is None):
            different.append((script, complaints, mine))
    assert not different, different[0]


@pytest.mark.parametrize("end", ["\\", "\\\n", "\\\n\\"])
@pytest.mark.parametrize(
    "script", ["echo $((1)", "x=$(()", "((1)", "``$((a)", "a $((`b`)", "( (", "a $((1)&"]
)
def test_a_backslash_at_the_end_continues_nothing(script: str, end: str) -> None:
    """The newline that ends every text became a part of a continuation, and reading went past the end."""
    with pytest.raises(ShellSyntaxError):
        parse(script + end)

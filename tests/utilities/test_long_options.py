"""Long options as GNU's getopt takes them: shortened, with ``=`` or a word, and a named error for any other."""

from __future__ import annotations

from functools import cache

import pytest

from sandhook.command.options import Option, options_by_flag
from tests.sandbox.tools import every
from tests.utilities.test_options import CLASSES, NAMELESS, Program, output, title

#: Utilities whose real programs read long options in another way.
NOT_SHORTENED = {
    "busybox": "any other word is the name of a utility",
    "curl": "what is ambiguous depends on all options of curl",
    "git": "compares whole words before the name of a command",
    "jq": "compares whole words",
    "ps": "compares whole words",
    "renice": "compares whole words",
    "yq": "compares whole words",
    "tomlq": "compares whole words",
}
NO_EQUALS = {
    "curl": "the argument is the next word",
    "jq": "the arguments are the next words",
    "renice": "has no option with an argument",
}

#: Utilities whose output differs from call to call.
RANDOM = {"mcookie", "mktemp", "uuidgen"}

#: Options that print something else without their letter, or whose argument is two words.
TWO_ARGUMENTS = {("yq", "--arg"), ("yq", "--argjson")}


@cache
def long_options(program: Program) -> dict[str, Option]:
    """Return the long options of a program that has some; openssl, sqlite3 and find have words with one dash instead."""
    if program.name in ("find", "openssl", "sqlite3"):
        return {}
    found = options_by_flag(program.options)
    return {flag: option for flag, option in found.items() if flag[:2] == "--" and option.field != "inform"}


WITH_LONG = [program for program in CLASSES if long_options(program)]


def shortest(flag: str, program: Program) -> str | None:
    """Return the shortest beginning of a long option that no other option has."""
    declared = options_by_flag(program.options)
    known = {"--help": "help", "--version": "version", **declared}
    for end in range(3, len(flag)):
        start = flag[:end]
        options = {id(known[other]) for other in known if other.startswith(start)}
        if start not in known and len(options) == 1:
            return start
    return None


def same(program: Program, first: tuple[str, str], second: tuple[str, str]) -> bool:
    if program.name == "free":  # --seconds repeats until the run's time is over
        shorter, longer = sorted(("\n".join(first), "\n".join(second)), key=len)
        return longer.startswith(shorter)
    if program.name in RANDOM:
        return (len(first[0]), first[1]) == (len(second[0]), second[1])
    return first == second


@pytest.mark.parametrize(
    "program", every(3, [each for each in WITH_LONG if each.name not in NOT_SHORTENED]), ids=title
)
def test_a_long_option_can_be_shortened(program: Program) -> None:
    for flag, option in long_options(program).items():
        if (program.name, flag) == ("rm", "--no-preserve-root"):
            continue  # GNU's rm refuses to shorten this one
        start = shortest(flag, program)
        value = "" if option.metavar is None else "=1"
        if start is not None:
            whole, short = (output(f"{program.command} {word}{value}") for word in (flag, start))
            assert same(program, whole, short), f"{title(program)} {start}: {short}; {flag}: {whole}"


@pytest.mark.parametrize("program", [each for each in WITH_LONG if each.name in NOT_SHORTENED], ids=title)
def test_other_programs_refuse_a_shortened_option(program: Program) -> None:
    if program.name == "curl":
        assert "is ambiguous" in output("curl --in")[0]
        return
    for flag, option in long_options(program).items():
        start = shortest(flag, program)
        if start is not None:
            text, status = output(f"{program.command} {start}{'' if option.metavar is None else '=1'}")
            assert status != "0", f"{title(program)} {start}"
            assert start in text or program.name in NAMELESS


@pytest.mark.parametrize("program", [each for each in WITH_LONG if each.name not in NO_EQUALS], ids=title)
def test_the_argument_of_a_long_option_is_attached_or_the_next_word(program: Program) -> None:
    for flag, option in long_options(program).items():
        if option.metavar is None:
            text, status = output(f"{program.command} {flag}=1")
            assert flag in text or flag[2:] in text, f"{title(program)} {flag}=1: {text}"
            assert status != "0" or program.name == "less"
        elif not option.optional and (program.name, flag) not in TWO_ARGUMENTS:
            attached, separate = (output(f"{program.command} {flag}{sign}1") for sign in "= ")
            assert same(program, attached, separate), f"{title(program)} {flag}: {attached}; {separate}"


@pytest.mark.parametrize("program", every(3, WITH_LONG), ids=title)
def test_what_only_begins_like_a_long_option_is_an_error_that_names_it(program: Program) -> None:
    for flag in long_options(program):
        text, status = output(f"{program.command} {flag}zz")
        assert status != "0" or program.name == "less", f"{title(program)} accepts {flag}zz"
        assert f"{flag[2:]}zz" in text or program.name in NAMELESS, f"{title(program)} {flag}zz: {text}"


COMMON = sorted(
    flag
    for flag in {flag for program in WITH_LONG for flag in long_options(program)}
    if sum(flag in long_options(program) for program in WITH_LONG) >= 5
)


@pytest.mark.parametrize("program", every(3, WITH_LONG), ids=title)
def test_a_common_long_option_is_accepted_only_if_it_is_declared(program: Program) -> None:
    known = {*options_by_flag(program.options), "--help", "--version"}
    for flag in COMMON:
        if not any(other.startswith(flag) for other in known):
            text, status = output(f"{program.command} {flag}")
            assert status != "0" or program.name == "less", f"{title(program)} accepts {flag}"
            assert flag[2:] in text or program.name in NAMELESS, f"{title(program)} {flag}: {text}"

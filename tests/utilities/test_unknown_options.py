"""Every utility names an option that it does not have, and knows --help and --version."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandhook.command.utility import Utility
from sandhook.utilities import load, names
from tests.utilities.conftest import Ran

#: Utilities to which every argument means something, as to the real ones.
TAKES_ALL = {
    "[": "a word that is not empty is true",
    "busybox": "a word is the name of a utility",
    "toybox": "likewise",
    "echo": "every word is text",
    "expr": "a word is a value",
    "false": "arguments are ignored",
    "getopt": "a first word without letters behind its dash is read as options of getopt",
    "less": "shows what there is, whatever options say",
    "kill": "a word behind the dash is a signal",
    "ps": "says what kind of option it does not know, as procps does",
    "printf": "the first word is a format",
    "test": "a word that is not empty is true",
    "time": "a word is the command that is timed",
    "true": "arguments are ignored",
    "watch": "is refused, with all of its options",
}

NAMES = sorted(names() - TAKES_ALL.keys())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("option", "shown"), [("--no-such-option", "no-such-option"), ("-\x01", "\x01")])
def test_an_unknown_option_is_an_error_that_names_it(
    utility: Callable[..., Ran], name: str, option: str, shown: str
) -> None:
    status, out, err = utility(name, option, env={"TERM": "dumb"}, same=False)
    if name == "zip":  # it prints everything on standard output
        out, err = err, out
    assert status != 0
    assert out == ""
    assert shown in err or "\\001" in err or "^A" in err
    called = Utility(load(name)).fixed_names.get(name) or name  # egrep is a script that calls grep
    assert err.lstrip("\n").startswith((f"{called}: ", f"{name} error: ", "error: ", "unknown option: ")), err


@pytest.mark.parametrize(
    "name", sorted(names() - {"[", "echo", "false", "printf", "test", "true", "time", "watch", "kill"})
)
def test_help_and_version(utility: Callable[..., Ran], name: str) -> None:
    status, out, errors = utility(name, "--help", same=False)
    assert status == 0
    assert (errors if name in {"run-parts", "xxd"} else out).strip()
    status, out, _ = utility(name, "--version", same=False)
    assert status == 0
    assert out.strip()

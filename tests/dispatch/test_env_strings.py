"""Strings of ``env -S``: random ones, given to the machine's env and to ours.

Words that the kernel's buffer would cut, or that hold a newline, cannot stand in a "#!" line; as an argument
of env they can, and the rules are the same, so env is asked directly.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sandhook.dispatch.envline import EnvError, read_env_line

ENV = shutil.which("env") or "env"
SHOW = b'#!/bin/sh\n[ $# -eq 0 ] || printf "<%s>" "$@"\n'


def is_gnu() -> bool:
    """Whether the machine's env is GNU's, whose rules these are."""
    try:
        return (
            sys.platform != "win32"
            and b"coreutils" in subprocess.run([ENV, "--version"], capture_output=True, timeout=60).stdout
        )
    except OSError:
        return False


pytestmark = pytest.mark.skipif(not is_gnu(), reason="the rules are GNU's")

ENVIRONMENT = {"A": "1", "B": "two  words", "EMPTY": "", "QUOTE": "'\"\\", "A_1": "u"}

PIECES = st.sampled_from([
    "a", "b c", " ", "\t", "  ", "'", '"', "\\", "\\_", "\\c", "\\n", "\\t", "\\f", "\\v", "\\r", "\\#", "\\$", '\\"', "\\'",
    "\\\\", "\\x", "#", "# c", "${A}", "${B}", "${EMPTY}", "${NOSUCH}", "${QUOTE}", "${A_1}", "$A", "${}", "${1}", "${A",
    "${A-x}", "=", "-", "--", "é", "\n", "*", "~", ";", "&",
])  # fmt: skip


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a directory with a program ``show`` that prints its arguments."""
    place = tmp_path_factory.mktemp("tools")
    (place / "show").write_bytes(SHOW)
    (place / "show").chmod(0o755)
    return str(place)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join))
@example("")
@example("a\\")
@example("'a\\'b\\\\c\\d'")
@example('"a\\_b\\c"')
@example("${NOSUCH}${NOSUCH} ${NOSUCH}")
@example("a#b #c")
@example("'#' \"#\" \\#")
def test_strings(tools: str, text: str) -> None:
    """The words come out as env's own, or both refuse."""
    # no option or assignment begins the string, so that every word of it is an argument
    done = subprocess.run(
        [ENV, "-S", f"show {text}", "end"],
        env={**ENVIRONMENT, "PATH": tools},
        capture_output=True,
        timeout=60,
    )
    try:
        line = read_env_line(f"-Sshow {text}", ENVIRONMENT)
    except EnvError:
        assert done.returncode == 125, (text, done.stdout)
        return
    assert done.returncode == 0, (text, done.stderr)
    assert done.stdout.decode() == "".join(f"<{word}>" for word in (*line.arguments, "end"))

"""The C locale in utilities that match: they go by characters of UTF-8 there too (L-LOCALE-003)."""

from __future__ import annotations

import pytest

from tests.utilities.conftest import Sandbox


@pytest.mark.parametrize(
    ("argv", "stdin", "stdout"),
    [
        (["grep", "-c", "^..$"], "é\n", "0\n"),
        (["grep", "-o", "."], "aé\n", "a\né\n"),
        (["sed", "s/./x/g"], "aé\n", "xx\n"),
        (["tr", "-d", "a"], "aé\n", "é\n"),
        (["sort"], "é\nz\n", "z\né\n"),
    ],
)
def test_characters_stay_whole(argv: list[str], stdin: str, stdout: str) -> None:
    for locale in ("C", "POSIX", "C.UTF-8"):
        status, out, _ = Sandbox().run(*argv, stdin=stdin.encode(), env={"LC_ALL": locale})
        assert (status in (0, 1), out.decode()) == (True, stdout)


@pytest.mark.parametrize(
    ("argv", "stdin", "characters", "bytes_"),
    [
        (["awk", "{print length}"], "aé\n", "2\n", "3\n"),
        (["awk", '{print index($0, "x") length(substr($0, 2))}'], "aéx\n", "32\n", "43\n"),
        (["wc", "-m"], "aé\n", "3\n", "4\n"),
    ],
)
def test_what_is_counted_are_bytes_there(argv: list[str], stdin: str, characters: str, bytes_: str) -> None:
    for locale, stdout in (("C", bytes_), ("POSIX", bytes_), ("C.UTF-8", characters)):
        assert Sandbox().run(*argv, stdin=stdin.encode(), env={"LC_ALL": locale}) == (0, stdout.encode(), b"")

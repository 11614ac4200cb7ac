"""The C locale in utilities that match and count: every byte is a character, also one that is not UTF-8."""

from __future__ import annotations

import pytest

from tests.utilities.conftest import Sandbox

LOCALES = (("C", True), ("POSIX", True), ("C.UTF-8", False), ("en_US.UTF-8", False))


@pytest.mark.parametrize(
    ("argv", "stdin", "characters", "by_bytes"),
    [
        (["grep", "-c", "^..$"], "é\n", b"0\n", b"1\n"),
        (["grep", "-o", "."], "aé\n", b"a\n\xc3\xa9\n", b"a\n\xc3\n\xa9\n"),
        (["grep", "-oP", "."], "aé\n", b"a\n\xc3\xa9\n", b"a\n\xc3\n\xa9\n"),
        (["grep", "-c", "[[:alpha:]]"], "é\n", b"1\n", b"0\n"),
        (["grep", "-ci", "É"], "é\n", b"1\n", b"0\n"),
        (["grep", "-ci", "A[b-d]"], "aD\n", b"1\n", b"1\n"),
        (["grep", "-cw", "x"], "éx\n", b"0\n", b"1\n"),
        (["sed", "s/./x/g"], "aé\n", b"xx\n", b"xxx\n"),
        (["sed", "y/é/ab/"], "é\n", b"", b"ab\n"),
        (["awk", "{print length}"], "aé\n", b"2\n", b"3\n"),
        (["awk", '{gsub(/./, "x"); print}'], "aé\n", b"xx\n", b"xxx\n"),
        (["awk", '{printf "%.1s%c\\n", $0, $0}'], "é\n", b"\xc3\xa9\xc3\xa9\n", b"\xc3\xc3\n"),
        (["awk", '{print index($0, "x") length(substr($0, 2))}'], "aéx\n", b"32\n", b"43\n"),
        (["awk", '{print match($0, /x/), split($0, a, "")}'], "éx\n", b"2 2\n", b"3 3\n"),
        (["wc", "-m"], "aé\n", b"3\n", b"4\n"),
        (["expr", "é", ":", ".*"], "", b"1\n", b"2\n"),
        (["tr", "-d", "a"], "aé\n", b"\xc3\xa9\n", b"\xc3\xa9\n"),
        (["sort"], "é\nz\n", b"z\n\xc3\xa9\n", b"z\n\xc3\xa9\n"),
    ],
)
def test_bytes_are_characters(argv: list[str], stdin: str, characters: bytes, by_bytes: bytes) -> None:
    for locale, bytewise in LOCALES:
        _, out, _ = Sandbox().run(*argv, stdin=stdin.encode(), env={"LC_ALL": locale})
        assert out == (by_bytes if bytewise else characters), locale


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (["grep", "[^ -~]"], b"d\xe9f\ng\xc3\xa9h\n"),
        (["grep", "-P", "[^ -~]"], b"d\xe9f\ng\xc3\xa9h\n"),
        (["sed", "-n", "/[^ -~]/p"], b"d\xe9f\ng\xc3\xa9h\n"),
        (["awk", "/[^ -~]/"], b"d\xe9f\ng\xc3\xa9h\n"),
        (["tr", "-cd", " -~\n"], b"abc\ndf\ngh\n"),
    ],
)
def test_a_check_for_bytes_outside_of_ascii_sees_all_of_them(argv: list[str], found: bytes) -> None:
    data = b"abc\nd\xe9f\ng\xc3\xa9h\n"
    assert Sandbox().run(*argv, stdin=data, env={"LC_ALL": "C"}) == (0, found, b"")


def test_names_and_variables_outside_of_awk_are_the_same_in_the_c_locale() -> None:
    program = 'BEGIN {print ENVIRON["V"] ARGV[1]; print "x" > ARGV[1]; close(ARGV[1]); getline < "é"; print}'
    result = Sandbox().run("awk", program, "é", env={"LC_ALL": "C", "V": "ö"})
    assert result == (0, "öé\nx\n".encode(), b"")

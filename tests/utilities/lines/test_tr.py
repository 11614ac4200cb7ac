from __future__ import annotations

import pytest

FILES = {
    "a": "a\na\nb\nc\nc\nc\nA\nd",
    "ab": "a\nb",
    "b": "a\x01b c\x7fd \udcff\udcfe x\x1cy\n\u2003em\xa0nb\n",
    "e": "",
    "w": "héllo wörld\n\ttab\tx\n  two  words \r\nlast",
}


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        ("tr a b < w", 0, "héllo wörld\n\ttbb\tx\n  two  words \r\nlbst", ""),
        ("tr a-z A-Z < w", 0, "HéLLO WöRLD\n\tTAB\tX\n  TWO  WORDS \r\nLAST", ""),
        ("tr '[:lower:]' '[:upper:]' < w", 0, "HéLLO WöRLD\n\tTAB\tX\n  TWO  WORDS \r\nLAST", ""),
        ("tr '[:upper:]' '[:lower:]' < w", 0, "héllo wörld\n\ttab\tx\n  two  words \r\nlast", ""),
        ("tr -d aeiou < w", 0, "héll wörld\n\ttb\tx\n  tw  wrds \r\nlst", ""),
        ("tr -d '[:space:]' < w", 0, "héllowörldtabxtwowordslast", ""),
        ("tr -cd '[:alnum:]\\n' < w", 0, "hllowrld\ntabx\ntwowords\nlast", ""),
        ("tr -s ' ' < w", 0, "héllo wörld\n\ttab\tx\n two words \r\nlast", ""),
        ("tr -s a-z < w", 0, "hélo wörld\n\ttab\tx\n  two  words \r\nlast", ""),
        ("tr -s '[:space:]' '\\n' < w", 0, "héllo\nwörld\ntab\nx\ntwo\nwords\nlast", ""),
        ("tr -cs '[:alpha:]' '\\n' < w", 0, "h\nllo\nw\nrld\ntab\nx\ntwo\nwords\nlast", ""),
        ("tr -ds ab ' ' < w", 0, "héllo wörld\n\tt\tx\n two words \r\nlst", ""),
        ("tr ab '[x*]' < w", 0, "héllo wörld\n\ttxx\tx\n  two  words \r\nlxst", ""),
        ("tr a-f '[x*3]yz' < w", 0, "héllo wörly\n\ttxx\tx\n  two  worys \r\nlxst", ""),
        ("tr a-f '[x*03]y' < w", 0, "héllo wörly\n\ttxx\tx\n  two  worys \r\nlxst", ""),
        ("tr a-c 12 < w", 0, "héllo wörld\n\tt12\tx\n  two  words \r\nl1st", ""),
        ("tr -t a-c 12 < w", 0, "héllo wörld\n\tt12\tx\n  two  words \r\nl1st", ""),
        ("tr -c a-z '*' < w", 0, "h**llo*w**rld**tab*x***two**words***last", ""),
        ("tr '\\n' ' ' < w", 0, "héllo wörld \ttab\tx   two  words \r last", ""),
        ("tr '\\141\\142' 'xy' < w", 0, "héllo wörld\n\ttxy\tx\n  two  words \r\nlxst", ""),
        ("tr '\\\\' / < w", 0, "héllo wörld\n\ttab\tx\n  two  words \r\nlast", ""),
        ("tr '[=a=]' x < w", 0, "héllo wörld\n\ttxb\tx\n  two  words \r\nlxst", ""),
        ("tr 'a-' 'xy' < w", 0, "héllo wörld\n\ttxb\tx\n  two  words \r\nlxst", ""),
        ("tr '\\-a' 'xy' < w", 0, "héllo wörld\n\ttyb\tx\n  two  words \r\nlyst", ""),
        ("tr '[a]' '<b>' < w", 0, "héllo wörld\n\ttbb\tx\n  two  words \r\nlbst", ""),
        ("tr '[a-c]' '[x-z]' < w", 0, "héllo wörld\n\ttxy\tx\n  two  words \r\nlxst", ""),
        ("tr '[:lower:]' 'A-Z' < w", 0, "HéLLO WöRLD\n\tTAB\tX\n  TWO  WORDS \r\nLAST", ""),
        ("tr '' a < w", 0, "héllo wörld\n\ttab\tx\n  two  words \r\nlast", ""),
        ("tr -d '' < w", 0, "héllo wörld\n\ttab\tx\n  two  words \r\nlast", ""),
        ("tr a '[x*9]' < w", 0, "héllo wörld\n\ttxb\tx\n  two  words \r\nlxst", ""),
        ("tr é e < w", 0, "heello we\udcb6rld\n\ttab\tx\n  two  words \r\nlast", ""),
        ("tr '[:punct:]' '[x*]' < b", 0, "a\x01b c\x7fd \udcff\udcfe x\x1cy\n\u2003em\xa0nb\n", ""),
        ("tr -d '[:cntrl:]' < b", 0, "ab cd \udcff\udcfe xy\u2003em\xa0nb", ""),
        ("tr -c '[:print:]\\n' '?' < b", 0, "a?b c?d ?? x?y\n???em??nb\n", ""),
        ("tr '[:blank:]' _ < w", 0, "héllo_wörld\n_tab_x\n__two__words_\r\nlast", ""),
        ("tr -C a-z x < w", 0, "hxxlloxwxxrldxxtabxxxxxtwoxxwordsxxxlast", ""),
        ("tr --delete a < w", 0, "héllo wörld\n\ttb\tx\n  two  words \r\nlst", ""),
        ("tr abc 'x[y*]z' < w", 0, "héllo wörld\n\ttxy\tx\n  two  words \r\nlxst", ""),
    ],
)
def test_prints(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        ("tr -d a -s ' ' < w", 1, "", "tr: extra operand '-s'\nTry 'tr --help' for more information.\n"),
        (
            "tr 'a\\' 'bc' < w",
            0,
            "héllo wörld\n\ttbb\tx\n  two  words \r\nlbst",
            "tr: warning: an unescaped backslash at end of string is not portable\n",
        ),
        ("tr z-a b < w", 1, "", "tr: range-endpoints of 'z-a' are in reverse collating sequence order\n"),
        ("tr '[:foo:]' x < w", 1, "", "tr: invalid character class 'foo'\n"),
        (
            "tr a '[:alpha:]' < w",
            1,
            "",
            "tr: when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'\n",
        ),
        ("tr '[:alpha:]' '[:upper:]' < w", 1, "", "tr: misaligned [:upper:] and/or [:lower:] construct\n"),
        ("tr 'a-z' '[:upper:]' < w", 1, "", "tr: misaligned [:upper:] and/or [:lower:] construct\n"),
        ("tr '[a*]' x < w", 1, "", "tr: the [c*] repeat construct may not appear in string1\n"),
        ("tr a '' < w", 1, "", "tr: when not truncating set1, string2 must be non-empty\n"),
        ("tr a '[x*y]' < w", 1, "", "tr: invalid repeat count 'y' in [c*n] construct\n"),
        ("tr '[=ab=]' x < w", 1, "", "tr: ab: equivalence class operand must be a single character\n"),
        ("tr '[::]' x < w", 1, "", "tr: missing character class name '[::]'\n"),
        ("tr '[==]' x < w", 1, "", "tr: missing equivalence class character '[==]'\n"),
        ("tr", 1, "", "tr: missing operand\nTry 'tr --help' for more information.\n"),
        (
            "tr a",
            1,
            "",
            "tr: missing operand after 'a'\nTwo strings must be given when translating.\nTry 'tr --help' for more information.\n",
        ),
        ("tr -d", 1, "", "tr: missing operand\nTry 'tr --help' for more information.\n"),
        (
            "tr -d a b",
            1,
            "",
            "tr: extra operand 'b'\nOnly one string may be given when deleting without squeezing repeats.\nTry 'tr --help' for more information.\n",
        ),
        ("tr -s a b c", 1, "", "tr: extra operand 'c'\nTry 'tr --help' for more information.\n"),
        (
            "tr -ds a",
            1,
            "",
            "tr: missing operand after 'a'\nTwo strings must be given when both deleting and squeezing repeats.\nTry 'tr --help' for more information.\n",
        ),
        ("tr a b c", 1, "", "tr: extra operand 'c'\nTry 'tr --help' for more information.\n"),
        ("tr -x a b", 1, "", "tr: invalid option -- 'x'\nTry 'tr --help' for more information.\n"),
        (
            "tr -c '[:upper:]' '[:lower:]' < w",
            1,
            "",
            "tr: when translating with string1 longer than string2,\nthe latter string must not end with a character class\n",
        ),
        (
            "tr -c '[:upper:]' 'xy' < w",
            1,
            "",
            "tr: when translating with complemented character classes,\nstring2 must map all characters in the domain to one\n",
        ),
        (
            "tr '\\400' x < w",
            0,
            "hélloxwörld\n\ttab\tx\nxxtwoxxwordsx\r\nlast",
            "tr: warning: the ambiguous octal escape \\400 is being\n\tinterpreted as the 2-byte sequence \\040, 0\n",
        ),
        ("tr a-e '[x*][y*]' < w", 1, "", "tr: only one [c*] repeat construct may appear in string2\n"),
    ],
)
def test_complains(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)

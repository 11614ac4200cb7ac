from __future__ import annotations

import pytest

FILES = {
    "a": "a\na\nb\nc\nc\nc\nA\nd",
    "ab": "a\nb",
}


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        ("seq 5", 0, "1\n2\n3\n4\n5\n", ""),
        ("seq 2 5", 0, "2\n3\n4\n5\n", ""),
        ("seq 1 2 10", 0, "1\n3\n5\n7\n9\n", ""),
        ("seq 5 1", 0, "", ""),
        ("seq 5 -1 1", 0, "5\n4\n3\n2\n1\n", ""),
        ("seq -1 1", 0, "-1\n0\n1\n", ""),
        ("seq -3", 0, "", ""),
        ("seq -5 -1", 0, "-5\n-4\n-3\n-2\n-1\n", ""),
        ("seq 0 0.1 1", 0, "0.0\n0.1\n0.2\n0.3\n0.4\n0.5\n0.6\n0.7\n0.8\n0.9\n1.0\n", ""),
        ("seq 1 0.5 3", 0, "1.0\n1.5\n2.0\n2.5\n3.0\n", ""),
        ("seq 0.1 0.1 0.5", 0, "0.1\n0.2\n0.3\n0.4\n0.5\n", ""),
        ("seq 1.00 2", 0, "1.00\n2.00\n", ""),
        ("seq 1 2.5", 0, "1\n2\n", ""),
        ("seq -w 8 11", 0, "08\n09\n10\n11\n", ""),
        ("seq -w 1 10 100", 0, "001\n011\n021\n031\n041\n051\n061\n071\n081\n091\n", ""),
        ("seq -w -5 5", 0, "-5\n-4\n-3\n-2\n-1\n00\n01\n02\n03\n04\n05\n", ""),
        (
            "seq -w 0 0.5 10",
            0,
            "00.0\n00.5\n01.0\n01.5\n02.0\n02.5\n03.0\n03.5\n04.0\n04.5\n05.0\n05.5\n06.0\n06.5\n07.0\n07.5\n08.0\n08.5\n09.0\n09.5\n10.0\n",
            "",
        ),
        ("seq -w 1 10.25", 0, "01\n02\n03\n04\n05\n06\n07\n08\n09\n10\n", ""),
        ("seq -s, 5", 0, "1,2,3,4,5\n", ""),
        ("seq -s '' 3", 0, "123\n", ""),
        ("seq -s ab 3", 0, "1ab2ab3\n", ""),
        ("seq -f %03g 8 11", 0, "008\n009\n010\n011\n", ""),
        ("seq -f '%.2f' 1 3", 0, "1.00\n2.00\n3.00\n", ""),
        ("seq -f 'x%ey' 1 2", 0, "x1.000000e+00y\nx2.000000e+00y\n", ""),
        ("seq -f '%%%g%%' 2", 0, "%1%\n%2%\n", ""),
        ("seq -f '%5.1f|' 2", 0, "  1.0|\n  2.0|\n", ""),
        ("seq 1e0 3", 0, "1\n2\n3\n", ""),
        ("seq 1 1e0 3", 0, "1\n2\n3\n", ""),
        ("seq 0x5", 0, "1\n2\n3\n4\n5\n", ""),
        ("seq 0x10 0x12", 0, "16\n17\n18\n", ""),
        ("seq 3 inf -1", 0, "", ""),
        (
            "seq 100000000000000000000 100000000000000000002",
            0,
            "100000000000000000000\n100000000000000000001\n100000000000000000002\n",
            "",
        ),
        ("seq -- -2 0", 0, "-2\n-1\n0\n", ""),
        ("seq +1 +3", 0, "1\n2\n3\n", ""),
        ("seq .5 2", 0, "0.5\n1.5\n", ""),
        ("seq 1. 3", 0, "1\n2\n3\n", ""),
        ("seq 1e-1 0.1 0.3", 0, "0.1\n0.2\n0.3\n", ""),
        ("seq 10 -3 -5", 0, "10\n7\n4\n1\n-2\n-5\n", ""),
        ("seq 1 -1", 0, "", ""),
        ("seq -0.5 0.5", 0, "-0.5\n0.5\n", ""),
        ("seq 999998 1000002", 0, "999998\n999999\n1000000\n1000001\n1000002\n", ""),
        ("seq 1e6 1e6", 0, "1000000\n", ""),
        ("seq 0.000001 0.000001 0.000003", 0, "0.000001\n0.000002\n0.000003\n", ""),
        ("seq 1 3 0", 0, "", ""),
        ("seq --separator=: 3", 0, "1:2:3\n", ""),
        ("seq --format=%g 3", 0, "1\n2\n3\n", ""),
        ("seq --equal-width 9 10", 0, "09\n10\n", ""),
    ],
)
def test_prints(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        ("seq -f %d 3", 1, "", "seq: format '%d' has unknown %d directive\n"),
        ("seq -f x 3", 1, "", "seq: format 'x' has no % directive\n"),
        ("seq -f '%g%g' 3", 1, "", "seq: format '%g%g' has too many % directives\n"),
        ("seq -f % 3", 1, "", "seq: format '%' ends in %\n"),
        (
            "seq -w -f %g 3",
            1,
            "",
            "seq: format string may not be specified when printing equal width strings\nTry 'seq --help' for more information.\n",
        ),
        (
            "seq a",
            1,
            "",
            "seq: invalid floating point argument: 'a'\nTry 'seq --help' for more information.\n",
        ),
        (
            "seq 1 a",
            1,
            "",
            "seq: invalid floating point argument: 'a'\nTry 'seq --help' for more information.\n",
        ),
        (
            "seq 1 0 3",
            1,
            "",
            "seq: invalid Zero increment value: '0'\nTry 'seq --help' for more information.\n",
        ),
        ("seq", 1, "", "seq: missing operand\nTry 'seq --help' for more information.\n"),
        ("seq 1 2 3 4", 1, "", "seq: extra operand '4'\nTry 'seq --help' for more information.\n"),
        (
            "seq 1 nan",
            1,
            "",
            "seq: invalid 'not-a-number' argument: 'nan'\nTry 'seq --help' for more information.\n",
        ),
        ("seq -x 3", 1, "", "seq: invalid option -- 'x'\nTry 'seq --help' for more information.\n"),
    ],
)
def test_complains(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)

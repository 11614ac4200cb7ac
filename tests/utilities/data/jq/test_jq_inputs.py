"""Further inputs: each program is answered as jq 1.8.2 answers it, or refused by name."""

from __future__ import annotations

import pytest

REFUSAL = "is not supported (L-JQ-003)"

ANSWERED = [
    ("-c", "[., input] | .[0]", "1 2", 0, "1\n", ""),
    ("-nc", "[., input] | .[0]", "1 2", 0, "null\n", ""),
    ("-nc", "if . > 1 then input else 0 end", "1 2 3", 0, "0\n", ""),
    ("-nc", "first(inputs)", "1 2 3", 0, "1\n", ""),
    ("-c", "select(input)", "1 2", 0, "1\n", ""),
    ("-nc", "select(input)", "1 2", 0, "null\n", ""),
    ("-nc", "label $f | input, break $f", "1 2 3", 0, "1\n", ""),
    ("-nc", "input?", "1 2", 0, "1\n", ""),
    ("-c", ".a |= input", '{"a":1} 2', 0, '{"a":2}\n', ""),
    ("-nc", ".a |= input", '{"a":1} 2', 0, '{"a":{"a":1}}\n', ""),
    (
        "-c",
        ". as [$a, $b] | input | input",
        "[1] 2 3 4",
        5,
        "3\n",
        "jq: error (at <stdin>:0): Cannot index number with number (1)\n",
    ),
    ("-nc", ". as [$a, $b] | input | input", "[1] 2 3 4", 0, "2\n", ""),
    ("-nc", "label $q | inputs | 1, break $q", "1 2 3", 0, "1\n", ""),
    ("-c", "input + 1", "1 2 3 4", 0, "3\n5\n", ""),
    ("-nc", "input + 1", "1 2 3 4", 0, "2\n", ""),
    ("-c", "[.[]?, input]", "[1] 2", 0, "[1,2]\n", ""),
    ("-nc", "[.[]?, input]", "[1] 2", 0, "[[1]]\n", ""),
    (
        "-c",
        "-input",
        "1 2",
        2,
        "",
        "jq: Unknown option -i\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs at https://jqlang.org\n",
    ),
    (
        "-nc",
        "-input",
        "1 2",
        2,
        "",
        "jq: Unknown option -i\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs at https://jqlang.org\n",
    ),
    ("-c", "input | . + 1", "1 2", 0, "3\n", ""),
    ("-nc", "input | . + 1", "1 2", 0, "2\n", ""),
    ("-nc", "[limit(1; inputs)]", "1 2 3", 0, "[1]\n", ""),
    ("-c", "def input: 7; input", "1 2", 0, "7\n7\n", ""),
    ("-nc", "def input: 7; input", "1 2", 0, "7\n", ""),
    ("-c", "def f: . + 1; [., inputs | f]", "1 2 3", 0, "[2,3,4]\n", ""),
    ("-nc", "def f: . + 1; [., inputs | f]", "1 2 3", 0, "[1,2,3,4]\n", ""),
    ("-c", "if input then 1 else 2 end", "1 2 3 null", 0, "1\n2\n", ""),
    ("-nc", "if input then 1 else 2 end", "1 2 3 null", 0, "1\n", ""),
    ("-c", "{(input | tostring): input}", "0 1 2", 0, '{"1":2}\n', ""),
    ("-nc", "{(input | tostring): input}", "0 1 2", 0, '{"0":1}\n', ""),
    ("-c", "[inputs] | length", "1 2 3", 0, "2\n", ""),
    ("-nc", "[inputs] | length", "1 2 3", 0, "3\n", ""),
    ("-c", "input as $a | input as $b | [., $a, $b]", "1 2 3 4 5 6", 0, "[1,2,3]\n[4,5,6]\n", ""),
    ("-nc", "input as $a | input as $b | [., $a, $b]", "1 2 3 4 5 6", 0, "[null,1,2]\n", ""),
    ("-c", "reduce (inputs | . * 2) as $x (.; . + $x)", "1 2 3", 0, "11\n", ""),
    ("-nc", "reduce (inputs | . * 2) as $x (.; . + $x)", "1 2 3", 0, "12\n", ""),
    ("-c", "[foreach inputs as [$a] (0; . + $a)]", "1 [2] [3]", 0, "[2,5]\n", ""),
    (
        "-nc",
        "[foreach inputs as [$a] (0; . + $a)]",
        "1 [2] [3]",
        5,
        "",
        "jq: error (at <stdin>:0): Cannot index number with number (0)\n",
    ),
]

REFUSED = [
    ("-c", "(1, 2) | input", "1 2 3"),
    ("-nc", "(1, 2) | input", "1 2 3"),
    ("-c", "[range(3) | input]", "1 2 3 4"),
    ("-nc", "[range(3) | input]", "1 2 3 4"),
    ("-c", "def f: input; f", "1 2"),
    ("-nc", "def f: input; f", "1 2"),
    ("-c", "map(input)", "[1] 2"),
    ("-nc", "map(input)", "[1] 2"),
    ("-c", "[inputs], [inputs]", "1 2"),
    ("-nc", "[inputs], [inputs]", "1 2"),
    ("-c", ".[] | input", "[1,2] 3"),
    ("-nc", ".[] | input", "[1,2] 3"),
    ("-c", "reduce range(2) as $i (0; . + input)", "0 1 2"),
    ("-nc", "reduce range(2) as $i (0; . + input)", "0 1 2"),
    ("-c", "input - input", "1 5 3"),
    ("-nc", "input - input", "1 5 3"),
    ("-c", "recurse(input)", "1 2 3"),
    ("-nc", "recurse(input)", "1 2 3"),
    ("-c", "input as [$a] ?// $a | input", "1 2 3"),
    ("-nc", "input as [$a] ?// $a | input", "1 2 3"),
    ("-c", "if . > 1 then input else 0 end", "1 2 3"),
    ("-c", "first(inputs)", "1 2 3"),
    ("-c", '"\\(input) \\(input)"', "1 2 3"),
    ("-nc", '"\\(input) \\(input)"', "1 2 3"),
    ("-c", "{a: (1, 2), b: input}", "1 2 3"),
    ("-nc", "{a: (1, 2), b: input}", "1 2 3"),
    ("-c", "while(. < 3; input)", "1 2 3"),
    ("-nc", "while(. < 3; input)", "1 2 3"),
    ("-c", "label $f | input, break $f", "1 2 3"),
    ("-c", "input?", "1 2"),
    ("-c", "walk(input)", "1 2"),
    ("-nc", "walk(input)", "1 2"),
    ("-c", "try error catch input", "1 2 3"),
    ("-c", "(.. | input)", "[1] 2 3"),
    ("-nc", "(.. | input)", "[1] 2 3"),
    ("-c", "{(range(3)|tostring): input}", "1 2 3"),
    ("-nc", "{(range(3)|tostring): input}", "1 2 3"),
    ("-c", "label $q | inputs | 1, break $q", "1 2 3"),
    ("-c", "(.a, input)?, input", "1 2 3"),
    ("-nc", "(.a, input)?, input", "1 2 3"),
    ("-c", "try (.a, input) catch 0, input", "1 2 3"),
    ("-nc", "try (.a, input) catch 0, input", "1 2 3"),
    ("-c", "(1 // input), input", "1 2 3"),
    ("-nc", "(1 // input), input", "1 2 3"),
    ("-c", "reduce inputs as $x (1, 2; . + $x)", "1 2 3"),
    ("-nc", "reduce inputs as $x (1, 2; . + $x)", "1 2 3"),
    ("-c", "[limit(1; inputs)]", "1 2 3"),
]


@pytest.mark.parametrize(("option", "program", "data", "status", "stdout", "stderr"), ANSWERED)
def test_answers(way, utility, option, program, data, status, stdout, stderr):
    assert utility("jq", option, program, stdin=data) == (status, stdout, stderr)


@pytest.mark.parametrize(("option", "program", "data"), REFUSED)
def test_refuses_what_it_could_answer_wrongly(wrapped, utility, option, program, data):
    status, out, err = utility("jq", option, program, stdin=data, same=False)
    assert (status, out) == (3, "")
    assert REFUSAL in err


@pytest.mark.parametrize(
    ("program", "data", "first"),
    [
        (".a, input", "1 2 3", ""),
        ('., (inputs | error("x"))', "1 2 3", "1\n"),
    ],
)
def test_does_not_guess_what_was_read_before_an_error(wrapped, utility, program, data, first):
    status, out, err = utility("jq", program, stdin=data, same=False)
    assert (status, out) == (5, first)
    assert err.startswith("jq: error (at <stdin>:0): ")
    assert "continuing after an error together with input " + REFUSAL in err


def test_an_error_with_nothing_left_to_read_is_only_an_error(utility):
    expected = (5, "", 'jq: error (at <stdin>:0): Cannot index number with string ("a")\n')
    assert utility("jq", "[.a, inputs]", stdin="1", same=False) == expected

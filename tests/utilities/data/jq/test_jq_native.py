"""What libjq's own functions give: further inputs anywhere, debug, halt, positions, colours, streams.

Rows of ``INPUTS`` are the same for jq 1.6; the rest was checked by the manual of jq 1.8 where 1.6 differs.
"""

from __future__ import annotations

import pytest

from sandhook import Limits, Shell

pytestmark = pytest.mark.usefixtures("native")

INPUTS = [
    ("-c", "(1, 2) | input", "1 2 3", 0, "2\n3\n", ""),
    ("-nc", "(1, 2) | input", "1 2 3", 0, "1\n2\n", ""),
    ("-c", "[range(3) | input]", "1 2 3 4", 0, "[2,3,4]\n", ""),
    ("-nc", "[range(3) | input]", "1 2 3 4", 0, "[1,2,3]\n", ""),
    ("-c", "def f: input; f", "1 2", 0, "2\n", ""),
    ("-nc", "def f: input; f", "1 2", 0, "1\n", ""),
    ("-c", "map(input)", "[1] 2", 0, "[2]\n", ""),
    ("-nc", "map(input)", "[1] 2", 5, "", "jq: error (at <unknown>): Cannot iterate over null (null)\n"),
    ("-c", "[inputs], [inputs]", "1 2", 0, "[2]\n[]\n", ""),
    ("-nc", "[inputs], [inputs]", "1 2", 0, "[1,2]\n[]\n", ""),
    ("-c", ".[] | input", "[1,2] 3", 5, "3\n", "jq: error (at <stdin>:0): break\n"),
    ("-nc", ".[] | input", "[1,2] 3", 5, "", "jq: error (at <unknown>): Cannot iterate over null (null)\n"),
    ("-c", "reduce range(2) as $i (0; . + input)", "0 1 2", 0, "3\n", ""),
    ("-nc", "reduce range(2) as $i (0; . + input)", "0 1 2", 0, "1\n", ""),
    ("-c", "input - input", "1 5 3", 0, "-2\n", ""),
    ("-nc", "input - input", "1 5 3", 0, "4\n", ""),
    ("-c", "recurse(input)", "1 2 3", 5, "1\n2\n3\n", "jq: error (at <stdin>:0): break\n"),
    ("-nc", "recurse(input)", "1 2 3", 5, "null\n1\n2\n3\n", "jq: error (at <stdin>:0): break\n"),
    ("-c", "input as [$a] ?// $a | input", "1 2 3", 0, "3\n", ""),
    ("-nc", "input as [$a] ?// $a | input", "1 2 3", 0, "2\n", ""),
    ("-c", "if . > 1 then input else 0 end", "1 2 3", 0, "0\n3\n", ""),
    ("-c", "first(inputs)", "1 2 3", 0, "2\n", ""),
    ("-c", '"\\(input) \\(input)"', "1 2 3", 0, '"3 2"\n', ""),
    ("-nc", '"\\(input) \\(input)"', "1 2 3", 0, '"2 1"\n', ""),
    ("-c", "{a: (1, 2), b: input}", "1 2 3", 0, '{"a":1,"b":2}\n{"a":2,"b":3}\n', ""),
    ("-nc", "{a: (1, 2), b: input}", "1 2 3", 0, '{"a":1,"b":1}\n{"a":2,"b":2}\n', ""),
    ("-c", "while(. < 3; input)", "1 2 3", 0, "1\n2\n", ""),
    ("-nc", "while(. < 3; input)", "1 2 3", 0, "null\n1\n2\n", ""),
    ("-c", "label $f | input, break $f", "1 2 3", 5, "2\n", "jq: error (at <stdin>:0): break\n"),
    ("-c", "input?", "1 2", 0, "2\n", ""),
    ("-c", "walk(input)", "1 2", 0, "2\n", ""),
    ("-nc", "walk(input)", "1 2", 0, "1\n", ""),
    ("-c", "try error catch input", "1 2 3", 5, "2\n", "jq: error (at <stdin>:0): break\n"),
    ("-c", "(.. | input)", "[1] 2 3", 0, "2\n3\n", ""),
    ("-nc", "(.. | input)", "[1] 2 3", 0, "[1]\n", ""),
    (
        "-c",
        "{(range(3)|tostring): input}",
        "1 2 3",
        5,
        '{"0":2}\n{"1":3}\n',
        "jq: error (at <stdin>:0): break\n",
    ),
    ("-nc", "{(range(3)|tostring): input}", "1 2 3", 0, '{"0":1}\n{"1":2}\n{"2":3}\n', ""),
    ("-c", "label $q | inputs | 1, break $q", "1 2 3", 0, "1\n", ""),
    ("-c", "(.a, input)?, input", "1 2 3", 5, "2\n", "jq: error (at <stdin>:0): break\n"),
    ("-nc", "(.a, input)?, input", "1 2 3", 0, "null\n1\n2\n", ""),
    ("-c", "try (.a, input) catch 0, input", "1 2 3", 5, "0\n2\n0\n", "jq: error (at <stdin>:0): break\n"),
    ("-nc", "try (.a, input) catch 0, input", "1 2 3", 0, "null\n1\n2\n", ""),
    ("-c", "(1 // input), input", "1 2 3", 5, "1\n2\n1\n", "jq: error (at <stdin>:0): break\n"),
    ("-nc", "(1 // input), input", "1 2 3", 0, "1\n1\n", ""),
    ("-c", "reduce inputs as $x (1, 2; . + $x)", "1 2 3", 0, "6\n2\n", ""),
    ("-nc", "reduce inputs as $x (1, 2; . + $x)", "1 2 3", 0, "7\n2\n", ""),
    ("-c", "[limit(1; inputs)]", "1 2 3", 0, "[2]\n[]\n", ""),
]

TRY_HELP = "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs at https://jqlang.org\n"


@pytest.mark.parametrize(("option", "program", "data", "status", "stdout", "stderr"), INPUTS)
def test_further_inputs_are_read_anywhere(utility, option, program, data, status, stdout, stderr):
    assert utility("jq", option, program, stdin=data) == (status, stdout, stderr)


@pytest.mark.parametrize(
    ("argv", "stdin", "status", "stdout", "stderr"),
    [
        (["-c", "debug|.a"], '{"a":1}', 0, "1\n", '["DEBUG:",{"a":1}]\n'),
        (["-c", 'debug("m", .a)|.a'], '{"a":1}', 0, "1\n", '["DEBUG:","m"]\n["DEBUG:",1]\n'),
        (["-c", "stderr|1"], '{"a":[1,2]}', 0, "1\n", '{"a":[1,2]}'),
        (["-c", "stderr|1"], '"two\\nlines"', 0, "1\n", "two\nlines"),
        (["-n", "1,debug,2"], "", 0, "1\nnull\n2\n", '["DEBUG:",null]\n'),
        (["-nc", "[limit(3;repeat(1))|debug]"], "", 0, "[1,1,1]\n", '["DEBUG:",1]\n' * 3),
        (["-n", '"\\u0001x:now"|debug'], "", 0, '"\\u0001x:now"\n', '["DEBUG:","\\u0001x:now"]\n'),
        (["-n", "try (1,halt_error) catch 9"], "", 5, "1\n", ""),
        (["-n", '"bye\\n"|halt_error(3),9'], "", 3, "", "bye\n"),
        (["-n", '{"a":1}|halt_error'], "", 5, "", '{"a":1}\n'),
        (["-n", "try halt catch 9"], "", 0, "", ""),
        (["-n", "1,halt,2"], "", 0, "1\n", ""),
        (
            ["-n", '"x"|halt_error("a")'],
            "",
            5,
            "",
            'jq: error (at <unknown>): string ("x") halt_error/1: number required\n',
        ),
        (["input_line_number"], "1\n\n2\n3", 0, "1\n3\n3\n", ""),
        (["-n", "input_line_number,(input|input_line_number)"], "1\n2\n", 0, "0\n1\n", ""),
        (
            ["-R", "[.,input_line_number]|tojson"],
            "a\nb\n\nc",
            0,
            '"[\\"a\\",1]"\n"[\\"b\\",2]"\n"[\\"\\",3]"\n"[\\"c\\",3]"\n',
            "",
        ),
        (
            ["-c", "[input_filename,input_line_number,.]", "one", "two"],
            "",
            0,
            '["one",1,1]\n["one",2,2]\n["two",2,[3]]\n',
            "",
        ),
        (
            ["-c", "[inputs|[input_filename,input_line_number]]", "one", "two"],
            "",
            0,
            '[["one",2],["two",2]]\n',
            "",
        ),
        (["-c", "$__loc__"], "1", 0, '{"file":"<top-level>","line":1}\n', ""),
        (["-c", "\n$__loc__.line, input_filename"], "1", 0, '2\n"<stdin>"\n', ""),
        (["-c", "error(null)"], "1 2", 5, "", "jq: error (at <stdin>:0) (not a string): null\n" * 2),
        (
            ["-c", "--stream-errors", "."],
            "[1,}",
            0,
            '[[0],1]\n["Expected another key:value pair at line 1, column 4",[1]]\n',
            None,
        ),
        (
            ["-c", "--stream", "."],
            '{"a":[1,',
            5,
            '[["a",0],1]\n',
            "jq: parse error: Unfinished JSON term at EOF at line 1, column 8\n",
        ),
        (
            ["-c", "--seq", "."],
            "\x1e1\n\x1e[1\x1e[2]\n",
            0,
            "\x1e1\n\x1e[2]\n",
            "jq: ignoring parse error: Truncated value at line 2, column 4\n",
        ),
        (["-c", "--arg", "a", "1", "[$a,$ARGS.named.a,$__loc__.line]"], "0", 0, '["1","1",1]\n', ""),
        (["-nc", "--arg", "a-b", "1", "$ARGS.named"], "", 0, '{"a-b":"1"}\n', ""),
        (["-nc", "--arg", "if", "1", "$if"], "", 0, '"1"\n', ""),
        (["-nc", "--arg", "ENV", "1", "$ARGS.named.ENV"], "", 0, '"1"\n', ""),
        (
            ["-n", "--argjson", "a", "1 2", "$a"],
            "",
            2,
            "",
            "jq: invalid JSON text passed to --argjson\n" + TRY_HELP,
        ),
        (
            ["-n", "--jsonargs", "$ARGS", "{"],
            "",
            2,
            "",
            "jq: invalid JSON text passed to --jsonargs\n" + TRY_HELP,
        ),
        (
            ["-n", '[limit(0;1,2)],[skip(1;1,2)],("1"|toboolean?)|tojson'],
            "",
            0,
            '"[]"\n"[2]"\n',
            "",
        ),
        (
            ["-nc", '["xax"|trimstr("x"),ltrimstr("x"),@urid], have_decnum, ({a:1,b:2}|pick(.a)), (-1|abs)'],
            "",
            0,
            '["a","ax","xax"]\ntrue\n{"a":1}\n1\n',
            "",
        ),
        (
            ["-c", "."],
            "100000000000000000000000000000001 1.000 1e1000 -0",
            0,
            "100000000000000000000000000000001\n1.000\n1E+1000\n-0\n",
            "",
        ),
        (
            ["def f: 1;"],
            "1",
            3,
            "",
            'jq: error: Top-level program not given (try ".")\njq: 1 compile error\n',
        ),
        (["."], "1 2 {", 5, "1\n2\n", "jq: parse error: Unfinished JSON term at EOF at line 1, column 5\n"),
    ],
)
def test_does_what_jq_1_8_does(utility, argv, stdin, status, stdout, stderr):
    files = {"one": "1\n2\n", "two": "\n[3]\n"}
    got = utility("jq", *argv, stdin=stdin, files=files, same=False)
    assert got[:2] == (status, stdout)
    if stderr is not None:
        assert got[2] == stderr


def test_colours_are_those_of_jq_colors(utility):
    def coloured(colours: str, text: str = '[null,{"a":1}]') -> str:
        return utility("jq", "-Cc", ".", stdin=text, env={"JQ_COLORS": colours}, same=False)[1]

    plain = coloured("")
    assert coloured("4;31") == plain.replace("\x1b[0;90mnull", "\x1b[4;31mnull")
    assert coloured("") == plain, "the colours of one call are not those of the next"
    status, _, err = utility("jq", "-Cc", ".", stdin="1", env={"JQ_COLORS": "x"}, same=False)
    assert (status, err) == (0, "Failed to set $JQ_COLORS\n")


def test_output_and_messages_keep_their_order():
    result = Shell(files={"in": "1 2"}).run("jq '., debug, error(.)' in 2>&1")
    assert result.stdout == (
        '1\n["DEBUG:",1]\n1\njq: error (at in:0) (not a string): 1\n'
        '2\n["DEBUG:",2]\n2\njq: error (at in:0) (not a string): 2\n'
    )


def test_now_goes_on_and_follows_the_virtual_clock():
    result = Shell().run('a=$(jq -n now); sleep 2; b=$(jq -n now); jq -n "$b - $a | . >= 2 and . < 4"')
    assert result.stdout == "true\n"
    assert Shell().run("jq -n '[limit(300; repeat(now))] | .[-1] > .[0]'").stdout == "true\n"


def test_a_flood_of_messages_ends_with_the_limit():
    result = Shell(limits=Limits(wall_seconds=10)).run("jq -n 'repeat(debug)|empty'")
    assert result.limit == "output_bytes"
    assert Shell().run("jq -n 1").stdout == "1\n"


def test_a_reader_that_leaves_ends_the_program():
    assert Shell().run("jq -n 'range(1e9)' | head -n 2; jq -n 3").stdout == "0\n1\n3\n"

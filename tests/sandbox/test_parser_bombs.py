"""TM-DOS 7: no text of a script is too deep, too long or too strange to be refused or run in time."""

from __future__ import annotations

import pytest

from sandhook.limits import Limits
from tests.sandbox.conftest import SMALL, Attack
from tests.sandbox.tools import present

DEEP = 2_000

NESTED = {
    "subshell": ("( ", ":", " )"),
    "group": ("{ ", ":", "; }"),
    "if": ("if :; then ", ":", "; fi"),
    "if in the condition": ("if ", ":", "; then :; fi"),
    "else": ("if :; then :; else ", ":", "; fi"),
    "elif": ("if :; then :; elif :; then ", ":", "; fi"),
    "while": ("while ", "false", "; do :; done"),
    "until": ("until ", ":", "; do :; done"),
    "for": ("for x in a; do ", ":", "; done"),
    "for ((": ("for ((;0;)); do ", ":", "; done"),
    "case": ("case a in a) ", ":", ";; esac"),
    "select": ("select x in; do ", ":", "; done"),
    "function": ("f() { ", ":", "; }"),
    "command substitution": ("$(", ":", ")"),
    "command substitution in quotes": ('true "$(', ":", ')"'),
    "process substitution": ("cat <(", ":", ")"),
    "coproc": ("coproc { ", ":", "; }"),
    "arithmetic": (": $((", "1", "))"),
    "arithmetic command": ("((", "1", "))"),
    "arithmetic parentheses": ("(", "1", ")"),
    "parameter default": ("${x:-", "a", "}"),
    "parameter default in quotes": ('"${x:-', "a", '}"'),
    "parameter pattern": ("${x#", "a", "}"),
    "subscript": ("${a[", "0", "]}"),
    "array in array": ("a=( ", "x", " )"),
    "condition": ("[[ ( ", "a", " ) ]]"),
    "not": ("! ", ":", ""),
    "time": ("time ", ":", ""),
    "brace expansion": ("echo {a,", "b", "}"),
    "extended pattern": ("@(", "a", ")"),
    "here-document": ("cat <<E\n$(", ":", ")\nE\n"),
}


@pytest.mark.parametrize("construct", NESTED)
def test_nesting_is_refused(attack: Attack, construct: str) -> None:
    before, middle, after = NESTED[construct]
    result = attack(before * DEEP + middle + after * DEEP)
    assert result.exit_status != 0 or construct in ("not", "time", "brace expansion", "extended pattern"), (
        result.stdout[:200]
    )
    assert result.limit is not None or result.stderr or result.exit_status == 0


@pytest.mark.parametrize("construct", NESTED)
def test_text_that_stops_in_the_middle(attack: Attack, construct: str) -> None:
    before, _, _ = NESTED[construct]
    result = attack(before * DEEP)
    harmless = construct in ("not", "time", "brace expansion")  # a whole command, or a literal word
    assert result.limit is not None or result.stderr or harmless


@pytest.mark.parametrize(
    "construct",
    ["subshell", "group", "if", "until", "for", "case", "command substitution in quotes", "not", "else"],
)
def test_thirty_levels_are_fine(attack: Attack, construct: str) -> None:
    before, middle, after = NESTED[construct]
    result = attack(before * 30 + middle + after * 30)
    assert (result.stderr, result.limit) == ("", None)


EXPRESSIONS = [
    "echo $(({open}1{close}))",
    "((x = {minus}1))",
    "echo $(({tilde}1))",
    "echo $((1{plus}))",
    "echo $((1{ternary}:1))",
    "x=1; echo $((x{assign}1))",
    "[[ {bangs} a ]]",
    "[[ a {ands} ]]",
    "[ {bangs} a ]",
    "test a {dash_a}",
    "expr 1 {expr_plus} > /dev/null",
    "expr {expr_open} 1 {expr_close}",
    "find . {find_open} -name x {find_close}",
    "find . {find_not} -name x",
    "find . -name x {find_or}",
    "awk 'BEGIN {{ print {open}1{close} }}'",
    "awk 'BEGIN {{ print {minus}1 }}'",
    "awk 'BEGIN {{ {braces_open}{braces_close} }}'",
    "awk 'BEGIN {{ x = {assigns} 1 }}'",
    "sed '{sed_open}p{sed_close}' < /dev/null",
    "echo a | grep -E '{open}a{close}'",
    "echo a | sed -E 's/{open}a{close}/b/'",
    "x=a; echo ${{x/{brackets}/b}}",
    "printf '{percents}' > /dev/null",
    "true {words}",
    "true {quotes}",
    "a=b {assignments} true",
    "true {redirections}",
    "true {ands_list}",
    "true {pipes}",
    "case a in {patterns} b) ;; esac",
    "echo {{{commas}}} > /dev/null",
    "set -- {words}; shift 1600; echo $# > /dev/null",
    "x=({words}); echo ${{#x[@]}} > /dev/null",
]

PIECES = {
    "open": "(" * DEEP,
    "close": ")" * DEEP,
    "minus": "- " * DEEP,
    "tilde": "~" * DEEP,
    "plus": "+1" * DEEP,
    "ternary": "?1" * DEEP + ":1" * (DEEP - 1),
    "assign": "=x" * DEEP + "=",
    "assigns": "x = " * DEEP,
    "bangs": "! " * DEEP,
    "ands": "&& a " * DEEP,
    "dash_a": "-a a " * DEEP,
    "expr_plus": "+ 1 " * DEEP,
    "expr_open": "\\( " * DEEP,
    "expr_close": "\\) " * DEEP,
    "find_open": "\\( " * DEEP,
    "find_close": "\\) " * DEEP,
    "find_not": "! " * DEEP,
    "find_or": "-o -name x " * DEEP,
    "braces_open": "{" * DEEP,
    "braces_close": "}" * DEEP,
    "sed_open": "{" * DEEP,
    "sed_close": ";}" * DEEP,
    "brackets": "[" * DEEP,
    "percents": "%s" * DEEP,
    "words": "word " * DEEP,
    "quotes": "''\"\"" * DEEP,
    "assignments": "a=b " * DEEP,
    "redirections": "2>&1 " * DEEP,
    "ands_list": "&& true " * DEEP,
    "pipes": "| true " * DEEP,
    "patterns": "x) ;; " * DEEP,
    "commas": "a," * DEEP,
}


@pytest.mark.parametrize("template", present(EXPRESSIONS))
def test_a_long_expression(attack: Attack, template: str) -> None:
    result = attack(template.format(**PIECES), limits=SMALL.with_(steps=2_000_000))
    assert result.exit_status == 0 or result.limit is not None or result.stderr or template.startswith("[")


@pytest.mark.parametrize(
    "script",
    present(
        [
            "echo " + "a" * 1_100_000,
            ": '" + "x\n" * 600_000 + "'",
            "# " + "c" * 1_100_000,
            "true;" * 250_000,
            "\n" * 1_100_000,
            "cat <<E\n" + "line\n" * 250_000 + "E",
            "(" * 1_100_000,
            "$(" * 600_000,
            "'" * 1_100_001,
            "`" * 1_100_001,
            "\\\n" * 600_000,
        ]
    ),
    ids=lambda script: repr(script[:12]),
)
def test_a_text_that_is_too_long(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.limit == "script_bytes"
    assert result.exit_status != 0
    assert result.stdout == ""


@pytest.mark.parametrize(
    "script",
    present(
        [
            "true " + "a" * 500_000,
            ": '" + "x\n" * 200_000 + "'",
            "# " + "c" * 900_000,
            "\n" * 200_000,
            "cat > /dev/null <<E\n" + "line $x\n" * 10_000 + "E",
            "true \\\n" * 10_000,
            "".join(f"cat > /dev/null <<E{n}\nE{n}\n" for n in range(500)),
            "true " + " ".join(f"<<E{n}" for n in range(500)) + "\n" + "".join(f"E{n}\n" for n in range(500)),
            "true " + "$'\\x41'" * 20_000,
            "true " + '"$x"' * 10_000,
            "x=" + "$((1))" * 5_000,
            "true " + "`:`" * 200,
            "(( 1 )) ;" * 3_000,
            "true " + "$((" * 50 + "1" + "))" * 50,
        ]
    ),
    ids=lambda script: repr(script[:12]),
)
def test_a_long_text_is_read_in_linear_time(attack: Attack, script: str) -> None:
    result = attack(script, limits=Limits(wall_seconds=60.0, steps=5_000_000))
    assert (result.exit_status, result.limit) == (0, None), result.stderr[:200]


@pytest.mark.parametrize(
    "script",
    present(
        [
            "echo a\0b",
            "\0\0\0",
            "\x7fELF\x02\x01\x01\0",
            "echo \udcff\udcfe",
            "\udcff() { :; }; \udcff",
            "echo \u2028\u202e\ufeff",
            "\ufeffecho bom",
            "echo $'\\u0000' $'\\U10ffff' $'\\ud800' $'\\xff'",
            "x=\udcff; echo ${#x} ${x^^} ${x@Q}",
            "echo \r\n\r",
            "case \udcff in \udcff) echo y;; esac",
            "printf '\\0\\377\\n' | while read -r x; do echo \"${#x}\"; done",
            "echo $'a\\0b'",
            "\x1b[31mred\x07",
            ")",
            ";;",
            "&",
            "| |",
            "<",
            "> > a",
            "<<",
            "<<E",
            "case in",
            "for in do",
            "function",
            "function f",
            "if then",
            "$(",
            "${",
            "$((",
            "`",
            "'",
            '"',
            "[[",
            "[[ a",
            "[[ a ==",
            "[[ =~ ]]",
            "((",
            "a=(",
            "{",
            "}",
            "!",
            "time",
            "coproc",
            "\\",
            "${x:",
            "${x/",
            "${!",
            "${x[",
            "$[",
            "$[1",
            "<(",
            ">(",
            "{a,",
            "x[",
            "x[1]=",
            "esac",
            "done",
            "do :",
            "in",
            "a() b() c()",
            "() { :; }",
            "1a() { :; }; 1a",
        ]
    ),
)
def test_a_strange_text_is_answered(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.limit is None
    assert 0 <= result.exit_status < 256


@pytest.mark.parametrize(
    ("script", "limit"),
    present(
        [
            ("eval \"$(head -c 2000000 /dev/zero | tr '\\0' ';')\"", "script_bytes"),
            ("$(", None),
            ("exit 7", None),
        ]
    ),
)
def test_text_made_at_run_time_is_limited_too(attack: Attack, script: str, limit: str | None) -> None:
    assert attack(script, limits=Limits()).limit == limit


@pytest.mark.parametrize("kind", ["stdin", "env", "args"])
def test_input_is_limited(attack: Attack, kind: str) -> None:
    big = 3 << 20
    result = attack(
        "echo never",
        stdin=b"x" * big if kind == "stdin" else b"",
        env={"X": "x" * big} if kind == "env" else None,
        args=("x" * big,) if kind == "args" else (),
    )
    assert result.limit == "input_bytes"
    assert (result.stdout, result.exit_status != 0) == ("", True)

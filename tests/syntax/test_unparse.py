"""A printed tree parses to the same tree, and looks as bash prints it."""

from __future__ import annotations

import pytest

from sandhook.errors import LimitExceeded
from sandhook.syntax import ParseOptions, parse, parse_word
from sandhook.syntax import nodes as n
from sandhook.syntax.unparse import function_text, unparse
from tests.syntax.canonical import canonical
from tests.syntax.corpus import SCRIPTS
from tests.syntax.generate import Generator


def assert_same_again(script: str, options: ParseOptions) -> None:
    units = parse(script, options=options)
    for unit in units:
        text = unparse(unit)
        assert canonical(parse(text + "\n", options=options)) == canonical((unit,)), text


@pytest.mark.parametrize("script", SCRIPTS)
def test_same_tree_again(script: str) -> None:
    assert_same_again(script, ParseOptions())


@pytest.mark.parametrize("seed", range(60))
def test_same_tree_again_for_generated_scripts(seed: int) -> None:
    extglob = seed % 3 == 0
    assert_same_again(Generator(seed, extglob).script(), ParseOptions(extglob=extglob))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_same_tree_again_for_many_scripts(seed: int) -> None:
    for number in range(100):
        extglob = number % 3 == 0
        script = Generator(1000 + seed * 100 + number, extglob).script()
        assert_same_again(script, ParseOptions(extglob=extglob))


def test_layout_of_declare_f() -> None:
    (unit,) = parse(
        "f() { local x=$1; if a; then b; elif c; then d & fi; for y; do { e; }; done >log;"
        " case $x in a|b) g;; *) ;; esac; while h; do i || j; done; (k; l); m() { n; }; } 2>&1\n"
    )
    definition = unit.items[0].command
    assert isinstance(definition, n.FunctionDefinition)
    assert function_text(definition.name, definition.body).splitlines() == [
        "f () ",
        "{ ",
        "    local x=$1;",
        "    if a; then",
        "        b;",
        "    else",
        "        if c; then",
        "            d &",
        "        fi;",
        "    fi;",
        '    for y in "$@";',
        "    do",
        "        { ",
        "            e",
        "        };",
        "    done > log;",
        "    case $x in ",
        "        a | b)",
        "            g",
        "        ;;",
        "        *)",
        "",
        "        ;;",
        "    esac;",
        "    while h; do",
        "        i || j;",
        "    done;",
        "    ( k;",
        "    l );",
        "    function m () ",
        "    { ",
        "        n",
        "    }",
        "} 2>&1",
    ]


def test_a_reserved_name_needs_the_keyword() -> None:
    (unit,) = parse("function if { a; }\n")
    definition = unit.items[0].command
    assert function_text(definition.name, definition.body).startswith("function if () \n")


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("a  >b  2>&1 <&-", "a > b 2>&1 0>&-"),
        ("x=$'a\\'b'", "x='a'\\''b'"),
        ("a|&b", "a 2>&1 | b"),
        ("a=( 1\n 2 )", "a=(1 2)"),
        ("echo $( (a);b )", "echo $( ( a ); b)"),
        ("cat <<-'E' | a\n\tx\n\tE", "cat <<-'E' |\nx\nE\n  a"),
        ("coproc a b", "coproc a b"),
        ("1<>f a", "a 1<> f"),
        ("<f if x >g", "< f if x > g"),
        ("<f a", "a < f"),
        ("(!\n)", "( ! ; )"),
        ("a $(b || time\n)", "a $(b || time ;)"),
        ("time -- a", "time -p a"),
        ("time -- -- a", "time -p -- -- a"),
        ("cat << -E\nx\n-E", "cat << -E\nx\n-E\n"),
        ("cat << <(a)E\nx\n<(a)E", "cat << <(a)E\nx\n<(a)E\n"),
    ],
)
def test_spelling(script: str, text: str) -> None:
    (unit,) = parse(script + "\n")
    assert unparse(unit) == text


@pytest.mark.parametrize(
    "script",
    [
        "<f if x",
        ">f ]] a",
        "2>&1 time",
        "<<E fi\nx\nE",
        "time -- -- a",
        "time -- ! a",
        "(a && !\n)",
        "a <(!\n)",
        "{ !\n}",
        "(! a\n)",
        "(a & !\n)",
        "cat << -E; b\nx\n-E",
        "cat << <(a)E; b\nx\n<(a)E",
        "<<-E a\nE",
    ],
)
def test_same_tree_again_where_bash_prints_another_command(script: str) -> None:
    assert_same_again(script + "\n", ParseOptions())


@pytest.mark.parametrize("text", ["a", "'b c'", '"$x ${y:-"z"}"', "\\ ", "`a \\`b\\``", "`\\\\$x`", "a b;c"])
def test_words(text: str) -> None:
    assert unparse(parse_word(text)) == text


def test_depth_is_limited() -> None:
    command: n.Command = n.SimpleCommand((), (n.Word((n.Literal("a"),)),))
    for _ in range(3000):
        command = n.BraceGroup(n.CommandList((n.ListItem(command),)))
    with pytest.raises(LimitExceeded):
        unparse(command)


@pytest.mark.parametrize("script", SCRIPTS)
def test_oracle_prints_the_same(bash, script: str) -> None:
    if script.startswith("coproc a b") or ("<<E | " in script or "<<E && g" in script):
        pytest.skip("bash's own output is another script there")  # see the module's docstring
    assert _lines("\n".join(unparse(unit, posix=True) for unit in parse(script))) == _lines(
        bash.pretty(script)
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_oracle_prints_generated_scripts_the_same(bash, seed: int) -> None:
    for number in range(40):
        script = Generator(seed * 1000 + number, here_documents=False).script()
        printed = "\n".join(unparse(unit, posix=True) for unit in parse(script))
        assert _lines(printed) == _lines(bash.pretty(script)), script


def _lines(text: str) -> list[str]:
    """The lines that are not blank: --pretty-print puts blank ones between commands."""
    return [line for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(
    "script",
    [
        "f() { ! !\n}",
        "time ! !",
        "time <t -- >r --",
        "time -p <t -- a",
        "(! ! ! !\n)",
        "${a[@{b}>]}",
        "echo ${a[<(b} >c) }",
        "${}/\\",
        "${$\\\n} c",
        "cat <<E\nfoo\\",
        "cat <<E\nfoo\\\n",
        "f() { a; } <<'E\n'\nEOF\nEOF_x\n$y",
        "cat <<'a\nb' && cat <<E\nfoo\\",
        "$(<<E$(<<-E)$()) a",
    ],
)
def test_same_tree_again_for_rare_text(script: str) -> None:
    assert_same_again(script, ParseOptions())


def test_a_delimiter_with_a_newline_is_printed_as_another_one() -> None:
    (unit,) = parse("cat <<'a\nb'\nEOF\n$x\n")
    assert unparse(unit) == "cat <<'EOF_'\nEOF\n$x\nEOF_\n"


def test_a_backslash_that_ends_the_script_is_ordinary_in_a_here_document() -> None:
    (unit,) = parse("cat <<E\nfoo\\")
    assert unparse(unit) == "cat <<E\nfoo\\\\\nE\n"

"""Files of the public format run as they are: what they may say, and what is still an error."""

from __future__ import annotations

import pytest

from sandhook.conformance.helpers import UTILITIES
from sandhook.conformance.model import labels
from sandhook.conformance.oracle import RealShell
from sandhook.conformance.reader import read, read_all
from sandhook.conformance.runner import run_file, run_sandhook


def one(text):
    """Read a foreign file with one case and return it."""
    (case,) = read(text, "x.test.sh").cases
    return case


WHOLE = """\
#!/usr/bin/env bash
#
# Words about the file.

## compare_shells: bash-4.4 dash mksh zsh ash yash osh
## our_shell: osh
## oils_failures_allowed: 2
## oils_cpp_failures_allowed: 1
## tags: dev-minimal interactive
## suite: osh
## legacy_tmp_dir: 1

#### The first one
## tags: slow
echo a

# a comment of the script
echo b >&2
## STDOUT:
a
## END
## stderr: b
## OK dash/ash stdout: d
## OK-2 mksh/zsh STDOUT:
m

  z
## END
## N-I yash status: 2
## N-I yash stdout-json: ""

# a comment between cases

#### The first one
## code: echo "x"
##  status: 0
## stdout:    x
## BUG-3 bash-4.4 osh stdout-repr: 'a\\xff\\n\\t'

#### Nothing is said
echo whatever
"""


def test_a_whole_file():
    file = read(WHOLE, "spec/x.test.sh")
    assert (file.own, file.oracles, file.expected_failures) == (False, (), 0)
    assert file.compared_shells == ("bash-4.4", "dash", "mksh", "zsh", "ash", "yash", "osh")
    first, second, third = file.cases
    assert (first.name, first.line) == ("The first one", 13)
    assert first.script == "echo a\n\n# a comment of the script\necho b >&2\n"
    said = {
        shell: first.expectation_for(shell)[:4] for shell in ("bash", "dash", "ash", "mksh", "zsh", "yash")
    }
    assert said == {
        "bash": (0, "a\n", "b\n", ""),
        "dash": (0, "d\n", "b\n", "OK"),
        "ash": (0, "d\n", "b\n", "OK"),
        "mksh": (0, "m\n\n  z\n", "b\n", "OK"),
        "zsh": (0, "m\n\n  z\n", "b\n", "OK"),
        "yash": (2, "", "b\n", "N-I"),
    }
    assert (second.script, second.expectation_for("sandhook").stdout) == ('echo "x"\n', "x\n")
    assert second.expectation_for("bash", (4, 4, 20))[:4] == (0, "a\udcff\n\t\n"[:-1], None, "BUG")
    assert second.expectation_for("bash", (5, 2, 15)).kind == ""
    assert third.expectation_for("sandhook")[:3] == (0, None, None), "what is not said is not compared"


def test_sandhook_is_held_to_what_bash_does():
    case = one("#### a\nx\n## stdout: a\n## OK bash stdout: b\n## BUG bash-5.2 stdout: c\n")
    assert case.expectation_for("sandhook")[1:4:2] == ("c\n", "BUG")
    case = one("#### a\nx\n## stdout: a\n## OK bash stdout: b\n## OK sandhook stdout: d\n")
    assert case.expectation_for("sandhook").stdout == "d\n"


@pytest.mark.parametrize(
    ("shell", "version", "names"),
    [
        ("dash", (), ["dash"]),
        ("bash", (5, 2), ["bash-5.2", "bash-5", "bash"]),
        ("ash", (), ["ash", "busybox-ash", "busybox"]),
        ("sandhook", (), ["sandhook", "bash-5.2.15", "bash-5.2", "bash-5", "bash"]),
    ],
)
def test_names_of_a_shell(shell, version, names):
    assert labels(shell, version) == names


def test_a_block_ends_at_another_directive_too():
    case = one(
        "#### a\nx\n## STDOUT:\na\n## status: 3\n## BUG dash STDOUT:\nb\n\n#### b\ny\n".split("#### b")[0]
    )
    assert (case.expectation_for("bash")[:2], case.expectation_for("dash").stdout) == ((3, "a\n"), "b\n")


def test_a_line_of_output_may_look_like_a_comment():
    assert (
        one("#### a\nx\n## STDOUT:\n# a\n## b\n##\n## END\n").expectation_for("bash").stdout
        == "# a\n## b\n##\n"
    )


def test_a_file_with_our_directives_is_held_to_our_rules():
    _, errors = read_all("## source: here\n#### a\nx\n", "x.test.sh")
    assert [str(error) for error in errors] == ["x.test.sh:1: no '## oracle:' before the first case"]
    _, errors = read_all("#### a\nx\n", "x.test")
    assert len(errors) == 2
    _, errors = read_all("## expected_failures: 1\n#### a\nx\n## source: of the case\n", "x.test.sh")
    assert errors == []


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["1: no case"]),
        ("# only words\n", ["1: no case"]),
        ("echo a\n#### a\nx\n", ["1: text before the first case"]),
        ("## frob: 1\n#### a\nx\n", ["1: unknown directive before the first case: frob"]),
        (
            "#### a\nx\n## frob: 1\n## stdout: y\n## status: no\n#### b\n## END\n",
            [
                "3: unknown directive: frob",
                "5: status is not a number from 0 to 255: no",
                "6: a case without a script: b",
                "7: ## END without a block",
            ],
        ),
        ("#### a\nx\n## stdout-xml: y\n", ["3: unknown directive: stdout-xml"]),
        ("#### a\nx\n## stdout-repr: y\n", ["3: not a string literal: y"]),
        ("#### a\nx\n## code: y\n", ["3: code in addition to a script"]),
        ("#### a\nx\n## words\n", ["3: unknown directive: ## words"]),
        ("#### a\nx\n## MAYBE dash status: 1\n", ["3: unknown directive: ## MAYBE dash status: 1"]),
    ],
)
def test_every_problem_is_told(text, problems):
    _, errors = read_all(text, "f.test.sh")
    assert [str(error) for error in errors] == [f"f.test.sh:{problem}" for problem in problems]


# ---------------------------------------------------------------- what cases find

HELPERS = [
    ("argv.py", "[]\n"),
    ("argv.py a '' 'b c'", "['a', '', 'b c']\n"),
    ("""argv.py "it's" '"' "'\\""  'a\\b'""", """["it's", '"', '\\'"', 'a\\\\b']\n"""),
    ("printf 'argv.py \"\\xff\\xce\\xbc\\t\\x01\"' >s; . ./s", "['\\xff\\xce\\xbc\\t\\x01']\n"),
    ("X=1 Y= printenv.py X Y NOSUCH", "1\n\nNone\n"),
    ("x=1; printenv.py x; export x; printenv.py x", "None\n1\n"),
    ("stdout_stderr.py 2>/dev/null; echo $?", "STDOUT\n0\n"),
    ("stdout_stderr.py a b 7 2>&1; echo $?", "a\nb\n7\n"),
    ("stdout_stderr.py a b 300 2>/dev/null; echo $?", "a\n44\n"),
    ("stdout_stderr.py a b c 2>&1; echo $?", "stdout_stderr.py: c: not a number\n1\n"),
    ("echo x >f; read_from_fd.py 3 <f 3<&0 0</dev/null", "3: x\n"),
    ("echo a >f; echo b >g; read_from_fd.py 5 4 4<f 5<g", "5: b\n4: a\n"),
    ("read_from_fd.py 9 2>&1; echo $?", "read_from_fd.py: fd 9: Bad file descriptor\n1\n"),
    ("read_from_fd.py x 2>&1; echo $?", "read_from_fd.py: x: not a number\n1\n"),
    ("argv.py a | cat; command -v argv.py >/dev/null; echo $?", "['a']\n0\n"),
    ('[ "$TMP" = "$PWD" ] && cd / && >"$TMP/f" && ls "$TMP"', "f\n"),
    ('"$TESTBIN/argv.py" a', "['a']\n"),
    ("type printenv.py >/dev/null && [ -d \"$REPO_ROOT\" ]; echo $?", "0\n"),
    ("$SH -c 'echo $1 $#' x y z; echo 'echo file $1' >s; $SH s a; echo 'echo in' | $SH", "y 2\nfile a\nin\n"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "stdout"), HELPERS, ids=[script for script, _ in HELPERS])
def test_what_a_case_finds(script, stdout, oracle):
    runs = [run_sandhook(script, ".")]
    if oracle:
        with RealShell("bash") as bash:
            runs.append(bash.run(script))
    for ran in runs:
        assert (ran.stdout.decode(), ran.stderr, ran.trouble) == (stdout, b"", "")


def test_every_helper_is_tried():
    assert {name for name in UTILITIES if not any(name in script for script, _ in HELPERS)} == set()


def test_the_root_is_shown_and_stays_as_it_is(tmp_path):
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "data.txt").write_bytes(b"data\n")
    script = 'cat "$REPO_ROOT/spec/data.txt"; echo more >"$REPO_ROOT/spec/data.txt"; cat "$REPO_ROOT/spec/data.txt"'
    assert run_sandhook(script, str(tmp_path)).stdout == b"data\nmore\n"
    assert (tmp_path / "spec" / "data.txt").read_text() == "data\n"


def test_a_mismatch_of_a_shell_that_the_file_does_not_name_only_differs():
    file = read("## compare_shells: bash dash\n#### a\nx\n## stdout: a\n#### b\ny\n", "x.test.sh")
    results = {}
    for shell in ("zsh", "dash", "sandhook"):
        results[shell] = run_file(file, shell, lambda script: run_sandhook("true"))
    assert [(shell, report.good) for shell, report in results.items()] == [
        ("zsh", True),
        ("dash", False),
        ("sandhook", False),
    ]
    assert [outcome.result for outcome in results["zsh"].outcomes] == ["differs", "pass"]

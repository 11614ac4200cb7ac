"""bats files run on sandhook and on bash with the same results; what cannot run is an error with file and line."""

from __future__ import annotations

import sys

import pytest

from sandhook.conformance.bats import function_name, read_bats
from sandhook.conformance.oracle import RealShell, installed_shells
from sandhook.conformance.runner import run_file
from sandhook.conformance.suite import Selection, find, load
from sandhook.conformance.suite import run as run_suite
from sandhook.conformance.workers import Sandhook

SHELLS = [
    "sandhook",
    pytest.param(
        "bash",
        marks=[
            pytest.mark.skipif("bash" not in installed_shells(), reason="bash is not installed"),
            pytest.mark.skipif(
                sys.platform == "win32", reason="Git for Windows' bash splits the driver's text"
            ),
        ],
    ),
]


@pytest.fixture(params=SHELLS)
def results(request, tmp_path):
    """Return a function that runs a bats file and returns result, place and output of each test."""

    def run(text, *, files=None, name="test/x.bats", timeout=None, chosen=None):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        for other, content in (files or {}).items():
            (tmp_path / other).write_text(content, encoding="utf-8")
        (file,), problems = load([path], str(tmp_path))
        assert problems == []
        selection = Selection(file, [case for case in file.cases if chosen is None or case.name in chosen])
        if request.param == "sandhook":
            runner = Sandhook(root=str(tmp_path), timeout=timeout)
        else:
            runner = RealShell("bash", root=str(tmp_path), timeout=timeout)
        with runner:
            (report,) = run_suite([selection], runner)
        return {
            outcome.case.name: (
                outcome.result,
                outcome.observation.stderr.decode()
                or outcome.observation.skip
                or outcome.observation.trouble,
                outcome.observation.stdout.decode(),
            )
            for outcome in report.outcomes
        }

    return run


def passes(results, body, **options):
    """Check that one test with this body passes."""
    assert results(f'@test "it" {{\n{body}\n}}\n', **options) == {"it": ("pass", "", "")}


def test_run_sets_status_output_and_lines(results):
    passes(
        results,
        "run bash -c 'echo a; echo; echo b >&2; exit 3'\n"
        '[ "$status" -eq 3 ]; [ "$output" = $\'a\\n\\nb\' ]; [ "${#lines[@]}" -eq 2 ]; [ "${lines[1]}" = b ]\n'
        '[ "$BATS_RUN_COMMAND" = "bash -c echo a; echo; echo b >&2; exit 3" ]; [ -z "${stderr-}" ]',
    )


def test_run_with_options(results):
    passes(
        results,
        "bats_require_minimum_version 1.5.0\n"
        "run ! false; run -0 true; run -3 bash -c 'exit 3'; run -- true\n"
        "run --keep-empty-lines printf 'a\\n\\nb\\n'\n"
        '[ "${#lines[@]}" -eq 3 ]; [ "$output" = $\'a\\n\\nb\\n\' ]\n'
        "run --separate-stderr bash -c 'echo out; echo err >&2; echo more >&2'\n"
        '[ "$output" = out ]; [ "${stderr_lines[1]}" = more ]; [ "$stderr" = $\'err\\nmore\' ]\n'
        'run bats_pipe echo a \\| tr a b; [ "$output" = b ]; run bats_pipe false \\| true; [ "$status" -eq 1 ]',
    )


@pytest.mark.parametrize(
    ("body", "place", "output"),
    [
        ("run -2 echo x", "run -2 echo x: status 1, expected exit code 2, got 0", "x\n"),
        ("run ! echo x", "run ! echo x: status 1, expected nonzero exit code!", "x\n"),
        ("echo out; false; echo never", "echo out; false; echo never: status 1", "out\n"),
        ("echo three >&3; [ a = b ]", "echo three >&3; [ a = b ]: status 1", "three\n"),
        ("[[ a == b ]]", "[[ a == b ]]: status 1", ""),
        ("(( 0 ))", "(( 0 )): status 1", ""),
    ],
)
def test_a_failure_has_its_line_and_output(results, body, place, output):
    assert results(f'@test "it" {{\n  {body}\n}}\n') == {"it": ("fail", f"test/x.bats:2: {place}\n", output)}


def test_a_failure_in_a_helper_has_its_callers(results):
    text = 'load helper\n@test "it" {\n  check\n}\n'
    result, place, _ = results(text, files={"test/helper.bash": "check() {\n  test a = b\n}\n"})["it"]
    assert (result, place) == (
        "fail",
        "test/helper.bash:2: test a = b: status 1\n  called at test/x.bats:3: check\n",
    )


def test_an_exit_and_a_missing_command_fail(results):
    text = '@test "exit" { exit 4; }\n@test "exit 0" { exit 0; }\n@test "command" { nosuchcommand; }\n'
    run = results(text)
    assert [run[name][0] for name in ("exit", "exit 0", "command")] == ["fail"] * 3
    assert run["exit"][1] == "the test ended itself with status 4\n"
    assert "with status 127" not in run["command"][1] and "status 127" in run["command"][1]


@pytest.mark.parametrize(
    "text",
    [
        'teardown() { exit 0; }\n@test "a" { false; }\n',
        '@test "a" { trap "exit 0" EXIT; false; }\n',
        '@test "a" { trap - EXIT; exit 0; }\n',
        '@test "a" { exec true; }\n',
        'setup() { trap "exit 0" EXIT; exit; }\n@test "a" { false; }\n',
    ],
)
def test_a_test_that_ends_without_a_result_fails(results, text):
    """As in bats, which executed fewer tests than it expected."""
    result, place, _ = results(text)["a"]
    assert (result, place) == ("fail", "the test ended without a result\n")


def test_setup_and_teardown_run_for_each_test(results):
    text = """\
setup() { echo "setup $BATS_TEST_NUMBER"; n=1; }
teardown() { echo "teardown ${n-none}"; }
@test "a" { n=2; false; }
@test "b" { [ "$n" -eq 1 ]; exit 1; }
"""
    run = results(text)
    assert [run[name][2] for name in "ab"] == ["setup 1\nteardown 2\n", "setup 2\nteardown 1\n"]


def test_a_failing_teardown_and_a_failing_setup(results):
    text = 'teardown() { return 3; }\n@test "a" { true; }\n'
    assert results(text)["a"][:2] == ("fail", "teardown failed with status 3\n")
    text = 'setup() {\n  false\n}\n@test "a" { echo never; }\n'
    assert results(text) == {"a": ("fail", "test/x.bats:2: false: status 1\n", "")}


def test_setup_file_runs_once_and_its_exports_and_files_are_shared(results):
    text = """\
setup_file() { export E=exported; plain=1; echo 1 > "$BATS_FILE_TMPDIR/n"; }
@test "first" { [ "$E" = exported ]; [ -z "${plain-}" ]; echo 2 >> "$BATS_FILE_TMPDIR/n"; x=1; }
@test "second" { [ "$(wc -l < "$BATS_FILE_TMPDIR/n")" -eq 2 ]; [ -z "${x-}" ]; }
"""
    assert results(text) == {"first": ("pass", "", ""), "second": ("pass", "", "")}


def test_a_failure_of_the_whole_file(results):
    tests = '@test "a" { true; }\n@test "b" { true; }\n'
    run = results("setup_file() {\n  echo out\n  false\n}\n" + tests)
    assert set(run.values()) == {("fail", "setup_file failed\ntest/x.bats:3: false: status 1\n", "out\n")}
    run = results("teardown_file() { echo out; return 2; }\n" + tests)
    assert run == {
        "a": ("pass", "", ""),
        "b": ("fail", "teardown_file failed\nteardown_file failed with status 2\n", "out\n"),
    }
    run = results("load nosuch\n" + tests)
    assert {result for result, _, _ in run.values()} == {"fail"}
    assert "Could not find" in run["a"][2]
    run = results('@test "open" {\n  if true; then\n}\n')
    assert run["open"][0] == "fail" and "could not be read" in run["open"][1]


def test_skips(results):
    text = """\
setup() { [ "$BATS_TEST_NUMBER" -ne 3 ] || skip "from setup"; }
@test "reason" { skip "why
now"; false; }
@test "no reason" { skip; }
@test "in setup" { false; }
@test "runs" { true; }
"""
    assert {name: result[:2] for name, result in results(text).items()} == {
        "reason": ("skip", "why now"),
        "no reason": ("skip", ""),
        "in setup": ("skip", "from setup"),
        "runs": ("pass", ""),
    }
    run = results('setup_file() { skip "all of it"; }\n@test "a" { false; }\n')
    assert run == {"a": ("skip", "all of it", "")}


def test_variables(results):
    passes(
        results,
        '[ "$BATS_TEST_DESCRIPTION|$BATS_TEST_NAME|$BATS_TEST_NUMBER" = "it|test_it|1" ]\n'
        '[ "$BATS_TEST_FILENAME" = "$PWD/test/x.bats" ]; [ "$BATS_TEST_DIRNAME" = "$PWD/test" ]\n'
        '[ -d "$BATS_TEST_TMPDIR" ]; [ -d "$BATS_FILE_TMPDIR" ]; [ -d "$BATS_SUITE_TMPDIR" ]; [ -d "$BATS_RUN_TMPDIR" ]\n'
        '[ "${BATS_TEST_NAMES[*]}" = test_it ]; [ "$BATS_VERSION" = 1.13.0 ]; [ "$BATS_CWD" = "$PWD" ]',
    )


def test_tags_names_and_functions(results):
    text = """\
# bats file_tags=slow
# bats test_tags=net,db
@test "it's $HOME-y" { [ "${BATS_TEST_TAGS[*]}" = "db net slow" ]; [ "$BATS_TEST_DESCRIPTION" = "it's $HOME-y" ]; }
commented() { # @test
  [ "${BATS_TEST_TAGS[*]}" = slow ]
}
"""
    assert {result for result, _, _ in results(text).values()} == {"pass"}
    assert function_name("it's_ok") == "test_it-27s-5fok"


def test_setup_suite_retries_and_timeout(results):
    suite = "setup_suite() { export SUITE=here; }\nteardown_suite() { :; }\n"
    run = results('@test "a" { [ "$SUITE" = here ]; }\n', files={"test/setup_suite.bash": suite})
    assert run == {"a": ("pass", "", "")}
    text = """\
BATS_TEST_RETRIES=2
@test "third time" { echo x >> "$BATS_FILE_TMPDIR/n"; [ "$(wc -l < "$BATS_FILE_TMPDIR/n")" -eq 3 ]; }
"""
    assert results(text)["third time"] == ("pass", "", "")
    text = 'BATS_TEST_TIMEOUT=1\n@test "slow" { sleep 30; }\n@test "next" { true; }\n'
    run = results(text)
    assert run["slow"][:2] == ("fail", "timeout after 1s\n")
    assert run["next"][0] == "pass"


def test_a_test_that_does_not_end_is_named(results):
    run = results('@test "fine" { true; }\n@test "hangs" { while :; do :; done; }\n', timeout=1)
    assert run["fine"][0] == "pass"
    assert run["hangs"][0] == "fail"
    assert "seconds" in run["hangs"][1] or "limit" in run["hangs"][1]


def test_a_version_that_is_too_new(results):
    run = results('bats_require_minimum_version 9.0\n@test "a" { true; }\n')
    assert run["a"][0] == "fail"
    assert "needs bats 9.0, this runner follows bats 1.13.0" in run["a"][2]


def test_only_chosen_tests_run(results):
    text = '@test "a" { false; }\n@test "b" { [ "$BATS_TEST_NUMBER" -eq 1 ]; [ "${#BATS_TEST_NAMES[@]}" -eq 2 ]; }\n'
    assert results(text, chosen={"b"}) == {"b": ("pass", "", "")}


def test_a_file_of_windows(results):
    text = '@test "a" {\r\n  [ 1 = 1 ]\r\n}\r\n@test "b" {\r\n  false\r\n}\r\n'
    assert results(text) == {"a": ("pass", "", ""), "b": ("fail", "test/x.bats:5: false: status 1\n", "")}


def test_the_directory_is_a_copy_in_the_sandbox(tmp_path):
    (tmp_path / "x.bats").write_text('@test "a" { echo new > made; [ -f made ]; }\n')
    (file,), _ = load([tmp_path / "x.bats"], str(tmp_path))
    with Sandhook(root=str(tmp_path)) as runner:
        (report,) = run_suite([Selection(file, file.cases)], runner)
    assert report.good
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("@test {\n}\n", 1, '@test without a name and a "{" on its line'),
        ('\n@test "a"\n{\n}\n', 2, '@test without a name and a "{" on its line'),
        ('@test "a" { :; }\n@test "a" { :; }\n', 2, "a second test with the name of line 1: a"),
        ("echo\n", 1, "no @test"),
        ('@test "a" { :; }\nbats_test_function -- f\n', 2, "bats_test_function"),
        ('# bats test_tags=a,,b\n@test "a" { :; }\n', 1, "test_tags: not names"),
        ('# bats test_tags=bats:focus\n@test "a" { :; }\n', 1, "bats:focus is not supported"),
    ],
)
def test_errors_have_file_and_line(text, line, message):
    _, errors = read_bats(text, "t/x.bats", "t/x.bats")
    assert [error.line for error in errors] == [line]
    assert str(errors[0]).startswith(f"t/x.bats:{line}: ")
    assert message in str(errors[0])


def test_a_file_outside_of_the_root_is_an_error(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "x.bats").write_text('@test "a" { :; }\n')
    _, problems = load([tmp_path / "x.bats"], str(root))
    assert len(problems) == 1 and "use --root DIR" in problems[0]


def test_directories_are_searched(tmp_path):
    for name in ("a.bats", "b.test.sh", "c.bash"):
        (tmp_path / name).write_text("")
    assert [path.name for path in find([str(tmp_path)])[0]] == ["a.bats", "b.test.sh"]


def test_run_file_runs_a_batch():
    file, errors = read_bats('@test "a" { false; }\n', "x.bats", "x.bats")
    assert errors == []
    report = run_file(file)  # no directory is mounted, so the file is missing
    assert not report.good

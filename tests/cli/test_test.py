"""``sandhook test``: tables, differences, formats, recording; what cannot be run is reported with status 2."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sandhook.conformance import oracle as oracles
from sandhook.conformance.oracle import installed_shells
from tests.host.programs import gone, until

Run = Callable[..., Any]

GOOD = """\
#### it greets
echo hello
## stdout: hello

#### it fails
exit 3
## status: 3
"""

BAD = """\
#### status and streams
printf 'one\\ntwo \\n\\033[1m'; echo oops >&2; exit 2
## STDOUT:
one
three
## END
## stderr: no

#### as it should be
echo a
## stdout: a
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty current directory."""
    directory = tmp_path / "here"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture
def bash(oracle: bool) -> str:
    """Return the name of a real shell; absent, it is missed only by those who ask for oracles."""
    if "bash" not in installed_shells():
        assert not oracle, "bash is not installed"
        pytest.skip("bash is not installed")
    return "bash"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# ---------------------------------------------------------------- text


def test_a_table_and_totals(sandhook: Run, here: Path) -> None:
    write(here / "spec" / "a.test.sh", GOOD)
    write(here / "spec" / "deep" / "b.test.sh", GOOD)
    write(here / "spec" / "no-case.sh", "echo never\n")
    ran = sandhook("test", "spec")
    assert ran == (
        0,
        (
            "                     sandhook\n"
            "spec/a.test.sh       2 pass\n"
            "spec/deep/b.test.sh  2 pass\n\n"
            "2 files: sandhook 4 pass: all as expected\n"
        ),
        "",
    )


def test_a_failure_is_shown_with_every_character(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", BAD)
    ran = sandhook("test", "a.test.sh")
    assert ran.status == 1
    assert ran.stdout == (
        "           sandhook\n"
        "a.test.sh  1 pass, 1 fail\n"
        "\n"
        "a.test.sh:1: status and streams [sandhook: fail]\n"
        "    status: expected 0, got 2\n"
        "    --- stdout expected\n"
        "    +++ stdout got\n"
        "    @@ -1,2 +1,3 @@\n"
        "     one\n"
        "    -three\n"
        "    +two\\x20\n"
        "    +\\x1b[1m\\ no newline\n"
        "    --- stderr expected\n"
        "    +++ stderr got\n"
        "    @@ -1 +1 @@\n"
        "    -no\n"
        "    +oops\n"
        "\n"
        "1 file: sandhook 1 pass, 1 fail: 1 not as expected\n"
    )


def test_standard_error_is_shown_when_it_is_not_compared(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", "#### a\necho why >&2; false\n")
    assert "    stderr (not compared):\n      why\n" in sandhook("test", "a.test.sh").stdout


def test_a_long_difference_is_cut(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", "#### a\nseq 1000\n## stdout: x\n")
    assert "    ... 944 more lines\n" in sandhook("test", "a.test.sh").stdout


def test_verbose_names_each_case(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", GOOD)
    assert sandhook("test", "-v", "a.test.sh").stdout.splitlines()[2:4] == [
        "  1: it greets  pass",
        "  5: it fails   pass",
    ]


def test_the_list(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", GOOD)
    assert sandhook("test", "--list", "a.test.sh").stdout == "a.test.sh:1: it greets\na.test.sh:5: it fails\n"
    assert sandhook("test", "--list", "--filter", "^it g", ".").stdout == "a.test.sh:1: it greets\n"


# ---------------------------------------------------------------- expected failures, limits


@pytest.mark.parametrize(
    ("expected", "status", "said"),
    [
        (0, 1, "1 pass, 1 fail: 1 not as expected"),
        (1, 0, "1 pass, 1 fail (1 expected): all as expected"),
        (2, 1, "a.test.sh: sandhook: 1 failed, but expected_failures says 2: lower it to claim the repair"),
    ],
)
def test_expected_failures_are_counted_exactly(
    sandhook: Run, here: Path, expected: int, status: int, said: str
) -> None:
    write(here / "a.test.sh", f"## expected_failures: {expected}\n\n{BAD}")
    ran = sandhook("test", "a.test.sh")
    assert ran.status == status
    assert said in ran.stdout


def test_a_part_of_a_file_may_fail_less(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", f"## expected_failures: 2\n\n{BAD}")
    assert sandhook("test", "--filter", "as it should be", "a.test.sh").status == 0


def test_expected_failures_are_quiet_unless_asked_for(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", f"## expected_failures: 1\n\n{BAD}")
    assert "+oops" not in sandhook("test", "a.test.sh").stdout
    assert "+oops" in sandhook("test", "-v", "a.test.sh").stdout


def test_a_limit_is_a_failure_whatever_was_expected(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", "#### for ever\nwhile :; do :; done\n## status: 124\n")
    ran = sandhook("test", "--timeout", "0.2", "a.test.sh")
    assert (ran.status, "    limit wall_seconds\n" in ran.stdout) == (1, True)


def test_a_defect_is_a_failure(sandhook: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sandhook.conformance.helpers import UTILITIES

    def broken(*_: object) -> int:
        raise RuntimeError("broken")

    monkeypatch.setattr(UTILITIES["argv.py"], "run", broken)
    write(here / "a.test.sh", "#### a\nargv.py\n## status: 70\n")
    ran = sandhook("test", "a.test.sh")
    assert (ran.status, "    defect RuntimeError: broken\n" in ran.stdout) == (1, True)


def test_fail_fast_stops_behind_the_file(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", GOOD)
    write(here / "b.test.sh", BAD)
    write(here / "c.test.sh", BAD)
    ran = sandhook("test", "--fail-fast", ".")
    assert ran.status == 1
    assert ran.stdout.endswith("2 files: sandhook 3 pass, 1 fail: 1 not as expected\n")


# ---------------------------------------------------------------- what cannot be run


def test_every_problem_of_every_file_is_listed(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", "#### a\nx\n## frob: 1\n## status: 999\n")
    write(here / "b.test", "echo early\n#### a\n")
    write(here / "c.test.sh", GOOD)
    ran = sandhook("test", "a.test.sh", "b.test", "c.test.sh", "gone.test.sh")
    assert ran == (
        2,
        "",
        (
            "a.test.sh:3: unknown directive: frob\n"
            "a.test.sh:4: status is not a number from 0 to 255: 999\n"
            "b.test:1: text before the first case\n"
            "b.test:1: no '## source:' before the first case\n"
            "b.test:1: no '## oracle:' before the first case\n"
            "b.test:2: a case without a script: a\n"
            "gone.test.sh: No such file or directory\n"
        ),
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "sandhook: test: the following arguments are required: PATH"),
        (["--frob", "."], "sandhook: test: unrecognized arguments: --frob"),
        (["empty"], "empty: no file named *.test or *.test.sh"),
        (["--jobs", "0", "a.test.sh"], "sandhook: test: --jobs must be 1 or more"),
        (["--timeout", "0", "a.test.sh"], "sandhook: test: --timeout must be more than 0 seconds"),
        (["--timeout", "nan", "a.test.sh"], "sandhook: test: --timeout must be more than 0 seconds"),
        (["--filter", "(", "a.test.sh"], "sandhook: test: --filter (: missing )"),
        (["--filter", "zzz", "a.test.sh"], "sandhook: test: no case has such a name"),
        (["--root", "gone", "a.test.sh"], "sandhook: test: --root gone: not a directory"),
        (["--out", "gone/x", "a.test.sh"], "sandhook: test: --out gone/x: No such file or directory"),
        (
            ["--shell", "fish", "a.test.sh"],
            "sandhook: test: unknown shell 'fish'; known are sandhook, host, ash",
        ),
        (["--record", "sandhook", "a.test.sh"], "sandhook: test: --record needs a real shell"),
        (["--record", "fish", "a.test.sh"], "sandhook: test: unknown shell 'fish'"),
        (["--record-stderr", "a.test.sh"], "sandhook: test: --record-stderr needs --record SHELL"),
        (["--record", "bash", "--oracle", "."], "sandhook: test: --record goes without --shell and --oracle"),
    ],
)
def test_what_cannot_be_used(sandhook: Run, here: Path, arguments: list[str], message: str) -> None:
    write(here / "a.test.sh", GOOD)
    (here / "empty").mkdir()
    ran = sandhook("test", *arguments)
    assert (ran.status, ran.stdout) == (2, "")
    assert ran.stderr.startswith(message)


def test_missing_shells_are_all_named(sandhook: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracles.shutil, "which", lambda name: None)
    oracles.version_of.cache_clear()
    write(here / "a.test", f"## source: x\n## oracle: dash\n{GOOD}")
    ran = sandhook("test", "--shell", "zsh", "--shell", "mksh", "--oracle", "a.test")
    assert ran == (
        2,
        "",
        (
            "sandhook: test: zsh is not installed\nsandhook: test: mksh is not installed\n"
            "a.test: dash is not installed\n"
        ),
    )


# ---------------------------------------------------------------- real shells


def test_shells_side_by_side(sandhook: Run, here: Path, bash: str) -> None:
    write(
        here / "a.test.sh",
        "## compare_shells: bash zsh\n\n"
        "#### arrays\na=(x y); echo ${a[1]}\n## stdout: y\n## OK bash-5/bash-4 stdout: y\n\n"
        "#### nested\n$SH -c 'argv.py \"$@\"' _ 'a b'\n## stdout: ['a b']\n## N-I sandhook status: 0\n",
    )
    ran = sandhook("test", "--shell", "sandhook", "--shell", bash, "a.test.sh")
    assert ran.status == 0, ran.stdout
    assert ran.stdout.splitlines()[1] == "a.test.sh  1 ok, 1 n-i  1 pass, 1 ok"


def test_oracles_of_the_files(sandhook: Run, here: Path, bash: str) -> None:
    write(here / "a.test", f"## source: x\n## oracle: bash>=4\n{GOOD}")
    write(here / "b.test.sh", f"## compare_shells: bash-4.4 osh\n{GOOD}")
    write(here / "c.test.sh", GOOD)
    ran = sandhook("test", "--oracle", ".")
    assert ran.stderr.splitlines() == [
        "note: b.test.sh: compared shells that are not installed: osh",
        "note: c.test.sh names no shells: nothing is compared; add `## oracle: bash`, or --shell bash",
    ]
    assert ran.stdout.splitlines() == [
        "           sandhook  bash",
        "a.test     2 pass    2 pass",
        "b.test.sh  2 pass    2 pass",
        "c.test.sh  2 pass    -",
        "",
        "3 files: sandhook 6 pass; bash 4 pass: all as expected",
    ]


def test_a_real_shell_is_ended_with_all_that_it_started(sandhook: Run, here: Path, bash: str) -> None:
    write(here / "a.test.sh", '#### a\n(sleep 50; echo never) & echo $! >"$REPO_ROOT/pid"; wait\n')
    for seconds in ("0.5", "10"):  # on a busy machine the shell starts slowly
        started = time.monotonic()
        ran = sandhook("test", "--shell", bash, "--timeout", seconds, "a.test.sh")
        assert time.monotonic() - started < 20 + float(seconds)
        assert (ran.status, f"    no end after {seconds} seconds\n" in ran.stdout) == (1, True)
        if (here / "pid").exists():
            break
    until(lambda: gone(int((here / "pid").read_text())))


@pytest.mark.skipif(sys.platform == "win32", reason="there, no signal can be sent to one process")
def test_an_interrupt_ends_everything_quietly(here: Path, bash: str) -> None:
    write(here / "a.test.sh", '#### a\necho $$ >"$REPO_ROOT/pid"; while :; do :; done\n' * 3)
    command = [sys.executable, "-m", "sandhook.cli", "test", "--jobs", "2", "--shell", bash, "a.test.sh"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        for _ in range(1000):
            if (here / "pid").exists() and (here / "pid").read_text():
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, b"", b"")
    until(lambda: gone(int((here / "pid").read_text())))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
def test_a_real_shell_hears_signals_that_the_command_ignores(here: Path, bash: str) -> None:
    script = "trap -p; trap 'echo hup' HUP; kill -HUP $$; kill -INT $$; echo no"
    write(here / "a.test.sh", f"#### a\n{script}\n## stdout: hup\n## status: 130\n")
    command = [sys.executable, "-m", "sandhook.cli", "test", "--shell", bash, "a.test.sh"]
    quiet = ["sh", "-c", 'trap "" HUP INT QUIT TERM USR1; exec "$@"', "sh", *command]
    ran = subprocess.run(quiet, capture_output=True, timeout=60, text=True)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, f"1 file: {bash} 1 pass: all as expected")


# ---------------------------------------------------------------- many at once


def many(here: Path) -> None:
    for file in range(3):
        cases = "".join(
            f"#### case {number}\necho {number}; exit {number % 3}\n## stdout: {number}\n## status: {number % 2}\n"
            for number in range(30)
        )
        write(here / f"{file}.test.sh", cases)


def untimed(text: str) -> Any:
    """Return a JSON document without the times in it."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: without(each) for key, each in value.items() if key != "seconds"}
        return [without(each) for each in value] if isinstance(value, list) else value

    return without(json.loads(text))


def test_any_number_of_jobs_gives_the_same(sandhook: Run, here: Path, bash: str) -> None:
    many(here)
    for shell in ("sandhook", bash):
        runs = [
            sandhook("test", "--shell", shell, "--jobs", count, "--format", "json", ".") for count in "13"
        ]
        assert [ran.status for ran in runs] == [1, 1]
        assert untimed(runs[0].stdout) == untimed(runs[1].stdout)


# ---------------------------------------------------------------- formats


def test_json(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", BAD.replace("## stderr: no\n", ""))
    ran = sandhook("test", "--format", "json", "a.test.sh")
    document = json.loads(ran.stdout)
    assert (ran.status, document["version"], document["ok"]) == (1, 1, False)
    (report,) = document["reports"]
    assert (report["file"], report["shell"], report["ok"]) == ("a.test.sh", "sandhook", False)
    assert report["counts"] == {"pass": 1, "ok": 0, "bug": 0, "n-i": 0, "skip": 0, "differs": 0, "fail": 1}
    bad, good = report["cases"]
    assert {**bad, "seconds": 0} == {
        "name": "status and streams",
        "line": 1,
        "result": "fail",
        "seconds": 0,
        "differences": ["status", "stdout"],
        "trouble": "",
        "expected": {"status": 0, "stdout": "one\nthree\n", "stderr": None},
        "got": {"status": 2, "stdout": "one\ntwo \n\x1b[1m", "stderr": "oops\n"},
    }
    assert {**good, "seconds": 0} == {"name": "as it should be", "line": 8, "result": "pass", "seconds": 0}


def test_junit(sandhook: Run, here: Path) -> None:
    write(here / "a.test.sh", BAD.replace("as it should", "<as> & 'it' \"should\" \x01"))
    write(here / "b.test.sh", "## expected_failures: 1\n" + BAD)
    write(here / "c.test.sh", "## expected_failures: 2\n" + GOOD)
    ran = sandhook("test", "--format", "junit", "--out", "out.xml", ".")
    assert (ran.status, ran.stdout) == (1, "")
    root = ElementTree.parse(here / "out.xml").getroot()
    assert root.attrib == {"name": "sandhook test", "tests": "7", "failures": "2", "errors": "0"}
    first, second, third = root
    assert [suite.get("name") for suite in root] == ["a.test.sh", "b.test.sh", "c.test.sh"]
    bad, good = first
    assert good.get("name") == "9: <as> & 'it' \"should\" \\x01 be"
    assert bad[0].get("message") == "not as expected: status, stdout, stderr"
    assert "    +\\x1b[1m\\ no newline\n" in (bad[0].text or "")
    assert [(suite.get("failures"), suite.get("skipped")) for suite in root] == [
        ("1", "0"),
        ("0", "1"),
        ("1", "0"),
    ]
    assert second[0][0].tag == "skipped"
    assert "lower it to claim the repair" in (third[2][0].get("message") or "")


# ---------------------------------------------------------------- recording


def test_record_writes_and_a_second_time_changes_nothing(sandhook: Run, here: Path, bash: str) -> None:
    text = "# kept\r\n\n#### a\necho one; echo two; exit 4\n\n#### b\nprintf x\n## OK dash status: 1\n"
    path = write(here / "a.test.sh", "")
    path.write_bytes(text.encode())
    write(here / "b.test.sh", '#### c\n:\n## stdout-json: ""\n')
    ran = sandhook("test", "--record", bash, ".")
    assert ran == (
        0,
        (
            "a.test.sh:3: a: status and stdout added\na.test.sh:6: b: stdout added\n"
            "3 cases run twice on bash: 2 changed, 0 not recorded\n"
        ),
        "",
    )
    assert path.read_bytes().decode() == (
        "# kept\r\n\n#### a\necho one; echo two; exit 4\n## status: 4\n## STDOUT:\none\ntwo\n## END\n\n"
        '#### b\nprintf x\n## stdout-json: "x"\n## OK dash status: 1\n'
    )
    before = path.stat().st_mtime_ns
    again = sandhook("test", "--record", bash, ".")
    assert again == (0, "3 cases run twice on bash: 0 changed, 0 not recorded\n", "")
    assert path.stat().st_mtime_ns == before
    assert sandhook("test", ".").status == 0


def test_record_refuses_what_is_not_the_same_twice(sandhook: Run, here: Path, bash: str) -> None:
    path = write(here / "a.test.sh", "#### a\necho $BASHPID\n\n#### b\necho b\n")
    ran = sandhook("test", "--record", bash, "a.test.sh")
    assert (ran.status, ran.stderr) == (1, "a.test.sh:1: a: two runs differ in stdout\n")
    assert path.read_text() == "#### a\necho $BASHPID\n\n#### b\necho b\n## stdout: b\n"


def test_record_takes_a_filter_and_standard_error(sandhook: Run, here: Path, bash: str) -> None:
    path = write(here / "a.test.sh", "#### a\necho a\n\n#### b\necho b >&2\n")
    ran = sandhook("test", "--record", bash, "--record-stderr", "--filter", "b", "a.test.sh")
    assert ran.status == 0
    assert path.read_text() == '#### a\necho a\n\n#### b\necho b >&2\n## stdout-json: ""\n## stderr: b\n'


def test_an_oracle_run_of_a_file_without_shells_says_so(sandhook: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.test.sh"
    path.write_text("#### one\necho a\n## stdout: a\n")
    ran = sandhook("test", "--oracle", path)
    assert ran.status == 0 and f"note: {path.as_posix()} names no shells: nothing is compared" in ran.stderr
    assert sandhook("test", path).stderr == ""

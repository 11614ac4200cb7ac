from __future__ import annotations

from contextlib import nullcontext

import pytest

from sandhook.conformance import oracle as oracles
from sandhook.conformance import runner
from sandhook.conformance.model import Oracle
from sandhook.conformance.oracle import OracleMissing, RealShell, check, version_of
from sandhook.conformance.reader import read
from sandhook.conformance.runner import Observation, run_file, run_sandhook
from sandhook.limits import Limits

HEAD = "## source: a test\n## oracle: bash\n"
GOOD = "#### good\necho a\n## stdout: a\n"
BAD = "#### bad\necho a; exit 2\n## stdout: b\n"


def report(text, **more):
    return run_file(read(HEAD + text, "x.test"), **more)


def test_a_file_passes_when_all_is_as_said():
    result = report(GOOD)
    assert (result.good, result.passed, str(result)) == (
        True,
        1,
        "x.test: sandhook: 1 passed, 0 failed, 0 expected",
    )


def test_a_failure_shows_every_difference():
    result = report(GOOD + BAD)
    assert not result.good
    assert str(result) == (
        "x.test: sandhook: 1 passed, 1 failed, 0 expected\nline 6: bad\n"
        "    status: expected 0, got 2\n    stdout: expected 'b\\n', got 'a\\n'"
    )


def test_expected_failures_are_counted_exactly():
    assert report("## expected_failures: 1\n" + GOOD + BAD).good
    assert not report("## expected_failures: 2\n" + GOOD + BAD).good
    assert not report("## expected_failures: 1\n" + GOOD).good, "an unexpected pass fails"


def test_a_real_shell_may_fail_none():
    def fake(script):
        return Observation(1, b"", b"")

    assert not report("## expected_failures: 2\n" + GOOD + BAD, shell="bash", run=fake).good


def test_standard_error_is_compared_when_it_is_said():
    assert report("#### a\necho x >&2\n## stderr: x\n").good
    assert not report("#### a\necho x >&2\n## stderr: y\n").good
    assert report("#### a\necho x >&2\n").good


def test_a_limit_is_no_answer(monkeypatch):
    monkeypatch.setattr(runner, "LIMITS", Limits(steps=2_000))
    (failure,) = report("#### a\nwhile :; do :; done\n## status: 137\n").failures
    assert (failure.differences, failure.observation.trouble) == (("trouble",), "limit steps")


def test_cases_do_not_see_each_other():
    assert report('#### a\necho x >f; cd /\n#### b\nls; [ "$PWD" = /workspace ]\n').good


def test_sandhook_gets_no_input_and_a_fixed_environment():
    got = run_sandhook('cat; echo "$LC_ALL $TZ $HOME ${USER-none}"')
    assert (got.status, got.stdout) == (0, b"C.UTF-8 UTC0 /home/agent none\n")


def test_a_missing_oracle_is_an_error(monkeypatch):
    monkeypatch.setattr(oracles.shutil, "which", lambda name: None)
    version_of.cache_clear()
    with pytest.raises(OracleMissing, match="dash is not installed"):
        check(Oracle("dash"))
    version_of.cache_clear()


def test_an_old_oracle_is_an_error(monkeypatch):
    monkeypatch.setattr(oracles, "version_of", lambda name: (5, 1, 16))
    with pytest.raises(OracleMissing, match=r"bash is 5\.1\.16, the cases need 5\.2"):
        check(Oracle("bash", (5, 2)))


def test_every_shell_runs_in_an_empty_directory(oracle):
    with RealShell("bash") if oracle else nullcontext() as real:
        run = real.run if oracle else run_sandhook
        assert run("echo a >f; ls; echo b >&2; exit 3")[:3] == (3, b"f\n", b"b\n")
        assert run("ls; kill -9 $$").status == 137

"""git stash pop and checkout -m: merges that are refused by name, and crafted trees, which write nothing elsewhere."""

from __future__ import annotations

import pytest

from sandhook import Limits, Shell
from tests.utilities.git.recorded import sandbox
from tests.utilities.git.test_checkouts import ODD, commit_of, files

STATE = "git stash list | wc -l; git status -s; git ls-files -s; cat * 2>&1"


def _refused(script: str, command: str) -> str:
    """Return the error of a command that must change nothing."""
    shell = sandbox("stashes")
    assert shell.run(script).exit_status == 0
    before = shell.run(STATE).stdout
    result = shell.run(command)
    assert result.defect is None and result.exit_status != 0
    assert shell.run(STATE).stdout == before
    return result.stderr


@pytest.mark.parametrize(
    ("script", "command", "words"),
    [
        ("git mv 'sp ace' other", "git stash pop stash@{4}", "'sp ace', renamed to"),
        ("git rm -q 'sp ace'", "git stash pop stash@{4}", "'sp ace', renamed to"),
        ("seq 3 >moved; git add moved", "git stash pop stash@{4}", "'sp ace', renamed to"),
        (":", "git stash pop stash@{3}", "'d', which is a file on one side and a directory on the other"),
        (
            "rm text; ln -s run text; git add text",
            "git stash pop stash@{15}",
            "two types of files or of submodules ('text')",
        ),
        (
            "git checkout -q base; seq 9 >d/g; git add d; git commit -qm g; git mv d e; git stash -q; seq 9 >d/h; git add d",
            "git stash pop",
            "'d/h', added to a directory that the other side renamed",
        ),
    ],
)
def test_merges_that_are_not_offered_change_nothing(script: str, command: str, words: str) -> None:
    error = _refused(script, command)
    assert words in error and "is not offered in the sandbox (L-GIT-003)" in error


def test_a_program_that_would_merge_is_not_started() -> None:
    error = _refused(
        "echo 'text merge=own' >>.git/info/attributes; printf '[merge \"own\"]\\n\\tdriver = touch /workspace/ran\\n' >>.git/config",
        "git stash pop stash@{15}",
    )
    assert (
        "the merge driver 'own' of 'text' is a program, which git in the sandbox never starts (L-GIT-002)"
        in error
    )


def _stash_of(shell: Shell, name: str) -> str:
    """Make a commit like a stash, whose tree has an odd name; return its name."""
    evil = commit_of(shell, name, "40000", "config")
    script = (
        f"base=$(git rev-parse HEAD); git commit-tree {evil}^{{tree}} -p $base -p $base -m 'WIP on main: x'"
    )
    result = shell.run(script)
    assert result.exit_status == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize("name", ODD)
def test_a_stash_with_an_odd_name_writes_no_such_file(name: str) -> None:
    shell = sandbox("stashes")
    stash = _stash_of(shell, name)
    before = files(shell)
    result = shell.run(f"git stash apply {stash}")
    assert (result.exit_status, result.defect) != (0, None) and result.defect is None
    assert "evil" not in shell.run("cat .git/config").stdout
    assert set(files(shell).split("\n")) <= set(before.split("\n")) | {"/workspace/.git/index.lock"}


def test_a_merge_of_large_files_ends_at_the_limit() -> None:
    limited = Shell(
        fs=sandbox("stashes").fs, git_writes=True, limits=Limits(steps=200_000, wall_seconds=60.0)
    )
    result = limited.run(
        "git config user.name >/dev/null; export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a\n"
        "mixed() { seq 6000 | awk -v by=$1 '{ print $1 * by % 6007 }'; }\n"
        "mixed 2999 >text; git stash -q; mixed 1777 >text; git commit -qam x; git stash pop"
    )
    assert result.limit == "steps"


@pytest.mark.parametrize("name", ["../../etc/x", "config", "nosuch", "refs/heads/../../config"])
def test_reflogs_of_other_files_are_not_changed(name: str) -> None:
    shell = sandbox("merges")
    before = shell.run("find .git -type f | sort | xargs sha1sum").stdout
    result = shell.run(f"git reflog delete '{name}@{{0}}'; git reflog expire --expire=all '{name}'")
    assert result.exit_status == 255 and result.defect is None
    assert shell.run("find .git -type f | sort | xargs sha1sum").stdout == before


@pytest.mark.parametrize("command", ["expire --expire=all --all", "delete main@{0}"])
def test_reflogs_need_permission(command: str) -> None:
    reading = Shell(fs=sandbox("merges").fs)
    result = reading.run(f"git reflog {command}")
    assert result.exit_status == 1 and "(L-GIT-001)" in result.stderr

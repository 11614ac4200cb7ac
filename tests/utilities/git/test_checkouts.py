"""git checkout, reset --hard, stash and mv: crafted trees write nothing outside of the working tree, nor below .git."""

from __future__ import annotations

import pytest

from sandhook import Shell
from tests.utilities.git.recorded import sandbox

ODD = ["..", ".git", ".GIT", ".git ", "git~1", ".git::$INDEX_ALLOCATION", "."]


def commit_of(shell: Shell, name: str, mode: str = "100644", inner: str = "") -> str:
    """Make a commit whose tree has one odd name, by way of its bytes; return the name of the commit."""
    script = (
        "set -o pipefail; blob=$(echo evil | git hash-object -w --stdin); "
        'entry() { printf \'%s %s\\0\' "$1" "$2"; echo $3 | xxd -r -p; }; '
        f"oid=$blob; [ -z '{inner}' ] || oid=$(entry 100644 '{inner}' $blob | git hash-object -t tree -w --stdin --literally); "
        f"tree=$(entry {mode} '{name}' $oid | git hash-object -t tree -w --stdin --literally); git commit-tree $tree -m x"
    )
    result = shell.run(script)
    assert result.exit_status == 0, result.stderr
    return result.stdout.strip()


def files(shell: Shell) -> str:
    return shell.run("find / -type f -not -path '/workspace/.git/objects/*' | sort").stdout


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(
    "command",
    [
        "checkout -f",
        "reset -q --hard",
        "reset -q --keep",
        "reset -q --merge",
        "checkout -q --detach -f",
        "restore -W -s",
    ],
)
def test_a_tree_with_an_odd_name_writes_no_such_file(name: str, command: str) -> None:
    shell = sandbox("unborn")
    for commit in (commit_of(shell, name), commit_of(shell, name, "40000", "config")):
        before = files(shell)
        result = shell.run(f"git {command} {commit} {'.' if command.startswith('restore') else ''}")
        assert (result.exit_status, result.defect) != (0, None), (result.stdout, result.stderr)
        assert result.defect is None
        assert "evil" not in shell.run("cat .git/config").stdout
        assert set(files(shell).split("\n")) <= set(before.split("\n")) | {"/workspace/.git/index.lock"}


def test_a_directory_that_is_a_link_is_replaced_and_not_followed() -> None:
    shell = sandbox("project")
    script = "mkdir /out; rm -rf src; ln -s /out src; git checkout -- src; git stash -q; git checkout -qf v1; ls -A /out; ls -ld src"
    result = shell.run(script)
    assert "main.c" not in result.stdout, result.stdout


@pytest.mark.parametrize(
    "command",
    [
        "checkout topic", "checkout -- a", "switch topic", "restore .", "reset --hard", "stash", "stash pop", "stash drop", "stash create",
        "mv a b", "branch x", "branch -D topic", "branch -m x", "branch -c x", "reset --keep HEAD", "reset --merge HEAD", "tag x", "tag -d v1", "update-ref refs/x HEAD", "commit-tree HEAD^{tree} -m x",
        "symbolic-ref HEAD refs/heads/topic",
    ],
)  # fmt: skip
def test_without_permission_nothing_changes(command: str) -> None:
    allowed = sandbox("project")
    shell = Shell(fs=allowed.fs, env={"HOME": "/"})
    before = shell.run("find / -type f | sort; git status; git for-each-ref").stdout
    result = shell.run(f"git {command}")
    assert result.exit_status == 1 and "L-GIT-001" in result.stderr
    assert shell.run("find / -type f | sort; git status; git for-each-ref").stdout == before


@pytest.mark.parametrize(
    ("setup", "command"),
    [
        ("printf 'src/* filter=x\\n' >.gitattributes", "-c filter.x.smudge=cat checkout HEAD -- src"),
        ("printf '* working-tree-encoding=odd\\n' >.gitattributes", "checkout -f HEAD -- src"),
        ("", "checkout -p"), ("", "reset -p"), ("", "stash push -p"),
        ("", "-c column.ui=always status"), ("", "-c format.to=x format-patch --stdout -1"), ("", "whatchanged --graph"),
        ("", "show --graph -1"), ("", "show -g"), ("", "show --all HEAD"), ("", "show -n1 HEAD HEAD~1"), ("", "show -L1,2:f"),
        ("", "log --line-prefix=+"), ("", "log --diff-merges=remerge"), ("", "diff-tree --line-prefix=+ HEAD"),
        ("", "cat-file --batch --textconv"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_a_named_error(setup: str, command: str) -> None:
    result = sandbox("project").run(f"{setup}\nrm -f src/main.c; git {command}")
    assert result.exit_status in (128, 129) and "(L-GIT-00" in result.stderr, result.stderr

"""HEAD and references that lead out of a repository, or are too long: nothing outside of it changes."""

from __future__ import annotations

import pytest

from sandhook import Limits, Shell

COMMIT = "git -c user.name=A -c user.email=a@b commit -q --allow-empty -m x"


def repository(head: str) -> Shell:
    files = {
        "/r/.git/HEAD": head,
        "/r/.git/config": "",
        "/r/.git/objects/.keep": "",
        "/r/.git/refs/heads/.keep": "",
        "/r/victim": "kept\n",
    }
    return Shell(files=files, cwd="/r", git_writes=True, env={"HOME": "/"})


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("ref: refs/heads/../../../victim\n", 128),
        ("ref: refs/../../victim\n", 128),
        ("ref: refs/heads/a.lock\n", 128),
        ("ref: refs/heads/../x\n", 128),
        ("ref: refs/heads/a..b\n", 128),
        ("ref: refs/heads/a b\n", 128),
        ("ref: refs/heads/a@{b\n", 128),
        pytest.param("ref: refs/heads/" + "a/" * 1_000_000, 128, id="long"),
        ("ref: config\n", 128),
        ("ref: /r/victim\n", 128),
        ("ref: ../victim\n", 128),
        ("zz", 128),
        ("", 128),
        ("ref: refs/heads/main\n", 0),
        ("ref:\t refs/heads/a/b", 0),
    ],
)
def test_a_commit_writes_only_references_of_the_repository(head: str, status: int) -> None:
    shell = repository(head)
    before = shell.run("find / -type f -not -path '*/objects/*' | sort").stdout.splitlines()
    result = shell.run(COMMIT, limits=Limits(steps=20_000))
    assert (result.exit_status, result.defect) == (status, None), result.stderr
    after = shell.run("find / -type f -not -path '*/objects/*' | sort").stdout.splitlines()
    assert all(path.startswith("/r/.git/") for path in set(after) - set(before))
    assert shell.run("cat /r/victim /r/.git/config").stdout == "kept\n"


@pytest.mark.parametrize(
    ("target", "status"), [("refs/../../victim", 128), ("../victim", 128), ("refs/heads/x", 0)]
)
def test_a_head_that_is_a_link_leads_nowhere_else(target: str, status: int) -> None:
    shell = repository("")
    result = shell.run(f"ln -sf {target} .git/HEAD; {COMMIT}")
    assert (result.exit_status, result.defect) == (status, None), result.stderr
    assert shell.run("cat victim").stdout == "kept\n"

"""Session.diff: a list, and a diff that git applies to the files before and that gives the files after."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from sandhook import Session, SessionDiff, Shell, SnapshotError
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath


def changed(script: str, files: dict[str, str | bytes]) -> tuple[Session, SessionDiff]:
    session = Shell(files=files).session()
    before = session.snapshot()
    result = session.run(script)
    assert (result.stderr, result.exit_status) == ("", 0)
    return session, session.diff(before)


def test_a_change_is_in_the_list_and_in_the_text() -> None:
    _, found = changed(
        "sed -i s/b/B/ a; rm gone; echo new > n; mkdir d; chmod +x x",
        {"a": "a\nb\nc\n", "gone": "g\n", "x": ""},
    )
    assert [(change.kind, change.path) for change in found.changes] == [
        ("deleted", "/workspace/gone"),
        ("modified", "/workspace/a"),
        ("created", "/workspace/d"),
        ("created", "/workspace/n"),
        ("chmod", "/workspace/x"),
    ]
    assert found.text == (
        "diff --git a/workspace/gone b/workspace/gone\ndeleted file mode 100644\n--- a/workspace/gone\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-g\n"
        "diff --git a/workspace/a b/workspace/a\n--- a/workspace/a\n+++ b/workspace/a\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
        "diff --git a/workspace/n b/workspace/n\nnew file mode 100644\n--- /dev/null\n+++ b/workspace/n\n@@ -0,0 +1 @@\n+new\n"
        "diff --git a/workspace/x b/workspace/x\nold mode 100644\nnew mode 100755\n"
    )


def test_nothing_changed_is_nothing() -> None:
    _, found = changed("cat a; x=1; touch a", {"a": "a\n"})
    assert (found.changes, found.text) == ((), "")


def test_binary_contents_are_named() -> None:
    _, found = changed("printf 'a\\0c' > a", {"a": b"a\0b"})
    assert found.text.splitlines()[-1] == "Binary files a/workspace/a and b/workspace/a differ"
    assert found.changes[0].content() == b"a\0c"


def test_a_state_of_the_file_system_is_a_beginning_too() -> None:
    fs = MemoryFileSystem()
    session = Shell(fs=fs).session()
    before = fs.snapshot()
    session.run("echo x > f")
    assert session.diff(before).changes.created == ["/workspace/f"]


def test_a_malformed_snapshot_is_refused() -> None:
    with pytest.raises(SnapshotError):
        Shell().session().diff(b"x")


def test_a_fork_is_compared_with_what_it_is_a_fork_of() -> None:
    session = Shell(files={"/workspace/f": "1\n"}).session()
    fork = session.fork()
    fork.run("echo 2 >> f; echo new > g")
    session.run("touch h")
    changes = fork.diff(session).changes
    assert (changes.created, changes.modified) == (["/workspace/g"], ["/workspace/f"])
    assert changes.deleted == ["/workspace/h"]


def test_what_is_no_state_is_an_error() -> None:
    with pytest.raises(TypeError, match="before: wanted a snapshot or a Session, got 'x'"):
        Shell().session().diff("x")  # type: ignore[arg-type]


FILES: dict[str, str | bytes] = {
    "a": "".join(f"{n}\n" for n in range(40)), "no newline": "x\ny", "empty": "", "gone": "1\n2\n", 'q"\\u': "q\n",
    "é": "é\n", "bytes": b"\xff\n\xfe\n", "d/e": "deep\n", "crlf": "a\r\nb\r\n",
}  # fmt: skip

SCRIPTS = [
    "sed -i '3d;20s/$/x/;22s/^/y/;38a more' a; printf 'x\\nY' > 'no newline'; echo full > empty; rm gone; echo z >> é",
    "printf 'x\\ny\\n' > 'no newline'; printf '\\377\\n\\375\\n' > bytes; echo n > \"new file\"; ln -s a link; chmod +x a crlf",
    ": > a; rm -r d empty; echo '' > 'q\"\\u'; echo r > é; sed -i s/b/c/ crlf; printf tail > tail; touch none",
    "mv a renamed; mkdir -p x/y; cp d/e x/y/z; echo 1 > d/e; rm gone; ln -s nowhere gone",
]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no files of some of these names")
@pytest.mark.parametrize("script", SCRIPTS)
def test_git_applies_the_text(script: str, tmp_path: Path, oracle: bool) -> None:
    session, found = changed(script, dict(FILES))
    applied(found, tmp_path, oracle)
    assert_alike(session, tmp_path / "workspace")


@pytest.mark.skipif(sys.platform == "win32", reason="git for Windows changes line ends and modes")
def test_git_applies_the_text_of_random_edits(tmp_path: Path, oracle: bool) -> None:
    random = Random(7)
    for turn in range(15):
        lines = [random.choice("abc") for _ in range(random.randrange(30))]
        edited = list(lines)
        for _ in range(random.randrange(6)):
            at = random.randrange(len(edited) + 1)
            edited[at : at + random.randrange(3)] = [
                random.choice("abcd") for _ in range(random.randrange(3))
            ]
        end = random.choice(["", "\n"])
        files: dict[str, str | bytes] = {"f": "\n".join(lines) + end}
        session = Shell(files=files).session()
        before = session.snapshot()
        session.shell.files["f"] = ("\n".join(edited) + random.choice(["", "\n"])).encode()
        where = tmp_path / str(turn)
        where.mkdir()
        applied(session.diff(before), where, oracle, files)
        assert_alike(session, where / "workspace")


def applied(found: SessionDiff, where: Path, oracle: bool, files: dict[str, str | bytes] = FILES) -> None:
    """Write the files, and apply the diff with git."""
    git = shutil.which("git")
    if git is None:
        assert not oracle, "git is not installed"
        pytest.skip("git is not installed")
    for name, data in files.items():
        path = where / "workspace" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    if not found.text:
        return
    text = found.text.encode("utf-8", "surrogateescape")
    done = subprocess.run(
        [git, "apply", "--whitespace=nowarn", "-"], input=text, cwd=where, capture_output=True, check=False
    )
    assert done.returncode == 0, f"{done.stderr.decode()}\n{found.text}"


def assert_alike(session: Session, where: Path) -> None:
    """Compare the files of a session with those of a directory."""
    ours = dict(session.shell.files)
    theirs = {
        path.relative_to(where).as_posix(): path.read_bytes()
        for path in where.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    assert ours == theirs
    for name in ours:
        mode = session.shell.fs.stat(VirtualPath(f"/workspace/{name}")).mode
        assert bool(mode & 0o100) == bool((where / name).stat().st_mode & 0o100), name

"""A repository with one damaged file: its index, a pack, a reference, an object, a setting; git reads it."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterable

from fuzz.pieces import Pieces, promise
from fuzz.samples import ROOT
from sandhook.limits import Limits
from sandhook.shell import Shell
from sandhook.vfs.base import FileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath

#: The repositories of the tests; each has another kind of storage.
NAMES = ("project", "merges", "index4", "conflict", "shallow", "super", "words", "notes", "sparse")

COMMANDS = (
    "git status", "git diff HEAD", "git log -p --stat -3", "git branch -avv", "git config -l", "git show HEAD",
    "git cat-file --batch-all-objects --batch-check", "git describe --all --always --dirty", "git for-each-ref",
    "git rev-list --all --count", "git stash list", "git ls-files -s -o", "git check-ignore -v a x.o", "git blame a",
    "git checkout -f HEAD", "git reset --hard HEAD~1", "git stash", "git stash pop", "git log --cc -p -2", "git diff --cc", "git branch -D topic",
    "git add -A", "git commit -am x", "git reset -q", "git tag -n", "git grep -n x HEAD",
    "git name-rev --all", "git cherry -v HEAD~1", "git submodule status", "git rev-list --objects --all", "git shortlog -sn HEAD",
    "git rev-list --boundary --children HEAD~1..HEAD", "git rev-list --cherry-mark --left-right HEAD~1...HEAD",
    "git diff --word-diff HEAD", "git log -p --color-words='[a-z]+' -3", "git diff --color=always HEAD~1", "git log -L 1,3:a.c -3",
    "git log -L :top:m.py", "git log --notes -2 --format='%N%C(auto)%h%d'", "git rev-list --all | git name-rev --annotate-stdin",
    "git config --get-color color.diff.old", "git config --get-urlmatch http https://example.com/",
    "git for-each-ref --format='%(if)%(upstream)%(then)%(upstream:track)%(else)%(contents:subject)%(end)'",
)  # fmt: skip

WORDS = (
    *(
        "DIRC\0\0\0\4",
        "\xfftOc\0\0\0\2",
        "PACK\0\0\0\2",
        "ref: ",
        "refs/heads/main",
        "gitdir: ",
        "../",
        "# pack-refs",
    ),
    *(
        "tree ",
        "parent ",
        "author A <a> 1 +0000",
        "blob 0\0",
        "100644 a\0",
        "40000 a\0",
        "120000 a\0",
        "160000 a\0",
    ),
    *(
        "[core]\n\tworktree = /\n",
        "[include]\n\tpath = config\n",
        '[a "b"]\n',
        "\\\n",
        "0" * 40,
        "\x80\x80\x80\x80\x01",
    ),
    *("\x7f", "\xff\xff\xff\xff", "\n\n", "\0"),
)

LIMITS = Limits(wall_seconds=60.0, output_bytes=1 << 20, steps=400_000, memory_bytes=24 << 20)


@functools.cache
def _files(name: str) -> tuple[FileSystem, tuple[str, ...]]:
    """Return a repository in memory, and the paths of its files that git reads."""
    fs = MemoryFileSystem()
    data = (ROOT / "tests" / "utilities" / "git" / f"{name}.tar.xz").read_bytes()
    shell = Shell(fs=fs, files={"/tmp/r.tar.xz": data})
    result = shell.run("tar -xJf /tmp/r.tar.xz; rm /tmp/r.tar.xz; find . -path '*.git*' -type f | sort")
    return fs, tuple(result.stdout.split())


def seeds() -> Iterable[bytes]:
    for name in range(len(NAMES)):
        for change in range(4):
            yield bytes([name, 5 * change + name, change, 7 * name % len(COMMANDS)]) + b"\0\x10\xff\0\x20\x01"
    yield bytes([0, 3, 0, 4]) + b"[core]\n\tbare = maybe\n"
    yield bytes([2, 6, 0, 0]) + b"DIRC\0\0\0\4\0\0\0\1" + bytes(40)


def target(data: bytes) -> None:
    pieces = Pieces(data)
    base, names = _files(pieces.choice(NAMES))
    path = VirtualPath(f"/workspace/{pieces.choice(names)}")
    fs = OverlayFileSystem(base)
    change, command = pieces.number(4), pieces.choice(COMMANDS)
    damaged = _changed(base.read_bytes(path), change, pieces.rest())
    fs.chmod(path, 0o644)
    fs.write_bytes(path, damaged)
    environment = {
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    result = Shell(fs=fs, env=environment, limits=LIMITS, git_writes=True).run(command)
    if result.defect is not None:
        raise result.defect
    promise("Traceback" not in result.stderr, "no traceback", path, command)
    if result.limit is None:
        promise(
            result.exit_status in (0, 1, 128) or (result.exit_status == 129 and "(L-GIT-" in result.stderr),
            "a status of git",
            result.exit_status,
            path,
            command,
            result.stderr,
        )
        is_fatal = any(line.startswith("fatal: ") for line in result.stderr.splitlines())
        promise(
            not is_fatal or result.exit_status in (128, 129),
            "a fatal error has the status 128",
            path,
            command,
        )


def _changed(data: bytes, change: int, rest: bytes) -> bytes:
    """Return the contents of a file after a change: of all of it, of some bytes, of its end, or of what it compresses."""
    if change == 0:
        return rest
    if change == 1:
        return data[: int.from_bytes(rest[:2], "big") % (len(data) + 1)] + rest[2:]
    if change == 2:
        return _edited(data, rest)
    try:
        return zlib.compress(_edited(zlib.decompress(data), rest), 1)
    except zlib.error:
        return _edited(data, rest)


def _edited(data: bytes, rest: bytes) -> bytes:
    """Return data with single bytes replaced: two bytes of an offset, and the new byte."""
    result = bytearray(data)
    for at in range(0, len(rest) - 2, 3):
        if result:
            result[int.from_bytes(rest[at : at + 2], "big") % len(result)] = rest[at + 2]
    return bytes(result)

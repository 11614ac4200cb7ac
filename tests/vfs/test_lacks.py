"""What a file system says at once of missing files is what a walk finds, before and after changes."""

from __future__ import annotations

import random
from threading import RLock

import pytest

from sandhook import Shell
from sandhook.vfs.errors import NameMissing
from sandhook.vfs.locked import LockedFileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath

NAMES = (
    "usr",
    "bin",
    "local",
    "jq",
    "proc",
    "self",
    "fd",
    "3",
    "dev",
    "null",
    "tmp",
    "x",
    "..",
    ".",
    "",
    "root",
)
NAMES += ("etc", "passwd", "workspace", "link", "x" * 70, "é", "\udc80", "\n")

CHANGES = (
    "",
    "mkdir -p /usr/local/bin/jq",
    "printf x > /usr/local/bin/x; chmod 0 /usr/local",
    "ln -s /usr/bin /tmp/bin; ln -s /tmp /workspace/link; ln -s /nowhere /usr/bin/jq",
    "rmdir /usr/local/bin; rmdir /usr/bin; chmod 000 /tmp",
    "cd /tmp; for n in usr bin x; do mkdir $n; done; : > usr/x",
)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("bare", [False, True])
def test_what_lacks_a_name_has_no_such_file(change: str, bare: bool) -> None:
    random_ = random.Random(change)
    said = 0
    for _ in range(400):
        fs = MemoryFileSystem(bare=bare)
        if change:
            fs.populate({"/usr/bin/keep": "", "/usr/local/bin/keep": "", "/tmp/keep": ""}, VirtualPath("/"))
            Shell(fs=fs).run(f"rm -f /usr/bin/keep /usr/local/bin/keep; {change}")
        for _ in range(random_.randrange(bare, 4)):
            fs.exists(path_of(random_))  # reads directories
        path = path_of(random_)
        if fs.lacks(path):
            said += 1
            with pytest.raises(FileNotFoundError):
                fs.stat(VirtualPath(path), follow=False)
        elif not fs.exists(path):  # no answer where links, "..", other kinds of files or names are in the way
            try:
                fs.stat(VirtualPath(path))
            except NameMissing:
                pytest.fail(f"{path}: a walk is certain")
            except OSError:
                pass
    assert said > 40


def path_of(random_: random.Random) -> str:
    return "/" + "/".join(random_.choices(NAMES, k=random_.randrange(1, 5)))


def test_a_lock_passes_the_question_on_and_an_overlay_has_no_answer() -> None:
    memory = MemoryFileSystem()
    assert LockedFileSystem(memory, RLock()).lacks("/usr/bin/x")
    assert not LockedFileSystem(memory, RLock()).lacks("/usr/bin")
    assert not LockedFileSystem(OverlayFileSystem(memory), RLock()).lacks("/usr/bin/x")


@pytest.mark.parametrize("before", ["", "ls /usr/bin /usr/local/bin >/dev/null;"])
def test_a_file_along_path_is_found_in_a_skeleton_that_was_read_or_not(before: str) -> None:
    own = {"/usr/local/bin/jq": "#!/bin/sh\necho own\n", "/workspace/p": "#!/bin/sh\necho linked\n"}
    link = "mkdir bin; ln -s /workspace/p bin/grep; PATH=$PWD/bin:$PATH;"
    script = f"{before} jq -n 1; {link} grep x; type sed; none"
    result = Shell(files=own).run(script)
    lines = ["own", "linked", "sed is /usr/bin/sed"]
    assert result.stdout.splitlines() == lines and result.exit_status == 127
    result = Shell().run(script)
    assert result.stdout.splitlines()[0] == "1" and result.exit_status == 127


@pytest.mark.parametrize("read", [False, True])
def test_descriptors_and_special_names_have_no_answer(read: bool) -> None:
    fs = MemoryFileSystem()
    assert not read or fs.exists("/proc/self")
    for path in (
        "/proc/self/fd/3",
        "/usr/../x",
        "/usr//x",
        "/usr/bin/",
        "/" + "x" * 70,
        "/" + "x/" * 3000,
        "/",
    ):
        assert not fs.lacks(path), path

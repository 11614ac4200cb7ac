"""Shell.files: a mapping over any file system."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from pathlib import Path

import pytest

from sandhook import Shell
from sandhook.vfs.base import FileSystem
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath


def mounted(where: Path) -> FileSystem:
    fs = MountTable(MemoryFileSystem())
    fs.mount(VirtualPath("/workspace"), HostDirectory(str(where), writable=True))
    return fs


KINDS: dict[str, Callable[[Path], FileSystem]] = {
    "memory": lambda where: MemoryFileSystem(),
    "overlay": lambda where: OverlayFileSystem(MemoryFileSystem()),
    "host directory": mounted,
}


@pytest.fixture(params=KINDS)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    return Shell(fs=KINDS[request.param](tmp_path), files={"a.txt": "a\n", "d/e": b"\xff"})


def test_items_are_files_below_the_directory(shell: Shell) -> None:
    files = shell.files
    assert isinstance(files, MutableMapping)
    assert dict(files) == {"a.txt": b"a\n", "d/e": b"\xff"}
    assert (len(files), list(files)) == (2, ["a.txt", "d/e"])
    assert "a.txt" in files
    assert "/workspace/a.txt" in files
    assert "d" not in files
    assert "nosuch" not in files
    assert 1 not in files


def test_changes_are_those_of_scripts_too(shell: Shell) -> None:
    files = shell.files
    files["n/m.txt"] = b"new\n"
    files["text"] = "é\n"
    assert shell.run("cat n/m.txt text").stdout == "new\né\n"
    shell.run("echo more >> text; rm a.txt")
    assert files.read_text("text") == "é\nmore\n"
    assert "a.txt" not in files
    del files["text"]
    assert shell.run("ls").stdout == "d\nn\n"
    assert files.pop("n/m.txt") == b"new\n"
    assert files.get("n/m.txt") is None


def test_texts_are_read_and_written(shell: Shell) -> None:
    files = shell.files
    assert files.read_text("d/e") == "\udcff"
    files.write_text("d/f", "\udcff")
    assert files["d/f"] == b"\xff"
    files.write_bytes("s", b"#!/bin/bash\necho ran\n")
    assert (files.exists("d"), files.is_dir("d"), files.is_dir("s"), files.exists("x")) == (
        True,
        True,
        False,
        False,
    )


def test_a_path_without_a_file_is_a_key_error_or_an_os_error(shell: Shell) -> None:
    files = shell.files
    for path in ("nosuch", "a.txt/b", "nosuch/b", ""):
        with pytest.raises(KeyError):
            files[path]
        with pytest.raises(KeyError):
            del files[path]
        with pytest.raises(OSError, match=r"No such file|Not a directory"):
            files.read_bytes(path)
    with pytest.raises(IsADirectoryError):
        files["d"]
    with pytest.raises(TypeError):
        files.read_bytes(1)  # type: ignore[arg-type]


def test_permission_bits_do_not_bind_the_caller() -> None:
    shell = Shell(files={"a": "1"})
    shell.run("chmod 0 a; mkdir -m 0 d")
    shell.files["a"] = b"2"
    shell.files["d/f"] = b"3"
    assert dict(shell.files) == {"a": b"2", "d/f": b"3"}
    assert shell.run("cat a").exit_status == 1


def test_links_are_read_and_not_listed() -> None:
    shell = Shell(files={"a": "1"})
    shell.run("ln -s a l; ln -s . loop; mkfifo p")
    assert list(shell.files) == ["a"]
    assert shell.files["l"] == b"1"
    assert shell.files["loop/a"] == b"1"
    assert "p" not in shell.files


def test_a_new_script_can_be_executed() -> None:
    shell = Shell()
    shell.files["run"] = "#!/bin/bash\necho ran\n"
    assert shell.run("./run").stdout == "ran\n"
    assert repr(shell.files) == "Files(cwd='/workspace')"

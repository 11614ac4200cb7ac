"""What every file system must do. A test module inherits the class and supplies ``fs``."""

from __future__ import annotations

import errno
import functools
import stat
from collections.abc import Callable
from typing import Any

import pytest

from sandhook.vfs.base import Device
from sandhook.vfs.errors import TEXTS
from sandhook.vfs.path import VirtualPath


def fails(code: int, call: Any, *args: Any, **options: Any) -> None:
    """Assert that a call raises an OSError with exactly this errno and GNU's text."""
    with pytest.raises(OSError) as caught:
        call(*args, **options)
    assert caught.value.errno == code, caught.value
    assert caught.value.strerror == TEXTS[code]


def where(feature: str) -> Callable[[Any], Any]:
    """Run a test on the file systems that have a feature, an attribute of the class."""

    def wrapped(test: Any) -> Any:
        @functools.wraps(test)
        def run(self: Any, *args: Any, **options: Any) -> None:
            if not getattr(self, feature):
                pytest.skip(f"{feature} is False")
            test(self, *args, **options)

        return run

    return wrapped


class Contract:
    """Inherited by one class per file system; ``base`` is an empty directory that the user owns."""

    has_fifos = True
    has_owner_checks = True
    makes_links = True  #: symbolic ones
    keeps_modes = True  #: all permission bits
    keeps_names = True  #: every name without "/" and NUL, as it was written

    @pytest.fixture
    def fs(self) -> Any:
        raise NotImplementedError

    @pytest.fixture
    def base(self) -> str:
        return "/workspace"

    @pytest.fixture
    def at(self, base: str) -> Any:
        """Return the path of a name below the base."""
        return lambda name="": VirtualPath(f"{base}/{name}" if name else base)

    # Files.

    def test_what_is_written_is_read(self, fs, at):
        fs.write_bytes(at("f"), b"hello\n\xff")
        assert fs.read_bytes(at("f")) == b"hello\n\xff"
        assert fs.stat(at("f")).size == 7
        assert stat.S_ISREG(fs.stat(at("f")).mode)

    def test_a_missing_file_is_enoent_and_a_made_one_is_not(self, fs, at):
        fails(errno.ENOENT, fs.open, at("gone"))
        fs.write_bytes(at("gone"), b"")
        fs.open(at("gone")).close()

    def test_opening_without_truncate_keeps_and_with_it_empties(self, fs, at):
        fs.write_bytes(at("f"), b"abc")
        fs.open(at("f"), write=True, create=True).close()
        assert fs.read_bytes(at("f")) == b"abc"
        fs.open(at("f"), write=True, truncate=True).close()
        assert fs.read_bytes(at("f")) == b""

    def test_exclusive_creation(self, fs, at):
        fs.open(at("f"), write=True, create=True, exclusive=True).close()
        fails(errno.EEXIST, fs.open, at("f"), write=True, create=True, exclusive=True)

    @where("makes_links")
    def test_exclusive_creation_does_not_follow_a_broken_link(self, fs, at):
        fs.symlink("nowhere", at("l"))
        fails(errno.EEXIST, fs.open, at("l"), write=True, create=True, exclusive=True)
        fs.open(at("l"), write=True, create=True).close()  # without it, the target is made
        assert fs.exists(at("nowhere"))

    def test_reading_and_writing_at_offsets(self, fs, at):
        handle = fs.open(at("f"), write=True, create=True)
        assert handle.write_at(3, b"xyz") == 3
        assert handle.read_at(0, 100) == b"\0\0\0xyz"
        assert handle.write_at(1, b"ab") == 2
        assert handle.read_at(1, 3) == b"abx"
        assert handle.read_at(6, 5) == b""
        assert handle.read_at(600, 5) == b""
        assert handle.append(b"!") == 7
        handle.truncate(2)
        assert handle.size() == 2
        handle.truncate(4)
        assert handle.read_at(0, 9) == b"\0a\0\0"
        assert handle.stat().size == 4
        handle.close()

    def test_an_unlinked_open_file_lives_on(self, fs, at):
        fs.write_bytes(at("f"), b"abc")
        handle = fs.open(at("f"), write=True)
        fs.unlink(at("f"))
        handle.append(b"d")
        assert handle.read_at(0, 9) == b"abcd"
        assert not fs.exists(at("f"))
        handle.close()

    def test_two_handles_see_the_same_file(self, fs, at):
        one = fs.open(at("f"), write=True, create=True)
        two = fs.open(at("f"))
        one.write_at(0, b"x")
        assert two.read_at(0, 5) == b"x"
        one.close()
        two.close()

    def test_a_directory_is_not_opened(self, fs, at):
        fails(errno.EISDIR, fs.open, at())
        fails(errno.EISDIR, fs.open, at(), write=True)
        fails(errno.EISDIR, fs.open, at("new/"), write=True, create=True)

    @where("keeps_modes")
    def test_the_mode_of_a_new_file(self, fs, at):
        fs.open(at("f"), write=True, create=True, mode=0o640).close()
        assert stat.S_IMODE(fs.stat(at("f")).mode) == 0o640

    def test_a_new_file_may_be_made_without_permission_to_write_it_again(self, fs, at):
        handle = fs.open(at("f"), write=True, create=True, mode=0o400)
        handle.write_at(0, b"x")
        handle.close()
        fails(errno.EACCES, fs.open, at("f"), write=True)
        assert fs.read_bytes(at("f")) == b"x"

    # Paths.

    def test_dots_and_slashes(self, fs, at, base):
        fs.mkdir(at("d"))
        fs.write_bytes(at("d/f"), b"1")
        for path in ("d/./f", "d//f", "./d/f", "d/../d/f", "d" + "/.." * 9 + base + "/d/f"):
            assert fs.read_bytes(at(path)) == b"1"
        assert fs.stat(VirtualPath("/..")).inode == fs.stat(VirtualPath("/")).inode

    def test_a_file_is_no_directory(self, fs, at):
        fs.write_bytes(at("f"), b"")
        for path in ("f/", "f/x", "f/.", "f/.."):
            fails(errno.ENOTDIR, fs.stat, at(path))
        fails(errno.ENOTDIR, fs.listdir, at("f"))
        fails(errno.ENOTDIR, fs.rmdir, at("f"))
        fails(errno.EISDIR, fs.open, at("f/"), write=True, create=True)  # as in Linux

    def test_bounds_of_names_and_paths(self, fs, at):
        fs.write_bytes(at("n" * 255), b"")
        assert fs.exists(at("n" * 255))
        fails(errno.ENAMETOOLONG, fs.open, at("n" * 256), write=True, create=True)
        fails(errno.ENAMETOOLONG, fs.stat, at("é" * 128))
        fails(errno.ENAMETOOLONG, fs.stat, at("./" * 2100))
        assert fs.is_dir(at("./" * 2000))

    def test_a_nul_is_no_name(self, fs, at):
        fails(errno.EINVAL, fs.open, at("a\0b"), write=True, create=True)
        fails(errno.EINVAL, fs.stat, at("a\0b"))

    @where("keeps_names")
    def test_names_that_are_no_utf8(self, fs, at):
        fs.write_bytes(at("\udcff\udcfe"), b"1")
        assert [entry.name for entry in fs.listdir(at())] == ["\udcff\udcfe"]
        assert fs.read_bytes(at("\udcff\udcfe")) == b"1"

    def test_an_empty_path_is_enoent(self, fs):
        fails(errno.ENOENT, fs.stat, VirtualPath(""))

    # Directories.

    def test_listing_in_byte_order(self, fs, at):
        names = [".h", "C", "a", "b", "é", "\ue000", "\U0001f600"]  # UTF-16 has these two the other way round
        if self.keeps_names:
            names = [*names[:2], "B", *names[2:], "\udcff"]
        for name in reversed(names):
            fs.write_bytes(at(name), b"")
        fs.mkdir(at("d"))
        entries = fs.listdir(at())
        wanted = sorted([*names, "d"], key=lambda name: name.encode("utf-8", "surrogateescape"))
        assert [entry.name for entry in entries] == wanted
        directory = next(entry for entry in entries if entry.name == "d")
        assert [entry.name for entry in entries if stat.S_ISDIR(entry.mode)] == ["d"]
        assert directory.inode == fs.stat(at("d")).inode

    def test_making_and_removing_directories(self, fs, at):
        fs.mkdir(at("d"), 0o750)
        assert stat.S_IMODE(fs.stat(at("d")).mode) == (0o750 if self.keeps_modes else 0o755)
        fails(errno.EEXIST, fs.mkdir, at("d"))
        fails(errno.EEXIST, fs.mkdir, at("d/."))
        fails(errno.ENOENT, fs.mkdir, at("x/y"))
        fs.mkdir(at("e/"))
        fs.write_bytes(at("d/f"), b"")
        fails(errno.ENOTEMPTY, fs.rmdir, at("d"))
        fails(errno.EISDIR, fs.unlink, at("d"))
        fails(errno.EINVAL, fs.rmdir, at("d/."))
        fs.unlink(at("d/f"))
        fs.rmdir(at("d"))
        assert not fs.exists(at("d"))
        fails(errno.ENOENT, fs.rmdir, at("d"))
        fails(errno.EBUSY, fs.rmdir, VirtualPath("/"))

    def test_write_bytes_with_parents(self, fs, at):
        fails(errno.ENOENT, fs.write_bytes, at("p/q/f"), b"")
        fs.write_bytes(at("p/q/f"), b"1", parents=True)
        assert fs.read_bytes(at("p/q/f")) == b"1"

    def test_the_links_of_a_directory_count_its_subdirectories(self, fs, at):
        if fs.stat(at()).links < 2:
            pytest.fail("a directory has at least two links")
        before = fs.stat(at()).links
        fs.mkdir(at("d"))
        assert fs.stat(at()).links in (before, before + 1)  # some hosts do not count them
        fs.rmdir(at("d"))
        assert fs.stat(at()).links == before

    # Unlinking, renaming, linking.

    def test_unlink(self, fs, at):
        fs.write_bytes(at("f"), b"")
        fails(errno.ENOTDIR, fs.unlink, at("f/"))
        fs.unlink(at("f"))
        fails(errno.ENOENT, fs.unlink, at("f"))

    def test_rename_replaces_a_file(self, fs, at):
        fs.write_bytes(at("a"), b"1")
        fs.write_bytes(at("b"), b"2")
        fs.rename(at("a"), at("b"))
        assert fs.read_bytes(at("b")) == b"1"
        assert not fs.exists(at("a"))
        fails(errno.ENOENT, fs.rename, at("a"), at("c"))

    def test_rename_moves_a_directory_with_its_contents(self, fs, at):
        fs.write_bytes(at("d/e/f"), b"1", parents=True)
        fs.rename(at("d"), at("n"))
        assert fs.read_bytes(at("n/e/f")) == b"1"
        assert not fs.exists(at("d"))
        fs.mkdir(at("d"))
        assert fs.listdir(at("d")) == []

    def test_what_rename_refuses(self, fs, at):
        fs.write_bytes(at("d/e/f"), b"1", parents=True)
        fs.write_bytes(at("f"), b"2")
        fs.mkdir(at("empty"))
        fails(errno.EINVAL, fs.rename, at("d"), at("d/e/d"))
        fails(errno.ENOTEMPTY, fs.rename, at("empty"), at("d"))
        fails(errno.EISDIR, fs.rename, at("f"), at("empty"))
        fails(errno.ENOTDIR, fs.rename, at("empty"), at("f"))
        fails(errno.ENOTDIR, fs.rename, at("f"), at("g/"))
        fails(errno.EBUSY, fs.rename, at("d/."), at("x"))
        fs.rename(at("d"), at("empty"))
        assert fs.read_bytes(at("empty/e/f")) == b"1"

    def test_renaming_to_another_name_of_the_same_file_does_nothing(self, fs, at):
        fs.write_bytes(at("a"), b"1")
        fs.link(at("a"), at("b"))
        fs.rename(at("a"), at("b"))
        assert fs.exists(at("a"))
        assert fs.exists(at("b"))

    def test_hard_links(self, fs, at):
        fs.write_bytes(at("a"), b"1")
        fs.link(at("a"), at("b"))
        assert fs.stat(at("a")).links == 2
        assert fs.stat(at("a")).inode == fs.stat(at("b")).inode
        fs.write_bytes(at("b"), b"22")
        assert fs.read_bytes(at("a")) == b"22"
        fs.unlink(at("a"))
        assert fs.stat(at("b")).links == 1
        fails(errno.EPERM, fs.link, at(), at("c"))
        fs.write_bytes(at("c"), b"")
        fails(errno.EEXIST, fs.link, at("b"), at("c"))

    # Symbolic links.

    @where("makes_links")
    def test_links_are_followed_or_not(self, fs, at):
        fs.write_bytes(at("f"), b"1")
        fs.symlink("f", at("l"))
        assert fs.read_bytes(at("l")) == b"1"
        assert fs.readlink(at("l")) == "f"
        assert stat.S_ISLNK(fs.stat(at("l"), follow=False).mode)
        assert stat.S_ISREG(fs.stat(at("l")).mode)
        fails(errno.EINVAL, fs.readlink, at("f"))
        fails(errno.EEXIST, fs.symlink, "x", at("l"))
        fails(errno.ENOENT, fs.symlink, "", at("m"))
        fails(errno.EINVAL, fs.symlink, "a\0b", at("m"))
        fs.unlink(at("l"))
        assert fs.exists(at("f"))

    @where("makes_links")
    def test_dots_after_a_link_are_those_of_its_target(self, fs, at):
        fs.write_bytes(at("a/b/f"), b"1", parents=True)
        fs.write_bytes(at("a/g"), b"2")
        fs.symlink("a/b", at("l"))
        assert fs.read_bytes(at("l/../g")) == b"2"
        assert fs.realpath(at("l/..")) == fs.realpath(at("a"))

    @where("makes_links")
    def test_absolute_and_climbing_links_stay_in_the_namespace(self, fs, at, base):
        fs.write_bytes(at("f"), b"1")
        fs.symlink(f"{base}/f", at("absolute"))
        fs.symlink("../" * 50 + base.lstrip("/") + "/f", at("climbing"))
        assert fs.read_bytes(at("absolute")) == b"1"
        assert fs.read_bytes(at("climbing")) == b"1"
        fs.symlink("/no/such/place", at("away"))
        assert not fs.exists(at("away"))

    @where("makes_links")
    def test_forty_links_and_no_more(self, fs, at):
        fs.write_bytes(at("l0"), b"1")
        for number in range(1, 42):
            fs.symlink(f"l{number - 1}", at(f"l{number}"))
        assert fs.read_bytes(at("l40")) == b"1"
        fails(errno.ELOOP, fs.stat, at("l41"))
        fs.symlink("self", at("self"))
        fails(errno.ELOOP, fs.open, at("self"))

    @where("makes_links")
    def test_a_slash_behind_a_link_asks_for_a_directory(self, fs, at):
        fs.mkdir(at("d"))
        fs.symlink("d", at("l"))
        assert stat.S_ISDIR(fs.stat(at("l/"), follow=False).mode)
        fails(errno.ENOTDIR, fs.rmdir, at("l"))
        fs.write_bytes(at("f"), b"")
        fs.symlink("f", at("m"))
        fails(errno.ENOTDIR, fs.stat, at("m/"))

    @where("makes_links")
    def test_realpath(self, fs, at):
        fs.write_bytes(at("d/f"), b"", parents=True)
        fs.symlink("d", at("l"))
        assert fs.realpath(at("l/./f")) == at("d/f")
        fails(errno.ENOENT, fs.realpath, at("d/gone"))
        assert fs.realpath(VirtualPath("/")) == "/"

    # Permissions and times.

    @where("keeps_modes")
    def test_permission_bits_count(self, fs, at):
        fs.write_bytes(at("f"), b"1")
        fs.chmod(at("f"), 0o200)
        fails(errno.EACCES, fs.open, at("f"))
        assert not fs.access(at("f"), 4)
        assert fs.access(at("f"), 2)
        fs.chmod(at("f"), 0o600)
        assert fs.read_bytes(at("f")) == b"1"
        assert fs.access(at("f"), 6)
        assert not fs.access(at("f"), 1)
        assert not fs.access(at("gone"), 0)

    @where("keeps_modes")
    def test_permission_bits_of_directories(self, fs, at):
        fs.write_bytes(at("d/f"), b"1", parents=True)
        fs.chmod(at("d"), 0o500)
        fails(errno.EACCES, fs.write_bytes, at("d/g"), b"")
        fails(errno.EACCES, fs.unlink, at("d/f"))
        fails(errno.EACCES, fs.rename, at("d/f"), at("d/g"))
        assert fs.read_bytes(at("d/f")) == b"1"
        fs.chmod(at("d"), 0o300)
        fails(errno.EACCES, fs.listdir, at("d"))
        assert fs.read_bytes(at("d/f")) == b"1"
        fs.chmod(at("d"), 0o600)
        fails(errno.EACCES, fs.stat, at("d/f"))
        assert [entry.name for entry in fs.listdir(at("d"))] == ["f"] or not self.has_owner_checks
        fs.chmod(at("d"), 0o700)
        fs.unlink(at("d/f"))

    def test_times(self, fs, at):
        fs.write_bytes(at("f"), b"1")
        fs.utime(at("f"), 1_000_000_000, 2_000_000_000)
        found = fs.stat(at("f"))
        assert (found.atime_ns, found.mtime_ns) == (1_000_000_000, 2_000_000_000)
        fs.write_bytes(at("f"), b"2")
        assert fs.stat(at("f")).mtime_ns > 2_000_000_000
        fails(errno.ENOENT, fs.utime, at("gone"), 0, 0)

    @where("makes_links")
    def test_times_of_a_link_itself(self, fs, at):
        fs.write_bytes(at("f"), b"1")
        fs.symlink("f", at("l"))
        before = fs.stat(at("f")).mtime_ns
        fs.utime(at("l"), 1_000_000_000, 2_000_000_000, follow=False)
        assert fs.stat(at("l"), follow=False).mtime_ns == 2_000_000_000
        assert fs.stat(at("f")).mtime_ns == before

    # Special files.

    def test_fifos(self, fs, at):
        if not self.has_fifos:
            fails(errno.EPERM, fs.mkfifo, at("p"))
            return
        fs.mkfifo(at("p"), 0o600)
        fs.mkfifo(at("q"), 0o600)
        assert stat.S_ISFIFO(fs.stat(at("p")).mode)
        one, two = fs.open(at("p")), fs.open(at("q"))
        assert isinstance(one, Device)
        assert one.kind == "fifo"
        assert one != two
        assert one == fs.open(at("p"), read=False, write=True)
        fails(errno.EINVAL, fs.read_bytes, at("p"))
        fs.unlink(at("p"))

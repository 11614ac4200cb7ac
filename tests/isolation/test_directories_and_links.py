"""Directories and links in a worker: a run ends there as in a thread, with the same output and the same files."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.limits import Limits
from sandhook.shell import Shell
from sandhook.vfs.base import FileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from tests.sandbox.tools import every

SCRIPTS = {
    # Links.
    "two names of one file": "ln a h; echo more >> h; cat a; stat -c %h a h",
    "many names": "for i in {1..50}; do ln a l$i; done; stat -c %h a; rm l{1..25}; stat -c %h a",
    "names in other directories": "mkdir x y; ln a x/a; ln x/a y/a; rm a; echo z >> x/a; cat y/a",
    "a name that is made anew": "ln a h; cp --remove-destination h new; rm a; echo fresh > a; cat a h; stat -c %h a h",
    "a name that moves": "ln a h; mv h d/; echo w >> d/h; cat a; [ a -ef d/h ]; echo $?",
    "names that change places": "ln a h; ln b g; mv h t; mv g h; mv t g; cat h g; [ a -ef g ] && [ b -ef h ]; echo $?",
    "a name in place of another": "ln a h; ln -f b h; cat h; stat -c '%n %h' a b h",
    "three, then two and one": "ln a h1; ln a h2; cp --remove-destination b h1; cat a h1 h2; stat -c '%n %h' a h1 h2",
    "names of a symbolic link": "ln -s a s; ln -P s s2; readlink s2; stat -c %h s",
    "names of a FIFO": "mkfifo p; ln p q; stat -c '%F %h' p q",
    "a large file with many names": "head -c 300000 /dev/zero > big; for i in {1..40}; do ln big b$i; done; du -b big; cat b40 | wc -c",
    "names of an old file": "chmod 600 old1; echo x >> old2; cat old1; stat -c '%a %h' old1 old2",
    "an old name is removed": "rm old1; cat old2; stat -c %h old2",
    "an old name becomes another file": "rm old1; echo other > old1; cat old1 old2",
    "no name of a directory": "ln d e; ln d/. e; echo $?",
    "a link to nothing": "ln -s nosuch l; cat l; [ -e l ] || echo missing; [ -L l ] && echo link; echo x > l; cat nosuch",
    "links to links": "ln -s a 1; ln -s 1 2; ln -s 2 3; cat 3; readlink -f 3; rm a; cat 3",
    "a loop": "ln -s x y; ln -s y x; cat x; cd x; ls x/; echo $?; readlink -f x; rm x; ls -l --time-style=+ y | cut -c1",
    "a link to its directory": "ln -s . me; ls me/me/me; cd me/me; pwd; pwd -P; echo n > me/new; cat new",
    "a link to the root": "ln -s / r; cat r/workspace/a; cd r; pwd; pwd -P; ls -d r/..",
    "a link above everything": "ln -s ../../../../../.. up; cd up; pwd -P; cat up/workspace/a",
    "a link to a directory, removed": "ln -s d l; rm -r l/; rm l; ls",
    "odd targets": "ln -s $'new\\nline' l; ln -s $'\\xff\\xfe' m; readlink l m | od -c; ln -s '' n; echo $?; ln -s \"$(printf '%5000s' x)\" o",
    "a link of itself": "ln -s l l; cat l; stat -c %F l; find . -name l; find -L . -name l; echo $?",
    # The working directory.
    "it is removed": "mkdir w; cd w; rmdir ../w; pwd; ls; echo x > f; cd ..; pwd; ls",
    "it is removed above": "mkdir -p w/v; cd w/v; rm -r ../../w; pwd; ls; cd ..; echo $?; pwd; cd /workspace && ls",
    "it is moved": "mkdir w; cd w; mv ../w ../v; pwd; pwd -P; echo x > f; ls; ls ../v",
    "it is replaced": "mkdir w; cd w; rmdir ../w; mkdir ../w; echo x > f; pwd -P; ls ../w; cd .; echo x > f; ls ../w",
    "it has no search permission": "mkdir w; cd w; chmod 0 .; ls; echo x > f; cd .; echo $?; chmod 755 .; ls -d ../w",
    "no permission": "mkdir w; echo x > w/f; chmod 0 w; cd w; ls w; cat w/f; find w; chmod 100 w; cat w/f; ls w; chmod 400 w; ls w; cat w/f; rm -r w",
    "not a directory": "cd a; echo $?; ls a/; cat a/.; mkdir a/b; echo x > a/b; cd a/..; pwd",
    "a name with a newline": "mkdir $'n\\nl'; cd $'n\\nl'; pwd; echo x > f; cd ..; ls -Q; cat n*/f",
    "a name that is not UTF-8": "mkdir $'\\xff'; cd $'\\xff'; pwd | od -c; echo x > $'\\xfe'; cd ..; cat */*; ls -Q",
    "names with blanks and dashes": "mkdir -- '-d' ' ' '*'; cd -- -d; pwd; cd '../ '; pwd; cd '../*'; pwd; ls -Q ..",
    "the root": "cd /; pwd; ls -d .. a; mkdir /new; echo x > /f; echo $?; cd //; pwd; cd ///; pwd; rmdir /; rm -rf /; ls",
    "devices": "cd /dev; ls null; cd null; cat < null; echo x > /dev/new; echo $?; ls -l --time-style=+ null | cut -c1; cd /dev/fd; echo $?",
    "processes": "cd /proc 2>/dev/null; pwd; cat /proc/self/comm; ls /proc/self/fd >/dev/null; echo $?; readlink /proc/self; cat /proc/self/environ | wc -c",
    "temporary directory": "cd /tmp; pwd; t=$(mktemp -d); [ -d $t ]; echo $?; touch $t/x; stat -c %a $t; rm -r $t; ls",
    "dots": "cd ./././d/../d/./; pwd; cd ../../..; pwd; cd; pwd; cd -; pwd; cd ~; pwd",
    "CDPATH and pushd": "mkdir -p p/q; CDPATH=/workspace/p; cd q; pwd; cd /; pushd /workspace/d; pushd /tmp; popd; dirs; pwd",
    "deep": "for i in {1..60}; do mkdir d$i && cd d$i; done; pwd | wc -c; cd /workspace; find d1 | wc -l; rm -r d1; ls",
    "a long name": "n=$(printf '%0255d' 1); mkdir $n && cd $n && pwd | wc -c; mkdir x$n; cd /workspace; rmdir $n",
    "a directory over a file": "rm a; mkdir a; echo x > a/x; ls -R; mv a b; mv d a; ls -R",
    "a file over a directory": "rm -r d; echo file > d; cat d; rm d; mkdir -p d/e/f; ls -R d",
    "a directory over a link": "ln -s d l; rm l; mkdir l; touch l/x; ls l d",
    "modes of directories": "mkdir -m 700 w; chmod g+s d; chmod 1777 w; umask 077; mkdir v; stat -c '%n %a' w d v",
    "a directory that others removed": "rm -r d; mkdir d; touch d/new; ls d; rmdir d; rm -r d; ls",
    "FIFOs": "mkfifo d/p; (echo through > d/p) & cat d/p; wait; stat -c %F d/p; rm d/p",
    "open files without names": "exec 3> gone; rm gone; echo x >&3; exec 4< a; rm a; cat <&4; ls",
    "times": "touch -d @5 a; touch -d @6 -h d; ln a h; touch -r a b; stat -c '%n %Y' a b d h; cp -p a c; stat -c %Y c",
    "the quota": "for i in {1..2000}; do ln a q$i || break; done 2> err; wc -l < err; ls | wc -l",
}  # fmt: skip

LIMITS = Limits(wall_seconds=30.0, fs_bytes=1 << 20, fs_inodes=1_500, memory_bytes=16 << 20)

DIRECTORIES = [
    "/", "/workspace", "/workspace/d", "/workspace/nosuch", "/workspace/a", "/workspace/link", "/workspace/loop",
    "/workspace/closed", "/workspace/new\nline", "/workspace/\udcff", "/proc", "/proc/self", "/dev", "/dev/null",
    "/workspace/./d/../d", "//workspace", "/tmp/", "/workspace/" + "x" * 300, "/workspace/d" * 2_000,
]  # fmt: skip


def files(kind: str) -> FileSystem:
    """Return files with old links and odd directories."""
    fs = MemoryFileSystem(quota_bytes=LIMITS.fs_bytes, quota_inodes=LIMITS.fs_inodes)
    root = VirtualPath("/workspace")
    fs.populate({"a": "one\n", "b": "two\n", "d/c": "three\n", "old1": "old\n"}, root)
    fs.link(VirtualPath("/workspace/old1"), VirtualPath("/workspace/old2"))
    if kind == "overlay":
        return OverlayFileSystem(fs, quota_bytes=LIMITS.fs_bytes, quota_inodes=LIMITS.fs_inodes)
    return fs


def odd_directories(fs: FileSystem) -> None:
    at = "/workspace/"
    for name in ("closed", "new\nline", "\udcff"):
        fs.mkdir(VirtualPath(at + name))
    fs.symlink("d", VirtualPath(at + "link"))
    fs.symlink("loop", VirtualPath(at + "loop"))
    fs.chmod(VirtualPath(at + "closed"), 0)


FIND = "find / -path /proc -prune -o -path /dev -prune -o -printf '%p %y %m %U %G %s %l\\n' | sort | cat -A"
#: Which names are those of one file.
GROUPS = "cd /workspace; for f in $(find . -type f -links +1 -not -name 'q*' | sort); do [ $f -ef a ] && echo a $f; [ $f -ef h ] && echo h $f; [ $f -ef old2 ] && echo o $f; done; stat -c '%n %h' [a-p]* | sort"


def state(shell: Shell) -> tuple[object, ...]:
    """Return the files as another run sees them."""
    other = Shell(fs=shell.fs, cwd="/", limits=Limits(output_bytes=4 << 20, wall_seconds=60.0))
    return tuple(
        (run.stdout_bytes, run.stderr_bytes)
        for run in map(
            other.run, (FIND, GROUPS, "cat $(find /workspace -type f -perm /4 | sort) | sha256sum")
        )
    )


def outcome(isolation: Any, kind: str, script: str, **options: Any) -> tuple[object, ...]:
    fs = files(kind)
    if options.pop("odd", False):
        odd_directories(fs)
    shell = Shell(fs=fs, limits=LIMITS, isolation=isolation, **options)
    results = [shell.run(script), shell.run("ls -A; echo more >> a; cat a; pwd")]
    ends = [
        (
            each.stdout_bytes,
            each.stderr_bytes,
            each.exit_status,
            each.limit,
            each.failure,
            str(each.defect),
            each.notes,
        )
        for each in results
    ]
    return (*ends, state(shell), fs.quota_left if isinstance(fs, MemoryFileSystem) else None)


@pytest.mark.parametrize("kind", ["memory", "overlay"])
@pytest.mark.parametrize("label", every(3, SCRIPTS))
def test_a_script_about_directories_and_links(label: str, kind: str) -> None:
    here, there = (outcome(isolation, kind, SCRIPTS[label]) for isolation in ("thread", "process"))
    assert there == here


@pytest.mark.parametrize("directory", DIRECTORIES, ids=lambda each: ascii(each)[:40])
def test_a_run_that_begins_in_an_odd_directory(directory: str) -> None:
    script = "pwd; echo $?; ls -d .; cat a; echo x > new; echo $?; cd .; cd ..; pwd; pwd -P"
    ends = []
    for isolation in ("thread", "process"):
        try:
            ends.append(outcome(isolation, "memory", script, cwd=directory, odd=True))
        except Exception as error:
            ends.append((error.__class__, str(error)))
    assert ends[0] == ends[1]

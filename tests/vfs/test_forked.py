"""MemoryFileSystem.fork: two file systems that share inodes until one of them needs its own."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest

from sandhook import Limits, Shell
from sandhook.vfs import forked
from sandhook.vfs.base import Stat
from sandhook.vfs.delta import delta, encode
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from tests.sandbox.tools import every
from tests.vfs.contract import Contract


def state(fs: MemoryFileSystem) -> bytes:
    """Return all that a stored snapshot has of the files, with what is left of the quota."""
    empty = MemoryFileSystem(now_ns=lambda: 1).snapshot()
    return encode(delta(empty, fs.snapshot())) + repr((fs.quota_left, fs.user)).encode()


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that receives the number of each inode that a fork copies."""
    numbers: list[int] = []
    copy = forked.Copies._copy

    def counted(copies: forked.Copies, node: Any) -> Any:
        numbers.append(node.ino)
        return copy(copies, node)

    monkeypatch.setattr(forked.Copies, "_copy", counted)
    return numbers


def shell_with(count: int) -> Shell:
    files = {f"d{number % 10}/f{number}": f"{number}\n" for number in range(count)}
    return Shell(files=files, limits=Limits(fs_inodes=20_000))


class TestContract(Contract):
    """A fork is a file system like any other."""

    @pytest.fixture
    def fs(self) -> MemoryFileSystem:
        return MemoryFileSystem().fork()


class TestContractOfForks(Contract):
    """So is one whose every layer changed something."""

    @pytest.fixture
    def fs(self) -> MemoryFileSystem:
        fs = MemoryFileSystem()
        for number in range(3):
            fs.write_bytes(f"/tmp/{number}", b"1")
            fs.unlink(VirtualPath(f"/tmp/{number}"))
            fs = fs.fork()
        return fs


@pytest.mark.parametrize("count", [100, 10_000])
def test_the_number_of_files_does_not_matter(count: int, copied: list[int]) -> None:
    session = shell_with(count).session()
    session.run("echo here > d1/new")
    fork = session.fork()
    assert len(copied) == 2, "the two roots"
    del copied[:]
    assert fork.run("cat d3/f3").stdout == "3\n"
    assert fork.run("echo more >> d3/f3; rm d4/f4; mkdir d5/in; mv d5/in d6").stderr == ""
    assert session.run("cat d1/new d3/f3 d4/f4").stdout == "here\n3\n4\n"
    assert len(copied) < 60, "the directories of the skeleton, and the paths that were used"


def test_a_fork_of_many_forks_is_no_slower(copied: list[int]) -> None:
    session = shell_with(1_000).session()
    session.run("true")
    counts = []
    for number in range(50):
        session = session.fork()
        del copied[:]
        assert session.run(f"echo {number} >> d1/f1; echo x > d2/temporary; rm d2/temporary").stderr == ""
        counts.append(len(copied))
    assert counts[-1] == counts[1]
    children: Any = session.shell.fs._tree.lookup("/workspace/d2").children  # type: ignore[attr-defined]
    assert not children._changes, "what was created and removed again leaves nothing"
    assert session.run("wc -l < d1/f1").stdout == "51\n"


@pytest.mark.usefixtures("few_objects")
def test_layers_that_nothing_needs_are_freed() -> None:
    session = shell_with(10).session()
    for _ in range(20):
        session.run("echo x >> d1/f1; ls -R > /dev/null")
        session.fork()
    gc.collect()
    layers = [each for each in gc.get_objects() if type(each) is forked.Copies]
    assert len(layers) < 6


def operations() -> list[Callable[[random.Random, MemoryFileSystem], object]]:
    def path(random: random.Random) -> VirtualPath:
        return VirtualPath("/workspace/" + "/".join(random.choices("abc", k=random.randint(1, 3))))

    return [
        lambda random, fs: fs.write_bytes(path(random), random.randbytes(random.randint(0, 9))),
        lambda random, fs: fs.mkdir(path(random)),
        lambda random, fs: fs.mkdir(path(random)),
        lambda random, fs: fs.rmdir(path(random)),
        lambda random, fs: fs.unlink(path(random)),
        lambda random, fs: fs.rename(path(random), path(random)),
        lambda random, fs: fs.link(path(random), path(random)),
        lambda random, fs: fs.link(path(random), path(random)),
        lambda random, fs: fs.symlink("a/b", path(random)),
        lambda random, fs: fs.chmod(path(random), random.choice([0o700, 0o755, 0o600])),
        lambda random, fs: fs.utime(path(random), random.randint(1, 99), random.randint(1, 99)),
        lambda random, fs: append(fs, path(random)),
        lambda random, fs: fs.listdir(path(random)),
        lambda random, fs: fs.read_bytes(path(random)),
    ]


def append(fs: MemoryFileSystem, path: VirtualPath) -> None:
    handle = fs.open(path, read=False, write=True)
    handle.append(b"+")  # type: ignore[union-attr]
    handle.close()  # type: ignore[union-attr]


def check_against_copies(seed: int) -> None:
    """Do the same to forks and to file systems that were copied whole, and compare each pair after each fork."""
    numbers = random.Random(seed)
    choices = operations()
    pairs = [(MemoryFileSystem(now_ns=lambda: 7), MemoryFileSystem(now_ns=lambda: 7))]
    for _ in range(numbers.randint(3, 12)):
        for index, (fork, copy) in enumerate(pairs):
            for _ in range(numbers.randint(0, 25)):
                operation, own = numbers.choice(choices), numbers.randint(0, 1 << 30)
                outcomes = [outcome(operation, random.Random(own), fs) for fs in (fork, copy)]
                assert outcomes[0] == outcomes[1], f"seed {seed}, pair {index}"
        fork, copy = numbers.choice(pairs)
        whole = MemoryFileSystem(now_ns=lambda: 7)
        whole.restore(copy.snapshot())
        pairs.append((fork.fork(), whole))
        if numbers.random() < 0.5:
            fork, copy = numbers.choice(pairs)
            assert state(fork) == state(copy), f"seed {seed}"
    for index, (fork, copy) in enumerate(pairs):
        assert state(fork) == state(copy), f"seed {seed}, pair {index}"
        assert stats(fork) == stats(copy), f"seed {seed}, pair {index}"


def stats(fs: MemoryFileSystem) -> dict[VirtualPath, Stat]:
    with fs.superuser() as view:
        return {path: view.stat(path, follow=False) for path in fs.snapshot().paths()}


def outcome(
    operation: Callable[[random.Random, MemoryFileSystem], object],
    numbers: random.Random,
    fs: MemoryFileSystem,
) -> object:
    try:
        return operation(numbers, fs)
    except OSError as error:
        return error.errno, error.filename


@pytest.mark.parametrize("seed", every(4, range(40)))
def test_forks_are_as_whole_copies(seed: int) -> None:
    check_against_copies(seed)


@pytest.mark.slow
def test_a_thousand_more_histories_of_forks_are_as_whole_copies() -> None:
    for seed in range(40, 1_000):
        check_against_copies(seed)


def test_all_names_of_a_file_lead_to_the_same_file_in_every_fork() -> None:
    fs = MemoryFileSystem()
    for name in ("a/x", "b/x", "c/x"):
        fs.mkdir(VirtualPath(f"/tmp/{name[0]}"))
    fs.write_bytes("/tmp/a/x", b"0")
    fs.link(VirtualPath("/tmp/a/x"), VirtualPath("/tmp/b/x"))
    fs.link(VirtualPath("/tmp/a/x"), VirtualPath("/tmp/c/x"))
    first = fs.fork()
    first.write_bytes("/tmp/a/x", b"1")
    second = first.fork()  # has never seen b and c
    second.unlink(VirtualPath("/tmp/a/x"))
    third = second.fork()
    third.write_bytes("/tmp/b/x", b"3")
    for forked_fs, data, links in ((fs, b"0", 3), (first, b"1", 3), (second, b"1", 2), (third, b"3", 2)):
        assert forked_fs.read_bytes("/tmp/c/x") == forked_fs.read_bytes("/tmp/b/x") == data
        assert forked_fs.stat(VirtualPath("/tmp/c/x")).links == links


def test_an_open_file_remains_that_of_its_own_file_system(copied: list[int]) -> None:
    fs = MemoryFileSystem()
    fs.write_bytes("/tmp/f", b"1")
    handle: Any = fs.open(VirtualPath("/tmp/f"), write=True)
    fork = fs.fork()
    assert not copied, "all inodes were copied at once"
    handle.append(b"2")
    assert (fs.read_bytes("/tmp/f"), fork.read_bytes("/tmp/f")) == (b"12", b"1")
    handle.close()
    fork.fork()
    assert len(copied) == 2


def test_a_view_of_the_superuser_remains_that_of_its_own_file_system() -> None:
    fs = MemoryFileSystem()
    with fs.superuser() as view:
        fork = fs.fork()
        view.write_bytes("/etc/new", b"")
    assert fs.exists("/etc/new")
    assert not fork.exists("/etc/new")


@pytest.mark.parametrize(
    "script",
    [
        "exec 3<>f; echo a >&3",
        "sleep 9 > g & echo hi",
        "(while :; do echo x; done) > h & sleep 0.1",
        "while :; do echo a; done > long",
        "exec 5>a 6>b; kill -9 $$",
        "cat < <(yes) | head -1 > q; exec 7< <(yes)",
        "f() { f; } > rec; f",
        "exec > out; (",
    ],
)
def test_no_file_is_open_after_a_run(script: str, copied: list[int]) -> None:
    session = Shell(limits=Limits(wall_seconds=0.5, steps=20_000), files={"f": "a\n"}).session()
    session.run(script)
    session.fork()
    assert copied[:2] == [1, 1], "an open file would have all inodes copied by other means"


def test_special_directories_are_not_shared() -> None:
    fs = MemoryFileSystem()
    copy = MemoryFileSystem()
    copy.restore(fs.snapshot())
    fork, path = fs.fork(), VirtualPath("/proc/self/fd")
    fs.chmod(path, 0o700)
    fs.write_bytes(f"{path}/mark", b"")
    assert [other.stat(path).mode & 0o777 for other in (fork, copy)] == [0o555, 0o555]
    assert not fork.exists(f"{path}/mark")
    assert not copy.exists(f"{path}/mark")
    assert fs.fork().exists(f"{path}/mark")
    assert fork.open(VirtualPath(f"{path}/1")) == fs.open(VirtualPath(f"{path}/1"))


def test_threads_may_use_the_forks_of_one_file_system_at_once() -> None:
    session = shell_with(2_000).session()
    session.run("true")
    forks = [session.fork() for _ in range(4)]
    outputs: dict[int, str] = {}

    def work(index: int) -> None:
        script = f"cat d*/f* | sort -n | sha256sum; echo {index} | tee d1/f1; find . | wc -l; cat d1/f1"
        outputs[index] = forks[index].run(script).stdout

    threads = [Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = [[line for line in outputs[index].splitlines() if line != str(index)] for index in range(4)]
    assert texts[0] and all(text == texts[0] for text in texts)


def test_the_clock_and_the_quota_are_kept() -> None:
    fs = MemoryFileSystem(now_ns=lambda: 42, quota_bytes=100, quota_inodes=5)
    fs.write_bytes("/tmp/a", b"x" * 60)
    watched = fs.watch()
    fork = fs.fork()
    calls = watched.calls
    fork.write_bytes("/tmp/b", b"x" * 40)
    assert watched.calls == calls
    assert fork.stat(VirtualPath("/tmp/b")).mtime_ns == 42
    with pytest.raises(OSError, match="No space left"):
        fork.write_bytes("/tmp/c", b"x")
    fs.write_bytes("/tmp/c", b"x" * 40)


@pytest.fixture
def overlay() -> Iterator[OverlayFileSystem]:
    lower = MemoryFileSystem()
    for name in "abcd":
        lower.write_bytes(f"/tmp/{name}", b"lower")
    yield OverlayFileSystem(lower)


def test_whiteouts_are_not_shared(overlay: OverlayFileSystem) -> None:
    overlay.unlink(VirtualPath("/tmp/a"))
    fork = overlay.fork(overlay.lower)
    assert fork.whiteouts is overlay.whiteouts, "until one of them changes"
    fork.unlink(VirtualPath("/tmp/b"))
    with overlay.superuser() as view:
        second = overlay.fork(overlay.lower)
        view.unlink(VirtualPath("/tmp/c"))
    names = [[entry.name for entry in fs.listdir(VirtualPath("/tmp"))] for fs in (overlay, fork, second)]
    assert names == [["b", "d"], ["c", "d"], ["b", "c", "d"]]

"""git: what shell cases cannot show: random differences, hostile repositories, limits, programs of settings, dulwich."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import struct
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from sandhook import Limits, Shell
from sandhook.command.context import Context
from sandhook.utilities.git.diff.xdiff import compare, split_lines
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from tests import machine
from tests.sandbox import tripwire

HERE = Path(__file__).parent
REAL_GIT = shutil.which("git")
ROOMY = Limits(wall_seconds=60.0, output_bytes=4 << 20)
needs_git = pytest.mark.skipif(
    "REAL_GIT is None and not config.option.oracle", reason="compares with the real git"
)


def files_of(name: str) -> bytes:
    return (HERE / f"{name}.tar.xz").read_bytes()


def shell(name: str = "project", limits: Limits = ROOMY, *, writes: bool = False) -> Shell:
    """Return a shell in a copy of a repository, in the virtual file system alone."""
    files = {"r.tar.xz": files_of(name)}
    result = Shell(files=files, limits=limits, env={"HOME": "/home", "TZ": "UTC0"}, git_writes=writes)
    assert result.run("tar -xJf r.tar.xz; rm r.tar.xz").exit_status == 0
    return result


# --------------------------------------------------------------------------- the host


@pytest.mark.parametrize("name", ["project", "conflict", "empty", "index4"])
def test_nothing_reaches_the_host(name: str) -> None:
    script = "; ".join(
        f"git {command} >/dev/null 2>&1"
        for command in (
            "status", "diff HEAD", "log -p --stat", "show", "blame a", "grep x", "config -l", "describe --always --dirty",
            "branch -avv", "for-each-ref", "ls-files -mo --exclude-standard", "cat-file --batch-all-objects --batch-check",
        )
    )  # fmt: skip
    shell(name).run(script)  # imports what it needs
    sandbox = shell(name)
    tripwire.install()
    with tripwire.watch() as breaches:
        result = sandbox.run(script)
    assert breaches == [] and result.limit is None and result.defect is None


PROGRAMS = """
[core]
	fsmonitor = touch /workspace/ran
	pager = touch /workspace/ran
	editor = touch /workspace/ran
	hooksPath = /workspace/hooks
	sshCommand = touch /workspace/ran
[diff]
	external = touch /workspace/ran
[diff "x"]
	textconv = touch /workspace/ran
	command = touch /workspace/ran
[filter "x"]
	clean = touch /workspace/ran
	smudge = touch /workspace/ran
	process = touch /workspace/ran
	required = true
[gpg]
	program = touch /workspace/ran
[log]
	showSignature = true
[credential]
	helper = !touch /workspace/ran
[alias]
	run = !touch /workspace/ran
[interactive]
	diffFilter = touch /workspace/ran
[pager]
	log = touch /workspace/ran
	diff = touch /workspace/ran
[core]
	attributesFile = /workspace/attributes
	askPass = touch /workspace/ran
	gitProxy = touch /workspace/ran
	alternateRefsCommand = touch /workspace/ran
[include]
	path = ../included
[merge "x"]
	driver = touch /workspace/ran
	name = x
[trailer "x"]
	command = touch /workspace/ran
	cmd = touch /workspace/ran
	key = "X: "
[uploadpack]
	packObjectsHook = touch /workspace/ran
[protocol "ext"]
	allow = always
[remote "origin"]
	url = ext::touch% /workspace/ran
	uploadpack = touch /workspace/ran
	receivepack = touch /workspace/ran
	vcs = x
[submodule "x"]
	update = !touch /workspace/ran
	url = ext::touch% /workspace/ran
	active = true
[commit]
	gpgSign = true
[tag]
	gpgSign = true
[gpg "ssh"]
	program = touch /workspace/ran
	defaultKeyCommand = touch /workspace/ran
	allowedSignersFile = /workspace/signers
[sequence]
	editor = touch /workspace/ran
[difftool "x"]
	cmd = touch /workspace/ran
[mergetool "x"]
	cmd = touch /workspace/ran
[browser "x"]
	cmd = touch /workspace/ran
[man "x"]
	cmd = touch /workspace/ran
[sendemail]
	sendmailcmd = touch /workspace/ran
[receive]
	procReceiveRefs = refs/
[grep]
	fallbackToNoIndex = true
[diff]
	tool = x
	guitool = x
[merge]
	tool = x
"""

#: A file that the settings include.
INCLUDED = """
[alias]
	included = !touch /workspace/ran
	status = !touch /workspace/ran
	word = "!f() { touch /workspace/ran; }; f"
[core]
	fsmonitor = /workspace/hooks/fsmonitor-watchman
[diff "y"]
	textconv = touch /workspace/ran
"""


def test_no_program_of_a_repository_is_started() -> None:
    sandbox = shell(writes=True)
    sandbox.run(
        f"cat >>.git/config <<'E'\n{PROGRAMS}\nE\n"
        f"cat >included <<'E'\n{INCLUDED}\nE\n"
        "echo '* filter=x diff=x merge=x' >.gitattributes; cp .gitattributes attributes; mkdir -p hooks\n"
        "for h in applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change"
        " post-merge post-rewrite pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase"
        " prepare-commit-msg reference-transaction sendemail-validate; do printf '#!/bin/sh\\ntouch /workspace/ran\\n' >hooks/$h; chmod +x hooks/$h; mkdir -p .git/hooks; cp hooks/$h .git/hooks; done\n"
        "export GIT_SSH_COMMAND='touch /workspace/ran' GIT_ASKPASS='touch /workspace/ran' GIT_SEQUENCE_EDITOR='touch /workspace/ran'"
        " EDITOR='touch /workspace/ran' VISUAL='touch /workspace/ran' PAGER='touch /workspace/ran' GIT_PROXY_COMMAND='touch /workspace/ran'"
        " GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0='touch /workspace/ran'\n"
        "export GIT_PAGER='touch /workspace/ran' GIT_EXTERNAL_DIFF='touch /workspace/ran' GIT_EDITOR='touch /workspace/ran'"
    )
    for command in (
        "status", "diff", "diff HEAD", "log -p", "show", "blame src/main.c", "grep x", "-p log", "run", "add x", "included",
        "word", "diff --ext-diff", "diff --textconv", "show --textconv HEAD", "log -p --ext-diff", "cat-file --textconv HEAD:a",
        "cat-file --filters HEAD:a", "grep --textconv x", "blame --textconv a", "hash-object --path=a a", "add -A", "add -p",
        "commit -am x", "commit", "commit -S -m x", "commit --amend", "tag -s x -m x", "tag -a x", "tag -v v2", "log --show-signature",
        "verify-commit HEAD", "verify-tag v2", "interpret-trailers --trailer x=1 </dev/null", "commit --trailer x=1 -m x --allow-empty",
        "checkout topic", "checkout -- src/main.c", "checkout -m topic", "reset --hard", "restore .", "stash", "stash pop",
        "merge topic", "rebase topic", "pull", "push", "fetch", "fetch origin", "clone ext::x y", "ls-remote", "remote update",
        "remote show origin", "submodule update", "submodule foreach ls", "submodule status", "difftool", "mergetool",
        "credential fill </dev/null", "help log", "web--browse x", "gc", "gc --auto", "hook run pre-commit", "rm -f a", "mv a b",
        "update-index --refresh", "update-index --fsmonitor", "branch x", "update-ref refs/heads/y HEAD", "var GIT_EDITOR",
        "diff --word-diff", "diff --color-words", "log -L 1,2:src/main.c", "config -e",
        "checkout-index -f -a", "checkout-index -a --prefix=out/", "status -v", "commit --dry-run -a", "merge-tree --write-tree HEAD topic",
        "diff HEAD~1 | git apply -R", "diff HEAD~1 | git apply -R --cached", "ls-files --eol", "grep -O x", "notes add -m x", "notes edit",
        "annotate a", "log --pretty=email -p", "var -l", "ls-remote --get-url ext::x", "diff -I x", "read-tree HEAD", "show -s --format=%N", "send-email x", "archive HEAD", "am x",
        "bisect run ls", "filter-branch", "upload-pack .", "receive-pack .", "fsmonitor--daemon start", "maintenance run", "request-pull HEAD .",
        "-c alias.z='!touch /workspace/ran' z", "-c core.pager='touch /workspace/ran' -p diff", "--exec-path=/workspace/hooks status",
        "-c diff.external='touch /workspace/ran' diff", "-c core.editor='touch /workspace/ran' commit", "rebase -i HEAD~1",
        "reflog expire --all", "notes add -m x", "replace --edit HEAD", "branch --edit-description", "grep -O x", "stash -p",
    ):  # fmt: skip
        result = sandbox.run(f"git {command}")
        assert result.defect is None, command
        assert sandbox.run("ls ran").exit_status != 0, command
    assert sandbox.run("ls ran").exit_status != 0
    assert "runs a program" in sandbox.run("git run").stderr


@pytest.mark.parametrize(
    "command", ["push", "fetch", "clone x", "pull", "cherry-pick x", "rebase x", "bisect start"]
)
def test_what_is_not_offered_is_refused_by_name(command: str) -> None:
    result = shell().run(f"git {command}")
    assert result.exit_status == 1 and f"'{command.split()[0]}' is not offered" in result.stderr


def test_without_dulwich_git_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    own = ("dulwich", "sandhook.utilities.git.program", "sandhook.utilities.git.store")
    for name in [name for name in sys.modules if name.startswith(own)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "dulwich", None)
    result = Shell().run("git status")
    assert result.exit_status == 127
    assert (
        result.stderr
        == "git: the package dulwich is not installed; install it with: pip install 'sandhook[git]'\n"
    )


def test_a_repository_in_a_mounted_directory(tmp_path: Path) -> None:
    import tarfile

    with tarfile.open(HERE / "project.tar.xz") as tar:
        machine.unpack(tar, tmp_path, "tar")
    table = MountTable(MemoryFileSystem())
    table.mount(VirtualPath("/project"), OverlayFileSystem(HostDirectory(str(tmp_path), False)))
    result = Shell(fs=table, cwd="/project/src", limits=ROOMY).run(
        "git rev-parse --show-toplevel; git status -s ."
    )
    assert result.stdout == "/project\n M main.c\n"


# --------------------------------------------------------------------------- hostile repositories


def test_no_damage_of_a_repository_is_a_defect() -> None:
    """Change bytes of every file of a repository: git reports a fault, or prints something, and no more."""
    rng = random.Random(7)
    sandbox = shell()
    names = sandbox.run("find .git -type f").stdout.split()
    commands = "git status -s; git log -p -3; git diff HEAD; git branch -vv; git config -l; git blame lib/renamed.txt; git cat-file --batch-all-objects --batch-check"
    for name in names:
        original = sandbox.fs.read_bytes(VirtualPath(f"/workspace/{name}"))
        for _ in range(3):
            data = bytearray(original)
            for _ in range(rng.choice((1, 4, 40))):
                if data:
                    data[rng.randrange(len(data))] = rng.randrange(256)
            cut = rng.choice((len(data), len(data) // 2))
            sandbox.run(f"chmod u+w {name}")
            sandbox.fs.write_bytes(VirtualPath(f"/workspace/{name}"), bytes(data[:cut]))
            result = sandbox.run(f"{{ {commands}; }} >/dev/null")
            assert result.defect is None, (name, result.defect)
            assert "Traceback" not in result.stderr
        sandbox.fs.write_bytes(VirtualPath(f"/workspace/{name}"), original)
    assert sandbox.run("git status -s").exit_status == 0


@pytest.mark.parametrize("length", [0, 8, 1000, 1040, 1200])
def test_an_index_of_a_pack_that_is_cut_off_is_an_error_of_git(length: int) -> None:
    sandbox = shell()
    sandbox.run(f"f=$(echo .git/objects/pack/*.idx); chmod u+w $f; head -c {length} $f >x; cat x >$f")
    for command in (
        "git log",
        "git cat-file -p 12345",
        "git cat-file --batch-all-objects --batch-check",
        "git show HEAD",
    ):
        result = sandbox.run(command)
        assert result.defect is None and result.exit_status in (0, 128), (command, result.stderr)
    assert sandbox.run("git log").exit_status == 128


SMALL = Limits(wall_seconds=30.0, steps=2_000_000, memory_bytes=16 << 20)


def _with_index(change: Callable[[bytes], bytes]) -> Shell:
    """Return a shell in a repository, after a change of the index of its pack."""
    sandbox = shell(limits=SMALL)
    (name,) = sandbox.run("echo .git/objects/pack/*.idx").stdout.split()
    path = VirtualPath(f"/workspace/{name}")
    sandbox.fs.chmod(path, 0o644)
    sandbox.fs.write_bytes(path, change(sandbox.fs.read_bytes(path)))
    return sandbox


def _replaced(start: int, data: bytes) -> Callable[[bytes], bytes]:
    return lambda old: old[:start] + data + old[start + len(data) :]


def _of_version_1(index: bytes) -> bytes:
    counts, tables = index[8:1032], index[1032:]
    (count,) = struct.unpack(">L", counts[-4:])
    names = [tables[20 * each : 20 * each + 20] for each in range(count)]
    offsets = [tables[24 * count + 4 * each : 24 * count + 4 * each + 4] for each in range(count)]
    return counts + b"".join(map(bytes.__add__, offsets, names)) + index[-40:]


@pytest.mark.parametrize("first", [0, 0x12, 0xFE])
@pytest.mark.parametrize("count", [0x00FF0000, 0xFFFFFFFF])
def test_an_index_of_a_pack_cannot_declare_names_that_it_lacks(first: int, count: int) -> None:
    """Names with a given first byte are between two counts. Each was looked at, without a charge."""
    sandbox = _with_index(_replaced(8 + 4 * first, struct.pack(">L", count)))
    for command in (
        "git show HEAD",
        f"git rev-parse {first:02x}00",
        "git cat-file --batch-all-objects --batch-check",
    ):
        result = sandbox.run(command)
        status = 0 if "batch" in command else 128  # objects outside of the pack are listed
        assert (result.exit_status, result.limit) == (status, None), command
        assert result.stderr.startswith("error: non-monotonic index .git/objects/pack/pack-"), command


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (_replaced(8 + 4 * 255, b"\x00\xff\x00\x00"), "wrong index v2 file size in "),
        (_replaced(4, b"\x00\x00\x00\x03"), "index file "),
        (lambda old: old[:-1], "wrong index v2 file size in "),
        (lambda old: old + bytes(1 << 16), "wrong index v2 file size in "),
        (lambda old: _of_version_1(old) + b"x", "wrong index v1 file size in "),
    ],
)
def test_an_index_of_a_pack_has_the_size_of_its_counts(change: Callable[[bytes], bytes], error: str) -> None:
    result = _with_index(change).run("git show HEAD")
    assert (result.exit_status, result.limit) == (128, None)
    assert result.stderr.startswith(f"error: {error}.git/objects/pack/pack-")


def test_a_damaged_index_of_a_pack_does_not_matter_to_commands_that_need_none_of_its_objects() -> None:
    sandbox = _with_index(lambda old: old[:20])
    for command in (
        "git ls-files",
        "git rev-parse --git-dir",
        "git check-ignore -q nope; git symbolic-ref HEAD",
    ):
        result = sandbox.run(command)
        assert (result.exit_status, result.limit) == (0, None), command
        assert "fatal" not in result.stderr
    result = sandbox.run("git cat-file -t 0000000000000000000000000000000000000001")
    assert result.stderr.startswith("error: index file .git/objects/pack/pack-")
    assert ".idx is too small\n" in result.stderr


def test_an_index_of_the_first_version_is_read() -> None:
    command = "git log -p -3; git cat-file --batch-all-objects --batch-check"
    result = _with_index(_of_version_1).run(command)
    assert (result.exit_status, result.stderr) == (0, "")
    assert result.stdout == shell().run(command).stdout


def _with_object(sandbox: Shell, compressed: bytes) -> None:
    oid = "12" + "3" * 38
    sandbox.fs.write_bytes(VirtualPath(f"/workspace/.git/objects/12/{'3' * 38}"), compressed, parents=True)
    sandbox.fs.write_bytes(VirtualPath("/workspace/.git/refs/heads/bomb"), oid.encode() + b"\n")


def test_an_object_that_inflates_to_a_gigabyte_ends_at_the_limit() -> None:
    sandbox = shell(limits=SMALL)
    size = 1 << 28
    _with_object(sandbox, zlib.compress(b"blob %d\0" % size + bytes(1 << 20)))
    assert sandbox.run("git cat-file -p bomb").limit is not None
    sandbox = shell(limits=SMALL)
    _with_object(sandbox, zlib.compress(b"blob 10\0" + bytes(1 << 26), 9))
    result = sandbox.run("git cat-file -p bomb")
    assert (result.exit_status, result.limit) == (128, None) and result.stderr.startswith("fatal: ")


@pytest.mark.parametrize(
    "script",
    [
        'git log -1 --format="%(trailers:separator=$long)"',
        'git log -1 --format="%(trailers:key_value_separator=$long)"',
        'git log -1 --format="${long// /%B}"',
        'git log -1 --format="${long// /%<(9999)%n}"',
        'git for-each-ref --format="${long// /%(contents)}"',
        'git for-each-ref --format="%(if)x%(then)${long// /%(contents)}%(end)"',
        "git shortlog -w90000,89990,89990 --format='%s' HEAD",
    ],
)
def test_a_format_that_prints_gigabytes_ends_at_the_limit(script: str) -> None:
    sandbox = Shell(
        files={"r.tar.xz": files_of("project")}, limits=Limits(memory_bytes=64 << 20), git_writes=True
    )
    message = "{ printf 's %.0s' {1..9000}; echo; echo; printf 'A%s: x\\n' {1..5000}; } > ../m"
    commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -F ../m"
    made = sandbox.run(f"mkdir r; cd r; tar -xJf ../r.tar.xz; {message}; {commit}")
    assert made.exit_status == 0, made.stderr
    tracemalloc.start()
    try:
        result = sandbox.run(f"cd r; printf -v long %20000s; {script} > /dev/null")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.limit in ("memory_bytes", "steps") and result.defect is None
    assert peak < 160 << 20


def test_a_delta_that_copies_a_gigabyte_ends_at_the_limit() -> None:
    from sandhook.utilities.git.store import packs

    kernel = _context()
    base = bytes(1 << 16)
    copies = b"\xb0\xff\xff" * 20_000
    head = bytes((0x80, 0x80, 0x04)) + bytes((0x80, 0x80, 0x80, 0x80, 0x04))
    from sandhook.errors import LimitExceeded

    with pytest.raises(LimitExceeded):
        packs.apply_delta(kernel, base, head + copies)


def _context():  # type: ignore[no-untyped-def]
    from sandhook.kernel.process import Kernel
    from sandhook.utilities.git.store.access import Access

    kernel = Kernel(MemoryFileSystem(), SMALL)
    process = kernel.new_process(1, {}, VirtualPath("/"))
    return Access(Context("git", process, {}, None))  # type: ignore[arg-type]


def test_an_index_of_version_4_that_repeats_a_long_path_ends_at_the_limit() -> None:
    sandbox = shell(limits=SMALL)
    long = b"x" * 100_000
    fixed = struct.pack(">10I20sH", *([0] * 6), 0o100644, 0, 0, 0, bytes(20), 4095)
    first = fixed + b"\0" + long + b"\0"
    rest = (fixed + b"\0" + b"y\0") * 20_000
    sandbox.fs.write_bytes(
        VirtualPath("/workspace/.git/index"), b"DIRC" + struct.pack(">II", 4, 20_001) + first + rest
    )
    assert sandbox.run("git ls-files | wc -c").limit == "memory_bytes"


@pytest.mark.parametrize(
    "command",
    [
        "git log --grep='\\(a*\\)*b'",
        "git check-ignore aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac",
        "git rev-parse 'HEAD~999999999'",
        "git log --format='%<(99999)%an'",
        "git diff -U999999999 HEAD --stat",
    ],
)
def test_a_pattern_or_a_number_is_no_bomb(command: str) -> None:
    sandbox = shell()
    sandbox.run("printf 'a*%.0s' $(seq 200) >.gitignore; echo b >>.gitignore")
    result = sandbox.run(command)
    assert result.limit is None and result.defect is None


WORDS = Limits(wall_seconds=30.0, steps=60_000, memory_bytes=32 << 20)


@pytest.mark.parametrize(
    ("prepare", "command"),
    [
        ("yes word | head -n 90000 | tr '\\n' ' ' >e", "git diff --word-diff -- e"),
        ("yes | head -n 20000 | tr -d '\\n' >e", "git diff --word-diff-regex=. -- e"),
        ("yes | head -n 20000 | tr -d '\\n' >e", "git -c diff.wordRegex='y|y.*x' diff --color-words -- e"),
        (
            "true",
            "git log $(yes -- '-L 1,+1:n -L 9,9:n' | head -n 15000)",
        ),
        ("seq 90000 >n; git -c user.name=a -c user.email=b commit -qam x", "git blame -L /nosuch/ n"),
    ],
)
def test_words_and_ranges_of_lines_end_at_a_limit(prepare: str, command: str) -> None:
    sandbox = shell("words", Limits(wall_seconds=60.0), writes=True)
    assert sandbox.run(prepare).exit_status == 0
    result = Shell(fs=sandbox.fs, limits=WORDS).run(f"cd /workspace; {command} >/dev/null")
    assert result.limit in ("steps", "memory_bytes") and result.defect is None


def test_expressions_of_settings_are_no_bombs() -> None:
    sandbox = shell("words", writes=True)
    sandbox.run(
        'printf \'[diff "custom"]\\n\\txfuncname = "(x+x+)+y"\\n\\twordRegex = "(x+x+)+y"\\n\' >>.git/config; printf \'%s\\n\' '
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{1..99} >prose.md; git -c user.name=a -c user.email=b commit -qam x; sed -i 90s/x/z/ prose.md"
    )
    for command in (
        "diff",
        "diff --word-diff",
        "log -L ':(x+x+)+z:prose.md'",
        "diff --word-diff-regex='(x*)*y'",
    ):
        result = sandbox.run(f"git {command}")
        assert result.limit is None and result.defect is None, command


def test_alternates_that_name_each_other_end() -> None:
    sandbox = shell()
    sandbox.run(
        "mkdir -p o/info; echo /workspace/o >.git/objects/info/alternates; echo /workspace/o >o/info/alternates"
    )
    assert sandbox.run("git cat-file -t HEAD").stdout == "commit\n"


# --------------------------------------------------------------------------- the real git


@needs_git
@pytest.mark.parametrize("seed", range(40))
def test_random_files_differ_as_in_git(tmp_path: Path, seed: int) -> None:
    """The changed lines of random texts are those of "git diff --no-index"."""
    rng = random.Random(seed)
    words = ["a", "b", "  c", "\td", "", "e {", "}", "f"][: rng.randrange(2, 9)]
    old = [rng.choice(words) for _ in range(rng.randrange(60))]
    new = list(old)
    for _ in range(rng.randrange(12)):
        at = rng.randrange(len(new) + 1)
        new[at : at + rng.randrange(3)] = [rng.choice(words) for _ in range(rng.randrange(4))]
    texts = ["".join(f"{line}\n" for line in lines) for lines in (old, new)]
    for name, text in zip(("old", "new"), texts):
        (tmp_path / name).write_text(text)
    real = subprocess.run(
        [str(REAL_GIT), "diff", "--no-index", "-U0", "old", "new"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    ).stdout
    expected = [line.split("@@")[1].strip() for line in real.splitlines() if line.startswith("@@")]
    changes = compare(split_lines(texts[0].encode()), split_lines(texts[1].encode()), lambda steps: None)
    assert [f"-{_span(c.old, c.old_end)} +{_span(c.new, c.new_end)}" for c in changes] == expected


def _span(start: int, end: int) -> str:
    size = end - start
    first = start + 1 if size else start
    return str(first) if size == 1 else f"{first},{size}"


@needs_git
@pytest.mark.skipif(os.name == "nt", reason="Git for Windows makes other objects")
@pytest.mark.slow
def test_the_archives_are_what_their_scripts_make(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("repositories", HERE / "repositories.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in module.SCRIPTS:
        made, kept = tmp_path / name, tmp_path / f"{name}-kept"
        made.mkdir()
        module.build(name, str(made))
        module.unpack(name, kept)
        facts = [
            subprocess.run(
                [str(REAL_GIT), *command.split()], cwd=directory, capture_output=True, text=True,
                env={"PATH": "/usr/bin:/bin", "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": "/nonexistent"},
            ).stdout
            for command in ("for-each-ref", "status --porcelain", "ls-files -s")
            for directory in (made, kept)
        ]  # fmt: skip
        assert facts[::2] == facts[1::2], name


def test_git_runs_in_a_confined_process() -> None:
    files = {"r.tar.xz": files_of("project")}
    sandbox = Shell(files=files, isolation="process", limits=ROOMY, env={"HOME": "/home"})
    result = sandbox.run("tar -xJf r.tar.xz; git log --oneline -1; git status -s | head -n 1")
    assert (result.stdout, result.stderr) == ("10fc75b rename\n D d/b\n", ""), result.defect

"""Random repositories, made by the real git, and command lines that git and the sandbox must answer equally.

``python -m tests.utilities.git.generated SEED...`` prints the differences. A seed always makes the same repository.
"""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sandhook import Shell
from sandhook.vfs.base import FileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from tests.utilities.git.recorded import ENVIRONMENT, LIMITS, Outcome

NAMES = (
    b"a", b"b.txt", b"c.py", b"dir/a", b"dir/sub/b.txt", b"dir/sub/x.o", b"src/main.c", b"src/lib.c", b"sp ace/f g", b"-dash",
    "ünï".encode(), b"lat\xe9in", b'quo"te', b"ta\tb", b"back\\slash", b"dir.x/y", b"dir-x", b"Makefile", b"z/z/z/z",
)  # fmt: skip
IGNORED = ("*.o\n", "*.o\n!keep.o\nbuild/\n", "/b.txt\ndir/sub/\n", "", "*\n!*/\n!*.txt\n", "**/z\nsp ace\n")
ATTRIBUTES = (
    "",
    "*.txt text\n",
    "* text=auto\n",
    "*.c -diff\n",
    "*.py binary\nsrc/** diff\n",
    "*.txt eol=crlf\n",
)
WORDS = (
    "alpha",
    "beta",
    "int f(void)",
    "{",
    "}",
    "\treturn 0;",
    "",
    "  spaces  ",
    "class A:",
    "end",
    "x = 1",
)


class Maker:
    """Makes one repository below a directory."""

    def __init__(self, seed: int, directory: str) -> None:
        self.random = random.Random(seed)
        self.directory = directory
        self.time = 1_700_000_000
        self.branches = ["main"]
        self.environment = {
            **ENVIRONMENT,
            "PATH": os.environ["PATH"],
            "HOME": f"{directory}/.git",
            "XDG_CONFIG_HOME": f"{directory}/.git",
            "GIT_CONFIG_GLOBAL": f"{directory}/.git/nosuch-settings",
            "GIT_MERGE_AUTOEDIT": "no",
        }

    def git(self, *arguments: str | bytes, check: bool = True) -> bytes:
        """Run git; every call is a minute later."""
        self.time += self.random.choice((0, 1, 60, 3600))
        self.environment["GIT_AUTHOR_DATE"] = f"{self.time} +0100"
        self.environment["GIT_COMMITTER_DATE"] = f"{self.time + 5} -0230"
        result = subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", *arguments],
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            check=check,
        )
        return result.stdout

    def path(self, name: bytes) -> bytes:
        return self.directory.encode() + b"/" + name

    def text(self) -> bytes:
        """Return random lines."""
        end = self.random.choice(("\n", "\n", "\n", "\r\n"))
        lines = [
            self.random.choice(WORDS) + str(self.random.randrange(9))
            for _ in range(self.random.randrange(30))
        ]
        data = "".join(line + end for line in lines).encode()
        return data[:-1] if self.random.random() < 0.1 else data

    def changed(self, data: bytes) -> bytes:
        """Return data with some lines changed."""
        lines = data.splitlines(keepends=True)
        for _ in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(lines) + 1)
            match self.random.randrange(3):
                case 0:
                    lines[at:at] = [f"new {self.random.randrange(99)}\n".encode()]
                case 1:
                    del lines[at : at + 2]
                case _:
                    lines[at : at + 1] = [f"changed {self.random.randrange(99)}\n".encode()]
        return b"".join(lines)

    def write(self, name: bytes) -> None:
        """Change, replace or make one file."""
        path = self.path(name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except OSError:
            return
        if os.path.isdir(path) and not os.path.islink(path):
            return
        kind = self.random.random()
        if os.path.islink(path) or (os.path.exists(path) and kind < 0.15):
            os.unlink(path)
            return
        if kind < 0.08:
            if not os.path.exists(path):
                os.symlink(self.random.choice((b"a", b"nowhere", b"dir/../a")), path)
            return
        data = Path(os.fsdecode(path)).read_bytes() if os.path.exists(path) else b""
        if kind < 0.2:
            data = b"bin\0" + self.text()
        elif data and kind < 0.8:
            data = self.changed(data)
        else:
            data = self.text()
        Path(os.fsdecode(path)).write_bytes(data)
        if kind > 0.93:
            os.chmod(path, self.random.choice((0o755, 0o644)))

    def move(self) -> None:
        """Rename a tracked file."""
        tracked = [name for name in self.git("ls-files", "-z").split(b"\0") if name]
        if tracked:
            self.git(
                "mv", b"--", self.random.choice(tracked), self.random.choice(NAMES) + b".moved", check=False
            )

    def work(self) -> None:
        """Change some files."""
        for _ in range(self.random.randrange(1, 6)):
            self.write(self.random.choice(NAMES))

    def commit(self) -> None:
        """Change files and commit them."""
        self.work()
        if self.random.random() < 0.3:
            self.move()
        if self.random.random() < 0.15:
            oid = f"{self.random.getrandbits(160):040x}"
            self.git("update-index", "--add", "--cacheinfo", f"160000,{oid},module")
            os.makedirs(self.path(b"module"), exist_ok=True)
        self.git("add", "-A", ".")
        message = self.random.choice(
            ("fix: one", "feat(x): two\n\nBody (#3).\n\nSigned-off-by: A <a@b>", "three", "ünï four")
        )
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def branch(self) -> None:
        """Begin or continue a branch."""
        if len(self.branches) < 4 and self.random.random() < 0.6:
            name = f"b{len(self.branches)}"
            self.branches.append(name)
            self.git("checkout", "-q", "-b", name)
        else:
            self.git("checkout", "-q", self.random.choice(self.branches), check=False)

    def merge(self) -> None:
        """Merge a branch; conflicts are committed as they are, or sides of them are chosen."""
        option = self.random.choice(("--no-ff", "-Xours", "-Xtheirs", "--no-edit"))
        self.git("merge", "-q", option, "-m", "a merge", self.random.choice(self.branches), check=False)
        if os.path.exists(f"{self.directory}/.git/MERGE_HEAD"):
            if self.random.random() < 0.5:
                self.work()
            self.git("add", "-A", ".")
            self.git("commit", "-q", "-m", "merge with conflicts", check=False)

    def finish(self) -> None:
        """Leave changes in the index and the working tree, sometimes a conflict, a stash or a detached HEAD."""
        chance = self.random.random
        if chance() < 0.3:
            self.work()
            self.git("stash", "-q", check=False)
        if chance() < 0.5:
            self.git("pack-refs", "--all")
        if chance() < 0.5:
            self.git("repack", "-adq")
        if chance() < 0.2:
            self.git("checkout", "-q", "--detach")
        if chance() < 0.4:
            self.git("merge", "-q", "-m", "m", self.random.choice(self.branches), check=False)
        self.work()
        if chance() < 0.6 and not os.path.exists(f"{self.directory}/.git/MERGE_HEAD"):
            self.git("add", "-A", ".")
            self.work()
        if chance() < 0.3:
            self.git("add", "-N", ".", check=False)
        if chance() < 0.3:
            self.move()
        self.git("update-ref", "refs/remotes/origin/main", self.random.choice(self.branches) + "~0")
        self.git("config", "branch.main.remote", "origin")
        self.git("config", "branch.main.merge", "refs/heads/main")
        self.git("config", "remote.origin.url", "https://example.com/x.git")
        self.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
        self.git("update-index", "-q", "--refresh", check=False)

    def make(self) -> None:
        """Make the repository."""
        self.git("init", "-q", "-b", "main", ".")
        for name, choices in ((".gitignore", IGNORED), (".gitattributes", ATTRIBUTES)):
            if text := self.random.choice(choices):
                Path(self.directory, name).write_text(text)
        for key, values in (
            ("core.quotepath", ("false",)),
            ("core.autocrlf", ("input",)),
            ("diff.renames", ("copies", "false")),
        ):
            if self.random.random() < 0.2:
                self.git("config", key, self.random.choice(values))
        self.commit()
        for number in range(self.random.randrange(3, 12)):
            self.random.choice((self.commit, self.commit, self.branch, self.merge))()
            if self.random.random() < 0.2:
                options = self.random.choice(([], ["-a", "-m", "tag"]))
                self.git("tag", *options, f"v{number}")
        self.finish()


def commands(seed: int) -> Iterator[str]:
    """Yield command lines that only read."""
    chosen = random.Random(seed)
    yield from (
        "git status", "git status -s", "git status -sb", "git status --porcelain=v2 --branch", "git status --porcelain -z",
        "git status --ignored -s", "git status -uall -s", "git status -uno", "git status --porcelain=v2 -z --ignored",
        "git status --no-renames -s", "git status --ignored=matching -s -uall", "git stash list", "git describe --all --always",
        "git describe --tags --always --dirty", "git describe", "git branch -avv", "git branch --show-current", "git tag -n",
        "git for-each-ref", "git show-ref -d", "git ls-files -s", "git ls-files -o --exclude-standard", "git ls-files -m",
        "git ls-files -d", "git ls-files -u", "git ls-files -oi --exclude-standard", "git ls-files -t", "git ls-files -v -z",
        "git ls-files --eol", "git ls-tree -r HEAD", "git ls-tree HEAD", "git ls-tree -rt --name-only HEAD", "git ls-tree -rl HEAD",
        "git rev-parse HEAD", "git rev-parse --abbrev-ref HEAD", "git rev-parse --abbrev-ref @{u}", "git rev-parse --short HEAD",
        "git rev-parse HEAD~1 HEAD^2", "git rev-parse --verify -q HEAD~9", "git rev-parse @{-1}", "git rev-parse --symbolic-full-name @{u}",
        "git rev-list --count HEAD", "git rev-list --left-right --count HEAD...main", "git rev-list --all --parents",
        "git rev-list --topo-order HEAD", "git rev-list --max-parents=0 HEAD", "git rev-list HEAD -- a dir", "git shortlog -sne HEAD",
        "git shortlog HEAD", "git log --oneline", "git log --graph --oneline --all", "git log --stat -3", "git log -p -2", "git log --cc -3",
        "git log -c -3", "git log -m -p -2", "git log --name-status -4", "git log --format='%h %p %an %ae %s|%b|%d' -5", "git log --merges",
        "git log --format=fuller -2", "git log --date=iso --format='%ad %cd' -1 --date=short", "git log --oneline --decorate=full",
        "git log --first-parent --oneline", "git log --reverse --oneline", "git log --raw -2", "git log --numstat --summary -3",
        "git log --oneline -- a", "git log --oneline -- dir", "git log --follow --name-status --format=%h -- a.moved", "git log --grep=fix --oneline",
        "git log --diff-filter=R -M --name-status --format=%h", "git log -S new --oneline", "git log --oneline main..HEAD",
        "git log --oneline main...HEAD --left-right", "git log --merge --oneline", "git log --all --oneline --no-merges",
        "git show", "git show --stat", "git show --name-only", "git show -s --format=%B", "git show HEAD^{tree}", "git show HEAD:a",
        "git merge-base HEAD main", "git merge-base --all HEAD main", "git merge-base --is-ancestor main HEAD", "git diff --shortstat HEAD",
        "git grep -n new", "git grep -c x", "git grep --cached -l alpha", "git grep -w f HEAD", "git grep -i -h CLASS", "git grep -o 'new [0-9]*'",
        "git blame -s a", "git blame -s -n b.txt", "git blame -s -f dir/a", "git check-ignore -v a x.o dir/sub/x.o b.txt z/z",
        "git check-ignore --no-index -v -n src/main.c 'sp ace/f g'", "git config -l --local", "git config --get-regexp 'branch.*'",
        "git cat-file --batch-all-objects --batch-check", "git cat-file -p HEAD", "git cat-file -t HEAD:a", "git symbolic-ref HEAD",
        "git diff-tree -r HEAD", "git diff-tree --no-commit-id --name-only -r HEAD", "git diff-tree -m --cc HEAD", "git diff-tree -c -r HEAD",
        "git diff-files --name-only", "git diff-index --cached --name-status HEAD", "git worktree list", "git remote -v", "git write-tree",
    )  # fmt: skip
    sides = (
        "",
        "--cached",
        "HEAD",
        "--cached HEAD~1",
        "HEAD~1",
        "HEAD~2 HEAD",
        "main HEAD",
        "main...HEAD",
        "main..",
        "HEAD^!",
    )
    forms = (
        "", "--stat", "--stat=60", "--name-only", "--name-status", "--name-status -z", "--numstat -z", "--raw", "--shortstat", "--summary",
        "--check", "--quiet", "--exit-code", "-U0", "-U1", "-w", "-b", "--ignore-space-at-eol", "-R", "--no-renames", "-M90%", "-C --name-status",
        "--find-copies-harder --name-status", "--diff-filter=ACMR --name-only", "--diff-filter=d --name-only", "--full-index", "--abbrev=10",
        "--no-prefix", "--minimal", "--text", "--relative=dir --name-only", "-- dir", "-- '*.txt'", "-- ':!a'", "--stat --summary -M",
        "--compact-summary", "--numstat --shortstat", "-p --stat", "--inter-hunk-context=5", "-S new --name-only", "-G alpha --name-only",
        "--ignore-submodules --name-status", "--dirstat", "--cc", "--raw --abbrev=8 -z", "--stat -- src", "--ignore-cr-at-eol", "--src-prefix=x/",
    )  # fmt: skip
    for _ in range(120):
        yield f"git diff {chosen.choice(sides)} {chosen.choice(forms)}"


def _without_warnings(text: str) -> str:
    """Return standard error without warnings about line ends, which git prints as often as it reads a file (L-GIT-004)."""
    return "".join(
        line for line in text.splitlines(keepends=True) if " the next time Git touches it" not in line
    )


def _loaded(directory: str) -> FileSystem:
    """Return a directory as files in memory."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as tar:
        tar.add(directory, ".")
    fs = MemoryFileSystem(quota_bytes=64 << 20)
    shell = Shell(fs=fs, files={"/tmp/r.tar": out.getvalue()}, limits=LIMITS)
    result = shell.run("tar -xf /tmp/r.tar; rm /tmp/r.tar")
    assert result.exit_status == 0, result.stderr
    return fs


def differences(seed: int, only: tuple[str, ...] = ()) -> Iterator[tuple[str, Outcome, Outcome]]:
    """Yield the command lines that git and the sandbox answer differently, with both answers."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = os.path.realpath(temporary)
        Maker(seed, directory).make()
        fs = _loaded(directory)
        for command in only or commands(seed):
            real = subprocess.run(
                ["bash", "-c", command],
                cwd=directory,
                env={**ENVIRONMENT, "PATH": os.environ["PATH"], "GIT_OPTIONAL_LOCKS": "0"},
                capture_output=True,
                check=False,
            )
            texts = [
                stream.decode("utf-8", "surrogateescape").replace(directory, "/workspace")
                for stream in (real.stdout, real.stderr)
            ]
            wanted = Outcome(texts[0], _without_warnings(texts[1]), real.returncode)
            shell = Shell(fs=OverlayFileSystem(fs), env=ENVIRONMENT, git_writes=True, limits=LIMITS)
            result = shell.run(command)
            assert result.defect is None and result.limit is None, (
                seed,
                command,
                result.limit,
                result.defect,
            )
            got = Outcome(result.stdout, _without_warnings(result.stderr), result.exit_status)
            if got != wanted and "(L-GIT-" not in got.stderr:
                yield command, wanted, got


if __name__ == "__main__":
    for each in sys.argv[1:]:
        for command, wanted, got in differences(int(each)):
            print(f"{each}: {command}\nwanted {wanted}\n   got {got}\n")

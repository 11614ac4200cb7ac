"""Builds the repositories of the tests with the real git, always with the same objects.

``python -m tests.utilities.git.repositories`` writes the archives next to this file. The tests and the cases of
``conformance/utilities/git`` unpack them, so neither needs git.
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent

#: The shell text that makes each repository, below an empty directory.
SCRIPTS = {
    "project": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
mkdir d src lib; echo hello >a; seq 20 >d/b; git add .; at 1700000000 commit -qm 'first'
echo more >>a; git add a; at 1700000100 commit -qm 'second'
git tag v1; git branch topic; at 1700000150 tag -a -m 'annotated' v2
printf '*.o\n!keep.o\nbuild/\n/top\n**/deep/*.x\n' >.gitignore
printf '#include <stdio.h>\n\nint add(int a, int b)\n{\n\treturn a + b;\n}\n\nint main(void)\n{\n\tprintf("hi\\n");\n\treturn 0;\n}\n' >src/main.c
seq 100 >lib/long.txt; printf 'bin\0ary' >lib/bin; ln -s ../a lib/link; printf 'x y\n' >'sp ace'; printf 'u\n' >'ünï'
echo '#!/bin/sh' >run.sh; chmod +x run.sh; git add -A
at 1700000200 commit -qm 'third: many files

Body of the message.
Second line.'
git checkout -q topic; echo topic >t; git add t; at 1700000300 commit -qm 'on topic'
git checkout -q main; at 1700000400 merge -q -m "Merge branch 'topic'" topic
git mv lib/long.txt lib/renamed.txt; sed -i 's/^50$/fifty/' lib/renamed.txt; git add -A; at 1700000500 commit -qm 'rename'
git repack -adq; git pack-refs --all; git prune
sed -i 's/a + b/a - b/; s/hi/ho/' src/main.c; git rm -q --cached run.sh; echo new >staged; git add staged; echo more >>staged
echo un >untracked; mkdir -p newdir/sub build; echo 1 >newdir/sub/f; echo o >x.o; echo k >keep.o; echo b >build/b
rm d/b; printf 'bin\0ary2' >lib/bin; git mv a moved
git remote add origin https://example.com/x.git; git update-ref refs/remotes/origin/main HEAD~1
git config branch.main.remote origin; git config branch.main.merge refs/heads/main
git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main
git branch old v1; git config branch.old.remote origin; git config branch.old.merge refs/heads/main
git config --add x.multi 1; git config --add x.multi 2; git config x.flag true
git config alias.st 'status -s'; git config alias.bad '!echo hi'
""",
    "conflict": r"""
git init -q -b main . ; git config user.name 'Ann Author'; git config user.email ann@example.com
printf '1\n2\n3\n' >f; echo g >g; git add .; at 1700000000 commit -qm base
git checkout -qb other; printf '1\ntwo\n3\n' >f; git rm -q g; git add .; at 1700000100 commit -qm other
git checkout -q main; printf '1\nTWO\n3\n' >f; echo gg >g; git add .; at 1700000200 commit -qm main
at 1700000300 merge -q other >/dev/null || :
""",
    "empty": "git init -q -b main . ; echo x >x; git add x; echo y >y",
    "index4": r"""
git init -q -b main . ; git config user.name A; git config user.email a@example.com
mkdir -p long/directory/name; for n in 1 2 3; do echo $n >long/directory/name/file$n; done; git add .
git update-index --index-version 4; at 1700000000 commit -qm one; echo x >long/directory/name/file2
printf 'a\r\nb\r\n' >crlf; printf '*.txt text\n' >.gitattributes; printf 'a\r\n' >t.txt; git add -N crlf; git config core.autocrlf input
""",
}

_AT = """
at() { t=$1; shift; GIT_AUTHOR_DATE="$t +0100" GIT_COMMITTER_DATE="$t +0100" git "$@"; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_MERGE_AUTOEDIT=no LC_ALL=C.UTF-8; umask 022; set -e
"""


def build(name: str, directory: str) -> None:
    """Make a repository in an empty directory."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    subprocess.run(["bash", "-c", _AT + SCRIPTS[name]], cwd=directory, env=environment, check=True)


def archive(directory: str) -> bytes:
    """Return a directory as a tar archive, without what changes from run to run."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz") as tar:
        for path in sorted(Path(directory).rglob("*")):
            name = path.relative_to(directory).as_posix()
            if name.startswith((".git/hooks/", ".git/description")):
                continue
            info = tar.gettarinfo(path, name)
            info.uid = info.gid = 0
            info.uname = info.gname = ""
            info.mtime = 1_700_001_000
            if path.is_file() and not path.is_symlink():
                tar.addfile(info, io.BytesIO(path.read_bytes()))
            else:
                tar.addfile(info)
    return out.getvalue()


def unpack(name: str, directory: Path) -> None:
    """Unpack the archive of a repository."""
    with tarfile.open(HERE / f"{name}.tar.xz") as tar:
        tar.extractall(directory, filter="tar")


if __name__ == "__main__":
    for each in SCRIPTS:
        with tempfile.TemporaryDirectory() as temporary:
            build(each, temporary)
            (HERE / f"{each}.tar.xz").write_bytes(archive(temporary))

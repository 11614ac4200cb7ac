"""Settings, patches and files that would have git write elsewhere, start programs, or use memory without end."""

from __future__ import annotations

import pytest

from sandhook import Limits, Shell
from sandhook.vfs.memory import MemoryFileSystem
from tests.utilities.git.recorded import ENVIRONMENT, sandbox


def reader(name: str = "project", limits: Limits | None = None) -> Shell:
    return Shell(fs=sandbox(name).fs, env=ENVIRONMENT, limits=limits or Limits())


@pytest.mark.parametrize(
    "command",
    ["clean -f", "config a.b c", "config --unset user.name", "init x", "remote add x y", "format-patch -1"],
)
def test_changes_need_permission(command: str) -> None:
    shell = reader()
    before = shell.run("cat .git/config; ls -A").stdout
    result = shell.run(f"git {command}")
    assert result.exit_status == 1 and "has not allowed" in result.stderr
    assert shell.run("cat .git/config; ls -A").stdout == before


def test_what_only_shows_needs_no_permission() -> None:
    result = reader().run(
        "git clean -n; git format-patch -1 --stdout | head -1; git config user.name; git fsck"
    )
    assert result.stdout.startswith("Would remove") and result.stderr == "", result.stderr


def test_clean_removes_links_and_not_what_they_name() -> None:
    shell = sandbox("project")
    shell.run("mkdir /tmp/kept; echo x >/tmp/kept/f; ln -s /tmp/kept link; mkdir p; ln -s /tmp/kept p/inner")
    result = shell.run("git clean -ffdxq; cat /tmp/kept/f; ls -d link p .git/HEAD")
    assert result.stdout == "x\n.git/HEAD\n"


@pytest.mark.parametrize(
    "command",
    [
        "-c tar.tgz.command='touch ran' archive --format=tgz HEAD",
        "-c tar.x.command='touch ran' archive --format=x HEAD",
        "-c merge.default=x -c merge.x.driver='touch ran' merge-file -p a a a",
        "-c format.signatureFile=ran -c sendemail.tocmd='touch ran' format-patch -1 --stdout",
        "-c core.fsmonitor='touch ran' -c core.hooksPath=h clean -n",
        "-c init.templateDir=h init x",
        "-c blame.ignoreRevsFile=/dev/zero blame HEAD -- moved",
        "-c fsck.skipList=/dev/zero fsck",
        "config core.editor 'touch ran'",
    ],
)
def test_no_program_of_a_setting_is_started(command: str) -> None:
    shell = sandbox("project")
    shell.run("mkdir h; printf '#!/bin/sh\\ntouch /workspace/ran\\n' >h/post-checkout; chmod +x h/*")
    result = shell.run(f"git {command}; ls ran")
    assert result.defect is None and result.exit_status != 0 and "ran" not in result.stdout.split()


def test_foreach_runs_the_command_of_the_script_alone() -> None:
    shell = sandbox("super")
    shell.run(
        "git config submodule.sub.update '!touch /workspace/ran'; git config alias.x '!touch /workspace/ran'"
    )
    assert shell.run("git submodule foreach -q 'echo $name'; ls ran").stdout == "other\nsub\n"


@pytest.mark.parametrize("kind", ["literal", "delta"])
@pytest.mark.parametrize("size", ["999999999999", "2000000000"])
def test_a_patch_that_declares_much_is_not_inflated(kind: str, size: str) -> None:
    patch = f"diff --git a/x b/x\nnew file mode 100644\nindex {'0' * 40}..{'1' * 40}\nGIT binary patch\n{kind} {size}\n"
    shell = sandbox("empty")
    shell.run("cat >p", stdin=patch + "QcmZQzWJ=1+ODw7c00^)Gi2wiq\n\n")
    result = shell.run("git apply p", limits=Limits(memory_bytes=16 << 20))
    assert result.defect is None and result.exit_status != 0


def test_links_in_trees_end() -> None:
    shell = sandbox("empty")
    shell.run("ln -s b a; ln -s a b; ln -s /etc/passwd c; ln -s ../../x d; git add -A; git commit -qm x")
    result = shell.run("printf 'HEAD:%s\\n' a c d | git cat-file --batch-check --follow-symlinks")
    assert result.stdout == "loop 6\nHEAD:a\nsymlink 11\n/etc/passwd\nsymlink 7\n../../x\n"


def test_settings_are_not_written_to_devices_or_other_places() -> None:
    shell = sandbox("project")
    for command in ("config -f /dev/null a.b c", "config -f /no/such a.b c", "config --system a.b c"):
        assert shell.run(f"git {command}").exit_status != 0, command
    shell.run("mkdir w; printf 'gitdir: /tmp/elsewhere\\n' >w/.git")
    result = shell.run("git init w; ls /tmp/elsewhere")
    assert result.exit_status != 0 and "does not follow" in result.stderr


def test_blanks_at_the_end_of_a_rule_take_linear_time() -> None:
    result = Shell(env=ENVIRONMENT, git_writes=True).run(
        "git init -q; printf '%200000s' x | rev >.gitignore; touch x; git status -s",
        limits=Limits(wall_seconds=5),
    )
    assert result.stdout == "?? .gitignore\n", result.stderr


def test_alternates_that_name_each_other_are_read_once() -> None:
    shell = sandbox("project")
    shell.run(
        "seq 1000 | sed 's/.*/../' >.git/objects/info/alternates; echo ../objects >.git/info/alternates"
    )
    shell.run("for i in 1 2 3 4 5 6 7 8; do echo . >>.git/objects/info/alternates; done")
    assert shell.run("git log --oneline | wc -l", limits=Limits(steps=200_000)).stdout == "6\n"


@pytest.mark.parametrize("extension", ["link", "sdir"])
def test_an_index_that_is_not_whole_is_a_named_error(extension: str) -> None:
    shell = sandbox("project")
    result = shell.run(
        f"{{ head -c -20 .git/index; printf '{extension}\\0\\0\\0\\0'; head -c 20 /dev/zero; }} >i; mv i .git/index; git status -s"
    )
    assert result.exit_status == 129 and "index is not offered" in result.stderr and not result.stdout


def test_a_pack_that_is_missing_is_a_damaged_repository() -> None:
    result = sandbox("project").run("rm -f .git/objects/pack/*.pack; git cat-file -t HEAD")
    assert result.exit_status == 128 and "cannot be accessed" in result.stderr


@pytest.mark.parametrize("text", ["²", "9" * 5000, "-1"])
def test_a_similarity_that_is_no_number_counts_as_0(text: str) -> None:
    patch = f"diff --git a/x b/y\nsimilarity index {text}%\nrename from x\nrename to y\n"
    result = sandbox("empty").run("git apply --summary", stdin=patch)
    assert result.stdout == " rename x => y (0%)\n", (result.stderr, result.defect)


def test_a_write_that_fails_leaves_no_part_of_an_object() -> None:
    shell = Shell(fs=MemoryFileSystem(quota_bytes=60_000), env=ENVIRONMENT, git_writes=True)
    shell.run("git init -q; head -c 30000 /dev/urandom >a; head -c 15000 /dev/urandom >b")
    result = shell.run("git add a b")
    assert result.exit_status != 0 and result.defect is None
    assert shell.run("rm -f b; find .git -name '*.lock'; git fsck --no-dangling").stdout == ""


def test_names_of_commits_that_grow_are_charged() -> None:
    """Each second parent adds "^2" to the name of its child: n commits have names of n² characters together."""
    script = (
        "git init -q -b main; t=$(git write-tree); a=$(git commit-tree -m a $t); c=$a; i=0\n"
        "while [ $i -lt 300 ]; do c=$(git commit-tree -m $i -p $a -p $c $t); i=$((i+1)); done\n"
        "git update-ref refs/heads/main $c"
    )
    shell = Shell(env=ENVIRONMENT, git_writes=True, limits=Limits(wall_seconds=60, steps=10**9))
    assert shell.run(script).exit_status == 0
    assert (
        shell.run("git name-rev --all | tail -1", limits=Limits(memory_bytes=200_000)).limit == "memory_bytes"
    )

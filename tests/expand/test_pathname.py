"""Pathname expansion, against bash 5.2 on the same tree."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from sandhook.errors import LimitExceeded
from sandhook.expand.pathname import PathnameOptions, expand_pathname
from sandhook.limits import Budget, Limits
from sandhook.vfs.memory import MemoryFileSystem

DIRECTORIES = ["a", "a/b", "a/b/c", ".h", "d1", "d2", "D3"]
FILES = [
    "f1",
    "f2.txt",
    ".dot",
    "a/f.txt",
    "a/b/g.txt",
    "a/b/c/h.txt",
    ".h/in",
    "a/.hid",
    "d1/x.c",
    "d2/x.c",
    "éa",
    "z[1]",
]
LINKS = {"d1l": "d1", "broken": "nowhere", "fl": "f1"}

#: options, pattern, what bash gives with nullglob.
CASES = [
    ("", "*", "D3 a broken d1 d1l d2 f1 f2.txt fl z[1] éa"),
    ("", ".*", ".dot .h"),
    ("", ".[!.]*", ".dot .h"),
    ("", "f?", "f1 fl"),
    ("", "[!f]*", "D3 a broken d1 d1l d2 z[1] éa"),
    ("", "*/", "D3/ a/ d1/ d1l/ d2/"),
    ("", "*/x.c", "d1/x.c d1l/x.c d2/x.c"),
    ("", "d[12]/*", "d1/x.c d2/x.c"),
    ("", "./f*", "./f1 ./f2.txt ./fl"),
    ("", "a//*", "a//b a//f.txt"),
    ("", "a/../f*", "a/../f1 a/../f2.txt a/../fl"),
    ("", "*/.", "D3/. a/. d1/. d1l/. d2/."),
    ("", "*/..", "D3/.. a/.. d1/.. d1l/.. d2/.."),
    ("", "*/.*", "a/.hid"),
    ("", "brok*", "broken"),
    ("", "broken*/", ""),
    ("", "f1*/", ""),
    ("", "*/nowhere", ""),
    ("", "z\\[*", "z[1]"),
    ("", "z[[]*", "z[1]"),
    ("", "*a//", "a/"),
    ("", "f1/*", ""),
    ("", "nosuch/*", ""),
    ("", "**", "D3 a broken d1 d1l d2 f1 f2.txt fl z[1] éa"),
    ("", "*\\/x.c", ""),
    ("dotglob", "*h*", ".h"),
    ("dotglob", "a/*", "a/.hid a/b a/f.txt"),
    ("nocaseglob", "D*", "D3 d1 d1l d2"),
    ("nocaseglob", "A/F*", ""),
    ("extglob", "!(f*|d*)", "D3 a broken z[1] éa"),
    ("extglob", "@(.dot|f1)", ".dot f1"),
    ("extglob", "!(.dot)", "D3 a broken d1 d1l d2 f1 f2.txt fl z[1] éa"),
    ("extglob", "?(.)dot", ".dot"),
    ("extglob", ".!(dot)", ".h"),
    ("extglob", "@(a/b|d1)", "d1"),
    ("globstar", "**/*.txt", "a/b/c/h.txt a/b/g.txt a/f.txt f2.txt"),
    ("globstar", "**/x.c", "d1/x.c d2/x.c"),
    ("globstar", "a/**", "a/ a/b a/b/c a/b/c/h.txt a/b/g.txt a/f.txt"),
    ("globstar", "a/**/", "a/ a/b/ a/b/c/"),
    ("globstar", "**/", "D3/ a/ a/b/ a/b/c/ d1/ d1l/ d2/"),
    ("globstar", "*/**", None),
    ("globstar", "**/**", None),
    ("globstar", "**/b/**", "a/b a/b/c a/b/c/h.txt a/b/g.txt"),
    ("globstar", "d1l/**", "d1l/ d1l/x.c"),
    ("globstar", "f1/**", ""),
    ("globstar dotglob", "a/**", "a/ a/.hid a/b a/b/c a/b/c/h.txt a/b/g.txt a/f.txt"),
    ("globstar", "a**", "a"),
]
RECORDED = [case for case in CASES if case[2] is not None]


@pytest.fixture(scope="module")
def fs():
    made = MemoryFileSystem()
    for name in DIRECTORIES:
        made.mkdir(f"/workspace/{name}")
    for name in FILES:
        made.write_bytes(f"/workspace/{name}", b"")
    for name, target in LINKS.items():
        made.symlink(target, f"/workspace/{name}")
    return made


def options_of(names: str) -> PathnameOptions:
    on = names.split()
    return PathnameOptions("dotglob" in on, "globstar" in on, "nocaseglob" in on, "extglob" in on)


@pytest.mark.parametrize(("options", "pattern", "expected"), RECORDED)
def test_expands(fs, options, pattern, expected):
    found = expand_pathname(fs, "/workspace", pattern, options_of(options))
    assert " ".join(found) == expected


def test_agrees_with_bash(fs, oracle, tmp_path):
    if not oracle:
        return
    program = shutil.which("bash")
    assert program is not None, "bash is not installed"
    for name in DIRECTORIES:
        (tmp_path / name).mkdir()
    for name in FILES:
        (tmp_path / name).write_bytes(b"")
    for name, target in LINKS.items():
        os.symlink(target, tmp_path / name)
    script = 'IFS=; for o in $(:) ${1:+"${@:2}"}; do shopt -s "$o"; done; shopt -s nullglob; a=($1); printf "%s\\n" "${a[@]}"'
    for options, pattern, expected in CASES:
        ran = subprocess.run(
            [program, "-c", script, "bash", pattern, *options.split()],
            cwd=tmp_path,
            capture_output=True,
            env={"LC_ALL": "C.UTF-8"},
            check=True,
        )
        bash = [line for line in ran.stdout.decode().split("\n") if line]
        assert (pattern, expand_pathname(fs, "/workspace", pattern, options_of(options))) == (pattern, bash)
        if expected is not None:
            assert " ".join(bash) == expected


def test_absolute_patterns_and_unreadable_directories(fs):
    assert expand_pathname(fs, "/tmp", "/etc/hos*") == ["/etc/host.conf", "/etc/hostname", "/etc/hosts"]
    assert expand_pathname(fs, "/tmp", "/root/*") == []
    assert "/usr/bin" in expand_pathname(fs, "/", "/u*/b*")
    assert expand_pathname(fs, "/tmp", "plain") == []


def test_names_that_are_no_utf8():
    fs = MemoryFileSystem()
    fs.write_bytes("/tmp/\udcffx", b"")
    assert expand_pathname(fs, "/tmp", "?x") == ["\udcffx"]


def test_products_of_patterns_end(fs):
    with pytest.raises(LimitExceeded):
        expand_pathname(fs, "/workspace", "*/../" * 10 + "*", PathnameOptions(most=10_000))
    budget = Budget(Limits(steps=5_000))
    with pytest.raises(LimitExceeded):
        expand_pathname(fs, "/workspace", "*/../" * 10 + "*", charge=budget.charge)
    assert len(expand_pathname(fs, "/workspace", "*/../*", PathnameOptions(most=10_000))) == 55

from __future__ import annotations

import re

import pytest


@pytest.mark.parametrize(
    ("argv", "pattern", "mode"),
    [
        ([], r"/tmp/tmp\.\w{10}", "600"),
        (["-d"], r"/tmp/tmp\.\w{10}", "700"),
        (["xXXXX"], r"x\w{4}", "600"),
        (["a.XXX.txt"], r"a\.\w{3}\.txt", "600"),
        (["--suffix=.json", "aXXXXXX"], r"a\w{6}\.json", "600"),
        (["-p", "d", "aXXX"], r"d/a\w{3}", "600"),
        (["-p", "d"], r"d/tmp\.\w{10}", "600"),
        (["--tmpdir=d", "aXXX"], r"d/a\w{3}", "600"),
        (["--tmpdir", "aXXX"], r"/tmp/a\w{3}", "600"),
        (["-t", "aXXX"], r"/tmp/a\w{3}", "600"),
        (["-d", "d/XXXX"], r"d/\w{4}", "700"),
    ],
)
def test_makes(sandbox, argv, pattern, mode):
    status, out, err = sandbox.run("mktemp", *argv, files={"d/x": ""})
    name = out.decode().removesuffix("\n")
    assert (status, err) == (0, b"")
    assert re.fullmatch(pattern, name)
    assert sandbox.run("stat", "-c", "%a", name)[1].decode() == f"{mode}\n"


def test_two_names_differ(sandbox):
    assert sandbox.run("mktemp")[1] != sandbox.run("mktemp")[1]


def test_tmpdir(sandbox):
    out = sandbox.run("mktemp", env={"TMPDIR": "d/"}, files={"d/x": ""})[1]
    assert re.fullmatch(rb"d/tmp\.\w{10}\n", out)


def test_dry_run_makes_nothing(sandbox):
    name = sandbox.run("mktemp", "-u", "aXXXX")[1].decode().strip()
    assert sandbox.run("ls")[1] == b""
    assert re.fullmatch(r"a\w{4}", name)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["aXX"], "too few X's in template 'aXX'"),
        (["-t", "a/XXX"], "invalid template, 'a/XXX', contains directory separator"),
        (["--suffix=/x", "aXXX"], "invalid suffix '/x', contains directory separator"),
        (["-p", ".", "/aXXX"], "invalid template, '/aXXX'; with --tmpdir, it may not be absolute"),
        (["--suffix=a", "aXXXb"], "with --suffix, template 'aXXXb' must end in X"),
        (
            ["-p", "nope"],
            "failed to create file via template 'nope/tmp.XXXXXXXXXX': No such file or directory",
        ),
        (["-d", "nope/XXX"], "failed to create directory via template 'nope/XXX': No such file or directory"),
    ],
)
def test_fails(utility, argv, message):
    assert utility("mktemp", *argv) == (1, "", f"mktemp: {message}\n")


def test_quiet(utility):
    assert utility("mktemp", "-q", "nope/XXX") == (1, "", "")


def test_refuses(utility):
    hint = "Try 'mktemp --help' for more information.\n"
    assert utility("mktemp", "a", "b") == (1, "", f"mktemp: too many templates\n{hint}")

from __future__ import annotations

import pytest


def test_removes_empty_directories(steps):
    steps("mkdir", "-p", "a/b/c", "d")
    assert steps("rmdir", "a/b/c", "d") == (0, "", "")
    assert steps("rmdir", "-p", "a/b") == (0, "", "")
    assert steps.tree() == {}


def test_p_goes_up_until_a_directory_is_in_use(steps):
    steps("mkdir", "-p", "a/b/c", files={"a/keep": ""})
    message = "rmdir: failed to remove directory 'a': Directory not empty\n"
    assert steps("rmdir", "-p", "a/b/c") == (1, "", message)
    assert steps.tree() == {"a": "d755", "a/keep": "f644 b''"}


def test_says_what_it_removes(steps):
    steps("mkdir", "-p", "a/b")
    out = "rmdir: removing directory, 'a/b'\nrmdir: removing directory, 'a'\n"
    assert steps("rmdir", "-pv", "a/b") == (0, out, "")


def test_tolerates_what_is_not_empty(utility):
    files = {"a/f": ""}
    assert utility("rmdir", "--ignore-fail-on-non-empty", "a", files=files) == (0, "", "")
    assert utility("rmdir", "--ignore-fail-on-non-empty", "x")[0] == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x", "No such file or directory"),
        ("f", "Not a directory"),
        ("a", "Directory not empty"),
        ("a/.", "Invalid argument"),
        ("a/..", "Directory not empty"),
        ("/", "Device or resource busy"),
        ("", "No such file or directory"),
    ],
)
def test_fails(utility, name, reason):
    files = {"f": "", "a/f": ""}
    assert utility("rmdir", name, files=files) == (1, "", f"rmdir: failed to remove '{name}': {reason}\n")


def test_needs_an_operand(utility):
    hint = "Try 'rmdir --help' for more information.\n"
    assert utility("rmdir") == (1, "", f"rmdir: missing operand\n{hint}")

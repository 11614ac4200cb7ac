from __future__ import annotations

import hashlib

import pytest

FILES = {"f": "hello\n", "a b": "", "n\nl": "x", "b\\s": "y"}


@pytest.mark.parametrize("name", ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"])
def test_digests(utility, name):
    digest = hashlib.new(name, b"hello\n").hexdigest()
    assert utility(f"{name}sum", "f", files=FILES) == (0, f"{digest}  f\n", "")
    assert utility(f"{name}sum", stdin="hello\n") == (0, f"{digest}  -\n", "")
    assert utility(f"{name}sum", "--tag", "f", files=FILES) == (0, f"{name.upper()} (f) = {digest}\n", "")
    check = f"{digest}  f\n"
    assert utility(f"{name}sum", "-c", stdin=check, files=FILES) == (0, "f: OK\n", "")


HELLO = "b1946ac92492d2347c6235b4d2611184"
EMPTY = "d41d8cd98f00b204e9800998ecf8427e"


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["-b", "f"], f"{HELLO} *f\n"),
        (["-bt", "f"], f"{HELLO}  f\n"),
        (["f", "a b"], f"{HELLO}  f\n{EMPTY}  a b\n"),
        (["-z", "f"], f"{HELLO}  f\0"),
        (["n\nl"], "\\9dd4e461268c8034f5c8564e155c67a6  n\\nl\n"),
        (["b\\s"], "\\415290769594460e2e485922904f345d  b\\\\s\n"),
        (["-z", "n\nl"], "9dd4e461268c8034f5c8564e155c67a6  n\nl\0"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility("md5sum", *argv, files=FILES) == (0, stdout, "")


@pytest.mark.parametrize(
    ("argv", "listing", "status", "stdout", "stderr"),
    [
        ([], f"{EMPTY}  f\n", 1, "f: FAILED\n", "md5sum: WARNING: 1 computed checksum did NOT match\n"),
        ([], f"{HELLO}  f\n{EMPTY} *a b\n", 0, "f: OK\na b: OK\n", ""),
        ([], f"MD5 (f) = {HELLO}\n", 0, "f: OK\n", ""),
        ([], "\\9dd4e461268c8034f5c8564e155c67a6  n\\nl\n", 0, "\\n\\nl: OK\n", ""),
        (["--quiet"], f"{HELLO}  f\n", 0, "", ""),
        (["--status"], f"{EMPTY}  f\n", 1, "", ""),
        ([], "junk\n", 1, "", "md5sum: 'standard input': no properly formatted checksum lines found\n"),
        ([], f"junk\n{HELLO}  f\n", 0, "f: OK\n", "md5sum: WARNING: 1 line is improperly formatted\n"),
        (["--strict"], f"junk\n{HELLO}  f\n", 1, "f: OK\n", "md5sum: WARNING: 1 line is improperly formatted\n"),
        ([], f"{HELLO}  nope\n", 1, "nope: FAILED open or read\n",
         "md5sum: nope: No such file or directory\nmd5sum: WARNING: 1 listed file could not be read\n"),
        (["--ignore-missing"], f"{HELLO}  nope\n{HELLO}  f\n", 0, "f: OK\n", ""),
    ],
)  # fmt: skip
def test_checks(utility, argv, listing, status, stdout, stderr):
    assert utility("md5sum", "-c", *argv, stdin=listing, files=FILES) == (status, stdout, stderr)


def test_fails(utility):
    assert utility("md5sum", "nope") == (1, "", "md5sum: nope: No such file or directory\n")
    hint = "Try 'md5sum --help' for more information.\n"
    err = f"md5sum: the --quiet option is meaningful only when verifying checksums\n{hint}"
    assert utility("md5sum", "--quiet", "f") == (1, "", err)

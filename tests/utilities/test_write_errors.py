"""Output that cannot be written ends with a message and a status, for every utility that prints.

conformance/utilities/lines/write-errors.test has the messages of the real programs. This test finds the utility that
was forgotten there.
"""

from __future__ import annotations

import pytest

from sandhook.shell import Shell
from sandhook.utilities import names

PREPARE = r"""
printf 'a\nb\n' > f; printf 'a\nc\n' > g; printf 'a,b\n1,2\n' > c.csv; echo '{}' > j; echo abcdefgh > s
gzip -k f; bzip2 -k f; xz -k f; zip -q z.zip f; ar rc l.a f; diff -u f g > p; tar cf t.tar f
"""

#: Commands that do their work; the other utilities print their version.
COMMANDS = {
    "ar": "ar t l.a",
    "awk": "awk 'BEGIN { print 1 }'",
    "base64": "base64 f",
    "bc": "echo 1+1 | bc",
    "bunzip2": "bunzip2 -c f.bz2",
    "busybox": "busybox cat f",
    "bzcat": "bzcat f.bz2",
    "bzip2": "bzip2 -c f",
    "cal": "cal 1 2024",
    "cmp": "cmp f g",
    "col": "col < f",
    "column": "column f",
    "cpio": "echo f | cpio -o",
    "csvcut": "csvcut -c 1 c.csv",
    "curl": "curl --version",
    "dc": "echo 2p | dc",
    "dd": "dd if=f status=none",
    "diff": "diff f g",
    "diff3": "diff3 f g f",
    "ed": r"printf '1p\nq\n' | ed -s f",
    "file": "file f",
    "find": "find f",
    "getconf": "getconf PATH",
    "getopt": "getopt a -a",
    "grep": "grep a f",
    "gunzip": "gunzip -c f.gz",
    "gzip": "gzip -c f",
    "hd": "hd f",
    "hexdump": "hexdump f",
    "hostname": "hostname",
    "iconv": "iconv -f UTF-8 -t UTF-16 f",
    "jq": "jq . j",
    "less": "less f",
    "locale": "locale",
    "look": "look a f",
    "ls": "ls",
    "mcookie": "mcookie",
    "more": "more f",
    "openssl": "openssl dgst -sha256 f",
    "parallel": "parallel echo ::: a",
    "patch": "patch -o - f p",
    "pee": "pee cat < f",
    "ps": "ps",
    "rev": "rev f",
    "rg": "rg a f",
    "sed": "sed p f",
    "sponge": "sponge < f",
    "sqlite3": "sqlite3 :memory: 'select 1'",
    "strings": "strings s",
    "tar": "tar cf - f",
    "tee": "tee < f",
    "toybox": "toybox cat f",
    "tree": "tree .",
    "ts": "ts < f",
    "unxz": "unxz -c f.xz",
    "unzip": "unzip -l z.zip",
    "uuencode": "uuencode f f",
    "which": "which cat",
    "xargs": "echo a | xargs echo",
    "xxd": "xxd f",
    "xz": "xz -c f",
    "xzcat": "xzcat f.xz",
    "yq": "yq . j",
    "zcat": "zcat f.gz",
    "zgrep": "zgrep a f.gz",
    "zip": "zip - f",
    "zipinfo": "zipinfo z.zip",
}

#: Utilities that print nothing on standard output in these cases.
PRINT_NOTHING = {"[", "chronic", "false", "logger", "test", "time", "true", "watch"}

#: The real programs ignore both errors. The status is that of a run whose output was written, or 1.
IGNORE_BOTH = {
    "cal": 0,
    "curl": 0,
    "ed": 0,
    "file": 1,
    "getconf": 0,
    "hostname": 0,
    "locale": 0,
    "openssl": 0,
    "rg": 0,
    "sqlite3": 0,
    "strings": 0,
    "tree": 0,
}

#: The real programs, of util-linux and cmp, say nothing about a closed descriptor.
IGNORE_CLOSED = {
    "cmp": 1, "col": 0, "column": 0, "getopt": 0, "git": 0, "hd": 0, "hexdump": 0, "look": 0, "mcookie": 0, "rev": 0,
}  # fmt: skip


@pytest.fixture(scope="module")
def shell() -> Shell:
    shell = Shell()
    assert shell.run(PREPARE).stderr == ""
    return shell


@pytest.mark.parametrize("name", sorted(names() - PRINT_NOTHING))
def test_output_that_cannot_be_written_is_an_error(shell: Shell, name: str) -> None:
    command = COMMANDS.get(name, f"env {name} --version")
    assert shell.run(command).stdout != "", "a command that prints nothing tests nothing"
    ignored = (
        ("> /dev/full", "No space left on device", IGNORE_BOTH),
        (">&-", "Bad file descriptor", IGNORE_BOTH | IGNORE_CLOSED),
    )
    for redirection, reason, silent in ignored:
        result = shell.run(f"{command} {redirection}")
        if name in silent:
            assert (result.exit_status, result.stderr) == (silent[name], "")
            continue
        assert result.exit_status != 0
        assert reason in result.stderr or "rror" in result.stderr


def test_the_tables_name_utilities() -> None:
    known = names()
    assert (COMMANDS.keys() | PRINT_NOTHING | IGNORE_BOTH.keys() | IGNORE_CLOSED.keys()) <= known


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("cpio -o <<< f > /dev/full", "cpio: write error: No space left on device\n"),
        ("cpio -o <<< f >&-", "cpio: write error: Bad file descriptor\n"),
        ("cpio -i <&-", "cpio: standard input is closed: Bad file descriptor\n"),
        ("patch -s -o - f p > /dev/full", "patch: **** write error : No space left on device\n"),
    ],
)
def test_the_message_names_what_failed(shell: Shell, command: str, message: str) -> None:
    result = shell.run(command)
    assert (result.exit_status, result.stderr) == (2, message)


def test_patch_writes_to_standard_output_and_its_messages_elsewhere(shell: Shell) -> None:
    result = shell.run("patch -o - f p; [ ! -e ./- ]")
    assert (result.exit_status, result.stdout, result.stderr) == (
        0,
        "a\nc\n",
        "patching file - (read from f)\n",
    )

"""Headers of archives that somebody crafted: members and messages as GNU tar's, no defect, nothing outside."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandhook import Limits, Shell
from tests.utilities.archive.tarblocks import (
    AFTER,
    END,
    base256,
    header,
    long_name,
    member,
    number,
    padded,
    pax,
    record,
)
from tests.utilities.conftest import Ran

FIRST = "tar: This does not look like a tar archive\n"
SKIPPING = "tar: Skipping to next header\n"
FAILED = "tar: Exiting with failure status due to previous errors\n"


def out_of_range(value: int, type_name: str = "off_t", low: int = 0, high: int = 2**63 - 1) -> str:
    return f"tar: Archive value {value} is out of {type_name} range {low}..{high}\n"


#: What a crafted archive is called, its bytes, the members that are listed, and the messages before the last line.
NUMBERS = [
    ("a size below zero", header(size=base256(-512)) + AFTER, "after", out_of_range(-512) + FIRST + SKIPPING),
    ("a size of 64 bits", header(size=base256(2**63)) + AFTER, "after", out_of_range(2**63) + FIRST + SKIPPING),
    ("a size of 88 bits", header(size=base256(2**87)) + AFTER, "after", "tar: Archive base-256 value is out of off_t range\n" + FIRST + SKIPPING),
    ("a size of blanks", header(size=b" " * 12) + AFTER, "after", "tar: Blanks in header where numeric off_t value expected\n" + FIRST + SKIPPING),
    ("a digit 9", header(size=b"00000000009\0") + AFTER, "after", "tar: Archive contains '00000000009' where numeric off_t value expected\n" + FIRST + SKIPPING),
    ("an underscore", header(size=b"0000000_006\0") + padded(b"x") + AFTER, "after", "tar: Archive contains '0000000_006' where numeric off_t value expected\n" + FIRST + SKIPPING),
    ("a prefix of Python", header(size=b"0o000000006\0") + padded(b"x") + AFTER, "after", "tar: Archive contains '0o000000006' where numeric off_t value expected\n" + FIRST + SKIPPING),
    ("text after a blank", header(size=b"6 garbage   ") + padded(b"hello\n") + AFTER, "a after", ""),
    ("an empty size", header(size=b"") + AFTER, "a after", ""),
    ("a mode that is no number", member(b"x", mode=b"zzzzzzz") + AFTER, "a after", "tar: Archive contains 'zzzzzzz' where numeric mode_t value expected\n"),
    ("a user of 56 bits", member(b"x", uid=b"\x80" + b"\xff" * 7) + AFTER, "a after", out_of_range(2**56 - 1, "uid_t", 0, 2**32 - 1)),
    ("a time before 1970", member(b"x", mtime=base256(-5)) + AFTER, "a after", ""),
    ("a time of 80 bits", member(b"x", mtime=base256(2**80)) + AFTER, "a after", "tar: Archive base-256 value is out of time_t range\n"),
]  # fmt: skip

BAD = "tar: Malformed extended header: "
PAX = [
    ("path", pax(record(b"path", b"p")), "p after", ""),
    ("path with NUL", pax(record(b"path", b"p\0q")), "p after", ""),
    ("last header", pax(record(b"path", b"p1")) + pax(record(b"path", b"p2")), "p2 after", ""),
    ("size of 30 digits", pax(record(b"size", b"9" * 30)), "a after", f"tar: Extended header size={'9' * 30} is out of range 0..{2**63 - 1}\n"),
    ("size below zero", pax(record(b"size", b"-1")), "a after", f"tar: Extended header size=-1 is out of range 0..{2**63 - 1}\n"),
    ("size in superscript", pax(record(b"size", "²".encode())), "a after", BAD + "invalid size=²\n"),
    ("size in Arabic digits", pax(record(b"size", "١".encode())), "a after", BAD + "invalid size=١\n"),
    ("size with letters", pax(record(b"size", b"12abc")), "a after", BAD + "invalid size=12abc\n"),
    ("size of nothing", pax(record(b"size", b"")), "a after", BAD + "invalid size=\n"),
    ("time that is no number", pax(record(b"mtime", b"nan")), "a after", BAD + "invalid mtime=nan\n"),
    ("time with a fraction", pax(record(b"mtime", b"12.5")), "a after", ""),
    ("length 0", pax(b"0 path=zz\n"), "a after", BAD + "missing equal sign\n"),
    ("length below zero", pax(b"-5 path=zz\n"), "a after", BAD + "missing length\n"),
    ("length in superscript", pax("²² path=zz\n".encode()), "a after", BAD + "missing length\n"),
    ("length too short", pax(b"3 path=zz\n"), "a after", BAD + "missing equal sign\n"),
    ("no equal sign", pax(b"9 pathzz\n"), "a after", BAD + "missing equal sign\n"),
    ("no newline", pax(b"11 path=zzz"), "a after", BAD + "missing newline\n"),
    ("many lengths 1", pax(b"1 " * 100), "a after", BAD + "missing equal sign\n"),
]  # fmt: skip

OTHERS = [
    ("a wrong checksum", member(b"x", b"one") + header(b"bad", checksum=b"000000\0 ") + AFTER, "one after", SKIPPING),
    ("a wrong checksum first", header(b"bad", checksum=b"000000\0 ") + AFTER, "after", FIRST + SKIPPING),
    ("a signed checksum", member(b"x", b"\xff", signed=True) + AFTER, "\\377 after", ""),
    ("one block of zeros", member(b"x", b"one") + bytes(512) + member(b"x", b"hidden") + END, "one", "tar: A lone zero block at 3\n"),
    ("many long names", b"".join(long_name(b"n%d" % n) for n in range(300)) + member(b"x") + AFTER, "n299 after", ""),
    ("a long name with NUL", long_name(b"ab\0cd") + member(b"x") + AFTER, "ab after", ""),
    ("a name that leads out", member(b"x", b"a/../../evil") + AFTER, "a/../../evil after", "tar: Removing leading `a/../../' from member names\n"),
    ("an absolute name", member(b"x", b"//x") + AFTER, "//x after", "tar: Removing leading `//' from member names\n"),
    ("a hard link out", member(name=b"h", kind=b"1", link=b"../s") + AFTER, "h after", "tar: Removing leading `../' from hard link targets\n"),
    ("an unknown kind", member(b"x", kind=b"Z") + AFTER, "a after", ""),
    ("a list of a directory", member(b"x", b"d/", kind=b"D") + AFTER, "d/ after", ""),
]  # fmt: skip

CASES = [
    *NUMBERS,
    *((f"pax: {name}", data + member(b"x", posix=True) + AFTER, names, messages) for name, data, names, messages in PAX),
    *OTHERS,
]  # fmt: skip

#: What the status of GNU tar does not depend on.
WARNINGS = ("Removing leading", "A lone zero block")


@pytest.mark.parametrize(
    ("data", "names", "messages"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_members_and_messages_are_those_of_tar(
    line: Callable[..., Ran], data: bytes, names: str, messages: str
) -> None:
    failed = any(not any(word in text for word in WARNINGS) for text in messages.splitlines())
    status, out, err = line("tar -tf a.tar", {"a.tar": data})
    assert (status, out.split(), err) == (2 * failed, names.split(), messages + FAILED * failed)


def extracted(data: bytes) -> tuple[int, str, dict[str, str]]:
    """Return the status, the messages, and the files below / that were not there, with their contents."""
    shell = Shell(files={"/up/secret": b"secret", "/a.tar": data, "/up/work/old": b"old"}, cwd="/up/work")
    result = shell.run("tar -xf /a.tar")
    assert result.defect is None and result.limit is None, result
    assert shell.run("cat /up/secret").stdout == "secret"
    assert shell.run("find / -path /up/work -prune -o -name '*evil*' -print").stdout == ""
    files = shell.run("find /up/work -type f -exec grep -H '' {} + | sort").stdout
    contents = dict(each.partition(":")[::2] for each in files.splitlines())
    return result.exit_status, result.stderr, contents


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (member(b"1\n", b"d") + member(name=b"h", kind=b"1", link=b"h") + END, {"d": "1"}),
        (member(b"1\n", b"h") + member(name=b"h", kind=b"1", link=b"h") + END, {"h": "1"}),
        (member(b"1\n", b"h") + member(name=b"h", kind=b"1", link=b"./h") + END, {"h": "1"}),
        (member(name=b"d/", kind=b"5", mode=0o755) + member(b"1\n", b"d") + END, {"d": "1"}),
        (member(name=b"d/", kind=b"5", mode=0o755) + member(b"1\n", b"d/f") + member(b"2\n", b"d") + END, {"d/f": "1"}),
        (member(b"1\n", b"p") + member(b"2\n", b"p/q") + END, {"p": "1"}),
        (member(b"1\n", b"d") + member(b"2\n", b"d") + END, {"d": "2"}),
        (member(name=b"h", kind=b"1", link=b"/etc/passwd") + END, {}),
        (member(name=b"h", kind=b"1", link=b"../secret") + END, {}),
        (member(name=b"h", kind=b"1") + END, {}),
        (member(name=b"l", kind=b"2", link=b"..") + member(b"x\n", b"l/evil") + END, {"l/evil": "x"}),
        (member(name=b"l", kind=b"2", link=b"/tmp/evil") + member(b"x\n", b"l") + END, {"l": "x"}),
        (member(name=b"d/", kind=b"5", mode=0o755) + member(name=b"d/x", kind=b"2", link=b"..")
         + member(name=b"d/y", kind=b"2", link=b"x/..") + member(b"x\n", b"d/y/evil") + END, {}),
        (pax(record(b"linkpath", b"old\0../secret")) + member(name=b"l", kind=b"2", posix=True) + END, {}),
        (pax(record(b"path", b"../../evil")) + member(b"x\n", posix=True) + END, {}),
        (pax(record(b"path", b"g"), kind=b"g") + member(b"x\n", posix=True) + END, {"g": "x"}),
        (long_name(b"d/" * 2500) + member(b"x\n") + END, {}),
        (long_name(b"d" * 300) + member(b"x\n") + END, {}),
        (member(b"x\n", b"/") + END, {}),
        (member(b"x\n", b".") + END, {}),
        (member(b"x\n", b"") + END, {}),
        (member(b"x\n", b"c", kind=b"Z") + END, {"c": "x"}),
        (member(b"x\n", b"c", kind=b"M") + END, {}),
        (member(name=b"c", kind=b"3") + END, {}),
    ],
)  # fmt: skip
def test_what_is_extracted_stays_in_the_directory(data: bytes, expected: dict[str, str]) -> None:
    _, _, files = extracted(data)
    assert files == {"/up/work/old": "old"} | {
        f"/up/work/{name}": content for name, content in expected.items()
    }


def sparse(entries: list[tuple[int, int]], size: int | bytes, data: bytes, continued: int = 0) -> bytes:
    """Return a member with holes, in GNU's old form, with ``continued`` more blocks of its map."""
    block = bytearray(header(b"sp", kind=b"S", size=len(data)))
    block[386:482] = b"".join(number(at, 12) + number(count, 12) for at, count in entries).ljust(96, b"\0")
    block[482] = continued > 0
    block[483:495] = number(size, 12)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    more = b"".join(bytes(504) + bytes([n < continued]) + bytes(7) for n in range(1, continued + 1))
    return bytes(block) + more + padded(data)


@pytest.mark.parametrize(
    "data",
    [
        sparse([(1024, 512), (4096, 0)], 4096, b"s" * 512),
        sparse([(2**33 - 512, 512)], 2**33 - 1, b"s" * 512),
        sparse([(0, 512)], base256(-5), b"s" * 512),
        sparse([(0, 512)] * 4, 4096, b"s" * 512, continued=200),
        pax(record(b"GNU.sparse.size", b"9" * 12), record(b"GNU.sparse.map", b"0,1"), record(b"GNU.sparse.name", b"sp"))
        + member(b"x", posix=True),
    ],
)  # fmt: skip
def test_a_sparse_member_is_named_and_left_out(data: bytes) -> None:
    status, messages, files = extracted(data + AFTER)
    assert (status, messages) == (2, f"tar: sp: sparse member; not extracted (L-TAR-001)\n{FAILED}")
    assert files == {"/up/work/old": "old", "/up/work/after": "after"}


@pytest.mark.parametrize("kind", [b"L", b"K", b"x", b"g"])
@pytest.mark.parametrize("size", [2**40, 2**63 - 1, -1, 5000])
def test_an_extended_header_of_a_wrong_size_ends_quickly(kind: bytes, size: int) -> None:
    shell = Shell(files={"a.tar": header(kind=kind, size=base256(size)) + b"20 path=zzzz"})
    result = shell.run("tar -tf a.tar", limits=Limits(steps=1_000))
    assert (result.limit, result.defect, result.exit_status) == (None, None, 2)


@pytest.mark.parametrize("options", ["-t", "-t --exclude=x", "-t --no-anchored x/y", "-x"])
def test_a_name_of_very_many_components_is_charged(options: str) -> None:
    """Each directory above a name is a text of its own: half a million of them would need gigabytes."""
    shell = Shell(files={"a.tar": long_name(b"d/" * 400_000) + member(b"x") + END})
    result = shell.run(
        f"tar {options} -f a.tar 2>&1 | wc -c", limits=Limits(steps=100_000, wall_seconds=60.0)
    )
    assert result.defect is None
    assert result.limit in (None, "steps")
    if "anchored" in options or "exclude" in options:
        assert result.limit == "steps"

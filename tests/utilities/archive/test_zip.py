"""What unzip must never do: write elsewhere, follow links out, or fill memory and disk."""

from __future__ import annotations

import io
import stat
import struct
import zipfile

import pytest

from sandhook import Limits, Shell
from sandhook.errors import LimitExceeded
from tests.utilities.conftest import Sandbox


def archive(*members: tuple[str, bytes, int]) -> bytes:
    """Return an archive of (name, contents, mode)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data, mode in members:
            info = zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6))
            info.create_system = 3
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(info, data)
    return buffer.getvalue()


FILE, LINK = stat.S_IFREG | 0o644, stat.S_IFLNK | 0o777


def test_names_that_lead_out_stay_below():
    sandbox = Sandbox()
    data = archive(("/etc/passwd", b"x", FILE), ("../../up", b"y", FILE), ("a/../../b", b"z", FILE))
    status, _, err = sandbox.run("unzip", "z.zip", "-d", "o", files={"z.zip": data, "o/keep": ""})
    assert status == 1
    assert b"stripped absolute path spec from /etc/passwd" in err
    tree = {name for name in _tree(sandbox) if name.startswith("/workspace")}
    assert tree == {
        "/workspace/z.zip",
        "/workspace/o/keep",
        "/workspace/o/etc/passwd",
        "/workspace/o/up",
        "/workspace/o/a/b",
    }
    assert sandbox.fs.read_bytes("/workspace/o/up") == b"y"


@pytest.mark.parametrize("target", ["/etc", "..", "a/../../x"])
def test_links_that_lead_out_are_not_made(target):
    sandbox = Sandbox()
    data = archive(("l", target.encode(), LINK), ("l/evil", b"x", FILE), ("ok", b"y", FILE))
    status, _, err = sandbox.run("unzip", "-q", "z.zip", "-d", "o", files={"z.zip": data, "o/keep": ""})
    assert status == 1
    assert b"leads out of the directory; not extracted" in err
    assert not sandbox.fs.exists("/workspace/evil")
    assert not sandbox.fs.exists("/etc/evil")
    assert sandbox.fs.read_bytes("/workspace/o/ok") == b"y"


def test_a_link_within_the_directory_is_made():
    sandbox = Sandbox()
    data = archive(("d/a", b"x", FILE), ("d/l", b"../d/a", LINK))
    assert sandbox.run("unzip", "-q", "z.zip", files={"z.zip": data}) == (0, b"", b"")
    assert sandbox.fs.readlink("/workspace/d/l") == "../d/a"


def test_a_directory_that_is_a_link_out_is_not_followed():
    result = Shell(files={"z.zip": archive(("l/evil", b"x", FILE))}).run(
        "mkdir o elsewhere; ln -s ../elsewhere o/l; unzip -q z.zip -d o; echo $?; ls elsewhere"
    )
    assert result.stdout == "1\n"
    assert "leads out of the directory" in result.stderr


def test_a_bomb_ends_at_the_limit():
    data = archive(("zeros", bytes(1 << 26), FILE))
    sandbox = Sandbox(Limits(fs_bytes=1 << 20))
    assert len(data) < 1 << 17
    status, _, err = sandbox.run("unzip", "-q", "z.zip", files={"z.zip": data})
    assert status == 1
    assert b"No space left on device" in err or b"File too large" in err
    with pytest.raises(LimitExceeded):
        Sandbox(Limits(steps=1_000)).run("unzip", "-tq", "z.zip", files={"z.zip": data})


def test_an_encrypted_member_is_skipped():
    data = bytearray(archive(("a", b"x", FILE)))
    at = data.find(b"PK\x01\x02")
    struct.pack_into("<H", data, at + 8, 1)
    status, _, err = Sandbox().run("unzip", "z.zip", files={"z.zip": bytes(data)})
    assert (status, err) == (82, b"   skipping: a                       unable to get password\n")


@pytest.mark.parametrize("cut", [0, 4, 30, 60, 100])
def test_cut_archives(cut):
    data = archive(("a", b"hello" * 9, FILE), ("b", b"x", FILE))
    status, _, _ = Sandbox().run("unzip", "-o", "z.zip", files={"z.zip": data[:cut]})
    assert status == 9


def _tree(sandbox: Sandbox) -> list[str]:
    found, pending = [], ["/workspace"]
    while pending:
        directory = pending.pop()
        for entry in sandbox.fs.listdir(directory):
            path = f"{directory.rstrip('/')}/{entry.name}"
            if stat.S_ISDIR(entry.mode):
                pending.append(path)
            else:
                found.append(path)
    return found

"""id: nothing of the host shows, so what the real program prints is not expected."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["id"], "uid=1000(agent) gid=1000(agent) groups=1000(agent)\n"),
        (["id", "-u"], "1000\n"),
        (["id", "-g"], "1000\n"),
        (["id", "-G"], "1000\n"),
        (["id", "-un"], "agent\n"),
        (["id", "-gn"], "agent\n"),
        (["id", "-ru"], "1000\n"),
        (["id", "-zu"], "1000\0"),
        (["id", "root"], "uid=0(root) gid=0(root) groups=0(root)\n"),
        (["id", "-u", "0"], "0\n"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility(*argv, same=False) == (0, stdout, "")


def test_groups_list_their_members(sandbox):
    from sandhook.vfs.path import VirtualPath

    group = VirtualPath("/etc/group")
    sandbox.fs.populate({"/etc/group": "root:x:0:\nagent:x:1000:\nwheel:x:10:bob,agent\n"}, group)
    assert sandbox.run("id", "-Gn")[1] == b"agent wheel\n"
    assert sandbox.run("id")[1] == b"uid=1000(agent) gid=1000(agent) groups=1000(agent),10(wheel)\n"


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["id", "nosuch"], 1, "id: 'nosuch': no such user"),
        (["id", "-n"], 1, "id: cannot print only names or real IDs in default format"),
        (["id", "-ug"], 1, 'id: cannot print "only" of more than one choice'),
    ],
)
def test_refuses(utility, argv, status, message):
    result = utility(*argv)
    assert result[:2] == (status, "")
    assert result[2].startswith(message + "\n")

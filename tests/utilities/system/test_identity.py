"""id, whoami, hostname, uname, nproc, tty: nothing of the host shows, so their output is not the oracle's."""

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
        (["whoami"], "agent\n"),
        (["hostname"], "sandhook\n"),
        (["hostname", "-s"], "sandhook\n"),
        (["hostname", "-d"], "\n"),
        (["uname"], "Linux\n"),
        (["uname", "-s", "-m"], "Linux x86_64\n"),
        (["uname", "-sr"], "Linux 6.1.0\n"),
        (["uname", "-n"], "sandhook\n"),
        (["uname", "-o"], "GNU/Linux\n"),
        (["uname", "-po"], "unknown GNU/Linux\n"),
        (["uname", "-a"], "Linux sandhook 6.1.0 #1 sandhook x86_64 GNU/Linux\n"),
        (["nproc"], "1\n"),
        (["nproc", "--all", "--ignore=3"], "1\n"),
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


def test_there_is_no_terminal(utility):
    assert utility("tty") == (1, "not a tty\n", "")
    assert utility("tty", "-s") == (1, "", "")


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["id", "nosuch"], 1, "id: 'nosuch': no such user"),
        (["id", "-n"], 1, "id: cannot print only names or real IDs in default format"),
        (["id", "-ug"], 1, 'id: cannot print "only" of more than one choice'),
        (["whoami", "x"], 1, "whoami: extra operand 'x'"),
        (["uname", "x"], 1, "uname: extra operand 'x'"),
        (["uname", "-x"], 1, "uname: invalid option -- 'x'"),
        (["nproc", "--ignore=x"], 1, "nproc: invalid number: 'x'"),
        (["tty", "x"], 2, "tty: extra operand 'x'"),
    ],
)
def test_refuses(utility, argv, status, message):
    got = utility(*argv)
    assert got[:2] == (status, "")
    assert got[2].startswith(message + "\n")

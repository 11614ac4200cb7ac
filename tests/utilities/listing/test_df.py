"""df: one virtual file system, as large as what the run may keep."""

from __future__ import annotations

from tests.utilities.conftest import Sandbox


def df(sandbox: Sandbox, *argv: str) -> tuple[int, str, str]:
    status, out, err = sandbox.run("df", *argv, files={"f": "x" * 5000})
    return status, out.decode(), err.decode()


def test_lines_have_the_forms_of_gnu(sandbox: Sandbox) -> None:
    status, out, err = df(sandbox)
    head, row = out.splitlines()
    assert (status, err) == (0, "")
    assert head == "Filesystem     1K-blocks  Used Available Use% Mounted on"
    name, size, used, left, percent, place = row.split()
    assert (name, percent, place) == ("sandhook", "1%", "/")
    assert int(size) == sandbox.limits.memory_bytes // 1024 == int(used) + int(left)
    assert int(used) >= 8
    assert df(sandbox, "-h", ".")[1].splitlines()[0] == "Filesystem      Size  Used Avail Use% Mounted on"
    assert df(sandbox, "-P", "f")[1].split()[1:5] == ["1024-blocks", "Used", "Available", "Capacity"]
    assert df(sandbox, "-BM")[1].splitlines()[0].split()[1] == "1M-blocks"


def test_what_a_file_takes_is_used(sandbox: Sandbox) -> None:
    before = int(df(sandbox, "--output=used", "-k")[1].split()[-1])
    sandbox.run("truncate", "-s", "100000", "big")
    assert int(df(sandbox, "--output=used", "-k")[1].split()[-1]) == before + 100


def test_columns_are_chosen(sandbox: Sandbox) -> None:
    assert df(sandbox, "-i")[1].split()[:5] == ["Filesystem", "Inodes", "IUsed", "IFree", "IUse%"]
    assert df(sandbox, "-T")[1].split()[1] == "Type"
    assert df(sandbox, "--output=target,file", "f")[1] == "Mounted on File\n/          f\n"
    assert df(sandbox, "--output=target", "--total", "f", "f")[1] == "Mounted on\n/\n/\n-\n"


def test_refusals(sandbox: Sandbox) -> None:
    assert df(sandbox, "nosuch") == (1, "", "df: nosuch: No such file or directory\n")
    assert df(sandbox, "-t", "ext4") == (1, "", "df: no file systems processed\n")
    assert df(sandbox, "-x", "tmpfs")[0] == 1
    assert df(sandbox, "--output=nosuch")[2].startswith("df: option --output: field 'nosuch' unknown\n")
    assert df(sandbox, "--output=size,size")[2].startswith(
        "df: option --output: field 'size' used more than once\n"
    )
    assert df(sandbox, "-i", "--output")[2].startswith("df: options -i and --output are mutually exclusive\n")
    assert df(sandbox, "-B", "x")[2] == "df: invalid -B argument 'x'\n"
    assert df(sandbox, "-q")[0] == 1

"""Names of files on Windows and in a shell. None of this looks at a file, so it is tested everywhere."""

from __future__ import annotations

import errno
import random

import pytest

from sandhook.host.names import (
    is_drive,
    is_native,
    list_to_native,
    list_to_virtual,
    to_argument,
    to_native,
    to_virtual,
)

BOTH = [
    ("/c", "C:\\"),
    ("/c/Users/x", r"C:\Users\x"),
    ("/z/a b/ä.txt", r"Z:\a b\ä.txt"),
    ("//server/share", "\\\\server\\share\\"),
    ("//server/share/a/b", r"\\server\share\a\b"),
    ("/dev/null", "NUL"),
]


@pytest.mark.parametrize(("virtual", "native"), BOTH)
def test_both_ways(virtual: str, native: str) -> None:
    assert to_native(virtual) == native
    assert to_virtual(native) == virtual


@pytest.mark.parametrize(
    ("virtual", "native"),
    [
        ("/", "C:\\"), ("/C", "C:\\"), ("/c/", "C:\\"), ("///c//a/", r"C:\a"), ("/D/x", r"D:\x"),
        ("/tmp", r"C:\tmp"), ("/cc/x", r"C:\cc\x"), ("/usr/c/x", r"C:\usr\c\x"), ("/ä/x", r"C:\ä\x"),
        ("/c/work/./../x", r"C:\work\.\..\x"), ("/c/..", r"C:\.."),
        # a Windows path after the working directory that a shell put before it
        (r"/d/work/C:\Users\x", r"C:\Users\x"), ("/d/work/C:/Users/x", r"C:\Users\x"), ("/d/work/c:", "C:\\"),
        ("/d/work/C:\\", "C:\\"), (r"/C:\a", r"C:\a"), (r"/d/work/C:\Users/x\y/z", r"C:\Users\x\y\z"),
        (r"/d/work/C:\\Users\\x", r"C:\Users\x"), (r"/d/C:\a/E:\b", r"E:\b"), (r"/d/work/C:\a/../b", r"C:\a\..\b"),
        (r"/d/work/\Users\x", r"D:\Users\x"), (r"/work/\x", r"C:\x"), ("/d/work/\\", "D:\\"),
        (r"/d/work/C:\a/\b", r"C:\b"), (r"//server/share/a/\b", r"\\server\share\b"),
        (r"/d/work/sub\x", r"D:\work\sub\x"), (r"/d/work/..\x", r"D:\work\..\x"), (r"/d/work/.\x", r"D:\work\.\x"),
        (r"/d/work/\\server\share\x", r"\\server\share\x"), (r"/d/work/\\server/share/x", r"\\server\share\x"),
        (r"/\\server\share", "\\\\server\\share\\"), (r"/d/work/\\?\C:\a", r"C:\a"), ("//?/C:/a/b", r"C:\a\b"),
        (r"/d/work/\\?\UNC\server\share\a", r"\\server\share\a"), ("//?/unc/server/share/a", r"\\server\share\a"),
        ("/c/work/nul", "NUL"), ("/c/work/NUL", "NUL"), (r"/c/work/sub\Nul", "NUL"), ("/d/c/x", r"D:\c\x"),
    ],
)  # fmt: skip
def test_names_for_the_system(virtual: str, native: str) -> None:
    assert to_native(virtual) == native


@pytest.mark.parametrize(
    ("native", "virtual"),
    [
        ("c:/Users/x", "/c/Users/x"), ("C:\\", "/c"), ("C:", "/c"), ("C:\\a\\", "/c/a"), (r"a\b", "a/b"), ("a", "a"),
        ("", ""), (r"\a", "/c/a"), ("/a", "/c/a"), ("\\", "/c"), (r"\\?\C:\a", "/c/a"), ("nul", "/dev/null"),
        (r"\\?\UNC\server\share\a", "//server/share/a"), ("//server/share/", "//server/share"), (r"..\a", "../a"),
    ],
)  # fmt: skip
def test_names_for_a_shell(native: str, virtual: str) -> None:
    assert to_virtual(native) == virtual


def test_the_drive_of_the_working_directory() -> None:
    assert to_native("/tmp", "D:") == r"D:\tmp"
    assert to_native("/", "D:\\") == "D:\\"
    assert to_native("/tmp", r"\\server\share") == r"\\server\share\tmp"
    assert to_virtual(r"\a", "D:") == "/d/a"
    assert to_virtual(r"\a", r"\\server\share") == "//server/share/a"


def test_the_directory_for_temporary_files() -> None:
    for temporary in (r"C:\Users\u\Temp", "C:/Users/u/Temp/"):
        assert to_native("/tmp", temporary=temporary) == r"C:\Users\u\Temp"
        assert to_native("/tmp/a/b", temporary=temporary) == r"C:\Users\u\Temp\a\b"
        assert to_native("/tmp/D:\\x", temporary=temporary) == "D:\\x"
        assert to_native("/tmpx", temporary=temporary) == r"C:\tmpx"
        assert to_native("/c/tmp/x", temporary=temporary) == r"C:\tmp\x"


@pytest.mark.parametrize(
    "virtual",
    [
        "/c/con", "/c/CON/x", "/c/aux.txt", "/c/com1", "/c/lpt9.log", "/c/a.", "/c/a ", "/c/...", "/c/a?", "/c/a*",
        "/c/file:stream", "/c/file.txt::$DATA", "/c/work/C:file", r"/c/a\b:c", "/c/a<b", "/c/a|b", '/c/"a"', "/c/a\tb",
        "/c/a\udcff", r"//./pipe/x", r"/c/\\.\pipe\x", "/c/nul.txt", "//server/con", r"/c/x\D:\y", "//?/x", "//a:b/c",
    ],
)  # fmt: skip
def test_names_that_are_no_files(virtual: str) -> None:
    with pytest.raises(OSError) as caught:
        to_native(virtual)
    assert caught.value.errno == errno.EINVAL
    assert caught.value.filename == virtual


@pytest.mark.parametrize("virtual", ["", "//server", "//server/", r"/c/\\server"])
def test_names_of_nothing(virtual: str) -> None:
    with pytest.raises(OSError) as caught:
        to_native(virtual)
    assert caught.value.errno == errno.ENOENT


@pytest.mark.parametrize("native", ["C:a", r"\\.\pipe\x", r"\\?\Volume{0}\a"])
def test_native_names_that_a_shell_has_none_for(native: str) -> None:
    with pytest.raises(OSError) as caught:
        to_virtual(native)
    assert caught.value.errno == errno.EINVAL


@pytest.mark.parametrize(
    ("virtual", "native"),
    [
        ("/c/a:/c/b", r"C:\a;C:\b"),
        ("/c/Program Files/Git/bin", r"C:\Program Files\Git\bin"),
        ("/c/a://server/share/b", "C:\\a;\\\\server\\share\\b"),
        ("", ""),
        ("/c/a:bin:.", r"C:\a;bin;."),
        ("/c/a;bin:/c/c", r"C:\a;bin;C:\c"),
    ],
)
def test_lists_for_the_system(virtual: str, native: str) -> None:
    assert list_to_native(virtual) == native


@pytest.mark.parametrize(
    ("native", "virtual"),
    [
        (r"C:\a;C:\b", "/c/a:/c/b"),
        (r"C:\a;;C:\b\;", "/c/a:/c/b"),
        (r'"C:\a;b";C:\c', "/c/a;b:/c/c"),
        (r'C:\"a b"\c;d', "/c/a b/c:d"),
        (r"\\server\share\a;%NOSUCH%;C:rel", "//server/share/a:%NOSUCH%:C:rel"),
        ("", ""),
    ],
)
def test_lists_for_a_shell(native: str, virtual: str) -> None:
    assert list_to_virtual(native) == virtual


def test_a_list_that_a_script_mixed() -> None:
    assert list_to_native(r"C:\x:/c/a:D:/y:/e") == "C:\\x;C:\\a;D:\\y;E:\\"
    assert list_to_native(r"C:\x;/c/a:/c/b") == r"C:\x;C:\a;C:\b"
    assert list_to_native(":/c/a::") == r"C:\a"


def test_lists_come_back() -> None:
    chance = random.Random(7)
    names = ["/c", "/c/Program Files (x86)/Git/cmd", "/d/a", "//server/share/b", "/e/x.y/z"]
    for _ in range(200):
        virtual = ":".join(chance.choice(names) for _ in range(chance.randrange(1, 6)))
        assert list_to_virtual(list_to_native(virtual)) == virtual


def test_names_come_back() -> None:
    chance = random.Random(8)
    for _ in range(500):
        names = [
            "".join(chance.choice("abcxyz ._-é[]{}~%&^!'=+,@#$") for _ in range(6)) + "e" for _ in range(4)
        ]
        virtual = chance.choice(["/c/", "/z/", "//server/share/"]) + "/".join(names[: chance.randrange(1, 5)])
        assert to_virtual(to_native(virtual)) == virtual
        native = to_native(virtual)
        assert to_native("/d/some where/" + native) == native, "behind any working directory"


def test_no_name_takes_long() -> None:
    assert to_native("/c/" + "a/" * 50_000).count("\\") == 50_000
    assert to_native("/c/" + "a\\" * 50_000).count("\\") == 50_000
    assert to_native("/c" + "/C:\\a" * 50_000) == "C:\\a"
    assert to_native("/c" + r"/\\server\share" * 50_000) == "\\\\server\\share\\"
    assert len(list_to_native(":".join(["/c/a"] * 20_000)).split(";")) == 20_000


@pytest.mark.parametrize(
    ("word", "argument"),
    [
        ("/c/work/x.js", "C:/work/x.js"), ("/C/x", "C:/x"), ("/c/", "C:/"), ("/c/a b/*.py", "C:/a b/*.py"),
        ("--out=/c/x", "--out=C:/x"), ("-I=/c/x", "-I=C:/x"), ("/tmp/x", "C:/T/x"), ("--to=/tmp", "--to=C:/T"),
        ("/c/../x", "C:/../x"),
    ],
)  # fmt: skip
def test_arguments_that_are_paths(word: str, argument: str) -> None:
    assert to_argument(word, {"C:"}.__contains__, "C:\\T\\") == argument


@pytest.mark.parametrize(
    "word",
    [
        "", "x", "/c", "/", "//", "/cc/x", "/v/1/items", "/usr/bin", "/s/x/y", "c/x", "./c/x", "//server/share", "x=/c/y",
        "/c/a:/c/b", "--x=/c/a:/c/b", "-I/c/x", "https://c/x", "s/c/d/", "C:/x", "C:\\x", "/tmpx", "/ä/x", "--x=", "=/c/x",
    ],
)  # fmt: skip
def test_arguments_that_are_none(word: str) -> None:
    assert to_argument(word, {"C:"}.__contains__, "C:\\T") == word


def test_what_is_native() -> None:
    assert is_drive("C:") and is_drive("z:")
    assert not any(map(is_drive, ["", "C", ":", "1:", "é:", "CC:", "C:\\"]))
    assert is_native(r"a\b") and is_native("C:/x")
    assert not is_native("/c/x") and not is_native("ab:c") and not is_native("x")

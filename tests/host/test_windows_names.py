"""Names of files in scripts on Windows: both forms, wherever a path is given."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from sandhook import HostShell

pytestmark = pytest.mark.skipif(sys.platform != "win32", reason="both forms of a path are of Windows")


@pytest.fixture
def shell(tmp_path: Path) -> HostShell:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "file.txt").write_bytes(b"text\n")
    return HostShell(cwd=tmp_path, env={**os.environ, "BACK": str(tmp_path), "SLASH": tmp_path.as_posix()})


def out(shell: HostShell, script: str) -> str:
    result = shell.run(script)
    assert (result.stderr, result.exit_status) == ("", 0), result
    return result.stdout


def virtual(path: Path) -> str:
    return f"/{path.drive[0].lower()}{path.as_posix()[2:]}"


@pytest.mark.parametrize(
    "name",
    [
        "sub/file.txt", r"'sub\file.txt'", r"'.\sub\file.txt'", '"$BACK/sub/file.txt"', r'"$BACK\sub\file.txt"',
        r'"$BACK\\sub\\file.txt"', '"$SLASH/sub/file.txt"', '"$PWD/sub/file.txt"', r'"$PWD/sub\file.txt"', "SUB/File.TXT",
        '"$BACK"/sub/../sub/file.txt', '"${BACK#?:}/sub/file.txt"', '"$BACK"/sub/*.txt', '"$SLASH"/s*/f*', "s*/*",
    ],
)  # fmt: skip
def test_a_file_is_found_by_every_form_of_its_name(shell: HostShell, name: str) -> None:
    script = f"cat {name}; cat < {name}; [ -f {name} ] && [ -s {name} ] && echo there"
    assert out(shell, script) == "text\ntext\nthere\n"


@pytest.mark.parametrize("name", ["sub", r"'sub\'", '"$BACK/sub"', r'"$BACK\sub"', '"$SLASH/sub/"', "SUB"])
def test_directories_have_one_name_in_a_shell(shell: HostShell, tmp_path: Path, name: str) -> None:
    where = virtual(tmp_path / "sub")
    assert (
        out(shell, f"cd {name} && pwd -P && echo text2 > new && cat new").lower()
        == f"{where}\ntext2\n".lower()
    )
    assert (tmp_path / "sub" / "new").read_bytes() == b"text2\n"


def test_backslashes_in_variables_stay(shell: HostShell, tmp_path: Path) -> None:
    assert out(shell, 'printf "%s\\n" "$BACK"; x=$BACK\\\\y; echo "$x"; export x; printenv x') == (
        f"{tmp_path}\n{tmp_path}\\y\n{tmp_path}\\y\n"
    )
    assert out(shell, 'read -r x <<< "$BACK"; echo "$x"') == f"{tmp_path}\n"


def test_path_has_colons_in_a_shell_and_semicolons_in_a_program(shell: HostShell) -> None:
    assert re.match("/[a-z]/", out(shell, 'echo "$PATH"'))
    program = f'"{Path(sys.executable).as_posix()}" -c "import os; print(os.environ[\'PATH\'])"'
    shown = out(shell, f'PATH="/c/first dir:$PATH:$BACK"; {program}').strip().split(";")
    assert shown[0] == r"C:\first dir"
    assert shown[-1] == os.fspath(Path(shell.world.fs.native(shell.cwd)))  # type: ignore[union-attr]
    assert all(entry[1:3] == ":\\" for entry in shown)


def test_the_working_directory_is_a_program_s_own(shell: HostShell, tmp_path: Path) -> None:
    program = f'"{Path(sys.executable).as_posix()}" -c "import os; print(os.getcwd(), os.environ[\'PWD\'])"'
    shown = out(shell, f"cd sub; {program}").strip()
    assert shown.lower() == f"{tmp_path}\\sub {tmp_path}\\sub".lower()


def test_programs_get_paths_that_they_know(shell: HostShell, tmp_path: Path) -> None:
    (tmp_path / "show").write_text(
        "#!/usr/bin/env python\nimport os, sys\nprint(sys.argv[1:], os.environ.get('X'))\n"
    )
    (tmp_path / "own").write_text('echo "$1"\n')
    path = f'PATH="{virtual(Path(sys.executable).parent)}:$PATH"'
    here = tmp_path.as_posix()
    for program in ("./show", f'"{Path(sys.executable).as_posix()}" show'):
        shown = out(shell, f'{path}; X=$PWD/x {program} "$PWD/a b" --out=$PWD/x /c /q/x /d "$BACK"')
        words = [f"{here}/a b", f"--out={here}/x", "/c", "/q/x", "/d", str(tmp_path)]
        assert shown.lower().splitlines()[0] == f"{words} {here}/x".lower()
    shown = out(shell, f'{path}; export MSYS_NO_PATHCONV=1; ./show "$PWD/a"')
    assert shown.lower().startswith(f"['{virtual(tmp_path)}/a']".lower())
    assert out(shell, './own "$PWD/a"').lower() == f"{virtual(tmp_path)}/a\n".lower(), (
        "our shell needs no other form"
    )


def test_the_null_device(shell: HostShell, tmp_path: Path) -> None:
    assert out(shell, "echo x > /dev/null; echo y > nul; cat /dev/null NUL; echo z") == "z\n"
    assert [each.name for each in tmp_path.iterdir()] == ["sub"]


def test_the_directory_for_temporary_files(shell: HostShell) -> None:
    script = 'x=$(mktemp /tmp/sandhook.XXXXXX) && echo text > "$x" && cat "$x" && ls "$TEMP/${x##*/}" >/dev/null && rm "$x"'
    assert out(shell, script) == "text\n"


@pytest.mark.parametrize("name", ["con", "aux.txt", "a.", "'a?'", "sub/file.txt:stream", "'C:file'", "'x|y'"])
def test_names_that_mean_no_file_are_not_there(shell: HostShell, tmp_path: Path, name: str) -> None:
    result = shell.run(f"[ -e {name} ] && echo there; echo x > {name}")
    assert (result.stdout, result.exit_status) == ("", 1)
    assert "Invalid argument" in result.stderr
    assert [each.name for each in tmp_path.rglob("*")] == ["sub", "file.txt"]


def test_programs_are_found_with_and_without_their_extension(shell: HostShell) -> None:
    python = Path(sys.executable)
    found = virtual(python)
    script = f"PATH='{virtual(python.parent)}'; command -v {python.stem}; command -v {python.name}; type -P {python.stem}"
    assert out(shell, script).lower() == f"{found}\n{found}\n{found}\n".lower()

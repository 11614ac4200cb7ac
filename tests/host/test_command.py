"""HostCommand: what a sandboxed script may and may not do with a program of the machine."""

from __future__ import annotations

import errno
import os
import sys
import time

import pytest

from sandhook import HostCommand, Limits, Shell
from sandhook.host.command import find_program, native_below

CODE = """
import os, sys
for name in sys.argv[1:]:
    text = open(name).read()
    open(name, "w", newline="\\n").write(text.upper())
print(sorted(os.listdir(".")))
"""


def python(code: str, **more: object) -> HostCommand:
    given = more.pop("args", [...])
    return HostCommand("tool", args=["-c", code, *given], executable=sys.executable, **more)


def call(code: str, *arguments: str) -> str:
    quoted = "'" + code.replace("'", "'\\''") + "'"
    return f"tool -c {quoted} {' '.join(arguments)}"


def test_a_program_sees_the_workspace_and_changes_a_copy():
    shell = Shell(files={"a.txt": "one\n", "sub/b.txt": "two\n"}, utilities=[python(CODE)])
    result = shell.run(call(CODE, "a.txt") + "; cat a.txt")
    assert (result.stdout.split(), result.stderr) == (["['a.txt',", "'sub']", "one"], "")


def test_what_it_changes_comes_back_when_it_may():
    shell = Shell(files={"a.txt": "one\n", "sub/b.txt": "two\n"}, utilities=[python(CODE, write_back=True)])
    assert (
        shell.run("cd sub; " + call(CODE, "b.txt") + " >/dev/null; cat b.txt ../a.txt").stdout == "TWO\none\n"
    )
    code = "import os; os.remove('a.txt'); os.mkdir('d'); open('d/new', 'w').write('x')"
    shell = Shell(files={"a.txt": "one\n"}, utilities=[python(code, write_back=True)])
    assert shell.run(call(code) + "; find . | sort").stdout == ".\n./d\n./d/new\n"


def test_a_change_that_keeps_size_and_time_comes_back():
    code = "import os; t = os.stat('a').st_mtime_ns; open('a', 'w').write('two'); os.utime('a', ns=(t, t))"
    shell = Shell(files={"a": "one", "b": "three"}, utilities=[python(code, write_back=True)])
    assert shell.run(call(code) + "; cat a b").stdout == "twothree"


def test_a_file_becomes_a_directory_and_a_directory_a_file():
    code = (
        "import os; os.remove('a'); os.mkdir('a'); open('a/in', 'w').write('1');"
        "os.remove('d/x'); os.rmdir('d'); open('d', 'w').write('2')"
    )
    shell = Shell(files={"a": "one", "d/x": "two"}, utilities=[python(code, write_back=True)])
    assert shell.run(call(code) + "; cat a/in d; find . | sort | xargs").stdout == "12. ./a ./a/in ./d\n"


def test_what_is_copied_is_charged_by_its_size():
    code = "pass"
    files = {"a": b"x" * (1 << 20)}
    shell = Shell(files=files, utilities=[python(code)])
    assert shell.run(call(code)).limit is None
    shell = Shell(files=files, utilities=[python(code)], limits=Limits(steps=900))
    assert shell.run(call(code)).limit == "steps"


def test_links_lead_nowhere():
    code = "import os; os.symlink('/etc/hostname', 'out') if os.name == 'posix' else None; print(os.listdir('.'))"
    shell = Shell(files={"a": ""}, utilities=[python(code, write_back=True)])
    result = shell.run("ln -s /etc/passwd in; " + call(code) + "; ls")
    assert "in" not in result.stdout.splitlines()[0]
    assert "out" not in result.stdout.splitlines()[1:]


@pytest.mark.parametrize(
    "words",
    ["fmt /etc/passwd", "fmt ../x", "fmt -x", "fmt a/../../b", "fmt ''", "build", "", "fmt C:x", "fmt '\\x'"],
)
def test_other_arguments_are_refused(words):
    shell = Shell(utilities=[HostCommand("cargo", args=["fmt", ...], executable=sys.executable)])
    result = shell.run(f"cargo {words}")
    assert (result.exit_status, result.stdout) == (126, "")
    assert result.stderr == "cargo: not allowed with these arguments; allowed: cargo fmt FILE...\n"


def test_several_forms_and_a_function():
    forms = [["-c", "print(1)"], ["-c", str.isascii]]
    shell = Shell(utilities=[HostCommand("tool", args=forms, executable=sys.executable)])
    assert shell.run("tool -c 'print(1)'").stdout.strip() == "1"
    assert shell.run("tool -c 'print(2)'").stdout.strip() == "2"
    assert shell.run("tool -c 'print(\"é\")'").exit_status == 126


def test_streams_and_status_are_the_programs():
    code = "import sys; data = sys.stdin.read(); print(len(data)); print('e', file=sys.stderr); sys.exit(3)"
    shell = Shell(utilities=[python(code)])
    result = shell.run(f"seq 20000 | {call(code)} | cat; echo ${{PIPESTATUS[@]}}")
    assert (result.stdout.split(), result.stderr.strip()) == (["108894", "0", "3", "0"], "e")


def test_the_environment_is_not_the_agents(monkeypatch):
    monkeypatch.setenv("SECRET_OF_MINE", "x")
    code = "import os; print('SECRET_OF_MINE' in os.environ, os.environ['GIVEN'])"
    assert Shell(utilities=[python(code, env={"GIVEN": "y"})]).run(call(code)).stdout.split() == [
        "False",
        "y",
    ]


def test_the_limits_of_the_run_hold():
    code = "import time; time.sleep(300)"
    shell = Shell(utilities=[python(code)], limits=Limits(wall_seconds=1.0))
    started = time.monotonic()
    assert shell.run(call(code)).limit == "wall_seconds"
    assert time.monotonic() - started < 60
    code = "print('x' * 10**6)"
    assert Shell(utilities=[python(code)]).run(call(code)).limit == "output_bytes"


def test_a_program_that_is_not_there():
    result = Shell(utilities=[HostCommand("no-such-program-x")]).run("no-such-program-x")
    assert (result.exit_status, result.stderr) == (
        127,
        "no-such-program-x: this machine has no such program\n",
    )


def test_wrong_declarations_are_named():
    with pytest.raises(ValueError, match=r"'\.\.\.' can only be the last argument"):
        HostCommand("x", args=[..., "a"])
    with pytest.raises(ValueError, match="cwd: wanted an absolute path of the sandbox, got 'work'"):
        HostCommand("x", cwd="work")


@pytest.mark.parametrize(
    "name", ["C:\\x", "..\\x", "\\x", "sub/..\\..\\x", "sub/C:x", "con", "a.", "a:b", "\\\\server\\share"]
)
def test_names_that_lead_elsewhere_on_windows_are_not_copied(name):
    with pytest.raises(OSError) as caught:
        native_below("root", name, windows=True)
    assert caught.value.errno == errno.EINVAL
    assert native_below("root", "sub/a b.txt", windows=True) == os.path.join("root", "sub", "a b.txt")


def test_a_file_of_such_a_name_stays_in_the_sandbox(tmp_path):
    shell = Shell(files={f"{tmp_path}\\out": "x", "..\\..\\out": "x"}, utilities=[python("print('ran')")])
    result = shell.run(call("print('ran')"))
    if os.name == "nt":
        assert (result.exit_status, result.stdout) == (126, "")
    else:
        assert result.stdout == "ran\n"
    assert not list(tmp_path.iterdir())


def test_a_program_of_the_current_directory_is_not_found(tmp_path, monkeypatch):
    for directory in ("here", "there"):
        (tmp_path / directory).mkdir()
        for ending in ("", ".exe", ".bat"):
            (tmp_path / directory / f"zz-tool{ending}").write_bytes(b"")
            (tmp_path / directory / f"zz-tool{ending}").chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    for path in ("", ".", os.pathsep, os.pathsep.join(["", ".", "here"])):
        monkeypatch.setenv("PATH", path)
        assert find_program("zz-tool") is None
    monkeypatch.setenv("PATH", os.pathsep.join([".", str(tmp_path / "there")]))
    assert os.path.dirname(find_program("zz-tool") or "") == str(tmp_path / "there")


@pytest.mark.skipif(os.name != "nt", reason="batch files are of Windows")
def test_a_batch_file_gets_no_argument_that_cmd_would_read(tmp_path):
    (tmp_path / "tool.bat").write_text("@echo off\necho %1\n")
    command = HostCommand("tool", args=[...], executable=str(tmp_path / "tool.bat"))
    shell = Shell(files={"a&echo x": "", "a b": ""}, utilities=[command])
    assert shell.run("tool 'a b'").stdout.strip() == '"a b"'
    result = shell.run("tool 'a&echo x'")
    assert (result.exit_status, result.stdout) == (126, "")


# Files that programs execute.

LISTS = """
import os
for top, names, files in os.walk('.'):
    for name in sorted(files): print(os.path.join(top, name).replace(os.sep, '/')[2:])
"""
CONTROL = {
    ".git/config": "[core]\nfsmonitor = touch ran\n",
    ".git/hooks/pre-commit": "#!/bin/sh\n",
    ".cargo/config.toml": "",
    ".husky/x": "",
    "sub/.vscode/tasks.json": "",
    ".npmrc": "",
    "Makefile": "all:\n\ttouch ran\n",
    "sub/package.json": "{}",
    "build.rs": "",
    "conftest.py": "",
    "eslint.config.mjs": "",
    ".prettierrc.js": "",
}
PLAIN = {"a.py": "", "sub/b.js": "", ".prettierrc": "", ".editorconfig": "", "pyproject.toml": ""}


def test_files_that_programs_execute_are_not_copied():
    shell = Shell(files={**CONTROL, **PLAIN}, utilities=[python(LISTS)])
    assert sorted(shell.run(call(LISTS)).stdout.split()) == sorted(PLAIN)


def test_files_that_programs_execute_are_copied_when_they_are_named():
    named = ["package.json", "sub/package.json", "./.cargo", ".git/config"]
    shell = Shell(files={**CONTROL, **PLAIN}, utilities=[python(LISTS, control_files=named)])
    wanted = {*PLAIN, "sub/package.json", ".cargo/config.toml", ".git/config"}
    assert sorted(shell.run(call(LISTS)).stdout.split()) == sorted(wanted)
    with pytest.raises(TypeError, match="control_files: wanted a list of paths"):
        HostCommand("x", control_files=".git")
    with pytest.raises(TypeError, match="args: wanted a list of arguments, got a text"):
        HostCommand("tool", "-q")


def test_files_that_programs_execute_are_neither_changed_nor_removed():
    code = (
        "import os; os.mkdir('.git'); open('.git/config', 'w').write('x'); open('Makefile', 'w').write('x')"
    )
    shell = Shell(files={**CONTROL, **PLAIN}, utilities=[python(code, write_back=True)])
    assert (
        shell.run(call(code) + "; cat .git/config Makefile").stdout
        == CONTROL[".git/config"] + CONTROL["Makefile"]
    )


@pytest.mark.skipif(find_program("git") is None, reason="needs git")
@pytest.mark.parametrize("place", [".git", ".", ".GIT"])
def test_git_does_not_run_the_program_that_its_configuration_names(tmp_path, place):
    """Also where the working directory itself is a repository ("bare")."""
    ran = tmp_path / "ran"
    git = HostCommand("git", args=["status"])
    shell = Shell(utilities=[git])
    shell.run(f"mkdir -p {place}/objects {place}/refs; echo 'ref: refs/heads/x' > {place}/HEAD")
    settings = (
        f"[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = .\\nfsmonitor = touch {ran} #\\n"
    )
    shell.run(f"printf '{settings}' > {place}/config")
    result = shell.run("git status")
    assert "not a git repository" in result.stderr and not ran.exists()


def test_a_repository_of_git_is_copied_when_its_files_are_named():
    files = {"sub/HEAD": "x", "sub/config": "x", "sub/objects/a": "x", "sub/refs/a": "x", "config": "plain"}
    rest = {"sub/objects/a", "sub/refs/a", "config"}
    assert set(Shell(files=files, utilities=[python(LISTS)]).run(call(LISTS)).stdout.split()) == rest
    named = python(LISTS, control_files=["sub/config", "sub/HEAD"])
    assert set(Shell(files=files, utilities=[named]).run(call(LISTS)).stdout.split()) == set(files)

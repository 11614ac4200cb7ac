"""Which commands run through sandhook, and which shell an agent starts."""

from __future__ import annotations

import os
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from sandhook.hooks.model import Executor, HookSpec
from sandhook.hooks.through import Wrapped, wrapped
from sandhook.proving.launch import directories, program, shell_of


def spec(text: str = "", argv: tuple[str, ...] = (), **extras: str) -> HookSpec:
    kind = "argv" if argv else "bash"
    return HookSpec("a", "tool.pre", "PreToolUse", Executor(kind, text, argv), extras=extras)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sandhook hook --contract crush -- -c 'a b'", Wrapped("a b", False, False, None)),
        ("/opt/bin/sandhook hook --fail-closed --host --timeout 9 -- -c ./a", Wrapped("./a", True, True, 9.0)),
        ("python -m sandhook hook --timeout=2.5 -- guard.sh --strict", Wrapped("bash './guard.sh' --strict", False, False, 2.5)),
        ('sandhook hook -- "$CLAUDE_PROJECT_DIR"/x.sh', Wrapped('bash "$CLAUDE_PROJECT_DIR"/x.sh', False, False, None)),
        (f"sandhook.exe hook --host -- -b {b64encode(b'exit 2').decode()}", Wrapped("exit 2", False, True, None)),
        ("sandhook hook --env --fail-closed -- -c x", Wrapped("x", False, False, None)),
        ("sandhook hook -- -b !", None),
        ("./sandhook hook -- x.sh", None),
        ("bin/python -m sandhook hook -- x.sh", None),
        ("./own.sh -m sandhook hook -- x.sh", None),
        ("sandhook hook --timeout 0 -- x.sh", None),
        ("sandhook hook --timeout nan -- x.sh", None),
        ("sandhook hook -- x.sh || exit 0", None),
        ("sandhook hook -- x.sh &", None),
        ("sandhook hook -- x.sh; exit 0", None),
        ("sandhook hook -- x.sh > log", None),
        ('sandhook hook -- -c "$TEXT"', None),
        ("sandhook hook --timeout x -- -c x", None),
        ("sandhook hook --host", None),
        ("sandhook hook --", None),
        ("sandhook fire --as-hook crush --hooks x", None),
        ("./guard.sh", None),
        ("echo 'unfinished", None),
        ("", None),
    ],
)  # fmt: skip
def test_wrapped(text: str, expected: Wrapped | None) -> None:
    assert wrapped(spec(text)) == expected


def test_wrapped_arguments() -> None:
    argv = ("sandhook", "hook", "--fail-closed", "--", "-c", "exit 2")
    assert wrapped(spec(argv=argv)) == Wrapped("exit 2", True, False, None)


def test_the_bash_of_windows_does_not_count() -> None:
    path = ["/c/Windows/System32", "/c/Users/me/AppData/Local/Microsoft/WindowsApps", "/c/Git/bin"]
    env = {"PATH": os.pathsep.join(path), "SYSTEMROOT": "/c/windows"}
    assert list(directories("bash", env, "win32")) == ["/c/Git/bin"]
    assert list(directories("jq", env, "win32")) == path
    assert list(directories("bash", env, "linux")) == path


def test_the_path_of_a_program_has_the_separators_of_the_system(tmp_path: Path) -> None:
    path = tmp_path / "jq.exe"
    path.write_bytes(b"")
    path.chmod(0o755)
    found = program("jq.exe", {"PATH": str(tmp_path)})
    assert found == str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs permissions of POSIX")
def test_programs_and_shells(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("")
    env = {"PATH": str(tmp_path)}
    assert program("tool", env) == ""
    (tmp_path / "tool").chmod(0o755)
    assert program("tool", env) == f"{tmp_path}/tool"
    assert program(f"{tmp_path}/tool", {}) == f"{tmp_path}/tool"
    (tmp_path / "bash").write_text("")
    (tmp_path / "bash").chmod(0o755)
    assert shell_of(spec("x"), "crush", env).path == f"{tmp_path}/bash"
    assert shell_of(spec("x"), "claude_code", env).name == "sh"
    assert shell_of(spec("x", shell="bash"), "claude_code", env).path == f"{tmp_path}/bash"
    assert shell_of(spec("x", shell="powershell"), "claude_code", env).path == ""

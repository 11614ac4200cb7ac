"""Environments of runs on the host: what is taken from the agent's, and what never by itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sandhook.host.environment import absolute_entries, build, loads_code

HOST = {
    "PATH": "/usr/bin:/bin", "HOME": "/home/u", "LANG": "C.UTF-8", "TOKEN": "t", "LD_PRELOAD": "/x.so",
    "LD_LIBRARY_PATH": "/x", "DYLD_INSERT_LIBRARIES": "/x", "PYTHONPATH": "/x", "PYTHONSTARTUP": "/x",
    "NODE_OPTIONS": "--require /x", "BASH_ENV": "/x", "ENV": "/x", "BASH_FUNC_ls%%": "() { :; }", "PERL5OPT": "-Mx",
    "RUBYOPT": "-rx", "GIT_EXTERNAL_DIFF": "/x", "GIT_DIR": "/x", "GIT_CONFIG_COUNT": "1", "PROMPT_COMMAND": "x",
    "SHELLOPTS": "xtrace", "BASHOPTS": "nullglob", "PS4": "$(x)", "IFS": "x", "GIT_AUTHOR_NAME": "u", "EDITOR": "vi",
}  # fmt: skip
GOOD = {"PATH", "HOME", "LANG", "TOKEN", "GIT_AUTHOR_NAME", "EDITOR"}


def test_inherit_takes_all_but_what_loads_code() -> None:
    assert build("inherit", HOST) == {name: HOST[name] for name in GOOD}


def test_inherit_keeps_what_is_named() -> None:
    made = build("inherit", HOST, keep=["PYTHONPATH", "LD_*"])
    assert set(made) == GOOD | {"PYTHONPATH", "LD_PRELOAD", "LD_LIBRARY_PATH"}


def test_inherit_leaves_out_beginnings() -> None:
    assert set(build("inherit", HOST, without=["GIT_", "TOK"])) == GOOD - {"GIT_AUTHOR_NAME", "TOKEN"}


def test_allow_takes_what_is_named_and_no_more() -> None:
    assert build("allow", HOST, names=["HOME", "NOSUCH", "PYTHONPATH"]) == {
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/u",
        "PYTHONPATH": "/x",
    }


def test_fresh_takes_nothing_but_path() -> None:
    assert build("fresh", HOST, names=["HOME"], keep=["HOME"]) == {"PATH": "/usr/bin:/bin"}
    assert build("fresh", {}) == {}


@pytest.mark.parametrize("policy", ["inherit", "allow", "fresh"])
def test_what_the_hook_sets_goes_over_all(policy: str) -> None:
    made = build(policy, HOST, extra={"HOME": "/h", "LD_PRELOAD": "/mine", "PATH": "/p"})
    assert (made["HOME"], made["LD_PRELOAD"], made["PATH"]) == ("/h", "/mine", "/p")


def test_other_policies_are_refused() -> None:
    with pytest.raises(ValueError, match="env_policy is 'all': inherit, allow, fresh"):
        build("all", HOST)


def test_the_given_environments_stay_as_they_are() -> None:
    given, extra = dict(HOST), {"A": "1"}
    build("inherit", given, extra=extra)["B"] = "2"
    assert (given, extra) == (HOST, {"A": "1"})


@pytest.mark.parametrize(
    ("path", "made"),
    [
        ("/a:/b", "/a:/b"), (":/a::/b:", "/a:/b"), (".:/a:bin:./b:../c", "/a"), ("", ""), ("node_modules/.bin", ""),
        ("~/bin:/a", "/a"),
    ],
)  # fmt: skip
def test_path_has_absolute_entries_alone(path: str, made: str) -> None:
    assert absolute_entries(path) == made
    assert build("inherit", {"PATH": path})["PATH"] == made


@pytest.mark.parametrize(
    ("path", "made"),
    [
        (r"C:\a;c:/b", r"C:\a;c:/b"), (r"C:\a;;.;bin;\x;C:rel;C:", r"C:\a"), (r'"C:\a b";D:\c', r'"C:\a b";D:\c'),
        (r"\\server\share\a;\\.\pipe", r"\\server\share\a"),
    ],
)  # fmt: skip
def test_path_of_windows_has_absolute_entries_alone(path: str, made: str) -> None:
    assert absolute_entries(path, windows=True) == made


WINDOWS = {
    "Path": r"C:\Windows", "SystemRoot": r"C:\Windows", "ComSpec": r"C:\Windows\system32\cmd.exe", "Temp": r"C:\T",
    "PATHEXT": ".EXE", "UserProfile": r"C:\Users\u", "PythonPath": r"C:\x", "Token": "t",
}  # fmt: skip


def test_case_of_names_counts_for_nothing_on_windows() -> None:
    made = build("inherit", WINDOWS, extra={"token": "u", "New": "n"}, windows=True)
    assert made == {
        "PATH": r"C:\Windows", "SYSTEMROOT": r"C:\Windows", "COMSPEC": r"C:\Windows\system32\cmd.exe",
        "TEMP": r"C:\T", "PATHEXT": ".EXE", "USERPROFILE": r"C:\Users\u", "token": "u", "New": "n",
    }  # fmt: skip
    assert "PYTHONPATH" in build("inherit", WINDOWS, keep=["PythonPath"], windows=True)
    assert set(build("allow", WINDOWS, names=["userprofile"], windows=True)) == {
        "PATH", "SYSTEMROOT", "COMSPEC", "TEMP", "PATHEXT", "USERPROFILE",
    }  # fmt: skip
    assert "TOKEN" not in build("inherit", WINDOWS, without=["tok"], windows=True)


def test_programs_of_windows_get_what_they_cannot_do_without() -> None:
    made = build("fresh", WINDOWS, windows=True)
    assert set(made) == {"PATH", "SYSTEMROOT", "COMSPEC", "TEMP", "PATHEXT"}


@pytest.mark.parametrize(
    "name", ["pythonpath", "Ld_Preload", "BASH_FUNC_x%%", "GIT_CONFIG_KEY_0", "_JAVA_OPTIONS"]
)
def test_names_that_load_code(name: str) -> None:
    assert loads_code(name)


@pytest.mark.parametrize(
    "name", ["HOME", "LDFLAGS", "GIT_COMMITTER_EMAIL", "NODE_ENV", "PYENV_ROOT", "ENVIRONMENT", "PS1"]
)
def test_names_of_data(name: str) -> None:
    assert not loads_code(name)


def test_this_python_starts_in_a_fresh_environment() -> None:
    made = build("fresh", os.environ, windows=sys.platform == "win32")
    done = subprocess.run(
        [sys.executable, "-c", "print('started')"], env=made, capture_output=True, timeout=60
    )
    assert done.stdout.split() == [b"started"]

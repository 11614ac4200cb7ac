"""Whatever is wrong with one configuration file, the guards of the other layers stay in force."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from sandhook.hooks import HookEngine, contracts
from sandhook.hooks.contracts import Document, Loaded, LoadOptions, get
from sandhook.hooks.events import ToolPre
from sandhook.hooks.model import HookSpec
from sandhook.hooks.sources import MAX_BYTES, discover
from tests.hooks.test_silencing import GUARDS, Runner
from tests.sandbox.tools import every


def toml_of(name: str) -> str:
    """Return the guard of a contract whose files are TOML."""
    assert name == "mistral_vibe"
    return '[[hooks]]\nname = "g"\ntype = "pre_tool"\ncommand = "guard"\nstrict = true\n'


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one, TemporaryDirectory(dir="/tmp") as short:
        one.bind(f"{short}/s")  # a name of a socket has a hundred characters at most
        shutil.move(f"{short}/s", path)


def directory(path: Path) -> None:
    path.mkdir()


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 << 20)


def unreadable(path: Path) -> None:
    path.write_text("{}")
    path.chmod(0)


def text(content: str | bytes) -> Callable[[Path], None]:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return lambda path: (path.write_bytes(data), None)[1]


BROKEN: dict[str, Callable[[Path], None]] = {
    "fifo": fifo,
    "device": link_to_device,
    "socket": unix_socket,
    "directory": directory,
    "loop": loop,
    "huge": huge,
    "unreadable": unreadable,
    "empty": text(""),
    "zeros": text(b"\0" * 1000),
    "not utf-8": text(b"\xff\xfe{}"),
    "surrogate": text('{"a": "\ud800"}'),
    "escaped surrogate": text('{"hooks": {"PreToolUse": "\\ud800"}}'),
    "long": text("{" + " " * MAX_BYTES + "}"),
    "junk": text("{]"),
    "deep array": text("[" * 100_000),
    "deep object": text('{"hooks":' * 5_000 + "1" + "}" * 5_000),
    "deep toml": text("a = " + "[" * 5_000 + "]" * 5_000),
    "long integer": text('{"hooks": ' + "9" * 5_000 + "}"),
    "long toml integer": text("a = " + "9" * 5_000),
    "long toml key": text("a" + ".a" * 20_000 + " = 1"),
    "bad toml date": text("a = 0000-99-99"),
    "large number": text('{"hooks": 1e999, "version": 1e999}'),
    "yaml alias bomb": text("a: &a [x,x]\nb: &b [*a,*a]\n" + "".join(f"c{n}: [*b,*b]\n" for n in range(2000))),
    "yaml tag": text("a: !!python/object:os.system x"),
    "yaml self": text("a: &a [*a]"),
    "duplicates": text('{"hooks": {}, "hooks": {"BeforeTool": 5}}'),
    "number for hooks": text('{"version": 1, "hooks": 5}'),
    "list": text("[[[]]]"),
    "numbers for names": text('{"version": 1, "hooks": {"PreToolUse": [{"matcher": 5, "hooks": [5, null]}]}}'),
}  # fmt: skip

if not hasattr(os, "mkfifo"):
    for _name in ("fifo", "device", "socket", "loop", "unreadable"):
        del BROKEN[_name]

#: Contracts that have files of the user in addition to those of the project.
LAYERED = [name for name in contracts.names() if name not in ("docker_agent", "kimi", "hermes", "cline")]


def prepare(name: str, home: Path, cwd: Path) -> tuple[list[Path], dict[str, str]]:
    """Write the user's guard; return the files of the project, and the environment."""
    env = {"HOME": str(home)}
    layers = get(name).layers(str(cwd), env, "linux")
    own = [layer.path for layer in layers if layer.name == "user"]
    guard = Path(own[0].replace("*.json", "guard.json"))
    if name in ("codex", "grok"):  # the first are TOML
        guard = Path(next(path for path in own if path.endswith(".json")).replace("*", "guard"))
    if name == "goose":
        guard = Path(own[1].replace("*", "plugin"))  # the first has settings
    guard.parent.mkdir(parents=True, exist_ok=True)
    guard.write_text(toml_of(name) if name == "mistral_vibe" else json.dumps(GUARDS[name]))
    projects = [
        Path(layer.path.replace("*.json", "x.json").replace("*", "x"))
        for layer in layers
        if layer.name in ("project", "local") and layer.path.startswith(str(cwd))
    ]
    return projects, env


def refused(name: str, cwd: Path, env: dict[str, str]) -> tuple[bool, list[str], list[str]]:
    """Return whether the guard refuses, which layers' guards ran, and the files that have problems."""
    contract = get(name)
    documents, problems = discover(contract, str(cwd), env, "linux")
    runner = Runner(name, "user")
    engine = HookEngine.load(documents, contract, runner=runner, trust=lambda spec: True)
    decision = engine.fire(ToolPre("Bash", {"command": "ls"}))
    return decision.refused, runner.guarded, [each.file for each in (*problems, *engine.problems)]


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("name", every(3, LAYERED))
def test_a_broken_file_of_the_project_leaves_the_users_guard(tmp_path: Path, name: str, broken: str) -> None:
    if sys.platform == "win32":
        pytest.skip("the paths of Linux")
    home, cwd = tmp_path / "home", tmp_path / "project"
    cwd.mkdir()
    projects, env = prepare(name, home, cwd)
    assert projects
    for path in projects:
        path.parent.mkdir(parents=True, exist_ok=True)
        BROKEN[broken](path)
    assert refused(name, cwd, env)[:2] == (True, ["user"])


@pytest.mark.parametrize("name", ["claude_code", "codex", "mistral_vibe", "ub"])
@pytest.mark.parametrize("broken", ["huge", "not utf-8", "long integer", "directory"])
def test_a_broken_file_is_a_problem_that_names_it(tmp_path: Path, name: str, broken: str) -> None:
    if sys.platform == "win32":
        pytest.skip("the paths of Linux")
    if name == "ub" and broken == "long integer":
        pytest.skip("YAML has no long integers: it is text")
    home, cwd = tmp_path / "home", tmp_path / "project"
    cwd.mkdir()
    projects, env = prepare(name, home, cwd)
    projects[-1].parent.mkdir(parents=True, exist_ok=True)
    BROKEN[broken](projects[-1])
    assert refused(name, cwd, env)[2] == [str(projects[-1])]


class Failing:
    """A contract whose parser or loader fails at some documents, as a defect would make it."""

    def __init__(self, name: str, error: type[BaseException]) -> None:
        self._contract = get(name)
        self._error = error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._contract, name)

    def load(self, documents: list[Document], options: LoadOptions) -> Loaded:
        if any(document.layer == "project" for document in documents):
            raise self._error("defect")
        return self._contract.load(documents, options)


@pytest.mark.parametrize("error", [ValueError, RecursionError, MemoryError, KeyError, UnicodeError])
@pytest.mark.parametrize("name", contracts.names())
def test_a_loader_that_fails_at_one_file_loads_the_others(name: str, error: type[BaseException]) -> None:
    runner = Runner(name, "user")
    contract: Any = Failing(name, error)
    documents = [
        Document(GUARDS[name], "user.json", layer="user"),
        Document({"hooks": {}}, "project.json", layer="project"),
    ]
    for several in (documents, documents[::-1]):
        engine = HookEngine.load(several, contract, runner=runner)
        assert engine.fire(ToolPre("Bash", {"command": "ls"})).refused
        assert [problem.file for problem in engine.problems] == ["project.json"]
        with pytest.raises(Exception, match=r"project\.json"):
            HookEngine.load(several, contract, runner=runner, fail_closed=True)


@pytest.mark.parametrize("error", [ValueError, OSError, RecursionError])
@pytest.mark.parametrize("name", contracts.names())
def test_an_approval_that_cannot_be_read_leaves_the_other_layers(
    name: str, error: type[BaseException]
) -> None:
    def trust(spec: HookSpec) -> bool:
        raise error("defect")

    runner = Runner(name, "user")
    documents = [
        Document(GUARDS[name], "user.json", layer="user"),
        Document(GUARDS[name], "project.json", layer="project"),
    ]
    engine = HookEngine.load(documents, name, runner=runner, trust=trust)
    assert engine.fire(ToolPre("Bash", {"command": "ls"})).refused
    assert [each.state for each in engine.withheld] == ["untrusted"]

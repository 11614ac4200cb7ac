"""The directories of one case, the process of one agent, and what its hooks left.

``home`` is the agent's HOME, ``project`` its working directory. Hooks write a label to ``$PROBE/ran`` when they run,
and may leave their payload, environment and working directory in ``$PROBE/LABEL.stdin``, ``.env`` and ``.cwd``.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from tools.agents.records import Json, Object, listed, mapping

#: Directories that agents make in a project for themselves.
OWN_DIRECTORIES = (".claude/", ".git/", ".qwen/", ".kimi", ".grok/", ".hermes/", ".goose/")
#: Variables that the shell of a hook sets.
SHELL_VARIABLES = ("_", "SHLVL", "PWD", "OLDPWD")

UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.-]+Z?")


class Ended(NamedTuple):
    """How an agent's process ended; ``status`` is "timeout" for one that had to be ended."""

    status: int | str
    stdout: str
    stderr: str
    seconds: float
    #: The steps that a user typed, by number.
    typed: tuple[int, ...] = ()


class World:
    """A temporary directory with the files of one case."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="agents-"))
        self.home, self.project, self.probe = (self.root / name for name in ("home", "project", "probe"))
        for directory in (self.home, self.project, self.probe):
            directory.mkdir()
        self.before: set[str] = set()

    def close(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def put(self, path: str, content: Json) -> None:
        """Write a file below the root: text, a JSON value, or [text, mode]."""
        mode = 0o755 if path.endswith(".sh") else 0o644
        if isinstance(content, list) and len(content) == 2 and isinstance(content[1], int):
            content, mode = content[0], content[1]
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        file.write_text(text, encoding="utf-8", newline="")
        file.chmod(mode)

    def expand(self, value: Json) -> Json:
        """Return a value with the directories of this world in place of @W@, @P@ and @H@."""
        text = json.dumps(value)
        for sign, directory in (("@W@", self.root), ("@P@", self.project), ("@H@", self.home)):
            text = text.replace(sign, str(directory))
        return cast(Json, json.loads(text))

    def listing(self) -> list[str]:
        files = (path for path in self.project.rglob("*") if not path.is_dir())
        return sorted(path.relative_to(self.project).as_posix() for path in files)

    def new_files(self) -> list[str]:
        """Return the files that the agent made in the project, without its own."""
        return [
            name
            for name in self.listing()
            if name not in self.before and not name.startswith(OWN_DIRECTORIES)
        ]

    def ran(self) -> list[Json]:
        return list[Json](self._read("ran").split())

    def probes(self, environment: Mapping[str, str]) -> Object:
        """Return, by label, the payload, the variables that the agent added, and the working directory."""
        found: Object = {}
        for file in sorted(self.probe.glob("*.stdin")):
            label, text = file.stem, self._read(file.name)
            try:
                payload = json.loads(text)
            except ValueError:
                payload = text
            lines = (line.split("=", 1) for line in self._read(f"{label}.env").splitlines() if "=" in line)
            added: Object = {
                name: value
                for name, value in sorted(lines)
                if environment.get(name) != value and name not in SHELL_VARIABLES
            }
            cwd = self._read(f"{label}.cwd").strip()
            names = {line.partition("=")[0] for line in self._read(f"{label}.env").splitlines()}
            lost: list[Json] = [name for name in sorted(environment) if name not in names]
            probe: Object = {"payload": payload, "newline": text.endswith("\n"), "cwd": cwd, "env": added}
            found[label] = {**probe, "lost": lost} if lost else probe
        return found

    def _read(self, name: str) -> str:
        file = self.probe / name
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""


#: Runs a command with the files of a directory over those of /etc, in a mount namespace of its own.
_WITH_ETC = """cp -a /etc "$1/all-etc" && cp -a "$1/etc/." "$1/all-etc/" && mount --bind "$1/all-etc" /etc &&
shift && exec "$@"
"""


def with_etc(case: Object, words: Sequence[str]) -> list[str]:
    """Return a command with the case's managed settings in /etc, which needs root; the machine's own /etc stays."""
    if not any(layer.startswith("managed") for layer in mapping(case.get("layers"))):
        return list(words)
    own = ["unshare", "--mount", "--propagation", "private"]
    return [*own, "bash", "-c", _WITH_ETC, "x", "@W@", *words]


def environment(world: World, case: Object, **own: str) -> dict[str, str]:
    """Return the environment of an agent: its own variables, and those of the case."""
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(world.home),
        "PROBE": str(world.probe),
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        **own,
    }
    return {**variables, **{name: str(value) for name, value in mapping(case.get("env")).items()}}


def run(
    command: Sequence[str], world: World, variables: Mapping[str, str], limit: float, lines: Json = None
) -> Ended:
    """Run an agent in a session of its own, and end everything in that session after it."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [each.replace("@W@", str(world.root)) for each in command],
            cwd=world.project,
            env=dict(variables),
            stdin=subprocess.DEVNULL if lines is None else subprocess.PIPE,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        status: int | str
        try:
            text = "".join(f"{json.dumps(line)}\n" for line in listed(lines))
            process.communicate(text.encode() if lines is not None else None, timeout=limit)
            status = process.returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
        finally:  # also if the recorder itself is interrupted
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.monotonic() - began
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    return Ended(status, texts[0], texts[1], seconds)


def objects_of(text: str) -> list[Object]:
    """Return the JSON objects of a stream, a line each; any other line is an object with its text."""
    found: list[Object] = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        found.append(value if isinstance(value, dict) else {"type": "text", "text": line})
    return found


def neutral(value: Json, world: World, most: int = 2000) -> Json:
    """Return a value without names of this machine and of this run; long texts are cut."""
    if isinstance(value, str):
        for directory in {str(world.root), os.path.realpath(world.root)}:
            value = value.replace(directory, "@W@").replace(re.sub(r"\W|_", "-", directory), "@W-@")
        value = re.sub(r"127\.0\.0\.1:\d+", "@MODEL@", UUID.sub("@ID@", value))
        if len(value) <= most:
            return value
        return f"{value[: most // 2]}…[{len(value)} characters in all]…{value[-200:]}"
    if isinstance(value, list):
        return [neutral(each, world, most) for each in value]
    if isinstance(value, dict):
        return {str(neutral(key, world, most)): neutral(each, world, most) for key, each in value.items()}
    return value

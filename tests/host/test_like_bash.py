"""Hooks as people write them, in host mode and by the machine's bash in a directory with the same files.

Standard output, standard error, status and the files that are left have to be the same.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from sandhook import HostShell
from tests.host.hooks import HOOKS
from tests.machine import BASH, has_bash_5_2
from tests.sandbox.tools import every

#: What every hook finds in its directory.
FILES = {
    "names": "b\na\nc\n",
    "crlf.txt": "a\r\nb\r\n",
    "src/a.py": 'print("hi")\n',
    "src/b c.py": "x = 1\n",
    "src/bad.py": "def f(:\n",
    "dir with space/f": "x\n",
    "ünï cödé.txt": "ünï\n",
    "run.sh": '#!/bin/sh\necho sh "$0" "$@"\n',
    "run.py": "#!/usr/bin/env python3\nimport sys\nprint(sys.argv)\n",
    "runs": "#!/usr/bin/env -S python3 -B -I\nimport sys\nprint(sys.argv, sys.flags.isolated)\n",
    "plain": 'echo plain "$0" "$1"\n',
    "b.sh": '#!/bin/bash\nset -e\necho "in ${BASH_VERSION:+bash}"\nexit 3\n',
    "p.pl": '#!/usr/bin/perl -w\nprint "perl @ARGV\\n";\n',
}

#: Seconds that bash has.
LONG = 30

pytestmark = pytest.mark.skipif(not has_bash_5_2(), reason="there is no bash 5.2")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return the directory that both use in turn, so that paths in messages are the same."""
    return tmp_path / "work"


def environment(place: Path) -> dict[str, str]:
    home = str(place.parent)
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def furnish(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    for name, text in FILES.items():
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        if text.startswith("#!") or name == "plain":
            file.chmod(0o755)
    (place / "link.sh").symlink_to("run.sh")
    if shutil.which("git"):
        git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-C", str(place)]
        for words in (["init", "-q", "."], ["add", "-A"], ["commit", "-qm", "first"]):
            subprocess.run([*git, *words], check=True, env={**environment(place), "LC_ALL": "C"})
        with (place / "names").open("a") as file:
            file.write("more\n")
        (place / "untracked").touch()


def left(place: Path) -> dict[str, object]:
    """Return what is in the directory, but for what git and Python keep for themselves."""
    found: dict[str, object] = {}
    for file in sorted(place.rglob("*")):
        name = file.relative_to(place).as_posix()
        if name.startswith(".git/") or name.endswith(".pyc"):
            continue
        mode = file.lstat().st_mode
        regular = stat.S_ISREG(mode)
        found[name] = (
            os.readlink(file) if stat.S_ISLNK(mode) else (mode, file.read_bytes() if regular else b"")
        )
    return found


def by_bash(place: Path, text: str, payload: bytes) -> tuple[object, ...]:
    started = subprocess.Popen(
        ["bash", "-c", text],
        executable=BASH,
        cwd=place,
        env=environment(place),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output, errors = started.communicate(payload, timeout=LONG)
    finally:
        try:
            os.killpg(started.pid, signal.SIGKILL)
        except OSError:
            pass  # nobody is left
    status = started.returncode
    return output.decode(), alike(errors.decode()), 128 - status if status < 0 else status, left(place)


def by_host_mode(place: Path, text: str, payload: bytes) -> tuple[object, ...]:
    result = HostShell(cwd=place, env=environment(place)).run(text, stdin=payload, name="bash")
    assert result.defect is None, result.defect
    return result.stdout, alike(result.stderr), result.exit_status, left(place)


def alike(errors: str) -> str:
    """Leave process numbers out."""
    return re.sub(r"(?m)(^|: ) *[0-9]+(?= [A-Z]| {23})", r"\1PID", errors)


@pytest.mark.parametrize("name", every(3, HOOKS))
def test_is_as_by_bash(place: Path, name: str) -> None:
    text, payload = HOOKS[name]
    missing = [
        word for word in ("git", "node", "perl", "bc", "jq") if f"{word} " in text and not shutil.which(word)
    ]
    if missing:
        pytest.skip(f"there is no {missing[0]}")
    furnish(place)
    expected = by_bash(place, text, payload)
    furnish(place)
    assert by_host_mode(place, text, payload) == expected

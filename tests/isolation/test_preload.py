"""A worker on a kernel without Landlock opens no file, so everything is imported before it is confined."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sandhook.confined import serve
from tests.source import PACKAGE, modules

#: Imported at the start of every worker, or on the host's side only.
ELSEWHERE = frozenset(
    "_winapi asyncio ctypes faulthandler fcntl importlib importlib.machinery importlib.metadata msvcrt re2 regex select signal "
    "socket subprocess sys unicodedata".split()
)


def test_every_import_inside_a_function_is_known() -> None:
    """Imports that a run reaches are in LAZY or EXTENSIONS; a worker without Landlock could not make them."""
    missing = set()
    for name, path in modules().items():
        own = name.removeprefix("sandhook.")
        if own.startswith(serve._HOST_MODULES) or own.split(".")[0] in serve._HOST_PARTS or "confine" in own:
            continue
        text = path.read_text(encoding="utf-8")
        if not re.search(r"^ +(import|from) ", text, re.MULTILINE):
            continue
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                missing |= {
                    f"{path.relative_to(PACKAGE)}: {each}"
                    for each in imported(function)
                    if not each.startswith("sandhook")
                    and each not in {*serve.LAZY, *serve.EXTENSIONS, *ELSEWHERE}
                }
    assert missing == set()


def imported(function: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


WITHOUT = """
from sandhook.isolation import pool
missing = "from sandhook.worker.confine import landlock; landlock._CREATE_RULESET = 9999; "
if {seccomp}:
    missing += "from sandhook.worker.confine import seccomp; seccomp._SECCOMP = (9999, 9999); "
pool.START = pool.START.replace("from sandhook.confined", missing + "from sandhook.confined")
from sandhook.net.network import Network
from sandhook.shell import Shell
script = '''TZ=Europe/Berlin date -d @0 +%Z; bc <<< 2^70; yq .a <<< "a: 1"; csvcut -c 1 <<< a,b; jq -n 1; sqlite3 :memory: "select 2"
echo aa | grep -oP '(a)\\\\1'; echo x | sha512sum | cut -c 1-4; echo a | xz | xz -dc; printf é | iconv -t latin1 | wc -c; curl -s http://127.0.0.1:1/; echo $?'''
shell = Shell(isolation="process", network=Network(["http://127.0.0.1:1"]))
result = shell.run(script)
print(result.stdout.split(), result.stderr, result.failure, result.defect)
print(sorted(pool.pool_for(shell.limits)._idle[0].confinement.missing))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has seccomp and Landlock")
@pytest.mark.parametrize("seccomp", [False, True])
def test_everything_works_without_landlock(seccomp: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.replace("{seccomp}", str(seccomp))],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=120,
        check=True,
    )
    first, missing = done.stdout.splitlines()
    words = ["CET", "1180591620717411303424", "1", "a", "1", "2", "aa", "4584", "a", "1", "7"]
    assert first == f"{words}  None None"
    assert ("files" in missing) is seccomp

"""Random scripts against bash: every file that bash executes is evidence, unless something is listed as unknown."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sandhook.errors import TrustError
from sandhook.hooks.evidence import examine
from sandhook.hooks.model import Executor, HookSpec
from sandhook.hooks.trust import HostMachine

BASH = shutil.which("bash") if sys.platform != "win32" else None

SIMPLE = """
x=d
x=a.sh
x=./d/a.sh
x=
y=$x/a.sh
y="$x"
x=${x:-d}
x=$(pwd)
x=$(dirname "$y")
x=${y%/*}
x+=d
unset x
export x
read x <<< d
printf -v x d
set -- d/a.sh e
shift
x=$1
cd d
cd ..
cd $x
cd "$x"
cd -
cd
cd /nowhere
pushd d
popd
bash a.sh
. ./a.sh
. a.sh
bash $x
bash "$y"
bash "$1"
bash $x/b.sh
./d/a.sh
d/e/a.sh
./a.sh
$x/a.sh
. $x/a.sh
. "$y"
bash < a.sh
bash < $x/a.sh
exec 3< d/a.sh; bash <&3
bash /dev/fd/3 3< a.sh
env -C d bash a.sh
env x=d bash -c 'bash $x/a.sh'
PATH=$PWD/d:$PATH; b.sh
PATH=d:$PATH b.sh
BASH_ENV=d/a.sh bash -c :
IFS=/
f
shopt -s nullglob
bash d/[b].sh
bash ~+/a.sh
bash {d,e}/a.sh
return
break
continue
readonly x=d
declare -l x=D
declare -i x=1
cd d > /nowhere/x
x=d/a.sh; x=e < /nowhere/x
pushd -n d
""".strip().splitlines()

COMPOUND = """
if [ -n "$x" ]; then @; fi
if cd d; then @; else @; fi
(@; @)
{ @; @; }
@ && @
@ || @
@; @
@; @; @
f() { @; }; f
f() { @; }; @
f() { local x=d; @; }; f; @
for x in d d/e; do @; done
for f in d/*.sh; do . "$f"; done; @
for x in "$@" .; do @; done
for x; do @; done
n=; while [ -z "$n" ]; do n=1; @; done
n=; until [ -n "$n" ]; do n=1; @; done
case $x in d) @;; *) @;; esac
case $x in d) @;;& *) @;; esac
{ @; } < /nowhere/x
trap '@' EXIT
@ | @
@ &
y=`@`; bash $y
""".strip().splitlines()


def script(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(SIMPLE)
    text = rng.choice(COMPOUND)
    while "@" in text.replace('"$@"', ""):
        at = next(i for i, c in enumerate(text) if c == "@" and text[i - 1 : i] != "$")
        inner = script(rng, depth - 1)
        if text.startswith("trap '") and "'" in inner:
            inner = "bash a.sh"
        text = text[:at] + inner.replace("@", "\0") + text[at + 1 :]
    return text.replace("\0", "@")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("evidence") / "p"
    for name in ("a.sh", "b.sh", "d/a.sh", "d/b.sh", "d/e/a.sh", "d/e/b.sh", "d/d/a.sh", "d/d/b.sh"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/bash\necho "{path}" >> "$LOG"\n')
        path.chmod(0o755)
    return root


@pytest.mark.skipif("BASH is None and not config.option.oracle", reason="bash is the oracle")
@pytest.mark.parametrize("seed", range(8))
def test_what_bash_executes_is_evidence(seed: int, project: Path, tmp_path: Path) -> None:
    assert BASH is not None
    rng = random.Random(seed)
    log = tmp_path / "log"
    known = executed = 0
    for _ in range(25):
        text = "; ".join(script(rng, 2) for _ in range(rng.randint(1, 4)))
        log.write_text("")
        environment = {"PATH": "/usr/bin:/bin", "LOG": str(log), "HOME": str(tmp_path)}
        try:
            subprocess.run(
                [BASH, "-c", text],
                cwd=project,
                env=environment,
                capture_output=True,
                timeout=20,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            continue
        spec = HookSpec("h", "tool.pre", "PreToolUse", Executor("bash", text))
        try:
            found = examine(spec, "crush", str(project), str(tmp_path), HostMachine())
        except TrustError:
            continue
        ran = set(log.read_text().split())
        if not found.unknown:
            known += 1
            executed += len(ran)
            assert ran <= {file.path for file in found.files}, text
    assert known and executed

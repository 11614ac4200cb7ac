"""The real bash and other programs as oracles. They get texts as data: no text is evaluated as a command.

The bash process stays; it reads the name of one of the functions in FUNCTIONS and its arguments.
"""

from __future__ import annotations

import atexit
import select
import shutil
import subprocess
import sys
import time
from functools import cache

ENVIRONMENT = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "TZ": "UTC0"}

#: Seconds for one answer; a bash that needs longer is replaced, and the input has no answer.
SECONDS = 3.0

#: Shell functions by name. The sandbox runs their bodies with the same arguments.
FUNCTIONS = {
    "glob": '[[ $2 == $1 ]]; printf %s "$?"',
    "trims": 'printf "%s\\n" "${2#$1}" "${2##$1}" "${2%$1}" "${2%%$1}" "${2//$1/<>}" "${2/$1/<>}"',
    "regex": 'if [[ $2 =~ $1 ]]; then printf "<%s>" "${BASH_REMATCH[@]}"; else printf %s "$?"; fi',
    "number": 'v=$(printf %s "$(($1))" 2>/dev/null); printf "%s.%s" "$?" "$v"',
    "printf": 'v=$(printf -- "$@" 2>/dev/null; printf "%s" ".$?"); printf %s "$v"',
}

_LOOP = """
shopt -s extglob
while IFS= read -r -d '' name && IFS= read -r -d '' count; do
  arguments=()
  while (( count-- > 0 )); do IFS= read -r -d '' one || exit; arguments+=("$one"); done
  "fuzz_$name" "${arguments[@]}" 2>/dev/null
  printf '\\0'
done
"""


class NoAnswer(Exception):
    """The program took too long, or ended; there is nothing to compare with."""


class Bash:
    """One bash process that answers calls of FUNCTIONS."""

    def __init__(self) -> None:
        definitions = "".join(f"fuzz_{name}() {{ {body}; }}\n" for name, body in FUNCTIONS.items())
        self._process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-c", f"ulimit -v 2000000; {definitions}{_LOOP}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
            cwd="/",
            start_new_session=True,
        )
        self.close = self._process.kill
        atexit.register(self.close)

    def call(self, name: str, *arguments: str) -> str:
        """Return what a function prints. Raises NoAnswer."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        message = "".join(f"{text}\0" for text in (name, str(len(arguments)), *arguments))
        answer = b""
        deadline = time.monotonic() + SECONDS
        try:
            stdin.write(message.encode("utf-8", "surrogateescape"))
            stdin.flush()
            while not answer.endswith(b"\0"):
                ready, _, _ = select.select([stdout], [], [], max(0.0, deadline - time.monotonic()))
                piece = stdout.read1(1 << 16) if ready else b""  # type: ignore[attr-defined]
                if not piece:
                    raise NoAnswer(name)
                answer += piece
        except (OSError, NoAnswer):
            self._process.kill()
            self._process.wait()
            bash.cache_clear()
            raise NoAnswer(name) from None
        return answer[:-1].decode("utf-8", "surrogateescape")


@cache
def bash() -> Bash:
    """Return the running bash."""
    return Bash()


def run(*argv: str, stdin: str = "") -> tuple[int, str]:
    """Return the exit status and standard output of a program. Raises NoAnswer."""
    try:
        done = subprocess.run(
            argv,
            input=stdin.encode("utf-8", "surrogateescape"),
            capture_output=True,
            env=ENVIRONMENT,
            cwd="/",
            timeout=SECONDS,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError, ValueError):
        raise NoAnswer(argv[0]) from None
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape")


@cache
def no_bash() -> str:
    """Return why there is no bash 5.2 to compare with, "" if there is one."""
    if sys.platform == "win32" or shutil.which("bash") is None:
        return "bash is not installed"
    _, version = run("bash", "-c", "printf %s.%s ${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]}")
    return "" if version == "5.2" else f"bash is {version}, not 5.2"


@cache
def not_gnu(program: str) -> str:
    """Return why a program cannot be compared with, "" if it is GNU's."""
    if sys.platform == "win32" or shutil.which(program) is None:
        return f"{program} is not installed"
    return "" if "GNU" in run(program, "--version")[1] else f"{program} is not GNU's"

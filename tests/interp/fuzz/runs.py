"""One script in the host's bash and in the sandbox, with what it leaves, side by side."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sandhook.limits import Limits
from sandhook.shell import Shell

ENVIRONMENT = {"HOME": "/home/nobody", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
WORKSPACE = "/workspace"
LIMITS = Limits(wall_seconds=60.0)

#: The number of the sandbox's first process.
SHELL_PID = 1000

#: A script that can print the number of its process. In others that number is a number like any other.
_ASKS = re.compile(r"\$\$|\bBASHPID\b|\bPPID\b")

#: Seconds that bash gets for one script.
TIMEOUT = 10.0

#: The files that scripts find, and how they report what they left.
FILES = {"f1": b"", "f2": b"data\n*  b\\n c\nend", "B.txt": b"x\n", ".dot": b"", "d/e": b"in d\n"}
DUMP = 'printf "\\n<%s>" "$?" "$#" "$@"; echo; declare -p x y z a b m n r i j q v 2>/dev/null; set -- *; echo "$*"'


class Outcome(NamedTuple):
    """What a script gave; messages and directories are spelled in one way."""

    status: int
    stdout: str
    stderr: str

    def agrees(self, other: Outcome) -> bool:
        """Return True for equal status and output; messages are compared where scripts catch them."""
        return self.status == other.status and self.stdout == other.stdout


class Declared(NamedTuple):
    """A row of docs/divergences.md, and how a script that differs for it is known; all must hold."""

    row: str
    script: str = ""  #: pattern of the script
    bash: str = ""  #: pattern of what bash says on standard error
    here: str = ""  #: pattern of what the sandbox says there
    more: str = ""  #: pattern of what one of the two may print more than the other
    early: bool = False  #: bash has ended early: what it printed is where the sandbox's output begins

    def holds(self, script: str, bash: Outcome, here: Outcome) -> bool:
        texts = ((self.script, script), (self.bash, bash.stderr), (self.here, here.stderr))
        if not all(re.search(pattern, text, re.DOTALL) for pattern, text in texts):
            return False
        if self.early and not here.stdout.startswith(re.sub(r"exit [0-9]+\n\Z", "", bash.stdout)):
            return False
        return not self.more or re.sub(self.more, "", bash.stdout) == re.sub(self.more, "", here.stdout)


#: What bash says of an expansion that ends the line, and that the sandbox has found the script in order.
_EXPANSION_ERROR = r"error token is|bad substitution|invalid variable name|invalid indirect expansion|: readonly variable|bad array subscript"
_SYNTAX_ERROR = r"-c: line [0-9]+: (?:unexpected EOF|syntax error)"
_NO_SYNTAX_ERROR = r"\A(?!.*-c: line)"

#: What the grammar cannot keep out of by itself. All patterns of one must be found.
DECLARED = (
    Declared("L-ARITH-003", r"\bset -\w*e", bash="expression recursion level exceeded", early=True),
    Declared("L-CASE-001", r'\bcase [^\n]*"\$\{[^"]+"[^\n]* in '),
    Declared("L-GLOB-004", r"\*!\([^\n]*\)"),
    Declared("L-GLOB-005", r"\bIFS=[^\n]*-.*\$\{[^}\n]*\}[^\s\"]*\[[^\]\s]*-"),
    Declared("L-GLOB-005", r"\bIFS=[^\n]*-.*\[[^\]\s]*-[^\]\s]*\][^\s\"]*\$[({]"),
    Declared("L-LOOP-001", r"\b(?:break|continue)\b", bash=_EXPANSION_ERROR, early=True),
    Declared("L-LOOP-001", r"\bERR\b", bash=_EXPANSION_ERROR, more=r"err [0-9]+\n?|<err><[0-9]+>"),
    Declared("L-PRINT-001", r"<<.*\btype fun1\b|\btype fun1\b.*<<", more=r";(?=\n)"),
    Declared("L-QUOTE-003", r'"[^"]*\$\{[^"}]*"[^"]*(?:""[^"]*)*\{[^"]*[,.][^"]*\}[^"]*"'),
    Declared("L-SUBST-001", r"\$\((?:.*\W)?[abm]\+?=\(.*\\['\"]", bash=_SYNTAX_ERROR),
    Declared("L-SYNTAX-004", r"\beval\b", bash=_SYNTAX_ERROR, here=_NO_SYNTAX_ERROR, early=True),
    Declared("L-SYNTAX-004", r"\beval\b", bash=r"eval: line \d+: unexpected EOF.*: \[\[: command not found"),
    Declared("L-TRAP-006", r"\bERR\b.*(?:\)\)|\]\]) *[0-9&]*>", more=r"err [0-9]+\n"),
    Declared("L-TRAP-003", r"\bset -(?:e|o).*\bEXIT\b.*> (?:g|\./|f[12]|d/h)", more=r"exit [0-9]+\n"),
)


def differs(script: str) -> tuple[Outcome, Outcome] | None:
    """Return what bash gives and what the sandbox gives, when that is not the same and no row explains it."""
    whole = f"{script}\n{DUMP}"
    try:
        expected = in_bash(whole)
    except subprocess.TimeoutExpired:  # bash did not end: there is nothing to compare with
        return None
    found = in_sandbox(whole)
    return None if expected.agrees(found) or declared(script, expected, found) else (expected, found)


def declared(script: str, bash: Outcome, here: Outcome) -> str | None:
    """Return the row of docs/divergences.md that explains why a script may differ; None when none does."""
    return next((each.row for each in DECLARED if each.holds(script, bash, here)), None)


def in_sandbox(script: str) -> Outcome:
    """Run a script in the sandbox."""
    shell = Shell(env=ENVIRONMENT, limits=LIMITS, files={f"{WORKSPACE}/{k}": v for k, v in FILES.items()})
    result = shell.run(script)
    assert result.limit is None, f"limit {result.limit}"
    own = SHELL_PID if _ASKS.search(script) else None
    return _outcome(result.exit_status, result.stdout_bytes, result.stderr_bytes, WORKSPACE, own)


def in_bash(script: str) -> Outcome:
    """Run a script with the host's bash in a directory of its own; its processes end with it."""
    bash = shutil.which("bash")
    assert bash, "bash is not installed"
    with tempfile.TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True) as where:
        for name, data in FILES.items():
            path = Path(where, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        with _signals_as_at_login():
            process = subprocess.Popen(
                ["bash", "-c", script],
                executable=bash,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=where,
                env=ENVIRONMENT,
                start_new_session=True,
            )
        try:
            stdout, stderr = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            _kill_group(process)
            process.communicate()
            raise
        finally:
            _kill_group(process)
        status = 128 - process.returncode if process.returncode < 0 else process.returncode
        return _outcome(status, stdout, stderr, where, process.pid if _ASKS.search(script) else None)


@contextmanager
def _signals_as_at_login() -> Iterator[None]:
    """Let a process begin with no signal ignored, also where this one runs in the background."""
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGQUIT)}
    for number, action in former.items():
        if action == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, action in former.items():
            if action == signal.SIG_IGN:
                signal.signal(number, action)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _outcome(status: int, stdout: bytes, stderr: bytes, where: str, pid: int | None) -> Outcome:
    texts = [data.decode("utf-8", "surrogateescape").replace(where, WORKSPACE) for data in (stdout, stderr)]
    if pid is not None:
        texts = [re.sub(rf"\b{pid}\b", "PID", text) for text in texts]
    texts = [re.sub(r"\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9}", "NOW", text) for text in texts]
    return Outcome(status, *(re.sub("(?:environment|bash): line [0-9]+: ", "bash: ", text) for text in texts))

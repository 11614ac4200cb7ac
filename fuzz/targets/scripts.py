"""Whole scripts within small limits: no defect, no exception, and an end."""

from __future__ import annotations

from collections.abc import Iterable

from fuzz.pieces import Pieces, promise
from fuzz.samples import scripts, spread
from fuzz.targets import parser
from sandhook.interp.result import Result
from sandhook.limits import Limits
from sandhook.shell import Shell

WORDS = (
    *parser.WORDS,
    *(
        "${x#",
        "${x//",
        "${x:1:",
        "${!x",
        "${#",
        "@Q}",
        "^^}",
        "{1..9}",
        "{a,b}",
        "~",
        "$@",
        "$*",
        "$?",
        "$!",
        "IFS=",
    ),
    *(
        "set -e\n",
        "set -u\n",
        "shopt -s ",
        "trap 'echo' ",
        "eval ",
        "exec ",
        "read ",
        "declare -A ",
        "local -n ",
    ),
    *(
        "printf -v ",
        "mapfile ",
        "unset ",
        "export ",
        "getopts ",
        "wait",
        "kill ",
        "& ",
        "return ",
        "break ",
        "exit ",
    ),
    *(
        "cd ",
        "pushd ",
        "source ",
        ". ",
        "test ",
        "shift ",
        "history ",
        "complete ",
        "let ",
        "ulimit ",
        "umask ",
    ),
)

LIMITS = Limits(
    wall_seconds=5.0,
    output_bytes=8_192,
    steps=20_000,
    memory_bytes=4 << 20,
    fs_bytes=1 << 20,
    fs_inodes=500,
    call_depth=100,
    processes=24,
    input_bytes=1 << 16,
    script_bytes=1 << 14,
    nesting=30,
    fields=5_000,
    open_files=32,
)

FILES = {"f1": b"", "f2": b"data\n*  b\\n c\nend", "d/e": b"in d\n", "g.sh": b"#!/bin/bash\necho $#\n"}


def seeds() -> Iterable[bytes]:
    for script in spread(scripts("bash/*.test", "posix/*.test"), 24):
        yield b"a b\n\0" + script.encode()


def target(data: bytes) -> None:
    stdin, *texts = Pieces(data).fields(2)
    script = (texts[0] if texts else stdin).decode("utf-8", "surrogateescape")
    check(Shell(files=FILES, limits=LIMITS).run(script, stdin=stdin, args=("x y", "", "*")), script)


def check(result: Result, *facts: object) -> None:
    """Raise an exception unless a run ended as the documentation of Result promises."""
    if result.defect is not None:
        raise result.defect
    promise(0 <= result.exit_status <= 255, "an exit status has 8 bits", result, *facts)
    if result.limit is not None:
        promise(result.exit_status != 0, "a limit is no success", result, *facts)
    size = len(result.stdout_bytes) + len(result.stderr_bytes)
    promise(size <= LIMITS.output_bytes, "output is bounded", size, *facts)

"""``sandhook exec``: run a shell script in the sandbox; its streams and exit status are ours."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from errno import EINVAL
from typing import TYPE_CHECKING, TextIO

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser
from sandhook.cli.cache import default_store

if TYPE_CHECKING:
    import argparse

    from sandhook.vfs.base import FileSystem

#: What a command line may print; a person or a pipe reads it, no decision is parsed from it.
_OUTPUT_BYTES = 64 << 20
_INPUT_BYTES = 64 << 20
_STEPS = 1_000_000_000
_SECONDS = 60.0


def parser() -> Parser:
    made = Parser(
        "exec",
        "[OPTION]... (-c SCRIPT | FILE) [ARG]...",
        "Run a shell script in the sandbox. Standard input, output, error and the exit status are\n"
        "the script's. It sees no file of this machine but what --mount shows, and no variable\n"
        "of it: HOME, PATH, SHELL and USER are the sandbox's, the rest is what --env sets.",
    )
    add = made.add_argument
    add("-c", dest="script", metavar="SCRIPT", help="the script's text; $0 is the first ARG")
    add("--env", action="append", default=[], metavar="K=V", help="set a variable (again for more)")
    add(
        "--cwd",
        default="/workspace",
        metavar="DIR",
        help="working directory in the sandbox (default /workspace)",
    )
    add(
        "--mount",
        action="append",
        default=[],
        metavar="HOST:VIRTUAL[:MODE]",
        help="show a directory; MODE is ro, overlay (changes are dropped; the default) or rw",
    )
    add("--timeout", type=float, default=_SECONDS, metavar="S", help=f"seconds (default {_SECONDS:g})")
    add("words", nargs="...", metavar="FILE|ARG", help="the script's file on this machine, and its arguments")
    return made


def run(arguments: list[str]) -> int:
    """Run the command and return the script's exit status."""
    try:
        options = parser().parse_args(arguments)
    except SystemExit as done:  # --help
        return int(done.code or 0)
    script, name, words = _script(options)
    from sandhook.shell import DEFAULT_ENVIRONMENT

    env = {**DEFAULT_ENVIRONMENT, **dict(_assignment(text) for text in options.env)}
    if options.timeout <= 0:
        raise UsageError("--timeout must be more than 0 seconds")
    fs: FileSystem | None = None
    if options.mount:
        from sandhook.cli.files import mounted

        fs = mounted(options.mount)
    return _run(script, name, words, env, fs, options)


def _script(options: argparse.Namespace) -> tuple[str, str, list[str]]:
    """Return the script's text, its ``$0`` and its arguments."""
    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if options.script is not None:
        return options.script, words[0] if words else "bash", words[1:]
    if not words:
        raise UsageError("exec: needs -c SCRIPT or FILE")
    try:
        with open(words[0], "rb") as file:  # noqa: PTH123 - pathlib costs 10 ms
            data = file.read()
    except OSError as error:
        raise UsageError(f"exec: {words[0]}: {error.strerror}") from None
    return data.decode("utf-8", "surrogateescape"), words[0], words[1:]


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier() or not name.isascii():
        raise UsageError(f"--env {text}: wanted NAME=VALUE")
    return name, value


def _run(
    script: str,
    name: str,
    words: list[str],
    env: dict[str, str],
    fs: FileSystem | None,
    options: argparse.Namespace,
) -> int:
    from sandhook.limits import Limits
    from sandhook.shell import Shell

    limits = Limits(
        wall_seconds=options.timeout, output_bytes=_OUTPUT_BYTES, input_bytes=_INPUT_BYTES, steps=_STEPS
    )
    shell = Shell(fs=fs, env=env, cwd=options.cwd, limits=limits, parse_cache=default_store())
    result = shell.run(
        script,
        stdin=_stdin(),
        args=words,
        name=name,
        from_file=options.script is None,
        stdout=_writer(sys.stdout),
        stderr=_writer(sys.stderr),
    )
    if isinstance(result.defect, _ReaderGone):
        raise BrokenPipeError
    if result.defect is not None:
        raise result.defect  # main says so, with the status that is ours
    if result.limit is not None:
        sys.stderr.write(f"sandhook: exec: limit reached: {result.limit}\n")
    return result.exit_status


def _stdin() -> bytes | Callable[[int, float], bytes]:
    """Return what reads standard input as the script asks for it; nothing from a terminal."""
    stream = sys.stdin
    try:
        if stream is None or stream.closed or stream.isatty():
            return b""
    except (OSError, ValueError):
        return b""
    try:
        number = stream.fileno()
    except (OSError, ValueError):  # a stream that a caller put in place of the process's
        return stream.buffer.read(_INPUT_BYTES)

    def read(count: int, seconds: float) -> bytes:
        if sys.platform == "win32":
            from sandhook.cli.windows import has_input

            ready = has_input(number, seconds)
        else:
            from select import select

            ready = bool(select([number], [], [], seconds)[0])
        if not ready:
            raise TimeoutError
        try:
            return os.read(number, count)
        except OSError:
            return b""

    return read


class _ReaderGone(Exception):
    """Nobody reads our output any more. No OSError, which the script would see and could go on after."""


def _writer(stream: TextIO | None) -> Callable[[bytes], None]:
    """Return what takes the script's bytes as they come, each piece at once."""
    if stream is None:
        return lambda data: None
    raw = stream.buffer

    def write(data: bytes) -> None:
        try:
            raw.write(data)
            raw.flush()
        except OSError as error:
            if isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == EINVAL):
                raise _ReaderGone from None
            raise

    return write

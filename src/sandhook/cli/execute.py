"""``sandhook exec``: run a shell script in the sandbox, or on this machine; its streams and status are ours."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from errno import EINVAL
from typing import TYPE_CHECKING, TextIO

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser
from sandhook.cli.cache import default_store
from sandhook.cli.machine import add_host, host_of
from sandhook.cli.network import add_network, network_of

if TYPE_CHECKING:
    import argparse

    from sandhook.host.world import Host
    from sandhook.shell import Result
    from sandhook.vfs.base import FileSystem

#: What a command line may print; a person or a pipe reads it, no decision is parsed from it.
_OUTPUT_BYTES = 64 << 20
_INPUT_BYTES = 64 << 20
_STEPS = 1_000_000_000
_SECONDS = 60.0
_HOST_SECONDS = 600.0


def parser() -> Parser:
    result = Parser(
        "exec",
        "[OPTION]... (-c SCRIPT | FILE) [ARG]...",
        "Run a shell script in the sandbox. Standard input, output, error and the exit status are\n"
        "the script's. It sees no file of this machine but what --mount shows, and no variable\n"
        "of it: HOME, PATH, SHELL and USER are the sandbox's, the rest is what --env sets.\n"
        "With --host the script runs on this machine instead, with its files and programs; scripts that\n"
        "it calls by their path run by their first line, on every system, and no system shell is needed.",
    )
    add = result.add_argument
    add("-c", dest="script", metavar="SCRIPT", help="the script's text; $0 is the first ARG")
    add("--env", action="append", default=[], metavar="K=V", help="set a variable (again for more)")
    add(
        "--cwd",
        metavar="DIR",
        help="working directory (default /workspace in the sandbox, the current one with --host)",
    )
    add(
        "--mount",
        action="append",
        default=[],
        metavar="HOST:VIRTUAL[:MODE]",
        help="show a directory; MODE is ro, overlay (changes are dropped; the default) or rw",
    )
    add(
        "--timeout",
        type=float,
        metavar="S",
        help=f"seconds (default {_SECONDS:g}; {_HOST_SECONDS:g} with --host)",
    )
    add_host(result, "run on this machine, not in the sandbox: for scripts that you trust")
    add_network(result)
    add("words", nargs="...", metavar="FILE|ARG", help="the script's file on this machine, and its arguments")
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return the script's exit status."""
    try:
        options = parser().parse_args(arguments)
    except SystemExit as done:  # --help
        return int(done.code or 0)
    script, name, words = _script(options)
    if options.timeout is not None and options.timeout <= 0:
        raise UsageError("--timeout must be more than 0 seconds")
    if host := host_of(options, inherit=_streams_are_ours()):
        return _run_on_host(script, name, words, host, options)
    from sandhook.shell import DEFAULT_ENVIRONMENT

    env = {**DEFAULT_ENVIRONMENT, **dict(_assignment(text) for text in options.env)}
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
        wall_seconds=options.timeout or _SECONDS,
        output_bytes=_OUTPUT_BYTES,
        input_bytes=_INPUT_BYTES,
        steps=_STEPS,
    )
    shell = Shell(
        fs=fs,
        env=env,
        cwd=options.cwd or "/workspace",
        limits=limits,
        parse_cache=default_store(),
        network=network_of(options),
    )
    return _ended(
        shell.run(
            script,
            stdin=_stdin(),
            args=words,
            name=name,
            from_file=options.script is None,
            stdout=_writer(sys.stdout),
            stderr=_writer(sys.stderr),
        )
    )


def _run_on_host(script: str, name: str, words: list[str], host: Host, options: argparse.Namespace) -> int:
    """Run a script on this machine, on this process's own streams."""
    if options.mount:
        raise UsageError("--mount is for the sandbox: with --host the script sees the files of this machine")
    from sandhook.host.environment import build
    from sandhook.host.files import WINDOWS
    from sandhook.host.shell import HostShell
    from sandhook.limits import Limits

    extra = dict(_assignment(text) for text in options.env)
    env = build("inherit", os.environ, keep=options.keep_env, extra=extra, windows=WINDOWS)
    limits = Limits.generous().with_(wall_seconds=options.timeout or _HOST_SECONDS)
    try:
        shell = HostShell(host=host, env=env, cwd=options.cwd, limits=limits, parse_cache=default_store())
    except NotADirectoryError as error:
        raise UsageError(f"--cwd: {error}") from None
    if host.inherit:
        return _ended(shell.run(script, args=words, name=name, from_file=options.script is None))
    return _ended(
        shell.run(
            script,
            stdin=_stdin(),
            args=words,
            name=name,
            from_file=options.script is None,
            stdout=_writer(sys.stdout),
            stderr=_writer(sys.stderr),
        )
    )


def _streams_are_ours() -> bool:
    """Tell whether Python's streams are the process's own, which a script can be handed as they are."""
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        try:
            if stream.fileno() != number:
                return False
        except (AttributeError, OSError, ValueError):  # none, or one that a caller put there
            return False
    return True


def _ended(result: Result) -> int:
    """Say how a run ended, if not by itself; return its exit status."""
    if isinstance(result.defect, _ReaderGone):
        raise BrokenPipeError
    if result.defect is not None:
        raise result.defect  # main says so, with the status that is ours
    for note in result.notes:
        sys.stderr.write(f"sandhook: exec: {note}\n")
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

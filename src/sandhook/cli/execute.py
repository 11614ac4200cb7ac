"""``sandhook exec``: run a shell script in the sandbox, or on this machine, with this process's streams."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from errno import EINVAL

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser, add_isolation
from sandhook.cli.cache import default_store
from sandhook.cli.permissions import add_host, add_permissions, host_of, network_of
from sandhook.text.names import is_name
from sandhook.typed import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import argparse

    from sandhook.host.world import Host
    from sandhook.interp.result import Result
    from sandhook.interp.steps import Steps
    from sandhook.shell import Shell
    from sandhook.vfs.base import FileSystem

#: Limits of the command line, which are higher than those of a hook: no decision is parsed from the output.
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
        "those of the script. It sees only the files of this machine that --mount shows, and none of\n"
        "its variables: HOME, PATH, SHELL and USER are the sandbox's, and --env sets others.\n"
        "With --host the script runs on this machine instead, with its files and programs. Scripts that\n"
        "it calls by path start by their first line, on every system, without a system shell.",
    )
    add = result.add_argument
    add("-c", dest="script", metavar="SCRIPT", help="text of the script; $0 is the first ARG")
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
        help="show a directory; MODE is ro, rw or overlay (default: changes are discarded)",
    )
    add(
        "--timeout",
        type=float,
        metavar="S",
        help=f"limit in seconds (default {_SECONDS:g}; {_HOST_SECONDS:g} with --host)",
    )
    add(
        "--steps",
        action="store_true",
        help="afterwards print each command to standard error: place, exit status, what it changed and wrote",
    )
    add_isolation(result, "thread")
    add_host(result, "run on this machine instead of in the sandbox: for scripts that you trust")
    add_permissions(result)
    add(
        "words",
        nargs="...",
        metavar="FILE|ARG",
        help="file of the script on this machine, - for standard input, and its arguments",
    )
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return the script's exit status."""
    options = parser().parse_args(arguments)
    script, name, words = _script(options)
    if options.timeout is not None and options.timeout <= 0:
        raise UsageError("--timeout must be more than 0 seconds")
    if host := host_of(options, inherit=_streams_are_standard() and not options.steps):
        return _run_on_host(script, name, words, host, options)
    from sandhook.interp.beginning import DEFAULT_ENVIRONMENT

    env = {**DEFAULT_ENVIRONMENT, **dict(_assignment(text) for text in options.env)}
    fs: FileSystem | None = None
    if options.mount:
        from sandhook.cli.files import mounted, split_mount

        writable = next((text for text in options.mount if split_mount(text)[2] == "rw"), None)
        if options.git_writes and writable is not None:
            raise UsageError(
                f"--git-writes is for files in memory: mount {writable} as overlay instead of rw"
            )

        fs = mounted(options.mount)
    return _run(script, name, words, env, fs, options)


def _script(options: argparse.Namespace) -> tuple[str, str, list[str]]:
    """Return the script's text, its ``$0`` and its arguments."""
    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if options.script is not None:
        return options.script, words[0] if words else "bash", words[1:]
    if not words:
        raise UsageError("exec: needs -c SCRIPT or FILE")
    if words[0] == "-":
        data = b"" if sys.stdin is None or sys.stdin.closed else sys.stdin.buffer.read()
        return data.decode("utf-8", "surrogateescape"), "bash", words[1:]
    try:
        with open(words[0], "rb") as file:  # noqa: PTH123 - pathlib costs 10 ms
            data = file.read()
    except OSError as error:
        raise UsageError(f"exec: {words[0]}: {error.strerror}") from None
    return data.decode("utf-8", "surrogateescape"), words[0], words[1:]


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not is_name(name):
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
        isolation=options.isolation or "thread",
        network=network_of(options),
        git_writes=options.git_writes,
    )
    return _run_with_streams(shell, script, name, words, options)


def _run_with_streams(
    shell: Shell, script: str, name: str, words: list[str], options: argparse.Namespace
) -> int:
    """Run a script that reads and writes the streams of this process through this process."""
    steps: Steps | None = None
    if options.steps:
        from sandhook.interp.steps import Steps as NewSteps

        steps = NewSteps()
    result = shell.run(
        script,
        stdin=_stdin(),
        args=words,
        name=name,
        from_file=options.script is None,
        stdout=_writer(sys.stdout),
        stderr=_writer(sys.stderr),
        steps=steps,
    )
    if steps is not None:
        from sandhook.hooks.report import step_lines

        sys.stdout.flush()
        sys.stderr.write("".join(f"{line}\n" for line in step_lines(steps.steps)))
    return _status_of(result)


def _run_on_host(script: str, name: str, words: list[str], host: Host, options: argparse.Namespace) -> int:
    """Run a script on this machine, with the streams of this process."""
    if options.isolation == "process":
        raise UsageError("--isolation process is for the sandbox: with --host the script uses this machine")
    if options.git_writes:
        raise UsageError("--git-writes is for the sandbox: with --host the script runs this machine's git")
    if options.mount:
        raise UsageError("--mount is for the sandbox: with --host the script sees the files of this machine")
    from sandhook.host.environment import build
    from sandhook.host.files import WINDOWS
    from sandhook.host.shell import HostShell
    from sandhook.limits import Limits

    variables = dict(_assignment(text) for text in options.env)
    env = build("inherit", os.environ, keep=options.keep_env, extra=variables, windows=WINDOWS)
    limits = Limits.generous().with_(wall_seconds=options.timeout or _HOST_SECONDS)
    try:
        shell = HostShell(host=host, env=env, cwd=options.cwd, limits=limits, parse_cache=default_store())
    except NotADirectoryError as error:
        raise UsageError(f"--cwd: {error}") from None
    if host.inherit and not options.steps:
        return _status_of(shell.run(script, args=words, name=name, from_file=options.script is None))
    return _run_with_streams(shell, script, name, words, options)


def _streams_are_standard() -> bool:
    """Return True if Python's streams are descriptors 0 to 2, which a script can inherit."""
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        try:
            if stream.fileno() != number:
                return False
        except (AttributeError, OSError, ValueError):  # no stream, or one that a caller replaced
            return False
    return True


def _status_of(result: Result) -> int:
    """Report a limit and the notes of a run; return its exit status. Re-raises a defect."""
    if isinstance(result.defect, _OutputClosed):
        raise BrokenPipeError
    if result.defect is not None:
        raise result.defect  # main reports it, with exit status 70
    for note in result.notes:
        sys.stderr.write(f"sandhook: exec: {note}\n")
    if result.failure is not None:
        sys.stderr.write(f"sandhook: exec: {result.failure}\n")
    if result.limit is not None:
        sys.stderr.write(f"sandhook: exec: limit reached: {result.limit}\n")
    return result.exit_status


def _stdin() -> bytes | Callable[[int, float], bytes]:
    """Return a function that reads standard input on demand; b"" for a terminal."""
    stream = sys.stdin
    try:
        if stream is None or stream.closed or stream.isatty():
            return b""
    except (OSError, ValueError):
        return b""
    try:
        number = stream.fileno()
    except (OSError, ValueError):  # a stream that a caller replaced
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


class _OutputClosed(Exception):
    """The reader of the output has closed it. Not an OSError: a script could ignore that and continue."""


def _writer(stream: TextIO | None) -> Callable[[bytes], None]:
    """Return a function that writes the script's output and flushes it after each write."""
    if stream is None:
        return lambda data: None
    raw = stream.buffer

    def write(data: bytes) -> None:
        try:
            raw.write(data)
            raw.flush()
        except OSError as error:
            if isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == EINVAL):
                raise _OutputClosed from None
            raise

    return write

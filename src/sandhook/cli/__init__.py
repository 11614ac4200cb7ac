"""The command line: ``sandhook COMMAND ...``.

Only the selected command's module is imported, because every hook pays for the start-up time.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise

from sandhook.errors import IsolationError
from sandhook.record import Record
from sandhook.typed import NoReturn
from sandhook.version import __version__


class Command(Record):
    """One sub-command: its module, its line of help, and a working example."""

    module: str
    summary: str
    example: str


COMMANDS = {
    "fire": Command(
        "sandhook.cli.fire",
        "fire one event at a hook configuration and print the decision",
        'sandhook fire pre_tool_use --hooks hooks.json --tool bash --input \'{"command":"rm -rf /"}\'',
    ),
    "hook": Command(
        "sandhook.cli.hook",
        "run a script as a command hook of an agent, in the sandbox",
        "sandhook hook --contract crush --fail-closed -- guard.sh",
    ),
    "exec": Command(
        "sandhook.cli.execute",
        "run a shell script in the sandbox",
        "echo hello | sandhook exec -c 'tr a-z A-Z'",
    ),
    "init": Command(
        "sandhook.cli.init",
        "write guards and other hooks for the agents of a project, with their expectations",
        "sandhook init --list",
    ),
    "list": Command(
        "sandhook.cli.listing",
        "list the hooks of all layers: what each runs, its file, and whether it is trusted",
        "sandhook list --contract crush",
    ),
    "explain": Command(
        "sandhook.cli.explain",
        "show which hooks an event would run, and why the others would not; nothing runs",
        'sandhook explain PreToolUse --contract crush --tool bash --input \'{"command":"ls"}\'',
    ),
    "check": Command(
        "sandhook.cli.check",
        "find faults of hooks and their scripts, without running them",
        "sandhook check hooks.json",
    ),
    "watch": Command(
        "sandhook.cli.watching.watch",
        "check hooks and run their expectations again whenever one of their files is saved",
        "sandhook watch hooks.json",
    ),
    "portability": Command(
        "sandhook.cli.portability",
        "show which agents run a hook on which systems, differently or not at all, and why",
        "sandhook portability hooks.json --system linux macos",
    ),
    "vet": Command(
        "sandhook.cli.vet",
        "say what a bundle of hooks does before it is enabled, and write its capability manifest",
        "sandhook vet . --manifest hooks.manifest.json",
    ),
    "schema": Command(
        "sandhook.cli.outputs.schema",
        "print the JSON Schema of an agent's hook configuration",
        "sandhook schema crush",
    ),
    "convert": Command(
        "sandhook.cli.convert",
        "write the hooks of one agent in the format of another, and list what is lost",
        "sandhook convert --from jcode --to crush hooks.json",
    ),
    "install": Command(
        "sandhook.cli.installing.install",
        "add the hooks of a file to the configuration of an agent, in its format",
        "sandhook install guard.json --agent claude_code --scope user --dry-run",
    ),
    "uninstall": Command(
        "sandhook.cli.installing.uninstall",
        "remove installed hooks; a file that nobody edited since gets its old bytes back",
        "sandhook uninstall guard.json",
    ),
    "status": Command(
        "sandhook.cli.installing.status",
        "show which hooks are installed or wrapped, and whether they are as they were installed",
        "sandhook status",
    ),
    "restore": Command(
        "sandhook.cli.installing.restore",
        "write back what a configuration was before the first change",
        "sandhook restore --agent claude_code --dry-run",
    ),
    "wrap": Command(
        "sandhook.cli.installing.wrap",
        "let the existing hooks of an agent run through sandhook",
        "sandhook wrap --agent claude_code --dry-run",
    ),
    "unwrap": Command(
        "sandhook.cli.installing.unwrap",
        "give wrapped hooks their own commands back",
        "sandhook unwrap --agent claude_code",
    ),
    "serve": Command(
        "sandhook.cli.serve",
        "stay resident and fire hooks for agents, so that no hook waits for a start",
        "sandhook serve --start",
    ),
    "studio": Command(
        "sandhook.cli.serve.studio",
        "open a page that shows, fires, follows and edits the hooks of this project",
        "sandhook studio --no-browser",
    ),
    "trust": Command(
        "sandhook.cli.trust",
        "show what the hooks of a file would run, and approve them",
        "sandhook trust --list",
    ),
    "completion": Command(
        "sandhook.cli.completion",
        "print a script with which a shell completes commands, options and names",
        "sandhook completion bash",
    ),
    "doctor": Command(
        "sandhook.cli.proving.doctor",
        "check that the hooks of this machine's agents are on: start each, and let it refuse what it should",
        "sandhook doctor --agent claude_code",
    ),
    "chaos": Command(
        "sandhook.cli.proving.chaos",
        "break what guards need (jq, PATH, scripts, payloads), and show which let an action pass",
        "sandhook chaos .claude/settings.json",
    ),
    "replay": Command(
        "sandhook.cli.replaying.replay",
        "fire recorded events at new hooks, and report what they would decide differently",
        "sandhook replay decisions.jsonl --hooks hooks.json --fail-on 'newly_allowed>0'",
    ),
    "record": Command(
        "sandhook.cli.replaying.record",
        "import the transcripts of agents into a record of events",
        "sandhook record import ~/.claude/projects -o decisions.jsonl",
    ),
    "stats": Command(
        "sandhook.cli.replaying.stats",
        "show what a record has: which hooks fire, how often, how long, and which never match",
        "sandhook stats decisions.jsonl",
    ),
    "mcp-proxy": Command(
        "sandhook.cli.mcp.proxy",
        "stand between an MCP client and a server, and fire hooks for every call of a tool",
        "sandhook mcp-proxy --hooks hooks.json -- npx -y @modelcontextprotocol/server-filesystem .",
    ),
    "mcp-shell": Command(
        "sandhook.cli.mcp.shell",
        "be an MCP server with a bash tool in the sandbox",
        "sandhook mcp-shell --mount .:/workspace --allow-url https://example.org/",
    ),
    "test": Command(
        "sandhook.cli.test",
        "run expectations about hooks, and shell cases on sandhook and on real shells",
        "sandhook test --shell sandhook --shell bash spec/",
    ),
}

#: The exit statuses of all commands; ``cli.statuses`` has what they mean for each.
FINDINGS, USAGE_ERROR, INCOMPLETE = 1, 2, 3

#: The commands that agents wait for.
_WAITED_FOR = (["exec"], ["fire"], ["hook"])

#: Exit status for a defect of sandhook: EX_SOFTWARE of sysexits.h.
INTERNAL_ERROR = 70


class UsageError(Exception):
    """An invalid command line, or a file that it names and that cannot be used; one line and USAGE_ERROR."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Args:
        argv: Arguments without the program's name; the arguments of the process when None.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(arguments)
    except (UsageError, IsolationError) as error:
        _print_error(f"sandhook: {usage_text(error)}")
        return USAGE_ERROR
    except SystemExit as ending:  # --help
        return int(ending.code or 0)
    except BrokenPipeError:
        _forget_stdout()
        return 141  # the status of a program that SIGPIPE killed
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _internal_error(error)


def usage_text(error: UsageError | IsolationError) -> str:
    """Return what is wrong with a command line."""
    if isinstance(error, IsolationError):
        return f"{error.argument} cannot be used with --isolation process: {error.reason}"
    return str(error)


def entry(note: str = "") -> NoReturn:
    """Run the command line as a program, and exit without freeing the interpreter's modules.

    Freeing them takes 13 ms, for which the caller of a hook would wait. Output is flushed. The jq worker
    exits at the end of its input.

    Args:
        note: Printed if the exit status is 0: standard error is otherwise the reason of a refusal.
    """
    import os

    from sandhook.cli.bytecode import find_modules

    modules = find_modules()
    gc.set_threshold(50_000)  # start-up creates many objects that are never freed
    if sys.platform == "win32":
        _use_utf8_and_line_feeds()
    status = main()
    if note and status == 0:
        from sandhook.cli.notes import print_note

        print_note(f"sandhook: {note}")
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            status = status or 1
    if modules is not None and sys.argv[1:2] in _WAITED_FOR:
        with suppress(Exception):  # whatever it is, the decision stands, and it is the exit status
            modules.keep()
    os._exit(status)


def _use_utf8_and_line_feeds() -> None:
    """Print UTF-8 with line feeds on Windows, whatever its code page: agents read nothing else."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]


def _dispatch(arguments: list[str]) -> int:
    if (
        arguments and arguments[0].partition("=")[0] == "--color"
    ):  # before the command, or as one of its options
        option = arguments[: 1 if "=" in arguments[0] else 2]
        arguments = arguments[len(option) :]
        arguments[1:1] = option
    name = arguments[0] if arguments else "--help"
    if name == "help" and arguments[1:]:
        name, arguments = arguments[1], [arguments[1], "--help"]
    if name in ("-h", "--help", "help"):
        sys.stdout.write(usage())
        return 0 if arguments else USAGE_ERROR
    if name in ("-V", "--version"):
        sys.stdout.write(f"sandhook {__version__}\n")
        return 0
    command = COMMANDS.get(name)
    if command is None:
        from sandhook.text.nearest import hint

        raise UsageError(f"unknown command {name!r}; {hint(name, COMMANDS)}")
    from importlib import import_module

    if name in ("fire", "hook"):
        warm_up(arguments)
    run: Callable[[list[str]], int] = import_module(command.module).run
    return run(arguments[1:])


def _without_waiting(name: str, flags: int) -> int:
    """Open a file; a FIFO does not block, whoever put it there."""
    import os

    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def warm_up(arguments: Sequence[str]) -> None:
    """Start the jq worker while modules are imported, if the hooks seem to need it; that takes 25 ms.

    This is a guess from the bytes of the files. Their faults are reported later.
    """
    for option, name in pairwise(arguments):
        if option not in ("--hooks", "--"):
            continue
        try:
            with open(name, "rb", opener=_without_waiting) as file:
                text = file.read(1 << 20) or b""
        except OSError:
            continue
        if b"jq" not in text:
            continue
        from sandhook.worker.jq_calls import needs_worker

        if needs_worker(text.decode("latin-1")):
            from sandhook.errors import WorkerError
            from sandhook.worker.client import prestart

            try:
                prestart()
            except WorkerError:
                return
            return


def usage() -> str:
    """Return the help text of the whole command line."""
    lines = [
        "usage: sandhook COMMAND [OPTION]... ",
        "",
        "Run agent hooks and shell scripts in a sandbox.",
        "",
    ]
    indent = 2 + max(map(len, COMMANDS)) + 1
    for name, command in COMMANDS.items():
        lines += [f"  {name}".ljust(indent) + command.summary, f"{'':{indent}}example: {command.example}"]
    lines += [
        "",
        "`sandhook COMMAND --help` describes a command. `sandhook --version` prints the version.",
        "",
    ]
    return "\n".join(line.rstrip() for line in lines)


def _internal_error(error: Exception) -> int:
    import os

    if os.environ.get("SANDHOOK_DEBUG") == "1":
        import traceback

        traceback.print_exc()
    message = str(error).partition("\n")[0]
    _print_error(
        f"sandhook: internal error: {error.__class__.__name__}: {message} (SANDHOOK_DEBUG=1 shows more)"
    )
    return INTERNAL_ERROR


def _print_error(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text + "\n")


def _forget_stdout() -> None:
    """Prevent a second failure when the interpreter flushes at exit."""
    import os

    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return

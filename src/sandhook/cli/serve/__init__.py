"""``sandhook serve``: a resident service that fires hooks, and that runs the commands of ``sandhook hook`` and ``fire``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from sandhook.cli import INCOMPLETE, UsageError
from sandhook.cli.arguments import Parser, add_format, add_isolation
from sandhook.cli.notes import print_note
from sandhook.cli.serve.recording import add_recording, check_recording
from sandhook.client.place import VARIABLE, socket_path
from sandhook.errors import SandhookError

if TYPE_CHECKING:
    import argparse


def parser() -> Parser:
    result = Parser(
        "serve",
        "[--hooks FILE...] [OPTION]...",
        "Stay resident and fire hooks. `sandhook hook` and `sandhook fire --as-hook` find the service of\n"
        "their user and let it run them, with the same result in a tenth of the time. Agents with http hooks\n"
        "post their events to /v1/hooks/CONTRACT; /openapi.json describes the other paths.\n\n"
        "The hooks of posted events are those of --hooks, or those that the agent itself would read in the\n"
        "directory of the event. When their files, scripts or approvals change, they are read again; a\n"
        "change with a fault is reported, and what was in force before stays in force.",
    )
    _add_hooks(result)
    _add_listening(result)
    _add_variables(result)
    actions = result.add_mutually_exclusive_group()
    for name, text in (
        ("start", "start the service in the background"),
        ("restart", "end the service and start it again, with the same options unless others are given"),
        ("stop", "end the service of this user"),
        ("status", "report whether the service runs, and what is wrong"),
    ):
        actions.add_argument(f"--{name}", dest="action", action="store_const", const=name, help=text)
    add_format(result)
    return result


def _add_hooks(result: Parser) -> None:
    """Add the options for hooks, and for what becomes of events."""
    add = result.add_argument
    add(
        "--hooks",
        action="append",
        default=[],
        metavar="FILE",
        help="a configuration of hooks (again for more)",
    )
    add(
        "--contract",
        action="append",
        default=[],
        metavar="NAME",
        help="serve only this agent (again for more; default: all); with --hooks, the format of FILE",
    )
    add(
        "--workspace",
        action="append",
        default=[],
        metavar="DIR",
        help="directory that hooks see (again for more; default: that of the event); hooks change a copy",
    )
    add("--processes", type=int, default=0, metavar="N", help="fire posted events in N processes")
    add_recording(result)
    add(
        "--fail-closed",
        action="store_true",
        help="refuse events that cannot be read, and hooks that could not run",
    )
    add_isolation(result, "as for fire")


def _add_listening(result: Parser) -> None:
    """Add the options for sockets."""
    add = result.add_argument
    add("--socket", metavar="PATH", help="the Unix socket (default: in the user's runtime directory)")
    add("--no-socket", action="store_true", help="no Unix socket: clients use the address of --listen")
    add(
        "--listen", metavar="ADDRESS:PORT", help="also listen on TCP, on loopback; the port 0 is any free one"
    )
    add("--allow-remote", action="store_true", help="let --listen name an address that other machines reach")
    add("--token-file", metavar="FILE", help="the token of requests over TCP; made if it does not exist")
    add(
        "--ui",
        action="store_true",
        help="also serve the page of `sandhook studio`, on the address of --listen",
    )
    add("--edit", action="store_true", help="with --ui, let the page save the hooks that it edits")


def _add_variables(result: Parser) -> None:
    """Add the options for approvals and for the agent's variables."""
    add = result.add_argument
    add("--store", metavar="FILE", help="file of approvals (default: that of `sandhook trust`)")
    add(
        "--env", action="append", default=[], metavar="NAME[=VALUE]", help="a variable of the agent for hooks"
    )
    add(
        "--inherit-env",
        action="store_true",
        help="all variables of this process, for hooks that may see them",
    )
    add("--sandbox", action="store_true", help="also run hooks that nobody approved, in the sandbox")


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    check(options)
    try:
        if options.action is not None:
            return _control(options, arguments)
        return _serve(options, arguments)
    except SandhookError as error:
        raise UsageError(f"serve: {error}") from None


def _control(options: argparse.Namespace, arguments: list[str]) -> int:
    """Start, end or ask the service in the background; return the exit status."""
    from sandhook.cli.serve import control

    path = _socket_of(options)
    report = control.Report(options.action, path, is_json=options.layout == "json")
    own = _of_service(arguments)
    try:
        if options.action == "stop":
            status = control.stop(path, report)
        elif options.action == "status":
            status = control.status(path, report)
        elif options.action == "restart":
            status = control.restart(path, own, report, replaced=_says_more(own))
        else:
            status = control.start(path, own, report)
    except control.ControlError as error:
        print_note(f"sandhook: serve: {error}")
        report.problems.append(str(error))
        status = INCOMPLETE
    report.finish()
    return status


def _of_service(arguments: list[str]) -> list[str]:
    """Return the arguments without those about this command alone."""
    words = iter(arguments)
    own: list[str] = []
    for word in words:
        if word == "--format":
            next(words, None)
        elif word not in ("--start", "--restart") and not word.startswith("--format="):
            own.append(word)
    return own


def _says_more(arguments: list[str]) -> bool:
    """Return whether options say how to serve, and not only where the service is."""
    options = parser().parse_args(arguments)
    options.socket = None
    return bool(options != parser().parse_args([]))


def check(options: argparse.Namespace) -> None:
    """Raise UsageError for options that do not fit."""
    from sandhook.hooks import contracts
    from sandhook.hooks.contracts import ContractError

    for name in options.contract:
        try:
            contracts.get(name)
        except ContractError as error:
            raise UsageError(f"serve: {error}") from None
    if options.hooks and len(options.contract) > 1:
        raise UsageError("serve: --hooks goes with one --contract, the format of the files")
    check_recording(options)
    if options.layout == "json" and options.action is None:
        raise UsageError("serve: --format json goes with --start, --restart, --stop or --status")
    if not 0 <= options.processes <= 64:
        raise UsageError(f"serve: --processes {options.processes}: wanted 0 to 64")
    if options.edit and not options.ui:
        raise UsageError("serve: --edit needs --ui")
    if options.allow_remote and options.listen is None:
        raise UsageError("serve: --allow-remote needs --listen")
    for name in options.workspace:
        if not os.path.isdir(name):  # noqa: PTH112 - pathlib costs 10 ms
            raise UsageError(f"serve: --workspace {name}: there is no such directory")


def _socket_of(options: argparse.Namespace) -> str:
    """Return the path of the socket; with --no-socket, the path next to which the endpoint's file is."""
    path = options.socket or socket_path(os.environ, sys.platform)
    if not path:
        why = f"{VARIABLE} is empty" if VARIABLE in os.environ else "the user has no runtime directory"
        raise UsageError(f"serve: {why}; use --socket PATH")
    return str(os.path.abspath(path))  # noqa: PTH100 - pathlib costs 10 ms


def _serve(options: argparse.Namespace, arguments: list[str]) -> int:
    try:
        from sandhook.serve.server import allow_many_connections
    except ImportError as error:
        raise UsageError(f"serve: needs the extra sandhook[serve]: there is no module {error.name}") from None
    import asyncio

    from sandhook.cli.serve.listening import Listening
    from sandhook.cli.serve.running import until_stopped
    from sandhook.journal.targets import open_target

    bench = others = None
    if options.ui:
        from functools import partial

        from sandhook.cli.serve.bench import CommandBench

        others = partial(CommandBench, options)
        bench = CommandBench(options, options.workspace[0] if options.workspace else None)
    allow_many_connections()
    audit = open_target(options.audit, "--audit ") if options.audit else None
    listening = Listening(options, _socket_of(options))
    try:
        asyncio.run(until_stopped(options, arguments, listening, audit, bench=bench, others=others))
    finally:
        listening.close()
    return 0

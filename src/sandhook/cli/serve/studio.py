"""``sandhook studio``: a page about the hooks of this project, on a loopback address, in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser, add_isolation, add_variables
from sandhook.cli.configuration import guarded
from sandhook.errors import SandhookError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from socket import socket

    from sandhook.serve.gate import Gate


def parser() -> Parser:
    result = Parser(
        "studio",
        "[FILE]... [OPTION]...",
        "Open a page in the browser that shows the hooks of all agents, fires events at them, follows\n"
        "their scripts line by line, and edits them. Nothing leaves this machine: the page is served on a\n"
        "loopback address, and needs the token that is in the address which this command prints.\n"
        "Without FILE: the hooks that the agents would read from the project's directory. Hooks run in\n"
        "the sandbox, on a copy of that directory. Ctrl-C ends it.",
    )
    add = result.add_argument
    add("hooks", nargs="*", metavar="FILE", help="a configuration of hooks; several are layers")
    add("--contract", metavar="NAME", help="the agent whose format it is (default: recognised from FILE)")
    add("--cwd", metavar="DIR", help="directory that the agent runs in (default: the project's)")
    add("--store", metavar="FILE", help="file of approvals (default: that of `sandhook trust`)")
    add("--port", type=int, default=0, metavar="N", help="listen on this port (default: any free one)")
    add("--edit", action="store_true", help="let the page save the hooks that it edits")
    add("--no-browser", action="store_true", help="only print the address")
    add_variables(
        result,
        "a variable of the agent, for hooks that may see those",
        "all variables of this process, for hooks that may see the agent's",
    )
    add_isolation(result, "as for fire")
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _run(parser().parse_args(arguments)))


def _run(options: argparse.Namespace) -> int:
    if not 0 <= options.port < 65536:
        raise UsageError(f"studio: --port {options.port}: wanted 0 to 65535")
    try:
        from sandhook.serve.server import allow_many_connections
    except ImportError as error:
        raise UsageError(
            f"studio: needs the extra sandhook[serve]: there is no module {error.name}"
        ) from None
    import asyncio

    from sandhook.cli.serve import parser as serve_parser
    from sandhook.cli.serve.bench import CommandBench
    from sandhook.cli.serve.browser import Page
    from sandhook.cli.serve.running import until_stopped

    bench = CommandBench(options, options.cwd)
    bench.setups()  # a fault of the named files ends the command
    allow_many_connections()
    served = serve_parser().parse_args([])
    for name in ("store", "isolation", "env", "inherit_env"):
        setattr(served, name, getattr(options, name))
    served.hooks, served.workspace = list(bench.named), [bench.directory]
    served.contract = [options.contract] if options.contract else []
    served.edit = options.edit
    try:
        listening = PageListening(options.port)
        page = Page(listening.address, opens=not options.no_browser)
        try:
            asyncio.run(until_stopped(served, [], listening, None, bench=bench, ready=page.show))
        finally:
            page.close()
            listening.close()
    except SandhookError as error:
        raise UsageError(f"studio: {error}") from None
    return 0


class PageListening:
    """One socket on loopback, whose token only the printed address has. It runs no commands of clients."""

    serves_clients = False
    local = None

    def __init__(self, port: int) -> None:
        from secrets import token_urlsafe

        from sandhook.serve.gate import Gate, hosts_of
        from sandhook.serve.inherited import Inherited
        from sandhook.serve.sockets import listen

        self.inherited = Inherited()

        listening = listen("127.0.0.1", port)
        own = listening.getsockname()[1]
        self.sockets: Sequence[socket] = [listening]
        token = token_urlsafe(32)
        self.gate: Gate = Gate(token, hosts_of(("127.0.0.1", "localhost"), own))
        self.places: Sequence[str] = [f"http://127.0.0.1:{own}"]
        self.address = f"{self.places[0]}/studio/#token={token}"

    def close(self) -> None:
        for each in self.sockets:
            each.close()

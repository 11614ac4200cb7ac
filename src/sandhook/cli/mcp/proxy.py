"""``sandhook mcp-proxy``: hooks between any MCP client and server."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser, add_isolation, add_variables
from sandhook.cli.configuration import add_places, find_project, gather, guarded
from sandhook.cli.engines import engine_of, notes_of, workspace_of
from sandhook.cli.notes import print_note
from sandhook.cli.permissions import add_host, add_permissions
from sandhook.errors import ConfigError
from sandhook.hooks.contracts import COMPAT

if TYPE_CHECKING:
    import argparse

    from sandhook.bridges.core import Guard

#: The exit status of a server that cannot be started, as in a shell.
NOT_STARTED = 127


def parser() -> Parser:
    result = Parser(
        "mcp-proxy",
        "(--hooks FILE... | --contract NAME) [OPTION]... -- SERVER [ARGUMENT]... | [--listen PORT] URL",
        "Start an MCP server, and stand between it and the client on standard input and output. Every call of\n"
        "a tool fires tool.pre and tool.post, with the tool's name mcp__NAME__TOOL. A refused call is an error of\n"
        "the tool, so the model reads the reason. The server and the client receive what hooks changed, and all\n"
        "other messages as they are. A hook that could not run, or that nobody approved, refuses, and so does one\n"
        "that wants to ask. In an MCP configuration, write this command instead of the server's.\n\n"
        "A URL is a server that is reached by streamable HTTP. The client is on standard input and output, as with any\n"
        "server. With --listen, clients use HTTP too: listen on this machine alone, and pass requests to the URL. The\n"
        "client's configuration has the address that is printed.",
    )
    add = result.add_argument
    add("server", nargs="+", metavar="SERVER", help="the command of the server, after --")
    add(
        "--listen",
        type=int,
        metavar="PORT",
        help="listen for clients of HTTP; SERVER is a URL (0: any free port)",
    )
    add(
        "--header",
        action="append",
        default=[],
        metavar="NAME:VALUE",
        help="a header of each request to URL, without --listen; ${VARIABLE} in it is that of the environment",
    )
    add("--name", metavar="NAME", help="the server's name for hooks (default: from its command)")
    add_places(result)
    add("--fail-open", action="store_true", help="a hook that could not run refuses nothing")
    add(
        "--on-ask",
        choices=("refuse", "allow"),
        default="refuse",
        help="what becomes of a call about which a hook wants to ask (default: refuse)",
    )
    add("--compat", choices=COMPAT, default="better", help="strict: reproduce the agent, defects included")
    add("--workspace", metavar="DIR", help="show this directory to hooks (default: that of --cwd)")
    add_variables(
        result,
        "a variable of the agent, for hooks that may see those",
        "all variables of this process, for hooks that may see the agent's",
    )
    add_permissions(result)
    add("--sandbox", action="store_true", help="also run hooks that nobody approved, in the sandbox")
    add_isolation(result, "process for hooks of bundles and of layers that anybody may write, else thread")
    add_host(result, "run hooks that are yours or approved on this machine, with its files and programs")
    add("--trace", action="store_true", help="print audit lines to standard error")
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    if not is_url(options.server) and (options.listen is not None or options.header):
        raise UsageError("mcp-proxy: --listen and --header need the URL of a server")
    if options.listen is not None and options.header:
        raise UsageError(
            "mcp-proxy: --header is for a client on standard input: with --listen, any program of this machine"
            " could use it"
        )
    if options.listen is not None and not 0 <= options.listen < 1 << 16:
        raise UsageError(f"mcp-proxy: --listen: {options.listen}: wanted a port, 0 to 65535")
    if not options.hooks and not options.contract:
        raise UsageError("mcp-proxy: needs --hooks FILE, or --contract NAME for the agent's own files")
    return guarded(lambda: _proxy(options))


def _proxy(options: argparse.Namespace) -> int:
    from sandhook.bridges.core import Guard

    options.fail_closed, options.steps = not options.fail_open, False
    options.write_back, options.write_back_also = False, []
    find_project(options)
    configuration = gather(options)[0]
    workspace = workspace_of(options)
    engine = engine_of(options, configuration, workspace)
    problems = [*configuration.problems, *engine.problems]
    if problems and not options.fail_open:
        raise ConfigError(problems)
    for line in (*map(str, problems), *notes_of(engine)):
        print_note(line)
    if not (engine.hooks or engine.withheld) and not options.fail_open:
        raise UsageError("mcp-proxy: there are no hooks; --fail-open passes all calls then")
    guard = Guard(
        engine, fail_open=options.fail_open, cwd=workspace.directory, project_dir=workspace.directory
    )
    if options.listen is not None:
        return _listen(options, guard)
    if is_url(options.server):
        return _reach(options, guard)
    from sandhook.bridges.mcp.process import Proxy

    name = options.name or name_of(options.server)
    try:
        proxy = Proxy(options.server, guard, name, note=print_note, ask=options.on_ask)
    except OSError as error:
        print_note(f"sandhook: mcp-proxy: {options.server[0]}: {error.strerror or error}")
        return NOT_STARTED
    return proxy.run()


def _listen(options: argparse.Namespace, guard: Guard) -> int:
    from sandhook.bridges.mcp.http import HttpProxy, serve

    (url,) = options.server
    name = options.name or name_of([urlsplit(url).hostname or "server"])
    try:
        proxy = HttpProxy(options.listen, url, guard, name, note=print_note, ask=options.on_ask)
    except ValueError as error:
        raise UsageError(f"mcp-proxy: {error}") from None
    except OSError as error:
        raise UsageError(f"mcp-proxy: --listen {options.listen}: {error.strerror or error}") from None
    print_note(f"sandhook: mcp-proxy: listening at {proxy.address} for {url}")
    return serve(proxy)


def _reach(options: argparse.Namespace, guard: Guard) -> int:
    from sandhook.bridges.mcp.remote import RemoteProxy

    (url,) = options.server
    headers = [header_of(text) for text in options.header]
    name = options.name or name_of([urlsplit(url).hostname or "server"])
    try:
        proxy = RemoteProxy(url, headers, guard, name, note=_note, ask=options.on_ask)
    except ValueError as error:
        raise UsageError(f"mcp-proxy: {error}") from None
    return proxy.run()


def _note(text: str) -> None:
    print_note(f"sandhook: mcp-proxy: {text}")


def is_url(server: list[str]) -> bool:
    """Return True if a server is named by its URL."""
    return len(server) == 1 and server[0].startswith(("http://", "https://"))


#: Headers that the proxy or HTTP itself sets.
_SET = frozenset(
    {"accept", "content-type", "last-event-id", "host", "content-length", "connection", "transfer-encoding"}
)


def header_of(text: str) -> tuple[str, str]:
    """Return the header in an operand of --header. Raises UsageError, which does not quote a value."""
    name, colon, value = text.partition(":")
    if not colon or not re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", name):
        raise UsageError("mcp-proxy: --header: wanted NAME:VALUE")
    if name.lower() in _SET or name.lower().startswith("mcp-"):
        raise UsageError(f"mcp-proxy: --header {name}: the proxy sets it itself")
    value = re.sub(r"\$\{(\w+)\}", lambda found: _variable(name, found[1]), value).strip()
    if not re.fullmatch(r"[\t\x20-\x7e]*", value):
        raise UsageError(f"mcp-proxy: --header {name}: its value has characters that no header can have")
    return name, value


def _variable(header: str, name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise UsageError(f"mcp-proxy: --header {header}: the environment has no variable {name}")
    return value


#: Programs that start a server whose name is the first operand.
_LAUNCHERS = frozenset(
    {"npx", "uvx", "bunx", "pnpx", "node", "python", "python3", "uv", "docker", "pipx", "deno"}
)


def name_of(command: list[str]) -> str:
    """Return a short name of a server from its command: ``npx -y @scope/server-git`` is "git"."""
    words = [
        re.sub(r"\.(?:exe|cmd|js|py)$", "", word.replace("\\", "/").rpartition("/")[2]) for word in command
    ]
    named = [
        word
        for word in words
        if not word.startswith("-")
        and re.sub(r"[\d.]+$", "", word) not in _LAUNCHERS
        and word not in ("run", "tool", "exec")
    ]
    name = (named[0] if named else words[0]).partition("@")[0]
    name = re.sub(r"^(?:mcp[-_])?server[-_]|[-_](?:mcp|server)$", "", name)
    return re.sub(r"[^A-Za-z0-9_-]", "_", name) or "server"

"""``sandhook mcp-shell``: an MCP server with a bash tool in the sandbox."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser
from sandhook.cli.files import mounted
from sandhook.cli.permissions import add_network, network_of
from sandhook.text.names import is_name

if TYPE_CHECKING:
    import argparse

    from sandhook.bridges.shelltool import ShellTool

#: The defaults of the options.
_SECONDS, _CHARS, _FILE_MIB = 30.0, 30_000, 64


def parser() -> Parser:
    result = Parser(
        "mcp-shell",
        "[OPTION]...",
        "Be an MCP server on standard input and output whose tool `bash` runs commands in the sandbox: a real\n"
        "bash with the usual utilities, without the programs, the variables and the network of this machine.\n"
        "A connection is a session: files, variables, functions and the working directory stay until it ends.\n"
        "Needs the extra: pip install 'sandhook[mcp]'.",
    )
    add = result.add_argument
    add(
        "--mount",
        action="append",
        default=[],
        metavar="HOST:VIRTUAL[:MODE]",
        help="show a directory; MODE is ro, rw or overlay (default: changes are discarded)",
    )
    add("--env", action="append", default=[], metavar="K=V", help="set a variable (again for more)")
    add(
        "--cwd",
        metavar="DIR",
        default="/workspace",
        help="working directory in the sandbox (default: /workspace)",
    )
    add("--name", default="bash", metavar="NAME", help="the name of the tool (default: bash)")
    add(
        "--timeout",
        type=float,
        default=_SECONDS,
        metavar="S",
        help=f"limit of a command in seconds (default: {_SECONDS:g})",
    )
    add(
        "--max-chars",
        type=int,
        default=_CHARS,
        metavar="N",
        help=f"characters of output that the model sees (default: {_CHARS})",
    )
    add(
        "--max-files",
        type=int,
        default=_FILE_MIB,
        metavar="MIB",
        help=f"size of all files in MiB (default: {_FILE_MIB})",
    )
    add_network(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    for name, value in (
        ("timeout", options.timeout),
        ("max-chars", options.max_chars),
        ("max-files", options.max_files),
    ):
        if not 0 < value < float("inf"):
            raise UsageError(f"mcp-shell: --{name} must be more than 0")
    tool = tool_of(options)
    try:
        from sandhook.bridges.mcp.shell import serve_stdio, shell_server
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "mcp_types"):
            raise
        raise UsageError("mcp-shell: needs the package mcp: pip install 'sandhook[mcp]'") from None
    asyncio.run(serve_stdio(shell_server(lambda: tool)))
    return 0


def tool_of(options: argparse.Namespace) -> ShellTool:
    """Return the tool that the options describe."""
    from sandhook.bridges.shelltool import LIMITS, ShellTool
    from sandhook.interp.beginning import DEFAULT_ENVIRONMENT

    env = dict(DEFAULT_ENVIRONMENT)
    for text in options.env:
        name, equals, value = text.partition("=")
        if not equals or not is_name(name):
            raise UsageError(f"mcp-shell: --env {text}: wanted NAME=VALUE")
        env[name] = value
    return ShellTool(
        env=env,
        cwd=options.cwd,
        limits=LIMITS.with_(wall_seconds=options.timeout, fs_bytes=options.max_files << 20),
        network=network_of(options),
        fs=mounted(options.mount) if options.mount else None,
        name=options.name,
        max_chars=options.max_chars,
    )

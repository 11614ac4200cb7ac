"""An MCP server with a bash tool in the sandbox. Each connection has a session of its own.

    server = shell_server(lambda: ShellTool(files={"data.csv": "a,b\\n"}))
    await serve_stdio(server)

Needs the extra ``sandhook[mcp]``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from sandhook.bridges.shelltool import SCHEMA, ShellTool, command_of
from sandhook.version import __version__


class _Connections:
    """The tools of the connections, each with a lock: a session runs one command at a time."""

    def __init__(self, make: Callable[[], ShellTool]) -> None:
        self._make = make
        self._tool: ShellTool | None = None
        self._turn = asyncio.Lock()

    def tool(self) -> ShellTool:
        if self._tool is None:
            self._tool = self._make()
        return self._tool

    async def run(self, command: str) -> CallToolResult:
        async with self._turn:
            output = await self.tool().arun(command)
        return CallToolResult(content=[TextContent(type="text", text=output.text)], is_error=False)


def shell_server(make: Callable[[], ShellTool]) -> Server[Any]:
    """Return a server for one connection with the tool that ``make`` returns."""
    connection = _Connections(make)

    async def list_tools(
        context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        tool = connection.tool()
        return ListToolsResult(
            tools=[Tool(name=tool.name, description=tool.description, input_schema=dict(SCHEMA))]
        )

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        name = connection.tool().name
        if params.name != name:
            return _refused(f"there is no tool {params.name!r}; there is {name}")
        try:
            command = command_of(params.arguments or {})
        except ValueError as error:
            return _refused(str(error))
        return await connection.run(command)

    return Server("sandhook", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def _refused(reason: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=f"sandhook: {reason}")], is_error=True)


async def serve_stdio(server: Server[Any]) -> None:
    """Serve the client on standard input and output until it ends."""
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())

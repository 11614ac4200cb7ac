"""The proxy of a client on standard input and output whose server is reached by HTTP."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.bridges.core import Guard
from sandhook.bridges.mcp.endpoint import endpoint_of
from sandhook.bridges.mcp.http_client import Requests
from sandhook.bridges.mcp.process import GRACE, Streams
from sandhook.bridges.mcp.relay import Ask
from sandhook.hooks.event import Json


class RemoteProxy(Streams):
    """One server with a URL and its client.

    Args:
        url: The server's endpoint.
        headers: Further headers of each request, such as one with a token.
        guard: The hooks.
        name: The server's name for hooks.
        note: Receives a line for people.
        ask: The meaning of a hook that wants to ask.

    Raises:
        ValueError: The URL is not one of HTTP.
    """

    def __init__(
        self,
        url: str,
        headers: Sequence[tuple[str, str]],
        guard: Guard,
        name: str,
        *,
        note: Callable[[str], None],
        ask: Ask = "refuse",
    ) -> None:
        super().__init__(guard, name, lambda line: self._requests.send(line), note=note, ask=ask)
        self._requests = Requests(endpoint_of(url), headers, self._relay.from_server, self._forget, note=note)

    def run(self) -> int:
        """Pass messages until the client ends; return the exit status."""
        self._pass_messages()
        self._requests.end_session()
        return 128 + self._signal if self._signal else 0

    def _client_ended(self) -> None:
        self._work.settle()  # the hooks before calls
        self._requests.wait(GRACE)
        self._work.settle()  # those after them
        self._ended.set()

    def _forget(self, identities: list[Json]) -> None:
        for identity in identities:
            self._relay.abandon(identity, self._relay.pending(identity))

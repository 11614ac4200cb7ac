"""What the proxy of HTTP servers remembers of a session: its calls, and the ids of its other requests."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from threading import local

from sandhook.bridges.mcp.messages import MalformedMessage, key_of, read
from sandhook.bridges.mcp.relay import Relay
from sandhook.hooks.event import Json

#: Ids of requests that are remembered for one session.
_REQUESTS = 10_000


class Messages(local):
    """What a Relay wrote while this thread called it."""

    def __init__(self) -> None:
        self.to_server: list[bytes] = []
        self.to_client: list[bytes] = []

    def collect(self, pass_on: Callable[[bytes], None], message: bytes) -> tuple[list[bytes], list[bytes]]:
        """Pass a message to a Relay; return what it wrote to the server and to the client."""
        self.to_server, self.to_client = [], []
        pass_on(message)
        return self.to_server, self.to_client


class Session:
    """The calls of one session.

    Attributes:
        relay: Its hooks.
        asked: Ids of requests that are no calls; their responses may come in another stream.
    """

    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        self.asked: OrderedDict[object, None] = OrderedDict()

    def note(self, message: Json) -> None:
        """Remember the id of a request."""
        if isinstance(message, dict) and "method" in message and message["method"] != "tools/call":
            self.asked[key_of(message.get("id"))] = None
            if len(self.asked) > _REQUESTS:
                self.asked.popitem(last=False)


def _responses(data: bytes) -> Iterator[Json]:
    try:
        message = read(data)
    except MalformedMessage as error:
        message = getattr(error, "value", None)
    for each in message if isinstance(message, list) else [message]:
        if isinstance(each, dict) and "method" not in each and "id" in each:
            yield each["id"]


def unknown_response(data: bytes, session: Session) -> Json | None:
    """Return the id of a response to a request that the session has not seen, else None."""
    for identity in _responses(data):
        key = key_of(identity)
        if key not in session.asked and session.relay.pending(identity) is None:
            return identity
    return None

"""Headers that repeat parts of a message, so that others can route it without reading its body.

A server of the protocol of 2026-07-28 refuses a request whose headers and body differ. A hook may change the body, and
a client on standard input has no headers.

Source: modelcontextprotocol.io, "Transports", 2026-07-28.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from re import fullmatch

from sandhook.hooks.event import Json, JsonObject

#: Headers of the protocol, in lower case.
VERSION, SESSION, METHOD, NAME, PARAMETER = (
    "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "mcp-param-",
)  # fmt: skip

#: The parameter that the header for names repeats.
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

#: Tools whose headers are remembered.
_TOOLS = 10_000

#: Schemas in schemas that are looked into.
_DEPTH = 20

#: Names of a tool's arguments from the outermost one, and the end of the header that repeats the innermost one.
_Repeated = tuple[tuple[tuple[str, ...], str], ...]


def version_of(message: Json) -> str | None:
    """Return the version of the protocol that a message names itself, as those since 2026-07-28 do."""
    meta = _params(message).get("_meta")
    version = meta.get("io.modelcontextprotocol/protocolVersion") if isinstance(meta, dict) else None
    return version if isinstance(version, str) and is_plain(version) else None


def is_plain(value: str) -> bool:
    """Return True for a text that a header can have as it is, without spaces."""
    return fullmatch(r"[\x21-\x7e]+", value) is not None


def headers_of(message: JsonObject) -> dict[str, str]:
    """Return the headers that repeat a message's method, and the name in its parameters."""
    method = message.get("method")
    if not isinstance(method, str):
        return {}
    name = _params(message).get(_NAMED.get(method, ""))
    return {METHOD: encoded(method)} | ({NAME: encoded(name)} if isinstance(name, str) else {})


def difference(headers: Iterable[tuple[str, str]], message: JsonObject) -> str | None:
    """Return what headers say otherwise than their message, or twice; None if they agree."""
    wanted = headers_of(message)
    seen: set[str] = set()
    for name, value in ((name.lower(), value) for name, value in headers):
        if name not in (VERSION, SESSION, METHOD, NAME) and not name.startswith(PARAMETER):
            continue
        if name in seen:
            return f"the header {name} is there twice"
        seen.add(name)
        if name in wanted and decoded(value) != decoded(wanted[name]):
            return f"the header {name} is {value!r}, and the message has {decoded(wanted[name])!r}"
    return None


def encoded(value: str) -> str:
    """Return a text as the value of a header: as it is, or in base64."""
    if fullmatch(r"[\x20-\x7e]*", value) and value == value.strip() and not _is_base64(value):
        return value
    return f"=?base64?{b64encode(value.encode('utf-8', 'surrogatepass')).decode('ascii')}?="


def decoded(value: str) -> str | None:
    """Return the text of a header's value; None for base64 that cannot be decoded."""
    if not _is_base64(value):
        return value
    try:
        return b64decode(value[len("=?base64?") : -len("?=")], validate=True).decode("utf-8", "surrogatepass")
    except ValueError:
        return None


def _is_base64(value: str) -> bool:
    return value.startswith("=?base64?") and value.endswith("?=")


def _params(message: Json) -> JsonObject:
    params = message.get("params") if isinstance(message, dict) else None
    return params if isinstance(params, dict) else {}


class Routing:
    """Which arguments of which tools headers repeat, as lists of tools have it."""

    def __init__(self) -> None:
        self._tools: OrderedDict[str, _Repeated] = OrderedDict()

    def learn(self, message: Json) -> None:
        """Read a message of the server, which may be a list of tools."""
        result = message.get("result") if isinstance(message, dict) else None
        tools = result.get("tools") if isinstance(result, dict) else None
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
                self._tools[name] = tuple(_repeated(tool.get("inputSchema"), ()))
                self._tools.move_to_end(name)
                if len(self._tools) > _TOOLS:
                    self._tools.popitem(last=False)

    def parameters(self, message: JsonObject) -> dict[str, str] | None:
        """Return the headers that repeat arguments of a call; None if no list had the tool."""
        params = _params(message)
        repeated = self._tools.get(str(params.get("name")))
        if repeated is None:
            return None
        texts = ((end, _text(_at(params.get("arguments"), path))) for path, end in repeated)
        return {PARAMETER + end.lower(): encoded(text) for end, text in texts if text is not None}


def _repeated(schema: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the properties of a schema that headers repeat."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or len(path) > _DEPTH:
        return
    for name, each in properties.items():
        end = each.get("x-mcp-header") if isinstance(each, dict) else None
        if isinstance(end, str) and fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", end):
            yield (*path, name), end
        yield from _repeated(each, (*path, name))


def _at(value: Json, path: tuple[str, ...]) -> Json:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(value: Json) -> str | None:
    """Return an argument as a header has it; None for one that is not there, and for an object or a list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None

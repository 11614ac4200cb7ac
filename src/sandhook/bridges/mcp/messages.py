"""JSON-RPC messages as the proxy reads and writes them.

Source: modelcontextprotocol.io, "Base protocol" and "Tools"; JSON-RPC 2.0.
"""

from __future__ import annotations

from json import JSONDecodeError, detect_encoding, dumps, loads
from typing import Literal

from sandhook.hooks.event import Json, JsonObject, ToolResult
from sandhook.lazy import lazily

#: Error codes of JSON-RPC.
ErrorCode = Literal[-32700, -32600, -32602, -32603, -32020]
PARSE_ERROR: ErrorCode = -32700
INVALID_REQUEST: ErrorCode = -32600
INVALID_PARAMS: ErrorCode = -32602
INTERNAL_ERROR: ErrorCode = -32603

#: Of the Model Context Protocol: a header says otherwise than the message.
HEADER_MISMATCH: ErrorCode = -32020

#: Identifies a request: 1 and "1" are different ids.
Key = tuple[type, str | float]


#: Members of a result that do not depend on its content.
_COMMON = ("_meta", "resultType")


class MalformedMessage(ValueError):
    """A line that is not JSON for any reader.

    Attributes:
        identities: Ids of responses that another reader may find in it.
        may_answer: Another reader may find a response in it.
    """

    identities: tuple[Json, ...] = ()
    may_answer = False


class AmbiguousMessage(MalformedMessage):
    """A message that readers understand differently: a key is there twice, or another reader reads what we cannot."""

    def __init__(self, text: str, line: bytes) -> None:
        super().__init__(text)
        members = _members(line)
        self.identities = tuple(
            value for name, value in members if name == "id" and key_of(value) is not None
        )
        self.may_answer = line.lstrip()[:1] == b"[" or "method" not in dict(members)


def read(line: bytes) -> Json:
    """Return a message. Raises MalformedMessage or AmbiguousMessage."""
    twice: list[str] = []

    def to_object(pairs: list[tuple[str, Json]]) -> JsonObject:
        value = dict(pairs)
        if len(value) < len(pairs):
            names = [name for name, _ in pairs]
            twice.append(next(name for name in names if names.count(name) > 1))
        return value

    try:
        value: Json = loads(line, object_pairs_hook=to_object)
    except JSONDecodeError as error:
        raise MalformedMessage(f"a message is not JSON: {error}") from None
    except UnicodeDecodeError as error:
        raise AmbiguousMessage(f"a message is not UTF-8: {error}", line) from None
    except RecursionError:
        raise AmbiguousMessage("a message nests too deeply", line) from None
    except ValueError as error:  # an integer with thousands of digits
        raise AmbiguousMessage(f"a message cannot be read: {error}", line) from None
    if twice:
        raise AmbiguousMessage(f"a message has the key {twice[0]!r} twice", line)
    return value


#: Strings, brackets, and all else that is not space.
_TOKEN = lazily(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')


def _members(line: bytes) -> list[tuple[str, Json]]:
    """Return the members of a message, or of those in a batch, without values that nest; it may nest too deeply."""
    found: list[tuple[str, Json]] = []
    tokens = _TOKEN.findall(line.decode(detect_encoding(line), "replace"))
    outer = 2 if tokens[:1] == ["["] else 1
    depth, name, last = 0, "", ""
    for token in tokens:
        if token in "[{]}":
            depth += 1 if token in "[{" else -1
        elif depth == outer and token == ":":
            name = str(_scalar(last))
            found.append((name, None))
        elif depth == outer and last == ":":
            found[-1] = (name, _scalar(token))
        last = token
    return found


def _scalar(token: str) -> Json:
    try:
        value: Json = loads(token)
    except ValueError:
        return None
    return value


def one_line(data: bytes) -> bytes:
    """Return a message as one line, for any reader: within JSON a newline outside of strings is a space."""
    return data.strip().replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


def line_of(message: Json) -> bytes:
    """Return a message as a line, in ASCII."""
    return dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def key_of(value: Json) -> Key | None:
    """Return the key of an id; None for a value that is no id."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return (str, value) if isinstance(value, str) else (float, value)


def error_line(identity: Json, code: ErrorCode, text: str) -> bytes:
    """Return a response with an error of the protocol."""
    return line_of(
        {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": f"sandhook: {text}"}}
    )


def refusal(identity: Json, reason: str) -> JsonObject:
    """Return the response to a call that hooks refused: an error of the tool, so that the model reads the reason."""
    return {"jsonrpc": "2.0", "id": identity, "result": _tool_error(reason)}


def _tool_error(reason: str) -> JsonObject:
    # resultType is required since the protocol of 2026; results of earlier ones may have any further member
    return {"resultType": "complete", "content": [_text(reason)], "isError": True}


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def outcome_of(response: JsonObject) -> ToolResult | None:
    """Return a response to a tool call as hooks see it; None for one that is not final.

    The value is the whole result. An error of the tool or of the protocol has its text as the error.
    """
    error = response.get("error")
    if error is not None:
        text = error.get("message") if isinstance(error, dict) else None
        return ToolResult(None, text if isinstance(text, str) and text else dumps(error))
    result = response.get("result")
    if isinstance(result, dict) and result.get("resultType", "complete") != "complete":
        return None
    failed = isinstance(result, dict) and result.get("isError") is True
    return ToolResult(result, (_texts(result) or "the tool failed") if failed else None)


def _texts(result: Json) -> str:
    content = result.get("content") if isinstance(result, dict) else None
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def changed_response(response: JsonObject, before: ToolResult, after: ToolResult) -> JsonObject:
    """Return a response with what hooks made of its result."""
    if after.error != before.error and after.error is not None:
        changed = _tool_error(after.error)
    elif isinstance(after.value, dict):
        changed = after.value
    else:
        content = after.value if _is_content(after.value) else [_text(_plain(after.value))]
        kept = response.get("result")
        common = {} if not isinstance(kept, dict) else kept
        changed = {"content": content, **{name: common[name] for name in _COMMON if name in common}}
        if before.error is not None:
            changed["isError"] = True
    return {**{name: value for name, value in response.items() if name != "error"}, "result": changed}


def _is_content(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and "type" in each for each in value)


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value)


def with_texts(response: JsonObject, texts: tuple[str, ...]) -> JsonObject:
    """Return a response whose result has more blocks of text."""
    result = response.get("result")
    if not texts or not isinstance(result, dict):
        return response
    content = result.get("content")
    blocks: list[Json] = [*(content if isinstance(content, list) else []), *map(_text, texts)]
    return {**response, "result": {**result, "content": blocks}}

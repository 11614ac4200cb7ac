"""Relay: the messages between an MCP client and a server, with hooks around every tool call.

A message that hooks do not change passes as its own bytes. Hooks run in threads, so that no other message waits for
them: pings, progress and cancellations pass meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Literal

from sandhook.bridges.core import Guard
from sandhook.bridges.mcp.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorCode,
    Key,
    MalformedMessage,
    changed_response,
    error_line,
    key_of,
    line_of,
    one_line,
    outcome_of,
    read,
    refusal,
    with_texts,
)
from sandhook.bridges.points import Actor, BeforeTool
from sandhook.hooks.event import Json, JsonObject, ToolCall, ToolResult

#: What a call becomes if a hook wants to ask: no client offers the proxy a person to ask.
Ask = Literal["refuse", "allow"]

#: Tasks whose results are awaited.
_TASKS = 10_000


class PendingCall:
    """A call in flight.

    Attributes:
        call: As hooks see it.
        context: Texts of the hooks before it, for its result.
        cancelled: The client wants no result; a call that has not been passed on stays here.
        answering: The hooks after it run.
    """

    __slots__ = ("answering", "call", "cancelled", "context")

    def __init__(self, call: ToolCall) -> None:
        self.call = call
        self.context: tuple[str, ...] = ()
        self.cancelled = False
        self.answering = False


class Relay:
    """One connection.

    Args:
        guard: The hooks.
        server: The name of the server: hooks see ``mcp__SERVER__TOOL``.
        to_server, to_client: Write whole lines; they may be called from any thread.
        submit: Runs a function in a thread.
        note: Receives a line about what was not passed on.
        session_id: What hooks see as the session.
        ask: The meaning of a hook that wants to ask.
        tasks: Calls whose results come later, by the ids of the server's tasks; to share them with other connections.
    """

    def __init__(
        self,
        guard: Guard,
        server: str,
        to_server: Callable[[bytes], None],
        to_client: Callable[[bytes], None],
        submit: Callable[[Callable[[], None]], object],
        *,
        note: Callable[[str], None],
        session_id: str,
        ask: Ask = "refuse",
        tasks: dict[str, PendingCall] | None = None,
    ) -> None:
        self._guard = guard
        self._server = server
        self._to_server, self._to_client = to_server, to_client
        self._submit = submit
        self._note = note
        self._actor = Actor(session_id=session_id)
        self._ask = ask
        self._lock = Lock()
        self._calls: dict[Key, PendingCall] = {}
        self._tasks = {} if tasks is None else tasks

    @property
    def has_calls(self) -> bool:
        """Whether a call has no answer yet."""
        return bool(self._calls)

    def pending(self, identity: Json) -> object | None:
        """Return the call with an id that has no answer yet, for ``abandon``; None without one."""
        key = key_of(identity)
        return None if key is None else self._calls.get(key)

    def abandon(self, identity: Json, call: object | None) -> None:
        """Forget a call to which no answer comes any more, unless it has had one."""
        key = key_of(identity)
        with self._lock:
            if key is not None and call is not None and self._calls.get(key) is call:
                del self._calls[key]

    # From the client.

    def from_client(self, line: bytes) -> None:
        """Pass a line to the server, or answer it."""
        if not line.strip():
            self._to_server(line)
            return
        if b"\r" in line[:-2]:  # where some servers begin a line
            line = one_line(line)
        try:
            message = read(line)
        except MalformedMessage as error:
            if self._guard.fail_open:
                self._to_server(line)
            else:
                self._not_passed(next(iter(error.identities), None), PARSE_ERROR, str(error))
            return
        if isinstance(message, list):
            self._batch(message, line)
        elif not isinstance(message, dict):
            self._to_server(line)
        elif message.get("method") == "tools/call":
            self._tool_call(message, line)
        else:
            self._watch(message)
            self._to_server(line)

    def _not_passed(self, identity: Json, code: ErrorCode, text: str) -> None:
        self._note(f"not passed to the server: {text}")
        self._to_client(error_line(identity, code, text))

    def _batch(self, messages: list[Json], line: bytes) -> None:
        """Pass a batch without calls; the protocol has had no batches since 2025-06-18."""
        calls = [each for each in messages if isinstance(each, dict) and each.get("method") == "tools/call"]
        if not calls:
            self._to_server(line)
            return
        text = "a batch with tools/call is not supported: send its messages one by one"
        for each in calls:
            self._not_passed(each.get("id"), INVALID_REQUEST, text)

    def _watch(self, message: JsonObject) -> None:
        """Hold back a call that is cancelled before its hooks have ended, and expect the result of a task."""
        params = message.get("params")
        if not isinstance(params, dict):
            return
        if message.get("method") == "notifications/cancelled":
            key = key_of(params.get("requestId"))
            with self._lock:
                if key is not None and key in self._calls:
                    self._calls[key].cancelled = True
        elif message.get("method") == "tasks/result":
            key, task = key_of(message.get("id")), params.get("taskId")
            with self._lock:
                if key is not None and isinstance(task, str) and task in self._tasks:
                    self._calls[key] = self._tasks[task]

    def _tool_call(self, message: JsonObject, line: bytes) -> None:
        identity, params = message.get("id"), message.get("params")
        name = params.get("name") if isinstance(params, dict) else None
        arguments = params.get("arguments") if isinstance(params, dict) else None
        if not isinstance(params, dict) or not isinstance(name, str):
            self._not_passed(identity, INVALID_PARAMS, "tools/call needs params with the name of a tool")
            return
        if arguments is not None and not isinstance(arguments, dict):
            self._not_passed(identity, INVALID_PARAMS, "the arguments of tools/call must be an object")
            return
        key = key_of(identity)
        call_id = None if key is None else str(identity)
        call = PendingCall(ToolCall(f"mcp__{self._server}__{name}", arguments or {}, call_id))
        with self._lock:
            taken = key is not None and key in self._calls
            if key is not None and not taken:
                self._calls[key] = call
        if taken:
            self._not_passed(identity, INVALID_REQUEST, f"the id {identity!r} is that of a call in flight")
        else:
            self._submit(lambda: self._before(call, key, message, line))

    def _before(self, call: PendingCall, key: Key | None, message: JsonObject, line: bytes) -> None:
        """Run the hooks before a call, and pass it on or answer it."""
        try:
            self._decide(call, key, message, line)
        except (
            Exception
        ) as error:  # a defect must not look like permission, and the client waits for an answer
            self._note(f"the hooks before {call.call.name} failed: {error.__class__.__name__}: {error}")
            with self._lock:
                cancelled = call.cancelled
                if key is not None:
                    self._calls.pop(key, None)
            if key is not None and not cancelled:
                self._to_client(line_of(refusal(message["id"], "the call cannot be checked")))

    def _decide(self, call: PendingCall, key: Key | None, message: JsonObject, line: bytes) -> None:
        name, arguments, call_id, *_ = call.call
        try:
            before = self._guard.before_tool(name, arguments, self._actor, call_id=call_id)
        except Exception as error:
            if not self._guard.fail_open:
                raise
            self._note(f"the hooks before {name} failed: {error.__class__.__name__}: {error}")
            self._to_server(line)
            return
        refused = self._refused(before)
        with self._lock:
            cancelled = call.cancelled
            if key is not None and (cancelled or refused is not None):
                self._calls.pop(key, None)
            call.call, call.context = call.call._replace(input=before.input), before.context
        if cancelled:  # the client expects no answer
            return
        if refused is not None:
            if key is None:
                self._note(f"not passed to the server: a call of {name} without an id: {refused}")
            else:
                response = with_texts(refusal(message["id"], refused), before.context)
                self._to_client(line_of(response))
            return
        if before.changed and before.input != arguments:
            params = message["params"]
            assert isinstance(params, dict)
            line = line_of({**message, "params": {**params, "arguments": before.input}})
        self._to_server(line)

    def _refused(self, before: BeforeTool) -> str | None:
        if before.action in ("refuse", "stop"):
            return before.reason
        if before.action == "ask" and self._ask == "refuse":
            return f"{before.reason} (a hook wants to ask, and nobody can be asked here)"
        if before.changed and not isinstance(before.input, dict):
            return "a hook changed the arguments to something that is not an object"
        return None

    # From the server.

    def from_server(self, line: bytes) -> None:
        """Pass a line to the client, after the hooks if it is the result of a call."""
        message: Json = None
        if b"\r" in line[:-2]:  # where some clients begin a line
            line = one_line(line)
        if self._calls and line.strip():
            try:
                message = read(line)
            except MalformedMessage as error:  # what a server prints by mistake is a result for no client
                if error.may_answer and not self._guard.fail_open and self._ambiguous(error):
                    return
        if isinstance(message, list) and any(self._is_response(each) for each in message):
            for each in message:
                self.from_server(line_of(each))
        elif isinstance(message, dict) and self._is_response(message):
            self._response(message, line)
        else:
            self._to_client(line)

    def _ambiguous(self, error: MalformedMessage) -> bool:
        """Refuse results of which the hooks may see another part than the client; False if it has none of a call."""
        with self._lock:
            keys = {key: each for each in error.identities if (key := key_of(each)) in self._calls and key}
            for key in keys:
                del self._calls[key]
        if error.identities and not keys:
            return False
        self._note(f"not passed to the client: {error}")
        for identity in keys.values():
            self._to_client(line_of(refusal(identity, f"the result cannot be checked: {error}")))
        return True

    def _is_response(self, message: Json) -> bool:
        if not isinstance(message, dict) or "method" in message:
            return False
        key = key_of(message.get("id"))
        return key is not None and key in self._calls

    def _response(self, message: JsonObject, line: bytes) -> None:
        """Pass the response to a call on, after the hooks if it has the result of the tool."""
        key, task = key_of(message.get("id")), _task_of(message)
        with self._lock:
            call = self._calls.get(key) if key is not None else None
            if call is None or key is None:
                return
            if call.answering:  # it would overtake the hooks of the first one
                self._note("not passed to the client: a second response to a call")
                return
            if task is not None:  # the result is the response to tasks/result
                del self._calls[key]
                self._tasks[task] = PendingCall(call.call)
                self._tasks[task].context = call.context
                if len(self._tasks) > _TASKS:
                    del self._tasks[next(iter(self._tasks))]
            else:
                call.answering = True
        if task is not None:
            self._to_client(line)
        else:
            self._submit(lambda: self._after(call, key, message, line))

    def _after(self, call: PendingCall, key: Key, message: JsonObject, line: bytes) -> None:
        """Run the hooks after a call, and pass its result to the client."""
        before = outcome_of(message)
        if before is not None:
            try:
                line = self._checked(call, message, before, line)
            except Exception as error:  # the guard raises only if it fails open
                self._note(f"the hooks after {call.call.name} failed: {error.__class__.__name__}: {error}")
                if not self._guard.fail_open:
                    line = line_of(refusal(message["id"], "the result cannot be checked"))
        with self._lock:
            self._calls.pop(key, None)
        self._to_client(line)

    def _checked(self, call: PendingCall, message: JsonObject, before: ToolResult, line: bytes) -> bytes:
        after = self._guard.after_tool(call.call, before, self._actor)
        texts = (*call.context, *after.context)
        if after.action != "go":
            return line_of(with_texts(refusal(message["id"], after.reason), texts))
        if not after.changed and not texts:
            return line
        changed = changed_response(message, before, after.result) if after.changed else message
        return line_of(with_texts(changed, texts))


def _task_of(message: JsonObject) -> str | None:
    """Return the id of the task that a response announces."""
    result = message.get("result")
    task = result.get("task") if isinstance(result, dict) and "content" not in result else None
    name = task.get("taskId") if isinstance(task, dict) else None
    return name if isinstance(name, str) else None

"""The relay: what passes as it is, what hooks refuse and change, and what must not get past them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sandhook.bridges.core import Guard
from sandhook.bridges.mcp import relay
from sandhook.bridges.mcp.relay import Ask, Relay

Hook = dict[str, str]


def hooks(pre: str = "", post: str = "", fail: str = "", matcher: str = "") -> dict[str, Any]:
    """Return hooks of Claude Code."""
    rows = {"PreToolUse": pre, "PostToolUse": post, "PostToolUseFailure": fail}
    return {
        "hooks": {
            name: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]
            for name, command in rows.items()
            if command
        }
    }


class Line:
    """A relay with what it wrote; hooks run at once, or when the test says so."""

    def __init__(
        self, config: object, *, ask: Ask = "refuse", later: bool = False, fail_open: bool = False
    ) -> None:
        self.server: list[bytes] = []
        self.client: list[bytes] = []
        self.notes: list[str] = []
        self.waiting: list[Callable[[], None]] = []
        guard = Guard(config, fail_open=fail_open)  # type: ignore[arg-type]
        submit = self.waiting.append if later else lambda work: work()
        self.relay = Relay(
            guard, "git", self.server.append, self.client.append, submit, note=self.notes.append, session_id="s", ask=ask
        )  # fmt: skip

    def call(self, arguments: object = None, *, id: object = 1, name: str = "log", **more: object) -> bytes:
        params = {"name": name, "arguments": arguments or {}, **more}
        line = (
            json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).encode()
            + b"\n"
        )
        self.relay.from_client(line)
        return line

    def result(self, text: str = "done", *, id: object = 1, **more: object) -> bytes:
        result = {"content": [{"type": "text", "text": text}], **more}
        line = json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode() + b"\n"
        self.relay.from_server(line)
        return line

    def texts(self) -> list[str]:
        """Return the texts of the last message to the client."""
        return [block["text"] for block in json.loads(self.client[-1])["result"]["content"]]


PASSES = hooks("exit 0", "exit 0", "exit 0")
REFUSES = hooks("echo no >&2; exit 2")

STRANGE = [
    b'{"jsonrpc":"2.0","id":9,"method":"ping"}\n',
    b'  {"method" : "x/unknown", "params": {"b": 1, "a": [1e3, 0.10]}, "jsonrpc": "2.0"}  \r\n',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}\n',
    b'{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"image","data":"'
    + b"QUJD" * 100_000
    + b'"}]}}\n',
    '{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"\\ud800 ü \\u0000"}}\n'.encode(),
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]\n',
    b"\n",
    b'"text"\n',
    b'{"jsonrpc":"2.0","id":5,"method":"tools/list"}',
]


@pytest.mark.parametrize("line", STRANGE, ids=range(len(STRANGE)))
def test_other_messages_pass_as_they_are(line: bytes) -> None:
    here = Line(REFUSES)
    here.relay.from_client(line)
    here.relay.from_server(line)
    assert (here.server, here.client, here.notes) == ([line], [line], [])


def test_a_call_that_no_hook_changes_passes_as_it_is() -> None:
    here = Line(PASSES)
    line = here.call({"a": 1}, _meta={"progressToken": 3})
    answer = here.result(structuredContent={"x": 1.50})
    assert (here.server, here.client) == ([line], [answer])


def test_while_a_call_is_in_flight_all_else_passes() -> None:
    here = Line(PASSES)
    here.call()
    for line in [each for each in STRANGE if b'"id":1' not in each]:
        here.relay.from_server(line)
        assert here.client[-1] == line
    garbage = b"server starts ...\n"
    here.relay.from_server(garbage)
    assert here.client[-1] == garbage


def test_a_refused_call_is_an_error_of_the_tool() -> None:
    here = Line(REFUSES)
    here.call(id="x")
    assert here.server == []
    (line,) = here.client
    assert line.endswith(b"\n") and json.loads(line) == {
        "jsonrpc": "2.0",
        "id": "x",
        "result": {"resultType": "complete", "content": [{"type": "text", "text": "no"}], "isError": True},
    }


def test_hooks_see_the_server_and_the_tool() -> None:
    here = Line(hooks("cat > /dev/stderr; exit 2", matcher="mcp__git__lo.*"))
    here.call({"path": "."}, id=4)
    payload = json.loads(here.texts()[0])
    assert payload["tool_name"] == "mcp__git__log" and payload["tool_input"] == {"path": "."}
    assert here.call(id=5, name="status") == here.server[-1]


def answer(**fields: object) -> str:
    """Return a hook that prints fields of its event."""
    text = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}})
    return f"printf %s '{text}'"


def test_changed_input_is_what_the_server_gets() -> None:
    here = Line(hooks(answer(permissionDecision="allow", updatedInput={"path": "safe", "ü": 1})))
    here.call({"path": "x"}, _meta={"progressToken": 1}, id=12)
    sent = json.loads(here.server[0])
    assert sent["id"] == 12 and list(sent) == ["jsonrpc", "id", "method", "params"]
    assert sent["params"] == {
        "name": "log",
        "arguments": {"path": "safe", "ü": 1},
        "_meta": {"progressToken": 1},
    }
    seen = Line(hooks(answer(permissionDecision="allow", updatedInput={"a": 2}), "cat >&2; exit 2"))
    seen.call({"a": 1})
    seen.result()
    assert json.loads(seen.texts()[-1])["tool_input"] == {"a": 2}, (
        "the hook after it sees what the server got"
    )


def post(value: object) -> str:
    fields = {"hookEventName": "PostToolUse", "updatedMCPToolOutput": value}
    return f"printf %s '{json.dumps({'hookSpecificOutput': fields})}'"


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("short", {"content": [{"type": "text", "text": "short"}], "_meta": {"m": 1}}),
        ([{"type": "text", "text": "b"}], {"content": [{"type": "text", "text": "b"}], "_meta": {"m": 1}}),
        ({"content": [], "structuredContent": {"k": 1}}, {"content": [], "structuredContent": {"k": 1}}),
    ],
)
def test_changed_output_is_what_the_client_gets(value: object, result: object) -> None:
    here = Line(hooks(post=post(value)))
    here.call()
    here.result("secret", structuredContent={"key": "secret"}, _meta={"m": 1})
    assert json.loads(here.client[0]) == {"jsonrpc": "2.0", "id": 1, "result": result}


HIDES = hooks(post=post("hidden"), fail="nosuchcommand")


def test_a_result_that_cannot_be_checked_does_not_reach_the_client() -> None:
    here = Line(hooks(post="nosuchcommand"))
    here.call()
    here.result("secret")
    assert b"could not run" in here.client[0] and b'"secret"' not in here.client[0]
    assert json.loads(here.client[0])["result"]["isError"] is True
    relaxed = Line(hooks(post="nosuchcommand"), fail_open=True)
    relaxed.call()
    line = relaxed.result("secret")
    assert relaxed.client == [line]


def test_a_hook_after_the_call_that_objects_adds_its_reason() -> None:
    here = Line(hooks(post="echo run the tests >&2; exit 2"))
    here.call()
    here.result("done")
    assert here.texts() == ["done", "run the tests"]


def test_context_is_added_to_the_result() -> None:
    here = Line(hooks(answer(additionalContext="mind the gap"), "exit 0"))
    here.call()
    here.result("done", structuredContent={"a": 1})
    assert here.texts() == ["done", "mind the gap"]
    assert json.loads(here.client[0])["result"]["structuredContent"] == {"a": 1}


def test_a_failed_call_fires_its_own_event() -> None:
    here = Line(hooks(post="exit 2", fail="cat > /seen"))
    here.call()
    line = here.result("no such file", isError=True)
    here.call(id=2)
    here.relay.from_server(error := b'{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"bad"}}\n')
    assert here.client == [line, error]


@pytest.mark.parametrize("config", [hooks("nosuchcommand"), hooks("sleep 100000"), hooks("kill -9 $$")])
def test_a_hook_that_could_not_run_refuses(config: object) -> None:
    here = Line(config)
    here.call()
    assert here.server == [] and json.loads(here.client[0])["result"]["isError"] is True
    relaxed = Line(config, fail_open=True)
    line = relaxed.call()
    assert relaxed.server == [line]


def broken(*arguments: object, **options: object) -> object:
    raise KeyError("defect")


def test_a_defect_before_a_call_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in the guard, and one when what hooks changed becomes a message."""
    changes = hooks(answer(permissionDecision="allow", updatedInput={"path": "/b"}))
    for owner, name in ((Guard, "before_tool"), (relay, "line_of")):
        with monkeypatch.context() as patch:
            here = Line(changes)
            failures = iter([broken])
            real = getattr(owner, name)
            patch.setattr(owner, name, lambda *a, **o: next(failures, real)(*a, **o))
            here.call({"path": "/a"})
            assert here.server == [] and here.texts() == ["the call cannot be checked"]
            assert here.notes == ["the hooks before mcp__git__log failed: KeyError: 'defect'"]
            assert not here.relay.has_calls


def test_a_guard_that_fails_open_passes_a_call_on_after_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Line(REFUSES, fail_open=True)
    monkeypatch.setattr(Guard, "before_tool", broken)
    line = here.call()
    assert here.server == [line] and len(here.notes) == 1


@pytest.mark.parametrize("early", [b'"result":{"content":[]}', b'"result":{},"result":{}'])
def test_a_server_that_answers_before_it_is_asked_does_not_end_the_hooks(early: bytes) -> None:
    here = Line(REFUSES, later=True)
    here.call()
    here.relay.from_server(b'{"jsonrpc":"2.0","id":1,' + early + b"}\n")
    for work in reversed(here.waiting):
        work()
    assert here.server == [] and here.texts() == ["no"] and here.notes[1:] == []


def test_a_hook_that_wants_to_ask() -> None:
    config = hooks(answer(permissionDecision="ask", permissionDecisionReason="sure?"))
    here = Line(config)
    here.call()
    assert here.texts() == ["sure? (a hook wants to ask, and nobody can be asked here)"]
    allowed = Line(config, ask="allow")
    assert allowed.call() == allowed.server[0]


@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        (b"{\n", -32700, "a message is not JSON: "),
        (b'{"id":1,"method":"ping","method":"tools/call","params":{"name":"log"}}\n', -32700, "has the key 'method' twice"),
        (b'{"id":1,"method":"tools/call","params":{"name":"a","name":"log"}}\n', -32700, "has the key 'name' twice"),
        (b'{"id":1,"method":"tools/call"}\n', -32602, "needs params with the name of a tool"),
        (b'{"id":1,"method":"tools/call","params":{"name":7}}\n', -32602, "needs params with the name of a tool"),
        (b'{"id":1,"method":"tools/call","params":{"name":"a","arguments":[]}}\n', -32602, "must be an object"),
        (b'[{"id":1,"method":"tools/call","params":{"name":"a"}}]\n', -32600, "a batch with tools/call"),
        (b"[" * 100_000 + b"\n", -32700, "nests too deeply"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_does_not_reach_the_server(line: bytes, code: int, text: str) -> None:
    here = Line(PASSES)
    here.relay.from_client(line)
    assert here.server == []
    error = json.loads(here.client[0])["error"]
    assert error["code"] == code and text in error["message"] and len(here.notes) == 1


def test_escapes_do_not_hide_a_call() -> None:
    here = Line(REFUSES)
    here.relay.from_client(b'{"id":1,"\\u006dethod":"tools\\/call","params":{"name":"log"}}\n')
    assert here.server == [] and here.texts() == ["no"]


def test_a_call_without_an_id() -> None:
    here = Line(REFUSES)
    here.relay.from_client(b'{"method":"tools/call","params":{"name":"log"}}\n')
    assert (here.server, here.client) == ([], [])
    assert "not passed to the server: a call of mcp__git__log without an id: no" in here.notes


def test_an_id_that_is_in_flight_is_not_used_twice() -> None:
    here = Line(PASSES)
    line = here.call(id=3)
    here.call(id=3)
    assert here.server == [line]
    assert "in flight" in json.loads(here.client[0])["error"]["message"]
    assert here.call(id="3") == here.server[-1], "a text is another id"


def test_a_call_that_is_cancelled_while_its_hooks_run_is_not_made() -> None:
    here = Line(PASSES, later=True)
    here.call(id=3)
    cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}\n'
    here.relay.from_client(cancel)
    assert here.server == [cancel]
    here.waiting.pop()()
    assert here.server == [cancel] and here.client == []


def test_a_result_after_a_cancellation_is_checked_too() -> None:
    here = Line(HIDES)
    here.call(id=3)
    here.relay.from_client(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}\n')
    here.result("secret", id=3)
    assert b"secret" not in here.client[0]


def test_a_second_response_does_not_overtake_the_hooks() -> None:
    here = Line(HIDES, later=True)
    here.call()
    here.waiting.pop()()
    here.result("one secret")
    here.result("another secret")
    here.waiting.pop()()
    assert len(here.client) == 1 and b"secret" not in here.client[0] and len(here.notes) == 1


def test_a_result_with_a_key_twice_is_refused() -> None:
    here = Line(PASSES)
    here.call()
    here.relay.from_server(
        b'{"id":1,"result":{"content":[]},"result":{"content":[{"type":"text","text":"x"}]}}\n'
    )
    assert "cannot be checked" in here.texts()[0]


NESTED = b"[" * 100_000 + b"]" * 100_000
DIGITS = b"1" * 10_000

UNREADABLE = [
    b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"secret \xff"}]}}\n',
    b'{"result":{"content":[{"type":"text","text":"secret"}],"_meta":{"a":%s}},"id":1}\n' % NESTED,
    b'{"result":{"content":[{"type":"text","text":"secret"}],"_meta":{"a":%s}},"id":1}\n' % DIGITS,
    b'{"a":"id","result":{"content":[{"type":"text","text":"secret \xff"}]},"\\u0069d" : 1 }\n',
    b'[{"id":1,"result":{"content":[{"type":"text","text":"secret \xff"}]}}]\n',
]


@pytest.mark.parametrize("line", UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_result_that_only_another_reader_can_read_is_refused(line: bytes) -> None:
    here = Line(HIDES)
    here.call()
    here.relay.from_server(line)
    (answer,) = here.client
    assert json.loads(answer)["id"] == 1 and json.loads(answer)["result"]["isError"] is True
    assert b"secret" not in answer and here.notes


def test_what_only_another_reader_can_read_passes_if_it_is_no_result_of_a_call() -> None:
    here = Line(HIDES)
    lines = [
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"\xff"}}\n',
        b'{"jsonrpc":"2.0","method":"sampling/createMessage","id":1,"params":{"data":"\xff"}}\n',
        b'{"jsonrpc":"2.0","id":8,"result":{"id":1,"text":"\xff"}}\n',
        b"not JSON\n",
    ]
    here.call()
    for line in lines:
        here.relay.from_server(line)
    assert (here.client, here.notes) == (lines, [])
    here.result("secret")
    assert b"secret" not in here.client[-1]


def test_a_result_without_an_id_that_can_be_found_does_not_pass() -> None:
    here = Line(HIDES)
    here.call()
    here.relay.from_server(b'{"result":{"content":[{"type":"text","text":"secret \xff"}]}}\n')
    assert not here.client and "not passed to the client" in here.notes[0]


def test_a_call_that_only_another_reader_can_read_is_not_passed() -> None:
    here = Line(PASSES)
    for line in (b'{"id":3,"method":"tools/call","a":%s}\n' % NESTED, b'{"id":3,"a":%s}\n' % DIGITS):
        here.relay.from_client(line)
        assert not here.server and json.loads(here.client[-1])["id"] == 3


def test_no_line_is_hidden_in_a_line() -> None:
    """A reader in Java or .NET ends a line at CR alone."""
    here = Line(HIDES)
    here.call()
    hidden = b'{"id":1,"result":{"content":[{"type":"text","text":"secret"}]}}'
    here.relay.from_server(b'{"method":"a","params":[\r' + hidden + b"\r]}\r\n")
    here.relay.from_server(b"printed\r" + hidden + b"\n")
    here.relay.from_client(b'{"method":"a","params":[\r{"id":2,"method":"tools/call"}\r]}\n')
    assert not any(b"\r" in line for line in (*here.client, *here.server))
    assert here.client[0] == b'{"method":"a","params":[ ' + hidden + b" ]}\n"


def test_results_in_a_batch_are_checked() -> None:
    here = Line(HIDES)
    here.call()
    here.relay.from_server(
        b'[{"id":8,"result":{}},{"id":1,"result":{"content":[{"type":"text","text":"secret"}]}}]\n'
    )
    assert [json.loads(line)["id"] for line in here.client] == [8, 1]
    assert b"secret" not in b"".join(here.client)


def test_the_result_of_a_task_is_checked() -> None:
    here = Line(HIDES)
    here.call(task={"ttl": 1000})
    here.relay.from_server(task := b'{"id":1,"result":{"task":{"taskId":"t","status":"working"}}}\n')
    assert here.client == [task]
    here.relay.from_client(b'{"id":2,"method":"tasks/result","params":{"taskId":"t"}}\n')
    here.result("secret", id=2)
    assert b"secret" not in here.client[1]


def test_what_is_not_final_passes() -> None:
    here = Line(HIDES)
    here.call()
    here.relay.from_server(line := b'{"id":1,"result":{"resultType":"input_required","inputRequests":{}}}\n')
    assert here.client == [line]
    here.call()
    here.result("secret")
    assert b"secret" not in here.client[1]

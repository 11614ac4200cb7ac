"""Posted events: each agent's exchange, the owner's paths, strangers, bounds, reloading and the end."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from sandhook.hooks import contracts
from sandhook.hooks.adapters import caller
from sandhook.hooks.checks.probe import sample
from sandhook.hooks.contracts import Answer
from sandhook.hooks.model import Executor, HookSpec, RunResult
from sandhook.hooks.trust import machine_name, shell_name
from sandhook.serve.answers import HTTP_AGENTS, answer_of
from sandhook.serve.firing import FireCall, Fired, refuse
from sandhook.serve.tally import Tally
from sandhook.version import __version__
from tests.cli.schemas import check
from tests.serve.servetools import GUARD, HAS_UNIX, Running, claude, settings

FILES = {"hooks.json": settings(GUARD), "sub/x": ""}


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    service = Running("--hooks", "hooks.json", "--listen", "127.0.0.1:0", files=FILES, tcp=not HAS_UNIX)
    yield service
    service.close()


def call_of(name: str, command: str) -> tuple[HookSpec, bytes]:
    """Return a hook of an agent for tool calls, and the payload of one."""
    contract = contracts.get(name)
    native = next(own for own, kind in contract.events.items() if kind == "tool.pre")
    spec = HookSpec("h", "tool.pre", native, Executor("bash", "x", ("x",)), on_error="block")
    event = sample("tool.pre")
    assert event.tool is not None
    event = event.with_(tool=event.tool._replace(input={"command": command}), cwd="/tmp")
    request = contract.request(spec, event, "better")
    return spec, request.payload.encode() or request.stdin


def verdict(name: str, spec: HookSpec, body: bytes) -> bool:
    """Return whether an agent reads a refusal in the body that answered its http hook, or in a command's output."""
    if name in HTTP_AGENTS:
        ran = RunResult(0, body)
        if name == "claude_code":
            spec = spec._replace(extras={"type": "http"})
    else:
        value = json.loads(body)
        ran = RunResult(value["exit_status"], value["stdout"].encode(), value["stderr"].encode())
    return contracts.get(name).decode(spec, sample("tool.pre"), ran, "better").refuses


@pytest.mark.parametrize("name", contracts.names())
def test_each_agent_is_answered_in_its_words(
    serve: Callable[..., Running], name: str, running: Running
) -> None:
    guard = {
        "hooks": {
            "PreToolUse": [
                {
                    "matcher": ".*",
                    "hooks": [{"type": "command", "command": "grep -q XRM && { echo no >&2; exit 2; }; :"}],
                }
            ]
        }
    }
    (running.project / "all").mkdir(exist_ok=True)
    spec, payload = call_of(name, "XRM x")
    native = spec.native_event
    running.project.joinpath("hooks.json").write_text(json.dumps(guard))
    reply = running.ask("POST", f"/v1/hooks/{name}?event={native}", payload)
    assert reply.status == 200 and verdict(name, spec, reply.body), reply
    spec, payload = call_of(name, "ls")
    reply = running.ask("POST", f"/v1/hooks/{name}?event={native}", payload)
    assert reply.status == 200 and not verdict(name, spec, reply.body), reply


@pytest.mark.parametrize("name", contracts.names())
def test_a_refusal_of_the_service_refuses_for_each_agent(name: str) -> None:
    """Also of an event that nobody can read; a status other than 2xx would be an allow."""
    spec, payload = call_of(name, "rm x")
    for body in (payload, b"{", b""):
        fired = refuse(FireCall(name, spec.native_event, "", body), "busy")
        answer = answer_of(name, fired)
        assert answer.status == 200 and verdict(name, spec, answer.body), (body, answer)


@pytest.mark.parametrize("name", sorted(HTTP_AGENTS))
def test_a_refusal_by_exit_status_has_a_body(name: str) -> None:
    spec, _ = call_of(name, "x")
    answer = answer_of(
        name, Fired("decided", Answer(stderr=b"no\n", exit_status=2), b"{}", Tally("claude_code", "", 0.0))
    )
    assert answer.status == 200 and verdict(name, spec, answer.body)


def test_claude_codes_exchange(running: Running) -> None:
    """Source: Claude Code, hooks reference, "HTTP hooks": 2xx with a JSON body is read as a command's output."""
    running.project.joinpath("hooks.json").write_text(settings(GUARD))
    reply = running.fire("rm -rf /")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.json == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "no rm -rf",
        }
    }
    assert running.fire("ls").json == {}


def test_dockers_exchange(running: Running) -> None:
    running.project.joinpath("hooks.json").write_text(settings(GUARD, matcher="Bash"))
    payload = {
        "hook_event_name": "pre_tool_use",
        "tool_name": "shell",
        "tool_input": {"command": "rm -rf /"},
        "cwd": str(running.project),
    }
    reply = running.ask("POST", "/v1/hooks/docker_agent", json.dumps(payload).encode())
    assert reply.json["hook_specific_output"]["permission_decision"] == "deny", reply


def test_a_neutral_event(running: Running) -> None:
    event = {"kind": "tool.pre", "tool": {"name": "Bash", "input": {"command": "rm -rf /"}}}
    reply = running.ask("POST", "/v1/events", json.dumps(event).encode())
    assert reply.json["refused"] is True and reply.json["outcomes"][0]["stderr"] == "no rm -rf\n"
    for wrong in (b"{", b"[]", b'{"kind": "x"}', b'{"kind": "tool.pre"}', b"\xff"):
        reply = running.ask("POST", "/v1/events", wrong)
        assert reply.status == 400 and reply.json["error"].startswith("sandhook: "), reply


def test_the_owner_sees_what_was_decided(running: Running) -> None:
    running.fire("rm -rf /", session_id="seen")
    first = running.decisions()[0]
    assert (first["agent"], first["event"], first["session_id"]) == ("claude_code", "PreToolUse", "seen")
    assert first["decision"]["refused"] is True and first["hooks"][0]["decision"] == "deny"
    whole = running.ask("GET", f"/v1/decisions/{first['id']}").json
    assert json.loads(whole["payload"])["session_id"] == "seen"
    assert whole["decision"]["outcomes"][0]["stderr"] == "no rm -rf\n"
    assert "deny" in whole["answer"]["stdout"]
    assert running.ask("GET", "/v1/decisions/999999").status == 404
    assert len(running.ask("GET", "/v1/decisions?count=1").json["decisions"]) == 1
    assert running.ask("GET", "/v1/decisions?count=x").status == 400
    assert running.ask("GET", f"/v1/decisions?before={first['id']}").json["decisions"][:1] != [first]


def test_lists_and_descriptions(running: Running) -> None:
    running.fire("ls")
    engine = running.ask("GET", "/v1/hooks").json["engines"][0]
    assert engine["hooks"][0]["state"] == "trusted" and "jq" in engine["hooks"][0]["command"]
    names = [each["name"] for each in running.ask("GET", "/v1/contracts").json["contracts"]]
    assert names == list(contracts.names())
    schema = running.ask("GET", "/v1/schemas/claude_code").json
    assert schema == contracts.get("claude_code").schema()
    assert running.ask("GET", "/v1/schemas/nobody").status == 404
    assert running.ask("POST", "/v1/hooks/nobody", b"{}").status == 404
    described = running.ask("GET", "/openapi.json").json
    for path, methods in described["paths"].items():
        for method in methods:
            if path in ("/v1/stop", "/v1/live"):
                continue
            place = path.replace("{contract}", "claude_code").replace("{id}", "1")
            status = running.ask(method.upper(), place, b"{}" if method == "post" else None).status
            assert status not in (405, 500), (path, method, status)


def test_metrics_count_by_hook(running: Running) -> None:
    running.fire("rm -rf /")
    text = running.ask("GET", "/metrics").body.decode()
    place = running.project.as_posix()
    names = f'agent="claude_code",decision="deny",hook="PreToolUse[0]",workspace="{place}"'
    assert f"sandhook_decisions_total{{{names}}}" in text
    names = f'agent="claude_code",hook="PreToolUse[0]",le="0.001",workspace="{place}"'
    assert f"sandhook_hook_seconds_bucket{{{names}}}" in text
    names = f'agent="claude_code",ending="decided",event="PreToolUse",workspace="{place}"'
    assert f"sandhook_fires_total{{{names}}}" in text


def test_what_is_fired_is_streamed(running: Running) -> None:
    connection = running.connection()
    headers = {"Authorization": f"Bearer {running.token}"}
    connection.request("GET", "/v1/live", headers=headers)
    answer = connection.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")
    answer.readline()
    running.fire("rm -rf /", session_id="live")
    lines = []
    while not lines or not lines[-1].startswith("data:"):
        lines.append(answer.readline().decode())
    assert "event: fire\n" in lines
    assert json.loads(lines[-1].removeprefix("data:"))["session_id"] == "live"
    connection.close()


def test_hostile_output_stays_text(running: Running) -> None:
    script = "printf '\\033[2J</script><img src=x>\\377'; printf '%08000d' 0 >&2; exit 2"
    running.project.joinpath("hooks.json").write_text(settings(script))
    reply = running.fire("x")
    assert reply.status == 200 and b"\x1b" not in reply.body
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-content-type-options"] == "nosniff"
    number = running.decisions()[0]["id"]
    whole = running.ask("GET", f"/v1/decisions/{number}")
    assert b"\x1b" not in whole.body
    assert whole.json["decision"]["outcomes"][0]["stdout"].startswith("\x1b[2J</script>")
    running.project.joinpath("hooks.json").write_text(settings(GUARD))


# ---------------------------------------------------------------------- strangers


def tcp(running: Running, path: str = "/v1/decisions", method: str = "GET", **headers: str) -> int:
    connection = http.client.HTTPConnection(*running.address, timeout=20)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_tcp_needs_the_token(running: Running) -> None:
    good = f"Bearer {running.token}"
    assert tcp(running, Authorization=good) == 200
    assert tcp(running) == 401
    for wrong in (
        f"Bearer {running.token}x",
        f"Bearer {running.token[:-1]}",
        "Bearer",
        running.token,
        "Basic x",
    ):
        assert tcp(running, Authorization=wrong) == 401, wrong
    assert tcp(running, "/healthz") == 200
    connection = http.client.HTTPConnection(*running.address, timeout=20)
    connection.request("GET", "/healthz")
    assert json.loads(connection.getresponse().read()) == {"status": "ok"}
    connection.close()
    for path in ("/v1/run", "/v1/stop", "/v1/hooks/claude_code", "/v1/events"):
        assert tcp(running, path, "POST") == 401
    assert tcp(running, "//v1/decisions") in (401, 404)


def test_a_page_of_another_site_is_refused(running: Running) -> None:
    good = f"Bearer {running.token}"
    port = running.address[1]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", ""):
        assert tcp(running, Authorization=good, Host=host) == 421, host
    assert tcp(running, Authorization=good, Host=f"localhost:{port}") == 200
    for origin in (
        "http://evil.example",
        "null",
        f"https://127.0.0.1:{port}",
        f"http://127.0.0.1:{port + 1}",
    ):
        assert tcp(running, Authorization=good, Origin=origin) == 403, origin
    assert tcp(running, Authorization=good, Origin=f"http://127.0.0.1:{port}") == 200


def test_with_fail_closed_a_stranger_is_refused_in_the_agents_words(serve: Callable[..., Running]) -> None:
    service = serve("--hooks", "hooks.json", "--fail-closed", files=FILES, tcp=True)
    connection = http.client.HTTPConnection(*service.address, timeout=20)
    connection.request("POST", "/v1/hooks/claude_code", claude("ls"))
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["decision"]) == (200, "block")
    connection.close()
    for body in (b"{", b"\xff", b"{}", b""):
        assert service.ask("POST", "/v1/hooks/claude_code", body).json["decision"] == "block"


@pytest.mark.skipif(not HAS_UNIX, reason="modes of POSIX")
def test_files_are_the_users_alone(running: Running) -> None:
    assert running.run.stat().st_mode & 0o777 == 0o700
    for name in ("serve.sock", "serve.token"):
        assert running.run.joinpath(name).stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl")
def test_curl(running: Running) -> None:
    url = f"http://127.0.0.1:{running.address[1]}/v1/hooks/claude_code"
    words = ["curl", "-sS", "-H", f"Authorization: Bearer {running.token}", "-d", "@-", url]
    ran = subprocess.run(words, input=claude("rm -rf /"), capture_output=True, check=True, timeout=30)
    assert b'"deny"' in ran.stdout
    if HAS_UNIX:
        words = ["curl", "-sS", "--unix-socket", running.socket, "-d", "@-", "http://x/v1/hooks/claude_code"]
        ran = subprocess.run(words, input=claude("rm -rf /"), capture_output=True, check=True, timeout=30)
        assert b'"deny"' in ran.stdout


# ---------------------------------------------------------------------- bounds


def raw(running: Running) -> socket.socket:
    if HAS_UNIX:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.connect(running.socket)
    else:
        made = socket.create_connection(running.address)
    made.settimeout(60)
    return made


def test_half_closed_connections_are_answered(running: Running) -> None:
    body = claude("rm -rf /")
    with raw(running) as connection:
        head = f"POST /v1/hooks/claude_code HTTP/1.1\r\nHost: {_host(running)}\r\nContent-Length: {len(body)}\r\n"
        head += f"Authorization: Bearer {running.token}\r\n\r\n"
        connection.sendall(head.encode() + body)
        connection.shutdown(socket.SHUT_WR)
        data = b""
        while b'"deny"' not in data and (piece := connection.recv(65536)):
            data += piece
    assert data.startswith(b"HTTP/1.1 200") and b'"deny"' in data


def _host(running: Running) -> str:
    return f"127.0.0.1:{running.address[1]}"


def test_a_body_beyond_the_bound_is_a_refusal(running: Running) -> None:
    """100 MB, of which the service keeps 64 at most; the agent reads a refusal."""
    connection = running.connection(120)
    size = 100 << 20
    connection.putrequest("POST", "/v1/hooks/claude_code")
    connection.putheader("Content-Length", str(size))
    connection.putheader("Authorization", f"Bearer {running.token}")
    connection.endheaders()
    for _ in range(100):
        connection.send(b" " * (1 << 20))
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["decision"]) == (200, "block")
    connection.close()
    assert running.fire("ls").json == {}


@pytest.mark.slow
def test_slow_clients_are_cut(running: Running) -> None:
    slow = [raw(running) for _ in range(50)]
    halves = (b"POST /v1/hooks/claude_code HTTP/1.1\r\nHost: x\r\nX-A: ", b"", b"G")
    for index, each in enumerate(slow):
        each.sendall(halves[index % 3])
    body = raw(running)
    head = f"POST /v1/hooks/claude_code HTTP/1.1\r\nHost: {_host(running)}\r\nContent-Length: 100\r\n"
    body.sendall(f"{head}Authorization: Bearer {running.token}\r\n\r\n{{".encode())
    assert running.fire("rm -rf /").json["hookSpecificOutput"]["permissionDecision"] == "deny"
    for each in (*slow, body):
        each.settimeout(40)
        try:
            while each.recv(65536):
                pass
        except ConnectionResetError:
            pass
        each.close()
    assert running.fire("ls").json == {}


# ---------------------------------------------------------------------- reloading


def test_a_change_counts_at_once_and_a_broken_one_does_not(running: Running) -> None:
    file = running.project / "hooks.json"
    file.write_text(settings(GUARD))
    assert running.fire("cat x").json == {}
    file.write_text(settings("echo new >&2; exit 2"))
    assert running.fire("cat x").json["hookSpecificOutput"]["permissionDecisionReason"] == "new"
    for broken in ('{"hooks": {', '{"hooks": {"PreToolUse": [{"matcher": "Bash"}]}}'):
        file.write_text(broken)
        assert running.fire("cat x").json["hookSpecificOutput"]["permissionDecisionReason"] == "new"
        health = running.ask("GET", "/healthz").json
        assert health["status"] == "degraded" and "a change is not in use" in health["problems"][0], health
        assert running.sandhook("serve", "--status").status == 1
    file.unlink()
    assert running.fire("cat x").json["hookSpecificOutput"]["permissionDecisionReason"] == "new"
    file.write_text(settings(GUARD))
    assert running.fire("cat x").json == {}
    assert running.ask("GET", "/healthz").json["status"] == "ok"
    assert "a change is not in use" in running.messages()


def test_a_revoked_hook_does_not_go_on_because_another_change_is_broken(
    serve: Callable[..., Running],
) -> None:
    service = serve("--contract", "claude_code", files={"guard.sh": "echo one >&2; exit 2\n"})
    project = service.project / ".claude" / "settings.json"
    project.parent.mkdir()
    project.write_text(settings("bash guard.sh"))
    assert service.without("trust", project, "--yes").status == 0
    assert service.fire("x").json["hookSpecificOutput"]["permissionDecisionReason"] == "one"
    assert service.without("trust", project, "--revoke").status == 0
    user = service.home / ".claude" / "settings.json"
    user.parent.mkdir()
    user.write_text('{"hooks": {')
    answer = json.dumps(service.fire("x").json)
    assert '"one"' not in answer, answer


def test_a_script_an_approval_and_a_new_layer_count_at_once(serve: Callable[..., Running]) -> None:
    service = serve("--contract", "claude_code", files={"guard.sh": "echo one >&2; exit 2\n"})
    assert service.fire("x").json == {}
    project = service.project / ".claude" / "settings.json"
    project.parent.mkdir()
    project.write_text(settings("bash guard.sh"))
    assert service.fire("x").json == {}, "nobody approved it"
    assert service.without("trust", project, "--yes").status == 0
    assert service.fire("x").json["hookSpecificOutput"]["permissionDecisionReason"] == "one"
    (service.project / "guard.sh").write_bytes(b"echo two >&2; exit 2\n")
    assert service.fire("x").json == {}, "it is not what was approved"
    (service.project / "guard.sh").write_bytes(b"echo one >&2; exit 2\n")
    assert service.fire("x").json["hookSpecificOutput"]["permissionDecisionReason"] == "one"
    assert service.without("trust", project, "--revoke").status == 0
    assert service.fire("x").json == {}
    user = service.home / ".claude" / "settings.json"
    user.parent.mkdir()
    user.write_text(settings("bash ~/own.sh"))
    (service.home / "own.sh").write_text("echo own >&2; exit 2\n")
    assert service.fire("x").json["hookSpecificOutput"]["permissionDecisionReason"] == "own"
    assert service.ask("POST", "/v1/hooks/crush", b"{}").status == 400


def test_workspaces_do_not_leak(serve: Callable[..., Running]) -> None:
    script = "cat /workspace/name >&2; echo $(cat /tmp/seen 2>/dev/null) >&2; echo seen >> /tmp/seen; exit 2"
    files = {"hooks.json": settings(script), "a/name": "a", "b/name": "b"}
    service = serve("--hooks", "hooks.json", "--workspace", "a", "--workspace", "b", files=files)

    def reason(directory: Path) -> str:
        reply = service.fire("x", cwd=str(directory))
        if "hookSpecificOutput" not in reply.json:
            return str(reply.json)
        return str(reply.json["hookSpecificOutput"]["permissionDecisionReason"])

    a, b = service.project / "a", service.project / "b"
    assert (reason(a), reason(b)) == ("a", "b")
    assert reason(a).split() == ["a", "seen"] or reason(a).split()[0].startswith("a")
    assert "seen" in reason(a) and reason(b).count("seen") == 1
    assert "no workspace" in reason(service.project)
    assert "no workspace" in reason(service.project / "a" / ".." / "ab")


@pytest.mark.parametrize("closed", [False, True])
def test_an_event_of_no_workspace(serve: Callable[..., Running], closed: bool) -> None:
    """It is a failure, which agents take for an allow; with --fail-closed it is refused in each agent's words."""
    files = {"hooks.json": settings("exit 0"), "a/x": "", "b/x": ""}
    options = ["--hooks", "hooks.json", "--workspace", "a", "--workspace", "b"]
    service = serve(*options, *(["--fail-closed"] if closed else []), files=files)
    for name in contracts.names():
        spec, payload = call_of(name, "ls")
        target = f"/v1/hooks/{name}?event={spec.native_event}"
        for more in ("", f"&workspace={quote(str(service.project))}", "&workspace=/nonexistent"):
            reply = service.ask("POST", target + more, payload)
            assert b"no workspace" in reply.body or b"nonexistent" in reply.body, (name, more, reply)
            if closed:
                assert reply.status == 200 and verdict(name, spec, reply.body), (name, more, reply)
            else:
                assert reply.status == 400, (name, more, reply)
        inside = service.ask("POST", f"{target}&workspace={quote(str(service.project / 'a'))}", payload)
        assert inside.status == 200 and not verdict(name, spec, inside.body), (name, inside)


def test_hooks_of_an_event_from_elsewhere_run_in_the_workspace(serve: Callable[..., Running]) -> None:
    """An agent in a container has other directories; its payload is recorded as it came."""
    script = "pwd >&2; jq -r .cwd >&2; cat name >&2; exit 2"
    service = serve(
        "--hooks", "hooks.json", "--workspace", ".", files={"hooks.json": settings(script), "name": "here"}
    )
    (service.project / "deep").mkdir()
    (service.project / "deep" / "name").write_text("deep")
    place = shell_name(str(service.project))
    for cwd in ("/nonexistent/dir", str(service.home), f"{service.project}x", "/workspace/repository"):
        reply = service.fire("x", cwd=cwd).json["hookSpecificOutput"]
        where, sent, name = reply["permissionDecisionReason"].split()
        assert (where, Path(machine_name(sent)), name) == (place, service.project, "here"), cwd
        assert service.decisions()[0]["cwd"] == cwd
    reply = service.fire("x", cwd=str(service.project / "deep")).json["hookSpecificOutput"]
    assert reply["permissionDecisionReason"].split()[0] == f"{place}/deep"
    assert reply["permissionDecisionReason"].endswith("deep")


def test_lists_can_be_of_one_workspace(serve: Callable[..., Running]) -> None:
    """Of posted events and of clients' commands, in lists, in single records, in the stream and in the numbers."""
    files = {"hooks.json": settings("exit 0"), "a/name": "a", "b/name": "b", "ab/name": "ab"}
    words = [word for name in ("a", "b", "ab") for word in ("--workspace", name)]
    service = serve("--hooks", "hooks.json", *words, files=files)
    places = {name: str(service.project / name) for name in ("a", "b", "ab")}
    connection = service.connection()
    headers = {"Authorization": f"Bearer {service.token}"} if service.tcp else {}
    connection.request("GET", f"/v1/live?workspace={quote(places['a'])}", headers=headers)
    stream = connection.getresponse()
    stream.readline()
    for name in ("b", "a", "ab"):
        service.fire(name, cwd=places[name])
        ran = service.sandhook(
            "hook",
            "--contract",
            "claude_code",
            "--",
            "-c",
            "exit 2",
            stdin=claude(name),
            cwd=Path(places[name]),
        )
        assert ran.status == 2
    for name, place in places.items():
        for spelling in (place, f"{place}/", Path(place).as_posix()):
            listed = service.ask("GET", f"/v1/decisions?workspace={quote(spelling)}").json["decisions"]
            assert [each["source"] for each in listed] == ["command", "http"], (name, listed)
        one = service.ask("GET", f"/v1/decisions/{listed[0]['id']}?workspace={quote(place)}")
        assert (one.status, one.json["cwd"]) == (200, place)
        other = places["b" if name == "a" else "a"]
        assert service.ask("GET", f"/v1/decisions/{listed[0]['id']}?workspace={quote(other)}").status == 404
    assert len(service.decisions()) == 6
    texts = [stream.readline().decode() for _ in range(8)]
    fires = [json.loads(line.removeprefix("data:")) for line in texts if line.startswith("data:")]
    assert [each["cwd"] for each in fires] == [places["a"]] * 2
    connection.close()
    text = service.ask("GET", "/metrics").body.decode()
    for place in places.values():
        label = Path(place).as_posix()
        names = f'agent="claude_code",ending="decided",event="PreToolUse",workspace="{label}"'
        assert f"sandhook_fires_total{{{names}}} 2.0" in text


# ---------------------------------------------------------------------- the end


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without asking it")
def test_running_fires_finish_or_are_refused_and_new_ones_are_refused(serve: Callable[..., Running]) -> None:
    loop = "i=0; while ((i++ < 60000)); do :; done; echo slow >&2; exit 2"
    endless = "jq -n 'repeat(1) | select(. == 2)'"  # its time is bounded by the timeout alone
    service = serve(
        "--hooks",
        "hooks.json",
        files={"hooks.json": settings(f"case $(jq -r .session_id) in s) {loop};; *) {endless};; esac")},
    )
    replies: dict[str, Any] = {}

    def fire(session: str) -> None:
        replies[session] = service.fire("x", session_id=session).json

    threads = [threading.Thread(target=fire, args=[each]) for each in ("s", "endless")]
    for each in threads:
        each.start()
    time.sleep(0.5)
    assert service.process is not None
    service.process.terminate()
    for each in threads:
        each.join(60)
    assert service.process.wait(30) in (0, 1)
    assert replies["s"]["hookSpecificOutput"]["permissionDecisionReason"] in (
        "slow",
        "sandhook: the service ended before its hooks did",
    )
    assert "the service ended" in replies["endless"]["hookSpecificOutput"]["permissionDecisionReason"]
    if HAS_UNIX:
        assert not Path(service.socket).exists()


def test_a_second_service_does_not_start_and_the_first_one_stays(running: Running) -> None:
    if not HAS_UNIX:
        pytest.skip("Unix sockets")
    ran = running.sandhook("serve", "--socket", running.socket)
    assert (ran.status, "a service listens there already" in ran.stderr) == (2, True)
    assert running.fire("ls").json == {}


def test_start_status_and_stop(serve: Callable[..., Running]) -> None:
    service = serve(files=FILES)
    assert service.sandhook("serve", "--stop").stdout.startswith("ended process ")
    assert service.process is not None and service.process.wait(30) == 0
    assert service.sandhook("serve", "--status").status == 3
    ran = service.sandhook("serve", "--start", *service.options)
    assert (ran.status, ran.stdout.startswith("started process ")) == (0, True), ran
    assert service.sandhook("serve", "--start", *service.options).stdout.startswith("runs already")
    assert service.sandhook("serve", "--status").stdout.startswith("ok: process ")
    assert service.sandhook("serve", "--stop").status == 0
    ran = service.sandhook("serve", "--start", "--hooks")
    assert (ran.status, "Traceback" in ran.stderr) == (2, False)


def test_the_json_of_start_status_restart_and_stop(serve: Callable[..., Running]) -> None:
    def done(*words: str, status: int = 0) -> Any:
        ran = service.sandhook("serve", *words)
        assert ran.status == status, ran
        return check("serve", ran.stdout)

    service = serve(files=FILES)
    value = done("--status", "--format", "json")
    assert (value["running"], value["state"], value["problems"]) == (True, "ok", [])
    first = value["pid"]
    value = done("--format=json", "--stop")
    assert (value["running"], value["ended"], value["pid"]) == (False, first, None)
    assert service.process is not None and service.process.wait(30) == 0
    assert done("--status", "--format", "json", status=3)["state"] is None
    try:
        value = done("--start", "--format", "json", *service.options)
        assert (value["started"], value["running"], value["ended"]) == (True, True, None)
        assert Path(value["log"]).exists() and value["service_version"] == __version__
        second = value["pid"]
        value = done("--start", *service.options, "--format=json")
        assert (value["started"], value["pid"], value["log"]) == (False, second, None)
        value = done("--restart", "--format", "json")
        assert (value["started"], value["ended"]) == (True, second) and value["pid"] not in (None, second)
        if not service.tcp:  # where the service that began again has another port
            assert "--format" not in service.ask("GET", "/healthz").json["arguments"]
    finally:
        service.sandhook("serve", "--stop")
    ran = service.sandhook("serve", "--start", "--format", "json", "--audit", service.project / "none" / "x")
    value = check("serve", ran.stdout)
    assert ran.status == 3 and value["running"] is False
    assert value["problems"] and value["problems"][0].startswith("it ended at once: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--listen", "0.0.0.0:0"], "other machines could connect"),
        (["--listen", "example.org:1"], "wanted ADDRESS:PORT"),
        (["--listen", "127.0.0.1:x"], "wanted ADDRESS:PORT"),
        (["--allow-remote"], "needs --listen"),
        (["--contract", "nobody"], "nobody"),
        (["--processes", "-1"], "wanted 0 to 64"),
        (["--workspace", "/nonexistent"], "there is no such directory"),
        (["--audit", "/nonexistent/x"], "--audit /nonexistent/x: No such file"),
        (["--socket", "/" + "x" * 200], "has at most 103 bytes"),
    ],
)
def test_wrong_options_are_one_line(running: Running, options: list[str], message: str) -> None:
    if not HAS_UNIX and options[0] in ("--socket", "--audit"):
        pytest.skip("paths of POSIX")
    ran = running.sandhook("serve", *options, SANDHOOK_SOCKET=str(running.top / "other" / "s"))
    assert ran.status == 2 and message in ran.stderr and ran.stderr.count("\n") == 1, ran


def test_refusals_of_an_event_that_cannot_be_refused_are_failures() -> None:
    agent = contracts.get("claude_code")
    event = sample("session.end")
    assert caller.refusal(agent, event, "x").exit_status == 1

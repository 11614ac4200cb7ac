"""``sandhook hook`` and ``fire --as-hook`` with a service: the same result, and never an allow by its faults."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandhook.client import ask, place
from sandhook.client.wire import Call, Garbled, Printed, pack, unpack
from tests.serve.servetools import GUARD, HAS_UNIX, Ran, Running, claude, settings

FILES = {
    "guard.sh": f"#!/bin/bash\n{GUARD}",
    "hooks.json": settings(GUARD),
    "broken.json": '{"hooks": {"PreToolUse": [{"matcher": "Bash"}]}}',
    "data/note": "a note\n",
    "colours.sh": "printf '\\033[31m<script>'; printf '\\377' >&2; exit 3\n",
    "sub/show.sh": "pwd; cat /workspace/note; echo $GREETING\n",
}

HOOK = ("hook", "--contract", "claude_code")
FIRE = ("fire", "--as-hook", "claude_code")


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    service = Running("--hooks", "hooks.json", files=FILES)
    yield service
    service.close()


COMMANDS = {
    "allowed": (*HOOK, "--", "guard.sh"),
    "a text": (*HOOK, "--", "-c", "cat; echo $1 >&2; exit 7", "x", "ä"),
    "fire": (*FIRE, "--hooks", "hooks.json"),
    "fire of the agent's own files": (*FIRE, "--contract", "claude_code"),
    "fire with a trace": (*FIRE, "--hooks", "hooks.json", "--trace", "--sandbox"),
    "a missing script": (*HOOK, "--", "nothing.sh"),
    "a missing script, closed": (*HOOK, "--fail-closed", "--", "nothing.sh"),
    "a fault": (*FIRE, "--hooks", "broken.json"),
    "a fault, closed": (*FIRE, "--hooks", "broken.json", "--fail-closed"),
    "no such option": (*HOOK, "--nonsense", "--", "guard.sh"),
    "no such option, closed": (*HOOK, "--nonsense", "--fail-closed", "--", "guard.sh"),
    "no contract": ("hook", "--contract", "nobody", "--", "guard.sh"),
    "hostile output": (*HOOK, "--", "colours.sh"),
    "a workspace and a variable": (
        *HOOK, "--workspace", "data", "--env", "GREETING", "--", "sub/show.sh",
    ),
    "a worker process": (*HOOK, "--isolation", "process", "--", "guard.sh"),
}  # fmt: skip
PAYLOADS = {"ls": claude(), "rm": claude("rm -rf /"), "not JSON": b"{", "nothing": b"", "other": b'{"a": 1}'}


CASES = [
    *((name, "rm") for name in COMMANDS),
    *((name, payload) for name in ("allowed", "fire") for payload in PAYLOADS if payload != "rm"),
]


@pytest.mark.parametrize(("name", "payload"), CASES)
def test_the_service_prints_what_the_command_prints(running: Running, name: str, payload: str) -> None:
    before = len(running.decisions())
    served = running.sandhook(*COMMANDS[name], stdin=PAYLOADS[payload], GREETING="hello")
    assert len(running.decisions()) == before + 1, "the service did not run it"
    alone = running.without(*COMMANDS[name], stdin=PAYLOADS[payload], GREETING="hello")
    assert _without_times(served) == _without_times(alone)


def _without_times(ran: Ran) -> Ran:
    import re

    return ran._replace(stderr=re.sub(r'"duration_ms":[0-9.]+', "", ran.stderr))


def test_the_directory_and_the_variables_are_those_of_the_client(running: Running) -> None:
    script = "cat /workspace/note; echo ${GREETING-unset}"
    for _ in range(2):
        words = (*HOOK, "--workspace", ".", "--env", "GREETING=x", "--", "-c", script)
        ran = running.sandhook(*words, stdin=claude(), cwd=running.project / "data")
        assert ran == (0, "a note\nx\n", "")
        ran = running.sandhook(*HOOK, "--inherit-env", "--", "-c", "echo ${SECRET-unset}", stdin=claude())
        assert ran.stdout == "unset\n", "a variable of another client is still there"
        ran = running.sandhook(
            *HOOK, "--inherit-env", "--", "-c", "echo ${SECRET-unset}", stdin=claude(), SECRET="mine"
        )
        assert ran.stdout == "mine\n"


def test_an_approval_counts_at_once(running: Running) -> None:
    project = running.project / "approved"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude" / "settings.json").write_text(settings("echo no >&2; exit 2"))
    words = (*FIRE, "--contract", "claude_code")

    def decided() -> tuple[Ran, Ran]:
        run = {"stdin": claude(), "cwd": project}
        return running.sandhook(*words, **run), running.without(*words, **run)

    served, alone = decided()
    assert served == alone and "deny" not in served.stdout
    trusted = running.without("trust", ".claude/settings.json", "--yes", cwd=project)
    assert trusted.status == 0, trusted
    served, alone = decided()
    assert served == alone and "deny" in served.stdout
    (project / ".claude" / "settings.json").write_text(settings("echo other >&2; exit 2"))
    served, alone = decided()
    assert served == alone and "deny" not in served.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["hook", "--contract", "x", "--host", "--", "a"],
        ["hook", "--contract", "x", "--write-back", "--workspace", ".", "--", "a"],
        ["fire", "--as-hook", "x", "--allow-url=https://x"],
        ["fire", "--as-hook", "x", "--help"],
        ["fire", "pre_tool_use", "--hooks", "x"],
        ["hook", "--contract", "x"],
        ["list"],
        [],
    ],
)
def test_commands_that_act_run_in_their_own_process(arguments: list[str]) -> None:
    assert not ask.is_for_service(arguments)


def test_words_of_the_script_are_no_options() -> None:
    assert ask.is_for_service(["hook", "--contract", "x", "--", "guard.sh", "--host"])
    assert ask.is_for_service(["fire", "--as-hook=x", "--hooks", "h"])


def test_the_client_imports_next_to_nothing() -> None:
    """What it imports beyond a bare interpreter; ``site`` may import more, as an installation wants."""
    program = (
        "import sys; before = set(sys.modules); sys.argv[1:] = ['hook', '--contract', 'x', '--', 'y'];"
        "from sandhook.client.ask import ask; import sandhook.__main__; ask(sys.argv[1:]);"
        "print(*sorted(name for name in set(sys.modules) - before if not name.startswith('sandhook')))"
    )
    env = {**os.environ, "SANDHOOK_SOCKET": "/nonexistent/serve.sock"}
    ran = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) <= {"__future__", "_socket"}, ran.stdout


# ---------------------------------------------------------------------- faults of the service


class FakeService:
    """Listens as a service does, and answers a request with what the test wants."""

    def __init__(self, answer: Callable[[socket.socket], None]) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="sh-"))
        self.path = str(self.directory / "serve.sock")
        self._answer = answer
        self.requests = 0
        self.listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listening.bind(self.path)
        os.chmod(self.path, 0o600)
        self.listening.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            self.requests += 1
            with connection:
                head = b""
                while b"\r\n\r\n" not in head:
                    head += connection.recv(65536)
                length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
                rest = head.partition(b"\r\n\r\n")[2]
                while len(rest) < length:
                    rest += connection.recv(65536)
                try:
                    self._answer(connection)
                except OSError:
                    pass


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: x\r\n\r\n"
ALLOW = Printed(0, b"", b"").pack()


def hangs(connection: socket.socket) -> None:
    connection.sendall(HEAD)
    time.sleep(ask.SILENCE + 1)


FAULTS: dict[str, Callable[[socket.socket], Any]] = {
    "it closes": lambda connection: None,
    "it dies after the headers": lambda connection: connection.sendall(HEAD),
    "it dies while a hook runs": lambda connection: connection.sendall(HEAD + b"..."),
    "it dies in its answer": lambda connection: connection.sendall(HEAD + ALLOW[:-1]),
    "it sends something else": lambda connection: connection.sendall(HEAD + b"0"),
    "it sends an empty chunk": lambda connection: connection.sendall(
        HEAD[:-2] + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    "it dies in a chunk": lambda connection: connection.sendall(
        HEAD[:-2] + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b" % (len(ALLOW), ALLOW[:-1])
    ),
    "it has another version": lambda connection: connection.sendall(b"HTTP/1.1 409 Conflict\r\n\r\n" + ALLOW),
    "it is busy": lambda connection: connection.sendall(b"HTTP/1.1 503 Busy\r\n\r\n" + ALLOW),
    "it hangs": hangs,
}


@pytest.mark.skipif(not HAS_UNIX, reason="Unix sockets")
@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=[pytest.mark.slow] if name == "it hangs" else []) for name in FAULTS]
)
def test_a_fault_of_the_service_is_no_decision(running: Running, fault: str) -> None:
    service = FakeService(FAULTS[fault])
    env = {"SANDHOOK_SOCKET": service.path}
    ran = running.sandhook(*HOOK, "--fail-closed", "--", "guard.sh", stdin=claude("rm -rf /"), **env)
    assert (ran.status, ran.stderr) == (2, "no rm -rf\n")
    assert running.sandhook(*HOOK, "--", "guard.sh", stdin=claude(), **env).status == 0
    assert service.requests == 2
    service.listening.close()


@pytest.mark.skipif(not HAS_UNIX, reason="Unix sockets")
def test_an_answer_in_chunks_with_signs_of_life_is_read(running: Running) -> None:
    answer = Printed(9, b"out", b"err").pack()
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in (b"..", b".", answer[:5], answer[5:]))
    service = FakeService(
        lambda connection: connection.sendall(
            HEAD[:-2] + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"
        )
    )
    ran = running.sandhook(*HOOK, "--", "guard.sh", stdin=claude(), SANDHOOK_SOCKET=service.path)
    assert ran == (9, "out", "err")
    service.listening.close()


@pytest.mark.skipif(not HAS_UNIX, reason="Unix sockets")
def test_a_stale_socket_is_no_service(running: Running) -> None:
    service = FakeService(lambda connection: None)
    service.listening.close()
    ran = running.sandhook(
        *HOOK, "--fail-closed", "--", "guard.sh", stdin=claude("rm -rf /"), SANDHOOK_SOCKET=service.path
    )
    assert (ran.status, ran.stderr) == (2, "no rm -rf\n")


@pytest.mark.skipif(not HAS_UNIX, reason="owners and modes of POSIX")
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda path: os.chmod(path, 0o666), "others may use it"),
        (lambda path: os.chmod(os.path.dirname(path), 0o777), "others may change its directory"),
        (lambda path: os.rename(path, path + ".old") or Path(path).write_text(""), "not a socket"),
        (lambda path: os.rename(path, path + ".old") or os.symlink(path + ".old", path), "not a socket"),
    ],
)
def test_a_socket_that_others_can_use_is_never_asked(
    running: Running, change: Callable[[str], Any], why: str
) -> None:
    service = FakeService(lambda connection: connection.sendall(HEAD + ALLOW))
    change(service.path)
    assert why in place.fault(service.path, "socket")
    ran = running.sandhook(
        *HOOK, "--fail-closed", "--", "guard.sh", stdin=claude("rm -rf /"), SANDHOOK_SOCKET=service.path
    )
    assert (ran.status, ran.stderr, service.requests) == (2, "no rm -rf\n", 0)
    service.listening.close()


@pytest.mark.skipif(not HAS_UNIX, reason="owners of POSIX")
@pytest.mark.parametrize("what", ["the socket", "its directory"])
def test_the_socket_of_another_user_is_never_asked(running: Running, what: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a socket to another user")
    service = FakeService(lambda connection: connection.sendall(HEAD + ALLOW))
    os.chown(service.path if what == "the socket" else service.directory, 12345, 12345)
    ran = running.sandhook(
        *HOOK, "--fail-closed", "--", "guard.sh", stdin=claude("rm -rf /"), SANDHOOK_SOCKET=service.path
    )
    assert (ran.status, ran.stderr, service.requests) == (2, "no rm -rf\n", 0)
    status = running.sandhook("serve", "--status", SANDHOOK_SOCKET=service.path)
    assert status.status == 3 and "belongs to another user" in status.stdout
    service.listening.close()


@pytest.mark.skipif(not HAS_UNIX, reason="signals of POSIX")
def test_a_service_that_is_killed_in_the_middle_of_a_fire(serve: Callable[..., Running]) -> None:
    service = serve(files=FILES)
    slow = "i=0; while ((i++ < 150000)); do :; done; echo no >&2; exit 2"
    with subprocess.Popen(
        [sys.executable, "-m", "sandhook", *HOOK, "--fail-closed", "--", "-c", slow],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=service.project,
        env=service.env,
    ) as client:
        assert client.stdin is not None
        client.stdin.write(claude())
        client.stdin.close()
        time.sleep(0.4)
        assert service.process is not None
        service.process.send_signal(signal.SIGKILL)
        assert client.wait(120) == 2
        assert client.stderr is not None and client.stderr.read() == b"no\n"
    service.process.wait(10)
    service.start()  # the socket of the dead one is replaced
    assert service.sandhook(*HOOK, "--", "guard.sh", stdin=claude()).status == 0
    assert len(service.decisions()) == 1


@pytest.mark.skipif(not HAS_UNIX, reason="signals of POSIX")
def test_a_client_that_dies_leaves_no_work(running: Running) -> None:
    endless = "jq -n 'repeat(1) | select(. == 2)'"  # its time is bounded by the timeout alone
    client = subprocess.Popen(
        [sys.executable, "-m", "sandhook", *HOOK, "--", "-c", endless],
        stdin=subprocess.PIPE,
        cwd=running.project,
        env=running.env,
    )
    assert client.stdin is not None
    client.stdin.write(claude())
    client.stdin.close()
    time.sleep(1.5)
    workers = set(running.ask("GET", "/healthz").json["workers"])
    client.kill()
    client.wait()
    _until(lambda: workers - set(running.ask("GET", "/healthz").json["workers"]))
    assert running.sandhook(*HOOK, "--", "guard.sh", stdin=claude("rm -rf /")).status == 2


def _until(check: Callable[[], Any], seconds: float = 30) -> Any:
    until = time.monotonic() + seconds
    while not (value := check()):
        assert time.monotonic() < until
        time.sleep(0.05)
    return value


def test_a_service_of_another_search_path_is_not_asked(running: Running) -> None:
    before = len(running.decisions())
    ran = running.sandhook(*HOOK, "--", "guard.sh", stdin=claude("rm -rf /"), PYTHONPATH=str(running.project))
    assert ran.status == 2
    assert len(running.decisions()) == before


def test_a_client_that_sees_other_files_runs_its_command_itself(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Call(
        installation=place.installation().encode(),
        view=b"0:0 0:0",
        directory=os.fsencode(str(running.project)),
        encoding=b"utf-8",
        stdin=claude(),
        arguments=[word.encode() for word in (*HOOK, "--", "guard.sh")],
        env=[],
    )
    reply = running.ask("POST", "/v1/run", call.pack())
    assert (reply.status, reply.body) in ((200, b""), (409, reply.body))


# ---------------------------------------------------------------------- without Unix sockets


def test_on_loopback_the_client_asks_a_service_that_knows_the_token(serve: Callable[..., Running]) -> None:
    service = serve(files=FILES, tcp=True)
    ran = service.sandhook(*HOOK, "--", "guard.sh", stdin=claude("rm -rf /"))
    assert (ran.status, ran.stderr) == (2, "no rm -rf\n")
    assert len(service.decisions()) == 1
    assert service.sandhook("serve", "--status").status == 0
    # Another program has the port now; it learns nothing, and its answer is not believed.
    endpoint = service.run / "serve.tcp"
    text = endpoint.read_text()
    assert service.stop() in (0, 1)
    assert not endpoint.exists() or sys.platform == "win32"  # where a process is ended without being asked
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        stranger.settimeout(20)
        endpoint.write_text(f"{stranger.getsockname()[1]}\n" + text.partition("\n")[2])
        endpoint.chmod(0o600)
        heard: list[bytes] = []

        def answer() -> None:
            connection, _ = stranger.accept()
            with connection:
                heard.append(connection.recv(65536))
                connection.sendall(HEAD + ALLOW)

        thread = threading.Thread(target=answer)
        thread.start()
        ran = service.sandhook(*HOOK, "--fail-closed", "--", "guard.sh", stdin=claude("rm -rf /"))
        thread.join()
    assert (ran.status, ran.stderr) == (2, "no rm -rf\n")
    assert heard and text.split("\n")[1].encode() not in heard[0] and b"rm -rf" not in heard[0]


# ---------------------------------------------------------------------- fields


@pytest.mark.parametrize("fields", [[], [b""], [b"a", b"", b"5:x"], [b"\xff" * 300]])
def test_fields_come_back(fields: list[bytes]) -> None:
    assert unpack(pack(fields)) == fields


@pytest.mark.parametrize("data", [b"5:abc", b"x", b":", b"-1:", b"1", b"99999999999999:", b"1:a2"])
def test_cut_fields_are_an_error(data: bytes) -> None:
    with pytest.raises(Garbled):
        unpack(data)


@pytest.mark.parametrize("data", [b"", b"...", b"=", b"=1:0", ALLOW + b"1:x", ALLOW[:-3], b"=3:2560:0:3:end"])
def test_a_cut_answer_is_no_answer(data: bytes) -> None:
    with pytest.raises(Garbled):
        Printed.unpack(data)
    assert Printed.unpack(b".." + ALLOW).status == 0


def test_the_socket_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert place.socket_path({"SANDHOOK_SOCKET": ""}, "linux") == ""
    assert place.socket_path({"SANDHOOK_SOCKET": "/x"}, "linux") == "/x"
    env = {"XDG_RUNTIME_DIR": str(tmp_path), "HOME": "/home/x"}
    assert place.socket_path(env, "linux") == os.path.join(f"{tmp_path}/sandhook", "serve.sock")
    assert place.directory({"HOME": "/Users/x"}, "darwin") == "/Users/x/Library/Caches/sandhook/run"

"""``sandhook serve --start``, ``--restart``, ``--stop`` and ``--status``: ask the service over its own socket."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from socket import socket
from subprocess import DEVNULL, Popen

from sandhook.cli import FINDINGS, INCOMPLETE
from sandhook.cli.output import put, put_record
from sandhook.client.ask import connect, version_note
from sandhook.client.place import endpoint_path, fault
from sandhook.errors import SandhookError
from sandhook.version import __version__

#: Seconds that a service may take to start, and to end.
_START_SECONDS = 30.0
_STOP_SECONDS = 15.0
_POLL_SECONDS = 0.05

_MAX_ANSWER = 1 << 20

DEGRADED, NOT_RUNNING = FINDINGS, INCOMPLETE


class ControlError(SandhookError):
    """A service that could not be started or ended."""


class Report:
    """What a command found and did: lines that are printed at once, or the fields of its JSON.

    Args:
        action: The option that names the command.
        path: The socket of the service.
        is_json: Print one object at the end instead of lines.

    Attributes:
        running: A service runs after the command.
        state: What the service reports about itself; None if none runs.
        pid: Its process.
        version: Its version of sandhook.
        started: This command started it.
        ended: The process that this command ended.
        log: The file of its messages, if this command started it.
        problems: What is wrong.
    """

    def __init__(self, action: str, path: str, *, is_json: bool = False) -> None:
        self.action = action
        self.path = path
        self.running = False
        self.state: str | None = None
        self.pid: int | None = None
        self.version: str | None = None
        self.started = False
        self.ended: int | None = None
        self.log: str | None = None
        self.problems: list[str] = []
        self._is_json = is_json

    def put(self, line: str) -> None:
        """Print a line, unless the command prints JSON."""
        if not self._is_json:
            put(line)

    def add_problem(self, text: str) -> None:
        self.problems.append(text)
        self.put(f"  {text}")

    def found(self, answer: dict[str, object]) -> None:
        """Keep what a service answers about itself."""
        pid, state = answer.get("pid"), answer.get("status")
        self.running = True
        self.pid = pid if isinstance(pid, int) else None
        self.state = state if isinstance(state, str) else None
        self.version = str(answer.get("version"))

    def finish(self) -> None:
        """Print the JSON."""
        if self._is_json:
            put_record(
                "serve",
                action=self.action,
                running=self.running,
                state=self.state,
                pid=self.pid,
                service_version=self.version,
                socket=self.path,
                started=self.started,
                ended=self.ended,
                log=self.log,
                problems=self.problems,
            )


def ask_service(path: str, method: str, place: str) -> dict[str, object] | None:
    """Return the answer of the service as an object, None when no service of this user listens."""
    try:
        connected = connect(path)
        if connected is None:
            return None
        connection, headers = connected
        connection.settimeout(5.0)
        connection.sendall(f"{method} {place} HTTP/1.0\r\n{headers}Content-Length: 0\r\n\r\n".encode("ascii"))
        data = b""
        while len(data) < _MAX_ANSWER and (piece := connection.recv(65536)):
            data += piece
        connection.close()
        value = json.loads(data.partition(b"\r\n\r\n")[2])
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def status(path: str, report: Report) -> int:
    """Report whether the service runs, and what is wrong; return the exit status."""
    answer = ask_service(path, "GET", "/healthz")
    if answer is None:
        why = fault(path, "socket") if os.path.lexists(path) else ""
        report.put(f"not running ({path}{f': {why}' if why else ''})")
        if why:
            report.problems.append(why)
        return NOT_RUNNING
    report.found(answer)
    report.put(
        f"{answer.get('status')}: process {answer.get('pid')}, version {answer.get('version')}, {path}"
    )
    problems = answer.get("problems")
    lines = [str(each) for each in problems] if isinstance(problems, list) else []
    other = str(answer.get("version"))
    if other != __version__ and not any(other in line and __version__ in line for line in lines):
        lines.insert(0, version_note(other))
    for line in lines:
        report.add_problem(line)
    return 0 if answer.get("status") == "ok" and not lines else DEGRADED


def stop(path: str, report: Report) -> int:
    """End the service and wait for its end. Raises ControlError."""
    before = _listening_file(path)
    known = ask_service(path, "GET", "/healthz")
    activated = known is not None and known.get("activated") is True
    answer = ask_service(path, "POST", "/v1/stop")
    if answer is None:
        report.put(f"not running ({path})")
        return 0
    pid = answer.get("pid")
    until = time.monotonic() + _STOP_SECONDS
    while _is_ending(path, before, pid):
        if time.monotonic() > until:
            report.running = True
            raise ControlError(f"process {pid} does not end")
        time.sleep(_POLL_SECONDS)
    report.put(f"ended process {pid}")
    report.ended = pid if isinstance(pid, int) else None
    if activated:
        report.put("  the system starts it again for the next event: systemctl --user stop sandhook.socket")
    return 0


def _is_ending(path: str, before: tuple[str, int], pid: object) -> bool:
    """Return whether a service that ends has its place still: the next one could not start.

    It answers no more before it has ended. At its end it removes its file, unless it is killed.
    """
    answer = ask_service(path, "GET", "/healthz")
    if answer is not None:  # systemd starts another one for whoever asks
        return answer.get("pid") == pid
    return _listening_file(path) == before and isinstance(pid, int) and _is_alive(pid)


def _listening_file(path: str) -> tuple[str, int]:
    """Return the file by which clients find the service, and its number; 0 for no file."""
    for name in (path, endpoint_path(path)):
        with suppress(OSError):
            return name, os.lstat(name).st_ino
    return path, 0


def restart(path: str, arguments: list[str], report: Report, *, replaced: bool) -> int:
    """End the service and start it again. Raises ControlError.

    Where it can, the service hands its sockets over to the next one, so that no event finds a closed door.

    Args:
        path: Its socket.
        arguments: Options of the service.
        report: Receives what was done.
        replaced: They take the place of those that it has; else they only name its socket.
    """
    known = ask_service(path, "GET", "/healthz")
    directory = None
    if known is not None and known.get("activated") is True:
        raise ControlError("the system starts it: systemctl --user restart sandhook.service")
    if known is not None and not replaced:
        words, directory = _options_of(known)
        names_socket = any(each.partition("=")[0] == "--socket" for each in words)
        arguments = words if names_socket else [*words, *arguments]
    sockets = None if known is None or "--no-socket" in arguments else _sockets_of(path)
    if sockets is None:
        stop(path, report)
        return start(path, arguments, report, directory)
    pid, descriptors = sockets
    try:
        started = _started(path, arguments, report, directory, descriptors)
    except ControlError as error:
        raise ControlError(f"{error}; process {pid} goes on") from None
    until = time.monotonic() + _STOP_SECONDS
    while (alive := _is_alive(pid)) and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
    report.ended = None if alive else pid
    report.put(f"process {pid} ends after its last event" if alive else f"ended process {pid}")
    report.put(started)
    return 0


def _sockets_of(path: str) -> tuple[int, list[int]] | None:
    """Return the id of the service and its descriptors: channel, lock, sockets. None if it does not pass them on."""
    if sys.platform == "win32":
        return None
    from sandhook.serve.handover import PATH, receive

    try:
        connected = connect(path)
        if connected is None:
            return None
        connection, headers = socket(fileno=connected[0].detach()), connected[1]
        connection.settimeout(5.0)
        request = f"POST {PATH} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: 0\r\n\r\n"
        connection.sendall(request.encode("ascii"))
        body, descriptors = receive(connection)
        connection.close()
        value = json.loads(body)
    except (OSError, ValueError):
        return None
    pid = value.get("pid") if isinstance(value, dict) else None
    if isinstance(pid, int) and len(descriptors) > 2:
        return pid, descriptors
    for each in descriptors:
        os.close(each)
    return None


def _is_alive(pid: int) -> bool:
    """Return whether a process runs; one that ended and that its parent did not ask for does not."""
    from psutil import STATUS_ZOMBIE, NoSuchProcess, Process

    try:
        return bool(Process(pid).status() != STATUS_ZOMBIE)
    except NoSuchProcess:
        return False


def _options_of(answer: dict[str, object]) -> tuple[list[str], str]:
    """Return the options of a service and the directory in which they count. Raises ControlError."""
    words, directory = answer.get("arguments"), answer.get("directory")
    if not isinstance(words, list) or not isinstance(directory, str):
        raise ControlError("the service does not report its options; give them: --restart OPTION...")
    return [str(each) for each in words], directory


def start(path: str, arguments: list[str], report: Report, directory: str | None = None) -> int:
    """Start the service in the background and wait until it answers. Raises ControlError.

    Args:
        path: Its socket.
        arguments: The options of the service.
        report: Receives what was done.
        directory: Where it starts; here when None.
    """
    known = ask_service(path, "GET", "/healthz")
    if known is not None:
        report.found(known)
        report.put(f"runs already: process {known.get('pid')}")
        if known.get("version") != __version__:
            report.add_problem(version_note(str(known.get("version"))))
        return 0
    report.put(_started(path, arguments, report, directory))
    return 0


def _started(
    path: str,
    arguments: list[str],
    report: Report,
    directory: str | None,
    descriptors: Sequence[int] = (),
) -> str:
    """Start the service in the background, wait until it answers, and return a line about it. Raises ControlError.

    Args:
        arguments, report, directory: See ``start``.
        descriptors: Those of the service whose place it takes; they are closed here.
    """
    log = f"{path}.log"
    from sandhook.serve.inherited import VARIABLE, described
    from sandhook.serve.sockets import make_private_directory

    make_private_directory(os.path.dirname(path))  # noqa: PTH120 - pathlib costs 10 ms
    env = dict(os.environ)
    if descriptors:
        channel, lock, *sockets = descriptors
        env[VARIABLE] = described(lock, channel, sockets)
    # The service that ends may still write to the same file.
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    try:
        process = Popen(
            [sys.executable, "-m", "sandhook", "serve", *arguments],
            cwd=directory,
            env=env,
            pass_fds=descriptors,
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=descriptor,
            start_new_session=sys.platform != "win32",
            creationflags=_windows_flags(),
        )
    finally:
        for each in (descriptor, *descriptors):
            os.close(each)
    until = time.monotonic() + _START_SECONDS
    while not _answers(answer := ask_service(path, "GET", "/healthz"), process.pid if descriptors else None):
        if process.poll() is not None:
            raise ControlError(f"it ended at once: {_last_line(log)}")
        if time.monotonic() > until:
            raise ControlError(f"it does not answer; see {log}")
        time.sleep(_POLL_SECONDS)
    report.started, report.log = True, log
    if answer is not None:
        report.found(answer)
    return f"started process {report.pid}; messages go to {log}"


def _answers(answer: dict[str, object] | None, pid: int | None) -> bool:
    """Return whether a service answered: the one with an id, if two of them have the sockets."""
    return answer is not None and pid in (None, answer.get("pid"))


def _windows_flags() -> int:
    """Return the flags with which the service outlives the console that started it; 0 on other systems."""
    if sys.platform == "win32":
        from subprocess import CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW

        return CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP
    return 0


def _last_line(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - pathlib costs 10 ms
        lines = file.read().splitlines()
    return lines[-1] if lines else "without a message"

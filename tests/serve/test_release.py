"""An upgrade under a running service: no worker of another version decides, and everybody who asks reads why."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

import sandhook
from sandhook.serve.release import PROTOCOL, Release, WorkerOutdated, first_message
from sandhook.version import __version__
from tests.serve.servetools import GUARD, HAS_UNIX, Running, claude, settings

HOOK = ("hook", "--contract", "claude_code", "--fail-closed", "--", "-c", GUARD)
FAULT = f"the service runs {__version__}, its files are 9.9.9: sandhook serve --restart"
NOTE = f"sandhook: the service runs {__version__}, and this is 9.9.9: sandhook serve --restart\n"


def write_version(path: Path, version: str) -> None:
    """Replace a module with the version, as an upgrade does."""
    fresh = path.with_suffix(".new")
    fresh.write_text(f'"""The version."""\n\n__version__ = "{version}"\n', newline="\n")
    fresh.replace(path)


# ---------------------------------------------------------------------- the comparison


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "version.py"
    write_version(path, __version__)
    return path


def test_another_version_of_the_files_is_reported_once_and_its_end_too(module: Path) -> None:
    lines: list[str] = []
    release = Release(lines.append, str(module))
    release.check_files()
    write_version(module, "9.9.9")
    for _ in range(3):
        with pytest.raises(WorkerOutdated, match=r"its files are 9\.9\.9: sandhook serve --restart"):
            release.check_files()
    assert lines == [FAULT] == [release.fault]
    write_version(module, __version__)
    release.check_files()
    assert lines == [FAULT, f"its files are {__version__} again"] and not release.fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (None, "its files are gone"),
        (b"\xff\xfe", "its files are gone"),
        (b"from build import __version__\n", ""),  # it does not show: the greeting of a worker does
        (b'x = 1\n__version__ = "8.0"\n', "its files are 8.0"),
        (b'__version__ = "' + b"9" * 1000 + b'"\n', ""),
        (b'__version__ = "1\x1b[2J"\n', ""),
    ],
)
def test_what_the_files_show(module: Path, text: bytes | None, fault: str) -> None:
    release = Release(print, str(module))
    if text is None:
        module.unlink()
    else:
        module.write_bytes(text)
    release.look()
    assert fault in release.fault and bool(fault) == bool(release.fault)


@pytest.mark.parametrize(
    ("fields", "other"),
    [
        ([b"ready"], "of another version"),
        ([], "of another version"),
        ([b"ready", b"%d" % PROTOCOL, b"9.9.9"], "9.9.9"),
        ([b"ready", b"%d" % (PROTOCOL + 1), __version__.encode()], "of another version with this number"),
        ([b"ready", b"1", b"\xff"], "\ufffd"),
        ([b"ready", b"1", b"1\x1b[2J"], "of another version"),
    ],
)
def test_a_worker_of_another_version_is_not_used(module: Path, fields: list[bytes], other: str) -> None:
    lines: list[str] = []
    release = Release(lines.append, str(module))
    release.check(first_message())
    for _ in range(2):
        with pytest.raises(WorkerOutdated):
            release.check(fields)
    assert lines == [f"the service runs {__version__}, its files are {other}: sandhook serve --restart"]
    with pytest.raises(WorkerOutdated):  # and none is started to find that again
        release.check_files()
    write_version(module, __version__)
    release.check_files()


# ---------------------------------------------------------------------- a service that is upgraded


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """Return an installation of its own: links to these files, and a version that a test can change."""
    if not HAS_UNIX:
        pytest.skip("signals and links of POSIX")
    package = tmp_path / "lib" / "sandhook"
    package.mkdir(parents=True)
    for each in Path(sandhook.__file__).parent.iterdir():
        if each.name not in ("version.py", "__pycache__"):
            (package / each.name).symlink_to(each)
    write_version(package / "version.py", __version__)
    yield package


def environment(installed: Path) -> dict[str, str]:
    """Return variables with which Python reads an installation, and its version as it is in this very second."""
    return {"PYTHONPATH": str(installed.parent), "PYTHONDONTWRITEBYTECODE": "1"}


def kill_workers(service: Running) -> None:
    for pid in service.ask("GET", "/healthz").json["workers"]:
        os.kill(pid, signal.SIGKILL)


def test_an_upgrade_under_a_running_service(serve: Callable[..., Running], installed: Path) -> None:
    service = serve(
        "--hooks", "hooks.json", "--processes", "1",
        files={"hooks.json": settings(GUARD)}, env=environment(installed),
    )  # fmt: skip
    assert service.fire("ls").json == {}
    write_version(installed / "version.py", "9.9.9")

    # The workers that live are of the old version, as the service is.
    assert service.fire("ls").json == {}
    health = service.ask("GET", "/healthz").json
    assert (health["status"], health["problems"], health["version"]) == ("degraded", [FAULT], __version__)

    # None takes their place; an event is refused, and its answer has the reason.
    kill_workers(service)
    for _ in range(3):
        answer = service.fire("ls").json["hookSpecificOutput"]
        assert answer["permissionDecision"] == "deny"
        assert answer["permissionDecisionReason"] == f"sandhook: {FAULT}"
    until = time.monotonic() + 60  # a worker that was killed is noticed when its pipe ends
    while service.ask("GET", "/healthz").json["workers"]:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert service.messages().count(FAULT) == 1

    # A client decides itself. Its note is not taken for the reason of a refusal.
    before = len(service.decisions())
    assert service.sandhook(*HOOK, stdin=claude()) == (0, "", NOTE)
    assert service.sandhook(*HOOK, stdin=claude("rm -rf /")) == (2, "", "no rm -rf\n")
    assert len(service.decisions()) == before

    status = service.sandhook("serve", "--status")
    assert status.status == 1 and status.stdout.splitlines()[1:] == [f"  {FAULT}"]
    started = service.sandhook("serve", "--start").stdout
    assert started.splitlines()[1:] == [f"  {NOTE.removeprefix('sandhook: ').strip()}"]

    # What was undone counts again.
    write_version(installed / "version.py", __version__)
    assert service.fire("rm -rf /").json["hookSpecificOutput"]["permissionDecisionReason"] == "no rm -rf"
    assert service.ask("GET", "/healthz").json["status"] == "ok"


@pytest.mark.slow
def test_a_restart_keeps_the_options(serve: Callable[..., Running], installed: Path, tmp_path: Path) -> None:
    service = serve(
        "--hooks", "hooks.json",
        files={"hooks.json": settings(GUARD)}, env=environment(installed),
    )  # fmt: skip
    write_version(installed / "version.py", "9.9.9")
    ran = service.sandhook("serve", "--restart", cwd=tmp_path)  # FILE is that of the service's directory
    try:
        assert ran.status == 0, ran
        health = service.ask("GET", "/healthz").json
        assert (health["status"], health["version"]) == ("ok", "9.9.9")
        assert health["arguments"] == ["--hooks", "hooks.json"]
        assert service.fire("rm -rf /").json["hookSpecificOutput"]["permissionDecision"] == "deny"
        assert service.sandhook(*HOOK, stdin=claude()) == (0, "", "")

        assert service.sandhook("serve", "--restart", "--fail-closed", cwd=tmp_path).status == 0
        assert service.ask("GET", "/healthz").json["arguments"] == ["--fail-closed"]
    finally:
        service.sandhook("serve", "--stop")
    assert service.sandhook("serve", "--restart", "--fail-closed", cwd=tmp_path).stdout.startswith(
        "not running"
    )
    service.sandhook("serve", "--stop")


@pytest.mark.parametrize("processes", ["0", "1"])
def test_hooks_whose_workers_are_outdated_refuse(
    serve: Callable[..., Running], installed: Path, processes: str
) -> None:
    """Workers for jq are started from the files, too. The agent takes a hook that could not run for an allow."""
    guard = GUARD.replace(".tool_input.command", "'[.tool_input | .. | strings] | join(\" \")'")
    assert guard != GUARD, "a program that only libjq can run"
    workers = installed / "worker"
    target = workers.resolve()
    workers.unlink()
    shutil.copytree(target, workers, ignore=shutil.ignore_patterns("__pycache__"))
    service = serve(
        "--hooks", "hooks.json", "--processes", processes,
        files={"hooks.json": settings(guard)}, env=environment(installed),
    )  # fmt: skip
    assert service.fire("ls").json == {}
    write_version(installed / "version.py", "9.9.9")
    assert service.process is not None
    for each in psutil.Process(service.process.pid).children(recursive=True):
        if any("sandhook.worker." in word for word in each.cmdline()):
            each.kill()
    for command in ("ls", "rm -rf /"):
        answer = service.fire(command).json["hookSpecificOutput"]
        assert (answer["permissionDecision"], answer["permissionDecisionReason"]) == (
            "deny", f"sandhook: {FAULT}",
        )  # fmt: skip
    write_version(installed / "version.py", __version__)
    assert service.fire("ls").json == {}
    assert b'"no rm -rf"' in service.fire("rm -rf /").body

"""The commands ``sandhook studio`` and ``sandhook serve --ui`` as processes."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.cli import main
from tests.serve.servetools import Running
from tests.studio.studiotools import settings


def status_of(url: str, token: str = "") -> int:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:  # it is an answer, which Python 3.14 warns of if it stays open
            return error.code


def started(top: Path, *options: str, **env: str) -> subprocess.Popen[str]:
    for name in ("project", "home"):
        (top / name).mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP") if name in os.environ}
    home = str(top / "home")
    return subprocess.Popen(
        [sys.executable, "-m", "sandhook", "studio", *options],
        cwd=top / "project",
        env={**kept, "HOME": home, "USERPROFILE": home, "SANDHOOK_SOCKET": "", **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_printed_address_works_and_the_program_ends(tmp_path: Path) -> None:
    process = started(tmp_path, "--no-browser")
    assert process.stdout is not None
    base, _, token = process.stdout.readline().strip().partition("/studio/#token=")
    assert base.startswith("http://127.0.0.1:") and len(token) >= 40
    assert status_of(f"{base}/studio/") == 200
    assert status_of(f"{base}/v1/studio/about") == 401
    assert status_of(f"{base}/v1/studio/about", token) == 200
    process.terminate()
    _, errors = process.communicate(timeout=60)
    assert errors == ""
    if sys.platform != "win32":
        assert process.returncode in (0, -signal.SIGTERM)


@pytest.mark.skipif(sys.platform == "win32", reason="BROWSER names a program of a shell")
def test_the_browser_starts_without_the_token_in_its_arguments(tmp_path: Path) -> None:
    """Other users can read the arguments of a process."""
    browser, log = tmp_path / "browser", tmp_path / "log"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {log}.new\nmv {log}.new {log}\n')
    browser.chmod(0o700)
    process = started(tmp_path, BROWSER=str(browser))
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        while not log.exists():
            assert process.poll() is None
            time.sleep(0.05)
        url = log.read_text()
        assert url.startswith("file:") and "token" not in url
        page = Path(url.removeprefix("file:").removeprefix("//"))
        assert address in page.read_text()
        assert (
            stat.S_IMODE(page.stat().st_mode) == 0o600 and stat.S_IMODE(page.parent.stat().st_mode) == 0o700
        )
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert not page.exists()


def test_serve_has_the_page_when_asked(serve: Callable[..., Running]) -> None:
    files = {".claude/settings.json": settings("true")}
    with_page = serve("--ui", "--listen", "127.0.0.1:0", tcp=False, files=files)
    host, port = with_page.address
    assert status_of(f"http://{host}:{port}/studio/") == 200
    assert f"the page is http://{host}:{port}/studio/\n" in with_page.messages()
    assert status_of(f"http://{host}:{port}/v1/studio/hooks") == 401
    assert status_of(f"http://{host}:{port}/v1/studio/hooks", with_page.token) == 200
    without = serve("--listen", "127.0.0.1:0", tcp=False)
    host, port = without.address
    assert status_of(f"http://{host}:{port}/studio/") == 404
    assert status_of(f"http://{host}:{port}/v1/studio/hooks", without.token) == 404


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["studio", "--port", "70000"], "wanted 0 to 65535"),
        (["studio", "absent.json"], "absent.json: No such file"),
        (["studio", "--contract", "nobody"], "unknown contract"),
        (["studio", "--cwd", "absent"], "there is no such directory"),
        (["serve", "--edit"], "--edit needs --ui"),
    ],
)
def test_wrong_arguments(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert message in capsys.readouterr().err

"""``sandhook install --service`` writes a file that the system's own tools accept."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

from sandhook.cli import main
from sandhook.installation.service import service_file

COMMAND = ["/usr/bin/my python", "-m", "sandhook", "serve", "--hooks", "/a b/50% $HOME.json"]
ENV = {"HOME": "/home/x", "LOCALAPPDATA": "C:\\Users\\x\\AppData\\Local"}


def test_launchd_reads_the_words_back() -> None:
    file = service_file(COMMAND, ENV, "darwin")
    assert file.path == "/home/x/Library/LaunchAgents/sandhook.serve.plist"
    value = plistlib.loads(file.text.encode())
    assert value["ProgramArguments"] == COMMAND and value["Umask"] == 0o077


def test_windows_reads_a_command_and_its_arguments() -> None:
    file = service_file(COMMAND, ENV, "win32")
    assert file.path == "C:\\Users\\x\\AppData\\Local\\sandhook\\serve.xml"
    space = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
    action = xml.etree.ElementTree.fromstring(file.text.encode()).find(f".//{space}Exec")
    assert action is not None
    assert action.findtext(f"{space}Command") == COMMAND[0]
    assert action.findtext(f"{space}Arguments") == '-m sandhook serve --hooks "/a b/50% $HOME.json"'


def test_systemd_quotes_what_it_would_expand(tmp_path: Path) -> None:
    file = service_file(COMMAND, ENV, "linux")
    assert file.path == "/home/x/.config/systemd/user/sandhook.service"
    assert '"/usr/bin/my python" "-m"' in file.text and '"/a b/50%% $$HOME.json"' in file.text
    if shutil.which("systemd-analyze") is not None:
        unit = tmp_path / "sandhook.service"
        unit.write_text(file.text.replace("/usr/bin/my python", "/bin/true"))
        ran = subprocess.run(
            ["systemd-analyze", "verify", "--user", str(unit)], capture_output=True, text=True
        )
        assert "sandhook.service:" not in ran.stderr


def test_systemd_has_the_sockets(tmp_path: Path) -> None:
    listen = ["%t/sandhook/serve.sock", "127.0.0.1:8765", "/a b/50%%.sock"]
    file = service_file(COMMAND, ENV, "linux", listen)
    ((path, text),) = file.more
    assert path == "/home/x/.config/systemd/user/sandhook.socket"
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("Listen")] == [
        f"ListenStream={each}" for each in listen
    ]
    assert "SocketMode=0600" in lines and "Requires=sandhook.socket" in file.text.splitlines()
    assert file.switch_on.endswith("enable --now sandhook.socket sandhook.service")
    assert file.switch_off.endswith("disable --now sandhook.socket sandhook.service")
    assert service_file(COMMAND, ENV, "darwin", listen).more == ()
    if shutil.which("systemd-analyze") is not None:
        (tmp_path / "sandhook.service").write_text(file.text.replace("/usr/bin/my python", "/bin/true"))
        (tmp_path / "sandhook.socket").write_text(text)
        for name in ("sandhook.service", "sandhook.socket"):
            ran = subprocess.run(
                ["systemd-analyze", "verify", "--user", str(tmp_path / name)], capture_output=True, text=True
            )
            assert "sandhook." not in ran.stderr, ran.stderr


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="units of systemd")
@pytest.mark.parametrize(
    ("options", "listen"),
    [
        ([], ["%t/sandhook/serve.sock"]),
        (["--listen", "localhost:8765"], ["%t/sandhook/serve.sock", "127.0.0.1:8765"]),
        (["--listen", "[::1]:8765", "--no-socket"], ["[::1]:8765"]),
        (["--listen", "127.0.0.1:0", "--no-socket"], []),
        (["--socket", "/run/100%/s"], ["/run/100%%/s"]),
        (["--socket", "s"], []),
    ],
)
def test_sockets_of_the_options(
    options: list[str], listen: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert main(["install", "--service", "--", *options]) == 0
    assert capsys.readouterr().out.count("written") == 1 + bool(listen)
    unit = tmp_path / ".config/systemd/user/sandhook.socket"
    lines = unit.read_text().splitlines() if unit.exists() else []
    assert [line for line in lines if line.startswith("Listen")] == [
        f"ListenStream={each}" for each in listen
    ]


def test_the_file_is_written_and_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    expected = Path(
        service_file(
            [sys.executable], {"HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}, sys.platform
        ).path
    )
    assert main(["install", "--service", "--dry-run", "--", "--listen", "127.0.0.1:8765"]) == 0
    assert "8765" in capsys.readouterr().out and not expected.exists()
    assert main(["install", "--service", "--", "--listen", "127.0.0.1:8765"]) == 0
    assert "switch it on:" in capsys.readouterr().out and "8765" in expected.read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--service", "--", "--start"], "goes without --start"),
        (["--service", "--", "--nonsense"], "--nonsense"),
        (["--service", "--", "--hooks", 'a"b'], "quotation marks"),
        (["--service", "--", "--listen", "8.8.8.8:1"], "other machines could connect"),
        (["--service", "file"], "file"),
    ],
)
def test_wrong_options(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", *words]) == 2
    assert message in capsys.readouterr().err

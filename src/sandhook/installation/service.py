"""The files by which a system starts ``sandhook serve`` with the user's session: systemd, launchd, Task Scheduler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.record import Record

_LABEL = "sandhook.serve"


class ServiceFile(Record):
    """A file, its text, and the command lines by which the user switches it on and off.

    Attributes:
        path: Absolute.
        text: The whole file.
        switch_on, switch_off: For a shell of the system.
        more: Paths and texts of further files.
    """

    path: str
    text: str
    switch_on: str
    switch_off: str
    more: tuple[tuple[str, str], ...] = ()


#: The Unix socket of a service without --socket, as systemd names the user's runtime directory.
DEFAULT_SOCKET = "%t/sandhook/serve.sock"


def service_file(
    command: Sequence[str], env: Mapping[str, str], platform: str, listen: Sequence[str] = ()
) -> ServiceFile:
    """Return the file for a system.

    Args:
        command: The command line of the service; the program is an absolute path.
        env: Variables of the user.
        platform: As ``sys.platform`` has it.
        listen: Sockets that systemd has for the service, as its ``ListenStream`` names them.
    """
    if platform == "win32":
        return _task(command, env)
    home = env.get("HOME", "")
    if platform == "darwin":
        path = f"{home}/Library/LaunchAgents/{_LABEL}.plist"
        return ServiceFile(
            path,
            _plist(command),
            f"launchctl bootstrap gui/$(id -u) '{path}'",
            f"launchctl bootout gui/$(id -u)/{_LABEL}",
        )
    base = f"{env.get('XDG_CONFIG_HOME') or f'{home}/.config'}/systemd/user"
    units = "sandhook.socket sandhook.service" if listen else "sandhook.service"
    return ServiceFile(
        f"{base}/sandhook.service",
        _unit(command, has_socket=bool(listen)),
        f"systemctl --user daemon-reload && systemctl --user enable --now {units}",
        f"systemctl --user disable --now {units}",
        ((f"{base}/sandhook.socket", _socket_unit(listen)),) if listen else (),
    )


def _socket_unit(listen: Sequence[str]) -> str:
    """Return a unit of systemd that listens also while the service starts again. Source: systemd.socket(5)."""
    lines = "\n".join(f"ListenStream={each}" for each in listen)
    return f"""\
[Unit]
Description=sandhook: sockets of the service that fires the hooks of agents

[Socket]
{lines}
SocketMode=0600
DirectoryMode=0700

[Install]
WantedBy=sockets.target
"""


def _unit(command: Sequence[str], *, has_socket: bool) -> str:
    """Return a unit of systemd. Source: systemd.service(5), "Command lines"."""
    needs = "Requires=sandhook.socket\nAfter=sandhook.socket\n" if has_socket else ""
    return f"""\
[Unit]
Description=sandhook: fires the hooks of agents
{needs}
[Service]
ExecStart={" ".join(map(_for_systemd, command))}
Restart=on-failure
RestartSec=2
UMask=0077

[Install]
WantedBy=default.target
"""


def _for_systemd(word: str) -> str:
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"'


def _escaped(text: str) -> str:
    """Return a text as it stands in an element of XML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _plist(command: Sequence[str]) -> str:
    """Return a property list of launchd. Source: launchd.plist(5)."""
    words = "\n".join(f"    <string>{_escaped(word)}</string>" for word in command)
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
{words}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
"""


def _task(command: Sequence[str], env: Mapping[str, str]) -> ServiceFile:
    """Return a task of Windows. Source: Microsoft, "Task Scheduler Schema"."""
    path = f"{env.get('LOCALAPPDATA', '')}/sandhook/serve.xml".replace("/", "\\")
    text = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>3</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{_escaped(command[0])}</Command>
      <Arguments>{_escaped(" ".join(map(_for_windows, command[1:])))}</Arguments>
    </Exec>
  </Actions>
</Task>
"""
    return ServiceFile(
        path, text, f'schtasks /Create /TN {_LABEL} /XML "{path}" /F', f"schtasks /Delete /TN {_LABEL} /F"
    )


def _for_windows(word: str) -> str:
    """Quote a word as programs of Windows split their command line; it has no quotation marks."""
    return f'"{word}"' if " " in word or not word else word

"""Starts a hook as its agent does: the agent's shell as a process, with the agent's environment."""

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH113
from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping

from sandhook.hooks.host import HostRunner
from sandhook.hooks.model import HookSpec, Request, RunResult
from sandhook.host.world import Host
from sandhook.record import Record

#: Agents that run hooks by sh; the others run bash.
_SH = frozenset({"claude_code", "jcode", "kimi", "goose", "antigravity", "grok", "openhands", "droid"})

#: Where a shell may be that PATH does not have.
_SHELLS = ("/bin", "/usr/bin", "/usr/local/bin")


class AgentShell(Record):
    """The program that an agent starts for a hook's text.

    Attributes:
        name: sh or bash.
        path: The program; "" if the machine has none.
    """

    name: str
    path: str


def shell_of(spec: HookSpec, agent: str, env: Mapping[str, str]) -> AgentShell:
    """Return the shell that an agent starts for a hook."""
    own = (spec.extras or {}).get("shell")
    if own == "powershell":
        return AgentShell("powershell", program("pwsh", env) or program("powershell", env))
    name = "bash" if own == "bash" or agent not in _SH or sys.platform == "win32" else "sh"
    path = program(name, env)
    if not path and sys.platform != "win32":
        path = next((f"{each}/{name}" for each in _SHELLS if os.access(f"{each}/{name}", os.X_OK)), "")
    return AgentShell(name, path)


def program(name: str, env: Mapping[str, str]) -> str:
    """Return the program that an agent finds by a name in its PATH, or ""."""
    if "/" in name or os.sep in name:
        return name if _runs(name) else ""
    endings = [""]
    if sys.platform == "win32":
        endings += env.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";")
    for directory in directories(name, env, sys.platform):
        for ending in endings:
            path = f"{directory or '.'}{os.sep}{name}{ending}"
            if _runs(path):
                return path
    return ""


def directories(name: str, env: Mapping[str, str], platform: str) -> Iterator[str]:
    """Yield the directories of PATH in which a program counts.

    The bash.exe of Windows itself starts WSL, which does not see the project as the agent does.
    """
    system = env.get("SYSTEMROOT", env.get("SystemRoot", "")).replace("\\", "/").lower()
    for directory in env.get("PATH", os.defpath).split(os.pathsep):
        place = directory.replace("\\", "/").lower()
        of_windows = "/windowsapps" in place or (system != "" and place.startswith(system))
        if platform != "win32" or name not in ("bash", "sh") or not of_windows:
            yield directory


def _runs(path: str) -> bool:
    return os.path.isfile(path) and (sys.platform == "win32" or os.access(path, os.X_OK))


class AgentRunner:
    """Runs the real command line of a hook on this machine, see ``hooks.runner.Runner``.

    All processes of a hook end with it, as in host mode. Before an approved hook starts, its files are compared with
    the approved bytes.

    Args:
        shell: The agent's shell.
        workspace: The directory for hooks whose event names none.
        env: The environment of the agent.
        linger: Seconds that it waits for children that hold the output; None for the default.
    """

    def __init__(
        self, shell: AgentShell, workspace: str, env: Mapping[str, str], linger: float | None = None
    ) -> None:
        self._shell = shell
        host = Host(
            prefer="machine",
            executable_bit=True,
            own_shell="never",
            subreaper=sys.platform == "linux",
        )
        if linger is not None:
            host = host._replace(linger=linger)
        self._runner = HostRunner(host, select=lambda spec: True, workspace=workspace, env=env)

    def __call__(self, request: Request) -> RunResult:
        """Run a request."""
        if not self._shell.path:
            return RunResult(failure=f"there is no {self._shell.name} on this machine")
        executor = request.spec.executor
        words: tuple[str, ...] = ("-c", executor.text)
        if executor.argv:
            words = ("-c", 'exec "$@"', self._shell.name, *executor.argv)
        argv = (self._shell.path, *words)
        spec = request.spec._replace(executor=executor._replace(type="argv", text="", argv=argv))
        return self._runner(request._replace(spec=spec))

"""How an agent starts the command of a hook on each system: each contract describes itself in ``LAUNCH``."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from sandhook.record import Record

#: A system that an agent runs on. Git Bash is that of Git for Windows, in its usual place.
System: TypeAlias = Literal["linux", "macos", "git-bash", "windows"]

SYSTEMS: tuple[System, ...] = get_args(System)

#: Systems by the names that people know.
SYSTEM_TITLES: dict[System, str] = {
    "linux": "Linux",
    "macos": "macOS",
    "git-bash": "Windows with Git Bash",
    "windows": "Windows without Git Bash",
}

#: What reads a command line: a shell, the agent's own shell in its process ("embedded"), that shell over files that
#: are not those of the machine ("sandbox"), no shell ("program"), nothing ("absent"), or what is not known.
Launcher: TypeAlias = Literal[
    "sh", "bash", "login shell", "embedded", "sandbox", "cmd", "powershell", "program", "absent", "unknown"
]


class Launch(Record):
    """What starts the commands of an agent's hooks.

    Attributes:
        unix: On Linux and macOS.
        git_bash: On Windows with Git Bash.
        windows: On Windows without it.
        programs: Programs that the agent's own shell has itself.
        windows_coreutils: On Windows the agent's own shell has some of the coreutils itself.
        windows_keys: Keys of a hook that replace its command on Windows.
        windows_fallback: On Windows the agent also uses ``command``; a hook with another key has nothing to run.
        script_endings: Endings of files that the agent starts by their interpreter on Windows.
        rewrites_variables: On PowerShell ``${NAME}`` of the agent's own directories is replaced.
        git_bash_note: What else is different on Windows with Git Bash; "" for nothing.
        windows_note: What else is different on every Windows; "" for nothing.
    """

    unix: Launcher = "unknown"
    git_bash: Launcher = "unknown"
    windows: Launcher = "unknown"
    programs: tuple[str, ...] = ()
    windows_coreutils: bool = False
    windows_keys: tuple[str, ...] = ()
    windows_fallback: str = ""
    script_endings: tuple[str, ...] = ()
    rewrites_variables: bool = False
    git_bash_note: str = ""
    windows_note: str = ""

    def on(self, system: System) -> Launcher:
        """Return what reads a command line on a system."""
        if system == "git-bash":
            return self.git_bash
        return self.windows if system == "windows" else self.unix

    def notes(self, system: System) -> tuple[str, ...]:
        """Return what else is different on a system."""
        both = (self.git_bash_note if system == "git-bash" else "", self.windows_note)
        return tuple(note for note in both if note) if system in ("git-bash", "windows") else ()

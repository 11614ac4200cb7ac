"""What /proc shows of the processes of a run: their arguments, numbers, directories and descriptors.

Source: proc(5). All of it is virtual; nothing is read from the host.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sandhook.limits import Budget
from sandhook.typed import Protocol

#: The characters of a command's name that Linux keeps.
_NAME_LENGTH = 15

#: Shells that are below /bin; other programs are below /usr/bin.
_SHELLS = ("bash", "dash", "sh")


class Run(Protocol):
    """What is read of the kernel of a run."""

    @property
    def budget(self) -> Budget: ...
    @property
    def group_id(self) -> int: ...
    @property
    def processes(self) -> Mapping[int, Process]: ...
    @property
    def user_id(self) -> int: ...


class Process(Protocol):
    """What is read of a process, which ``process.Process`` has."""

    @property
    def argv(self) -> Sequence[str]: ...
    @property
    def caught(self) -> Iterable[int]: ...
    @property
    def cwd(self) -> str: ...
    @property
    def descriptors(self) -> Iterable[int]: ...
    @property
    def environment(self) -> Mapping[str, str]: ...
    @property
    def group(self) -> int: ...
    @property
    def ignored(self) -> Iterable[int]: ...
    @property
    def kernel(self) -> Run: ...
    @property
    def niceness(self) -> int: ...
    @property
    def parent_pid(self) -> int: ...
    @property
    def pending(self) -> Iterable[int]: ...
    @property
    def pid(self) -> int: ...
    @property
    def umask(self) -> int: ...
    @property
    def utility(self) -> Sequence[str]: ...


class Shown:
    """The processes of a run, as ``asking`` sees them."""

    __slots__ = ("_asking",)

    def __init__(self, asking: Process) -> None:
        self._asking = asking

    def numbers(self) -> Iterable[int]:
        """Return the numbers of all processes."""
        return sorted(self._asking.kernel.processes)

    def text(self, number: int | None, name: str) -> bytes:
        """Return the contents of a file; the process itself (None) is the utility that the shell runs for it."""
        process = self._process(number)
        arguments = self._arguments(number)
        if name == "cgroup":
            return b"0::/\n"
        if name == "cmdline":
            return self._joined(arguments)
        if name == "comm":
            return _encoded(f"{_command(arguments)}\n")
        if name == "environ":
            return self._joined([f"{key}={value}" for key, value in process.environment.items()])
        return _encoded(
            self._stat(process, arguments) if name == "stat" else self._status(process, arguments)
        )

    def link(self, number: int | None, name: str) -> str:
        """Return the target of a link."""
        if name == "cwd":
            return self._process(number).cwd
        if name == "root":
            return "/"
        program = self._arguments(number)[0].rpartition("/")[2]
        return f"/bin/{program}" if program in _SHELLS else f"/usr/bin/{program}"

    def descriptors(self, number: int | None) -> Iterable[int]:
        """Return the numbers of the open descriptors."""
        return sorted(self._process(number).descriptors)

    def _process(self, number: int | None) -> Process:
        return self._asking if number is None else self._asking.kernel.processes[number]

    def _arguments(self, number: int | None) -> list[str]:
        process = self._process(number)
        return list((process.utility if number is None else ()) or process.argv or ("bash",))

    def _joined(self, texts: Sequence[str]) -> bytes:
        self._asking.kernel.budget.charge(1 + (sum(map(len, texts)) >> 8))
        return b"".join([_encoded(text) + b"\0" for text in texts])

    def _state(self, process: Process) -> str:
        return "R" if process is self._asking else "S"

    def _stat(self, process: Process, arguments: list[str]) -> str:
        """Return the 52 fields of ``stat``; those of memory and processors are 0."""
        session = min(self.numbers())
        state, parent = self._state(process), process.parent_pid
        head = f"{process.pid} ({_command(arguments)}) {state} {parent} {process.group} {session}"
        # terminal, its group, flags, faults, times, priority, niceness, threads
        middle = f"0 -1 4194304 0 0 0 0 0 0 0 0 {20 + process.niceness} {process.niceness} 1"
        return " ".join((head, middle, *("0" * 32))) + "\n"

    def _status(self, process: Process, arguments: list[str]) -> str:
        kernel = process.kernel
        state = "R (running)" if process is self._asking else "S (sleeping)"
        user, group = ("\t".join([str(number)] * 4) for number in (kernel.user_id, kernel.group_id))
        rows = {
            "Name": _command(arguments), "Umask": f"{process.umask:04o}", "State": state, "Tgid": process.pid, "Ngid": 0,
            "Pid": process.pid, "PPid": process.parent_pid, "TracerPid": 0, "Uid": user, "Gid": group, "FDSize": 64,
            "Groups": f"{kernel.group_id} ", "Threads": 1, "SigPnd": _mask(process.pending), "ShdPnd": _mask(()),
            "SigBlk": _mask(()), "SigIgn": _mask(process.ignored), "SigCgt": _mask(process.caught),
        }  # fmt: skip
        return "".join(f"{name}:\t{value}\n" for name, value in rows.items())


def _command(arguments: list[str]) -> str:
    return arguments[0].rpartition("/")[2][:_NAME_LENGTH].replace("\n", "\\n")


def _mask(signals: Iterable[int]) -> str:
    return f"{sum(1 << signal - 1 for signal in set(signals)):016x}"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")

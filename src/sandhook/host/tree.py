"""Finds and ends every process of a run, on POSIX.

A process belongs to a run if it is a child or a descendant, if it is in the session of a child, or if it
has the run's mark in its environment. The mark finds orphans that left their session. A run that adopts
orphans has a second mark, which remains if a program empties its environment: see ``adoption``.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    raise ImportError("this is Windows")

import os
import select
import signal
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from sandhook.host.child import Child, Spawn
from sandhook.host.machine import VARIABLE, Machine, Mark, Process, this_machine
from sandhook.host.posix import PosixChild, open_process, start

if TYPE_CHECKING:
    from sandhook.host.adoption import Adoption

#: Seconds after the grace, until processes that cannot be ended are abandoned.
LAST = 1.0

#: How long a thread waits for them after that, in seconds, and how often it looks.
_LAST_WAIT, _LAST_PAUSE = 60.0, 0.02

#: The longest range of process numbers that are looked up one by one; for a longer range, all processes are listed.
_MAX_RANGE = 512

#: Seconds in which no system can use up all process numbers.
_YOUNG_SECONDS = 0.1

#: How many numbers before the newest one may belong to processes that are not visible yet.
_MARGIN = 8

#: How often processes are stopped before they are killed; each round finds processes that started meanwhile.
_STOP_ROUNDS = 6

#: Seconds that an exec may take. A process whose exec takes longer counts as one of another run.
_EXEC_SECONDS = 0.25

#: Seconds between two polls, where the system does not report the end of a process.
_PAUSE = 0.005


class Tree:
    """The processes of one run. Only one thread at a time may use it."""

    def __init__(self, *, subreaper: bool = False, machine: Machine | None = None) -> None:
        self._machine = this_machine() if machine is None else machine
        self._mark = Mark()
        self._living: dict[int, PosixChild] = {}
        self._sessions: set[int] = set()  # sessions that outlived their leader, a child
        self._children: set[int] = set()  # numbers of children, at most _MAX_RANGE
        self._first = 0  # the number of the first child
        self._since = 0.0  # when its start began, by monotonic(); 0.0 before any start
        self._begin = 0.0  # the same moment in units of Process.started
        self._strangers: set[tuple[int, float]] = set()  # processes whose environment lacks the mark
        self._dead: set[int] = set()  # zombies of other parents: read once in each end()
        self._newest_number = 0  # the newest number when all processes were read
        self._foreign: set[tuple[int, float]] = set()  # processes that run as another user now
        self._adoption = _adopt() if subreaper else None
        self._members: set[tuple[int, float]] = set()  # processes of the run, which include their zombies
        self._exec_seconds = _EXEC_SECONDS  # seconds left in end() for processes in the middle of an exec
        self._adopts_soon = False  # there are zombies that this process will adopt

    # ------------------------------------------------------------------ start

    def start(self, spawn: Spawn) -> Child:
        """Start a program. Raises OSError as ``posix.start`` does."""
        if not self._since:
            self._since, self._begin = time.monotonic(), self._machine.begin()
        begin = partial(start, spawn, (VARIABLE, self._mark.value), self._ended)
        child = begin() if self._adoption is None else self._adoption.start(begin)
        self._living[child.pid] = child
        if not self._first:
            self._first = child.pid
        if len(self._children) < _MAX_RANGE:
            self._children.add(child.pid)
        return child

    def _ended(self, child: Child) -> None:
        self._living.pop(child.pid, None)
        # while its group has members, no new process gets its number
        with suppress(OSError):
            os.killpg(child.pid, 0)
            self._sessions.add(child.pid)

    # ------------------------------------------------------------------ find

    def alive(self) -> list[int]:
        """Return the numbers of all processes of the run that have not ended."""
        self._poll()
        self._dead.clear()
        self._exec_seconds = _EXEC_SECONDS
        return sorted(process.pid for process in self._find()) if self._since else []

    def _poll(self) -> None:
        for child in list(self._living.values()):
            child.poll()

    def _numbers(self) -> Iterable[int]:
        """Return the numbers that processes of the run may have: from the first child's to the newest."""
        first, last, pids = self._first, self._machine.last(), self._machine.pids
        age = time.monotonic() - self._since
        if not first or not last or (age > _YOUNG_SECONDS and age > self._machine.turn()):
            return pids()
        if first > last:  # the numbers have wrapped around
            return [pid for pid in pids() if pid >= first or pid <= last]
        if last - first < _MAX_RANGE:
            return range(first, last + 1)
        return [pid for pid in pids() if first <= pid <= last]

    def _find(self, numbers: Iterable[int] | None = None) -> list[Process]:
        """Read the processes with these numbers, and return those of the run that have not ended."""
        machine, this_process = self._machine, os.getpid()
        candidates = {}
        for pid in self._numbers() if numbers is None else numbers:
            if pid == this_process or pid in self._dead or (process := machine.look(pid)) is None:
                continue
            if process.zombie and process.parent != this_process and self._adoption is None:
                self._dead.add(pid)  # it has no children, and its parent waits for it
            elif process.started >= self._begin:
                candidates[pid] = process
        if not candidates:  # without /proc, only the children are known
            candidates = {pid: Process(pid, this_process, pid, 0.0, False) for pid in self._living}
        # a session keeps its number without its leader: a session with a leader is a new one
        self._sessions = {number for number in self._sessions if machine.look(number) is None}
        sessions = self._living.keys() | self._sessions
        elders = self._elders()
        members: dict[int, Process] = {}
        unsure: list[Process] = []
        for pid, process in candidates.items():
            if process.session in sessions or pid in self._living or (pid, process.started) in self._members:
                members[pid] = process
            elif process.parent not in elders:
                continue  # it belongs to the run only if its parent does
            elif (has_mark := self._has_mark(process)) is None:
                unsure.append(process)
            elif has_mark:
                members[pid] = process
        for process in unsure:
            if self._has_mark_after_exec(process):
                members[process.pid] = process
        for pid in members:
            del candidates[pid]
        new = list(members)
        while new:
            new = [pid for pid, process in candidates.items() if process.parent in members]
            for pid in new:
                members[pid] = candidates.pop(pid)
        if self._adoption is not None:
            self._members.update((process.pid, process.started) for process in members.values())
            # a zombie whose parent is about to end becomes a child of this process in a moment
            self._adopts_soon = any(
                process.zombie and process.parent != this_process and process.pid not in self._living
                for process in members.values()
            )
            self._adoption.reap(
                process.pid
                for process in members.values()
                if process.zombie and process.parent == this_process and process.pid not in self._living
            )
        return [process for process in members.values() if not process.zombie]

    def _has_mark(self, process: Process) -> bool | None:
        """Return True if a process has a mark of this run; None if its environment cannot be read at the moment."""
        has_mark: bool | None = False
        identity = process.pid, process.started
        if not process.zombie and identity not in self._strangers:
            has_mark = self._mark.on(self._machine, process.pid)
            if has_mark is False:
                self._strangers.add(identity)
        if not has_mark and self._adoption is not None and self._adoption.has(process):
            return True
        return has_mark

    def _has_mark_after_exec(self, process: Process) -> bool:
        """Wait for the end of a process's exec, which is slow on a busy machine; return True if it has a mark."""
        while (has_mark := self._has_mark(process)) is None and self._exec_seconds > 0:
            time.sleep(_PAUSE)
            self._exec_seconds -= _PAUSE
        return bool(has_mark)

    def _is_clean(self) -> bool:
        """Return True if certainly no process remains, with as few system calls as possible."""
        if self._living or self._sessions or self._adoption is not None:
            return False
        numbers = self._numbers()
        if not isinstance(numbers, range):
            return False
        machine = self._machine
        elders: set[int] = set()
        for pid in numbers:
            if pid in self._children or (process := machine.look(pid)) is None:
                continue
            elders = elders or self._elders()
            if process.parent in elders and self._mark.on(machine, pid) is not False:
                return False
        return True

    def _elders(self) -> set[int]:
        """Return this process and its ancestors: an orphan of the run becomes a child of one of them."""
        elders, pid = {1, os.getpid()}, os.getppid()
        while pid not in elders:
            elders.add(pid)
            if (process := self._machine.look(pid)) is None:
                break
            pid = process.parent
        return elders

    # ------------------------------------------------------------------ end

    def end(self, grace: float) -> None:
        """Kill all processes; a ``grace`` (seconds) above 0.0 interrupts them first, so that they can clean up."""
        if not self._since:
            return
        self._poll()
        if not self._is_clean():
            self._dead.clear()
            self._exec_seconds = _EXEC_SECONDS
            self._kill(self._interrupt(grace) if grace > 0 else self._remaining())
            self._dead.clear()
        if not self._living:
            self._first, self._since = 0, 0.0
            self._strangers.clear()
            self._children.clear()
            self._members.clear()

    def close(self) -> None:
        """End all processes, and stop adopting orphans."""
        try:
            self.end(0.0)
        finally:
            self._wait_in_background()
            if (adoption := self._adoption) is not None:
                self._adoption = None
                adoption.close()

    def _wait_in_background(self) -> None:
        """Wait in a thread for processes that were killed and have not ended yet, as on a busy machine.

        They would stay zombies until the end of this process, because nobody else may wait for them.
        """
        children = [child for child in self._living.values() if not self._is_foreign(child.pid)]
        orphans = [] if self._adoption is None else sorted(self._members)
        orphans = [(pid, started) for pid, started in orphans if self._machine.look(pid) is not None]
        if children or orphans:
            wait = partial(_wait, children, orphans, self._machine)
            with suppress(RuntimeError):  # no threads here, or no longer
                Thread(target=wait, name="sandhook-last-wait", daemon=True).start()

    def _is_foreign(self, pid: int) -> bool:
        return any(number == pid for number, _ in self._foreign)

    def _interrupt(self, grace: float) -> list[Process]:
        """Interrupt all processes, wait for their ends no longer than the grace, and return those that remain."""
        deadline = time.monotonic() + grace
        processes = self._remaining()
        self._signal(processes, (signal.SIGINT, signal.SIGCONT))
        while processes and (seconds := deadline - time.monotonic()) > 0:
            self._await(processes, seconds)
            processes = self._remaining(processes)
        return processes

    def _await(self, processes: Iterable[Process], seconds: float) -> None:
        """Wait at most ``seconds`` until these processes end; only a moment where the system reports no ends."""
        deadline = time.monotonic() + seconds
        handles = select.poll()
        open_handles = set()
        try:
            for process in processes:
                if (process.pid, process.started) not in self._foreign:
                    with suppress(ProcessLookupError):
                        open_handles.add(handle := open_process(process.pid))
                        handles.register(handle, select.POLLIN)
            while open_handles and (timeout := deadline - time.monotonic()) > 0:
                for handle, _ in handles.poll(1000 * timeout):
                    handles.unregister(handle)
                    open_handles.discard(handle)
                    os.close(handle)
        except OSError:  # the system has no such handles, or too many files are open
            time.sleep(min(seconds, _PAUSE))
        finally:
            for handle in open_handles:
                os.close(handle)

    def _remaining(self, earlier: Collection[Process] = ()) -> list[Process]:
        """Return the processes that must still be ended.

        Args:
            earlier: Processes of an earlier call. Only they and the newest numbers are read, or all
                processes if none of them remains.
        """
        self._poll()
        processes: list[Process] = []
        if earlier:
            numbers = {process.pid for process in earlier}
            last = self._machine.last()
            numbers.update(range(max(1, min(self._newest_number, last) - _MARGIN), last + 1))
            if len(numbers) < _MAX_RANGE:
                self._newest_number = last
                processes = self._find(numbers)
        if not processes:
            self._newest_number = self._machine.last()
            processes = self._find()
        return [process for process in processes if (process.pid, process.started) not in self._foreign]

    def _kill(self, processes: list[Process]) -> None:
        """Kill these processes, and then all of the run, until no process is found.

        They are stopped before they are killed. A stopped process starts no other one, and remains the
        parent of its children, so that they are found.
        """
        stopped: set[tuple[int, float]] = set()
        for _ in range(_STOP_ROUNDS):
            new = [process for process in processes if (process.pid, process.started) not in stopped]
            if not new:
                break
            self._signal(new, (signal.SIGSTOP,))
            stopped |= {(process.pid, process.started) for process in new}
            processes = self._remaining(processes)
        deadline = time.monotonic() + LAST
        while processes or self._adopts_soon or not self._all_waited_for():
            self._signal(processes, (signal.SIGKILL,))
            if (seconds := deadline - time.monotonic()) <= 0:
                break
            self._await(processes, seconds)
            if not processes:  # the end of a child is not reported yet
                time.sleep(_PAUSE)
            processes = self._remaining(processes)

    def _all_waited_for(self) -> bool:
        """Return True if no child remains, except those that now run as another user."""
        self._poll()
        return self._living.keys() <= {pid for pid, _ in self._foreign}

    def _signal(self, processes: Iterable[Process], signals: tuple[int, ...]) -> None:
        """Send signals to processes and to the groups of the children among them."""
        for process in processes:
            for number in signals:
                if process.pid in self._living:
                    with suppress(OSError):  # the number is not reused before this process is waited for
                        os.killpg(process.pid, number)
                try:
                    self._send(process, number)
                except PermissionError:
                    self._foreign.add((process.pid, process.started))
                except OSError:
                    pass  # it has ended

    def _send(self, process: Process, number: int) -> None:
        """Send a signal to a process, but not to a later one with the same number."""
        try:
            handle = open_process(process.pid)
        except ProcessLookupError:
            return
        except OSError:
            handle = -1
        try:
            current = self._machine.look(process.pid)
            if current is None or current.started != process.started:
                return
            if sys.platform == "linux" and handle >= 0:
                signal.pidfd_send_signal(handle, number)
            else:
                os.kill(process.pid, number)
        finally:
            if handle >= 0:
                os.close(handle)


def _wait(children: list[PosixChild], orphans: list[tuple[int, float]], machine: Machine) -> None:
    """Wait for children, and for orphans while they are what they were, whether this process has adopted them or not."""
    deadline = time.monotonic() + _LAST_WAIT
    while (children or orphans) and time.monotonic() < deadline:
        children = [child for child in children if not child.poll()]
        for pid, _ in orphans:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        present = ((pid, machine.look(pid)) for pid, _ in orphans)
        living = {(pid, process.started) for pid, process in present if process is not None}
        orphans = [each for each in orphans if each in living]
        time.sleep(_LAST_PAUSE)


def _adopt() -> Adoption:
    """Start adopting orphans. Raises OSError where the system does not support it."""
    if sys.platform == "linux":
        from sandhook.host.adoption import Adoption

        return Adoption()
    raise OSError("only Linux lets a process adopt orphans")

"""Every process of a run, found and ended wherever in the system it went.

A process is of a run when it is a child of it or a descendant of one, when it is in the session of
one of its children, or when it has the run's mark in its environment, which finds those that left
their session and lost their parents. A run that adopts orphans has a second mark, which stays when
a program cleans its environment: see ``adoption``.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from sandhook.host.adoption import Adoption
from sandhook.host.child import Child, Spawn
from sandhook.host.machine import VARIABLE, Machine, Mark, Process, this_machine
from sandhook.host.posix import PosixChild, start

#: Seconds, beyond the grace, after which processes that cannot be ended are given up.
LAST = 1.0

#: Seconds after which process numbers may have gone once around, so that all processes are looked at.
_ROUND = 1.0

#: How many process numbers are tried one by one, before all the existing ones are listed.
_FEW = 96

#: How often processes are stopped before they are killed; each time finds what started meanwhile.
_STOPS = 6

_FIRST_PAUSE, _LONGEST_PAUSE = 0.000_5, 0.02


class Tree:
    """The processes of one run. Only one thread at a time may use it."""

    def __init__(self, *, subreaper: bool = False, machine: Machine | None = None) -> None:
        self._machine = this_machine() if machine is None else machine
        self._mark = Mark()
        self._living: dict[int, PosixChild] = {}
        self._sessions: set[int] = set()  # of children that have ended before others of their session
        self._first = 0  # the number of the first child
        self._since = 0.0  # when it was started; 0.0 when nothing was
        self._refused: set[tuple[int, float]] = set()  # belong to another user now
        self._adoption = Adoption() if subreaper else None

    # ------------------------------------------------------------------ start

    def start(self, spawn: Spawn) -> Child:
        """Start a program. Raises OSError as ``posix.start`` does."""
        if not self._since:
            self._since = time.monotonic()
        begin = partial(start, spawn, (VARIABLE, self._mark.value), self._ended)
        child = begin() if self._adoption is None else self._adoption.start(begin)
        self._living[child.pid] = child
        if not self._first:
            self._first = child.pid
        return child

    def _ended(self, child: Child) -> None:
        self._living.pop(child.pid, None)
        # while others are in its group, the system gives its number to nobody
        with suppress(OSError):
            os.killpg(child.pid, 0)
            self._sessions.add(child.pid)

    # ------------------------------------------------------------------ find

    def alive(self) -> list[int]:
        """Return the numbers of all processes of the run that have not ended."""
        self._poll()
        return sorted(process.pid for process in self._find()) if self._since else []

    def _poll(self) -> None:
        for child in list(self._living.values()):
            child.poll()

    def _find(self) -> list[Process]:
        """Look at all processes, and return those of the run that have not ended."""
        machine, me = self._machine, os.getpid()
        seen = [process for pid in machine.pids() if (process := machine.look(pid)) is not None]
        if not seen:  # there is no /proc: know the children at least
            return [Process(pid, me, pid, 0.0, False) for pid in self._living]
        numbers = {process.pid for process in seen}
        # a session whose leader is gone keeps its number: one that has a leader is somebody else's
        sessions = self._living.keys() | (self._sessions - numbers)
        ours: dict[int, Process] = {}
        others: list[Process] = []
        for process in seen:
            if process.pid == me:
                continue
            if process.pid in self._living or process.session in sessions or self._marked(process):
                ours[process.pid] = process
            else:
                others.append(process)
        grown = True
        while grown and ours:
            children = [process for process in others if process.parent in ours]
            grown = bool(children)
            for process in children:
                ours[process.pid] = process
                others.remove(process)
        self._sessions -= numbers
        if self._adoption is not None:
            self._adoption.reap(
                process.pid
                for process in ours.values()
                if process.zombie and process.parent == me and process.pid not in self._living
            )
        return [process for process in ours.values() if not process.zombie]

    def _marked(self, process: Process) -> bool:
        if not process.zombie and self._mark.on(self._machine, process.pid):
            return True
        return self._adoption is not None and self._adoption.has(process)

    def _is_clean(self) -> bool:
        """Whether certainly nothing is left, from as few looks as that takes.

        Numbers are given in turn, so every process of the run has one from the first child's to the
        last that was given: mostly so few that trying each of them is quicker than a list of all.
        """
        if self._living or self._sessions or self._adoption is not None:
            return False
        last = self._machine.last()
        if time.monotonic() - self._since > _ROUND or not self._first <= last < self._first + _FEW:
            return False
        return not any(self._mark.on(self._machine, pid) for pid in range(self._first, last + 1))

    # ------------------------------------------------------------------ end

    def end(self, grace: float) -> None:
        """End all processes: an interrupt first if there is a grace (seconds), then by force."""
        if not self._since:
            return
        self._poll()
        if not self._is_clean():
            if grace > 0:
                self._interrupt(grace)
            self._kill()
        if not self._living:
            self._first, self._since = 0, 0.0

    def close(self) -> None:
        """End all processes, and adopt no more orphans."""
        try:
            self.end(0.0)
        finally:
            if (adoption := self._adoption) is not None:
                self._adoption = None
                adoption.close()

    def _interrupt(self, grace: float) -> None:
        """Ask all processes to end, and wait until they have or the grace is over."""
        until, pause = time.monotonic() + grace, _FIRST_PAUSE
        self._signal(self._find(), (signal.SIGINT, signal.SIGCONT))
        while self._left() and (rest := until - time.monotonic()) > 0:
            time.sleep(min(pause, rest))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _left(self) -> list[Process]:
        self._poll()
        return [process for process in self._find() if (process.pid, process.started) not in self._refused]

    def _kill(self) -> None:
        """Kill all processes, until none is found.

        They are stopped before they are killed: what is stopped starts nothing, and stays its
        children's parent, by which they are found.
        """
        stopped: set[tuple[int, float]] = set()
        for _ in range(_STOPS):
            found = [process for process in self._left() if (process.pid, process.started) not in stopped]
            if not found:
                break
            self._signal(found, (signal.SIGSTOP,))
            stopped |= {(process.pid, process.started) for process in found}
        until, pause = time.monotonic() + LAST, _FIRST_PAUSE
        while found := self._left():
            self._signal(found, (signal.SIGKILL,))
            if time.monotonic() > until:
                break
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _signal(self, processes: Iterable[Process], signals: tuple[int, ...]) -> None:
        """Send signals to processes and to the groups of the children among them."""
        for process in processes:
            for number in signals:
                if process.pid in self._living:
                    with suppress(OSError):  # nobody else can have the number before it is waited for
                        os.killpg(process.pid, number)
                try:
                    self._send(process, number)
                except PermissionError:
                    self._refused.add((process.pid, process.started))
                except OSError:
                    pass  # it has ended

    def _send(self, process: Process, number: int) -> None:
        """Send a signal to a process, and never to a later one with its number."""
        try:
            handle = os.pidfd_open(process.pid)
        except ProcessLookupError:
            return
        except (AttributeError, OSError):  # not Linux, or an old kernel
            handle = -1
        try:
            now = self._machine.look(process.pid)
            if now is None or now.started != process.started:
                return
            if handle < 0:
                os.kill(process.pid, number)
            else:
                signal.pidfd_send_signal(handle, number)
        finally:
            if handle >= 0:
                os.close(handle)

"""Agents in a pseudo-terminal: a user who types when the screen shows what a step waits for.

The steps of a case are its field ``keys``, in order. A step waits for everything that it names, then types:

* ``see``: a regular expression, in what the agent showed since the step before.
* ``ran``: a label that a hook left in ``$PROBE/ran``, or [label, number of times].
* ``requests``: so many requests that reached the model.
* ``pause``: seconds after that, for agents that do not read at once.
* ``before``: leave the step out if so many requests have come by then: a hook has answered for the user.
* ``patience``: seconds that it waits, 45 by default. ``optional``: whether it is left out after that.
* ``type``: text as a keyboard sends it: "\\r" is Return, "\\u001b" is Escape, "\\u0003" is Control-C.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import re
import select
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence

from tools.agents.recorder.world import Ended, World
from tools.agents.records import Object, listed

ROWS, COLUMNS = 50, 160
#: Seconds between two looks at what a step waits for.
_LOOK = 0.1
#: Seconds that a step may wait; the agent is ended after that.
PATIENCE = 45.0

#: The first terminal that the leader of a session opens becomes its controlling terminal.
_IN_TERMINAL = 'exec "$@" <"$0" >"$0" 2>&1'

_FORWARD = re.compile(r"\x1b\[(\d*)C")
_PLACED = re.compile(r"\x1b\[\d*(?:;\d*)?[HfEFGd]")
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[P_^][^\x1b]*\x1b\\|\x1b\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b[()][0-9A-B]|\x1b[ -~]"
)
#: What terminals answer to the questions of programs: the cursor's place, the kind of the terminal, its colours.
_ANSWERS = (
    (re.compile(r"\x1b\[6n"), "\x1b[1;1R"),
    (re.compile(r"\x1b\[0?c"), "\x1b[?62;22c"),
    (re.compile(r"\x1b\[>0?q"), "\x1bP>|xterm(390)\x1b\\"),
    (re.compile(r"\x1b\[\?u"), "\x1b[?0u"),
    (re.compile(r"\x1b\]10;\?(?:\x07|\x1b\\)"), "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"),
    (re.compile(r"\x1b\]11;\?(?:\x07|\x1b\\)"), "\x1b]11;rgb:0000/0000/0000\x1b\\"),
)


def plain(text: str) -> str:
    """Return what a terminal shows of a text: without escape sequences, and with spaces where the cursor moved."""
    text = _FORWARD.sub(lambda match: " " * int(match[1] or 1), text)
    return _ESCAPES.sub("", _PLACED.sub("\n", text)).replace("\r", "\n")


class _Screen:
    """The agent's side of a terminal, as a user sees it."""

    def __init__(self, master: int, slave: int) -> None:
        self.master, self._slave, self.text, self._seen, self.open = master, slave, "", 0, True
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, seconds: float) -> None:
        """Read what the agent shows, for at most some seconds, and answer the questions of its terminal library."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return
        try:
            data = os.read(self.master, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # what Linux reports when the last writer is gone
                raise
            data = b""
        self.open = bool(data)
        if self._slave >= 0:  # the program has opened it by now
            os.close(self._slave)
            self._slave = -1
        text = self._decoder.decode(data)
        self.text += text
        for pattern, answer in _ANSWERS:
            for _ in pattern.findall(text):
                self.type(answer)

    def new(self) -> str:
        """Return what came since the last turn, with one space for white space of any length."""
        return " ".join(plain(self.text[self._seen :]).split())

    def turn(self) -> None:
        """Let the next step see only what comes from now on."""
        self._seen = len(self.text)

    def type(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the agent is gone: its end says so
            os.write(self.master, text.encode())


def run(
    command: Sequence[str],
    world: World,
    variables: Mapping[str, str],
    limit: float,
    keys: Sequence[Object],
    requests: Callable[[], int],
) -> Ended:
    """Run an agent in a terminal of its own, type the steps, and end everything in its session after it.

    Returns:
        Its end. ``stdout`` is what the screen showed; ``stderr`` names the step that waited in vain, if one did.
    """
    # Windows lacks these, and everything else of tools.agents runs there, too.
    import fcntl
    import pty
    import termios

    began = time.monotonic()
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    words = [each.replace("@W@", str(world.root)) for each in command]
    process = subprocess.Popen(
        ["/bin/sh", "-c", _IN_TERMINAL, os.ttyname(slave), *words],
        cwd=world.project,
        env={**variables, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(ROWS)},
        start_new_session=True,
    )
    screen = _Screen(master, slave)
    status: int | str = "timeout"
    typed: list[int] = []
    try:
        fault = _typed(screen, world, keys, requests, process, typed)
        if not fault:
            end = began + limit
            while process.poll() is None and time.monotonic() < end:
                screen.read(_LOOK)
            status = process.poll() if process.poll() is not None else "timeout"  # type: ignore[assignment]
        while screen.open and select.select([master], [], [], 0)[0]:
            screen.read(0)
    finally:  # also if the recorder itself is interrupted
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(master)
    return Ended(status, plain(screen.text), fault, time.monotonic() - began, tuple(typed))


def _typed(
    screen: _Screen,
    world: World,
    keys: Sequence[Object],
    requests: Callable[[], int],
    process: subprocess.Popen[bytes],
    typed: list[int],
) -> str:
    """Type every step when it is due, note its number, and return what went wrong, or an empty text."""
    for number, step in enumerate(keys):
        end = time.monotonic() + float(str(step.get("patience", PATIENCE)))
        while not _due(step, screen, world, requests):
            late = time.monotonic() > end
            if late and step.get("optional"):
                break
            if late or process.poll() is not None:
                return "" if step.get("optional") else f"step {number} waited in vain: {step}"
            screen.read(_LOOK)
        else:
            _wait(step, screen, process)
            if requests() < int(str(step.get("before", 1 << 30))):
                _type(step, screen)
                typed.append(number)
    return ""


def _wait(step: Object, screen: _Screen, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + float(str(step.get("pause", 0.3)))
    while (left := until - time.monotonic()) > 0 and process.poll() is None:
        screen.read(min(left, _LOOK))


def _type(step: Object, screen: _Screen) -> None:
    screen.turn()
    for piece in re.findall(r"[^\r]+|\r", str(step.get("type", ""))):
        screen.type(piece)  # a Return that comes with text is taken for pasted text
        screen.read(0.3)


def _due(step: Object, screen: _Screen, world: World, requests: Callable[[], int]) -> bool:
    if "see" in step and not re.search(str(step["see"]), screen.new()):
        return False
    if "ran" in step:
        label, times = listed(step["ran"]) or [step["ran"], 1]
        if world.ran().count(label) < int(str(times)):
            return False
    return "requests" not in step or requests() >= int(str(step["requests"]))

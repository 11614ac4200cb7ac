"""Run the command line in a pseudo-terminal, as somebody who looks at it does."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

#: What a terminal shows in colours and other attributes, without moving its cursor.
ATTRIBUTES = re.compile(r"\x1b\[[\d;]*m")

#: What a progress bar wrote and erased again, and the cursor that it hid meanwhile.
_ERASED = re.compile(r"[^\n]*\n\x1b\[1A\x1b\[2K|[^\n]*\x1b\[2K|\x1b\[\?25[lh]")


class Shown(NamedTuple):
    """The status of a command, and all that it wrote to the terminal, lines ended by line feeds."""

    status: int
    raw: str

    @property
    def text(self) -> str:
        """What can be read at the end: without attributes, and without blanks at the ends of lines."""
        lines = ATTRIBUTES.sub("", _ERASED.sub("", self.raw)).split("\n")
        return "\n".join(line.rstrip() for line in lines)


def in_terminal(
    *argv: str | Path, cwd: Path, columns: int = 80, typed: str = "", module: str = "-msandhook", **env: str
) -> Shown:
    """Run ``python -m sandhook ARGV`` with a terminal as its standard input, output and error."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, columns))
    variables = {
        name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR", "COLUMNS")
    }
    variables |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SANDHOOK_NO_CACHE": "1", **env}
    command: Sequence[str] = [sys.executable, module, *map(str, argv)]
    if typed:
        os.write(ours, typed.encode())
    with subprocess.Popen(
        command, cwd=cwd, env=variables, stdin=theirs, stdout=theirs, stderr=theirs
    ) as child:
        os.close(theirs)
        data = _read(ours)
        # Linux can report the end to a reader that found nothing, although a last line came in between
        child.wait()
        data += _read(ours)
    os.close(ours)
    return Shown(child.returncode, data.decode("utf-8", "surrogateescape").replace("\r\n", "\n"))


def _read(descriptor: int) -> bytes:
    """Return what there is to read until nobody has the other end."""
    data = b""
    try:
        while block := os.read(descriptor, 65_536):
            data += block
    except OSError as error:
        if error.errno != errno.EIO:  # what Linux reports at the end
            raise
    return data

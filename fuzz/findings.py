"""Runs inputs one by one, and keeps the smallest input of each finding."""

from __future__ import annotations

import hashlib
import time
import traceback
from pathlib import Path

from fuzz.pieces import Broken
from fuzz.targets import DIRECTORY, Target

#: Processor seconds after which one input counts as a finding: limits end every run far earlier.
SECONDS = 10.0


class Findings:
    """Calls a target, and writes inputs that break its promises to a directory.

    Args:
        target: The module.
        directory: Where findings go: ``SIGNATURE.input`` and ``SIGNATURE.txt``.
    """

    def __init__(self, target: Target, directory: Path) -> None:
        self._target = target
        self._directory = directory
        self._sizes: dict[str, int] = {}
        self.inputs = 0

    def run(self, data: bytes) -> None:
        """Call the target with one input."""
        self.inputs += 1
        began = time.process_time()
        try:
            self._target.target(data)
        except Exception as error:
            self._keep(signature(error), data, "".join(traceback.format_exception(error)))
        else:
            seconds = time.process_time() - began
            if seconds > SECONDS:
                self._keep("slow", data, f"{seconds:.1f} seconds of processor time\n")

    def _keep(self, name: str, data: bytes, text: str) -> None:
        if len(data) >= self._sizes.get(name, len(data) + 1):
            return
        self._sizes[name] = len(data)
        self._directory.mkdir(parents=True, exist_ok=True)
        (self._directory / f"{name}.input").write_bytes(data)
        (self._directory / f"{name}.txt").write_text(f"{data!r}\n\n{text}", "utf-8", "backslashreplace")


def signature(error: Exception) -> str:
    """Return a name for the fault: a broken rule, or the exception and the line that raised it."""
    if isinstance(error, Broken):
        cause = str(error).partition(": ")[0]
    else:
        root = DIRECTORY.parent
        own = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if Path(frame.filename).is_relative_to(root)
        ]
        last = own[-1]
        cause = f"{type(error).__name__} {Path(last.filename).name} {last.name}"
    words = "-".join("".join(c if c.isalnum() else " " for c in cause).split())
    return f"{words}-{hashlib.sha256(cause.encode()).hexdigest()[:6]}"

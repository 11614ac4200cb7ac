"""The requests to workers, and their encoding."""

from __future__ import annotations

from sandhook.worker import frames


class Request:
    """One program to run.

    Attributes:
        flags: Flags of ``frames``.
        indent: Spaces for each level, with PRETTY.
        step: With GATHER, the number of values that one turn of the program reads; 0 means all.
        program: The wrapped program, as ``server`` describes it.
        variables: JSON text that is passed to the program, with GATHER.
        data: JSON texts, or lines with LINES.
        probe: With HALTS, the program in which ``halt`` is libjq's own.
    """

    __slots__ = ("data", "flags", "indent", "probe", "program", "step", "variables")

    def __init__(
        self,
        program: bytes,
        data: bytes,
        *,
        flags: int = 0,
        indent: int = 2,
        step: int = 1,
        variables: bytes = b"",
        probe: bytes = b"",
    ) -> None:
        self.flags = flags
        self.indent = indent
        self.step = step
        self.program = program
        self.variables = variables
        self.data = data
        self.probe = probe

    def encode(self, seconds: float) -> bytes:
        """Return the frame; the worker ends itself ``seconds`` after it has read the frame."""
        head = frames.REQUEST.pack(
            self.flags,
            self.indent,
            self.step,
            seconds,
            len(self.program),
            len(self.variables),
            len(self.data),
            len(self.probe),
        )
        return b"".join((head, self.program, self.variables, self.data, self.probe))


class NativeRequest:
    """One call for ``jq/native.py`` or ``sqlite/session.py``; ``header`` is JSON, see ``headers``."""

    __slots__ = ("data", "header")

    def __init__(self, header: bytes, data: bytes) -> None:
        self.header = header
        self.data = data

    def encode(self, seconds: float) -> bytes:
        """Return the frame; the worker ends itself ``seconds`` after it has read the frame."""
        head = frames.NATIVE.pack(seconds, len(self.header), len(self.data))
        return b"".join((head, self.header, self.data))

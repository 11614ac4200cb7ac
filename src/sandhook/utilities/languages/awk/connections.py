"""The streams that a program has open, found again by name: redirections, getline and close.

Source: POSIX.1-2024 XCU 3, awk, "input/output and general functions". Oracle: gawk 5.2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from sandhook.command.context import Context
from sandhook.utilities.languages.awk.records import Source
from sandhook.utilities.languages.awk.streams import (
    GATHERING,
    MAX_STREAMS,
    Stream,
    open_command,
    open_input,
    open_output,
)
from sandhook.utilities.languages.awk.values import Fatal
from sandhook.vfs.errors import error_text


class Connections(ABC):
    """The half of a Runtime that knows what is open.

    Attributes:
        streams: By redirection and name; ">>" is kept as ">", a command that is read as "<|".
        rs, icase: How what is read is divided into records.
        sandbox: Nothing may be opened.
    """

    ctx: Context
    rs: str
    icase: bool
    sandbox: bool
    streams: dict[tuple[str, str], Stream]

    @abstractmethod
    def environment(self) -> Mapping[str, str] | None:
        """Return the environment of commands, None for the one that awk itself has."""

    @abstractmethod
    def set_error(self, text: str) -> None:
        """Set ERRNO."""

    def _allow(self, redirect: str, name: str) -> None:
        """Refuse what no stream can be opened for. Raises Fatal."""
        if self.sandbox:
            raise Fatal("redirection not allowed in sandbox mode")
        if not name:
            shown = "|" if redirect == "<|" else redirect
            raise Fatal(f"expression for `{shown}' redirection has null string value")
        if len(self.streams) >= MAX_STREAMS:
            raise Fatal("too many pipes or files open")

    def _command(self, redirect: str, name: str) -> Stream:
        self._allow(redirect, name)
        self.flush()
        made = open_command(self.ctx, redirect, name, self.environment(), self.rs, self.icase)
        self.streams[redirect, name] = made
        return made

    def input(self, redirect: str, name: str) -> Source | None:
        """Return what getline reads after "<", "<|" (a command) or "|&", or None when it cannot be opened."""
        found = self.streams.get((redirect, name))
        if found is None:
            if redirect == "<":
                self._allow(redirect, name)
                try:
                    found = open_input(self.ctx, name, self.rs, self.icase)
                except OSError as error:
                    self.set_error(error_text(error))
                    return None
                self.streams[redirect, name] = found
            else:
                found = self._command(redirect, name)
        elif redirect == "|&":
            found.flush()
        source = found.source
        if source is None:
            raise Fatal("getline: attempt to read from closed read end of two-way pipe")
        source.set_separator(self.rs, self.icase)
        return source

    def output(self, redirect: str, name: str) -> Stream:
        """Return what print writes to after ">", ">>", "|" or "|&"."""
        key = (">" if redirect == ">>" else redirect, name)
        found = self.streams.get(key)
        if found is None:
            if redirect[0] == "|":
                return self._command(redirect, name)
            self._allow(redirect, name)
            found = self.streams[key] = open_output(self.ctx, redirect, name, len(self.streams) < GATHERING)
        return found

    def flush(self) -> None:
        """Flush standard output and all files."""
        self.ctx.flush()
        for stream in self.streams.values():
            stream.flush()

    def close(self, name: str, end: str = "") -> float:
        """Close what was opened last under a name; return the command's status, or -1.

        Args:
            end: "to" or "from" for one end of a two-way pipe.
        """
        for key in reversed(self.streams):
            if key[1] == name:
                break
        else:
            self.set_error("close of redirection that was never opened")
            return -1.0
        stream = self.streams[key]
        if end:
            if key[0] != "|&":
                return -1.0
            if end == "to":
                stream.close_output()
            else:
                stream.close_source()
            if not stream.closed:
                return 0.0
        self.flush()
        del self.streams[key]
        return float(stream.close())

    def close_all(self) -> None:
        """Flush and close every stream, in the order they were opened; standard output comes last, as in gawk."""
        while self.streams:
            self.streams.pop(next(iter(self.streams))).close()

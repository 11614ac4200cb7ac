"""The streams that a program has open, by name: redirections, getline and close.

Source: POSIX.1-2024 XCU 3, awk, "input/output and general functions". Oracle: gawk 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.command.context import Context
from sandhook.utilities.languages.awk.records import Source
from sandhook.utilities.languages.awk.regex import CHARACTERS, Matching
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


class Connections:
    """The files and commands that a program has open.

    Attributes:
        streams: By redirection and name; the key of ">>" is ">", the key of ``command | getline`` is "<|".
        sandbox: Opening a stream is an error.
    """

    def __init__(
        self,
        ctx: Context,
        environment: Callable[[], Mapping[str, str] | None],
        set_error: Callable[[str], None],
    ) -> None:
        """Begin with no streams.

        Args:
            environment: Returns the environment of commands, None for awk's own.
            set_error: Sets ERRNO.
        """
        self._ctx = ctx
        self.command_environment = environment
        self._set_error = set_error
        self.streams: dict[tuple[str, str], Stream] = {}
        self.sandbox = False

    def _check_allowed(self, redirect: str, name: str) -> None:
        """Raise Fatal when no stream may be opened."""
        if self.sandbox:
            raise Fatal("redirection not allowed in sandbox mode")
        if not name:
            operator = "|" if redirect == "<|" else redirect
            raise Fatal(f"expression for `{operator}' redirection has null string value")
        if len(self.streams) >= MAX_STREAMS:
            raise Fatal("too many pipes or files open")

    def _command(
        self, redirect: str, name: str, separator: str = "\n", matching: Matching = CHARACTERS
    ) -> Stream:
        self._check_allowed(redirect, name)
        self.flush()
        stream = open_command(self._ctx, redirect, name, self.command_environment(), separator, matching)
        self.streams[redirect, name] = stream
        return stream

    def input(self, redirect: str, name: str, separator: str, matching: Matching) -> Source | None:
        """Return the source that getline reads, opened when it is new; None when it cannot be opened.

        Args:
            redirect: "<" for a file, "<|" for a command, "|&" for a coprocess.
            separator, matching: How the source is divided into records: RS, and how that matches.
        """
        stream = self.streams.get((redirect, name))
        if stream is None:
            if redirect == "<":
                self._check_allowed(redirect, name)
                try:
                    stream = open_input(self._ctx, name, separator, matching)
                except OSError as error:
                    self._set_error(error_text(error))
                    return None
                self.streams[redirect, name] = stream
            else:
                stream = self._command(redirect, name, separator, matching)
        elif redirect == "|&":
            stream.flush()
        source = stream.source
        if source is None:
            raise Fatal("getline: attempt to read from closed read end of two-way pipe")
        source.set_separator(separator, matching)
        return source

    def output(self, redirect: str, name: str) -> Stream:
        """Return the stream that print writes to, opened when it is new.

        Args:
            redirect: ">", ">>", "|" or "|&".
        """
        key = (">" if redirect == ">>" else redirect, name)
        stream = self.streams.get(key)
        if stream is None:
            if redirect[0] == "|":
                return self._command(redirect, name)
            self._check_allowed(redirect, name)
            stream = self.streams[key] = open_output(self._ctx, redirect, name, len(self.streams) < GATHERING)
        return stream

    def flush(self) -> None:
        """Flush standard output and all streams."""
        self._ctx.flush()
        for stream in self.streams.values():
            stream.flush()

    def close(self, name: str, end: str = "") -> float:
        """Close the stream that was opened last under a name; return the command's exit status, or -1.

        Args:
            end: "to" or "from" for one end of a two-way pipe.
        """
        for key in reversed(self.streams):
            if key[1] == name:
                break
        else:
            self._set_error("close of redirection that was never opened")
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
        """Flush and close every stream, the last one first as gawk does."""
        while self.streams:
            self.streams.popitem()[1].close()

    def abandon(self) -> None:
        """Release every stream without waiting for commands."""
        for stream in self.streams.values():
            stream.abandon()

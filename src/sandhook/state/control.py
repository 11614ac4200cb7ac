"""Control flow of the interpreter: how break, return, exit and errors unwind it.

These derive from BaseException and are no errors of sandhook: ``except Exception`` in a
utility does not catch them, and they never leave ``Shell.run``.
"""

from __future__ import annotations


class ControlFlow(BaseException):
    """Base of what unwinds closures."""


class BreakLoop(ControlFlow):
    """break n: leave ``levels`` loops, the last of which ends with ``status``."""

    def __init__(self, levels: int, status: int = 0) -> None:
        self.levels = levels
        self.status = status


class ContinueLoop(ControlFlow):
    """continue n: go on with the ``levels``-th enclosing loop, whose status is ``status`` for now."""

    def __init__(self, levels: int, status: int = 0) -> None:
        self.levels = levels
        self.status = status


class ReturnFrom(ControlFlow):
    """return: leave the function or sourced script."""

    def __init__(self, status: int) -> None:
        self.status = status


class ExitShell(ControlFlow):
    """exit, errexit, or an error that ends a non-interactive shell.

    The status is cut to 8 bits.
    """

    def __init__(self, status: int) -> None:
        self.status = status & 0xFF


class AskedExit(ExitShell):
    """The exit command, or errexit: the ``!`` of a subshell's only command does not invert its status."""


class UsageExit(ExitShell):
    """A usage error of a special built-in in posix mode; before ``command`` it does not end the shell."""


class Discard(ControlFlow):
    """An expansion error: the rest of the current input unit is not run, the next one is."""

    def __init__(self, status: int) -> None:
        self.status = status


#: Errors that leave the status of a command substitution before them as it is.
_LEAVING_STATUS = (
    ": invalid indirect expansion",
    ": invalid variable name",
    ": readonly variable",
    ": bad array subscript",
)


class ShellError(Exception):
    """An error that the interpreter reports as ``name: line N: message``.

    Attributes:
        status: Exit status of the command it ends.
        fatal: It ends a non-interactive shell (POSIX XCU 2.8.1) with that status.
        discard: It ends the current input unit (bash's expansion errors).
        in_builtin: A built-in that it ends puts its name before the message.
        in_subscript: It comes from the expression of a subscript or a slice.
        in_expansion: It comes from what is expanded in an expression, before that is evaluated.
    """

    def __init__(self, message: str, status: int = 1, *, fatal: bool = False, discard: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.fatal = fatal
        self.discard = discard
        self.in_builtin = self.in_subscript = self.in_expansion = False

    def status_under_errexit(self, before: int) -> int:
        """Return what ``set -e`` ends the shell with; some errors do not touch ``$?``, which was ``before``."""
        return before if before and self.message.endswith(_LEAVING_STATUS) else self.status

    def ends_posix(self, *, bare: bool) -> bool:
        """Return True if this ends the shell in posix mode, and a line elsewhere; ``bare``: there is no command."""
        return self.message.endswith((": bad substitution", ": readonly variable")[: 1 + bare])

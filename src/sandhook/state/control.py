"""Control flow of the interpreter: how break, return, exit and errors unwind it.

These derive from BaseException and are no errors of sandhook: ``except Exception`` in a
utility does not catch them, and they never leave ``Shell.run``.
"""

from __future__ import annotations

from sandhook.typed import Final, Literal, TypeAlias


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


class FatalExit(ExitShell):
    """An error that ends the shell: it does not change the status of an EXIT trap that it ends."""


class AskedExit(ExitShell):
    """The exit command, or errexit: the ``!`` of a subshell's only command does not invert its status."""


class Replaced(ExitShell):
    """exec: a program has taken the place of the shell, and has ended."""


class UsageExit(ExitShell):
    """A usage error of a special built-in in posix mode; before ``command`` it does not end the shell."""


class Discard(ControlFlow):
    """An expansion error: the rest of the current input unit is not run, the next one is.

    With ``top``, the unit is that of the script: every ``eval``, sourced file and trap in it ends, too.
    """

    def __init__(self, status: int, *, top: bool = False) -> None:
        self.status = status
        self.top = top


#: What an error ends: its command, the rest of its input unit, that of the unit of the script (with every ``eval``,
#: sourced file and trap in it), or a shell that is not interactive.
Ends: TypeAlias = Literal["command", "unit", "top", "shell"]

#: Why, for the errors that bash treats in a way of their own.
Reason: TypeAlias = Literal[
    "other",
    "expression",  #: an arithmetic expression is wrong, or divides by zero
    "readonly variable",
    "bad subscript",
    "bad element",  #: an element of a list has a subscript of the wrong kind, or none
    "bad substitution",
    "unbound variable",
    "bad reference",  #: a value makes a name reference refer to what is not a name
    "indirection",  #: the value of ``name`` in ``${!name}`` is not a name
]

#: What an error came through on its way to the command.
Origin: TypeAlias = Literal[
    "operand",  #: an expansion inside an arithmetic expression, before the expression is evaluated
    "subscript",  #: the expression of a subscript or of a slice
    "evaluation",  #: a name without "$" in an arithmetic expression
    "integer",  #: the value of an integer variable: a built-in puts its name before the message
]


class ShellError(Exception):
    """An error that the interpreter reports as ``name: line N: message``.

    It never changes: who knows more of it raises another one (``ending``, ``within``, ``worded``).

    Attributes:
        message: bash's words.
        status: Exit status of what it ends.
        ends: What it ends (POSIX XCU 2.8.1).
        reason: Why.
        origins: What it came through.
    """

    def __init__(
        self,
        message: str,
        status: int = 1,
        *,
        ends: Ends = "command",
        reason: Reason = "other",
        origins: frozenset[Origin] = frozenset(),
    ) -> None:
        super().__init__(message)
        self.message: Final = message
        self.status: Final = status
        self.ends: Final = ends
        self.reason: Final = reason
        self.origins: Final = origins

    def ending(self, ends: Ends, status: int) -> ShellError:
        """Return this error as one that ends something else, with another status."""
        return ShellError(self.message, status, ends=ends, reason=self.reason, origins=self.origins)

    def ending_unit(self) -> ShellError:
        """Return this error as one that ends its input unit, or more if it does so already."""
        return self if self.ends != "command" else self.ending("unit", self.status)

    def within(self, *origins: Origin) -> ShellError:
        """Return this error with more origins."""
        origin = self.origins.union(origins)
        return ShellError(self.message, self.status, ends=self.ends, reason=self.reason, origins=origin)

    def worded(self, message: str) -> ShellError:
        """Return this error with another message."""
        return ShellError(message, self.status, ends=self.ends, reason=self.reason, origins=self.origins)

    @property
    def ends_callers(self) -> bool:
        """True when the error ends more than the input unit, so that no built-in reports it as its own."""
        return self.ends in ("top", "shell")

    @property
    def names_builtin(self) -> bool:
        """True when the built-in that assigned the value puts its name before the message."""
        return "integer" in self.origins and self.reason != "unbound variable"

    def unnamed(self) -> ShellError:
        """Return this error as one that no name of a built-in precedes: bash assigns lists before a built-in runs."""
        return ShellError(
            self.message,
            self.status,
            ends=self.ends,
            reason=self.reason,
            origins=self.origins - {"integer"},
        )

    def named(self, builtin: str) -> ShellError:
        """Return this error with a built-in's name before the message, which no other name precedes then."""
        return self.worded(f"{builtin}: {self.message}").unnamed()


def expression_error(message: str) -> ShellError:
    """Return the error of an arithmetic expression."""
    return ShellError(message, ends="unit", reason="expression")


def readonly_error(name: str, ends: Ends = "command") -> ShellError:
    """Return the error of an assignment to a readonly variable."""
    return ShellError(f"{name}: readonly variable", ends=ends, reason="readonly variable")


def subscript_error(shown: str, ends: Ends = "command") -> ShellError:
    """Return the error of a subscript that an array does not have; ``shown`` precedes bash's words."""
    return ShellError(f"{shown}: bad array subscript", ends=ends, reason="bad subscript")


def bad_substitution_error(shown: str) -> ShellError:
    """Return the error of a ``${ }`` that means nothing; ``shown`` precedes bash's words."""
    return ShellError(f"{shown}: bad substitution", ends="unit", reason="bad substitution")


def unbound_error(name: str, *origins: Origin) -> ShellError:
    """Return the error of ``set -u``."""
    return ShellError(
        f"{name}: unbound variable",
        127,
        ends="shell",
        reason="unbound variable",
        origins=frozenset(origins),
    )

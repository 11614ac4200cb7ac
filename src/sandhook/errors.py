"""Every exception a host can catch, with its fields.

What a *script* sees is an exit status and a line on standard error; none of these classes
reaches it. Control flow inside the interpreter (break, return, exit) is not an error and
lives in ``state/control.py``.
"""

from __future__ import annotations

from sandhook.typed import Literal, TypeAlias

#: The construct that a syntax error is within: ``$( )``, ``name=( ... )``, an unclosed quote or brace; or none.
ErrorPlace: TypeAlias = Literal["", "substitution", "array", "quote"]

#: What bash prints on a second line of a syntax error: the token, the line of the script, the end of the text, or nothing.
Repeats: TypeAlias = Literal["", "token", "line", "end"]

#: What ended a run: a field of ``Limits``, the caller ("cancelled"), or the death of a worker process (``WorkerCrash``).
LimitName: TypeAlias = Literal[
    "wall_seconds", "output_bytes", "steps", "memory_bytes", "fs_bytes", "fs_inodes", "call_depth", "processes",
    "input_bytes", "script_bytes", "nesting", "fields", "open_files", "cancelled", "worker",
]  # fmt: skip


class SandhookError(Exception):
    """Base of everything that sandhook raises to its caller."""


class ShellSyntaxError(SandhookError):
    """A script that bash would not parse either.

    Attributes:
        message: bash's wording without the ``name: line N:`` prefix, for example
            ``syntax error near unexpected token `fi'``.
        source: The whole text that was parsed.
        span: Offsets (0-based, end exclusive) of the offending token in ``source``.
        line: 1-based line number that bash reports.
        column: 1-based column of ``span[0]`` in its line, in characters.
        token: The offending token, or "" at the end of the input.
        name: Name of the script for messages ("" when it has none).
        incomplete: The input ended too early; more text could make it parse.
        where: The construct that the error is within.
        repeats: What bash prints on a second line.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str,
        span: tuple[int, int],
        line: int,
        column: int,
        token: str = "",
        name: str = "",
        incomplete: bool = False,
        where: ErrorPlace = "",
        repeats: Repeats = "",
    ) -> None:
        super().__init__(message)
        self.where = where
        self.repeats = repeats
        self.message = message
        self.source = source
        self.span = span
        self.line = line
        self.column = column
        self.token = token
        self.name = name
        self.incomplete = incomplete

    def __str__(self) -> str:
        where = f"{self.name}:" if self.name else ""
        return f"{where}{self.line}:{self.column}: {self.message}"


class UnsupportedError(SandhookError):
    """A feature that sandhook lacks, and names.

    Attributes:
        feature: What was asked for.
        divergence: Identifier of the row in docs/divergences.md.
    """

    def __init__(self, feature: str, divergence: str, *, known: str = "bash has it") -> None:
        super().__init__(f"{feature} is not supported ({divergence}); {known}")
        self.feature = feature
        self.divergence = divergence


class LimitExceeded(SandhookError):
    """A run used up one of its limits. Scripts cannot catch it.

    Attributes:
        limit: A field of ``Limits``, for example ``steps`` or ``wall_seconds``; "cancelled" when the caller ended it.
        maximum: The bound, in the unit of that field.
    """

    def __init__(self, limit: LimitName, maximum: float, where: str = "") -> None:
        self.limit = limit
        self.maximum = maximum
        self.where = where
        super().__init__(f"{limit}: limit of {maximum} reached" + (f" at {where}" if where else ""))


class WorkerCrash(LimitExceeded):
    """A worker process died while a run needed it, or could not be started. The run cannot go on; scripts cannot catch it.

    Attributes:
        reason: Which worker, and how it ended.
    """

    def __init__(self, reason: str) -> None:
        super().__init__("worker", 0)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class IsolationError(SandhookError):
    """An argument cannot be used with ``isolation="process"``.

    Attributes:
        argument: Its name.
        reason: Why a worker process cannot have it.
    """

    def __init__(self, argument: str, reason: str) -> None:
        super().__init__(f"{argument} cannot be used with isolation='process': {reason}")
        self.argument = argument
        self.reason = reason


class SnapshotError(SandhookError):
    """A session cannot be stored, or its snapshot cannot be restored.

    Attributes:
        where: The part of the snapshot, for example ``variables.PATH``.
        reason: What is wrong there, and what was wanted.
    """

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"snapshot: {where}: {reason}")
        self.where = where
        self.reason = reason


class WorkerError(SandhookError):
    """A supervised worker could not be started or broke its protocol."""


class Problem:
    """One fault of a configuration: its place, and what was wanted.

    Attributes:
        path: Place in the document: "hooks.PreToolUse[2].matcher".
        message: What is wrong, and what was wanted.
        file: The file, or "" if there is one or none.
        line: Line in the file, from 1; 0 when unknown.
    """

    __slots__ = ("file", "line", "message", "path")

    def __init__(self, path: str, message: str, *, file: str = "", line: int = 0) -> None:
        self.path = path
        self.message = message
        self.file = file
        self.line = line

    def __str__(self) -> str:
        where = self.file + (f":{self.line}" if self.line else "") if self.file else ""
        return ": ".join(part for part in (where, self.path, self.message) if part)

    def __repr__(self) -> str:
        return f"Problem({self.path!r}, {self.message!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and (self.path, self.message) == (other.path, other.message)

    def __hash__(self) -> int:
        return hash((self.path, self.message))


class ConfigError(SandhookError):
    """A configuration that cannot be used; lists every problem, not only the first.

    Attributes:
        problems: All faults found, in the order of the file.
        source: Name of the file, or "" for a dictionary.
    """

    def __init__(self, problems: list[Problem], source: str = "") -> None:
        self.problems = problems
        self.source = source
        head = f"{source}: " if source else ""
        super().__init__("\n".join(f"{head}{problem}" for problem in problems))


class TrustError(SandhookError):
    """The store of approvals cannot be read or written, or a hook executes too much to be examined."""


class ManifestError(SandhookError):
    """A capability manifest that cannot be read."""


class NotApproved(TrustError):
    """An approval no longer fits its hook; the message says what changed since when."""

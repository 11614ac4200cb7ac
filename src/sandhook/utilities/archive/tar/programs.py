"""The programs that tar runs: --to-command for each file, and the actions of checkpoints.

They are commands of the sandbox, like those of ``xargs``. Source: GNU tar 1.34 manual, "Writing to an External
Program" and "Checkpoints".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sandhook.command.context import Context, Ended
from sandhook.dates.clock import strftime
from sandhook.kernel.descriptor import Input
from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.text.c_escapes import unescape
from sandhook.utilities.archive.tar.format import Member, Stream
from sandhook.utilities.archive.tar.job import FatalError

if TYPE_CHECKING:
    from sandhook.utilities.archive.tar.job import Job
    from sandhook.utilities.archive.tar.options import Options

VERSION = "1.34"

_DIRECTIVE = lazily(r"%(?:(?:\{([0-9]*)\})?(\*)|\{([^}]*)\}t|([a-zA-Z]))")


def _run(
    command: str, variables: Mapping[str, str], ctx: Context, data: bytes | None = None
) -> tuple[int, Ended]:
    """Run a command with variables; return the number of its process, and how it ended."""
    ctx.flush()
    child = ctx.process.fork()
    ended = ctx.run(
        ["sh", "-c", command],
        environment={**ctx.environment, "TAR_VERSION": VERSION, **variables},
        stdin=None if data is None else Input(data),
        process=child,
    )
    return child.pid, ended


def feed(command: str, member: Member, name: str, stream: Stream, job: Job, ctx: Context) -> None:
    """Run the command of --to-command with the contents of a member as its standard input."""
    ctx.budget.check_fits(2 * member.size)
    data = b"".join(stream.pieces(member.size))
    now = ctx.now()
    moment = f"{int(now)}.{int(now % 1 * 1e9):09d}"
    variables = {
        "TAR_ARCHIVE": job.archive, "TAR_VOLUME": "1", "TAR_BLOCKING_FACTOR": str(job.record // 512),
        "TAR_FORMAT": member.layout, "TAR_FILETYPE": "f", "TAR_MODE": f"{member.mode & 0o7777:04o}",
        "TAR_FILENAME": name, "TAR_REALNAME": member.name, "TAR_SIZE": str(member.size),
        "TAR_MTIME": str(member.mtime), "TAR_ATIME": moment, "TAR_CTIME": moment,
        "TAR_UID": str(member.uid), "TAR_GID": str(member.gid),
    }  # fmt: skip
    if member.user:
        variables["TAR_UNAME"] = member.user
    if member.group:
        variables["TAR_GNAME"] = member.group
    pid, ended = _run(command, variables, ctx, data)
    if job.ignores_commands:
        return
    if ended.signal:
        ctx.error(f"{pid}: Child terminated on signal {ended.signal}")
    elif ended.status:
        job.error(f"{pid}: Child returned status {ended.status}")


class _Action(Record):
    """An action of --checkpoint-action: its name, and its argument."""

    name: str
    argument: str


def _action(text: str) -> _Action:
    """Return the action of a word of --checkpoint-action. Raises FatalError."""
    name, equals, argument = text.partition("=")
    if text in (".", "dot"):
        return _Action("dot", "")
    if name == "echo" and any(match[4] in ("c", "T") for match in _DIRECTIVE.finditer(argument)):
        raise FatalError(f"{text}: %c and %T are not offered (L-TAR-001)")
    if text in ("bell", "echo", "ttyout", "totals") or (name in ("echo", "ttyout", "exec") and equals):
        return _Action(name, argument)
    if name == "sleep" and equals:
        if not argument.isdecimal() or len(argument) > 9:
            raise FatalError(f"{text}: not a valid timeout")
        return _Action(name, argument)
    if name == "wait" and equals:
        raise FatalError(f"--checkpoint-action={text} is not offered (L-TAR-001)")
    raise FatalError(f"{text}: unknown checkpoint action")


class Checkpoints:
    """Counts records, and carries out the actions.

    Args:
        kind: "write" or "read".
    """

    def __init__(self, options: Options, mode: str, job: Job, ctx: Context) -> None:
        self._ctx = ctx
        self._job = job
        self._mode = mode
        self._kind = "read" if mode in ("x", "t", "d") else "write"
        self._start = ctx.now()
        self._bytes = 0
        self._count = 0
        self._actions = [_action(text) for text in options.checkpoint_actions]
        self._interval = 10 if self._actions else 0
        for text in options.checkpoints:
            if text[:1] == ".":
                text = text[1:]
                self._actions.append(_Action("dot", ""))
            number = text.removeprefix("-")
            if number and not (number.isascii() and number.isdigit()):
                raise FatalError("--checkpoint value is not an integer")
            self._interval = int(text[:18] or "0")
        if not self._actions:
            self._actions = [_Action("echo", "")]

    @property
    def enabled(self) -> bool:
        """True if records are counted."""
        return self._interval > 0

    def count(self, size: int) -> None:
        """Note that ``size`` more bytes are complete; a record of which one byte was read counts as read."""
        self._bytes += size
        partial = self._job.record - 1 if self._kind == "read" else 0
        complete = (self._bytes + partial) // self._job.record
        while self._count < complete:
            self._count += 1
            self._ctx.charge()
            if self._count % self._interval == 0:
                for action in self._actions:
                    self._perform(action)

    def _perform(self, action: _Action) -> None:
        ctx = self._ctx
        match action.name:
            case "dot":
                self._job.listing.write_text(".")
            case "echo":
                if action.argument:
                    ctx.error(self._formatted(unescape(action.argument)))
                else:
                    ctx.error(f"{self._kind.capitalize()} checkpoint {self._count}")
            case "totals":
                self._job.print_totals((self._count - 1) * self._job.record)
            case "sleep":
                ctx.sleep(int(action.argument))
            case "exec":
                variables = {
                    "TAR_ARCHIVE": self._job.archive, "TAR_CHECKPOINT": str(self._count),
                    "TAR_BLOCKING_FACTOR": str(self._job.record // 512), "TAR_SUBCOMMAND": f"-{self._mode}",
                    "TAR_FORMAT": {"pax": "posix"}.get(self._job.layout, self._job.layout),
                }  # fmt: skip
                _run(action.argument, variables, ctx)

    def _formatted(self, text: str) -> str:
        """Replace the directives of a message; other text after a percent sign is unchanged."""
        done: list[str] = []
        at = column = 0
        for match in _DIRECTIVE.finditer(text):
            width, star, time, letter = match.groups()
            column += match.start() - at
            done += [
                text[at : match.start()],
                self._directive(match[0], (width or "") if star else None, time, letter, column),
            ]
            at = match.end()
            column += len(done[-1])
        return "".join((*done, text[at:]))

    def _directive(
        self, text: str, width: str | None, time: str | None, letter: str | None, column: int
    ) -> str:
        now = self._ctx.now()
        zone = self._ctx.environment.get("TZ")
        if time is not None:
            return strftime(time, int(now), zone)
        if width is not None:
            right = min(int(width[:4] or "0") or 80, 1_000) - len(self._ctx.name) - 2
            return " " * max(right - column, 0)
        if letter == "s":
            return self._kind
        if letter == "u":
            return str(self._count)
        if letter == "d":
            return str(int(now - self._start))
        if letter == "t":
            return strftime("%c", int(now), zone)
        return text


def checked(pieces: Iterator[bytes], checkpoints: Checkpoints) -> Iterator[bytes]:
    """Yield the pieces of an archive that is written, and count them."""
    for piece in pieces:
        yield piece
        checkpoints.count(len(piece))


class CheckedStream(Stream):
    """An archive that is read, whose records are counted."""

    def __init__(self, chunks: Iterator[bytes], checkpoints: Checkpoints) -> None:
        super().__init__(chunks)
        self._checkpoints = checkpoints

    def read(self, count: int) -> bytes:
        """Return ``count`` bytes, fewer only at the end."""
        data = super().read(count)
        self._checkpoints.count(len(data))
        return data
